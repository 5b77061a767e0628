//! The lock of decisions, and what becomes of a platform whose decision panicked.
//!
//! Agents do not step under it, so that only a defect of the engine can panic there. Nobody knows
//! then what was decided: whoever runs the platform is told to end it. Nothing is read from the store under it
//! but for that with which every decision begins, [`super::recovery`]: tests panic where it is. Read next:
//! [`super::broken`], which tells; [`super::order`], which locks may be taken under it;
//! [`crate::tasks::lookup`], what is read before.

use crate::Engine;
use crate::commit::order::{Held, Rank};
use crate::tasks::loaded::Loaded;
use crate::tasks::work::Work;
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use store::NoReads;

/// What is decided, held by one.
pub(crate) struct Deciding<'e> {
    /// Is let go of first: nobody takes up what a decision left that panicked.
    _held: Held<'e>,
    work: MutexGuard<'e, Work>,
    /// Since all that is decided on is in memory.
    nothing_is_read: Option<NoReads>,
}

impl Deref for Deciding<'_> {
    type Target = Work;

    fn deref(&self) -> &Work {
        &self.work
    }
}

impl DerefMut for Deciding<'_> {
    fn deref_mut(&mut self) -> &mut Work {
        &mut self.work
    }
}

impl Drop for Deciding<'_> {
    fn drop(&mut self) {
        self.work.loaded = Loaded::default();
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

    pub(crate) fn lock_work(&self) -> Deciding<'_> {
        let held = Held::take(Rank::Work, &self.tasks.broken);
        let work = self.tasks.work.lock();
        let mut deciding = Deciding {
            _held: held,
            work: work.expect("a decision panicked, and the platform must end"),
            nothing_is_read: None,
        };
        self.recover(&mut deciding);
        deciding.tidy();
        deciding.nothing_is_read = Some(NoReads::begin());
        deciding
    }
}
