//! What readers see: the last committed state of every open task and of those that ended last,
//! without touching the writer. Older ones are in the store.
//!
//! Read next: [`crate::query`].

use crate::commit::observer::CommitObserver;
use domain::event::Sequence;
use domain::task::{Task, TaskId};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard};
use store::{Below, Committed};

/// How many ended tasks are kept beside the store.
const ENDED_KEPT: usize = 16_384;

/// The number of tasks outside memory of which it is remembered what hangs below them: those asked for
/// at a time.
const LOOKED_AT: usize = 1_024;

/// Committed tasks, by identifier and by executor.
pub(crate) struct View {
    tasks: RwLock<Tasks>,
    elsewhere: Mutex<Elsewhere>,
}

/// What was found below tasks that are not in memory, by who read those from the store.
#[derive(Default)]
struct Elsewhere {
    found: HashMap<TaskId, Below>,
    /// The same tasks, in the order in which they were looked at.
    order: VecDeque<TaskId>,
    /// How often something was committed that hangs below a task that is not in memory.
    grown: u64,
}

impl Elsewhere {
    fn grow(&mut self, id: &TaskId) {
        self.grown += 1;
        self.found.remove(id);
    }

    fn forget(&mut self) {
        self.grown += 1;
        self.found.clear();
        self.order.clear();
    }

    fn note(&mut self, id: &TaskId, found: Below) {
        if self.found.insert(id.clone(), found).is_none() {
            self.order.push_back(id.clone());
        }
        while self.order.len() > LOOKED_AT
            && let Some(oldest) = self.order.pop_front()
        {
            self.found.remove(&oldest);
        }
    }
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
    /// Tasks that are not here, below which something was put since this was told last.
    grown_elsewhere: Vec<TaskId>,
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

impl CommitObserver for View {
    fn on_commit(&self, committed: &[Committed]) {
        let mut view = self.tasks.write().expect("no writer panics");
        for task in committed.iter().flat_map(|c| &c.tasks) {
            view.put(task);
        }
        for negotiation in committed.iter().flat_map(|c| &c.negotiations) {
            view.grow(&negotiation.task, |below| below.negotiations = true);
        }
        for id in view.grown_elsewhere.drain(..) {
            self.elsewhere().grow(&id);
        }
        let entries = committed.iter().flat_map(|c| &c.entries);
        if let Some(last) = entries.last() {
            view.as_of = last.sequence;
        }
    }
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
            elsewhere: Mutex::default(),
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
        view.grown_elsewhere.clear();
        view.counts.tasks = all;
        view.as_of = last;
    }

    /// Lets go of tasks that the store has trimmed.
    pub(crate) fn forget(&self, trimmed: u64) {
        let mut view = self.tasks.write().expect("no writer panics");
        view.counts.tasks = view.counts.tasks.saturating_sub(trimmed);
        for (id, _) in std::mem::take(&mut view.ended) {
            view.by_id.remove(&id);
        }
        view.ended_bytes = 0;
        self.elsewhere().forget();
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

    /// The number of times that something was put below tasks that are not in memory. Whoever reads one of those is to
    /// ask before, and to tell then what it found: see [`View::note_elsewhere`].
    pub(crate) fn grown_elsewhere(&self) -> u64 {
        self.elsewhere().grown
    }

    /// The same of a task that is not in memory, when something had been put below such tasks so often.
    pub(crate) fn note_elsewhere(&self, id: &TaskId, found: Below, grown: u64) {
        let tasks = self.tasks();
        let mut elsewhere = self.elsewhere();
        if elsewhere.grown == grown && tasks.find(id).is_none() {
            elsewhere.note(id, found);
        }
    }

    /// The knowledge of what hangs below a task.
    pub(crate) fn below(&self, id: &TaskId) -> Knowledge {
        let here = self.tasks().below(id);
        match here {
            Knowledge::Elsewhere => match self.elsewhere().found.get(id) {
                Some(found) => Knowledge::Known(*found),
                None => Knowledge::Elsewhere,
            },
            here => here,
        }
    }

    fn elsewhere(&self) -> MutexGuard<'_, Elsewhere> {
        self.elsewhere.lock().expect("no holder panics")
    }

    pub(crate) fn tasks(&self) -> RwLockReadGuard<'_, Tasks> {
        self.tasks.read().expect("no writer panics")
    }
}

impl Tasks {
    pub(crate) fn put(&mut self, task: &Arc<Task>) {
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
            // Who looked before it was here may not tell of it what was true then.
            if self
                .by_id
                .remove(&oldest)
                .is_some_and(|kept| kept.grown > 0)
            {
                self.grown_elsewhere.push(oldest);
            }
        }
    }

    fn grow(&mut self, id: &TaskId, more: impl FnOnce(&mut Below)) {
        match self.by_id.get_mut(id) {
            Some(kept) => kept.grow(more),
            None => self.grown_elsewhere.push(id.clone()),
        }
    }

    /// What is known here of what hangs below a task.
    fn below(&self, id: &TaskId) -> Knowledge {
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
