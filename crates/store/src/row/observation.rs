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
use crate::sql::{Expect, Row, Session, values};
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
    session: Session<'_>,
    body: &str,
    number: i64,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let body = Texts([Some(Cow::Borrowed(body))]);
    let row = encryptor.cover(TABLE, body, digest);
    let stamp = encryptor.stamp(TABLE, 0, &row.sum);
    session.put(
        WRITE,
        values![&stamp, row.texts.text(0), row.cipher.as_ref(), number],
        Expect::Any,
    )?;
    session.note_observation(number)?;
    encryptor.ledger.numbered = Some(number as u64);
    encryptor.came(Set::Observation, number, &row.sum);
    Ok(())
}

/// Checks that the last number given is the one known, if one is.
pub(crate) fn check_numbered(session: Session<'_>, known: Option<u64>) -> Result<(), RowError> {
    match known.is_none_or(|known| {
        session
            .last_observation()
            .is_ok_and(|found| found as u64 == known)
    }) {
        true => Ok(()),
        false => Err(RowError::forged(
            TABLE,
            "its last number is not the one that was given last",
        )),
    }
}

/// Rewrites a stored observation.
pub(crate) fn rewrite(
    session: Session<'_>,
    (number, body): &(u64, String),
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let body = Texts([Some(Cow::Borrowed(body.as_str()))]);
    let row = encryptor.cover(TABLE, body, digest);
    let number = *number as i64;
    let old = standing(session, STANDING, values![number])?;
    let stamp = encryptor.stamp(TABLE, 0, &row.sum);
    let sql = "UPDATE observation SET digest = ?2, body = ?3, cipher = ?4 WHERE number = ?1";
    session.put(
        sql,
        values![number, &stamp, row.texts.text(0), row.cipher.as_ref()],
        Expect::Any,
    )?;
    if let Some(old) = old {
        encryptor.replaced(Some(&old), Set::Observation, number, &row.sum);
    }
    Ok(())
}

/// Deletes the observations up to this one.
pub(crate) fn remove(
    session: Session<'_>,
    last: u64,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sql = "DELETE FROM observation WHERE number <= ?1 RETURNING number, digest";
    encryptor.delete(session, Set::Observation, sql, values![last as i64])?;
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
