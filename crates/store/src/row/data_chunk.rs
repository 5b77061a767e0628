//! Rows of `data_chunk`: the pieces of data that are too large for a row, by offset.
//!
//! No two pieces of the same data overlap: the writer checks it first. A digest covers one piece,
//! so that a part of large data is read and checked without the rest. Bytes are payload and are
//! encrypted in place: a ciphertext is as long as its plaintext, and its mark is in a column of its
//! own. Read next: [`super::negotiation`].

use super::standing::{RowPlace, Standing, insert_or_update, number_or_digest, standing};
use super::{RowError, column};
use crate::cipher::{Keys, Tables};
use crate::cover::covered;
use crate::digest::{RowDigest, Sum, of_bytes};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sql::{Row, Session, Value, values};
use std::borrow::Cow;

pub(crate) const TABLE: &str = "data_chunk";

/// All pieces, by the number of their data; with the identifier of the data, if they exist.
pub(crate) const ALL: &str = "SELECT data_chunk.data, \"offset\", data_chunk.digest, bytes,
    data_chunk.cipher, id FROM data_chunk LEFT JOIN data_param ON data_param.number = data_chunk.data
    ORDER BY data_chunk.data, \"offset\"";

/// The pieces of data `?1` that reach behind offset `?2` and begin before `?3`.
pub(crate) const WITHIN: &str = "SELECT data, \"offset\", digest, bytes, cipher FROM data_chunk
    WHERE data = ?1 AND \"offset\" >= coalesce(
      (SELECT max(\"offset\") FROM data_chunk WHERE data = ?1 AND \"offset\" <= ?2), 0)
    AND \"offset\" < ?3 ORDER BY \"offset\"";

/// The offsets and lengths of the pieces of data `?1`.
pub(crate) const MAP: &str =
    "SELECT \"offset\", length(bytes) FROM data_chunk WHERE data = ?1 ORDER BY \"offset\"";

/// The piece of data `?1` at offset `?2`.
const AT: &str = "SELECT data, \"offset\", digest, bytes, cipher FROM data_chunk
    WHERE data = ?1 AND \"offset\" = ?2";

const INSERT: &str =
    "INSERT INTO data_chunk (data, \"offset\", digest, bytes, cipher, number, shard)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

const UPDATE: &str = "UPDATE data_chunk SET digest = ?3, bytes = ?4, cipher = ?5
    WHERE data = ?1 AND \"offset\" = ?2 AND digest = ?6 AND shard = ?7";

const STANDING: &str =
    "SELECT number, digest, shard FROM data_chunk WHERE data = ?1 AND \"offset\" = ?2";

const LAST_BEFORE: &str = "SELECT \"offset\", length(bytes) FROM data_chunk
    WHERE data = ?1 AND \"offset\" < ?2 ORDER BY \"offset\" DESC LIMIT 1";

/// The relation of a piece to the stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing is stored in its place.
    Free,
    /// An identical piece is stored.
    Same,
    /// Something else is stored there, from this offset on.
    Taken(u64),
}

/// The relation of a piece of the data with this number to the stored ones.
pub(crate) fn place(
    tables: Tables<'_>,
    data: i64,
    offset: u64,
    bytes: &[u8],
) -> Result<Place, RowError> {
    let end = offset as i64 + bytes.len() as i64;
    let row = |row: &Row<'_>| Ok::<(i64, i64), SqlFailure>((row.get(0)?, row.get(1)?));
    let found = tables.session.find(LAST_BEFORE, values![data, end], row)?;
    Ok(match found {
        Some((at, length))
            if at as u64 == offset
                && length == bytes.len() as i64
                && stored(tables, data, offset)?.as_deref() == Some(bytes) =>
        {
            Place::Same
        }
        Some((at, length)) if at + length > offset as i64 => Place::Taken(at as u64),
        _ => Place::Free,
    })
}

/// The piece at `offset`, if there is one.
pub(crate) fn stored(
    tables: Tables<'_>,
    data: i64,
    offset: u64,
) -> Result<Option<Vec<u8>>, RowError> {
    let read = |row: &Row<'_>| Ok(read(row, tables.keys)?.1);
    tables.session.find(AT, values![data, offset as i64], read)
}

/// Writes the piece as a new row; nothing may be stored in its place.
pub(crate) fn insert(
    session: Session<'_>,
    piece: (i64, u64),
    bytes: &[u8],
    place: RowPlace,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    write(session, piece, bytes, None, place, encryptor)
}

/// Rewrites the stored piece, with `encryptor`.
pub(crate) fn rewrite(
    session: Session<'_>,
    data: i64,
    offset: u64,
    bytes: &[u8],
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    match standing(
        session,
        Set::DataChunk,
        STANDING,
        values![data, offset as i64],
    )? {
        Some(old) => {
            let piece = (data, offset);
            write(session, piece, bytes, Some(&old), old.place, encryptor)
        }
        None => Ok(()),
    }
}

fn write(
    session: Session<'_>,
    (data, offset): (i64, u64),
    bytes: &[u8],
    old: Option<&Standing>,
    place: RowPlace,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let (mut bytes, mut mark) = (Cow::Borrowed(bytes), None);
    if encryptor.keys.is_on() {
        mark = encryptor
            .keys
            .encrypt_in_place(bytes.to_mut(), &place_digest(data, offset));
    }
    let sum = digest(data, offset, &bytes);
    let sum = mark
        .as_deref()
        .map_or(sum, |mark| covered(TABLE, &sum, mark));
    let stamp = encryptor.keys.stamp(TABLE, 0, &sum);
    let row: &[Value<'_>] = values![
        data,
        offset as i64,
        &stamp,
        &bytes,
        mark.as_ref(),
        number_or_digest(old, place),
        place.shard,
    ];
    insert_or_update(session, old, [INSERT, UPDATE], row)?;
    encryptor.replaced(old, Set::DataChunk, place, &sum, stamp);
    Ok(())
}

/// The digest that a ciphertext is bound to.
fn place_digest(data: i64, offset: u64) -> Sum {
    RowDigest::of(TABLE)
        .number(data)
        .number(offset as i64)
        .sum()
}

fn digest(data: i64, offset: u64, bytes: &[u8]) -> Sum {
    RowDigest::of(TABLE)
        .number(data)
        .number(offset as i64)
        .bytes(&of_bytes(bytes))
        .sum()
}

/// Reads a row of data, offset, digest, bytes and mark, and checks the digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<(u64, Vec<u8>), RowError> {
    let data: i64 = row.get(0)?;
    let key = |offset: i64| format!("number {data}, offset {offset}");
    let offset: i64 = column(row, 1, TABLE, &key(-1))?;
    let key = key(offset);
    let mut bytes: Vec<u8> = column(row, 3, TABLE, &key)?;
    let stored: Vec<u8> = column(row, 2, TABLE, &key)?;
    let mark: Option<Vec<u8>> = column(row, 4, TABLE, &key)?;
    let sum = digest(data, offset as u64, &bytes);
    let Some(mark) = mark else {
        keys.check(&stored, &sum, (TABLE, key.as_str()).into())?;
        keys.check_plain((TABLE, key.as_str()).into())?;
        return Ok((offset as u64, bytes));
    };
    keys.check(
        &stored,
        &covered(TABLE, &sum, &mark),
        (TABLE, key.as_str()).into(),
    )?;
    let beside = place_digest(data, offset as u64);
    keys.decrypt_in_place(&mark, &mut bytes, &beside, TABLE, &key)?;
    Ok((offset as u64, bytes))
}
