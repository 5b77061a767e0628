//! A batch to be written, the ticket for it, and the reasons for which a batch is not stored.
//!
//! Knows no SQL. Read next: `writer`, which turns batches into transactions.

use crate::failure::SqlFailure;
use crate::row::document::Document;
use crate::row::push_config::PushChange;
use crate::shard::Shard;
use domain::context::{DataParam, Exchange};
use domain::event::{Entry, LogEvent};
use domain::negotiation::Negotiation;
use domain::registry::Registration;
use domain::task::{Status, Task, TaskId};
use domain::team::Team;
use domain::time::Timestamp;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Changes that become durable together, or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The shard of what is new in it. What is there already stays where it is, and registrations are on shard 0.
    pub shard: Shard,
    /// The shards of tasks of which all that is new, with their entries of the log, is on another one.
    pub elsewhere: BTreeMap<TaskId, Shard>,
    /// Tasks in their new state. Version 1 must be unknown, version n must find version n-1.
    pub tasks: Vec<Arc<Task>>,
    /// Exchanges; one with the identifier of a stored one replaces it in its place.
    pub exchanges: Vec<Exchange>,
    /// Data; one with the identifier of a stored one replaces it in its place.
    pub data: Vec<DataParam>,
    /// Happenings with their times, in order; they become entries of the log.
    pub happenings: Vec<(Timestamp, LogEvent)>,
    /// Negotiations in their new state; one of a task and kind replaces the stored one.
    pub negotiations: Vec<Arc<Negotiation>>,
    /// Registrations in their new state; one of an agent replaces the stored one.
    pub registrations: Vec<Arc<Registration>>,
    /// Agents whose registration is removed.
    pub left: Vec<String>,
    /// Teams in their new state; one of a task replaces the stored one.
    pub teams: Vec<Arc<Team>>,
    /// Pieces of data that are in this batch or stored.
    pub chunks: Vec<Chunk>,
    /// Changes of push configurations, in order; one of a task that is neither stored nor in this
    /// batch is not kept.
    pub pushes: Vec<PushChange>,
    /// Documents in their new state; one of a kind and name replaces the stored one.
    pub documents: Vec<Document>,
    /// Observations to be taken in later, in order.
    pub observations: Vec<String>,
    /// The last observation that was taken in: it and those before it are deleted.
    pub observed: Option<u64>,
    /// A number by which the caller recognises the batch in [`Committed`]; not stored.
    pub mark: Option<u64>,
}

/// A piece of data: 1 to [`Body::CHUNK_MOST`](domain::context::Body::CHUNK_MOST) bytes. An
/// identical piece that is stored already is accepted; any other overlap is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The identifier of the data.
    pub data: String,
    /// The offset of the piece, in bytes.
    pub offset: u64,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

impl Batch {
    /// True if it holds state on which later decisions are based, or has a mark.
    pub(crate) fn decides(&self) -> bool {
        !self.tasks.is_empty()
            || !self.negotiations.is_empty()
            || !self.registrations.is_empty()
            || !self.left.is_empty()
            || !self.teams.is_empty()
            || !self.pushes.is_empty()
            || self.mark.is_some()
    }

    /// The shard of what is new in it about a task, or about none.
    pub(crate) fn shard_of(&self, task: Option<&TaskId>) -> Shard {
        let elsewhere = task.and_then(|task| self.elsewhere.get(task));
        elsewhere.copied().unwrap_or(self.shard)
    }

    /// The approximate size of its data in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|c| c.bytes.len()).sum();
        let data: usize = self.data.iter().filter_map(|d| Some(d.text()?.len())).sum();
        chunks + data
    }
}

/// A batch that is durable, with the sequence numbers of its entries.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The tasks of the batch.
    pub tasks: Vec<Arc<Task>>,
    /// The exchanges of the batch.
    pub exchanges: Vec<Exchange>,
    /// The data of the batch.
    pub data: Vec<DataParam>,
    /// The negotiations of the batch.
    pub negotiations: Vec<Arc<Negotiation>>,
    /// The registrations of the batch.
    pub registrations: Vec<Arc<Registration>>,
    /// The agents whose registration was removed.
    pub left: Vec<String>,
    /// The teams of the batch.
    pub teams: Vec<Arc<Team>>,
    /// The changes of push configurations.
    pub pushes: Vec<PushChange>,
    /// The happenings of the batch, in their order, with gap-free sequence numbers.
    pub entries: Vec<Arc<Entry>>,
    /// The number by which the caller recognises the batch, if it has one.
    pub mark: Option<u64>,
}

/// Called on the writer thread after the fsync and before the tickets resolve, with the batches
/// that became durable, in commit order. It delays every later commit while it runs. It must not
/// own a [`Store`](crate::Store), which would then never close, and if it panics the store stops.
pub type OnCommit = Box<dyn Fn(&[Committed]) + Send>;

/// The reason for which a batch was not stored. Nothing of such a batch is stored.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// The task was changed concurrently; load it again and decide again.
    #[error("task {task} is stored at version {found:?}, and version {version} does not follow it")]
    Conflict {
        /// The task.
        task: TaskId,
        /// The version in the batch.
        version: u64,
        /// The version stored; none if the task is unknown.
        found: Option<u64>,
    },
    /// The stored task is in a terminal state, which is never left.
    #[error("task {task} is {status} and never changes again")]
    Ended {
        /// The task.
        task: TaskId,
        /// Its terminal state.
        status: Status,
    },
    /// No data with that identifier exist to which the piece could belong.
    #[error("there are no data '{data}' for a piece of them")]
    UnknownData {
        /// The identifier.
        data: String,
    },
    /// The piece overlaps a stored one that is not identical.
    #[error("the piece of data '{data}' at {offset} overlaps the one at {stored}")]
    Overlap {
        /// The identifier of the data.
        data: String,
        /// The offset of the piece.
        offset: u64,
        /// The offset of the stored one.
        stored: u64,
    },
    /// The task to be erased does not exist.
    #[error("there is no task {task}")]
    UnknownTask {
        /// The task.
        task: TaskId,
    },
    /// The task has not ended: only ended tasks can be erased.
    #[error("task {task} is {status}: only a task that has ended can be erased")]
    Open {
        /// The task.
        task: TaskId,
        /// Its state.
        status: Status,
    },
    /// A row to be removed or erased is not as it was written: it is left as it is.
    #[error("the state is damaged at {table} '{key}'; nothing there is removed or erased")]
    Damaged {
        /// The table.
        table: String,
        /// The row.
        key: String,
    },
    /// The batch breaks a rule of the schema; the fault is the caller's.
    #[error("the batch breaks a rule of the schema")]
    Refused(#[source] SqlFailure),
    /// The disk is full. The store goes on: later batches succeed once there is space again.
    #[error("no space is left for the state")]
    Full,
    /// Another program kept the file locked for as long as was waited: 5 s, and 20 ms while it stays
    /// so. The store goes on: later batches succeed once it is not.
    #[error("another program keeps the state locked")]
    Locked,
    /// The database could not be reached for as long as was tried: 5 s, and once while it stays so. The
    /// store goes on: later batches succeed once it is back.
    #[error("the database cannot be reached")]
    Unreachable,
    /// Writing failed. The store stops and accepts nothing until it is opened again.
    #[error("writing the state failed")]
    Write(#[source] SqlFailure),
    /// The store stopped before this batch was written.
    #[error("the store has stopped")]
    Stopped,
}

/// Resolves when the request is durable, or has failed for good.
///
/// A future that needs no runtime. Dropping it does not withdraw the request.
#[derive(Debug)]
#[must_use = "what was asked for is durable only once its ticket has resolved"]
pub struct Ticket<T = ()>(pub(crate) oneshot::Receiver<Result<T, CommitError>>);

impl<T> Ticket<T> {
    /// The ticket of a request that is not even made, for this reason.
    pub fn failed(why: CommitError) -> Self {
        let (answer, resolved) = oneshot::channel();
        let _ = answer.send(Err(why));
        Self(resolved)
    }

    /// Blocks until the request is durable, or has failed for good; for tests and tools.
    ///
    /// # Errors
    /// As awaiting the ticket.
    ///
    /// # Panics
    /// Inside an asynchronous runtime: await the ticket there.
    pub fn wait(self) -> Result<T, CommitError> {
        self.0.blocking_recv().unwrap_or(Err(CommitError::Stopped))
    }
}

impl<T> Future for Ticket<T> {
    type Output = Result<T, CommitError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|sent| sent.unwrap_or(Err(CommitError::Stopped)))
    }
}
