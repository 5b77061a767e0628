//! One transaction: a group of batches, checked and written.
//!
//! Knows the statements and the order in which rows are written; tickets are resolved by `writer`.
//! Read next: [`ahead`], [`replacing`], `row`.

mod ahead;
mod replacing;

use crate::batch::{Batch, Chunk, CommitError};
use crate::cipher::Tables;
use crate::encryptor::Encryptor;
use crate::failure::{FailureKind, SqlFailure};
use crate::heads::Heads;
use crate::known::Known;
use crate::prepared::{Prepared, Rows};
use crate::row::cursor::CursorChange;
use crate::row::data_chunk::{self, Place};
use crate::row::numbers::Numbers;
use crate::row::push_config::PushChange;
use crate::row::replaceable::Replaceable;
use crate::row::standing::{RowPlace, Standing};
use crate::row::{
    Corrupt, RowError, cursor, data_param, entry, observation, push_config, registration, task,
};
use crate::shard::Shard;
use crate::slice::Slice;
use crate::sql::{Session, values};
use crate::statistics::Counters;
use domain::event::Entry;
use domain::task::{Task, TaskId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// The outcome of each batch of a group: its entries, or the reason for which it was not stored.
pub(crate) type Outcomes = Vec<Result<Vec<Arc<Entry>>, CommitError>>;

/// The state that the writer holds in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    /// The ends of the log, and the numbers of rows, by shard.
    pub(crate) heads: Heads,
    /// The last numbers given.
    pub(crate) numbers: Numbers,
}

/// Writes the group in one transaction. If a batch violates an unforeseen constraint, everything is
/// rolled back and done again with a savepoint around each batch, which costs more.
pub(crate) fn write(
    tables: Tables<'_>,
    encryptor: &mut Encryptor,
    group: &[Prepared],
    ends: &mut Ends,
    known: &mut Known,
    counters: &Counters,
) -> Result<Outcomes, SqlFailure> {
    let start = (ends.clone(), encryptor.ledger.clone());
    let mut result = transact(tables, encryptor, group, ends, known, counters, false);
    if matches!(&result, Err(cause) if breaks_a_rule(cause)) {
        (*ends, encryptor.ledger) = start.clone();
        known.forget();
        result = transact(tables, encryptor, group, ends, known, counters, true);
    }
    if result.is_err() {
        (*ends, encryptor.ledger) = start;
        known.forget();
    }
    result
}

fn breaks_a_rule(cause: &SqlFailure) -> bool {
    cause.kind() == FailureKind::Rule
}

fn transact(
    tables: Tables<'_>,
    encryptor: &mut Encryptor,
    group: &[Prepared],
    ends: &mut Ends,
    known: &mut Known,
    counters: &Counters,
    isolated: bool,
) -> Result<Outcomes, SqlFailure> {
    let (begun, before) = (Instant::now(), tables.session.changes());
    let slice = Slice::begin(tables.session, &ends.heads, encryptor)?;
    // A key that breaks a rule fails its batch alone, if each is looked up for itself.
    if !isolated {
        ahead::look_ahead(tables.session, group, known)?;
    }
    let mut outcomes = Vec::with_capacity(group.len());
    {
        let mut statements = Statements {
            tables,
            session: tables.session,
            encryptor,
            known,
            isolated,
        };
        for prepared in group {
            outcomes.push(if isolated {
                statements.write_isolated(prepared, ends)?
            } else {
                statements.write(prepared, ends)?
            });
        }
    }
    let written = Instant::now();
    // An empty batch is a barrier. It changes nothing, so in a file it needs no fsync of its own; at a database it
    // changes the owner's row, and is waited for.
    slice.commit(&ends.heads, encryptor)?;
    let committing = written.elapsed();
    // What barriers take would hide how long it takes to make anything durable.
    if tables.session.changes() > before {
        counters.note_commit(written - begun, committing);
    }
    counters.known.store(known.hits, Relaxed);
    counters.looked_up.store(known.misses, Relaxed);
    Ok(outcomes)
}

struct Statements<'c, 'i> {
    tables: Tables<'c>,
    session: Session<'c>,
    encryptor: &'i mut Encryptor,
    known: &'i mut Known,
    /// True if everything that is not known is looked up, and each batch may fail alone.
    isolated: bool,
}

impl Statements<'_, '_> {
    /// Checks the batch, then writes it: a batch that is refused has written nothing.
    fn write(
        &mut self,
        Prepared { wanted, rows }: &Prepared,
        ends: &mut Ends,
    ) -> Result<Result<Vec<Arc<Entry>>, CommitError>, SqlFailure> {
        let batch = &wanted.batch;
        let made;
        let rows = match rows {
            Some(rows) => rows.as_ref(),
            None => {
                made = Rows::of(wanted, &self.encryptor.keys);
                &made
            }
        };
        let changes = match self.check(batch)? {
            Ok(changes) => changes,
            Err(misfit) => return Ok(Err(misfit)),
        };
        let missing = match self.check_chunks(batch)? {
            Ok(missing) => missing,
            Err(misfit) => return Ok(Err(misfit)),
        };
        self.write_tasks(batch, rows, &changes, ends)?;
        let Ends { heads, numbers } = ends;
        for (exchange, row) in batch.exchanges.iter().zip(&rows.exchanges) {
            let new = self.put(exchange, row, batch, &mut numbers.exchange)?;
            if let Some(shard) = new {
                heads.of_mut(shard).counts.exchanges += 1;
            }
        }
        for (data, row) in batch.data.iter().zip(&rows.data) {
            let new = self.put(data, row, batch, &mut numbers.data)?;
            if let Some(shard) = new {
                heads.of_mut(shard).counts.data += 1;
            }
        }
        for (chunk, missing) in batch.chunks.iter().zip(missing) {
            if let (true, Some(data)) = (missing, self.place_of(&chunk.data)?) {
                // Pieces are with their data.
                let place = behind(numbers.data_chunk, data.shard);
                let (piece, bytes) = ((data.number, chunk.offset), &chunk.bytes);
                data_chunk::insert(self.session, piece, bytes, place, self.encryptor)?;
                numbers.data_chunk = place.number;
            }
        }
        self.write_others(batch, rows, numbers)?;
        for (change, row) in wanted.cursors.iter().zip(&rows.cursors) {
            match (change, row) {
                (CursorChange::Keep(cursor), Some(row)) => self.put_named(cursor, row)?,
                _ => cursor::remove(self.session, change.name(), self.encryptor)?,
            }
        }
        Ok(Ok(self.append(batch, rows, &mut ends.heads)?))
    }

    /// Writes the tasks. Intermediate states within a batch are in the log; the row gets the last
    /// of them, and its number at the first.
    fn write_tasks(
        &mut self,
        batch: &Batch,
        rows: &Rows,
        changes: &BTreeMap<&TaskId, Change>,
        ends: &mut Ends,
    ) -> Result<(), SqlFailure> {
        for (place, task) in batch.tasks.iter().enumerate() {
            let change = &changes[&task.id];
            let (last, row) = (&batch.tasks[change.last], &rows.tasks[change.last]);
            let (true, Some(row)) = (change.first == place, row) else {
                continue;
            };
            let old = change.stored.as_ref().map(|stored| &stored.standing);
            let shard = batch.shard_of(Some(&task.id));
            let place = old.map_or_else(|| behind(ends.numbers.task, shard), |old| old.place);
            let standing = last.write(row, self.session, old, place, self.encryptor)?;
            self.known.note_task(last, standing);
            // It was open if it was there: what has ended never changes.
            let counts = &mut ends.heads.of_mut(place.shard).counts;
            ends.numbers.task += i64::from(old.is_none());
            counts.tasks += u64::from(old.is_none());
            counts.open += u64::from(old.is_none());
            counts.open -= u64::from(last.status.is_terminal());
        }
        Ok(())
    }

    fn write_others(
        &mut self,
        batch: &Batch,
        rows: &Rows,
        numbers: &mut Numbers,
    ) -> Result<(), SqlFailure> {
        for (negotiation, row) in batch.negotiations.iter().zip(&rows.negotiations) {
            self.put(negotiation.as_ref(), row, batch, &mut numbers.negotiation)?;
        }
        for (registration, row) in batch.registrations.iter().zip(&rows.registrations) {
            self.put_named(registration.as_ref(), row)?;
        }
        for name in &batch.left {
            registration::remove(self.session, name, self.encryptor)?;
        }
        for (team, row) in batch.teams.iter().zip(&rows.teams) {
            self.put(team.as_ref(), row, batch, &mut numbers.team)?;
        }
        for (change, row) in batch.pushes.iter().zip(&rows.pushes) {
            match (change, row) {
                (PushChange::Keep(config), Some(row)) => {
                    // It is not kept if its task has been removed meanwhile.
                    if push_config::has_task(self.session, config)? {
                        self.put(config, row, batch, &mut numbers.push_config)?;
                    }
                }
                _ => push_config::forget(self.session, change.key(), self.encryptor)?,
            }
        }
        for (document, row) in batch.documents.iter().zip(&rows.documents) {
            match row {
                Some(row) => drop(self.put(document, row, batch, &mut numbers.document)?),
                None => self.remove(document)?,
            }
        }
        for row in &rows.observations {
            let place = behind(numbers.observation, batch.shard);
            observation::append(self.session, row, place, self.encryptor)?;
            numbers.observation = place.number;
        }
        if let Some(last) = batch.observed {
            observation::remove(self.session, last, self.encryptor)?;
        }
        Ok(())
    }

    fn append(
        &mut self,
        batch: &Batch,
        rows: &Rows,
        heads: &mut Heads,
    ) -> Result<Vec<Arc<Entry>>, SqlFailure> {
        let mut entries = Vec::with_capacity(batch.happenings.len());
        // All shards have one count; and the wall clock may jump back, the log does not.
        let (mut sequence, mut time) = (heads.sequence(), heads.time());
        for ((at, happening), row) in batch.happenings.iter().zip(&rows.happenings) {
            (sequence, time) = (sequence + 1, time.max(*at));
            let shard = batch.shard_of(happening.task());
            let (place, head) = ((sequence, time), heads.of_mut(shard));
            let keys = &self.encryptor.keys;
            head.chain = entry::append(self.session, row, place, (shard, head), keys)?;
            (head.sequence, head.time) = place;
            entries.push(Arc::new(Entry {
                sequence,
                time,
                happening: happening.clone(),
            }));
        }
        Ok(entries)
    }

    fn write_isolated(
        &mut self,
        prepared: &Prepared,
        ends: &mut Ends,
    ) -> Result<Result<Vec<Arc<Entry>>, CommitError>, SqlFailure> {
        let before = (ends.clone(), self.encryptor.ledger.clone());
        let session = self.session;
        match session.isolated(|| self.write(prepared, ends)) {
            Err(cause) if breaks_a_rule(&cause) => {
                (*ends, self.encryptor.ledger) = before;
                self.known.forget();
                Ok(Err(CommitError::Refused(cause)))
            }
            written => written,
        }
    }

    /// The place of the data called `id`, if they are stored.
    fn place_of(&self, id: &str) -> Result<Option<RowPlace>, SqlFailure> {
        let name = (data_param::TABLE, id.to_owned());
        if let Some(Standing { place, .. }) = self.known.get(&name) {
            return Ok(Some(*place));
        }
        let sql = "SELECT number, shard FROM data_param WHERE id = ?1";
        self.session.find(sql, values![id], |row| {
            Ok(RowPlace {
                number: row.get(0)?,
                shard: row.get(1)?,
            })
        })
    }

    /// What is stored of a task.
    fn stored(&mut self, task: &Task) -> Result<Option<task::Stored>, SqlFailure> {
        // The first version of a task is that of a new one: if not, it cannot be inserted, and is looked up then.
        if task.version == 1 && !self.isolated {
            return Ok(None);
        }
        if let Some(known) = self.known.task(&task.id) {
            return Ok(Some(known));
        }
        self.known.misses += 1;
        task::stored(self.session, &task.id)
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
            let found = match (clash, self.place_of(&chunk.data)?) {
                (Some(earlier), _) if earlier == chunk => Place::Same,
                (Some(earlier), _) => Place::Taken(earlier.offset),
                (None, Some(data)) => {
                    match data_chunk::place(self.tables, data.number, chunk.offset, &chunk.bytes) {
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
                    let stored = self.stored(task)?;
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

/// The place of a new row behind the last number that was given.
fn behind(last: i64, shard: Shard) -> RowPlace {
    RowPlace {
        shard,
        number: last + 1,
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
