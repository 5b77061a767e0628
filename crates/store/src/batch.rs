//! What is written: a batch, the ticket for it, and why a batch was not stored.
//!
//! Knows no SQL. Read next: `writer`, which turns batches into transactions.

use domain::context::{DataParam, Exchange};
use domain::event::{Entry, Happening};
use domain::task::{Status, Task, TaskId};
use domain::time::Timestamp;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Things that become durable together, or not at all.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Tasks in their new state. Version 1 must be unknown, version n must find version n-1.
    pub tasks: Vec<Arc<Task>>,
    /// Exchanges; one with the identifier of a stored one replaces it in its place.
    pub exchanges: Vec<Exchange>,
    /// Data; one with the identifier of a stored one replaces it in its place.
    pub data: Vec<DataParam>,
    /// What happened and when, in order; becomes entries of the log.
    pub happenings: Vec<(Timestamp, Happening)>,
}

/// A batch that is durable, with the places its happenings got in the log.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The tasks of the batch.
    pub tasks: Vec<Arc<Task>>,
    /// The exchanges of the batch.
    pub exchanges: Vec<Exchange>,
    /// The data of the batch.
    pub data: Vec<DataParam>,
    /// The happenings of the batch, in their order, with gap-free sequence numbers.
    pub entries: Vec<Arc<Entry>>,
}

/// Why a batch was not stored. Nothing of such a batch is stored.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommitError {
    /// The task was changed by someone else; load it again and decide again.
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
    /// The batch breaks a rule of the schema; the fault is the caller's.
    #[error("the batch breaks a rule of the schema")]
    Refused(#[source] Arc<rusqlite::Error>),
    /// No space is left. The store goes on: later batches succeed once there is space again.
    #[error("no space is left for the state")]
    Full,
    /// Writing failed. The store stops: nothing more is accepted until it is opened again.
    #[error("writing the state failed")]
    Write(#[source] Arc<rusqlite::Error>),
    /// The store stopped before this batch was written.
    #[error("the store has stopped")]
    Stopped,
}

/// Resolves when the batch is durable, or will never be.
///
/// A future that needs no runtime. Dropping it does not withdraw the batch.
#[derive(Debug)]
#[must_use = "the batch is durable only once its ticket has resolved"]
pub struct Ticket(pub(crate) oneshot::Receiver<Result<(), CommitError>>);

impl Ticket {
    /// Blocks until the batch is durable, or will never be; for tests and tools.
    ///
    /// # Errors
    /// As awaiting the ticket.
    ///
    /// # Panics
    /// Inside an asynchronous runtime: await the ticket there.
    pub fn wait(self) -> Result<(), CommitError> {
        self.0.blocking_recv().unwrap_or(Err(CommitError::Stopped))
    }
}

impl Future for Ticket {
    type Output = Result<(), CommitError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0)
            .poll(cx)
            .map(|sent| sent.unwrap_or(Err(CommitError::Stopped)))
    }
}
