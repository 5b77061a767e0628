//! What comes back for hosted agents from others, wherever those are, and by which name and tag both
//! sides know it.
//!
//! Read next: [`super`], which sends; [`crate::outside::remote_tasks`], to A2A agents elsewhere.

use domain::agent::Undelivered;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::telemetry::Token;
use std::sync::Arc;

/// The name under which a platform logs in to agents that are servers elsewhere, and of its key.
pub const PLATFORM: &str = "platform";

/// The tag of a message that could not be delivered.
pub(crate) const UNREACHABLE: &str = "unreachable";

/// Something that arrived for an agent.
#[derive(Debug)]
pub enum Arrival {
    /// The reply to its message.
    Reply {
        /// The agent.
        agent: String,
        /// The token of the sending.
        token: Token,
        /// The reply, or the error instead of one.
        reply: Result<Reply, Undelivered>,
    },
    /// The reply to its message is delayed: the peer cannot be reached at the moment, or needs time
    /// to answer.
    Delayed {
        /// The agent.
        agent: String,
        /// The token of the sending.
        token: Token,
    },
    /// A notification of a task that the peer executes.
    Notified {
        /// The agent.
        agent: String,
        /// The peer.
        from: String,
        /// The notification.
        notification: Arc<Notification>,
    },
}
