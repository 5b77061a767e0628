//! Entries of data-params as decided, while the store does not have them yet, or a load may have missed them
//! there.
//!
//! Read next: [`crate::data`]; [`crate::commit::loads`].

use crate::commit::loads::{Leaving, Loads};
use crate::commit::observer::CommitObserver;
use domain::context::DataParam;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use store::Committed;

/// Entries of data-params as decided, while the store does not have them yet.
pub(crate) struct Entries {
    loads: Arc<Loads>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    decided: HashMap<String, DataParam>,
    /// Those of them that are on disk.
    leaving: Leaving<DataParam>,
}

impl CommitObserver for Entries {
    /// Lets go of what is on disk.
    fn on_commit(&self, committed: &[Committed]) {
        let mut state = self.lock();
        let State { decided, leaving } = &mut *state;
        if decided.is_empty() {
            return;
        }
        let entries = committed.iter().flat_map(|c| &c.data);
        let known = entries.filter(|entry| decided.get(&entry.id) == Some(entry));
        leaving.extend(&self.loads, known.cloned());
        for entry in leaving.take(&self.loads) {
            let_go(decided, &entry);
        }
    }

    /// Lets go of all: what is on disk is true.
    fn on_rollback(&self) {
        *self.lock() = State::default();
    }
}

impl Entries {
    pub(crate) fn new(loads: Arc<Loads>) -> Self {
        let state = Mutex::default();
        Self { loads, state }
    }

    /// An entry as decided.
    pub(crate) fn find(&self, id: &str) -> Option<DataParam> {
        self.lock().decided.get(id).cloned()
    }

    /// Takes in an entry as decided.
    pub(crate) fn put(&self, entry: DataParam) {
        self.lock().decided.insert(entry.id.clone(), entry);
    }

    /// Takes back what the store did not take.
    pub(crate) fn take_back(&self, entry: &DataParam) {
        let_go(&mut self.lock().decided, entry);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}

/// Unless something else was decided since.
fn let_go(decided: &mut HashMap<String, DataParam>, entry: &DataParam) {
    if decided.get(&entry.id) == Some(entry) {
        decided.remove(&entry.id);
    }
}
