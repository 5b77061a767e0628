//! Rows of `cursor`: the positions of readers in the log, by the reader's name.
//!
//! Payload: the name, which may be a secret address. The row is found by the digest of the name.
//! Read next: [`super::task`].

use super::{RowError, column, standing};
use crate::cipher::Keys;
use crate::cover::{Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sql::{Expect, Row, Session, values};
use base16ct::lower::encode_string;
use domain::event::Sequence;
use std::borrow::Cow;

pub(crate) const TABLE: &str = "cursor";

/// All cursors.
pub(crate) const ALL: &str = "SELECT id, name, sequence, digest, cipher FROM cursor ORDER BY id";

const WRITE: &str = "INSERT INTO cursor (id, name, sequence, digest, cipher)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (id) DO UPDATE SET name = ?2, sequence = ?3, digest = ?4, cipher = ?5";

const STANDING: &str = "SELECT 0, digest FROM cursor WHERE id = ?1";

/// The position of a reader in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The name of the reader, which it chooses; unique.
    pub name: String,
    /// The last entry that was read.
    pub sequence: Sequence,
}

/// Writes the cursor, in place of the one of its name if there is one.
pub(crate) fn write(
    session: Session<'_>,
    name: &str,
    sequence: Sequence,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let (id, name) = (id(name), Texts([Some(Cow::Borrowed(name))]));
    let row = encryptor.cover(TABLE, name, |name| digest(&id, name, sequence));
    let old = standing(session, STANDING, values![&id])?;
    let stamp = encryptor.stamp(TABLE, 0, &row.sum);
    let (name, cipher) = (row.texts.text(0), row.cipher);
    session.put(
        WRITE,
        values![&id, name, sequence as i64, &stamp, cipher.as_ref()],
        Expect::Any,
    )?;
    encryptor.replaced(old.as_ref(), Set::Cursor, 0, &row.sum);
    Ok(())
}

/// Deletes the cursor of this name, if there is one.
pub(crate) fn remove(
    session: Session<'_>,
    name: &str,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sql = "DELETE FROM cursor WHERE id = ?1 RETURNING 0, digest";
    encryptor.delete(session, Set::Cursor, sql, values![&id(name)])?;
    Ok(())
}

fn id(name: &str) -> Sum {
    RowDigest::of(TABLE).text(name).sum()
}

fn digest(id: &Sum, name: &Texts<'_, 1>, sequence: Sequence) -> Sum {
    RowDigest::of(TABLE)
        .bytes(id)
        .text(name.text(0))
        .number(sequence as i64)
        .sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<Cursor, RowError> {
    let id: Sum = column(row, 0, TABLE, "")?;
    let key = encode_string(&id[..4]);
    let shown = Texts([Some(Cow::Owned(column(row, 1, TABLE, &key)?))]);
    let sequence = column::<i64>(row, 2, TABLE, &key)? as Sequence;
    let stored: Vec<u8> = column(row, 3, TABLE, &key)?;
    let cipher: Option<Vec<u8>> = column(row, 4, TABLE, &key)?;
    let of = (TABLE, key.as_str());
    let Texts([name]) = uncover(keys, of, shown, cipher.as_deref(), &stored, |name| {
        digest(&id, name, sequence)
    })?;
    let name = name.ok_or_else(|| RowError::corrupt(TABLE, &key))?;
    Ok(Cursor {
        name: name.into_owned(),
        sequence,
    })
}
