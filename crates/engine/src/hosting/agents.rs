//! The agents, beside what is decided: those in here each under a lock of its own, and what stands for
//! those elsewhere.
//!
//! A decision posts to one agent after the other; agents take up what is on disk, and are looked over for the
//! one whose input has waited longest, without waiting for a decision. What is decided may be held while an
//! agent is locked, never taken then, and no two agents are held at once ([`crate::commit::order`]). What rests
//! on a batch is released by who says that it is on disk. Read next: [`crate::hosting::instance`],
//! [`crate::deadlines`]; `room`: a place in a mailbox is reserved before it is used.

mod room;

pub(crate) use room::{IsFull, Room};

use crate::commit::broken::Broken;
use crate::commit::observer::CommitObserver;
use crate::commit::order::{Held, Rank};
use crate::hosting::instance::{AgentInstance, Behaviour, Given};
use crate::hosting::mailbox::Envelope;
use crate::hosting::question::Question;
use crate::numbers::Numbers;
use domain::agent::{Input, Output};
use domain::task::TaskId;
use domain::team::place_of;
use domain::time::Timestamp;
use std::collections::{BTreeMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicI64, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use store::Committed;
use tokio::sync::Notify;

/// The mark of no batch: what rests on it is held until the store takes something again.
const HELD: u64 = u64::MAX;

/// The number of no input.
const NONE: u64 = u64::MAX;

/// Inputs by the batch that they rest on: the agent, and the number of the input.
type Resting = BTreeMap<u64, Vec<(usize, u64)>>;

pub(crate) struct Agents {
    /// Those in here, by their index.
    in_here: Vec<Mutex<AgentInstance>>,
    /// Of each the number of the next input that can be handed out, as whoever had its lock last left it: side by
    /// side, for all are looked over often.
    next: Vec<AtomicU64>,
    /// What stands for those elsewhere, by their index behind those in here.
    elsewhere: RwLock<Vec<Arc<Mutex<Behaviour>>>>,
    resting: Mutex<Resting>,
    /// The latest instant that was brought, in milliseconds: since then waits what is posted next.
    latest_ms: AtomicI64,
    /// An agent may be able to step.
    ready: Notify,
    numbers: Arc<Numbers>,
    broken: Arc<Broken>,
}

/// An agent in here, held by one.
pub(crate) struct Locked<'a> {
    instance: MutexGuard<'a, AgentInstance>,
    next: &'a AtomicU64,
    ready: &'a Notify,
    _held: Held<'a>,
}

impl Deref for Locked<'_> {
    type Target = AgentInstance;

    fn deref(&self) -> &AgentInstance {
        &self.instance
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut AgentInstance {
        &mut self.instance
    }
}

impl Drop for Locked<'_> {
    /// Whoever is told that an agent can step finds it: it is said first which, and told then.
    fn drop(&mut self) {
        let next = self.instance.next().unwrap_or(NONE);
        let before = self.next.swap(next, AcqRel);
        if next != NONE && next != before {
            self.ready.notify_one();
        }
    }
}

impl CommitObserver for Agents {
    fn on_commit(&self, committed: &[Committed]) {
        for mark in committed.iter().filter_map(|c| c.mark) {
            self.release(mark);
        }
    }
}

impl Agents {
    pub(crate) fn new(
        in_here: Vec<AgentInstance>,
        numbers: Arc<Numbers>,
        broken: Arc<Broken>,
    ) -> Self {
        Self {
            next: in_here.iter().map(|_| AtomicU64::new(NONE)).collect(),
            in_here: in_here.into_iter().map(Mutex::new).collect(),
            elsewhere: RwLock::default(),
            resting: Mutex::default(),
            latest_ms: AtomicI64::new(0),
            ready: Notify::new(),
            numbers,
            broken,
        }
    }

    /// It is so late: what is posted from now on waits since then, whoever posts it.
    pub(crate) fn note_time(&self, now: Timestamp) {
        self.latest_ms.fetch_max(now.as_ms(), Relaxed);
    }

    fn latest(&self) -> Timestamp {
        Timestamp::from_ms(self.latest_ms.load(Relaxed))
    }

    /// How many are in here.
    pub(crate) fn hosted(&self) -> usize {
        self.in_here.len()
    }

    /// True of an agent in here.
    pub(crate) fn is_hosted(&self, index: usize) -> bool {
        index < self.in_here.len()
    }

    /// Holds an agent in here.
    pub(crate) fn lock(&self, index: usize) -> Locked<'_> {
        let held = Held::take(Rank::Agent, &self.broken);
        Locked {
            instance: self.in_here[index].lock().expect("no holder panics"),
            next: &self.next[index],
            ready: &self.ready,
            _held: held,
        }
    }

    /// Each agent in here after the other, with its index.
    fn each(&self) -> impl Iterator<Item = (usize, Locked<'_>)> {
        (0..self.in_here.len()).map(|index| (index, self.lock(index)))
    }

    /// What stands for an agent elsewhere from now on; a new agent's index is the next one.
    pub(crate) fn stand_for(&self, index: usize, behaviour: Behaviour) {
        let behaviour = Arc::new(Mutex::new(behaviour));
        let mut elsewhere = self.elsewhere.write().expect("no writer panics");
        match elsewhere.get_mut(index - self.in_here.len()) {
            Some(place) => *place = behaviour,
            None => elsewhere.push(behaviour),
        }
    }

    /// Steps what stands for an agent elsewhere.
    pub(crate) fn step_elsewhere(&self, index: usize, input: Input, now: Timestamp) -> Vec<Output> {
        let stub = {
            let elsewhere = self.elsewhere.read().expect("no writer panics");
            Arc::clone(&elsewhere[index - self.in_here.len()])
        };
        let _held = Held::take(Rank::Agent, &self.broken);
        let stub = &mut *stub.lock().expect("no holder panics");
        stub.agent.step(input, now, &mut stub.rng)
    }

    /// The agent in here that can step and whose next input has waited longest.
    fn first_in_line(&self) -> Option<usize> {
        let next = self.next.iter().map(|next| next.load(Acquire));
        let ready = next.enumerate().filter(|(_, next)| *next != NONE);
        ready.min_by_key(|(_, next)| *next).map(|(index, _)| index)
    }

    /// Resolves when an agent in here may be able to step. One of those who wait is told.
    pub(crate) async fn ready(&self) {
        self.ready.notified().await;
    }

    /// Tells one of those who wait to look.
    pub(crate) fn notify_ready(&self) {
        self.ready.notify_one();
    }

    /// True if an agent in here can step.
    pub(crate) fn has_next(&self) -> bool {
        self.first_in_line().is_some()
    }

    /// What the agent is given whose next input has waited longest: its next inputs, so many at the most.
    pub(crate) fn hand_out(&self, most: usize, now: Timestamp) -> Option<(usize, Given)> {
        loop {
            let index = self.first_in_line()?;
            // Somebody else may have been before.
            if let Some(given) = self.lock(index).take(most, now) {
                return Some((index, given));
            }
        }
    }

    /// Puts an input into the mailbox of an agent in here, behind all others, in the room that was reserved if
    /// it needs some. It is handed out once the batch with that mark is on disk, or at once if there is none.
    pub(crate) fn post(
        &self,
        index: usize,
        room: Option<Room<'_>>,
        input: Input,
        question: Option<Question>,
        after: Option<u64>,
    ) {
        let mut agent = self.lock(index);
        if let Some(room) = room {
            room.leave_to(&mut agent.mailbox);
        }
        let number = self.numbers.next();
        let envelope = Envelope {
            number,
            input,
            question,
            after,
            since: self.latest(),
        };
        let is_taken = agent.post(envelope);
        drop(agent);
        if let Some(mark) = after.filter(|_| is_taken) {
            self.rests_on(mark, index, number);
        }
    }

    /// Puts an input that rests on nothing into the mailbox of an agent that is held, behind all others.
    pub(crate) fn post_to(
        &self,
        agent: &mut AgentInstance,
        input: Input,
        question: Option<Question>,
    ) {
        let number = self.numbers.next();
        agent.post(Envelope {
            number,
            input,
            question,
            after: None,
            since: self.latest(),
        });
    }

    /// Puts what is on record into the mailbox of an agent in here once more, unless it is a notice that came
    /// meanwhile.
    pub(crate) fn post_again(&self, index: usize, input: Input, question: Question) {
        let mut agent = self.lock(index);
        if !agent.has_notice(&question.key) {
            self.post_to(&mut agent, input, Some(question));
        }
    }

    /// An agent in here that failed is there again: it is briefed first, once the batch with that mark is on
    /// disk.
    pub(crate) fn revive(
        &self,
        index: usize,
        behaviour: Behaviour,
        briefing: Input,
        after: Option<u64>,
    ) {
        let number = self.numbers.next();
        let mut agent = self.lock(index);
        agent.put_back(behaviour);
        agent.mailbox.put_first(Envelope {
            number,
            input: briefing,
            question: None,
            after,
            since: self.latest(),
        });
        drop(agent);
        if let Some(mark) = after {
            self.rests_on(mark, index, number);
        }
    }

    /// Puts another briefing into the place of one whose batch was not stored, and holds it until the store
    /// takes something again: see [`Agents::release_held`].
    pub(crate) fn brief_anew(&self, index: usize, briefing: Input) {
        let number = self.lock(index).mailbox.replace_first(briefing);
        if let Some(number) = number {
            self.rests_on(HELD, index, number);
        }
    }

    /// The store takes something again.
    pub(crate) fn release_held(&self) {
        self.release(HELD);
    }

    /// An input is handed out once the batch with this mark is on disk. That is not queued yet.
    fn rests_on(&self, mark: u64, index: usize, number: u64) {
        let mut resting = self.resting();
        resting.entry(mark).or_default().push((index, number));
    }

    /// The batch with this mark is on disk.
    fn release(&self, mark: u64) {
        let released = self.resting().remove(&mark);
        for (index, number) in released.unwrap_or_default() {
            self.lock(index).mailbox.release(number);
        }
    }

    /// Takes out what rests on batches that are not on disk and never will be. The agents whose briefing was
    /// among it: it stays, and holds back all else, until there is another.
    pub(crate) fn withdraw_unreleased(&self) -> Vec<usize> {
        self.resting().clear();
        let withdrawn = self
            .each()
            .filter_map(|(index, mut agent)| agent.mailbox.withdraw_unreleased().then_some(index));
        withdrawn.collect()
    }

    /// True if no agent in here steps or has an input.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.each().all(|(_, agent)| agent.is_at_rest())
    }

    /// The agents in here that failed too often and are not made anew.
    pub(crate) fn left_alone(&self) -> Vec<usize> {
        let alone = self.each().filter(|(_, agent)| agent.is_left_alone());
        alone.map(|(index, _)| index).collect()
    }

    /// The keys of the questions that are on record and under way.
    pub(crate) fn under_way(&self) -> HashSet<String> {
        let mut keys = HashSet::new();
        for (_, agent) in self.each() {
            keys.extend(agent.questions().map(|q| q.key.clone()));
        }
        keys
    }

    /// True if an agent in here was asked for a place in the team of a task and has not answered.
    pub(crate) fn asks_about_parts(&self, task: &TaskId) -> bool {
        let is_part = |id: &TaskId| place_of(id).is_some_and(|(whole, _)| whole == *task);
        self.each().any(|(_, agent)| {
            let mut questions = agent.questions().filter(|q| q.owes_answer());
            questions.any(|q| is_part(&q.task))
        })
    }

    fn resting(&self) -> MutexGuard<'_, Resting> {
        self.resting.lock().expect("no holder panics")
    }
}
