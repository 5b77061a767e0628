//! A question to an agent in here: what it owes an answer to, and what follows from the answer.
//!
//! A question is a row from the decision that asks it to the batch that answers it, under a key that
//! stays its own over restarts: what was not answered is put again, and answered once. The row holds
//! no word of what was said; that is in the task, the negotiation or the exchange. The end of a task
//! that an agent in here published is on record in the same way, until the agent has stepped on it:
//! all that it owes is to have heard; and so is what a customer said, which the row holds itself, since
//! nothing else does. What an agent sends when it steps on something that nothing else
//! will remind it of keeps that on record, as answered, until all of it has left. Read next:
//! [`crate::hosting::step`], [`crate::hosting::redelivery`].

use crate::tasks::awaited::Awaited;
use domain::negotiation::{Kind, Stance};
use domain::task::TaskId;
use domain::telemetry::CustomerWord;
use domain::verb::Verb;
use serde::Deserialize;
use serde_json::{Value, json};
use store::Document;

/// The kind of the rows.
pub(crate) const ROWS: &str = "question";

/// What an agent in here was asked and has not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// Its own for ever: the identifier of the exchange that asks it, or of the cancellation.
    pub(crate) key: String,
    /// Who is asked.
    pub(crate) agent: String,
    /// What it is about.
    pub(crate) task: TaskId,
    /// What is asked, as the agent hears it.
    pub(crate) verb: Verb,
    /// Who asks.
    pub(crate) from: String,
    /// The turn that it is in a negotiation.
    pub(crate) turn: Option<(Kind, Stance)>,
    pub(crate) round: u32,
    /// How many alternatives are offered.
    pub(crate) offered: usize,
    /// True if it reopens the plan of a task under way: its reply tells the round.
    pub(crate) reopens: bool,
    /// True if it is answered, and something that was sent in that step may not have left: whoever
    /// answered steps on it again after a death, and owes nothing.
    pub(crate) answered: bool,
    /// What a customer said, if that is what the agent is to hear: it is about no task.
    pub(crate) word: Option<CustomerWord>,
}

impl Question {
    /// The cancellation of a task.
    pub(crate) fn cancellation(task: &TaskId, agent: &str, from: &str) -> Self {
        Self {
            key: format!("{task}/cancel"),
            agent: agent.to_owned(),
            task: task.clone(),
            verb: Verb::TaskCancel,
            from: from.to_owned(),
            turn: None,
            round: 1,
            offered: 0,
            reopens: false,
            answered: false,
            word: None,
        }
    }

    /// What a customer said, of which an agent is to hear.
    pub(crate) fn word(key: String, agent: &str, word: CustomerWord) -> Self {
        let about = TaskId::new(key.as_str());
        Self {
            key,
            verb: Verb::TaskResultNotify,
            word: Some(word),
            ..Self::cancellation(&about, agent, "")
        }
    }

    /// The end of a task, of which its publisher is to hear.
    pub(crate) fn end(task: &TaskId, publisher: &str, executor: &str) -> Self {
        Self {
            key: format!("{task}/end"),
            verb: Verb::TaskResultNotify,
            ..Self::cancellation(task, publisher, executor)
        }
    }

    /// That an open task waits for its publisher: on no record, for the task says it.
    pub(crate) fn awaiting(task: &TaskId, publisher: &str, executor: &str) -> Self {
        Self {
            key: format!("{task}/awaits"),
            ..Self::end(task, publisher, executor)
        }
    }

    /// The same once it is answered.
    pub(crate) fn into_answered(self) -> Self {
        Self {
            answered: true,
            ..self
        }
    }

    /// True of what an agent hears as a notification.
    pub(crate) fn is_notice(&self) -> bool {
        self.verb == Verb::TaskResultNotify
    }

    /// True of what somebody waits for an answer to.
    pub(crate) fn owes_answer(&self) -> bool {
        !self.is_notice() && !self.answered
    }

    pub(crate) fn is_cancellation(&self) -> bool {
        self.verb == Verb::TaskCancel
    }

    /// True of what needs room in a mailbox; what ends a task has that of the task.
    pub(crate) fn is_request(&self) -> bool {
        !self.is_cancellation() && self.owes_answer()
    }

    pub(crate) fn is_assignment(&self) -> bool {
        self.verb == Verb::TaskAssign
    }

    /// What whoever asked waits for.
    pub(crate) fn awaited(&self) -> Awaited {
        match self.verb {
            Verb::TaskAssign => Awaited::Task(self.task.clone()),
            Verb::FeasibilityNegotiate => {
                Awaited::Turn(self.task.clone(), Kind::Feasibility, self.round)
            }
            _ => Awaited::Answer(self.task.clone(), self.key.clone()),
        }
    }

    /// The row that says it is not answered.
    pub(crate) fn row(&self) -> Document {
        let turn = self
            .turn
            .map(|(kind, stance)| json!([kind.as_str(), stance.as_str()]));
        let mut body = json!({
            "agent": self.agent,
            "task": self.task.as_str(),
            "verb": self.verb.as_str(),
            "from": self.from,
            "turn": turn,
            "round": self.round,
            "offered": self.offered,
            "reopens": self.reopens,
            "answered": self.answered,
        });
        if let Some(word) = &self.word {
            body["word"] = json!(word);
        }
        Document {
            kind: ROWS.into(),
            name: self.key.clone(),
            body: Some(body.to_string()),
        }
    }

    /// No row: it is answered.
    pub(crate) fn answered(key: &str) -> Document {
        Document {
            kind: ROWS.into(),
            name: key.to_owned(),
            body: None,
        }
    }

    /// Reads what [`Question::row`] wrote; none for anything else.
    pub(crate) fn read(row: &Document) -> Option<Self> {
        let value: Value = serde_json::from_str(row.body.as_deref()?).ok()?;
        let word = |key: &str| value.get(key).and_then(Value::as_str);
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let turn = match value.get("turn") {
            None | Some(Value::Null) => None,
            Some(turn) => Some((
                Kind::parse(turn.get(0)?.as_str()?)?,
                Stance::parse(turn.get(1)?.as_str()?)?,
            )),
        };
        Some(Self {
            key: row.name.clone(),
            agent: word("agent")?.to_owned(),
            task: TaskId::new(word("task")?),
            verb: Verb::parse(word("verb")?)?,
            from: word("from")?.to_owned(),
            turn,
            round: number("round")?.try_into().ok()?,
            offered: number("offered")?.try_into().ok()?,
            reopens: value.get("reopens").and_then(Value::as_bool)?,
            answered: value.get("answered") == Some(&Value::Bool(true)),
            word: match value.get("word") {
                Some(word) => Some(CustomerWord::deserialize(word).ok()?),
                None => None,
            },
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;

    /// A question about a task.
    pub(crate) fn question(task: &str, verb: Verb) -> Question {
        Question {
            key: format!("{task}/key"),
            verb,
            ..Question::cancellation(&TaskId::new(task), "worker", "operator")
        }
    }

    #[test]
    fn reading_undoes_writing() {
        let turn = Some((Kind::Fulfillment, Stance::Offer));
        let asked = Question {
            turn,
            round: 3,
            offered: 2,
            reopens: true,
            ..question("t", Verb::FulfillmentNegotiate)
        };
        assert_eq!(Question::read(&asked.row()), Some(asked));
        let plain = question("t", Verb::TaskAssign);
        assert_eq!(Question::read(&plain.row()), Some(plain));
        let end = Question::end(&TaskId::new("t"), "operator", "worker");
        assert_eq!(Question::read(&end.row()), Some(end));
        let answered = question("t", Verb::TaskAssign).into_answered();
        assert_eq!(Question::read(&answered.row()), Some(answered));
        let said = CustomerWord::Answer {
            ticket: "7".to_owned(),
            text: "on Monday".to_owned(),
        };
        let word = Question::word("told".to_owned(), "worker", said);
        assert_eq!(Question::read(&word.row()), Some(word));
        assert_eq!(Question::read(&Question::answered("t/assign")), None);
    }
}
