//! The requests about a task that an agent elsewhere is sent.
//!
//! Read next: [`super::errand`], which chooses; `place`, which writes them.

use a2a::message::Message;
use a2a::request::{CancelTask, Configuration, GetTask, Request, SendMessage};

/// Asks for a task.
pub(super) fn look(id: &str) -> Request {
    Request::GetTask(GetTask {
        id: id.to_owned(),
        history_length: Some(0),
    })
}

/// Ends a task.
pub(super) fn cancel(id: &str) -> Request {
    Request::CancelTask(CancelTask {
        id: id.to_owned(),
        metadata: Default::default(),
    })
}

/// Sends a message, whose answer does not wait for what comes of it.
pub(super) fn send(message: Message) -> Request {
    Request::SendMessage(SendMessage {
        configuration: Configuration {
            return_immediately: true,
            history_length: Some(0),
            ..Configuration::default()
        },
        ..SendMessage::new(message)
    })
}
