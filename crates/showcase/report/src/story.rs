//! What a record tells when it is put in order: tasks and the cases they belong to, faults from
//! beginning to end, and which sites were out when.
//!
//! Knows how moments hang together; refuses to know how anything looks. Read next:
//! [`crate::picture`], [`crate::replay`].

pub mod outage;
pub mod tasks;

pub use outage::{Outages, Step};
pub use tasks::{Ending, Task, Tasks};

use crate::record::{Record, What};
use language::time::Timestamp;
use markup::words::span;
use std::collections::{BTreeMap, BTreeSet};

/// What a run is about, in words.
pub fn headline(scenario: &str) -> String {
    match scenario {
        "fault" => "A batch of base stations goes out of service".to_owned(),
        "experience" => "A base station goes out of service while its neighbours sleep".to_owned(),
        "complaints" => "Drivers complain, in their own words".to_owned(),
        "all" => "A day of a network: everything at once".to_owned(),
        other => format!("A run of {other}"),
    }
}

/// Something that lasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// From when.
    pub from: Timestamp,
    /// Until when; none if it still lasted when the record ended.
    pub until: Option<Timestamp>,
    /// What it was, in short.
    pub title: String,
    /// How it ended.
    pub ending: Ending,
}

impl Span {
    /// How it ended, and after how long: `ended well after 9 min`.
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

/// Something that truly was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its element.
    pub element: String,
    /// From when until when, and what.
    pub span: Span,
}

/// A task that is part of no other, with all its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The task at the top.
    pub root: String,
    /// Its tasks in order of their beginning, that one included.
    pub tasks: Vec<String>,
    /// From the first message to the end of the last task.
    pub span: Span,
    /// What was said, as places in [`Record::moments`] in order, each with the task it is about.
    pub lines: Vec<(usize, String)>,
}

/// The cases of a record, in order of their beginning.
pub fn cases(record: &Record) -> Vec<Case> {
    let tasks = Tasks::of(&record.moments);
    let mut cases: BTreeMap<&str, Case> = BTreeMap::new();
    for (name, task) in tasks.iter() {
        let root = tasks.root(name);
        match cases.get_mut(root) {
            Some(case) => case.add(name, task),
            None => drop(cases.insert(root, Case::begun(root, name, task))),
        }
    }
    let mut cases: Vec<Case> = cases.into_values().collect();
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

impl Case {
    /// The number of a task, from 1; none where the case has only one.
    pub fn number(&self, task: &str) -> Option<usize> {
        let place = self.tasks.iter().position(|t| t == task)?;
        (self.tasks.len() > 1).then_some(place + 1)
    }

    fn begun(root: &str, name: &str, task: &Task) -> Self {
        Self {
            root: root.to_owned(),
            tasks: Vec::new(),
            span: task.span(),
            lines: Self::lines(name, task).collect(),
        }
    }

    fn lines(name: &str, task: &Task) -> impl Iterator<Item = (usize, String)> {
        task.lines
            .iter()
            .map(move |place| (*place, name.to_owned()))
    }

    fn add(&mut self, name: &str, task: &Task) {
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

/// Compensations: tasks whose schema is of that name, from being asked for to their end.
pub fn compensations(record: &Record) -> Vec<Span> {
    let tasks = Tasks::of(&record.moments);
    let compensates = |task: &&Task| {
        let schema = task.schema.as_deref().unwrap_or("");
        schema.starts_with("experience_compensation")
    };
    let mut spans: Vec<Span> = tasks
        .iter()
        .map(|(_, task)| task)
        .filter(compensates)
        .map(Task::span)
        .collect();
    spans.sort_by_key(|span| span.from);
    spans
}

/// What truly was broken, from when until when.
pub fn faults(record: &Record) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    let mut open: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for moment in &record.truth {
        let What::Truth {
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
                    faults.push(Fault::begun(moment.at, fault, element));
                }
            }
        }
    }
    faults
}

impl Fault {
    fn begun(from: Timestamp, fault: &str, element: &str) -> Self {
        Self {
            element: element.to_owned(),
            span: Span {
                from,
                until: None,
                title: format!("{fault} at {element}"),
                ending: Ending::Open,
            },
        }
    }
}

/// How often each agent spoke to each other, by who speaks and who is spoken to.
pub fn conversations(record: &Record) -> BTreeMap<(&str, &str), usize> {
    let mut counts = BTreeMap::new();
    for moment in &record.moments {
        if let What::Message { from, to, .. }
        | What::Reply { from, to, .. }
        | What::Notification { from, to, .. } = &moment.what
        {
            *counts.entry((from.as_str(), to.as_str())).or_default() += 1;
        }
    }
    counts
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
