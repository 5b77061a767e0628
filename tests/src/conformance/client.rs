//! The client of one session: frames, separates replies from notifications, and validates each.
//!
//! Works on messages, not on calls, so that a case can send what no client would. Read next:
//! [`super`].

use super::{Heard, Opening, Patience, Wire};
use crate::judge::{self, Seen};
use crate::xml;
use netconf::framing::{self, Decoder, Framing};
use netconf::hello::{Capabilities, HelloSender, parse_hello, write_client_hello};
use netconf::names::capability::{BASE_1_0, BASE_1_1};
use netconf::names::namespace::{BASE, NOTIFICATION};
use std::collections::VecDeque;
use std::sync::Arc;
use yang::Generation;

/// The message limit of a client, in bytes.
const MESSAGE_BYTES: usize = 64 << 20;

/// The unprocessed messages of a session, in order.
#[derive(Debug, Default)]
pub struct Transcript {
    replies: VecDeque<String>,
    notifications: VecDeque<String>,
}

pub(super) struct Client {
    wire: Box<dyn Wire>,
    schema: Arc<Generation>,
    decoder: Decoder,
    framing: Framing,
    greeted: bool,
    server_hello: Option<String>,
    session_id: Option<u32>,
    offers_chunked: bool,
    /// Operations sent and not yet answered; none for a message that is no request.
    asked: VecDeque<Option<String>>,
    heard: Transcript,
    closed: bool,
}

impl Client {
    pub(super) fn new(wire: Box<dyn Wire>, schema: Arc<Generation>) -> Self {
        Self {
            wire,
            schema,
            decoder: Decoder::new(MESSAGE_BYTES),
            framing: Framing::EndOfMessage,
            greeted: false,
            server_hello: None,
            session_id: None,
            offers_chunked: false,
            asked: VecDeque::new(),
            heard: Transcript::default(),
            closed: false,
        }
    }

    /// Reads the server's hello and sends the client's, `own` or the usual one; once.
    pub(super) fn open(
        &mut self,
        own: Option<&str>,
        waits: bool,
        opening: &Opening,
    ) -> Result<(), String> {
        if self.server_hello.is_none() {
            self.read_hello()?;
        }
        if self.greeted || waits {
            return Ok(());
        }
        self.greeted = true;
        let hello = own.map_or_else(|| usual_hello(&opening.framing), str::to_owned);
        let mut out = Vec::new();
        framing::encode(hello.as_bytes(), Framing::EndOfMessage, &mut out);
        self.wire.send(&out);
        if self.offers_chunked && hello.contains(BASE_1_1) {
            self.framing = Framing::Chunked;
            self.decoder.switch_to(Framing::Chunked);
        }
        Ok(())
    }

    fn read_hello(&mut self) -> Result<(), String> {
        while self.server_hello.is_none() {
            match self.wire.receive(Patience::Expecting) {
                Heard::Bytes(bytes) => self.decoder.push(&bytes),
                other => return Err(format!("no hello: {other:?}")),
            }
            if let Some(message) = self.decoder.next_message().map_err(|e| e.to_string())? {
                let text = String::from_utf8(message).map_err(|e| e.to_string())?;
                let document = xml::parse(&text)?;
                let hello =
                    parse_hello(document.root(), HelloSender::Server).map_err(|e| e.to_string())?;
                self.session_id = hello.session_id;
                self.offers_chunked = hello.capabilities.has(BASE_1_1);
                self.server_hello = Some(text);
            }
        }
        Ok(())
    }

    pub(super) fn session_id(&self) -> Option<String> {
        self.session_id.map(|id| id.to_string())
    }

    pub(super) fn hello(&mut self) -> Result<String, String> {
        self.server_hello
            .clone()
            .ok_or_else(|| "no hello".to_owned())
    }

    pub(super) fn send(&mut self, message: &str) -> Result<(), String> {
        // What cannot be read has no operation to judge the reply by.
        let operation = xml::parse(message).ok().and_then(|document| {
            let operation = document.root().children().next()?;
            Some(operation.standalone())
        });
        self.asked.push_back(operation);
        let mut out = Vec::new();
        framing::encode(message.trim().as_bytes(), self.framing, &mut out);
        self.wire.send(&out);
        Ok(())
    }

    pub(super) fn send_raw(&mut self, bytes: &[u8]) {
        // End marks alone are no message.
        let text = String::from_utf8_lossy(bytes);
        if !text.replace("]]>]]>", "").trim().is_empty() {
            self.asked.push_back(None);
        }
        self.wire.send(bytes);
    }

    pub(super) fn close(&mut self) {
        self.wire.close();
        self.closed = true;
    }

    pub(super) fn reply(&mut self, seen: &mut Seen) -> Result<String, String> {
        self.wait(seen, |heard| &mut heard.replies, "reply")
    }

    pub(super) fn notification(&mut self, seen: &mut Seen) -> Result<String, String> {
        self.wait(seen, |heard| &mut heard.notifications, "notification")
    }

    fn wait(
        &mut self,
        seen: &mut Seen,
        queue: impl Fn(&mut Transcript) -> &mut VecDeque<String>,
        what: &str,
    ) -> Result<String, String> {
        loop {
            if let Some(message) = queue(&mut self.heard).pop_front() {
                return Ok(message);
            }
            if !self.listen(seen, Patience::Expecting)? {
                return Err(format!("no {what} came"));
            }
        }
    }

    pub(super) fn nothing(&mut self, seen: &mut Seen) -> Result<(), String> {
        self.nothing_but_silence(seen, Patience::Looking)
    }

    fn nothing_but_silence(&mut self, seen: &mut Seen, patience: Patience) -> Result<(), String> {
        while self.listen(seen, patience)? {}
        match self
            .heard
            .replies
            .pop_front()
            .or(self.heard.notifications.pop_front())
        {
            None => Ok(()),
            Some(message) => Err(format!("nothing was expected, and this came:\n{message}")),
        }
    }

    pub(super) fn closed(&mut self, seen: &mut Seen) -> Result<(), String> {
        self.nothing_but_silence(seen, Patience::Expecting)?;
        match self.closed {
            true => Ok(()),
            false => Err("the session is still open".to_owned()),
        }
    }

    pub(super) fn finish(&mut self, seen: &mut Seen) -> Result<(), String> {
        self.nothing(seen)?;
        self.wire.close();
        Ok(())
    }

    /// Receives available input; false if there was none.
    fn listen(&mut self, seen: &mut Seen, patience: Patience) -> Result<bool, String> {
        if self.closed {
            return Ok(false);
        }
        match self.wire.receive(patience) {
            Heard::Nothing => return Ok(false),
            Heard::Closed => {
                self.closed = true;
                return Ok(false);
            }
            Heard::Bytes(bytes) => self.decoder.push(&bytes),
        }
        while let Some(message) = self.decoder.next_message().map_err(|e| e.to_string())? {
            let text = String::from_utf8(message).map_err(|e| e.to_string())?;
            self.judge(text, seen)?;
        }
        Ok(true)
    }

    fn judge(&mut self, message: String, seen: &mut Seen) -> Result<(), String> {
        let document = xml::parse(&message)?;
        let told = |why: String| format!("{why}\nin this message:\n{message}");
        if document.root().is(NOTIFICATION, "notification") {
            judge::notification(&self.schema, &message, seen).map_err(told)?;
            self.heard.notifications.push_back(message);
        } else if document.root().is(BASE, "rpc-reply") {
            let operation = self.asked.pop_front().flatten();
            judge::reply(&self.schema, operation.as_deref(), &message, seen).map_err(told)?;
            self.heard.replies.push_back(message);
        } else {
            return Err(format!("neither reply nor notification:\n{message}"));
        }
        Ok(())
    }
}

fn usual_hello(framing: &str) -> String {
    let both = [BASE_1_0, BASE_1_1];
    let offered = if framing == "1.0" {
        &both[..1]
    } else {
        &both[..]
    };
    let mut out = Vec::new();
    write_client_hello(&Capabilities::new(offered), &mut out);
    String::from_utf8(out).expect("a hello is text")
}
