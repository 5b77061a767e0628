//! Configurations for pushing that are to be kept and are not on disk yet.
//!
//! Read next: [`crate::tasks::push`].

use crate::commit::observer::CommitObserver;
use domain::push::PushConfig;
use domain::task::TaskId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::{Committed, PushChange};

/// How often a configuration is to be kept and is not on disk yet.
#[derive(Default)]
pub(crate) struct Unstored(Mutex<BTreeMap<Key, u32>>);

impl CommitObserver for Unstored {
    /// These batches are on disk.
    fn on_commit(&self, committed: &[Committed]) {
        for change in committed.iter().flat_map(|c| &c.pushes) {
            let PushChange::Keep(kept) = change else {
                continue;
            };
            let mut unstored = self.lock();
            if let Entry::Occupied(mut often) = unstored.entry(key(kept)) {
                *often.get_mut() -= 1;
                if *often.get() == 0 {
                    often.remove();
                }
            }
        }
    }

    /// Lets go of all: what is on disk is true.
    fn on_rollback(&self) {
        self.lock().clear();
    }
}

impl Unstored {
    pub(crate) fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn key(config: &PushConfig) -> Key {
    let (task, owner) = (config.task.clone(), config.owner.clone());
    (task, owner, config.id.clone())
}

/// A configuration: its task, its owner, its identifier.
pub(crate) type Key = (TaskId, String, String);
