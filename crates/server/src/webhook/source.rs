//! The platform as deliveries see it: its log, the subscriptions and push configurations, and
//! stored cursors.
//!
//! Read next: [`super::delivery`].

use bindings::a2a::Push;
use domain::event::{Entry, Sequence};
use domain::notification::Notification;
use domain::push::PushConfig;
use domain::task::Subscription;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// The error of the platform, which logs it itself where it matters.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Resolves when cursors are on disk.
pub type Kept = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

/// A source of changes of tasks.
pub trait DeliverySource: Send + Sync + 'static {
    /// The place of the last committed entry of the log, to wait for more.
    fn watch(&self) -> watch::Receiver<Sequence>;

    /// Up to `limit` entries of the log after the cursor, in order and without a gap.
    ///
    /// # Errors
    /// [`Failure`] if the log cannot be read.
    fn after(&self, cursor: Sequence, limit: usize) -> Result<Vec<Arc<Entry>>, Failure>;

    /// The subscription of the publisher to this change; none if there is none, or if the publisher
    /// may not receive such a notification.
    ///
    /// # Errors
    /// [`Failure`] if the task cannot be read.
    fn subscription(&self, change: &Notification) -> Result<Option<Subscription>, Failure>;

    /// The push configurations by which this change, at this place of the log, is pushed.
    ///
    /// # Errors
    /// [`Failure`] if they cannot be read.
    fn pushed_by(
        &self,
        sequence: Sequence,
        change: &Notification,
    ) -> Result<Vec<PushConfig>, Failure>;

    /// The notification of the change for one of them; none if nothing is to be pushed any more.
    ///
    /// # Errors
    /// [`Failure`] if the task cannot be read.
    fn push_of(
        &self,
        config: &PushConfig,
        sequence: Sequence,
        change: &Notification,
    ) -> Result<Option<Push>, Failure>;

    /// The stored cursors, by name.
    ///
    /// # Errors
    /// [`Failure`] if they cannot be read.
    fn cursors(&self) -> Result<Vec<(String, Sequence)>, Failure>;

    /// Stores these cursors, all of them or none; one without a sequence is deleted.
    fn keep(&self, cursors: Vec<(String, Option<Sequence>)>) -> Kept;
}
