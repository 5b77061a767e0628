//! The report of a verification.
//!
//! Read next: [`super`].

use crate::open::OpenError;
use crate::row::attestation::Attestation;
use crate::row::checkpoint::Checkpoint;
use crate::row::head::Counts;
use crate::shard::Shard;
use domain::event::Sequence;
use domain::time::Timestamp;
use std::fmt;
use std::path::PathBuf;

/// The findings of a walk over the whole state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainReport {
    /// Entries of the log.
    pub entries: u64,
    /// The number of entries that were erased.
    pub erased: u64,
    /// The last entry; 0 if there never was one.
    pub last: Sequence,
    /// The time of the first entry; none if the log is empty.
    pub began: Option<Timestamp>,
    /// The time of the last entry; none if the log is empty.
    pub ended: Option<Timestamp>,
    /// The digest at the end of the chain, or over the ends of all chains, which covers everything before it. Zeros if the log
    /// never held anything.
    pub digest: [u8; 32],
    /// The record of rows removed before the log begins; none if nothing ever was.
    pub checkpoint: Option<Checkpoint>,
    /// The head as last signed; none if it never was.
    pub seal: Option<Seal>,
    /// Signatures that were checked; 0 without a signer.
    pub signatures: u64,
    /// Rows of tasks.
    pub tasks: u64,
    /// Rows of tasks that have not ended.
    pub open: u64,
    /// Rows of exchanges.
    pub exchanges: u64,
    /// Rows of data.
    pub data: u64,
    /// Pieces of data.
    pub chunks: u64,
    /// Rows of negotiations.
    pub negotiations: u64,
    /// Rows of registrations.
    pub registrations: u64,
    /// Rows of teams.
    pub teams: u64,
    /// Cursors.
    pub cursors: u64,
    /// Push configurations.
    pub pushes: u64,
    /// What was found of each shard that has anything.
    pub shards: Vec<ShardReport>,
    /// Rows whose encrypted payload was not checked, without a key.
    pub locked: u64,
    /// True if the rows are bound to the head by a key and the key was supplied: then nothing that
    /// is sound was written without it.
    pub authentic: bool,
    /// The file of the last head, where it is missing beside a database that others may have written: then an older
    /// copy of the state would look the same.
    pub head_missing: Option<PathBuf>,
    /// The records of acceptances on other grounds than an unbroken chain.
    pub attestations: Vec<Attestation>,
    /// The faults, at most the first thousand.
    pub faults: Vec<Fault>,
}

impl ChainReport {
    /// True if no damage was found.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// What was found of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardReport {
    /// The shard.
    pub shard: Shard,
    /// The last entry of its chain; 0 if there never was one.
    pub last: Sequence,
    /// The numbers of its rows.
    pub counts: Counts,
}

/// The place up to which the log was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The last entry that the signature covers.
    pub sequence: Sequence,
    /// Its time.
    pub time: Timestamp,
    /// Its digest.
    pub chain: [u8; 32],
}

/// A place at which the stored state is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The table, or `sqlite` if SQLite itself found the damage.
    pub table: String,
    /// The row, or what SQLite says.
    pub key: String,
    /// True if it is sound by itself and was written without the key.
    pub forged: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.forged { "forged" } else { "damaged" };
        write!(f, "{} '{}' is {what}", self.table, self.key)
    }
}

impl From<Fault> for OpenError {
    fn from(fault: Fault) -> Self {
        let Fault { table, key, forged } = fault;
        match forged {
            true => Self::Forged { table, key },
            false => Self::Corrupt { table, key },
        }
    }
}
