//! The events of a stream, which push notifications carry as well.
//!
//! Their framing is in [`crate::sse`], their JSON in [`crate::wire`]. Read next: [`crate::push`].

use crate::message::{Message, Metadata};
use crate::task::{Artifact, Task, TaskStatus};

/// A change of a task's state.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusUpdate {
    /// The task.
    pub task_id: String,
    /// The conversation of the task.
    pub context_id: String,
    /// The state after it.
    pub status: TaskStatus,
    /// Metadata.
    pub metadata: Metadata,
}

/// A new artifact of a task, or a piece of one.
#[derive(Clone, Debug, PartialEq)]
pub struct ArtifactUpdate {
    /// The task.
    pub task_id: String,
    /// The conversation of the task.
    pub context_id: String,
    /// The artifact, or a piece of it.
    pub artifact: Artifact,
    /// True if the parts are appended to the artifact with the same identifier.
    pub append: bool,
    /// True if it is the last piece.
    pub last_chunk: bool,
    /// Metadata.
    pub metadata: Metadata,
}

/// One event of a stream (v1.0 §3.2.3, v0.3 §7.2.1).
#[derive(Clone, Debug, PartialEq)]
pub enum StreamResponse {
    /// A whole task; the first event of every stream of a task.
    Task(Task),
    /// An answer without a task; the only event of its stream.
    Message(Message),
    /// A change of state.
    Status(StatusUpdate),
    /// A piece of a result.
    Artifact(ArtifactUpdate),
}

impl StreamResponse {
    /// True if the stream that a message began closes behind it. v0.3 writes that as `final`.
    pub fn is_last(&self) -> bool {
        match self {
            Self::Task(task) => task.status.state.is_settled(),
            Self::Message(_) => true,
            Self::Status(update) => update.status.state.is_settled(),
            Self::Artifact(_) => false,
        }
    }
}

/// The answer to a message (v1.0 §3.1.1).
#[derive(Clone, Debug, PartialEq)]
pub enum SendMessageResponse {
    /// A task, begun or continued.
    Task(Task),
    /// An answer without a task.
    Message(Message),
}

impl From<SendMessageResponse> for StreamResponse {
    fn from(sent: SendMessageResponse) -> Self {
        match sent {
            SendMessageResponse::Task(task) => Self::Task(task),
            SendMessageResponse::Message(message) => Self::Message(message),
        }
    }
}
