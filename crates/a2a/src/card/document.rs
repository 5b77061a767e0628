//! The card as served: the document, and its caching headers (v1.0 §8.2, §8.6).
//!
//! Selects the members of each form, and makes the values of the caching headers. Read next:
//! [`super::signature`].

use super::{Card, CardProfile};
use crate::version::Version;
use crate::wire;
use schema::canonical;
use schema::time::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// The path of a card, below the agent's URL.
pub const WELL_KNOWN: &str = "/.well-known/agent-card.json";

/// The path of a card in v0.2.
pub const WELL_KNOWN_OF_V02: &str = "/.well-known/agent.json";

/// A card as it is served.
#[derive(Clone, Debug, PartialEq)]
pub struct CardDocument {
    /// The body, of media type `application/json`; shared by all responses.
    pub body: Arc<str>,
    /// `ETag`: it changes when the card does, and not when the card is merely signed again.
    pub etag: String,
    /// `Cache-Control`.
    pub cache_control: String,
    /// `Last-Modified`.
    pub last_modified: String,
}

impl CardDocument {
    /// The document of a card that last changed at `changed_at`, and may be cached for `max_age_s`
    /// seconds.
    pub fn new(card: &Card, profile: CardProfile, changed_at: Timestamp, max_age_s: u32) -> Self {
        let value = served(card, profile);
        Self {
            etag: etag(&value),
            body: value.to_string().into(),
            cache_control: format!("public, max-age={max_age_s}"),
            last_modified: http_date(changed_at),
        }
    }

    /// True if a client has it already, by its `If-None-Match`: then the answer is 304 (RFC 9110
    /// §13.1.2).
    pub fn is_known(&self, if_none_match: &str) -> bool {
        let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        let mut tags = if_none_match.split(',').map(opaque);
        tags.any(|tag| tag == "*" || tag == opaque(&self.etag))
    }
}

/// The public card as JSON: v1.0, and in [`CardProfile::Schemas`] the members of v0.3 and `schemas`
/// beside it.
pub fn served(card: &Card, profile: CardProfile) -> Value {
    let mut value = wire::card(Version::V10, card);
    let members = value.as_object_mut().expect("a card is an object");
    match profile {
        CardProfile::Schemas => members.extend(wire::v03_members(card)),
        CardProfile::Strict => {
            members.remove("schemas");
        }
    }
    value
}

/// A weak entity tag, as the same card may be signed twice.
fn etag(value: &Value) -> String {
    let mut unsigned = value.clone();
    if let Some(members) = unsigned.as_object_mut() {
        members.remove("signatures");
    }
    let hash = canonical::hash(&unsigned);
    format!("W/\"{}\"", canonical::hex(&hash[..16]))
}

/// An instant as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
pub fn http_date(at: Timestamp) -> String {
    let since_1970 = Duration::from_millis(at.as_ms().unsigned_abs());
    httpdate::fmt_http_date(UNIX_EPOCH + since_1970)
}
