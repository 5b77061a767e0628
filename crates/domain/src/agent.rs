//! The contract of an agent with the platform: a pure step from an input to outputs.
//!
//! Agents hosted here and agents elsewhere look alike: each input of a remote agent is a message
//! that `server` delivers, and its answer comes back as an operation. An agent owns no clock, no
//! socket and no task store: it remembers what it needs, and whatever must survive is a task.
//! Read next: [`crate::telemetry`] (what it sees of its network), [`crate::task`].

use crate::content::Content;
use crate::inventory::Inventory;
use crate::negotiation::{Kind, Speech, Stance};
use crate::notification::Notification;
use crate::profile::Profile;
use crate::reply::{Reply, Verdict};
use crate::task::{Conditions, Task, TaskId};
use crate::telemetry::{Action, Outcome, Telemetry, Token};
use crate::time::{SeededRng, Timestamp};
use crate::verb::Verb;
use std::sync::Arc;

/// An agent of the autonomous network.
pub trait Agent: Send {
    /// Takes one input to its end and says what follows. Never blocks; the same inputs, instants
    /// and random numbers give the same outputs.
    fn step(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output>;
}

/// An input of an agent.
#[derive(Clone, Debug)]
pub enum Input {
    /// The platform has started, or restarted. Comes first, once per start.
    Started(Briefing),
    /// Another principal asks something of this agent; exactly one [`Output::Answer`] is owed,
    /// among the outputs of this very step.
    Asked(Ask),
    /// The answer to an [`Output::Send`].
    Replied {
        /// The token of the sending.
        token: Token,
        /// The reply, or the error instead of one.
        reply: Result<Reply, Undelivered>,
    },
    /// A `condition-notifications` of a task that this agent published elsewhere. Told again after a
    /// start: the end of a task that it had not stepped on, or had sent something on that was not
    /// answered; and what an open task waits for it to say. Told twice, it may change nothing more.
    Notified(Arc<Notification>),
    /// Telemetry of the network.
    Telemetry(Telemetry),
    /// An [`Output::Act`] ended.
    Acted {
        /// The token of the action.
        token: Token,
        /// The outcome of the action.
        outcome: Outcome,
    },
    /// The instant asked for with [`Output::Wake`] has come.
    Woken(Token),
    /// Another agent has come, or come back with another profile: the roster of the briefing has it
    /// from now on, in the place of its namesake if there is one. Told to agents hosted here.
    Joined(Arc<Profile>),
    /// Another agent, of this name, has left the roster; one that merely falls silent stays in it.
    /// Told to agents hosted here.
    Left(String),
}

/// The information that an agent is given at the start.
#[derive(Clone, Debug)]
pub struct Briefing {
    /// Its own profile.
    pub own: Arc<Profile>,
    /// The profiles of every registered agent, its own included, in roster order.
    pub roster: Vec<Arc<Profile>>,
    /// The network as documented.
    pub inventory: Arc<Inventory>,
    /// Tasks it executes that had not ended when the platform stopped; it goes on with them, and
    /// sends again what they need: a message is known by task and round, and answered as before.
    pub open: Vec<Arc<Task>>,
}

/// Something asked of an agent by `task-negotiate`.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The request: [`Verb::FeasibilityNegotiate`], [`Verb::TaskAssign`], [`Verb::TaskCancel`] or
    /// [`Verb::FulfillmentNegotiate`]; the others never reach an agent's step.
    pub verb: Verb,
    /// The task concerned, as stored after this exchange was taken down.
    pub task: Arc<Task>,
    /// The name of the principal that asks.
    pub from: String,
    /// The parsed sections of this message; of an offer its first alternative.
    pub content: Content,
    /// The further alternatives of an offer, in their order; empty for all else.
    pub alternatives: Vec<Content>,
    /// The number of the alternative that an acceptance takes, from 1; none if only one was
    /// offered.
    pub alternative: Option<u32>,
    /// Round of the negotiation, from 1.
    pub round: u32,
    /// The turn that was taken with it, if it is one of a negotiation: a proposal or counter-offer
    /// to be answered, or an acceptance or refusal to be taken note of. None for an assignment, a
    /// cancellation and the answer to a question.
    pub turn: Option<(Kind, Stance)>,
}

/// The error for a message that got no reply which a [`Reply`] could carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// The `error-tag` of RFC 6241, or `unreachable`.
    pub tag: String,
    /// The explanation, for people.
    pub message: String,
}

/// An output of an agent.
#[derive(Clone, Debug)]
pub enum Output {
    /// The answer to [`Input::Asked`]. For an assigned task: `accepted` (the work goes on, reports
    /// follow), `refused`, `input-required`, `result` (done at once; content holds the result), or
    /// `pending` (the task stays `created` until a report says more). In a negotiation: `accepted`,
    /// `refused`, `offered` (each content an alternative), or `pending` ([`Output::Speak`] follows).
    Answer(Reply),
    /// A message to another agent, sent over the protocol to its endpoint; [`Input::Replied`]
    /// follows with the same token.
    Send {
        /// Chosen by the agent.
        token: Token,
        /// The message.
        message: Message,
    },
    /// News of a task that this agent executes. Committed, then notified to the publisher.
    Report {
        /// The task.
        task: TaskId,
        /// The progress made.
        progress: Progress,
    },
    /// Do something to the network; [`Input::Acted`] follows with the same token.
    Act {
        /// Chosen by the agent.
        token: Token,
        /// The action.
        action: Action,
    },
    /// A turn of a negotiation, taken later than the answer to the request: a proposed decision, a
    /// counter-offer, or the answer that was [`Verdict::Pending`](crate::reply::Verdict::Pending).
    Speak {
        /// The task.
        task: TaskId,
        /// The kind of negotiation.
        kind: Kind,
        /// The speech, in the name of the agent's side.
        speech: Speech,
    },
    /// Ask for [`Input::Woken`] at (or right after) the instant.
    Wake {
        /// Chosen by the agent.
        token: Token,
        /// The instant.
        at: Timestamp,
    },
    /// The reason for the agent's actions, one sentence for people: shown and logged, never parsed.
    Note(String),
}

/// A message to another agent: the input of `task-negotiate`. `task-sendFrom` is the sender.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// `task-sendTo`.
    pub to: String,
    /// `commuType`.
    pub verb: Verb,
    /// `task-id`; the publisher chooses it, unique on the platform.
    pub task: TaskId,
    /// The sections; of an offer its first alternative.
    pub content: Content,
    /// The further alternatives of an offer, in their order; empty for all else.
    pub alternatives: Vec<Content>,
    /// The number of the alternative that an acceptance takes, from 1; none if only one was
    /// offered.
    pub alternative: Option<u32>,
    /// `task-async`: true to be told by notification, false to get the result in the reply.
    pub asynchronous: bool,
    /// `round`, from 1; 1 outside of negotiations.
    pub round: u32,
    /// The conditions of an assignment; empty for everything else.
    pub conditions: Conditions,
}

impl Message {
    /// An asynchronous message in the first round, on no conditions.
    pub fn new(to: impl Into<String>, verb: Verb, task: TaskId, content: Content) -> Self {
        Self {
            to: to.into(),
            verb,
            task,
            content,
            alternatives: Vec::new(),
            alternative: None,
            asynchronous: true,
            round: 1,
            conditions: Conditions::default(),
        }
    }
}

impl Output {
    /// News of a task.
    pub fn report(task: &TaskId, progress: Progress) -> Self {
        Self::Report {
            task: task.clone(),
            progress,
        }
    }

    /// The answer to an assignment as news of its task, `target` being what the task is about; none if
    /// the work merely goes on.
    pub fn of_reply(task: &TaskId, target: &str, reply: Reply) -> Option<Self> {
        let said = |reply: &Reply| {
            reply.content.first().cloned().unwrap_or_else(|| {
                let words: Vec<&str> = reply.reasons.iter().map(|r| r.message.as_str()).collect();
                Content::new(target, words.join("; "))
            })
        };
        let progress = match reply.verdict {
            Verdict::Accepted | Verdict::Pending => return None,
            Verdict::Result => Progress::Result(said(&reply)),
            Verdict::InputRequired => Progress::InputRequired(said(&reply)),
            Verdict::Refused => Progress::Failed(said(&reply)),
            Verdict::Offered => {
                return Some(Self::Speak {
                    task: task.clone(),
                    kind: Kind::Fulfillment,
                    speech: Speech::offer(reply.content),
                });
            }
        };
        Some(Self::report(task, progress))
    }
}

/// News of a task from its executor.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// The work goes on; the text and percentage are new. Content may carry findings, such as an
    /// incident of a standing task.
    Working {
        /// 0 to 100.
        percent: u8,
        /// The news: text, findings.
        content: Content,
    },
    /// The work waits for something outside the task.
    Blocked(Content),
    /// The publisher must answer this first.
    InputRequired(Content),
    /// The publisher must give credentials first.
    AuthRequired(Content),
    /// The work is done and this is the result. With an `expected-response` the publisher judges
    /// it; without, the task is finished. While sub-tasks are open the result waits for them.
    Result(Content),
    /// The work cannot be done.
    Failed(Content),
    /// The work will not be done: the refusal of an assignment that was answered `pending`. Of a
    /// task that had begun it is a failure.
    Refused(Content),
}
