//! The handle: commit and read, from any thread.
//!
//! Knows who owns the writer thread and the read connections; the work is in `writer` and `read`.

use crate::batch::{Batch, CommitError, Committed, Ticket};
use crate::open::{self, OpenError, Options, Recovered};
use crate::read::{self, Filter, ReadError, Readers};
use crate::statistics::{Condition, Counters, Statistics};
use crate::verify::{self, ChainReport};
use crate::writer::{self, Request};
use domain::context::{DataParam, Exchange};
use domain::event::{Entry, Sequence};
use domain::time::Timestamp;
use std::fs::File;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Called on the writer thread after the fsync and before the tickets resolve, with what became
/// durable, in commit order. It holds up every later commit while it runs. It must not own a
/// [`Store`], which would then never close, and if it panics the store stops.
pub type OnCommit = Box<dyn Fn(&[Committed]) + Send>;

/// The durable state of a platform. Cheap to clone; the last clone to go writes what is queued
/// and closes the files.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    /// None only while the store closes.
    queue: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
    checkpoint: Option<JoinHandle<()>>,
    counters: Arc<Counters>,
    readers: Readers,
    /// Let go last.
    _lock: Option<File>,
}

impl Store {
    /// Opens the state at `options.location`, making it if it is missing, and starts the writer.
    ///
    /// # Errors
    /// [`OpenError::Locked`] if another process has it open, [`OpenError::Newer`] if a later
    /// release wrote it, [`OpenError::Corrupt`] if it is damaged: see there.
    pub fn open(options: Options, on_commit: OnCommit) -> Result<(Store, Recovered), OpenError> {
        let counters = Arc::new(Counters::default());
        let opened = open::open(&options)?;
        counters.last.store(opened.recovered.last, Relaxed);
        let (queue, requests) = mpsc::channel();
        let writer = writer::start(
            opened.writer,
            opened.log_length,
            &options,
            opened.head,
            requests,
            on_commit,
            Arc::clone(&counters),
        )?;
        let inner = Inner {
            queue: Some(queue),
            writer: Some(writer),
            checkpoint: opened.checkpoint,
            counters,
            readers: opened.readers,
            _lock: opened.lock,
        };
        let store = Store {
            inner: Arc::new(inner),
        };
        Ok((store, opened.recovered))
    }

    /// Queues `batch` and returns at once. Batches are committed in the order of these calls.
    pub fn commit(&self, batch: Batch) -> Ticket {
        let (ticket, resolved) = oneshot::channel();
        let counters = &self.inner.counters;
        if counters.condition() == Condition::Stopped {
            let _ = ticket.send(Err(CommitError::Stopped));
            return Ticket(resolved);
        }
        counters.queued.fetch_add(1, Relaxed);
        let queue = self.inner.queue.as_ref();
        let queue = queue.expect("taken only when the last handle is dropped");
        // If the writer is gone, the request is dropped and its ticket resolves as Stopped.
        if queue.send(Request { batch, ticket }).is_err() {
            counters.queued.fetch_sub(1, Relaxed);
        }
        Ticket(resolved)
    }

    /// The exchange called `id`, if there is one.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn exchange(&self, id: &str) -> Result<Option<Exchange>, ReadError> {
        self.inner.readers.with(|c| read::exchange(c, id))
    }

    /// The exchanges that `filter` lets through, by request time, then in the order they were
    /// first stored.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if `filter.after` is not the identifier of one.
    pub fn exchanges(&self, filter: &Filter) -> Result<Vec<Exchange>, ReadError> {
        self.inner.readers.with(|c| read::exchanges(c, filter))
    }

    /// The data called `id`, if there is any.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn data_param(&self, id: &str) -> Result<Option<DataParam>, ReadError> {
        self.inner.readers.with(|c| read::data_param(c, id))
    }

    /// The data that `filter` lets through, in the order it was first stored.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Unknown`] if `filter.after` is not the identifier of any.
    pub fn data_params(&self, filter: &Filter) -> Result<Vec<DataParam>, ReadError> {
        self.inner.readers.with(|c| read::data_params(c, filter))
    }

    /// At most `limit` entries of the log behind `after`, in order; 0 starts with the first. The
    /// part of the hash chain that is read is checked.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn entries(&self, after: Sequence, limit: usize) -> Result<Vec<Arc<Entry>>, ReadError> {
        self.inner.readers.with(|c| read::entries(c, after, limit))
    }

    /// The last sequence strictly before `time`, 0 if there is none: where a replay that starts
    /// at `time` begins reading. Found by bisection, since times never decrease along the log.
    ///
    /// # Errors
    /// [`ReadError`]
    pub fn sequence_at(&self, time: Timestamp) -> Result<Sequence, ReadError> {
        self.inner.readers.with(|c| read::sequence_at(c, time))
    }

    /// Walks the whole chain and every row. Reads everything: minutes for a large state.
    ///
    /// # Errors
    /// [`ReadError`] if it could not be read; damage is in the report.
    pub fn verify(&self) -> Result<ChainReport, ReadError> {
        self.inner.readers.with(verify::walk)
    }

    /// What the writer did since the store was opened.
    pub fn statistics(&self) -> Statistics {
        self.inner.counters.read()
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
        if let Some(checkpoint) = self.checkpoint.take() {
            let _ = checkpoint.join();
        }
    }
}
