//! A negotiation on record, as A2A-T knows it: its identifier, its rounds, its template, its last turn.
//!
//! How many rounds were agreed on stands in the message that opened it. Refuses to know messages that come.
//! Read next: [`super::negotiation`], which takes them.

use super::super::error;
use super::super::message_content::message_id;
use super::super::request_context::RequestContext;
use super::kept;
use a2a::error::Error;
use a2a::message::{Message, Metadata};
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::negotiation;
use a2a::telecom::repertoire::TemplateCatalogue;
use a2a::telecom::translator::Translator;
use domain::access::Principal;
use domain::content::Content;
use domain::negotiation::{Kind, Negotiation, Side};
use domain::task::TaskId;
use domain::time::Timestamp;
use engine::query::NegotiationsOf;
use engine::{Engine, Refusal};

impl RequestContext<'_> {
    /// The negotiation of a task that the caller publishes.
    pub(super) fn negotiation_of(
        &self,
        id: &TaskId,
        kind: Kind,
    ) -> Result<Option<Negotiation>, Error> {
        let found = of_task(self.engine(), self.who, id, kind);
        let found = found.map_err(|it| error::refused(&it))?;
        // Whoever asks is told as its publisher.
        Ok(found.filter(|it| it.publisher == self.who.name))
    }
}

/// The negotiation of a task; none if there is none, or it is not the principal's to read.
pub(super) fn of_task(
    engine: &Engine,
    who: &Principal,
    id: &TaskId,
    kind: Kind,
) -> Result<Option<Negotiation>, Refusal> {
    // What was said does not depend on when it is asked for.
    let found = engine.read(who, NegotiationsOf(Some(id.clone())), Timestamp::default())?;
    let mut found = found.iter().filter(|it| it.kind == kind);
    Ok(found.next().map(|it| (**it).clone()))
}

/// The last turn of a negotiation, as who speaks like this is told it.
pub(super) fn rendered(
    negotiation: &Negotiation,
    envelope: &TelecomEnvelope,
    repertoire: &TemplateCatalogue,
) -> Option<Metadata> {
    let said = negotiation::say(
        &kept::bare(negotiation),
        &id_of(negotiation),
        max_rounds(negotiation),
        translator_of(negotiation, repertoire),
        envelope.text_language(),
    )?;
    Some(
        envelope
            .answer(said.template_uri, said.text, Some(said.context))
            .write(),
    )
}

/// The round in which a message was said, if it was.
pub(super) fn round_of(negotiation: &Negotiation, message: &Message) -> Option<u32> {
    let by_it = |content: &Content| message_id(content).as_ref() == Some(&message.message_id);
    let own = negotiation
        .turns
        .iter()
        .filter(|it| it.by == Side::Publisher);
    let mut said = own.filter(|turn| turn.speech.contents.iter().any(by_it));
    said.next().map(|turn| turn.round)
}

/// What opened a negotiation last, in A2A-T; none if it was said otherwise.
fn opened_by(negotiation: &Negotiation) -> Option<TelecomEnvelope> {
    let mut turns = negotiation.turns.iter();
    let first = turns.find(|turn| turn.round >= negotiation.opened)?;
    kept::envelope(first.speech.contents.first()?)
}

/// The identifier of a negotiation: the one given by who opened it, or that of its task.
pub(super) fn id_of(negotiation: &Negotiation) -> String {
    let context = opened_by(negotiation).and_then(|it| it.context);
    context.map_or_else(|| negotiation.task.to_string(), |it| it.id)
}

/// The most rounds of a negotiation.
pub(super) fn max_rounds(negotiation: &Negotiation) -> u32 {
    let context = opened_by(negotiation).and_then(|it| it.context);
    let ours = || negotiation::max_rounds(negotiation.round_limit);
    context.map_or_else(ours, |it| it.max_rounds)
}

/// The template by which a negotiation speaks: that of the schema of what was offered first.
pub(super) fn translator_of<'r>(
    negotiation: &Negotiation,
    repertoire: &'r TemplateCatalogue,
) -> Option<&'r Translator> {
    let first = negotiation.turns.first()?.speech.contents.first()?;
    repertoire.for_schema(&first.payload.as_ref()?.schema_id)
}
