//! The sequence diagram of a task: lifelines are agents, arrows their messages, notes the states of
//! the task.
//!
//! Pure: the same record makes the same picture. Refuses to know the origin of a record, which is
//! [`crate::record`], and the looks: [`text`], [`svg`] and [`html`] draw the one [`Picture`].

pub(crate) mod html;
pub(crate) mod svg;
pub(crate) mod text;

use domain::content::Content;
use domain::reply::{Reply, Verdict};
use domain::task::Status;
use domain::time::Timestamp;

/// The stored history of a task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// `task-id`.
    pub(crate) task: String,
    /// The target of the task.
    pub(crate) about: String,
    /// Requests and their responses, in the order of their beginning.
    pub(crate) exchanges: Vec<Exchange>,
    /// Turns of its negotiations.
    pub(crate) turns: Vec<Turn>,
    /// The states of the task.
    pub(crate) changes: Vec<Change>,
}

impl Record {
    /// The index of the exchange during which something happened: the last that had begun before,
    /// or the first that began at that instant.
    fn exchange_at(&self, at: Timestamp) -> usize {
        let begun = |e: &Exchange| e.request.at < at;
        let before = self.exchanges.partition_point(begun);
        match self.exchanges.get(before) {
            Some(exchange) if exchange.request.at == at => before,
            _ => before.saturating_sub(1),
        }
    }
}

/// One request and its response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exchange {
    /// The record's identifier.
    pub(crate) id: String,
    /// The task that it is about.
    pub(crate) task: String,
    /// The sender.
    pub(crate) from: String,
    /// The receiver.
    pub(crate) to: String,
    /// `commuType`.
    pub(crate) verb: String,
    /// The request.
    pub(crate) request: Said,
    /// The response; none while there is none.
    pub(crate) response: Option<Said>,
}

/// A text with its instant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    /// The instant.
    pub(crate) at: Timestamp,
    /// The text in full.
    pub(crate) text: String,
}

/// One turn of a negotiation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    /// The task.
    pub(crate) task: String,
    /// The kind of negotiation.
    pub(crate) kind: String,
    /// The round, from 1.
    pub(crate) round: u32,
    /// The sender.
    pub(crate) from: String,
    /// The receiver.
    pub(crate) to: String,
    /// `offer`, `accept` or `refuse`.
    pub(crate) stance: String,
    /// The alternative that is accepted.
    pub(crate) alternative: Option<u32>,
    /// The alternatives, or the reasons.
    pub(crate) said: Said,
}

/// A state change of the task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// The task.
    pub(crate) task: String,
    /// The executor.
    pub(crate) executor: String,
    /// The new state.
    pub(crate) status: String,
    /// The input that it waits for there, if it waits for its publisher.
    pub(crate) awaits: Option<String>,
    /// The progress then, in percent.
    pub(crate) percent: u8,
    /// The instant, and the executor's remark.
    pub(crate) said: Said,
}

/// A sequence diagram, from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    /// The title.
    pub(crate) title: String,
    /// The participants, from left to right.
    pub(crate) lifelines: Vec<String>,
    /// The messages and states, in order.
    pub(crate) rows: Vec<Row>,
}

/// A message or a state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// The instant.
    pub(crate) at: Timestamp,
    /// The mark that is drawn.
    pub(crate) mark: Mark,
    /// The label: verb, round, verdict, state.
    pub(crate) label: String,
    /// Its text, shortened.
    pub(crate) gist: String,
    /// Its text in full.
    pub(crate) whole: String,
    /// The tone, for its colour.
    pub(crate) tone: Tone,
}

/// The mark of a row; numbers are indices in [`Picture::lifelines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// An arrow.
    Request {
        /// From this lifeline.
        from: usize,
        /// To this one.
        to: usize,
    },
    /// A dashed arrow.
    Response {
        /// From this lifeline.
        from: usize,
        /// To this one.
        to: usize,
    },
    /// A note on this lifeline.
    Note(usize),
}

/// The tone of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Neutral: work goes on.
    Plain,
    /// Success.
    Good,
    /// Failure.
    Bad,
    /// An answer is awaited.
    Waiting,
}

impl Tone {
    /// The name of the tone, as in the classes of the drawn picture.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Waiting => "waiting",
        }
    }
}

impl Picture {
    /// The picture of these records, merged by time: of a task, and of its sub-tasks if they are
    /// included.
    pub(crate) fn of(records: &[Record]) -> Self {
        let several = records.len() > 1;
        let mut picture = Self {
            title: records.first().map_or_else(String::new, |r| {
                let parts = if several { " and its parts" } else { "" };
                format!("Task {}{parts}: {}", r.task, r.about)
            }),
            lifelines: Vec::new(),
            rows: Vec::new(),
        };
        let mut told: Vec<Told<'_>> = records.iter().flat_map(told).collect();
        // What happens at one instant follows from what was said, and is answered last.
        told.sort_by_key(|t| (t.said.at, t.exchange, t.order()));
        for told in told {
            let row = picture.row(&told, several);
            picture.rows.push(row);
        }
        picture
    }

    /// The instant of the first row.
    pub(crate) fn begins(&self) -> Timestamp {
        self.rows.first().map(|r| r.at).unwrap_or_default()
    }

    /// The time of a row since the first, as hours, minutes and seconds.
    pub(crate) fn after(&self, row: &Row) -> String {
        let ms = (row.at - self.begins()).max(0);
        let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
        format!(
            "{hours}:{minutes:02}:{:02}.{:03}",
            ms / 1_000 % 60,
            ms % 1_000
        )
    }

    fn row(&mut self, told: &Told<'_>, several: bool) -> Row {
        let (label, tone) = told.label();
        let from = self.lifeline(told.from);
        let to = told.to.map(|to| self.lifeline(to));
        let mark = match to.filter(|to| *to != from) {
            None => Mark::Note(from),
            Some(to) if told.is_response() => Mark::Response { from, to },
            Some(to) => Mark::Request { from, to },
        };
        Row {
            at: told.said.at,
            mark,
            label: match several {
                true => format!("{label} [{}]", told.task),
                false => label,
            },
            gist: told.gist(),
            whole: told.whole(),
            tone,
        }
    }

    fn lifeline(&mut self, name: &str) -> usize {
        let known = self.lifelines.iter().position(|l| l == name);
        known.unwrap_or_else(|| {
            self.lifelines.push(name.to_owned());
            self.lifelines.len() - 1
        })
    }
}

/// A message or state that becomes a row.
struct Told<'a> {
    /// The index of the exchange during which it happened.
    exchange: usize,
    task: &'a str,
    from: &'a str,
    to: Option<&'a str>,
    said: &'a Said,
    what: What<'a>,
}

enum What<'a> {
    /// A request, with the turn that it carried, if any.
    Request(&'a Exchange, Option<&'a Turn>),
    /// A response, with the turn that it carried; the reply is none if the text is none of
    /// convoke-negotiation.
    Response(Option<Reply>, Option<&'a Turn>),
    /// A turn without a message: the other side answered later.
    Turn(&'a Turn),
    State(&'a Change),
}

/// All rows of a record, each once: a turn that a message carried is merged with it.
fn told(record: &Record) -> Vec<Told<'_>> {
    let mut alone: Vec<&Turn> = record.turns.iter().collect();
    let mut taken_by = |from: &str, at: Timestamp, verb: &str| {
        let feasibility = |word: &str| word.to_lowercase().starts_with("feasibility");
        let same = |t: &&Turn| {
            t.from == from && t.said.at == at && feasibility(&t.kind) == feasibility(verb)
        };
        Some(alone.remove(alone.iter().position(same)?))
    };
    let mut told = Vec::new();
    for (place, exchange) in record.exchanges.iter().enumerate() {
        let (from, to) = (exchange.from.as_str(), exchange.to.as_str());
        let turn = taken_by(from, exchange.request.at, &exchange.verb);
        told.push(Told {
            exchange: place,
            task: &exchange.task,
            from,
            to: Some(to),
            said: &exchange.request,
            what: What::Request(exchange, turn),
        });
        if let Some(response) = &exchange.response {
            let turn = taken_by(to, response.at, &exchange.verb);
            told.push(Told {
                exchange: place,
                task: &exchange.task,
                from: to,
                to: Some(from),
                said: response,
                what: What::Response(Reply::from_json(&response.text), turn),
            });
        }
    }
    told.extend(alone.into_iter().map(|turn| Told {
        exchange: record.exchange_at(turn.said.at),
        task: &turn.task,
        from: &turn.from,
        to: Some(&turn.to),
        said: &turn.said,
        what: What::Turn(turn),
    }));
    told.extend(record.changes.iter().map(|change| Told {
        exchange: record.exchange_at(change.said.at),
        task: &change.task,
        from: &change.executor,
        to: None,
        said: &change.said,
        what: What::State(change),
    }));
    told
}

impl Told<'_> {
    fn order(&self) -> u8 {
        match self.what {
            What::Request(..) => 0,
            What::Turn(_) => 1,
            What::State(_) => 2,
            What::Response(..) => 3,
        }
    }

    fn is_response(&self) -> bool {
        matches!(self.what, What::Response(..))
    }

    fn label(&self) -> (String, Tone) {
        match &self.what {
            What::Request(exchange, turn) => {
                let label = with_turn(&exchange.verb, *turn);
                (label, turn.map_or(Tone::Plain, tone_of_turn))
            }
            What::Response(reply, turn) => {
                let verdict = reply.as_ref().map(|r| r.verdict);
                let word = verdict.map_or("response", Verdict::as_str);
                let tone = match verdict {
                    Some(Verdict::Accepted | Verdict::Result) => Tone::Good,
                    Some(Verdict::Refused) => Tone::Bad,
                    Some(Verdict::Pending | Verdict::InputRequired) => Tone::Waiting,
                    Some(Verdict::Offered) | None => Tone::Plain,
                };
                // The verdict says what the turn amounts to.
                let told = reply.as_ref().and_then(|r| r.round);
                let round = turn.map(|t| t.round).or(told);
                match round {
                    Some(round) => (format!("{word} · round {round}"), tone),
                    None => (word.to_owned(), tone),
                }
            }
            What::Turn(turn) => (with_turn("", Some(turn)), tone_of_turn(turn)),
            What::State(change) => state(change),
        }
    }

    fn gist(&self) -> String {
        match &self.what {
            What::Response(Some(reply), _) => {
                let reasons: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
                match (reply.content.first(), reasons.is_empty()) {
                    (Some(content), true) => gist(content),
                    _ => reasons.join("; "),
                }
            }
            _ => match Content::parse([self.said.text.as_str()]) {
                Ok(content) => gist(&content),
                Err(_) => first_line(&self.said.text).to_owned(),
            },
        }
    }

    fn whole(&self) -> String {
        match &self.what {
            What::Response(Some(reply), _) => {
                let reasons = reply.reasons.iter().map(|r| r.message.clone());
                let contents = reply.content.iter().map(Content::render);
                reasons.chain(contents).collect::<Vec<_>>().join("\n")
            }
            _ => self.said.text.clone(),
        }
    }
}

/// A verb with the kind of negotiation of its turn, unless the verb implies it.
fn with_turn(verb: &str, turn: Option<&Turn>) -> String {
    let Some(turn) = turn else {
        return verb.to_owned();
    };
    let kind = match verb.to_lowercase().starts_with(&turn.kind) {
        true => String::new(),
        false => format!("{} ", turn.kind),
    };
    let which = turn
        .alternative
        .map_or_else(String::new, |a| format!(" {a}"));
    let said = format!("{kind}{}{which}, round {}", turn.stance, turn.round);
    match verb.is_empty() {
        true => said,
        false => format!("{verb} · {said}"),
    }
}

fn tone_of_turn(turn: &Turn) -> Tone {
    match turn.stance.as_str() {
        "accept" => Tone::Good,
        "refuse" => Tone::Bad,
        _ => Tone::Plain,
    }
}

fn state(change: &Change) -> (String, Tone) {
    let awaits = change
        .awaits
        .as_ref()
        .map_or_else(String::new, |a| format!(": awaits {a}"));
    let status = Status::parse(&change.status);
    let (percent, tone) = match status {
        Some(Status::Processing) => (format!(" {} %", change.percent), Tone::Plain),
        Some(Status::Finished) => (String::new(), Tone::Good),
        Some(Status::InputRequired | Status::AuthRequired | Status::Blocked) => {
            (String::new(), Tone::Waiting)
        }
        Some(s) if s.is_terminal() => (String::new(), Tone::Bad),
        _ => (String::new(), Tone::Plain),
    };
    (format!("{}{percent}{awaits}", change.status), tone)
}

/// The essence of a content, in one line: its result, or else its target and description.
pub(crate) fn gist(content: &Content) -> String {
    match &content.result {
        Some(result) => result.clone(),
        None => format!(
            "{}: {}",
            content.target_object,
            first_line(&content.task_description)
        ),
    }
}

fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|l| !l.is_empty()).unwrap_or("")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
