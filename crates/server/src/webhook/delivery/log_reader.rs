//! From the log into the schedule: which entries are told, to whom.
//!
//! Knows subscriptions and push configurations; refuses to know attempts. Read next: [`super`].

use super::{DeliveryTask, ENTRIES, GONE, PAUSE_MS};
use crate::webhook::schedule::DeliveryQueue;
use crate::webhook::source::Failure;
use crate::webhook::target::{Inadmissible, Target};
use domain::event::{Entry, LogEvent, Sequence};
use domain::notification::Notification;
use domain::task::TaskId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, warn};

impl DeliveryTask {
    /// Resumes the queues that were behind when cursors were last stored.
    pub(super) async fn resume(&mut self, queues: Vec<(DeliveryQueue, Sequence)>) {
        let mut behind: BTreeMap<TaskId, Vec<(DeliveryQueue, Sequence)>> = BTreeMap::new();
        for (queue, cursor) in queues {
            match cursor {
                GONE => self.schedule.enter_gone(queue),
                _ => {
                    // Unless something is found to be told, its cursor is forgotten.
                    self.schedule.not_kept(Arc::new(queue.clone()));
                    behind
                        .entry(queue.task.clone())
                        .or_default()
                        .push((queue, cursor));
                }
            }
        }
        let cursors = behind.values().flatten().map(|(_, cursor)| *cursor);
        let mut cursor = cursors.min().unwrap_or(self.read_to);
        while cursor < self.read_to {
            let entries = match self.source.after(cursor, ENTRIES) {
                Ok(entries) => entries,
                Err(error) => {
                    warn!("the log cannot be read for deliveries: {error}");
                    tokio::time::sleep(Duration::from_millis(PAUSE_MS)).await;
                    continue;
                }
            };
            let Some(last) = entries.last().map(|e| e.sequence) else {
                break;
            };
            let read_to = self.read_to;
            for entry in entries.iter().filter(|e| e.sequence <= read_to) {
                self.take_up_again(entry, &behind);
            }
            cursor = last;
            tokio::task::yield_now().await;
        }
    }

    fn take_up_again(
        &mut self,
        entry: &Entry,
        behind: &BTreeMap<TaskId, Vec<(DeliveryQueue, Sequence)>>,
    ) {
        let LogEvent::Task(change) = &entry.happening else {
            return;
        };
        let queues = behind.get(&change.task).into_iter().flatten();
        for (queue, _) in queues.filter(|(_, cursor)| *cursor < entry.sequence) {
            let admitted = self.client.allowed().admit_url(&queue.url);
            self.enter(queue, admitted, entry, change);
        }
        if change.status.is_terminal() {
            self.schedule.task_ended(&change.task);
        }
    }

    /// Reads further entries of the log; at most one page, so that deliveries have their turn.
    pub(super) fn read_on(&mut self) {
        if self.clock.monotonic_ms() < self.read_at_ms {
            return;
        }
        let read = self.source.after(self.read_to, ENTRIES);
        let taken_up = read.and_then(|entries| {
            entries.iter().try_for_each(|entry| {
                self.take_up(entry)?;
                self.read_to = entry.sequence;
                Ok(())
            })
        });
        if let Err(error) = taken_up {
            warn!("the log cannot be read for deliveries: {error}");
            self.read_at_ms = self.clock.monotonic_ms() + PAUSE_MS;
        }
    }

    fn take_up(&mut self, entry: &Entry) -> Result<(), Failure> {
        let LogEvent::Task(change) = &entry.happening else {
            return Ok(());
        };
        let subscription = self.source.subscription(change)?;
        let pushed_by = self.source.pushed_by(entry.sequence, change)?;
        let client = Arc::clone(&self.client);
        if let Some(subscription) = subscription {
            let admitted = client.allowed().admit(&subscription).transpose();
            if let Some(admitted) = admitted {
                let usual = admitted.as_ref().map(Target::to_string);
                let queue = DeliveryQueue {
                    task: change.task.clone(),
                    url: usual.unwrap_or(subscription.url),
                    push: None,
                };
                self.enter(&queue, admitted, entry, change);
            }
        }
        for config in &pushed_by {
            let admitted = client.allowed().admit_url(&config.url);
            self.enter(&DeliveryQueue::of(config), admitted, entry, change);
        }
        if change.status.is_terminal() {
            self.schedule.task_ended(&change.task);
        }
        Ok(())
    }

    fn enter(
        &mut self,
        queue: &DeliveryQueue,
        admitted: Result<Target, Inadmissible>,
        entry: &Entry,
        change: &Notification,
    ) {
        let push = queue.push.as_ref();
        let owner: &str = push.map_or(change.to.as_str(), |key| key.owner.as_str());
        let (sequence, time) = (entry.sequence, entry.time);
        match admitted {
            Ok(target) => {
                if !self.schedule.enter(queue, owner, &target, sequence, time) {
                    self.too_many(owner);
                }
            }
            Err(why) => {
                self.count(|s| s.refused += 1);
                debug!(task.id = %queue.task, "a change of task {} is not told: {why}", queue.task);
            }
        }
    }

    /// Counts a change given up because too many of its owner's are waiting. The first is logged,
    /// and each tenfold number.
    fn too_many(&mut self, owner: &str) {
        self.count(|s| s.given_up += 1);
        let given_up = self.too_many.entry(owner.to_owned()).or_default();
        *given_up += 1;
        let given_up = *given_up;
        if 10_u64.pow(given_up.ilog10()) == given_up {
            warn!(
                user = owner,
                "receivers of '{owner}' are behind with as much as may wait: {given_up} changes were given \
                 up for it since the start"
            );
        }
    }
}
