//! `task-negotiate`: who speaks to whom, about what; each verb has a file.
//!
//! The one who asks may be the publisher of a task or its executor: a message about a task that
//! one executes oneself is the executor's. What was asked twice is answered alike and done once.
//! Read next: [`assign`], [`feasibility`], [`fulfillment`], [`report`].

mod answered;
mod assign;
mod cancel;
mod exchange;
mod feasibility;
mod fulfillment;
pub(crate) mod payload;
mod report;
pub(crate) mod routing;
mod subscribe;
pub(crate) mod turn;

use crate::operation::Execution;
use crate::refusal::NotFound;
use crate::schemas::notice::Annotations;
use crate::tasks::message::{Negotiate, Negotiated};
use crate::tasks::negotiate::routing::unknown_task;
use crate::tasks::reply::state_reply;
use crate::tasks::request::{Routed, capability_content, checked, named_task};
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::context::Exchange;
use domain::reply::{Reply, Verdict};
use domain::time::Timestamp;
use domain::verb::Verb;

impl Engine {
    pub(crate) fn negotiate(
        &self,
        who: &Principal,
        negotiate: Negotiate,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        self.check_sender(who, &negotiate)?;
        let mut annotations = Annotations::default();
        let executed = match negotiate.verb {
            Verb::CapabilityRequest => self
                .route(who, negotiate)
                .and_then(|routed| self.capability(who, &routed, now)),
            Verb::TaskAssign => self
                .route(who, negotiate)
                .and_then(|routed| self.assign(who, routed, &mut annotations, now)),
            Verb::TaskCancel => self.cancel(who, &negotiate, now),
            Verb::FeasibilityNegotiate => self.feasibility(who, negotiate, &mut annotations, now),
            Verb::FulfillmentNegotiate => self.fulfillment(who, negotiate, &mut annotations, now),
            Verb::TaskResultQuery => self
                .route(who, negotiate)
                .and_then(|routed| self.result(who, &routed, &mut annotations, now)),
            Verb::TaskResultSubscribe => self
                .route(who, negotiate)
                .and_then(|routed| self.subscribe(who, &routed, now)),
            Verb::TaskResultNotify => self.report(who, negotiate, &mut annotations, now),
        }?;
        Ok(match self.notes(&who.name, annotations, now) {
            Some(notes) => executed.map(|negotiated| Negotiated {
                notice: notes.into_notice(),
                ..negotiated
            }),
            None => executed,
        })
    }

    /// What the agent can do and negotiate, from its committed profile.
    /// The question is put on record with a task only for who may see that.
    fn capability(
        &self,
        who: &Principal,
        routed: &Routed,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let about = routed.negotiate.task.as_ref().map(checked).transpose()?;
        let registration = self.registry.directory.find(&routed.to);
        let registration = registration.ok_or_else(|| NotFound::Agent {
            name: routed.to.clone(),
        })?;
        let task = match &about {
            Some(id) => self.task_of(who, id)?,
            None => None,
        };
        let content = capability_content(&registration);
        let mut reply = Reply::new(Verdict::Result, vec![content]);
        reply.task = about;
        let exchange = Exchange {
            task: task.map(|task| task.id.clone()),
            ..self.exchange_unkeyed(routed, "capability", now)
        };
        Ok(self.answer_at_once(exchange, reply, now))
    }

    /// How the task is and what came of it, from committed state.
    fn result(
        &self,
        who: &Principal,
        routed: &Routed,
        annotations: &mut Annotations,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let id = named_task(&routed.negotiate)?;
        let task = self.task_of(who, &id)?;
        let task = task.ok_or_else(|| unknown_task(who, &id))?;
        if task.from == who.name {
            annotations.about(task.content.payload.as_ref());
        }
        // Whoever has the endpoint at which it is asked need not be party to the task.
        if task.to != routed.to {
            self.place_of(routed)?;
        }
        let reply = state_reply(&task);
        let exchange = Exchange {
            to: task.to.clone(),
            ..self.exchange_unkeyed(routed, "query", now)
        };
        Ok(self.answer_at_once(exchange, reply, now))
    }
}
