//! The client's side of one session, over the same parts as [`crate::session`].
//!
//! A machine without clock or socket: it greets, negotiates, numbers requests, and tells replies
//! from notifications. The meaning of a reply and timeouts are the caller's concern.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::error::{self, ErrorSeverity, RpcError};
use crate::framing::{self, Decoder, Framing};
use crate::hello::{self, Capabilities, HelloSender};
use crate::names::capability::{BASE_1_0, BASE_1_1};
use crate::names::namespace::{BASE, NOTIFICATION};
use crate::xml::{Limits, XmlDocument, XmlElement, write};

/// The configuration of a client session.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// Announced to the server.
    pub capabilities: Capabilities,
    /// Bounds on its messages.
    pub limits: Limits,
}

impl Default for ClientConfig {
    /// base:1.0 and base:1.1; messages up to 64 MiB.
    fn default() -> Self {
        ClientConfig {
            capabilities: Capabilities::new([BASE_1_0, BASE_1_1]),
            limits: Limits::client(),
        }
    }
}

/// An event of a client session.
#[derive(Debug)]
pub enum ClientEvent {
    /// The hellos are exchanged.
    Ready {
        /// The number that the server gave the session.
        session_id: u32,
        /// The capabilities that the server announced.
        capabilities: Capabilities,
    },
    /// The answer to a call.
    Reply(Reply),
    /// An event (RFC 5277).
    Notification(Notification),
    /// The session is over; the channel is to be closed.
    Closed(ClientError),
}

/// The reason for which a client ends its session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The framing is broken or a message is too big.
    #[error(transparent)]
    Framing(#[from] framing::FramingError),
    /// A message is not acceptable XML.
    #[error(transparent)]
    Xml(#[from] crate::xml::XmlError),
    /// The server's hello does not open a session.
    #[error(transparent)]
    Hello(#[from] hello::HelloError),
    /// A message that is neither reply nor notification.
    #[error("unexpected <{0}>")]
    Unexpected(String),
    /// A reply to a call that was never made, or made and answered.
    #[error("a reply without call: message-id \"{0}\"")]
    UnknownReply(String),
    /// The transport ended; see [`ClientSession::end_of_input`].
    #[error("the server closed the channel")]
    EndOfInput,
}

/// The answer to one call.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The number that [`ClientSession::call`] gave.
    pub message_id: u64,
    /// The outcome.
    pub outcome: Outcome,
    /// The whole `<rpc-reply>`.
    pub document: XmlDocument,
}

/// The outcome of a call, as its reply tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// `<ok/>`, perhaps with warnings.
    Ok,
    /// Elements: `<data>` or the output of an rpc. See [`Reply::body`].
    Data,
    /// At least one error of severity error.
    Errors(Vec<RpcError>),
}

impl Reply {
    /// The elements of the reply, without `<ok/>` and errors.
    pub fn body(&self) -> impl Iterator<Item = XmlElement<'_>> {
        self.document
            .root()
            .children()
            .filter(|child| !child.is(BASE, "ok") && !child.is(BASE, "rpc-error"))
    }

    /// The element `<data>`, whatever its namespace (RFC 6022 and RFC 8526 use
    /// one of their own).
    pub fn data(&self) -> Option<XmlElement<'_>> {
        self.body().find(|child| child.name() == "data")
    }

    /// The whole message as it arrived.
    pub fn raw(&self) -> &str {
        self.document.source()
    }

    /// Errors of severity warning.
    pub fn warnings(&self) -> Vec<RpcError> {
        let mut errors = error::parse_errors(self.document.root());
        errors.retain(|error| error.severity == ErrorSeverity::Warning);
        errors
    }

    /// The document of a good reply.
    ///
    /// # Errors
    /// The errors of a bad one; never an empty list.
    pub fn into_result(self) -> Result<XmlDocument, Vec<RpcError>> {
        match self.outcome {
            Outcome::Ok | Outcome::Data => Ok(self.document),
            Outcome::Errors(errors) => Err(errors),
        }
    }
}

/// One `<notification>`.
#[derive(Debug, Clone)]
pub struct Notification {
    /// The text of `<eventTime>`; empty if there is none.
    pub event_time: String,
    /// The whole message.
    pub document: XmlDocument,
}

impl Notification {
    /// The element of the event itself.
    pub fn content(&self) -> Option<XmlElement<'_>> {
        self.document
            .root()
            .children()
            .find(|child| !child.is(NOTIFICATION, "eventTime"))
    }

    /// The whole message as it arrived.
    pub fn raw(&self) -> &str {
        self.document.source()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    AwaitingHello,
    Ready,
    Closed,
}

/// The client's side of one session.
#[derive(Debug)]
pub struct ClientSession {
    config: ClientConfig,
    decoder: Decoder,
    framing: Framing,
    phase: Phase,
    next_id: u64,
    /// Numbers of calls without reply, oldest first.
    outstanding: VecDeque<u64>,
    /// Calls made before the framing was known.
    early: Vec<Vec<u8>>,
    output: Vec<u8>,
    closed: Option<ClientError>,
}

impl Default for ClientSession {
    fn default() -> Self {
        ClientSession::new(ClientConfig::default())
    }
}

impl ClientSession {
    /// A session that greets its server at once.
    pub fn new(config: ClientConfig) -> Self {
        let mut message = Vec::with_capacity(512);
        hello::write_client_hello(&config.capabilities, &mut message);
        let mut output = Vec::with_capacity(512);
        framing::encode(&message, Framing::EndOfMessage, &mut output);
        ClientSession {
            decoder: Decoder::new(config.limits.message_bytes),
            config,
            framing: Framing::EndOfMessage,
            phase: Phase::AwaitingHello,
            next_id: 1,
            outstanding: VecDeque::new(),
            early: Vec::new(),
            output,
            closed: None,
        }
    }

    /// Sends an operation: one element that declares its namespaces (the default
    /// one is that of the base operations). Gives the message-id of the reply.
    pub fn call(&mut self, operation: &str) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = Vec::with_capacity(operation.len() + 160);
        message.extend_from_slice(b"<rpc");
        write::attribute("xmlns", BASE, &mut message);
        message.extend_from_slice(b" message-id=\"");
        framing::decimal(id, &mut message);
        message.extend_from_slice(b"\">");
        message.extend_from_slice(operation.as_bytes());
        message.extend_from_slice(b"</rpc>");
        self.outstanding.push_back(id);
        self.send(message);
        id
    }

    /// Sends a message as it is; for tests of a server, and for rpcs made
    /// elsewhere. A reply to it that numbers no call ends the session.
    pub fn send_raw(&mut self, message: &[u8]) {
        self.send(message.to_vec());
    }

    fn send(&mut self, message: Vec<u8>) {
        match self.phase {
            Phase::AwaitingHello => self.early.push(message),
            Phase::Ready => framing::encode(&message, self.framing, &mut self.output),
            Phase::Closed => {}
        }
    }

    /// Takes bytes from the transport.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.phase != Phase::Closed {
            self.decoder.push(bytes);
        }
    }

    /// The transport has ended: what was received is still given out, then
    /// [`ClientEvent::Closed`].
    pub fn end_of_input(&mut self) {
        if self.closed.is_none() && self.phase != Phase::Closed {
            self.closed = Some(ClientError::EndOfInput);
        }
    }

    /// The next event; `None` until more bytes come.
    pub fn poll(&mut self) -> Option<ClientEvent> {
        if self.phase == Phase::Closed {
            return None;
        }
        match self.next_event() {
            Ok(Some(event)) => Some(event),
            Ok(None) => self.closed.take().map(|error| self.end(error)),
            Err(error) => Some(self.end(error)),
        }
    }

    fn end(&mut self, error: ClientError) -> ClientEvent {
        self.phase = Phase::Closed;
        ClientEvent::Closed(error)
    }

    /// Bytes for the transport, in order; empty if there are none.
    pub fn transmit(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Calls without reply, oldest first.
    pub fn outstanding(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.outstanding.iter().copied()
    }

    /// True if the hellos are exchanged and the session is not over.
    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
    }

    /// The framing of what is sent.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    fn next_event(&mut self) -> Result<Option<ClientEvent>, ClientError> {
        let Some(message) = self.decoder.next_message()? else {
            return Ok(None);
        };
        let document = XmlDocument::parse(message, &self.config.limits)?;
        let event = match self.phase {
            Phase::AwaitingHello => self.hello(&document)?,
            _ => self.message(document)?,
        };
        Ok(Some(event))
    }

    fn hello(&mut self, document: &XmlDocument) -> Result<ClientEvent, ClientError> {
        let hello = hello::parse_hello(document.root(), HelloSender::Server)?;
        self.framing = hello::negotiate(&self.config.capabilities, &hello.capabilities)?;
        self.decoder.switch_to(self.framing);
        self.phase = Phase::Ready;
        for message in std::mem::take(&mut self.early) {
            framing::encode(&message, self.framing, &mut self.output);
        }
        Ok(ClientEvent::Ready {
            session_id: hello.session_id.unwrap_or_default(),
            capabilities: hello.capabilities,
        })
    }

    fn message(&mut self, document: XmlDocument) -> Result<ClientEvent, ClientError> {
        let root = document.root();
        if root.is(BASE, "rpc-reply") {
            let message_id = self.answered(root)?;
            return Ok(ClientEvent::Reply(Reply {
                message_id,
                outcome: outcome(root),
                document,
            }));
        }
        if root.is(NOTIFICATION, "notification") {
            let event_time = root
                .child(NOTIFICATION, "eventTime")
                .map(|time| time.trimmed_text().to_owned())
                .unwrap_or_default();
            return Ok(ClientEvent::Notification(Notification {
                event_time,
                document,
            }));
        }
        Err(ClientError::Unexpected(root.name().to_owned()))
    }

    /// The message-id of the call that a reply answers. Replies come in order (RFC 6241 §4.5), so
    /// one without message-id answers the oldest call.
    fn answered(&mut self, reply: XmlElement<'_>) -> Result<u64, ClientError> {
        let Some(text) = reply.attribute("", "message-id") else {
            return self
                .outstanding
                .pop_front()
                .ok_or_else(|| ClientError::UnknownReply(String::new()));
        };
        let position = text
            .parse()
            .ok()
            .and_then(|id: u64| self.outstanding.iter().position(|&known| known == id));
        position
            .and_then(|position| self.outstanding.remove(position))
            .ok_or_else(|| ClientError::UnknownReply(text.to_owned()))
    }
}

fn outcome(reply: XmlElement<'_>) -> Outcome {
    let mut errors = error::parse_errors(reply);
    errors.retain(|error| error.severity == ErrorSeverity::Error);
    if !errors.is_empty() {
        return Outcome::Errors(errors);
    }
    let only_ok = reply
        .children()
        .all(|child| child.is(BASE, "ok") || child.is(BASE, "rpc-error"));
    if only_ok { Outcome::Ok } else { Outcome::Data }
}
