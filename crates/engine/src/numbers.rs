//! The count of the engine: what came first among all that has a place in an order.
//!
//! Knows nothing of what is counted. Identifiers of the platform, deadlines and inputs of agents draw from it,
//! so that a seed decides all three. Read next: [`crate::tasks::work`], [`crate::hosting::agents`].

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Draws numbers.
#[derive(Default)]
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    /// A number that no other call of this run returned; the first is 1.
    pub(crate) fn next(&self) -> u64 {
        self.0.fetch_add(1, Relaxed) + 1
    }
}
