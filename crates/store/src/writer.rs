//! The writer: one thread, one connection, group commit.
//!
//! ```text
//! commit() ─► queue ─► group ─► check, write rows ─► COMMIT (fsync) ─► on_commit ─► tickets
//! trim(), erase() … ─► job: a slice between two groups, until it is done
//! ```
//! A group is the batches that queued up while the last one was synced, bounded in number and in
//! bytes. A batch that does not fit fails alone; a full disk, a file that another program keeps
//! locked, and a database that cannot be reached for a while, fail the group and the writer goes on; any
//! other failure stops it for good, since after a failed fsync the contents of the disk are unknown.
//! With a signer, the head is sealed some time after it changed and at the end. Read next:
//! `transaction`, `job`, `patience`.

mod condition;
mod patience;

use crate::backend::Backend;
use crate::batch::{CommitError, Committed, OnCommit};
use crate::cipher::{Keys, Tables};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::job::{Job, JobContext, JobError, Step};
use crate::known::Known;
use crate::open::{OpenError, Options};
use crate::outside::{HeadWriter, Seen};
use crate::prepared::Prepared;
use crate::preparers::Work;
use crate::row::seal;
use crate::row_keys::KeysInForce;
use crate::shard::Shard;
use crate::sign::Signer;
use crate::slice::Slice;
use crate::sql::{Connection, Session};
use crate::statistics::{Condition, Counters};
use crate::transaction::{self, Ends, Outcomes};
use condition::{condition_after, is_news};
use patience::{LOOK_AGAIN, Patience};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The bytes of data at which a transaction is committed, even if more is queued.
const GROUP_BYTES: usize = 4 << 20;

/// A request to the writer.
pub(crate) enum Request {
    Commit(Waiting),
    Job(Job),
}

/// A batch, and the ticket that waits for it.
pub(crate) struct Waiting {
    pub(crate) work: Arc<Work>,
    /// The approximate size of its data in bytes.
    pub(crate) bytes: usize,
    pub(crate) ticket: Answer,
}

type Answer = oneshot::Sender<Result<(), CommitError>>;

/// The parameters of the writer.
pub(crate) struct Start {
    pub(crate) backend: Backend,
    pub(crate) outside: Option<HeadWriter>,
    pub(crate) ends: Ends,
    pub(crate) unsealed: BTreeSet<Shard>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) encryptor: Encryptor,
    pub(crate) keys_in_force: Arc<KeysInForce>,
    pub(crate) on_commit: OnCommit,
    pub(crate) counters: Arc<Counters>,
}

fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A group that is durable.
struct Written {
    outcomes: Outcomes,
    ends: Ends,
    /// True if it changed anything.
    changes: bool,
}

struct Writer {
    backend: Backend,
    /// The writer of the head outside; none if it is kept nowhere else.
    outside: Option<HeadWriter>,
    ends: Ends,
    keys: Arc<Keys>,
    encryptor: Encryptor,
    known: Known,
    /// The keys of the encryptor, told to whoever prepares rows.
    keys_in_force: Arc<KeysInForce>,
    batch_max: usize,
    batch_wait: Duration,
    signer: Option<Arc<dyn Signer>>,
    sealed_within: Duration,
    /// The time by which heads must be sealed; none if they are, as far as they changed since the start.
    seal_due: Option<Instant>,
    /// The shards whose head is not sealed.
    unsealed: BTreeSet<Shard>,
    jobs: VecDeque<Job>,
    on_commit: OnCommit,
    counters: Arc<Counters>,
}

pub(crate) fn start(
    start: Start,
    options: &Options,
    requests: Receiver<Request>,
) -> Result<JoinHandle<()>, OpenError> {
    let mut writer = Writer {
        backend: start.backend,
        outside: start.outside,
        ends: start.ends,
        keys: start.keys,
        encryptor: start.encryptor,
        known: Known::default(),
        keys_in_force: start.keys_in_force,
        batch_max: options.batch_max.max(1),
        batch_wait: options.batch_wait,
        signer: options.signer.clone(),
        sealed_within: options.sealed_within,
        seal_due: None,
        unsealed: start.unsealed,
        jobs: VecDeque::new(),
        on_commit: start.on_commit,
        counters: start.counters,
    };
    thread::Builder::new()
        .name("store-writer".to_owned())
        .spawn(move || writer.run(&requests))
        .map_err(OpenError::Thread)
}

/// Marks the store as stopped when the writer ends for any reason, a panic of `on_commit` included.
struct StopsWithTheWriter(Arc<Counters>);

impl Drop for StopsWithTheWriter {
    fn drop(&mut self) {
        self.0.note(Condition::Stopped);
    }
}

/// However the writer ends, its connection is the last one.
impl Drop for Writer {
    fn drop(&mut self) {
        let shared = self.backend.connection();
        self.backend.end(&mut locked(&shared));
    }
}

impl Writer {
    fn run(&mut self, requests: &Receiver<Request>) {
        let _stops = StopsWithTheWriter(Arc::clone(&self.counters));
        while let Some(group) = self.next_group(requests) {
            // Nobody need ask for anything before a database that was away is looked for.
            if !group.is_empty() || self.is_away() {
                self.commit(group);
            }
            self.work();
            if self.seal_due.is_some_and(|due| due <= Instant::now()) {
                // What failed is in the log, and the seal is due again.
                let _ = self.seal();
            }
            if self.counters.condition() == Condition::Stopped {
                return;
            }
        }
        // A store stopped by a forgery is not sealed.
        if self.seal_due.is_some() && self.counters.condition() != Condition::Stopped {
            let _ = self.seal();
        }
    }

    /// Waits for a request, then takes those queued behind it; none when all senders are gone. The
    /// group is empty if there is a job to do.
    fn next_group(&mut self, requests: &Receiver<Request>) -> Option<Vec<Waiting>> {
        let mut group = Vec::new();
        let left = self
            .seal_due
            .map(|due| due.saturating_duration_since(Instant::now()));
        let first = match (self.jobs.is_empty(), left) {
            (false, _) => requests.recv_timeout(Duration::ZERO),
            (true, left) if self.is_away() => {
                requests.recv_timeout(left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN))
            }
            (true, Some(left)) => requests.recv_timeout(left),
            (true, None) => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let mut next = match first {
            Ok(first) => Some(first),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        let closes = Instant::now() + self.batch_wait;
        let mut bytes = 0;
        while let Some(request) = next.take() {
            match request {
                Request::Commit(waiting) => {
                    bytes += waiting.bytes;
                    group.push(waiting);
                }
                // Batches queued before a job are committed before its first slice.
                Request::Job(job) => {
                    self.jobs.push_back(job);
                    break;
                }
            }
            if group.len() < self.batch_max && bytes < GROUP_BYTES {
                // A time-out of zero takes what is queued and waits for nothing.
                let left = closes.saturating_duration_since(Instant::now());
                next = requests.recv_timeout(left).ok();
            }
        }
        Some(group)
    }

    fn is_away(&self) -> bool {
        self.counters.condition() == Condition::Unreachable
    }

    fn commit(&mut self, group: Vec<Waiting>) {
        let size = group.len() as u64;
        let (group, tickets) = self.prepare(group);
        let mut patience = Patience::of(self.is_away());
        let mut written = self.write(&group);
        while written.as_ref().is_err_and(|cause| patience.lasts(cause)) {
            written = self.write(&group);
        }
        match written {
            Ok(written) => {
                self.advance(written.ends);
                // A barrier changes nothing, and so tells nothing about the disk.
                if written.changes {
                    self.note(Condition::Working);
                }
                self.publish(group, tickets, written.outcomes);
            }
            Err(cause) => {
                let error = self.failure(cause);
                self.counters.failed.fetch_add(size, Relaxed);
                for (prepared, ticket) in group.into_iter().zip(tickets) {
                    self.counters.take_back(&prepared.wanted.batch);
                    let _ = ticket.send(Err(error.clone()));
                }
            }
        }
        self.counters.queued.fetch_sub(size, Relaxed);
    }

    /// Takes what a group wants, with the rows that are ready.
    fn prepare(&self, group: Vec<Waiting>) -> (Vec<Prepared>, Vec<Answer>) {
        let keys = &self.encryptor.keys;
        // First what nobody has begun with, so that nobody does any more.
        let here: Vec<_> = group
            .iter()
            .map(|waiting| waiting.work.take(keys))
            .collect();
        let all = here.into_iter().zip(group).map(|(here, waiting)| {
            let prepared = here.unwrap_or_else(|| waiting.work.wait(keys));
            (prepared, waiting.ticket)
        });
        all.unzip()
    }

    /// Writes the group. What fails has left nothing behind, and may be written again.
    fn write(&mut self, group: &[Prepared]) -> Result<Written, SqlFailure> {
        let mut ends = self.ends.clone();
        let shared = self.backend.connection();
        let mut connection = locked(&shared);
        connection.renewed()?;
        let session = connection.session();
        let before = session.changes();
        self.backend.keep_up(&connection);
        let tables = Tables {
            session,
            keys: &self.keys,
        };
        let (encryptor, known) = (&mut self.encryptor, &mut self.known);
        let counters = &self.counters;
        let outcomes = transaction::write(tables, encryptor, group, &mut ends, known, counters)?;
        Ok(Written {
            outcomes,
            ends,
            changes: session.changes() > before,
        })
    }

    /// Sets the new durable end, and that it must be sealed.
    fn advance(&mut self, ends: Ends) {
        let changed = ends.heads != self.ends.heads;
        self.unsealed.extend(ends.heads.changed(&self.ends.heads));
        if changed && self.signer.is_some() {
            self.seal_due
                .get_or_insert_with(|| Instant::now() + self.sealed_within);
        }
        self.ends = ends;
        self.counters.note_end(&self.ends.heads);
        self.tell_outside();
    }

    /// Hands the durable head to the writer of the head outside.
    fn tell_outside(&mut self) {
        if let Some(outside) = &self.outside {
            self.encryptor.ledger.outside |= outside.is_written();
            let (ledger, bound) = (&self.encryptor.ledger, self.encryptor.is_bound());
            outside.note(Seen::of(&self.ends.heads, ledger, bound));
        }
    }

    /// Calls `on_commit`, then resolves the tickets.
    fn publish(&self, group: Vec<Prepared>, tickets: Vec<Answer>, outcomes: Outcomes) {
        let mut committed = Vec::with_capacity(group.len());
        let mut results = Vec::with_capacity(group.len());
        for (prepared, outcome) in group.into_iter().zip(outcomes) {
            let batch = prepared.wanted.batch;
            if outcome.is_err() {
                self.counters.take_back(&batch);
            }
            results.push(outcome.as_ref().map(|_| ()).map_err(Clone::clone));
            if let Ok(entries) = outcome {
                committed.push(Committed {
                    tasks: batch.tasks,
                    exchanges: batch.exchanges,
                    data: batch.data,
                    negotiations: batch.negotiations,
                    registrations: batch.registrations,
                    left: batch.left,
                    teams: batch.teams,
                    pushes: batch.pushes,
                    entries,
                    mark: batch.mark,
                });
            }
        }
        let (stored, all) = (committed.len() as u64, results.len() as u64);
        self.counters.batches.fetch_add(stored, Relaxed);
        self.counters.failed.fetch_add(all - stored, Relaxed);
        if stored > 0 {
            (self.on_commit)(&committed);
        }
        for (ticket, result) in tickets.into_iter().zip(results) {
            // A failed send means that the ticket was dropped.
            let _ = ticket.send(result);
        }
    }

    /// Does one slice of the first job in the queue.
    fn work(&mut self) {
        let Some(mut job) = self.jobs.pop_front() else {
            return;
        };
        let (mut ends, ledger) = (self.ends.clone(), self.encryptor.ledger.clone());
        let stepped = {
            let shared = self.backend.connection();
            let mut connection = locked(&shared);
            let renewed = connection.renewed();
            let session = connection.session();
            let before = session.changes();
            self.backend.keep_up(&connection);
            let stepped = renewed.map_err(JobError::Failed).and_then(|()| {
                job.step(JobContext {
                    tables: Tables {
                        session,
                        keys: &self.keys,
                    },
                    encryptor: &mut self.encryptor,
                    heads: &mut ends.heads,
                    signer: self.signer.as_deref(),
                })
            });
            stepped.map(|step| (step, session.changes() > before))
        };
        match stepped {
            Ok((step, changes)) => {
                self.keys_in_force.set(self.encryptor.keys.clone());
                self.known.forget();
                self.advance(ends);
                if changes {
                    self.note(Condition::Working);
                }
                match step {
                    Step::Goes => self.jobs.push_front(job),
                    // The log after a cut needs a signature of its own.
                    Step::Done => {
                        let sealed = match self.seal_due {
                            Some(_) => self.seal(),
                            None => Ok(()),
                        };
                        match (sealed, &job) {
                            (Err(error), Job::Seal(_)) => job.fail(error),
                            // What else a job did is durable, sealed or not.
                            _ => job.resolve(),
                        }
                    }
                }
            }
            Err(JobError::Refused(why)) => {
                self.encryptor.ledger = ledger;
                job.fail(why);
            }
            Err(JobError::Failed(cause)) => {
                self.encryptor.ledger = ledger;
                let error = self.failure(cause);
                job.fail(error);
            }
        }
    }

    /// Signs the heads that are not sealed. If that fails, it is due again.
    fn seal(&mut self) -> Result<(), CommitError> {
        self.seal_due = None;
        let Some(signer) = self.signer.clone() else {
            return Ok(());
        };
        let ledger = self.encryptor.ledger.clone();
        let shared = self.backend.connection();
        let sealed = {
            let mut connection = locked(&shared);
            let renewed = connection.renewed();
            renewed.and_then(|()| self.write_seal(connection.session(), signer.as_ref()))
        };
        if let Err(cause) = sealed {
            self.encryptor.ledger = ledger;
            self.seal_due = Some(Instant::now() + self.sealed_within);
            return Err(self.failure(cause));
        }
        self.unsealed.clear();
        self.note(Condition::Working);
        self.tell_outside();
        Ok(())
    }

    fn write_seal(&mut self, session: Session<'_>, signer: &dyn Signer) -> Result<(), SqlFailure> {
        let (heads, encryptor) = (&self.ends.heads, &mut self.encryptor);
        let slice = Slice::begin(session, heads, encryptor)?;
        for shard in &self.unsealed {
            seal::seal(session, *shard, heads, signer, encryptor)?;
        }
        slice.commit(heads, encryptor)
    }

    /// Notes the condition, and how long a lock is waited for in it.
    fn note(&self, condition: Condition) {
        if condition == self.counters.condition() {
            return;
        }
        self.counters.note(condition);
        // One that stopped stays so, whatever is noted.
        if self.counters.condition() == Condition::Working {
            tracing::info!("the store takes writes again");
        }
        let shared = self.backend.connection();
        let again = condition == Condition::Locked;
        self.backend.wait(&locked(&shared), again);
    }

    /// Handles a failed write that left nothing behind: a full disk may have space again, a lock is given
    /// back, and a database may come back; any other error stops the store.
    fn failure(&self, cause: SqlFailure) -> CommitError {
        let condition = condition_after(&cause);
        match is_news(self.counters.condition(), condition) {
            true => tracing::error!(
                store.condition = ?condition,
                database.code = cause.code(),
                error = &cause as &dyn std::error::Error,
                "a write of the store failed",
            ),
            false => tracing::debug!(
                store.condition = ?condition,
                "a write of the store failed for the same reason",
            ),
        }
        self.note(condition);
        match condition {
            Condition::Full => CommitError::Full,
            Condition::Locked => CommitError::Locked,
            Condition::Unreachable => CommitError::Unreachable,
            Condition::Working | Condition::Stopped => CommitError::Write(cause),
        }
    }
}
