//! Keys: their names, and which are trusted for whom.

use super::SealError;
use base64ct::{Base64UrlUnpadded, Encoding};
use ed25519_dalek::VerifyingKey;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The name of a key: its JWK thumbprint (RFC 7638, RFC 8037 §2), base64url.
pub fn kid(key: &VerifyingKey) -> String {
    let x = Base64UrlUnpadded::encode_string(key.as_bytes());
    let jwk = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    Base64UrlUnpadded::encode_string(&Sha256::digest(jwk.as_bytes()))
}

/// The key is of small order: anybody could sign for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key '{0}' is weak")]
pub struct WeakKey(pub String);

/// The keys that are trusted, each for one agent. Several at a time, so that keys can be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedKeys(BTreeMap<String, BTreeMap<String, VerifyingKey>>);

impl TrustedKeys {
    /// No key at all: nothing verifies.
    pub fn none() -> Self {
        Self::default()
    }

    /// Trusts a key for an agent, and gives its name.
    ///
    /// # Errors
    /// [`WeakKey`] if it is of small order.
    pub fn trust(&mut self, agent: &str, key: VerifyingKey) -> Result<String, WeakKey> {
        let kid = kid(&key);
        if key.is_weak() {
            return Err(WeakKey(kid));
        }
        self.0
            .entry(agent.to_owned())
            .or_default()
            .insert(kid.clone(), key);
        Ok(kid)
    }

    /// Trusts a key for an agent no longer. Nothing happens if it was not trusted.
    pub fn distrust(&mut self, agent: &str, kid: &str) {
        if let Some(keys) = self.0.get_mut(agent) {
            keys.remove(kid);
        }
    }

    pub(super) fn key(&self, agent: &str, kid: &str) -> Result<&VerifyingKey, SealError> {
        let key = self.0.get(agent).and_then(|keys| keys.get(kid));
        key.ok_or_else(|| SealError::UnknownKey {
            agent: agent.to_owned(),
            kid: kid.to_owned(),
        })
    }
}
