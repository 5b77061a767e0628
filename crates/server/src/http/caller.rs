//! The authentication of callers: the same principal, with the same groups and rules, as over
//! NETCONF.
//!
//! A bearer token (RFC 6750), a client certificate or a session of the console names it; if a certificate is
//! shown with another, they must name the same. A session counts only for a request of the console's
//! own pages ([`super::session`]). The name must be known to the state folder now, so that removing a key shuts its owner
//! out at once. Authorization is by the access rules.

use super::certificate::{Holder, SharedRegister};
use super::problem::Problem;
use super::session::{self, Session};
use crate::clock::Clock;
use crate::sign_in::{ConsoleCredential, CredentialKind, SignIn, is_console_credential};
use crate::state::StateFolder;
use crate::token::{TokenEntry, Tokens};
use crate::trail::{self, Trail};
use domain::access::Principal;
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, COOKIE};
use hyper::http::request::Parts;
use std::net::SocketAddr;
use std::sync::Arc;

/// A caller whose credential was verified.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The principal, as known to the engine.
    pub principal: Principal,
    /// The address of the connection; that of a proxy, if there is one.
    pub source: SocketAddr,
    /// The credential.
    pub proof: Proof,
}

/// A credential that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A bearer token.
    Token(TokenEntry),
    /// A client certificate.
    Certificate(Arc<Holder>),
    /// A one-time link to the console, or a session that it became.
    Console(ConsoleCredential),
}

impl Caller {
    /// The scope that its credential lacks for a route with this one; a credential without scopes opens all, and
    /// a link nothing but the console's own. A token that begins a session needs what the session opens.
    pub(super) fn lacks(&self, scope: Option<&'static str>) -> Option<&'static str> {
        let (needed, opens) = match (&self.proof, scope) {
            (Proof::Console(credential), Some(scope)) => match credential.kind {
                CredentialKind::Link => (scope, scope == session::OF_BEGINNING),
                CredentialKind::Session => (scope, session::OF_SESSIONS.contains(&scope)),
            },
            (Proof::Console(credential), None) => {
                let is_session = credential.kind == CredentialKind::Session;
                (session::OF_CONSOLE, is_session)
            }
            (Proof::Token(entry), Some(scope)) => {
                let is_beginning = scope == session::OF_BEGINNING;
                let needed = match is_beginning {
                    true => session::OF_RESTCONF,
                    false => scope,
                };
                let has = entry.scope.is_empty() || entry.scope.contains(needed);
                (needed, has)
            }
            (Proof::Token(_), None) | (Proof::Certificate(_), _) => return None,
        };
        (!opens).then_some(needed)
    }
}

/// Makes a principal of a verified name.
pub type Principals = Box<dyn Fn(&str) -> Principal + Send + Sync>;

/// Verifies credentials.
pub struct HttpAuthenticator {
    /// The tokens of the platform.
    pub tokens: Tokens,
    /// The links and sessions of the console.
    pub sign_in: SignIn,
    /// The certificates of principals, and the revoked ones.
    pub certificates: SharedRegister,
    /// The state folder, which knows the names.
    pub folder: StateFolder,
    /// The time by which credentials expire.
    pub clock: Arc<Clock>,
    /// The engine's lookup of names.
    pub principals: Principals,
    /// The audit trail, which records logins.
    pub trail: Trail,
}

impl HttpAuthenticator {
    /// Authenticates a request; none if it has no credential. Removes `Authorization`, cookies and what
    /// belongs to them from the head, so that no route sees them.
    ///
    /// # Errors
    /// [`Problem`]: 401 if the credential is refused, 400 if it is malformed.
    pub(super) fn recognise(
        &self,
        head: &mut Parts,
        holder: Option<&Arc<Holder>>,
        source: SocketAddr,
    ) -> Result<Option<Caller>, Problem> {
        let token = bearer(&head.headers);
        let session = session::of(head);
        head.headers.remove(AUTHORIZATION);
        head.headers.remove(COOKIE);
        head.headers.remove(session::FIELD);
        let shown = match token? {
            Some(token) => Some(self.shown(&token)?),
            None => session.and_then(|session| self.going_on(&session)),
        };
        let certified = holder.map(|holder| (self.certified(holder), holder));
        let (name, proof) = match (shown, certified) {
            (None, None) => return Ok(None),
            (None, Some((Some(name), holder))) => (name, Proof::Certificate(Arc::clone(holder))),
            (None, Some((None, _))) => return Err(Problem::invalid_token(NOBODYS)),
            (Some((name, proof)), certified) => {
                let other = certified.and_then(|(name, _)| name);
                if other.is_some_and(|other| other != name) {
                    return Err(Problem::invalid_token(OF_TWO));
                }
                (name, proof)
            }
        };
        Ok(Some(self.caller(&name, source, proof)))
    }

    /// The bearer of a token, or of a link.
    fn shown(&self, token: &str) -> Result<(String, Proof), Problem> {
        let now = self.clock.credential_time();
        if is_console_credential(token) {
            let link = self.sign_in.known(CredentialKind::Link, token, now);
            let link = link.ok_or_else(|| Problem::invalid_token(NO_LINK))?;
            return Ok((link.name.clone(), Proof::Console(link)));
        }
        let entry = self.tokens.verify(token, now);
        let entry = entry.map_err(|void| Problem::invalid_token(&void.to_string()))?;
        Ok((entry.name.clone(), Proof::Token(entry)))
    }

    /// Whose session that is; nobody's if it has ended, as with a browser that was closed for a night, or if it is
    /// shown by what is no page of the console.
    fn going_on(&self, session: &Session) -> Option<(String, Proof)> {
        let now = self.clock.credential_time();
        let known = session.secrets.iter().find_map(|secret| {
            let known = self.sign_in.known(CredentialKind::Session, secret, now);
            known.filter(|credential| credential.is_shown_by(&session.page_secret))
        })?;
        let known = Some(known).filter(|known| self.is_borne(known))?;
        Some((known.name.clone(), Proof::Console(known)))
    }

    fn caller(&self, name: &str, source: SocketAddr, proof: Proof) -> Caller {
        let principal = (self.principals)(name);
        Caller {
            principal: principal.coming_from(trail::of_http(source.ip())),
            source,
            proof,
        }
    }

    /// The same caller, with its present principal.
    ///
    /// # Errors
    /// [`Problem`]: 401 if its credential is no longer valid.
    pub(super) fn renewed(&self, caller: &Caller) -> Result<Caller, Problem> {
        match self.still_counts(caller) {
            true => Ok(self.caller(&caller.principal.name, caller.source, caller.proof.clone())),
            false => Err(Problem::invalid_token(GONE)),
        }
    }

    /// True if a caller's credential is still valid, and its principal is an agent exactly if it
    /// was one.
    pub(super) fn still_knows(&self, caller: &Caller) -> bool {
        let known = &caller.principal;
        self.still_counts(caller) && (self.principals)(&known.name).agent == known.agent
    }

    /// True if a caller's credential is still valid.
    pub(super) fn still_counts(&self, caller: &Caller) -> bool {
        match &caller.proof {
            Proof::Token(entry) => self.tokens.counts(entry, self.clock.credential_time()),
            Proof::Console(credential) => {
                let now = self.clock.credential_time();
                self.sign_in.counts(credential, now) && self.is_borne(credential)
            }
            Proof::Certificate(holder) => {
                self.certified(holder).as_ref() == Some(&caller.principal.name)
            }
        }
    }

    /// True unless a token that counts no more has begun the session.
    fn is_borne(&self, credential: &ConsoleCredential) -> bool {
        let now = self.clock.credential_time();
        let token = credential.token.as_ref();
        token.is_none_or(|token| self.tokens.bears(token, now))
    }

    /// The name that a certificate stands for now.
    fn certified(&self, holder: &Holder) -> Option<String> {
        let register = Arc::clone(&self.certificates.read().expect("no writer panics"));
        let name = register.name_of(holder)?;
        let counts = self.clock.credential_time() < holder.expires
            && self.folder.credential_digest(name).is_some();
        counts.then(|| name.to_owned())
    }

    /// True if a certificate was revoked.
    pub(super) fn was_revoked(&self, holder: &Holder) -> bool {
        let register = self.certificates.read().expect("no writer panics");
        register.revoked.contains(holder)
    }
}

const NOBODYS: &str = "the certificate is nobody's here";
pub(super) const GONE: &str = "the credential counts no more";
const NO_LINK: &str = "the link was used, or is older than five minutes";
const OF_TWO: &str = "token and certificate are of two names";

/// The bearer token in a head (RFC 6750 §2.1); none if there is no such credential.
fn bearer(head: &HeaderMap) -> Result<Option<String>, Problem> {
    let unreadable = || Problem::invalid_request("the credential cannot be read");
    let mut fields = head.get_all(AUTHORIZATION).iter();
    let (field, None) = (fields.next(), fields.next()) else {
        return Err(unreadable());
    };
    let Some(field) = field else {
        return Ok(None);
    };
    let field = field.to_str().map_err(|_| unreadable())?;
    let (scheme, token) = field.split_once(' ').unwrap_or((field, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let token = token.trim_start_matches(' ');
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    match !token.is_empty() && token.chars().all(fits) {
        true => Ok(Some(token.to_owned())),
        false => Err(unreadable()),
    }
}
