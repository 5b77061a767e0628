//! The signatures that vouch for a template or a patch (draft-zhou §7).
//!
//! A [`Seal`] is a JWS with its payload detached (RFC 7515, appendix F), signed with Ed25519
//! (RFC 8037) over the canonical JSON of the document ([`crate::canonical`]), so that the document
//! may be stored, printed anew and relayed. The payload is base64url-encoded as ever, not `b64`
//! false (RFC 7797): a document is a few kilobytes, and any JWS library can check the plain form.
//! The protected header binds the document to its kind, its agent and its name, to a version
//! that grows and to an end; `crit` names these, so that nobody accepts a seal without looking at
//! them (RFC 7515 §4.1.11).
//!
//! Knows no secret and no clock: keys and time are arguments. Read next: [`Pins`], which a client
//! keeps.

mod fingerprint;
mod header;
mod key;
mod pins;

pub use ed25519_dalek::{SigningKey, VerifyingKey};
pub use header::{DocumentClaims, DocumentKind};
pub use key::{TrustedKeys, WeakKey, kid};
pub use pins::{Asked, PinError, Pins};

use crate::canonical;
use crate::lint::inexact;
use crate::time::Timestamp;
use base64ct::{Base64UrlUnpadded, Encoding};
use ed25519_dalek::{Signature, Signer};
use header::{Header, Named};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The member of a document that carries its seal; not part of what is sealed.
pub const SEAL: &str = "seal";

/// A signature and what it is bound to; written as a compact JWS without its payload:
/// `protected..signature`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seal {
    /// The protected header, base64url.
    pub protected: String,
    /// The signature, base64url.
    pub signature: String,
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.protected, self.signature)
    }
}

impl FromStr for Seal {
    type Err = SealError;

    /// Reads `protected..signature`; what the parts say is looked at by [`verify`].
    fn from_str(text: &str) -> Result<Self, SealError> {
        match text.split_once("..") {
            Some((protected, signature)) if !signature.contains('.') => Ok(Self {
                protected: protected.to_owned(),
                signature: signature.to_owned(),
            }),
            _ => Err(SealError::Malformed {
                reason: "not a compact JWS without payload".to_owned(),
            }),
        }
    }
}

impl TryFrom<String> for Seal {
    type Error = SealError;
    fn try_from(text: String) -> Result<Self, SealError> {
        text.parse()
    }
}

impl From<Seal> for String {
    fn from(seal: Seal) -> String {
        seal.to_string()
    }
}

/// The facts that a seal was found to vouch for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The kind of the document.
    pub kind: DocumentKind,
    /// The agent that issued it.
    pub agent: String,
    /// The schema: that of the template, or the parent of the patch.
    pub schema_id: String,
    /// The patch, if it is one.
    pub patch_id: Option<String>,
    /// The scenario, if the document says one.
    pub scenario: Option<String>,
    /// The version.
    pub version: u64,
    /// The instant at which the seal ends.
    pub expires_at: Timestamp,
    /// The key that signed.
    pub kid: String,
    pub(crate) fingerprints: fingerprint::Fingerprints,
}

/// The reason why a document is not accepted as what it says it is. To who sent it: access denied,
/// and what was there before stays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// It has no seal.
    #[error("the document is not signed")]
    Unsigned,
    /// The seal cannot be read.
    #[error("the seal cannot be read: {reason}")]
    Malformed {
        /// The reason.
        reason: String,
    },
    /// The document is no template or patch that could be sealed.
    #[error("the document cannot be sealed: {reason}")]
    Unsealable {
        /// The reason.
        reason: String,
    },
    /// Signed in a way that is not trusted here, `none` included.
    #[error("the algorithm '{0}' is not EdDSA")]
    Algorithm(String),
    /// Sealed as something else: a patch is not a template.
    #[error("sealed as a {found:?}, not a {expected:?}")]
    OtherKind {
        /// The kind wanted.
        expected: DocumentKind,
        /// The kind that was sealed.
        found: DocumentKind,
    },
    /// Issued by another agent than the one that is spoken with.
    #[error("issued by '{found}', not by '{expected}'")]
    OtherAgent {
        /// The agent that is spoken with.
        expected: String,
        /// The agent that issued it.
        found: String,
    },
    /// The seal belongs to a document of another name.
    #[error("the seal is that of '{sealed}', the document is '{found}'")]
    OtherDocument {
        /// The name in the seal.
        sealed: String,
        /// The name in the document.
        found: String,
    },
    /// The key is not one that is trusted for this agent.
    #[error("the key '{kid}' is not trusted for '{agent}'")]
    UnknownKey {
        /// The agent.
        agent: String,
        /// The key.
        kid: String,
    },
    /// The signature is not that of the key over this document: one of them was changed.
    #[error("the signature does not fit the document")]
    BadSignature,
    /// The seal has ended.
    #[error("the seal ended at {at}")]
    Expired {
        /// The instant.
        at: Timestamp,
    },
}

/// Seals a template or a patch, in either of its forms; a member [`SEAL`] of it is left out.
///
/// # Errors
/// [`SealError::Unsealable`] if the document has no name, or holds integers that canonical JSON
/// cannot (beyond ±(2^53 - 1)).
pub fn sign(
    key: &SigningKey,
    kind: DocumentKind,
    claims: &DocumentClaims,
    document: &Value,
) -> Result<Seal, SealError> {
    let named = Named::of(kind, document)?;
    let header = Header::new(kind, claims, named, kid(&key.verifying_key()));
    let protected = header.encoded();
    let signature = key.sign(signing_input(&protected, &payload(document)?).as_bytes());
    Ok(Seal {
        signature: Base64UrlUnpadded::encode_string(&signature.to_bytes()),
        protected,
    })
}

/// Checks that a document is what `agent` sealed as such and that the seal has not ended. A seal
/// ends at the very instant of its end.
///
/// # Errors
/// [`SealError`]: the first thing that is wrong; nothing of the document is to be used then.
pub fn verify(
    trusted: &TrustedKeys,
    agent: &str,
    kind: DocumentKind,
    seal: &Seal,
    document: &Value,
    now: Timestamp,
) -> Result<Verified, SealError> {
    let header = Header::decoded(&seal.protected)?;
    let named = Named::of(kind, document)?;
    header.check(agent, kind, &named)?;
    let key = trusted.key(agent, &header.kid)?;
    let input = signing_input(&seal.protected, &payload(document)?);
    key.verify_strict(input.as_bytes(), &signature(seal)?)
        .map_err(|_| SealError::BadSignature)?;
    let expires_at = header.expires_at();
    if now >= expires_at {
        return Err(SealError::Expired { at: expires_at });
    }
    Ok(header.verified(kind, document))
}

/// Checks a document that carries its seal, and gives it without.
///
/// # Errors
/// As [`verify`], and [`SealError::Unsigned`] if it carries none.
pub fn open(
    trusted: &TrustedKeys,
    agent: &str,
    kind: DocumentKind,
    sealed: &Value,
    now: Timestamp,
) -> Result<(Value, Verified), SealError> {
    let (document, seal) = detach(sealed)?;
    let seal = seal.ok_or(SealError::Unsigned)?;
    let verified = verify(trusted, agent, kind, &seal, &document, now)?;
    Ok((document, verified))
}

/// The document with its seal in it. What is no object stays as it is.
pub fn attach(document: &Value, seal: &Seal) -> Value {
    let mut sealed = document.clone();
    if let Some(members) = sealed.as_object_mut() {
        let seal = serde_json::to_value(seal).expect("a seal is a string");
        members.insert(SEAL.to_owned(), seal);
    }
    sealed
}

/// The document without its seal, and the seal, if it carries one.
///
/// # Errors
/// [`SealError::Malformed`] if what it carries is none.
pub fn detach(sealed: &Value) -> Result<(Value, Option<Seal>), SealError> {
    let mut document = sealed.clone();
    let seal = document
        .as_object_mut()
        .and_then(|members| members.remove(SEAL));
    let seal = seal.map(serde_json::from_value).transpose();
    let seal = seal.map_err(|e| SealError::Malformed {
        reason: e.to_string(),
    })?;
    Ok((document, seal))
}

fn signature(seal: &Seal) -> Result<Signature, SealError> {
    let bytes =
        Base64UrlUnpadded::decode_vec(&seal.signature).map_err(|e| SealError::Malformed {
            reason: format!("signature: {e}"),
        })?;
    Signature::from_slice(&bytes).map_err(|_| SealError::BadSignature)
}

/// RFC 7515 §5.1: what is signed.
fn signing_input(protected: &str, payload: &str) -> String {
    format!(
        "{protected}.{}",
        Base64UrlUnpadded::encode_string(payload.as_bytes())
    )
}

/// The canonical form of a document without its seal.
fn payload(document: &Value) -> Result<String, SealError> {
    if let Some(number) = inexact(document) {
        let reason = format!("{number} is another number in canonical JSON");
        return Err(SealError::Unsealable { reason });
    }
    let (document, _) = detach(document)?;
    Ok(canonical::text(&document))
}

#[cfg(test)]
mod tests;
