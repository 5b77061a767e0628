//! What the writer does between commits: removing what is old, erasing what was said.
//!
//! A job is done in slices, each a transaction of its own that takes a few milliseconds, so that
//! no commit waits for a whole job. Read next: `retention`, `erase`.

use crate::batch::CommitError;
use crate::erase::Erase;
use crate::retention::{Trim, Trimmed};
use crate::row::erasure::Erasure;
use crate::row::head::Head;
use crate::row::{Corrupt, RowError};
use crate::sign::Signer;
use rusqlite::Connection;
use tokio::sync::oneshot;

type Answer<T> = oneshot::Sender<Result<T, CommitError>>;

/// A job, and who waits for it.
pub(crate) enum Job {
    Trim(Trim, Answer<Trimmed>),
    Erase(Erase, Answer<Erasure>),
}

/// How far a job got with a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is more to do.
    Goes,
    /// There is not.
    Done,
}

/// Why a slice was not done. Nothing of it is stored.
#[derive(Debug)]
pub(crate) enum JobError {
    /// The job ends, and the store goes on.
    Refused(CommitError),
    /// Writing failed.
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for JobError {
    fn from(cause: rusqlite::Error) -> Self {
        RowError::Sqlite(cause).into()
    }
}

impl From<RowError> for JobError {
    fn from(error: RowError) -> Self {
        match error.found_by_sqlite() {
            RowError::Corrupt(Corrupt { table, key }) => Self::Refused(CommitError::Damaged {
                table: table.to_owned(),
                key,
            }),
            RowError::Sqlite(cause) => Self::Failed(cause),
        }
    }
}

impl Job {
    pub(crate) fn step(
        &mut self,
        connection: &Connection,
        head: &mut Head,
        signer: Option<&dyn Signer>,
    ) -> Result<Step, JobError> {
        match self {
            Self::Trim(trim, _) => trim.step(connection, head, signer),
            Self::Erase(erase, _) => erase.step(connection, head, signer),
        }
    }

    /// Tells who waits that it is done.
    pub(crate) fn resolve(self) {
        // Whoever dropped a ticket does not want to know.
        match self {
            Self::Trim(trim, answer) => drop(answer.send(Ok(trim.into_report()))),
            Self::Erase(erase, answer) => drop(answer.send(erase.into_record())),
        }
    }

    /// Tells who waits that it will not be done.
    pub(crate) fn fail(self, why: CommitError) {
        match self {
            Self::Trim(_, answer) => drop(answer.send(Err(why))),
            Self::Erase(_, answer) => drop(answer.send(Err(why))),
        }
    }
}
