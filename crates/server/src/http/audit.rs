//! The audit events of the HTTP server: logins, refused credentials, and missing scopes.
//!
//! They hold names, addresses and identifiers of tokens, but no tokens. Read next: [`crate::trail`].

use super::caller::{Caller, Proof};
use crate::sign_in::CredentialKind;
use crate::trail::of_http;
use domain::audit::{AuditEvent, AuditKind};
use std::net::IpAddr;

/// The event of a login over HTTP.
pub(super) fn of_caller(caller: &Caller) -> AuditEvent {
    let shown = match &caller.proof {
        Proof::Token(entry) => format!("token {}", entry.id),
        Proof::Certificate(_) => "client certificate".to_owned(),
        Proof::Console(credential) => match (credential.kind, &credential.token) {
            (CredentialKind::Link, _) => "link to the console".to_owned(),
            (CredentialKind::Session, None) => "session of the console".to_owned(),
            (CredentialKind::Session, Some(token)) => {
                format!("session of the console by token {}", token.id)
            }
        },
    };
    AuditEvent::new(AuditKind::Login, &caller.principal.name)
        .from(&of_http(caller.source.ip()))
        .to(&shown)
}

/// The event of a refused credential over HTTP.
pub(super) fn of_stranger(source: IpAddr, why: &str) -> AuditEvent {
    AuditEvent::new(AuditKind::LoginFailed, "")
        .from(&of_http(source))
        .to("token or client certificate")
        .because(why)
}

/// The event of a request over HTTP for which the token lacks a scope.
pub(super) fn of_scope(caller: &Caller, scope: &str) -> AuditEvent {
    AuditEvent::new(AuditKind::Denied, &caller.principal.name)
        .from(&of_http(caller.source.ip()))
        .to(&format!("scope {scope}"))
        .because("the token has not the scope")
}
