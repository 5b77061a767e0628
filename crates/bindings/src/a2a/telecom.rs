//! A2A-T, the telecom extensions of A2A (TM Forum IG1453), as a peer of ours speaks it.
//!
//! Metadata of a message come to the same `task-negotiate` as anything else:
//! [`task`] reads tasks, [`negotiation`] negotiations, [`subscription`] subscriptions, and [`told`]
//! tells what came of them. [`kept`] is what makes that possible after a restart: what came in is
//! kept with the content that it became. Nothing else is remembered.
//!
//! Refuses to know sections, labels and rounds, which are `a2a::telecom`'s. To an agent that declares
//! nothing of it, such metadata are unknown ones.

pub(super) use subscription::is_standing;

pub(super) mod kept;
mod negotiation;
mod subscription;
mod task;
pub(super) mod told;

use super::error::{unread, unusable};
use super::notes::MessageOutcome;
use super::request_context::RequestContext;
use a2a::error::Error;
use a2a::message::{Message, Metadata, Part, Role};
use a2a::telecom::authorization::AuthorizationRequest as Authorization;
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;
use a2a::telecom::repertoire::{TemplateCatalogue, UnknownTemplate};
use domain::profile::Profile;
use domain::push::PushConfig;
use domain::task::{Task, TaskId};
use schema::semantics::ParseFailure;
use schema::steps::GivenUp;
use schema::template::Template;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The repertoire of an agent that takes these schemas; empty if a schema has departed from its
/// template.
pub(super) fn repertoire(
    taken: &BTreeSet<String>,
    templates: &[Arc<Template>],
) -> TemplateCatalogue {
    let taken = |id: &str| {
        let published = templates.iter().find(|it| it.schema_id == id);
        published.filter(|_| taken.contains(id)).map(|it| &**it)
    };
    TemplateCatalogue::new(taken).unwrap_or_else(|misfit| {
        tracing::warn!("A2A-T is not spoken: {misfit}");
        TemplateCatalogue::default()
    })
}

/// A refusal with a code of IG1453's closed catalogue.
fn refused(code: &str, why: impl ToString) -> Error {
    unusable("message.metadata", &why.to_string()).with("code", code)
}

/// A text that was not read to its end, as of words that the rules do not.
fn given_up(why: GivenUp) -> Error {
    unread("message.metadata", &ParseFailure::given_up(why, "A2A-T"))
}

/// The most agents named to somebody who asked the wrong one.
const NAMED_MAX: usize = 8;

impl RequestContext<'_> {
    /// The refusal of a text that this agent does not know, with the agents that do, as far as the
    /// caller may read who there is.
    fn not_known(&self, unknown: &UnknownTemplate) -> Error {
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

    /// Other agents that take a schema, as far as the caller may read who there is.
    pub(super) fn takers_of(&self, schema_id: &str) -> Vec<String> {
        if !self.engine().may_read_agents(self.who) {
            return Vec::new();
        }
        let own = &self.profile().name;
        let takes =
            |profile: &Profile| profile.name != *own && profile.schemas().any(|id| id == schema_id);
        let all = self.engine().registrations().into_iter();
        let takers = all.filter(|it| takes(&it.profile));
        let names = takers.map(|it| it.profile.name.clone());
        names.take(NAMED_MAX).collect()
    }

    /// What a message says in A2A-T; none if it says nothing, or the agent does not know it.
    pub(super) fn envelope(&self, message: &Message) -> Result<Option<TelecomEnvelope>, Error> {
        if self.served.telecom.is_empty() {
            return Ok(None);
        }
        let read = TelecomEnvelope::read(&message.metadata);
        read.map_err(|unsound| refused(unsound.code(), unsound))
    }

    /// A message in A2A-T that names no task.
    pub(super) async fn begin_in_telecom(
        &self,
        message: &Message,
        envelope: TelecomEnvelope,
        id: TaskId,
        push: Option<PushConfig>,
    ) -> Result<MessageOutcome, Error> {
        let has = |family| envelope.text(family).is_some();
        match () {
            () if has(Family::Authorization) => self.unauthorized(message, &envelope).await,
            () if has(Family::Negotiation) => self.negotiated(message, envelope, push).await,
            () if has(Family::Notification) => self.subscribed(message, envelope, id, push).await,
            () => self.tasked(message, envelope, id, push).await,
        }
    }

    /// A message in A2A-T to a task that is there.
    pub(super) async fn go_on_in_telecom(
        &self,
        message: &Message,
        envelope: TelecomEnvelope,
        task: &Task,
    ) -> Result<MessageOutcome, Error> {
        match task.is_handed_over() {
            true => self.negotiated_on(message, envelope, task).await,
            false => self.supplied(message, envelope, task).await,
        }
    }

    /// Nobody grants rights by a message.
    async fn unauthorized(
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

/// A message that answers one, without a task.
fn answer(to: &Message, parts: Vec<Part>, metadata: Metadata) -> Message {
    let id = format!("{}/answer", to.message_id);
    Message {
        context_id: to.context_id.clone(),
        metadata,
        ..Message::new(id, Role::Agent, parts)
    }
}
