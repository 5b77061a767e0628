//! The client's side: one connection, one `netconf` channel, one stream.
//!
//! Verifies the host key and authenticates; never learns new host keys by itself. The protocol on
//! the stream is in `netconf`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use russh::client::{self, AuthResult, DisconnectReason, Handle, Msg};
use russh::keys::ssh_key::Fingerprint;
use russh::keys::{
    HashAlg, PrivateKey, PrivateKeyWithHashAlg, PublicKey, PublicKeyOrCertificate,
    check_known_hosts_path,
};
use russh::{ChannelMsg, ChannelStream, Disconnect};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::algorithms;
use super::channel::{ChannelBytes, SUBSYSTEM};
use super::stream::ByteStream;
use super::wire::{Socket, Wire};

mod error;

pub use error::ConnectError;

/// The longest time for a dropped stream to send its pending bytes.
const FAREWELL: Duration = Duration::from_secs(2);

/// The trusted host keys.
#[derive(Clone, Debug)]
pub enum HostKeyPolicy {
    /// Those in this `known_hosts` file for the address.
    KnownHosts(PathBuf),
    /// This one only.
    Exactly(PublicKey),
    /// The one with this SHA-256 fingerprint only.
    Fingerprint(Fingerprint),
}

/// The address to connect to, and the user.
#[derive(Clone, Debug)]
pub struct Target {
    /// `host:port` or `[ipv6]:port`.
    pub address: String,
    /// The user's name.
    pub user: String,
    /// The user's key.
    pub key: Arc<PrivateKey>,
    /// The verification of the server's host key.
    pub host_key: HostKeyPolicy,
}

/// Opens one session within 20 s. Dropping the stream closes the connection.
///
/// # Errors
/// See [`ConnectError`].
pub async fn connect(
    address: &str,
    user: &str,
    key: &Arc<PrivateKey>,
    host_key: HostKeyPolicy,
) -> Result<ByteStream, ConnectError> {
    let target = Target {
        address: address.to_owned(),
        user: user.to_owned(),
        key: Arc::clone(key),
        host_key,
    };
    Connector::default().connect(&target).await
}

/// Opens many sessions, with a limited number of handshakes at once: they cost processor time on
/// both sides, and servers limit them.
#[derive(Clone, Debug)]
pub struct Connector {
    handshakes: Arc<Semaphore>,
    limit: Duration,
    config: Arc<client::Config>,
}

impl Default for Connector {
    /// 32 handshakes at once, 20 s for each.
    fn default() -> Self {
        Self::new(32, Duration::from_secs(20))
    }
}

impl Connector {
    /// At most `handshakes` at once, each within `limit` (which does not include the wait for its
    /// turn).
    #[must_use]
    pub fn new(handshakes: usize, limit: Duration) -> Self {
        Self {
            handshakes: Arc::new(Semaphore::new(handshakes.max(1))),
            limit,
            config: Arc::new(config()),
        }
    }

    /// Opens one session.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn connect(&self, target: &Target) -> Result<ByteStream, ConnectError> {
        let _turn = self.handshakes.acquire().await;
        let opening = open(target, Arc::clone(&self.config));
        timeout(self.limit, opening).await.unwrap_or_else(|_| {
            Err(ConnectError::TimedOut {
                address: target.address.clone(),
                limit_ms: u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX),
            })
        })
    }

    /// Opens all sessions concurrently; the outcomes are in the targets' order.
    pub async fn connect_many(
        &self,
        targets: Vec<Target>,
    ) -> Vec<Result<ByteStream, ConnectError>> {
        let tasks: Vec<_> = targets
            .into_iter()
            .map(|target| {
                let connector = self.clone();
                tokio::spawn(async move { connector.connect(&target).await })
            })
            .collect();
        let mut outcomes = Vec::with_capacity(tasks.len());
        for task in tasks {
            outcomes.push(task.await.expect("connecting does not panic"));
        }
        outcomes
    }
}

fn config() -> client::Config {
    client::Config {
        client_id: algorithms::identification(),
        limits: algorithms::rekeying(),
        preferred: algorithms::preferred(),
        window_size: algorithms::WINDOW_BYTES,
        maximum_packet_size: algorithms::PACKET_BYTES,
        channel_buffer_size: 1024,
        keepalive_interval: Some(algorithms::KEEPALIVE_INTERVAL),
        keepalive_max: algorithms::KEEPALIVE_MAX,
        nodelay: true,
        ..client::Config::default()
    }
}

async fn open(target: &Target, config: Arc<client::Config>) -> Result<ByteStream, ConnectError> {
    let (host, port) = host_and_port(&target.address)?;
    let unreachable = |cause| ConnectError::Unreachable {
        address: target.address.clone(),
        cause,
    };
    let tcp = TcpStream::connect((host, port))
        .await
        .map_err(unreachable)?;
    let socket = Socket::new(tcp, algorithms::KEEPALIVE_INTERVAL);
    let notes = Arc::new(Mutex::new(Notes::default()));
    let verifier = Verifier {
        host: host.to_owned(),
        port,
        policy: target.host_key.clone(),
        notes: Arc::clone(&notes),
    };
    let wire = Wire::new(Arc::clone(&socket));
    let outcome = async {
        let mut handle = client::connect_stream(config, wire, verifier).await?;
        match log_in_and_open(&mut handle, target).await {
            Ok(Opened::Stream(stream)) => Ok(Opened::Stream((stream, handle))),
            Ok(Opened::Refused(refusal)) if !handle.is_closed() => Ok(Opened::Refused(refusal)),
            ended => {
                // The reason of a disconnect is noted when the session ends.
                let _ = timeout(Duration::from_secs(1), handle).await;
                match ended? {
                    // To the library this is a refusal as well.
                    Opened::Refused(_) if is_sent_away(&notes) => Err(russh::Error::Disconnect),
                    Opened::Refused(refusal) => Ok(Opened::Refused(refusal)),
                    Opened::Stream(_) => Err(russh::Error::Disconnect),
                }
            }
        }
    }
    .await;
    match outcome {
        Ok(Opened::Stream((stream, handle))) => {
            let ending = move |stream| hang_up(stream, handle, &socket);
            Ok(ByteStream::new(ChannelBytes::new(stream, ending)))
        }
        Ok(Opened::Refused(refusal)) => Err(refusal),
        Err(cause) => Err(explain(target, &notes, cause)),
    }
}

enum Opened<T> {
    Stream(T),
    Refused(ConnectError),
}

async fn log_in_and_open(
    handle: &mut Handle<Verifier>,
    target: &Target,
) -> Result<Opened<ChannelStream<Msg>>, russh::Error> {
    let address = || target.address.clone();
    let hash = match target.key.algorithm().is_rsa() {
        true => Some(HashAlg::Sha512),
        false => None,
    };
    let key = PrivateKeyWithHashAlg::new(Arc::clone(&target.key), hash);
    let answer = handle.authenticate_publickey(&target.user, key).await?;
    if !matches!(answer, AuthResult::Success) {
        return Ok(Opened::Refused(ConnectError::AuthenticationRefused {
            address: address(),
            user: target.user.clone(),
        }));
    }
    let refused = || Opened::Refused(ConnectError::SubsystemRefused { address: address() });
    let mut channel = match handle.channel_open_session().await {
        Err(russh::Error::ChannelOpenFailure(_)) => return Ok(refused()),
        outcome => outcome?,
    };
    channel.request_subsystem(true, SUBSYSTEM).await?;
    loop {
        match channel.wait().await {
            Some(ChannelMsg::Success) => return Ok(Opened::Stream(channel.into_stream())),
            Some(ChannelMsg::Failure | ChannelMsg::Close | ChannelMsg::Eof) => return Ok(refused()),
            Some(_) => {}
            None => return Err(russh::Error::Disconnect),
        }
    }
}

fn is_sent_away(notes: &Mutex<Notes>) -> bool {
    let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    notes.goodbye.is_some()
}

fn explain(target: &Target, notes: &Mutex<Notes>, cause: russh::Error) -> ConnectError {
    let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    let address = target.address.clone();
    match (notes.distrust.take(), notes.goodbye.take()) {
        (Some((fingerprint, true)), _) => ConnectError::HostKeyMismatch {
            address,
            fingerprint,
        },
        (Some((fingerprint, false)), _) => ConnectError::HostKeyUnknown {
            address,
            fingerprint,
        },
        (None, Some((reason, too_many))) => ConnectError::SentAway {
            address,
            reason,
            too_many,
        },
        (None, None) => ConnectError::Protocol { address, cause },
    }
}

/// Parses an RFC 3986 authority: the port is behind the last colon, IPv6 in brackets.
fn host_and_port(address: &str) -> Result<(&str, u16), ConnectError> {
    let parse = || {
        let (host, port) = address.rsplit_once(':')?;
        let bracketed = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
        let host = match bracketed {
            Some(inner) => inner,
            None if host.contains(':') || host.is_empty() => return None,
            None => host,
        };
        Some((host, port.parse().ok()?))
    };
    parse().ok_or_else(|| ConnectError::Address {
        address: address.to_owned(),
    })
}

/// Facts noted by the session's task, for the error.
#[derive(Debug, Default)]
struct Notes {
    /// The key's fingerprint, and whether another key was expected.
    distrust: Option<(String, bool)>,
    /// The server's disconnect message, and whether it has too many connections.
    goodbye: Option<(String, bool)>,
}

struct Verifier {
    host: String,
    port: u16,
    policy: HostKeyPolicy,
    notes: Arc<Mutex<Notes>>,
}

impl Verifier {
    /// `None` if the key is trusted, else whether another one was expected.
    fn distrust(&self, key: &PublicKey) -> Option<bool> {
        match &self.policy {
            HostKeyPolicy::Exactly(expected) => {
                (expected.key_data() != key.key_data()).then_some(true)
            }
            HostKeyPolicy::Fingerprint(expected) => {
                (*expected != key.fingerprint(HashAlg::Sha256)).then_some(true)
            }
            HostKeyPolicy::KnownHosts(path) => {
                let known = check_known_hosts_path(&self.host, self.port, key, path);
                match known {
                    Ok(true) => None,
                    Ok(false) => Some(false),
                    Err(_) => Some(true),
                }
            }
        }
    }
}

impl client::Handler for Verifier {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        let PublicKeyOrCertificate::PublicKey { key, .. } = shown else {
            return Ok(false);
        };
        let Some(mismatch) = self.distrust(key) else {
            return Ok(true);
        };
        let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.distrust = Some((fingerprint, mismatch));
        Ok(false)
    }

    async fn disconnected(
        &mut self,
        reason: DisconnectReason<Self::Error>,
    ) -> Result<(), Self::Error> {
        match reason {
            DisconnectReason::ReceivedDisconnect(info) => {
                let too_many = matches!(info.reason_code, Disconnect::TooManyConnections);
                let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
                notes.goodbye = Some((info.message, too_many));
                Ok(())
            }
            DisconnectReason::Error(error) => Err(error),
        }
    }
}

/// Ends the connection of a dropped stream. The library does so when channel and handle are gone
/// and everything is sent; if the server does not read, the socket is shut down after a moment.
fn hang_up(stream: ChannelStream<Msg>, handle: Handle<Verifier>, socket: &Arc<Socket>) {
    let socket = Arc::downgrade(socket);
    drop((stream, handle));
    tokio::spawn(async move {
        tokio::time::sleep(FAREWELL).await;
        if let Some(socket) = socket.upgrade() {
            socket.cut();
        }
    });
}
