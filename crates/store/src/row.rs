//! The rows of the tables, one file per table.
//!
//! What a column of JSON holds is the form that serde derives for a value of `domain`; which columns
//! there are, and the digest over them, is here. A row that cannot be read is [`Corrupt`], never a
//! default. A row is written in two steps: [`replaceable::Replaceable::prepare`], which any thread may do ahead of
//! the transaction, and `write` within it. Read next: `row::task`.

pub(crate) mod attestation;
pub(crate) mod checkpoint;
pub(crate) mod cursor;
pub(crate) mod data_chunk;
pub(crate) mod data_key;
pub(crate) mod data_param;
pub(crate) mod document;
pub(crate) mod entry;
pub(crate) mod erasure;
pub(crate) mod exchange;
pub(crate) mod head;
pub(crate) mod json;
pub(crate) mod negotiation;
pub(crate) mod numbers;
pub(crate) mod observation;
pub(crate) mod push_config;
pub(crate) mod registration;
pub(crate) mod replaceable;
pub(crate) mod seal;
pub(crate) mod standing;
pub(crate) mod task;
pub(crate) mod team;

use crate::digest::Sum;
use crate::failure::{FailureKind, SqlFailure};
use crate::sql::{FromCell, Row};

/// A row whose content does not match its digest, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt {
    pub(crate) table: &'static str,
    pub(crate) key: String,
}

/// The reason for which a row was not read.
#[derive(Debug)]
pub(crate) enum RowError {
    Corrupt(Corrupt),
    /// The row was written without the key.
    Forged(Corrupt),
    /// The row is sound as far as can be told without the key to its payload.
    Locked(&'static str),
    Failed(SqlFailure),
}

impl From<SqlFailure> for RowError {
    fn from(cause: SqlFailure) -> Self {
        Self::Failed(cause)
    }
}

impl RowError {
    pub(crate) fn corrupt(table: &'static str, key: impl ToString) -> Self {
        Self::Corrupt(Corrupt {
            table,
            key: key.to_string(),
        })
    }

    pub(crate) fn forged(table: &'static str, key: impl ToString) -> Self {
        Self::Forged(Corrupt {
            table,
            key: key.to_string(),
        })
    }

    /// The error, with damage that the database noticed reported as damage instead of as a failure.
    pub(crate) fn noticed(self) -> Self {
        match self {
            Self::Failed(cause) if cause.kind() == FailureKind::Damaged => {
                Self::corrupt("sqlite", cause)
            }
            other => other,
        }
    }
}

/// Reads a column. A value of another type than the column's (a flipped type or bad UTF-8) is damage
/// to its row; any other error is the database's own.
pub(crate) fn column<T: FromCell>(
    row: &Row<'_>,
    index: usize,
    table: &'static str,
    key: &str,
) -> Result<T, RowError> {
    row.get(index).map_err(|cause| match cause.kind() {
        FailureKind::Misfit => RowError::corrupt(table, key),
        _ => RowError::Failed(cause),
    })
}

/// Fails unless `stored` is `computed`.
pub(crate) fn check(
    stored: &[u8],
    computed: &Sum,
    table: &'static str,
    key: &str,
) -> Result<(), RowError> {
    if stored == computed {
        Ok(())
    } else {
        Err(RowError::corrupt(table, key))
    }
}
