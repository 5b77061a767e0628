//! What of getting in belongs into the audit trail: over SSH, over HTTP, and what lets people in.
//!
//! Names people, addresses, fingerprints of keys and identifiers of tokens; no key and no token. Read
//! next: `domain::audit`, `engine`'s `trail`.

use crate::clock::Clock;
use crate::http::caller::{Caller, Proof};
use crate::ssh::{Attempt, Authenticator, PublicKey};
use domain::audit::{AuditEvent, AuditKind};
use engine::Engine;
use russh::keys::ssh_key::public::KeyData;
use std::net::IpAddr;
use std::sync::Arc;

/// Takes events.
pub type Trail = Arc<dyn Fn(AuditEvent) + Send + Sync>;

/// The trail of a platform.
pub fn of(engine: &Arc<Engine>, clock: &Arc<Clock>) -> Trail {
    let (engine, clock) = (Arc::clone(engine), Arc::clone(clock));
    Arc::new(move |event| engine.audit(event, clock.now()))
}

/// Whoever checks keys, with the trail told who got in.
pub struct Witnessed<A> {
    /// Who decides.
    pub authenticator: A,
    /// Who is told.
    pub trail: Trail,
}

impl<A: Authenticator> Authenticator for Witnessed<A> {
    fn authenticate(&self, user: &str, key: &PublicKey) -> Option<String> {
        self.authenticator.authenticate(user, key)
    }

    fn attempted(&self, attempt: &Attempt) {
        let kind = match attempt.refused {
            None => AuditKind::Login,
            Some(_) => AuditKind::LoginFailed,
        };
        let event = AuditEvent::new(kind, &attempt.user)
            .from(&format!("ssh {}", attempt.address))
            .to(&attempt.shown)
            .because(attempt.refused.unwrap_or_default());
        (self.trail)(event);
    }

    fn is_own(&self, user: &str) -> bool {
        self.authenticator.is_own(user)
    }

    fn still_admits(&self, user: &str, key: &KeyData) -> bool {
        self.authenticator.still_admits(user, key)
    }
}

/// Somebody got in over HTTP.
pub fn of_caller(caller: &Caller) -> AuditEvent {
    let shown = match &caller.proof {
        Proof::Token(entry) => format!("token {}", entry.id),
        Proof::Certificate(_) => "client certificate".to_owned(),
    };
    AuditEvent::new(AuditKind::Login, &caller.principal.name)
        .from(&of_http(caller.source.ip()))
        .to(&shown)
}

/// What somebody showed over HTTP does not count.
pub fn of_stranger(source: IpAddr, why: &str) -> AuditEvent {
    AuditEvent::new(AuditKind::LoginFailed, "")
        .from(&of_http(source))
        .to("token or client certificate")
        .because(why)
}

/// Somebody asked over HTTP for what his token is not for.
pub fn of_scope(caller: &Caller, scope: &str) -> AuditEvent {
    AuditEvent::new(AuditKind::Denied, &caller.principal.name)
        .from(&of_http(caller.source.ip()))
        .to(&format!("scope {scope}"))
        .because("the token has not the scope")
}

/// Where somebody comes from who comes over HTTP.
pub fn of_http(source: IpAddr) -> String {
    format!("http {source}")
}
