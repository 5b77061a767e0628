//! The console behind the HTTP server: its page at the root for browsers, its files, sign-in and sign-out.
//!
//! Page and files are public and say nothing of the platform; everything they show they ask of RESTCONF, as the
//! user of a session, or of a client certificate. Read next: [`crate::sign_in`], links and sessions; [`files`], what is embedded;
//! [`KeptSessions`], which are told and ended over NETCONF and RESTCONF.

mod files;
mod sessions;

use crate::clock::Clock;
use crate::http::session::{OF_BEGINNING, OF_CONSOLE, cookie};
use crate::http::{Caller, HttpRequest, HttpResponse, Problem, Proof, Router, body};
use crate::sign_in::{CredentialKind, NewCredential, SignIn, SignInError};
use domain::time::Timestamp;
use files::Files;
use hyper::header::{ACCEPT, HeaderMap, SET_COOKIE};
use hyper::{Method, StatusCode};
use serde_json::json;
use std::collections::BTreeSet;
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tracing::error;

pub use sessions::KeptSessions;

/// The path of sign-in and sign-out.
const SESSION: &str = "/console/session";

/// The `Retry-After` of whoever begins a session by token while he begins another.
const AGAIN: Duration = Duration::from_secs(1);

/// The users who begin a session by token now. Each begins one at a time, since it waits for the disk and goes through all
/// sessions that there are.
#[derive(Default)]
struct Beginning(Mutex<BTreeSet<String>>);

impl Beginning {
    /// Holds the place of a user; none if he begins a session already.
    fn of(self: &Arc<Self>, name: &str) -> Option<BeginningOfUser> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name.to_owned()).then(|| BeginningOfUser {
            all: Arc::clone(self),
            name: name.to_owned(),
        })
    }
}

/// The place of a user, given back when dropped.
struct BeginningOfUser {
    all: Arc<Beginning>,
    name: String,
}

impl Drop for BeginningOfUser {
    fn drop(&mut self) {
        let mut names = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.remove(&self.name);
    }
}

/// The same server with the console.
#[must_use]
pub fn mounted(router: Router, sign_in: &SignIn, clock: &Arc<Clock>) -> Router {
    let files = Arc::new(Files::embedded());
    let page = Arc::clone(&files);
    let (beginning, sessions) = (sign_in.clone(), sign_in.clone());
    let (by_token, clock) = (Arc::<Beginning>::default(), Arc::clone(clock));
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
            Some(OF_BEGINNING),
            move |caller, ask| {
                let (sign_in, by_token) = (beginning.clone(), Arc::clone(&by_token));
                begin_session(sign_in, by_token, Arc::clone(&clock), caller, ask)
            },
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

/// Makes a session of a link, or begins one by a token: its cookie, and in the answer what its pages show beside that.
async fn begin_session(
    sign_in: SignIn,
    by_token: Arc<Beginning>,
    clock: Arc<Clock>,
    caller: Caller,
    ask: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let now = clock.credential_time();
    let made = match caller.proof {
        Proof::Console(link) if link.kind == CredentialKind::Link => {
            on_disk(move || sign_in.redeem(&link, now)).await?
        }
        Proof::Token(token) => {
            let place = by_token.of(&token.name);
            let place = place.ok_or_else(|| Problem::too_many("another session begins", AGAIN))?;
            let mark = ask.mark_of(&token);
            let begin = move || {
                let begun = sign_in.begin(&token, mark, now);
                drop(place);
                begun
            };
            on_disk(begin).await?
        }
        _ => {
            let detail = "a session begins with a link or a token";
            return Err(Problem::forbidden(detail));
        }
    };
    let lasts_s = lasts_s(&made, now);
    let reply = body::json(&json!({ "console-request": made.page_secret }));
    Ok(with_cookie(reply, &ask, Some((&made.secret, lasts_s))))
}

/// The time for which a new session lasts, in whole seconds.
fn lasts_s(session: &NewCredential, now: Timestamp) -> u32 {
    let ms = session.credential.expires.as_ms() - now.as_ms();
    u32::try_from(ms / 1_000).unwrap_or_default()
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
            SignInError::Used | SignInError::Expired => Problem::invalid_token(&error.to_string()),
            SignInError::Stranger(_) => Problem::forbidden("the console is for users"),
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
