//! A negotiation of a task as it moves: decided, and staged with what else is decided.
//!
//! Knows no verb and no agent. Read next: `domain::negotiation`, [`crate::tasks::proposal`],
//! [`crate::tasks::plan`].

use crate::Engine;
use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::work::Work;
use domain::content::Content;
use domain::negotiation::{Kind, Misplaced, Move, Negotiation};
use domain::task::Task;
use domain::time::Timestamp;
use std::sync::Arc;

impl Work<'_> {
    /// Moves a negotiation and stages it.
    pub(crate) fn move_on(
        &mut self,
        negotiation: &Arc<Negotiation>,
        wanted: Move,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Arc<Negotiation>, crate::Refusal> {
        let mut change = negotiation.decide(wanted, now)?;
        if let Some(turn) = &mut change.turn {
            turn.request = unit.take_request();
        }
        let mut after = Negotiation::clone(negotiation);
        after.apply(&change);
        let after = Arc::new(after);
        unit.turn(&after, &change);
        self.put_negotiation(Arc::clone(&after));
        Ok(after)
    }
}

impl Engine {
    /// Moves a negotiation of an open task, opening it if need be. All that were opened are in memory.
    pub(crate) fn negotiate_on(
        &self,
        work: &mut Work<'_>,
        task: &Task,
        kind: Kind,
        wanted: Move,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<Arc<Negotiation>, crate::Refusal> {
        let negotiation = match work.negotiation(&task.id, kind) {
            Some(negotiation) => Arc::clone(negotiation),
            None => {
                let mut fresh = Negotiation::between(task.id.clone(), kind, &task.from, &task.to);
                fresh.round_limit = match task.conditions.round_limit {
                    0 => self.limits.rounds,
                    stated => stated,
                };
                fresh.answer_within_ms = task.conditions.answer_within_ms;
                Arc::new(fresh)
            }
        };
        work.move_on(&negotiation, wanted, now, unit)
    }
}

/// A negotiation as it is after a move; nothing has changed yet.
pub(crate) fn moved(
    negotiation: &Negotiation,
    wanted: Move,
    now: Timestamp,
) -> Result<Negotiation, Misplaced> {
    let change = negotiation.decide(wanted, now)?;
    let mut after = negotiation.clone();
    after.apply(&change);
    Ok(after)
}

/// The words for a task whose negotiation found no end.
pub(crate) fn rounds_over(task: &Task, rounds: u32) -> Content {
    let why = format!("no agreement in {rounds} rounds");
    Content::new(task.content.target_object.clone(), why)
}
