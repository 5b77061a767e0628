//! The audit events of authentication: over SSH, over HTTP, and changes of credentials.
//!
//! They hold user names, addresses, fingerprints of keys and identifiers of tokens, but no keys and
//! no tokens. Read next: `domain::audit`, `engine`'s `trail`.

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

/// An authenticator whose outcomes are recorded in the trail.
pub struct Witnessed<A> {
    /// The authenticator.
    pub authenticator: A,
    /// The trail.
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

/// The event of a login over HTTP.
pub fn of_caller(caller: &Caller) -> AuditEvent {
    let shown = match &caller.proof {
        Proof::Token(entry) => format!("token {}", entry.id),
        Proof::Certificate(_) => "client certificate".to_owned(),
    };
    AuditEvent::new(AuditKind::Login, &caller.principal.name)
        .from(&of_http(caller.source.ip()))
        .to(&shown)
}

/// The event of a refused credential over HTTP.
pub fn of_stranger(source: IpAddr, why: &str) -> AuditEvent {
    AuditEvent::new(AuditKind::LoginFailed, "")
        .from(&of_http(source))
        .to("token or client certificate")
        .because(why)
}

/// The event of a request over HTTP for which the token lacks a scope.
pub fn of_scope(caller: &Caller, scope: &str) -> AuditEvent {
    AuditEvent::new(AuditKind::Denied, &caller.principal.name)
        .from(&of_http(caller.source.ip()))
        .to(&format!("scope {scope}"))
        .because("the token has not the scope")
}

/// The source of an event over HTTP.
pub fn of_http(source: IpAddr) -> String {
    format!("http {source}")
}
