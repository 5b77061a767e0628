//! Jobs of the writer between commits: removing old rows, erasing contents, changing keys.
//!
//! A job is done in slices, each a transaction of its own that takes a few milliseconds, so that
//! no commit waits for a whole job. Read next: `retention`, `erase`, `reencrypt`.

use crate::batch::CommitError;
use crate::cipher::Tables;
use crate::encryptor::Encryptor;
use crate::erase::Erase;
use crate::reencrypt::{self, KeyChange, Reencrypt, Reencrypted, Rotated};
use crate::retention::{Trim, Trimmed};
use crate::row::erasure::Erasure;
use crate::row::head::Head;
use crate::row::{Corrupt, RowError};
use crate::sign::Signer;
use tokio::sync::oneshot;

type Answer<T> = oneshot::Sender<Result<T, CommitError>>;

/// A job, and the ticket that waits for it.
pub(crate) enum Job {
    Trim(Trim, Answer<Trimmed>),
    Erase(Erase, Answer<Erasure>),
    Keys(KeyChange, Answer<Rotated>),
    Reencrypt(Reencrypt, Answer<Reencrypted>),
    Compact(Answer<()>),
    /// Seals the head; every job ends with that if it is due, so this one does nothing else.
    Seal(Answer<()>),
}

/// The resources of a slice.
pub(crate) struct JobContext<'w> {
    pub(crate) tables: Tables<'w>,
    pub(crate) encryptor: &'w mut Encryptor,
    pub(crate) head: &'w mut Head,
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
            RowError::Corrupt(Corrupt { table, key })
            | RowError::Forged(Corrupt { table, key }) => Self::Refused(CommitError::Damaged {
                table: table.to_owned(),
                key,
            }),
            RowError::Locked(table) => Self::Refused(CommitError::Damaged {
                table: table.to_owned(),
                key: "its key is not here".to_owned(),
            }),
            RowError::Sqlite(cause) => Self::Failed(cause),
        }
    }
}

impl Job {
    pub(crate) fn step(&mut self, at: JobContext<'_>) -> Result<Step, JobError> {
        match self {
            Self::Trim(trim, _) => trim.step(at),
            Self::Erase(erase, _) => erase.step(at),
            Self::Keys(change, _) => change.step(at),
            Self::Reencrypt(walk, _) => walk.step(at),
            Self::Compact(_) => {
                reencrypt::compact(at.tables.connection)?;
                Ok(Step::Done)
            }
            Self::Seal(_) => Ok(Step::Done),
        }
    }

    /// Resolves the ticket: the job is done.
    pub(crate) fn resolve(self) {
        // A failed send means that the ticket was dropped.
        match self {
            Self::Trim(trim, answer) => drop(answer.send(Ok(trim.into_report()))),
            Self::Erase(erase, answer) => drop(answer.send(erase.into_record())),
            Self::Keys(change, answer) => drop(answer.send(Ok(change.into_report()))),
            Self::Reencrypt(walk, answer) => drop(answer.send(Ok(walk.into_report()))),
            Self::Compact(answer) | Self::Seal(answer) => drop(answer.send(Ok(()))),
        }
    }

    /// Resolves the ticket with an error: the job will not be done.
    pub(crate) fn fail(self, why: CommitError) {
        match self {
            Self::Trim(_, answer) => drop(answer.send(Err(why))),
            Self::Erase(_, answer) => drop(answer.send(Err(why))),
            Self::Keys(_, answer) => drop(answer.send(Err(why))),
            Self::Reencrypt(_, answer) => drop(answer.send(Err(why))),
            Self::Compact(answer) | Self::Seal(answer) => drop(answer.send(Err(why))),
        }
    }
}
