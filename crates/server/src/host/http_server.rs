//! The HTTP server of a platform: its routes, credentials and limits.
//!
//! Read next: [`crate::http`], the server itself.

use crate::clock::Clock;
use crate::config::HttpSettings;
use crate::console::KeptSessions;
use crate::fair::FairShares;
use crate::http::certificate::SharedRegister;
use crate::http::tls::{self, TlsError};
use crate::http::{
    Elsewhere, HttpAuthenticator, HttpLimits, HttpListener, HttpServing, HttpSetup, Router, routes,
};
use crate::revocation::Watched;
use crate::sign_in::SignIn;
use crate::ssh::{ConnectionLimiter, SshLimits};
use crate::state::StateFolder;
use crate::token::{Issuer, TokenError, Tokens};
use crate::trail::{self, Trail};
use bindings::netconf::Platform;
use domain::access::Principal;
use engine::Accounts;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;

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

/// Serves the clients of a node by forwarding their requests, on a socket that is bound already: with the TLS
/// and within the limits of a server, whose credentials and routes are those of whoever leads.
///
/// # Errors
/// [`HttpServerError`]
pub(crate) fn forward(
    listener: HttpListener,
    settings: &HttpSettings,
    folder: &StateFolder,
    clock: &Arc<Clock>,
    (shares, accounts): (&Arc<FairShares>, &Arc<Accounts>),
    (elsewhere, trail): (Arc<dyn Elsewhere>, Trail),
) -> Result<HttpServing, HttpServerError> {
    let files = settings.tls.as_ref();
    let tls = files.map(|files| tls::configure(&files.files(), clock));
    let (_, unchanged) = watch::channel(0);
    let setup = HttpSetup {
        router: Router::new(),
        authenticator: HttpAuthenticator {
            tokens: Tokens::open(folder, settings.token.terms())?,
            sign_in: SignIn::of(folder),
            certificates: SharedRegister::default(),
            folder: folder.clone(),
            clock: Arc::clone(clock),
            trail,
            // Nobody is recognised here.
            principals: Box::new(|name| Principal {
                name: name.to_owned(),
                groups: BTreeSet::new(),
                agent: false,
                source: String::new(),
            }),
        },
        names: settings.names(),
        limits: HttpLimits::default(),
        limiter: ConnectionLimiter::new(SshLimits::default()),
        shares: Arc::clone(shares),
        tls: tls.transpose()?,
        accounts: Arc::clone(accounts),
        changes: unchanged,
    };
    Ok(listener.forward(setup, elsewhere))
}

/// Starts the server of a platform, on a socket that is bound already, or without one, for requests that other
/// nodes took; `mount` adds the routes of protocols, which may need the issuer of tokens.
///
/// # Errors
/// [`HttpServerError`]
pub(super) fn open(
    listener: Option<HttpListener>,
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
    let sessions = KeptSessions {
        sign_in: SignIn::of(folder),
        tokens: Tokens::open(folder, settings.token.terms())?,
        clock: Arc::clone(clock),
    };
    platform.engine().open_console(Arc::new(sessions));
    let files = settings.tls.as_ref();
    let tls = files.map(|files| tls::configure(&files.files(), clock));
    let (asked, stored) = (Arc::clone(platform), Arc::clone(platform));
    let decides = Arc::clone(platform);
    let condition = move || stored.engine().store().statistics().condition;
    let broken = move || decides.engine().is_broken();
    let setup = HttpSetup {
        router: mount(
            routes::routes(condition, broken, tokens.issuer().jwks()),
            tokens.issuer(),
        ),
        authenticator: HttpAuthenticator {
            tokens,
            sign_in: SignIn::of(folder),
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
    };
    Ok(match listener {
        Some(listener) => listener.serve(setup),
        None => HttpServing::without_socket(setup),
    })
}
