//! Where a client wants to be told what happens to a task.
//!
//! Knows the configuration as data; refuses to call anyone: who may be called is the server's to
//! decide (row 7 of the security notes: targets are allow-listed). Read next: [`crate::request`].

use crate::event::Event;
use crate::task::Task;
use crate::version::{Dialect, Version};
use crate::wire;
use serde_json::Value;

/// How to authenticate with the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushAuthentication {
    /// The scheme of the `Authorization` header; of several that a v0.3 client names, the first.
    pub scheme: String,
    /// What stands behind the scheme. A secret.
    pub credentials: Option<String>,
}

/// A configuration for push notifications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConfig {
    /// Its identifier within the task; made by the agent if the client says none.
    pub id: Option<String>,
    /// The task; none inside a message that begins one.
    pub task_id: Option<String>,
    /// The target.
    pub url: String,
    /// What the target recognises the agent by; sent as `X-A2A-Notification-Token`. A secret.
    pub token: Option<String>,
    /// How to authenticate with the target.
    pub authentication: Option<PushAuthentication>,
}

/// The header that carries [`PushConfig::token`].
pub const TOKEN_HEADER: &str = "X-A2A-Notification-Token";

impl PushConfig {
    /// A configuration that says no more than its target.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            id: None,
            task_id: None,
            url: url.into(),
            token: None,
            authentication: None,
        }
    }

    /// The value of the `Authorization` header for the target, if it wants one.
    pub fn authorization(&self) -> Option<String> {
        let authentication = self.authentication.as_ref()?;
        let credentials = authentication.credentials.as_deref()?;
        Some(format!("{} {credentials}", authentication.scheme))
    }
}

/// The body of a push notification: to a v1.0 client the event, to a v0.3 client the task as the
/// event left it (v1.0 §4.3.3, v0.3 §9.5).
pub fn body(version: Version, event: &Event, task: &Task) -> Value {
    match version {
        Version::V10 => wire::event(Dialect::V10, event),
        Version::V03 => wire::task(Dialect::V03, task),
    }
}
