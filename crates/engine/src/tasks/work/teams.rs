//! Teams in memory: those that are not on disk yet, and those in which somebody is asked for a place, or which
//! somebody waits for. What is answered then goes on with them.
//!
//! Read next: [`crate::tasks::team`].

use super::shard::Shard;
use super::{Forming, Work};
use crate::commit::stored::Resolution;
use domain::negotiation::{Kind, Negotiation};
use domain::task::TaskId;
use domain::team::{Team, part, place_of};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use store::{ReadError, Store};
use tokio::sync::oneshot;

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

impl Work<'_> {
    /// The team of a task, if it is in memory.
    pub(crate) fn team(&self, task: &TaskId) -> Option<&Arc<Team>> {
        let place = || self.shared.placement.home(task.as_str());
        self.at(place, |shard| shard.team(task))
    }

    /// Takes in a team as decided.
    pub(crate) fn put_team(&mut self, team: Arc<Team>) {
        let task = team.task.clone();
        let is_stored = false;
        let shard = self.home_of(&task);
        shard.teams.0.insert(task, Held { team, is_stored });
    }

    /// Takes in a team as it is on disk, unless it is here: one in which somebody is about to be asked.
    pub(crate) fn hold_team(&mut self, team: Arc<Team>) {
        let (task, is_stored) = (team.task.clone(), true);
        let shard = self.home_of(&task);
        let held = Held { team, is_stored };
        shard.teams.0.entry(task).or_insert(held);
    }

    /// Lets go of a team unless it is not on disk, or is needed.
    pub(crate) fn let_go_of_team(&mut self, task: &TaskId) {
        self.home_of(task).let_go_of_team(task);
    }

    /// One more waits for a team to be formed.
    pub(crate) fn wait_for_team(
        &mut self,
        task: &TaskId,
        caller: oneshot::Sender<Resolution<Arc<Team>>>,
    ) {
        let forming = &mut self.home_of(task).forming;
        forming.entry(task.clone()).or_default().push(caller);
    }

    /// True if somebody waits for a team to be formed.
    pub(crate) fn is_forming(&self, task: &TaskId) -> bool {
        let place = || self.shared.placement.home(task.as_str());
        self.at(place, |shard| shard.forming.get(task)).is_some()
    }

    /// Takes those out who wait for a team to be formed.
    pub(crate) fn take_forming(&mut self, task: &TaskId) -> Option<Forming> {
        self.home_of(task).forming.remove(task)
    }
}

impl Shard {
    fn team(&self, task: &TaskId) -> Option<&Arc<Team>> {
        self.teams.0.get(task).map(|held| &held.team)
    }

    /// A team is on disk, in this version.
    pub(super) fn team_stored(&mut self, task: &TaskId, version: u64) {
        if let Some(held) = self.teams.0.get_mut(task)
            && held.team.version == version
        {
            held.is_stored = true;
            self.let_go_of_team(task);
        }
    }

    /// The negotiation about a place is in memory no more.
    pub(super) fn place_is_settled(&mut self, part: &TaskId) {
        if let Some((task, _)) = place_of(part) {
            self.let_go_of_team(&task);
        }
    }

    fn let_go_of_team(&mut self, task: &TaskId) {
        let Some(Held { team, is_stored }) = self.teams.0.get(task) else {
            return;
        };
        let is_asked = |need: &str| {
            let about = self.negotiation(&part(task, need), Kind::Feasibility);
            about.is_some_and(|n| n.is_open())
        };
        let mut places = team.needs.iter();
        let is_needed = self.forming.contains_key(task) || places.any(|need| is_asked(&need.name));
        if *is_stored && !is_needed {
            self.teams.0.remove(task);
        }
    }
}
