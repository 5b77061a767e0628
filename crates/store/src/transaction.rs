//! One transaction: a group of batches, checked and written.
//!
//! Knows the statements and the order in which rows are written; tickets are resolved by `writer`.
//! Read next: `row`.

use crate::batch::{Batch, Chunk, CommitError};
use crate::cipher::Tables;
use crate::encryptor::Encryptor;
use crate::failure::{FailureKind, SqlFailure};
use crate::row::data_chunk::{self, Place};
use crate::row::head::Head;
use crate::row::numbers::Numbers;
use crate::row::{
    Corrupt, RowError, cursor, data_param, document, entry, exchange, negotiation, observation,
    push_config, registration, task, team,
};
use crate::slice::Slice;
use crate::sql::{Session, values};
use crate::statistics::Counters;
use domain::event::{Entry, Sequence};
use domain::task::{Task, TaskId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The outcome of each batch of a group: its entries, or the reason for which it was not stored.
pub(crate) type Outcomes = Vec<Result<Vec<Arc<Entry>>, CommitError>>;

/// The state that the writer holds in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    /// The end of the log, and the numbers of rows.
    pub(crate) head: Head,
    /// The last numbers given.
    pub(crate) numbers: Numbers,
}

/// Writes the group in one transaction. If a batch violates an unforeseen constraint, everything is
/// rolled back and done again with a savepoint around each batch, which costs more.
pub(crate) fn write(
    tables: Tables<'_>,
    encryptor: &mut Encryptor,
    group: &[Wanted<'_>],
    ends: &mut Ends,
    counters: &Counters,
) -> Result<Outcomes, SqlFailure> {
    let start = (*ends, encryptor.ledger);
    let mut result = transact(tables, encryptor, group, ends, counters, false);
    if matches!(&result, Err(cause) if breaks_a_rule(cause)) {
        (*ends, encryptor.ledger) = start;
        result = transact(tables, encryptor, group, ends, counters, true);
    }
    if result.is_err() {
        (*ends, encryptor.ledger) = start;
    }
    result
}

fn breaks_a_rule(cause: &SqlFailure) -> bool {
    cause.kind() == FailureKind::Rule
}

fn transact(
    tables: Tables<'_>,
    encryptor: &mut Encryptor,
    group: &[Wanted<'_>],
    ends: &mut Ends,
    counters: &Counters,
    isolated: bool,
) -> Result<Outcomes, SqlFailure> {
    let begun = Instant::now();
    let slice = Slice::begin(tables.session, &ends.head, encryptor)?;
    // A key that breaks a rule fails its batch alone, if each is looked up for itself.
    if !isolated {
        look_ahead(tables.session, group)?;
    }
    let mut outcomes = Vec::with_capacity(group.len());
    {
        let mut statements = Statements {
            tables,
            session: tables.session,
            encryptor,
        };
        for wanted in group {
            outcomes.push(if isolated {
                statements.write_isolated(wanted, ends)?
            } else {
                statements.write(wanted, ends)?
            });
        }
    }
    let written = Instant::now();
    // An empty batch is a barrier: it changes nothing, so it needs no fsync of its own.
    slice.commit(&ends.head, encryptor)?;
    let count = |counter: &std::sync::atomic::AtomicU64, time: Duration| {
        counter.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    };
    count(&counters.writing_ns, written - begun);
    count(&counters.committing_ns, written.elapsed());
    counters.transactions.fetch_add(1, Relaxed);
    Ok(outcomes)
}

/// Has what most batches replace looked up at once, where that is far away.
fn look_ahead(session: Session<'_>, group: &[Wanted<'_>]) -> Result<(), SqlFailure> {
    let batches = || group.iter().map(|wanted| wanted.batch);
    let tasks = batches().flat_map(|batch| &batch.tasks);
    session.look_ahead(task::STORED, tasks.map(|task| task.id.as_str()))?;
    let exchanges = batches().flat_map(|batch| &batch.exchanges);
    session.look_ahead(exchange::STANDING, exchanges.map(|exchange| &*exchange.id))?;
    let data = batches().flat_map(|batch| &batch.data);
    session.look_ahead(data_param::STANDING, data.map(|data| &*data.id))
}

/// A batch and cursors that become durable together, or not at all; a cursor is moved or deleted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    pub(crate) batch: &'w Batch,
    pub(crate) cursors: &'w [(String, Option<Sequence>)],
}

struct Statements<'c, 'i> {
    tables: Tables<'c>,
    session: Session<'c>,
    encryptor: &'i mut Encryptor,
}

impl Statements<'_, '_> {
    /// Checks the batch, then writes it: a batch that is refused has written nothing.
    fn write(
        &mut self,
        wanted: &Wanted<'_>,
        ends: &mut Ends,
    ) -> Result<Result<Vec<Arc<Entry>>, CommitError>, SqlFailure> {
        let batch = wanted.batch;
        let changes = match self.check(batch)? {
            Ok(changes) => changes,
            Err(misfit) => return Ok(Err(misfit)),
        };
        let missing = match self.check_chunks(batch)? {
            Ok(missing) => missing,
            Err(misfit) => return Ok(Err(misfit)),
        };
        self.write_tasks(&batch.tasks, &changes, ends)?;
        let Ends { head, numbers } = ends;
        for exchange in &batch.exchanges {
            let next = numbers.exchange + 1;
            let new = exchange::write(self.session, exchange, next, self.encryptor)?;
            numbers.exchange += i64::from(new);
            head.counts.exchanges += u64::from(new);
        }
        for data in &batch.data {
            let next = numbers.data + 1;
            let new = data_param::write(self.session, data, next, self.encryptor)?;
            numbers.data += i64::from(new);
            head.counts.data += u64::from(new);
        }
        for (chunk, missing) in batch.chunks.iter().zip(missing) {
            if let (true, Some(data)) = (missing, self.number(&chunk.data)?) {
                let (place, next) = ((data, chunk.offset), numbers.data_chunk + 1);
                let bytes = &chunk.bytes;
                data_chunk::insert(self.session, place, bytes, next, self.encryptor)?;
                numbers.data_chunk = next;
            }
        }
        self.write_others(batch, numbers)?;
        for (name, place) in wanted.cursors {
            match place {
                Some(sequence) => cursor::write(self.session, name, *sequence, self.encryptor)?,
                None => cursor::remove(self.session, name, self.encryptor)?,
            }
        }
        Ok(Ok(self.append(batch, &mut ends.head)?))
    }

    /// Writes the tasks. Intermediate states within a batch are in the log; the row gets the last
    /// of them.
    fn write_tasks(
        &mut self,
        tasks: &[Arc<Task>],
        changes: &BTreeMap<&TaskId, Change>,
        ends: &mut Ends,
    ) -> Result<(), SqlFailure> {
        for (place, task) in tasks.iter().enumerate() {
            let change = &changes[&task.id];
            if change.first != place {
                continue;
            }
            let (last, old) = (&tasks[change.last], change.stored.as_ref());
            let next = ends.numbers.task + 1;
            task::write(self.session, last, old, next, self.encryptor)?;
            // It was open if it was there: what has ended never changes.
            let counts = &mut ends.head.counts;
            ends.numbers.task += i64::from(old.is_none());
            counts.tasks += u64::from(old.is_none());
            counts.open += u64::from(old.is_none());
            counts.open -= u64::from(last.status.is_terminal());
        }
        Ok(())
    }

    fn write_others(&mut self, batch: &Batch, numbers: &mut Numbers) -> Result<(), SqlFailure> {
        for negotiation in &batch.negotiations {
            let next = numbers.negotiation + 1;
            let new = negotiation::write(self.session, negotiation, next, self.encryptor)?;
            numbers.negotiation += i64::from(new);
        }
        for registration in &batch.registrations {
            registration::write(self.session, registration, self.encryptor)?;
        }
        for name in &batch.left {
            registration::remove(self.session, name, self.encryptor)?;
        }
        for team in &batch.teams {
            let new = team::write(self.session, team, numbers.team + 1, self.encryptor)?;
            numbers.team += i64::from(new);
        }
        for change in &batch.pushes {
            let next = numbers.push_config + 1;
            let new = push_config::write(self.session, change, next, self.encryptor)?;
            numbers.push_config += i64::from(new);
        }
        for document in &batch.documents {
            let next = numbers.document + 1;
            let new = document::write(self.session, document, next, self.encryptor)?;
            numbers.document += i64::from(new);
        }
        for observation in &batch.observations {
            numbers.observation += 1;
            let number = numbers.observation;
            observation::write(self.session, observation, number, self.encryptor)?;
        }
        if let Some(last) = batch.observed {
            observation::remove(self.session, last, self.encryptor)?;
        }
        Ok(())
    }

    fn append(&mut self, batch: &Batch, head: &mut Head) -> Result<Vec<Arc<Entry>>, SqlFailure> {
        let mut entries = Vec::with_capacity(batch.happenings.len());
        for (at, happening) in &batch.happenings {
            // The wall clock may jump back; the log does not.
            let time = head.time.max(*at);
            let entry = Entry {
                sequence: head.sequence + 1,
                time,
                happening: happening.clone(),
            };
            let (session, encryptor) = (self.session, &mut *self.encryptor);
            head.chain = entry::append(session, &entry, &head.chain, encryptor)?;
            (head.sequence, head.time) = (entry.sequence, time);
            entries.push(Arc::new(entry));
        }
        Ok(entries)
    }

    fn write_isolated(
        &mut self,
        wanted: &Wanted<'_>,
        ends: &mut Ends,
    ) -> Result<Result<Vec<Arc<Entry>>, CommitError>, SqlFailure> {
        let before = (*ends, self.encryptor.ledger);
        let session = self.session;
        match session.isolated(|| self.write(wanted, ends)) {
            Err(cause) if breaks_a_rule(&cause) => {
                (*ends, self.encryptor.ledger) = before;
                Ok(Err(CommitError::Refused(cause)))
            }
            written => written,
        }
    }

    /// The number of the data called `id`, if they are stored.
    fn number(&self, id: &str) -> Result<Option<i64>, SqlFailure> {
        let sql = "SELECT number FROM data_param WHERE id = ?1";
        self.session.find(sql, values![id], |row| row.get(0))
    }

    /// Finds the pieces of the batch that are not stored yet; none may overlap another one.
    fn check_chunks(&self, batch: &Batch) -> Result<Result<Vec<bool>, CommitError>, SqlFailure> {
        let mut missing: Vec<bool> = Vec::with_capacity(batch.chunks.len());
        for (place, chunk) in batch.chunks.iter().enumerate() {
            let end = |c: &Chunk| c.offset.saturating_add(c.bytes.len() as u64);
            let earlier = batch.chunks[..place].iter();
            let clash = earlier
                .filter(|e| e.data == chunk.data)
                .find(|e| e.offset < end(chunk) && chunk.offset < end(e));
            let found = match (clash, self.number(&chunk.data)?) {
                (Some(earlier), _) if earlier == chunk => Place::Same,
                (Some(earlier), _) => Place::Taken(earlier.offset),
                (None, Some(data)) => {
                    match data_chunk::place(self.tables, data, chunk.offset, &chunk.bytes) {
                        Ok(place) => place,
                        Err(RowError::Failed(cause)) => return Err(cause),
                        Err(damage) => return Ok(Err(damaged(damage))),
                    }
                }
                (None, None) if batch.data.iter().any(|d| d.id == chunk.data) => Place::Free,
                (None, None) => {
                    let data = chunk.data.clone();
                    return Ok(Err(CommitError::UnknownData { data }));
                }
            };
            if let Place::Taken(stored) = found {
                return Ok(Err(CommitError::Overlap {
                    data: chunk.data.clone(),
                    offset: chunk.offset,
                    stored,
                }));
            }
            missing.push(found == Place::Free);
        }
        Ok(Ok(missing))
    }

    /// Checks that each task follows the one stored, or the one before it in the batch; returns the
    /// changes.
    fn check<'b>(
        &mut self,
        batch: &'b Batch,
    ) -> Result<Result<BTreeMap<&'b TaskId, Change>, CommitError>, SqlFailure> {
        let mut changes: BTreeMap<&TaskId, Change> = BTreeMap::new();
        for (place, task) in batch.tasks.iter().enumerate() {
            let earlier = changes.get(&task.id);
            let (found, stored) = match earlier.map(|change| &batch.tasks[change.last]) {
                Some(before) => (Some((before.version, before.status)), None),
                None => {
                    let stored = task::stored(self.session, &task.id)?;
                    (stored.as_ref().map(|s| (s.version, s.status)), stored)
                }
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
            let change = changes.entry(&task.id).or_insert(Change {
                first: place,
                last: place,
                stored,
            });
            change.last = place;
        }
        Ok(Ok(changes))
    }
}

fn damaged(error: RowError) -> CommitError {
    let (table, key) = match error {
        RowError::Corrupt(Corrupt { table, key }) | RowError::Forged(Corrupt { table, key }) => {
            (table, key)
        }
        RowError::Locked(table) => (table, "its key is not here".to_owned()),
        RowError::Failed(cause) => return CommitError::Write(cause),
    };
    let table = table.to_owned();
    CommitError::Damaged { table, key }
}

/// The changes of one task in a batch.
struct Change {
    /// The place in the batch of its first change.
    first: usize,
    /// The place of its last change.
    last: usize,
    /// What was stored before; none if it is new.
    stored: Option<task::Stored>,
}
