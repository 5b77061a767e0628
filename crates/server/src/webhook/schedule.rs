//! What is to be sent next, and when: lanes, hosts, failures and places reached.
//!
//! A *lane* is one task, one address and who wants it told there: its reports go out one after the
//! other, in the order of the log. Lanes to one host share a few places, all hosts together some more,
//! and a host that does not answer keeps a single place until it does: who is dead delays nobody.
//! Pure: time is an argument, nothing is sent. Read next: [`super::delivery`], which sends.

use super::target::{Origin, Target};
use domain::event::Sequence;
use domain::push::PushConfig;
use domain::task::TaskId;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

/// How hard is tried to tell a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How long one try may take, in milliseconds.
    pub try_ms: u64,
    /// How long is waited after the first failure, in milliseconds; twice as long after each more.
    pub first_wait_ms: u64,
    /// How long is waited at most, in milliseconds.
    pub longest_wait_ms: u64,
    /// The age at which a change is told no more, in milliseconds.
    pub give_up_ms: i64,
    /// How many tries may be under way at once.
    pub tries: usize,
    /// How many of them to one host.
    pub tries_a_host: usize,
}

impl Default for Retry {
    /// 10 s a try; 1 s doubling to 5 min between tries, for 24 h; 64 tries at once, 4 to one host.
    fn default() -> Self {
        Self {
            try_ms: 10_000,
            first_wait_ms: 1_000,
            longest_wait_ms: 5 * 60 * 1_000,
            give_up_ms: 24 * 60 * 60 * 1_000,
            tries: 64,
            tries_a_host: 4,
        }
    }
}

/// Where the reports of one task go, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// The task.
    pub task: TaskId,
    /// The address, as it was given.
    pub url: String,
    /// The configuration that wants it; none for the `task-subscription` of the task.
    pub push: Option<PushKey>,
}

/// Which configuration for pushing of a task. One that was made anew is another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PushKey {
    /// Whose it is.
    pub owner: String,
    /// Its identifier among the owner's.
    pub id: String,
    /// Behind which place of the log it tells.
    pub since: Sequence,
}

impl Lane {
    /// That of a configuration for pushing.
    pub fn of(config: &PushConfig) -> Self {
        Self {
            task: config.task.clone(),
            url: config.url.clone(),
            push: Some(PushKey {
                owner: config.owner.clone(),
                id: config.id.clone(),
                since: config.since,
            }),
        }
    }
}

/// How far a lane has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// Everything up to this place has been told, and something behind it has not.
    Behind(Sequence),
    /// Everything has been told.
    End,
    /// The receiver wants nothing more.
    Gone,
}

/// A try to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// The lane.
    pub lane: Arc<Lane>,
    /// Where to.
    pub target: Arc<Target>,
    /// The entry of the log.
    pub sequence: Sequence,
}

/// What came of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver has it.
    Delivered,
    /// The receiver wants nothing more of this lane.
    Gone,
    /// Nobody wants this lane told any more.
    Withdrawn,
    /// The receiver answered something else.
    Refused,
    /// Nobody answered.
    Silence,
}

#[derive(Debug)]
struct Pending {
    target: Arc<Target>,
    /// What is to be told: place and time of each change.
    changes: VecDeque<(Sequence, Timestamp)>,
    failures: u32,
    /// True once the task has ended: nothing more can come.
    last: bool,
}

#[derive(Debug, Default)]
struct Place {
    ready: VecDeque<Arc<Lane>>,
    under_way: usize,
    silent: bool,
}

/// The schedule.
#[derive(Debug)]
pub struct Schedule {
    retry: Retry,
    lanes: BTreeMap<Arc<Lane>, Pending>,
    gone: BTreeSet<Arc<Lane>>,
    hosts: BTreeMap<Origin, Place>,
    waiting: BTreeSet<(u64, Arc<Lane>)>,
    under_way: usize,
    pending: usize,
    /// The host that was served last: the next one has its turn.
    served: Option<Origin>,
    changed: BTreeSet<Arc<Lane>>,
}

impl Schedule {
    /// An empty schedule.
    pub fn new(retry: Retry) -> Self {
        Self {
            retry,
            lanes: BTreeMap::new(),
            gone: BTreeSet::new(),
            hosts: BTreeMap::new(),
            waiting: BTreeSet::new(),
            under_way: 0,
            pending: 0,
            served: None,
            changed: BTreeSet::new(),
        }
    }

    /// Notes a change to be told; changes of a lane come in the order of the log. Nothing is noted
    /// for a lane of which the receiver wants nothing more.
    pub fn enter(&mut self, lane: &Lane, target: &Target, sequence: Sequence, time: Timestamp) {
        if self.gone.contains(lane) {
            return;
        }
        self.pending += 1;
        let lane = Arc::new(lane.clone());
        if let Some(pending) = self.lanes.get_mut(&lane) {
            pending.changes.push_back((sequence, time));
            return;
        }
        let pending = Pending {
            target: Arc::new(target.clone()),
            changes: [(sequence, time)].into(),
            failures: 0,
            last: false,
        };
        self.ready(&target.origin, &lane);
        self.changed.insert(Arc::clone(&lane));
        self.lanes.insert(lane, pending);
    }

    /// Notes that the receiver wants nothing of this lane, as it said before a restart.
    pub fn enter_gone(&mut self, lane: Lane) {
        self.gone.insert(Arc::new(lane));
    }

    /// Takes note that nothing more can come of a task: what its receivers want is forgotten.
    pub fn task_ended(&mut self, task: &TaskId) {
        let first = Lane {
            task: task.clone(),
            url: String::new(),
            push: None,
        };
        let lanes = self.lanes.range_mut::<Lane, _>(&first..);
        for (_, pending) in lanes.take_while(|(lane, _)| lane.task == *task) {
            pending.last = true;
        }
        let gone = self.gone.range::<Lane, _>(&first..);
        let gone: Vec<_> = gone.take_while(|l| l.task == *task).cloned().collect();
        for lane in gone {
            self.gone.remove(&lane);
            self.changed.insert(lane);
        }
    }

    /// The next try, if one may begin; it is under way until it is settled.
    pub fn next_try(&mut self) -> Option<Try> {
        if self.under_way >= self.retry.tries {
            return None;
        }
        let behind = match &self.served {
            Some(served) => Bound::Excluded(served),
            None => Bound::Unbounded,
        };
        let most = self.retry.tries_a_host;
        let may = |(_, host): &(&Origin, &Place)| {
            !host.ready.is_empty() && host.under_way < if host.silent { 1 } else { most }
        };
        let after = self.hosts.range((behind, Bound::Unbounded));
        let (origin, _) = after.chain(&self.hosts).find(may)?;
        let origin = origin.clone();
        let host = self.hosts.get_mut(&origin)?;
        let lane = host.ready.pop_front()?;
        host.under_way += 1;
        self.under_way += 1;
        self.served = Some(origin);
        let pending = &self.lanes[&lane];
        Some(Try {
            target: Arc::clone(&pending.target),
            sequence: pending.changes.front()?.0,
            lane,
        })
    }

    /// Lets lanes go on whose wait is over.
    pub fn wake(&mut self, now_ms: u64) {
        while let Some((due, lane)) = self.waiting.first().cloned()
            && due <= now_ms
        {
            self.waiting.pop_first();
            let origin = self.lanes[&lane].target.origin.clone();
            self.ready(&origin, &lane);
        }
    }

    /// When the next wait is over; none if nobody waits.
    pub fn due_ms(&self) -> Option<u64> {
        self.waiting.first().map(|(due, _)| *due)
    }

    /// Takes note of what came of a try, and answers how many changes are given up for their age.
    pub fn settle(
        &mut self,
        lane: &Arc<Lane>,
        outcome: Outcome,
        now_ms: u64,
        time: Timestamp,
    ) -> usize {
        let Some(pending) = self.lanes.get_mut(lane) else {
            return 0;
        };
        let origin = pending.target.origin.clone();
        let before = pending.changes.len();
        match outcome {
            Outcome::Delivered => {
                pending.changes.pop_front();
                pending.failures = 0;
            }
            Outcome::Gone => {
                pending.changes.clear();
                if !pending.last {
                    self.gone.insert(Arc::clone(lane));
                }
            }
            Outcome::Withdrawn => pending.changes.clear(),
            Outcome::Refused | Outcome::Silence => {
                let give_up_ms = self.retry.give_up_ms;
                let young = |(_, at): &(Sequence, Timestamp)| time - *at < give_up_ms;
                let old = pending.changes.iter().position(young).unwrap_or(before);
                pending.changes.drain(..old);
                pending.failures += 1;
            }
        }
        let (left, failures) = (pending.changes.len(), pending.failures);
        self.pending -= before - left;
        if left != before {
            self.changed.insert(Arc::clone(lane));
        }
        if left == 0 {
            self.lanes.remove(lane);
        } else if failures > 0 {
            self.waiting
                .insert((now_ms + self.wait_ms(failures), Arc::clone(lane)));
        } else {
            self.ready(&origin, lane);
        }
        self.leave(&origin, outcome == Outcome::Silence);
        match outcome {
            Outcome::Refused | Outcome::Silence => before - left,
            Outcome::Delivered | Outcome::Gone | Outcome::Withdrawn => 0,
        }
    }

    fn ready(&mut self, origin: &Origin, lane: &Arc<Lane>) {
        let host = match self.hosts.get_mut(origin) {
            Some(host) => host,
            None => self.hosts.entry(origin.clone()).or_default(),
        };
        host.ready.push_back(Arc::clone(lane));
    }

    fn leave(&mut self, origin: &Origin, silent: bool) {
        self.under_way -= 1;
        if let Some(host) = self.hosts.get_mut(origin) {
            host.under_way -= 1;
            host.silent = silent;
        }
    }

    /// How long a lane waits after so many failures in a row, in milliseconds.
    fn wait_ms(&self, failures: u32) -> u64 {
        let doubled = 1_u64 << (failures - 1).min(32);
        let wait = self.retry.first_wait_ms.saturating_mul(doubled);
        wait.min(self.retry.longest_wait_ms)
    }

    /// True if a lane has moved since [`Schedule::take_changed`] was called.
    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// How far the lanes have got that moved since the last call.
    pub fn take_changed(&mut self) -> Vec<(Arc<Lane>, Reached)> {
        let changed = std::mem::take(&mut self.changed);
        changed
            .into_iter()
            .map(|lane| {
                let reached = self.reached(&lane);
                (lane, reached)
            })
            .collect()
    }

    /// Notes that the place of this lane was not kept, so that it is among the changed ones again.
    pub fn not_kept(&mut self, lane: Arc<Lane>) {
        self.changed.insert(lane);
    }

    fn reached(&self, lane: &Arc<Lane>) -> Reached {
        match self.lanes.get(lane).and_then(|p| p.changes.front()) {
            Some((next, _)) => Reached::Behind(next - 1),
            None if self.gone.contains(lane) => Reached::Gone,
            None => Reached::End,
        }
    }

    /// How many changes are still to be told.
    pub fn pending(&self) -> usize {
        self.pending
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
