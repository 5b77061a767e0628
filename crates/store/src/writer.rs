//! The writer: one thread, one connection, group commit.
//!
//! ```text
//! commit() ─► queue ─► group ─► check, write rows ─► COMMIT (fsync) ─► on_commit ─► tickets
//! ```
//! A group is what queued up while the last one was synced. A batch that does not fit fails alone;
//! a full disk fails the group and the writer goes on; any other failure stops it for good, since
//! after a failed fsync nobody knows what the disk holds. Read next: `row`.

use crate::batch::{Batch, CommitError, Committed};
use crate::checkpoint::LogLength;
use crate::open::{OpenError, Options};
use crate::row::data_param::DataParamStatement;
use crate::row::entry::EntryStatement;
use crate::row::exchange::ExchangeStatement;
use crate::row::head::{Head, HeadStatement};
use crate::row::task::TaskStatements;
use crate::statistics::{Condition, Counters};
use crate::store::OnCommit;
use domain::event::Entry;
use domain::task::TaskId;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A batch, and who waits for it.
pub(crate) struct Request {
    pub(crate) batch: Batch,
    pub(crate) ticket: oneshot::Sender<Result<(), CommitError>>,
}

/// What came of each batch of a group: its entries, or why it was not stored.
type Outcomes = Vec<Result<Vec<Arc<Entry>>, CommitError>>;

struct Writer {
    connection: Arc<Mutex<Connection>>,
    log_length: LogLength,
    head: Head,
    batch_max: usize,
    batch_wait: Duration,
    on_commit: OnCommit,
    counters: Arc<Counters>,
}

pub(crate) fn start(
    connection: Arc<Mutex<Connection>>,
    log_length: LogLength,
    options: &Options,
    head: Head,
    requests: Receiver<Request>,
    on_commit: OnCommit,
    counters: Arc<Counters>,
) -> Result<JoinHandle<()>, OpenError> {
    let mut writer = Writer {
        connection,
        log_length,
        head,
        batch_max: options.batch_max.max(1),
        batch_wait: options.batch_wait,
        on_commit,
        counters,
    };
    thread::Builder::new()
        .name("store-writer".to_owned())
        .spawn(move || writer.run(&requests))
        .map_err(OpenError::Thread)
}

/// However the writer ends, by a panic of `on_commit` too, the store says so.
struct StopsWithTheWriter(Arc<Counters>);

impl Drop for StopsWithTheWriter {
    fn drop(&mut self) {
        self.0.note(Condition::Stopped);
    }
}

impl Writer {
    fn run(&mut self, requests: &Receiver<Request>) {
        let _stops = StopsWithTheWriter(Arc::clone(&self.counters));
        while let Some(group) = self.next_group(requests) {
            self.commit(group);
            if self.counters.condition() == Condition::Stopped {
                break;
            }
        }
    }

    /// Waits for a batch, then takes what is queued behind it; none when nobody can queue more.
    fn next_group(&self, requests: &Receiver<Request>) -> Option<Vec<Request>> {
        let mut group = vec![requests.recv().ok()?];
        let closes = Instant::now() + self.batch_wait;
        while group.len() < self.batch_max {
            // A time-out of zero takes what is queued and waits for nothing.
            let left = closes.saturating_duration_since(Instant::now());
            match requests.recv_timeout(left) {
                Ok(next) => group.push(next),
                Err(_) => break,
            }
        }
        Some(group)
    }

    fn commit(&mut self, group: Vec<Request>) {
        let size = group.len() as u64;
        let mut head = self.head;
        let written = {
            let connection = self.connection.lock();
            let connection = connection.unwrap_or_else(PoisonError::into_inner);
            self.log_length.bound(&connection);
            write(&connection, &group, &mut head, &self.counters)
        };
        match written {
            Ok(outcomes) => {
                self.head = head;
                self.counters.last.store(head.sequence, Relaxed);
                self.counters.note(Condition::Working);
                self.publish(group, outcomes);
            }
            Err(cause) => self.fail(group, cause),
        }
        self.counters.queued.fetch_sub(size, Relaxed);
    }

    /// Tells `on_commit`, then the tickets.
    fn publish(&self, group: Vec<Request>, outcomes: Outcomes) {
        let mut committed = Vec::with_capacity(group.len());
        let mut tickets = Vec::with_capacity(group.len());
        for (Request { batch, ticket }, outcome) in group.into_iter().zip(outcomes) {
            tickets.push((ticket, outcome.as_ref().map(|_| ()).map_err(Clone::clone)));
            if let Ok(entries) = outcome {
                committed.push(Committed {
                    tasks: batch.tasks,
                    exchanges: batch.exchanges,
                    data: batch.data,
                    entries,
                });
            }
        }
        let (stored, all) = (committed.len() as u64, tickets.len() as u64);
        self.counters.batches.fetch_add(stored, Relaxed);
        self.counters.failed.fetch_add(all - stored, Relaxed);
        if stored > 0 {
            (self.on_commit)(&committed);
        }
        for (ticket, result) in tickets {
            // Whoever dropped a ticket does not want to know.
            let _ = ticket.send(result);
        }
    }

    /// Nothing of the group is stored.
    fn fail(&self, group: Vec<Request>, cause: rusqlite::Error) {
        let full = cause.sqlite_error_code() == Some(ErrorCode::DiskFull);
        let (condition, error) = if full {
            (Condition::Full, CommitError::Full)
        } else {
            (Condition::Stopped, CommitError::Write(Arc::new(cause)))
        };
        tracing::error!(
            store.batches = group.len(),
            store.condition = ?condition,
            error = &error as &dyn std::error::Error,
            "a commit of {} batches failed",
            group.len(),
        );
        self.counters.failed.fetch_add(group.len() as u64, Relaxed);
        self.counters.note(condition);
        for Request { ticket, .. } in group {
            let _ = ticket.send(Err(error.clone()));
        }
    }
}

/// Writes the group in one transaction. If a batch breaks a rule that was not foreseen, all is
/// taken back and done again with a savepoint around each batch, which costs more.
fn write(
    connection: &Connection,
    group: &[Request],
    head: &mut Head,
    counters: &Counters,
) -> rusqlite::Result<Outcomes> {
    let start = *head;
    let mut result = transact(connection, group, head, counters, false);
    if matches!(&result, Err(cause) if breaks_a_rule(cause)) {
        *head = start;
        result = transact(connection, group, head, counters, true);
    }
    result
}

fn breaks_a_rule(cause: &rusqlite::Error) -> bool {
    let code = cause.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig)
    ) || matches!(cause, rusqlite::Error::ToSqlConversionFailure(_))
}

fn transact(
    connection: &Connection,
    group: &[Request],
    head: &mut Head,
    counters: &Counters,
    isolated: bool,
) -> rusqlite::Result<Outcomes> {
    let begun = Instant::now();
    let before = *head;
    // Rolled back when dropped without a commit.
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let mut outcomes = Vec::with_capacity(group.len());
    {
        let mut statements = Statements::prepare(connection)?;
        for request in group {
            outcomes.push(if isolated {
                statements.write_isolated(connection, &request.batch, head)?
            } else {
                statements.write(&request.batch, head)?
            });
        }
        // An empty batch is a barrier: it changes nothing, so it needs no fsync of its own.
        if *head != before {
            statements.head.write(head)?;
        }
    }
    let written = Instant::now();
    transaction.commit()?;
    let count = |counter: &std::sync::atomic::AtomicU64, time: Duration| {
        counter.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    };
    count(&counters.writing_ns, written - begun);
    count(&counters.committing_ns, written.elapsed());
    counters.transactions.fetch_add(1, Relaxed);
    Ok(outcomes)
}

struct Statements<'c> {
    tasks: TaskStatements<'c>,
    exchanges: ExchangeStatement<'c>,
    data: DataParamStatement<'c>,
    entries: EntryStatement<'c>,
    head: HeadStatement<'c>,
}

impl<'c> Statements<'c> {
    fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            tasks: TaskStatements::prepare(connection)?,
            exchanges: ExchangeStatement::prepare(connection)?,
            data: DataParamStatement::prepare(connection)?,
            entries: EntryStatement::prepare(connection)?,
            head: HeadStatement::prepare(connection)?,
        })
    }

    /// Checks the batch, then writes it: a batch that does not fit has written nothing.
    fn write(
        &mut self,
        batch: &Batch,
        head: &mut Head,
    ) -> rusqlite::Result<Result<Vec<Arc<Entry>>, CommitError>> {
        let changes = match self.check(batch)? {
            Ok(changes) => changes,
            Err(misfit) => return Ok(Err(misfit)),
        };
        // States that a task passes within a batch are in the log; the row gets the last of them.
        for (place, task) in batch.tasks.iter().enumerate() {
            let change = &changes[&task.id];
            if change.first == place {
                self.tasks.write(&batch.tasks[change.last], change.new)?;
                head.tasks += u64::from(change.new);
            }
        }
        for exchange in &batch.exchanges {
            self.exchanges.write(exchange)?;
        }
        for data in &batch.data {
            self.data.write(data)?;
        }
        let mut entries = Vec::with_capacity(batch.happenings.len());
        for (at, happening) in &batch.happenings {
            // The wall clock may jump back; the log does not.
            let time = head.time.max(*at);
            let entry = Entry {
                sequence: head.sequence + 1,
                time,
                happening: happening.clone(),
            };
            head.chain = self.entries.append(&entry, &head.chain)?;
            (head.sequence, head.time) = (entry.sequence, time);
            entries.push(Arc::new(entry));
        }
        Ok(Ok(entries))
    }

    fn write_isolated(
        &mut self,
        connection: &Connection,
        batch: &Batch,
        head: &mut Head,
    ) -> rusqlite::Result<Result<Vec<Arc<Entry>>, CommitError>> {
        let before = *head;
        connection.execute_batch("SAVEPOINT batch")?;
        match self.write(batch, head) {
            Err(cause) if breaks_a_rule(&cause) => {
                connection.execute_batch("ROLLBACK TO batch; RELEASE batch")?;
                *head = before;
                Ok(Err(CommitError::Refused(Arc::new(cause))))
            }
            written => {
                connection.execute_batch("RELEASE batch")?;
                written
            }
        }
    }

    /// Whether each task follows the one stored, or the one before it in the batch; and what
    /// becomes of each.
    fn check<'b>(
        &mut self,
        batch: &'b Batch,
    ) -> rusqlite::Result<Result<BTreeMap<&'b TaskId, Change>, CommitError>> {
        let mut changes: BTreeMap<&TaskId, Change> = BTreeMap::new();
        for (place, task) in batch.tasks.iter().enumerate() {
            let earlier = changes.get(&task.id).copied();
            let found = match earlier.map(|change| &batch.tasks[change.last]) {
                Some(before) => Some((before.version, before.status)),
                None => self.tasks.stored(&task.id)?,
            };
            let follows = match found {
                Some((version, _)) => task.version.checked_sub(1) == Some(version),
                None => task.version == 1,
            };
            if !follows {
                return Ok(Err(CommitError::Conflict {
                    task: task.id.clone(),
                    version: task.version,
                    found: found.map(|(version, _)| version),
                }));
            }
            if let Some((_, status)) = found.filter(|(_, status)| status.is_terminal()) {
                return Ok(Err(CommitError::Ended {
                    task: task.id.clone(),
                    status,
                }));
            }
            let change = Change {
                first: earlier.map_or(place, |change| change.first),
                last: place,
                new: earlier.map_or(found.is_none(), |change| change.new),
            };
            changes.insert(&task.id, change);
        }
        Ok(Ok(changes))
    }
}

/// What a batch does to one task.
#[derive(Clone, Copy)]
struct Change {
    /// Where in the batch it is changed first.
    first: usize,
    /// Where it is changed last.
    last: usize,
    /// Whether it was unknown before.
    new: bool,
}
