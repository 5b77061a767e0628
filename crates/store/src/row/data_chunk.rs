//! Rows of `data_chunk`: the pieces of data that are too large for a row, by offset.
//!
//! No two pieces of the same data overlap: whoever writes says so first. A digest covers one
//! piece, so that a part of large data is read and checked without the rest. Read next:
//! [`super::negotiation`].

use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum, of_bytes};
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(crate) const TABLE: &str = "data_chunk";

/// All pieces, by the number of their data; with the identifier of the data, if they are there.
pub(crate) const ALL: &str = "SELECT data_chunk.data, offset, data_chunk.digest, bytes, id
    FROM data_chunk LEFT JOIN data_param ON data_param.number = data_chunk.data
    ORDER BY data_chunk.data, offset";

/// The pieces of data `?1` that reach behind offset `?2` and begin before `?3`.
pub(crate) const WITHIN: &str = "SELECT data, offset, digest, bytes FROM data_chunk
    WHERE data = ?1 AND offset >= coalesce(
      (SELECT max(offset) FROM data_chunk WHERE data = ?1 AND offset <= ?2), 0)
    AND offset < ?3 ORDER BY offset";

/// Where the pieces of data `?1` lie.
pub(crate) const MAP: &str =
    "SELECT offset, length(bytes) FROM data_chunk WHERE data = ?1 ORDER BY offset";

const INSERT: &str = "INSERT INTO data_chunk (data, offset, digest, bytes) VALUES (?1, ?2, ?3, ?4)";

const LAST_BEFORE: &str = "SELECT offset, length(bytes), digest FROM data_chunk
    WHERE data = ?1 AND offset < ?2 ORDER BY offset DESC LIMIT 1";

/// How a piece stands to those that are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing is stored where it goes.
    Free,
    /// The very same is stored.
    Same,
    /// Something else is stored there, from this offset on.
    Taken(u64),
}

/// Where a piece of the data with this number would lie.
pub(crate) fn place(
    connection: &Connection,
    data: i64,
    offset: u64,
    bytes: &[u8],
) -> rusqlite::Result<Place> {
    let end = offset as i64 + bytes.len() as i64;
    let mut statement = connection.prepare_cached(LAST_BEFORE)?;
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let found: Option<(i64, i64, Vec<u8>)> =
        statement.query_row(params![data, end], row).optional()?;
    Ok(match found {
        Some((at, length, sum))
            if at as u64 == offset
                && length == bytes.len() as i64
                && sum == digest(data, offset, bytes) =>
        {
            Place::Same
        }
        Some((at, length, _)) if at + length > offset as i64 => Place::Taken(at as u64),
        _ => Place::Free,
    })
}

pub(crate) fn insert(
    connection: &Connection,
    data: i64,
    offset: u64,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let sum = digest(data, offset, bytes);
    let mut statement = connection.prepare_cached(INSERT)?;
    statement.execute(params![data, offset as i64, sum, bytes])?;
    Ok(())
}

fn digest(data: i64, offset: u64, bytes: &[u8]) -> Sum {
    RowDigest::of(TABLE)
        .number(data)
        .number(offset as i64)
        .bytes(&of_bytes(bytes))
        .sum()
}

/// Reads a row of data, offset, digest and bytes, and checks the digest.
pub(crate) fn read(row: &Row<'_>) -> Result<(u64, Vec<u8>), RowError> {
    let data: i64 = row.get(0)?;
    let key = |offset: i64| format!("number {data}, offset {offset}");
    let offset: i64 = column(row, 1, TABLE, &key(-1))?;
    let key = key(offset);
    let bytes: Vec<u8> = column(row, 3, TABLE, &key)?;
    let stored: Vec<u8> = column(row, 2, TABLE, &key)?;
    check(&stored, &digest(data, offset as u64, &bytes), TABLE, &key)?;
    Ok((offset as u64, bytes))
}
