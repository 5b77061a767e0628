//! `taskCancel`: a task ends early (draft §4.2).
//!
//! Read next: [`crate::tasks::life`], what ends with it.

use crate::commit::unit_of_work::UnitOfWork;
use crate::operation::Execution;
use crate::tasks::awaited::Awaited;
use crate::tasks::life::EndNotice;
use crate::tasks::loaded::Name;
use crate::tasks::message::{Negotiate, Negotiated};
use crate::tasks::negotiate::exchange::{asked, committed};
use crate::tasks::negotiate::routing::about;
use crate::tasks::reply::complete;
use crate::{Engine, Refusal};
use domain::access::Principal;
use domain::reply::{Reply, Verdict};
use domain::task::{Command, Status, Task};
use domain::time::Timestamp;

impl Engine {
    /// The executor is told, if it is still there; a task outlives an agent that is taken away.
    pub(super) fn cancel(
        &self,
        who: &Principal,
        negotiate: &Negotiate,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let key_of = |task: &Task| format!("{}/cancel", task.id);
        let mut work = self.lock_with_all(&about(negotiate), |work, names| {
            let known = negotiate.task.as_ref().map(|id| work.known_task(id));
            if let Some(Ok(Some(task))) = known
                && task.status == Status::Cancelled
            {
                names.push(Name::Exchange(key_of(&task)));
            }
        });
        let task = self.published(&work, who, negotiate)?;
        let key = key_of(&task);
        if task.status == Status::Cancelled {
            let awaited = Awaited::Task(task.id.clone());
            return match work.exchange(&key)? {
                Some(_) => Ok(self.same_reply_again(&mut work, &awaited, key, now)),
                // Cancelled with the task that it was a part of, or a moment ago.
                None => Ok(committed(
                    self.store.commit(store::Batch::default()),
                    complete(Reply::accepted(), &task),
                )),
            };
        }
        let mut unit = UnitOfWork::default();
        let after = self.change(&mut work, &task, Command::Cancel, now, &mut unit)?;
        let told = match task.is_handed_over() {
            true => self.tell_executor(&after, now, &mut unit),
            false => EndNotice::Nobody,
        };
        let exchange = self.exchange(&who.name, &task.to, negotiate, &task.id, key, now);
        let answer = match told {
            EndNotice::Nobody => Reply::accepted(),
            EndNotice::Answered(answer) => answer,
            EndNotice::Asked(question) => {
                let patience = self.limits.answer_ms;
                let (work, unit_too) = (&mut work, &mut unit);
                let receiver = work.wait_for_answer(&question, exchange, patience, now, unit_too);
                return Ok(asked(self.commit(unit), receiver));
            }
        };
        let reply = Reply {
            verdict: Verdict::Accepted,
            ..complete(answer, &after)
        };
        unit.respond(exchange, &reply, now);
        Ok(committed(self.commit(unit), reply))
    }
}
