//! Listening sockets: bind, accept, close.
//!
//! Begins and ends connections; each is served by `connection`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use russh::keys::PrivateKey;
use russh::server::Config;
use russh::{MethodKind, MethodSet};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tracing::{error, warn};

use super::algorithms;
use super::authentication::Authenticator;
use super::connection;
use super::limiter::{ConnectionLimiter, SshLimits};
use super::service::Service;
use super::stream::Subsystem;

/// The backlog of connections in the kernel.
const BACKLOG: u32 = 4096;
/// The longest time for sessions to end when the server closes.
const FAREWELL: Duration = Duration::from_secs(2);

/// The reason for which an address cannot be bound.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}")]
pub struct BindError {
    /// The address asked for.
    pub address: SocketAddr,
    /// The cause.
    #[source]
    pub cause: io::Error,
}

/// A bound socket. Clients may connect; they are served by [`Self::serve`].
#[derive(Debug)]
pub struct SshListener {
    socket: TcpListener,
    address: SocketAddr,
    config: Arc<Config>,
    limiter: Arc<ConnectionLimiter>,
    opening: Option<Opening>,
}

/// True once a socket is open: connections to it wait in the kernel until then.
pub(crate) type Opening = watch::Receiver<bool>;

impl SshListener {
    /// Binds `address` (port 0: any). The server authenticates with `host_key`, and shares the
    /// limits of `limiter` with other listeners.
    ///
    /// Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// [`BindError`] if the address is taken or not a local one.
    pub fn bind(
        address: SocketAddr,
        host_key: &PrivateKey,
        limiter: &Arc<ConnectionLimiter>,
    ) -> Result<Self, BindError> {
        let failed = |cause| BindError { address, cause };
        let socket = listen(address).map_err(failed)?;
        Ok(Self {
            address: socket.local_addr().map_err(failed)?,
            socket,
            config: Arc::new(config(host_key, limiter.limits())),
            limiter: Arc::clone(limiter),
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

    /// The shared gate.
    #[must_use]
    pub fn limiter(&self) -> &Arc<ConnectionLimiter> {
        &self.limiter
    }

    /// Accepts and serves connections until [`SshServing::close`].
    #[must_use = "dropping it ends the service"]
    pub fn serve(
        self,
        authenticator: Arc<dyn Authenticator>,
        subsystem: Arc<dyn Subsystem>,
    ) -> SshServing {
        let (stop, stopped) = watch::channel(false);
        let service = Arc::new(Service {
            config: self.config,
            limiter: self.limiter,
            authenticator,
            subsystem,
        });
        SshServing {
            address: self.address,
            stop,
            task: tokio::spawn(accept(self.socket, self.opening, service, stopped)),
        }
    }
}

/// A listener at work. Dropping it cuts all its connections.
#[derive(Debug)]
pub struct SshServing {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl SshServing {
    /// The address served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting, and disconnects every client (`SSH_MSG_DISCONNECT`).
    pub fn begin_close(&self) {
        let _ = self.stop.send(true);
    }

    /// The same; returns when all sessions have ended, about 2 s after it began.
    pub async fn close(mut self) {
        self.begin_close();
        let _ = (&mut self.task).await;
    }
}

impl Drop for SshServing {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A socket that listens on `address`.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart must not wait for the old connections' last packets.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn config(host_key: &PrivateKey, limits: &SshLimits) -> Config {
    Config {
        server_id: algorithms::identification(),
        methods: MethodSet::from(&[MethodKind::PublicKey][..]),
        auth_rejection_time: limits.rejection,
        auth_rejection_time_initial: Some(Duration::ZERO),
        max_auth_attempts: limits.tries_max,
        keys: vec![host_key.clone()],
        limits: algorithms::rekeying(),
        preferred: algorithms::preferred(),
        window_size: algorithms::WINDOW_BYTES,
        maximum_packet_size: algorithms::PACKET_BYTES,
        event_buffer_size: 32,
        inactivity_timeout: None,
        keepalive_interval: Some(limits.keepalive),
        keepalive_max: algorithms::KEEPALIVE_MAX,
        nodelay: true,
        ..Config::default()
    }
}

/// The next connection, once the socket is open.
pub(crate) async fn accepted(
    socket: &TcpListener,
    opening: &mut Option<Opening>,
) -> io::Result<(TcpStream, SocketAddr)> {
    if let Some(opening) = opening
        && opening.wait_for(|is_open| *is_open).await.is_err()
    {
        // Whoever would have opened it is gone.
        std::future::pending::<()>().await;
    }
    socket.accept().await
}

async fn accept(
    socket: TcpListener,
    mut opening: Option<Opening>,
    service: Arc<Service>,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = stopped.changed() => break,
            accepted = accepted(&socket, &mut opening) => {
                start(accepted, &service, &stopped, &mut connections).await;
            }
            Some(ended) = connections.join_next() => report(ended),
        }
    }
    drop(socket);
    while let Some(ended) = connections.join_next().await {
        report(ended);
    }
}

async fn start(
    accepted: io::Result<(TcpStream, SocketAddr)>,
    service: &Arc<Service>,
    stopped: &watch::Receiver<bool>,
    connections: &mut JoinSet<()>,
) {
    match accepted {
        Ok((tcp, address)) => {
            let service = Arc::clone(service);
            connections.spawn(connection::run(
                tcp,
                address,
                service,
                stopped.clone(),
                FAREWELL,
            ));
        }
        Err(error) => {
            // Mostly "too many open files": what is open may close meanwhile.
            warn!(%error, "cannot accept a connection");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        error!(%error, "a connection ended by a defect");
    }
}
