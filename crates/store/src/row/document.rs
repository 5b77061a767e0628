//! Rows of `document`: schemas and related documents of the engine, by kind and name.
//!
//! Payload: the body, which may hold words of users. Read next: [`super::observation`].

use super::{RowError, column, standing};
use crate::cipher::Keys;
use crate::cover::{Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sql::{Expect, Row, Session, values};
use std::borrow::Cow;

pub(crate) const TABLE: &str = "document";

/// All documents, in the order in which they were first stored.
pub(crate) const ALL: &str =
    "SELECT kind, name, digest, body, cipher FROM document ORDER BY number";

/// The documents of one kind, likewise.
pub(crate) const OF_KIND: &str =
    "SELECT kind, name, digest, body, cipher FROM document WHERE kind = ?1 ORDER BY number";

const WRITE: &str =
    "INSERT INTO document (kind, name, digest, body, cipher, number) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (kind, name) DO UPDATE SET digest = ?3, body = ?4, cipher = ?5";

const STANDING: &str = "SELECT number, digest FROM document WHERE kind = ?1 AND name = ?2";

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

/// Writes the document in place of the one of its name, or as number `number` if there is none, which is
/// returned; or deletes it.
pub(crate) fn write(
    session: Session<'_>,
    document: &Document,
    number: i64,
    encryptor: &mut Encryptor,
) -> Result<bool, SqlFailure> {
    let (kind, name) = (&*document.kind, &*document.name);
    let Some(body) = &document.body else {
        let remove = "DELETE FROM document WHERE kind = ?1 AND name = ?2 RETURNING number, digest";
        encryptor.delete(session, Set::Document, remove, values![kind, name])?;
        return Ok(false);
    };
    let body = Texts([Some(Cow::Borrowed(body.as_str()))]);
    let row = encryptor.cover(TABLE, body, |body| digest(kind, name, body));
    let old = standing(session, STANDING, values![kind, name])?;
    let stamp = encryptor.stamp(TABLE, 0, &row.sum);
    session.put(
        WRITE,
        values![
            kind,
            name,
            &stamp,
            row.texts.text(0),
            row.cipher.as_ref(),
            number
        ],
        Expect::Any,
    )?;
    encryptor.replaced(old.as_ref(), Set::Document, number, &row.sum);
    Ok(old.is_none())
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
