//! The lock of decisions, and what becomes of a platform whose decision panicked.
//!
//! Agents do not step under it, so that only a defect of the engine can panic there. Nobody knows
//! then what was decided: whoever runs the platform is told to end it.

use crate::Engine;
use crate::tasks::work::Work;
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use tokio::sync::Notify;

/// Whether a decision panicked.
#[derive(Default)]
pub(crate) struct Broken {
    is: AtomicBool,
    told: Notify,
}

impl Broken {
    /// A decision panicked: whoever waits is told.
    pub(crate) fn set(&self) {
        self.is.store(true, Release);
        self.told.notify_waiters();
    }

    /// True if a decision panicked.
    pub(crate) fn is_set(&self) -> bool {
        self.is.load(Acquire)
    }

    /// Resolves once a decision has panicked.
    pub(crate) async fn wait(&self) {
        let told = self.told.notified();
        let mut told = std::pin::pin!(told);
        // Registered before it is looked: what happens between is told.
        told.as_mut().enable();
        if !self.is_set() {
            told.await;
        }
    }
}

/// What is decided, held by one.
pub(crate) struct Deciding<'e> {
    work: MutexGuard<'e, Work>,
    broken: &'e Broken,
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
        if std::thread::panicking() {
            self.broken.set();
        }
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
        let work = self.tasks.work.lock();
        let mut deciding = Deciding {
            work: work.expect("a decision panicked, and the platform must end"),
            broken: &self.tasks.broken,
        };
        let durable = self.commits.outbox.take_durable();
        deciding.release(durable);
        self.recover(&mut deciding);
        deciding.tidy();
        deciding
    }
}
