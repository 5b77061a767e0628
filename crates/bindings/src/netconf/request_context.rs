//! What an rpc is asked in: by whom, where, in which session, by which schema, when.
//!
//! Made anew for each request by [`super::session`], or by [`super::sessionless`] for a protocol that has no
//! sessions. Read next: [`super::operation`].

use super::platform::{Platform, SessionInfo};
use super::session_schema::SessionSchema;
use domain::access::Principal;
use domain::negotiation::RequestKey;
use domain::time::Timestamp;
use engine::Endpoint;
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
    /// By which the request is known again if another process is given it once more.
    pub(super) request: Option<RequestKey>,
}

impl RequestContext<'_> {
    /// True if there is a session that asks: the first one has the number 1.
    pub(super) fn has_session(&self) -> bool {
        self.info.id != 0
    }
}
