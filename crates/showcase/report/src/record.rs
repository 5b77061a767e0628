//! The record of a run, as lines of JSON: its parameters, its events and its score.
//!
//! The first line is the [`Run`], each further one a [`Moment`], the last the [`Score`]. Moments of
//! kind `truth` are added by the referee at the end of the run; they stand behind all others, so
//! that a reader of a running simulation never sees them. A record without a score was cut short
//! and still parses. Unknown keys are ignored. Read next: [`crate::story`].

use crate::score::Score;
use language::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the format that is written, and the newest that is read.
pub const VERSION: u32 = 1;

/// The parameters of a run: the first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the format: [`VERSION`].
    pub version: u32,
    /// The scenario: `fault`, `experience`, `complaints`, `all`.
    pub scenario: String,
    /// The policy: `agents`, `manual`, `timer`.
    pub policy: String,
    /// The seed of the random generators.
    pub seed: u64,
    /// The name of the topology.
    pub topology: String,
    /// The beginning of the simulated time.
    #[serde(with = "language::time::rfc3339")]
    pub began: Timestamp,
    /// The topology, for maps.
    pub network: NetworkMap,
}

/// The positions and links of the network, for maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkMap {
    /// Towns with a router.
    pub towns: Vec<Town>,
    /// The backbone between them.
    pub links: Vec<MapLink>,
    /// Base stations.
    pub sites: Vec<Site>,
}

/// A town.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Town {
    /// Its name, by which links and sites refer to it.
    pub name: String,
    /// Degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
    /// Its province.
    #[serde(default)]
    pub province: String,
    /// True if the mobile core is there.
    #[serde(default)]
    pub core: bool,
}

/// A link of the backbone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapLink {
    /// Its element name.
    pub id: String,
    /// The town at one end.
    pub a: String,
    /// The town at the other.
    pub b: String,
}

/// A base station.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Its element name.
    pub id: String,
    /// The town to whose router it is connected.
    pub town: String,
    /// Degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The instant, in simulated time.
    #[serde(with = "language::time::rfc3339")]
    pub at: Timestamp,
    /// The event.
    #[serde(flatten)]
    pub what: RecordedEvent,
}

/// An event; the variant's name is the `kind` of the line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RecordedEvent {
    /// An alarm was delivered.
    Alarm {
        /// The element it is raised on.
        resource: String,
        /// The alarm type, as a name of `domain::telemetry::AlarmType`.
        #[serde(rename = "type")]
        alarm_type: String,
        /// The perceived severity (RFC 8632).
        severity: String,
        /// True if the alarm is cleared.
        #[serde(default)]
        cleared: bool,
    },
    /// An agent sent a message to another.
    Message {
        /// The sender.
        from: String,
        /// The receiver.
        to: String,
        /// `commuType`.
        verb: String,
        /// The task that the message is about.
        task: String,
        /// The task of which that one is a sub-task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// The schema of its payload; none if it had text alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<String>,
        /// The text of the message.
        words: String,
        /// Its length in the binding's encoding, in bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    /// The reply to a message.
    Reply {
        /// The replying agent.
        from: String,
        /// The agent to whom the reply goes.
        to: String,
        /// `accepted`, `offered`, `refused`, `input-required`, `result` or `pending`.
        verdict: String,
        /// The text of the reply.
        words: String,
        /// The task; if absent, that of the last message in the other direction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<String>,
    },
    /// A task's publisher was notified of its state.
    Notification {
        /// The executor.
        from: String,
        /// The publisher.
        to: String,
        /// The new state of the task.
        status: String,
        /// The task.
        task: String,
        /// The text of the notification.
        words: String,
    },
    /// An agent acted on its network.
    Action {
        /// The agent.
        agent: String,
        /// The action.
        words: String,
        /// The elements acted on.
        #[serde(default)]
        elements: Vec<String>,
    },
    /// An action ended.
    Outcome {
        /// The agent.
        agent: String,
        /// The outcome of the action.
        words: String,
    },
    /// A remark of an agent, or of the simulation, about its actions.
    Note {
        /// The agent.
        agent: String,
        /// The words.
        words: String,
    },
    /// A customer of a site complained.
    Complaint {
        /// The customer's words.
        words: String,
    },
    /// A corporate customer opened a ticket, or was answered.
    Ticket {
        /// The words.
        words: String,
    },
    /// A report about a field engineer.
    Field {
        /// The report.
        words: String,
        /// The element.
        element: String,
    },
    /// The state of the network: every quarter of an hour, and whenever the number of sites out
    /// changes.
    Network {
        /// The number of sites out of service, not counting those that are meant to be off.
        sites_out: u64,
        /// Their names; none if the writer does not give them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        out: Vec<String>,
        /// The share of the offered traffic that is carried, 0 to 1; none if no traffic is offered.
        #[serde(default)]
        served_share: Option<f64>,
        /// The energy consumed by base stations since the beginning of the run, in kWh.
        #[serde(default)]
        energy_kwh_so_far: Option<f64>,
    },
    /// The beginning or end of a true fault; written by the referee at the end of the run.
    Truth {
        /// The kind of fault.
        fault: String,
        /// The element.
        element: String,
        /// True if it was mended.
        #[serde(default)]
        mended: bool,
        /// A description for people.
        #[serde(default)]
        words: String,
    },
}

/// A run, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The parameters.
    pub run: Run,
    /// The events, in order of time.
    pub moments: Vec<Moment>,
    /// The true faults and repairs, in order of time.
    pub truth: Vec<Moment>,
    /// The score; none if the run was cut short.
    pub score: Option<Score>,
}

/// A line of a record.
#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<R, M, S> {
    Run(R),
    Moment(M),
    Score(S),
}

type LineRead = Line<Run, Moment, Score>;
type LineWritten<'a> = Line<&'a Run, &'a Moment, &'a Score>;

fn written(line: &LineWritten<'_>) -> String {
    serde_json::to_string(line).expect("names are strings, so that each has a form in JSON")
}

impl Run {
    /// Its line, without the line feed.
    pub fn line(&self) -> String {
        written(&Line::Run(self))
    }
}

impl Moment {
    /// Its line, without the line feed.
    pub fn line(&self) -> String {
        written(&Line::Moment(self))
    }

    /// True if only the referee knows it, not the agents.
    pub fn is_truth(&self) -> bool {
        matches!(self.what, RecordedEvent::Truth { .. })
    }
}

impl Score {
    /// Its line, without the line feed; a file of such lines is a batch.
    pub fn line(&self) -> String {
        written(&Line::Score(self))
    }

    /// Reads the line of a score.
    ///
    /// # Errors
    /// [`RecordError`] with line 1, if it is anything else, or of a version that measures otherwise.
    pub fn parse(line: &str) -> Result<Self, RecordError> {
        let known = crate::score::VERSION;
        match serde_json::from_str(line) {
            Ok(LineRead::Score(score)) if score.version == known => Ok(score),
            Ok(LineRead::Score(score)) => {
                let version = score.version;
                let reason =
                    format!("version {version} measures otherwise than {known}: score it again");
                Err(RecordError::new(1, reason))
            }
            Ok(_) => Err(RecordError::new(1, "this is not a score")),
            Err(cause) => Err(RecordError::of_json(1, line, &cause)),
        }
    }
}

/// A record that cannot be read, with the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for RecordError {}

impl RecordError {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { line, reason }
    }

    /// Converts an error of serde_json, which counts lines within the one line it was given.
    fn of_json(line: usize, text: &str, cause: &serde_json::Error) -> Self {
        if cause.is_eof() {
            let end = text.chars().count();
            return Self::new(line, format!("the line breaks off after {end} characters"));
        }
        let told = cause.to_string();
        let place = format!(" at line {} column {}", cause.line(), cause.column());
        match (told.strip_suffix(&place), cause.is_data()) {
            (Some(what), true) => Self::new(line, what),
            (Some(what), false) => Self::new(line, format!("{what}, column {}", cause.column())),
            (None, _) => Self::new(line, told),
        }
    }
}

impl Record {
    /// Reads a record. Empty lines and unknown keys are ignored; moments of the same instant keep
    /// their order.
    ///
    /// # Errors
    /// [`RecordError`] with the line: one that is not JSON or is truncated, an unknown kind or
    /// event, a missing key, a newer version, a record that does not begin with its run, anything
    /// after the score, and anything but truth after truth.
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(place, line)| (place + 1, line))
            .filter(|(_, line)| !line.trim().is_empty());
        let mut record = Self::begun(lines.next())?;
        for (number, line) in lines {
            record.take(number, line)?;
        }
        record.moments.sort_by_key(|m| m.at);
        record.truth.sort_by_key(|m| m.at);
        Ok(record)
    }

    fn begun(first: Option<(usize, &str)>) -> Result<Self, RecordError> {
        let Some((number, line)) = first else {
            return Err(RecordError::new(1, "the record is empty"));
        };
        let Line::Run(run) = read(number, line)? else {
            return Err(RecordError::new(number, "the first line must be the run"));
        };
        if run.version > VERSION {
            let reason = format!("version {} is newer than {VERSION}", run.version);
            return Err(RecordError::new(number, reason));
        }
        Ok(Self {
            run,
            moments: Vec::new(),
            truth: Vec::new(),
            score: None,
        })
    }

    fn take(&mut self, number: usize, line: &str) -> Result<(), RecordError> {
        let line = read(number, line)?;
        if self.score.is_some() {
            return Err(RecordError::new(number, "something follows the score"));
        }
        match line {
            Line::Run(_) => return Err(RecordError::new(number, "a second run begins")),
            Line::Score(score) => self.score = Some(score),
            Line::Moment(moment) if moment.is_truth() => self.truth.push(moment),
            Line::Moment(_) if !self.truth.is_empty() => {
                let reason = "a moment of the run stands behind the truth, which ends a record";
                return Err(RecordError::new(number, reason));
            }
            Line::Moment(moment) => self.moments.push(moment),
        }
        Ok(())
    }

    /// Its lines, in the order of a file.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let moments = self.moments.iter().chain(&self.truth).map(Moment::line);
        let score = self.score.iter().map(Score::line);
        std::iter::once(self.run.line()).chain(moments).chain(score)
    }

    /// The instant of the last moment; the beginning if there is none.
    pub fn ended(&self) -> Timestamp {
        let last = [self.moments.last(), self.truth.last()];
        let last = last.into_iter().flatten().map(|m| m.at).max();
        last.unwrap_or(self.run.began).max(self.run.began)
    }
}

fn read(number: usize, line: &str) -> Result<LineRead, RecordError> {
    serde_json::from_str(line).map_err(|cause| RecordError::of_json(number, line, &cause))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
