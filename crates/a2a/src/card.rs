//! The agent card: identity, skills, interfaces (v1.0 §4.4, v0.3 §5.5).
//!
//! Holds one card for both versions, and the checks of a request that depend on it: accepted media
//! types, available capabilities. Its JSON is in [`crate::wire`]. Read next: [`document`], the card
//! as served; [`signature`]; [`profile`], a card from a profile of the platform.

pub mod document;
pub mod profile;
pub mod signature;

use crate::error::{Error, ErrorKind};
use crate::media::MediaType;
use crate::message::{Message, Metadata};
use crate::method::Method;
use crate::version::{Version, inert};
use serde_json::Value;
use std::collections::BTreeMap;

/// The form in which a card is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CardProfile {
    /// With the root member `schemas` of the object-schemas extension (§1), and with the members of
    /// v0.3.
    #[default]
    Schemas,
    /// v1.0 members alone, as extensions must not add members to core structures. The form that is
    /// signed.
    Strict,
}

/// The name of the binding JSON-RPC.
pub const JSONRPC: &str = "JSONRPC";
/// The name of the binding HTTP+JSON.
pub const HTTP_JSON: &str = "HTTP+JSON";

/// A place where the agent is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentInterface {
    /// Its URL.
    pub url: String,
    /// [`JSONRPC`], [`HTTP_JSON`], `GRPC` or the URI of another binding.
    pub binding: String,
    /// The version spoken there, such as `1.0`.
    pub version: String,
    /// The `tenant` that requests must name there.
    pub tenant: Option<String>,
}

/// The provider of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProvider {
    /// The organization.
    pub organization: String,
    /// The URL of its website.
    pub url: String,
}

/// The optional capabilities of the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentCapabilities {
    /// Streaming; none if not stated.
    pub streaming: Option<bool>,
    /// Push notifications; none if not stated.
    pub push_notifications: Option<bool>,
    /// An extended card for authenticated clients; none if not stated.
    pub extended_card: Option<bool>,
}

/// An extension that the agent supports.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentExtension {
    /// Its identifier.
    pub uri: String,
    /// The description of the agent's use of it.
    pub description: Option<String>,
    /// True if requests without it are refused.
    pub required: bool,
    /// Its parameters.
    pub params: Metadata,
}

/// A skill of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSkill {
    /// Its identifier, unique in the card.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// The description.
    pub description: String,
    /// Keywords.
    pub tags: Vec<String>,
    /// Example prompts.
    pub examples: Vec<String>,
    /// Media types that it reads; empty for those of the card.
    pub input_modes: Vec<String>,
    /// Media types that it writes; empty for those of the card.
    pub output_modes: Vec<String>,
    /// The security requirements beside those of the card.
    pub security: Vec<Requirement>,
}

/// Schemes that are needed together, each with its scopes.
pub type Requirement = BTreeMap<String, Vec<String>>;

/// A way to authenticate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityScheme {
    /// The description, for people.
    pub description: Option<String>,
    /// The kind of scheme.
    pub kind: SecurityKind,
}

/// The ways to authenticate (v1.0 §4.5, v0.3 §5.5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityKind {
    /// A key in a header, a query parameter or a cookie.
    ApiKey {
        /// `header`, `query` or `cookie`.
        location: String,
        /// The name of the header, parameter or cookie.
        name: String,
    },
    /// A scheme of HTTP authentication.
    Http {
        /// `Bearer`, `Basic`, …
        scheme: String,
        /// `JWT`, …
        bearer_format: Option<String>,
    },
    /// OAuth 2.0; the flows as raw JSON, the same in both versions.
    OAuth2 {
        /// The flows, by name.
        flows: BTreeMap<String, Metadata>,
        /// The URL of the metadata (RFC 8414).
        metadata_url: Option<String>,
    },
    /// OpenID Connect.
    OpenIdConnect {
        /// The URL of the discovery document.
        url: String,
    },
    /// A client certificate.
    MutualTls,
}

/// A signature over the card (v1.0 §4.4.7).
#[derive(Clone, Debug, PartialEq)]
pub struct CardSignature {
    /// The protected header, base64url.
    pub protected: String,
    /// The signature, base64url.
    pub signature: String,
    /// The unprotected header.
    pub header: Metadata,
}

/// An agent card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The version of the agent.
    pub version: String,
    /// The provider.
    pub provider: Option<AgentProvider>,
    /// The URL of the documentation.
    pub documentation_url: Option<String>,
    /// The URL of the icon.
    pub icon_url: Option<String>,
    /// The interfaces, the preferred one first.
    pub interfaces: Vec<AgentInterface>,
    /// The optional capabilities.
    pub capabilities: AgentCapabilities,
    /// The extensions that it supports.
    pub extensions: Vec<AgentExtension>,
    /// The ways to authenticate, by name.
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// The security requirements, one of which must be met.
    pub security: Vec<Requirement>,
    /// Media types that it reads.
    pub default_input_modes: Vec<String>,
    /// Media types that it writes.
    pub default_output_modes: Vec<String>,
    /// The skills.
    pub skills: Vec<AgentSkill>,
    /// The root member of the object-schemas extension; see [`crate::objects`] for declared
    /// schemas.
    pub schemas: BTreeMap<String, Value>,
    /// The signatures.
    pub signatures: Vec<CardSignature>,
}

impl Card {
    /// A card with these members and no others; it reads and writes text.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        version: impl Into<String>,
    ) -> Self {
        let text = || vec!["text/plain".to_owned()];
        Self {
            name: name.into(),
            description: description.into(),
            version: version.into(),
            provider: None,
            documentation_url: None,
            icon_url: None,
            interfaces: Vec::new(),
            capabilities: AgentCapabilities::default(),
            extensions: Vec::new(),
            security_schemes: BTreeMap::new(),
            security: Vec::new(),
            default_input_modes: text(),
            default_output_modes: text(),
            skills: Vec::new(),
            schemas: BTreeMap::new(),
            signatures: Vec::new(),
        }
    }

    /// The interface of a version over a binding.
    pub fn interface(&self, binding: &str, version: Version) -> Option<&AgentInterface> {
        let mut all = self.interfaces.iter();
        all.find(|it| it.binding == binding && Version::of_header(Some(&it.version)) == Ok(version))
    }

    /// The skill with an identifier.
    pub fn skill(&self, id: &str) -> Option<&AgentSkill> {
        self.skills.iter().find(|skill| skill.id == id)
    }

    /// The declaration of an extension.
    pub fn extension(&self, uri: &str) -> Option<&AgentExtension> {
        self.extensions.iter().find(|it| it.uri == uri)
    }

    /// Declares an extension, replacing an earlier declaration of it.
    pub fn declare(&mut self, extension: AgentExtension) {
        self.extensions.retain(|it| it.uri != extension.uri);
        self.extensions.push(extension);
    }

    /// Checks that the media types of a message's parts are accepted: those of the card and of its
    /// skills, compared without their parameters. A part without a media type is accepted.
    ///
    /// # Errors
    /// [`ErrorKind::ContentTypeNotSupported`], naming the first part that is not accepted.
    pub fn reads(&self, message: &Message) -> Result<(), Error> {
        let skills = self.skills.iter().flat_map(|skill| &skill.input_modes);
        let modes = self.default_input_modes.iter().chain(skills);
        let modes: Vec<MediaType> = modes.filter_map(|mode| MediaType::parse(mode)).collect();
        let is_read = |named: &str| {
            let named = MediaType::parse(named);
            named.is_some_and(|named| modes.iter().any(|mode| mode.covers(&named)))
        };
        for (i, part) in message.parts.iter().enumerate() {
            if let Some(named) = part.media_types().find(|named| !is_read(named)) {
                return Err(not_read(i, named, &modes));
            }
        }
        Ok(())
    }

    /// Checks that the agent has the capability that a method needs.
    ///
    /// # Errors
    /// [`ErrorKind::PushNotificationNotSupported`] and [`ErrorKind::UnsupportedOperation`], by v1.0
    /// §3.3.4; for the extended card, by v0.3 §8.2, [`ErrorKind::ExtendedCardNotConfigured`].
    pub fn offers(&self, method: Method, version: Version) -> Result<(), Error> {
        let has = |capability: Option<bool>| capability.unwrap_or(false);
        let (is_there, kind, what) = match method {
            Method::SendStreamingMessage | Method::SubscribeToTask => (
                has(self.capabilities.streaming),
                ErrorKind::UnsupportedOperation,
                "streaming",
            ),
            Method::CreatePushConfig
            | Method::GetPushConfig
            | Method::ListPushConfigs
            | Method::DeletePushConfig => (
                has(self.capabilities.push_notifications),
                ErrorKind::PushNotificationNotSupported,
                "push notifications",
            ),
            Method::GetExtendedCard => (
                has(self.capabilities.extended_card),
                match version {
                    Version::V10 => ErrorKind::UnsupportedOperation,
                    Version::V03 => ErrorKind::ExtendedCardNotConfigured,
                },
                "an extended card",
            ),
            _ => return Ok(()),
        };
        match is_there {
            true => Ok(()),
            false => Err(Error::new(
                kind,
                format!("{what} not supported by this agent"),
            )),
        }
    }
}

fn not_read(part: usize, named: &str, modes: &[MediaType]) -> Error {
    let mut known: Vec<String> = modes.iter().map(|mode| mode.essence().to_owned()).collect();
    known.sort_unstable();
    known.dedup();
    let message = format!("'{}' is not read here", inert(named));
    Error::new(ErrorKind::ContentTypeNotSupported, message).at(
        format!("message.parts[{part}]"),
        format!("one of {} is needed", known.join(", ")),
    )
}

#[cfg(test)]
mod tests;
