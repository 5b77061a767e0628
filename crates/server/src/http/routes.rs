//! The routes of every server: liveness, readiness, the signing keys, and the caller's identity.
//!
//! Read next: [`super::router`].

use super::body::{self, HttpResponse};
use super::caller::{Caller, Proof};
use super::problem::Problem;
use super::request::HttpRequest;
use super::router::Router;
use hyper::Method;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use std::time::Duration;
use store::Condition;

/// The `Retry-After` of a platform that is not ready.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// The routes: `/livez`, `/readyz`, `/.well-known/jwks.json` and, for callers, `/whoami`.
pub fn routes<F, B>(condition: F, broken: B, jwks: Value) -> Router
where
    F: Fn() -> Condition + Send + Sync + 'static,
    B: Fn() -> bool + Send + Sync + 'static,
{
    let get = &[Method::GET];
    Router::new()
        .open("/livez", get, move |_| {
            let broken = broken();
            async move { living(broken) }
        })
        .open("/readyz", get, move |_| {
            let condition = condition();
            async move { ready(condition) }
        })
        .open("/.well-known/jwks.json", get, move |_| {
            let reply = keys(&jwks);
            async move { Ok(reply) }
        })
        .guarded("/whoami", get, None, whoami)
}

fn status(word: &str) -> HttpResponse {
    body::json(&json!({ "status": word }))
}

/// The response of a process that lives.
pub(crate) fn alive() -> HttpResponse {
    status("alive")
}

/// Alive unless a decision has panicked.
fn living(broken: bool) -> Result<HttpResponse, Problem> {
    match broken {
        false => Ok(alive()),
        true => Err(Problem::unavailable("a decision failed", LOOK_AGAIN)),
    }
}

/// Ready if the store accepts commits.
fn ready(condition: Condition) -> Result<HttpResponse, Problem> {
    match condition {
        Condition::Working => Ok(status("ready")),
        Condition::Full => Err(Problem::unavailable("the store is full", LOOK_AGAIN)),
        Condition::Locked => Err(Problem::unavailable(
            "another program keeps the store locked",
            LOOK_AGAIN,
        )),
        Condition::Unreachable => Err(Problem::unavailable(
            "the database of the store cannot be reached",
            LOOK_AGAIN,
        )),
        Condition::Stopped => Err(Problem::unavailable("the store failed", LOOK_AGAIN)),
    }
}

fn keys(jwks: &Value) -> HttpResponse {
    let mut reply = body::json(jwks);
    let fields = reply.headers_mut();
    let (kept, media_type) = ("public, max-age=300", "application/jwk-set+json");
    fields.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    fields.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    reply
}

async fn whoami(caller: Caller, _: HttpRequest) -> Result<HttpResponse, Problem> {
    let credential = match &caller.proof {
        Proof::Token(entry) => json!({
            "kind": "token", "id": entry.id, "expires": entry.expires.to_string(),
            "scope": entry.scope,
        }),
        Proof::Certificate(holder) => json!({
            "kind": "certificate", "expires": holder.expires.to_string(),
        }),
        Proof::Console(credential) => json!({
            "kind": "session", "id": credential.label(),
            "expires": credential.expires.to_string(),
        }),
    };
    let who = &caller.principal;
    Ok(body::json(&json!({
        "name": who.name, "agent": who.agent, "groups": who.groups, "credential": credential,
    })))
}
