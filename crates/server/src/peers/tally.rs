//! The messages that agents exchange, counted with their framing.
//!
//! Knows lengths. Read next: [`super`].

use netconf::framing::Framing;
use netconf::names::namespace::BASE;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The messages that agents exchanged, and their bytes, framing included, hellos not.
#[derive(Debug, Default)]
pub struct Tally {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    pub(super) fn count(&self, bytes: usize) {
        self.messages.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// The number of requests, replies and notifications so far.
    pub fn messages(&self) -> u64 {
        self.messages.load(Relaxed)
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }
}

/// The length of a message with its framing: in one chunk `LF # size LF … LF ## LF`, or with the
/// end mark.
pub(super) fn framed(bytes: usize, framing: Framing) -> usize {
    match framing {
        Framing::Chunked => bytes + bytes.to_string().len() + 7,
        Framing::EndOfMessage => bytes + 6,
    }
}

/// The length of `<rpc xmlns="…" message-id="…">` and its end tag.
pub(super) fn envelope_bytes(id: u64) -> usize {
    format!("<rpc xmlns=\"{BASE}\" message-id=\"{id}\"></rpc>").len()
}
