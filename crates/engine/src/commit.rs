//! The one commit: what a decision changes leaves as one batch, and what was not stored is taken back.
//!
//! Read next: [`unit_of_work`], [`outbox`], `recovery`.

pub(crate) mod lock;
pub(crate) mod observer;
pub(crate) mod outbox;
pub(crate) mod recovery;
pub(crate) mod stored;
pub(crate) mod unit_of_work;

use crate::Engine;
use crate::commit::observer::Observers;
use crate::commit::outbox::Outbox;
use crate::commit::stored::Stored;
use crate::commit::unit_of_work::UnitOfWork;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use store::{Batch, Document, Ticket};

/// How often a store that was full or locked is tried again, in milliseconds.
pub(crate) const AGAIN_MS: i64 = 5_000;

/// The road to the disk: what waits for a batch, and who takes it in.
pub(crate) struct Committer {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) observers: Arc<Observers>,
    /// Counts the batches for which something waits.
    marks: AtomicU64,
    /// How many decisions that were not stored have been taken back.
    taken_back: AtomicU64,
}

impl Committer {
    pub(crate) fn new(outbox: Arc<Outbox>, observers: Arc<Observers>) -> Self {
        Self {
            outbox,
            observers,
            marks: AtomicU64::new(0),
            taken_back: AtomicU64::new(0),
        }
    }

    /// The mark of the batch that this will be.
    pub(crate) fn mark(&self, unit: &mut UnitOfWork) -> u64 {
        let next = || self.marks.fetch_add(1, Relaxed) + 1;
        *unit.mark.get_or_insert_with(next)
    }
}

impl Engine {
    /// Queues what was staged for the disk and lets go of what may leave with it. Where agents step
    /// in turn, what they send leaves at once: whatever it causes is committed behind this batch,
    /// never before it. Where they step beside the decisions, it leaves once the batch is on disk.
    pub(crate) fn commit(&self, mut unit: UnitOfWork) -> Ticket {
        for written in unit.take_written() {
            self.charge(&written);
        }
        let outgoing = std::mem::take(&mut unit.outgoing);
        match self.hosting.is_beside() && !outgoing.is_empty() {
            true => self
                .commits
                .outbox
                .hold(self.commits.mark(&mut unit), outgoing),
            false => self.commits.outbox.leave(outgoing),
        }
        let (batch, rest) = unit.into_batch();
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
        self.commits.outbox.notify();
        ticket
    }
}

/// Writes something and leaves nothing; no decision stands on it.
pub(crate) fn trial() -> Batch {
    let row = |body: Option<&str>| Document {
        kind: "trial".into(),
        name: "trial".to_owned(),
        body: body.map(str::to_owned),
    };
    Batch {
        documents: vec![row(Some("")), row(None)],
        ..Batch::default()
    }
}
