//! What one decision changes is queued for the disk, and what may leave with it leaves.
//!
//! Read next: [`super::outbox`], what waits for the disk; [`super::stored`], who waits for it.

use crate::Engine;
use crate::commit::stored::Stored;
use crate::commit::unit_of_work::UnitOfWork;
use std::sync::atomic::Ordering::Relaxed;
use store::{Batch, CommitError, Ticket};

impl Engine {
    /// Queues what was staged for the disk and lets go of what may leave with it. Where agents step
    /// in turn, what they send leaves at once: whatever it causes is committed behind this batch,
    /// never before it. Where they step beside the decisions, it leaves once the batch is on disk. What
    /// follows from decisions that are still to be taken back is not stored.
    pub(crate) fn commit(&self, mut unit: UnitOfWork) -> Ticket {
        for written in unit.take_written() {
            self.charge(&written);
        }
        let outgoing = std::mem::take(&mut unit.outgoing);
        let is_stale = self.commits.stale.load(Relaxed);
        match (self.hosting.is_beside() || is_stale) && !outgoing.is_empty() {
            true => self
                .commits
                .outbox
                .hold(self.commits.mark(&mut unit), outgoing),
            false => self.commits.outbox.leave(outgoing),
        }
        let (batch, rest) = unit.into_batch(&self.tasks.shared.placement);
        let taken_back = self.store.taken_back();
        let queue = |batch| match is_stale {
            true => Ticket::failed(CommitError::Unreachable),
            false => self.store.commit(batch),
        };
        let ticket = queue(batch);
        // The callers' own tickets stand behind this batch, so they resolve after it.
        let stored = || Stored {
            ticket: queue(Batch::default()),
            store: self.store.clone(),
            taken_back,
        };
        for (caller, reply) in rest.resolved {
            let _ = caller.send((reply, stored()));
        }
        for (caller, team) in rest.formed {
            let _ = caller.send((team, stored()));
        }
        self.commits.outbox.notify();
        ticket
    }
}
