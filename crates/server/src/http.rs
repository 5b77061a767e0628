//! The HTTP server: what must be so before anybody behind it is asked.
//!
//! A tour: [`listener`] accepts, within the bounds of [`limits`] that `admission` counts; `connection`
//! is one connection, over [`tls`] or plain, with the patience of `wire`, in somebody's `turns`; `server` takes a request
//! through [`guard`], [`caller`] (a token, or a [`certificate`]) and [`router`] to a route, which is
//! handed an [`HttpRequest`] and answers with a [`body`] or a [`problem`]; `delivery` sees to it that it is taken,
//! and `shortage` that nobody stays for nothing while memory is short. [`routes`] are those that every server
//! has.
//!
//! Protocols mount routes of their own on the [`Router`]: a route for callers is handed the
//! [`Caller`], whose principal is the one that a NETCONF session of the same name has, and makes an
//! `engine::Operation` of what it is asked. No protocol is known here.

mod admission;
pub mod body;
pub mod caller;
pub mod certificate;
mod connection;
mod delivery;
pub mod guard;
pub mod limits;
pub mod listener;
pub mod problem;
pub mod request;
pub mod router;
pub mod routes;
mod server;
mod shortage;
pub mod tls;
mod turns;
mod wire;

pub use body::Reply;
pub use caller::{Caller, HttpAuthenticator, Proof};
pub use limits::HttpLimits;
pub use listener::{HttpListener, HttpServing, HttpSetup};
pub use problem::Problem;
pub use request::{Content, HttpRequest};
pub use router::Router;

use crate::clock::Clock;
use crate::config::HttpSettings;
use crate::fair::FairShares;
use crate::revocation::Watched;
use crate::ssh::{Gate, SshLimits};
use crate::state::StateFolder;
use crate::token::{Issuer, TokenError, Tokens};
use crate::trail;
use bindings::netconf::Platform;
use std::net::SocketAddr;
use std::sync::Arc;

/// Where a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpListening {
    /// The address, with the port that was really taken.
    pub address: SocketAddr,
    /// True if TLS is spoken there.
    pub secure: bool,
}

impl HttpListening {
    /// `http` or `https`.
    pub fn protocol(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }
}

/// Why the server does not open.
#[derive(Debug, thiserror::Error)]
pub enum HttpServerError {
    /// There can be no tokens.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// There can be no TLS.
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
}

/// What is behind a server.
#[derive(Clone, Copy)]
pub struct Served<'a> {
    /// The platform.
    pub platform: &'a Arc<Platform>,
    /// Its clock.
    pub clock: &'a Arc<Clock>,
    /// The users' shares of the runtime, which their sessions have a part of too.
    pub shares: &'a Arc<FairShares>,
}

/// Opens the server of a platform, on a socket that is bound already; `mount` adds the routes of
/// protocols, which may need to know who issues tokens.
///
/// # Errors
/// [`HttpServerError`]
pub fn open(
    listener: HttpListener,
    settings: &HttpSettings,
    folder: &StateFolder,
    served: &Served<'_>,
    watched: &Watched,
    mount: impl FnOnce(Router, &Issuer) -> Router,
) -> Result<HttpServing, HttpServerError> {
    let Served {
        platform,
        clock,
        shares,
    } = *served;
    let tokens = Tokens::open(folder, settings.token.terms())?;
    let files = settings.tls.as_ref();
    let tls = files.map(|files| tls::configure(&files.files(), clock));
    let (asked, stored) = (Arc::clone(platform), Arc::clone(platform));
    let decides = Arc::clone(platform);
    let condition = move || stored.engine().store().statistics().condition;
    let broken = move || decides.engine().is_broken();
    Ok(listener.serve(HttpSetup {
        router: mount(
            routes::routes(condition, broken, tokens.issuer().jwks()),
            tokens.issuer(),
        ),
        keeper: HttpAuthenticator {
            tokens,
            certificates: Arc::clone(&watched.certificates),
            folder: folder.clone(),
            clock: Arc::clone(clock),
            trail: trail::of(platform.engine(), clock),
            principals: Box::new(move |name| asked.engine().principal(name)),
        },
        names: settings.names(),
        limits: HttpLimits::default(),
        // Not the gate of SSH: behind a proxy all clients are one source, and that is where our own
        // agents may come from as well.
        gate: Gate::new(SshLimits::default()),
        shares: Arc::clone(shares),
        tls: tls.transpose()?,
        accounts: Arc::clone(platform.engine().accounts()),
        changes: watched.changes.clone(),
    }))
}
