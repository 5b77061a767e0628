//! The console behind the HTTP server: its page at the root for browsers, its files, sign-in and sign-out.
//!
//! Page and files are public and say nothing of the platform; everything they show they ask of RESTCONF, as the
//! user of a session. Read next: [`crate::sign_in`], links and sessions; [`files`], what is embedded.

mod files;

use crate::clock::Clock;
use crate::http::session::{OF_CONSOLE, OF_LINKS, cookie};
use crate::http::{Caller, HttpRequest, HttpResponse, Problem, Proof, Router, body};
use crate::sign_in::{CredentialKind, SESSION_S, SignIn, SignInError};
use files::Files;
use hyper::header::{ACCEPT, HeaderMap, SET_COOKIE};
use hyper::{Method, StatusCode};
use serde_json::json;
use std::future::ready;
use std::sync::Arc;
use tracing::error;

/// The path of sign-in and sign-out.
const SESSION: &str = "/console/session";

/// The same server with the console.
#[must_use]
pub fn mounted(router: Router, sign_in: &SignIn, clock: &Arc<Clock>) -> Router {
    let files = Arc::new(Files::embedded());
    let page = Arc::clone(&files);
    let (links, sessions, clock) = (sign_in.clone(), sign_in.clone(), Arc::clone(clock));
    router
        .open("/", &[Method::GET], move |ask| {
            ready(page.answer("index.html", &ask.head))
        })
        .only_for(wants_a_page)
        .open("/console/{}", &[Method::GET], move |ask| {
            ready(files.answer(&ask.captures[0], &ask.head))
        })
        .guarded(
            SESSION,
            &[Method::POST],
            Some(OF_LINKS),
            move |caller, ask| begin_session(links.clone(), Arc::clone(&clock), caller, ask),
        )
        .ending_credentials()
        .guarded(
            SESSION,
            &[Method::DELETE],
            Some(OF_CONSOLE),
            move |caller, ask| end_session(sessions.clone(), caller, ask),
        )
        .ending_credentials()
}

/// True if a browser is to show what is answered: nothing else asks for HTML by name.
fn wants_a_page(fields: &HeaderMap) -> bool {
    files::names(fields, ACCEPT).into_iter().any(is_html)
}

fn is_html(range: &str) -> bool {
    let name = range.split(';').next().unwrap_or_default().trim();
    name.eq_ignore_ascii_case("text/html")
}

/// Makes a session of a link: its cookie, and in the answer what its pages show beside that.
async fn begin_session(
    links: SignIn,
    clock: Arc<Clock>,
    caller: Caller,
    ask: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let link = match caller.proof {
        Proof::Console(credential) if credential.kind == CredentialKind::Link => credential,
        _ => return Err(Problem::forbidden("a session begins with a link")),
    };
    let now = clock.credential_time();
    let made = on_disk(move || links.redeem(&link, now)).await?;
    let reply = body::json(&json!({ "console-request": made.page_secret }));
    Ok(with_cookie(reply, &ask, Some((&made.secret, SESSION_S))))
}

/// Ends the session that is shown; with another credential there is none to end.
async fn end_session(
    sessions: SignIn,
    caller: Caller,
    ask: HttpRequest,
) -> Result<HttpResponse, Problem> {
    if let Proof::Console(session) = caller.proof {
        on_disk(move || sessions.end(&session)).await?;
    }
    let mut reply = HttpResponse::new(body::whole(""));
    *reply.status_mut() = StatusCode::NO_CONTENT;
    Ok(with_cookie(reply, &ask, None))
}

/// What comes of changing links and sessions, which waits for the disk.
async fn on_disk<T: Send + 'static>(
    change: impl FnOnce() -> Result<T, SignInError> + Send + 'static,
) -> Result<T, Problem> {
    let changed = tokio::task::spawn_blocking(change).await;
    changed
        .expect("no change panics")
        .map_err(|error| match error {
            SignInError::Used => Problem::invalid_token(&error.to_string()),
            failure => {
                error!("sign-in to the console: {failure}");
                let detail = "sessions cannot be written";
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
            }
        })
}

fn with_cookie(
    mut reply: HttpResponse,
    ask: &HttpRequest,
    session: Option<(&str, u32)>,
) -> HttpResponse {
    let cookie = cookie(&ask.head, session);
    reply
        .headers_mut()
        .extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
    reply
}
