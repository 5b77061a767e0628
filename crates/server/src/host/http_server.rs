//! The HTTP server of a platform: its routes, credentials and limits.
//!
//! Read next: [`crate::http`], the server itself.

use crate::clock::Clock;
use crate::config::HttpSettings;
use crate::fair::FairShares;
use crate::http::tls::{self, TlsError};
use crate::http::{
    HttpAuthenticator, HttpLimits, HttpListener, HttpServing, HttpSetup, Router, routes,
};
use crate::revocation::Watched;
use crate::ssh::{ConnectionLimiter, SshLimits};
use crate::state::StateFolder;
use crate::token::{Issuer, TokenError, Tokens};
use crate::trail;
use bindings::netconf::Platform;
use std::sync::Arc;

/// The reason for which the server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum HttpServerError {
    /// Tokens cannot be set up.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// The platform behind a server.
#[derive(Clone, Copy)]
pub(super) struct HttpBackend<'a> {
    /// The platform.
    pub(super) platform: &'a Arc<Platform>,
    /// Its clock.
    pub(super) clock: &'a Arc<Clock>,
    /// The users' shares of the runtime, which their NETCONF sessions use too.
    pub(super) shares: &'a Arc<FairShares>,
}

/// Starts the server of a platform, on a socket that is bound already; `mount` adds the routes of
/// protocols, which may need the issuer of tokens.
///
/// # Errors
/// [`HttpServerError`]
pub(super) fn open(
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
