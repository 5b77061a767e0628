//! The turns of a fulfillment that its executor takes: a decision proposed, a plan taken, refused or countered.
//!
//! Read next: [`crate::tasks::negotiate`], where its publisher speaks; [`crate::tasks::life`].

use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::negotiation::rounds_over;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::content::Content;
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech, Stance, State};
use domain::task::{Command, Task, TaskId};
use domain::time::Timestamp;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Fulfillment;

impl Engine {
    /// A word of an agent in here, later than its answer to who asked.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn spoke(
        &self,
        work: &mut Work<'_>,
        agent: &str,
        id: &TaskId,
        kind: Kind,
        speech: Speech,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let spoken = match kind {
            Kind::Feasibility => match work.negotiation(id, kind).cloned() {
                Some(known) if known.executor == agent => {
                    self.executor_answers(work, &known, speech, now, unit)
                }
                _ => return tracing::error!(task.id = %id, agent, "a word where it is no party"),
            },
            Kind::Fulfillment => match work.task(id).cloned() {
                Some(task) if task.to == agent => {
                    let spoken = self.executor_speaks(work, &task, speech, now, unit);
                    spoken.map(drop)
                }
                _ => return tracing::error!(task.id = %id, agent, "a word where it is no party"),
            },
            Kind::Result => {
                return tracing::error!(task.id = %id, agent, "a result is offered by a report");
            }
        };
        if let Err(late) = spoken {
            tracing::debug!(task.id = %id, agent, "word not taken: {late}");
        }
    }

    /// The executor's turn on how the task is done: a decision proposed, a plan taken, refused or
    /// countered.
    pub(crate) fn executor_speaks(
        &self,
        work: &mut Work<'_>,
        task: &Arc<Task>,
        speech: Speech,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Arc<Task>, Refusal> {
        let (stance, contents) = (speech.stance, speech.contents.clone());
        let proposed = contents.into_iter().next();
        // Whatever follows for the task must be possible before a word is taken down.
        match (stance, &proposed) {
            (Stance::Offer, Some(proposed)) => {
                drop(task.decide(Command::Propose(proposed.clone()), now)?)
            }
            (Stance::Accept, _) => drop(task.decide(Command::Revise(Content::default()), now)?),
            _ => {}
        }
        let spoken = Move::Speak(Side::Executor, speech);
        let after = self.negotiate_on(work, task, KIND, spoken, now, unit)?;
        let command = match (after.state, proposed) {
            (State::Agreed, _) => Command::Revise(agreement_of(&after)),
            (State::Open, Some(proposed)) => Command::Propose(proposed),
            (State::Exhausted, _) => Command::Fail(rounds_over(task, after.round_limit)),
            _ => return Ok(Arc::clone(task)),
        };
        Ok(self.change(work, task, command, now, unit)?)
    }
}

pub(crate) fn agreement_of(negotiation: &Negotiation) -> Content {
    let agreed = negotiation.agreement();
    agreed.cloned().expect("what is agreed on was offered")
}
