//! A task: its assignment, its conditions and its state (draft §4.2, §5.2).
//!
//! Pure: time and identity arrive as arguments. Rows are in `store`, wire forms in
//! `bindings::netconf`. The transitions of a task are drawn and decided in [`mod@decide`]; a
//! terminal state is never left. Read next: [`mod@decide`], [`crate::negotiation`],
//! [`crate::notification`].

pub mod decide;
mod status;

pub use decide::{Command, Event, OutOfTurn};
pub use status::{Awaits, Status};

use crate::content::Content;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The identifier of a task, unique on the platform; chosen by its publisher.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId(String);

impl TaskId {
    /// The longest identifier, in bytes.
    pub const LONGEST: usize = 128;

    /// The task called `id`.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The identifier as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The destination of a task's reports beside the NETCONF notifications (`task-subscription`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// `subscript-protocol`: `http` or `https` for a webhook, `netconf` for notifications.
    pub protocol: String,
    /// `subscript-method`: `POST` for a webhook, `create-subscription` for NETCONF.
    pub method: String,
    /// `subscript-url`; empty for NETCONF.
    pub url: String,
}

/// The conditions on which a task is assigned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The task of which this one is a part: cancelled with it, and its result waits for this one.
    /// Not in serde's form: a row holds it beside the others.
    #[serde(skip)]
    pub parent: Option<TaskId>,
    /// The time by which the executor must have offered a result; the task fails then.
    #[serde(deserialize_with = "Option::deserialize")]
    pub deadline: Option<Timestamp>,
    /// The time that a result, a proposed decision or a question may wait for the publisher, in
    /// milliseconds; none if it is not limited.
    pub answer_within_ms: Option<i64>,
    /// True if the executor must negotiate its decision before it offers a result (§5.3, 2).
    pub fulfillment_demanded: bool,
    /// The most rounds that a negotiation of this task may take; 0 for the platform's limit.
    pub round_limit: u32,
    /// The destination of reports beside the notifications.
    #[serde(deserialize_with = "Option::deserialize")]
    pub subscription: Option<Subscription>,
    /// `msg-data`: an entry of `/data-params` that belongs to the assignment.
    pub data: Option<String>,
    /// `context`: the record of `/context` from which the assignment follows.
    pub context: Option<String>,
    /// The conversation that it belongs to, if stated: see [`Task::conversation`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// `task-id`.
    pub id: TaskId,
    /// `task-sendFrom`: the publisher.
    pub from: String,
    /// `task-sendTo`: the executor.
    pub to: String,
    /// The sections of the assignment.
    pub content: Content,
    /// The content exactly as it was sent.
    pub text: String,
    /// `task-async`.
    pub asynchronous: bool,
    /// The conditions on which it was assigned.
    pub conditions: Conditions,
    /// Its state.
    pub status: Status,
    /// The thing awaited, while it waits for its publisher.
    pub awaits: Option<Awaits>,
    /// The time by which the publisher must answer; set while the task waits for its publisher.
    pub answer_by: Option<Timestamp>,
    /// 0 to 100.
    pub percent: u8,
    /// The decision or revised plan that both sides agreed on last (§4.3, §5.3).
    pub plan: Option<Content>,
    /// The result, once the executor offered one.
    pub result: Option<Content>,
    /// The last words of the executor.
    pub said: Option<Content>,
    /// The time of its assignment.
    pub created_at: Timestamp,
    /// The time of its last change.
    pub changed_at: Timestamp,
    /// The number of its changes, from 1.
    pub version: u64,
}

impl Task {
    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let told = [&self.plan, &self.result, &self.said];
        let told = told.into_iter().flatten().map(Content::bytes);
        told.fold(
            self.text.len() + self.content.bytes(),
            usize::saturating_add,
        )
    }

    /// The same with at most so many bytes of each section of its content and plan ([`Content::shortened`]), and as its
    /// text, if that is longer, the sections that are left. None if that is all of it.
    pub fn shortened(&self, most: usize) -> Option<Self> {
        let is_long = self.text.len() > most;
        let plan = self.plan.as_ref().and_then(|plan| plan.shortened(most));
        if !is_long && plan.is_none() {
            return None;
        }
        let content = match is_long {
            true => self.content.shortened(most),
            false => None,
        };
        let content = content.unwrap_or_else(|| self.content.clone());
        Some(Self {
            text: match is_long {
                true => content.render(),
                false => self.text.clone(),
            },
            plan: plan.or_else(|| self.plan.clone()),
            content,
            ..self.clone()
        })
    }

    /// A task just assigned, on no conditions.
    pub fn assigned(
        id: TaskId,
        from: &str,
        to: &str,
        text: String,
        content: Content,
        asynchronous: bool,
        at: Timestamp,
    ) -> Self {
        Self {
            id,
            from: from.to_owned(),
            to: to.to_owned(),
            content,
            text,
            asynchronous,
            conditions: Conditions::default(),
            status: Status::Created,
            awaits: None,
            answer_by: None,
            percent: 0,
            plan: None,
            result: None,
            said: None,
            created_at: at,
            changed_at: at,
            version: 1,
        }
    }

    /// The same task, on these conditions.
    pub fn under(mut self, conditions: Conditions) -> Self {
        self.conditions = conditions;
        self
    }

    /// The scenario of its payload; tasks in natural language have none.
    pub fn scenario(&self) -> Option<&str> {
        self.content.payload.as_ref().map(|p| p.scenario())
    }

    /// The conversation that it belongs to: that of its assignment, else that of its parent task,
    /// else one of its own, named like the task.
    pub fn conversation(&self) -> &str {
        let stated = self.conditions.conversation.as_deref();
        stated.unwrap_or(self.id.as_str())
    }

    /// False while its publisher is asked to complete the assignment: the executor has not received
    /// it then.
    pub fn is_handed_over(&self) -> bool {
        self.awaits != Some(Awaits::Completion)
    }

    /// True while a result waits for the publisher's judgement.
    pub fn awaits_judgement(&self) -> bool {
        self.awaits == Some(Awaits::Judgement)
    }

    /// True while a result is there and waits for sub-tasks to end.
    pub fn is_held(&self) -> bool {
        self.status == Status::Blocked && self.result.is_some()
    }

    /// The time of the next change that time alone makes: the executor's deadline, or the end of
    /// the publisher's time to answer. None once it has ended.
    pub fn due(&self) -> Option<Timestamp> {
        if self.status.is_terminal() {
            return None;
        }
        // The executor's deadline is suspended while it waits for the publisher.
        match (self.awaits, self.answer_by) {
            (Some(_), Some(answer_by)) => Some(answer_by),
            (Some(Awaits::Judgement), None) => None,
            _ => self.conditions.deadline,
        }
    }
}
