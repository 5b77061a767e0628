//! Teams in memory: those that are not on disk yet, and those in which somebody is asked for a place, or which
//! somebody waits for. What is answered then goes on with them.
//!
//! Read next: [`super::shard`], which has them; [`crate::tasks::team`].

use domain::negotiation::{Kind, Negotiation};
use domain::task::TaskId;
use domain::team::{Team, place_of};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use store::{ReadError, Store};

/// The teams in which somebody is asked for a place, as they are on disk.
pub(crate) fn asking(
    store: &Store,
    negotiations: &[Arc<Negotiation>],
) -> Result<Vec<Arc<Team>>, ReadError> {
    let open = negotiations
        .iter()
        .filter(|n| n.is_open() && n.kind == Kind::Feasibility);
    let tasks: BTreeSet<TaskId> = open.filter_map(|n| Some(place_of(&n.task)?.0)).collect();
    let teams = tasks.iter().map(|task| store.team(task));
    let teams: Result<Vec<Option<Team>>, ReadError> = teams.collect();
    Ok(teams?.into_iter().flatten().map(Arc::new).collect())
}

#[derive(Default)]
pub(super) struct Teams(HashMap<TaskId, Held>);

struct Held {
    team: Arc<Team>,
    /// True if whoever looks for it on disk finds it as it is.
    is_stored: bool,
}

impl Teams {
    pub(super) fn get(&self, task: &TaskId) -> Option<&Arc<Team>> {
        self.0.get(task).map(|held| &held.team)
    }

    /// Takes in a team as decided.
    pub(super) fn put(&mut self, team: Arc<Team>) {
        let task = team.task.clone();
        let is_stored = false;
        self.0.insert(task, Held { team, is_stored });
    }

    /// Takes in a team as it is on disk, unless it is here.
    pub(super) fn hold(&mut self, team: Arc<Team>) {
        let (task, is_stored) = (team.task.clone(), true);
        self.0.entry(task).or_insert(Held { team, is_stored });
    }

    /// A team is on disk, in this version; true if that is how it is here.
    pub(super) fn stored(&mut self, task: &TaskId, version: u64) -> bool {
        let held = self.0.get_mut(task);
        let held = held.filter(|held| held.team.version == version);
        held.map(|held| held.is_stored = true).is_some()
    }

    /// The team, if it is on disk as it is here.
    pub(super) fn on_disk(&self, task: &TaskId) -> Option<&Arc<Team>> {
        let held = self.0.get(task).filter(|held| held.is_stored);
        held.map(|held| &held.team)
    }

    pub(super) fn remove(&mut self, task: &TaskId) {
        self.0.remove(task);
    }
}
