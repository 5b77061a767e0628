//! The server's side of one session: bytes in, requests out, replies back.
//!
//! ```text
//!  AwaitingHello ──hello──► Ready ──malformed, too big, close()──► Closing
//!        └───────bad hello, timeout, bad framing──────────────────────┘
//! ```
//!
//! A machine without clock or socket: the caller hands in bytes and the time, takes events with
//! [`Session::poll`] and bytes with [`Session::transmit`]. It answers by itself only the errors
//! that RFC 6241 §4 settles before an operation is known; it knows no operation, not even
//! `<close-session>`. The form of a reply is in [`Envelope`]; the other side is [`crate::client`].

mod envelope;
mod event;
mod rpc;
#[cfg(test)]
mod tests;

use envelope::ECHOED_BYTES;
pub use envelope::Envelope;
pub use event::{CloseReason, SessionConfig, SessionEvent, SessionStatistics};
pub use rpc::Rpc;
use rpc::fault;

use std::collections::VecDeque;
use std::ops::Range;

use crate::error::{ErrorSeverity, ErrorTag, RpcError};
use crate::framing::{self, Decoder, Framing, FramingError};
use crate::hello::{self, Hello, HelloSender};
use crate::names::namespace::BASE;
use crate::xml::{XmlDocument, XmlError};

/// The length of `<data></data>` in bytes.
const DATA_BYTES: usize = 13;

/// The usual size of a reply's body, in bytes, for replies whose size is not known in advance.
const USUAL_BODY_BYTES: usize = 200;

/// The phase of a session, with the state that only this phase has.
#[derive(Debug)]
enum Phase {
    /// Until the client's hello, which is too late after the deadline.
    AwaitingHello {
        deadline_ms: u64,
    },
    Ready(Ready),
    Closing,
}

/// The state between the hellos and the end.
#[derive(Debug, Default)]
struct Ready {
    /// The end of the time for a message that has begun; none between messages.
    message_deadline_ms: Option<u64>,
    /// Nothing is read before it is given.
    deferred: Option<Deferred>,
}

/// An answer of the session itself, waiting until earlier requests are answered.
#[derive(Debug)]
struct Deferred {
    envelope: Envelope,
    error: Option<RpcError>,
    then: Option<CloseReason>,
}

/// The server's side of one session.
#[derive(Debug)]
pub struct Session {
    config: SessionConfig,
    decoder: Decoder,
    framing: Framing,
    phase: Phase,
    now_ms: u64,
    output: Vec<u8>,
    scratch: Vec<u8>,
    unanswered: usize,
    events: VecDeque<SessionEvent>,
    statistics: SessionStatistics,
}

impl Session {
    /// A session that greets its client at once; `session_id` is 1 or more.
    pub fn new(config: SessionConfig, session_id: u32, now_ms: u64) -> Self {
        let mut session = Self::greeted(config, None, now_ms);
        hello::write_server_hello(
            &session.config.capabilities,
            session_id,
            &mut session.scratch,
        );
        session.send_scratch();
        // A session may be idle for the rest of its life.
        session.scratch = Vec::new();
        session
    }

    /// A session that has greeted its client before, and knows the framing if the client has as well.
    /// Its input begins between two messages.
    pub fn greeted(config: SessionConfig, framing: Option<Framing>, now_ms: u64) -> Self {
        let mut session = Session {
            decoder: Decoder::new(config.limits.message_bytes),
            framing: Framing::EndOfMessage,
            phase: Phase::AwaitingHello {
                deadline_ms: now_ms.saturating_add(config.hello_timeout_ms),
            },
            now_ms,
            output: Vec::new(),
            scratch: Vec::new(),
            unanswered: 0,
            events: VecDeque::new(),
            statistics: SessionStatistics::default(),
            config,
        };
        if let Some(framing) = framing {
            session.is_of(framing);
        }
        session
    }

    /// Takes bytes from the transport. To bound memory, poll before the next
    /// call and read no more while [`held_bytes`](Self::held_bytes) is large.
    pub fn receive(&mut self, bytes: &[u8], now_ms: u64) {
        self.now_ms = self.now_ms.max(now_ms);
        if !self.closing() {
            self.decoder.push(bytes);
        }
    }

    /// The next event; `None` until more bytes, replies or time come in.
    ///
    /// Requests are given out without waiting for earlier replies; an answer of the session itself
    /// waits for them, and with it everything that follows.
    pub fn poll(&mut self) -> Option<SessionEvent> {
        loop {
            self.settle();
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let begun = match &mut self.phase {
                Phase::AwaitingHello { .. } => None,
                Phase::Ready(Ready {
                    message_deadline_ms,
                    deferred: None,
                }) => Some(message_deadline_ms),
                Phase::Ready(_) | Phase::Closing => return None,
            };
            let from = self.decoder.boundary();
            match (self.decoder.next_message(), begun) {
                (Ok(Some(message)), begun) => {
                    if let Some(deadline_ms) = begun {
                        *deadline_ms = None;
                    }
                    self.message(message, from..self.decoder.boundary());
                }
                (Ok(None), begun) => {
                    if let Some(deadline_ms) = begun
                        && self.decoder.is_within_message()
                    {
                        let timeout_ms = self.config.message_timeout_ms;
                        deadline_ms.get_or_insert(self.now_ms.saturating_add(timeout_ms));
                    }
                    return None;
                }
                (Err(error), _) => self.framing_error(error),
            }
        }
    }

    /// Bytes for the transport, in order; empty if there are none.
    pub fn transmit(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// Bytes that wait for [`transmit`](Self::transmit).
    pub fn pending_output(&self) -> usize {
        self.output.len()
    }

    /// Bytes received and not yet given out as events.
    pub fn held_bytes(&self) -> usize {
        self.decoder.held_bytes()
    }

    /// How many of the bytes received are those of messages that were given out or answered.
    pub fn boundary(&self) -> u64 {
        self.decoder.boundary()
    }

    /// The time at which [`expire`](Self::expire) must be called next, in milliseconds.
    pub fn timeout(&self) -> Option<u64> {
        match &self.phase {
            Phase::AwaitingHello { deadline_ms } => Some(*deadline_ms),
            Phase::Ready(ready) => ready.message_deadline_ms,
            Phase::Closing => None,
        }
    }

    /// Ends the session if a deadline has passed.
    pub fn expire(&mut self, now_ms: u64) {
        self.now_ms = self.now_ms.max(now_ms);
        let Some(deadline) = self.timeout() else {
            return;
        };
        if self.now_ms >= deadline {
            let reason = match self.phase {
                Phase::AwaitingHello { .. } => CloseReason::HelloTimeout,
                _ => CloseReason::MessageTimeout,
            };
            self.close(reason);
        }
    }

    /// Answers `<ok/>`.
    pub fn reply_ok(&mut self, envelope: &Envelope) {
        self.reply_with(envelope, |envelope, out| envelope.write_ok(out));
    }

    /// Answers `<data>` with the elements that `content` writes; they declare their namespaces.
    pub fn reply_data(&mut self, envelope: &Envelope, content: impl FnOnce(&mut Vec<u8>)) {
        self.reply_with(envelope, |envelope, out| {
            envelope.write_data(out, content);
        });
    }

    /// Answers `<data>` with elements that are ready; they declare their namespaces.
    pub fn reply_data_raw(&mut self, envelope: &Envelope, content: &[u8]) {
        self.reply_sized(content.len() + DATA_BYTES, envelope, |envelope, out| {
            envelope.write_data(out, |out| out.extend_from_slice(content));
        });
    }

    /// Answers with elements that are ready; they declare their namespaces.
    pub fn reply_raw(&mut self, envelope: &Envelope, body: &[u8]) {
        self.reply_sized(body.len(), envelope, |_, out| out.extend_from_slice(body));
    }

    /// Answers with errors. Answers that hold warnings only, beside `<ok/>`, are written by
    /// [`reply_with`](Self::reply_with).
    pub fn reply_errors(&mut self, envelope: &Envelope, errors: &[RpcError]) {
        if errors
            .iter()
            .any(|error| error.severity == ErrorSeverity::Error)
        {
            self.statistics.out_rpc_errors += 1;
        }
        self.reply_with(envelope, |envelope, out| {
            for error in errors {
                envelope.write_error(error, out);
            }
        });
    }

    /// Answers with the elements that `body` writes inside `<rpc-reply>`.
    pub fn reply_with(&mut self, envelope: &Envelope, body: impl FnOnce(&Envelope, &mut Vec<u8>)) {
        self.reply_sized(USUAL_BODY_BYTES, envelope, body);
    }

    fn reply_sized(
        &mut self,
        expected: usize,
        envelope: &Envelope,
        body: impl FnOnce(&Envelope, &mut Vec<u8>),
    ) {
        self.unanswered = self.unanswered.saturating_sub(1);
        if self.is_ready() {
            self.write_reply(expected, envelope, body);
        }
        self.settle();
    }

    /// Sends a whole `<notification>` message. Nothing is sent unless the session is ready.
    pub fn notification(&mut self, message: &[u8]) {
        if self.is_ready() {
            framing::encode(message, self.framing, &mut self.output);
            self.statistics.out_notifications += 1;
        }
    }

    /// Ends the session: queued output is still sent, nothing more is read.
    pub fn close(&mut self, reason: CloseReason) {
        if !self.closing() {
            self.phase = Phase::Closing;
            // Requests not yet given out will not be: the session is over for them.
            self.events
                .retain(|event| !matches!(event, SessionEvent::Rpc(_)));
            self.events.push_back(SessionEvent::Close(reason));
        }
    }

    /// True if the session is over, except for bytes still to be sent.
    pub fn closing(&self) -> bool {
        matches!(self.phase, Phase::Closing)
    }

    /// True if the session is over and all its bytes are taken.
    pub fn is_closed(&self) -> bool {
        self.closing() && self.output.is_empty() && self.events.is_empty()
    }

    /// True if the hellos are exchanged and the session is not over.
    pub fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready(_))
    }

    /// The framing of outgoing messages.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Requests given out and not yet answered.
    pub fn unanswered(&self) -> usize {
        self.unanswered
    }

    /// The counters so far.
    pub fn statistics(&self) -> SessionStatistics {
        self.statistics
    }

    fn message(&mut self, message: Vec<u8>, place: Range<u64>) {
        match (
            XmlDocument::parse(message, &self.config.limits),
            self.is_ready(),
        ) {
            (Ok(document), false) => self.hello(&document),
            (Err(error), false) => self.close(CloseReason::BadHello(error.to_string())),
            (Ok(document), true) => self.request(document, place),
            (Err(error), true) => self.unreadable(&error),
        }
    }

    fn hello(&mut self, document: &XmlDocument) {
        let agreed = hello::parse_hello(document.root(), HelloSender::Client).and_then(|hello| {
            hello::negotiate(&self.config.capabilities, &hello.capabilities)
                .map(|framing| (hello, framing))
        });
        match agreed {
            Ok((Hello { capabilities, .. }, framing)) => {
                self.is_of(framing);
                self.events.push_back(SessionEvent::Ready {
                    capabilities,
                    framing,
                });
            }
            Err(error) => self.close(CloseReason::BadHello(error.to_string())),
        }
    }

    /// The hellos are exchanged.
    fn is_of(&mut self, framing: Framing) {
        self.phase = Phase::Ready(Ready::default());
        self.framing = framing;
        self.decoder.switch_to(framing);
    }

    fn request(&mut self, document: XmlDocument, place: Range<u64>) {
        let root = document.root();
        if !root.is(BASE, "rpc") {
            return self.malformed(format!("<{}> instead of <rpc>", root.name()));
        }
        let echoed = root.verbatim_attributes().len();
        if echoed > ECHOED_BYTES {
            let why = format!("attributes of <rpc> of {echoed} bytes, of {ECHOED_BYTES} at most");
            return self.too_big(why);
        }
        let envelope = Envelope::of(root);
        match fault(root) {
            None => {
                self.statistics.in_rpcs += 1;
                self.unanswered += 1;
                self.events.push_back(SessionEvent::Rpc(Rpc {
                    envelope,
                    document,
                    place,
                }));
            }
            Some((error, echo)) => {
                self.statistics.in_bad_rpcs += 1;
                self.defer(Deferred {
                    envelope: if echo { envelope } else { Envelope::bare() },
                    error: Some(error),
                    then: None,
                });
            }
        }
    }

    fn unreadable(&mut self, error: &XmlError) {
        if error.is_too_big() {
            self.too_big(error.to_string());
        } else {
            self.malformed(error.to_string());
        }
    }

    fn malformed(&mut self, why: String) {
        self.statistics.in_bad_rpcs += 1;
        // RFC 6241 Appendix A: malformed-message must not be sent to base:1.0 peers.
        let error = (self.framing == Framing::Chunked)
            .then(|| RpcError::rpc(ErrorTag::MalformedMessage).message(why.clone()));
        self.defer_end(error, CloseReason::Malformed(why));
    }

    fn too_big(&mut self, why: String) {
        self.statistics.in_bad_rpcs += 1;
        let error = RpcError::rpc(ErrorTag::TooBig).message(why.clone());
        self.defer_end(Some(error), CloseReason::TooBig(why));
    }

    fn framing_error(&mut self, error: FramingError) {
        match error {
            _ if !self.is_ready() => self.close(CloseReason::BadHello(error.to_string())),
            FramingError::TooBig { .. } => self.too_big(error.to_string()),
            FramingError::Broken(_) => {
                self.statistics.in_bad_rpcs += 1;
                self.defer_end(None, CloseReason::BadFraming(error));
            }
        }
    }

    fn defer_end(&mut self, error: Option<RpcError>, reason: CloseReason) {
        self.defer(Deferred {
            envelope: Envelope::bare(),
            error,
            then: Some(reason),
        });
    }

    fn defer(&mut self, answer: Deferred) {
        if let Phase::Ready(ready) = &mut self.phase {
            ready.deferred = Some(answer);
        }
    }

    /// Gives the deferred answer once every earlier request has its own.
    fn settle(&mut self) {
        let deferred = match &mut self.phase {
            Phase::Ready(ready) if self.unanswered == 0 => ready.deferred.take(),
            _ => None,
        };
        let Some(deferred) = deferred else {
            return;
        };
        if let Some(error) = &deferred.error {
            self.statistics.out_rpc_errors += 1;
            self.write_reply(USUAL_BODY_BYTES, &deferred.envelope, |envelope, out| {
                envelope.write_error(error, out);
            });
        }
        if let Some(reason) = deferred.then {
            self.close(reason);
        }
    }

    /// Writes a reply; `expected` is the size of the body in bytes, as far as it is known.
    fn write_reply(
        &mut self,
        expected: usize,
        envelope: &Envelope,
        body: impl FnOnce(&Envelope, &mut Vec<u8>),
    ) {
        let whole = |out: &mut Vec<u8>| {
            envelope.write_start(out);
            body(envelope, out);
            envelope.write_end(out);
        };
        if self.framing == Framing::Chunked {
            let expected = expected + envelope.tag_bytes();
            return framing::encode_chunked(expected, whole, &mut self.output);
        }
        whole(&mut self.scratch);
        self.send_scratch();
    }

    fn send_scratch(&mut self) {
        framing::encode(&self.scratch, self.framing, &mut self.output);
        self.scratch.clear();
        // One large reply must not stay allocated for the life of the session.
        if self.scratch.capacity() > 256 << 10 {
            self.scratch = Vec::new();
        }
    }
}
