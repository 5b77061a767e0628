//! Configuration, events, close reasons and counters of a session. The machine itself is in
//! [`super`].

use super::rpc::Rpc;
use crate::framing::{Framing, FramingError};
use crate::hello::Capabilities;
use crate::xml::Limits;

/// The configuration of a session.
#[derive(Debug, Clone)]
pub struct SessionConfig {
    /// Announced to the client.
    pub capabilities: Capabilities,
    /// Bounds on its messages.
    pub limits: Limits,
    /// Milliseconds from start to the client's hello.
    pub hello_timeout_ms: u64,
    /// Milliseconds that a message may take from its first byte to its last.
    pub message_timeout_ms: u64,
}

impl SessionConfig {
    /// 30 s for the hello, 60 s for a message, default limits.
    pub fn new(capabilities: Capabilities) -> Self {
        SessionConfig {
            capabilities,
            limits: Limits::default(),
            hello_timeout_ms: 30_000,
            message_timeout_ms: 60_000,
        }
    }
}

/// An event of a session, for its owner.
#[derive(Debug)]
pub enum SessionEvent {
    /// The hellos are exchanged.
    Ready {
        /// The capabilities that the client announced.
        capabilities: Capabilities,
        /// The framing from here on.
        framing: Framing,
    },
    /// A request; to be answered once, in order.
    Rpc(Rpc),
    /// The session is over. The remaining output of [`Session::transmit`](super::Session::transmit)
    /// is to be sent, then the channel is to be closed.
    Close(CloseReason),
}

/// The reason for which a session ends.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CloseReason {
    /// The client asked for it.
    #[error("closed by the client")]
    Requested,
    /// Another session killed it; 0 if it was no NETCONF session.
    #[error("killed by session {by}")]
    Killed {
        /// The session that killed it.
        by: u32,
    },
    /// The transport is gone.
    #[error("the transport was dropped")]
    Dropped,
    /// No hello in time.
    #[error("no hello in time")]
    HelloTimeout,
    /// A message was begun and not finished in time.
    #[error("a message was not finished in time")]
    MessageTimeout,
    /// The first message was no acceptable hello.
    #[error("bad hello: {0}")]
    BadHello(String),
    /// A message that is no `<rpc>` or no XML.
    #[error("malformed message: {0}")]
    Malformed(String),
    /// A message larger than allowed.
    #[error("message too big: {0}")]
    TooBig(String),
    /// The chunk grammar was broken.
    #[error("{0}")]
    BadFraming(FramingError),
    /// The server ends it for a reason of its own.
    #[error("{0}")]
    Other(String),
}

impl CloseReason {
    /// The `termination-reason` of RFC 6470.
    pub fn termination_reason(&self) -> &'static str {
        match self {
            CloseReason::Requested => "closed",
            CloseReason::Killed { .. } => "killed",
            CloseReason::Dropped => "dropped",
            CloseReason::BadHello(_) => "bad-hello",
            // RFC 6470 §2.2: inactivity, "e.g., waiting for the <hello> message".
            CloseReason::HelloTimeout | CloseReason::MessageTimeout => "timeout",
            CloseReason::Malformed(_)
            | CloseReason::TooBig(_)
            | CloseReason::BadFraming(_)
            | CloseReason::Other(_) => "other",
        }
    }
}

/// The counters of RFC 6022 §2.1.5 for one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionStatistics {
    /// Correct `<rpc>` messages received.
    pub in_rpcs: u64,
    /// Messages received that were no correct `<rpc>`.
    pub in_bad_rpcs: u64,
    /// Replies sent that hold an `<rpc-error>`.
    pub out_rpc_errors: u64,
    /// Notifications sent.
    pub out_notifications: u64,
}
