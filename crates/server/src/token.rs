//! Bearer tokens: credentials of known principals for the HTTP server, valid for a limited time.
//!
//! A token is a JWT (RFC 7519) that this platform has signed and that is on its list: the folder
//! `tokens/` of the state folder holds a file for each, and a token without its file is void. So
//! removing the file revokes it, at once and for good, as with keys in `users/`; the command leaves
//! a record until the token would have expired, and in the folder of a node of a cluster for good. A token does not create a principal: its name must
//! have a key, the same key as when it was issued. Authorization is not known here.
//!
//! Read next: [`signed`] (the form and the signature), [`list`] (the folder), [`crate::http`].

pub mod list;
pub mod signed;

pub use list::TokenEntry;
pub use signed::{Issuer, TokenClaims};

use crate::ssh::keys::{KeyFileError, StateKeys};
use crate::state::{OPERATOR, StateFolder};
use domain::time::Timestamp;
use list::{List, ListError};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The tolerance for differences between clocks, in seconds.
pub const SKEW_S: i64 = 30;

/// The default validity of a token, in seconds.
pub const VALID_S: u64 = 3_600;

/// The requirements on tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenTerms {
    /// The audience of tokens (`aud`, RFC 7519 §4.1.3).
    pub audience: String,
    /// The longest validity, in seconds. A token issued for longer is void.
    pub valid_max_s: u64,
}

impl Default for TokenTerms {
    /// Audience `convoke`; 30 days.
    fn default() -> Self {
        Self {
            audience: "convoke".to_owned(),
            valid_max_s: 30 * 86_400,
        }
    }
}

/// A request for a token.
#[derive(Clone, Debug)]
pub struct Grant {
    /// The bearer: `operator`, or a name in `users/` or `agents/`.
    pub name: String,
    /// The validity, in seconds.
    pub valid_s: u64,
    /// The scopes (RFC 6749 §3.3); without any, everything is open to it.
    pub scope: BTreeSet<String>,
}

/// A token that was issued.
pub struct Issued {
    /// The token itself, which is stored nowhere.
    pub token: String,
    /// Its entry on the list.
    pub entry: TokenEntry,
}

/// What a session of the console keeps of the token that began it: enough to know whether that counts, and of no
/// use without the session.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TokenMark {
    /// The identifier of the token.
    pub id: String,
    /// The SHA-256, in hexadecimal, of its entry on the list, its issuer and its audience.
    digest: String,
}

/// The reason for which no token is issued, listed or revoked.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// There are no keys yet, so that there are no principals.
    #[error("{0} holds no platform: `convoke serve` makes one")]
    Nowhere(String),
    /// There is no principal of that name.
    #[error("nobody is called '{0}': a token is the operator's, or of a name in users/ or agents/")]
    Stranger(String),
    /// The validity is out of range.
    #[error("a token is valid for 1 to {most} s, not for {asked} s; `[http.token]` says how long")]
    Validity {
        /// The validity asked for, in seconds.
        asked: u64,
        /// The most, in seconds.
        most: u64,
    },
    /// The scope is malformed.
    #[error("'{0}' is no scope: letters, digits, '.', '-' and '_'")]
    Scope(String),
    /// Neither a token nor a bearer of tokens.
    #[error("'{0}' is neither the identifier of a token nor the name of somebody who has one")]
    Unknown(String),
    /// The signing key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// The list cannot be read or written.
    #[error(transparent)]
    List(#[from] ListError),
}

/// The reason for which a token is void. The texts may be shown to its bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Void {
    /// The form is not that of this platform's tokens, the header included.
    #[error("this is not the form of this platform's tokens")]
    Form,
    /// The signature is not this platform's, or the token was changed.
    #[error("the signature does not hold")]
    Signature,
    /// The issuer or the audience is another one, or the validity is too long.
    #[error("the token is not for this platform on its present terms")]
    Terms,
    /// The token has expired.
    #[error("the token has expired")]
    Expired,
    /// The token is not valid yet: it was issued by a clock ahead of this one.
    #[error("the token was issued in the future, by this platform's clock")]
    Early,
    /// The token is not on the list any more, or its bearer's key has changed.
    #[error("the token was revoked")]
    Revoked,
}

/// The tokens of a platform.
pub struct Tokens {
    folder: StateFolder,
    issuer: Issuer,
    list: List,
    terms: TokenTerms,
}

/// The tokens on a list, by their identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Tokens that were issued and not revoked.
    pub issued: BTreeMap<String, TokenEntry>,
    /// Tokens that were revoked by the command, of which there still is a record.
    pub revoked: BTreeMap<String, TokenEntry>,
}

/// The list of a state folder; unreadable entries are left out.
pub fn listed(folder: &StateFolder) -> Listed {
    let list = List::new(folder.tokens());
    let by_id = |entries: Result<Vec<TokenEntry>, ListError>| -> BTreeMap<String, TokenEntry> {
        let entries = entries.unwrap_or_default().into_iter();
        entries.map(|entry| (entry.id.clone(), entry)).collect()
    };
    // In this order: one that is revoked meanwhile is in both, and never in none.
    let (mut issued, revoked) = (by_id(list.entries()), by_id(list.revoked()));
    issued.retain(|id, _| !revoked.contains_key(id));
    Listed { issued, revoked }
}

/// The identifiers of the tokens of a folder that were revoked and of which there is a record, in order: time alone
/// changes nothing of it.
///
/// # Errors
/// [`ListError`]
pub(crate) fn revoked(folder: &StateFolder) -> Result<Vec<String>, ListError> {
    List::new(folder.tokens()).revoked_ids()
}

/// True if the token whose file this is has expired at `now`, by anybody's clock.
pub(crate) fn has_expired(file: &[u8], now: Timestamp) -> bool {
    let entry = list::entry("", file);
    entry.is_some_and(|it| it.expires.plus_s(SKEW_S as f64) < now)
}

impl Tokens {
    /// The tokens of a state folder; the signing key is generated if there is none.
    ///
    /// # Errors
    /// [`TokenError::Nowhere`] if no platform was ever started there, [`TokenError::Key`]
    pub fn open(folder: &StateFolder, terms: TokenTerms) -> Result<Self, TokenError> {
        if !folder.host_key().exists() {
            return Err(TokenError::Nowhere(folder.path().display().to_string()));
        }
        Ok(Self {
            issuer: Issuer::open(&folder.token_key())?,
            list: List::new(folder.tokens()),
            folder: folder.clone(),
            terms,
        })
    }

    /// The signer of tokens.
    pub fn issuer(&self) -> &Issuer {
        &self.issuer
    }

    /// Issues a token.
    ///
    /// # Errors
    /// [`TokenError`]
    pub fn issue(&self, grant: &Grant, now: Timestamp) -> Result<Issued, TokenError> {
        let most = self.terms.valid_max_s;
        if !(1..=most).contains(&grant.valid_s) {
            let asked = grant.valid_s;
            return Err(TokenError::Validity { asked, most });
        }
        if let Some(odd) = grant.scope.iter().find(|scope| !is_scope(scope)) {
            return Err(TokenError::Scope(odd.clone()));
        }
        if grant.name == OPERATOR {
            // A first start may still be making the operator's key, and the digest is over it.
            StateKeys::open(self.folder.path())?.operator()?;
        }
        let stranger = || TokenError::Stranger(grant.name.clone());
        let key = self.folder.credential_digest(&grant.name);
        let issued_s = now.as_ms().div_euclid(1_000);
        let expires_s = issued_s + grant.valid_s as i64;
        let entry = TokenEntry {
            id: list::fresh_id()?,
            name: grant.name.clone(),
            issued: Timestamp::from_ms(issued_s * 1_000),
            expires: Timestamp::from_ms(expires_s * 1_000),
            scope: grant.scope.clone(),
            key: key.ok_or_else(stranger)?,
        };
        // What nodes must have alike is for them all to forget.
        let keeps_revoked = self.folder.is_of_a_node();
        let then = now.plus_s(-SKEW_S as f64);
        self.list.forget_expired(then, keeps_revoked)?;
        self.list.add(&entry)?;
        let token = self.issuer.sign(&TokenClaims {
            iss: self.issuer.name().to_owned(),
            sub: entry.name.clone(),
            aud: self.terms.audience.clone(),
            client_id: entry.name.clone(),
            iat: issued_s,
            exp: expires_s,
            jti: entry.id.clone(),
            scope: list::joined(&entry.scope),
        });
        Ok(Issued { token, entry })
    }

    /// The tokens that were issued and not revoked, by bearer and expiry.
    ///
    /// # Errors
    /// [`ListError`]
    pub fn entries(&self) -> Result<Vec<TokenEntry>, ListError> {
        self.list.entries()
    }

    /// True if a token that was valid still is at `now`.
    pub fn counts(&self, entry: &TokenEntry, now: Timestamp) -> bool {
        self.list.entry(&entry.id).as_ref() == Some(entry) && self.is_sound(entry, now)
    }

    /// What a session that a token begins keeps of it.
    pub fn mark(&self, entry: &TokenEntry) -> TokenMark {
        let told = [
            self.issuer.name(),
            &self.terms.audience,
            &entry.id,
            &entry.name,
            &entry.issued.to_string(),
            &entry.expires.to_string(),
            &list::joined(&entry.scope).unwrap_or_default(),
            &entry.key,
        ];
        TokenMark {
            id: entry.id.clone(),
            digest: base16ct::lower::encode_string(&Sha256::digest(told.join("\n"))),
        }
    }

    /// True if the token that has that mark still counts at `now`: on the list as it was, on the present terms, and
    /// with the key of its bearer unchanged.
    pub fn bears(&self, mark: &TokenMark, now: Timestamp) -> bool {
        let entry = self.list.entry(&mark.id);
        entry.is_some_and(|entry| {
            let valid_ms = entry.expires.as_ms() - entry.issued.as_ms();
            self.mark(&entry) == *mark
                && valid_ms <= self.terms.valid_max_s as i64 * 1_000
                && self.is_sound(&entry, now)
        })
    }

    /// True if an entry of the list has not expired and its bearer's key is unchanged.
    fn is_sound(&self, entry: &TokenEntry, now: Timestamp) -> bool {
        now.as_ms() < entry.expires.as_ms() + SKEW_S * 1_000
            && self.folder.credential_digest(&entry.name).as_ref() == Some(&entry.key)
    }

    /// Revokes a token by its identifier, or all tokens of a name; returns their entries.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], [`TokenError::List`]
    pub fn revoke(&self, id_or_name: &str) -> Result<Vec<TokenEntry>, TokenError> {
        let mut entries = self.list.entries()?;
        let is_id = entries.iter().any(|entry| entry.id == id_or_name);
        entries.retain(|entry| match is_id {
            true => entry.id == id_or_name,
            false => entry.name == id_or_name,
        });
        if entries.is_empty() {
            return Err(TokenError::Unknown(id_or_name.to_owned()));
        }
        for entry in &entries {
            self.list.revoke(&entry.id)?;
        }
        Ok(entries)
    }

    /// Verifies a token at `now` (RFC 8725 §3); returns its entry.
    ///
    /// # Errors
    /// [`Void`]
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<TokenEntry, Void> {
        let claims = self.issuer.read(token)?;
        self.check(&claims, now.as_ms().div_euclid(1_000))?;
        let entry = self.list.entry(&claims.jti).ok_or(Void::Revoked)?;
        let same = entry.name == claims.sub && list::joined(&entry.scope) == claims.scope;
        match same && self.is_sound(&entry, now) {
            true => Ok(entry),
            false => Err(Void::Revoked),
        }
    }

    fn check(&self, claims: &TokenClaims, now_s: i64) -> Result<(), Void> {
        let valid_s = claims.exp.saturating_sub(claims.iat);
        if claims.iss != self.issuer.name()
            || claims.aud != self.terms.audience
            || !(1..=self.terms.valid_max_s as i64).contains(&valid_s)
        {
            return Err(Void::Terms);
        }
        if now_s >= claims.exp.saturating_add(SKEW_S) {
            return Err(Void::Expired);
        }
        match claims.iat > now_s.saturating_add(SKEW_S) {
            true => Err(Void::Early),
            false => Ok(()),
        }
    }
}

/// RFC 6749 §3.3 allows more characters, which are not needed.
fn is_scope(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    !text.is_empty() && text.len() <= 64 && text.chars().all(fits)
}
