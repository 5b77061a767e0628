//! Push notification configurations.
//!
//! Only data: requests are sent by the server, to allow-listed targets. Read next:
//! [`crate::request`], [`crate::wire::push_body`].

/// The authentication with the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticationInfo {
    /// The scheme of the `Authorization` header; the first, if a v0.3 client names several.
    pub scheme: String,
    /// The credentials of the scheme. A secret.
    pub credentials: Option<String>,
}

/// A configuration for push notifications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushNotificationConfig {
    /// The identifier within the task; made by the agent if the client names none.
    pub id: Option<String>,
    /// The task; none inside a message that begins one.
    pub task_id: Option<String>,
    /// The target.
    pub url: String,
    /// The token by which the target recognises the agent; sent as `X-A2A-Notification-Token`. A
    /// secret.
    pub token: Option<String>,
    /// The authentication with the target.
    pub authentication: Option<AuthenticationInfo>,
}

/// The header that carries [`PushNotificationConfig::token`].
pub const TOKEN_HEADER: &str = "X-A2A-Notification-Token";

impl PushNotificationConfig {
    /// A configuration with this target and nothing else.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            id: None,
            task_id: None,
            url: url.into(),
            token: None,
            authentication: None,
        }
    }

    /// The value of the `Authorization` header for the target, if it demands one.
    pub fn authorization(&self) -> Option<String> {
        let authentication = self.authentication.as_ref()?;
        let credentials = authentication.credentials.as_deref()?;
        Some(format!("{} {credentials}", authentication.scheme))
    }
}
