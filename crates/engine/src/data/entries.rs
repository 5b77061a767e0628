//! Entries of data-params as decided, while the store does not have them yet.
//!
//! Read next: [`crate::data`].

use crate::commit::observer::CommitObserver;
use domain::context::DataParam;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use store::Committed;

/// Entries of data-params as decided, while the store does not have them yet.
#[derive(Default)]
pub(crate) struct Entries(Mutex<HashMap<String, DataParam>>);

impl CommitObserver for Entries {
    /// Lets go of what is on disk.
    fn on_commit(&self, committed: &[Committed]) {
        let mut decided = self.lock();
        if !decided.is_empty() {
            let entries = committed.iter().flat_map(|c| &c.data);
            entries.for_each(|entry| let_go(&mut decided, entry));
        }
    }

    /// Lets go of all: what is on disk is true.
    fn on_rollback(&self) {
        self.lock().clear();
    }
}

impl Entries {
    /// Takes back what the store did not take.
    pub(crate) fn take_back(&self, entry: &DataParam) {
        let_go(&mut self.lock(), entry);
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<String, DataParam>> {
        self.0.lock().expect("no holder panics")
    }
}

/// Unless something else was decided since.
fn let_go(decided: &mut HashMap<String, DataParam>, entry: &DataParam) {
    if decided.get(&entry.id) == Some(entry) {
        decided.remove(&entry.id);
    }
}
