//! The signature of a report: HTTP message signature (RFC 9421) and content digest (RFC 9530).
//!
//! Signed with the platform's host key, which is Ed25519, so that a receiver with the host's
//! `known_hosts` entry can verify the origin of a report: method, address, digest of the body,
//! media type and time are covered. Knows no connections. Read next: [`super::client`].

use base64ct::{Base64, Encoding};
use russh::keys::signature::Signer as _;
use russh::keys::{Algorithm, HashAlg, PrivateKey};
use sha2::{Digest, Sha256};

/// The components that are covered, in the order of the signature base.
const COVERED: &str = r#"("@method" "@target-uri" "content-digest" "content-type")"#;

/// The host key is not a usable Ed25519 key.
#[derive(Debug, thiserror::Error)]
#[error("reports are signed with Ed25519, which the host key, {0}, cannot do")]
pub struct WrongKey(Algorithm);

/// Signs reports.
pub struct Sealer {
    key: PrivateKey,
    key_id: String,
}

/// The fields of a signed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureFields {
    /// `Content-Digest`
    pub content_digest: String,
    /// `Signature-Input`
    pub signature_input: String,
    /// `Signature`
    pub signature: String,
}

impl Sealer {
    /// A signer with this key; its `keyid` is the fingerprint in OpenSSH's form.
    ///
    /// # Errors
    /// [`WrongKey`] if it is not an Ed25519 key.
    pub fn new(key: PrivateKey) -> Result<Self, WrongKey> {
        let signs = key.algorithm() == Algorithm::Ed25519 && key.try_sign(b"").is_ok();
        match signs {
            true => Ok(Self {
                key_id: key.fingerprint(HashAlg::Sha256).to_string(),
                key,
            }),
            false => Err(WrongKey(key.algorithm())),
        }
    }

    /// The signature of a POST of `body`, which is of this type, to `uri`, made `created` seconds
    /// after 1970 began.
    pub fn seal(&self, uri: &str, media_type: &str, body: &str, created: i64) -> SignatureFields {
        let content_digest = digest(body);
        let parameters = format!(
            "{COVERED};created={created};keyid=\"{}\";alg=\"ed25519\"",
            self.key_id
        );
        // RFC 9421 §2.5
        let base = format!(
            "\"@method\": POST\n\
             \"@target-uri\": {uri}\n\
             \"content-digest\": {content_digest}\n\
             \"content-type\": {media_type}\n\
             \"@signature-params\": {parameters}"
        );
        let signature = self.key.try_sign(base.as_bytes());
        let signature = signature.expect("the key has signed before");
        SignatureFields {
            content_digest,
            signature_input: format!("convoke={parameters}"),
            signature: format!("convoke=:{}:", Base64::encode_string(signature.as_bytes())),
        }
    }
}

/// `Content-Digest` of a body (RFC 9530 §2).
fn digest(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    format!("sha-256=:{}:", Base64::encode_string(&digest))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use russh::keys::ssh_key::private::{Ed25519Keypair, KeypairData};

    fn sealer() -> Sealer {
        let pair = KeypairData::Ed25519(Ed25519Keypair::from_seed(&[7; 32]));
        Sealer::new(PrivateKey::new(pair, "").unwrap()).unwrap()
    }

    /// RFC 9530 §B.1 and RFC 9421 §B.2: the digest of their example body.
    #[test]
    fn the_digest_is_that_of_the_rfc() {
        assert_eq!(
            digest("{\"hello\": \"world\"}"),
            "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
        );
    }

    /// Verification by another implementation is tested in `tests/tests/webhook.rs`.
    #[test]
    fn method_address_type_body_and_time_are_covered() {
        let sealer = sealer();
        let seal =
            |uri: &str, body: &str, created| sealer.seal(uri, "application/json", body, created);
        let one = seal("https://oss.example/in", "{}", 1_700_000_000);
        assert_snapshot!(one.signature_input, @r#"convoke=("@method" "@target-uri" "content-digest" "content-type");created=1700000000;keyid="SHA256:z/fSv0Z0RZS+Lccbc6ZoOWwt/fbj1VFJGSBKQbo4icE";alg="ed25519""#);
        assert_eq!(one, seal("https://oss.example/in", "{}", 1_700_000_000));
        for other in [
            seal("https://oss.example/other", "{}", 1_700_000_000),
            seal("https://oss.example/in", "[]", 1_700_000_000),
            seal("https://oss.example/in", "{}", 1_700_000_001),
            sealer.seal("https://oss.example/in", "text/plain", "{}", 1_700_000_000),
        ] {
            assert_ne!(one.signature, other.signature);
        }
    }
}
