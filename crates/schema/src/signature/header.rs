//! The protected header of a seal: what the signature is bound to.

use super::fingerprint::Fingerprints;
use super::{SealError, Verified};
use crate::canonical;
use crate::time::Timestamp;
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DocumentKind {
    /// A schema template, as published: without what patches add to it.
    #[serde(rename = "schema-template+jws")]
    Template,
    /// A schema patch.
    #[serde(rename = "schema-patch+jws")]
    Patch,
}

/// The claims that the issuing agent makes about a document beside its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentClaims {
    /// The agent that issues it.
    pub agent: String,
    /// Grows with each template of a scenario (its `_vN`, for ours), and each time that a patch of
    /// one name is sealed with other content.
    pub version: u64,
    /// The instant at which the seal ends; whole seconds count.
    pub expires_at: Timestamp,
}

/// The header (RFC 7515 §4). Members that JWS does not define are all critical.
#[derive(Serialize, Deserialize)]
pub(super) struct Header {
    alg: String,
    typ: DocumentKind,
    pub(super) kid: String,
    crit: Vec<String>,
    agent: String,
    schema_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    patch_id: Option<String>,
    version: u64,
    /// NumericDate of RFC 7519: seconds.
    exp: i64,
}

/// The members of a header that JWS does not define.
const CRITICAL: [&str; 5] = ["agent", "exp", "patch_id", "schema_id", "version"];

/// The name of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    schema_id: String,
    patch_id: Option<String>,
}

impl Named {
    /// The name that a document says.
    pub(super) fn of(kind: DocumentKind, document: &Value) -> Result<Self, SealError> {
        let member = |name: &str| match document.get(name).and_then(Value::as_str) {
            Some(text) => Ok(text.to_owned()),
            None => Err(SealError::Unsealable {
                reason: format!("'{name}' is missing"),
            }),
        };
        Ok(match kind {
            DocumentKind::Template => Self {
                schema_id: member("schema_id")?,
                patch_id: None,
            },
            DocumentKind::Patch => Self {
                schema_id: member("parent_schema_id")?,
                patch_id: Some(member("patch_id")?),
            },
        })
    }
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.patch_id {
            Some(patch) => write!(f, "{patch} of {}", self.schema_id),
            None => f.write_str(&self.schema_id),
        }
    }
}

impl Header {
    pub(super) fn new(
        kind: DocumentKind,
        claims: &DocumentClaims,
        named: Named,
        kid: String,
    ) -> Self {
        let mentioned = CRITICAL
            .iter()
            .filter(|c| **c != "patch_id" || kind == DocumentKind::Patch);
        Self {
            alg: "EdDSA".to_owned(),
            typ: kind,
            kid,
            crit: mentioned.map(|c| (*c).to_owned()).collect(),
            agent: claims.agent.clone(),
            schema_id: named.schema_id,
            patch_id: named.patch_id,
            version: claims.version,
            exp: claims.expires_at.as_ms() / 1000,
        }
    }

    pub(super) fn encoded(&self) -> String {
        let header = serde_json::to_value(self).expect("a header is plain data");
        Base64UrlUnpadded::encode_string(canonical::text(&header).as_bytes())
    }

    pub(super) fn decoded(protected: &str) -> Result<Self, SealError> {
        let malformed = |reason: String| SealError::Malformed { reason };
        let bytes =
            Base64UrlUnpadded::decode_vec(protected).map_err(|e| malformed(e.to_string()))?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|e| malformed(e.to_string()))?;
        check_algorithm(&value)?;
        // From the bytes, for a member that stands twice shows only there.
        let header: Self = serde_json::from_slice(&bytes).map_err(|e| malformed(e.to_string()))?;
        match header.crit.iter().find(|c| !CRITICAL.contains(&c.as_str())) {
            Some(unknown) => Err(malformed(format!(
                "'{unknown}' is critical and not understood"
            ))),
            None => Ok(header),
        }
    }

    pub(super) fn check(
        &self,
        agent: &str,
        kind: DocumentKind,
        named: &Named,
    ) -> Result<(), SealError> {
        if self.typ != kind {
            return Err(SealError::OtherKind {
                expected: kind,
                found: self.typ,
            });
        }
        if self.agent != agent {
            let (expected, found) = (agent.to_owned(), self.agent.clone());
            return Err(SealError::OtherAgent { expected, found });
        }
        let sealed = self.named();
        if sealed != *named {
            let (sealed, found) = (sealed.to_string(), named.to_string());
            return Err(SealError::OtherDocument { sealed, found });
        }
        Ok(())
    }

    pub(super) fn expires_at(&self) -> Timestamp {
        Timestamp::from_ms(self.exp.saturating_mul(1000))
    }

    pub(super) fn verified(self, kind: DocumentKind, document: &Value) -> Verified {
        Verified {
            kind,
            expires_at: self.expires_at(),
            agent: self.agent,
            schema_id: self.schema_id,
            patch_id: self.patch_id,
            scenario: document
                .get("scenario")
                .and_then(Value::as_str)
                .map(str::to_owned),
            version: self.version,
            kid: self.kid,
            fingerprints: Fingerprints::of(document),
        }
    }

    fn named(&self) -> Named {
        Named {
            schema_id: self.schema_id.clone(),
            patch_id: self.patch_id.clone(),
        }
    }
}

/// `EdDSA`, or `Ed25519` as RFC 9864 calls the same; before anything else is looked at.
fn check_algorithm(header: &Value) -> Result<(), SealError> {
    match header.get("alg").and_then(Value::as_str) {
        Some("EdDSA" | "Ed25519") => Ok(()),
        other => Err(SealError::Algorithm(other.unwrap_or_default().to_owned())),
    }
}
