//! Rows that a statement gives, whatever database they come from.
//!
//! Read next: [`super::value`], what a statement is given.

use crate::failure::SqlFailure;
use rusqlite::types::ValueRef;

/// A row; gone when the next one is read.
pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
}

/// The value of one column.
pub(crate) enum Cell<'r> {
    Null,
    Number(i64),
    /// Not checked to be UTF-8 yet.
    Text(&'r [u8]),
    Bytes(&'r [u8]),
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
            Cell::Text(text) => str::from_utf8(text).map_err(|_| SqlFailure::misfit(column)),
            _ => Err(SqlFailure::misfit(column)),
        }
    }

    /// The bytes of a column, without a copy.
    pub(crate) fn bytes(&self, column: usize) -> Result<&[u8], SqlFailure> {
        match self.cell(column)? {
            Cell::Bytes(bytes) => Ok(bytes),
            _ => Err(SqlFailure::misfit(column)),
        }
    }

    /// The bytes of all texts and bytes in it.
    pub(crate) fn size(&self) -> Result<u64, SqlFailure> {
        (0..self.columns()).try_fold(0, |size, column| {
            Ok(size
                + match self.cell(column)? {
                    Cell::Text(value) | Cell::Bytes(value) => value.len() as u64,
                    Cell::Null | Cell::Number(_) | Cell::Strange => 0,
                })
        })
    }

    fn columns(&self) -> usize {
        match self {
            Self::Sqlite(row) => row.as_ref().column_count(),
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
        }
    }
}

impl FromCell for i64 {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Number(number) => Some(number),
            _ => None,
        }
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
            Cell::Text(text) => str::from_utf8(text).ok().map(str::to_owned),
            _ => None,
        }
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bytes(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<const N: usize> FromCell for [u8; N] {
    fn from_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Bytes(bytes) => bytes.try_into().ok(),
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
