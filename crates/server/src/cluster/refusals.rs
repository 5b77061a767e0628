//! Logins that this node refuses, for the audit trail, which the node that leads keeps.
//!
//! While nobody leads, and where there are more than can be told, they are in the log of the program alone. Read
//! next: [`crate::trail`].

use super::channel::{ChannelBody, ChannelClient, uri, whole};
use super::leader::LeaderWatch;
use super::requests::AUDIT_PATH;
use crate::trail::Trail;
use domain::audit::{AuditEvent, AuditKind};
use hyper::{Method, Request};
use std::sync::Arc;
use tokio::sync::mpsc;
use tracing::{info, warn};

/// How many may wait to be told.
const WAITING: usize = 1_024;

/// A trail that tells the leader what this node refuses. What it admits, the leader records by itself. Must be
/// called inside a tokio runtime.
pub(super) fn trail(client: &Arc<ChannelClient>, leader: &LeaderWatch) -> Trail {
    let (told, mut waiting) = mpsc::channel::<AuditEvent>(WAITING);
    let (client, leader) = (Arc::clone(client), leader.clone());
    tokio::spawn(async move {
        while let Some(event) = waiting.recv().await {
            tell(&client, &leader, &event).await;
        }
    });
    Arc::new(move |event: AuditEvent| {
        if event.kind == AuditKind::LoginFailed {
            let (user, source) = (&event.user, &event.source);
            info!(user, "'{user}' at {source} is sent away: {}", event.reason);
            if told.try_send(event).is_err() {
                warn!("more logins are refused than can be told to the node that leads");
            }
        }
    })
}

async fn tell(client: &ChannelClient, leader: &LeaderWatch, event: &AuditEvent) {
    let known = leader.borrow().clone();
    let (Some(known), Ok(text)) = (known, serde_json::to_string(event)) else {
        return;
    };
    let mut request: Request<ChannelBody> = Request::new(whole(text));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri(AUDIT_PATH);
    if let Err((why, _)) = client.send(&known, request).await {
        warn!("a refused login is not in the audit trail: {why}");
    }
}
