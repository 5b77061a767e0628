//! The answer to a message in A2A-T without a task: a message, or a refusal with a code of IG1453.
//!
//! Read next: [`super::super::error`], for refusals of the engine.

use super::super::error::{unread, unusable};
use super::super::request_context::RequestContext;
use a2a::error::Error;
use a2a::message::{Message, Metadata, Part, Role};
use a2a::telecom::negotiation::NegotiationError;
use a2a::telecom::repertoire::UnknownTemplate;
use schema::semantics::ParseFailure;
use schema::steps::GivenUp;

/// A message that answers one, without a task.
pub(super) fn answer(to: &Message, parts: Vec<Part>, metadata: Metadata) -> Message {
    let id = format!("{}/answer", to.message_id);
    Message {
        context_id: to.context_id.clone(),
        metadata,
        ..Message::new(id, Role::Agent, parts)
    }
}

/// A refusal with a code of IG1453's closed catalogue.
pub(super) fn refused(code: &str, why: impl ToString) -> Error {
    unusable("message.metadata", &why.to_string()).with("code", code)
}

/// A text that was not read to its end, as of words that the rules do not.
pub(super) fn given_up(why: GivenUp) -> Error {
    unread("message.metadata", &ParseFailure::given_up(why, "A2A-T"))
}

/// A message of a negotiation that is not understood, or not in its turn.
pub(super) fn unheard(refusal: NegotiationError) -> Error {
    match refusal {
        NegotiationError::GivenUp(why) => given_up(why),
        refusal => refused(refusal.code(), refusal),
    }
}

impl RequestContext<'_> {
    /// The refusal of a text that this agent does not know, with the agents that do, as far as the
    /// caller may read who there is.
    pub(super) fn not_known(&self, unknown: &UnknownTemplate) -> Error {
        let who = match unknown {
            UnknownTemplate::Template {
                schema_id: Some(schema_id),
                ..
            } => self.takers_of(schema_id),
            UnknownTemplate::GivenUp(why) => return given_up(*why),
            UnknownTemplate::Template { .. } | UnknownTemplate::Fault(_) => Vec::new(),
        };
        let why = match who.is_empty() {
            true => unknown.to_string(),
            false => format!("{unknown}; it is known to {}", who.join(", ")),
        };
        refused(unknown.code(), why)
    }
}
