//! A2A-T, the telecom extensions of A2A (TM Forum IG1453), as a peer of ours speaks it.
//!
//! Metadata of a message come to the same `task-negotiate` as anything else:
//! [`task`] reads tasks, [`negotiation`] negotiations, [`subscription`] subscriptions, [`authorization`]
//! requests for rights; [`answer`] refuses. [`told`] tells what came of them, [`subscribed`] the reports of a
//! subscription, both by the templates of [`repertoire`]. [`kept`] is what makes that possible after a
//! restart: what came in is kept with the content that it became, and [`negotiation_record`] reads a
//! negotiation so. Nothing else is remembered.
//!
//! Refuses to know sections, labels and rounds, which are `a2a::telecom`'s. To an agent that declares
//! nothing of it, such metadata are unknown ones.

mod answer;
mod authorization;
pub(super) mod kept;
mod negotiation;
mod negotiation_record;
pub(super) mod repertoire;
pub(super) mod subscribed;
mod subscription;
mod task;
pub(super) mod told;

use self::answer::refused;
use super::error;
use super::notes::MessageOutcome;
use super::request_context::RequestContext;
use a2a::error::Error;
use a2a::message::Message;
use a2a::telecom::envelope::TelecomEnvelope;
use a2a::telecom::extension::Family;
use domain::push::PushConfig;
use domain::task::{Task, TaskId};

/// The longest texts of a message in A2A-T, in bytes.
const TELECOM_BYTES_MAX: usize = 64 << 10;

impl RequestContext<'_> {
    /// Refuses who may not give tasks, and texts that are too long, before anything of them is read.
    pub(super) fn check_telecom(&self, envelope: &TelecomEnvelope) -> Result<(), Error> {
        self.check_asking()?;
        match envelope.text_bytes() > TELECOM_BYTES_MAX {
            true => Err(error::too_long("message.metadata", TELECOM_BYTES_MAX)),
            false => Ok(()),
        }
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
}
