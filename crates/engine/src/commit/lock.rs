//! The locks of decisions, and what becomes of a platform whose decision panicked.
//!
//! Agents do not step under them, so that only a defect of the engine can panic there. Nobody knows
//! then what was decided: whoever runs the platform is told to end it. Nothing is read from the store under them
//! but for that with which every decision begins, [`super::recovery`]: tests panic where it is. Read next:
//! [`super::broken`], which tells; [`super::order`], which locks may be taken under them;
//! [`crate::tasks::lookup`], which shards a decision needs, and what is read before.

use crate::Engine;
use crate::commit::order::{Held, Rank};
use crate::tasks::work::Work;
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use store::NoReads;

/// What is decided, held by one.
pub(crate) struct Deciding<'e> {
    /// Is let go of first: nobody takes up what a decision left that panicked.
    _held: Held<'e>,
    work: Work<'e>,
    /// Since all that is decided on is in memory.
    nothing_is_read: Option<NoReads>,
}

impl<'e> Deref for Deciding<'e> {
    type Target = Work<'e>;

    fn deref(&self) -> &Work<'e> {
        &self.work
    }
}

impl DerefMut for Deciding<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.work
    }
}

impl Engine {
    /// True if a decision panicked: nothing can be decided any more, and the process must end.
    pub fn is_broken(&self) -> bool {
        self.tasks.broken.is_set()
    }

    /// Resolves once a decision has panicked.
    pub async fn broken(&self) {
        self.tasks.broken.wait().await;
    }

    /// Everything that is decided.
    pub(crate) fn lock_all(&self) -> Deciding<'_> {
        self.lock_shards(&self.tasks.all_shards())
    }

    /// These shards.
    pub(crate) fn lock_shards(&self, shards: &BTreeSet<usize>) -> Deciding<'_> {
        loop {
            let recovered = self.recover_first();
            let mut deciding = self.hold_shards(shards);
            if self.store.taken_back() == recovered {
                deciding.tidy(&self.tasks.settled);
                deciding.nothing_is_read = Some(NoReads::begin());
                return deciding;
            }
        }
    }

    /// Holds shards as they are, one after the other by number, so that no two wait for each other.
    pub(super) fn hold_shards(&self, shards: &BTreeSet<usize>) -> Deciding<'_> {
        let held = Held::take(Rank::Work, &self.tasks.broken);
        let locked = shards.iter().map(|shard| {
            let locked = self.tasks.shards[*shard].lock();
            (
                *shard,
                locked.expect("a decision panicked, and the platform must end"),
            )
        });
        Deciding {
            work: Work::of(locked.collect(), &self.tasks.shared),
            _held: held,
            nothing_is_read: None,
        }
    }
}
