//! A request read from the wire of A2A, and the binding by which it came, in which its answer is written.
//!
//! Refuses to know what is asked, and answers as a whole. Read next: [`super::incoming`], what is read;
//! [`super::answer`], what goes back.

use super::error;
use super::incoming::{IncomingRequest, RequestBody};
use crate::background::{Background, later};
use a2a::error::{Error, ErrorKind};
use a2a::event::StreamResponse;
use a2a::jsonrpc::{self, Id, RpcEnvelope};
use a2a::media::MediaType;
use a2a::request::A2aRequest;
use a2a::version::{Dialect, Version};
use a2a::{rest, sse};
use std::fmt;

pub(super) const JSON: &str = "application/json";

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
        let under_way = later(background, user, move |_| kept.lend(Wire::read));
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
        version_header: incoming.version().as_deref(),
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
    match jsonrpc::read(incoming.body, incoming.version().as_deref()) {
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
