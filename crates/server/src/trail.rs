//! The trail that takes audit events of authentication, and those of logins over SSH.
//!
//! Events hold user names, addresses, fingerprints of keys and identifiers of tokens, but no keys
//! and no tokens. Read next: `domain::audit`, `engine`'s `trail`; the events of the HTTP server are
//! in `http::audit`, those of changed credentials in [`crate::revocation`].

use crate::clock::Clock;
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

/// The source of an event over HTTP.
pub fn of_http(source: IpAddr) -> String {
    format!("http {source}")
}
