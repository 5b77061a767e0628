//! Rows of `data_param`.
//!
//! Where the data are decides which columns are filled: `data`, `url`, or `size` with `sha256` and
//! `finished`. Read next: [`super::data_chunk`].

use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum};
use domain::context::{Body, Chunked, DataParam, DataType};
use domain::task::TaskId;
use domain::time::Timestamp;
use rusqlite::{CachedStatement, Connection, Row, params};

pub(crate) const TABLE: &str = "data_param";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! data_param_columns {
    () => {
        "number, id, task, party_one, party_two, data_type, description, format, changed_at, data, \
         url, size, sha256, finished, digest"
    };
}
pub(crate) use data_param_columns;

/// All data, in the order in which they were first stored.
pub(crate) const ALL: &str = concat!(
    "SELECT ",
    data_param_columns!(),
    " FROM data_param ORDER BY number"
);

const INSERT: &str = "INSERT INTO data_param (id, task, party_one, party_two, data_type,
    description, format, changed_at, data, url, size, sha256, finished, digest, number)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
    ON CONFLICT (id) DO NOTHING";

/// An entry keeps its number, so that its place among the others and its chunks stay.
const UPDATE: &str = "UPDATE data_param SET task = ?2, party_one = ?3, party_two = ?4,
    data_type = ?5, description = ?6, format = ?7, changed_at = ?8, data = ?9, url = ?10,
    size = ?11, sha256 = ?12, finished = ?13, digest = ?14 WHERE id = ?1";

/// The prepared statements of the writer.
pub(crate) struct DataParamStatements<'c> {
    insert: CachedStatement<'c>,
    update: CachedStatement<'c>,
}

impl<'c> DataParamStatements<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            insert: connection.prepare_cached(INSERT)?,
            update: connection.prepare_cached(UPDATE)?,
        })
    }

    /// Writes the data: as number `number` if its identifier is new, which it says; otherwise in
    /// place of those with that identifier.
    pub(crate) fn write(&mut self, data: &DataParam, number: i64) -> rusqlite::Result<bool> {
        let (inline, url, chunked) = parts(&data.body);
        let sum = digest(data);
        let task = data.task.as_ref().map(TaskId::as_str);
        let values = params![
            data.id,
            task,
            data.parties[0],
            data.parties[1],
            data.data_type.as_str(),
            data.description,
            data.format,
            data.changed_at.as_ms(),
            inline,
            url,
            chunked.map(|c| c.size as i64),
            chunked.and_then(|c| c.sha256),
            chunked.map(|c| c.finished),
            sum,
            number,
        ];
        if self.insert.execute(values)? == 1 {
            return Ok(true);
        }
        self.update.execute(&values[..14])?;
        Ok(false)
    }
}

fn parts(body: &Body) -> (Option<&str>, Option<&str>, Option<Chunked>) {
    match body {
        Body::Inline(data) => (Some(data), None, None),
        Body::Elsewhere(url) => (None, Some(url), None),
        Body::Chunked(chunked) => (None, None, Some(*chunked)),
    }
}

fn digest(data: &DataParam) -> Sum {
    let (inline, url, chunked) = parts(&data.body);
    let sum = RowDigest::of(TABLE)
        .text(&data.id)
        .optional_text(data.task.as_ref().map(TaskId::as_str))
        .text(&data.parties[0])
        .text(&data.parties[1])
        .text(data.data_type.as_str())
        .text(&data.description)
        .text(&data.format)
        .number(data.changed_at.as_ms())
        .optional_text(inline)
        .optional_text(url)
        .optional_number(chunked.map(|c| c.size as i64))
        .optional_number(chunked.map(|c| c.finished.into()));
    match chunked.and_then(|c| c.sha256) {
        Some(whole) => sum.bytes(&whole).sum(),
        None => sum.sum(),
    }
}

/// Reads a row of `data_param_columns!` and checks its digest.
pub(crate) fn read(row: &Row<'_>) -> Result<DataParam, RowError> {
    let number: i64 = row.get(0)?;
    let id: String = column(row, 1, TABLE, &format!("number {number}"))?;
    let text = |index| column::<String>(row, index, TABLE, &id);
    let corrupt = || RowError::corrupt(TABLE, &id);
    let data = DataParam {
        task: column::<Option<String>>(row, 2, TABLE, &id)?.map(TaskId::new),
        parties: [text(3)?, text(4)?],
        data_type: DataType::parse(&text(5)?).ok_or_else(corrupt)?,
        description: text(6)?,
        format: text(7)?,
        changed_at: Timestamp::from_ms(column(row, 8, TABLE, &id)?),
        body: read_body(row, &id)?,
        id,
    };
    let stored: Vec<u8> = column(row, 14, TABLE, &data.id)?;
    check(&stored, &digest(&data), TABLE, &data.id)?;
    Ok(data)
}

fn read_body(row: &Row<'_>, id: &str) -> Result<Body, RowError> {
    let text = |index| column::<Option<String>>(row, index, TABLE, id);
    if let Some(data) = text(9)? {
        return Ok(Body::Inline(data));
    }
    if let Some(url) = text(10)? {
        return Ok(Body::Elsewhere(url));
    }
    Ok(Body::Chunked(Chunked {
        size: column::<i64>(row, 11, TABLE, id)? as u64,
        sha256: column(row, 12, TABLE, id)?,
        finished: column(row, 13, TABLE, id)?,
    }))
}
