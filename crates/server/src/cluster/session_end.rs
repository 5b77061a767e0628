//! Sessions that end while no leader has them: whoever leads next is told, for its log, which has their
//! beginnings.
//!
//! Read next: [`super::session_forwarder`], where they end; [`super::leading`], which records it.

use super::channel::{ChannelBody, ChannelClient, uri, whole};
use super::leader::LeaderWatch;
use super::opening::SessionEnd;
use hyper::{Method, Request};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tracing::warn;

/// The path on the channel of such an end.
pub(super) const PATH: &str = "/session-ended";

/// The longest time for a leader to be told.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two attempts.
const AGAIN: Duration = Duration::from_millis(500);

/// A session, which may end at any moment. If no leader has it then, the next one is told.
pub(super) struct Ending {
    client: Arc<ChannelClient>,
    leader: LeaderWatch,
    untold: Option<SessionEnd>,
}

impl Ending {
    pub(super) fn new(client: &Arc<ChannelClient>, leader: &LeaderWatch) -> Self {
        Self {
            client: Arc::clone(client),
            leader: leader.clone(),
            untold: None,
        }
    }

    /// No leader has it; none if none ever had.
    pub(super) fn is_left(&mut self, as_what: Option<SessionEnd>) {
        self.untold = as_what;
    }

    /// A leader has it, and notices its end.
    pub(super) fn is_led(&mut self) {
        self.untold = None;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let (Some(end), Ok(runtime)) = (self.untold.take(), Handle::try_current()) {
            let (client, leader) = (Arc::clone(&self.client), self.leader.clone());
            runtime.spawn(tell(client, leader, end));
        }
    }
}

/// Tells whoever leads, for as long as it takes or a minute.
async fn tell(client: Arc<ChannelClient>, leader: LeaderWatch, end: SessionEnd) {
    let told = async {
        while !is_told(&client, &leader, &end).await {
            sleep(AGAIN).await;
        }
    };
    if timeout(PATIENCE, told).await.is_err() {
        let (id, user) = (end.id, &end.user);
        warn!(
            session.id = id,
            user, "the end of session {id} is not in the log"
        );
    }
}

async fn is_told(client: &ChannelClient, leader: &LeaderWatch, end: &SessionEnd) -> bool {
    let known = leader.borrow().clone();
    let (Some(known), Ok(text)) = (known, serde_json::to_string(end)) else {
        return false;
    };
    let mut request: Request<ChannelBody> = Request::new(whole(text));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri(PATH);
    let answered = client.send(&known, request).await;
    answered.is_ok_and(|(response, _)| response.status().is_success())
}
