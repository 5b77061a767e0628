//! The answer to one rpc, and when it is known.
//!
//! Operations make it; [`super::session`] sends it in the order of requests (RFC 6241 §4.5).

use super::output::Output;
use super::subscription::Subscription;
use ::netconf::error::RpcError;
use ::netconf::session::CloseReason;
use std::future::Future;
use std::pin::Pin;

/// What is sent back for one rpc.
pub(super) enum Answer {
    /// `<ok/>`.
    Ok,
    /// Elements, complete.
    Body(Vec<u8>),
    /// What stands in the `<data>` of the base namespace.
    Data(Vec<u8>),
    /// `<ok/>`, and the subscription begins.
    Subscribed(Box<Subscription>),
    /// `<ok/>`, and the session ends.
    Closing(CloseReason),
}

impl Answer {
    /// The reply with this output; RFC 7950 §7.14.4: `<ok/>` if nothing stands in it.
    pub(super) fn of(output: impl Output) -> Self {
        let body = output.into_bytes();
        match body.is_empty() {
            true => Self::Ok,
            false => Self::Body(body),
        }
    }
}

/// The outcome of a negotiation that is not on disk yet, or of a search under way.
pub(super) type Pending = Pin<Box<dyn Future<Output = Result<Answer, RpcError>> + Send>>;

/// What becomes of one rpc.
pub(super) enum Dispatch {
    /// Known now.
    Now(Result<Answer, RpcError>),
    /// Known later, in its turn.
    Later(Pending),
}
