//! A message begins a task: `taskAssign`, under the identifier that the message names.
//!
//! What lacks something begins a task that asks for it first, of which the agent hears when it is
//! complete. Read next: [`super::continuation`], for messages to a task that is there;
//! [`super::assignment`].

use super::assignment::{Assignment, fill, slots};
use super::message_content::content;
use super::notes::{MessageOutcome, Notes};
use super::request_context::RequestContext;
use a2a::error::Error;
use a2a::intake::MessageForm as Read;
use a2a::message::Message;
use domain::content::Payload;
use domain::push;
use domain::task::TaskId;
use serde_json::Map;

impl RequestContext<'_> {
    /// Begins a task by a message, or answers what it asks about schemas.
    pub(super) async fn begin(
        &self,
        message: &Message,
        id: TaskId,
        push: Option<push::PushConfig>,
    ) -> Result<MessageOutcome, Error> {
        let intake = self.intake(message, false, Map::new())?;
        let wanted = match &intake.said {
            Read::Asked(request) => {
                let answer = self.about_schemas_in(message, request.clone()).await?;
                return Ok(MessageOutcome::Message(answer));
            }
            Read::Typed { input, .. } => Assignment::Whole(Some(Payload {
                schema_id: input.schema.clone(),
                values: input.data.clone(),
            })),
            Read::Payload(payload) => Assignment::Whole(Some(payload.clone())),
            Read::Intent { schema, filled, .. } => slots(schema.as_deref(), filled)?,
            Read::Words(words) => self.words(words).await?,
        };
        let mut negotiate = self.assignment(message, &id, push);
        fill(&mut negotiate, content(message, None), wanted);
        self.give(id, negotiate, Notes::of(intake)).await
    }
}
