//! Signatures of a card (v1.0 §8.4): JWS over its canonical form (RFC 7515, RFC 8785).
//!
//! A signature covers the members of v1.0 alone, without `signatures`, without `schemas` at the
//! root, without the members of v0.3. Keys are not known here: signing and verifying are arguments.
//! Read next: [`super::document`].

use super::{Card, CardProfile, CardSignature};
use crate::card::document;
use crate::version::Version;
use crate::wire::{self, Malformed};
use base64ct::{Base64UrlUnpadded, Encoding};
use schema::canonical;
use serde_json::{Map, Value, json};

/// A signing key.
pub trait JwsSigner {
    /// The algorithm, by its name in RFC 7518 §3.1 or RFC 8037: `ES256`, `EdDSA`.
    fn algorithm(&self) -> &str;
    /// The name of the key.
    fn key_id(&self) -> &str;
    /// The URL of the key set, if it is published.
    fn key_set_url(&self) -> Option<&str> {
        None
    }
    /// The signature over a signing input.
    fn sign(&self, input: &[u8]) -> Vec<u8>;
}

/// The claimed signer, from the protected header; not to be trusted before it is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedSigner {
    /// The algorithm.
    pub algorithm: String,
    /// The name of the key.
    pub key_id: String,
    /// The claimed URL of the key set. A caller that fetches it must first decide whether to trust
    /// the place.
    pub key_set_url: Option<String>,
}

/// The error for a card that cannot be signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsignable {
    /// A member is empty. The specification drops some of these and official verifiers drop all, so
    /// their canonical form would differ.
    #[error("{0} is empty, and readers disagree whether that is signed")]
    Empty(String),
    /// An integer is beyond ±(2^53 - 1), which canonical JSON cannot hold.
    #[error("{0} is an integer that canonical JSON cannot hold")]
    Inexact(String),
}

/// A card whose signature was verified.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedCard {
    /// The signer.
    pub claim: ClaimedSigner,
    /// The card, without the root member `schemas`, which no signature covers.
    pub card: Card,
}

/// The error for a card without a valid signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    /// The document is no card.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The card is not signed.
    #[error("the card is not signed")]
    Unsigned,
    /// The card is signed, but no signature is both trusted and valid.
    #[error("no signature of the card holds")]
    NoneHolds,
}

/// Adds a signature to a card, beside those that it has.
///
/// # Errors
/// [`Unsignable`]; the card is unchanged then.
pub fn sign(card: &mut Card, signer: &impl JwsSigner) -> Result<(), Unsignable> {
    let signed = payload(card)?;
    let mut header = json!({
        "alg": signer.algorithm(),
        "kid": signer.key_id(),
        "typ": "JOSE",
    });
    if let Some(url) = signer.key_set_url() {
        header["jku"] = url.into();
    }
    let protected = Base64UrlUnpadded::encode_string(header.to_string().as_bytes());
    let signature = signer.sign(signing_input(&protected, &signed).as_bytes());
    card.signatures.push(CardSignature {
        protected,
        signature: Base64UrlUnpadded::encode_string(&signature),
        header: Map::new(),
    });
    Ok(())
}

/// Verifies a card as it was read, by the first signature that `verify` accepts, which gets the
/// claim, the signing input and the signature. Trust, and the fit of algorithm and key, are checked
/// by `verify`.
///
/// # Errors
/// [`Unverified`]; the card must not be trusted then.
pub fn verified(
    document: &Value,
    verify: impl Fn(&ClaimedSigner, &[u8], &[u8]) -> bool,
) -> Result<VerifiedCard, Unverified> {
    let signatures = document.get("signatures").and_then(Value::as_array);
    let signatures = signatures
        .filter(|all| !all.is_empty())
        .ok_or(Unverified::Unsigned)?;
    let mut card = wire::read_card(document)?;
    let forms = canonical_forms(&card, document);
    let holds = |signature: &Value| {
        let protected = signature.get("protected")?.as_str()?;
        let claim = claim(protected)?;
        let bytes = signature.get("signature")?.as_str()?;
        let bytes = Base64UrlUnpadded::decode_vec(bytes).ok()?;
        let mut inputs = forms.iter().map(|form| signing_input(protected, form));
        let held = inputs.any(|input| verify(&claim, input.as_bytes(), &bytes));
        held.then_some(claim)
    };
    let claim = signatures.iter().find_map(holds);
    let claim = claim.ok_or(Unverified::NoneHolds)?;
    card.schemas.clear();
    Ok(VerifiedCard { claim, card })
}

/// The canonical form of a card to be signed.
fn payload(card: &Card) -> Result<String, Unsignable> {
    let value = document::served(card, CardProfile::Strict);
    let form = signed_members(&value);
    unambiguous(&form, "card")?;
    Ok(canonical::text(&form))
}

/// v1.0 §8.4.3: the canonical forms to verify against: the card as read, members with default
/// values left out; and the document as it stands, for signers who kept them.
fn canonical_forms(card: &Card, document: &Value) -> Vec<String> {
    let read = wire::card(Version::V10, card);
    let forms = [&read, document].map(signed_members);
    let mut texts = forms.map(|form| canonical::text(&form)).to_vec();
    texts.dedup();
    texts
}

/// The members of v1.0 §4.4.1 except `signatures`: only these are signed, so that further members
/// of a document, such as `schemas`, do not matter.
const SIGNED: [&str; 13] = [
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "description",
    "documentationUrl",
    "iconUrl",
    "name",
    "provider",
    "securityRequirements",
    "securitySchemes",
    "skills",
    "supportedInterfaces",
    "version",
];

fn signed_members(document: &Value) -> Value {
    let members = document.as_object().into_iter().flatten();
    let signed = members.filter(|(name, _)| SIGNED.contains(&name.as_str()));
    let signed = signed.map(|(name, value)| {
        let value = match name.as_str() {
            "securitySchemes" => schemes_v10(value),
            _ => value.clone(),
        };
        (name.clone(), value)
    });
    Value::Object(signed.collect())
}

/// Security schemes without the members of v0.3 in a card for both versions: v1.0 has one member in
/// each, named `…SecurityScheme`.
fn schemes_v10(schemes: &Value) -> Value {
    let all = schemes.as_object().into_iter().flatten();
    let of_v10 = |(name, scheme): (&String, &Value)| {
        let mut scheme = scheme.clone();
        if let Some(members) = scheme.as_object_mut() {
            members.retain(|member, _| member.ends_with("SecurityScheme"));
        }
        (name.clone(), scheme)
    };
    Value::Object(all.map(of_v10).collect())
}

fn unambiguous(value: &Value, place: &str) -> Result<(), Unsignable> {
    let is_empty = match value {
        Value::String(text) => text.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => value.is_null(),
    };
    if is_empty {
        return Err(Unsignable::Empty(place.to_owned()));
    }
    match value {
        Value::Number(_) if crate::number::portable(value) != *value => {
            Err(Unsignable::Inexact(place.to_owned()))
        }
        Value::Array(entries) => {
            let mut entries = entries.iter().enumerate();
            entries.try_for_each(|(i, it)| unambiguous(it, &format!("{place}[{i}]")))
        }
        Value::Object(members) => {
            let mut members = members.iter();
            members.try_for_each(|(name, it)| unambiguous(it, &format!("{place}.{name}")))
        }
        _ => Ok(()),
    }
}

fn signing_input(protected: &str, payload: &str) -> String {
    format!(
        "{protected}.{}",
        Base64UrlUnpadded::encode_string(payload.as_bytes())
    )
}

fn claim(protected: &str) -> Option<ClaimedSigner> {
    let header = Base64UrlUnpadded::decode_vec(protected).ok()?;
    let header: Value = schema::json::read(&header).ok()?;
    // RFC 7515 §4.1.11: what has to be understood is not.
    if header.get("crit").is_some() {
        return None;
    }
    let text = |name: &str| header.get(name)?.as_str().map(str::to_owned);
    Some(ClaimedSigner {
        algorithm: text("alg")?,
        key_id: text("kid")?,
        key_set_url: text("jku"),
    })
}
