//! Agents at work: an input goes in, and what comes out changes tasks or goes to the world.
//!
//! Read next: [`crate::negotiate`], which asks agents in the name of others.

use crate::work::{Due, Outgoing, Staged, Waiting, Work};
use crate::{Engine, Refusal};
use domain::agent::{Input, Output, Progress};
use domain::reply::{Reply, Verdict};
use domain::task::{Command, Event, OutOfTurn, Status, Task, TaskId};
use domain::time::Timestamp;
use std::sync::Arc;
use store::Ticket;
use tracing::{debug, error};

impl Engine {
    /// Steps an agent once and takes its outputs on; returns the answer if there is one.
    pub(crate) fn run(
        &self,
        work: &mut Work,
        index: usize,
        input: Input,
        now: Timestamp,
        staged: &mut Staged,
    ) -> Option<Reply> {
        let outputs = self.step(work, index, input, now);
        self.take_outputs(work, index, outputs, now, staged)
    }

    /// Steps an agent once.
    pub(crate) fn step(
        &self,
        work: &mut Work,
        index: usize,
        input: Input,
        now: Timestamp,
    ) -> Vec<Output> {
        let mind = work.mind(index);
        mind.agent.step(input, now, &mut mind.dice)
    }

    /// Takes an agent's outputs on; returns the answer if there is one.
    pub(crate) fn take_outputs(
        &self,
        work: &mut Work,
        index: usize,
        outputs: Vec<Output>,
        now: Timestamp,
        staged: &mut Staged,
    ) -> Option<Reply> {
        let name = &self.roster.members()[index].profile.name;
        let mut answer = None;
        for output in outputs {
            match output {
                Output::Answer(reply) => answer = Some(reply),
                Output::Report { task, progress } => {
                    self.report(work, name, &task, progress, now, staged);
                }
                Output::Wake { token, at } => work.set_due(
                    at,
                    Due::Wake {
                        agent: index,
                        token,
                    },
                ),
                output @ (Output::Send { .. } | Output::Act { .. } | Output::Note(_)) => {
                    staged.outgoing.push(Outgoing {
                        agent: name.clone(),
                        output,
                    });
                }
            }
        }
        answer
    }

    /// An executor's news of a task. News of a task that has ended meanwhile (cancelled, say) are
    /// too late and change nothing.
    fn report(
        &self,
        work: &mut Work,
        executor: &str,
        id: &TaskId,
        progress: Progress,
        now: Timestamp,
        staged: &mut Staged,
    ) {
        let command = match progress {
            Progress::Working { percent, content } => Command::Work {
                percent,
                said: Some(content),
            },
            Progress::Blocked(content) => Command::Block(content),
            Progress::InputRequired(content) => Command::Ask(content),
            Progress::Result(content) => Command::Offer(content),
            Progress::Failed(content) => Command::Fail(content),
        };
        match work.task(id) {
            Some(task) if task.to == executor => {
                let task = Arc::clone(task);
                if let Err(late) = self.change(work, &task, command, now, staged) {
                    debug!(task.id = %id, agent = executor, "report not taken: {late}");
                }
            }
            _ => error!(task.id = %id, agent = executor, "report of a task it does not execute"),
        }
    }

    /// Decides a command on a task and stages what follows, callers who wait included.
    pub(crate) fn change(
        &self,
        work: &mut Work,
        task: &Arc<Task>,
        command: Command,
        now: Timestamp,
        staged: &mut Staged,
    ) -> Result<Arc<Task>, OutOfTurn> {
        let event = task.decide(command, now)?;
        let mut after = Task::clone(task);
        after.apply(&event);
        let after = Arc::new(after);
        staged.change(&after, Some(task.status), &event);
        work.put(Arc::clone(&after));
        if after.status.is_terminal() || after.status == Status::InputRequired {
            self.resolve(work, &after, now, staged);
        }
        Ok(after)
    }

    /// Stages a new task.
    pub(crate) fn create(&self, work: &mut Work, task: Task, staged: &mut Staged) -> Arc<Task> {
        let task = Arc::new(task);
        let event = Event {
            at: task.created_at,
            status: task.status,
            percent: 0,
            said: None,
            result: None,
        };
        staged.change(&task, None, &event);
        work.put(Arc::clone(&task));
        task
    }

    /// Answers the callers who wait for a synchronous task with the state it is in.
    fn resolve(&self, work: &mut Work, task: &Task, now: Timestamp, staged: &mut Staged) {
        if let Some(Waiting { exchange, callers }) = work.waiting.remove(&task.id) {
            let reply = state_reply(task);
            staged.respond(exchange, &reply, now);
            staged
                .resolved
                .extend(callers.into_iter().map(|c| (c, reply.clone())));
        }
    }

    pub(crate) fn fall_due(&self, work: &mut Work, due: Due, now: Timestamp, staged: &mut Staged) {
        match due {
            Due::Wake { agent, token } => {
                self.run(work, agent, Input::Woken(token), now, staged);
            }
            Due::Reply(id) => {
                if let Some(task) = work.task(&id).cloned() {
                    self.resolve(work, &task, now, staged);
                }
            }
        }
    }

    /// Queues what was staged for the disk and lets go of what may leave with it. What agents
    /// send leaves at once: whatever it causes is committed behind this batch, never before it.
    pub(crate) fn commit(&self, staged: Staged) -> Ticket {
        let (batch, resolved, outgoing) = staged.into_batch();
        let ticket = self.store.commit(batch);
        for (caller, reply) in resolved {
            // The caller's own ticket stands behind this batch, so it resolves after it.
            let _ = caller.send((reply, self.store.commit(store::Batch::default())));
        }
        if !outgoing.is_empty() {
            self.outbox
                .lock()
                .expect("no holder panics")
                .extend(outgoing);
        }
        self.outbox_filled.notify_one();
        ticket
    }
}

/// A task's state as a reply: what the caller of a synchronous task gets, and who queries one.
pub(crate) fn state_reply(task: &Task) -> Reply {
    let said = || task.said.clone().into_iter().collect::<Vec<_>>();
    let mut reply = match task.status {
        Status::Finished => Reply::new(Verdict::Result, task.result.clone().into_iter().collect()),
        Status::InputRequired if task.result.is_some() => {
            Reply::new(Verdict::Result, task.result.clone().into_iter().collect())
        }
        Status::InputRequired | Status::AuthRequired => Reply::new(Verdict::InputRequired, said()),
        Status::Failed | Status::Rejected | Status::Cancelled | Status::Unconfirmed => {
            let why = task
                .said
                .as_ref()
                .map_or("", |s| s.task_description.as_str());
            Reply {
                content: said(),
                ..Reply::refused(task.status.as_str(), "", why)
            }
        }
        Status::Created | Status::Processing | Status::Blocked => {
            Reply::new(Verdict::Accepted, said())
        }
    };
    reply.task = Some(task.id.clone());
    reply.status = Some(task.status);
    reply
}

impl Engine {
    /// The refusal for an agent that owes an answer.
    pub(crate) fn no_answer(&self, index: usize) -> Refusal {
        let name = self.roster.members()[index].profile.name.clone();
        error!(agent = name, "agent '{name}' owes an answer");
        Refusal::NoAnswer { name }
    }
}
