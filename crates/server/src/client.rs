//! A NETCONF client over SSH, for the command line: it lives from the protocol alone.
//!
//! Read next: `netconf::client`, the machine below.

use crate::ssh::{
    ByteStream, ConnectError, HostKeyPolicy, Inbound, Outbound, PrivateKey, connect, split,
};
pub use bindings::netconf::{NegotiateReply, NegotiateRequest, Unreadable, read_notification};
use bindings::netconf::{negotiate_request, read_notice, read_reply};
use domain::verb::Verb;
pub use engine::operation::Notice;
use netconf::client::{ClientConfig, ClientError, ClientEvent, ClientSession, Notification, Reply};
use netconf::error::RpcError;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;

/// How much the server may send ahead of being read, in bytes.
const QUOTA_BYTES: usize = 256 * 1_024 * 1_024;

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// No session could be had.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The user's key cannot be read.
    #[error(transparent)]
    Key(#[from] crate::ssh::keys::KeyError),
    /// The session ended.
    #[error("the session ended: {0}")]
    Ended(String),
    /// The server said no.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<RpcError>),
    /// The server's message cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// A session with a server.
pub struct Client {
    machine: ClientSession,
    inbound: Inbound,
    outbound: Outbound,
    notifications: VecDeque<Notification>,
}

/// Who connects, and how the server is recognised.
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
        let (inbound, outbound) = split(stream, QUOTA_BYTES);
        let outbound = outbound.ending_with_input();
        let mut client = Self {
            machine: ClientSession::new(ClientConfig::default()),
            inbound,
            outbound,
            notifications: VecDeque::new(),
        };
        loop {
            if let ClientEvent::Ready { .. } = client.event().await? {
                return Ok(client);
            }
        }
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

    async fn call_any(&mut self, operation: &str) -> Result<Reply, CallError> {
        let id = self.machine.call(operation);
        loop {
            match self.event().await? {
                ClientEvent::Reply(reply) if reply.message_id == id => return Ok(reply),
                ClientEvent::Notification(notification) => {
                    self.notifications.push_back(notification)
                }
                _ => {}
            }
        }
    }

    /// Calls `task-negotiate`.
    ///
    /// # Errors
    /// [`CallError`]; what the server says no to is in the inner result.
    pub async fn negotiate(
        &mut self,
        verb: Verb,
        request: &NegotiateRequest<'_>,
    ) -> Result<NegotiateReply, CallError> {
        Ok(self.negotiate_noticing(verb, request).await?.0)
    }

    /// The same, with what the reply tells besides about schemas.
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
            return Ok(notification);
        }
        loop {
            if let ClientEvent::Notification(notification) = self.event().await? {
                return Ok(notification);
            }
        }
    }

    async fn event(&mut self) -> Result<ClientEvent, CallError> {
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
