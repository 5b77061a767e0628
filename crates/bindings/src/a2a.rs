//! A2A, both versions over both bindings: messages, tasks and streams of the engine's tasks.
//!
//! In the order of a request: [`Binding::handle`] takes what came over HTTP (`exchange`) and
//! dispatches it; `begin` and `answer` turn messages into `task-negotiate`, `words` reads what
//! is said plainly, `identity` names the task that a message begins; `task`, `list` and `follow`
//! tell what the engine knows, `extras` what only A2A has a place for, `push` what is pushed of it;
//! `cards`, `forms` and `schemas` who the agent is and what it takes; `telecom` speaks A2A-T beside all
//! of them; `error` is the one place that knows kinds of A2A errors. [`outside`] is the other side:
//! agents that are elsewhere.
//!
//! No second truth: a task of A2A is the engine's task of the same identifier, its history the record
//! of exchanges, its stream the log. Refuses to know sockets, tokens and clocks: who asks is
//! authenticated, and when is handed in. The wire is [`::a2a`]'s.

mod answer;
mod begin;
mod cards;
mod error;
mod exchange;
mod extras;
mod follow;
mod forms;
mod identity;
mod list;
mod notes;
pub mod outside;
mod push;
mod request_context;
mod schemas;
mod task;
mod telecom;
mod words;

pub use begin::message_id;
pub use cards::Dress;
pub use exchange::{Answer, AnswerBody, IncomingRequest, RequestBody};
pub use extras::{as_message, with_part};
pub use follow::EventFrames;
pub use forms::{Forms, SkillForms};
pub use push::{Push, push_of, pushed_by};
pub use words::{ByParser, SkillOffer, WordReader, WordReading};

use self::cards::Cards;
use self::exchange::{Wire, Written};
use self::notes::MessageOutcome;
use self::request_context::{RequestContext, Spoken};
use crate::background::Background;
use ::a2a::card::CardProfile;
use ::a2a::card::document::{WELL_KNOWN, WELL_KNOWN_OF_V02};
use ::a2a::error::Error;
use ::a2a::event::SendMessageResponse;
use ::a2a::extension;
use ::a2a::request::{A2aRequest, CancelTask, GetTask, SendMessage};
use ::a2a::response::Response;
use ::a2a::version::Version;
use domain::access::Principal;
use domain::time::Timestamp;
use engine::{Endpoint, Engine};
use schema::language::Language;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The choices of an operator.
pub struct BindingSettings {
    /// The URL of the platform from outside, without a slash at its end. Its agents are below
    /// `/agents/`.
    pub url: String,
    /// Which card is served.
    pub card_profile: CardProfile,
    /// The time for which clients may keep a card, in seconds.
    pub card_max_age_s: u32,
    /// The language of descriptions in cards.
    pub language: Language,
    /// True if changes of tasks are pushed: somebody posts what [`push_of`] says.
    pub push_notifications: bool,
    /// Adds to every card what the server knows: ways to authenticate, signatures.
    pub dress: Dress,
    /// The agent to whom no message is one that was sent before: conformance suites say different
    /// things under one identifier. None is usual.
    pub forgetful: Option<String>,
}

/// A2A over one engine.
pub struct Binding {
    engine: Arc<Engine>,
    reader: Arc<dyn WordReader>,
    background: Arc<dyn Background>,
    cards: Cards,
    forgetful: Option<String>,
    /// The number of messages that came to the forgetful agent.
    forgotten: AtomicU64,
}

impl Binding {
    /// A2A over an engine. What is said in plain words is read by `reader`, on `background`.
    pub fn new(
        engine: Arc<Engine>,
        settings: BindingSettings,
        reader: Arc<dyn WordReader>,
        background: Arc<dyn Background>,
    ) -> Self {
        let forgetful = settings.forgetful.clone();
        let cards = Cards::new(settings);
        Self {
            engine,
            reader,
            background,
            cards,
            forgetful,
            forgotten: AtomicU64::new(0),
        }
    }

    /// The card of an endpoint, for everybody, at [`WELL_KNOWN`] below its URL: 304 if the client has
    /// it already, 404 if there is no such agent.
    pub fn card(&self, endpoint: &Endpoint, if_none_match: Option<&str>, now: Timestamp) -> Answer {
        match self.cards.of(&self.engine, endpoint, now) {
            Some(served) => Answer::document(&served.document, if_none_match),
            None => Written::of_card().error(&error::no_agent()),
        }
    }

    /// Answers a request of an authenticated principal.
    ///
    /// A blocking request is answered when its task has settled, or with the state reached when
    /// `patience` is over. What is read beside the connections is decided when it has been read, which
    /// `clock` tells, by the rules of then, for who `who` was when it came. A stream is returned once its first event is known.
    pub async fn handle(
        &self,
        who: &Principal,
        endpoint: &Endpoint,
        incoming: &IncomingRequest<'_>,
        clock: &(dyn Fn() -> Timestamp + Sync),
        patience: impl Future<Output = ()>,
    ) -> Answer {
        if incoming.verb == "GET" && [WELL_KNOWN, WELL_KNOWN_OF_V02].contains(&incoming.path) {
            return self.card(endpoint, incoming.header("If-None-Match"), clock());
        }
        let wire = Wire::read_beside(&*self.background, &who.name, incoming);
        let wire = match wire.await {
            Ok(wire) => wire,
            Err(unread) => return unread.written.error(&unread.error),
        };
        let Some(served) = self.cards.of(&self.engine, endpoint, clock()) else {
            return wire.written.error(&error::no_agent());
        };
        let cx = RequestContext {
            binding: self,
            who,
            endpoint,
            served,
            clock,
            is_long: incoming.body.is_long(),
        };
        let requested = incoming.extensions();
        let admitted = extension::admit(&cx.served.card, &requested);
        let answered = match admitted {
            Ok(()) => cx.answer(&wire.written, wire.request, patience).await,
            Err(refusal) => Err(refusal),
        };
        let answer = match answered {
            Ok(answer) => answer,
            Err(error) => wire.written.error(&error),
        };
        let version = wire.written.version();
        let activated = extension::activated(&cx.served.card, &requested);
        answer.with(extension::header(version), activated)
    }
}

impl RequestContext<'_> {
    async fn answer(
        &self,
        written: &Written,
        request: A2aRequest,
        patience: impl Future<Output = ()>,
    ) -> Result<Answer, Error> {
        self.served
            .card
            .offers(request.method(), written.version())?;
        let response = match request {
            A2aRequest::SendMessage(sent) => {
                Response::Sent(self.send(sent, written.version(), patience).await?)
            }
            A2aRequest::SendStreamingMessage(sent) => return self.stream(written, sent).await,
            A2aRequest::SubscribeToTask(id) => return self.subscribe(written, &id),
            A2aRequest::GetTask(wanted) => Response::Task(self.get(&wanted)?),
            A2aRequest::ListTasks(wanted) => Response::Tasks(self.list(&wanted)?),
            A2aRequest::CancelTask(wanted) => Response::Task(self.cancel(wanted).await?),
            A2aRequest::GetExtendedCard => Response::Card(Box::new(self.extended_card()?)),
            A2aRequest::Schema(asked) => Response::Schema(self.about_schemas(asked).await?),
            A2aRequest::CreatePushConfig(config) => {
                Response::PushConfig(self.create_push(config, written.version()).await?)
            }
            A2aRequest::GetPushConfig(key) => Response::PushConfig(self.push_config(&key)?),
            A2aRequest::ListPushConfigs(wanted) => Response::PushConfigs(self.list_push(&wanted)?),
            A2aRequest::DeletePushConfig(key) => {
                self.delete_push(key).await?;
                Response::Deleted
            }
        };
        Ok(written.reply(&response))
    }

    async fn send(
        &self,
        sent: SendMessage,
        version: Version,
        patience: impl Future<Output = ()>,
    ) -> Result<SendMessageResponse, Error> {
        let wanted = sent.configuration.clone();
        let mut given = match self.say(sent, version).await? {
            MessageOutcome::Of(given) => given,
            MessageOutcome::Message(message) => return Ok(SendMessageResponse::Message(message)),
        };
        if !wanted.return_immediately {
            self.settled(&given.task, patience).await?;
        }
        let task = self.told(&given.task, wanted.history_length)?;
        Ok(SendMessageResponse::Task(given.notes.on(task)))
    }

    async fn stream(&self, written: &Written, sent: SendMessage) -> Result<Answer, Error> {
        let history_length = sent.configuration.history_length;
        let before = self.engine().last_sequence();
        let frames = match self.say(sent, written.version()).await? {
            MessageOutcome::Of(given) => {
                EventFrames::of_message(self, written, given, before, history_length)?
            }
            MessageOutcome::Message(message) => EventFrames::of_one(self, written, message),
        };
        Ok(Answer::stream(frames))
    }

    fn subscribe(&self, written: &Written, id: &str) -> Result<Answer, Error> {
        Ok(Answer::stream(EventFrames::of_task(self, written, id)?))
    }

    fn get(&self, wanted: &GetTask) -> Result<::a2a::task::Task, Error> {
        self.told(&self.task(&wanted.id)?.id, wanted.history_length)
    }

    async fn cancel(&self, wanted: CancelTask) -> Result<::a2a::task::Task, Error> {
        let task = self.task(&wanted.id);
        let known = task.as_ref().ok().map(|task| task.known());
        ::a2a::conversation::can_be_cancelled(&wanted.id, known)?;
        let task = task?;
        self.stop(&task, &wanted.metadata).await?;
        self.told(&task.id, None)
    }
}
