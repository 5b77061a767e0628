//! Configurations for pushing that are to be kept and are not on disk yet, or may have been missed there.
//!
//! Read next: [`crate::tasks::push`]; [`crate::commit::loads`].

use crate::commit::loads::{Leaving, Loads};
use crate::commit::observer::CommitObserver;
use domain::push::PushConfig;
use domain::task::TaskId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Committed, PushChange};

/// Configurations that are to be kept and are not on disk yet.
pub(crate) struct Unstored {
    loads: Arc<Loads>,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    /// How often each is to be kept.
    often: BTreeMap<Key, u32>,
    /// Those of them that are on disk.
    leaving: Leaving<Key>,
}

impl CommitObserver for Unstored {
    /// These batches are on disk.
    fn on_commit(&self, committed: &[Committed]) {
        let mut state = self.lock();
        let State { often, leaving } = &mut *state;
        let kept = committed.iter().flat_map(|c| &c.pushes);
        let kept = kept.filter_map(|change| match change {
            PushChange::Keep(kept) => Some(key(kept)),
            PushChange::Forget { .. } => None,
        });
        let kept = kept.filter(|key| often.contains_key(key));
        leaving.extend(&self.loads, kept);
        for kept in leaving.take(&self.loads) {
            if let Entry::Occupied(mut often) = often.entry(kept) {
                *often.get_mut() -= 1;
                if *often.get() == 0 {
                    often.remove();
                }
            }
        }
    }

    /// Lets go of all but what is on disk: that is true.
    fn on_rollback(&self) {
        let mut state = self.lock();
        let State { often, leaving } = &mut *state;
        often.clear();
        for kept in leaving.iter() {
            *often.entry(kept.clone()).or_default() += 1;
        }
    }
}

impl Unstored {
    pub(crate) fn new(loads: Arc<Loads>) -> Self {
        let state = Mutex::default();
        Self { loads, state }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes in one more that is to be kept.
    pub(crate) fn put(&mut self, config: &PushConfig) {
        *self.often.entry(key(config)).or_default() += 1;
    }

    /// The identifiers of an owner's for a task.
    pub(crate) fn of<'s>(&'s self, task: &TaskId, owner: &str) -> impl Iterator<Item = &'s String> {
        let keys = self.often.keys();
        let own = keys.filter(move |(about, whose, _)| about == task && whose == owner);
        own.map(|(_, _, id)| id)
    }
}

fn key(config: &PushConfig) -> Key {
    let (task, owner) = (config.task.clone(), config.owner.clone());
    (task, owner, config.id.clone())
}

/// A configuration: its task, its owner, its identifier.
type Key = (TaskId, String, String);
