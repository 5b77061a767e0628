//! Agents at work: an input goes in, and what comes out changes tasks or goes to the world.
//!
//! Read next: [`crate::tasks::life`], what follows from a change of a task; [`crate::tasks::negotiate`], which
//! asks agents in the name of others.

use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::work::{Awaited, Due, Outgoing, Stored, Waiting, Work};
use crate::{Engine, Refusal};
use domain::agent::{Input, Output, Progress};
use domain::reply::{Reply, Verdict};
use domain::task::{Awaits, Command, Status, Task, TaskId};
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::sync::Arc;
use store::Ticket;
use tracing::{debug, error};

impl Engine {
    /// Brings an agent an input that rests on what is staged: one in here finds it in its mailbox,
    /// what stands for one elsewhere takes it at once. Returns the answer if there is one.
    pub(crate) fn run(
        &self,
        work: &mut Work,
        index: usize,
        input: Input,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) -> Option<Reply> {
        if work.instance(index).is_hosted() {
            self.post(work, index, input, None, staged);
            return None;
        }
        let outputs = self.step(work, index, input, now);
        self.take_outputs(work, index, outputs, now, staged)
    }

    /// Steps what stands for an agent elsewhere; what it says keeps to the schemas.
    pub(crate) fn step(
        &self,
        work: &mut Work,
        index: usize,
        input: Input,
        now: Timestamp,
    ) -> Vec<Output> {
        let Some(behaviour) = work.instance(index).behaviour() else {
            return Vec::new();
        };
        let outputs = behaviour.agent.step(input, now, &mut behaviour.rng);
        let name = self.roster.name(index);
        let held = outputs
            .into_iter()
            .map(|output| self.held_output(&name, output, now));
        held.collect()
    }

    /// Takes an agent's outputs on; returns the answer if there is one.
    pub(crate) fn take_outputs(
        &self,
        work: &mut Work,
        index: usize,
        outputs: Vec<Output>,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) -> Option<Reply> {
        let name = self.roster.name(index);
        let incarnation = work.instance(index).incarnation();
        let mut answer = None;
        for output in outputs {
            match self.known_to_the_world(work, index, output) {
                Output::Answer(reply) => answer = Some(reply),
                Output::Report { task, progress } => {
                    self.reported(work, &name, &task, progress, now, staged);
                }
                Output::Speak { task, kind, speech } => {
                    self.spoke(work, &name, &task, kind, speech, now, staged);
                }
                Output::Wake { token, at } => work.set_due(
                    at,
                    Due::Wake {
                        agent: index,
                        incarnation,
                        token,
                    },
                ),
                output @ (Output::Send { .. } | Output::Act { .. } | Output::Note(_)) => {
                    staged.outgoing.push(Outgoing {
                        agent: name.to_string(),
                        output,
                    });
                }
            }
        }
        answer
    }

    /// The same with the token by which the world knows it; room is reserved for what comes back.
    fn known_to_the_world(&self, work: &mut Work, index: usize, output: Output) -> Output {
        let mut reserved = |token| match work.instance(index).actor() {
            Some(actor) => actor.expect(token),
            None => token,
        };
        match output {
            Output::Send { token, message } => Output::Send {
                token: reserved(token),
                message,
            },
            Output::Act { token, action } => Output::Act {
                token: reserved(token),
                action,
            },
            other => other,
        }
    }

    /// An executor's news of a task. News of a task that has ended meanwhile (cancelled, say) are
    /// too late and change nothing; a result that the conditions forbid ends the task, for an
    /// agent in here has nobody to tell it to.
    fn reported(
        &self,
        work: &mut Work,
        executor: &str,
        id: &TaskId,
        progress: Progress,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        let task = match work.task(id) {
            Some(task) if task.to == executor => Arc::clone(task),
            _ => {
                return error!(task.id = %id, agent = executor, "report of a task it does not execute");
            }
        };
        let command = self.command_of(work, id, progress);
        match self.change(work, &task, command, now, staged) {
            Ok(_) => {}
            Err(late) if task.status.is_terminal() || late.because.is_none() => {
                debug!(task.id = %id, agent = executor, "report not taken: {late}");
            }
            Err(forbidden) => {
                error!(task.id = %id, agent = executor, "result not taken: {forbidden}");
                let why = domain::content::Content::new(
                    task.content.target_object.clone(),
                    forbidden.to_string(),
                );
                let failed = self.change(work, &task, Command::Fail(why), now, staged);
                failed.expect("a task that has not ended can fail");
            }
        }
    }

    /// What an executor's news mean for its task.
    pub(crate) fn command_of(&self, work: &Work, id: &TaskId, progress: Progress) -> Command {
        match progress {
            Progress::Working { percent, content } => Command::Work {
                percent,
                said: Some(content),
            },
            Progress::Blocked(content) => Command::Block(content),
            Progress::InputRequired(content) => Command::Ask(content),
            Progress::AuthRequired(content) => Command::AskCredentials(content),
            Progress::Result(result) => Command::Offer {
                result,
                held: work.parts_open(id) > 0,
            },
            Progress::Failed(content) => Command::Fail(content),
            Progress::Refused(content) => match work.task(id).map(|task| task.status) {
                Some(Status::Created) => Command::Refuse(content),
                _ => Command::Fail(content),
            },
        }
    }

    /// Answers callers who wait.
    pub(crate) fn resolve(
        &self,
        work: &mut Work,
        awaited: &Awaited,
        reply: &Reply,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        if let Some(Waiting { exchange, callers }) = work.waiting.remove(awaited) {
            work.schedule(Due::Reply(awaited.clone()), None);
            staged.respond(exchange, reply, now);
            let callers = callers.into_iter().map(|c| (c, reply.clone()));
            staged.resolved.extend(callers);
        }
    }

    pub(crate) fn fall_due(
        &self,
        work: &mut Work,
        due: Due,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        match due {
            Due::Wake {
                agent,
                incarnation,
                token,
            } => self.woken(work, agent, incarnation, token, now, staged),
            Due::Step { agent, number } => self.step_overdue(work, agent, number, now, staged),
            Due::Team(task) => self.team_formed(work, &task, staged),
            Due::Reply(awaited) => {
                // Nobody waits for what has ended: they were answered then.
                let reply = match &awaited {
                    Awaited::Task(id) => work.task(id).map(|task| state_reply(task)),
                    Awaited::Turn(task, kind, round) => {
                        let negotiation = work.negotiation(task, *kind);
                        negotiation.map(|n| crate::tasks::negotiate::reply_of(n, *round))
                    }
                    Awaited::Answer(task, _) => self.unanswered(work, &awaited, task),
                };
                if let Some(reply) = reply {
                    self.resolve(work, &awaited, &reply, now, staged);
                }
            }
            Due::Task(id) => self.task_due(work, &id, now, staged),
            Due::Negotiation(task, kind) => self.negotiation_due(work, &task, kind, now, staged),
            Due::Lease(name) => self.lease_due(work, &name, now, staged),
            Due::Store => self.store_due(work, now, staged),
        }
    }

    /// The instant has come that an agent asked for.
    fn woken(
        &self,
        work: &mut Work,
        index: usize,
        incarnation: u64,
        token: Token,
        now: Timestamp,
        staged: &mut UnitOfWork,
    ) {
        let instance = work.instance(index);
        if instance.incarnation() != incarnation {
            return;
        }
        match instance.is_hosted() {
            true => self.put(work, index, Input::Woken(token)),
            false => drop(self.run(work, index, Input::Woken(token), now, staged)),
        }
    }

    /// The reply to whoever waits for an agent in here no longer.
    fn unanswered(&self, work: &Work, awaited: &Awaited, task: &TaskId) -> Option<Reply> {
        let asked = work.waiting.get(awaited)?.exchange.verb;
        let verdict = match asked {
            // It is cancelled, whatever its executor has to say to that.
            Verb::TaskCancel => Verdict::Accepted,
            _ => Verdict::Pending,
        };
        let mut reply = Reply::new(verdict, Vec::new());
        reply.task = Some(task.clone());
        let task = self.task(work, task).ok().flatten();
        reply.status = task.map(|task| task.status);
        Some(reply)
    }

    /// Queues what was staged for the disk and lets go of what may leave with it. Where agents step
    /// in turn, what they send leaves at once: whatever it causes is committed behind this batch,
    /// never before it. Where they step beside the decisions, it leaves once the batch is on disk.
    pub(crate) fn commit(&self, mut staged: UnitOfWork) -> Ticket {
        for written in staged.take_written() {
            self.charge(&written);
        }
        let outgoing = std::mem::take(&mut staged.outgoing);
        match self.is_beside() && !outgoing.is_empty() {
            true => self.outbox.hold(self.mark(&mut staged), outgoing),
            false => self.outbox.leave(outgoing),
        }
        let (batch, rest) = staged.into_batch();
        let taken_back = self.store.taken_back();
        let ticket = self.store.commit(batch);
        // The callers' own tickets stand behind this batch, so they resolve after it.
        let stored = || Stored {
            ticket: self.store.commit(store::Batch::default()),
            store: self.store.clone(),
            taken_back,
        };
        for (caller, reply) in rest.resolved {
            let _ = caller.send((reply, stored()));
        }
        for (caller, team) in rest.formed {
            let _ = caller.send((team, stored()));
        }
        self.outbox.notify();
        ticket
    }

    /// Whether one more request has room with an agent.
    ///
    /// # Errors
    /// [`Refusal::MailboxFull`]
    pub(crate) fn check_room(&self, work: &mut Work, index: usize) -> Result<(), Refusal> {
        match work.instance(index).actor() {
            Some(actor) if !actor.has_room() => Err(Refusal::MailboxFull {
                name: self.roster.name(index).to_string(),
                most: actor.mailbox.room() as u64,
            }),
            _ => Ok(()),
        }
    }
}

/// A task's state as a reply: what the caller of a synchronous task gets, and who queries one.
pub(crate) fn state_reply(task: &Task) -> Reply {
    let said = || task.said.clone().into_iter().collect::<Vec<_>>();
    let result = || task.result.clone().into_iter().collect::<Vec<_>>();
    let mut reply = match (task.status, task.awaits) {
        (Status::Finished, _) | (_, Some(Awaits::Judgement)) => {
            Reply::new(Verdict::Result, result())
        }
        (_, Some(Awaits::Decision)) => Reply::new(Verdict::Offered, said()),
        (Status::InputRequired | Status::AuthRequired, _) => {
            Reply::new(Verdict::InputRequired, said())
        }
        (Status::Failed | Status::Rejected | Status::Cancelled | Status::Unconfirmed, _) => {
            let why = task.said.as_ref();
            let why = why.map_or("", |s| s.task_description.as_str());
            Reply {
                content: said(),
                ..Reply::refused(task.status.as_str(), "", why)
            }
        }
        (Status::Created, _) => Reply::new(Verdict::Pending, said()),
        (Status::Processing | Status::Blocked, _) => Reply::new(Verdict::Accepted, said()),
    };
    reply.task = Some(task.id.clone());
    reply.status = Some(task.status);
    reply
}
