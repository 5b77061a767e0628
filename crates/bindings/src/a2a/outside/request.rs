//! The requests about a task that an agent elsewhere is sent.
//!
//! Read next: [`super::remote_task`], which chooses; `interface`, which writes them.

use a2a::message::Message;
use a2a::request::{A2aRequest, CancelTask, GetTask, SendMessage, SendMessageConfiguration};

/// Asks for a task.
pub(super) fn look(id: &str) -> A2aRequest {
    A2aRequest::GetTask(GetTask {
        id: id.to_owned(),
        history_length: Some(0),
    })
}

/// Ends a task.
pub(super) fn cancel(id: &str) -> A2aRequest {
    A2aRequest::CancelTask(CancelTask {
        id: id.to_owned(),
        metadata: Default::default(),
    })
}

/// Sends a message, whose answer does not wait for what comes of it.
pub(super) fn send(message: Message) -> A2aRequest {
    A2aRequest::SendMessage(SendMessage {
        configuration: SendMessageConfiguration {
            return_immediately: true,
            history_length: Some(0),
            ..SendMessageConfiguration::default()
        },
        ..SendMessage::new(message)
    })
}
