//! `convoke task tree`: tasks with their sub-tasks below them.

use super::state;
use crate::cli::{Common, Remote};
use crate::output::{self, Failure, Paint, line};
use crate::record::{family, unknown};
use crate::remote::{connect, entries, entry, pages, target, text};
use domain::task::Status;
use domain::time::Timestamp;
use markup::words::cut;
use netconf::xml::XmlElement;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The width to which the target of a task is cut, in columns.
const ABOUT: usize = 40;

struct Task {
    id: String,
    parent: String,
    executor: String,
    /// The state, as named in the model.
    status: String,
    /// The state, with what it waits for, or its progress.
    state: String,
    about: String,
    created_at: Timestamp,
}

impl Task {
    fn of(task: XmlElement<'_>) -> Self {
        Self {
            id: text(task, "task-id"),
            parent: text(task, "parent-task"),
            executor: text(task, "task-sendTo"),
            status: text(task, "task-status"),
            state: state(task),
            about: target(&text(task, "content")),
            created_at: crate::remote::time(task, "created-at"),
        }
    }
}

pub(super) async fn run(
    common: &Common,
    root: Option<&str>,
    remote: &Remote,
) -> Result<(), Failure> {
    let mut client = connect(common, remote).await?;
    let mut tasks = BTreeMap::new();
    let mut take = |task: XmlElement<'_>| {
        let task = Task::of(task);
        tasks.insert(task.id.clone(), task);
    };
    match root {
        None => pages(&mut client, "get-tasks", &[], take).await?,
        Some(root) => {
            for id in family(&mut client, root).await? {
                let document = entry(&mut client, "task", "task-id", &id).await?;
                entries(&document, "task").for_each(&mut take);
            }
        }
    }
    if let Some(root) = root.filter(|root| !tasks.contains_key(*root)) {
        return Err(unknown(root));
    }
    for (depth, last, task) in Forest::of(&tasks, root).walk() {
        tell(common, depth, last, task);
    }
    Ok(())
}

fn tell(common: &Common, depth: usize, last: bool, task: &Task) {
    if common.json {
        output::json(&json!({
            "event": "task", "depth": depth, "task-id": task.id, "parent-task": task.parent,
            "task-status": task.status, "executor": task.executor, "target": task.about,
        }));
        return;
    }
    let branch = match depth {
        0 => String::new(),
        _ => format!(
            "{}{}",
            "   ".repeat(depth - 1),
            if last { "└─ " } else { "├─ " }
        ),
    };
    let style = match Status::parse(&task.status) {
        Some(Status::Finished) => "32",
        Some(s) if s.is_terminal() => "31",
        Some(Status::Processing | Status::Created) | None => "0",
        Some(_) => "33",
    };
    let state = Paint::new().style(style, &task.state);
    let about = cut(&task.about, ABOUT);
    line(&format!(
        "{branch}{}  {state}  {about}  {}",
        task.id, task.executor
    ));
}

/// The hierarchy of tasks.
struct Forest<'a> {
    roots: Vec<&'a Task>,
    parts: BTreeMap<&'a str, Vec<&'a Task>>,
}

impl<'a> Forest<'a> {
    /// The hierarchy; at the top are tasks whose parent is not among them, or `root`.
    fn of(tasks: &'a BTreeMap<String, Task>, root: Option<&str>) -> Self {
        let mut forest = Self {
            roots: Vec::new(),
            parts: BTreeMap::new(),
        };
        let mut by_age: Vec<&Task> = tasks.values().collect();
        by_age.sort_by_key(|t| t.created_at);
        for task in by_age {
            let top = match root {
                Some(root) => task.id == root,
                None => !tasks.contains_key(&task.parent),
            };
            match top {
                true => forest.roots.push(task),
                false => forest.parts.entry(&task.parent).or_default().push(task),
            }
        }
        forest
    }

    /// Every task once, with its depth, and whether it is the last sub-task of its parent.
    fn walk(&self) -> Vec<(usize, bool, &'a Task)> {
        let mut walked = Vec::new();
        let mut seen = BTreeSet::new();
        let mut ahead: Vec<(usize, bool, &Task)> = self
            .roots
            .iter()
            .rev()
            .map(|task| (0, true, *task))
            .collect();
        while let Some((depth, last, task)) = ahead.pop() {
            if !seen.insert(task.id.as_str()) {
                continue;
            }
            walked.push((depth, last, task));
            let parts = self.parts.get(task.id.as_str());
            let parts = parts.into_iter().flatten().rev().enumerate();
            ahead.extend(parts.map(|(place, part)| (depth + 1, place == 0, *part)));
        }
        walked
    }
}
