//! Reading the log, from its first entry.
//!
//! A log that was cut begins behind its checkpoint, on whose digest the chain then stands. Read
//! next: `row::entry`.

use super::{Most, ReadError, bytes_of};
use crate::cipher::Tables;
use crate::digest::{ORIGIN, Sum};
use crate::failure::SqlFailure;
use crate::row::checkpoint::Checkpoint;
use crate::row::{RowError, entry};
use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// The entry before `after + 1`, or the last that was cut off if the log begins later, and its
/// digest, which the next entry is chained to.
pub(crate) fn base(connection: &Connection, after: Sequence) -> Result<(Sequence, Sum), RowError> {
    let cut = Checkpoint::read(connection)?;
    let (sequence, chain) = cut.map_or((0, ORIGIN), |cut| (cut.sequence, cut.chain));
    match after > sequence {
        true => Ok((after, entry::stored_digest(connection, after)?)),
        false => Ok((sequence, chain)),
    }
}

pub(crate) fn entries(
    tables: Tables<'_>,
    after: Sequence,
    most: Most,
) -> Result<Vec<Arc<Entry>>, ReadError> {
    // One snapshot: the log may be cut meanwhile.
    let snapshot = tables.unchecked_transaction()?;
    if after >= last(&snapshot)? {
        return Ok(Vec::new());
    }
    let (after, mut chain) = base(&snapshot, after)?;
    let limit = i64::try_from(most.rows).unwrap_or(i64::MAX);
    let mut statement = snapshot.prepare_cached(entry::BEHIND)?;
    let columns = statement.column_count();
    let mut rows = statement.query(params![after as i64, limit])?;
    let (mut found, mut expected, mut bytes) = (Vec::new(), after + 1, 0);
    while let Some(row) = rows.next()? {
        bytes += bytes_of(row, columns)?;
        if bytes > most.bytes && !found.is_empty() {
            break;
        }
        let read = entry::read(row, expected, &chain, tables.keys)?;
        (chain, expected) = (read.sum, expected + 1);
        found.push(Arc::new(read.entry));
    }
    Ok(found)
}

pub(crate) fn sequence_at(connection: &Connection, time: Timestamp) -> Result<Sequence, ReadError> {
    let snapshot = connection.unchecked_transaction()?;
    let mut statement = snapshot.prepare_cached("SELECT time FROM log WHERE sequence = ?1")?;
    let (mut before, mut from) = (base(&snapshot, 0)?.0, last(&snapshot)? + 1);
    // Entries up to `before` lie before `time`, those from `from` on do not.
    while before + 1 < from {
        let middle = before + (from - before) / 2;
        let found: Option<i64> = statement
            .query_row([middle as i64], |row| row.get(0))
            .optional()?;
        let Some(found) = found else {
            return Err(RowError::corrupt(entry::TABLE, middle).into());
        };
        if found < time.as_ms() {
            before = middle;
        } else {
            from = middle;
        }
    }
    Ok(before)
}

/// The last sequence of the log; that of the checkpoint if no entry follows it.
pub(crate) fn last(connection: &Connection) -> Result<Sequence, RowError> {
    let mut statement = connection.prepare_cached("SELECT max(sequence) FROM log")?;
    let last: Option<i64> = statement.query_row([], |row| row.get(0))?;
    match last {
        Some(last) => Ok(last as Sequence),
        None => Ok(base(connection, 0)?.0),
    }
}

/// The time of the first entry.
pub(crate) fn first_time(connection: &Connection) -> Result<Option<Timestamp>, SqlFailure> {
    let sql = "SELECT time FROM log ORDER BY sequence LIMIT 1";
    let time: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(time.map(Timestamp::from_ms))
}
