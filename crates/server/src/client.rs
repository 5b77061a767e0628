//! A NETCONF client over SSH, for the command line, which uses the protocol alone.
//!
//! Read next: `netconf::client`, the machine below.

use crate::ssh::{
    ByteStream, ConnectError, HostKeyPolicy, Inbound, Outbound, PrivateKey, connect, split,
};
pub use bindings::netconf::{NegotiateReply, NegotiateRequest, Unreadable, read_notification};
use bindings::netconf::{negotiate_request, read_notice, read_reply};
use domain::verb::Verb;
pub use engine::Notice;
pub use netconf::client::Reply;
use netconf::client::{ClientConfig, ClientError, ClientEvent, ClientSession, Notification};
use netconf::error::RpcError;
use netconf::hello::Capabilities;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

/// The most bytes that the server may send before they are read.
const QUOTA_BYTES: usize = 256 * 1_024 * 1_024;

/// The error of a call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The session could not be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The user's key cannot be read.
    #[error(transparent)]
    Key(#[from] crate::ssh::keys::KeyFileError),
    /// The session ended.
    #[error("the session ended: {0}")]
    Ended(String),
    /// The server answered with errors.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<RpcError>),
    /// The server's message cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The server sent more notifications than are kept while an answer is waited for.
    #[error("the server sends notifications without answering")]
    Flooded,
}

/// The most notifications that are kept until they are asked for, and their bytes; the latter are also
/// within what may wait to be read.
const KEPT_NOTIFICATIONS: usize = 100_000;
const KEPT_NOTIFICATION_BYTES: usize = 64 << 20;

/// The longest time that a server may take to close a session that was dropped.
const FAREWELL: Duration = Duration::from_secs(2);

/// The number of dropped sessions of this process that are not closed yet.
static DEPARTING: LazyLock<watch::Sender<usize>> = LazyLock::new(|| watch::Sender::new(0));

/// Completes when every dropped session is closed, or its server took too long: within about 2 s.
/// For the end of a command.
pub async fn departed() {
    let mut departing = DEPARTING.subscribe();
    // Its sender lives as long as the process.
    drop(departing.wait_for(|departing| *departing == 0).await);
}

/// A session with a server. When it is dropped inside a runtime, it is closed in the background by
/// the protocol (RFC 6241 §7.8); see [`departed`].
pub struct Client {
    line: Option<Line>,
    capabilities: Capabilities,
    notifications: VecDeque<Notification>,
    /// The bytes of these.
    kept_bytes: usize,
    /// The most of these.
    kept_bytes_max: usize,
}

/// The session itself.
struct Line {
    machine: ClientSession,
    inbound: Inbound,
    outbound: Outbound,
    ended: bool,
}

/// The identity of the client, and its trust in servers.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The user name.
    pub user: String,
    /// The file of the private key.
    pub key: PathBuf,
    /// The file of known hosts.
    pub known_hosts: PathBuf,
}

impl Identity {
    /// The operator of the platform whose state is in `folder`.
    pub fn operator(folder: &Path) -> Self {
        Self {
            user: "operator".to_owned(),
            key: folder.join("operator_ed25519"),
            known_hosts: folder.join("known_hosts"),
        }
    }
}

impl Client {
    /// Opens a session and exchanges hellos.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn connect(address: &str, identity: &Identity) -> Result<Self, CallError> {
        let key: Arc<PrivateKey> = Arc::new(crate::ssh::keys::load(&identity.key)?);
        let policy = HostKeyPolicy::KnownHosts(identity.known_hosts.clone());
        Self::over(connect(address, &identity.user, &key, policy).await?).await
    }

    /// Exchanges hellos over a stream.
    ///
    /// # Errors
    /// [`CallError::Ended`]
    pub async fn over(stream: ByteStream) -> Result<Self, CallError> {
        Self::bounded(stream, ClientConfig::default(), QUOTA_BYTES).await
    }

    /// Exchanges hellos over a stream, of which at most `quota` bytes wait to be read, and as many of
    /// notifications to be asked for; messages are within the limits of `config`.
    ///
    /// # Errors
    /// [`CallError::Ended`]
    pub async fn bounded(
        stream: ByteStream,
        config: ClientConfig,
        quota: usize,
    ) -> Result<Self, CallError> {
        let (inbound, outbound) = split(stream, quota);
        let outbound = outbound.ending_with_input();
        let mut line = Line {
            machine: ClientSession::new(config),
            inbound,
            outbound,
            ended: false,
        };
        let capabilities = loop {
            if let ClientEvent::Ready { capabilities, .. } = line.event().await? {
                break capabilities;
            }
        };
        Ok(Self {
            line: Some(line),
            capabilities,
            notifications: VecDeque::new(),
            kept_bytes: 0,
            kept_bytes_max: quota.min(KEPT_NOTIFICATION_BYTES),
        })
    }

    /// What the server announced.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Calls an operation and waits for its reply.
    ///
    /// # Errors
    /// [`CallError::Refused`] with every `rpc-error`, [`CallError::Ended`]
    pub async fn call(&mut self, operation: &str) -> Result<Reply, CallError> {
        let reply = self.call_any(operation).await?;
        match reply.outcome {
            netconf::client::Outcome::Errors(errors) => Err(CallError::Refused(errors)),
            _ => Ok(reply),
        }
    }

    /// Calls an operation and waits for its reply, whatever it is.
    ///
    /// # Errors
    /// [`CallError::Ended`]
    pub async fn call_any(&mut self, operation: &str) -> Result<Reply, CallError> {
        let id = self.line().machine.call(operation);
        loop {
            match self.line().event().await? {
                ClientEvent::Reply(reply) if reply.message_id == id => return Ok(reply),
                ClientEvent::Notification(notification) => self.keep(notification)?,
                _ => {}
            }
        }
    }

    /// Keeps a notification until it is asked for.
    fn keep(&mut self, notification: Notification) -> Result<(), CallError> {
        self.kept_bytes += notification.raw().len();
        self.notifications.push_back(notification);
        let number = self.notifications.len();
        match number > KEPT_NOTIFICATIONS || self.kept_bytes > self.kept_bytes_max {
            true => Err(CallError::Flooded),
            false => Ok(()),
        }
    }

    /// Calls `task-negotiate`.
    ///
    /// # Errors
    /// [`CallError`]; a refusal by the server is in the inner result.
    pub async fn negotiate(
        &mut self,
        verb: Verb,
        request: &NegotiateRequest<'_>,
    ) -> Result<NegotiateReply, CallError> {
        Ok(self.negotiate_noticing(verb, request).await?.0)
    }

    /// The same, with the notices about schemas in the reply.
    ///
    /// # Errors
    /// As of [`Self::negotiate`].
    pub async fn negotiate_noticing(
        &mut self,
        verb: Verb,
        request: &NegotiateRequest<'_>,
    ) -> Result<(NegotiateReply, Notice), CallError> {
        let reply = self.call_any(&negotiate_request(verb, request)).await?;
        Ok((read_reply(&reply)?, read_notice(&reply)))
    }

    /// The next notification, in order.
    ///
    /// # Errors
    /// [`CallError::Ended`]
    pub async fn notification(&mut self) -> Result<Notification, CallError> {
        if let Some(notification) = self.notifications.pop_front() {
            self.kept_bytes -= notification.raw().len();
            return Ok(notification);
        }
        loop {
            if let ClientEvent::Notification(notification) = self.line().event().await? {
                return Ok(notification);
            }
        }
    }

    /// Closes the session and waits for the server's confirmation.
    ///
    /// # Errors
    /// [`CallError::Ended`] if the session had already ended.
    pub async fn close(mut self) -> Result<(), CallError> {
        let line = self.line.take().expect("taken only here and when dropped");
        line.close().await
    }

    fn line(&mut self) -> &mut Line {
        let line = self.line.as_mut();
        line.expect("taken only when closed or dropped")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let line = self.line.take().filter(|line| !line.ended);
        let (Some(line), Ok(runtime)) = (line, Handle::try_current()) else {
            return;
        };
        let departure = Departure::begin();
        runtime.spawn(async move {
            let _ = timeout(FAREWELL, line.close()).await;
            drop(departure);
        });
    }
}

/// Counts one of [`DEPARTING`] until it is dropped, even by the end of the runtime.
struct Departure;

impl Departure {
    fn begin() -> Self {
        DEPARTING.send_modify(|departing| *departing += 1);
        Self
    }
}

impl Drop for Departure {
    fn drop(&mut self) {
        DEPARTING.send_modify(|departing| *departing -= 1);
    }
}

impl Line {
    async fn close(mut self) -> Result<(), CallError> {
        let id = self.machine.call("<close-session/>");
        loop {
            match self.event().await? {
                ClientEvent::Reply(reply) if reply.message_id == id => return Ok(()),
                _ => {}
            }
        }
    }

    async fn event(&mut self) -> Result<ClientEvent, CallError> {
        let event = self.next().await;
        self.ended |= event.is_err();
        event
    }

    async fn next(&mut self) -> Result<ClientEvent, CallError> {
        loop {
            let output = self.machine.transmit();
            if !output.is_empty() {
                match self.outbound.write_all(&output).await {
                    // The server has ended the session; what it said before is still to be read.
                    Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
                    Err(error) => return Err(CallError::Ended(error.to_string())),
                    Ok(()) => {}
                }
            }
            match self.machine.poll() {
                Some(ClientEvent::Closed(ClientError::EndOfInput)) => {
                    return Err(CallError::Ended("the server closed it".to_owned()));
                }
                Some(ClientEvent::Closed(error)) => {
                    return Err(CallError::Ended(error.to_string()));
                }
                Some(event) => return Ok(event),
                None => {}
            }
            match self.inbound.receive().await {
                Ok(Some(bytes)) => self.machine.receive(&bytes),
                Ok(None) => self.machine.end_of_input(),
                Err(error) => return Err(CallError::Ended(error.to_string())),
            }
        }
    }
}
