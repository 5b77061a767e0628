//! The proxy of an agent that is a server elsewhere (draft §4.1, §5).
//!
//! It decides nothing. It forwards requests, answers `pending`, and repeats the agent's answer once
//! that is known; undelivered messages are sent again until the task has ended. A task has the same
//! identifier there as here, so that one sent twice is done once. Messages are transported by
//! [`crate::peers`], over NETCONF or A2A. Pure: time is an argument. Read next: `told`.

mod told;

#[cfg(test)]
mod tests;

use crate::peers::UNREACHABLE;
use bindings::a2a::outside::REMOTE_SECTION;
use domain::agent::{Agent, Ask, Input, Message, Output, Progress, Undelivered};
use domain::content::Content;
use domain::negotiation::{Kind, Speech, Stance};
use domain::registry::Registration;
use domain::reply::{Reason, Reply, Verdict};
use domain::retry::{Backoff, Retry};
use domain::task::{Conditions, Task, TaskId};
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use std::collections::{BTreeMap, BTreeSet};

/// The pauses before an undelivered message is sent again.
const BACKOFF: Backoff = Backoff {
    first_ms: 1_000,
    longest_ms: 60_000,
};

/// Makes the proxy of an agent elsewhere.
pub fn proxy(registration: &Registration) -> Box<dyn Agent> {
    Box::new(Remote::new(&registration.profile.name))
}

/// The purpose of a message, by which its reply is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// An assignment.
    Assignment,
    /// An assignment repeated after a restart: the reply may be outdated.
    Reminder,
    /// A query of a task's state.
    State,
    /// An offer in a negotiation, which needs an answer.
    Turn(Kind),
    /// A judgement, an answer, a refusal or a cancellation.
    Word,
}

/// A message whose reply has not come.
#[derive(Clone, Debug)]
struct Sent {
    purpose: Purpose,
    message: Message,
    retry: Retry,
}

/// The proxy of an agent elsewhere.
#[derive(Debug)]
pub struct Remote {
    name: String,
    /// The tasks assigned to the agent.
    open: BTreeSet<TaskId>,
    /// Messages whose reply has not come.
    sent: BTreeMap<Token, Sent>,
    last_token: Token,
}

impl Agent for Remote {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        // Tokens of this run are greater than those of the runs before.
        let first = (now.as_ms().max(0) as u64).saturating_mul(1_000);
        self.last_token = self.last_token.max(first);
        match input {
            Input::Started(briefing) => {
                let open = briefing.open.iter();
                open.map(|task| self.remind(task)).collect()
            }
            Input::Asked(ask) => self.asked(&ask),
            Input::Replied { token, reply } => self.replied(token, reply, now),
            Input::Notified(news) if self.open.contains(&news.task) => {
                told::by_notification(&news).into_iter().collect()
            }
            Input::Woken(token) => {
                let again = self.sent.get(&token).map(|sent| sent.message.clone());
                let send = |message| Output::Send { token, message };
                again.map(send).into_iter().collect()
            }
            Input::Notified(_)
            | Input::Telemetry(_)
            | Input::Acted { .. }
            | Input::Joined(_)
            | Input::Left(_) => Vec::new(),
        }
    }
}

impl Remote {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            open: BTreeSet::new(),
            sent: BTreeMap::new(),
            last_token: 0,
        }
    }

    fn send(&mut self, purpose: Purpose, message: Message) -> Output {
        self.last_token += 1;
        let token = self.last_token;
        let sent = Sent {
            purpose,
            message: message.clone(),
            retry: Retry::new(BACKOFF),
        };
        self.sent.insert(token, sent);
        Output::Send { token, message }
    }

    fn assignment(&mut self, task: &Task) -> Message {
        self.open.insert(task.id.clone());
        let given = &task.conditions;
        Message {
            // These refer to records of this platform, not of the agent's.
            conditions: Conditions {
                parent: None,
                subscription: None,
                data: None,
                context: None,
                conversation: None,
                ..given.clone()
            },
            ..Message::new(
                self.name.as_str(),
                Verb::TaskAssign,
                task.id.clone(),
                placed(task.content.clone(), task),
            )
        }
    }

    /// Repeats the assignment of a task from before a restart, in case it was not delivered.
    fn remind(&mut self, task: &Task) -> Output {
        let assignment = self.assignment(task);
        self.send(Purpose::Reminder, assignment)
    }

    fn asked(&mut self, ask: &Ask) -> Vec<Output> {
        let pending = || Reply::new(Verdict::Pending, Vec::new());
        let id = &ask.task.id;
        let passed_on = Message {
            alternatives: ask.alternatives.clone(),
            alternative: ask.alternative,
            round: ask.round,
            ..Message::new(
                self.name.as_str(),
                ask.verb,
                id.clone(),
                placed(ask.content.clone(), &ask.task),
            )
        };
        let (answer, purpose, message) = match (ask.verb, ask.turn) {
            (Verb::TaskAssign, _) => {
                let assignment = self.assignment(&ask.task);
                (pending(), Purpose::Assignment, assignment)
            }
            (Verb::FeasibilityNegotiate, None) => {
                (pending(), Purpose::Turn(Kind::Feasibility), passed_on)
            }
            (_, Some((kind, Stance::Offer))) => (pending(), Purpose::Turn(kind), passed_on),
            _ => (Reply::accepted(), Purpose::Word, passed_on),
        };
        if ask.verb == Verb::TaskCancel {
            self.sent.retain(|_, sent| sent.message.task != *id);
        }
        if ask.verb == Verb::TaskCancel || ask.task.status.is_terminal() {
            self.open.remove(id);
        }
        vec![Output::Answer(answer), self.send(purpose, message)]
    }

    fn replied(
        &mut self,
        token: Token,
        reply: Result<Reply, Undelivered>,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(sent) = self.sent.get_mut(&token) else {
            return Vec::new();
        };
        let (purpose, task) = (sent.purpose, sent.message.task.clone());
        if let Err(undelivered) = &reply
            && undelivered.tag == UNREACHABLE
        {
            let in_vain = matches!(purpose, Purpose::Turn(_)) && sent.retry.is_at_longest();
            if !in_vain {
                let at = now + i64::from(sent.retry.next_pause_ms());
                return vec![Output::Wake { token, at }];
            }
        }
        let Some(Sent { message, .. }) = self.sent.remove(&token) else {
            return Vec::new();
        };
        let open = self.open.contains(&task);
        match (purpose, reply) {
            (Purpose::Reminder, Ok(_)) if open => {
                let target = message.content.target_object.as_str();
                let query = Message {
                    content: Content::new(target, "How is it?"),
                    verb: Verb::TaskResultQuery,
                    conditions: Conditions::default(),
                    ..message
                };
                vec![self.send(Purpose::State, query)]
            }
            (Purpose::Assignment, Ok(reply)) if open => {
                told::by_answer(&message, reply).into_iter().collect()
            }
            (Purpose::State, Ok(reply)) if open => {
                told::by_state(&message, reply).into_iter().collect()
            }
            (Purpose::Turn(kind), Ok(reply)) => {
                told::by_turn(&message, kind, reply).into_iter().collect()
            }
            (Purpose::Assignment | Purpose::Reminder, Err(no)) if open => {
                let target = message.content.target_object.as_str();
                let why = Content::new(target, format!("{}: {}", no.tag, no.message));
                vec![Output::report(&task, Progress::Failed(why))]
            }
            (Purpose::Turn(kind), Err(no)) => {
                let speech = Speech::refuse(vec![Reason {
                    reason: no.tag,
                    path: String::new(),
                    message: no.message,
                }]);
                vec![Output::Speak { task, kind, speech }]
            }
            _ => Vec::new(),
        }
    }
}

/// The content with the agent's own name of the task, if it has one: it is sent back with every
/// message about the task.
fn placed(mut content: Content, task: &Task) -> Content {
    let called = task
        .said
        .as_ref()
        .and_then(|said| said.section(REMOTE_SECTION));
    let section = called.map(|called| (REMOTE_SECTION.to_owned(), called.to_owned()));
    content.others.extend(section);
    content
}
