//! `task-negotiate`: who speaks to whom, about what, and what each verb does.
//!
//! Read next: [`crate::dispatch`], which steps the agents.

use crate::dispatch::state_reply;
use crate::operation::{Endpoint, Execution, Negotiate, Outcome};
use crate::request::{Routed, agreed_mode, capability_content, checked, judgement, task_leaf};
use crate::work::{Due, Resolution, Staged, Waiting, Work};
use crate::{Engine, Refusal};
use domain::access::{Principal, Request};
use domain::agent::{Ask, Input, Output};
use domain::content::Content;
use domain::context::Exchange;
use domain::reply::{Reply, Verdict};
use domain::task::{Command, Status, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use store::{Store, Ticket};
use tokio::sync::oneshot;

impl Engine {
    pub(crate) fn negotiate(
        &self,
        who: &Principal,
        negotiate: Negotiate,
        now: Timestamp,
    ) -> Execution {
        let routed = match self.route(who, negotiate) {
            Ok(routed) => routed,
            Err(refusal) => return Execution::refused(refusal),
        };
        let executed = match routed.negotiate.verb {
            Verb::CapabilityRequest => self.capability(&routed, now),
            Verb::TaskAssign => self.assign(routed, now),
            Verb::TaskCancel => self.cancel(who, &routed, now),
            Verb::FeasibilityNegotiate => self.feasibility(routed, now),
            Verb::FulfillmentNegotiate => self.fulfilment(who, &routed, now),
            Verb::TaskResultQuery => self.result(who, &routed, now),
            verb @ (Verb::TaskResultSubscribe | Verb::TaskResultNotify) => {
                Err(Refusal::NotOffered { verb })
            }
        };
        executed.unwrap_or_else(Execution::refused)
    }

    fn route(&self, who: &Principal, negotiate: Negotiate) -> Result<Routed, Refusal> {
        let exec = Request::Exec {
            module: "irtf-agent",
            rpc: "task-negotiate",
            guarded: false,
        };
        if !self.permits(who, exec) {
            return Err(Refusal::Denied {
                user: who.name.clone(),
            });
        }
        if let Some(from) = negotiate.from.as_ref().filter(|f| **f != who.name) {
            return Err(Refusal::ForeignSender {
                user: who.name.clone(),
                from: from.clone(),
            });
        }
        let to_name = match (&negotiate.endpoint, &negotiate.to) {
            (Endpoint::Agent(own), Some(name)) if own != name => {
                return Err(Refusal::OtherEndpoint {
                    own: own.clone(),
                    name: name.clone(),
                });
            }
            (Endpoint::Agent(own), _) => own.clone(),
            (Endpoint::Platform, Some(name)) => name.clone(),
            (Endpoint::Platform, None) => self.default_agent().to_owned(),
        };
        let to = self
            .roster
            .find(&to_name)
            .ok_or_else(|| Refusal::UnknownAgent {
                name: to_name.clone(),
            })?;
        Ok(Routed {
            from: who.name.clone(),
            to,
            to_name,
            negotiate,
        })
    }

    /// What the agent can do and negotiate, from its profile.
    fn capability(&self, routed: &Routed, now: Timestamp) -> Result<Execution, Refusal> {
        let content = capability_content(&self.roster.members()[routed.to].profile);
        let mut reply = Reply::new(Verdict::Result, vec![content]);
        reply.task = routed.negotiate.task.clone();
        let mut work = self.lock_work();
        let exchange = self.exchange_unkeyed(&mut work, routed, "capability", now);
        Ok(self.answer_at_once(exchange, reply, now))
    }

    fn assign(&self, routed: Routed, now: Timestamp) -> Result<Execution, Refusal> {
        let content = routed.content()?;
        let asynchronous = agreed_mode(&routed.negotiate, &content)?;
        let mut work = self.lock_work();
        let id = match &routed.negotiate.task {
            Some(id) => checked(id)?,
            None => TaskId::new(format!("task-{}-{}", now.as_ms(), work.next_number())),
        };
        let text = routed.negotiate.texts.join("\n");
        if let Some(known) = work.task(&id) {
            let same = known.from == routed.from
                && known.to == routed.to_name
                && known.text == text
                && known.content == content
                && known.asynchronous == asynchronous;
            if !same {
                return Err(Refusal::TaskExists { task: id });
            }
            if let Some(waiters) = work.waiting.get_mut(&id) {
                let (sender, receiver) = oneshot::channel();
                waiters.callers.push(sender);
                return Ok(waiting(receiver));
            }
            return Ok(self.same_reply_again(&id, format!("{id}/assign"), now));
        }
        let task = Task::assigned(
            id.clone(),
            &routed.from,
            &routed.to_name,
            text,
            content,
            asynchronous,
            now,
        );
        let exchange = self.exchange(&routed, &id, format!("{id}/assign"), now);
        self.assign_new(&mut work, routed.to, task, exchange, now)
    }

    fn assign_new(
        &self,
        work: &mut Work,
        to: usize,
        task: Task,
        exchange: Exchange,
        now: Timestamp,
    ) -> Result<Execution, Refusal> {
        let mut staged = Staged::default();
        let task = self.create(work, task, &mut staged);
        let ask = Ask {
            verb: Verb::TaskAssign,
            task: Arc::clone(&task),
            from: task.from.clone(),
            content: task.content.clone(),
            round: 1,
        };
        // The answer is applied first, wherever it stands: the agent's other outputs are about a
        // task that it has already answered for.
        let mut outputs = self.step(work, to, Input::Asked(ask), now);
        let Some(answer) = take_answer(&mut outputs) else {
            work.forget(&task.id);
            return Err(self.no_answer(to));
        };
        let task = self.apply_answer(work, &task, &answer, now, &mut staged);
        let finished = task.status.is_terminal() || task.status == Status::InputRequired;
        let waits = !task.asynchronous && !finished;
        let reply = complete(answer, &task);
        let receiver = if waits {
            let (sender, receiver) = oneshot::channel();
            work.waiting.insert(
                task.id.clone(),
                Waiting {
                    exchange: exchange.clone(),
                    callers: vec![sender],
                },
            );
            work.set_due(now + self.synchronous_limit_ms, Due::Reply(task.id.clone()));
            staged.exchanges.push(exchange);
            Some(receiver)
        } else {
            staged.respond(exchange, &reply, now);
            None
        };
        self.take_outputs(work, to, outputs, now, &mut staged);
        let ticket = self.commit(staged);
        Ok(match receiver {
            Some(receiver) => waiting(receiver),
            None => committed(ticket, reply),
        })
    }

    /// Applies an answer to the task it is about.
    fn apply_answer(
        &self,
        work: &mut Work,
        task: &Arc<Task>,
        answer: &Reply,
        now: Timestamp,
        staged: &mut Staged,
    ) -> Arc<Task> {
        let said = || {
            answer.content.first().cloned().unwrap_or_else(|| {
                let why: Vec<&str> = answer.reasons.iter().map(|r| r.message.as_str()).collect();
                let why = if why.is_empty() {
                    answer.verdict.as_str().to_owned()
                } else {
                    why.join("; ")
                };
                Content::new(task.content.target_object.clone(), why)
            })
        };
        let command = match answer.verdict {
            Verdict::Accepted => Command::Work {
                percent: 0,
                said: answer.content.first().cloned(),
            },
            Verdict::Refused => Command::Refuse(said()),
            Verdict::InputRequired | Verdict::Offered => Command::Ask(said()),
            Verdict::Result => Command::Offer(said()),
        };
        self.change(work, task, command, now, staged)
            .expect("a task just created takes every answer")
    }

    fn cancel(
        &self,
        who: &Principal,
        routed: &Routed,
        now: Timestamp,
    ) -> Result<Execution, Refusal> {
        let mut work = self.lock_work();
        let task = self.published(&work, who, routed)?;
        let mut staged = Staged::default();
        let after = self.change(&mut work, &task, Command::Cancel, now, &mut staged)?;
        let ask = self.ask_about(routed, &after);
        let answer = self.run(&mut work, routed.to, Input::Asked(ask), now, &mut staged);
        let answer = answer.unwrap_or_else(Reply::accepted);
        let exchange = self.exchange(routed, &task.id, format!("{}/cancel", task.id), now);
        let reply = complete(
            Reply {
                verdict: Verdict::Accepted,
                ..answer
            },
            &after,
        );
        staged.respond(exchange, &reply, now);
        Ok(committed(self.commit(staged), reply))
    }

    /// Could you do this? No task exists yet; the question and its answer are recorded under the
    /// task's identifier, the sender and the round, so that a question asked twice is answered
    /// once.
    fn feasibility(&self, routed: Routed, now: Timestamp) -> Result<Execution, Refusal> {
        let content = routed.content()?;
        let id = match &routed.negotiate.task {
            Some(id) => checked(id)?,
            None => {
                return Err(Refusal::MissingLeaf {
                    verb: routed.negotiate.verb,
                    leaf: "task-id",
                });
            }
        };
        let round = routed.negotiate.round.unwrap_or(1);
        let key = format!("{id}/feasibility/{round}/{}", routed.from);
        let mut work = self.lock_work();
        let text = routed.negotiate.texts.join("\n");
        let asked = format!("{}\n{text}", routed.to_name);
        match work.negotiated(&key) {
            Some(known) if known != asked => return Err(Refusal::TaskExists { task: id }),
            Some(_) => return Ok(self.same_reply_again(&id, key, now)),
            None => {}
        }
        if let Some(known) = self.store.exchange(&key)? {
            if known.request != text || known.to != routed.to_name {
                return Err(Refusal::TaskExists { task: id });
            }
            return Ok(self.same_reply_again(&id, key, now));
        }
        let supposed = Task::assigned(
            id.clone(),
            &routed.from,
            &routed.to_name,
            text.clone(),
            content,
            true,
            now,
        );
        let ask = Ask {
            round,
            ..self.ask_about(&routed, &Arc::new(supposed))
        };
        let mut staged = Staged::default();
        let answer = self
            .run(&mut work, routed.to, Input::Asked(ask), now, &mut staged)
            .ok_or_else(|| self.no_answer(routed.to))?;
        let reply = Reply {
            task: Some(id.clone()),
            status: None,
            round: Some(round),
            ..answer
        };
        work.remember_negotiated(key.clone(), asked);
        let exchange = self.exchange(&routed, &id, key, now);
        staged.respond(exchange, &reply, now);
        Ok(committed(self.commit(staged), reply))
    }

    /// The publisher's judgement of an offered result, or its answer to a question.
    fn fulfilment(
        &self,
        who: &Principal,
        routed: &Routed,
        now: Timestamp,
    ) -> Result<Execution, Refusal> {
        let content = routed.content()?;
        let mut work = self.lock_work();
        let task = self.published(&work, who, routed)?;
        let command = judgement(&task, &content)?;
        let mut staged = Staged::default();
        let after = self.change(&mut work, &task, command, now, &mut staged)?;
        let ask = Ask {
            content,
            ..self.ask_about(routed, &after)
        };
        let answer = self
            .run(&mut work, routed.to, Input::Asked(ask), now, &mut staged)
            .unwrap_or_else(Reply::accepted);
        let key = format!("{}/fulfilment/{}", task.id, after.version);
        let exchange = self.exchange(routed, &task.id, key, now);
        let latest = work.task(&task.id).cloned().unwrap_or(after);
        let reply = complete(answer, &latest);
        staged.respond(exchange, &reply, now);
        Ok(committed(self.commit(staged), reply))
    }

    /// How the task is and what came of it. Answered from committed state, and recorded behind
    /// the caller's back: a question changes nothing, so its record need not be waited for.
    fn result(
        &self,
        who: &Principal,
        routed: &Routed,
        now: Timestamp,
    ) -> Result<Execution, Refusal> {
        let id = task_leaf(routed)?;
        let task = self
            .view
            .tasks()
            .find(&id)
            .filter(|t| who.sees(&t.from, &t.to))
            .cloned()
            .ok_or_else(|| Refusal::UnknownTask {
                task: id,
                user: who.name.clone(),
            })?;
        let reply = state_reply(&task);
        let mut work = self.lock_work();
        let exchange = self.exchange_unkeyed(&mut work, routed, "query", now);
        drop(work);
        Ok(self.answer_at_once(exchange, reply, now))
    }

    fn answer_at_once(&self, exchange: Exchange, reply: Reply, now: Timestamp) -> Execution {
        let mut staged = Staged::default();
        staged.respond(exchange, &reply, now);
        drop(self.commit(staged));
        Execution::Done(Ok(Outcome::Reply(reply)))
    }

    fn ask_about(&self, routed: &Routed, task: &Arc<Task>) -> Ask {
        Ask {
            verb: routed.negotiate.verb,
            task: Arc::clone(task),
            from: routed.from.clone(),
            content: task.content.clone(),
            round: routed.negotiate.round.unwrap_or(1),
        }
    }

    /// The task that the principal published and this request is about. Who is not party to it
    /// learns no more than that there is none.
    fn published(
        &self,
        work: &Work,
        who: &Principal,
        routed: &Routed,
    ) -> Result<Arc<Task>, Refusal> {
        let id = task_leaf(routed)?;
        let task = work
            .task(&id)
            .filter(|t| who.sees(&t.from, &t.to))
            .ok_or_else(|| Refusal::UnknownTask {
                task: id.clone(),
                user: who.name.clone(),
            })?;
        if task.to != routed.to_name {
            return Err(Refusal::BadLeaf {
                leaf: "task-sendTo",
                why: format!("task '{id}' is executed by '{}'", task.to),
            });
        }
        if task.from != who.name && (who.agent || !who.groups.contains("admin")) {
            return Err(Refusal::NotPublisher {
                task: id,
                verb: routed.negotiate.verb,
            });
        }
        Ok(Arc::clone(task))
    }

    fn exchange(&self, routed: &Routed, task: &TaskId, id: String, now: Timestamp) -> Exchange {
        Exchange {
            id,
            task: Some(task.clone()),
            from: routed.from.clone(),
            to: routed.to_name.clone(),
            verb: routed.negotiate.verb,
            request: routed.negotiate.texts.join("\n"),
            request_time: now,
            response: None,
            response_time: None,
        }
    }

    /// The record of a question that may be asked any number of times.
    fn exchange_unkeyed(
        &self,
        work: &mut Work,
        routed: &Routed,
        kind: &str,
        now: Timestamp,
    ) -> Exchange {
        let about = routed
            .negotiate
            .task
            .as_ref()
            .map_or(routed.to_name.as_str(), TaskId::as_str);
        let id = format!("{about}/{kind}/{}-{}", now.as_ms(), work.next_number());
        Exchange {
            task: routed.negotiate.task.clone(),
            ..self.exchange(routed, &TaskId::new(""), id, now)
        }
    }

    /// The reply that was given to the same request before, told by its record once what was
    /// queued is on disk.
    fn same_reply_again(&self, id: &TaskId, exchange: String, now: Timestamp) -> Execution {
        let (barrier, store) = (
            self.store.commit(store::Batch::default()),
            self.store.clone(),
        );
        let (view, id) = (Arc::clone(&self.view), id.clone());
        Execution::Pending(Box::pin(async move {
            barrier.await?;
            let record = store.exchange(&exchange)?.ok_or_else(|| lost(&exchange))?;
            if record.response.is_some() {
                return recorded_reply(&store, &record).map(Outcome::Reply);
            }
            // The platform stopped while the caller waited for a synchronous task, so nothing was
            // answered yet: the state reached is the answer, and from now on the recorded one.
            let task = view.tasks().find(&id).cloned();
            let task = task.ok_or_else(|| lost(&exchange))?;
            let reply = state_reply(&task);
            let mut staged = Staged::default();
            staged.respond(record, &reply, now);
            store.commit(staged.into_batch().0).await?;
            Ok(Outcome::Reply(reply))
        }))
    }
}

fn take_answer(outputs: &mut Vec<Output>) -> Option<Reply> {
    let place = outputs
        .iter()
        .position(|o| matches!(o, Output::Answer(_)))?;
    match outputs.remove(place) {
        Output::Answer(reply) => Some(reply),
        _ => None,
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
    Reply::from_json(&data.data).ok_or_else(lost)
}

fn waiting(receiver: oneshot::Receiver<Resolution>) -> Execution {
    Execution::Pending(Box::pin(async move {
        let (reply, ticket) = receiver.await.map_err(|_| Refusal::StoreFailed {
            cause: "the platform is stopping".to_owned(),
        })?;
        ticket.await?;
        Ok(Outcome::Reply(reply))
    }))
}

fn committed(ticket: Ticket, reply: Reply) -> Execution {
    Execution::Pending(Box::pin(async move {
        ticket.await?;
        Ok(Outcome::Reply(reply))
    }))
}

/// The answer with what only the platform knows.
fn complete(answer: Reply, task: &Task) -> Reply {
    Reply {
        task: Some(task.id.clone()),
        status: Some(task.status),
        ..answer
    }
}
