//! A task is cancelled by its client (v1.0 §3.1.5), or left as its negotiation was.
//!
//! The engine decides whether it can be. Read next: [`super::history`], which tells the task that is left.

use super::error;
use super::message_content::content;
use super::request_context::{RequestContext, Spoken};
use a2a::conversation;
use a2a::error::{Error, ErrorKind};
use a2a::message::{Message, Part, Role};
use a2a::request::CancelTask;
use a2a::task::Task as Told;
use domain::task::Task;
use domain::verb::Verb;
use engine::refusal::Conflict;
use engine::{Negotiate, Refusal};
use serde_json::Value;

impl RequestContext<'_> {
    /// Cancels a task (v1.0 §3.1.5).
    pub(super) async fn cancel(&self, wanted: CancelTask) -> Result<Told, Error> {
        let task = self.task(&wanted.id);
        let known = task.as_ref().ok().map(|task| task.known());
        conversation::can_be_cancelled(&wanted.id, known)?;
        let task = task?;
        let reason = wanted.metadata.get("reason").and_then(Value::as_str);
        let reason = reason.unwrap_or("cancelled by its client");
        self.stop(&task, "cancel", reason).await?;
        self.told(&task.id, None)
    }

    /// Ends a task for its publisher (A8), by the message of this identifier.
    pub(super) async fn stop(&self, task: &Task, by: &str, reason: &str) -> Result<(), Error> {
        let words = Message::new(by, Role::User, vec![Part::text(reason)]);
        let negotiate = Negotiate {
            to: Some(task.to.clone()),
            task: Some(task.id.clone()),
            texts: vec![content(&words, None).render()],
            ..Negotiate::new(self.endpoint.clone(), Verb::TaskCancel)
        };
        match self.execute(negotiate).await {
            Ok(_) => Ok(()),
            // It has ended since it was looked at.
            Err(Refusal::Conflict(Conflict::OutOfTurn(_))) => {
                let why = "the task has ended";
                let error = Error::new(ErrorKind::TaskNotCancelable, why);
                Err(error.with("taskId", task.id.as_str()))
            }
            Err(refusal) => Err(error::refused(&refusal)),
        }
    }
}
