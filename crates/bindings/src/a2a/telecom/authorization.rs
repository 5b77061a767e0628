//! Authorization-T: a request for rights, which nobody grants by a message.
//!
//! Read next: `a2a::telecom::authorization`.

use super::super::notes::MessageOutcome;
use super::super::request_context::RequestContext;
use super::answer::{answer, refused};
use a2a::error::Error;
use a2a::message::{Message, Metadata, Part};
use a2a::telecom::authorization::AuthorizationRequest as Authorization;
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;

impl RequestContext<'_> {
    /// Nobody grants rights by a message.
    pub(super) async fn unauthorized(
        &self,
        message: &Message,
        envelope: &TelecomEnvelope,
    ) -> Result<MessageOutcome, Error> {
        let text = envelope.text(Family::Authorization).unwrap_or_default();
        let text = text.to_owned();
        let request = self.beside(move |_| Authorization::parse(&text)).await?;
        let request = request.map_err(|not| refused("content.format_error", not))?;
        let refusal = request.refusal();
        let uri = envelope.extension(Family::Authorization).uri();
        let metadata = Metadata::from_iter([(uri, refusal.as_str().into())]);
        let parts = vec![Part::text(refusal)];
        Ok(MessageOutcome::Message(answer(message, parts, metadata)))
    }
}
