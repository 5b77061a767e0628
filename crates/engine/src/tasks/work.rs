//! What is decided, perhaps not yet on disk: open tasks and negotiations, callers who wait,
//! deadlines.
//!
//! One lock holds it, so decisions are serial; commits leave in the order of decisions, and what
//! readers see follows them. Agents are beside it ([`crate::hosting::agents`]). What has ended is let go once it is
//! on disk. Read next: [`crate::commit::unit_of_work`], [`crate::tasks::dispatch`]; `settled` and `teams`: what is
//! let go.

mod settled;
mod teams;

pub(crate) use settled::Settled;
pub(crate) use teams::asking;

use crate::commit::stored::Resolution;
use crate::commit::unit_of_work::UnitOfWork;
use crate::numbers::Numbers;
use crate::tasks::awaited::{Answered, Awaited, Waiting};
use crate::tasks::loaded::Loaded;
use crate::tasks::publishers::{Open, Publishers};
use crate::tasks::timers::{Due, Timers};
use domain::inventory::Inventory;
use domain::negotiation::{Kind, Negotiation, Side};
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::team::Team;
use domain::time::Timestamp;
use settled::Ended;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use teams::Teams;
use tokio::sync::oneshot;

/// Whoever waits for a team to be formed.
pub(crate) type Forming = Vec<oneshot::Sender<Resolution<Arc<Team>>>>;

type Key = (TaskId, Kind);

/// What is open, with what belongs to it, as it is on disk.
pub(crate) struct Decided {
    pub(crate) tasks: Vec<Arc<Task>>,
    pub(crate) negotiations: Vec<Arc<Negotiation>>,
    pub(crate) teams: Vec<Arc<Team>>,
}

pub(crate) struct Work {
    tasks: HashMap<TaskId, Arc<Task>>,
    /// Open parts by the task that they are parts of.
    parts: HashMap<TaskId, BTreeSet<TaskId>>,
    negotiations: HashMap<Key, Arc<Negotiation>>,
    teams: Teams,
    publishers: Publishers,
    pub(crate) waiting: HashMap<Awaited, Waiting>,
    /// Whoever waits until hosted agents have said whether they take part, by task.
    pub(crate) forming: HashMap<TaskId, Forming>,
    /// Answers given in this run, by task.
    pub(crate) answered: HashMap<TaskId, Answered>,
    timers: Timers,
    inventory: Arc<Inventory>,
    /// Since when answers can be given, and how long there is time for them at least.
    answerable: Option<(Timestamp, i64)>,
    numbers: Arc<Numbers>,
    settled: Arc<Settled>,
    /// What was loaded for the decision that holds the lock.
    pub(crate) loaded: Loaded,
}

impl Work {
    pub(crate) fn new(
        decided: Decided,
        inventory: Arc<Inventory>,
        numbers: Arc<Numbers>,
        settled: Arc<Settled>,
    ) -> Self {
        let mut work = Self {
            tasks: HashMap::new(),
            parts: HashMap::new(),
            negotiations: HashMap::new(),
            teams: Teams::default(),
            publishers: Publishers::default(),
            waiting: HashMap::new(),
            forming: HashMap::new(),
            answered: HashMap::new(),
            timers: Timers::default(),
            inventory,
            answerable: None,
            numbers,
            settled,
            loaded: Loaded::default(),
        };
        work.take_in(decided);
        work
    }

    fn take_in(&mut self, decided: Decided) {
        decided.tasks.into_iter().for_each(|task| self.put(task));
        let negotiations = decided.negotiations.into_iter();
        negotiations.for_each(|negotiation| self.put_negotiation(negotiation));
        decided
            .teams
            .into_iter()
            .for_each(|team| self.hold_team(team));
    }

    /// Forgets everything decided and takes in what is on disk. Callers who wait for what is not
    /// there are let go, and those for an answer to what no agent in here was asked by these keys.
    pub(crate) fn reset(&mut self, decided: Decided, asked: &HashSet<String>) {
        self.tasks.clear();
        self.parts.clear();
        self.negotiations.clear();
        self.teams = Teams::default();
        self.publishers = Publishers::default();
        self.answered.clear();
        self.timers.withdraw_decided();
        self.forming.clear();
        self.take_in(decided);
        let (tasks, negotiations) = (&self.tasks, &self.negotiations);
        self.waiting.retain(|awaited, _| match awaited {
            Awaited::Task(id) => tasks.contains_key(id),
            Awaited::Answer(_, key) => asked.contains(key),
            Awaited::Turn(task, kind, round) => {
                let negotiation = negotiations.get(&(task.clone(), *kind));
                negotiation.is_some_and(|n| n.round() >= *round)
            }
        });
    }

    /// Lets go of what has ended and is on disk.
    pub(crate) fn tidy(&mut self) {
        for ended in self.settled.take() {
            match ended {
                Ended::Task(id) => {
                    self.tasks.remove(&id);
                    self.answered.remove(&id);
                    for kind in Kind::ALL {
                        self.remove_negotiation(&(id.clone(), kind));
                    }
                }
                Ended::Negotiation(key, version) => {
                    let known = self.negotiations.get(&key);
                    let is_same = known.is_some_and(|n| n.version == version);
                    if is_same && !self.has_all_of(&key.0, key.1) {
                        self.remove_negotiation(&key);
                    }
                }
                Ended::Team(task, version) => self.team_stored(&task, version),
            }
        }
    }

    pub(crate) fn inventory(&self) -> Arc<Inventory> {
        Arc::clone(&self.inventory)
    }

    /// Takes those out who wait for this because of that exchange; when they have waited long
    /// enough stays set.
    pub(crate) fn take_waiting(&mut self, awaited: &Awaited, exchange: &str) -> Option<Waiting> {
        let waits = self.waiting.get(awaited)?.exchange.id == exchange;
        waits.then(|| self.waiting.remove(awaited))?
    }

    /// Answers callers who wait.
    pub(crate) fn resolve(
        &mut self,
        awaited: &Awaited,
        reply: &Reply,
        now: Timestamp,
        unit: &mut UnitOfWork,
    ) {
        if let Some(Waiting { exchange, callers }) = self.waiting.remove(awaited) {
            self.schedule(Due::Reply(awaited.clone()), None);
            unit.respond(exchange, reply, now);
            let callers = callers.into_iter().map(|c| (c, reply.clone()));
            unit.resolved.extend(callers);
        }
    }

    pub(crate) fn task(&self, id: &TaskId) -> Option<&Arc<Task>> {
        self.tasks.get(id)
    }

    pub(crate) fn put(&mut self, task: Arc<Task>) {
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
        self.publishers.put_task(&task);
        if let Some(before) = self.tasks.insert(task.id.clone(), task) {
            self.publishers.remove_task(&before);
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
    pub(crate) fn parts(&self, id: &TaskId) -> Vec<TaskId> {
        let parts = self.parts.get(id).into_iter().flatten();
        parts.cloned().collect()
    }

    /// How many open parts a task has.
    pub(crate) fn parts_open(&self, id: &TaskId) -> usize {
        self.parts.get(id).map_or(0, BTreeSet::len)
    }

    pub(crate) fn open_tasks_of(&self, executor: &str) -> Vec<Arc<Task>> {
        let open = self.tasks.values();
        let open = open.filter(|t| t.to == executor && !t.status.is_terminal());
        let open = open.filter(|t| t.is_handed_over());
        let mut open: Vec<Arc<Task>> = open.cloned().collect();
        open.sort_by(|a, b| a.id.cmp(&b.id));
        open
    }

    /// Who published open tasks, with who executes them.
    pub(crate) fn parties_of_open_tasks(&self) -> BTreeSet<(String, String)> {
        let open = self.tasks.values().filter(|t| !t.status.is_terminal());
        open.map(|t| (t.from.clone(), t.to.clone())).collect()
    }

    /// The open tasks that wait for this publisher, by identifier.
    pub(crate) fn tasks_awaiting(&self, publisher: &str) -> Vec<Arc<Task>> {
        let awaits = |t: &&Arc<Task>| t.awaits.is_some() && t.from == publisher;
        let awaiting = self.tasks.values().filter(awaits);
        let mut awaiting: Vec<Arc<Task>> = awaiting.cloned().collect();
        awaiting.sort_by(|a, b| a.id.cmp(&b.id));
        awaiting
    }

    pub(crate) fn negotiation(&self, task: &TaskId, kind: Kind) -> Option<&Arc<Negotiation>> {
        self.negotiations.get(&(task.clone(), kind))
    }

    /// The open feasibilities about which this executor is asked, by task.
    pub(crate) fn open_feasibilities_of(&self, executor: &str) -> Vec<Arc<Negotiation>> {
        let open = self.negotiations.values().filter(|n| n.is_open());
        let open = open.filter(|n| n.kind == Kind::Feasibility && n.executor == executor);
        let mut open: Vec<Arc<Negotiation>> = open.cloned().collect();
        open.sort_by(|a, b| a.task.cmp(&b.task));
        open
    }

    pub(crate) fn put_negotiation(&mut self, negotiation: Arc<Negotiation>) {
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
        self.publishers.put_negotiation(&negotiation);
        if let Some(before) = self.negotiations.insert(key, negotiation) {
            self.publishers.remove_negotiation(&before);
        }
    }

    /// True if what was negotiated in this way about a task is here, be it over or not, or nothing was: it
    /// stays as long as the task, with which it can go on. What was agreed on before there was a task does not.
    pub(crate) fn has_all_of(&self, task: &TaskId, kind: Kind) -> bool {
        kind != Kind::Feasibility && self.tasks.contains_key(task)
    }

    fn remove_negotiation(&mut self, key: &Key) {
        if let Some(negotiation) = self.negotiations.remove(key) {
            self.publishers.remove_negotiation(&negotiation);
            self.place_is_settled(&key.0);
        }
    }

    /// What open tasks and proposals a publisher has.
    pub(crate) fn open_by(&self, publisher: &str) -> Open {
        self.publishers.open_by(publisher)
    }

    /// Whoever owes an answer can give it from `now` on, and has at least so many milliseconds for
    /// it, or as many as it had in all.
    pub(crate) fn grant_answers(&mut self, now: Timestamp, grace_ms: i64) {
        self.answerable = Some((now, grace_ms));
        // In an order that is the same whenever the same is replayed.
        let mut tasks: Vec<_> = self.tasks.values().cloned().collect();
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        tasks.into_iter().for_each(|task| self.put(task));
        let mut negotiations: Vec<_> = self.negotiations.values().cloned().collect();
        negotiations.sort_by(|a, b| (&a.task, a.kind).cmp(&(&b.task, b.kind)));
        let negotiations = negotiations.into_iter();
        negotiations.for_each(|negotiation| self.put_negotiation(negotiation));
    }

    /// When an answer is due that was to be given within a time; a deadline stays what it is.
    fn granted(&self, due: Timestamp, within_ms: Option<i64>) -> Timestamp {
        match (self.answerable, within_ms) {
            (Some((since, grace_ms)), Some(within)) => due.max(since + within.min(grace_ms)),
            _ => due,
        }
    }

    /// A number that no other call of this run returned.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.next()
    }

    /// Sets when something is due that is due at one time only; none withdraws it.
    pub(crate) fn schedule(&mut self, due: Due, at: Option<Timestamp>) {
        let numbers = &self.numbers;
        self.timers.schedule(due, at, || numbers.next());
    }

    /// What is due by now, in order.
    pub(crate) fn due_by(&self, now: Timestamp) -> impl Iterator<Item = &Due> {
        self.timers.by(now)
    }

    /// What is due next, by its time and number.
    pub(crate) fn next_due(&self) -> Option<(Timestamp, u64)> {
        self.timers.next()
    }

    /// Takes out what is due first; none if nothing is due by now.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Option<Due> {
        self.timers.take(now)
    }
}
