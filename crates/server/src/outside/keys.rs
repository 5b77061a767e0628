//! Verification of signatures over cards: EdDSA and ES256 (RFC 8037, RFC 7518), by published keys
//! (RFC 7517).
//!
//! An algorithm is accepted with its kind of key only. The owner of keys is not known here. Read
//! next: `a2a::card::signature`.

use a2a::card::signature::ClaimedSigner;
use base64ct::{Base64UrlUnpadded as Base64, Encoding as _};
use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, UnparsedPublicKey, VerificationAlgorithm};
use serde_json::Value;

/// The most keys of a set that are read.
const KEYS_MOST: usize = 32;

/// A key, with its identifier.
struct Key {
    id: String,
    algorithm: &'static str,
    verifier: &'static dyn VerificationAlgorithm,
    public: Vec<u8>,
}

/// Trusted keys.
#[derive(Default)]
pub(super) struct KeySet(Vec<Key>);

impl KeySet {
    /// Adds the keys of a JWK set that can verify signatures; others are skipped.
    pub(super) fn add(&mut self, document: &[u8]) {
        let set: Value = schema::json::read(document).unwrap_or_default();
        let keys = set.get("keys").and_then(Value::as_array);
        let keys = keys.into_iter().flatten().take(KEYS_MOST);
        self.0.extend(keys.filter_map(read));
    }

    /// True if the signature is valid under one of the keys.
    pub(super) fn verify(&self, claim: &ClaimedSigner, input: &[u8], signature: &[u8]) -> bool {
        let fits = |key: &&Key| key.id == claim.key_id && key.algorithm == claim.algorithm;
        let mut fitting = self.0.iter().filter(fits);
        fitting.any(|key| {
            let public = UnparsedPublicKey::new(key.verifier, &key.public);
            public.verify(input, signature).is_ok()
        })
    }
}

fn read(key: &Value) -> Option<Key> {
    let text = |name: &str| key.get(name)?.as_str();
    let bytes = |name: &str| Base64::decode_vec(text(name)?).ok();
    let id = text("kid")?.to_owned();
    match (text("kty")?, text("crv")?) {
        ("OKP", "Ed25519") => Some(Key {
            id,
            algorithm: "EdDSA",
            verifier: &ED25519,
            public: bytes("x")?,
        }),
        ("EC", "P-256") => Some(Key {
            id,
            algorithm: "ES256",
            verifier: &ECDSA_P256_SHA256_FIXED,
            // SEC 1 §2.3.3: a point that is not compressed.
            public: [vec![4], bytes("x")?, bytes("y")?].concat(),
        }),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use serde_json::json;

    /// A signature is valid with its key, over its input, by its algorithm, and not otherwise.
    #[test]
    fn signatures_hold_with_their_keys_alone() {
        let random = SystemRandom::new();
        let document = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let edwards = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let curve = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        let point = curve.public_key().as_ref();
        let text = Base64::encode_string;
        let set = json!({"keys": [
            {"kid": "e", "kty": "OKP", "crv": "Ed25519", "x": text(edwards.public_key().as_ref())},
            {"kid": "c", "kty": "EC", "crv": "P-256", "x": text(&point[1..33]), "y": text(&point[33..])},
            {"kid": "r", "kty": "RSA"},
        ]});
        let mut keys = KeySet::default();
        keys.add(set.to_string().as_bytes());
        keys.add(b"no keys");
        let by_edwards = edwards.sign(b"card");
        let by_curve = curve.sign(&random, b"card").unwrap();
        let holds = |key_id: &str, algorithm: &str, input: &[u8], signature: &[u8]| {
            let claim = ClaimedSigner {
                algorithm: algorithm.to_owned(),
                key_id: key_id.to_owned(),
                key_set_url: None,
            };
            keys.verify(&claim, input, signature)
        };
        assert!(holds("e", "EdDSA", b"card", by_edwards.as_ref()));
        assert!(holds("c", "ES256", b"card", by_curve.as_ref()));
        assert!(!holds("e", "EdDSA", b"other", by_edwards.as_ref()));
        assert!(!holds("e", "ES256", b"card", by_edwards.as_ref()));
        assert!(!holds("c", "EdDSA", b"card", by_curve.as_ref()));
        assert!(!holds("x", "EdDSA", b"card", by_edwards.as_ref()));
    }
}
