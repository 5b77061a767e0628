//! The turn of the executor in a feasibility, later than its answer to who asked, and the end of one
//! that finds no agreement: whoever waits for it is told, and the team that it is about goes on.
//!
//! Read next: [`crate::tasks::proposal`], the publisher's turn; [`crate::tasks::team`].

use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::awaited::Awaited;
use crate::tasks::negotiate::turn::reply_of;
use crate::tasks::proposal::KIND;
use crate::tasks::work::Work;
use crate::{Engine, Refusal};
use domain::negotiation::{Kind, Move, Negotiation, Side, Speech};
use domain::reply::Reason;
use domain::task::TaskId;
use domain::time::Timestamp;
use std::sync::Arc;
use tracing::error;

impl Engine {
    /// The executor's turn in a feasibility, later than its answer to who asked.
    pub(crate) fn executor_answers(
        &self,
        work: &mut Work<'_>,
        negotiation: &Arc<Negotiation>,
        speech: Speech,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) -> Result<(), Refusal> {
        let spoken = Move::Speak(Side::Executor, speech);
        let after = work.move_on(negotiation, spoken, now, unit)?;
        let round = after.round();
        let awaited = Awaited::Turn(after.task.clone(), KIND, round);
        work.resolve(&awaited, &reply_of(&after, round), now, unit);
        self.team_answered(work, &after, now, unit);
        Ok(())
    }

    /// Ends an open negotiation without agreement, and tells who waits for a word in it.
    pub(crate) fn end_negotiation(
        &self,
        work: &mut Work<'_>,
        open: &Arc<Negotiation>,
        wanted: Move,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let ended = work.move_on(open, wanted, now, unit);
        let ended = ended.expect("what is open can end");
        let round = ended.round();
        let awaited = Awaited::Turn(ended.task.clone(), ended.kind, round);
        work.resolve(&awaited, &reply_of(&ended, round), now, unit);
        self.team_answered(work, &ended, now, unit);
    }

    /// Whoever had the word stayed silent.
    pub(crate) fn negotiation_due(
        &self,
        work: &mut Work<'_>,
        task: &TaskId,
        kind: Kind,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let Some(open) = work
            .negotiation(task, kind)
            .filter(|n| n.is_open())
            .cloned()
        else {
            return;
        };
        self.end_negotiation(work, &open, Move::Expire, now, unit);
    }

    /// The executor's refusal of an offer that waits for it, since it cannot answer.
    pub(crate) fn decline(
        &self,
        work: &mut Work<'_>,
        open: &Arc<Negotiation>,
        reason: &str,
        why: &str,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        if open.next_side() != Some(Side::Executor) {
            return;
        }
        let speech = Speech::refuse(vec![Reason {
            reason: reason.to_owned(),
            path: String::new(),
            message: why.to_owned(),
        }]);
        if let Err(defect) = self.executor_answers(work, open, speech, now, unit) {
            error!(task.id = %open.task, "a negotiation cannot be refused: {defect}");
        }
    }
}
