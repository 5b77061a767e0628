//! The form of a token: a compact JWS (RFC 7515 §7.1) with Ed25519 (RFC 8037 §3.1), and the key
//! that signs it.
//!
//! One algorithm, one key, one header: a token must begin with exactly the header written here, so
//! that `alg`, `typ`, `kid` and `crit` cannot be chosen by the sender (RFC 8725 §3.1, §3.11).
//! Claims are checked in [`super`].

use super::Void;
use crate::seal::HostSeal;
use crate::ssh::PrivateKey;
use crate::ssh::keys::{KeyFileError, load_or_generate};
use base64ct::{Base64UrlUnpadded as Base64, Encoding as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::path::Path;
use store::Signer as _;

/// The longest token, in bytes.
const TOKEN_BYTES_MAX: usize = 4_096;

/// All claims of a token (RFC 9068 §2.2).
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TokenClaims {
    /// The issuer: the platform, by the thumbprint of its key (RFC 9278).
    pub iss: String,
    /// The bearer.
    pub sub: String,
    /// The audience.
    pub aud: String,
    /// The client: always the subject.
    pub client_id: String,
    /// The time at which it was issued, in seconds since 1970.
    pub iat: i64,
    /// The time at which it expires, in seconds since 1970.
    pub exp: i64,
    /// The identifier.
    pub jti: String,
    /// The scopes, separated by spaces; without any, everything is open to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// The signer of tokens: an Ed25519 key, and the names derived from it.
#[derive(Clone)]
pub struct Issuer {
    key: HostSeal,
    public: String,
    thumbprint: String,
    name: String,
    header: String,
}

impl Issuer {
    /// The issuer whose key is in a file, which is generated (mode 0600) if there is none.
    ///
    /// # Errors
    /// As [`load_or_generate`]; a key that is not Ed25519 is [`KeyFileError::Format`].
    pub fn open(file: &Path) -> Result<Self, KeyFileError> {
        let key = load_or_generate(file, "convoke token issuer")?;
        Self::of(key).ok_or_else(|| KeyFileError::Format {
            path: file.to_owned(),
            cause: russh::keys::ssh_key::Error::AlgorithmUnknown,
        })
    }

    fn of(key: PrivateKey) -> Option<Self> {
        let public = Base64::encode_string(&key.public_key().key_data().ed25519()?.0);
        // RFC 7638 §3: the required members, in order, without space.
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{public}"}}"#);
        let thumbprint = Base64::encode_string(&Sha256::digest(members));
        let header = json!({ "alg": "EdDSA", "kid": thumbprint, "typ": "at+jwt" });
        Some(Self {
            key: HostSeal(key),
            name: format!("urn:ietf:params:oauth:jwk-thumbprint:sha-256:{thumbprint}"),
            header: Base64::encode_string(header.to_string().as_bytes()),
            public,
            thumbprint,
        })
    }

    /// The name in `iss`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The identifier of its key, a thumbprint (RFC 7638).
    pub fn thumbprint(&self) -> &str {
        &self.thumbprint
    }

    /// A signature over something that is not a token.
    pub fn signature(&self, input: &[u8]) -> Vec<u8> {
        self.key.sign(input)
    }

    /// The public key as a JWK Set (RFC 7517 §5, RFC 8037 §2).
    pub fn jwks(&self) -> Value {
        json!({ "keys": [{
            "kty": "OKP", "crv": "Ed25519", "x": self.public, "kid": self.thumbprint,
            "alg": "EdDSA", "use": "sig",
        }]})
    }

    /// A token with these claims.
    pub fn sign(&self, claims: &TokenClaims) -> String {
        let body = serde_json::to_vec(claims).expect("strings and numbers are JSON");
        let signed = format!("{}.{}", self.header, Base64::encode_string(&body));
        let signature = Base64::encode_string(&self.key.sign(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// The claims of a token that was signed here; they are not checked.
    ///
    /// # Errors
    /// [`Void::Form`], [`Void::Signature`]
    pub fn read(&self, token: &str) -> Result<TokenClaims, Void> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Void::Form);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(Void::Form)?;
        let (header, body) = signed.split_once('.').ok_or(Void::Form)?;
        if header != self.header {
            return Err(Void::Form);
        }
        let signature = Base64::decode_vec(signature).map_err(|_| Void::Form)?;
        if !self.key.verify(signed.as_bytes(), &signature) {
            return Err(Void::Signature);
        }
        let body = Base64::decode_vec(body).map_err(|_| Void::Form)?;
        serde_json::from_slice(&body).map_err(|_| Void::Form)
    }
}
