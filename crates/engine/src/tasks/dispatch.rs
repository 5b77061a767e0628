//! Agents at work: an input goes in, and what comes out changes tasks or goes to the world.
//!
//! Read next: [`crate::tasks::life`], what follows from a change of a task; [`crate::tasks::outputs`], what
//! goes to the world; [`crate::tasks::negotiate`], which asks agents in the name of others.

use crate::Engine;
use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::work::Work;
use domain::agent::{Input, Output, Progress};
use domain::reply::Reply;
use domain::task::{Command, Status, TaskId};
use domain::time::Timestamp;
use std::sync::Arc;
use tracing::{debug, error};

impl Engine {
    /// Brings an agent an input that rests on what is staged: one in here finds it in its mailbox,
    /// what stands for one elsewhere takes it at once. Returns the answer if there is one.
    pub(crate) fn run(
        &self,
        work: &mut Work<'_>,
        index: usize,
        input: Input,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Option<Reply> {
        if self.hosting.agents.is_hosted(index) {
            self.post(index, input, None, unit);
            return None;
        }
        let outputs = self.step(index, input, now);
        self.take_outputs(work, index, outputs, now, unit)
    }

    /// Takes an agent's outputs on; returns the answer if there is one.
    pub(crate) fn take_outputs(
        &self,
        work: &mut Work<'_>,
        index: usize,
        outputs: Vec<Output>,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Option<Reply> {
        let name = self.registry.roster.name(index);
        let mut answer = None;
        for output in outputs {
            match output {
                Output::Answer(reply) => answer = Some(reply),
                Output::Report { task, progress } => {
                    self.reported(work, &name, &task, progress, now, unit);
                }
                Output::Speak { task, kind, speech } => {
                    self.spoke(work, &name, &task, kind, speech, now, unit);
                }
                output @ (Output::Wake { .. }
                | Output::Send { .. }
                | Output::Act { .. }
                | Output::Note(_)) => self.pass_on(index, output, unit),
            }
        }
        answer
    }

    /// An executor's news of a task. News of a task that has ended meanwhile (cancelled, say) are
    /// too late and change nothing; a result that the conditions forbid ends the task, for an
    /// agent in here has nobody to tell it to.
    fn reported(
        &self,
        work: &mut Work<'_>,
        executor: &str,
        id: &TaskId,
        progress: Progress,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let task = match work.task(id) {
            Some(task) if task.to == executor => Arc::clone(task),
            _ => {
                return error!(task.id = %id, agent = executor, "report of a task it does not execute");
            }
        };
        let command = self.command_of(work, id, progress);
        match self.change(work, &task, command, now, unit) {
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
                let failed = self.change(work, &task, Command::Fail(why), now, unit);
                failed.expect("a task that has not ended can fail");
            }
        }
    }

    /// What an executor's news mean for its task.
    pub(crate) fn command_of(&self, work: &Work<'_>, id: &TaskId, progress: Progress) -> Command {
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
}
