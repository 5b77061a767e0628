//! Callers who wait for a batch that many share, and the news that it is on disk.
//!
//! Read next: [`crate::commit`], which tells them.

use crate::failure::StoreFailure;
use domain::reply::Reply;
use store::{Condition, Store, Ticket};
use tokio::sync::oneshot;

/// What callers waited for, with what says when it is on disk.
pub(crate) type Resolution<T = Reply> = (T, Stored);

/// Callers with the replies that are theirs.
pub(crate) type Resolved<T = Reply> = Vec<(oneshot::Sender<Resolution<T>>, T)>;

/// Resolves once a batch that is shared by many is on disk, or will never be.
pub(crate) struct Stored {
    /// Stands behind the batch.
    pub(crate) ticket: Ticket,
    pub(crate) store: Store,
    /// How many batches had been taken back before it.
    pub(crate) taken_back: u64,
}

impl Stored {
    /// # Errors
    /// [`StoreFailure`] if the batch, or one that was under way with it, was not stored.
    pub(crate) async fn wait(self) -> Result<(), StoreFailure> {
        self.ticket.await?;
        if self.store.taken_back() == self.taken_back {
            return Ok(());
        }
        Err(match self.store.statistics().condition {
            Condition::Full => StoreFailure::Full,
            Condition::Locked => StoreFailure::Locked,
            Condition::Unreachable => StoreFailure::Unreachable,
            Condition::Working | Condition::Stopped => {
                StoreFailure::because("the answer may not have been stored")
            }
        })
    }
}
