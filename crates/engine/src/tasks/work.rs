//! What is decided, perhaps not yet on disk: open tasks and negotiations, callers who wait.
//!
//! It lies in shards, each under a lock of its own ([`crate::tasks::placement`]). Whoever decides holds those of all
//! that the decision is about, so that what is decided of one tree of tasks is decided in one order; commits leave in
//! that order, and what readers see follows them. Deadlines and agents are beside it
//! ([`crate::deadlines`], [`crate::hosting::agents`]). What has ended is let go once it is on disk. Read next:
//! [`crate::commit::lock`], which locks it; [`crate::commit::unit_of_work`], [`crate::tasks::dispatch`]; `shard`, one
//! of them; `settled` and `teams`: what is let go.

mod settled;
mod shard;
mod shared;
mod teams;

pub(crate) use settled::Settled;
pub(crate) use shard::Shard;
pub(crate) use shared::Shared;
pub(crate) use teams::asking;

use crate::commit::stored::Resolution;
use crate::commit::unit_of_work::UnitOfWork;
use crate::tasks::awaited::{Answered, Awaited, Waiting};
use crate::tasks::loaded::Loaded;
use crate::tasks::placement::home;
use crate::tasks::timers::Due;
use domain::inventory::Inventory;
use domain::negotiation::{Kind, Negotiation};
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::team::Team;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, MutexGuard};
use tokio::sync::oneshot;

/// Whoever waits for a team to be formed.
pub(crate) type Forming = Vec<oneshot::Sender<Resolution<Arc<Team>>>>;

/// What is open, with what belongs to it, as it is on disk.
pub(crate) struct Decided {
    pub(crate) tasks: Vec<Arc<Task>>,
    pub(crate) negotiations: Vec<Arc<Negotiation>>,
    pub(crate) teams: Vec<Arc<Team>>,
}

/// The shards that are held, by one.
pub(crate) struct Work<'e> {
    /// By number.
    held: Vec<(usize, MutexGuard<'e, Shard>)>,
    shared: &'e Shared,
    /// What was loaded for the decision that holds them.
    pub(crate) loaded: Loaded,
}

impl<'e> Work<'e> {
    /// These shards, in the order of their numbers.
    pub(crate) fn of(held: Vec<(usize, MutexGuard<'e, Shard>)>, shared: &'e Shared) -> Self {
        Self {
            held,
            shared,
            loaded: Loaded::default(),
        }
    }

    /// True if this shard is held.
    pub(crate) fn holds(&self, shard: usize) -> bool {
        self.held.iter().any(|(number, _)| *number == shard)
    }

    fn shards(&self) -> impl Iterator<Item = &Shard> {
        self.held.iter().map(|(_, shard)| &**shard)
    }

    /// What the shard has of something that lives in `place`.
    fn at<T>(&self, place: impl Fn() -> usize, look: impl Fn(&Shard) -> Option<&T>) -> Option<&T> {
        let found = self.shards().find_map(look);
        debug_assert!(
            found.is_some() || self.holds(place()),
            "what a decision is about is not held"
        );
        found
    }

    /// The shard with this number, which is held.
    fn shard(&mut self, number: usize) -> &mut Shard {
        let shard = self.held.iter_mut().find(|(held, _)| *held == number);
        &mut shard.expect("what is decided is held").1
    }

    fn shard_of(&mut self, task: &TaskId) -> &mut Shard {
        let number = self.shared.placement.of(task);
        self.shard(number)
    }

    fn home(&self, task: &TaskId) -> usize {
        self.shared.placement.home(task.as_str())
    }

    fn home_of(&mut self, task: &TaskId) -> &mut Shard {
        let number = self.home(task);
        self.shard(number)
    }

    /// Forgets everything decided, of all shards, and takes in what is on disk. Callers who wait for what is not
    /// there are let go, and those for an answer to what no agent in here was asked by these keys.
    pub(crate) fn reset(&mut self, decided: Decided, asked: &HashSet<String>) {
        self.held.iter_mut().for_each(|(_, shard)| shard.forget());
        self.shared.deadlines.withdraw_decided();
        self.take_in(decided);
        self.shared.waiting().retain(|awaited, _| match awaited {
            Awaited::Task(id) => self.task(id).is_some(),
            Awaited::Answer(_, key) => asked.contains(key),
            Awaited::Turn(task, kind, round) => {
                let negotiation = self.negotiation(task, *kind);
                negotiation.is_some_and(|n| n.round() >= *round)
            }
        });
    }

    /// Takes in what is on disk, of all shards.
    pub(crate) fn take_in(&mut self, decided: Decided) {
        // Whatever is no part is at home.
        let parts = || {
            decided
                .tasks
                .iter()
                .filter(|it| it.conditions.parent.is_some())
        };
        if parts().next().is_some() {
            let tasks = decided.tasks.iter();
            let wholes = tasks.map(|it| (&it.id, it.conditions.parent.as_ref()));
            let wholes: HashMap<_, _> = wholes.collect();
            for part in parts() {
                let root = root_of(&part.id, &wholes);
                let placement = &self.shared.placement;
                placement.place(&part.id, home(root.as_str()));
            }
        }
        decided.tasks.into_iter().for_each(|task| self.put(task));
        let negotiations = decided.negotiations.into_iter();
        negotiations.for_each(|negotiation| self.put_negotiation(negotiation));
        let teams = decided.teams.into_iter();
        teams.for_each(|team| self.hold_team(team));
    }

    /// Lets go of what has ended and is on disk.
    pub(crate) fn tidy(&mut self, settled: &Settled) {
        for (number, shard) in &mut self.held {
            let ended = settled.take(*number).into_iter();
            ended.for_each(|ended| shard.let_go_of(ended));
        }
    }

    pub(crate) fn inventory(&self) -> Arc<Inventory> {
        Arc::clone(&self.shared.inventory)
    }

    /// What was asked by whoever waits for this; none if nobody does.
    pub(crate) fn waits_for(&self, awaited: &Awaited) -> Option<Verb> {
        let waiting = self.shared.waiting();
        waiting.get(awaited).map(|waiting| waiting.exchange.verb)
    }

    /// Lets one more caller wait for this because of that exchange; none if nobody does.
    pub(crate) fn wait_with(
        &mut self,
        awaited: &Awaited,
        exchange: &str,
    ) -> Option<oneshot::Receiver<Resolution>> {
        let mut waiting = self.shared.waiting();
        let waiters = waiting.get_mut(awaited);
        let waiters = waiters.filter(|w| w.exchange.id == exchange)?;
        let (sender, receiver) = oneshot::channel();
        waiters.callers.push(sender);
        Some(receiver)
    }

    /// Has callers wait for this.
    pub(crate) fn wait(&mut self, awaited: Awaited, waiting: Waiting) {
        self.shared.waiting().insert(awaited, waiting);
    }

    /// Takes those out who wait for this because of that exchange; when they have waited long
    /// enough stays set.
    pub(crate) fn take_waiting(&mut self, awaited: &Awaited, exchange: &str) -> Option<Waiting> {
        let mut waiting = self.shared.waiting();
        let waits = waiting.get(awaited)?.exchange.id == exchange;
        waits.then(|| waiting.remove(awaited))?
    }

    /// Answers callers who wait.
    pub(crate) fn resolve(
        &mut self,
        awaited: &Awaited,
        reply: &Reply,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        let waiting = self.shared.waiting().remove(awaited);
        if let Some(Waiting { exchange, callers }) = waiting {
            self.schedule(Due::Reply(awaited.clone()), None);
            unit.respond(exchange, reply, now);
            let callers = callers.into_iter().map(|c| (c, reply.clone()));
            unit.resolved.extend(callers);
        }
    }

    pub(crate) fn task(&self, id: &TaskId) -> Option<&Arc<Task>> {
        self.at(|| self.shared.placement.of(id), |it| it.tasks.get(id))
    }

    /// Takes in a task as decided. A new one lives with its whole, if it is a part, and else at home.
    pub(crate) fn put(&mut self, task: Arc<Task>) {
        self.shard_of(&task.id).put(task);
    }

    /// Says where a new task lives: with its whole, if it is a part.
    pub(crate) fn place(&self, task: &Task) {
        if let Some(whole) = &task.conditions.parent {
            let placement = &self.shared.placement;
            placement.place(&task.id, placement.shard_of(whole));
        }
    }

    /// The open parts of a task, by identifier.
    pub(crate) fn parts(&self, id: &TaskId) -> Vec<TaskId> {
        let parts = self.shards().find_map(|shard| shard.parts(id));
        parts.into_iter().flatten().cloned().collect()
    }

    /// How many open parts a task has.
    pub(crate) fn parts_open(&self, id: &TaskId) -> usize {
        let parts = self.shards().find_map(|shard| shard.parts(id));
        parts.map_or(0, BTreeSet::len)
    }

    /// The tasks of all shards that are held, by identifier.
    fn tasks(&self, is_meant: impl Fn(&Task) -> bool) -> Vec<Arc<Task>> {
        let tasks = self.shards().flat_map(|shard| shard.tasks.values());
        let mut tasks: Vec<Arc<Task>> = tasks.filter(|task| is_meant(task)).cloned().collect();
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        tasks
    }

    pub(crate) fn open_tasks_of(&self, executor: &str) -> Vec<Arc<Task>> {
        self.tasks(|t| t.to == executor && !t.status.is_terminal() && t.is_handed_over())
    }

    /// Who published open tasks, with who executes them.
    pub(crate) fn parties_of_open_tasks(&self) -> BTreeSet<(String, String)> {
        let open = self.tasks(|task| !task.status.is_terminal());
        open.iter()
            .map(|t| (t.from.clone(), t.to.clone()))
            .collect()
    }

    /// The open tasks that wait for this publisher, by identifier.
    pub(crate) fn tasks_awaiting(&self, publisher: &str) -> Vec<Arc<Task>> {
        self.tasks(|task| task.awaits.is_some() && task.from == publisher)
    }

    pub(crate) fn negotiation(&self, task: &TaskId, kind: Kind) -> Option<&Arc<Negotiation>> {
        let place = || self.shared.placement.of_negotiation(task, kind);
        self.at(place, |it| it.negotiation(task, kind))
    }

    /// The negotiations of all shards that are held, by task and kind.
    fn negotiations(&self, is_meant: impl Fn(&Negotiation) -> bool) -> Vec<Arc<Negotiation>> {
        let all = self.shards().flat_map(|shard| shard.negotiations.values());
        let mut meant: Vec<Arc<Negotiation>> = all.filter(|n| is_meant(n)).cloned().collect();
        meant.sort_by(|a, b| (&a.task, a.kind).cmp(&(&b.task, b.kind)));
        meant
    }

    /// The open feasibilities about which this executor is asked, by task.
    pub(crate) fn open_feasibilities_of(&self, executor: &str) -> Vec<Arc<Negotiation>> {
        self.negotiations(|n| n.is_open() && n.kind == Kind::Feasibility && n.executor == executor)
    }

    pub(crate) fn put_negotiation(&mut self, negotiation: Arc<Negotiation>) {
        let place = &self.shared.placement;
        let place = place.of_negotiation(&negotiation.task, negotiation.kind);
        self.shard(place).put_negotiation(negotiation);
    }

    /// True if what was negotiated in this way about a task is here, be it over or not, or nothing was.
    pub(crate) fn has_all_of(&self, task: &TaskId, kind: Kind) -> bool {
        self.shards().any(|shard| shard.has_all_of(task, kind))
    }

    /// The team of a task, if it is in memory.
    pub(crate) fn team(&self, task: &TaskId) -> Option<&Arc<Team>> {
        self.at(|| self.home(task), |shard| shard.teams.get(task))
    }

    /// Takes in a team as decided.
    pub(crate) fn put_team(&mut self, team: Arc<Team>) {
        self.home_of(&team.task).teams.put(team);
    }

    /// Takes in a team as it is on disk, unless it is here: one in which somebody is about to be asked.
    pub(crate) fn hold_team(&mut self, team: Arc<Team>) {
        self.home_of(&team.task).teams.hold(team);
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
        let forming = self.at(|| self.home(task), |shard| shard.forming.get(task));
        forming.is_some()
    }

    /// Takes those out who wait for a team to be formed.
    pub(crate) fn take_forming(&mut self, task: &TaskId) -> Option<Forming> {
        self.home_of(task).forming.remove(task)
    }

    /// The last answer to a question of a task that was given in this run.
    pub(crate) fn answered(&self, task: &TaskId) -> Option<&Answered> {
        let place = || self.shared.placement.of(task);
        self.at(place, |it| it.answered.get(task))
    }

    /// An answer to a question of a task is given.
    pub(crate) fn note_answered(&mut self, task: &TaskId, answered: Answered) {
        let shard = self.shard_of(task);
        shard.answered.insert(task.clone(), answered);
    }

    /// Whoever owes an answer can give it from `now` on, and has at least so many milliseconds for
    /// it, or as many as it had in all.
    pub(crate) fn grant_answers(&mut self, now: Timestamp, grace_ms: i64) {
        for (_, shard) in &mut self.held {
            shard.grant_answers(now, grace_ms);
        }
        // In an order that is the same whenever the same is replayed.
        let tasks = self.tasks(|_| true);
        tasks.into_iter().for_each(|task| self.put(task));
        let negotiations = self.negotiations(|_| true).into_iter();
        negotiations.for_each(|negotiation| self.put_negotiation(negotiation));
    }

    /// Sets when something is due that is due at one time only; none withdraws it.
    pub(crate) fn schedule(&mut self, due: Due, at: Option<Timestamp>) {
        self.shared.deadlines.schedule(due, at);
    }
}

/// The task that is part of no other in memory.
fn root_of<'t>(task: &'t TaskId, wholes: &HashMap<&'t TaskId, Option<&'t TaskId>>) -> &'t TaskId {
    let mut root = task;
    // A tree is never as deep as there are tasks, so that even a circle, which there is none, ends.
    for _ in 0..wholes.len() {
        match wholes.get(root).copied().flatten() {
            Some(whole) if wholes.contains_key(whole) => root = whole,
            _ => break,
        }
    }
    root
}
