//! An answer over HTTP: status, header fields, body.
//!
//! Knows no socket. Read next: [`super::binding`], which makes it.

use super::events::EventStream;
use super::media::Encoding;

/// An answer.
#[derive(Debug)]
pub struct RestconfAnswer {
    /// The status code.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: RestconfBody,
}

/// The body of an answer.
#[derive(Debug)]
pub enum RestconfBody {
    /// There is none.
    Empty,
    /// All of it.
    Whole(Vec<u8>),
    /// Server-sent events, as they come.
    Stream(Box<EventStream>),
}

impl RestconfAnswer {
    /// 200 with a document.
    pub(super) fn document(encoding: Encoding, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", encoding.media_type().to_owned())],
            body: RestconfBody::Whole(body),
        }
    }

    /// An answer without a body.
    pub(super) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: RestconfBody::Empty,
        }
    }

    /// The same with a further field.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}
