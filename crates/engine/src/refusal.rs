//! Why not. A refusal is the caller's to mend and changes nothing; a failure is ours.
//!
//! Facts only: `rpc-error` tags and HTTP codes are chosen in the bindings. Read next:
//! [`crate::operation`].

use domain::content::ContentError;
use domain::task::{OutOfTurn, TaskId};
use domain::verb::Verb;

/// Why an operation was not carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The access rules do not let the principal execute `task-negotiate`.
    #[error("'{user}' may not execute task-negotiate")]
    Denied {
        /// Who asked.
        user: String,
    },
    /// `task-sendFrom` is not the principal's own name.
    #[error("'{user}' cannot send as '{from}': task-sendFrom must be the name of the credential")]
    ForeignSender {
        /// Who asked.
        user: String,
        /// Whose name was used.
        from: String,
    },
    /// No agent of that name.
    #[error("no agent is called '{name}'")]
    UnknownAgent {
        /// The name.
        name: String,
    },
    /// This endpoint takes its own name only.
    #[error("this endpoint belongs to '{own}' and takes nothing for '{name}'")]
    OtherEndpoint {
        /// Whose endpoint it is.
        own: String,
        /// The name given.
        name: String,
    },
    /// A leaf that this verb needs is missing.
    #[error("'{verb}' needs the leaf '{leaf}'")]
    MissingLeaf {
        /// The verb.
        verb: Verb,
        /// The leaf.
        leaf: &'static str,
    },
    /// A leaf says one thing, the sections another, or the value is out of range.
    #[error("the leaf '{leaf}' is not usable: {why}")]
    BadLeaf {
        /// The leaf.
        leaf: &'static str,
        /// Why.
        why: String,
    },
    /// The sections are not ones.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The identifier is taken by another task, or was used with another content.
    #[error("the task-id '{task}' is taken")]
    TaskExists {
        /// The identifier.
        task: TaskId,
    },
    /// No such task, or one that the principal is not party to.
    #[error("no task '{task}' that '{user}' is party to")]
    UnknownTask {
        /// The identifier.
        task: TaskId,
        /// Who asked.
        user: String,
    },
    /// Only the publisher may do this.
    #[error("only the publisher of task '{task}' may send '{verb}'")]
    NotPublisher {
        /// The task.
        task: TaskId,
        /// The verb.
        verb: Verb,
    },
    /// The task does not take this in its state.
    #[error(transparent)]
    OutOfTurn(#[from] OutOfTurn),
    /// The verb is not offered yet.
    #[error("'{verb}' is not offered by this version")]
    NotOffered {
        /// The verb.
        verb: Verb,
    },
    /// The agent owes an answer and gave none: a defect of the agent. Nothing was changed.
    #[error("agent '{name}' did not answer")]
    NoAnswer {
        /// The agent.
        name: String,
    },
    /// This platform runs no simulated network.
    #[error("this platform runs no simulated network")]
    NoNetwork,
    /// The fault cannot happen.
    #[error("{why}")]
    NoSuchFault {
        /// Why.
        why: String,
    },
    /// The disk is full. Nothing was changed.
    #[error("the store is full")]
    StoreFull,
    /// The store failed. What was asked may not have happened.
    #[error("the store failed: {cause}")]
    StoreFailed {
        /// What it says.
        cause: String,
    },
}

impl From<store::CommitError> for Refusal {
    fn from(error: store::CommitError) -> Self {
        match error {
            store::CommitError::Full => Self::StoreFull,
            other => Self::StoreFailed {
                cause: other.to_string(),
            },
        }
    }
}

impl From<store::ReadError> for Refusal {
    fn from(error: store::ReadError) -> Self {
        Self::StoreFailed {
            cause: error.to_string(),
        }
    }
}
