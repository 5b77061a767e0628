//! Rows of `document`: schemas and related documents of the engine, by kind and name.
//!
//! Payload: the body, which may hold words of users. Read next: [`super::observation`].

use super::replaceable::Replaceable;
use super::standing::{
    AS_KNOWN, Name, RowPlace, Standing, insert_or_update, number_or_digest, standing,
};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Row, Session, values};
use std::borrow::Cow;

pub(crate) const TABLE: &str = "document";

/// All documents, in the order in which they were first stored.
pub(crate) const ALL: &str =
    "SELECT kind, name, digest, body, cipher FROM document ORDER BY number";

/// The documents of one kind, likewise.
pub(crate) const OF_KIND: &str =
    "SELECT kind, name, digest, body, cipher FROM document WHERE kind = ?1 ORDER BY number";

const INSERT: &str = "INSERT INTO document (kind, name, digest, body, cipher, number, shard)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

const UPDATE: &str = "UPDATE document SET digest = ?3, body = ?4, cipher = ?5
    WHERE kind = ?1 AND name = ?2 AND digest = ?6 AND shard = ?7";

const REMOVE: &str =
    "DELETE FROM document WHERE kind = ?1 AND name = ?2 AND digest = ?3 AND shard = ?4";

/// Asked for each document before it is written.
pub(crate) const STANDING: &str =
    "SELECT number, digest, shard FROM document WHERE kind = ?1 AND name = ?2";

/// A document, which is replaced as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The kind.
    pub kind: Cow<'static, str>,
    /// The name, unique within its kind. Not encrypted.
    pub name: String,
    /// The body; none to delete the document.
    pub body: Option<String>,
}

impl Document {
    /// Deletes it, as it stands.
    pub(crate) fn remove(
        &self,
        session: Session<'_>,
        old: &Standing,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        let values = values![&*self.kind, &self.name, &old.digest, old.place.shard];
        session.put(REMOVE, values, AS_KNOWN)?;
        encryptor.went(old.set, old.place, &old.digest);
        Ok(())
    }
}

impl Replaceable for Document {
    type Prepared = Stamped<1>;

    /// Makes the row of a document ready that has a body.
    fn prepare(&self, keys: &RowKeys) -> Stamped<1> {
        let body = Texts([self.body.as_deref().map(Cow::Borrowed)]);
        keys.cover_stamped(TABLE, body, |body| digest(&self.kind, &self.name, body))
    }

    const MOSTLY_NEW: bool = true;

    fn name(&self) -> Option<Name> {
        // No kind has such a character.
        Some((TABLE, format!("{}\0{}", self.kind, self.name)))
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        let key = values![&*self.kind, &self.name];
        standing(session, Set::Document, STANDING, key)
    }

    fn write(
        &self,
        Stamped { row, stamp }: &Stamped<1>,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let values = values![
            &*self.kind,
            &self.name,
            stamp,
            row.texts.text(0),
            row.cipher.as_ref(),
            number_or_digest(old, place),
            place.shard,
        ];
        insert_or_update(session, old, [INSERT, UPDATE], values)?;
        Ok(encryptor.replaced(old, Set::Document, place, &row.sum, stamp.clone()))
    }
}

fn digest(kind: &str, name: &str, body: &Texts<'_, 1>) -> Sum {
    let row = RowDigest::of(TABLE).text(kind).text(name);
    row.text(body.text(0)).sum()
}

/// Reads a row of [`ALL`] and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<Document, RowError> {
    let kind: String = column(row, 0, TABLE, "")?;
    let name: String = column(row, 1, TABLE, &kind)?;
    let stored: Vec<u8> = column(row, 2, TABLE, &name)?;
    let shown = Texts([Some(Cow::Owned(column(row, 3, TABLE, &name)?))]);
    let cipher: Option<Vec<u8>> = column(row, 4, TABLE, &name)?;
    let of = (TABLE, name.as_str());
    let Texts([body]) = uncover(keys, of, shown, cipher.as_deref(), &stored, |body| {
        digest(&kind, &name, body)
    })?;
    Ok(Document {
        body: body.map(Cow::into_owned),
        kind: kind.into(),
        name,
    })
}
