//! Reading the log, from its first entry.
//!
//! A log that was cut begins behind its checkpoint. Read next: [`super::chains`], `row::entry`.

use super::chains::Chains;
use super::{Most, ReadError};
use crate::cipher::Tables;
use crate::digest::{ORIGIN, Sum};
use crate::failure::SqlFailure;
use crate::row::checkpoint::Checkpoint;
use crate::row::{RowError, entry};
use crate::sql::{Session, values};
use base16ct::lower::encode_string;
use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The time of one entry.
const AT: &str = "SELECT time FROM log WHERE sequence = ?1";

/// The last entry that was cut off; 0 if none was.
pub(crate) fn cut(session: Session<'_>) -> Result<Sequence, RowError> {
    let cut = Checkpoint::last(session)?;
    Ok(cut.map_or(0, |(_, cut)| cut.sequence))
}

/// The digest of an entry of which `last` is the last; none if it was cut off, or does not exist yet.
pub(crate) fn chain_at(
    session: Session<'_>,
    sequence: Sequence,
    last: Sequence,
) -> Result<Option<Sum>, RowError> {
    if sequence > last {
        return Ok(None);
    }
    let cut = Checkpoint::last(session)?.filter(|(_, cut)| cut.sequence > 0);
    let (first, chain) = cut.map_or((0, ORIGIN), |(_, cut)| (cut.sequence, cut.chain));
    match sequence.cmp(&first) {
        Ordering::Less => Ok(None),
        Ordering::Equal => Ok(Some(chain)),
        Ordering::Greater => {
            let found = entry::stored_digest(session, sequence)?;
            let (_, sum) = found.ok_or_else(|| RowError::corrupt(entry::TABLE, sequence))?;
            Ok(Some(sum))
        }
    }
}

pub(crate) fn digits_at(
    session: Session<'_>,
    sequence: Sequence,
) -> Result<Option<String>, ReadError> {
    let _snapshot = session.snapshot()?;
    let chain = chain_at(session, sequence, last(session)?)?;
    Ok(chain.map(|chain| encode_string(&chain)))
}

pub(crate) fn entries(
    tables: Tables<'_>,
    after: Sequence,
    most: Most,
) -> Result<Vec<Arc<Entry>>, ReadError> {
    // One snapshot: the log may be cut meanwhile.
    let session = tables.session;
    let _snapshot = session.snapshot()?;
    if after >= last(session)? {
        return Ok(Vec::new());
    }
    let mut chains = Chains::behind(session, after)?;
    let limit = i64::try_from(most.rows).unwrap_or(i64::MAX);
    let (mut found, mut bytes) = (Vec::new(), 0);
    let behind = values![chains.last as i64, limit];
    session.query(entry::BEHIND, behind, |row| {
        bytes += row.size()?;
        if bytes > most.bytes && !found.is_empty() {
            return Ok(ControlFlow::Break(()));
        }
        found.push(Arc::new(chains.read(row, tables.keys)?.entry));
        Ok::<_, RowError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

pub(crate) fn sequence_at(session: Session<'_>, time: Timestamp) -> Result<Sequence, ReadError> {
    let _snapshot = session.snapshot()?;
    let (mut before, mut from) = (cut(session)?, last(session)? + 1);
    // Entries up to `before` lie before `time`, those from `from` on do not.
    while before + 1 < from {
        let middle = before + (from - before) / 2;
        let found: Option<i64> = session.find(AT, values![middle as i64], |row| row.get(0))?;
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
pub(crate) fn last(session: Session<'_>) -> Result<Sequence, RowError> {
    let last: Option<i64> = session.one("SELECT max(sequence) FROM log", &[])?;
    match last {
        Some(last) => Ok(last as Sequence),
        None => cut(session),
    }
}

/// The time of the first entry.
pub(crate) fn first_time(session: Session<'_>) -> Result<Option<Timestamp>, SqlFailure> {
    let sql = "SELECT time FROM log ORDER BY sequence LIMIT 1";
    let time: Option<i64> = session.find(sql, &[], |row| row.get(0))?;
    Ok(time.map(Timestamp::from_ms))
}
