//! The thread that drives connections, and how they are made.
//!
//! One thread, `store-net`, with a runtime of its own: what callers send is written and what servers
//! say is read there, so a caller need be in no runtime and may be in any. Places are tried in the
//! order of the address; a server that takes no writes (a standby) is passed over. Read next:
//! [`super::session`].

use super::address::{PasswordError, Place, PostgresAddress, Protection};
use super::error::{PostgresError, with_causes};
use super::hold::Hold;
use super::tls::{Handshake, TlsError, Trust};
use crate::failure::FailureKind as Kind;
use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock, mpsc as blocking};
use std::task::{Context, ready};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::runtime::{self, Handle};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout_at;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::error::Severity;
use tokio_postgres::tls::TlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Socket};
use tracing::{debug, warn};

/// The time in which connections take leave when the last session ends.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);

/// The time after which a silent peer is asked whether it lives.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;

/// How a server sees us among its clients.
const APPLICATION: &str = "convoke";

/// The reason for which there is no connection: of each place that was tried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// What an operator wrote cannot be used.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// TLS cannot be set up.
    #[error("{}", with_causes(.0))]
    Tls(TlsError),
    /// No place has a server that we can write to.
    #[error("{}", tried(.0))]
    Places(Vec<(Place, PlaceError)>),
    /// It took longer than the address allows.
    #[error("there was no connection within {} s", .0.as_secs())]
    Late(Duration),
    /// The thread that connects is gone.
    #[error("the thread of the network has ended")]
    Ended,
}

/// The reason for which there is no connection to one place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaceError {
    #[error("the name is not resolved: {0}")]
    Name(io::Error),
    #[error(
        "the name leads to {0}, off this machine, where TLS is needed: write sslmode=verify-full"
    )]
    NotLoopback(IpAddr),
    #[error("{}", with_causes(.0))]
    Socket(io::Error),
    #[error("TLS: {0}")]
    Tls(String),
    #[error("{0}")]
    Refused(PostgresError),
    #[error("no answer in time")]
    Late,
}

impl ConnectError {
    /// True if it may pass by itself: a server that is away or takes no writes, and not a wrong
    /// password, certificate or name of a database.
    pub(crate) fn passes(&self) -> bool {
        match self {
            Self::Places(tried) => tried.iter().any(|(_, error)| match error {
                PlaceError::Refused(refused) => refused.kind != Kind::Other,
                PlaceError::Tls(_) | PlaceError::NotLoopback(_) => false,
                _ => true,
            }),
            Self::Late(_) => true,
            Self::Password(_) | Self::Tls(_) | Self::Ended => false,
        }
    }
}

impl From<ConnectError> for PostgresError {
    fn from(error: ConnectError) -> Self {
        let kind = match error.passes() {
            true => Kind::Unreachable,
            false => Kind::Other,
        };
        Self::new(kind, format!("no connection to the database: {error}"))
    }
}

fn tried(places: &[(Place, PlaceError)]) -> String {
    let each = places
        .iter()
        .map(|(place, error)| format!("{place}: {error}"));
    each.collect::<Vec<_>>().join("; ")
}

/// The thread. Dropping it ends all connections that are left.
pub(crate) struct Net {
    runtime: Handle,
    /// Held by each connection that lives.
    alive: mpsc::Sender<()>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Net {
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        let (alive, mut gone) = mpsc::channel(1);
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            runtime.block_on(async move {
                let _ = stopped.await;
                // Nothing is sent: it ends with the last connection.
                let _ = tokio::time::timeout(LEAVE_WITHIN, gone.recv()).await;
            });
        };
        let thread = thread::Builder::new().name("store-net".to_owned());
        Ok(Arc::new(Self {
            runtime: handle,
            alive,
            stop: Some(stop),
            thread: Some(thread.spawn(run)?),
        }))
    }

    /// A connection to the first place of the address that takes writes, within the time that the
    /// address allows.
    pub(super) fn connect(&self, address: &PostgresAddress) -> Result<Line, ConnectError> {
        let within = address.connect_within();
        let dial = Dial::new(address, Instant::now() + within)?;
        let alive = self.alive.clone();
        // No channel of tokio's: one that waits on a worker would use up what its task may do.
        let (tell, told) = blocking::channel();
        let task = self.runtime.spawn(async move {
            let _ = tell.send(dial.first(&alive).await);
        });
        // Each place has its own bound below this one.
        match told.recv_timeout(within + LEAVE_WITHIN) {
            Ok(connected) => connected,
            Err(blocking::RecvTimeoutError::Timeout) => {
                task.abort();
                Err(ConnectError::Late(within))
            }
            Err(blocking::RecvTimeoutError::Disconnected) => Err(ConnectError::Ended),
        }
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        // The thread waits for the connections alone.
        let (other, _) = mpsc::channel(1);
        drop(std::mem::replace(&mut self.alive, other));
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A connection. Dropping it takes leave of the server.
pub(super) struct Line {
    pub(super) client: Arc<Client>,
    /// Keeps back what is sent, until it is let go.
    pub(super) hold: Arc<Hold>,
    driver: AbortHandle,
    ended: Arc<OnceLock<PostgresError>>,
}

impl Line {
    /// Ends it at once for this reason, whatever the server still has to say.
    pub(super) fn cut(&self, why: PostgresError) {
        let _ = self.ended.set(why);
        self.driver.abort();
    }

    /// What ends it from another thread.
    pub(super) fn cutter(&self) -> AbortHandle {
        self.driver.clone()
    }

    /// Why it ended, if it has, and that is known.
    pub(super) fn ended(&self) -> Option<&PostgresError> {
        self.ended.get()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.hold.release();
    }
}

/// A search for a server.
struct Dial {
    address: PostgresAddress,
    config: Config,
    trust: Option<Trust>,
    until: Instant,
}

impl Dial {
    fn new(address: &PostgresAddress, until: Instant) -> Result<Self, ConnectError> {
        let mut config = Config::new();
        config
            .user(address.user())
            .dbname(address.database())
            .application_name(APPLICATION)
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .keepalives(true)
            .keepalives_idle(KEEPALIVE_IDLE)
            .keepalives_interval(KEEPALIVE_INTERVAL)
            .keepalives_retries(KEEPALIVE_RETRIES);
        if let Some(password) = address.password()? {
            config.password(password.as_bytes());
        }
        let places = address.places().iter();
        let secured = { places }.any(|place| address.protection(place) == Protection::Tls);
        let trust = secured.then(|| Trust::new(address.authorities()));
        Ok(Self {
            address: address.clone(),
            config,
            trust: trust.transpose().map_err(ConnectError::Tls)?,
            until,
        })
    }

    /// The first place that will do.
    async fn first(&self, alive: &mpsc::Sender<()>) -> Result<Line, ConnectError> {
        let places = self.address.places();
        let mut tried = Vec::new();
        for (index, place) in places.iter().enumerate() {
            let share = self.share(places.len() - index);
            let connected = timeout_at(share.into(), self.place(place, alive));
            match connected.await.unwrap_or(Err(PlaceError::Late)) {
                Ok(line) => return Ok(line),
                Err(error) => tried.push((place.clone(), error)),
            }
        }
        Err(ConnectError::Places(tried))
    }

    /// The instant by which the next of so many attempts must have come to something.
    fn share(&self, attempts: usize) -> Instant {
        let now = Instant::now();
        let left = self.until.saturating_duration_since(now);
        now + left / u32::try_from(attempts).unwrap_or(u32::MAX).max(1)
    }

    async fn place(&self, place: &Place, alive: &mpsc::Sender<()>) -> Result<Line, PlaceError> {
        let protection = self.address.protection(place);
        let mut config = self.config.clone();
        config.ssl_mode(match protection {
            Protection::Tls => SslMode::Require,
            Protection::Loopback | Protection::Nothing => SslMode::Disable,
        });
        match place {
            Place::Socket(folder, port) => {
                config.host_path(folder).port(*port);
                self.connect(&config, alive).await
            }
            Place::Port(host, port) => {
                config.host(host).port(*port);
                self.named(&config, host, *port, protection, alive).await
            }
        }
    }

    /// All that a name leads to, in turn.
    async fn named(
        &self,
        config: &Config,
        host: &str,
        port: u16,
        protection: Protection,
        alive: &mpsc::Sender<()>,
    ) -> Result<Line, PlaceError> {
        let found = tokio::net::lookup_host((host, port)).await;
        let numbers: Vec<_> = found.map_err(PlaceError::Name)?.map(|it| it.ip()).collect();
        let mut last = PlaceError::Name(io::Error::other("it leads nowhere"));
        for number in numbers {
            if protection == Protection::Loopback && !number.is_loopback() {
                last = PlaceError::NotLoopback(number);
                continue;
            }
            let mut config = config.clone();
            match self.connect(config.hostaddr(number), alive).await {
                Ok(line) => return Ok(line),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn connect(&self, config: &Config, alive: &mpsc::Sender<()>) -> Result<Line, PlaceError> {
        let alive = alive.clone();
        match &self.trust {
            Some(trust) if config.get_ssl_mode() == SslMode::Require => {
                let connected = config.connect(trust.clone()).await;
                let (client, connection) = connected.map_err(|error| place_error(&error))?;
                Ok(line(client, connection, alive))
            }
            _ => {
                let connected = config.connect(tokio_postgres::NoTls).await;
                let (client, connection) = connected.map_err(|error| place_error(&error))?;
                Ok(line(client, connection, alive))
            }
        }
    }
}

fn place_error(error: &tokio_postgres::Error) -> PlaceError {
    let cause = std::error::Error::source(error);
    if let Some(Handshake(cause)) = cause.and_then(|it| it.downcast_ref()) {
        // What rustls finds of a certificate is of this kind.
        return match cause.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                PlaceError::Tls(with_causes(cause))
            }
            _ => PlaceError::Socket(copied(cause)),
        };
    }
    match cause.and_then(|it| it.downcast_ref()) {
        Some(cause) => PlaceError::Socket(copied(cause)),
        None => PlaceError::Refused(error.into()),
    }
}

fn copied(cause: &io::Error) -> io::Error {
    match cause.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(cause.kind(), cause.to_string()),
    }
}

/// Drives a connection to its end.
fn line<T>(client: Client, connection: Connection<Socket, T>, alive: mpsc::Sender<()>) -> Line
where
    T: TlsStream + Unpin + Send + 'static,
{
    let ended = Arc::new(OnceLock::new());
    let end = Arc::clone(&ended);
    let hold = Arc::new(Hold::default());
    let held = Arc::clone(&hold);
    let driver = tokio::spawn(async move {
        if let Err(error) = drive(connection, &held).await {
            debug!(%error, "a connection to the database ended");
            let _ = end.set(error.ending());
        }
        drop(alive);
    });
    Line {
        client: Arc::new(client),
        hold,
        driver: driver.abort_handle(),
        ended,
    }
}

async fn drive<T>(mut connection: Connection<Socket, T>, hold: &Hold) -> Result<(), PostgresError>
where
    T: TlsStream + Unpin,
{
    let next = |cx: &mut Context<'_>| {
        ready!(hold.poll_released(cx));
        connection.poll_message(cx)
    };
    let mut next = poll_fn(next);
    while let Some(message) = (&mut next).await {
        if let AsyncMessage::Notice(notice) = message? {
            // What it tells in detail may be of a row.
            match notice.parsed_severity() {
                Some(Severity::Warning) => warn!("the database warns: {}", notice.message()),
                _ => debug!("the database notes: {}", notice.message()),
            }
        }
    }
    Ok(())
}
