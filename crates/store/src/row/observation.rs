//! Rows of `observation`: observations on payloads, until they have been taken in.
//!
//! Payload: the body, which holds words of users. Numbers are unique and increase. Read next:
//! [`super::document`].

use super::{RowError, column, standing};
use crate::cipher::Keys;
use crate::cover::{Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use rusqlite::{Connection, Row, params};
use std::borrow::Cow;

pub(crate) const TABLE: &str = "observation";

/// All observations, oldest first.
pub(crate) const ALL: &str = "SELECT number, digest, body, cipher FROM observation ORDER BY number";

/// The oldest observations.
pub(crate) const OLDEST: &str =
    "SELECT number, digest, body, cipher FROM observation ORDER BY number LIMIT ?1";

const WRITE: &str =
    "INSERT INTO observation (digest, body, cipher, number) VALUES (?1, ?2, ?3, ?4)";

const STANDING: &str = "SELECT number, digest FROM observation WHERE number = ?1";

/// Appends an observation, as number `number`.
pub(crate) fn write(
    connection: &Connection,
    body: &str,
    number: i64,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let body = Texts([Some(Cow::Borrowed(body))]);
    let row = encryptor.cover(TABLE, body, digest);
    let stamp = encryptor.stamp(TABLE, 0, &row.sum);
    let mut statement = connection.prepare_cached(WRITE)?;
    statement.execute(params![stamp, row.texts.text(0), row.cipher, number])?;
    encryptor.ledger.numbered = Some(number as u64);
    encryptor.came(Set::Observation, number, &row.sum);
    Ok(())
}

/// The last number given, 0 before the first. It is in a table of SQLite that no code covers.
pub(crate) fn numbered(connection: &Connection) -> Result<u64, SqlFailure> {
    let sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence";
    Ok(connection.query_row(sql, [], |row| row.get::<_, i64>(0))? as u64)
}

/// Checks that the last number given is the one known, if one is.
pub(crate) fn check_numbered(connection: &Connection, known: Option<u64>) -> Result<(), RowError> {
    match known.is_none_or(|known| numbered(connection).is_ok_and(|found| found == known)) {
        true => Ok(()),
        false => Err(RowError::forged(
            TABLE,
            "its last number is not the one that was given last",
        )),
    }
}

/// Rewrites a stored observation.
pub(crate) fn rewrite(
    connection: &Connection,
    (number, body): &(u64, String),
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let body = Texts([Some(Cow::Borrowed(body.as_str()))]);
    let row = encryptor.cover(TABLE, body, digest);
    let number = *number as i64;
    let old = standing(connection, STANDING, [number])?;
    let stamp = encryptor.stamp(TABLE, 0, &row.sum);
    let sql = "UPDATE observation SET digest = ?2, body = ?3, cipher = ?4 WHERE number = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    statement.execute(params![number, stamp, row.texts.text(0), row.cipher])?;
    if let Some(old) = old {
        encryptor.replaced(Some(&old), Set::Observation, number, &row.sum);
    }
    Ok(())
}

/// Deletes the observations up to this one.
pub(crate) fn remove(
    connection: &Connection,
    last: u64,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sql = "DELETE FROM observation WHERE number <= ?1 RETURNING number, digest";
    encryptor.delete(connection, Set::Observation, sql, [last as i64])?;
    Ok(())
}

fn digest(body: &Texts<'_, 1>) -> Sum {
    RowDigest::of(TABLE).text(body.text(0)).sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<(u64, String), RowError> {
    let number: i64 = column(row, 0, TABLE, "")?;
    let key = number.to_string();
    let stored: Vec<u8> = column(row, 1, TABLE, &key)?;
    let shown = Texts([Some(Cow::Owned(column(row, 2, TABLE, &key)?))]);
    let cipher: Option<Vec<u8>> = column(row, 3, TABLE, &key)?;
    let of = (TABLE, key.as_str());
    let Texts([body]) = uncover(keys, of, shown, cipher.as_deref(), &stored, digest)?;
    let body = body.ok_or_else(|| RowError::corrupt(TABLE, &key))?;
    Ok((number as u64, body.into_owned()))
}
