//! Whether a decision panicked, and who waits to hear of it.
//!
//! Read next: [`super::lock`], under which it may.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use tokio::sync::Notify;

/// Whether a decision panicked.
#[derive(Default)]
pub(crate) struct Broken {
    is: AtomicBool,
    told: Notify,
}

impl Broken {
    /// A decision panicked: whoever waits is told.
    pub(crate) fn set(&self) {
        self.is.store(true, Release);
        self.told.notify_waiters();
    }

    /// True if a decision panicked.
    pub(crate) fn is_set(&self) -> bool {
        self.is.load(Acquire)
    }

    /// Resolves once a decision has panicked.
    pub(crate) async fn wait(&self) {
        let told = self.told.notified();
        let mut told = std::pin::pin!(told);
        // Registered before it is looked: what happens between is told.
        told.as_mut().enable();
        if !self.is_set() {
            told.await;
        }
    }
}
