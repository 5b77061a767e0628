//! Rows of `observation`: observations on payloads, until they have been taken in.
//!
//! Payload: the body, which holds words of users. Numbers are unique and increase. Read next:
//! [`super::document`].

use super::standing::{AS_KNOWN, RowPlace, standing};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
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
    "INSERT INTO observation (digest, body, cipher, number, shard) VALUES (?1, ?2, ?3, ?4, ?5)";

const UPDATE: &str = "UPDATE observation SET digest = ?2, body = ?3, cipher = ?4
    WHERE number = ?1 AND digest = ?5 AND shard = ?6";

const STANDING: &str = "SELECT number, digest, shard FROM observation WHERE number = ?1";

/// The row of an observation, made ready.
pub(crate) fn prepare(body: &str, keys: &RowKeys) -> Stamped<1> {
    keys.cover_stamped(TABLE, Texts([Some(Cow::Borrowed(body))]), digest)
}

/// Appends an observation.
pub(crate) fn append(
    session: Session<'_>,
    Stamped { row, stamp }: &Stamped<1>,
    place @ RowPlace { shard, number }: RowPlace,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let (text, cipher) = (row.texts.text(0), row.cipher.as_ref());
    let values = values![stamp, text, cipher, number, shard];
    session.put(WRITE, values, Expect::Any)?;
    session.note_observation(number)?;
    encryptor.ledger.numbered = Some(number as u64);
    encryptor.came(Set::Observation, place, &row.sum);
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
    let Stamped { row, stamp } = prepare(body, &encryptor.keys);
    let number = *number as i64;
    let Some(old) = standing(session, Set::Observation, STANDING, values![number])? else {
        return Ok(());
    };
    let (text, cipher) = (row.texts.text(0), row.cipher.as_ref());
    let values = values![number, &stamp, text, cipher, &old.digest, old.place.shard];
    session.put(UPDATE, values, AS_KNOWN)?;
    encryptor.replaced(Some(&old), Set::Observation, old.place, &row.sum, stamp);
    Ok(())
}

/// Deletes the observations up to this one.
pub(crate) fn remove(
    session: Session<'_>,
    last: u64,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sql = "DELETE FROM observation WHERE number <= ?1 RETURNING number, digest, shard";
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
