//! The transitions of a task: one table, decided and then applied (draft §4.2 to §4.5, §5.3).
//!
//! ```text
//!               Assign          Work                    Offer, nothing expected
//!    (none) ──────────► created ─────► processing ──────────────────────────────► finished
//!                         │            │  ▲  │  ▲                                    ▲
//!                  Refuse │      Block │  │  │  │ Answer, Agree, Disagree, Reject    │
//!                         ▼            ▼  │  │  └──────────────┐                     │
//!                      rejected      blocked │ Ask, Propose, Offer                  │ Accept
//!                                            └────────► input-required ──────────────┘
//!                                                       auth-required
//!
//!    created ─ AskFirst ► input-required ─ Complete ► created: before the executor hears of it
//!    from every state above: Cancel ► cancelled, Fail ► failed, and when time is over
//!    Expire ► failed, or unconfirmed while a result waits for judgement
//! ```
//! An offer with open sub-tasks is held in `blocked` until the last of them has ended. `decide`
//! changes nothing; `apply` cannot fail; a terminal state is never left. Read next:
//! [`crate::negotiation`], in which proposals and judgements are exchanged.

use super::{Awaits, Status, Subscription, Task, TaskId};
use crate::content::Content;
use crate::time::Timestamp;

/// A command to a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Executor: the work goes on.
    Work {
        /// 0 to 100.
        percent: u8,
        /// The news, if any.
        said: Option<Content>,
    },
    /// Executor: the work waits for something outside the task.
    Block(Content),
    /// Executor: the publisher must answer first.
    Ask(Content),
    /// Executor: the publisher must give credentials first.
    AskCredentials(Content),
    /// Platform, before the executor receives the task: the assignment lacks this.
    AskFirst(Content),
    /// Executor: this is what I mean to do; the publisher must agree first.
    Propose(Content),
    /// Executor: the work is done, this is the result.
    Offer {
        /// The result.
        result: Content,
        /// True while sub-tasks are open: the result waits for them.
        held: bool,
    },
    /// The last sub-task has ended: the held result is offered.
    Release,
    /// Publisher: this is the assignment, complete.
    Complete(Content),
    /// Publisher: the answer, or the credentials.
    Answer(Content),
    /// Publisher: the proposed decision is agreed; this is it.
    Agree(Content),
    /// Publisher: the proposed decision is refused, for these reasons; the executor goes on.
    Disagree(Content),
    /// Both: the plan is now this one.
    Revise(Content),
    /// Publisher: the offered result is what was wanted.
    Accept,
    /// Publisher: the offered result is refused; the executor goes on.
    Reject(Content),
    /// Executor: it cannot be done.
    Fail(Content),
    /// Executor, before it began: it will not be done.
    Refuse(Content),
    /// Publisher: stop.
    Cancel,
    /// The time is over.
    Expire,
    /// Publisher: send reports there as well.
    Subscribe(Subscription),
}

impl Command {
    /// The command's name, for messages and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Work { .. } => "work",
            Self::Block(_) => "block",
            Self::Ask(_) => "ask",
            Self::AskCredentials(_) => "ask-credentials",
            Self::AskFirst(_) => "ask-first",
            Self::Complete(_) => "complete",
            Self::Propose(_) => "propose",
            Self::Offer { held: false, .. } => "offer",
            Self::Offer { held: true, .. } => "offer-held",
            Self::Release => "release",
            Self::Answer(_) => "answer",
            Self::Agree(_) => "agree",
            Self::Disagree(_) => "disagree",
            Self::Revise(_) => "revise",
            Self::Accept => "accept",
            Self::Reject(_) => "reject",
            Self::Fail(_) => "fail",
            Self::Refuse(_) => "refuse",
            Self::Cancel => "cancel",
            Self::Expire => "expire",
            Self::Subscribe(_) => "subscribe",
        }
    }
}

/// A change of a task: the state after it, and the words said.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The time of the change.
    pub at: Timestamp,
    /// The state after it.
    pub status: Status,
    /// The thing awaited after it.
    pub awaits: Option<Awaits>,
    /// 0 to 100, after it.
    pub percent: u8,
    /// The words said, if any.
    pub said: Option<Content>,
    /// True if the publisher said it.
    pub by_publisher: bool,
    /// The assignment, if this event completes it.
    pub assignment: Option<Content>,
    /// The plan, if this event agrees on one.
    pub plan: Option<Content>,
    /// The result, if this event offers one.
    pub result: Option<Content>,
    /// The destination of reports from now on, if this event sets one.
    pub subscription: Option<Subscription>,
}

/// The error for a command that a task does not take in its state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("task {task} is {status} and cannot take '{command}'{}", because.map_or(String::new(), |b| format!(": {b}")))]
pub struct OutOfTurn {
    /// The task.
    pub task: TaskId,
    /// Its state.
    pub status: Status,
    /// The command's name.
    pub command: &'static str,
    /// The reason, if the state alone does not give it.
    pub because: Option<&'static str>,
}

/// The reason for refusing a result that had to be negotiated first.
const NOT_NEGOTIATED: &str = "the assignment demands that a decision is agreed on before a result";

impl Task {
    /// Returns the event that a command would cause; changes nothing.
    ///
    /// # Errors
    /// [`OutOfTurn`] if the task does not take the command in its state.
    pub fn decide(&self, command: Command, now: Timestamp) -> Result<Event, OutOfTurn> {
        use Status::*;
        let event = |status, said| Event {
            at: now.max(self.changed_at),
            status,
            awaits: None,
            percent: self.percent,
            said,
            by_publisher: false,
            assignment: None,
            plan: None,
            result: None,
            subscription: None,
        };
        let asks = |status, awaits, said| Event {
            awaits: Some(awaits),
            ..event(status, Some(said))
        };
        let published = |status, said| Event {
            by_publisher: true,
            ..event(status, said)
        };
        let refused = |command: &Command, because| OutOfTurn {
            task: self.id.clone(),
            status: self.status,
            command: command.name(),
            because,
        };
        let name = command.name();
        Ok(match (self.status, self.awaits, command) {
            (Created | Processing | Blocked, _, Command::Work { percent, said }) => Event {
                percent: percent.min(100),
                ..event(Processing, said)
            },
            (Created | Processing, _, Command::Block(said)) => event(Blocked, Some(said)),
            (Created | Processing | Blocked, _, Command::Ask(said)) if !self.is_held() => {
                asks(InputRequired, Awaits::Answer, said)
            }
            (Created | Processing | Blocked, _, Command::AskCredentials(said))
                if !self.is_held() =>
            {
                asks(AuthRequired, Awaits::Credentials, said)
            }
            (Created, _, Command::AskFirst(said))
            | (_, Some(Awaits::Completion), Command::AskFirst(said)) => {
                asks(InputRequired, Awaits::Completion, said)
            }
            (_, Some(Awaits::Completion), Command::Complete(assignment)) => Event {
                assignment: Some(self.completed(assignment)),
                ..published(Created, None)
            },
            (Created | Processing | Blocked, _, Command::Propose(said)) if !self.is_held() => {
                asks(InputRequired, Awaits::Decision, said)
            }
            (Created | Processing | Blocked, _, command @ Command::Offer { .. })
                if self.conditions.fulfillment_demanded && self.plan.is_none() =>
            {
                return Err(refused(&command, Some(NOT_NEGOTIATED)));
            }
            (Created | Processing | Blocked, _, Command::Offer { result, held: true }) => Event {
                percent: 100,
                result: Some(result),
                ..event(Blocked, None)
            },
            (
                Created | Processing | Blocked,
                _,
                Command::Offer {
                    result,
                    held: false,
                },
            ) => self.offered(result, event(Finished, None)),
            (Blocked, _, Command::Release) if self.is_held() => {
                let result = self.result.clone().expect("a held task has a result");
                self.offered(result, event(Finished, None))
            }
            (_, Some(Awaits::Answer), Command::Answer(said)) => published(Processing, Some(said)),
            // Credentials are for the executor alone: it is told by whoever asks it.
            (_, Some(Awaits::Credentials), Command::Answer(_)) => published(Processing, None),
            (_, Some(Awaits::Decision), Command::Agree(decision)) => Event {
                plan: Some(decision),
                ..published(Processing, None)
            },
            (_, Some(Awaits::Decision), Command::Disagree(why)) => published(Processing, Some(why)),
            (status @ (Created | Processing | Blocked), _, Command::Revise(plan)) => Event {
                plan: Some(plan),
                ..published(status, None)
            },
            (_, Some(Awaits::Judgement), Command::Accept) => published(Finished, None),
            (_, Some(Awaits::Judgement), Command::Reject(why)) => published(Processing, Some(why)),
            (_, Some(Awaits::Judgement), Command::Expire) => event(Unconfirmed, None),
            (Created, _, Command::Refuse(said)) => event(Rejected, Some(said)),
            (status, _, Command::Fail(said)) if !status.is_terminal() => event(Failed, Some(said)),
            (status, _, Command::Cancel) if !status.is_terminal() => published(Cancelled, None),
            (status, awaits, Command::Expire) if !status.is_terminal() => {
                let why = match awaits {
                    None => "the deadline has passed without a result",
                    Some(_) => "the publisher did not answer in time",
                };
                let said = Content::new(self.content.target_object.clone(), why);
                event(Failed, Some(said))
            }
            (status, awaits, Command::Subscribe(subscription)) if !status.is_terminal() => Event {
                awaits,
                subscription: Some(subscription),
                ..published(status, None)
            },
            (status, _, _) => {
                return Err(OutOfTurn {
                    task: self.id.clone(),
                    status,
                    command: name,
                    because: None,
                });
            }
        })
    }

    /// The completed assignment; keeps the expected response of the first one if the new one states
    /// none.
    fn completed(&self, assignment: Content) -> Content {
        let expected = || self.content.expected_response.clone();
        Content {
            expected_response: assignment.expected_response.or_else(expected),
            ..assignment
        }
    }

    /// A result with a stated expectation awaits the publisher's judgement (§4.5); one without
    /// finishes the task.
    fn offered(&self, result: Content, event: Event) -> Event {
        let judged = self.content.expected_response.is_some();
        Event {
            percent: 100,
            result: Some(result),
            status: match judged {
                true => Status::InputRequired,
                false => Status::Finished,
            },
            awaits: judged.then_some(Awaits::Judgement),
            ..event
        }
    }

    /// Applies an event that was decided.
    pub fn apply(&mut self, event: &Event) {
        if event.status == Status::Processing && event.subscription.is_none() {
            self.result = None;
        }
        self.status = event.status;
        self.awaits = event.awaits;
        if let Some(subscription) = &event.subscription {
            self.conditions.subscription = Some(subscription.clone());
        } else {
            let within = self.conditions.answer_within_ms;
            self.answer_by = event.awaits.and(within).map(|within| event.at + within);
        }
        self.percent = event.percent;
        if let (Some(said), false) = (&event.said, event.by_publisher) {
            self.said = Some(said.clone());
        }
        if let Some(assignment) = &event.assignment {
            self.text = assignment.render();
            self.content = assignment.clone();
        }
        if let Some(plan) = &event.plan {
            self.plan = Some(plan.clone());
        }
        if let Some(result) = &event.result {
            self.result = Some(result.clone());
        }
        self.changed_at = event.at;
        self.version += 1;
    }
}

#[cfg(test)]
mod tests;
