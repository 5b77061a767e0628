//! The one commit: what a decision changes leaves as one batch, and what was not stored is taken back.
//!
//! Read next: [`unit_of_work`], what is committed; [`submit`], how; [`outbox`], what waits for it;
//! [`broken`], a decision that panicked; [`loads`], what is read beforehand; `recovery`.

pub(crate) mod broken;
pub(crate) mod loads;
pub(crate) mod lock;
pub(crate) mod observer;
pub(crate) mod order;
pub(crate) mod outbox;
pub(crate) mod recovery;
pub(crate) mod stored;
pub(crate) mod submit;
pub(crate) mod unit_of_work;

use crate::commit::observer::Observers;
use crate::commit::outbox::Outbox;
use crate::commit::unit_of_work::UnitOfWork;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use store::{Batch, Document};

/// How often a store that was full, locked or away is tried again, in milliseconds.
pub(crate) const AGAIN_MS: i64 = 5_000;

/// The road to the disk: what waits for a batch, and who takes it in.
pub(crate) struct Committer {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) observers: Arc<Observers>,
    /// Counts the batches for which something waits.
    marks: AtomicU64,
    /// How many decisions that were not stored have been taken back.
    taken_back: AtomicU64,
    /// True while decisions that were not stored cannot be taken back, for the store cannot be read:
    /// nothing is stored that follows from them.
    stale: AtomicBool,
}

impl Committer {
    pub(crate) fn new(outbox: Arc<Outbox>, observers: Arc<Observers>) -> Self {
        Self {
            outbox,
            observers,
            marks: AtomicU64::new(0),
            taken_back: AtomicU64::new(0),
            stale: AtomicBool::new(false),
        }
    }

    /// How many decisions that were not stored have been taken back.
    pub(crate) fn taken_back(&self) -> u64 {
        self.taken_back.load(Relaxed)
    }

    /// The mark of the batch that this will be.
    pub(crate) fn mark(&self, unit: &mut UnitOfWork) -> u64 {
        let next = || self.marks.fetch_add(1, Relaxed) + 1;
        *unit.mark.get_or_insert_with(next)
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
