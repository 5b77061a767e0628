//! Why nothing was read.
//!
//! Knows nothing of queries. Read next: [`super`].

use crate::failure::{FailureKind, SqlFailure};
use crate::row::{Corrupt, RowError};

/// The reason for which nothing was read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReadError {
    /// A row is not as it was written: it is refused rather than served.
    #[error("the state is damaged at {table} '{key}'; it is refused rather than served")]
    Corrupt {
        /// The table, or `sqlite` if SQLite itself found the damage.
        table: String,
        /// The row, or what SQLite says.
        key: String,
    },
    /// A row was written without the key: it is refused rather than served.
    #[error("the state was forged at {table} '{key}'; it is refused rather than served")]
    Forged {
        /// The table.
        table: String,
        /// The row.
        key: String,
    },
    /// The filter begins behind an identifier that does not exist.
    #[error("there is no '{id}' to continue behind")]
    Unknown {
        /// The identifier.
        id: String,
    },
    /// The database cannot be reached.
    #[error("the database cannot be reached")]
    Unreachable(#[source] SqlFailure),
    /// The database failed.
    #[error("reading the state failed")]
    Failed(#[source] SqlFailure),
}

impl From<RowError> for ReadError {
    fn from(error: RowError) -> Self {
        match error.noticed() {
            RowError::Corrupt(Corrupt { table, key }) => Self::Corrupt {
                table: table.to_owned(),
                key,
            },
            RowError::Forged(Corrupt { table, key }) => Self::Forged {
                table: table.to_owned(),
                key,
            },
            RowError::Locked(table) => Self::Corrupt {
                table: table.to_owned(),
                key: "its key is not here".to_owned(),
            },
            RowError::Failed(cause) if cause.kind() == FailureKind::Unreachable => {
                Self::Unreachable(cause)
            }
            RowError::Failed(cause) => Self::Failed(cause),
        }
    }
}

impl From<SqlFailure> for ReadError {
    fn from(cause: SqlFailure) -> Self {
        RowError::Failed(cause).into()
    }
}
