//! Task-T: a prompt as an assignment, and what it lacks as an information negotiation.
//!
//! Parameters that are missing, or cannot be, are asked for before the agent hears of the task; the
//! question and those understood are the engine's to keep. Read next: [`super::told`], what came of it.

use super::super::message_content::{inert, marked};
use super::super::notes::MessageOutcome;
use super::super::request_context::RequestContext;
use super::answer::{given_up, refused, unheard};
use super::kept;
use a2a::error::Error;
use a2a::message::Message;
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;
use a2a::telecom::negotiation::{self, Context, Performative, ReceivedMove};
use a2a::telecom::repertoire::UnknownTemplate;
use a2a::telecom::translator::{PromptMismatch, PromptReading, Question, Translator};
use domain::content::{Content, Payload};
use domain::negotiation::{Kind, Side};
use domain::push::PushConfig;
use domain::task::{Task, TaskId};
use domain::verb::Verb;
use engine::Negotiate;
use schema::steps::{Effort, ReadingBudget};
use schema::template::Template;
use std::sync::Arc;

/// A prompt that was read.
pub(super) struct Prompt<'s> {
    pub(super) translator: &'s Translator,
    pub(super) reading: PromptReading<'s>,
}

impl RequestContext<'_> {
    /// A prompt begins a task; one that names a negotiation, the task that was negotiated.
    pub(super) async fn tasked(
        &self,
        message: &Message,
        envelope: TelecomEnvelope,
        id: TaskId,
        push: Option<PushConfig>,
    ) -> Result<MessageOutcome, Error> {
        let prompt = self.prompt(&envelope).await?;
        let negotiated = envelope.context.as_ref().map(|it| TaskId::new(&it.id));
        let id = negotiated.unwrap_or(id);
        let mut negotiate = self.assignment(message, &id, push);
        let mut content = prompt.fill(&mut negotiate, &envelope, 1);
        let negotiation = self.negotiation_of(&id, Kind::Feasibility)?;
        if let Some(agreed) = negotiation.as_ref().and_then(|it| it.agreement()) {
            as_agreed(&mut content, agreed, prompt.translator.schema());
        }
        marked(&mut content, message);
        negotiate.texts.push(content.render());
        self.give(id, negotiate, Default::default()).await
    }

    /// The prompt of a message, read by its template beside the connections.
    pub(super) async fn prompt(&self, envelope: &TelecomEnvelope) -> Result<Prompt<'_>, Error> {
        let text = envelope.text(Family::Task).unwrap_or_default();
        let (served, text) = (Arc::clone(&self.served), text.to_owned());
        let named = envelope.template_uri.clone();
        let read = move |over: &dyn Fn() -> bool| {
            let work = ReadingBudget::within(Effort::until(over));
            let translator = served.telecom.task(named.as_ref(), &text, &work)?;
            let understood = translator.read_within(&text, &work);
            let understood = understood.map(PromptReading::understood);
            Ok((translator.uri().clone(), understood))
        };
        let not_known = |unknown: UnknownTemplate| self.not_known(&unknown);
        let (uri, understood) = self.beside(read).await?.map_err(not_known)?;
        let understood = understood.map_err(|unread| match unread {
            PromptMismatch::GivenUp(why) => given_up(why),
            unread => refused("content.format_error", unread),
        })?;
        let work = ReadingBudget::within(Effort::any());
        let translator = self.served.telecom.task(Some(&uri), "", &work);
        let translator = translator.map_err(not_known)?;
        Ok(Prompt {
            translator,
            reading: PromptReading::going_on(translator, understood),
        })
    }

    /// Completes a task by parameters that are supplied, or by the prompt told anew; a client that declines
    /// to supply them leaves.
    pub(super) async fn supplied(
        &self,
        message: &Message,
        envelope: TelecomEnvelope,
        task: &Task,
    ) -> Result<MessageOutcome, Error> {
        let asked = asked_in(task);
        let prompt = match envelope.text(Family::Task) {
            Some(_) => self.prompt(&envelope).await?,
            None => match self.completed_by(&envelope, task, asked.as_ref()).await? {
                Answered::With(prompt) => prompt,
                Answered::Not(reason) => return self.left(message, task, &reason).await,
            },
        };
        let round = asked.map_or(0, |it| it.round) + 1;
        if round > Context::MAX_ROUNDS && prompt.reading.settle().is_err() {
            let why = "it was asked for often enough: cancel the task, or supply all of it";
            return Err(refused("negotiation.round_exceeded", why));
        }
        let mut negotiate = Negotiate {
            to: Some(task.to.clone()),
            task: Some(task.id.clone()),
            ..Negotiate::new(self.endpoint.clone(), Verb::FulfillmentNegotiate)
        };
        // The task goes on in the words in which it began, whoever completes it.
        let first = kept::envelope(&task.content).unwrap_or(envelope);
        let mut content = prompt.fill(&mut negotiate, &first, round);
        marked(&mut content, message);
        negotiate.texts.push(content.render());
        let given = self.give(task.id.clone(), negotiate, Default::default());
        given.await
    }

    /// Adds the parameters of an information negotiation to those understood before.
    async fn completed_by(
        &self,
        envelope: &TelecomEnvelope,
        task: &Task,
        asked: Option<&Context>,
    ) -> Result<Answered<'_>, Error> {
        let text = envelope.text(Family::Negotiation);
        let pending = task.said.as_ref().and_then(|said| said.payload.as_ref());
        let translator = pending.and_then(|it| self.served.telecom.for_schema(&it.schema_id));
        let (Some(text), Some(pending), Some(translator)) = (text, pending, translator) else {
            let why = "the task waits for what it lacks: a Task-T text says it";
            return Err(refused("negotiation.invalid_input", why));
        };
        let said = self.spoken(envelope, text).await?;
        if asked.is_some_and(|asked| asked.id != said.context.id) {
            let why = "the question has another id";
            return Err(refused("negotiation.invalid_input", why));
        }
        let (schema, values) = (pending.schema_id.clone(), pending.values.clone());
        let served = Arc::clone(&self.served);
        let read = move |over: &dyn Fn() -> bool| {
            let work = ReadingBudget::within(Effort::until(over));
            let translator = served.telecom.for_schema(&schema);
            let translator = translator.expect("it was found for this schema");
            let heard = negotiation::hear(&said, Side::Publisher, None, Some(translator), &work)?;
            let mut reading = PromptReading::upon(translator, &values, said.text_language);
            let rest = said.supply(&mut reading, &work)?;
            Ok((heard, reading.understood(), rest))
        };
        let (heard, understood, rest) = self.beside(read).await?.map_err(unheard)?;
        match heard {
            ReceivedMove::Supply => {}
            ReceivedMove::Withdrawal(reason) => return Ok(Answered::Not(reason)),
            _ => return Err(refused("negotiation.phase_mismatch", "an answer is needed")),
        }
        match rest.is_empty() {
            true => Ok(Answered::With(Prompt {
                translator,
                reading: PromptReading::going_on(translator, understood),
            })),
            false => {
                let why = format!("not asked for: {}", rest.join("; "));
                Err(refused("negotiation.content_invalid", why))
            }
        }
    }

    /// A message of a negotiation, from its envelope, read beside the connections.
    pub(super) async fn spoken(
        &self,
        envelope: &TelecomEnvelope,
        text: &str,
    ) -> Result<negotiation::NegotiationMessage, Error> {
        let missing =
            |what: &str| refused("negotiation.invalid_input", format!("{what} is needed"));
        let context = envelope.context.clone();
        let context = context.ok_or_else(|| missing("negotiationContext"))?;
        let uri = envelope.template_uri.clone();
        let uri = uri.ok_or_else(|| missing("templateUri"))?;
        let text = text.to_owned();
        let read = move |_: &dyn Fn() -> bool| {
            negotiation::NegotiationMessage::read(&uri, &context, &text)
        };
        let read = self.beside(read).await?;
        read.map_err(unheard)
    }

    /// Leaves a task, as its negotiation was left.
    pub(super) async fn left(
        &self,
        message: &Message,
        task: &Task,
        reason: &str,
    ) -> Result<MessageOutcome, Error> {
        self.stop(task, &message.message_id, reason).await?;
        Ok(MessageOutcome::of(&task.id))
    }
}

/// The outcome of a question.
enum Answered<'s> {
    With(Prompt<'s>),
    /// It is not answered, for this reason.
    Not(String),
}

impl Prompt<'_> {
    /// The content of what it says; what it lacks is asked for in this round.
    fn fill(&self, negotiate: &mut Negotiate, envelope: &TelecomEnvelope, round: u32) -> Content {
        let mut content = match self.reading.content() {
            Ok(content) => Content {
                target_object: inert(&content.target_object),
                ..content
            },
            Err(questions) => {
                let id = negotiate.task.as_ref().map(ToString::to_string);
                let context = Context {
                    id: id.unwrap_or_default(),
                    round,
                    max_rounds: Context::MAX_ROUNDS,
                    performative: None,
                };
                let question = self.question(&questions, envelope, &context);
                let task_type = self.translator.task_type(self.reading.text_language());
                let content = Content::new(&question.target_object, task_type);
                negotiate.question = Some(question);
                content
            }
        };
        kept::keep(&mut content, envelope);
        content
    }

    fn question(
        &self,
        lacks: &[Question],
        envelope: &TelecomEnvelope,
        context: &Context,
    ) -> Content {
        let payload = Payload {
            schema_id: self.translator.schema().schema_id.clone(),
            values: self.reading.said(),
        };
        let target = self.translator.target_object(&payload);
        let text_language = self.reading.text_language();
        let words: Vec<String> = lacks.iter().map(|it| it.words(text_language)).collect();
        let words = inert(&words.join("\n"));
        let mut question = Content::new(inert(&target), words).with_payload(payload);
        let asked = negotiation::ask(lacks, context, text_language);
        let asked = envelope.answer(asked.template_uri, asked.text, Some(asked.context));
        kept::keep(&mut question, &asked);
        question
    }
}

/// Binds a content to the agreement: its object, and that a default which it did not say is not said
/// either.
fn as_agreed(content: &mut Content, agreed: &Content, schema: &Template) {
    content.target_object.clone_from(&agreed.target_object);
    if let (Some(said), Some(agreed)) = (&mut content.payload, &agreed.payload) {
        said.values.retain(|key, value| {
            let default = schema.key(key).and_then(|key| key.default_value.as_ref());
            agreed.values.contains_key(key) || default != Some(value)
        });
    }
}

/// The context of the last question of a task in A2A-T.
fn asked_in(task: &Task) -> Option<Context> {
    let question = task.said.as_ref().and_then(kept::envelope)?;
    let asks = |it: &Context| it.performative == Some(Performative::Propose);
    question.context.filter(asks)
}
