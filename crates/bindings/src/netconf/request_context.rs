//! What an rpc is asked in: by whom, where, in which session, by which schema, when.
//!
//! Made anew for each request by [`super::session`], or by [`super::sessionless`] for a protocol that has no
//! sessions. Read next: [`super::operation`].

use super::platform::{Platform, SessionInfo};
use super::session_schema::SessionSchema;
use domain::access::Principal;
use domain::time::Timestamp;
use engine::{Endpoint, ForwardedRequest};
use std::sync::Arc;

/// What an operation sees of its session.
pub(super) struct RequestContext<'s> {
    pub(super) platform: &'s Platform,
    pub(super) session_schema: &'s Arc<SessionSchema>,
    pub(super) endpoint: &'s Endpoint,
    pub(super) who: &'s Principal,
    pub(super) info: &'s SessionInfo,
    pub(super) subscribed: bool,
    pub(super) now: Timestamp,
    /// What is known of the request where another process may be given it once more.
    pub(super) request: Option<ForwardedRequest>,
}

impl RequestContext<'_> {
    /// True if there is a session that asks: the first one has the number 1.
    pub(super) fn has_session(&self) -> bool {
        self.info.id != 0
    }
}
