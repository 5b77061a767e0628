//! A message: one that was sent before, one to a task that is there, or one that begins a task.
//!
//! Decides that, and no more; what no agent takes is refused here. Read next: [`super::begin`],
//! [`super::continuation`], [`super::telecom`], for the three ways on.

use super::notes::MessageOutcome;
use super::push_config::kept;
use super::request_context::{RequestContext, Spoken};
use super::{error, identity};
use a2a::conversation;
use a2a::error::{Error, ErrorKind};
use a2a::message::{Message, PartContent, Role};
use a2a::method::Method;
use a2a::push::PushNotificationConfig;
use a2a::request::SendMessage;
use a2a::version::Version;
use domain::task::{Task, TaskId};
use std::sync::atomic::Ordering;

/// The longest identifier of a message, in bytes.
const MESSAGE_ID_BYTES_MAX: usize = 256;

impl RequestContext<'_> {
    /// Takes a message: a task begins or goes on, or the message is answered by one.
    pub(super) async fn say(
        &self,
        sent: SendMessage,
        version: Version,
    ) -> Result<MessageOutcome, Error> {
        match self.take(sent, version).await? {
            MessageOutcome::Of(given) => Ok(match self.answered_with(&given.task)? {
                Some(message) => MessageOutcome::Message(message),
                None => MessageOutcome::Of(given),
            }),
            message => Ok(message),
        }
    }

    async fn take(&self, sent: SendMessage, version: Version) -> Result<MessageOutcome, Error> {
        self.check(&sent, version)?;
        let (sent, named) = self.named(sent).await?;
        let message = &sent.message;
        let found = match &message.task_id {
            Some(id) => self.task(id).ok(),
            None => None,
        };
        let push = sent.configuration.push.clone();
        if let Some(task) = self.is_repeated(message, named.as_ref(), found.as_deref())? {
            self.told_besides(&task, push, version).await?;
            return Ok(MessageOutcome::of(&task));
        }
        conversation::continues(message, found.as_ref().map(|task| task.known()))?;
        let begins = named.map(|id| self.another(id));
        match found {
            Some(task) => {
                // Before anything comes of the message, so that all of it is told.
                self.told_besides(&task.id, push, version).await?;
                match self.envelope(message)? {
                    Some(envelope) => {
                        self.check_telecom(&envelope)?;
                        self.go_on_in_telecom(message, envelope, &task).await
                    }
                    None => self.go_on(message, &task).await,
                }
            }
            None => {
                let id = begins.expect("what is about a task that is not there was refused");
                let push = push.map(|push| kept(&id, push, version));
                match self.envelope(message)? {
                    Some(envelope) => {
                        self.check_telecom(&envelope)?;
                        self.begin_in_telecom(message, envelope, id, push).await
                    }
                    None => self.begin(message, id, push).await,
                }
            }
        }
    }

    async fn told_besides(
        &self,
        task: &TaskId,
        push: Option<PushNotificationConfig>,
        version: Version,
    ) -> Result<(), Error> {
        if let Some(push) = push {
            self.keep_push(task, push, version).await?;
        }
        Ok(())
    }

    /// Refuses messages that no agent takes.
    fn check(&self, sent: &SendMessage, version: Version) -> Result<(), Error> {
        let message = &sent.message;
        if sent.configuration.push.is_some() {
            let card = &self.served.card;
            card.offers(Method::CreatePushConfig, version)?;
        }
        if message.role != Role::User {
            return Err(error::unusable("message.role", "a client speaks as user"));
        }
        if !(1..=MESSAGE_ID_BYTES_MAX).contains(&message.message_id.len()) {
            let why = format!("1 to {MESSAGE_ID_BYTES_MAX} bytes are needed");
            return Err(error::unusable("message.messageId", &why));
        }
        self.served.card.reads(message)?;
        let is_file = |part: &a2a::message::Part| {
            matches!(part.content, PartContent::Raw(_) | PartContent::Url(_))
        };
        match message.parts.iter().position(is_file) {
            None => Ok(()),
            Some(place) => {
                let why = "files are not taken, words and data are";
                Err(Error::new(ErrorKind::ContentTypeNotSupported, why)
                    .at(format!("message.parts[{place}]"), why))
            }
        }
    }

    /// The task of a message that was sent before.
    fn is_repeated(
        &self,
        message: &Message,
        named: Option<&TaskId>,
        found: Option<&Task>,
    ) -> Result<Option<TaskId>, Error> {
        if self.forgets() {
            return Ok(None);
        }
        if let Some(id) = named {
            let known = self.task(id.as_str()).ok();
            let own = known.filter(|task| task.from == self.who.name);
            return Ok(own.map(|task| task.id.clone()));
        }
        let Some(task) = found else { return Ok(None) };
        let was_said = self.was_said(message, &task.id)?;
        Ok(was_said.then(|| task.id.clone()))
    }

    /// The message, and the task that it names unless it is about one that is there: found beside the
    /// connections where it is long.
    async fn named(&self, sent: SendMessage) -> Result<(SendMessage, Option<TaskId>), Error> {
        if sent.message.task_id.is_some() {
            return Ok((sent, None));
        }
        let (caller, agent) = (self.who.name.clone(), self.profile().name.clone());
        let name = move |sent: SendMessage| {
            let id = identity::task_of(&caller, &agent, &sent.message);
            (sent, Some(id))
        };
        match self.is_long {
            true => self.beside(move |_| name(sent)).await,
            false => Ok(name(sent)),
        }
    }

    /// The task that a message begins which names this one: where nobody remembers it, another each
    /// time.
    fn another(&self, id: TaskId) -> TaskId {
        if !self.forgets() {
            return id;
        }
        let count = self.binding.forgotten.fetch_add(1, Ordering::Relaxed);
        identity::another(&id, self.now(), count)
    }

    /// True if the agent takes every message for a new one.
    fn forgets(&self) -> bool {
        self.binding.forgetful.as_ref() == Some(&self.profile().name)
    }
}
