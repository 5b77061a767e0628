//! `convoke task`: listing, showing, assigning and negotiating tasks.
//!
//! Read next: [`assign`] for new tasks, [`speak`] for messages about them, [`thread`] for their
//! history.

mod assign;
mod speak;
mod thread;
mod tree;

pub(crate) use assign::give;
pub(crate) use speak::{Subject, refusal};

use crate::agent::show;
use crate::cli::{Common, List, TaskCommand};
use crate::output::{self, Failure, line};
use crate::record::unknown;
use crate::remote::{agent_name, connect, entries, entry, pages, text, to_json};
use domain::task::Status;
use netconf::xml::XmlElement;
use serde_json::{Value, json};

pub(crate) async fn run(common: &Common, command: TaskCommand) -> Result<(), Failure> {
    match command {
        TaskCommand::List(wanted) => list(common, wanted).await,
        TaskCommand::Show { task, remote } => {
            let mut client = connect(common, &remote).await?;
            let document = entry(&mut client, "task", "task-id", &task).await?;
            let found = entries(&document, "task").next();
            let found = found.ok_or_else(|| unknown(&task))?;
            if common.json {
                output::json(&object(found));
            } else {
                show(found, 0);
            }
            Ok(())
        }
        TaskCommand::Tree { task, remote } => tree::run(common, task.as_deref(), &remote).await,
        TaskCommand::Timeline(timeline) => thread::timeline(common, timeline).await,
        TaskCommand::Context { task, remote } => thread::context(common, &task, &remote).await,
        TaskCommand::Assign(assign) => assign::run(common, assign).await,
        TaskCommand::Negotiate(negotiate) => speak::negotiate(common, negotiate).await,
        TaskCommand::Accept(judge) => speak::accept(common, judge).await,
        TaskCommand::Reject {
            task,
            unmet,
            remote,
        } => speak::reject(common, &task, &unmet, &remote).await,
        TaskCommand::Cancel { task, remote } => speak::cancel(common, &task, &remote).await,
        TaskCommand::Answer(answer) => speak::answer(common, answer).await,
    }
}

async fn list(common: &Common, wanted: List) -> Result<(), Failure> {
    let mut client = connect(common, &wanted.remote).await?;
    let executor = match &wanted.executor {
        Some(name) => Some(agent_name(&mut client, name).await?),
        None => None,
    };
    let named = [
        ("executor", &executor),
        ("party", &wanted.party),
        ("parent-task", &wanted.parent),
        ("since", &wanted.since),
        ("until", &wanted.until),
    ];
    let named = named
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let open = Status::ALL
        .into_iter()
        .filter(|s| wanted.open && !s.is_terminal());
    let mut asked: Vec<(&str, &str)> = named.collect();
    asked.extend(open.map(|status| ("status", status.as_str())));
    asked.extend(
        wanted
            .status
            .iter()
            .map(|status| ("status", status.as_str())),
    );
    let mut rows = Vec::new();
    pages(&mut client, "get-tasks", &asked, |task| {
        if common.json {
            output::json(&object(task));
        } else {
            rows.push(row(task));
        }
    })
    .await?;
    if !common.json {
        let header = ["TASK-ID", "STATUS", "TYPE", "FROM", "TO", "CHANGED"];
        line(&output::table(&header, &rows));
    }
    Ok(())
}

/// A task as JSON.
pub(crate) fn object(task: XmlElement<'_>) -> Value {
    json!({ "event": "task", "task": to_json(task) })
}

fn row(task: XmlElement<'_>) -> Vec<String> {
    vec![
        text(task, "task-id"),
        state(task),
        text(task, "type"),
        text(task, "task-sendFrom"),
        text(task, "task-sendTo"),
        text(task, "changed-at"),
    ]
}

/// The state of a task, with what it waits for, or its progress.
fn state(task: XmlElement<'_>) -> String {
    let (status, awaits) = (text(task, "task-status"), text(task, "awaits"));
    match (status.as_str(), awaits.as_str()) {
        ("processing", _) => format!("{status} {} %", text(task, "progress")),
        (_, "") => status,
        _ => format!("{status} ({awaits})"),
    }
}
