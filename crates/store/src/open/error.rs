//! The errors of opening a state.
//!
//! Read next: [`super`].

use crate::failure::{FailureKind, SqlFailure};
use crate::keys::KeyKeeperError;
use crate::open::Location;
use crate::postgres::address::PostgresAddress;
use crate::read::ReadError;
use crate::row::{Corrupt, RowError};
use domain::event::Sequence;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The reason for which a state was not opened. It was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another store, here or in another process, has it open.
    #[error("the state {state} is in use by another process")]
    Locked {
        /// Where it is.
        state: Location,
    },
    /// The state was written by a later release; downgrading is not possible.
    #[error("the state is at schema {found}, this release knows {known}: use the newer release")]
    Newer {
        /// The schema found.
        found: i32,
        /// The latest schema known here.
        known: i32,
    },
    /// The state was written before the first release and cannot be migrated.
    #[error(
        "the state is at schema {found} of the time before the first release, the oldest that can be read is {oldest}: begin a new one"
    )]
    Older {
        /// The schema found.
        found: i32,
        /// The oldest schema that can be read.
        oldest: i32,
    },
    /// The file cannot be written: by its permissions, or by a damaged first page.
    #[error(
        "the state can only be read: its file is read-only, or damaged in its first page; make it \
         writable, or put back a backup"
    )]
    ReadOnly,
    /// The file is a database of another application.
    #[error("the file is a database, but not a state of Convoke")]
    Foreign,
    /// A row is not as it was written. Restore a copy; `verify` lists all damage.
    #[error("the state is damaged at {table} '{key}'; it is refused rather than served")]
    Corrupt {
        /// The table, or `sqlite` if SQLite itself found the damage.
        table: String,
        /// The row, or what SQLite says.
        key: String,
    },
    /// A row was written without the key. Restore a copy; `verify` lists all such rows.
    #[error(
        "the state was forged at {table} '{key}': who wrote that has not its key; it is refused"
    )]
    Forged {
        /// The table.
        table: String,
        /// The row.
        key: String,
    },
    /// The schema of the database holds an object that no release made, or lacks one; or the file
    /// claims to be no state of Convoke while a head of it is kept outside.
    #[error("the state was forged: its schema is not that of a state of Convoke ({strangers})")]
    Schema {
        /// The objects, each behind a word: `missing` or `strange`.
        strangers: String,
    },
    /// The state ends before the head last seen outside, or is another one: a copy was put back.
    #[error(
        "the state ends at entry {found} (write {written}), but {} has seen entry {seen} \
         (write {seen_written}): an older copy was put back, or another state",
        path.display()
    )]
    SetBack {
        /// The file that holds the head seen last.
        path: PathBuf,
        /// The last entry of the state.
        found: Sequence,
        /// The number of times that its head was written.
        written: u64,
        /// The last entry in the head seen last.
        seen: Sequence,
        /// The number of times that the head had been written then.
        seen_written: u64,
    },
    /// The rows are not bound by the key, but once were: the state is of an earlier release, or was
    /// made to look so.
    #[error(
        "the rows of the state carry no codes, but {} has seen that they do: a copy of a release \
         before was put back, or it was forged",
        path.display()
    )]
    Unbound {
        /// The file that holds the head seen last.
        path: PathBuf,
    },
    /// The file with the head seen last is missing.
    #[error("{} is missing, where the last head of the state was kept", path.display())]
    HeadMissing {
        /// The file.
        path: PathBuf,
    },
    /// The file with the head seen last cannot be read, or its signature is not the host key's.
    #[error("{}: {reason}", path.display())]
    Head {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The state was sealed once, and is not any more.
    #[error("the seal of the state is missing, though its log was sealed up to entry {sealed}")]
    Unsealed {
        /// The last entry that was sealed.
        sealed: Sequence,
    },
    /// A signature is not this signer's.
    #[error("{table} '{key}' is not signed with the host key in use")]
    Stranger {
        /// The table.
        table: String,
        /// The row.
        key: String,
    },
    /// The state holds encrypted payloads, and no key was supplied.
    #[error("the state is encrypted, and there is no key to it")]
    Encrypted,
    /// The data keys could not be unwrapped, or no new one be made.
    #[error("the state is encrypted: {0}")]
    Key(#[source] KeyKeeperError),
    /// A file could not be made, locked or protected.
    #[error("opening {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// Another program that is no store keeps the file locked.
    #[error("the state is in use: another program keeps its database locked")]
    Busy,
    /// Another platform owns the state in the database.
    #[error("the state is in use: {by} owns it for {} ms more", left.as_millis())]
    Held {
        /// Who owns it.
        by: String,
        /// The time after which it is nobody's, unless its owner goes on.
        left: Duration,
    },
    /// The database cannot be reached, or lets us not in.
    #[error("the database {address} cannot be reached: {reason}")]
    Unreachable {
        /// Where it is.
        address: Box<PostgresAddress>,
        /// What each place of it said.
        reason: String,
        /// True if it may pass by itself; false if somebody must mend an address, a password or a
        /// certificate.
        passes: bool,
    },
    /// The database will not do for a state.
    #[error("the database is not fit for a state: {reason}")]
    Unfit {
        /// What is wrong with it, and how to make one that is fit.
        reason: String,
    },
    /// The database failed.
    #[error("opening the state failed: {0}")]
    Failed(#[source] SqlFailure),
    /// The database failed while the state was read.
    #[error("reading the state failed: {0}")]
    Read(#[source] SqlFailure),
    /// The writer thread could not be started.
    #[error("starting the writer failed")]
    Thread(#[source] io::Error),
}

impl OpenError {
    /// True if an operator may have it opened all the same: see
    /// [`Options::accept`](crate::Options::accept).
    pub fn may_be_accepted(&self) -> bool {
        matches!(
            self,
            Self::SetBack { .. }
                | Self::Unbound { .. }
                | Self::HeadMissing { .. }
                | Self::Head { .. }
                | Self::Unsealed { .. }
                | Self::Stranger { .. }
        )
    }
}

impl From<ReadError> for OpenError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Corrupt { table, key } => Self::Corrupt { table, key },
            ReadError::Forged { table, key } => Self::Forged { table, key },
            ReadError::Unknown { id } => Self::Corrupt {
                table: "sqlite".to_owned(),
                key: id,
            },
            ReadError::Unreachable(cause) | ReadError::Failed(cause) => Self::Read(cause),
        }
    }
}

impl From<SqlFailure> for OpenError {
    fn from(cause: SqlFailure) -> Self {
        match RowError::Failed(cause).noticed() {
            RowError::Failed(cause) if cause.kind() == FailureKind::Busy => Self::Busy,
            RowError::Failed(cause) => Self::Failed(cause),
            found => found.into(),
        }
    }
}

impl From<RowError> for OpenError {
    fn from(error: RowError) -> Self {
        match error {
            RowError::Corrupt(Corrupt { table, key }) => Self::Corrupt {
                table: table.to_owned(),
                key,
            },
            RowError::Forged(Corrupt { table, key }) => Self::Forged {
                table: table.to_owned(),
                key,
            },
            RowError::Locked(_) => Self::Encrypted,
            RowError::Failed(cause) => cause.into(),
        }
    }
}
