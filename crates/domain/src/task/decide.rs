//! How a task changes: one table, decided and then applied (draft §4.2 to §4.5, §5.3).
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
//!    from every state above: Cancel ► cancelled, Fail ► failed, and when time is over
//!    Expire ► failed, or unconfirmed while a result waits for judgement
//! ```
//! An offer with open sub-tasks is held in `blocked` until the last of them has ended. `decide`
//! changes nothing; `apply` cannot fail; a terminal state is never left. Read next:
//! [`crate::negotiation`], in which proposals and judgements are exchanged.

use super::{Awaits, Status, Subscription, Task, TaskId};
use crate::content::Content;
use crate::time::Timestamp;

/// What is wanted of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Executor: the work goes on.
    Work {
        /// 0 to 100.
        percent: u8,
        /// What there is to tell, if anything.
        said: Option<Content>,
    },
    /// Executor: the work waits for something outside the task.
    Block(Content),
    /// Executor: the publisher must answer first.
    Ask(Content),
    /// Executor: the publisher must give credentials first.
    AskCredentials(Content),
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
    /// Publisher: the answer, or the credentials.
    Answer(Content),
    /// Publisher: the proposed decision is agreed; this is it.
    Agree(Content),
    /// Publisher: it is not, for these reasons; the executor goes on.
    Disagree(Content),
    /// Both: the plan is now this one.
    Revise(Content),
    /// Publisher: the offered result is what was wanted.
    Accept,
    /// Publisher: it is not; the executor goes on.
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

/// What happened to a task: its state after it, and what was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub at: Timestamp,
    /// The state after it.
    pub status: Status,
    /// What it waits for after it.
    pub awaits: Option<Awaits>,
    /// 0 to 100, after it.
    pub percent: u8,
    /// What was said, if anything.
    pub said: Option<Content>,
    /// True if the publisher said it.
    pub by_publisher: bool,
    /// The plan, if this event agrees on one.
    pub plan: Option<Content>,
    /// The result, if this event offers one.
    pub result: Option<Content>,
    /// Where reports go from now on, if this event says so.
    pub subscription: Option<Subscription>,
}

/// A command that a task does not take in its state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("task {task} is {status} and cannot take '{command}'{}", because.map_or(String::new(), |b| format!(": {b}")))]
pub struct OutOfTurn {
    /// The task.
    pub task: TaskId,
    /// Its state.
    pub status: Status,
    /// The command's name.
    pub command: &'static str,
    /// Why, if the state alone does not say it.
    pub because: Option<&'static str>,
}

/// Why a result is refused that was demanded to be negotiated.
const NOT_NEGOTIATED: &str = "the assignment demands that a decision is agreed on before a result";

impl Task {
    /// Says what would happen; changes nothing.
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

    /// A publisher who stated what it expects judges the result (§4.5); one who did not accepted
    /// it beforehand.
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

    /// Applies what happened.
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn said() -> Content {
        Content::new("site-1", "said")
    }

    fn commands() -> Vec<Command> {
        vec![
            Command::Work {
                percent: 10,
                said: None,
            },
            Command::Block(said()),
            Command::Ask(said()),
            Command::AskCredentials(said()),
            Command::Propose(said()),
            Command::Offer {
                result: said(),
                held: false,
            },
            Command::Offer {
                result: said(),
                held: true,
            },
            Command::Release,
            Command::Answer(said()),
            Command::Agree(said()),
            Command::Disagree(said()),
            Command::Revise(said()),
            Command::Accept,
            Command::Reject(said()),
            Command::Fail(said()),
            Command::Refuse(said()),
            Command::Cancel,
            Command::Expire,
            Command::Subscribe(Subscription {
                protocol: "netconf".to_owned(),
                method: "create-subscription".to_owned(),
                url: String::new(),
            }),
        ]
    }

    fn task(expecting: bool) -> Task {
        let mut content = Content::new("site-1", "diagnose");
        if expecting {
            content = content.expecting("service restored");
        }
        let text = content.render();
        let at = Timestamp::from_ms(1_000);
        Task::assigned(TaskId::new("t"), "a", "b", text, content, true, at)
    }

    fn at(status: Status, awaits: Option<Awaits>, result: bool) -> Task {
        Task {
            status,
            awaits,
            result: result.then(said),
            ..task(true)
        }
    }

    /// Every state a task can be in, with what it waits for.
    fn situations() -> Vec<(&'static str, Task)> {
        use Awaits::*;
        use Status::*;
        vec![
            ("created", at(Created, None, false)),
            ("processing", at(Processing, None, false)),
            ("blocked", at(Blocked, None, false)),
            ("blocked, result held", at(Blocked, None, true)),
            (
                "input-required, answer",
                at(InputRequired, Some(Answer), false),
            ),
            (
                "input-required, decision",
                at(InputRequired, Some(Decision), false),
            ),
            (
                "input-required, judgement",
                at(InputRequired, Some(Judgement), true),
            ),
            ("auth-required", at(AuthRequired, Some(Credentials), false)),
            ("failed", at(Failed, None, false)),
            ("finished", at(Finished, None, true)),
            ("cancelled", at(Cancelled, None, false)),
            ("rejected", at(Rejected, None, false)),
            ("unconfirmed", at(Unconfirmed, None, true)),
        ]
    }

    #[test]
    fn the_whole_transition_table() {
        let mut table = String::new();
        for (name, task) in situations() {
            let taken = commands().into_iter().filter_map(|c| {
                let name = c.name();
                let event = task.decide(c, Timestamp::from_ms(2_000)).ok()?;
                Some(format!("{name}>{}", event.status))
            });
            table.push_str(&format!("{name}:\n"));
            for command in taken {
                table.push_str(&format!("  {command}\n"));
            }
        }
        assert_snapshot!(table, @r"
        created:
          work>processing
          block>blocked
          ask>input-required
          ask-credentials>auth-required
          propose>input-required
          offer>input-required
          offer-held>blocked
          revise>created
          fail>failed
          refuse>rejected
          cancel>cancelled
          expire>failed
          subscribe>created
        processing:
          work>processing
          block>blocked
          ask>input-required
          ask-credentials>auth-required
          propose>input-required
          offer>input-required
          offer-held>blocked
          revise>processing
          fail>failed
          cancel>cancelled
          expire>failed
          subscribe>processing
        blocked:
          work>processing
          ask>input-required
          ask-credentials>auth-required
          propose>input-required
          offer>input-required
          offer-held>blocked
          revise>blocked
          fail>failed
          cancel>cancelled
          expire>failed
          subscribe>blocked
        blocked, result held:
          work>processing
          offer>input-required
          offer-held>blocked
          release>input-required
          revise>blocked
          fail>failed
          cancel>cancelled
          expire>failed
          subscribe>blocked
        input-required, answer:
          answer>processing
          fail>failed
          cancel>cancelled
          expire>failed
          subscribe>input-required
        input-required, decision:
          agree>processing
          disagree>processing
          fail>failed
          cancel>cancelled
          expire>failed
          subscribe>input-required
        input-required, judgement:
          accept>finished
          reject>processing
          fail>failed
          cancel>cancelled
          expire>unconfirmed
          subscribe>input-required
        auth-required:
          answer>processing
          fail>failed
          cancel>cancelled
          expire>failed
          subscribe>auth-required
        failed:
        finished:
        cancelled:
        rejected:
        unconfirmed:
        ");
    }

    #[test]
    fn without_an_expectation_the_result_was_accepted_beforehand() {
        let offer = Command::Offer {
            result: said(),
            held: false,
        };
        let event = task(false)
            .decide(offer, Timestamp::from_ms(2_000))
            .unwrap();
        assert_eq!(event.status, Status::Finished);
    }

    #[test]
    fn where_fulfillment_is_demanded_a_result_without_it_is_refused() {
        let offer = || Command::Offer {
            result: said(),
            held: false,
        };
        let now = Timestamp::from_ms(2_000);
        let mut task = task(true);
        task.conditions.fulfillment_demanded = true;
        let refused = task.decide(offer(), now).unwrap_err();
        assert_eq!(refused.because, Some(NOT_NEGOTIATED));
        for command in [Command::Propose(said()), Command::Agree(said()), offer()] {
            let event = task.decide(command, now).unwrap();
            task.apply(&event);
        }
        assert_eq!(task.awaits, Some(Awaits::Judgement));
    }

    #[test]
    fn a_silent_publisher_leaves_a_result_unconfirmed_and_a_question_failed() {
        let now = Timestamp::from_ms(2_000);
        let mut asked = task(true);
        asked.conditions.answer_within_ms = Some(500);
        asked.conditions.deadline = Some(Timestamp::from_ms(9_000));
        assert_eq!(asked.due(), Some(Timestamp::from_ms(9_000)));
        let event = asked.decide(Command::Ask(said()), now).unwrap();
        asked.apply(&event);
        assert_eq!(asked.due(), Some(Timestamp::from_ms(2_500)));
        let ended = asked.decide(Command::Expire, now + 500).unwrap();
        assert_eq!(ended.status, Status::Failed);
        let judged = at(Status::InputRequired, Some(Awaits::Judgement), true);
        let ended = judged.decide(Command::Expire, now).unwrap();
        assert_eq!(ended.status, Status::Unconfirmed);
    }

    #[test]
    fn a_clock_that_jumps_back_never_dates_a_change_before_the_last() {
        let task = task(false);
        let event = task.decide(Command::Cancel, Timestamp::from_ms(1)).unwrap();
        assert_eq!(event.at, task.changed_at);
    }

    proptest::proptest! {
        #[test]
        fn a_terminal_state_is_never_left(picks in proptest::collection::vec(0usize..19, 0..60)) {
            let mut task = task(true);
            let mut ended = None;
            for (i, pick) in picks.into_iter().enumerate() {
                let command = commands().swap_remove(pick);
                if let Ok(event) = task.decide(command, Timestamp::from_ms(2_000 + i as i64)) {
                    task.apply(&event);
                }
                if let Some(end) = ended {
                    proptest::prop_assert_eq!(task.status, end);
                }
                let waits = matches!(task.status, Status::InputRequired | Status::AuthRequired);
                proptest::prop_assert_eq!(task.awaits.is_some(), waits);
                ended = task.status.is_terminal().then_some(task.status);
            }
        }
    }
}
