//! The events of a task: those of a change of it, and that it came into a state.
//!
//! Refuses to know who is told: streams and pushes tell the same. Read next: [`super::follow`],
//! [`super::push`].

use super::task::{changed, offered};
use a2a::event::{ArtifactUpdate, StatusUpdate, StreamResponse};
use a2a::message::{Message, Metadata};
use a2a::task::{TaskState, TaskStatus};
use domain::event::Sequence;
use domain::notification::Notification;
use domain::task::Task;
use domain::time::Timestamp;

/// The events of a change of a task: the result first, then the state that came with it.
pub(super) fn events(
    task: &Task,
    change: &Notification,
    sequence: Sequence,
    is_declared: &dyn Fn(&str) -> bool,
) -> Vec<StreamResponse> {
    let (task_id, context_id) = (task.id.to_string(), task.conversation().to_owned());
    let result = offered(change, is_declared).map(|artifact| {
        StreamResponse::Artifact(ArtifactUpdate {
            task_id: task_id.clone(),
            context_id: context_id.clone(),
            artifact,
            append: false,
            last_chunk: true,
            metadata: Default::default(),
        })
    });
    let status = StreamResponse::Status(StatusUpdate {
        task_id,
        context_id,
        status: changed(task, change, sequence),
        metadata: Default::default(),
    });
    result.into_iter().chain([status]).collect()
}

/// A task came into a state.
pub(super) fn status(
    task: &Task,
    state: TaskState,
    message: Option<Message>,
    at: Timestamp,
) -> StreamResponse {
    StreamResponse::Status(StatusUpdate {
        task_id: task.id.to_string(),
        context_id: task.conversation().to_owned(),
        status: TaskStatus {
            state,
            message,
            timestamp: Some(at),
        },
        metadata: Metadata::new(),
    })
}
