//! Exchanges on record: what was asked is put down, its caller waits, and what was asked twice is answered
//! alike and done once.
//!
//! Read next: [`crate::tasks::awaited`], [`crate::commit`].

use crate::commit::stored::Resolution;
use crate::commit::unit_of_work::UnitOfWork;
use crate::failure::StoreFailure;
use crate::hosting::question::Question;
use crate::operation::Execution;
use crate::tasks::awaited::{Awaited, Waiting};
use crate::tasks::lookup::committed_task;
use crate::tasks::message::{Negotiate, Negotiated};
use crate::tasks::negotiate::turn::reply_of;
use crate::tasks::reply::state_reply;
use crate::tasks::request::Routed;
use crate::tasks::timers::Due;
use crate::tasks::view::View;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::context::Exchange;
use domain::negotiation::Side;
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::time::Timestamp;
use std::sync::Arc;
use store::{Store, Ticket};
use tokio::sync::oneshot;

/// How many batches may wait to be written while questions are answered ahead of their record.
pub(crate) const QUESTIONS_QUEUED: u64 = 1_024;

impl Work<'_> {
    /// Lets the caller wait for the answer to a question, for so long at the most.
    pub(crate) fn wait_for_answer(
        &mut self,
        asked: &Question,
        exchange: Exchange,
        patience_ms: i64,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> oneshot::Receiver<Resolution> {
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting {
            exchange: exchange.clone(),
            callers: vec![sender],
        };
        let awaited = asked.awaited();
        self.wait(awaited.clone(), waiting);
        self.schedule(Due::Reply(awaited), Some(now + patience_ms));
        unit.exchanges.push(exchange);
        receiver
    }
}

impl Engine {
    /// Records what was asked behind the caller's back: a question changes nothing, so its record
    /// need not be waited for. It is where more is asked than can be written, or the answer is long.
    pub(crate) fn answer_at_once(
        &self,
        exchange: Exchange,
        reply: Reply,
        now: Timestamp,
    ) -> Execution<Negotiated> {
        let mut unit = UnitOfWork::default();
        unit.respond(exchange, &reply, now);
        let is_short = unit.long_answers.is_empty();
        let recorded = self.commit(unit);
        if is_short && self.store.queued() < QUESTIONS_QUEUED {
            return Execution::known(reply.into());
        }
        Execution::later(async move {
            // It holds whether that was written or not.
            let _ = recorded.await;
            Ok(reply.into())
        })
    }

    /// Records what is asked, under the identifier that this question has on the platform.
    pub(crate) fn exchange(
        &self,
        from: &str,
        to: &str,
        negotiate: &Negotiate,
        task: &TaskId,
        id: String,
        now: Timestamp,
    ) -> Exchange {
        Exchange {
            id,
            task: Some(task.clone()),
            from: from.to_owned(),
            to: to.to_owned(),
            verb: negotiate.verb,
            request: negotiate.texts.join("\n"),
            request_time: now,
            response: None,
            response_time: None,
        }
    }

    /// Records a question that has no identity of its own.
    pub(crate) fn exchange_unkeyed(&self, routed: &Routed, kind: &str, now: Timestamp) -> Exchange {
        let number = self.tasks.shared.numbers.next();
        Exchange {
            id: format!("{kind}-{}-{number}", now.as_ms()),
            task: routed.negotiate.task.clone(),
            from: routed.from.clone(),
            to: routed.to.clone(),
            verb: routed.negotiate.verb,
            request: routed.negotiate.texts.join("\n"),
            request_time: now,
            response: None,
            response_time: None,
        }
    }

    /// Lets the caller wait for what is awaited, and the platform's patience run.
    pub(crate) fn wait_for(
        &self,
        work: &mut Work<'_>,
        awaited: Awaited,
        exchange: Exchange,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> oneshot::Receiver<Resolution> {
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting {
            exchange: exchange.clone(),
            callers: vec![sender],
        };
        work.wait(awaited.clone(), waiting);
        let patience = now + self.limits.synchronous_ms;
        work.schedule(Due::Reply(awaited), Some(patience));
        unit.exchanges.push(exchange);
        receiver
    }

    /// The answer to what was asked before: the callers who wait for it get one more, or its
    /// record tells it once what was queued is on disk. A `pending` on record is no answer: the
    /// first one since takes its place.
    pub(crate) fn same_reply_again(
        &self,
        work: &mut Work<'_>,
        awaited: &Awaited,
        exchange: String,
        now: Timestamp,
    ) -> Execution<Negotiated> {
        let answer = Awaited::Answer(awaited.task().clone(), exchange.clone());
        for awaited in [awaited, &answer] {
            // Of a task that its publisher waits for, its executor may ask something again.
            if let Some(receiver) = work.wait_with(awaited, &exchange) {
                return asked(self.store.commit(store::Batch::default()), receiver);
            }
        }
        let barrier = self.store.commit(store::Batch::default());
        let (store, view) = (self.store.clone(), Arc::clone(&self.tasks.view));
        let placement = Arc::clone(&self.tasks.shared.placement);
        let awaited = awaited.clone();
        Execution::later(async move {
            barrier.await?;
            let record = store.exchange(&exchange)?;
            let answered = record.as_ref().filter(|r| r.response.is_some());
            let recorded = answered.map(|record| recorded_reply(&store, record));
            let recorded = recorded.transpose()?;
            let reply = match (recorded, &awaited) {
                (Some(pending), _) if pending.verdict == Verdict::Pending => {
                    match answered_since(&store, &view, &awaited, &pending)? {
                        Some(answer) => answer,
                        None => return Ok(pending.into()),
                    }
                }
                (Some(recorded), _) => return Ok(recorded.into()),
                // The platform stopped while the caller waited, so nothing was answered yet: the
                // state reached is the answer. Without a record it was said by another for this
                // side, or in an answer.
                (None, Awaited::Task(id) | Awaited::Answer(id, _)) => {
                    let task = committed_task(&store, &view, id)?;
                    let task = task.ok_or_else(|| lost(&exchange))?;
                    state_reply(&task)
                }
                (None, Awaited::Turn(task, kind, round)) => {
                    let negotiation = store.negotiation(task, *kind)?;
                    let said = negotiation.filter(|n| n.round() >= *round);
                    reply_of(&said.ok_or_else(|| lost(&exchange))?, *round)
                }
            };
            // From now on this is the recorded one.
            if let Some(record) = record {
                let mut unit = UnitOfWork::default();
                unit.respond(record, &reply, now);
                store.commit(unit.into_batch(&placement).0).await?;
            }
            Ok(reply.into())
        })
    }
}

pub(crate) fn lost(exchange: &str) -> StoreFailure {
    StoreFailure::because(format!("exchange '{exchange}' has no response"))
}

pub(crate) fn recorded_reply(store: &Store, record: &Exchange) -> Result<Reply, StoreFailure> {
    let lost = || lost(&record.id);
    let response = record.response.as_deref().ok_or_else(lost)?;
    let data = store.data_param(response)?.ok_or_else(lost)?;
    data.text().and_then(Reply::from_json).ok_or_else(lost)
}

/// What was said since `pending` was: the executor's turn that was waited for, or else the state
/// that the task has reached. None while it is the same.
pub(crate) fn answered_since(
    store: &Store,
    view: &View,
    awaited: &Awaited,
    recorded: &Reply,
) -> Result<Option<Reply>, Refusal> {
    let id = awaited.task();
    let task = committed_task(store, view, id)?;
    let turn = match awaited {
        Awaited::Turn(_, kind, round) => store
            .negotiation(id, *kind)?
            .filter(|n| n.opens_round(*round) == Some(Side::Publisher))
            .map(|n| reply_of(&n, *round)),
        Awaited::Task(_) | Awaited::Answer(..) => None,
    };
    let status = task.as_ref().map(|task| task.status);
    let moved_on = task.filter(|task| Some(task.status) != recorded.status);
    let state = moved_on.map(|task| state_reply(&task));
    let reached = turn.or(state).filter(|r| r.verdict != Verdict::Pending);
    Ok(reached.map(|reply| Reply {
        status: recorded.status.and(status),
        round: recorded.round,
        ..reply
    }))
}

/// What is asked must be on disk; then its answer is waited for.
pub(crate) fn asked(
    ticket: Ticket,
    receiver: oneshot::Receiver<Resolution>,
) -> Execution<Negotiated> {
    Execution::later(async move {
        ticket.await?;
        let (reply, stored) = receiver
            .await
            .map_err(|_| StoreFailure::because("what was waited for was not stored"))?;
        stored.wait().await?;
        Ok(reply.into())
    })
}

pub(crate) fn committed(ticket: Ticket, reply: Reply) -> Execution<Negotiated> {
    Execution::committed(ticket, reply.into())
}
