//! What has ended and is on disk: the writer says so, and a decision lets it go once nobody can miss it.
//!
//! Read next: [`super`], which lets go; [`crate::commit::loads`], for whose sake it waits.

use crate::commit::loads::{Leaving, Loads};
use crate::commit::observer::CommitObserver;
use crate::tasks::placement::Placement;
use domain::negotiation::Kind;
use domain::task::TaskId;
use std::sync::{Arc, Mutex};
use store::Committed;

/// What has ended and is on disk, and teams that are.
pub(crate) struct Settled {
    loads: Arc<Loads>,
    placement: Arc<Placement>,
    /// By shard.
    leaving: Vec<Mutex<Leaving<Ended>>>,
}

/// Something that memory may let go of, with the version that is on disk.
pub(super) enum Ended {
    Task(TaskId),
    Negotiation(TaskId, Kind, u64),
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
            .chain(negotiations.map(|n| Ended::Negotiation(n.task.clone(), n.kind, n.version)))
            .chain(teams.map(|team| Ended::Team(team.task.clone(), team.version)));
        for ended in ended {
            let place = match &ended {
                Ended::Task(id) => self.placement.of(id),
                Ended::Negotiation(id, kind, _) => self.placement.of_negotiation(id, *kind),
                Ended::Team(task, _) => self.placement.home(task.as_str()),
            };
            let leaving = self.leaving[place].lock();
            leaving
                .expect("no holder panics")
                .extend(&self.loads, [ended]);
        }
    }
}

impl Settled {
    pub(crate) fn new(loads: Arc<Loads>, placement: Arc<Placement>) -> Self {
        Self {
            loads,
            leaving: (0..placement.shards()).map(|_| Mutex::default()).collect(),
            placement,
        }
    }

    /// Takes out what the memory of a shard need not hold any more.
    pub(super) fn take(&self, shard: usize) -> Vec<Ended> {
        let leaving = self.leaving[shard].lock();
        leaving.expect("no holder panics").take(&self.loads)
    }
}
