//! Why a state was not copied.
//!
//! Read next: [`super`].

use super::Opened;
use super::rows::RowFault;
use crate::failure::SqlFailure;
use crate::open::{Location, OpenError};
use std::io;
use std::path::PathBuf;

/// The reason for which a state was not copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The state to be copied is in use, damaged, forged or in doubt, or cannot be read.
    #[error("{}", placed(from, cause))]
    Source {
        /// Where it is.
        from: Location,
        /// What is wrong with it.
        cause: OpenError,
    },
    /// The place for the copy is in use, will not do, or cannot be reached.
    #[error("{}", placed(to, cause))]
    Destination {
        /// Where it is.
        to: Location,
        /// What is wrong with it.
        cause: OpenError,
    },
    /// A file or a database failed.
    #[error("{at}: copying failed: {cause}")]
    Failed {
        /// Which of both.
        at: Location,
        /// The cause.
        cause: SqlFailure,
    },
    /// There is nothing to be copied.
    #[error("there is no state in {0}")]
    Nothing(Location),
    /// There is a state where the copy was to be.
    #[error(
        "{to} holds something already, and nothing is overwritten: move it away, or name another place"
    )]
    Occupied {
        /// Where it is.
        to: Location,
    },
    /// The state is encrypted, and its key is not here.
    #[error(
        "{0} is encrypted and its key is not here, so nobody could tell who wrote its rows: put the store_key \
         of its platform where it belongs; nothing was copied"
    )]
    NoKey(Location),
    /// There is a key, and the state is not bound by it.
    #[error(
        "the rows of {0} are not bound by a key, and there is one here: nobody could tell who wrote them; \
         nothing was copied"
    )]
    NotBound(Location),
    /// The state is of an earlier release.
    #[error(
        "{0} was written by an earlier release: put it into a state folder as convoke.db, let `convoke store \
         accept` bring it up to date, and copy it then"
    )]
    Older(Location),
    /// A row is of a release before encryption, and cannot be found where the copy was to be.
    #[error(
        "task '{task}' in {from} is as a release before encryption wrote it, and a database would not find what \
         it names: `convoke store rotate` writes it anew; copy it then"
    )]
    OlderRows {
        /// Where it is.
        from: Location,
        /// The task.
        task: String,
    },
    /// A text has a character that the destination cannot hold.
    #[error("{table} '{key}' has U+0000 in a name, which PostgreSQL cannot hold")]
    Zero {
        /// The table.
        table: &'static str,
        /// The row.
        key: String,
    },
    /// What arrived is not what was sent.
    #[error("what arrived in {0} is not what was read; nothing was stored")]
    Differs(&'static str),
    /// The state went on while it was copied.
    #[error(
        "{0} has changed while it was copied: end the platform that runs on it; nothing was stored"
    )]
    Changed(Location),
    /// A file could not be made, locked, written or named.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
}

/// What is wrong, with the place if the words do not name it.
fn placed(place: &Location, cause: &OpenError) -> String {
    match cause {
        OpenError::Locked { .. } | OpenError::Unreachable { .. } => cause.to_string(),
        cause => format!("{place}: {cause}"),
    }
}

impl CopyError {
    pub(super) fn source(from: &Location, cause: OpenError) -> Self {
        let from = from.clone();
        match cause {
            OpenError::Failed(cause) | OpenError::Read(cause) => Self::Failed { at: from, cause },
            cause => Self::Source { from, cause },
        }
    }

    pub(super) fn destination(to: &Location, cause: OpenError) -> Self {
        let to = to.clone();
        match cause {
            OpenError::Failed(cause) | OpenError::Read(cause) => Self::Failed { at: to, cause },
            cause => Self::Destination { to, cause },
        }
    }
}

impl RowFault {
    /// The error, of a copy from there to `to`.
    pub(super) fn at(self, from: &Opened<'_>, to: &Location) -> CopyError {
        match self {
            Self::Read(cause) => from.wrong(cause.into()),
            Self::Written(cause) => CopyError::destination(to, cause.into()),
            Self::Zero { table, key } => CopyError::Zero { table, key },
            Self::Differs(table) => CopyError::Differs(table),
        }
    }
}
