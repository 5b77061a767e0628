//! What readers see: the last committed state of every task, without touching the writer.
//!
//! Read next: [`crate::query`].

use domain::task::{Task, TaskId};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, RwLock, RwLockReadGuard};
use store::Committed;

/// Committed tasks, by identifier and by executor.
#[derive(Default)]
pub(crate) struct View {
    tasks: RwLock<Tasks>,
}

#[derive(Default)]
pub(crate) struct Tasks {
    by_id: BTreeMap<TaskId, Arc<Task>>,
    executors: HashMap<String, Executor>,
    changes: u64,
}

/// The tasks of one executor in the order of their last change.
#[derive(Default)]
struct Executor {
    open: BTreeMap<u64, Arc<Task>>,
    changed: HashMap<TaskId, u64>,
    ended: Option<Arc<Task>>,
}

/// How many tasks there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// All committed tasks.
    pub tasks: u64,
    /// Those that have not ended.
    pub open: u64,
}

impl View {
    pub(crate) fn load(&self, tasks: &[Arc<Task>]) {
        let mut ordered: Vec<&Arc<Task>> = tasks.iter().collect();
        ordered.sort_by_key(|t| t.changed_at);
        let mut view = self.tasks.write().expect("no writer panics");
        for task in ordered {
            view.put(task);
        }
    }

    pub(crate) fn apply(&self, committed: &[Committed]) {
        let mut view = self.tasks.write().expect("no writer panics");
        for task in committed.iter().flat_map(|c| &c.tasks) {
            view.put(task);
        }
    }

    pub(crate) fn tasks(&self) -> RwLockReadGuard<'_, Tasks> {
        self.tasks.read().expect("no writer panics")
    }
}

impl Tasks {
    fn put(&mut self, task: &Arc<Task>) {
        self.changes += 1;
        let executor = match self.executors.get_mut(&task.to) {
            Some(executor) => executor,
            None => self.executors.entry(task.to.clone()).or_default(),
        };
        if let Some(before) = executor.changed.remove(&task.id) {
            executor.open.remove(&before);
        }
        if task.status.is_terminal() {
            executor.ended = Some(Arc::clone(task));
        } else {
            executor.open.insert(self.changes, Arc::clone(task));
            executor.changed.insert(task.id.clone(), self.changes);
        }
        self.by_id.insert(task.id.clone(), Arc::clone(task));
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            tasks: self.by_id.len() as u64,
            open: self.executors.values().map(|e| e.open.len() as u64).sum(),
        }
    }

    pub(crate) fn find(&self, id: &TaskId) -> Option<&Arc<Task>> {
        self.by_id.get(id)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Task>> {
        self.by_id.values()
    }

    /// The last changed open tasks of an executor, newest first, then the last that ended.
    pub(crate) fn current(&self, executor: &str) -> impl Iterator<Item = &Arc<Task>> {
        self.executors
            .get(executor)
            .into_iter()
            .flat_map(|e| e.open.values().rev().chain(&e.ended))
    }
}
