//! The bytes that wait for each owner, within a bound.
//!
//! Knows sums. Read next: [`super`].

use std::collections::BTreeMap;
use std::sync::Arc;

/// The most [bytes](super::DeliveryQueue::bytes) of one owner's queues with waiting changes, and likewise
/// of those whose receivers have unsubscribed: some fifteen thousand queues, or two thousand to
/// addresses of 2 KiB. Either may last for a day or longer, and is in the cursors, which are
/// written as a whole.
pub const WAITING_BYTES: usize = 16 << 20;

/// The bytes of the queues of each owner.
#[derive(Debug, Default)]
pub(super) struct WaitingBytes(BTreeMap<Arc<str>, usize>);

impl WaitingBytes {
    /// Adds bytes; false, and nothing is added, if their owner would have more than
    /// [`WAITING_BYTES`].
    pub(super) fn add(&mut self, owner: &Arc<str>, more: usize) -> bool {
        let bytes = self.0.get(owner).copied().unwrap_or(0) + more;
        let room = bytes <= WAITING_BYTES;
        if room {
            self.0.insert(Arc::clone(owner), bytes);
        }
        room
    }

    /// Subtracts bytes.
    pub(super) fn remove(&mut self, owner: &Arc<str>, fewer: usize) {
        if let Some(bytes) = self.0.get_mut(owner) {
            *bytes -= fewer;
            if *bytes == 0 {
                self.0.remove(owner);
            }
        }
    }
}
