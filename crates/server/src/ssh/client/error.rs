//! The reasons for which a session could not be opened, distinguished as far as a user can act on
//! them.
//!
//! Knows nothing of exit codes; the command line maps these to its own.

use std::io;

/// The reason for which there is no stream.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The address is not of the form `host:port`.
    #[error("{address:?} is not host:port")]
    Address {
        /// The address given.
        address: String,
    },
    /// No connection was established.
    #[error("{address} cannot be reached")]
    Unreachable {
        /// The address.
        address: String,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The server is too slow.
    #[error("{address} did not let us in within {limit_ms} ms")]
    TimedOut {
        /// The address.
        address: String,
        /// The time allowed.
        limit_ms: u64,
    },
    /// The server has another key than the trusted one.
    #[error("{address} shows a host key that is not the one trusted ({fingerprint})")]
    HostKeyMismatch {
        /// The address.
        address: String,
        /// SHA-256 fingerprint of the key it showed.
        fingerprint: String,
    },
    /// The `known_hosts` file has no key for the address.
    #[error("no host key is known for {address} (it shows {fingerprint})")]
    HostKeyUnknown {
        /// The address.
        address: String,
        /// SHA-256 fingerprint of the key it showed.
        fingerprint: String,
    },
    /// The server does not accept the key for this user.
    #[error("{address} does not let {user} in with this key")]
    AuthenticationRefused {
        /// The address.
        address: String,
        /// The user.
        user: String,
    },
    /// The server has too many sessions, or disconnected us.
    #[error("{address} sends us away: {reason}")]
    SentAway {
        /// The address.
        address: String,
        /// The server's message.
        reason: String,
        /// `true` for `SSH_DISCONNECT_TOO_MANY_CONNECTIONS`: try later.
        too_many: bool,
    },
    /// The server does not serve `netconf` (on one more channel).
    #[error("{address} does not serve netconf")]
    SubsystemRefused {
        /// The address.
        address: String,
    },
    /// The server violated the protocol, or hung up.
    #[error("{address} broke off the SSH handshake")]
    Protocol {
        /// The address.
        address: String,
        /// The error of the library.
        #[source]
        cause: russh::Error,
    },
}
