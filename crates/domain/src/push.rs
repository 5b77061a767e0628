//! Push notification configurations: further receivers of a task's notifications, beside the
//! principal that assigned it (A2A v1.0 §3.1.7 to §3.1.10, v0.3 §7.5 to §7.8).
//!
//! A configuration is read and changed by its owner alone, for it holds secrets of the receiver.
//! The syntax of HTTP fields is checked here; allowed addresses are the operator's configuration.
//! Read next: [`crate::task::Subscription`], the corresponding setting of a task's publisher.

use crate::event::Sequence;
use crate::identifier;
use crate::task::TaskId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A receiver of a task's notifications.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushConfig {
    /// The task.
    pub task: TaskId,
    /// The name of the principal that made it.
    pub owner: String,
    /// Its identifier among those of its owner for the task; 1 to [`PushConfig::ID_MOST`] bytes.
    pub id: String,
    /// The address, as given.
    pub url: String,
    /// The token by which the receiver recognises the sender. A secret.
    pub token: Option<String>,
    /// The authentication with the receiver.
    #[serde(deserialize_with = "Option::deserialize")]
    pub authentication: Option<PushAuthentication>,
    /// The version of A2A in which it was made, and in which the receiver is notified.
    pub version: String,
    /// The place in the log after which notifications are sent.
    pub since: Sequence,
}

/// The authentication with a receiver: the two parts of `Authorization` (RFC 9110 §11.6.2).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushAuthentication {
    /// The scheme, such as `Bearer` or `Basic`.
    pub scheme: String,
    /// The credentials; nothing is sent without them. A secret.
    pub credentials: Option<String>,
}

/// A member of a configuration that its owner chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushMember {
    /// Its identifier.
    Id,
    /// The token.
    Token,
    /// The scheme of the authentication.
    Scheme,
    /// The credentials of the authentication.
    Credentials,
}

impl PushMember {
    /// The name of the member.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Token => "token",
            Self::Scheme => "scheme",
            Self::Credentials => "credentials",
        }
    }
}

impl fmt::Display for PushMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a member of a configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{member}: {why}")]
pub struct InvalidPushConfig {
    /// The member.
    pub member: PushMember,
    /// The reason.
    pub why: String,
}

impl PushConfig {
    /// The longest identifier, in bytes.
    pub const ID_MOST: usize = 256;
    /// The longest secret, in bytes.
    pub const SECRET_MOST: usize = 4_096;
    /// The most configurations of one owner for one task.
    pub const MOST: usize = 16;

    /// The size of its texts in bytes.
    pub fn bytes(&self) -> usize {
        let authentication = self.authentication.as_ref();
        let scheme = authentication.map_or(0, |it| it.scheme.len());
        let secrets = [
            self.token.as_ref(),
            authentication.and_then(|it| it.credentials.as_ref()),
        ];
        let secrets = secrets.into_iter().flatten().map(String::len);
        self.id.len() + self.url.len() + scheme + secrets.sum::<usize>()
    }

    /// Checks that it can be stored, and sent as HTTP fields.
    ///
    /// # Errors
    /// [`InvalidPushConfig`] for the first member that cannot be used.
    pub fn check(&self) -> Result<(), InvalidPushConfig> {
        if !identifier::is_identifier(&self.id, Self::ID_MOST) {
            let why = format!("1 to {} bytes, {}", Self::ID_MOST, identifier::RULE);
            return Err(unusable(PushMember::Id, why));
        }
        let authentication = self.authentication.as_ref();
        let credentials = authentication.and_then(|it| it.credentials.as_ref());
        for (member, secret) in [
            (PushMember::Token, self.token.as_ref()),
            (PushMember::Credentials, credentials),
        ] {
            if secret.is_some_and(|secret| !is_field(secret)) {
                let most = Self::SECRET_MOST;
                let why = format!("1 to {most} visible characters of ASCII");
                return Err(unusable(member, why));
            }
        }
        match authentication {
            Some(it) if !is_token(&it.scheme) => Err(unusable(
                PushMember::Scheme,
                "a word such as Bearer".to_owned(),
            )),
            _ => Ok(()),
        }
    }
}

fn unusable(member: PushMember, why: String) -> InvalidPushConfig {
    let why = format!("{why} are needed");
    InvalidPushConfig { member, why }
}

/// RFC 9110 §5.5: a field value, without obsolete characters.
fn is_field(text: &str) -> bool {
    let inside = |b: u8| b.is_ascii_graphic() || b == b' ';
    (1..=PushConfig::SECRET_MOST).contains(&text.len())
        && text.bytes().all(inside)
        && text.trim() == text
}

/// RFC 9110 §5.6.2: a token.
fn is_token(text: &str) -> bool {
    let inside = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    (1..=64).contains(&text.len()) && text.bytes().all(inside)
}

/// Without secrets, so that it may be logged.
impl fmt::Debug for PushConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushConfig")
            .field("task", &self.task)
            .field("owner", &self.owner)
            .field("id", &self.id)
            .field("version", &self.version)
            .field("since", &self.since)
            .finish_non_exhaustive()
    }
}

/// Without its secret.
impl fmt::Debug for PushAuthentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushAuthentication")
            .field("scheme", &self.scheme)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> PushConfig {
        PushConfig {
            task: TaskId::new("t"),
            owner: "ann".to_owned(),
            id: "c".to_owned(),
            url: "https://oss.example/secret-path".to_owned(),
            token: Some("secret-token".to_owned()),
            authentication: Some(PushAuthentication {
                scheme: "Bearer".to_owned(),
                credentials: Some("secret-credentials".to_owned()),
            }),
            version: "1.0".to_owned(),
            since: 7,
        }
    }

    /// A text that would break out of an HTTP field is refused, and named.
    #[test]
    fn only_what_fits_a_field_is_taken() {
        assert_eq!(config().check(), Ok(()));
        let long = "x".repeat(PushConfig::SECRET_MOST + 1);
        for (secret, holds) in [
            ("x y", true),
            ("", false),
            (" x", false),
            ("x\r\nHost: evil", false),
            ("x\ty", false),
            ("tür", false),
            (long.as_str(), false),
        ] {
            let mut of_token = config();
            of_token.token = Some(secret.to_owned());
            let mut of_credentials = config();
            of_credentials.authentication = Some(PushAuthentication {
                scheme: "Basic".to_owned(),
                credentials: Some(secret.to_owned()),
            });
            for (member, config) in [
                (PushMember::Token, of_token),
                (PushMember::Credentials, of_credentials),
            ] {
                let refused = config.check().map_err(|unusable| unusable.member);
                assert_eq!(
                    refused,
                    if holds { Ok(()) } else { Err(member) },
                    "{secret:?}"
                );
            }
        }
        for scheme in ["", "Bearer x", "Bearer:", "x\n"] {
            let mut config = config();
            config.authentication = Some(PushAuthentication {
                scheme: scheme.to_owned(),
                credentials: None,
            });
            let refused = config.check().map_err(|unusable| unusable.member);
            assert_eq!(refused, Err(PushMember::Scheme), "{scheme:?}");
        }
        for id in ["", "a\nb", "x".repeat(257).as_str()] {
            let config = PushConfig {
                id: id.to_owned(),
                ..config()
            };
            assert_eq!(
                config.check().map_err(|it| it.member),
                Err(PushMember::Id),
                "{id:?}"
            );
        }
    }

    /// The debug output, which may be logged, holds no secret.
    #[test]
    fn it_tells_no_secret_of_itself() {
        let told = format!("{:?} {:?}", config(), config().authentication);
        assert!(!told.contains("secret"), "{told}");
    }
}
