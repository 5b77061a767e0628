//! The outcome of a message, with the notes that its sender alone gets beside the task.
//!
//! Knows suggestions (draft-zhou §6.2.2) and warnings; refuses to know where they come from. Read next:
//! [`super::begin`].

use super::request_context::RequestContext;
use super::{error, schemas};
use a2a::error::Error;
use a2a::intake::Intake;
use a2a::message::{Message, Part, PartContent};
use a2a::schema_part::{self, SUGGESTION};
use a2a::task::Task as Told;
use domain::task::TaskId;
use engine::{Negotiate, Notice};
use serde_json::{Value, json};

/// The outcome of a message.
pub(super) enum MessageOutcome {
    /// A task has begun, or goes on.
    Of(GivenTask),
    /// It is answered without a task.
    Message(Message),
}

impl MessageOutcome {
    /// A task of which there is nothing to tell besides.
    pub(super) fn of(task: &TaskId) -> Self {
        Self::Of(GivenTask {
            task: task.clone(),
            notes: Notes::default(),
        })
    }
}

/// A task that was given something.
pub(super) struct GivenTask {
    pub(super) task: TaskId,
    pub(super) notes: Notes,
}

impl RequestContext<'_> {
    /// Says something to the engine about a task, and keeps what it tells besides.
    pub(super) async fn give(
        &self,
        task: TaskId,
        negotiate: Negotiate,
        mut notes: Notes,
    ) -> Result<MessageOutcome, Error> {
        let negotiated = self.execute(negotiate).await;
        notes.take(negotiated.map_err(|it| error::refused(&it))?.notice);
        Ok(MessageOutcome::Of(GivenTask { task, notes }))
    }
}

/// The notes for the caller alone, beside the task.
#[derive(Default)]
pub(super) struct Notes {
    passed_over: Vec<String>,
    warnings: Vec<String>,
    suggestion: Option<Value>,
}

impl Notes {
    /// Those of a message as it was read.
    pub(super) fn of(intake: Intake) -> Self {
        Self {
            passed_over: intake.passed_over,
            warnings: intake.warnings,
            suggestion: None,
        }
    }

    pub(super) fn take(&mut self, notice: Notice) {
        self.warnings.extend(notice.warnings);
        self.suggestion = schemas::suggestion(&notice.patches);
    }

    /// The same task with them: the suggestion in its result (draft-zhou §6.2.2), or beside the
    /// others while there is none.
    pub(super) fn on(&mut self, mut task: Told) -> Told {
        for artifact in task.artifacts.iter_mut().flatten() {
            self.on_parts(&mut artifact.parts);
        }
        let lists = [
            ("warnings", std::mem::take(&mut self.warnings)),
            ("passedOver", std::mem::take(&mut self.passed_over)),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            task.metadata.insert(name.to_owned(), json!(list));
        }
        if let Some(suggestion) = &self.suggestion {
            let suggestion = suggestion.clone();
            task.metadata.insert(SUGGESTION.to_owned(), suggestion);
        }
        task
    }

    /// Puts the suggestion into the first object.
    pub(super) fn on_parts(&mut self, parts: &mut [Part]) {
        let mut objects = parts.iter_mut().filter_map(|part| match &mut part.content {
            PartContent::Data(Value::Object(data)) => Some(data),
            _ => None,
        });
        if let Some(data) = objects.next() {
            let values = std::mem::take(data);
            *data = schema_part::result(values, self.suggestion.take());
        }
    }
}
