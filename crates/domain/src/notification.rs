//! `condition-notifications`: what the publisher of a task is told (draft §5.4).
//!
//! Read next: [`crate::task`], whose events become notifications.

use crate::content::Content;
use crate::negotiation::{Kind, State, Turn};
use crate::registry::Health;
use crate::task::{Awaits, Status, TaskId};
use crate::time::Timestamp;
use crate::verb::Verb;

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
    /// The state before it; none when the task was created.
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

impl AgentChange {
    /// Every change.
    pub const ALL: [AgentChange; 5] = [
        Self::Registered,
        Self::Health,
        Self::Expired,
        Self::Returned,
        Self::Left,
    ];

    /// The name in module convoke-registry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::Health => "health",
            Self::Expired => "expired",
            Self::Returned => "returned",
            Self::Left => "left",
        }
    }

    /// The change called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.as_str() == name)
    }
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
