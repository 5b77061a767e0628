//! Stepping through a record: one line after another, with the state of the network and of tasks
//! between them.
//!
//! Consecutive moments of the same kind are merged into one line: alarms, and an agent's actions or
//! outcomes. Pure: the caller decides when to step. The referee's truth is included only on demand,
//! as no agent knew it during the run. Read next: [`crate::story`].

use crate::record::{Moment, Record, RecordedEvent};
use crate::story::{Ending, Tasks};
use language::time::Timestamp;
use markup::words::{count, cut, decimal, span};

/// The longest time that a merged line spans, in seconds.
const ROW_S: f64 = 300.0;

/// The tone of a line, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Neutral: work goes on.
    Plain,
    /// Success.
    Good,
    /// Failure.
    Bad,
    /// An answer is awaited.
    Waiting,
    /// The referee's truth, unknown to agents.
    Truth,
}

impl Tone {
    /// The name of the tone.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Waiting => "waiting",
            Self::Truth => "truth",
        }
    }
}

/// One line of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayLine {
    /// The instant.
    pub at: Timestamp,
    /// The agent or element that spoke or acted.
    pub who: String,
    /// The receiver; none if there is none.
    pub to: Option<String>,
    /// The text.
    pub words: String,
    /// The tone of the text.
    pub tone: Tone,
}

/// A record with a position in it.
#[derive(Clone, Debug)]
pub struct Player {
    record: Record,
    /// Moments, with the truth if wanted, in order of time.
    moments: Vec<Moment>,
    /// The index of the next moment.
    next: usize,
    board: Board,
}

/// The state at an instant.
#[derive(Clone, Debug, Default)]
struct Board {
    at: Timestamp,
    tasks: Tasks,
    sites_out: u64,
    served_share: Option<f64>,
    energy_kwh: Option<f64>,
    alarms: usize,
    told: bool,
}

impl Player {
    /// Plays the record as the agents could see it.
    pub fn new(record: Record) -> Self {
        let moments = record.moments.clone();
        Self::of(record, moments)
    }

    /// Plays the record, with true faults and repairs at their instants.
    pub fn with_truth(record: Record) -> Self {
        let mut moments: Vec<Moment> = record
            .truth
            .iter()
            .chain(&record.moments)
            .cloned()
            .collect();
        // Truth comes first of what happens at one instant: it is the cause.
        moments.sort_by_key(|m| m.at);
        Self::of(record, moments)
    }

    fn of(record: Record, moments: Vec<Moment>) -> Self {
        let board = Board {
            at: record.run.began,
            ..Board::default()
        };
        Self {
            record,
            moments,
            next: 0,
            board,
        }
    }

    /// The record that is played.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the next line; none at the end. Readings of the network give a line if the number of
    /// sites out changed, and otherwise update the board alone. Moments of the same kind within the
    /// next five minutes are merged into the line.
    pub fn step(&mut self) -> Option<ReplayLine> {
        while let Some(moment) = self.moments.get(self.next) {
            self.next += 1;
            if let Some(line) = self.board.take(moment) {
                let rest = &self.moments[self.next..];
                let ends = |next: &Moment| !is_alike(moment, next);
                let row = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
                for next in row {
                    self.board.take(next);
                }
                self.next += row.len();
                return Some(gathered(line, moment, row));
            }
        }
        None
    }

    /// Seeks to an instant, forwards or back; moments at the instant itself are included.
    pub fn to(&mut self, at: Timestamp) {
        if at < self.board.at {
            self.next = 0;
            self.board = Board {
                at: self.record.run.began,
                ..Board::default()
            };
        }
        while let Some(moment) = self.moments.get(self.next).filter(|m| m.at <= at) {
            self.board.take(moment);
            self.next += 1;
        }
        self.board.at = self.board.at.max(at.min(self.record.ended()));
    }

    /// The current instant.
    pub fn at(&self) -> Timestamp {
        self.board.at
    }

    /// The share of moments already played, 0 to 1.
    pub fn progress(&self) -> f64 {
        match self.moments.len() {
            0 => 1.0,
            all => self.next as f64 / all as f64,
        }
    }

    /// The current state as lines of text: time, sites out, energy, alarms, and open tasks with
    /// their agents (at most 12).
    pub fn board(&self) -> String {
        let mut lines = vec![self.board.state(self.record.run.began)];
        let open: Vec<_> = self.board.tasks.open().collect();
        lines.push(count(open.len(), "open task", "open tasks"));
        for (name, task) in open.iter().take(12) {
            let since = span(self.board.at.seconds_since(task.from));
            lines.push(format!(
                "  {name}  {} → {}  {}, for {since}: {}",
                task.publisher,
                task.executor,
                task.status,
                cut(&task.words, 60)
            ));
        }
        if open.len() > 12 {
            lines.push(format!("  and {} more", open.len() - 12));
        }
        lines.join("\n")
    }
}

impl Board {
    fn state(&self, began: Timestamp) -> String {
        let mut parts = vec![
            format!(
                "{} UTC, {} in",
                self.at.day_and_clock(),
                span(self.at.seconds_since(began))
            ),
            count(self.sites_out as usize, "site out", "sites out"),
        ];
        parts.extend(
            self.served_share
                .map(|s| format!("{} % served", decimal(s * 100.0, 1))),
        );
        parts.extend(
            self.energy_kwh
                .map(|kwh| format!("{} kWh so far", decimal(kwh, 1))),
        );
        parts.push(count(self.alarms, "alarm", "alarms"));
        parts.join(" · ")
    }

    /// Applies a moment to the board; returns its line, if it has one.
    fn take(&mut self, moment: &Moment) -> Option<ReplayLine> {
        self.at = self.at.max(moment.at);
        self.tasks.take(moment);
        if let RecordedEvent::Alarm { cleared: false, .. } = moment.what {
            self.alarms += 1;
        }
        if let RecordedEvent::Network {
            sites_out,
            served_share,
            energy_kwh_so_far,
            ..
        } = &moment.what
        {
            let changed = *sites_out != self.sites_out || !self.told;
            let fewer = *sites_out < self.sites_out;
            self.sites_out = *sites_out;
            self.served_share = *served_share;
            self.energy_kwh = energy_kwh_so_far.or(self.energy_kwh);
            self.told = true;
            return changed.then(|| network(moment.at, *sites_out, fewer, self.served_share));
        }
        Some(line(moment))
    }
}

fn is_alike(first: &Moment, next: &Moment) -> bool {
    let same = match (&first.what, &next.what) {
        (RecordedEvent::Alarm { .. }, RecordedEvent::Alarm { .. }) => true,
        (RecordedEvent::Action { agent, .. }, RecordedEvent::Action { agent: other, .. })
        | (RecordedEvent::Outcome { agent, .. }, RecordedEvent::Outcome { agent: other, .. }) => {
            agent == other
        }
        _ => false,
    };
    same && next.at.seconds_since(first.at) <= ROW_S
}

/// The line of a moment, merged with the similar ones that followed it.
fn gathered(line: ReplayLine, first: &Moment, row: &[Moment]) -> ReplayLine {
    if row.is_empty() {
        return line;
    }
    if !matches!(first.what, RecordedEvent::Alarm { .. }) {
        let words = format!("{}; and {} more", line.words, row.len());
        return ReplayLine { words, ..line };
    }
    let all = || std::iter::once(first).chain(row);
    let is_cleared = |m: &&Moment| matches!(m.what, RecordedEvent::Alarm { cleared: true, .. });
    let cleared = all().filter(is_cleared).count();
    let raised = row.len() + 1 - cleared;
    ReplayLine {
        who: "network".to_owned(),
        words: match raised {
            0 => format!("{cleared} alarms cleared"),
            _ => format!(
                "{}, {cleared} cleared; first {}: {}",
                count(raised, "alarm raised", "alarms raised"),
                line.who,
                line.words
            ),
        },
        tone: if raised > 0 { Tone::Bad } else { Tone::Good },
        ..line
    }
}

fn network(at: Timestamp, out: u64, fewer: bool, served: Option<f64>) -> ReplayLine {
    let served = served.map(|s| format!(", {} % of the traffic served", decimal(s * 100.0, 1)));
    ReplayLine {
        at,
        who: "network".to_owned(),
        to: None,
        words: format!(
            "{}{}",
            count(out as usize, "site out", "sites out"),
            served.unwrap_or_default()
        ),
        tone: if fewer || out == 0 {
            Tone::Good
        } else {
            Tone::Bad
        },
    }
}

fn line(moment: &Moment) -> ReplayLine {
    let (who, to, words, tone) = match &moment.what {
        RecordedEvent::Alarm {
            resource,
            alarm_type,
            severity,
            cleared,
        } => {
            let (word, tone) = if *cleared {
                ("cleared", Tone::Good)
            } else {
                (severity.as_str(), Tone::Bad)
            };
            (
                resource.as_str(),
                None,
                format!("{alarm_type}, {word}"),
                tone,
            )
        }
        RecordedEvent::Message {
            from,
            to,
            verb,
            task,
            words,
            ..
        } => (
            from.as_str(),
            Some(to),
            format!("{verb} {task}: {words}"),
            Tone::Plain,
        ),
        RecordedEvent::Reply {
            from,
            to,
            verdict,
            words,
            ..
        } => (
            from.as_str(),
            Some(to),
            format!("{verdict}: {words}"),
            tone_of(verdict),
        ),
        RecordedEvent::Notification {
            from,
            to,
            status,
            task,
            words,
        } => (
            from.as_str(),
            Some(to),
            format!("{task} {status}: {words}"),
            tone_of(status),
        ),
        RecordedEvent::Action {
            agent,
            words,
            elements,
        } => {
            let elements = if elements.is_empty() {
                String::new()
            } else {
                format!(" ({})", elements.join(", "))
            };
            (
                agent.as_str(),
                None,
                format!("does: {words}{elements}"),
                Tone::Plain,
            )
        }
        RecordedEvent::Outcome { agent, words } => (
            agent.as_str(),
            None,
            format!("outcome: {words}"),
            Tone::Plain,
        ),
        RecordedEvent::Note { agent, words } => (agent.as_str(), None, words.clone(), Tone::Plain),
        RecordedEvent::Complaint { words } => ("customer", None, words.clone(), Tone::Bad),
        RecordedEvent::Ticket { words } => ("customer's company", None, words.clone(), Tone::Plain),
        RecordedEvent::Field { words, element } => {
            ("engineer", Some(element), words.clone(), Tone::Plain)
        }
        RecordedEvent::Network {
            sites_out,
            served_share,
            ..
        } => {
            return network(moment.at, *sites_out, false, *served_share);
        }
        RecordedEvent::Truth {
            fault,
            element,
            mended,
            words,
        } => {
            let word = if *mended { "mended" } else { "breaks" };
            let words = if words.is_empty() {
                String::new()
            } else {
                format!(": {words}")
            };
            (
                "truth",
                None,
                format!("{fault} at {element} {word}{words}"),
                Tone::Truth,
            )
        }
    };
    ReplayLine {
        at: moment.at,
        who: who.to_owned(),
        to: to.cloned(),
        words,
        tone,
    }
}

fn tone_of(word: &str) -> Tone {
    match (Ending::of(word), word) {
        (Ending::Well, _) | (_, "accepted") => Tone::Good,
        (Ending::Badly, _) => Tone::Bad,
        (_, "pending" | "input-required" | "auth-required" | "blocked") => Tone::Waiting,
        _ => Tone::Plain,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
