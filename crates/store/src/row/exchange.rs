//! Rows of `exchange`.
//!
//! Payload: the request; the response is a data entry of its own. Read next: [`super::data_param`].

use super::replaceable::Replaceable;
use super::standing::{Name, RowPlace, Standing, insert_or_update, number_or_digest, standing};
use super::{RowError, column};
use crate::cipher::Keys;
use crate::cover::{Stamped, Texts, uncover};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::row_keys::RowKeys;
use crate::set::Set;
use crate::sql::{Row, Session, Value, values};
use domain::context::Exchange;
use domain::task::TaskId;
use domain::time::Timestamp;
use domain::verb::Verb;
use std::borrow::Cow;

pub(crate) const TABLE: &str = "exchange";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! exchange_columns {
    () => {
        "number, id, task, send_from, send_to, verb, request, request_time, response, \
         response_time, digest, cipher, shard"
    };
}
pub(crate) use exchange_columns;

/// The index of the column of its shard.
pub(crate) const SHARD: usize = 12;

/// All exchanges, in the order in which they were first stored.
pub(crate) const ALL: &str = concat!(
    "SELECT ",
    exchange_columns!(),
    " FROM exchange ORDER BY number"
);

const INSERT: &str = "INSERT INTO exchange (id, task, send_from, send_to, verb, request,
    request_time, response, response_time, digest, cipher, number, shard)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

/// Asked for each exchange before it is written.
pub(crate) const STANDING: &str = "SELECT number, digest, shard FROM exchange WHERE id = ?1";

const UPDATE: &str = "UPDATE exchange SET task = ?2, send_from = ?3, send_to = ?4, verb = ?5,
    request = ?6, request_time = ?7, response = ?8, response_time = ?9, digest = ?10,
    cipher = ?11 WHERE id = ?1 AND digest = ?12 AND shard = ?13";

impl Replaceable for Exchange {
    type Prepared = Stamped<1>;

    fn prepare(&self, keys: &RowKeys) -> Stamped<1> {
        let texts = Texts([Some(Cow::Borrowed(self.request.as_str()))]);
        keys.cover_stamped(TABLE, texts, |texts| digest(self, texts))
    }

    const MOSTLY_NEW: bool = true;

    fn task(&self) -> Option<&TaskId> {
        self.task.as_ref()
    }

    /// An answer comes later or at once; what was asked comes first.
    fn is_new(&self) -> bool {
        self.response.is_none()
    }

    fn is_final(&self) -> bool {
        self.response.is_some()
    }

    fn name(&self) -> Option<Name> {
        Some((TABLE, self.id.clone()))
    }

    fn standing(&self, session: Session<'_>) -> Result<Option<Standing>, SqlFailure> {
        standing(session, Set::Exchange, STANDING, values![&self.id])
    }

    /// Writes the exchange; it keeps its number, so that its place among the others stays.
    fn write(
        &self,
        Stamped { row, stamp }: &Stamped<1>,
        session: Session<'_>,
        old: Option<&Standing>,
        place: RowPlace,
        encryptor: &mut Encryptor,
    ) -> Result<Standing, SqlFailure> {
        let values: &[Value<'_>] = values![
            &self.id,
            self.task.as_ref().map(TaskId::as_str),
            &self.from,
            &self.to,
            self.verb.as_str(),
            row.texts.text(0),
            self.request_time.as_ms(),
            self.response.as_ref(),
            self.response_time.map(Timestamp::as_ms),
            stamp,
            row.cipher.as_ref(),
            number_or_digest(old, place),
            place.shard,
        ];
        insert_or_update(session, old, [INSERT, UPDATE], values)?;
        Ok(encryptor.replaced(old, Set::Exchange, place, &row.sum, stamp.clone()))
    }
}

/// The digest of the columns that are not payload, and of the texts.
fn digest(exchange: &Exchange, texts: &Texts<'_, 1>) -> Sum {
    RowDigest::of(TABLE)
        .text(&exchange.id)
        .optional_text(exchange.task.as_ref().map(TaskId::as_str))
        .text(&exchange.from)
        .text(&exchange.to)
        .text(exchange.verb.as_str())
        .text(texts.text(0))
        .number(exchange.request_time.as_ms())
        .optional_text(exchange.response.as_deref())
        .optional_number(exchange.response_time.map(Timestamp::as_ms))
        .sum()
}

/// Reads a row of `exchange_columns!` and checks its digest.
pub(crate) fn read(row: &Row<'_>, keys: &Keys) -> Result<Exchange, RowError> {
    let number: i64 = row.get(0)?;
    let id: String = column(row, 1, TABLE, &format!("number {number}"))?;
    let text = |index| column::<String>(row, index, TABLE, &id);
    let corrupt = || RowError::corrupt(TABLE, &id);
    let mut exchange = Exchange {
        task: column::<Option<String>>(row, 2, TABLE, &id)?.map(TaskId::new),
        from: text(3)?,
        to: text(4)?,
        verb: Verb::parse(&text(5)?).ok_or_else(corrupt)?,
        request: String::new(),
        request_time: Timestamp::from_ms(column(row, 7, TABLE, &id)?),
        response: column(row, 8, TABLE, &id)?,
        response_time: column::<Option<i64>>(row, 9, TABLE, &id)?.map(Timestamp::from_ms),
        id: id.clone(),
    };
    let shown = Texts([Some(Cow::Owned(text(6)?))]);
    let stored: Vec<u8> = column(row, 10, TABLE, &id)?;
    let cipher: Option<Vec<u8>> = column(row, 11, TABLE, &id)?;
    let of = (TABLE, id.as_str());
    let Texts([request]) = uncover(keys, of, shown, cipher.as_deref(), &stored, |texts| {
        digest(&exchange, texts)
    })?;
    exchange.request = request.ok_or_else(corrupt)?.into_owned();
    Ok(exchange)
}
