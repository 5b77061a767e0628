//! The story on a terminal: a timeline of who said what to whom, and why.
//!
//! Alarms are gathered and told as counts; everything that agents say is told. Read next:
//! `server::story`.

use crate::output::{Paint, line};
use domain::agent::Message;
use domain::content::Content;
use domain::inventory::Domain;
use domain::notification::Notification;
use domain::reply::{Reply, Verdict};
use domain::telemetry::{FieldReport, Outcome};
use domain::time::Timestamp;
use domain::verb::Verb;
use report::words::cut;
use report::{METRICS, Score};
use server::referee::Report;
use server::story::{Happened, Told, acted, outcome_in_words};

/// Told lines are cut to this many characters.
const WIDTH: usize = 150;

/// A narrator, from the instant at which the story begins.
pub(crate) struct Show {
    paint: Paint,
    start: Timestamp,
    alarms: [u64; 2],
    cleared: u64,
    complaints: u64,
    since: Option<Timestamp>,
    /// A note that is told unless the next thing told says the same.
    noted: Option<(Timestamp, String, String)>,
}

impl Show {
    pub(crate) fn new(start: Timestamp) -> Self {
        Self {
            paint: Paint::new(),
            start,
            alarms: [0; 2],
            cleared: 0,
            complaints: 0,
            since: None,
            noted: None,
        }
    }

    /// Tells what happened; alarms only when something else follows, or a minute has passed.
    pub(crate) fn tell(&mut self, told: &Told) {
        self.tell_noted(&told.happened);
        match &told.happened {
            Happened::Broke => {
                self.flush(told.at);
                let words = self
                    .paint
                    .style("1;31", "something breaks; what, the score will tell");
                line(&format!(
                    "{}  {:>16} ! {words}",
                    self.time(told.at),
                    "network"
                ));
            }
            Happened::Alarm(alarm) => {
                self.since.get_or_insert(told.at);
                match (alarm.cleared, domain_of(&alarm.resource)) {
                    (true, _) => self.cleared += 1,
                    (false, Domain::Wireless) => self.alarms[0] += 1,
                    (false, _) => self.alarms[1] += 1,
                }
            }
            Happened::Complaint(complaint) => {
                self.since.get_or_insert(told.at);
                self.complaints += 1;
                if self.complaints == 1 {
                    self.flush(told.at);
                    let words = format!("\"{}\"", complaint.text);
                    self.line(told.at, "35", "customer", "oss-fault", &words);
                }
            }
            Happened::Field(report) => self.field(told.at, report),
            Happened::Ticket(ticket) => {
                self.flush(told.at);
                let words = format!("{} \"{}\"", ticket.ticket, ticket.text);
                self.line(told.at, "35", &ticket.from, "bss-tickets", &words);
            }
            Happened::Answered { ticket, text } => {
                self.flush(told.at);
                let words = format!("{ticket} \"{text}\"");
                self.line(told.at, "35", "customer", "bss-tickets", &words);
            }
            Happened::Sent { from, to, message } => {
                self.flush(told.at);
                let words = format!("{}  {}", verb(message), gist(&message.content));
                self.line(told.at, "36", from, to, &words);
            }
            Happened::Replied { from, to, reply } => {
                let (style, words) = match reply {
                    Ok(reply) => replied(reply),
                    Err(undelivered) => (
                        "31",
                        format!("{}: {}", undelivered.tag, undelivered.message),
                    ),
                };
                self.line(told.at, style, from, to, &words);
            }
            Happened::Notified { notification, .. } if is_routine(notification) => {}
            Happened::Notified {
                from,
                to,
                notification,
            } => {
                self.flush(told.at);
                let words = format!("{}  {}", notification.status, gist(&notification.content));
                self.line(told.at, "33", from, to, &words);
            }
            Happened::Acted { agent, action } => {
                self.flush(told.at);
                let words = acted(action);
                self.line(told.at, "2", agent, "network", &words);
            }
            Happened::Outcome { agent, outcome } => {
                // What was merely taken note of is told when it happens.
                let routine = [Outcome::Guided, Outcome::Done, Outcome::Told].contains(outcome)
                    || matches!(outcome, Outcome::Dispatched { .. });
                if !routine {
                    let words = outcome_in_words(outcome);
                    self.line(told.at, "2", "network", agent, &words);
                }
            }
            Happened::Note { agent, text } => {
                self.flush(told.at);
                self.noted = Some((told.at, agent.clone(), text.clone()));
            }
        }
        if self
            .since
            .is_some_and(|since| told.at.seconds_since(since) > 60.0)
        {
            self.flush(told.at);
        }
    }

    /// Tells the note that waits, unless the message behind it says the same.
    fn tell_noted(&mut self, next: &Happened) {
        let Some((at, agent, text)) = self.noted.take() else {
            return;
        };
        let repeated = match next {
            Happened::Notified { notification, .. } => {
                text.starts_with(&*notification.content.task_description)
            }
            _ => false,
        };
        if !repeated {
            let words = self.paint.style("3", &cut(&text, WIDTH));
            line(&format!("{}  {agent:>16} · {words}", self.time(at)));
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
        self.since = None;
        let [wireless, ip] = std::mem::take(&mut self.alarms);
        let cleared = std::mem::take(&mut self.cleared);
        if wireless + ip + cleared > 0 {
            let mut parts = Vec::new();
            for (count, what) in [
                (wireless, "wireless alarms"),
                (ip, "IP alarms"),
                (cleared, "cleared"),
            ] {
                if count > 0 {
                    parts.push(format!("{count} {what}"));
                }
            }
            let words = self.paint.style("31", &parts.join(", "));
            line(&format!("{}  {:>16} ! {words}", self.time(at), "network"));
        }
    }

    fn line(&self, at: Timestamp, style: &str, from: &str, to: &str, words: &str) {
        let arrow = self.paint.style(style, "──▶");
        line(&format!(
            "{}  {from:>16} {arrow} {to:<16} {}",
            self.time(at),
            cut(words, WIDTH)
        ));
    }

    fn time(&self, at: Timestamp) -> String {
        let seconds = at.seconds_since(self.start).max(0.0) as u64;
        let clock = format!(
            "{}:{:02}:{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60
        );
        self.paint.style("2", &format!("{clock:>8}"))
    }

    /// The figures at the end.
    pub(crate) fn figures(&mut self, score: &Score) {
        self.tell_noted(&Happened::Broke);
        line("");
        line(
            &self
                .paint
                .style("1", "The score, against what really happened"),
        );
        for metric in METRICS {
            if let Some(value) = score.figure(metric.name) {
                let (title, (unit, factor)) = (metric.title, metric.unit.shown());
                let shown = value * factor;
                line(&format!("  {title:<52} {shown:>12.1} {unit}"));
            }
        }
    }

    /// The score at the end.
    pub(crate) fn score(&mut self, report: &Report) {
        self.tell_noted(&Happened::Broke);
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
        let cause = |c: &Option<server::referee::Cause>| {
            c.as_ref().map_or_else(
                || "nothing".to_owned(),
                |c| format!("{} at {}", c.cause, c.element),
            )
        };
        line("");
        line(&paint.style("1", "The score, against what really happened"));
        line(&format!(
            "  root cause   {}  {} (truly {} at {})",
            mark(report.root_cause.correct),
            cause(&report.root_cause.found),
            report.root_cause.truth.cause,
            report.root_cause.truth.element
        ));
        line(&format!(
            "  first alarm  {}  {} (what blaming the first alarm would have found)",
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

fn domain_of(resource: &domain::inventory::ElementId) -> Domain {
    if resource.as_str().starts_with("site:") {
        Domain::Wireless
    } else {
        Domain::Ip
    }
}

/// True for the notifications that only say what the reply to the assignment has said.
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

/// What a content is about, in one line.
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
