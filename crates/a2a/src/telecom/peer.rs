//! An agent elsewhere that understands A2A-T: what is said to it, and what it says.
//!
//! ```text
//! card ──of──► Peer ──assignment──► metadata of a message       ┐
//!                   ──turn, supply─► the same, of a negotiation  ├─► to the agent
//! metadata of a message or an artifact ──word──► Word           ◄─┘
//! ```
//! Knows how a payload under one of our schemas travels, and what comes back. Refuses to know where the
//! agent is and what is remembered of it: turns are said from our negotiation, and become turns of it.
//! Read next: [`negotiation`](super::negotiation), [`envelope`](super::envelope).

use super::declaration::declared;
use super::envelope::{MetadataError, TelecomEnvelope};
use super::extension::{Family, TelecomExtension, TemplateUri};
use super::negotiation::{
    self, Context, EncodedMessage, NegotiationError, NegotiationMessage, OpenNegotiation,
    ReceivedMove,
};
use super::repertoire::TemplateCatalogue;
use super::subscription::NotificationTopic;
use super::text_language::TextLanguage;
use super::translator::Translator;
use crate::card::Card;
use crate::message;
use crate::message::{Metadata, Part};
use crate::{objects, schema_part};
use domain::content::Payload;
use domain::negotiation::{Negotiation, Side};
use schema::steps::{Effort, ReadingBudget};
use serde_json::Value;

/// An agent elsewhere, as its card says.
#[derive(Clone, Debug)]
pub struct TelecomPeer {
    task: TelecomExtension,
    negotiation: Option<TelecomExtension>,
    notification: Option<TelecomExtension>,
    /// Those of the templates that both know.
    templates: Vec<Translator>,
    /// The topics of subscription that both know.
    topics: Vec<NotificationTopic>,
}

/// A message of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum PeerMessage {
    /// It asks for what a task lacks: how each is called, and what is meant.
    Asks {
        /// The context to answer to.
        context: Context,
        /// Names and meanings.
        items: Vec<(String, String)>,
    },
    /// It negotiates: an offer, an acceptance, a refusal, or that it leaves.
    Negotiates {
        /// The context.
        context: Context,
        /// Its meaning to our negotiation.
        heard: ReceivedMove,
    },
    /// It tells what came of a task.
    Tells {
        /// In words, as the prompt asked for them.
        text: String,
        /// The payload beside them, if there is one.
        payload: Option<Payload>,
    },
}

/// The reason why nobody knows what an agent says.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PeerError {
    /// The metadata are none.
    #[error(transparent)]
    Unsound(#[from] MetadataError),
    /// A message of a negotiation has no context, or names no template.
    #[error("a message of a negotiation has no {0}")]
    Incomplete(&'static str),
    /// It does not fit into the negotiation.
    #[error(transparent)]
    Refused(#[from] NegotiationError),
}

impl TelecomPeer {
    /// The agent of a card; none if it does not declare Task-T. A card that lists no templates is taken
    /// to know all.
    pub fn of(card: &Card, repertoire: &TemplateCatalogue) -> Option<Self> {
        let uris = || card.extensions.iter().map(|it| it.uri.as_str());
        let task = TelecomExtension::declared(Family::Task, uris())?;
        let listed = declared(card, task);
        let known = |it: &&Translator| listed.is_empty() || listed.contains(&it.uri().to_string());
        let notification = TelecomExtension::declared(Family::Notification, uris());
        let topics = notification
            .map(|it| declared(card, it))
            .unwrap_or_default();
        let told = |it: &&NotificationTopic| topics.is_empty() || topics.contains(&it.template_uri);
        Some(Self {
            task,
            negotiation: TelecomExtension::declared(Family::Negotiation, uris()),
            notification,
            topics: repertoire.topics().iter().filter(told).cloned().collect(),
            templates: repertoire
                .translators()
                .iter()
                .filter(known)
                .cloned()
                .collect(),
        })
    }

    /// True if it declares Negotiation-T.
    pub fn negotiates(&self) -> bool {
        self.negotiation.is_some()
    }

    /// The template by which payloads of a schema travel to it; none if it does not know one.
    pub fn template(&self, schema_id: &str) -> Option<&Translator> {
        let mut all = self.templates.iter();
        all.find(|it| it.schema().schema_id == schema_id)
    }

    /// An assignment, for the metadata of a message; none if the agent does not know its template.
    pub fn assignment(
        &self,
        payload: &Payload,
        text_language: TextLanguage,
    ) -> Option<TelecomEnvelope> {
        let translator = self.template(&payload.schema_id)?;
        let text = translator.write(&payload.values, text_language);
        Some(TelecomEnvelope::new(
            self.task,
            translator.uri().clone(),
            text,
        ))
    }

    /// A subscription in the place of an order; none if the agent does not take such.
    pub fn subscription(
        &self,
        order: &Payload,
        text_language: TextLanguage,
    ) -> Option<TelecomEnvelope> {
        let extension = self.notification?;
        self.topics.iter().find_map(|topic| {
            let uri = TemplateUri::parse(&topic.template_uri).ok()?;
            Some(TelecomEnvelope::new(
                extension,
                uri,
                topic.ask(order, text_language)?,
            ))
        })
    }

    /// The message that we sent last in a negotiation that is called so; none if it has nothing to
    /// be told, or the agent does not negotiate. What was agreed on is assigned
    /// [under](Envelope::under) its context.
    pub fn turn(
        &self,
        negotiation: &Negotiation,
        id: &str,
        max_rounds: u32,
        text_language: TextLanguage,
    ) -> Option<TelecomEnvelope> {
        let translator = self.spoken_in(negotiation);
        let said = negotiation::say(negotiation, id, max_rounds, translator, text_language)?;
        self.saying(said)
    }

    /// Leaves a negotiation.
    pub fn abort(
        &self,
        context: &Context,
        reason: &str,
        text_language: TextLanguage,
    ) -> Option<TelecomEnvelope> {
        self.saying(negotiation::abort(context, reason, text_language))
    }

    /// The answer to what was asked for, from a payload that has more than the one before; what no
    /// item says travels as the whole prompt beside it.
    pub fn supply(
        &self,
        payload: &Payload,
        asked: &Context,
        items: &[(String, String)],
        text_language: TextLanguage,
    ) -> Option<TelecomEnvelope> {
        let translator = self.template(&payload.schema_id)?;
        let all = translator.items(&payload.values, text_language).into_iter();
        let named = |name: &str| items.iter().any(|(item, _)| item == name);
        let said = all
            .filter(|it| named(&it.label))
            .map(|it| (it.label, it.said));
        let said = self.answer(&said.collect::<Vec<_>>(), asked, text_language)?;
        let prompt = translator.write(&payload.values, text_language);
        Some(said.with(Family::Task, prompt))
    }

    /// All that was asked for, by the names of its items.
    pub fn answer(
        &self,
        said: &[(String, String)],
        asked: &Context,
        text_language: TextLanguage,
    ) -> Option<TelecomEnvelope> {
        self.saying(negotiation::supply(said, asked, text_language))
    }

    fn saying(&self, said: EncodedMessage) -> Option<TelecomEnvelope> {
        let envelope = TelecomEnvelope::new(self.negotiation?, said.template_uri, said.text);
        Some(envelope.under(said.context))
    }

    /// The extensions that a message makes use of: for its `extensions` and the header.
    pub fn extensions(envelope: &TelecomEnvelope) -> Vec<String> {
        let families = envelope.texts.keys();
        families.map(|it| envelope.extension(*it).uri()).collect()
    }

    /// The meaning of a message or an artifact of the agent; none if it says nothing in A2A-T.
    /// `standing` is our negotiation with it, as the context that came names it; `about` the schema
    /// of what it works on, by whose template a first offer of its own is read.
    ///
    /// # Errors
    /// [`PeerError`]: it says something that cannot be.
    pub fn word(
        &self,
        metadata: &Metadata,
        parts: &[Part],
        standing: Option<OpenNegotiation<'_>>,
        about: Option<&str>,
    ) -> Result<Option<PeerMessage>, PeerError> {
        let Some(envelope) = TelecomEnvelope::read(metadata)? else {
            return Ok(None);
        };
        if let Some(text) = envelope.text(Family::Negotiation) {
            return self.negotiated(&envelope, text, standing, about).map(Some);
        }
        let text = envelope.text(Family::Task);
        Ok(text.map(|text| PeerMessage::Tells {
            text: text.to_owned(),
            payload: parts.iter().find_map(payload),
        }))
    }

    fn negotiated(
        &self,
        envelope: &TelecomEnvelope,
        text: &str,
        standing: Option<OpenNegotiation<'_>>,
        about: Option<&str>,
    ) -> Result<PeerMessage, PeerError> {
        let context = envelope.context.as_ref();
        let context = context.ok_or(PeerError::Incomplete("context"))?;
        let uri = envelope.template_uri.as_ref();
        let uri = uri.ok_or(PeerError::Incomplete("template"))?;
        let said = NegotiationMessage::read(uri, context, text)?;
        let spoken_in = standing.and_then(|it| self.spoken_in(it.negotiation));
        let translator = spoken_in.or_else(|| self.template(about?));
        let work = ReadingBudget::within(Effort::until(&|| false));
        let heard = negotiation::hear(&said, Side::Executor, standing, translator, &work)?;
        let context = context.clone();
        Ok(match (said.topic, heard) {
            (Some(negotiation::NegotiationTopic::Information), ReceivedMove::Question) => {
                PeerMessage::Asks {
                    items: said.items(),
                    context,
                }
            }
            (_, heard) => PeerMessage::Negotiates { context, heard },
        })
    }

    /// The template of what was offered first.
    fn spoken_in(&self, negotiation: &Negotiation) -> Option<&Translator> {
        let first = negotiation.turns.first()?.speech.contents.first()?;
        self.template(&first.payload.as_ref()?.schema_id)
    }
}

/// The payload of a part, under whatever schema it names.
fn payload(part: &Part) -> Option<Payload> {
    let typed = || {
        let schema_id = objects::schema_of(part)?;
        match &part.content {
            message::PartContent::Data(Value::Object(values)) => Some(Payload {
                schema_id,
                values: values.clone(),
            }),
            _ => None,
        }
    };
    schema_part::payload(part).or_else(typed)
}

#[cfg(test)]
mod tests;
