//! What is ours to mend: the store failed. No refusal, for nothing was wrong with what was asked.
//!
//! What can fail and refuses nothing says so by this type; an operation that refuses as well carries it on
//! ([`Refusal::Failed`](crate::Refusal::Failed)). Read next: [`crate::refusal`].

use store::{CommitError, ReadError};

/// The failure of the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreFailure {
    /// The disk is full. Nothing was changed.
    #[error("the store is full")]
    Full,
    /// Another program keeps the store locked, or our own, while a slow disk syncs. Nothing was changed.
    #[error("another program keeps the store locked")]
    Locked,
    /// The database cannot be reached. Nothing was changed.
    #[error("the database of the store cannot be reached")]
    Unreachable,
    /// What was asked for is damaged on disk: it is refused rather than served.
    #[error("what was stored is damaged: {cause}")]
    Damaged {
        /// Where.
        cause: String,
    },
    /// The store failed. What was asked may not have happened.
    #[error("the store failed: {cause}")]
    Broken {
        /// What it says.
        cause: String,
    },
}

impl StoreFailure {
    /// The same for what should have been stored and is not there.
    pub(crate) fn because(cause: impl Into<String>) -> Self {
        let cause = cause.into();
        Self::Broken { cause }
    }
}

impl From<CommitError> for StoreFailure {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Full => Self::Full,
            CommitError::Locked => Self::Locked,
            CommitError::Unreachable => Self::Unreachable,
            other => Self::because(other.to_string()),
        }
    }
}

impl From<ReadError> for StoreFailure {
    fn from(error: ReadError) -> Self {
        let cause = error.to_string();
        match error {
            ReadError::Corrupt { .. } | ReadError::Forged { .. } => Self::Damaged { cause },
            ReadError::Unreachable(_) => Self::Unreachable,
            _ => Self::Broken { cause },
        }
    }
}
