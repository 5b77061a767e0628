//! Teams as decided, while the store does not have them yet.
//!
//! Read next: [`crate::tasks::team`].

use crate::commit::observer::CommitObserver;
use domain::task::TaskId;
use domain::team::Team;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::Committed;

/// Teams as decided, while the store does not have them yet.
#[derive(Default)]
pub(crate) struct Teams(Mutex<HashMap<TaskId, Arc<Team>>>);

impl CommitObserver for Teams {
    /// Lets go of what is on disk.
    fn on_commit(&self, committed: &[Committed]) {
        let mut decided = self.0.lock().expect("no holder panics");
        for team in committed.iter().flat_map(|c| &c.teams) {
            if decided
                .get(&team.task)
                .is_some_and(|d| d.version == team.version)
            {
                decided.remove(&team.task);
            }
        }
    }

    /// Lets go of all: what is on disk is true.
    fn on_rollback(&self) {
        self.0.lock().expect("no holder panics").clear();
    }
}

impl Teams {
    pub(crate) fn find(&self, task: &TaskId) -> Option<Arc<Team>> {
        let decided = self.0.lock().expect("no holder panics");
        decided.get(task).cloned()
    }

    pub(crate) fn put(&self, team: Arc<Team>) {
        let mut decided = self.0.lock().expect("no holder panics");
        decided.insert(team.task.clone(), team);
    }
}
