//! The listening socket of the server: bind, accept, close.
//!
//! Begins and ends connections; each is served by [`super::connection`].

use super::admission::Admission;
use super::caller::HttpAuthenticator;
use super::connection;
use super::elsewhere::Elsewhere;
use super::forward::ForwardedRequests;
use super::guard::ServerNames;
use super::limits::HttpLimits;
use super::router::Router;
use super::server::HttpServer;
use super::shortage;
use crate::fair::FairShares;
use crate::ssh::listener::{Opening, accepted, listen};
use crate::ssh::{BindError, ConnectionLimiter};
use engine::Accounts;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tracing::{error, warn};

/// A bound socket. Clients may connect; they are served by [`Self::serve`].
#[derive(Debug)]
pub struct HttpListener {
    socket: TcpListener,
    address: SocketAddr,
    opening: Option<Opening>,
}

/// The parts of a server.
pub struct HttpSetup {
    /// The routes.
    pub router: Router,
    /// The verification of credentials.
    pub authenticator: HttpAuthenticator,
    /// The names in `[http]`, in lower case.
    pub names: Vec<String>,
    /// The limits.
    pub limits: HttpLimits,
    /// The gate, which counts failures by source.
    pub limiter: Arc<ConnectionLimiter>,
    /// The users' shares of the runtime.
    pub shares: Arc<FairShares>,
    /// TLS, unless it is terminated in front.
    pub tls: Option<Arc<ServerConfig>>,
    /// The usage of each user.
    pub accounts: Arc<Accounts>,
    /// Counts changes of credentials: after each, authenticated connections are checked again.
    pub changes: watch::Receiver<u64>,
}

impl HttpListener {
    /// Binds `address` (port 0: any). Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// [`BindError`] if the address is taken or not ours.
    pub fn bind(address: SocketAddr) -> Result<Self, BindError> {
        let failed = |cause| BindError { address, cause };
        let socket = listen(address).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        Ok(Self {
            socket,
            address,
            opening: None,
        })
    }

    /// The same, which accepts nobody before that.
    pub(crate) fn once_open(mut self, opening: &Opening) -> Self {
        self.opening = Some(opening.clone());
        self
    }

    /// The address bound, with the port that was chosen.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts and serves connections until [`HttpServing::close`].
    #[must_use = "dropping it ends the service"]
    pub fn serve(self, setup: HttpSetup) -> HttpServing {
        self.begin(setup, None)
    }

    /// The same within the limits of a server, but what is asked is answered `elsewhere`: the routes are
    /// not, and of credentials only the certificates of TLS are looked at.
    #[must_use = "dropping it ends the service"]
    pub fn forward(self, setup: HttpSetup, elsewhere: Arc<dyn Elsewhere>) -> HttpServing {
        self.begin(setup, Some(elsewhere))
    }

    fn begin(self, setup: HttpSetup, elsewhere: Option<Arc<dyn Elsewhere>>) -> HttpServing {
        let loopback = self.address.ip().is_loopback();
        HttpServing::begin(setup, loopback, elsewhere, |server, shortage| {
            accept(self.socket, self.opening, server, shortage)
        })
    }
}

impl HttpServing {
    /// A server without a socket: what it answers, other nodes took.
    #[must_use = "dropping it ends the service"]
    pub fn without_socket(setup: HttpSetup) -> Self {
        Self::begin(setup, false, None, |server, shortage| async move {
            tokio::select! {
                () = server.closes() => {}
                () = shortage::tell(&server.accounts, &shortage) => {}
            }
        })
    }

    fn begin<F>(
        setup: HttpSetup,
        loopback: bool,
        elsewhere: Option<Arc<dyn Elsewhere>>,
        serve: impl FnOnce(Arc<HttpServer>, watch::Sender<bool>) -> F,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (stop, closing) = watch::channel(false);
        let (shortage, short) = watch::channel(false);
        let server = HttpServer {
            router: setup.router,
            authenticator: Arc::new(setup.authenticator),
            names: ServerNames {
                given: setup.names,
                loopback,
            },
            admission: Admission::new(&setup.limits),
            limits: Arc::new(setup.limits),
            limiter: setup.limiter,
            shares: setup.shares,
            tls: setup.tls.map(TlsAcceptor::from),
            held: Arc::default(),
            closing,
            accounts: setup.accounts,
            short,
            changes: setup.changes,
            elsewhere,
        };
        let server = Arc::new(server);
        Self {
            stop,
            task: tokio::spawn(serve(Arc::clone(&server), shortage)),
            server,
        }
    }
}

/// A server at work. Dropping it cuts all its connections.
pub struct HttpServing {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
    server: Arc<HttpServer>,
}

impl HttpServing {
    /// What answers the requests that other nodes forward.
    pub(crate) fn forwarded(&self) -> Arc<ForwardedRequests> {
        Arc::new(ForwardedRequests::to(&self.server))
    }

    /// Stops accepting, and lets responses end, streams at once.
    pub fn begin_close(&self) {
        let _ = self.stop.send(true);
    }

    /// The same; returns when all connections have ended, about 2 s after it began.
    pub async fn close(mut self) {
        self.begin_close();
        let _ = (&mut self.task).await;
    }
}

impl Drop for HttpServing {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(
    socket: TcpListener,
    mut opening: Option<Opening>,
    server: Arc<HttpServer>,
    short: watch::Sender<bool>,
) {
    let mut connections = JoinSet::new();
    let mut telling = pin!(shortage::tell(&server.accounts, &short));
    loop {
        tokio::select! {
            () = server.closes() => break,
            accepted = accepted(&socket, &mut opening) => {
                start(accepted, &server, &mut connections).await;
            }
            Some(ended) = connections.join_next() => report(ended),
            () = telling.as_mut() => {}
        }
    }
    drop(socket);
    while let Some(ended) = connections.join_next().await {
        report(ended);
    }
}

async fn start(
    accepted: io::Result<(TcpStream, SocketAddr)>,
    server: &Arc<HttpServer>,
    connections: &mut JoinSet<()>,
) {
    match accepted {
        Ok((tcp, source)) => {
            drop(connections.spawn(connection::run(tcp, source, Arc::clone(server))))
        }
        Err(error) => {
            // Mostly "too many open files": what is open may close meanwhile.
            warn!(%error, "cannot accept a connection");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        error!(%error, "a connection ended by a defect");
    }
}
