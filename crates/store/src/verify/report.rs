//! What a walk over a state found.
//!
//! Read next: [`super`].

use crate::open::OpenError;
use crate::row::attestation::Attestation;
use crate::row::checkpoint::Checkpoint;
use domain::event::Sequence;
use domain::time::Timestamp;
use std::fmt;

/// What a walk over the whole state found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainReport {
    /// Entries of the log.
    pub entries: u64,
    /// How many of them were erased.
    pub erased: u64,
    /// The last entry; 0 if there never was one.
    pub last: Sequence,
    /// The time of the first entry; none if the log is empty.
    pub began: Option<Timestamp>,
    /// The time of the last entry; none if the log is empty.
    pub ended: Option<Timestamp>,
    /// The digest at the end of the chain: it stands for everything before it. Zeros if the log
    /// never held anything.
    pub digest: [u8; 32],
    /// What was removed before the log begins; none if nothing ever was.
    pub checkpoint: Option<Checkpoint>,
    /// The head as it was signed last; none if it never was.
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
    /// Configurations for pushing.
    pub pushes: u64,
    /// Rows whose payload is encrypted and was not looked at for want of a key.
    pub locked: u64,
    /// Whether the rows are bound to the head by a key and the key was there: then nobody without it
    /// wrote anything of what is sound.
    pub authentic: bool,
    /// When what is stored was taken for what it is on other grounds than an unbroken record.
    pub attestations: Vec<Attestation>,
    /// The damage, the first thousand places of it.
    pub faults: Vec<Fault>,
}

impl ChainReport {
    /// True if no damage was found.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Up to where the log was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The last entry that the signature stands for.
    pub sequence: Sequence,
    /// Its time.
    pub time: Timestamp,
    /// Its digest.
    pub chain: [u8; 32],
}

/// A place where what is stored is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The table, or `sqlite` if SQLite itself found the damage.
    pub table: String,
    /// The row, or what SQLite says.
    pub key: String,
    /// True if it is sound by itself and was not written by who has the key.
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
