//! Rows of `data_param`.
//!
//! The location of the data decides which columns have values: `data`, `url`, or `size` with
//! `sha256` and `finished`. Payload: the description, the data or their URL, and the digest of the
//! whole, which would confirm a guess of the data. Read next: [`super::data_chunk`].

use super::replaceable::Replaceable;
use super::standing::{Name, RowPlace, Standing, insert_or_update, number_or_digest, standing};
use super::{RowError, column};
use crate::cipher::{At, Keys};
use crate::cover::{Covered, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Row, Session, Value, values};
use base16ct::lower::encode_string;
use base16ct::mixed::decode_vec;
use domain::context::{Body, Chunked, DataParam, DataType};
use domain::task::TaskId;
use domain::time::Timestamp;
use std::borrow::Cow;

pub(crate) const TABLE: &str = "data_param";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! data_param_columns {
    () => {
        "number, id, task, party_one, party_two, data_type, description, format, changed_at, data, \
         url, size, sha256, finished, digest, cipher, shard"
    };
}
pub(crate) use data_param_columns;

/// The index of the column of its shard.
pub(crate) const SHARD: usize = 16;

/// All data, in the order in which they were first stored.
pub(crate) const ALL: &str = concat!(
    "SELECT ",
    data_param_columns!(),
    " FROM data_param ORDER BY number"
);

const INSERT: &str = "INSERT INTO data_param (id, task, party_one, party_two, data_type,
    description, format, changed_at, data, url, size, sha256, finished, digest, cipher,
    number, shard)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

/// Asked for each entry before it is written.
pub(crate) const STANDING: &str = "SELECT number, digest, shard FROM data_param WHERE id = ?1";

const UPDATE: &str = "UPDATE data_param SET task = ?2, party_one = ?3, party_two = ?4,
    data_type = ?5, description = ?6, format = ?7, changed_at = ?8, data = ?9, url = ?10,
    size = ?11, sha256 = ?12, finished = ?13, digest = ?14, cipher = ?15
    WHERE id = ?1 AND digest = ?16 AND shard = ?17";

impl Replaceable for DataParam {
    type Prepared = Covered<4>;

    fn prepare(&self, keys: &RowKeys) -> Covered<4> {
        keys.cover(TABLE, texts(self), |texts| digest(self, texts))
    }

    const MOSTLY_NEW: bool = true;

    fn task(&self) -> Option<&TaskId> {
        self.task.as_ref()
    }

    /// Pieces may still come, or a task that they are given to.
    fn is_final(&self) -> bool {
        self.task.is_some() && chunked(&self.body).is_none_or(|whole| whole.finished)
    }

    fn name(&self) -> Option<Name> {
        Some((TABLE, self.id.clone()))
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        standing(session, Set::DataParam, STANDING, values![&self.id])
    }

    /// Writes the data; an entry keeps its number, so that its place among the others and its chunks stay.
    fn write(
        &self,
        row: &Covered<4>,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let whole = chunked(&self.body);
        let sha256 = match row.cipher {
            None => whole.and_then(|c| c.sha256),
            Some(_) => None,
        };
        // Their pieces are found by the number.
        let number = old.map_or(place.number, |old| old.place.number);
        let stamp = encryptor.keys.stamp(TABLE, number, &row.sum);
        let values: &[Value<'_>] = values![
            &self.id,
            self.task.as_ref().map(TaskId::as_str),
            &self.parties[0],
            &self.parties[1],
            self.data_type.as_str(),
            row.texts.text(DESCRIPTION),
            &self.format,
            self.changed_at.as_ms(),
            row.texts.optional(DATA),
            row.texts.optional(URL),
            whole.map(|c| c.size as i64),
            sha256.as_ref(),
            whole.map(|c| c.finished),
            &stamp,
            row.cipher.as_ref(),
            number_or_digest(old, place),
            place.shard,
        ];
        insert_or_update(session, old, [INSERT, UPDATE], values)?;
        Ok(encryptor.replaced(old, Set::DataParam, place, &row.sum, stamp))
    }
}

const DESCRIPTION: usize = 0;
const DATA: usize = 1;
const URL: usize = 2;
/// The place of the digest of the whole, in hexadecimal digits.
const SHA256: usize = 3;

fn texts(data: &DataParam) -> Texts<'_, 4> {
    let (inline, url) = match &data.body {
        Body::Inline(data) => (Some(Cow::Borrowed(data.as_str())), None),
        Body::Elsewhere(url) => (None, Some(Cow::Borrowed(url.as_str()))),
        Body::Chunked(_) => (None, None),
    };
    let sha256 = chunked(&data.body).and_then(|c| c.sha256);
    let sha256 = sha256.map(|sum| Cow::Owned(encode_string(&sum)));
    let description = Cow::Borrowed(data.description.as_str());
    Texts([Some(description), inline, url, sha256])
}

fn chunked(body: &Body) -> Option<Chunked> {
    match body {
        Body::Chunked(chunked) => Some(*chunked),
        Body::Inline(_) | Body::Elsewhere(_) => None,
    }
}

fn from_hex(digits: &str) -> Option<Sum> {
    decode_vec(digits).ok()?.try_into().ok()
}

/// The digest of the columns that are not payload, and of the texts.
fn digest(data: &DataParam, texts: &Texts<'_, 4>) -> Sum {
    let chunked = chunked(&data.body);
    let sum = RowDigest::of(TABLE)
        .text(&data.id)
        .optional_text(data.task.as_ref().map(TaskId::as_str))
        .text(&data.parties[0])
        .text(&data.parties[1])
        .text(data.data_type.as_str())
        .text(texts.text(DESCRIPTION))
        .text(&data.format)
        .number(data.changed_at.as_ms())
        .optional_text(texts.optional(DATA))
        .optional_text(texts.optional(URL))
        .optional_number(chunked.map(|c| c.size as i64))
        .optional_number(chunked.map(|c| c.finished.into()));
    match texts.optional(SHA256).and_then(from_hex) {
        Some(whole) => sum.bytes(&whole).sum(),
        None => sum.sum(),
    }
}

/// Reads a row of `data_param_columns!` and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<DataParam, RowError> {
    let number: i64 = row.get(0)?;
    let id: String = column(row, 1, TABLE, &format!("number {number}"))?;
    let text = |index| column::<String>(row, index, TABLE, &id);
    let owned = |index| {
        let text = column::<Option<String>>(row, index, TABLE, &id)?;
        Ok::<_, RowError>(text.map(Cow::Owned))
    };
    let corrupt = || RowError::corrupt(TABLE, &id);
    let cipher: Option<Vec<u8>> = column(row, 15, TABLE, &id)?;
    let sha256: Option<Sum> = column(row, 12, TABLE, &id)?;
    let sha256 = sha256.map(|sum| Cow::Owned(encode_string(&sum)));
    let shown = Texts([Some(Cow::Owned(text(6)?)), owned(9)?, owned(10)?, sha256]);
    let whole = column::<Option<i64>>(row, 11, TABLE, &id)?.map(|size| {
        Ok::<_, RowError>(Chunked {
            size: size as u64,
            sha256: None,
            finished: column(row, 13, TABLE, &id)?,
        })
    });
    let whole = whole.transpose()?;
    let mut data = DataParam {
        task: column::<Option<String>>(row, 2, TABLE, &id)?.map(TaskId::new),
        parties: [text(3)?, text(4)?],
        data_type: DataType::parse(&text(5)?).ok_or_else(corrupt)?,
        description: String::new(),
        format: text(7)?,
        changed_at: Timestamp::from_ms(column(row, 8, TABLE, &id)?),
        body: whole.map_or_else(|| Body::Inline(String::new()), Body::Chunked),
        id: id.clone(),
    };
    let stored: Vec<u8> = column(row, 14, TABLE, &id)?;
    let of = At {
        table: TABLE,
        key: &id,
        place: number,
    };
    let texts = uncover(keys, of, shown, cipher.as_deref(), &stored, |texts| {
        digest(&data, texts)
    })?;
    data.description = texts.text(DESCRIPTION).to_owned();
    data.body = body(texts, whole).ok_or_else(corrupt)?;
    Ok(data)
}

/// The identifier and size of data that are marked as finished; needs no key.
pub(crate) fn finished(row: &Row<'_>) -> Result<Option<(String, u64)>, RowError> {
    let id: String = column(row, 1, TABLE, "")?;
    let size: Option<i64> = column(row, 11, TABLE, &id)?;
    let finished: Option<bool> = column(row, 13, TABLE, &id)?;
    let size = size.filter(|_| finished == Some(true));
    Ok(size.map(|size| (id, size as u64)))
}

/// The location of the data; none unless exactly one is given.
fn body(texts: Texts<'_, 4>, whole: Option<Chunked>) -> Option<Body> {
    let sha256 = texts.optional(SHA256).map(|sum| from_hex(sum).ok_or(()));
    let sha256 = sha256.transpose().ok()?;
    let Texts([_, inline, url, _]) = texts;
    match (inline, url, whole) {
        (Some(data), None, None) => Some(Body::Inline(data.into_owned())),
        (None, Some(url), None) => Some(Body::Elsewhere(url.into_owned())),
        (None, None, Some(whole)) => Some(Body::Chunked(Chunked { sha256, ..whole })),
        _ => None,
    }
}
