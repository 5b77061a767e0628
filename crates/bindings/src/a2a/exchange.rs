//! One request and its answer, between HTTP and the wire of A2A.
//!
//! Knows which binding a request came by and how an answer goes back; refuses to know what is
//! asked. Read next: [`super::follow`], for answers that are streams.

use super::error;
use super::follow::EventFrames;
use crate::background::{Background, later};
use a2a::card::document::CardDocument;
use a2a::error::{Error, ErrorKind};
use a2a::event::StreamResponse;
use a2a::extension;
use a2a::jsonrpc::{self, Id, RpcEnvelope};
use a2a::media::MediaType;
use a2a::request::A2aRequest;
use a2a::response::Response;
use a2a::version::{self, Dialect, Version};
use a2a::{rest, sse};
use serde_json::Value;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

const JSON: &str = "application/json";

/// A body up to so many bytes is read at once, a longer one beside the connections: reading takes time in
/// proportion to it.
const AT_ONCE_BYTES: usize = 4 << 10;

/// The bytes of a request, which may be read on another thread than the one that answers it.
#[derive(Clone)]
pub struct RequestBody(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl RequestBody {
    /// Takes bytes, with what they count for while they are held.
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(bytes))
    }

    /// True if it is read beside the connections.
    pub(super) fn is_long(&self) -> bool {
        self.len() > AT_ONCE_BYTES
    }
}

impl Deref for RequestBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// A request as it came over HTTP.
#[derive(Clone, Copy, Debug)]
pub struct IncomingRequest<'a> {
    /// `GET`, `POST`, …
    pub verb: &'a str,
    /// The path below the agent's URL, with its leading slash and its escapes; empty at the URL
    /// itself.
    pub path: &'a str,
    /// The part behind `?`; empty if there is none.
    pub query: &'a str,
    /// Names and values, as they came.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, whole.
    pub body: &'a RequestBody,
}

/// The same, for another thread.
struct Kept {
    verb: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: RequestBody,
}

impl Kept {
    fn read(&self) -> Result<Wire, Box<Unread>> {
        let headers = self.headers.iter();
        let headers: Vec<(&str, &str)> = headers
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        Wire::read(&IncomingRequest {
            verb: &self.verb,
            path: &self.path,
            query: &self.query,
            headers: &headers,
            body: &self.body,
        })
    }
}

impl<'a> IncomingRequest<'a> {
    fn kept(&self) -> Kept {
        let headers = self.headers.iter();
        Kept {
            verb: self.verb.to_owned(),
            path: self.path.to_owned(),
            query: self.query.to_owned(),
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: self.body.clone(),
        }
    }

    /// The first header of a name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers_of(name).next()
    }

    fn headers_of(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let all = self.headers.iter();
        let named = all.filter(move |(it, _)| it.eq_ignore_ascii_case(name));
        named.map(|(_, value)| *value)
    }

    /// The extensions that are asked for, by the header of either version.
    pub(super) fn extensions(&self) -> Vec<String> {
        let [one, other] = Version::ALL.map(extension::header);
        extension::requested(self.headers_of(one).chain(self.headers_of(other)))
    }

    /// v1.0 §3.6.1: the header, or the parameter of the same name.
    fn version(&self) -> Option<&'a str> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        let mut named = pairs.filter(|(name, _)| *name == version::HEADER);
        self.header(version::HEADER)
            .or_else(|| named.next().map(|(_, value)| value))
    }

    fn is_of_rpc(&self) -> bool {
        matches!(self.path, "" | "/")
    }
}

/// An answer as it goes over HTTP.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: AnswerBody,
}

/// When whoever is refused for want of room may try again, in seconds (RFC 9110 §10.2.3).
const RETRY_AFTER_S: &str = "3";

/// The body of an answer.
#[derive(Debug)]
pub enum AnswerBody {
    /// None.
    Empty,
    /// All of it.
    Whole(String),
    /// All of it, which others are told as well: a card.
    Shared(Arc<str>),
    /// Server-sent events, as they come.
    Stream(Box<EventFrames>),
}

impl Answer {
    fn new(status: u16, media_type: &str, body: AnswerBody) -> Self {
        Self {
            status,
            headers: vec![("Content-Type", media_type.to_owned())],
            body,
        }
    }

    /// The same with a header, if it has a value.
    pub(super) fn with(mut self, name: &'static str, value: Option<String>) -> Self {
        self.headers.extend(value.map(|value| (name, value)));
        self
    }

    /// A card; 304 without it if the client has it already (RFC 9110 §15.4.5).
    pub(super) fn document(document: &CardDocument, if_none_match: Option<&str>) -> Self {
        let is_known = if_none_match.is_some_and(|tags| document.is_known(tags));
        let answer = match is_known {
            true => Self {
                status: 304,
                headers: Vec::new(),
                body: AnswerBody::Empty,
            },
            false => Self::new(200, JSON, AnswerBody::Shared(Arc::clone(&document.body))),
        };
        answer
            .with("ETag", Some(document.etag.clone()))
            .with("Cache-Control", Some(document.cache_control.clone()))
            .with("Last-Modified", Some(document.last_modified.clone()))
    }

    /// A stream, which nobody on the way is to keep or hold back.
    pub(super) fn stream(frames: EventFrames) -> Self {
        let stream = Self::new(200, sse::MEDIA_TYPE, AnswerBody::Stream(Box::new(frames)));
        stream.with("Cache-Control", Some("no-store".to_owned()))
    }
}

/// The binding in which an answer is written: that of its request.
#[derive(Clone, Debug)]
pub(super) enum Written {
    /// JSON-RPC.
    Rpc(RpcEnvelope),
    /// HTTP+JSON.
    Rest(rest::ResponseForm),
}

impl Written {
    /// As who only reads a card is told that there is none.
    pub(super) fn of_card() -> Self {
        Self::Rest(rest::ResponseForm {
            dialect: Dialect::V10,
            media_type: JSON,
        })
    }

    /// As a request is refused whose body is not read.
    fn unread(incoming: &IncomingRequest<'_>) -> Self {
        let body = RequestBody::new([]);
        let head = IncomingRequest {
            body: &body,
            ..*incoming
        };
        match Wire::read(&head) {
            Ok(wire) => wire.written,
            Err(unread) => unread.written,
        }
    }

    pub(super) fn version(&self) -> Version {
        match self {
            Self::Rpc(envelope) => envelope.dialect.version(),
            Self::Rest(form) => form.dialect.version(),
        }
    }

    pub(super) fn reply(&self, response: &Response) -> Answer {
        match self {
            Self::Rpc(envelope) => whole(200, JSON, &envelope.result(response)),
            Self::Rest(form) => of_rest(form.reply(response)),
        }
    }

    pub(super) fn error(&self, error: &Error) -> Answer {
        let answer = match self {
            Self::Rpc(envelope) => {
                let status = error.kind.http_status_of_rpc();
                whole(status, JSON, &envelope.error(error))
            }
            Self::Rest(form) => of_rest(form.error(error)),
        };
        let later = matches!(answer.status, 429 | 503).then(|| RETRY_AFTER_S.to_owned());
        let answer = answer.with("Retry-After", later);
        answer.with("Allow", error.metadata.get("allow").cloned())
    }

    /// A frame of a stream.
    pub(super) fn event(&self, event: &StreamResponse) -> String {
        sse::frame(&match self {
            Self::Rpc(envelope) => envelope.event(event),
            Self::Rest(form) => form.event(event),
        })
    }

    /// The frame that ends a stream by our failure.
    pub(super) fn failure(&self, error: &Error) -> String {
        match self {
            Self::Rpc(envelope) => sse::frame(&envelope.error(error)),
            Self::Rest(form) => sse::error_frame(&form.error(error).body),
        }
    }
}

fn of_rest(reply: rest::RestResponse) -> Answer {
    whole(reply.status, reply.media_type, &reply.body)
}

fn whole(status: u16, media_type: &str, body: &Value) -> Answer {
    Answer::new(status, media_type, AnswerBody::Whole(body.to_string()))
}

/// A request that was read, and how its answer is written.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) written: Written,
    pub(super) request: A2aRequest,
}

/// A request that was not read, and how it is told so.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) written: Written,
    pub(super) error: Error,
}

impl Wire {
    /// Reads a request: JSON-RPC is posted to the URL itself, all below it is HTTP+JSON.
    ///
    /// # Errors
    /// [`Unread`], with the error of its binding.
    fn read(incoming: &IncomingRequest<'_>) -> Result<Self, Box<Unread>> {
        match incoming.is_of_rpc() {
            true => of_rpc(incoming),
            false => of_http(incoming),
        }
    }

    /// The same; a long body is read beside the connections, in the turn of its user.
    ///
    /// # Errors
    /// [`Unread`], also for want of room there.
    pub(super) async fn read_beside(
        background: &dyn Background,
        user: &str,
        incoming: &IncomingRequest<'_>,
    ) -> Result<Self, Box<Unread>> {
        if !incoming.body.is_long() {
            return Self::read(incoming);
        }
        let kept = incoming.kept();
        let not_now = |why: &dyn fmt::Display| {
            let error = error::not_now(&why.to_string());
            unread(Written::unread(incoming), error)
        };
        let under_way = later(background, user, move |_| kept.read());
        let under_way = under_way.map_err(|busy| not_now(&busy))?;
        under_way.await.map_err(|late| not_now(&late))?
    }
}

fn unread(written: Written, error: Error) -> Box<Unread> {
    Box::new(Unread { written, error })
}

fn of_http(incoming: &IncomingRequest<'_>) -> Result<Wire, Box<Unread>> {
    let read = rest::read(&rest::RestRequest {
        verb: incoming.verb,
        path: incoming.path,
        query: incoming.query,
        version_header: incoming.version(),
        content_type: incoming.header("Content-Type"),
        body: incoming.body,
    });
    match read {
        Ok(call) => Ok(Wire {
            written: Written::Rest(call.form),
            request: call.request,
        }),
        Err(refused) => Err(unread(Written::Rest(refused.form), refused.error)),
    }
}

fn of_rpc(incoming: &IncomingRequest<'_>) -> Result<Wire, Box<Unread>> {
    if let Err(error) = is_post_of_json(incoming) {
        let envelope = RpcEnvelope {
            id: Id::Absent,
            dialect: Dialect::V10,
            is_bare: false,
        };
        return Err(unread(Written::Rpc(envelope), error));
    }
    match jsonrpc::read(incoming.body, incoming.version()) {
        Ok(call) => Ok(Wire {
            written: Written::Rpc(call.envelope),
            request: call.request,
        }),
        Err(refused) => Err(unread(Written::Rpc(refused.envelope), refused.error)),
    }
}

fn is_post_of_json(incoming: &IncomingRequest<'_>) -> Result<(), Error> {
    if incoming.verb != "POST" {
        let why = "JSON-RPC is posted";
        return Err(Error::new(ErrorKind::VerbNotAllowed, why).with("allow", "POST"));
    }
    let said = incoming.header("Content-Type").and_then(MediaType::parse);
    match said {
        // What suites of A2A expect over JSON-RPC, where refusals of HTTP have no codes.
        Some(said) if ![JSON, rest::MEDIA_TYPE].contains(&said.essence()) => Err(Error::new(
            ErrorKind::ContentTypeNotSupported,
            "application/json is read here",
        )),
        _ => Ok(()),
    }
}
