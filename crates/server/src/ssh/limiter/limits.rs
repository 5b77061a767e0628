//! The limits of the gate and their default values.
//!
//! Only values; they are enforced by [`super::ConnectionLimiter`].

use std::time::Duration;

use crate::background;
use crate::ssh::algorithms::KEEPALIVE_INTERVAL;

/// The limits of the SSH listeners.
#[derive(Clone, Debug)]
pub struct SshLimits {
    /// The most unauthenticated connections in handshake at once.
    pub unauthenticated_max: usize,
    /// The share of these that one source may hold.
    pub unauthenticated_source_max: usize,
    /// The most accepted connections that wait for their handshake, in all.
    pub waiting_max: usize,
    /// The share of these that one source may hold.
    pub waiting_source_max: usize,
    /// The most failed attempts per second and source; one more and it is refused.
    pub failed_max: u32,
    /// The time for which a source is then refused.
    pub refusal: Duration,
    /// The age at which a handshake may be cut for waiting connections.
    pub stale: Duration,
    /// The longest time from accept to authentication.
    pub handshake: Duration,
    /// The most authentication requests that are answered; the next one disconnects.
    pub tries_max: usize,
    /// The most bytes received before authentication: a key exchange is 3 KiB, and six attempts
    /// with RSA keys of 16,384 bits are 27.
    pub unauthenticated_bytes_max: usize,
    /// The number of connections of a user, or of a source before authentication, that are worked
    /// on at a time.
    pub at_once: usize,
    /// The time that each rejection takes (except for the initial "none").
    pub rejection: Duration,
    /// The most sessions (connections and further channels on them) at once.
    pub sessions_max: usize,
    /// The most channels at once on one connection.
    pub channels_max: usize,
    /// The time of silence after which a keep-alive is sent to a peer; after four times this its
    /// connection is closed.
    pub keepalive: Duration,
}

impl Default for SshLimits {
    fn default() -> Self {
        Self {
            unauthenticated_max: 100,
            unauthenticated_source_max: 80,
            waiting_max: 4096,
            waiting_source_max: 2048,
            failed_max: 20,
            refusal: Duration::from_secs(3),
            stale: Duration::from_secs(3),
            handshake: Duration::from_secs(30),
            tries_max: 6,
            unauthenticated_bytes_max: 32 << 10,
            at_once: background::cores().get(),
            rejection: Duration::from_secs(1),
            sessions_max: 12_000,
            channels_max: 10,
            keepalive: KEEPALIVE_INTERVAL,
        }
    }
}
