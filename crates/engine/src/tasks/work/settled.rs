//! What has ended and is on disk: the writer says so, and a decision lets it go once nobody can miss it.
//!
//! Read next: [`super`], which lets go; [`crate::commit::loads`], for whose sake it waits.

use super::Key;
use crate::commit::loads::{Leaving, Loads};
use crate::commit::observer::CommitObserver;
use domain::task::TaskId;
use std::sync::{Arc, Mutex, MutexGuard};
use store::Committed;

/// What has ended and is on disk, and teams that are.
pub(crate) struct Settled {
    loads: Arc<Loads>,
    leaving: Mutex<Leaving<Ended>>,
}

/// Something that memory may let go of, with the version that is on disk.
pub(super) enum Ended {
    Task(TaskId),
    Negotiation(Key, u64),
    /// A team that has not ended: it goes once nobody is asked for a place in it.
    Team(TaskId, u64),
}

impl CommitObserver for Settled {
    fn on_commit(&self, committed: &[Committed]) {
        let tasks = committed.iter().flat_map(|c| &c.tasks);
        let tasks = tasks.filter(|task| task.status.is_terminal());
        let negotiations = committed.iter().flat_map(|c| &c.negotiations);
        let negotiations = negotiations.filter(|n| !n.is_open());
        let teams = committed.iter().flat_map(|c| &c.teams);
        let ended = tasks
            .map(|task| Ended::Task(task.id.clone()))
            .chain(negotiations.map(|n| Ended::Negotiation((n.task.clone(), n.kind), n.version)))
            .chain(teams.map(|team| Ended::Team(team.task.clone(), team.version)));
        self.lock().extend(&self.loads, ended);
    }
}

impl Settled {
    pub(crate) fn new(loads: Arc<Loads>) -> Self {
        let leaving = Mutex::default();
        Self { loads, leaving }
    }

    /// Takes out what memory need not hold any more.
    pub(super) fn take(&self) -> Vec<Ended> {
        self.lock().take(&self.loads)
    }

    fn lock(&self) -> MutexGuard<'_, Leaving<Ended>> {
        self.leaving.lock().expect("no holder panics")
    }
}
