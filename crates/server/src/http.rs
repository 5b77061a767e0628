//! The HTTP server: the checks before a request reaches its route.
//!
//! A tour: [`listener`] accepts, within the bounds of [`limits`] that `admission` counts;
//! `connection` is one connection, over [`tls`] or plain, with the timeouts of `wire`, in the
//! `turns` of its user or source; `server` takes a request through [`guard`], [`caller`] (a token,
//! or a [`certificate`]) and [`router`] to a route, which is handed an [`HttpRequest`] and answers
//! with a [`body`] or a [`problem`]; `delivery` watches that it is taken, and `shortage` closes
//! idle connections while memory is short. [`routes`] are those of every server.
//!
//! Protocols mount routes of their own on the [`Router`]: a guarded route is handed the [`Caller`],
//! whose principal is that of a NETCONF session of the same name, and translates the request to an
//! `engine::Operation`. No protocol is known here.

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

pub use body::HttpResponse;
pub use caller::{Caller, HttpAuthenticator, Proof};
pub use limits::HttpLimits;
pub use listener::{HttpListener, HttpServing, HttpSetup};
pub use problem::Problem;
pub use request::{HttpRequest, RequestBytes};
pub use router::Router;

use crate::clock::Clock;
use crate::config::HttpSettings;
use crate::fair::FairShares;
use crate::revocation::Watched;
use crate::ssh::{ConnectionLimiter, SshLimits};
use crate::state::StateFolder;
use crate::token::{Issuer, TokenError, Tokens};
use crate::trail;
use bindings::netconf::Platform;
use std::net::SocketAddr;
use std::sync::Arc;

/// The address of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpListening {
    /// The address, with the actual port.
    pub address: SocketAddr,
    /// True if it uses TLS.
    pub secure: bool,
}

impl HttpListening {
    /// `http` or `https`.
    pub fn protocol(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }
}

/// The reason for which the server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum HttpServerError {
    /// Tokens cannot be set up.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
}

/// The platform behind a server.
#[derive(Clone, Copy)]
pub struct HttpBackend<'a> {
    /// The platform.
    pub platform: &'a Arc<Platform>,
    /// Its clock.
    pub clock: &'a Arc<Clock>,
    /// The users' shares of the runtime, which their NETCONF sessions use too.
    pub shares: &'a Arc<FairShares>,
}

/// Starts the server of a platform, on a socket that is bound already; `mount` adds the routes of
/// protocols, which may need the issuer of tokens.
///
/// # Errors
/// [`HttpServerError`]
pub fn open(
    listener: HttpListener,
    settings: &HttpSettings,
    folder: &StateFolder,
    served: &HttpBackend<'_>,
    watched: &Watched,
    mount: impl FnOnce(Router, &Issuer) -> Router,
) -> Result<HttpServing, HttpServerError> {
    let HttpBackend {
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
        authenticator: HttpAuthenticator {
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
        limiter: ConnectionLimiter::new(SshLimits::default()),
        shares: Arc::clone(shares),
        tls: tls.transpose()?,
        accounts: Arc::clone(platform.engine().accounts()),
        changes: watched.changes.clone(),
    }))
}
