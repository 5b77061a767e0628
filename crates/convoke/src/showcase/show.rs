//! The live view of a run on a terminal: a timeline of messages with their reasons.
//!
//! Alarms and mere measurements of agents are summarised as counts; all messages of agents are
//! printed. Read next: [`gathered`], [`screen`], `server::story`.

mod gathered;
mod screen;

pub(crate) use self::screen::Screen;

use self::gathered::{Gathered, Sum};
use crate::output::{Paint, line};
use arena::referee::ScenarioReport;
use domain::agent::Message;
use domain::content::Content;
use domain::notification::Notification;
use domain::reply::{Reply, Verdict};
use domain::telemetry::{Action, FieldReport, Outcome};
use domain::time::Timestamp;
use domain::verb::Verb;
use markup::words::number;
use report::{METRICS, Score};
use server::story::{StoryEntry, StoryEvent, acted, outcome_in_words};
use std::mem::discriminant;

/// The legend of the marks.
pub(crate) const LEGEND: &str = "──▶ says to · says why ! what the network shows";

/// A narrator, from the beginning of the run.
pub(crate) struct Show {
    paint: Paint,
    screen: Screen,
    start: Timestamp,
    gathered: Gathered,
    complaints: u64,
    /// The current action of an agent, which may be repeated at the same instant.
    doing: Option<Doing>,
    /// A note that is printed unless the next message says the same.
    noted: Option<(Timestamp, String, String)>,
}

/// An action of an agent, with the number of similar ones that followed.
struct Doing {
    at: Timestamp,
    agent: String,
    action: Action,
    more: usize,
}

impl Show {
    pub(crate) fn new(start: Timestamp) -> Self {
        Self {
            paint: Paint::new(),
            screen: Screen::new(),
            start,
            gathered: Gathered::default(),
            complaints: 0,
            doing: None,
            noted: None,
        }
    }

    /// Prints an event; summarised ones only when another kind follows, or after a while.
    pub(crate) fn tell(&mut self, told: &StoryEntry) {
        if self.gathered.takes(told) {
            if self.gathered.is_due(told.at) {
                self.tell_rest();
                self.flush(told.at);
            }
            return;
        }
        self.tell_noted(&told.happened);
        self.tell_doing(Some(told));
        match &told.happened {
            StoryEvent::Broke => {
                self.flush(told.at);
                let words = "something breaks; what, the score will tell";
                self.network(told.at, "1;31", words);
            }
            // Gathered.
            StoryEvent::Alarm(_) => {}
            StoryEvent::Complaint(complaint) => {
                self.complaints += 1;
                if self.complaints == 1 {
                    self.flush(told.at);
                    let words = format!("\"{}\"", complaint.text);
                    self.line(told.at, "35", "customer", "oss-fault", &words);
                }
            }
            StoryEvent::Field(report) => self.field(told.at, report),
            StoryEvent::Ticket(ticket) => {
                self.flush(told.at);
                let words = format!("{} \"{}\"", ticket.ticket, ticket.text);
                self.line(told.at, "35", &ticket.from, "bss-tickets", &words);
            }
            StoryEvent::Answered { ticket, text } => {
                self.flush(told.at);
                let words = format!("{ticket} \"{text}\"");
                self.line(told.at, "35", "customer", "bss-tickets", &words);
            }
            StoryEvent::Sent { from, to, message } => {
                self.flush(told.at);
                let words = format!("{}  {}", verb(message), gist(&message.content));
                self.line(told.at, "36", from, to, &words);
            }
            StoryEvent::Replied { from, to, reply } => {
                let (style, words) = match reply {
                    Ok(reply) => replied(reply),
                    Err(undelivered) => (
                        "31",
                        format!("{}: {}", undelivered.tag, undelivered.message),
                    ),
                };
                self.line(told.at, style, from, to, &words);
            }
            StoryEvent::Notified { notification, .. } if is_routine(notification) => {}
            StoryEvent::Notified {
                from,
                to,
                notification,
            } => {
                self.flush(told.at);
                let words = format!("{}  {}", notification.status, gist(&notification.content));
                self.line(told.at, "33", from, to, &words);
            }
            StoryEvent::Acted { agent, action } => {
                self.flush(told.at);
                match &mut self.doing {
                    Some(doing) => doing.more += 1,
                    None => {
                        self.doing = Some(Doing {
                            at: told.at,
                            agent: agent.clone(),
                            action: action.clone(),
                            more: 0,
                        });
                    }
                }
            }
            StoryEvent::Outcome { agent, outcome } => {
                // What was merely taken note of is told when it happens.
                let routine = [Outcome::Guided, Outcome::Done, Outcome::Told].contains(outcome)
                    || matches!(outcome, Outcome::Dispatched { .. });
                if !routine {
                    let words = outcome_in_words(outcome);
                    self.line(told.at, "2", "network", agent, &words);
                }
            }
            StoryEvent::Note { agent, text } => {
                self.flush(told.at);
                self.noted = Some((told.at, agent.clone(), text.clone()));
            }
        }
    }

    /// Prints the action of an agent, unless it continues at the same instant.
    fn tell_doing(&mut self, next: Option<&StoryEntry>) {
        let goes_on = |doing: &Doing| match next.map(|told| (told.at, &told.happened)) {
            Some((at, StoryEvent::Acted { agent, action })) => {
                let same = discriminant(action) == discriminant(&doing.action);
                same && at == doing.at && *agent == doing.agent
            }
            _ => false,
        };
        if let Some(doing) = self.doing.take_if(|doing| !goes_on(doing)) {
            let more = match doing.more {
                0 => String::new(),
                more => format!(", and {more} more like it"),
            };
            let words = format!("{}{more}", acted(&doing.action));
            self.line(doing.at, "2", &doing.agent, "network", &words);
        }
    }

    /// Prints the pending note, unless the message after it says the same.
    fn tell_noted(&mut self, next: &StoryEvent) {
        let Some((at, agent, text)) = self.noted.take() else {
            return;
        };
        let repeated = match next {
            StoryEvent::Notified { notification, .. } => {
                text.starts_with(&*notification.content.task_description)
            }
            _ => false,
        };
        if !repeated {
            self.said(at, &agent, "·", "3", &text);
        }
    }

    fn field(&mut self, at: Timestamp, report: &FieldReport) {
        self.flush(at);
        let words = match report {
            FieldReport::Arrived {
                element, question, ..
            } => format!("at {element}: \"{question}\""),
            FieldReport::Ended {
                element,
                repaired,
                finding,
                ..
            } => {
                let done = if *repaired {
                    "repaired"
                } else {
                    "nothing repaired"
                };
                format!("{done} at {element}: {finding}")
            }
        };
        self.line(at, "35", "engineer", "service-copilot", &words);
    }

    fn flush(&mut self, at: Timestamp) {
        for sum in self.gathered.drain() {
            match sum {
                Sum::Alarms(words) => self.network(at, "31", &words),
                Sum::Found { agent, words } => self.line(at, "2", "network", &agent, &words),
            }
        }
    }

    fn network(&self, at: Timestamp, style: &str, words: &str) {
        self.said(at, "network", "!", style, words);
    }

    fn said(&self, at: Timestamp, who: &str, mark: &str, style: &str, words: &str) {
        self.screen.alone(&self.time(at), who, mark, style, words);
    }

    fn line(&self, at: Timestamp, style: &str, from: &str, to: &str, words: &str) {
        self.screen.spoken(&self.time(at), style, [from, to], words);
    }

    fn time(&self, at: Timestamp) -> String {
        let seconds = at.seconds_since(self.start).max(0.0) as u64;
        let clock = format!(
            "{}:{:02}:{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60
        );
        format!("{clock:>8}")
    }

    /// Prints everything pending.
    fn tell_rest(&mut self) {
        self.tell_noted(&StoryEvent::Broke);
        self.tell_doing(None);
    }

    /// Prints the figures at the end.
    pub(crate) fn figures(&mut self, score: &Score) {
        self.tell_rest();
        figures(score);
    }

    /// Prints the score at the end.
    pub(crate) fn score(&mut self, report: &ScenarioReport) {
        self.tell_rest();
        let paint = self.paint;
        let minutes = |s: Option<f64>| {
            s.map_or_else(|| "never".to_owned(), |s| format!("{:.0} min", s / 60.0))
        };
        let mark = |good: bool| {
            if good {
                paint.style("1;32", "right")
            } else {
                paint.style("1;31", "wrong")
            }
        };
        let cause = |c: &Option<arena::referee::ElementCause>| {
            c.as_ref().map_or_else(
                || "nothing".to_owned(),
                |c| format!("{} at {}", c.cause, c.element),
            )
        };
        line("");
        line(&paint.style("1", "The score, against what really happened"));
        let truth = &report.root_cause.truth;
        let truth = match report.root_cause.correct {
            true => String::new(),
            false => format!(" (truly {} at {})", truth.cause, truth.element),
        };
        line(&format!(
            "  root cause   {}  {}{truth}",
            mark(report.root_cause.correct),
            cause(&report.root_cause.found),
        ));
        line(&format!(
            "  first alarm  {}  {}, if it were blamed",
            mark(report.baseline.correct),
            cause(&report.baseline.found)
        ));
        line(&format!(
            "  sites        {} of {} found, {} named wrongly",
            report.sites.found, report.sites.truly, report.sites.falsely
        ));
        line(&format!(
            "  time         detected after {}, located after {}, restored after {} (simulated)",
            minutes(report.detect_s),
            minutes(report.locate_s),
            minutes(report.restore_s)
        ));
        line(&format!(
            "  exchanged    {} messages, {} bytes, {} tasks; {} alarms and {} complaints heard",
            report.messages, report.bytes, report.tasks, report.alarms, report.complaints
        ));
    }
}

/// Prints the figures of a run.
pub(crate) fn figures(score: &Score) {
    let title = Paint::new().style("1", "The score, against what really happened");
    line(&format!("\n{title}"));
    for metric in METRICS {
        if let Some(value) = score.figure(metric.name) {
            let (title, (unit, factor)) = (metric.title, metric.unit.shown());
            let shown = number(value * factor);
            line(format!("  {title:<44} {shown:>14} {unit}").trim_end());
        }
    }
}

/// True for notifications that repeat the reply to the assignment.
fn is_routine(notification: &Notification) -> bool {
    use domain::task::Status::{Created, Finished, Processing};
    match (notification.previous, notification.status) {
        (_, Created) | (Some(Created), Processing) => true,
        (_, Finished) => !notification.asynchronous,
        _ => false,
    }
}

fn verb(message: &Message) -> &'static str {
    match message.verb {
        Verb::TaskAssign if message.asynchronous => "taskAssgin, asynchronous:",
        Verb::TaskAssign => "taskAssgin:",
        other => other.as_str(),
    }
}

/// A content's subject, in one line.
fn gist(content: &Content) -> String {
    let what = content.task_description.lines().next().unwrap_or("");
    match &content.payload {
        Some(payload) => format!("[{}] {what}", payload.schema_id),
        None => what.to_owned(),
    }
}

fn replied(reply: &Reply) -> (&'static str, String) {
    let first = reply.content.first();
    let said = first.map(|c| {
        c.result
            .as_deref()
            .and_then(|r| r.lines().next())
            .map_or_else(|| gist(c), str::to_owned)
    });
    let why: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
    let style = match reply.verdict {
        Verdict::Refused => "31",
        _ => "32",
    };
    let words = [
        Some(reply.verdict.as_str().to_owned()),
        said,
        (!why.is_empty()).then(|| why.join("; ")),
    ];
    (
        style,
        words.into_iter().flatten().collect::<Vec<_>>().join("  "),
    )
}
