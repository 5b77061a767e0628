//! One slice of a job: what it is done with, and what comes of it.
//!
//! Knows no job. Read next: [`super`].

use crate::batch::CommitError;
use crate::cipher::Tables;
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::heads::Heads;
use crate::row::{Corrupt, RowError};
use crate::sign::Signer;

/// The resources of a slice.
pub(crate) struct JobContext<'w> {
    pub(crate) tables: Tables<'w>,
    pub(crate) encryptor: &'w mut Encryptor,
    pub(crate) heads: &'w mut Heads,
    pub(crate) signer: Option<&'w dyn Signer>,
}

/// The progress of a job after a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// More slices follow.
    Goes,
    /// The job is done.
    Done,
}

/// The reason for which a slice was not done. Nothing of it is stored.
#[derive(Debug)]
pub(crate) enum JobError {
    /// The job ends, and the store goes on.
    Refused(CommitError),
    /// Writing failed.
    Failed(SqlFailure),
}

impl From<SqlFailure> for JobError {
    fn from(cause: SqlFailure) -> Self {
        RowError::Failed(cause).into()
    }
}

impl From<RowError> for JobError {
    fn from(error: RowError) -> Self {
        match error.noticed() {
            RowError::Corrupt(Corrupt { table, key })
            | RowError::Forged(Corrupt { table, key }) => Self::Refused(CommitError::Damaged {
                table: table.to_owned(),
                key,
            }),
            RowError::Locked(table) => Self::Refused(CommitError::Damaged {
                table: table.to_owned(),
                key: "its key is not here".to_owned(),
            }),
            RowError::Failed(cause) => Self::Failed(cause),
        }
    }
}
