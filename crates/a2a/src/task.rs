//! Tasks and their artifacts, the same for both versions.
//!
//! Knows the states, and the parts of a task that a request asks for. The transitions are in
//! `domain`; [`crate::state`] maps the states. Read next: [`crate::event`].

use crate::message::{Message, Metadata, Part};
use schema::time::Timestamp;

/// The state of a task, of either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskState {
    /// Accepted, not begun.
    Submitted,
    /// Being worked on.
    Working,
    /// Waiting for the client's input.
    InputRequired,
    /// Waiting for the client's credentials.
    AuthRequired,
    /// Ended: done.
    Completed,
    /// Ended: not done.
    Failed,
    /// Ended by the client.
    Canceled,
    /// Ended: not taken on.
    Rejected,
    /// Unknown; in v0.3 `unknown`, in v1.0 `TASK_STATE_UNSPECIFIED`.
    Unknown,
}

impl TaskState {
    /// Every state.
    pub const ALL: [Self; 9] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::AuthRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Rejected,
        Self::Unknown,
    ];

    /// True if the task has ended and never changes again.
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// True while the task waits for the client.
    pub fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// True if the task does not go on without the client: a blocking request returns, and a stream
    /// that a message began closes (v1.0 §3.2.2, §11.7).
    pub fn is_settled(self) -> bool {
        self.is_terminal() || self.is_interrupted()
    }
}

/// A state, with the message that came with it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskStatus {
    /// The state.
    pub state: TaskState,
    /// The message of the agent.
    pub message: Option<Message>,
    /// The time at which the state began.
    pub timestamp: Option<Timestamp>,
}

/// A result of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Artifact {
    /// Its identifier within the task.
    pub artifact_id: String,
    /// Its name, for people.
    pub name: Option<String>,
    /// The description, for people.
    pub description: Option<String>,
    /// The parts; one at least.
    pub parts: Vec<Part>,
    /// Metadata.
    pub metadata: Metadata,
    /// The extensions that it makes use of, by URI.
    pub extensions: Vec<String>,
}

impl Artifact {
    /// An artifact with these parts and nothing else.
    pub fn new(artifact_id: impl Into<String>, parts: Vec<Part>) -> Self {
        Self {
            artifact_id: artifact_id.into(),
            name: None,
            description: None,
            parts,
            metadata: Metadata::new(),
            extensions: Vec::new(),
        }
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its identifier, made by the agent.
    pub id: String,
    /// The conversation that it belongs to; empty only if a v1.0 peer left it out.
    pub context_id: String,
    /// Its state.
    pub status: TaskStatus,
    /// The artifacts; none where they were not asked for.
    pub artifacts: Option<Vec<Artifact>>,
    /// The messages, oldest first.
    pub history: Vec<Message>,
    /// Metadata.
    pub metadata: Metadata,
}

impl Task {
    /// The task with its latest `length_max` messages; with all if no number is given (v1.0
    /// §3.2.4).
    pub fn with_history(mut self, length_max: Option<u32>) -> Self {
        if let Some(length_max) = length_max {
            let kept = usize::try_from(length_max).unwrap_or(usize::MAX);
            self.history
                .drain(..self.history.len().saturating_sub(kept));
        }
        self
    }

    /// The task as shown in a list: artifacts as an array, or not at all (v1.0 §3.1.4).
    pub fn listed(mut self, include_artifacts: bool) -> Self {
        self.artifacts = include_artifacts.then(|| self.artifacts.unwrap_or_default());
        self
    }
}
