//! One shard of what is decided: its open tasks, negotiations and teams.
//!
//! It knows no other shard, and nothing of locks. Read next: [`super`], which holds one or more of them.

use super::Forming;
use super::settled::Ended;
use super::shared::Shared;
use super::teams::Teams;
use crate::tasks::awaited::Answered;
use crate::tasks::timers::Due;
use domain::negotiation::{Kind, Negotiation, Side};
use domain::task::{Task, TaskId};
use domain::team::{part, place_of};
use domain::time::Timestamp;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A negotiation of a task.
type Key = (TaskId, Kind);

pub(crate) struct Shard {
    pub(super) tasks: HashMap<TaskId, Arc<Task>>,
    /// Open parts by the task that they are parts of.
    parts: HashMap<TaskId, BTreeSet<TaskId>>,
    pub(super) negotiations: HashMap<Key, Arc<Negotiation>>,
    pub(super) teams: Teams,
    /// Whoever waits until hosted agents have said whether they take part, by task.
    pub(super) forming: HashMap<TaskId, Forming>,
    /// Answers given in this run, by task.
    pub(super) answered: HashMap<TaskId, Answered>,
    /// Since when answers can be given, and how long there is time for them at least.
    answerable: Option<(Timestamp, i64)>,
    shared: Arc<Shared>,
}

impl Shard {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            tasks: HashMap::new(),
            parts: HashMap::new(),
            negotiations: HashMap::new(),
            teams: Teams::default(),
            forming: HashMap::new(),
            answered: HashMap::new(),
            answerable: None,
            shared,
        }
    }

    /// Forgets everything decided.
    pub(super) fn forget(&mut self) {
        let tasks = std::mem::take(&mut self.tasks).into_values();
        let negotiations = std::mem::take(&mut self.negotiations).into_values();
        let mut publishers = self.shared.publishers();
        for task in tasks {
            publishers.remove_task(&task);
            self.shared.placement.forget(&task.id);
        }
        negotiations.for_each(|negotiation| publishers.remove_negotiation(&negotiation));
        drop(publishers);
        self.parts.clear();
        self.teams = Teams::default();
        self.answered.clear();
        self.forming.clear();
    }

    /// Lets go of what has ended and is on disk.
    pub(super) fn let_go_of(&mut self, ended: Ended) {
        match ended {
            Ended::Task(id) => {
                self.tasks.remove(&id);
                self.answered.remove(&id);
                for kind in Kind::ALL {
                    self.remove_negotiation(&(id.clone(), kind));
                }
                self.shared.placement.forget(&id);
            }
            Ended::Negotiation(task, kind, version) => {
                let key = (task, kind);
                let known = self.negotiations.get(&key);
                let is_same = known.is_some_and(|n| n.version == version);
                if is_same && !self.has_all_of(&key.0, key.1) {
                    self.remove_negotiation(&key);
                }
            }
            Ended::Team(task, version) => self.team_stored(&task, version),
        }
    }

    pub(super) fn put(&mut self, task: Arc<Task>) {
        let within = task.awaits.and(task.conditions.answer_within_ms);
        let due = task.due().map(|due| self.granted(due, within));
        self.schedule(Due::Task(task.id.clone()), due);
        match &task.conditions.parent {
            Some(parent) if !task.status.is_terminal() => {
                let parts = self.parts.entry(parent.clone()).or_default();
                parts.insert(task.id.clone());
            }
            _ => self.no_part(&task),
        }
        let before = self.tasks.insert(task.id.clone(), Arc::clone(&task));
        let mut publishers = self.shared.publishers();
        publishers.put_task(&task);
        if let Some(before) = before {
            publishers.remove_task(&before);
        }
    }

    /// The task is no open part any more.
    fn no_part(&mut self, task: &Task) {
        if let Some(parent) = &task.conditions.parent
            && let Some(parts) = self.parts.get_mut(parent)
        {
            parts.remove(&task.id);
            if parts.is_empty() {
                self.parts.remove(parent);
            }
        }
    }

    /// The open parts of a task, by identifier.
    pub(super) fn parts(&self, id: &TaskId) -> Option<&BTreeSet<TaskId>> {
        self.parts.get(id)
    }

    pub(super) fn negotiation(&self, task: &TaskId, kind: Kind) -> Option<&Arc<Negotiation>> {
        self.negotiations.get(&(task.clone(), kind))
    }

    pub(super) fn put_negotiation(&mut self, negotiation: Arc<Negotiation>) {
        let key = (negotiation.task.clone(), negotiation.kind);
        let due = Due::Negotiation(key.0.clone(), key.1);
        // What the publisher of a task owes has the task's own deadline, and a result that is
        // done again the executor's.
        let own = match key.1 {
            Kind::Feasibility => true,
            Kind::Fulfillment => negotiation.next_side() == Some(Side::Executor),
            Kind::Result => false,
        };
        let at = negotiation.due().filter(|_| own);
        let at = at.map(|at| self.granted(at, negotiation.answer_within_ms));
        self.schedule(due, at);
        let before = self.negotiations.insert(key, Arc::clone(&negotiation));
        let mut publishers = self.shared.publishers();
        publishers.put_negotiation(&negotiation);
        if let Some(before) = before {
            publishers.remove_negotiation(&before);
        }
    }

    /// True if what was negotiated in this way about a task is here, be it over or not, or nothing was: it
    /// stays as long as the task, with which it can go on. What was agreed on before there was a task does not.
    pub(super) fn has_all_of(&self, task: &TaskId, kind: Kind) -> bool {
        kind != Kind::Feasibility && self.tasks.contains_key(task)
    }

    fn remove_negotiation(&mut self, key: &Key) {
        if let Some(negotiation) = self.negotiations.remove(key) {
            self.shared.publishers().remove_negotiation(&negotiation);
            self.place_is_settled(&key.0);
        }
    }

    /// Whoever owes an answer can give it from `now` on, and has at least so many milliseconds for
    /// it, or as many as it had in all.
    pub(super) fn grant_answers(&mut self, now: Timestamp, grace_ms: i64) {
        self.answerable = Some((now, grace_ms));
    }

    /// When an answer is due that was to be given within a time; a deadline stays what it is.
    fn granted(&self, due: Timestamp, within_ms: Option<i64>) -> Timestamp {
        match (self.answerable, within_ms) {
            (Some((since, grace_ms)), Some(within)) => due.max(since + within.min(grace_ms)),
            _ => due,
        }
    }

    /// Sets when something is due that is due at one time only; none withdraws it.
    fn schedule(&self, due: Due, at: Option<Timestamp>) {
        self.shared.deadlines.schedule(due, at);
    }

    /// A team is on disk, in this version.
    fn team_stored(&mut self, task: &TaskId, version: u64) {
        if self.teams.stored(task, version) {
            self.let_go_of_team(task);
        }
    }

    /// The negotiation about a place is in memory no more.
    fn place_is_settled(&mut self, part: &TaskId) {
        if let Some((task, _)) = place_of(part) {
            self.let_go_of_team(&task);
        }
    }

    /// Lets go of a team unless it is not on disk, or is needed.
    pub(super) fn let_go_of_team(&mut self, task: &TaskId) {
        let Some(team) = self.teams.on_disk(task) else {
            return;
        };
        let is_asked = |need: &str| {
            let about = self.negotiation(&part(task, need), Kind::Feasibility);
            about.is_some_and(|n| n.is_open())
        };
        let mut places = team.needs.iter();
        let is_needed = self.forming.contains_key(task) || places.any(|need| is_asked(&need.name));
        if !is_needed {
            self.teams.remove(task);
        }
    }
}
