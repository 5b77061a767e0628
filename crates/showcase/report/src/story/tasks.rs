//! Tasks, reconstructed from a record: publisher, executor, outcome, and parent.
//!
//! Takes one moment after another, so that a replay knows the open tasks at each instant. Names of
//! states and verdicts are those of the protocol. Read next: [`super`].

use super::StoryPeriod;
use crate::record::{Moment, RecordedEvent};
use language::time::Timestamp;
use std::collections::BTreeMap;

/// The ending of a task or period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has not ended.
    Open,
    /// It ended well.
    Well,
    /// It ended badly: failed, refused, rejected, unconfirmed.
    Badly,
    /// It was cancelled.
    CalledOff,
}

impl Ending {
    /// The word for it, as in the CSS classes of pictures.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Well => "well",
            Self::Badly => "badly",
            Self::CalledOff => "called-off",
        }
    }

    /// The ending in words.
    pub fn told(self) -> &'static str {
        match self {
            Self::Open => "open when the record ended",
            Self::Well => "ended well",
            Self::Badly => "ended badly",
            Self::CalledOff => "called off",
        }
    }

    /// The ending that a task's state or a reply's verdict means; [`Self::Open`] for all others.
    pub fn of(word: &str) -> Self {
        match word {
            "finished" | "result" => Self::Well,
            "failed" | "rejected" | "unconfirmed" | "refused" => Self::Badly,
            "cancelled" => Self::CalledOff,
            _ => Self::Open,
        }
    }
}

/// One task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRecord {
    /// The task of which it is a sub-task.
    pub parent: Option<String>,
    /// Its schema, as in the first message with one.
    pub schema: Option<String>,
    /// The agent that publishes it.
    pub publisher: String,
    /// The agent that executes it.
    pub executor: String,
    /// The text of the first message about it.
    pub words: String,
    /// The instant of that message.
    pub from: Timestamp,
    /// The instant of its end.
    pub until: Option<Timestamp>,
    /// The last state or verdict; `asked` before there is one.
    pub status: String,
    /// The messages about it, as indices in the list of moments.
    pub lines: Vec<usize>,
}

impl TaskRecord {
    fn asked(at: Timestamp, from: &str, to: &str, words: &str) -> Self {
        Self {
            parent: None,
            schema: None,
            publisher: from.to_owned(),
            executor: to.to_owned(),
            words: words.to_owned(),
            from: at,
            until: None,
            status: "asked".to_owned(),
            lines: Vec::new(),
        }
    }

    /// The period from the first message to the end.
    pub fn span(&self) -> StoryPeriod {
        let schema = self.schema.as_deref().map(|s| format!(" ({s})"));
        StoryPeriod {
            from: self.from,
            until: self.until,
            title: format!("{}{}", self.words, schema.unwrap_or_default()),
            ending: Ending::of(&self.status),
        }
    }

    /// Records a state or verdict. An ended task stays ended: later messages confirm its result. A
    /// refusal, however, is revoked by the next message.
    fn came_to(&mut self, at: Timestamp, status: &str) {
        let over = self.until.is_some() && !matches!(self.status.as_str(), "refused" | "result");
        if !over {
            self.status = status.to_owned();
            self.until = (Ending::of(status) != Ending::Open).then_some(at);
        }
    }
}

/// All tasks mentioned so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tasks {
    tasks: BTreeMap<String, TaskRecord>,
    /// The task of the last message, by sender and receiver.
    last: BTreeMap<(String, String), String>,
    taken: usize,
}

impl Tasks {
    /// The tasks of these moments.
    pub fn of(moments: &[Moment]) -> Self {
        let mut tasks = Self::default();
        for moment in moments {
            tasks.take(moment);
        }
        tasks
    }

    /// Applies the next moment.
    pub fn take(&mut self, moment: &Moment) {
        let at = moment.at;
        let place = self.taken;
        self.taken += 1;
        match &moment.what {
            RecordedEvent::Message {
                from,
                to,
                task,
                parent,
                schema,
                words,
                ..
            } => {
                self.last.insert((from.clone(), to.clone()), task.clone());
                let entry = self.tasks.entry(task.clone());
                let entry = entry.or_insert_with(|| TaskRecord::asked(at, from, to, words));
                entry.parent = entry.parent.take().or_else(|| parent.clone());
                entry.schema = entry.schema.take().or_else(|| schema.clone());
                entry.came_to(at, "asked");
                entry.lines.push(place);
            }
            RecordedEvent::Reply {
                from,
                to,
                verdict,
                task,
                ..
            } => {
                let answered = self.last.get(&(to.clone(), from.clone()));
                let name = task.as_ref().or(answered);
                if let Some(task) = name.and_then(|name| self.tasks.get_mut(name)) {
                    task.came_to(at, verdict);
                    task.lines.push(place);
                }
            }
            RecordedEvent::Notification {
                from,
                to,
                status,
                task,
                words,
            } => {
                let entry = self.tasks.entry(task.clone());
                let entry = entry.or_insert_with(|| TaskRecord::asked(at, to, from, words));
                entry.came_to(at, status);
                entry.lines.push(place);
            }
            _ => {}
        }
    }

    /// The tasks by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TaskRecord)> {
        self.tasks.iter().map(|(name, task)| (name.as_str(), task))
    }

    /// The task called `name`.
    pub fn named(&self, name: &str) -> Option<&TaskRecord> {
        self.tasks.get(name)
    }

    /// The tasks that have not ended.
    pub fn open(&self) -> impl Iterator<Item = (&str, &TaskRecord)> {
        self.iter().filter(|(_, task)| task.until.is_none())
    }

    /// The top-level ancestor of `name`; `name` itself if it has no known parent. A cycle ends
    /// where it closes.
    pub fn root<'a>(&'a self, name: &'a str) -> &'a str {
        let mut at = name;
        for _ in 0..self.tasks.len() {
            let parent = self.tasks.get(at).and_then(|task| task.parent.as_deref());
            match parent.and_then(|parent| self.tasks.get_key_value(parent)) {
                Some((parent, _)) if parent != name => at = parent,
                _ => break,
            }
        }
        at
    }
}
