//! Why a session could not be opened, told apart as far as a user can act on it.
//!
//! Knows nothing of exit codes; the command line maps these to its own.

use std::io;

/// Why there is no stream.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Not of the form `host:port`.
    #[error("{address:?} is not host:port")]
    Address {
        /// What was given.
        address: String,
    },
    /// Nothing answers there.
    #[error("{address} cannot be reached")]
    Unreachable {
        /// Where.
        address: String,
        /// What the system says.
        #[source]
        cause: io::Error,
    },
    /// Something answers, but too slowly.
    #[error("{address} did not let us in within {limit_ms} ms")]
    TimedOut {
        /// Where.
        address: String,
        /// The time allowed.
        limit_ms: u64,
    },
    /// The server has another key than the one we trust.
    #[error("{address} shows a host key that is not the one trusted ({fingerprint})")]
    HostKeyMismatch {
        /// Where.
        address: String,
        /// SHA-256 fingerprint of the key it showed.
        fingerprint: String,
    },
    /// The `known_hosts` file has no key for the address.
    #[error("no host key is known for {address} (it shows {fingerprint})")]
    HostKeyUnknown {
        /// Where.
        address: String,
        /// SHA-256 fingerprint of the key it showed.
        fingerprint: String,
    },
    /// The server does not accept the key for this user.
    #[error("{address} does not let {user} in with this key")]
    AuthenticationRefused {
        /// Where.
        address: String,
        /// As whom.
        user: String,
    },
    /// The server has as many sessions as it wants, or turned us away.
    #[error("{address} sends us away: {reason}")]
    SentAway {
        /// Where.
        address: String,
        /// What it says.
        reason: String,
        /// `true` for `SSH_DISCONNECT_TOO_MANY_CONNECTIONS`: try later.
        too_many: bool,
    },
    /// The server does not serve `netconf` (on one more channel).
    #[error("{address} does not serve netconf")]
    SubsystemRefused {
        /// Where.
        address: String,
    },
    /// The server does not speak SSH as we do, or hung up.
    #[error("{address} broke off the SSH handshake")]
    Protocol {
        /// Where.
        address: String,
        /// What the library says.
        #[source]
        cause: russh::Error,
    },
}
