//! Several nodes as one platform: one leads, the others accept clients and forward to it.
//!
//! [`identity`] is who a node is to the others, [`leader`] who leads; `channel` carries what is asked from a
//! node that accepts clients to the one that leads. [`forwarding`] is what a node does with both: `accepted`
//! is a session at the node that its client is connected to, `led` the same at the one that leads. `record`
//! is what they say to each other of it, in the forms of `opening`, and `continuity` what is kept of it while
//! leaders come and go; `requests` are those of HTTP.

mod accepted;
mod channel;
mod continuity;
pub mod forwarding;
pub mod identity;
pub mod leader;
mod led;
mod opening;
mod record;
mod requests;

pub use forwarding::{Forwarding, ForwardingSetup};

use std::sync::Arc;

/// Asked before anything goes out of a node that leads: true if it still does.
pub type Passes = Arc<dyn Fn() -> bool + Send + Sync>;
