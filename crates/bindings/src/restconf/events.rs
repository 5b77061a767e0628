//! Event streams by server-sent events (RFC 8040 §6): a subscription of NETCONF, each message a frame.
//!
//! The place of an event in the stream is its `id`, so that who resumes with `Last-Event-ID` misses nothing
//! and gets nothing twice. Frames are made when the one before was taken, a bounded number of bytes at a
//! time. Read next: [`crate::netconf`], whose subscription it is.

use super::MODULE;
use super::errors::{self, RestconfError};
use super::json;
use super::media::Encoding;
use super::place::Place;
use super::query::{OF_STREAM, Query};
use super::resource::STREAM;
use crate::netconf::{Events, Sessionless, SubscriptionError};
use ::netconf::error::{ErrorTag, RpcError};
use ::netconf::names::namespace::{BASE, NOTIFICATION};
use ::netconf::xml::{Limits, XmlDocument, XmlElement, XmlError, write as xml};
use domain::event::Sequence;
use domain::time::Timestamp;
use std::fmt;
use yang::Generation;

/// How many bytes of messages are made ahead of their reader, about.
const READY_BYTES: usize = 64 << 10;

/// The stream of events of one client.
pub struct EventStream {
    events: Events,
    encoding: Encoding,
    /// True once nothing more comes.
    is_over: bool,
}

/// What a stream has to send.
#[derive(Debug, PartialEq, Eq)]
pub enum Frames {
    /// These frames, whole.
    Ready(Vec<u8>),
    /// Nothing yet: others have their turn, then it is asked again.
    Again,
    /// Nothing until [`EventStream::changed`], or until so many milliseconds have passed, if it says how
    /// many.
    Wait(Option<u64>),
    /// Nothing more.
    Over,
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("encoding", &self.encoding)
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}

impl EventStream {
    /// The stream that a request asks for; `last` is the last event that the client knows.
    ///
    /// # Errors
    /// [`RestconfError`]: 404 for a stream that is not there; as `create-subscription` otherwise, and 400
    /// for an event that the stream does not have yet.
    pub(super) fn begin(
        cx: &Sessionless<'_>,
        stream: &str,
        query: Option<&str>,
        last: Option<&str>,
        encoding: Encoding,
    ) -> Result<Self, RestconfError> {
        if stream != STREAM {
            return Err(RestconfError::not_found());
        }
        let query = Query::read(query, OF_STREAM)?;
        let request = subscription(&query, cx.generation());
        let request = request.map_err(|cause| unusable(&cause))?;
        let operation = request.root().children().next();
        let operation = operation.ok_or_else(RestconfError::not_found)?;
        let events = cx.subscribe(operation);
        let mut events = events.map_err(in_words_of_query)?;
        if let Some(last) = last {
            let digits = last.trim();
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            match digits.parse::<Sequence>() {
                Ok(last) if is_number => events.resume_after(last),
                _ => {
                    let message = "Last-Event-ID is no number of an event";
                    return Err(RestconfError::invalid(message));
                }
            }
        }
        Ok(Self {
            events,
            encoding,
            is_over: false,
        })
    }

    /// What is to be sent now. `now` is the time of day, by which a stream ends.
    pub fn frames(&mut self, now: Timestamp) -> Frames {
        if self.is_over {
            return Frames::Over;
        }
        let due = match self.events.due(now, READY_BYTES) {
            Ok(due) => due,
            Err(cause) => return self.broken(&cause),
        };
        self.is_over = due.over;
        let generation = self.events.generation();
        let mut out = Vec::new();
        for told in &due.messages {
            frame(
                told.sequence,
                &told.message,
                self.encoding,
                &generation,
                &mut out,
            );
        }
        match (out.is_empty(), due.more) {
            (false, _) => Frames::Ready(out),
            (true, _) if self.is_over => Frames::Over,
            (true, true) => Frames::Again,
            (true, false) => Frames::Wait(self.events.again_ms(now)),
        }
    }

    /// Resolves when there may be something to send. May be dropped while it waits: nothing is lost.
    pub async fn changed(&mut self) {
        self.events.changed().await;
    }

    /// Says in a comment why a stream cannot go on, which is its last word.
    fn broken(&mut self, cause: &SubscriptionError) -> Frames {
        self.is_over = true;
        let cause = cause.to_string().replace(['\r', '\n'], " ");
        Frames::Ready(format!(": {cause}\n\n").into_bytes())
    }
}

/// The `create-subscription` that the parameters of a request are.
fn subscription(query: &Query<'_>, generation: &Generation) -> Result<XmlDocument, XmlError> {
    let mut text = format!("<rpc xmlns=\"{BASE}\"><create-subscription").into_bytes();
    xml::attribute("xmlns", NOTIFICATION, &mut text);
    text.push(b'>');
    xml::leaf("stream", STREAM, &mut text);
    if let Some(filter) = query.value("filter") {
        text.extend_from_slice(b"<filter");
        // RFC 8040 §4.8.4: the prefixes are the names of modules.
        let modules = generation.modules().iter();
        for module in modules.filter(|module| filter.contains(&format!("{}:", module.name))) {
            xml::attribute(
                &format!("xmlns:{}", module.name),
                &module.namespace,
                &mut text,
            );
        }
        xml::attribute("type", "xpath", &mut text);
        xml::attribute("select", filter, &mut text);
        text.extend_from_slice(b"/>");
    }
    for (parameter, leaf) in [("start-time", "startTime"), ("stop-time", "stopTime")] {
        if let Some(time) = query.value(parameter) {
            xml::leaf(leaf, time, &mut text);
        }
    }
    text.extend_from_slice(b"</create-subscription></rpc>");
    XmlDocument::parse(text, &Limits::default())
}

/// An error about a subscription, where the request has a parameter and no message.
fn in_words_of_query(error: RpcError) -> RestconfError {
    RpcError {
        path: None,
        ..error
    }
    .into()
}

fn unusable(cause: &XmlError) -> RestconfError {
    let tag = match cause.is_too_big() {
        true => ErrorTag::TooBig,
        false => ErrorTag::InvalidValue,
    };
    errors::bad(tag, cause.to_string()).into()
}

/// Appends a frame (HTML §9.2.6): lines of data, behind the place of the event.
fn frame(
    sequence: Option<Sequence>,
    message: &[u8],
    encoding: Encoding,
    generation: &Generation,
    out: &mut Vec<u8>,
) {
    let text = match encoding {
        Encoding::Xml => message.to_vec(),
        Encoding::Json => as_json(message, generation),
    };
    if let Some(sequence) = sequence {
        out.extend_from_slice(format!("id: {sequence}\n").as_bytes());
    }
    for line in text.split(|byte| *byte == b'\n') {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
}

/// A `<notification>` in JSON (RFC 8040 §6.4).
fn as_json(message: &[u8], generation: &Generation) -> Vec<u8> {
    let document = XmlDocument::parse(message, &Limits::client()).expect("we wrote it");
    json::document(&format!("{MODULE}:notification"), |out| {
        let is_time = |child: &XmlElement<'_>| child.is(NOTIFICATION, "eventTime");
        let time = document.root().children().find(is_time);
        let time = time.map_or("", XmlElement::trimmed_text);
        // An instant of ours has no sign that JSON escapes.
        out.extend_from_slice(format!("{{\"eventTime\":\"{time}\",").as_bytes());
        let others = document.root().children().filter(|child| !is_time(child));
        let mut event = Vec::new();
        json::members(others, &Place::root(), generation, &mut event);
        out.extend_from_slice(event.strip_prefix(b"{").unwrap_or(&event));
    })
}
