//! Deliveries: reading the log, sending reports to publishers and other receivers, and storing
//! cursors.
//!
//! The log is the source. One cursor is its last entry read; each queue that is behind has a cursor
//! of its own, and the entries between the two are read again after a restart. So nothing is lost,
//! and the reports sent after cursors were last stored, at most those of a second, are sent again:
//! at-least-once delivery, in the order of the log for each task. Attempts are scheduled by
//! [`super::schedule`] and made by [`super::client`]. Read next: `log_reader`, [`super::source`].

mod log_reader;

use super::client::{OutgoingRequest, WebhookClient};
use super::cursors::{Cursors, READ_TO, name_of};
use super::report;
use super::schedule::{
    DeliveryAttempt, DeliveryOutcome, DeliveryPolicy, DeliveryQueue, QueuePosition, Schedule,
};
use super::source::{DeliverySource, Failure, Kept};
use super::target::Target;
use crate::clock::Clock;
use crate::http_client::{Unanswered, within};
use domain::event::{LogEvent, Sequence};
use domain::notification::Notification;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tracing::{debug, info, warn};

/// The number of log entries read at once.
const ENTRIES: usize = 256;
/// The interval at which moving cursors are stored, in milliseconds.
const KEEP_MS: u64 = 1_000;
/// The pause after the log could not be read or cursors not be stored, in milliseconds.
const PAUSE_MS: u64 = 5_000;
/// The longest sleep, in milliseconds.
const LONG_MS: u64 = 3_600_000;
/// The cursor of a queue whose receiver has unsubscribed.
const GONE: Sequence = i64::MAX as Sequence;

/// Counters of reports since the start, and the number outstanding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryStatistics {
    /// Reports that were delivered.
    pub delivered: u64,
    /// Attempts that failed; each is repeated unless it was the last.
    pub failed: u64,
    /// Changes that were given up, because their receiver failed for a day, or too many of their
    /// owner's were waiting.
    pub given_up: u64,
    /// Subscriptions ended by their receivers.
    pub gone: u64,
    /// Changes not sent because their address is not allowed any more.
    pub refused: u64,
    /// Changes still to be sent.
    pub pending: u64,
}

/// Deliveries under way. Dropping it ends them at once, and recent reports may then be sent again.
pub struct Deliveries {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
    statistics: watch::Receiver<DeliveryStatistics>,
}

impl Deliveries {
    /// Starts deliveries: from the stored cursors, or, without any, with changes from now on.
    ///
    /// # Errors
    /// [`Failure`] if the cursors cannot be read.
    pub fn start(
        source: Arc<dyn DeliverySource>,
        client: WebhookClient,
        policy: DeliveryPolicy,
        clock: Arc<Clock>,
    ) -> Result<Self, Failure> {
        let (stop, stopped) = oneshot::channel();
        let (statistics, told) = watch::channel(DeliveryStatistics::default());
        let cursors = Cursors::read(source.cursors()?);
        let last = *source.watch().borrow();
        let read_to = cursors.read_to.unwrap_or(last).min(last);
        let task = DeliveryTask {
            source,
            client: Arc::new(client),
            policy,
            clock,
            statistics,
            schedule: Schedule::new(policy),
            tries: JoinSet::new(),
            read_to,
            kept_to: cursors.read_to.filter(|kept| *kept == read_to),
            keeping: None,
            keep_at_ms: 0,
            read_at_ms: 0,
            too_many: BTreeMap::new(),
        };
        Ok(Self {
            stop: Some(stop),
            task: tokio::spawn(task.run(cursors.queues, stopped)),
            statistics: told,
        })
    }

    /// The counters, for reading or waiting.
    pub fn statistics(&self) -> watch::Receiver<DeliveryStatistics> {
        self.statistics.clone()
    }

    /// Ends deliveries and stores their cursors.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        if let Err(error) = (&mut self.task).await {
            warn!("deliveries ended badly: {error}");
        }
    }
}

impl Drop for Deliveries {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The outcome of an attempt.
type Tried = (DeliveryAttempt, Result<u16, Unanswered>);

struct DeliveryTask {
    source: Arc<dyn DeliverySource>,
    client: Arc<WebhookClient>,
    policy: DeliveryPolicy,
    clock: Arc<Clock>,
    statistics: watch::Sender<DeliveryStatistics>,
    schedule: Schedule,
    tries: JoinSet<Tried>,
    /// The last log entry that was read.
    read_to: Sequence,
    /// The last log entry read when cursors were last stored.
    kept_to: Option<Sequence>,
    keeping: Option<(Kept, Vec<Arc<DeliveryQueue>>)>,
    keep_at_ms: u64,
    read_at_ms: u64,
    /// The number of changes given up because too many were waiting, by owner.
    too_many: BTreeMap<String, u64>,
}

impl DeliveryTask {
    async fn run(
        mut self,
        queues: Vec<(DeliveryQueue, Sequence)>,
        mut stopped: oneshot::Receiver<()>,
    ) {
        let mut last = self.source.watch();
        tokio::select! {
            biased;
            // The stored cursors are unchanged then.
            _ = &mut stopped => return,
            () = self.resume(queues) => {}
        }
        loop {
            self.read_on();
            self.begin_tries();
            self.begin_keeping();
            self.tell_pending();
            let sleep = Duration::from_millis(self.sleep_ms());
            tokio::select! {
                biased;
                _ = &mut stopped => break,
                Some(tried) = self.tries.join_next() => {
                    // A try that was cut short, by the end of the process, is made again after it.
                    if let Ok((one, answer)) = tried {
                        self.settle(&one, answer);
                    }
                }
                kept = kept(&mut self.keeping) => self.kept(kept),
                _ = last.changed() => {}
                () = tokio::time::sleep(sleep) => {}
            }
        }
        self.finish().await;
    }

    fn count(&self, counts: impl FnOnce(&mut DeliveryStatistics)) {
        self.statistics.send_modify(counts);
    }

    fn begin_tries(&mut self) {
        self.schedule.wake(self.clock.monotonic_ms());
        while let Some(one) = self.schedule.next_try() {
            match self.told_by(&one) {
                Ok(Told::Requests(requests)) => self.begin(one, requests),
                Ok(Told::NotWanted) => {
                    self.came_to(&one, DeliveryOutcome::Withdrawn);
                }
                // Retention has cut the log: there is nothing left to tell.
                Ok(Told::Nothing) => {
                    self.count(|s| s.given_up += 1);
                    let task = &one.queue.task;
                    warn!(task.id = %task, "a change of task {task} has left the log untold");
                    self.came_to(&one, DeliveryOutcome::Delivered);
                }
                Err(error) => {
                    warn!("the log cannot be read for deliveries: {error}");
                    self.came_to(&one, DeliveryOutcome::Refused);
                }
            }
        }
    }

    fn tell_pending(&self) {
        let pending = self.schedule.pending() as u64;
        self.statistics
            .send_if_modified(|s| std::mem::replace(&mut s.pending, pending) != pending);
    }

    fn told_by(&self, one: &DeliveryAttempt) -> Result<Told, Failure> {
        let entries = self.source.after(one.sequence - 1, 1)?;
        let entry = entries.first().filter(|e| e.sequence == one.sequence);
        let Some(LogEvent::Task(change)) = entry.map(|entry| &entry.happening) else {
            return Ok(Told::Nothing);
        };
        if one.queue.push.is_some() {
            return self.pushed(one, change);
        }
        let report = report::request(one.sequence, change);
        Ok(Told::Requests(vec![report]))
    }

    /// Looks up the configuration each time: a deleted one gets no more notifications.
    fn pushed(&self, one: &DeliveryAttempt, change: &Notification) -> Result<Told, Failure> {
        let configs = self.source.pushed_by(one.sequence, change)?;
        let Some(config) = configs
            .iter()
            .find(|config| DeliveryQueue::of(config) == *one.queue)
        else {
            return Ok(Told::NotWanted);
        };
        let push = self.source.push_of(config, one.sequence, change)?;
        Ok(push.map_or(Told::NotWanted, |push| {
            let request = |body| OutgoingRequest {
                media_type: push.media_type,
                fields: push.fields.clone(),
                body,
            };
            Told::Requests(push.bodies.into_iter().map(request).collect())
        }))
    }

    fn begin(&mut self, one: DeliveryAttempt, requests: Vec<OutgoingRequest>) {
        let client = Arc::clone(&self.client);
        let limit = Duration::from_millis(self.policy.try_ms);
        let created = Clock::wall_time().as_ms() / 1_000;
        self.tries.spawn(async move {
            let posted = post_all(&client, &one.target, requests, created);
            let answer = within(limit, posted).await;
            (one, answer)
        });
    }

    fn settle(&mut self, one: &DeliveryAttempt, answer: Result<u16, Unanswered>) {
        let queue = &one.queue;
        match answer {
            Ok(200..=299) => {
                self.count(|s| s.delivered += 1);
                self.came_to(one, DeliveryOutcome::Delivered);
            }
            Ok(410) => {
                self.count(|s| s.gone += 1);
                info!(
                    "{} wants no more reports of task {}",
                    one.target.origin, queue.task
                );
                self.came_to(one, DeliveryOutcome::Gone);
            }
            Ok(status) => {
                debug!(
                    "{} answers a report of task {} with {status}",
                    one.target.origin, queue.task
                );
                self.failed(one, DeliveryOutcome::Refused);
            }
            Err(error) => {
                debug!(
                    "{} has not answered a report of task {}: {error}",
                    one.target.origin, queue.task
                );
                self.failed(one, DeliveryOutcome::Silence);
            }
        }
    }

    fn failed(&mut self, one: &DeliveryAttempt, outcome: DeliveryOutcome) {
        self.count(|s| s.failed += 1);
        let given_up = self.came_to(one, outcome);
        if given_up > 0 {
            self.count(|s| s.given_up += given_up as u64);
            let (origin, task) = (&one.target.origin, &one.queue.task);
            warn!(task.id = %task, "{origin} took no report in time: {given_up} changes of task {task} are told no more");
        }
    }

    fn came_to(&mut self, one: &DeliveryAttempt, outcome: DeliveryOutcome) -> usize {
        let (now_ms, time) = (self.clock.monotonic_ms(), self.clock.now());
        self.schedule.settle(&one.queue, outcome, now_ms, time)
    }

    fn has_moved(&self) -> bool {
        self.schedule.has_changed() || self.kept_to != Some(self.read_to)
    }

    fn begin_keeping(&mut self) {
        let due = self.clock.monotonic_ms() >= self.keep_at_ms;
        if self.keeping.is_none() && due && self.has_moved() {
            self.keep_at_ms = self.clock.monotonic_ms() + KEEP_MS;
            self.keeping = Some(self.keep());
        }
    }

    /// Stores all cursors that have moved.
    fn keep(&mut self) -> (Kept, Vec<Arc<DeliveryQueue>>) {
        let changed = self.schedule.take_changed();
        let mut cursors = vec![(READ_TO.to_owned(), Some(self.read_to))];
        cursors.extend(changed.iter().map(|(queue, reached)| {
            let cursor = match reached {
                QueuePosition::Behind(cursor) => Some(*cursor),
                QueuePosition::Gone => Some(GONE),
                QueuePosition::End => None,
            };
            (name_of(queue), cursor)
        }));
        self.kept_to = Some(self.read_to);
        let queues = changed.into_iter().map(|(queue, _)| queue).collect();
        (self.source.keep(cursors), queues)
    }

    fn kept(&mut self, kept: Result<(), Failure>) {
        let queues = self.keeping.take().map(|(_, queues)| queues);
        if let Err(error) = kept {
            warn!("the cursors of deliveries are not kept: {error}");
            self.kept_to = None;
            self.keep_at_ms = self.clock.monotonic_ms() + PAUSE_MS;
            for queue in queues.into_iter().flatten() {
                self.schedule.not_kept(queue);
            }
        }
    }

    /// The time until something is due, in milliseconds.
    fn sleep_ms(&self) -> u64 {
        let now = self.clock.monotonic_ms();
        let last = *self.source.watch().borrow();
        let reading = (last > self.read_to).then_some(self.read_at_ms);
        let keeping = (self.keeping.is_none() && self.has_moved()).then_some(self.keep_at_ms);
        let due = [self.schedule.due_ms(), reading, keeping];
        let next = due.into_iter().flatten().min();
        next.map_or(LONG_MS, |at| at.saturating_sub(now))
    }

    /// Stores the cursors that have moved; attempts under way are aborted and repeated later.
    async fn finish(mut self) {
        self.tries.shutdown().await;
        if let Some((keeping, _)) = &mut self.keeping {
            let kept = keeping.await;
            self.kept(kept);
        }
        if self.has_moved() {
            let kept = self.keep().0.await;
            self.kept(kept);
        }
    }
}

/// The content of an attempt.
enum Told {
    /// These requests, one after the other.
    Requests(Vec<OutgoingRequest>),
    /// Nothing: the log does not hold the entry any more.
    Nothing,
    /// Nothing any more: the subscription was withdrawn.
    NotWanted,
}

/// Posts requests one after the other, up to the first that is refused; returns the last response.
async fn post_all(
    client: &WebhookClient,
    target: &Target,
    requests: Vec<OutgoingRequest>,
    created: i64,
) -> Result<u16, Unanswered> {
    let mut answer = 204;
    for request in requests {
        answer = client.post(target, request, created).await?;
        if !(200..=299).contains(&answer) {
            break;
        }
    }
    Ok(answer)
}

/// Resolves when the cursors being stored are; never if none are.
async fn kept(keeping: &mut Option<(Kept, Vec<Arc<DeliveryQueue>>)>) -> Result<(), Failure> {
    match keeping {
        Some((kept, _)) => kept.await,
        None => std::future::pending().await,
    }
}
