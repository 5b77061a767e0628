//! What has ended and is on disk: the writer says so, the next decision lets it go.
//!
//! Remembers the last ones beyond that, so that what was looked up in the store before the lock of
//! decisions was taken can be relied on under it. Read next: [`super`], which lets go;
//! [`crate::tasks::lookup`], which looks up.

use super::Key;
use crate::commit::observer::CommitObserver;
use domain::task::TaskId;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use store::Committed;

/// The number of identifiers of ended tasks and negotiations that are remembered.
const REMEMBERED: usize = 4_096;

/// What has ended and is on disk.
#[derive(Default)]
pub(crate) struct Settled(Mutex<Ended>);

#[derive(Default)]
struct Ended {
    /// Those that memory still holds.
    tasks: Vec<TaskId>,
    negotiations: Vec<(Key, u64)>,
    /// How many there have been in all, of tasks and negotiations together.
    count: u64,
    /// The last of those, oldest first.
    last: VecDeque<TaskId>,
}

impl Ended {
    fn remember(&mut self, id: &TaskId) {
        self.count += 1;
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(id.clone());
    }
}

impl CommitObserver for Settled {
    fn on_commit(&self, committed: &[Committed]) {
        let mut ended = self.lock();
        for task in committed.iter().flat_map(|c| &c.tasks) {
            if task.status.is_terminal() {
                ended.tasks.push(task.id.clone());
                ended.remember(&task.id);
            }
        }
        for negotiation in committed.iter().flat_map(|c| &c.negotiations) {
            if !negotiation.is_open() {
                let key = (negotiation.task.clone(), negotiation.kind);
                ended.negotiations.push((key, negotiation.version));
                ended.remember(&negotiation.task);
            }
        }
    }
}

impl Settled {
    fn lock(&self) -> MutexGuard<'_, Ended> {
        self.0.lock().expect("no holder panics")
    }

    /// Takes out what memory need not hold any more: tasks, and negotiations with their versions.
    pub(super) fn take(&self) -> (Vec<TaskId>, Vec<(Key, u64)>) {
        let mut ended = self.lock();
        let Ended {
            tasks,
            negotiations,
            ..
        } = &mut *ended;
        (std::mem::take(tasks), std::mem::take(negotiations))
    }

    /// How many tasks and negotiations have ended in this run and are on disk.
    pub(crate) fn count(&self) -> u64 {
        self.lock().count
    }

    /// True unless it is certain that nothing of this task has ended since there were `count`.
    pub(crate) fn may_have_ended_since(&self, count: u64, id: &TaskId) -> bool {
        let ended = self.lock();
        let since = usize::try_from(ended.count - count).unwrap_or(usize::MAX);
        since > ended.last.len() || ended.last.iter().rev().take(since).any(|last| last == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_since_is_known_as_long_as_it_is_remembered() {
        let id = |n: usize| TaskId::new(format!("t{n}"));
        let settled = Settled::default();
        settled.lock().remember(&id(0));
        let count = settled.count();
        assert!(!settled.may_have_ended_since(count, &id(0)), "before");
        (1..=REMEMBERED).for_each(|n| settled.lock().remember(&id(n)));
        assert!(settled.may_have_ended_since(count, &id(1)));
        assert!(!settled.may_have_ended_since(count, &id(0)));
        settled.lock().remember(&id(0));
        assert!(settled.may_have_ended_since(count, &id(7)), "forgotten");
        assert!(!settled.may_have_ended_since(count + 1, &id(7_000)));
    }
}
