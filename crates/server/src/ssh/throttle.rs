//! The throttle between the reader of a session, which sets it, and the transport below, which goes
//! by it.
//!
//! Read next: [`super::inbound`], the reader.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of bytes not taken from which the peer is throttled, until half as many are left.
const THROTTLE_BYTES: usize = 1 << 20;

/// The throttle of a peer whose input is not taken. Set by the reader, respected by the transport.
#[derive(Clone, Debug, Default)]
pub struct Throttle(Arc<AtomicBool>);

impl Throttle {
    /// True while the peer should not send.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets it by the number of bytes that wait.
    pub(super) fn set(&self, queued_bytes: usize) {
        if queued_bytes >= THROTTLE_BYTES {
            self.0.store(true, Ordering::Relaxed);
        } else if queued_bytes <= THROTTLE_BYTES / 2 {
            self.0.store(false, Ordering::Relaxed);
        }
    }
}
