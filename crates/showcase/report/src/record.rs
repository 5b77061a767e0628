//! A run as lines of JSON: what it was, what happened in it, and how it scored.
//!
//! The first line is the [`Run`], each further one a [`Moment`], the last the [`Score`]. Moments of
//! kind `truth` are what the referee adds when the run has ended; they stand behind all others, so
//! that no reader of a run that is under way sees them. A record without a score was cut short and
//! still reads. Keys that are not known are passed over. Read next: [`crate::story`].

use crate::score::Score;
use language::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the form that is written, and the newest that is read.
pub const VERSION: u32 = 1;

/// What a run was: the first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the form: [`VERSION`].
    pub version: u32,
    /// What was played: `fault`, `experience`, `complaints`, `all`.
    pub scenario: String,
    /// Who worked: `agents`, `manual`, `timer`.
    pub policy: String,
    /// The seed of everything that was left to chance.
    pub seed: u64,
    /// The name of the topology.
    pub topology: String,
    /// When the network's time began.
    #[serde(with = "language::time::rfc3339")]
    pub began: Timestamp,
    /// Where everything stands.
    pub network: Network,
}

/// Where everything stands, for a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Towns with a router.
    pub towns: Vec<Town>,
    /// The backbone between them.
    pub links: Vec<Link>,
    /// Base stations.
    pub sites: Vec<Site>,
}

/// A town.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Town {
    /// Its name, by which links and sites know it.
    pub name: String,
    /// Degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
    /// Its province.
    #[serde(default)]
    pub province: String,
    /// True if the mobile core stands there.
    #[serde(default)]
    pub core: bool,
}

/// A link of the backbone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Its element.
    pub id: String,
    /// The town at one end.
    pub a: String,
    /// The town at the other.
    pub b: String,
}

/// A base station.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Its element.
    pub id: String,
    /// The town on whose router it is homed.
    pub town: String,
    /// Degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// When, in the network's time.
    #[serde(with = "language::time::rfc3339")]
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What happened; the name is the `kind` of the line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum What {
    /// An alarm was delivered.
    Alarm {
        /// The element it is raised on.
        resource: String,
        /// What it says, as a name of `domain::telemetry::AlarmType`.
        #[serde(rename = "type")]
        alarm_type: String,
        /// How bad it is (RFC 8632).
        severity: String,
        /// True when the condition has gone.
        #[serde(default)]
        cleared: bool,
    },
    /// An agent asked another.
    Message {
        /// Who spoke.
        from: String,
        /// Who was spoken to.
        to: String,
        /// `commuType`.
        verb: String,
        /// The task it is about.
        task: String,
        /// The task of which that one is a part.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        /// The schema of its payload; none if it had words alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<String>,
        /// What was said.
        words: String,
        /// Its length on the wire, in bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
    },
    /// What was answered to a message.
    Reply {
        /// Who answers.
        from: String,
        /// Whom.
        to: String,
        /// `accepted`, `offered`, `refused`, `input-required`, `result` or `pending`.
        verdict: String,
        /// What was said.
        words: String,
        /// The task; none means that of the last message in the other direction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<String>,
    },
    /// A publisher was told of a task's state.
    Notification {
        /// The executor.
        from: String,
        /// Who is told.
        to: String,
        /// The state that the task came to.
        status: String,
        /// The task.
        task: String,
        /// What was said.
        words: String,
    },
    /// An agent did something to its network.
    Action {
        /// Who.
        agent: String,
        /// What.
        words: String,
        /// To which elements.
        #[serde(default)]
        elements: Vec<String>,
    },
    /// An action ended.
    Outcome {
        /// Whose.
        agent: String,
        /// How.
        words: String,
    },
    /// What an agent, or the stage, says about what it does.
    Note {
        /// Who.
        agent: String,
        /// The words.
        words: String,
    },
    /// A customer complained of a site.
    Complaint {
        /// The customer's words.
        words: String,
    },
    /// A customer's company opened a ticket, or was answered.
    Ticket {
        /// The words.
        words: String,
    },
    /// News of an engineer in the field.
    Field {
        /// What.
        words: String,
        /// Where.
        element: String,
    },
    /// How the network is: every quarter of an hour, and whenever more or fewer sites are out.
    Network {
        /// How many sites serve nobody though they should.
        sites_out: u64,
        /// Which; none where the writer does not say.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        out: Vec<String>,
        /// The share of the traffic asked for that is carried, 0 to 1; none where nothing is asked for.
        #[serde(default)]
        served_share: Option<f64>,
        /// What base stations have consumed since the run began, in kWh.
        #[serde(default)]
        energy_kwh_so_far: Option<f64>,
    },
    /// What truly broke or was mended; the referee tells it when the run has ended.
    Truth {
        /// What kind of fault.
        fault: String,
        /// Of which element.
        element: String,
        /// True when it was mended.
        #[serde(default)]
        mended: bool,
        /// For people.
        #[serde(default)]
        words: String,
    },
}

/// A run, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What it was.
    pub run: Run,
    /// What happened, in order of time.
    pub moments: Vec<Moment>,
    /// What truly broke and was mended, in order of time.
    pub truth: Vec<Moment>,
    /// How it scored; none if the run was cut short.
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
    /// Its line, without the line's end.
    pub fn line(&self) -> String {
        written(&Line::Run(self))
    }
}

impl Moment {
    /// Its line, without the line's end.
    pub fn line(&self) -> String {
        written(&Line::Moment(self))
    }

    /// True if only the referee knows it.
    pub fn is_truth(&self) -> bool {
        matches!(self.what, What::Truth { .. })
    }
}

impl Score {
    /// Its line, without the line's end; a file of such lines is a batch.
    pub fn line(&self) -> String {
        written(&Line::Score(self))
    }

    /// Reads the line of a score.
    ///
    /// # Errors
    /// [`RecordError`] with line 1, if it is anything else.
    pub fn parse(line: &str) -> Result<Self, RecordError> {
        match serde_json::from_str(line) {
            Ok(LineRead::Score(score)) => Ok(score),
            Ok(_) => Err(RecordError::new(1, "this is not a score")),
            Err(cause) => Err(RecordError::of_json(1, line, &cause)),
        }
    }
}

/// A record that cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
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

    /// serde_json counts lines of what it was given, which is one line.
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
    /// Reads a record. Empty lines and unknown keys are passed over; moments of one instant stay in
    /// their order.
    ///
    /// # Errors
    /// [`RecordError`] names the line: one that is not JSON or breaks off, a kind or event that is
    /// not known, a key that is missing, a newer version, a record that does not begin with its
    /// run, anything behind the score, and what is not truth behind truth.
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

    /// Its lines, in the order in which a file holds them.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let moments = self.moments.iter().chain(&self.truth).map(Moment::line);
        let score = self.score.iter().map(Score::line);
        std::iter::once(self.run.line()).chain(moments).chain(score)
    }

    /// When the last moment was; the beginning if there is none.
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
