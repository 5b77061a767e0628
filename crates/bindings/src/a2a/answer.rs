//! An answer as it goes over HTTP: whole, or as a stream.
//!
//! Refuses to know what is told. Read next: [`super::exchange`], in which binding an answer is written;
//! [`super::follow`], for streams.

use super::exchange::{JSON, Written};
use super::follow::EventFrames;
use a2a::card::document::CardDocument;
use a2a::error::Error;
use a2a::response::Response;
use a2a::{rest, sse};
use serde_json::Value;
use std::sync::Arc;

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

impl Written {
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
}

fn of_rest(reply: rest::RestResponse) -> Answer {
    whole(reply.status, reply.media_type, &reply.body)
}

fn whole(status: u16, media_type: &str, body: &Value) -> Answer {
    Answer::new(status, media_type, AnswerBody::Whole(body.to_string()))
}
