//! The figures of the gate and their usual values.
//!
//! Knows no mechanism; that is [`super::Gate`]'s.

use std::time::Duration;

use crate::background;
use crate::ssh::algorithms::KEEPALIVE_INTERVAL;

/// How much is too much.
#[derive(Clone, Debug)]
pub struct SshLimits {
    /// Unauthenticated connections in handshake at once.
    pub unauthenticated_max: usize,
    /// The share of these that one source may hold.
    pub unauthenticated_source_max: usize,
    /// Accepted connections that wait for their handshake, in all.
    pub waiting_max: usize,
    /// The share of these that one source may hold.
    pub waiting_source_max: usize,
    /// Failed attempts per second and source; one more and it is refused.
    pub failed_max: u32,
    /// How long a source is then refused.
    pub refusal: Duration,
    /// A handshake older than this makes room when others wait.
    pub stale: Duration,
    /// The longest time from accept to authentication, whatever happens.
    pub handshake: Duration,
    /// Requests to authenticate that are answered; the next one disconnects.
    pub tries_max: usize,
    /// Bytes that may come in before somebody has authenticated: an exchange of
    /// keys is 3 KiB, and six tries with RSA keys of 16,384 bits are 27.
    pub unauthenticated_bytes_max: usize,
    /// How many connections of a user, or of a source on which nobody has
    /// authenticated, are worked on at a time.
    pub at_once: usize,
    /// Time each rejection takes (but for the initial "none").
    pub rejection: Duration,
    /// Sessions (connections and further channels on them) at once.
    pub sessions_max: usize,
    /// Channels at once on one connection.
    pub channels_max: usize,
    /// A peer that is silent for so long is asked for a sign of life; four times
    /// this after its last one its connection is closed.
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
