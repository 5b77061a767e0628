//! What a message wants of an agent: a payload or words, or a question for the rest of it.
//!
//! Typed data, intents, payloads and words all end as a payload under a schema, or as words where the
//! agent has no schemas. Refuses to know whether a task is there. Read next: [`super::begin`],
//! [`super::continuation`]; [`super::words`].

use super::error;
use super::request_context::RequestContext;
use super::schemas::CheckedByEngine;
use super::words::{WordReading, read};
use crate::words::WordReader;
use a2a::error::Error;
use a2a::intake::{Intake, Intakes};
use a2a::intent::Filled;
use a2a::message::Message;
use domain::content::{Content, Payload};
use domain::push;
use domain::task::TaskId;
use domain::verb::Verb;
use engine::{Negotiate, UTTERANCE_BYTES_MAX};
use schema::semantics::ParseFailure;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A payload to be assigned, or a question for the rest of it.
pub(super) enum Assignment {
    /// This.
    Whole(Option<Payload>),
    /// This first: what is asked, and what was said already.
    Lacking(String, Option<Payload>),
}

impl RequestContext<'_> {
    /// An assignment of nothing yet.
    pub(super) fn assignment(
        &self,
        message: &Message,
        id: &TaskId,
        push: Option<push::PushConfig>,
    ) -> Negotiate {
        Negotiate {
            to: Some(self.profile().name.clone()),
            task: Some(id.clone()),
            asynchronous: Some(true),
            conversation: message.context_id.clone(),
            push,
            ..Negotiate::new(self.endpoint.clone(), Verb::TaskAssign)
        }
    }

    /// Reads a message for this agent.
    pub(super) fn intake(
        &self,
        message: &Message,
        has_task: bool,
        before: Map<String, Value>,
    ) -> Result<Intake, Error> {
        let card = &self.served.card;
        let inputs = CheckedByEngine {
            cx: self,
            names: self.served.inputs.clone(),
        };
        let intakes = Intakes::new(card, &inputs).expect("a card of our own is well-formed");
        intakes.read(message, has_task, before)
    }

    /// Words, read by who reads words; as they are where the agent has no schemas.
    pub(super) async fn words(&self, words: &str) -> Result<Assignment, Error> {
        if words.trim().is_empty() {
            let why = "nothing in it is read here: words, typed data or a payload are needed";
            return Err(error::unusable("message.parts", why));
        }
        self.check_asking()?;
        if self.served.offers().is_empty() {
            return Ok(Assignment::Whole(None));
        }
        let (served, text, now) = (Arc::clone(&self.served), words.to_owned(), self.now());
        let read = move |reader: &dyn WordReader, over: &dyn Fn() -> bool| {
            read(reader, &text, &served.offers(), now, over)
        };
        Ok(self.wanted(self.read_beside(words.len(), read).await?))
    }

    /// Has so many bytes of words read beside the connections.
    pub(super) async fn read_beside(
        &self,
        bytes: usize,
        read: impl FnOnce(&dyn WordReader, &dyn Fn() -> bool) -> Result<WordReading, ParseFailure>
        + Send
        + 'static,
    ) -> Result<WordReading, Error> {
        if bytes > UTTERANCE_BYTES_MAX {
            return Err(error::too_long("message.parts", UTTERANCE_BYTES_MAX));
        }
        let reader = Arc::clone(&self.binding.reader);
        let reading = self.beside(move |over| read(&*reader, over)).await?;
        reading.map_err(|failure| error::unread("message.parts", &failure))
    }

    pub(super) fn wanted(&self, reading: WordReading) -> Assignment {
        match reading {
            WordReading::Understood(payload) => Assignment::Whole(Some(payload)),
            WordReading::Lacks { payload, missing } => {
                let filled = Filled {
                    missing,
                    ..Filled::default()
                };
                Assignment::Lacking(filled.question().unwrap_or_default(), Some(payload))
            }
            WordReading::Unclear => Assignment::Lacking(self.which(), None),
        }
    }

    /// The question what is wanted.
    fn which(&self) -> String {
        let offers = self.served.offers();
        let mut skills: Vec<&str> = offers.iter().map(|it| it.skill.name.as_str()).collect();
        skills.dedup();
        format!("What is wanted? This agent knows: {}.", skills.join(", "))
    }
}

/// The assignment that filled slots come to (Q73).
pub(super) fn slots(schema: Option<&str>, filled: &Filled) -> Result<Assignment, Error> {
    let schema_id = schema.ok_or_else(|| {
        let why = "the skill takes no parameters";
        error::unusable("message.metadata.intentInfos", why)
    })?;
    let payload = Payload {
        schema_id: schema_id.to_owned(),
        values: filled.payload.clone(),
    };
    Ok(match filled.question() {
        Some(question) => Assignment::Lacking(question, Some(payload)),
        None => Assignment::Whole(Some(payload)),
    })
}

/// Says of a task what is wanted, or what it lacks, in these sections.
pub(super) fn fill(negotiate: &mut Negotiate, mut content: Content, wanted: Assignment) {
    match wanted {
        Assignment::Whole(payload) => content.payload = payload,
        Assignment::Lacking(question, said) => {
            let mut asked = Content::new(content.target_object.clone(), question);
            asked.payload = said;
            negotiate.question = Some(asked);
        }
    }
    negotiate.texts.push(content.render());
}
