//! `condition-notifications`: what the publisher of a task is told (draft §5.4).
//!
//! Read next: [`crate::task`], whose events become notifications.

use crate::content::Content;
use crate::negotiation::{Kind, State, Turn};
use crate::registry::Health;
use crate::task::{Awaits, Status, Task, TaskId};
use crate::time::Timestamp;
use crate::verb::Verb;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// One change of one task, as its publisher reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// When the change was committed.
    pub time: Timestamp,
    /// The task.
    pub task: TaskId,
    /// The executor.
    pub from: String,
    /// The publisher.
    pub to: String,
    /// `taskResultNotify`.
    pub verb: Verb,
    /// Whether the task is asynchronous.
    pub asynchronous: bool,
    /// The state after the change.
    pub status: Status,
    /// The state before it; none when the task was created, and where it is told from the task alone,
    /// which may not say it.
    pub previous: Option<Status>,
    /// When the task began.
    pub start_time: Timestamp,
    /// 0 to 100.
    pub percent: u8,
    /// What there is to tell: incident, finding, question or result.
    pub content: Content,
    /// What the task waits for, while it waits for its publisher.
    pub awaits: Option<Awaits>,
    /// The result's entry in `data-params`, once there is one.
    pub data: Option<String>,
}

impl Notification {
    /// The last change of a task, told from the task alone: as its publisher read it then.
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

    /// A change of a task, which is as it is after that: from which state, and what it offers as the
    /// result or says otherwise; the assignment if neither.
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
#[derive(Clone, Debug, PartialEq)]
pub struct NegotiationUpdate {
    /// When the change was committed.
    pub time: Timestamp,
    /// The task.
    pub task: TaskId,
    /// What is negotiated.
    pub kind: Kind,
    /// The publisher.
    pub publisher: String,
    /// The executor.
    pub executor: String,
    /// How it stands now.
    pub state: State,
    /// What was said, unless time or the task's own end changed it.
    pub turn: Option<Turn>,
}

/// What became of an agent (§4.1).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentChange {
    /// It registered, for the first time or with a new profile.
    Registered,
    /// Its health is another.
    Health,
    /// It did not renew its lease.
    Expired,
    /// It renewed a lease that had expired.
    Returned,
    /// It left.
    Left,
}

crate::named! {
    /// The name in module convoke-registry.
    AgentChange
}

/// One change of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentUpdate {
    /// When the change was committed.
    pub time: Timestamp,
    /// The agent.
    pub name: String,
    /// What became of it.
    pub change: AgentChange,
    /// Its health after the change.
    pub health: Health,
}

/// What became of a schema (draft-zhou §6.2).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaChange {
    /// A template came.
    TemplatePublished,
    /// A template takes no payloads any more.
    TemplateRetired,
    /// A patch waits for approval.
    PatchPending,
    /// A patch may be used.
    PatchActive,
    /// Keys of a patch were promoted.
    KeyPromoted,
    /// Keys of a patch are on their way out.
    KeyDeprecated,
    /// Keys of a patch are out.
    KeyWithdrawn,
    /// Somebody approved a patch.
    PatchApproved,
    /// Somebody rejected a patch, or nobody decided in time.
    PatchRejected,
    /// What a client said was erased.
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
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaUpdate {
    /// When the change was committed.
    pub time: Timestamp,
    /// The scenario.
    pub scenario: String,
    /// The template published, or the one that a patch adds to.
    pub schema_id: String,
    /// The patch, if it is about one.
    pub patch_id: Option<String>,
    /// The client whose alone the patch is; none if everyone's.
    pub client: Option<String>,
    /// What became of it.
    pub change: SchemaChange,
    /// The keys concerned.
    pub key_names: Vec<String>,
    /// Who did it; none if time or payloads did.
    pub principal: Option<String>,
    /// Why, in the words of who did it.
    pub reason: Option<String>,
}
