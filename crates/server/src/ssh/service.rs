//! The state that a listener shares with its connections.
//!
//! Read next: [`super::listener`], which makes it; `handler`, which answers by it.

use super::authentication::Authenticator;
use super::limiter::ConnectionLimiter;
use super::stream::Subsystem;
use russh::server::Config;
use std::sync::Arc;

/// The state shared by the connections of one listener.
pub(super) struct Service {
    pub(super) config: Arc<Config>,
    pub(super) limiter: Arc<ConnectionLimiter>,
    pub(super) authenticator: Arc<dyn Authenticator>,
    pub(super) subsystem: Arc<dyn Subsystem>,
}
