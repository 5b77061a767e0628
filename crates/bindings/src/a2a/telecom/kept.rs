//! Envelopes of A2A-T that came or go, kept with the content that says the same.
//!
//! A section of the content holds it as JSON, the metadata as they stand in a message: so the record
//! of a task says how its publisher speaks, in which spelling and language, whoever reads it when.
//! Refuses to know what texts say. Read next: [`super::told`].

use a2a::message::Metadata;
use a2a::telecom::envelope::TelecomEnvelope;
use domain::content::Content;
use domain::negotiation::Negotiation;
use serde_json::Value;

/// The heading of the section.
const SECTION: &str = "a2a-t";

/// Keeps it; in the place of what was kept there before.
pub(super) fn keep(content: &mut Content, envelope: &TelecomEnvelope) {
    content.others.retain(|(heading, _)| heading != SECTION);
    let metadata = Value::Object(envelope.write()).to_string();
    content.others.push((SECTION.to_owned(), metadata));
}

/// The metadata that are kept with a content; empty if there are none.
pub(in crate::a2a) fn metadata(content: &Content) -> Metadata {
    let kept = content.section(SECTION);
    let read = kept.and_then(|json| serde_json::from_str(json).ok());
    read.unwrap_or_default()
}

/// The same, read; none if nothing is kept.
pub(super) fn envelope(content: &Content) -> Option<TelecomEnvelope> {
    TelecomEnvelope::read(&metadata(content)).ok().flatten()
}

/// A content goes on in the words of another.
pub(in crate::a2a) fn hand_on(from: &Content, to: &mut Content) {
    if let Some(envelope) = envelope(from) {
        keep(to, &envelope);
    }
}

/// A negotiation as its messages said it: without what only we keep with them.
pub(in crate::a2a) fn bare(negotiation: &Negotiation) -> Negotiation {
    let mut bare = negotiation.clone();
    let turns = bare.turns.iter_mut();
    for content in turns.flat_map(|turn| &mut turn.speech.contents) {
        content.others.clear();
    }
    bare
}
