//! The story of a record: tasks grouped into cases, faults from beginning to end, and outages of
//! sites.
//!
//! Knows how moments relate; refuses to know how anything looks. Read next: [`crate::picture`],
//! [`crate::replay`].

pub mod outage;
pub mod tasks;

pub use outage::{OutagePeriod, Outages};
pub use tasks::{Ending, TaskRecord, Tasks};

use crate::record::{Record, RecordedEvent};
use language::time::Timestamp;
use markup::words::span;
use std::collections::{BTreeMap, BTreeSet};

/// The title of a scenario, in words.
pub fn headline(scenario: &str) -> String {
    match scenario {
        "fault" => "A batch of base stations goes out of service".to_owned(),
        "experience" => "A base station goes out of service while its neighbours sleep".to_owned(),
        "complaints" => "Drivers complain, in their own words".to_owned(),
        "all" => "A day of a network: everything at once".to_owned(),
        other => format!("A run of {other}"),
    }
}

/// A period with a title and an ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryPeriod {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end; none if it still lasted when the record ended.
    pub until: Option<Timestamp>,
    /// A short title.
    pub title: String,
    /// Its ending.
    pub ending: Ending,
}

impl StoryPeriod {
    /// The ending and the duration: `ended well after 9 min`.
    pub fn ended(&self) -> String {
        match self.until {
            None => Ending::Open.told().to_owned(),
            Some(until) => {
                let lasted = span(until.seconds_since(self.from));
                format!("{} after {lasted}", self.ending.told())
            }
        }
    }
}

/// A true fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueFault {
    /// Its element.
    pub element: String,
    /// Its period, with the kind of fault as title.
    pub span: StoryPeriod,
}

/// A task that is no sub-task, with all its sub-tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskTree {
    /// The top-level task.
    pub root: String,
    /// Its tasks in order of their beginning, the top-level task included.
    pub tasks: Vec<String>,
    /// The period from the first message to the end of the last task.
    pub span: StoryPeriod,
    /// The messages, as indices in [`Record::moments`] in order, each with its task.
    pub lines: Vec<(usize, String)>,
}

/// The cases of a record, in order of their beginning.
pub fn cases(record: &Record) -> Vec<TaskTree> {
    let tasks = Tasks::of(&record.moments);
    let mut cases: BTreeMap<&str, TaskTree> = BTreeMap::new();
    for (name, task) in tasks.iter() {
        let root = tasks.root(name);
        match cases.get_mut(root) {
            Some(case) => case.add(name, task),
            None => drop(cases.insert(root, TaskTree::begun(root, name, task))),
        }
    }
    let mut cases: Vec<TaskTree> = cases.into_values().collect();
    for case in &mut cases {
        case.lines.sort_unstable();
        let mut seen = BTreeSet::new();
        let first = case
            .lines
            .iter()
            .map(|(_, task)| task)
            .filter(|task| seen.insert(*task));
        case.tasks = first.cloned().collect();
    }
    cases.sort_by(|a, b| (a.span.from, &a.root).cmp(&(b.span.from, &b.root)));
    cases
}

impl TaskTree {
    /// The number of a task, from 1; none if the case has only one.
    pub fn number(&self, task: &str) -> Option<usize> {
        let place = self.tasks.iter().position(|t| t == task)?;
        (self.tasks.len() > 1).then_some(place + 1)
    }

    fn begun(root: &str, name: &str, task: &TaskRecord) -> Self {
        Self {
            root: root.to_owned(),
            tasks: Vec::new(),
            span: task.span(),
            lines: Self::lines(name, task).collect(),
        }
    }

    fn lines(name: &str, task: &TaskRecord) -> impl Iterator<Item = (usize, String)> {
        task.lines
            .iter()
            .map(move |place| (*place, name.to_owned()))
    }

    fn add(&mut self, name: &str, task: &TaskRecord) {
        let span = task.span();
        self.lines.extend(Self::lines(name, task));
        self.span.from = self.span.from.min(span.from);
        self.span.until = self.span.until.zip(span.until).map(|(a, b)| a.max(b));
        if name == self.root {
            self.span.title = span.title;
            self.span.ending = span.ending;
        }
    }
}

/// Compensations: tasks whose schema has that name, from the request to their end.
pub fn compensations(record: &Record) -> Vec<StoryPeriod> {
    let tasks = Tasks::of(&record.moments);
    let compensates = |task: &&TaskRecord| {
        let schema = task.schema.as_deref().unwrap_or("");
        schema.starts_with("experience_compensation")
    };
    let mut spans: Vec<StoryPeriod> = tasks
        .iter()
        .map(|(_, task)| task)
        .filter(compensates)
        .map(TaskRecord::span)
        .collect();
    spans.sort_by_key(|span| span.from);
    spans
}

/// The true faults, each from its beginning to its repair.
pub fn faults(record: &Record) -> Vec<TrueFault> {
    let mut faults: Vec<TrueFault> = Vec::new();
    let mut open: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for moment in &record.truth {
        let RecordedEvent::Truth {
            fault,
            element,
            mended,
            ..
        } = &moment.what
        else {
            continue;
        };
        match (mended, open.remove(&(fault.as_str(), element.as_str()))) {
            (true, Some(place)) => {
                faults[place].span.until = Some(moment.at);
                faults[place].span.ending = Ending::Well;
            }
            (true, None) => {}
            (false, before) => {
                // Broken twice without having been mended between is one fault.
                let place = before.unwrap_or(faults.len());
                open.insert((fault, element), place);
                if before.is_none() {
                    faults.push(TrueFault::begun(moment.at, fault, element));
                }
            }
        }
    }
    faults
}

impl TrueFault {
    fn begun(from: Timestamp, fault: &str, element: &str) -> Self {
        Self {
            element: element.to_owned(),
            span: StoryPeriod {
                from,
                until: None,
                title: format!("{fault} at {element}"),
                ending: Ending::Open,
            },
        }
    }
}

/// The number of messages between agents, by sender and receiver.
pub fn conversations(record: &Record) -> BTreeMap<(&str, &str), usize> {
    let mut counts = BTreeMap::new();
    for moment in &record.moments {
        if let RecordedEvent::Message { from, to, .. }
        | RecordedEvent::Reply { from, to, .. }
        | RecordedEvent::Notification { from, to, .. } = &moment.what
        {
            *counts.entry((from.as_str(), to.as_str())).or_default() += 1;
        }
    }
    counts
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
