//! Rows of `cursor`: the positions of readers in the log, by the reader's name.
//!
//! Payload: the name, which may be a secret address. The row is found by the digest of the name.
//! Read next: [`super::task`].

use super::replaceable::Replaceable;
use super::standing::{AS_KNOWN, RowPlace, Standing, standing};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Row, Session, values};
use base16ct::lower::encode_string;
use domain::event::Sequence;
use std::borrow::Cow;

pub(crate) const TABLE: &str = "cursor";

/// All cursors.
pub(crate) const ALL: &str = "SELECT id, name, sequence, digest, cipher FROM cursor ORDER BY id";

const WRITE: &str = "INSERT INTO cursor (id, name, sequence, digest, cipher)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (id) DO UPDATE SET name = ?2, sequence = ?3, digest = ?4, cipher = ?5
    WHERE cursor.digest = ?6";

const STANDING: &str = "SELECT 0, digest, 0 FROM cursor WHERE id = ?1";

/// The position of a reader in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The name of the reader, which it chooses; unique.
    pub name: String,
    /// The last entry that was read.
    pub sequence: Sequence,
}

/// A change of a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CursorChange {
    /// It is stored, in place of the one of its name if there is one.
    Keep(Cursor),
    /// The one of this name is deleted, if it exists.
    Forget(String),
}

impl CursorChange {
    /// The name of the cursor.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Keep(Cursor { name, .. }) | Self::Forget(name) => name,
        }
    }
}

/// A cursor that is ready to be written.
pub(crate) struct Prepared {
    id: Sum,
    row: Stamped<1>,
}

impl Replaceable for Cursor {
    type Prepared = Prepared;

    fn prepare(&self, keys: &RowKeys) -> Prepared {
        let (id, name) = (id(&self.name), Texts([Some(Cow::Borrowed(&*self.name))]));
        let row = keys.cover_stamped(TABLE, name, |name| digest(&id, name, self.sequence));
        Prepared { id, row }
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        standing(session, Set::Cursor, STANDING, values![&id(&self.name)])
    }

    fn write(
        &self,
        Prepared { id, row }: &Prepared,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let Stamped { row, stamp } = row;
        session.put(
            WRITE,
            values![
                id,
                row.texts.text(0),
                self.sequence as i64,
                stamp,
                row.cipher.as_ref(),
                old.map(|old| &old.digest),
            ],
            AS_KNOWN,
        )?;
        Ok(encryptor.replaced(old, Set::Cursor, place, &row.sum, stamp.clone()))
    }
}

/// Deletes the cursor of this name, if there is one.
pub(crate) fn remove(
    session: Session<'_>,
    name: &str,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let sql = "DELETE FROM cursor WHERE id = ?1 RETURNING 0, digest, 0";
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
