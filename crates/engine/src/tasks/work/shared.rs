//! What all shards share: where tasks live, what falls due, what each publisher has open, who waits.
//!
//! Each has a lock of its own, which nothing else is taken under. Read next: [`super`].

use crate::deadlines::Deadlines;
use crate::numbers::Numbers;
use crate::tasks::awaited::{Awaited, Waiting};
use crate::tasks::placement::Placement;
use crate::tasks::publishers::Publishers;
use domain::inventory::Inventory;
use domain::task::TaskId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) struct Shared {
    pub(crate) placement: Arc<Placement>,
    pub(crate) deadlines: Arc<Deadlines>,
    pub(crate) numbers: Arc<Numbers>,
    pub(crate) inventory: Arc<Inventory>,
    pub(crate) publishers: Mutex<Publishers>,
    /// Callers, by what they wait for. What is about a task is entered and taken out by who holds its shard.
    waiting: Mutex<HashMap<Awaited, Waiting>>,
}

impl Shared {
    pub(crate) fn new(
        placement: Arc<Placement>,
        deadlines: Arc<Deadlines>,
        numbers: Arc<Numbers>,
        inventory: Arc<Inventory>,
    ) -> Self {
        Self {
            placement,
            deadlines,
            numbers,
            inventory,
            publishers: Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    pub(super) fn waiting(&self) -> MutexGuard<'_, HashMap<Awaited, Waiting>> {
        self.waiting.lock().expect("no holder panics")
    }

    /// True if callers wait for something to be said of a task.
    pub(crate) fn is_waited_for(&self, task: &TaskId) -> bool {
        self.waiting().keys().any(|awaited| awaited.task() == task)
    }

    pub(crate) fn publishers(&self) -> MutexGuard<'_, Publishers> {
        self.publishers.lock().expect("no holder panics")
    }
}
