//! Rows that a statement gives, whatever database they come from.
//!
//! Read next: [`super::value`], what a statement is given.

use crate::failure::SqlFailure;
use crate::postgres::value;
use crate::shard::Shard;
use rusqlite::types::ValueRef;
use tokio_postgres::types::Type;

/// A row; gone when the next one is read.
pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

/// The value of one column.
pub(crate) enum Cell<'r> {
    Null,
    Number(i64),
    /// Not checked to be UTF-8 yet.
    Text(&'r [u8]),
    Bytes(&'r [u8]),
    /// A text or bytes: texts with any characters are kept as bytes by some.
    Either(&'r [u8]),
    /// Nothing that a column of the store holds.
    Strange,
}

/// A type that columns are read as.
pub(crate) trait FromCell: Sized {
    /// The value; none if the cell holds one of another type.
    fn from_cell(cell: Cell<'_>) -> Option<Self>;
}

impl Row<'_> {
    /// The value of a column.
    ///
    /// # Errors
    /// A misfit if it is not of this type.
    pub(crate) fn get<T: FromCell>(&self, column: usize) -> Result<T, SqlFailure> {
        T::from_cell(self.cell(column)?).ok_or_else(|| SqlFailure::misfit(column))
    }

    /// The text of a column, without a copy.
    pub(crate) fn text(&self, column: usize) -> Result<&str, SqlFailure> {
        match self.cell(column)? {
            Cell::Text(text) | Cell::Either(text) => {
                str::from_utf8(text).map_err(|_| SqlFailure::misfit(column))
            }
            _ => Err(SqlFailure::misfit(column)),
        }
    }

    /// The bytes of a column, without a copy.
    pub(crate) fn bytes(&self, column: usize) -> Result<&[u8], SqlFailure> {
        match self.cell(column)? {
            Cell::Bytes(bytes) | Cell::Either(bytes) => Ok(bytes),
            _ => Err(SqlFailure::misfit(column)),
        }
    }

    /// True if a column holds nothing.
    pub(crate) fn is_null(&self, column: usize) -> Result<bool, SqlFailure> {
        Ok(matches!(self.cell(column)?, Cell::Null))
    }

    /// The bytes of all texts and bytes in it.
    pub(crate) fn size(&self) -> Result<u64, SqlFailure> {
        (0..self.columns()).try_fold(0, |size, column| {
            Ok(size
                + match self.cell(column)? {
                    Cell::Text(value) | Cell::Bytes(value) | Cell::Either(value) => {
                        value.len() as u64
                    }
                    Cell::Null | Cell::Number(_) | Cell::Strange => 0,
                })
        })
    }

    fn columns(&self) -> usize {
        match self {
            Self::Sqlite(row) => row.as_ref().column_count(),
            Self::Postgres(row) => row.len(),
        }
    }

    fn cell(&self, column: usize) -> Result<Cell<'_>, SqlFailure> {
        match self {
            Self::Sqlite(row) => Ok(match row.get_ref(column)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(number) => Cell::Number(number),
                ValueRef::Text(text) => Cell::Text(text),
                ValueRef::Blob(bytes) => Cell::Bytes(bytes),
                ValueRef::Real(_) => Cell::Strange,
            }),
            Self::Postgres(row) => told(row, column),
        }
    }
}

/// The value of a column of PostgreSQL's.
fn told(row: &tokio_postgres::Row, column: usize) -> Result<Cell<'_>, SqlFailure> {
    let Some((kind, bytes)) = value::raw(row, column)? else {
        return Ok(Cell::Null);
    };
    let number = match kind {
        Type::INT8 => bytes.try_into().ok().map(i64::from_be_bytes),
        Type::INT4 => bytes
            .try_into()
            .ok()
            .map(|it| i32::from_be_bytes(it).into()),
        Type::INT2 => bytes
            .try_into()
            .ok()
            .map(|it| i16::from_be_bytes(it).into()),
        Type::BOOL => bytes.first().map(|flag| (*flag != 0).into()),
        Type::BYTEA => return Ok(Cell::Either(bytes)),
        kind if value::holds_text(&kind) => return Ok(Cell::Text(bytes)),
        _ => None,
    };
    Ok(number.map_or(Cell::Strange, Cell::Number))
}

impl FromCell for i64 {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl FromCell for Shard {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        i64::from_cell(cell).and_then(Self::stored)
    }
}

impl FromCell for bool {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        i64::from_cell(cell).map(|number| number != 0)
    }
}

impl FromCell for String {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Text(text) | Cell::Either(text) => str::from_utf8(text).ok().map(str::to_owned),
            _ => None,
        }
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bytes(bytes) | Cell::Either(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<const N: usize> FromCell for [u8; N] {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bytes(bytes) | Cell::Either(bytes) => bytes.try_into().ok(),
            _ => None,
        }
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Null => Some(None),
            cell => T::from_cell(cell).map(Some),
        }
    }
}
