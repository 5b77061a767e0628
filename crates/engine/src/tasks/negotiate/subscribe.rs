//! `taskResultSubscribe`: reports of a task go elsewhere as well from now on (draft §5.2).
//!
//! Read next: [`crate::tasks::push`], which says where they may go.

use crate::commit::unit_of_work::UnitOfWork;
use crate::operation::Execution;
use crate::refusal::{Field, InvalidInput};
use crate::tasks::message::Negotiated;
use crate::tasks::negotiate::exchange::committed;
use crate::tasks::negotiate::routing::about;
use crate::tasks::reply::complete;
use crate::tasks::request::Routed;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::reply::Reply;
use domain::task::Command;
use domain::time::Timestamp;

impl Engine {
    /// Reports go there from now on.
    pub(super) fn subscribe(
        &self,
        who: &Principal,
        routed: &Routed,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let Some(subscription) = routed.negotiate.subscription.clone() else {
            return Err(InvalidInput::Missing {
                verb: routed.negotiate.verb,
                field: Field::Subscription,
            }
            .into());
        };
        self.check_subscription(&subscription)?;
        let mut work = self.lock_with(&about(&routed.negotiate));
        let task = self.published(&work, who, &routed.negotiate)?;
        if task.conditions.subscription.as_ref() == Some(&subscription) {
            let ticket = self.store.commit(store::Batch::default());
            return Ok(committed(ticket, complete(Reply::accepted(), &task)));
        }
        let mut unit = UnitOfWork::asked_by(&who.name, now);
        let command = Command::Subscribe(subscription);
        let after = self.change(&mut work, &task, command, now, &mut unit)?;
        let reply = complete(Reply::accepted(), &after);
        let key = format!("{}/subscribe/{}", task.id, after.version);
        let (from, to) = (&routed.from, &routed.to);
        let exchange = self.exchange(from, to, &routed.negotiate, &task.id, key, now);
        unit.respond(exchange, &reply, now);
        Ok(committed(self.commit(unit), reply))
    }
}
