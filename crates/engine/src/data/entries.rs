//! Entries of data-params as decided, while the store does not have them yet.
//!
//! Read next: [`crate::data`].

use crate::Engine;
use crate::commit::observer::CommitObserver;
use crate::commit::unit_of_work::UnitOfWork;
use crate::failure::StoreFailure;
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
pub(crate) fn let_go(decided: &mut HashMap<String, DataParam>, entry: &DataParam) {
    if decided.get(&entry.id) == Some(entry) {
        decided.remove(&entry.id);
    }
}

impl Engine {
    /// The entry as decided.
    pub(crate) fn entry(&self, id: &str) -> Result<Option<DataParam>, StoreFailure> {
        let decided = self.data.lock().get(id).cloned();
        match decided {
            Some(entry) => Ok(Some(entry)),
            None => Ok(self.store.data_param(id)?),
        }
    }

    /// Stages an entry; the next decision sees it.
    pub(crate) fn keep_data(&self, entry: DataParam, unit: &mut UnitOfWork) {
        let mut decided = self.data.lock();
        decided.insert(entry.id.clone(), entry.clone());
        unit.data.push(entry);
    }
}
