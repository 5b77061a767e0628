//! The schedule of attempts: queues, hosts, failures and positions.
//!
//! A *queue* is one task, one address and the configuration that names it: its reports are sent one
//! after the other, in the order of the log. The number of concurrent attempts is limited for each
//! host, and for all hosts together. Owners of queues to one host take turns there, and each has at
//! most half of its attempts; those to whom it does not respond share a single one until it does,
//! and all of them half of all attempts, so that dead receivers delay no others. The waiting
//! changes of one owner are [limited](WAITING_BYTES). Pure: time is an argument. Read next: `hosts`,
//! whose turn it is; [`super::delivery`], which sends.

mod hosts;
mod waiting_bytes;

pub use waiting_bytes::WAITING_BYTES;

use super::target::{Origin, Target};
use domain::event::Sequence;
use domain::push::PushConfig;
use domain::retry::Backoff;
use domain::task::TaskId;
use domain::time::Timestamp;
use hosts::{Host, OwnerAtHost, Tries};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use waiting_bytes::WaitingBytes;

/// The bytes counted for a change beyond the first two of its queue.
const CHANGE_BYTES: usize = 32;

/// The most changes that wait in one queue; beyond it the oldest are given up, except one that may
/// be under way.
pub const CHANGES_OF_ONE: usize = 4_096;

/// The policy of deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryPolicy {
    /// The time limit of one attempt, in milliseconds.
    pub try_ms: u64,
    /// The pauses of a queue whose attempts fail.
    pub backoff: Backoff,
    /// The age at which a change is given up, in milliseconds.
    pub give_up_ms: i64,
    /// The most concurrent attempts.
    pub tries: usize,
    /// The most concurrent attempts to one host.
    pub tries_a_host: usize,
}

impl Default for DeliveryPolicy {
    /// 10 s an attempt; pauses from 1 s doubling to 5 min, for 24 h; 64 attempts at once, 4 to one
    /// host.
    fn default() -> Self {
        Self {
            try_ms: 10_000,
            backoff: Backoff {
                first_ms: 1_000,
                longest_ms: 5 * 60 * 1_000,
            },
            give_up_ms: 24 * 60 * 60 * 1_000,
            tries: 64,
            tries_a_host: 4,
        }
    }
}

/// The destination of the reports of one task, which are sent one after the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryQueue {
    /// The task.
    pub task: TaskId,
    /// The address, as given.
    pub url: String,
    /// The push configuration; none for the `task-subscription` of the task.
    pub push: Option<PushKey>,
}

/// The key of a push configuration of a task. One that was deleted and created again is another
/// one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PushKey {
    /// The owner.
    pub owner: String,
    /// The identifier among the owner's.
    pub id: String,
    /// The place in the log after which it is notified.
    pub since: Sequence,
}

impl DeliveryQueue {
    /// The approximate size in bytes while changes wait in it.
    pub fn bytes(&self) -> usize {
        // The address stands in the queue, its target and the cursors.
        1_024 + 3 * (self.url.len() + self.task.as_str().len())
    }

    /// The queue of a push configuration.
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

/// The position of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePosition {
    /// Everything up to this place has been sent, and something behind it has not.
    Behind(Sequence),
    /// Everything has been sent.
    End,
    /// The receiver has unsubscribed.
    Gone,
}

/// An attempt to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// The queue.
    pub queue: Arc<DeliveryQueue>,
    /// The address.
    pub target: Arc<Target>,
    /// The entry of the log.
    pub sequence: Sequence,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The report was delivered.
    Delivered,
    /// The receiver unsubscribed this queue (410).
    Gone,
    /// The subscription of this queue was withdrawn.
    Withdrawn,
    /// The receiver responded with another status.
    Refused,
    /// There was no response.
    Silence,
}

#[derive(Debug)]
struct Pending {
    owner: Arc<str>,
    target: Arc<Target>,
    /// The waiting changes: place and time of each.
    changes: VecDeque<(Sequence, Timestamp)>,
    failures: u32,
    /// True once the task has ended: no more changes can come.
    last: bool,
}

/// The schedule.
#[derive(Debug)]
pub struct Schedule {
    policy: DeliveryPolicy,
    queues: BTreeMap<Arc<DeliveryQueue>, Pending>,
    queues_of: WaitingBytes,
    /// The queues whose receivers have unsubscribed, with their owners.
    gone: BTreeMap<Arc<DeliveryQueue>, Arc<str>>,
    gone_of: WaitingBytes,
    hosts: BTreeMap<Origin, Host>,
    waiting: BTreeSet<(u64, Arc<DeliveryQueue>)>,
    tries: Tries,
    pending: usize,
    /// The host that was served last; the next one has the turn.
    served: Option<Origin>,
    changed: BTreeSet<Arc<DeliveryQueue>>,
}

impl Schedule {
    /// An empty schedule.
    pub fn new(policy: DeliveryPolicy) -> Self {
        Self {
            policy,
            queues: BTreeMap::new(),
            queues_of: WaitingBytes::default(),
            gone: BTreeMap::new(),
            gone_of: WaitingBytes::default(),
            hosts: BTreeMap::new(),
            waiting: BTreeSet::new(),
            tries: Tries::default(),
            pending: 0,
            served: None,
            changed: BTreeSet::new(),
        }
    }

    /// Adds a change to a queue of this owner; changes of a queue come in the order of the log. A
    /// queue whose receiver has unsubscribed takes none.
    ///
    /// False if a change is given up for want of room: this one where the queue is empty and others
    /// of its owner take [`WAITING_BYTES`], an older one where [`CHANGES_OF_ONE`] wait in it, or
    /// there is no room for more than two.
    pub fn enter(
        &mut self,
        queue: &DeliveryQueue,
        owner: &str,
        target: &Target,
        sequence: Sequence,
        time: Timestamp,
    ) -> bool {
        if self.gone.contains_key(queue) {
            return true;
        }
        if let Some(pending) = self.queues.get_mut(queue) {
            let waiting = pending.changes.len();
            let has_room = waiting < 2
                || waiting < CHANGES_OF_ONE && self.queues_of.add(&pending.owner, CHANGE_BYTES);
            if !has_room {
                // The first may be under way.
                pending.changes.remove(1);
                self.pending -= 1;
            }
            pending.changes.push_back((sequence, time));
            self.pending += 1;
            return has_room;
        }
        let owner: Arc<str> = Arc::from(owner);
        if !self.queues_of.add(&owner, queue.bytes()) {
            return false;
        }
        let queue = Arc::new(queue.clone());
        let pending = Pending {
            owner: Arc::clone(&owner),
            target: Arc::new(target.clone()),
            changes: [(sequence, time)].into(),
            failures: 0,
            last: false,
        };
        self.pending += 1;
        let host = self.hosts.entry(target.origin.clone()).or_default();
        host.owners.entry(owner).or_default().queues += 1;
        self.queues.insert(Arc::clone(&queue), pending);
        self.ready(&queue);
        self.changed.insert(queue);
        true
    }

    /// Marks a queue as unsubscribed by its receiver, as stored before a restart.
    pub fn enter_gone(&mut self, queue: DeliveryQueue) {
        // The publisher is not known here: the queues of all publishers count as one owner's.
        let owner = queue.push.as_ref().map_or("", |key| key.owner.as_str());
        let owner: Arc<str> = Arc::from(owner);
        let queue = Arc::new(queue);
        if self.gone_of.add(&owner, queue.bytes()) {
            self.gone.insert(queue, owner);
        } else {
            self.changed.insert(queue);
        }
    }

    /// Notes that a task has ended: its queues are dropped once they are empty, unsubscribed ones at
    /// once.
    pub fn task_ended(&mut self, task: &TaskId) {
        let first = DeliveryQueue {
            task: task.clone(),
            url: String::new(),
            push: None,
        };
        let queues = self.queues.range_mut::<DeliveryQueue, _>(&first..);
        for (_, pending) in queues.take_while(|(queue, _)| queue.task == *task) {
            pending.last = true;
        }
        let gone = self.gone.range::<DeliveryQueue, _>(&first..);
        let gone = gone.take_while(|(queue, _)| queue.task == *task);
        let gone: Vec<_> = gone.map(|(queue, _)| Arc::clone(queue)).collect();
        for queue in gone {
            if let Some(owner) = self.gone.remove(&queue) {
                self.gone_of.remove(&owner, queue.bytes());
            }
            self.changed.insert(queue);
        }
    }

    /// The next attempt, if one may begin; it is under way until it is settled.
    pub fn next_try(&mut self) -> Option<DeliveryAttempt> {
        let (tries, of_host) = (self.policy.tries, self.policy.tries_a_host);
        if self.tries.all >= tries {
            return None;
        }
        let of_silent = self.tries.silent < tries.div_ceil(2);
        let behind = match &self.served {
            Some(served) => Bound::Excluded(served),
            None => Bound::Unbounded,
        };
        let after = self.hosts.range((behind, Bound::Unbounded));
        let (origin, owner) = after.chain(&self.hosts).find_map(|(origin, host)| {
            let owner = host.next_owner(of_host, of_silent)?;
            Some((origin.clone(), Arc::clone(owner)))
        })?;
        let host = self.hosts.get_mut(&origin)?;
        let queue = host.owners.get_mut(&owner)?.ready.pop_front()?;
        host.ready -= 1;
        host.served = Some(Arc::clone(&owner));
        self.at_host(&origin, &owner, |owner| owner.under_way += 1);
        self.served = Some(origin);
        let pending = &self.queues[&queue];
        Some(DeliveryAttempt {
            target: Arc::clone(&pending.target),
            sequence: pending.changes.front()?.0,
            queue,
        })
    }

    /// Makes queues ready whose pause is over.
    pub fn wake(&mut self, now_ms: u64) {
        while let Some((due, queue)) = self.waiting.first().cloned()
            && due <= now_ms
        {
            self.waiting.pop_first();
            self.ready(&queue);
        }
    }

    /// The end of the next pause; none if no queue pauses.
    pub fn due_ms(&self) -> Option<u64> {
        self.waiting.first().map(|(due, _)| *due)
    }

    /// Takes the outcome of an attempt; returns the number of changes given up for their age.
    pub fn settle(
        &mut self,
        queue: &Arc<DeliveryQueue>,
        outcome: DeliveryOutcome,
        now_ms: u64,
        time: Timestamp,
    ) -> usize {
        let Some(pending) = self.queues.get_mut(queue) else {
            return 0;
        };
        let origin = pending.target.origin.clone();
        let owner = Arc::clone(&pending.owner);
        let before = pending.changes.len();
        match outcome {
            DeliveryOutcome::Delivered => {
                pending.changes.pop_front();
                pending.failures = 0;
            }
            DeliveryOutcome::Gone => {
                pending.changes.clear();
                // Beyond the bound it is forgotten, and the receiver says it again.
                if !pending.last && self.gone_of.add(&owner, queue.bytes()) {
                    self.gone.insert(Arc::clone(queue), Arc::clone(&owner));
                }
            }
            DeliveryOutcome::Withdrawn => pending.changes.clear(),
            DeliveryOutcome::Refused | DeliveryOutcome::Silence => {
                let give_up_ms = self.policy.give_up_ms;
                let young = |(_, at): &(Sequence, Timestamp)| time - *at < give_up_ms;
                let old = pending.changes.iter().position(young).unwrap_or(before);
                pending.changes.drain(..old);
                pending.failures += 1;
            }
        }
        let (left, failures) = (pending.changes.len(), pending.failures);
        self.pending -= before - left;
        let fewer = before.saturating_sub(2) - left.saturating_sub(2);
        self.queues_of.remove(&owner, fewer * CHANGE_BYTES);
        if left != before {
            self.changed.insert(Arc::clone(queue));
        }
        self.at_host(&origin, &owner, |owner| {
            owner.under_way -= 1;
            match outcome {
                DeliveryOutcome::Silence => owner.silent = true,
                DeliveryOutcome::Delivered | DeliveryOutcome::Gone | DeliveryOutcome::Refused => {
                    owner.silent = false
                }
                DeliveryOutcome::Withdrawn => {}
            }
        });
        if left == 0 {
            self.queues.remove(queue);
            self.queues_of.remove(&owner, queue.bytes());
            self.leave(&origin, &owner);
        } else if failures > 0 {
            let due = now_ms + u64::from(self.policy.backoff.pause_ms(failures));
            self.waiting.insert((due, Arc::clone(queue)));
        } else {
            self.ready(queue);
        }
        match outcome {
            DeliveryOutcome::Refused | DeliveryOutcome::Silence => before - left,
            DeliveryOutcome::Delivered | DeliveryOutcome::Gone | DeliveryOutcome::Withdrawn => 0,
        }
    }

    /// Makes a queue with waiting changes ready.
    fn ready(&mut self, queue: &Arc<DeliveryQueue>) {
        let pending = &self.queues[queue];
        if let Some(host) = self.hosts.get_mut(&pending.target.origin)
            && let Some(owner) = host.owners.get_mut(&pending.owner)
        {
            owner.ready.push_back(Arc::clone(queue));
            host.ready += 1;
        }
    }

    /// Updates the attempts under way of one owner at a host, and whether the host responds to that
    /// owner.
    fn at_host(&mut self, origin: &Origin, owner: &str, change: impl FnOnce(&mut OwnerAtHost)) {
        if let Some(host) = self.hosts.get_mut(origin)
            && let Some(owner) = host.owners.get_mut(owner)
        {
            let before = owner.tries();
            change(owner);
            let after = owner.tries();
            host.tries.replace(before, after);
            self.tries.replace(before, after);
        }
    }

    /// Removes a queue of an owner to a host.
    fn leave(&mut self, origin: &Origin, owner: &str) {
        if let Some(host) = self.hosts.get_mut(origin)
            && let Some(at_host) = host.owners.get_mut(owner)
        {
            at_host.queues -= 1;
            if at_host.queues == 0 {
                host.owners.remove(owner);
            }
            if host.owners.is_empty() {
                self.hosts.remove(origin);
            }
        }
    }

    /// True if a queue has moved since [`Schedule::take_changed`] was called.
    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// The positions of the queues that moved since the last call.
    pub fn take_changed(&mut self) -> Vec<(Arc<DeliveryQueue>, QueuePosition)> {
        let changed = std::mem::take(&mut self.changed);
        changed
            .into_iter()
            .map(|queue| {
                let reached = self.reached(&queue);
                (queue, reached)
            })
            .collect()
    }

    /// Notes that the position of this queue was not stored, so that it is among the changed ones
    /// again.
    pub fn not_kept(&mut self, queue: Arc<DeliveryQueue>) {
        self.changed.insert(queue);
    }

    fn reached(&self, queue: &Arc<DeliveryQueue>) -> QueuePosition {
        match self.queues.get(queue).and_then(|p| p.changes.front()) {
            Some((next, _)) => QueuePosition::Behind(next - 1),
            None if self.gone.contains_key(queue) => QueuePosition::Gone,
            None => QueuePosition::End,
        }
    }

    /// The number of changes still to be sent.
    pub fn pending(&self) -> usize {
        self.pending
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
