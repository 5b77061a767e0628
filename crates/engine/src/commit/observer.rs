//! Whoever takes in what is on disk: told by the writer of the store, batch by batch and in order.
//!
//! Read next: [`crate::engine`], where all of them are listed.

use std::sync::Arc;
use store::Committed;

/// Takes in what is on disk. It owns no store, or the store would never close.
pub(crate) trait CommitObserver: Send + Sync {
    /// These batches are on disk.
    fn on_commit(&self, committed: &[Committed]);

    /// What was decided since and is not on disk is taken back: what is on disk is true.
    fn on_rollback(&self) {}
}

/// Those who take in what is on disk, in the order in which they are told.
pub(crate) struct Observers(Vec<Arc<dyn CommitObserver>>);

impl Observers {
    pub(crate) fn new(observers: Vec<Arc<dyn CommitObserver>>) -> Self {
        Self(observers)
    }

    /// Tells each what is on disk.
    pub(crate) fn on_commit(&self, committed: &[Committed]) {
        for observer in &self.0 {
            observer.on_commit(committed);
        }
    }

    /// Tells each that what is not on disk is taken back.
    pub(crate) fn on_rollback(&self) {
        for observer in &self.0 {
            observer.on_rollback();
        }
    }
}
