//! The handle: commit and read, from any thread.
//!
//! Owns the writer thread and the read connections; the work is in `writer` and `read`. Read next:
//! [`reads`].

mod reads;

use crate::batch::{Batch, CommitError, OnCommit, Ticket};
use crate::erase::Erase;
use crate::job::Job;
use crate::keys::KeyKeeper;
use crate::open::{self, Decided, Location, OpenError, Options, Recovered};
use crate::prepared::Wanted;
use crate::preparers::{Preparers, Work};
use crate::read::records;
use crate::read::{Most, ReadError, Readers, log};
use crate::reencrypt::{
    self, Encryption, KeyChange, KeyRotationError, Reencrypt, Reencrypted, Rotated,
};
use crate::retention::{Retention, Trim, Trimmed};
use crate::row::cursor::{Cursor, CursorChange};
use crate::row::erasure::Erasure;
use crate::row::head::Counts;
use crate::row_keys::KeysInForce;
use crate::sign::Signer;
use crate::statistics::{Condition, Counters, StoreBackend, StoreStatistics};
use crate::verify::beside::Beside;
use crate::verify::{self, ChainReport, Verification, VerifyOptions};
use crate::writer::{self, Request, Start, Waiting};
use domain::event::{Entry, Sequence};
use domain::task::TaskId;
use domain::time::Timestamp;
use std::fs::File;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// The durable state of a platform. Cheap to clone; when the last clone is dropped, queued batches
/// are written and the files closed.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    /// The queue of the writer; none only while the store closes.
    queue: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
    preparers: Preparers,
    counters: Arc<Counters>,
    readers: Readers,
    signer: Option<Arc<dyn Signer>>,
    keeper: Option<Arc<dyn KeyKeeper>>,
    /// The verification in the background; none if there is none.
    beside: Option<Beside>,
    opened_at: Timestamp,
    location: Location,
    /// Dropped last.
    _lock: Option<File>,
}

impl Store {
    /// Opens the state at `options.location`, creating it if it is missing, and starts the writer.
    ///
    /// # Errors
    /// [`OpenError::Locked`] if another process has it open, [`OpenError::Newer`] if a later
    /// release wrote it, [`OpenError::Corrupt`] if it is damaged: see there.
    pub fn open(options: Options, on_commit: OnCommit) -> Result<(Store, Recovered), OpenError> {
        let counters = Arc::new(Counters::default());
        let opened = open::open(&options)?;
        counters.note_end(&opened.ends.heads);
        let (queue, requests) = mpsc::channel();
        let keys_in_force = Arc::new(KeysInForce::new(opened.encryptor.keys.clone()));
        let start = Start {
            backend: opened.backend,
            outside: opened.outside,
            ends: opened.ends,
            unsealed: opened.unsealed,
            keys: opened.keys,
            encryptor: opened.encryptor,
            keys_in_force: Arc::clone(&keys_in_force),
            on_commit,
            counters: Arc::clone(&counters),
        };
        start.backend.tells(&counters);
        let beside = match (&options.location, &options.verify) {
            (Location::File(path), Some(spawn)) => {
                let (keys, signer) = (Arc::clone(&start.keys), options.signer.clone());
                let counters = Arc::clone(&counters);
                let now = options.now;
                Some(Beside::start(path, keys, signer, counters, spawn, now)?)
            }
            _ => None,
        };
        let preparers = Preparers::start(options.preparers, &keys_in_force)?;
        let writer = writer::start(start, &options, requests)?;
        let inner = Inner {
            queue: Some(queue),
            writer: Some(writer),
            preparers,
            counters,
            readers: opened.readers,
            signer: options.signer,
            keeper: options.keys,
            beside,
            opened_at: options.now,
            location: options.location,
            _lock: opened.lock,
        };
        let store = Store {
            inner: Arc::new(inner),
        };
        if let Some(change) = opened.rewrap {
            // The result is not awaited: the job is first in the queue, and the old key is needed
            // until it is done.
            let (answer, _) = oneshot::channel();
            store.ask(Request::Job(Job::Keys(change, answer)));
        }
        Ok((store, opened.recovered))
    }

    /// Queues `batch` and returns at once. Batches are committed in the order of these calls.
    pub fn commit(&self, batch: Batch) -> Ticket {
        self.queue(Wanted {
            batch,
            cursors: Vec::new(),
        })
    }

    /// Stores these cursors, all of them or none; one without a place is deleted. Committed in a
    /// group with batches, in the order of these calls; `on_commit` sees an empty batch.
    ///
    /// # Errors
    /// Of the ticket: as of [`Store::commit`].
    pub fn keep_cursors(&self, cursors: Vec<(String, Option<Sequence>)>) -> Ticket {
        let cursors = cursors.into_iter().map(|(name, place)| match place {
            Some(sequence) => CursorChange::Keep(Cursor { name, sequence }),
            None => CursorChange::Forget(name),
        });
        self.queue(Wanted {
            batch: Batch::default(),
            cursors: cursors.collect(),
        })
    }

    /// The stored cursors, in unspecified order.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn cursors(&self) -> Result<Vec<Cursor>, ReadError> {
        self.inner.readers.with(records::cursors)
    }

    fn queue(&self, wanted: Wanted) -> Ticket {
        let (ticket, resolved) = oneshot::channel();
        let counters = &self.inner.counters;
        if counters.condition() == Condition::Stopped {
            let _ = ticket.send(Err(CommitError::Stopped));
            return Ticket(resolved);
        }
        let before = counters.queued.fetch_add(1, Relaxed);
        let bytes = wanted.batch.bytes();
        let work = Arc::new(Work::new(wanted));
        let waiting = Waiting {
            work: Arc::clone(&work),
            bytes,
            ticket,
        };
        match self.ask(Request::Commit(waiting)) {
            true => self.inner.preparers.offer(&work, before),
            false => drop(counters.queued.fetch_sub(1, Relaxed)),
        }
        Ticket(resolved)
    }

    /// Removes rows that are older than `retention` allows, as of `now`. It is done between
    /// commits, in slices of a few milliseconds, and resolves when all is done; earlier requests
    /// are committed first. Removed rows are gone for readers at once, and `on_commit` is not
    /// called.
    ///
    /// # Errors
    /// Of the ticket: [`CommitError::Damaged`] where the log to be cut is not as it was written;
    /// rows removed before that stay removed.
    pub fn trim(&self, now: Timestamp, retention: &Retention) -> Ticket<Trimmed> {
        let (answer, resolved) = oneshot::channel();
        self.ask(Request::Job(Job::Trim(Trim::new(now, *retention), answer)));
        Ticket(resolved)
    }

    /// Erases the contents of an ended task: its rows stay, blanked, with a record of the erasure.
    /// Erasing it again returns that record.
    ///
    /// # Errors
    /// Of the ticket: [`CommitError::UnknownTask`], [`CommitError::Open`]; [`CommitError::Damaged`]
    /// if a row to be erased is not as it was written.
    pub fn erase(&self, task: &TaskId, now: Timestamp) -> Ticket<Erasure> {
        let (answer, resolved) = oneshot::channel();
        let erase = Erase::new(task.clone(), now);
        self.ask(Request::Job(Job::Erase(erase, answer)));
        Ticket(resolved)
    }

    /// Makes a new data key for new rows, and wraps the older ones anew if the master key in force
    /// is another than theirs. Touches no row with payload. The keeper is asked on this thread.
    ///
    /// # Errors
    /// [`KeyRotationError`]; of the ticket: [`CommitError::Full`], [`CommitError::Locked`],
    /// [`CommitError::Unreachable`], [`CommitError::Stopped`].
    pub fn rotate(&self) -> Result<Ticket<Rotated>, KeyRotationError> {
        let keeper = self
            .inner
            .keeper
            .as_deref()
            .ok_or(KeyRotationError::Plain)?;
        let mut change = None;
        self.inner.readers.with(|tables| {
            change = Some(KeyChange::plan(tables, keeper, true));
            Ok(())
        })?;
        let change = change.expect("the reader called back")?;
        let (answer, resolved) = oneshot::channel();
        self.ask(Request::Job(Job::Keys(change, answer)));
        Ok(Ticket(resolved))
    }

    /// Encrypts rows under other keys, and plain rows, under the data key in force; traces of plain
    /// rows may be left in free space: see [`Store::compact`]. It is done between commits, in
    /// slices of a few milliseconds, and resolves when all is done; then the other data keys are
    /// deleted. Does nothing without a keeper of keys. A call after a restart skips the rows that
    /// are done.
    ///
    /// # Errors
    /// Of the ticket: [`CommitError::Damaged`] where a row is not as it was written; rows done
    /// before that stay done.
    pub fn reencrypt(&self) -> Ticket<Reencrypted> {
        let (answer, resolved) = oneshot::channel();
        self.ask(Request::Job(Job::Reencrypt(
            Reencrypt::plan(self.inner.keeper.as_deref(), self.inner.opened_at),
            answer,
        )));
        Ticket(resolved)
    }

    /// Writes the whole file anew, so that its free space holds no traces of plain or removed rows.
    /// Commits wait meanwhile, for some seconds a gigabyte; reads do not. Temporarily needs as much
    /// space again as is in use, beside the file and in the folder for temporary files.
    ///
    /// # Errors
    /// Of the ticket: [`CommitError::Full`], [`CommitError::Locked`]; the file is unchanged.
    pub fn compact(&self) -> Ticket {
        let (answer, resolved) = oneshot::channel();
        self.ask(Request::Job(Job::Compact(answer)));
        Ticket(resolved)
    }

    /// Signs the head once everything queued before is stored. A store does so by itself when its
    /// last handle is dropped; this is for callers that cannot wait for that.
    ///
    /// # Errors
    /// Of the ticket: [`CommitError::Full`], [`CommitError::Locked`] and [`CommitError::Unreachable`],
    /// after which it is tried again; [`CommitError::Stopped`].
    pub fn seal(&self) -> Ticket {
        let (answer, resolved) = oneshot::channel();
        self.ask(Request::Job(Job::Seal(answer)));
        Ticket(resolved)
    }

    /// The state of encryption.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn encryption(&self) -> Result<Encryption, ReadError> {
        self.inner.readers.with(reencrypt::encryption)
    }

    /// Sends a request to the writer. False if the writer is gone: then the request is dropped, and
    /// its ticket resolves as stopped.
    fn ask(&self, request: Request) -> bool {
        let queue = self.inner.queue.as_ref();
        let queue = queue.expect("taken only when the last handle is dropped");
        queue.send(request).is_ok()
    }

    /// The number of batches with state that were not stored: their callers must revert the
    /// decisions, see [`Store::decided`].
    pub fn taken_back(&self) -> u64 {
        self.inner.counters.taken_back()
    }

    /// Blocks until everything queued before is stored, or has failed for good. For the rare case
    /// that a decision must be reverted; the caller must prevent further commits meanwhile. False if
    /// the database is away, for then it may take long.
    #[must_use = "what is queued may still be stored"]
    pub fn settle(&self) -> bool {
        let counters = &self.inner.counters;
        while counters.queued.load(Acquire) > 0 {
            match counters.condition() {
                Condition::Stopped => break,
                Condition::Unreachable => return false,
                Condition::Working | Condition::Full | Condition::Locked => {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        true
    }

    /// The rows on which decisions are based: open ones, and every registration.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn decided(&self) -> Result<Decided, ReadError> {
        self.inner
            .readers
            .with(|c| Ok(open::decided(c, usize::MAX)?))
    }

    /// The numbers of rows, as of the last commit.
    pub fn counts(&self) -> Counts {
        self.statistics().counts
    }

    /// At most `limit` entries of the log behind `after`, in order, of any size; 0 starts with the
    /// first one. The part of the hash chain that is read is checked.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn entries(&self, after: Sequence, limit: usize) -> Result<Vec<Arc<Entry>>, ReadError> {
        let bytes = u64::MAX;
        self.entries_within(after, Most { rows: limit, bytes })
    }

    /// The same within both limits: fewer entries than the limit do not mean the end, only none do.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn entries_within(
        &self,
        after: Sequence,
        most: Most,
    ) -> Result<Vec<Arc<Entry>>, ReadError> {
        self.inner.readers.with(|c| log::entries(c, after, most))
    }

    /// The digest of an entry of the log, in hexadecimal digits; none if it was cut off, or does not exist yet.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn chain_at(&self, sequence: Sequence) -> Result<Option<String>, ReadError> {
        self.inner
            .readers
            .with(|c| log::digits_at(c.session, sequence))
    }

    /// The last sequence strictly before `time`, that before the first entry if there is none: a
    /// replay that starts at `time` reads from behind it. Found by bisection, since times never
    /// decrease along the log.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn sequence_at(&self, time: Timestamp) -> Result<Sequence, ReadError> {
        self.inner
            .readers
            .with(|c| log::sequence_at(c.session, time))
    }

    /// Walks the whole chain and every row. Reads everything: minutes for a large state.
    ///
    /// # Errors
    /// [`ReadError`] if it could not be read; damage is in the report.
    pub fn verify(&self) -> Result<ChainReport, ReadError> {
        let signer = self.inner.signer.as_deref();
        let verification = || VerifyOptions {
            signer,
            ..VerifyOptions::default()
        };
        self.inner
            .readers
            .with(|c| verify::walk(c, verification(), true))
    }

    /// The time of the first entry of the log; none if it is empty.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn log_began(&self) -> Result<Option<Timestamp>, ReadError> {
        self.inner.readers.with(|c| Ok(log::first_time(c.session)?))
    }

    /// The number of batches that wait for the writer or are being written.
    pub fn queued(&self) -> u64 {
        self.inner.counters.queued.load(Relaxed)
    }

    /// Counters of writes and reads since the store was opened.
    pub fn statistics(&self) -> StoreStatistics {
        let backend = match &self.inner.location {
            Location::File(_) => StoreBackend::Sqlite,
            Location::Memory => StoreBackend::Memory,
            Location::Postgres(_) => StoreBackend::Postgresql,
        };
        self.inner
            .counters
            .read(backend, self.inner.readers.reads())
    }

    /// The size of the file with its write-ahead log, in bytes; none of a state elsewhere. Reads nothing of them.
    pub fn size(&self) -> Option<u64> {
        open::size(&self.inner.location)
    }

    /// How far the verification in the background is.
    pub fn verification(&self) -> Verification {
        let beside = self.inner.beside.as_ref();
        beside.map(Beside::told).unwrap_or_default()
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Store").field(&self.statistics()).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // The last connection to close moves the write-ahead log into the file; only the writer's
        // may write.
        self.counters.close();
        drop(self.beside.take());
        self.readers.close();
        // The writer ends when it has written what is queued and nobody can queue more.
        drop(self.queue.take());
        let Some(writer) = self.writer.take() else {
            return;
        };
        // Dropped by `on_commit` itself, it cannot wait for its own end.
        if writer.thread().id() == std::thread::current().id() {
            return;
        }
        let _ = writer.join();
    }
}
