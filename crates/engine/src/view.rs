//! What readers see: the last committed state of every open task and of those that ended last,
//! without touching the writer. Older ones are in the store.
//!
//! Read next: [`crate::query`].

use domain::event::Sequence;
use domain::task::{Task, TaskId};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, RwLock, RwLockReadGuard};
use store::{Below, Committed};

/// How many ended tasks are kept beside the store.
const ENDED_KEPT: usize = 16_384;

/// Committed tasks, by identifier and by executor.
pub(crate) struct View {
    tasks: RwLock<Tasks>,
}

#[derive(Default)]
pub(crate) struct Tasks {
    by_id: BTreeMap<TaskId, Kept>,
    executors: HashMap<String, Executor>,
    /// The ended ones among `by_id`, oldest first, with what they say in bytes.
    ended: VecDeque<(TaskId, usize)>,
    ended_bytes: usize,
    /// How many bytes those may say.
    ended_bytes_most: usize,
    changes: u64,
    counts: Counts,
    as_of: Sequence,
}

/// A committed task, with what readers found out about it.
struct Kept {
    task: Arc<Task>,
    /// What it says, in bytes.
    bytes: usize,
    /// What hangs below it, once somebody has looked.
    below: Option<Below>,
    /// How often something was committed that hangs below it.
    grown: u64,
}

impl Kept {
    fn grow(&mut self, more: impl FnOnce(&mut Below)) {
        self.grown += 1;
        self.below.as_mut().map(more);
    }
}

/// What is known in memory of what hangs below a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knowledge {
    /// This, of which some may be gone by now.
    Known(Below),
    /// Nothing yet: whoever looks is to tell ([`View::note`]), and that it had grown so often before.
    Unknown(u64),
    /// Nothing, for the task is not in memory.
    Elsewhere,
}

/// The tasks of one executor in the order of their last change.
#[derive(Default)]
struct Executor {
    open: BTreeMap<u64, Arc<Task>>,
    changed: HashMap<TaskId, u64>,
    ended: Option<Arc<Task>>,
}

/// How many tasks there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All committed tasks, those in the store included.
    pub tasks: u64,
    /// Those that have not ended.
    pub open: u64,
}

impl View {
    /// An empty one that keeps ended tasks as long as they say no more than so many bytes.
    pub(crate) fn keeping(ended_bytes_most: u64) -> Self {
        let tasks = Tasks {
            ended_bytes_most: usize::try_from(ended_bytes_most).unwrap_or(usize::MAX),
            ..Tasks::default()
        };
        Self {
            tasks: RwLock::new(tasks),
        }
    }

    /// Takes in what was open when the store was opened, how many tasks there are in all, and up to
    /// where the log tells of them.
    pub(crate) fn load(&self, open: &[Arc<Task>], all: u64, last: Sequence) {
        let mut ordered: Vec<&Arc<Task>> = open.iter().collect();
        ordered.sort_by_key(|t| t.changed_at);
        let mut view = self.tasks.write().expect("no writer panics");
        for task in ordered {
            view.put(task);
        }
        view.counts.tasks = all;
        view.as_of = last;
    }

    pub(crate) fn apply(&self, committed: &[Committed]) {
        let mut view = self.tasks.write().expect("no writer panics");
        for task in committed.iter().flat_map(|c| &c.tasks) {
            view.put(task);
        }
        for negotiation in committed.iter().flat_map(|c| &c.negotiations) {
            view.grow(&negotiation.task, |below| below.negotiations = true);
        }
        let entries = committed.iter().flat_map(|c| &c.entries);
        if let Some(last) = entries.last() {
            view.as_of = last.sequence;
        }
    }

    /// Lets go of tasks that the store has trimmed.
    pub(crate) fn forget(&self, trimmed: u64) {
        let mut view = self.tasks.write().expect("no writer panics");
        view.counts.tasks = view.counts.tasks.saturating_sub(trimmed);
        for (id, _) in std::mem::take(&mut view.ended) {
            view.by_id.remove(&id);
        }
        view.ended_bytes = 0;
        for executor in view.executors.values_mut() {
            executor.ended = None;
        }
    }

    /// Notes what the store holds below a task that had `grown` so often before somebody looked: not
    /// if it has grown since.
    pub(crate) fn note(&self, id: &TaskId, found: Below, grown: u64) {
        let mut view = self.tasks.write().expect("no writer panics");
        let kept = view.by_id.get_mut(id);
        if let Some(kept) = kept.filter(|kept| kept.grown == grown) {
            kept.below = Some(found);
        }
    }

    pub(crate) fn tasks(&self) -> RwLockReadGuard<'_, Tasks> {
        self.tasks.read().expect("no writer panics")
    }
}

impl Tasks {
    fn put(&mut self, task: &Arc<Task>) {
        self.changes += 1;
        self.counts.tasks += u64::from(task.version == 1);
        let executor = match self.executors.get_mut(&task.to) {
            Some(executor) => executor,
            None => self.executors.entry(task.to.clone()).or_default(),
        };
        if let Some(before) = executor.changed.remove(&task.id) {
            executor.open.remove(&before);
            self.counts.open -= 1;
        }
        let bytes = task.bytes();
        if task.status.is_terminal() {
            executor.ended = Some(Arc::clone(task));
            self.ended.push_back((task.id.clone(), bytes));
            self.ended_bytes += bytes;
        } else {
            executor.open.insert(self.changes, Arc::clone(task));
            executor.changed.insert(task.id.clone(), self.changes);
            self.counts.open += 1;
        }
        if let Some(parent) = &task.conditions.parent {
            self.grow(parent, |below| below.parts = true);
        }
        match self.by_id.get_mut(&task.id) {
            Some(kept) => (kept.task, kept.bytes) = (Arc::clone(task), bytes),
            None => {
                let kept = Kept {
                    task: Arc::clone(task),
                    bytes,
                    below: None,
                    grown: 0,
                };
                self.by_id.insert(task.id.clone(), kept);
            }
        }
        while (self.ended.len() > ENDED_KEPT || self.ended_bytes > self.ended_bytes_most)
            && let Some((oldest, bytes)) = self.ended.pop_front()
        {
            self.ended_bytes -= bytes;
            self.by_id.remove(&oldest);
        }
    }

    fn grow(&mut self, id: &TaskId, more: impl FnOnce(&mut Below)) {
        if let Some(kept) = self.by_id.get_mut(id) {
            kept.grow(more);
        }
    }

    /// What is known of what hangs below a task.
    pub(crate) fn below(&self, id: &TaskId) -> Knowledge {
        match self.by_id.get(id) {
            Some(Kept { below: Some(b), .. }) => Knowledge::Known(*b),
            Some(kept) => Knowledge::Unknown(kept.grown),
            None => Knowledge::Elsewhere,
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// True if every committed task is here.
    pub(crate) fn is_whole(&self) -> bool {
        self.by_id.len() as u64 == self.counts.tasks
    }

    pub(crate) fn find(&self, id: &TaskId) -> Option<&Arc<Task>> {
        Some(&self.by_id.get(id)?.task)
    }

    /// The last entry of the log that is told by these tasks: what stands behind it is news of them.
    pub(crate) fn as_of(&self) -> Sequence {
        self.as_of
    }

    /// Those of the tasks here that are visible; none if they say more than so many bytes.
    pub(crate) fn here(
        &self,
        most: u64,
        visible: impl Fn(&Arc<Task>) -> bool,
    ) -> Option<Vec<Arc<Task>>> {
        let (mut found, mut bytes) = (Vec::new(), 0);
        for kept in self.by_id.values().filter(|kept| visible(&kept.task)) {
            bytes += kept.bytes as u64;
            if bytes > most {
                return None;
            }
            found.push(Arc::clone(&kept.task));
        }
        Some(found)
    }

    /// The last changed open tasks of an executor, newest first, then the last that ended, if it
    /// ended in this run.
    pub(crate) fn current(&self, executor: &str) -> impl Iterator<Item = &Arc<Task>> {
        self.executors
            .get(executor)
            .into_iter()
            .flat_map(|e| e.open.values().rev().chain(&e.ended))
    }
}
