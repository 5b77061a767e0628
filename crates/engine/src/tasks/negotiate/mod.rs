//! `task-negotiate`: who speaks to whom, about what; each verb has a file.
//!
//! The one who asks may be the publisher of a task or its executor: a message about a task that
//! one executes oneself is the executor's. What was asked twice is answered alike and done once.
//! Read next: [`assign`], [`feasibility`], [`fulfillment`], [`report`].

mod answered;
mod assign;
mod feasibility;
mod fulfillment;
mod payload;
mod report;
mod turn;

pub(crate) use feasibility::{Proposal, further};
pub(crate) use turn::reply_of;

use crate::commit::unit_of_work::UnitOfWork;
use crate::operation::{Endpoint, Execution};
use crate::query::committed_task;
use crate::schemas::Heard;
use crate::tasks::dispatch::state_reply;
use crate::tasks::operation::{Negotiate, Negotiated};
use crate::tasks::request::{Routed, capability_content, checked, task_leaf};
use crate::tasks::view::View;
use crate::tasks::work::{Awaited, Due, Resolution, Waiting, Work};
use crate::{Engine, Refusal};
use domain::access::{Principal, Rows};
use domain::context::Exchange;
use domain::negotiation::{Kind, Negotiation, Side};
use domain::reply::{Reply, Verdict};
use domain::task::{Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use store::{Store, Ticket};
use tokio::sync::oneshot;

/// How many batches may wait to be written while questions are answered ahead of their record.
const QUESTIONS_QUEUED: u64 = 1_024;

impl Engine {
    pub(crate) fn negotiate(
        &self,
        who: &Principal,
        negotiate: Negotiate,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        self.check_sender(who, &negotiate)?;
        let mut heard = Heard::default();
        let executed = match negotiate.verb {
            Verb::CapabilityRequest => self
                .route(who, negotiate)
                .and_then(|routed| self.capability(who, &routed, now)),
            Verb::TaskAssign => self
                .route(who, negotiate)
                .and_then(|routed| self.assign(who, routed, &mut heard, now)),
            Verb::TaskCancel => self.cancel(who, &negotiate, now),
            Verb::FeasibilityNegotiate => self.feasibility(who, negotiate, &mut heard, now),
            Verb::FulfillmentNegotiate => self.fulfillment(who, negotiate, &mut heard, now),
            Verb::TaskResultQuery => self
                .route(who, negotiate)
                .and_then(|routed| self.result(who, &routed, &mut heard, now)),
            Verb::TaskResultSubscribe => self
                .route(who, negotiate)
                .and_then(|routed| self.subscribe(who, &routed, now)),
            Verb::TaskResultNotify => self.report(who, negotiate, &mut heard, now),
        }?;
        Ok(self.noted(executed, &who.name, heard, now))
    }

    fn check_sender(&self, who: &Principal, negotiate: &Negotiate) -> Result<(), Refusal> {
        match negotiate.from.as_ref().filter(|f| **f != who.name) {
            Some(from) => Err(Refusal::ForeignSender {
                user: who.name.clone(),
                from: from.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Whom a message is for; perhaps nobody who is here.
    fn addressee(&self, negotiate: &Negotiate) -> Result<String, Refusal> {
        match (&negotiate.endpoint, &negotiate.to) {
            (Endpoint::Agent(own), Some(name)) if own != name => Err(Refusal::OtherEndpoint {
                own: own.clone(),
                name: name.clone(),
            }),
            (Endpoint::Agent(own), _) => Ok(own.clone()),
            (Endpoint::Platform, Some(name)) => Ok(name.clone()),
            (Endpoint::Platform, None) => Ok(self.default_agent().to_owned()),
            (Endpoint::Ems(own), to) => Err(Refusal::OtherEndpoint {
                own: format!("{}-ems", own.as_str()),
                name: to.clone().unwrap_or_default(),
            }),
        }
    }

    fn route(&self, who: &Principal, negotiate: Negotiate) -> Result<Routed, Refusal> {
        Ok(Routed {
            from: who.name.clone(),
            to: self.addressee(&negotiate)?,
            negotiate,
        })
    }

    /// The place in the roster of whom a message is for. What was said before is answered before
    /// this is asked: its addressee may have left since.
    fn place_of(&self, routed: &Routed) -> Result<usize, Refusal> {
        let index = self.roster.find(&routed.to);
        index.ok_or_else(|| Refusal::UnknownAgent {
            name: routed.to.clone(),
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
        let registration = self.places.find(&routed.to);
        let registration = registration.ok_or_else(|| Refusal::UnknownAgent {
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
            ..self.exchange_unkeyed(&mut self.lock_work(), routed, "capability", now)
        };
        Ok(self.answer_at_once(exchange, reply, now))
    }

    /// How the task is and what came of it, from committed state.
    fn result(
        &self,
        who: &Principal,
        routed: &Routed,
        heard: &mut Heard,
        now: Timestamp,
    ) -> Result<Execution<Negotiated>, Refusal> {
        let id = task_leaf(&routed.negotiate)?;
        let task = self.task_of(who, &id)?;
        let task = task.ok_or_else(|| unknown_task(who, &id))?;
        if task.from == who.name {
            heard.about(task.content.payload.as_ref());
        }
        // Whoever has the endpoint at which it is asked need not be party to the task.
        if task.to != routed.to {
            self.place_of(routed)?;
        }
        let reply = state_reply(&task);
        let exchange = Exchange {
            to: task.to.clone(),
            ..self.exchange_unkeyed(&mut self.lock_work(), routed, "query", now)
        };
        Ok(self.answer_at_once(exchange, reply, now))
    }

    /// Records what was asked behind the caller's back: a question changes nothing, so its record
    /// need not be waited for. It is where more is asked than can be written, or the answer is long.
    fn answer_at_once(
        &self,
        exchange: Exchange,
        reply: Reply,
        now: Timestamp,
    ) -> Execution<Negotiated> {
        let mut staged = UnitOfWork::default();
        staged.respond(exchange, &reply, now);
        let is_short = staged.long_answers.is_empty();
        let recorded = self.commit(staged);
        if is_short && self.store.queued() < QUESTIONS_QUEUED {
            return Execution::known(reply.into());
        }
        Execution::later(async move {
            // It holds whether that was written or not.
            let _ = recorded.await;
            Ok(reply.into())
        })
    }

    /// A task as decided: an open one from memory, an ended one perhaps from the store.
    pub(crate) fn task(&self, work: &Work, id: &TaskId) -> Result<Option<Arc<Task>>, Refusal> {
        match work.task(id) {
            Some(task) => Ok(Some(Arc::clone(task))),
            None => self.committed_task(id),
        }
    }

    /// A negotiation as decided, likewise.
    pub(crate) fn negotiation(
        &self,
        work: &Work,
        task: &TaskId,
        kind: Kind,
    ) -> Result<Option<Arc<Negotiation>>, Refusal> {
        match work.negotiation(task, kind) {
            Some(negotiation) => Ok(Some(Arc::clone(negotiation))),
            None => self.stored_negotiation(task, kind),
        }
    }

    /// The task that this request is about, if the principal is party to it. Who is not learns no
    /// more than that there is none.
    fn party_task(
        &self,
        work: &Work,
        who: &Principal,
        negotiate: &Negotiate,
    ) -> Result<Arc<Task>, Refusal> {
        let id = task_leaf(negotiate)?;
        let task = self.task(work, &id)?;
        let task = task.filter(|t| self.sees(who, Rows::Tasks, &t.from, &t.to));
        task.ok_or_else(|| unknown_task(who, &id))
    }

    /// The task that the principal published and this request is about.
    fn published(
        &self,
        work: &Work,
        who: &Principal,
        negotiate: &Negotiate,
    ) -> Result<Arc<Task>, Refusal> {
        let addressee = self.addressee(negotiate)?;
        let task = self.party_task(work, who, negotiate)?;
        if task.to != addressee {
            return Err(Refusal::BadLeaf {
                leaf: "task-sendTo",
                why: format!("task '{}' is executed by '{}'", task.id, task.to),
            });
        }
        if task.from != who.name && !who.is_administrator() {
            return Err(Refusal::NotPublisher {
                task: task.id.clone(),
                verb: negotiate.verb,
            });
        }
        Ok(task)
    }

    /// Records what is asked, under the identifier that this question has on the platform.
    fn exchange(
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
    fn exchange_unkeyed(
        &self,
        work: &mut Work,
        routed: &Routed,
        kind: &str,
        now: Timestamp,
    ) -> Exchange {
        let number = work.next_number();
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
    fn wait_for(
        &self,
        work: &mut Work,
        awaited: Awaited,
        exchange: Exchange,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) -> oneshot::Receiver<Resolution> {
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting {
            exchange: exchange.clone(),
            callers: vec![sender],
        };
        work.waiting.insert(awaited.clone(), waiting);
        let patience = now + self.limits.synchronous_ms;
        work.schedule(Due::Reply(awaited), Some(patience));
        staged.exchanges.push(exchange);
        receiver
    }

    /// The answer to what was asked before: the callers who wait for it get one more, or its
    /// record tells it once what was queued is on disk. A `pending` on record is no answer: the
    /// first one since takes its place.
    fn same_reply_again(
        &self,
        work: &mut Work,
        awaited: &Awaited,
        exchange: String,
        now: Timestamp,
    ) -> Execution<Negotiated> {
        let (Awaited::Task(id) | Awaited::Turn(id, ..) | Awaited::Answer(id, _)) = awaited;
        let answer = Awaited::Answer(id.clone(), exchange.clone());
        for awaited in [awaited, &answer] {
            let waiters = work.waiting.get_mut(awaited);
            // Of a task that its publisher waits for, its executor may ask something again.
            if let Some(waiters) = waiters.filter(|w| w.exchange.id == exchange) {
                let (sender, receiver) = oneshot::channel();
                waiters.callers.push(sender);
                return asked(self.store.commit(store::Batch::default()), receiver);
            }
        }
        let barrier = self.store.commit(store::Batch::default());
        let (store, view) = (self.store.clone(), Arc::clone(&self.view));
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
                let mut staged = UnitOfWork::default();
                staged.respond(record, &reply, now);
                store.commit(staged.into_batch().0).await?;
            }
            Ok(reply.into())
        })
    }
}

pub(crate) fn unknown_task(who: &Principal, id: &TaskId) -> Refusal {
    Refusal::UnknownTask {
        task: id.clone(),
        user: who.name.clone(),
    }
}

fn lost(exchange: &str) -> Refusal {
    Refusal::StoreFailed {
        cause: format!("exchange '{exchange}' has no response"),
    }
}

fn recorded_reply(store: &Store, record: &Exchange) -> Result<Reply, Refusal> {
    let lost = || lost(&record.id);
    let response = record.response.as_deref().ok_or_else(lost)?;
    let data = store.data_param(response)?.ok_or_else(lost)?;
    data.text().and_then(Reply::from_json).ok_or_else(lost)
}

/// What was said since `pending` was: the executor's turn that was waited for, or else the state
/// that the task has reached. None while it is the same.
fn answered_since(
    store: &Store,
    view: &View,
    awaited: &Awaited,
    recorded: &Reply,
) -> Result<Option<Reply>, Refusal> {
    let (Awaited::Task(id) | Awaited::Turn(id, ..) | Awaited::Answer(id, _)) = awaited;
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
fn asked(ticket: Ticket, receiver: oneshot::Receiver<Resolution>) -> Execution<Negotiated> {
    Execution::later(async move {
        ticket.await?;
        let (reply, stored) = receiver.await.map_err(|_| Refusal::StoreFailed {
            cause: "what was waited for was not stored".to_owned(),
        })?;
        stored.wait().await?;
        Ok(reply.into())
    })
}

fn committed(ticket: Ticket, reply: Reply) -> Execution<Negotiated> {
    Execution::committed(ticket, reply.into())
}

/// The answer with what only the platform knows.
fn complete(answer: Reply, task: &Task) -> Reply {
    Reply {
        task: Some(task.id.clone()),
        status: Some(task.status),
        ..answer
    }
}
