//! The payload of a message, held to its schema before anything is done with it (draft-zhou §3.2,
//! §4.1).
//!
//! What goes on is canonical: nulls gone, `other` normalised and limited, so that nobody reads it
//! raw. Read next: [`crate::schemas`].

use crate::request::Routed;
use crate::schemas::{Lesson, Observed};
use crate::{Engine, Refusal};
use domain::content::Content;
use domain::time::Timestamp;

/// A message whose payload keeps to its schema.
pub(super) struct Taken {
    /// The sections, the payload canonical.
    pub(super) content: Content,
    /// The sections as kept: as sent, if they are canonical.
    pub(super) text: String,
    /// What the payload teaches, as a row.
    pub(super) observed: Option<String>,
}

impl Engine {
    /// Holds the payload of a message to its schema.
    ///
    /// # Errors
    /// [`Refusal::Payload`] with everything that is wrong, [`Refusal::UnknownSchema`]
    pub(super) fn taken_payload(
        &self,
        routed: &mut Routed,
        mut content: Content,
        now: Timestamp,
    ) -> Result<Taken, Refusal> {
        let text = routed.negotiate.texts.join("\n");
        let plain = |content, text| Taken {
            content,
            text,
            observed: None,
        };
        if !self.schemas.is_in_use() {
            return Ok(plain(content, text));
        }
        let Some(payload) = content.payload.take() else {
            return Ok(plain(content, text));
        };
        let (client, request) = (&routed.from, &content.task_description);
        let checked = match self.schemas.check(client, &payload) {
            Ok(checked) => checked,
            Err(refusal) => {
                if let Some(observed) = self.schemas.refused(client, &payload, request, now) {
                    drop(self.observe(&observed));
                }
                return Err(refusal);
            }
        };
        let telling = checked.watched || !checked.fragments.is_empty();
        let observed = (telling && self.schemas.learns).then(|| Observed {
            scenario: checked.scenario,
            client: client.clone(),
            at: now,
            lesson: Lesson::Payload {
                values: payload.values.clone(),
                accepted: true,
                fragments: checked.fragments,
                request: request.clone(),
            },
        });
        let same = checked.payload == payload && routed.negotiate.payload.is_none();
        content.payload = Some(checked.payload);
        let text = match same {
            true => text,
            false => content.render(),
        };
        // What is recorded is what is kept. Of several alternatives each stands as it was said.
        if !same && routed.negotiate.texts.len() == 1 {
            routed.negotiate.texts = vec![text.clone()];
        }
        Ok(Taken {
            text,
            observed: observed.map(|o| o.encode()),
            content,
        })
    }

    /// Holds the payload of an executor's report to its schema.
    ///
    /// # Errors
    /// As of [`Engine::taken_payload`].
    pub(super) fn checked_result(
        &self,
        executor: &str,
        mut content: Content,
    ) -> Result<Content, Refusal> {
        if let Some(payload) = content.payload.take() {
            content.payload = Some(match self.schemas.is_in_use() {
                true => self.schemas.check(executor, &payload)?.payload,
                false => payload,
            });
        }
        Ok(content)
    }
}
