//! Rows of `data_param`.
//!
//! Read next: [`super::entry`].

use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum};
use domain::context::{DataParam, DataType};
use domain::task::TaskId;
use rusqlite::{CachedStatement, Connection, Row, params};

pub(crate) const TABLE: &str = "data_param";

/// The columns that [`read`] reads, for a `SELECT`.
macro_rules! data_param_columns {
    () => {
        "number, id, task, party_one, party_two, data_type, description, format, data, digest"
    };
}
pub(crate) use data_param_columns;

/// All data, in the order in which they were first stored.
pub(crate) const ALL: &str = concat!(
    "SELECT ",
    data_param_columns!(),
    " FROM data_param ORDER BY number"
);

/// An entry keeps its number, so that its place among the others stays.
const WRITE: &str = "INSERT INTO data_param (id, task, party_one, party_two, data_type,
    description, format, data, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (id) DO UPDATE SET task = ?2, party_one = ?3, party_two = ?4, data_type = ?5,
    description = ?6, format = ?7, data = ?8, digest = ?9";

/// The prepared statement of the writer.
pub(crate) struct DataParamStatement<'c>(CachedStatement<'c>);

impl<'c> DataParamStatement<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self(connection.prepare_cached(WRITE)?))
    }

    /// Writes the data, in the place of those with its identifier if there are any.
    pub(crate) fn write(&mut self, data: &DataParam) -> rusqlite::Result<()> {
        self.0.execute(params![
            data.id,
            data.task.as_ref().map(TaskId::as_str),
            data.parties[0],
            data.parties[1],
            data.data_type.as_str(),
            data.description,
            data.format,
            data.data,
            digest(data),
        ])?;
        Ok(())
    }
}

fn digest(data: &DataParam) -> Sum {
    RowDigest::of(TABLE)
        .text(&data.id)
        .optional_text(data.task.as_ref().map(TaskId::as_str))
        .text(&data.parties[0])
        .text(&data.parties[1])
        .text(data.data_type.as_str())
        .text(&data.description)
        .text(&data.format)
        .text(&data.data)
        .sum()
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
        data: text(8)?,
        id,
    };
    let stored: Vec<u8> = column(row, 9, TABLE, &data.id)?;
    check(&stored, &digest(&data), TABLE, &data.id)?;
    Ok(data)
}
