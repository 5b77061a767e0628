//! Jobs of the writer between commits: removing old rows, erasing contents, changing keys.
//!
//! A job is done in slices, each a transaction of its own that takes a few milliseconds, so that
//! no commit waits for a whole job. Read next: `retention`, `erase`, `reencrypt`.

mod slice;

pub(crate) use slice::{JobContext, JobError, Step};

use crate::batch::CommitError;
use crate::erase::Erase;
use crate::reencrypt::{KeyChange, Reencrypt, Reencrypted, Rotated};
use crate::retention::{Trim, Trimmed};
use crate::row::erasure::Erasure;
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

impl Job {
    pub(crate) fn step(&mut self, at: JobContext<'_>) -> Result<Step, JobError> {
        match self {
            Self::Trim(trim, _) => trim.step(at),
            Self::Erase(erase, _) => erase.step(at),
            Self::Keys(change, _) => change.step(at),
            Self::Reencrypt(walk, _) => walk.step(at),
            Self::Compact(_) => {
                at.tables.session.compact()?;
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
