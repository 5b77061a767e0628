//! `condition-notifications`: the notifications that the publisher of a task receives (draft §5.4).
//!
//! Read next: [`crate::task`], whose events become notifications.

use crate::content::Content;
use crate::negotiation::{Kind, State, Turn};
use crate::registry::{AgentChange, Health};
use crate::task::{Awaits, Status, Task, TaskId};
use crate::time::Timestamp;
use crate::verb::Verb;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// One change of one task, as its publisher reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notification {
    /// The time of the commit.
    pub time: Timestamp,
    /// The task.
    pub task: TaskId,
    /// The executor.
    pub from: String,
    /// The publisher.
    pub to: String,
    /// `taskResultNotify`.
    pub verb: Verb,
    /// True if the task is asynchronous.
    pub asynchronous: bool,
    /// The state after the change.
    pub status: Status,
    /// The state before it; none when the task was created, and where the notification is made from
    /// the task alone, which does not hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Status>,
    /// The time at which the task began.
    pub start_time: Timestamp,
    /// 0 to 100.
    pub percent: u8,
    /// The content: incident, finding, question or result.
    pub content: Content,
    /// The thing awaited, while the task waits for its publisher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaits: Option<Awaits>,
    /// The result's entry in `data-params`, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

impl Notification {
    /// The notification of the last change of a task, made from the task alone.
    pub fn of(task: &Task) -> Self {
        let judged = task.content.expected_response.is_some();
        let (result, said) = (task.result.as_ref(), task.said.as_ref());
        match task.status {
            Status::Finished if judged => {
                Self::change(task, Some(Status::InputRequired), None, None)
            }
            Status::Finished => Self::change(task, None, result, None),
            Status::Unconfirmed => Self::change(task, Some(Status::InputRequired), None, None),
            Status::Rejected => Self::change(task, Some(Status::Created), None, said),
            Status::Cancelled => Self::change(task, None, None, None),
            _ if task.awaits_judgement() => Self::change(task, None, result, None),
            _ => Self::change(task, None, None, said),
        }
    }

    /// The notification of a change of `task`, which is given as it is after it: `previous` is the
    /// state before, `said` the content, else the result or the assignment.
    pub fn change(
        task: &Task,
        previous: Option<Status>,
        result: Option<&Content>,
        said: Option<&Content>,
    ) -> Self {
        Self {
            time: task.changed_at,
            task: task.id.clone(),
            from: task.to.clone(),
            to: task.from.clone(),
            verb: Verb::TaskResultNotify,
            asynchronous: task.asynchronous,
            status: task.status,
            previous,
            start_time: task.created_at,
            percent: task.percent,
            content: result.or(said).unwrap_or(&task.content).clone(),
            awaits: task.awaits,
            data: result.map(|_| Self::entry_of_result(&task.id)),
        }
    }

    /// The entry of `data-params` that holds the result of a task.
    pub fn entry_of_result(task: &TaskId) -> String {
        format!("{task}/result")
    }
}

/// One change of one negotiation, as both sides read it (§5.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NegotiationUpdate {
    /// The time of the commit.
    pub time: Timestamp,
    /// The task.
    pub task: TaskId,
    /// The kind of negotiation.
    pub kind: Kind,
    /// The publisher.
    pub publisher: String,
    /// The executor.
    pub executor: String,
    /// The state after the change.
    pub state: State,
    /// The turn taken, unless time or the task's own end made the change.
    #[serde(deserialize_with = "Option::deserialize")]
    pub turn: Option<Turn>,
}

/// One change of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentUpdate {
    /// The time of the commit.
    pub time: Timestamp,
    /// The agent.
    pub name: String,
    /// The kind of change.
    pub change: AgentChange,
    /// Its health after the change.
    pub health: Health,
}

/// A change of a schema (draft-zhou §6.2).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaChange {
    /// A template was published.
    TemplatePublished,
    /// A template was retired: it takes no payloads any more.
    TemplateRetired,
    /// A patch waits for approval.
    PatchPending,
    /// A patch may be used.
    PatchActive,
    /// Keys of a patch were promoted.
    KeyPromoted,
    /// Keys of a patch were deprecated.
    KeyDeprecated,
    /// Keys of a patch were withdrawn.
    KeyWithdrawn,
    /// A patch was approved.
    PatchApproved,
    /// A patch was rejected, or not decided on in time.
    PatchRejected,
    /// The fragments of a client's messages were erased.
    FragmentsErased,
}

crate::named! {
    /// The name in module convoke-schema.
    SchemaChange
}

impl SchemaChange {
    /// True if it is for schema administrators alone: what they did, for the audit.
    pub fn is_internal(self) -> bool {
        matches!(
            self,
            Self::PatchPending | Self::PatchApproved | Self::PatchRejected | Self::FragmentsErased
        )
    }
}

/// One change of one schema: `schema-update`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchemaUpdate {
    /// The time of the commit.
    pub time: Timestamp,
    /// The scenario.
    pub scenario: String,
    /// The template published, or the one that a patch adds to.
    pub schema_id: String,
    /// The patch, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<String>,
    /// The client that alone may use the patch; none if all may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The kind of change.
    pub change: SchemaChange,
    /// The keys concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_names: Vec<String>,
    /// The principal that made it; none if time or payloads did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The reason, as given by the principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
