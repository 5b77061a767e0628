//! Signing in to the console: one-time links, and the sessions that they become or that a token begins.
//!
//! A [`ConsoleCredential`] is 256 random bits that let one user in until a stated time. The folders `console/links` and
//! `console/sessions` of the state folder hold a file for each, named by the SHA-256 of the secret, so that
//! nothing in them lets anybody in, and looking one up compares no secret. A credential without its file is
//! void, and so is one whose user is none now, or has another key. A session has a second secret beside that of its
//! cookie, which browsers send to every server of a host: one that only its pages have. The files are those of one node: what others hold
//! of a session would count again there after it has ended here. A session by token keeps the [`TokenMark`], by which
//! whoever asks ([`crate::http::caller`]) knows whether it has ended with that. Requests are not known here.
//! Read next: [`crate::http::caller`], which recognises them; [`crate::console`], where one becomes the other.

use crate::permissions::Others;
use crate::ssh::keys::{KeyFileError, StateKeys, sync_parent, write_temporary};
use crate::state::{OPERATOR, StateFolder};
use crate::token::{TokenEntry, TokenMark};
use base64ct::{Base64UrlUnpadded as Base64, Encoding as _};
use domain::time::Timestamp;
use engine::Credential;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The time for which a link can be used, in seconds.
pub const LINK_S: u32 = 300;

/// The time for which a session lasts, in seconds.
pub const SESSION_S: u32 = 12 * 3_600;

/// The most links, and the most sessions that were one, that count at once; the one that ends first gives way to another.
pub const CREDENTIALS_MAX: usize = 64;

/// The most sessions by token that count at once; the one that ends first gives way to another.
pub const BY_TOKEN_MAX: usize = 1_024;

/// The most of them of one user, so that nobody ends those of others by beginning his own.
pub const BY_TOKEN_OF_USER_MAX: usize = 8;

/// The number of random bytes in a secret.
const SECRET_BYTES: usize = 32;

/// The ending of a file.
const ENDING: &str = ".json";

/// The reason for which nobody is let in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// No platform was ever started in that folder.
    #[error("{0} is no state folder: start a platform there first")]
    Nowhere(String),
    /// The name is no user's.
    #[error("'{0}' has no key in users/: the console is for users")]
    Stranger(String),
    /// The link was used by somebody else meanwhile.
    #[error("the link was used")]
    Used,
    /// The token ends now.
    #[error("the token has expired")]
    Expired,
    /// The operator's key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// A file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
}

/// The kind of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// A one-time link, which becomes a session.
    Link,
    /// A session of a browser.
    Session,
}

impl CredentialKind {
    /// How long one lasts, in seconds, if nothing ends it before.
    fn lasts_s(self) -> u32 {
        match self {
            Self::Link => LINK_S,
            Self::Session => SESSION_S,
        }
    }
}

/// What is known of a credential; its secret is kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleCredential {
    /// Its kind.
    pub kind: CredentialKind,
    /// The SHA-256 of its secret, in hexadecimal.
    pub id: String,
    /// The user.
    pub name: String,
    /// The time at which it was made.
    pub since: Timestamp,
    /// The time at which it ends.
    pub expires: Timestamp,
    /// The token that began a session; none of a link and of what it became.
    pub token: Option<TokenMark>,
    /// The digest of the key that its user had when the link was made, or the token issued.
    key: String,
    /// The SHA-256 of what the pages of a session show; none of a link.
    page: Option<String>,
}

/// How many digits of the digest people know a session by: of a thousand no two begin alike.
const LABEL_DIGITS: usize = 16;

impl ConsoleCredential {
    /// The identifier by which people know it, which lets nobody in: the beginning of that of its file.
    pub fn label(&self) -> &str {
        self.id.get(..LABEL_DIGITS).unwrap_or(&self.id)
    }

    /// True if that is what the pages of the session were given.
    pub fn is_shown_by(&self, page_secret: &str) -> bool {
        let shown = decoded(page_secret).map(|secret| id(&secret));
        shown.is_some() && shown == self.page
    }
}

/// A credential that was made.
pub struct NewCredential {
    /// Its secret, in base64url.
    pub secret: String,
    /// What the pages of a session show beside its cookie, in base64url; none of a link.
    pub page_secret: Option<String>,
    /// What is known of it.
    pub credential: ConsoleCredential,
}

/// The form of a credential in its file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Filed {
    name: String,
    /// None of one that was made before there were sessions by token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    expires: String,
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<TokenMark>,
}

/// What a new credential is to be.
struct Wanted<'a> {
    kind: CredentialKind,
    name: &'a str,
    key: String,
    expires: Timestamp,
    token: Option<TokenMark>,
}

/// The links and sessions of the console that a state folder has.
#[derive(Clone, Debug)]
pub struct SignIn(StateFolder);

impl SignIn {
    /// Those of that folder.
    pub fn of(folder: &StateFolder) -> Self {
        Self(folder.clone())
    }

    /// Makes a link for a user.
    ///
    /// # Errors
    /// [`SignInError`]
    pub fn link(&self, name: &str, now: Timestamp) -> Result<NewCredential, SignInError> {
        if !self.0.host_key().exists() {
            return Err(SignInError::Nowhere(self.0.path().display().to_string()));
        }
        if name == OPERATOR {
            // A first start may still be making the operator's key, and the digest is over it.
            StateKeys::open(self.0.path())?.operator()?;
        }
        let stranger = || SignInError::Stranger(name.to_owned());
        let key = self.key_of(name).ok_or_else(stranger)?;
        let link = Wanted {
            kind: CredentialKind::Link,
            name,
            key,
            expires: now.plus_s(LINK_S.into()),
            token: None,
        };
        self.add(link, now)
    }

    /// Begins a session of the bearer of a token, which ends with that. The caller begins one at a time for each user.
    ///
    /// # Errors
    /// [`SignInError::Stranger`] if the bearer is no user; [`SignInError::Expired`] if the token is only valid by the
    /// tolerance for clocks; [`SignInError::File`]
    pub fn begin(
        &self,
        token: &TokenEntry,
        mark: TokenMark,
        now: Timestamp,
    ) -> Result<NewCredential, SignInError> {
        if self.key_of(&token.name).is_none() {
            return Err(SignInError::Stranger(token.name.clone()));
        }
        if token.expires <= now {
            return Err(SignInError::Expired);
        }
        let session = Wanted {
            kind: CredentialKind::Session,
            name: &token.name,
            key: token.key.clone(),
            expires: token.expires.min(now.plus_s(SESSION_S.into())),
            token: Some(mark),
        };
        self.add(session, now)
    }

    /// Makes a session of a link, which is void from then on.
    ///
    /// # Errors
    /// [`SignInError::Used`] if another did so before; [`SignInError::File`]
    pub fn redeem(
        &self,
        link: &ConsoleCredential,
        now: Timestamp,
    ) -> Result<NewCredential, SignInError> {
        // The session is there before the link is gone: so whoever ends all of a user finds one of them.
        let session = Wanted {
            kind: CredentialKind::Session,
            name: &link.name,
            key: link.key.clone(),
            expires: now.plus_s(SESSION_S.into()),
            token: None,
        };
        let session = self.add(session, now)?;
        // Whoever removes the file has used the link, and nobody else has.
        match self.end(link)? {
            true => Ok(session),
            false => {
                self.end(&session.credential)?;
                Err(SignInError::Used)
            }
        }
    }

    /// The credential of a secret, if it counts.
    pub fn known(
        &self,
        kind: CredentialKind,
        secret: &str,
        now: Timestamp,
    ) -> Option<ConsoleCredential> {
        let credential = self.read(kind, &id(&decoded(secret)?))?;
        self.is_sound(&credential, now).then_some(credential)
    }

    /// True if a credential that counted does so at `now`.
    pub fn counts(&self, credential: &ConsoleCredential, now: Timestamp) -> bool {
        self.read(credential.kind, &credential.id).as_ref() == Some(credential)
            && self.is_sound(credential, now)
    }

    /// Ends a credential; true if it was there.
    ///
    /// # Errors
    /// [`SignInError::File`]
    pub fn end(&self, credential: &ConsoleCredential) -> Result<bool, SignInError> {
        let file = self.file(credential.kind, &credential.id);
        match fs::remove_file(&file) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(false),
            removed => {
                let removed = removed.and_then(|()| sync_parent(&file));
                removed.map(|()| true).map_err(at(&file))
            }
        }
    }

    /// The sessions that count at `now`, but for those whose token does no more.
    ///
    /// # Errors
    /// [`SignInError::File`]
    pub fn sessions(&self, now: Timestamp) -> Result<Vec<ConsoleCredential>, SignInError> {
        let mut sessions = self.all(CredentialKind::Session)?;
        sessions.retain(|session| self.is_sound(session, now));
        Ok(sessions)
    }

    /// Ends the links and sessions of a user; returns how many there were.
    ///
    /// # Errors
    /// [`SignInError::File`]
    pub fn end_all_of(&self, name: &str) -> Result<usize, SignInError> {
        let mut ended = 0;
        for kind in [CredentialKind::Link, CredentialKind::Session] {
            let mut own = self.all(kind)?;
            own.retain(|credential| credential.name == name);
            for credential in &own {
                ended += usize::from(self.end(credential)?);
            }
        }
        Ok(ended)
    }

    fn is_sound(&self, credential: &ConsoleCredential, now: Timestamp) -> bool {
        now < credential.expires && self.key_of(&credential.name).as_ref() == Some(&credential.key)
    }

    /// The digest of the key of a user; none of an agent, even with the key of somebody who was a user.
    fn key_of(&self, name: &str) -> Option<String> {
        let is_users = self.0.credential(name) == Some(Credential::User);
        is_users.then(|| self.0.credential_digest(name))?
    }

    /// Writes a new credential, after those that count no more and those beyond the bounds were removed.
    fn add(&self, wanted: Wanted<'_>, now: Timestamp) -> Result<NewCredential, SignInError> {
        let kind = wanted.kind;
        let folder = self.folder(kind);
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder);
        made.map_err(at(&folder))?;
        let (over, mut counting): (Vec<_>, Vec<_>) = self
            .all(kind)?
            .into_iter()
            .partition(|credential| credential.expires <= now);
        counting.sort_by_key(|credential| credential.expires);
        for credential in over.iter().chain(beyond(&counting, &wanted)) {
            self.end(credential)?;
        }
        let secret = random()?;
        let page_secret = match kind {
            CredentialKind::Link => None,
            CredentialKind::Session => Some(random()?),
        };
        let credential = ConsoleCredential {
            kind,
            id: id(&secret),
            name: wanted.name.to_owned(),
            since: now,
            expires: wanted.expires,
            token: wanted.token,
            key: wanted.key,
            page: page_secret.as_ref().map(id),
        };
        self.write(&credential)?;
        Ok(NewCredential {
            secret: Base64::encode_string(&secret),
            page_secret: page_secret.map(|secret| Base64::encode_string(&secret)),
            credential,
        })
    }

    fn write(&self, credential: &ConsoleCredential) -> Result<(), SignInError> {
        let filed = Filed {
            name: credential.name.clone(),
            since: Some(credential.since.to_string()),
            expires: credential.expires.to_string(),
            key: credential.key.clone(),
            page: credential.page.clone(),
            token: credential.token.clone(),
        };
        let text = serde_json::to_vec(&filed).expect("strings are JSON");
        let file = self.file(credential.kind, &credential.id);
        write_temporary(&file, &text, 0o600)
            .and_then(|temporary| fs::rename(temporary, &file))
            .and_then(|()| sync_parent(&file))
            .map_err(at(&file))
    }

    fn all(&self, kind: CredentialKind) -> Result<Vec<ConsoleCredential>, SignInError> {
        let folder = self.folder(kind);
        let files = match fs::read_dir(&folder) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(at(&folder))?,
        };
        let mut found = Vec::new();
        for file in files {
            let name = file.map_err(at(&folder))?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(ENDING));
            found.extend(id.and_then(|id| self.read(kind, id)));
        }
        Ok(found)
    }

    /// The credential in a file; none in a folder in which others could have made one.
    fn read(&self, kind: CredentialKind, id: &str) -> Option<ConsoleCredential> {
        if Others::who_may_write(&self.folder(kind)).is_some() {
            return None;
        }
        let filed: Filed = serde_json::from_slice(&fs::read(self.file(kind, id)).ok()?).ok()?;
        let expires = Timestamp::parse(&filed.expires).ok()?;
        let since = match &filed.since {
            Some(since) => Timestamp::parse(since).ok()?,
            None => expires.plus_s(-f64::from(kind.lasts_s())),
        };
        Some(ConsoleCredential {
            kind,
            id: id.to_owned(),
            name: filed.name,
            since,
            expires,
            key: filed.key,
            page: filed.page,
            token: filed.token,
        })
    }

    fn folder(&self, kind: CredentialKind) -> PathBuf {
        let folder = match kind {
            CredentialKind::Link => "links",
            CredentialKind::Session => "sessions",
        };
        self.0.path().join("console").join(folder)
    }

    fn file(&self, kind: CredentialKind, id: &str) -> PathBuf {
        self.folder(kind).join(format!("{id}{ENDING}"))
    }
}

/// Those that give way to a new one, of all of its kind that count, in the order in which they end.
fn beyond<'c>(
    counting: &'c [ConsoleCredential],
    wanted: &Wanted<'_>,
) -> Vec<&'c ConsoleCredential> {
    let is_by_token = wanted.token.is_some();
    let mut alike: Vec<_> = counting.iter().collect();
    alike.retain(|other| other.token.is_some() == is_by_token);
    if !is_by_token {
        let beyond = (alike.len() + 1).saturating_sub(CREDENTIALS_MAX);
        return alike.drain(..beyond).collect();
    }
    let of_user = alike.iter().filter(|other| other.name == wanted.name);
    let own: Vec<_> = of_user.copied().collect();
    let of_own = (own.len() + 1).saturating_sub(BY_TOKEN_OF_USER_MAX);
    let of_all = (alike.len() + 1).saturating_sub(BY_TOKEN_MAX);
    match of_own {
        0 => alike.drain(..of_all).collect(),
        _ => own[..of_own].to_vec(),
    }
}

/// True if a text has the form of such a secret, which no token has.
pub(crate) fn is_console_credential(text: &str) -> bool {
    decoded(text).is_some()
}

fn decoded(text: &str) -> Option<[u8; SECRET_BYTES]> {
    Base64::decode_vec(text).ok()?.try_into().ok()
}

fn random() -> Result<[u8; SECRET_BYTES], SignInError> {
    let mut secret = [0; SECRET_BYTES];
    let filled = getrandom::fill(&mut secret).map_err(io::Error::other);
    filled.map_err(at(Path::new("the system's randomness")))?;
    Ok(secret)
}

fn id(secret: &[u8; SECRET_BYTES]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(secret))
}

fn at(path: &Path) -> impl Fn(io::Error) -> SignInError {
    move |cause| SignInError::File {
        path: path.to_owned(),
        cause,
    }
}
