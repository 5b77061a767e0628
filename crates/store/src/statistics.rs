//! Counters of the writer and of readers, for metrics and readiness.
//!
//! Knows no SQL. Read next: `writer` and `read`, which count; [`histogram`], how long commits took.

mod histogram;

pub use histogram::{CommitBucket, CommitBuckets};

use crate::batch::Batch;
use crate::heads::Heads;
use crate::row::head::Counts;
use domain::event::Sequence;
use histogram::Histogram;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The condition of the store: whether it accepts batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Batches are accepted.
    #[default]
    Working,
    /// The last transaction found no space; the next may succeed.
    Full,
    /// Another program kept the file locked for as long as the last transaction waited; the next may
    /// succeed.
    Locked,
    /// The database cannot be reached, or is asked what became of a commit that it did not answer. Both
    /// are tried until they succeed.
    Unreachable,
    /// Writing failed, or the writer ended: nothing is accepted until the store is opened again.
    Stopped,
}

impl Condition {
    /// The name, everywhere: `working`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Full => "full",
            Self::Locked => "locked",
            Self::Unreachable => "unreachable",
            Self::Stopped => "stopped",
        }
    }
}

/// Where a store keeps its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreBackend {
    /// SQLite, in a file.
    #[default]
    Sqlite,
    /// SQLite, in memory.
    Memory,
    /// A database of PostgreSQL.
    Postgresql,
}

impl StoreBackend {
    /// The name, everywhere: `sqlite`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Memory => "memory",
            Self::Postgresql => "postgresql",
        }
    }
}

/// Counters of writes and reads since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStatistics {
    /// Where the state is.
    pub backend: StoreBackend,
    /// The condition.
    pub condition: Condition,
    /// Batches waiting for the writer or being written.
    pub queued: u64,
    /// Batches made durable.
    pub batches: u64,
    /// Batches not stored.
    pub failed: u64,
    /// Transactions that changed anything, made durable. Of empty batches alone, which are barriers, nothing is counted
    /// here, nor in the times; at a database each of them says in the owner's row that the state is still his, and is one.
    pub transactions: u64,
    /// The last entry of the log.
    pub last: Sequence,
    /// The numbers of rows.
    pub counts: Counts,
    /// Time spent writing rows.
    pub writing: Duration,
    /// Time spent in commits, most of it in fsync.
    pub committing: Duration,
    /// How many commits took how long.
    pub commit_buckets: CommitBuckets,
    /// How often the writer knew the row in whose place another was written.
    pub known: u64,
    /// How often it looked one up.
    pub looked_up: u64,
    /// Queries of readers.
    pub reads: u64,
}

/// The counters, shared between threads.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    condition: AtomicU8,
    is_closing: AtomicBool,
    pub(crate) queued: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) failed: AtomicU64,
    taken_back: AtomicU64,
    commits: Histogram,
    end: Mutex<(Sequence, Counts)>,
    writing_ns: AtomicU64,
    committing_ns: AtomicU64,
    pub(crate) known: AtomicU64,
    pub(crate) looked_up: AtomicU64,
}

impl Counters {
    pub(crate) fn condition(&self) -> Condition {
        match self.condition.load(Relaxed) {
            0 => Condition::Working,
            1 => Condition::Full,
            2 => Condition::Locked,
            3 => Condition::Unreachable,
            _ => Condition::Stopped,
        }
    }

    /// Notes that the store is to close.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, Relaxed);
    }

    /// True if the store is to close: what is not known by now is for whoever opens it next.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Relaxed)
    }

    /// Counts a batch that was not stored.
    pub(crate) fn take_back(&self, batch: &Batch) {
        if batch.decides() {
            self.taken_back.fetch_add(1, Release);
        }
    }

    /// The number of batches that were not stored.
    pub(crate) fn taken_back(&self) -> u64 {
        self.taken_back.load(Acquire)
    }

    /// Sets the condition; a store that stopped stays so.
    pub(crate) fn note(&self, condition: Condition) {
        let _ = self.condition.fetch_update(Relaxed, Relaxed, |old| {
            (old < Condition::Stopped as u8).then_some(condition as u8)
        });
    }

    /// Counts a transaction that changed anything and is durable: how long its rows took, and its commit.
    pub(crate) fn note_commit(&self, writing: Duration, committing: Duration) {
        for (counter, time) in [
            (&self.writing_ns, writing),
            (&self.committing_ns, committing),
        ] {
            counter.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
        }
        self.commits.count(committing);
    }

    /// Sets the end of the log and the numbers of rows.
    pub(crate) fn note_end(&self, heads: &Heads) {
        let end = (heads.sequence(), heads.counts());
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }

    /// The counters of a store that is there, with this number of reads, which readers count themselves.
    pub(crate) fn read(&self, backend: StoreBackend, reads: u64) -> StoreStatistics {
        let commit_buckets = self.commits.read();
        let (last, counts) = *self.end.lock().unwrap_or_else(PoisonError::into_inner);
        StoreStatistics {
            backend,
            condition: self.condition(),
            queued: self.queued.load(Relaxed),
            batches: self.batches.load(Relaxed),
            failed: self.failed.load(Relaxed),
            transactions: commit_buckets.all(),
            last,
            counts,
            writing: Duration::from_nanos(self.writing_ns.load(Relaxed)),
            committing: Duration::from_nanos(self.committing_ns.load(Relaxed)),
            commit_buckets,
            known: self.known.load(Relaxed),
            looked_up: self.looked_up.load(Relaxed),
            reads,
        }
    }
}
