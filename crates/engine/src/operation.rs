//! What anyone can ask, and what comes of it. Protocols translate into these; nothing else exists.
//!
//! Read next: [`crate::refusal`].

use crate::refusal::Refusal;
use domain::context::{DataParam, Exchange};
use domain::reply::Reply;
use domain::task::{Task, TaskId};
use domain::verb::Verb;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Where a request arrived: which `agent`, `tasks`, `context` and `data-params` are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// The platform: its OSS agent, and the registry of all.
    Platform,
    /// One agent.
    Agent(String),
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `task-negotiate`.
    Negotiate(Negotiate),
    /// A look at committed state.
    Read(Query),
    /// `inject-fault`: break something in the simulated network.
    InjectFault {
        /// What breaks, in the words of the schema.
        kind: String,
        /// The element, if it matters which.
        element: Option<String>,
    },
}

/// The input of `task-negotiate`, as read by a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiate {
    /// Where it arrived.
    pub endpoint: Endpoint,
    /// `task-sendFrom`, if given.
    pub from: Option<String>,
    /// `task-sendTo`, if given.
    pub to: Option<String>,
    /// `commuType`.
    pub verb: Verb,
    /// `task-id`, if given.
    pub task: Option<TaskId>,
    /// `content`, each entry as sent.
    pub texts: Vec<String>,
    /// `task-async`, if given.
    pub asynchronous: Option<bool>,
    /// `expected-response`, if given beside the sections.
    pub expected_response: Option<String>,
    /// `term-explains`, if given beside the sections.
    pub terms: Vec<(String, String)>,
    /// `round`, if given.
    pub round: Option<u32>,
}

/// A look at committed state, pruned to what the principal is party to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// One task.
    Task(TaskId),
    /// All tasks, by identifier.
    Tasks,
    /// The current task of an agent: the last changed one that has not ended, else the last ended.
    CurrentTask(String),
    /// Records of `/context`; of one agent, or of all.
    Exchanges {
        /// The agent, or none for all.
        party: Option<String>,
        /// Only this record.
        id: Option<String>,
        /// Only those about this task.
        task: Option<TaskId>,
    },
    /// Entries of `/data-params`; of one agent, or of all.
    Data {
        /// The agent, or none for all.
        party: Option<String>,
        /// Only this entry.
        id: Option<String>,
    },
}

/// Rows that a query found.
#[derive(Clone, Debug, PartialEq)]
pub enum Records {
    /// Tasks.
    Tasks(Vec<Arc<Task>>),
    /// Records of `/context`.
    Exchanges(Vec<Exchange>),
    /// Entries of `/data-params`.
    Data(Vec<DataParam>),
}

/// What comes of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The reply of `task-negotiate`.
    Reply(Reply),
    /// What a query found.
    Records(Records),
    /// What broke.
    Injected(Injected),
}

/// What broke in the simulated network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// What.
    pub kind: String,
    /// The element.
    pub element: String,
}

/// Somebody wants something broken in the simulated network; whoever runs it answers.
#[derive(Debug)]
pub struct FaultWanted {
    /// What is to break.
    pub kind: String,
    /// The element, if it matters which.
    pub element: Option<String>,
    /// What broke, or why nothing did.
    pub answer: tokio::sync::oneshot::Sender<Result<Injected, String>>,
}

/// The answer, now or after the commit.
pub enum Execution {
    /// Known already.
    Done(Result<Outcome, Refusal>),
    /// Known once it is on disk, or once the task is done.
    Pending(Pin<Box<dyn Future<Output = Result<Outcome, Refusal>> + Send>>),
}

impl Execution {
    pub(crate) fn refused(refusal: impl Into<Refusal>) -> Self {
        Self::Done(Err(refusal.into()))
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// The [`Refusal`], if the operation was refused or failed.
    pub async fn outcome(self) -> Result<Outcome, Refusal> {
        match self {
            Self::Done(outcome) => outcome,
            Self::Pending(pending) => pending.await,
        }
    }
}

impl fmt::Debug for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(outcome) => f.debug_tuple("Done").field(outcome).finish(),
            Self::Pending(_) => f.write_str("Pending"),
        }
    }
}
