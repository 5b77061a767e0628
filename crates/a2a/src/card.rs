//! The card of an agent: who it is, what it can, how it is reached (v1.0 §4.4, v0.3 §5.5).
//!
//! Knows one neutral card and what follows from it for a request: which media types are read and
//! which capabilities are there. Refuses to know how it is written ([`crate::wire`]) and what the
//! agent is to the platform. Read next: [`document`], what is served; [`signature`], who vouches;
//! [`profile`], a card from a profile of the platform.

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

/// Which card is served (Q60).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CardProfile {
    /// With the root member `schemas` of extension 002 §1, and with the members of v0.3.
    #[default]
    Schemas,
    /// v1.0 members alone, as the rule against new members in core structures wants it. The one
    /// that is signed.
    Strict,
}

/// The name of the binding JSON-RPC.
pub const JSONRPC: &str = "JSONRPC";
/// The name of the binding HTTP+JSON.
pub const HTTP_JSON: &str = "HTTP+JSON";

/// A place where the agent is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its URL.
    pub url: String,
    /// [`JSONRPC`], [`HTTP_JSON`], `GRPC` or the URI of another binding.
    pub binding: String,
    /// The version spoken there, such as `1.0`.
    pub version: String,
    /// What requests there have to name as `tenant`.
    pub tenant: Option<String>,
}

/// Who provides the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The organization.
    pub organization: String,
    /// Its page.
    pub url: String,
}

/// What the agent can besides answering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It streams; none if it does not say.
    pub streaming: Option<bool>,
    /// It pushes; none if it does not say.
    pub push_notifications: Option<bool>,
    /// It has another card for the authenticated; none if it does not say.
    pub extended_card: Option<bool>,
}

/// An extension that the agent knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Extension {
    /// Its identifier.
    pub uri: String,
    /// What it is for.
    pub description: Option<String>,
    /// True if requests without it are refused.
    pub required: bool,
    /// Its parameters.
    pub params: Metadata,
}

/// Something that the agent does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skill {
    /// Its identifier, unique in the card.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What can be said to it.
    pub examples: Vec<String>,
    /// Media types that it reads; empty for those of the card.
    pub input_modes: Vec<String>,
    /// Media types that it writes; empty for those of the card.
    pub output_modes: Vec<String>,
    /// What it needs beside what the card needs.
    pub security: Vec<Requirement>,
}

/// Schemes that are needed together, each with its scopes.
pub type Requirement = BTreeMap<String, Vec<String>>;

/// A way to authenticate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityScheme {
    /// For people.
    pub description: Option<String>,
    /// Which.
    pub kind: SecurityKind,
}

/// The ways to authenticate (v1.0 §4.5, v0.3 §5.5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityKind {
    /// A key in a header, a query parameter or a cookie.
    ApiKey {
        /// `header`, `query` or `cookie`.
        location: String,
        /// The name of it there.
        name: String,
    },
    /// A scheme of HTTP authentication.
    Http {
        /// `Bearer`, `Basic`, …
        scheme: String,
        /// `JWT`, …
        bearer_format: Option<String>,
    },
    /// OAuth 2.0; its flows as they are written, the same in both versions.
    OAuth2 {
        /// By the name of the flow.
        flows: BTreeMap<String, Metadata>,
        /// RFC 8414.
        metadata_url: Option<String>,
    },
    /// OpenID Connect.
    OpenIdConnect {
        /// Where it is described.
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
    /// The header that is not protected.
    pub header: Metadata,
}

/// The card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The name.
    pub name: String,
    /// What the agent is for.
    pub description: String,
    /// The version of the agent.
    pub version: String,
    /// Who provides it.
    pub provider: Option<Provider>,
    /// Where it is described.
    pub documentation_url: Option<String>,
    /// Its picture.
    pub icon_url: Option<String>,
    /// Where it is reached, the preferred place first.
    pub interfaces: Vec<Interface>,
    /// What it can besides answering.
    pub capabilities: Capabilities,
    /// The extensions that it knows.
    pub extensions: Vec<Extension>,
    /// The ways to authenticate, by name.
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// What is needed to speak with it: one of these.
    pub security: Vec<Requirement>,
    /// Media types that it reads.
    pub default_input_modes: Vec<String>,
    /// Media types that it writes.
    pub default_output_modes: Vec<String>,
    /// What it does.
    pub skills: Vec<Skill>,
    /// The root member of extension 002; see [`crate::objects`] for what is declared.
    pub schemas: BTreeMap<String, Value>,
    /// Who vouches for it.
    pub signatures: Vec<CardSignature>,
}

impl Card {
    /// A card that says no more than these; it reads and writes text.
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
            capabilities: Capabilities::default(),
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

    /// The place where a version is spoken over a binding.
    pub fn interface(&self, binding: &str, version: Version) -> Option<&Interface> {
        let mut all = self.interfaces.iter();
        all.find(|it| it.binding == binding && Version::of_header(Some(&it.version)) == Ok(version))
    }

    /// The skill of an identifier.
    pub fn skill(&self, id: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.id == id)
    }

    /// The declaration of an extension.
    pub fn extension(&self, uri: &str) -> Option<&Extension> {
        self.extensions.iter().find(|it| it.uri == uri)
    }

    /// Declares an extension, in the place of an earlier declaration of it.
    pub fn declare(&mut self, extension: Extension) {
        self.extensions.retain(|it| it.uri != extension.uri);
        self.extensions.push(extension);
    }

    /// Whether the media types of a message's parts are read here: those of the card and of its
    /// skills, compared without their parameters (A13). A part that names none says nothing wrong.
    ///
    /// # Errors
    /// [`ErrorKind::ContentTypeNotSupported`], naming the first part that is not read.
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

    /// Whether the agent has what a method needs (A12).
    ///
    /// # Errors
    /// [`ErrorKind::PushNotificationNotSupported`] and [`ErrorKind::UnsupportedOperation`], as
    /// v1.0 §3.3.4 has it; for the extended card v0.3 §8.2 has
    /// [`ErrorKind::ExtendedCardNotConfigured`].
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
