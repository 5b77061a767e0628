//! The form of `<rpc-reply>`: the name and attributes that it echoes of its request.
//!
//! RFC 6241 §4.1: every attribute of `<rpc>`, namespace declarations included,
//! returns unmodified. So the inside of the start tag is kept as it arrived,
//! and a prefix of the element is kept with it.

use crate::error::RpcError;
use crate::names::namespace::BASE;
use crate::xml::{XmlElement, write};

/// The most bytes of attributes that a reply echoes: a `message-id` of the greatest length, and as
/// much again.
pub(super) const ECHOED_BYTES: usize = 8_192;

/// The parts of a request that its reply must echo; small, and independent of the request's life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// `rpc-reply`, with the prefix of the request.
    name: String,
    /// Inside of the start tag, verbatim.
    attributes: String,
    /// True if elements without prefix are in the base namespace inside.
    default_is_base: bool,
}

impl Envelope {
    /// The envelope for a reply to this `<rpc>`.
    pub fn of(rpc: XmlElement<'_>) -> Self {
        let name = match rpc.prefix() {
            "" => "rpc-reply".to_owned(),
            prefix => format!("{prefix}:rpc-reply"),
        };
        Envelope {
            name,
            attributes: rpc.verbatim_attributes().trim_end().to_owned(),
            default_is_base: rpc.namespace_of_prefix("") == Some(BASE),
        }
    }

    /// The envelope for a reply to something that is no readable `<rpc>`.
    pub fn bare() -> Self {
        Envelope {
            name: "rpc-reply".to_owned(),
            attributes: format!(" xmlns=\"{BASE}\""),
            default_is_base: true,
        }
    }

    /// Appends the start tag.
    pub fn write_start(&self, out: &mut Vec<u8>) {
        out.push(b'<');
        out.extend_from_slice(self.name.as_bytes());
        out.extend_from_slice(self.attributes.as_bytes());
        out.push(b'>');
    }

    /// Bytes of start and end tag.
    pub fn tag_bytes(&self) -> usize {
        2 * self.name.len() + self.attributes.len() + 5
    }

    /// Appends the end tag.
    pub fn write_end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"</");
        out.extend_from_slice(self.name.as_bytes());
        out.push(b'>');
    }

    /// Appends `<ok/>`.
    pub fn write_ok(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<ok");
        self.declare(out);
        out.extend_from_slice(b"/>");
    }

    /// Appends `<data>` with the elements that `content` writes.
    pub fn write_data(&self, out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
        out.extend_from_slice(b"<data");
        self.declare(out);
        out.push(b'>');
        content(out);
        out.extend_from_slice(b"</data>");
    }

    /// Appends `<rpc-error>`.
    pub fn write_error(&self, error: &RpcError, out: &mut Vec<u8>) {
        error.write(!self.default_is_base, out);
    }

    fn declare(&self, out: &mut Vec<u8>) {
        if !self.default_is_base {
            write::attribute("xmlns", BASE, out);
        }
    }
}
