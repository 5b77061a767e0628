//! A2A, both versions over both bindings: messages, tasks and streams of the engine's tasks.
//!
//! In the order of a request, each a floor that knows none of those behind it:
//!
//! 1. `settings`, `cards` and `binding`: who the agents are, and what all requests share; `words` reads
//!    what is said plainly, `message_content` is a message as a content of the platform, `extras` what
//!    only A2A has a place for;
//! 2. `incoming` and `exchange`: what came over HTTP, read;
//! 3. `request_context`: one request, and its questions to the engine;
//! 4. `task`, `event`, `history` and `list`: what is told of tasks and of their changes; `telecom` tells it
//!    in A2A-T besides;
//! 5. `schemas`, `notes` and `assignment`: what is asked about schemas, what is told beside a task, what is
//!    wanted of an agent; `push_config`: who is to be told of a task;
//! 6. `begin`, `continuation`, `cancel` and `telecom`: what is wanted as `task-negotiate`; before them
//!    `message`, which says which of them, and `identity`, which names the task that a message begins;
//! 7. `follow` and `push`: what is told as it happens; `extended_card` and `forms`: what an agent takes;
//! 8. `answer`: what goes back over HTTP, and here [`Binding::handle`], which dispatches.
//!
//! `error` is the one place that knows kinds of A2A errors. [`outside`] is the other side: agents that are
//! elsewhere.
//!
//! No second truth: a task of A2A is the engine's task of the same identifier, its history the record
//! of exchanges, its stream the log. Refuses to know sockets, tokens and clocks: who asks is
//! authenticated, and when is handed in. The wire is [`::a2a`]'s.

mod answer;
mod assignment;
mod begin;
mod binding;
mod cancel;
mod cards;
mod continuation;
mod error;
mod event;
mod exchange;
mod extended_card;
mod extras;
mod follow;
mod forms;
mod history;
mod identity;
mod incoming;
mod list;
mod message;
mod message_content;
mod notes;
pub mod outside;
mod push;
mod push_config;
mod request_context;
mod schemas;
mod settings;
mod task;
mod telecom;
mod words;

pub use answer::{Answer, AnswerBody};
pub use binding::Binding;
pub use extras::{as_message, with_part};
pub use follow::EventFrames;
pub use forms::{Forms, SkillForms};
pub use incoming::{IncomingRequest, RequestBody};
pub use message_content::message_id;
pub use push::{Push, push_of, pushed_by};
pub use settings::{BindingSettings, Dress};

use self::exchange::{Wire, Written};
use self::notes::MessageOutcome;
use self::request_context::RequestContext;
use ::a2a::card::document::{WELL_KNOWN, WELL_KNOWN_OF_V02};
use ::a2a::error::Error;
use ::a2a::event::SendMessageResponse;
use ::a2a::extension;
use ::a2a::request::{A2aRequest, SendMessage};
use ::a2a::response::Response;
use ::a2a::version::Version;
use domain::access::Principal;
use domain::time::Timestamp;
use engine::Endpoint;
use std::future::Future;

impl Binding {
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
}
