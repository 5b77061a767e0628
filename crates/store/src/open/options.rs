//! The options of opening a state.
//!
//! Knows their defaults. Read next: [`super`].

use crate::keys::KeyKeeper;
use crate::lead::Lease;
use crate::open::location::Location;
use crate::postgres::address::PostgresAddress;
use crate::sign::Signer;
use domain::time::Timestamp;
use std::fmt;
use std::io;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The most preparers by default: more would wait, for the writer binds no faster.
const PREPARERS_MAX: usize = 4;

/// Starts a thread for this work: of low priority, as a rule.
pub type Spawn = Arc<dyn Fn(Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> + Send + Sync>;

/// The options of opening a state.
#[derive(Clone)]
pub struct Options {
    /// The location.
    pub location: Location,
    /// Who owns a state in a database while it is open: a name that no other platform has. Whoever has
    /// it takes the state over at once, so two with one name are kept apart by `lock`.
    pub holder: String,
    /// A file on this machine that is locked while a state in a database is open; a state in a file
    /// locks one beside itself.
    pub lock: Option<PathBuf>,
    /// The lease by which a state in a database was taken before; none to take it at opening, as `holder`. With one
    /// the state may have been written from other folders, so that a missing head `outside` is no doubt,
    /// and is logged.
    pub lease: Option<Lease>,
    /// True if a commit waits for the disk. With false a power cut loses acknowledged commits: only
    /// for the test of exactly that.
    pub synchronous_full: bool,
    /// The most batches in one transaction, at least 1.
    pub batch_max: usize,
    /// The time that a transaction waits for more batches when fewer than `batch_max` are queued.
    /// Zero commits the batches that queued up during the last fsync, which groups well under load
    /// and adds no delay without.
    pub batch_wait: Duration,
    /// Threads that make rows ready while the writer is busy with others, which then only writes them; with 0 it
    /// makes ready all of them. By default one for each processor beside the writer's and the caller's, at
    /// most 4: so none on two.
    pub preparers: usize,
    /// Connections for readers of a file or a database, at least 1.
    pub readers: usize,
    /// True to let SQLite check the structure of the whole file at opening; reads all of it.
    pub thorough: bool,
    /// The largest size of the file in bytes, in whole pages of 4 KiB; commits beyond it are
    /// refused as [`Full`](crate::CommitError::Full). None: as large as the disk.
    pub size_max: Option<u64>,
    /// The signer of the head, checkpoints and erasures; none leaves them unsigned.
    pub signer: Option<Arc<dyn Signer>>,
    /// The longest time that a commit may stay unsigned, if there is a signer. The head is signed
    /// at closing too.
    pub sealed_within: Duration,
    /// The keeper of the master key under which payloads are encrypted; none leaves new ones plain,
    /// and opens no state that holds encrypted ones. A plain state is read as it is, and new rows
    /// are encrypted; see [`Store::reencrypt`](crate::Store::reencrypt).
    pub keys: Option<Arc<dyn KeyKeeper>>,
    /// Files outside of the database that hold the last head as well: the first must exist once it
    /// was written, others are witnesses. A state that ends before the head in one of them is
    /// refused ([`OpenError::SetBack`]). A commit is in them after [`LAG`](crate::LAG) at the
    /// latest, unless they cannot be written, which is logged. Empty to keep none.
    pub outside: Vec<PathBuf>,
    /// True to accept a state that is older than the one last seen, or signed with another host
    /// key: see [`OpenError::may_be_accepted`]. It is verified as a whole first, which takes
    /// minutes for a large state, and the acceptance is recorded.
    pub accept: bool,
    /// The current time, for that record.
    pub now: Timestamp,
    /// Starts the thread that verifies the whole state in the background once it is open: damage is
    /// logged, and a forgery stops the store. None to skip it; a state in memory is never verified
    /// so.
    pub verify: Option<Spawn>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("location", &self.location)
            .field("holder", &self.holder)
            .field("lock", &self.lock)
            .field("lease", &self.lease)
            .field("synchronous_full", &self.synchronous_full)
            .field("batch_max", &self.batch_max)
            .field("batch_wait", &self.batch_wait)
            .field("preparers", &self.preparers)
            .field("readers", &self.readers)
            .field("thorough", &self.thorough)
            .field("size_max", &self.size_max)
            .field("signed", &self.signer.is_some())
            .field("sealed_within", &self.sealed_within)
            .field("encrypted", &self.keys.is_some())
            .field("outside", &self.outside)
            .field("accept", &self.accept)
            .field("verify", &self.verify.is_some())
            .finish()
    }
}

impl Options {
    /// Durable defaults for `location`.
    pub fn new(location: Location) -> Self {
        Self {
            location,
            holder: String::new(),
            lock: None,
            lease: None,
            synchronous_full: true,
            batch_max: 256,
            batch_wait: Duration::ZERO,
            preparers: preparers(),
            readers: 4,
            thorough: false,
            size_max: None,
            signer: None,
            sealed_within: Duration::from_secs(60),
            keys: None,
            outside: Vec::new(),
            accept: false,
            now: Timestamp::from_ms(0),
            verify: None,
        }
    }

    /// Durable defaults for a file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Location::File(path.into()))
    }

    /// Durable defaults for a database of PostgreSQL that `holder` owns.
    pub fn postgres(address: PostgresAddress, holder: impl Into<String>) -> Self {
        Self {
            holder: holder.into(),
            ..Self::new(Location::Postgres(address))
        }
    }

    /// How far a commit waits for the disk, as SQLite names it.
    pub(crate) fn synchronous(&self) -> &'static str {
        if self.synchronous_full {
            "FULL"
        } else {
            "NORMAL"
        }
    }

    /// A state in memory.
    pub fn memory() -> Self {
        Self::new(Location::Memory)
    }
}

/// One preparer for each processor beside the writer's and that of whoever commits.
fn preparers() -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    processors.saturating_sub(2).min(PREPARERS_MAX)
}
