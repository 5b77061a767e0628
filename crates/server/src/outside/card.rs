//! The card of an agent elsewhere: fetched from the well-known URL (v1.0 §8.2), again with its
//! `ETag`, within limits, and verified if it is signed, which it must be if it once was.
//!
//! Reports why a card cannot be used; the consequences are the caller's. Read next: `keys`,
//! [`bindings::a2a::outside::RemoteAgent`].

use super::keys::KeySet;
use super::web::{Answer, Failure, Web};
use crate::http_client::Unanswered;
use crate::webhook::target::Target;
use a2a::card::document::{WELL_KNOWN, WELL_KNOWN_OF_V02};
use a2a::card::signature::{ClaimedSigner, Unverified, verified};
use a2a::wire::{self, Malformed};
use bindings::a2a::outside::{PeerRequest, RemoteAgent, UnusableCard};
use serde_json::Value;
use std::cell::RefCell;
use std::time::Duration;

/// The longest card, and the longest set of keys, in bytes.
const CARD_MOST: usize = 256 * 1_024;
/// The time limit of a card.
const PATIENCE: Duration = Duration::from_secs(10);

/// A fetched card.
#[derive(Debug)]
pub(super) struct Card {
    /// The URL at which it was found.
    pub(super) url: String,
    /// Its `ETag`, for fetching it again.
    etag: Option<String>,
    /// True if it has a valid signature.
    pub(super) signed: bool,
    /// The agent that it describes.
    pub(super) peer: RemoteAgent,
}

impl Card {
    fn says_as(&self, other: &Self) -> bool {
        (self.signed, &self.peer) == (other.signed, &other.peer)
    }
}

/// The reason for which no card can be used.
#[derive(Debug, thiserror::Error)]
pub enum Unseen {
    /// The agent has left, or the platform is stopping.
    #[error("no such agent")]
    Gone,
    /// No valid response was received.
    #[error("{0}")]
    Unreachable(String),
    /// No connection is allowed there.
    #[error("{0}")]
    NotAllowed(String),
    /// The document is no card.
    #[error("it is no card: {0}")]
    NoCard(String),
    /// The card is signed, and the signature is not valid.
    #[error("it is signed, and {0}")]
    Forged(String),
    /// The card was signed before, and is not any more.
    #[error("it was signed before, and is not now")]
    Unsigned,
    /// The card cannot be used.
    #[error(transparent)]
    Unusable(#[from] UnusableCard),
}

impl From<Failure> for Unseen {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Address(_) => Self::NotAllowed(failure.to_string()),
            Failure::Unanswered(Unanswered::Long { .. }) => Self::NoCard(failure.to_string()),
            Failure::Unanswered(_) | Failure::Answer(_) => Self::Unreachable(failure.to_string()),
        }
    }
}

impl From<Malformed> for Unseen {
    fn from(wrong: Malformed) -> Self {
        Self::NoCard(wrong.to_string())
    }
}

/// Fetches a card, signed if it `was_signed` before.
///
/// # Errors
/// [`Unseen`]
pub(super) async fn fetch(web: &Web, url: &str, was_signed: bool) -> Result<Card, Unseen> {
    let new = fetch_again(web, url, was_signed, None).await?;
    new.ok_or(Unseen::Gone)
}

/// Fetches a card, signed if it `was_signed` before; none if it has not changed and its signature
/// is as known.
///
/// # Errors
/// [`Unseen`]
pub(super) async fn fetch_again(
    web: &Web,
    url: &str,
    was_signed: bool,
    seen: Option<&Card>,
) -> Result<Option<Card>, Unseen> {
    let seen = seen.filter(|it| it.signed == was_signed);
    let mut missing = None;
    for place in places(url) {
        let answer = get(web, &place, seen.and_then(|it| it.etag.as_deref())).await?;
        match answer.status {
            304 if seen.is_some() => return Ok(None),
            200 => {
                let document: Value = schema::json::read(&answer.body)
                    .map_err(|cause| Unseen::NoCard(cause.to_string()))?;
                let (card, signed) = believed(web, &place, &document).await?;
                if was_signed && !signed {
                    return Err(Unseen::Unsigned);
                }
                let peer = RemoteAgent::of(card)?;
                web.admits(&peer.interface.url).map_err(Failure::from)?;
                let card = Card {
                    url: url.to_owned(),
                    etag: answer.etag,
                    signed,
                    peer,
                };
                return Ok(Some(card).filter(|it| !seen.is_some_and(|seen| it.says_as(seen))));
            }
            status => missing = Some(format!("{place} answers {status}")),
        }
    }
    Err(Unseen::Unreachable(missing.unwrap_or_default()))
}

/// The URLs of a card: the given one if it is that of a document, else the well-known ones of today
/// and of v0.2.
fn places(url: &str) -> Vec<String> {
    match url.ends_with(".json") {
        true => vec![url.to_owned()],
        false => {
            let below = url.trim_end_matches('/');
            [WELL_KNOWN, WELL_KNOWN_OF_V02]
                .map(|it| format!("{below}{it}"))
                .to_vec()
        }
    }
}

async fn get(web: &Web, url: &str, etag: Option<&str>) -> Result<Answer, Failure> {
    let accepted = ("Accept", "application/json".to_owned());
    let known = etag.map(|etag| ("If-None-Match", etag.to_owned()));
    let sending = PeerRequest {
        verb: "GET",
        url: url.to_owned(),
        fields: std::iter::once(accepted).chain(known).collect(),
        body: String::new(),
    };
    web.ask(&sending, None, CARD_MOST, PATIENCE).await
}

/// The card of a document, restricted to the members that its signature covers, if it has one, and
/// whether it has. Only keys published at the origin of the card count.
async fn believed(
    web: &Web,
    place: &str,
    document: &Value,
) -> Result<(a2a::card::Card, bool), Unseen> {
    let claims = RefCell::new(Vec::new());
    let collected = verified(document, |claim: &ClaimedSigner, _: &[u8], _: &[u8]| {
        claims.borrow_mut().push(claim.clone());
        false
    });
    match collected {
        Err(Unverified::Unsigned) => return Ok((wire::read_card(document)?, false)),
        Err(Unverified::Malformed(wrong)) => return Err(wrong.into()),
        Ok(_) | Err(Unverified::NoneHolds) => {}
    }
    let mut keys = KeySet::default();
    for url in key_sets(place, &claims.into_inner()) {
        keys.add(&get(web, &url, None).await?.body);
    }
    let vouched = verified(document, |claim, input, signature| {
        keys.verify(claim, input, signature)
    });
    let vouched = vouched.map_err(|why| Unseen::Forged(why.to_string()))?;
    Ok((vouched.card, true))
}

/// The key sets that claims name, each once, as far as they are at the origin of the card.
fn key_sets(place: &str, claims: &[ClaimedSigner]) -> Vec<String> {
    let origin = |url: &str| Target::parse(url).ok().map(|it| it.origin);
    let mut urls: Vec<String> = claims
        .iter()
        .filter_map(|it| it.key_set_url.clone())
        .collect();
    urls.retain(|url| origin(url) == origin(place));
    urls.sort();
    urls.dedup();
    urls
}
