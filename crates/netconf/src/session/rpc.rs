//! An `<rpc>` as a session gives it out, and the errors that prevent that (RFC 6241 §4.1, §4.3).
//!
//! Knows no operation: any element may name one. Read next: [`super`].

use super::Envelope;
use crate::error::{ErrorTag, RpcError};
use crate::xml::{XmlDocument, XmlElement};
use std::ops::Range;

/// The most bytes of a `message-id` (`messageIdType` in RFC 6241 Appendix B).
const MESSAGE_ID_BYTES: usize = 4095;

/// One request.
#[derive(Debug, Clone)]
pub struct Rpc {
    /// The parts that its reply must echo.
    pub envelope: Envelope,
    /// The whole message; its root is `<rpc>` and has exactly one child.
    pub document: XmlDocument,
    /// Where it stood among the bytes received, framing included.
    pub place: Range<u64>,
}

impl Rpc {
    /// The element that names the operation.
    pub fn operation(&self) -> XmlElement<'_> {
        self.document
            .root()
            .children()
            .next()
            .expect("the session checked that there is one")
    }

    /// The message-id, references resolved.
    pub fn message_id(&self) -> &str {
        self.document
            .root()
            .attribute("", "message-id")
            .unwrap_or_default()
    }

    /// Bytes of the message without framing.
    pub fn size(&self) -> usize {
        self.document.source().len()
    }
}

/// The error that prevents an `<rpc>` from being given out, and whether the reply may echo its
/// attributes.
pub(super) fn fault(rpc: XmlElement<'_>) -> Option<(RpcError, bool)> {
    let of_message_id = |tag, why: &str| {
        let error = RpcError::rpc(tag).message(why).bad_attribute("message-id");
        error.bad_element("rpc")
    };
    match rpc.attribute("", "message-id") {
        // RFC 6241 §4.1 and §4.3: the reply then has no message-id either.
        None => {
            let why = "an rpc without message-id";
            return Some((of_message_id(ErrorTag::MissingAttribute, why), true));
        }
        Some(id) if id.len() > MESSAGE_ID_BYTES => {
            let why = "a message-id of more than 4095 bytes";
            return Some((of_message_id(ErrorTag::BadAttribute, why), false));
        }
        Some(_) => {}
    }
    // RFC 6241 Appendix A gives these tags to the layers protocol and application only.
    let of_content = |tag, why: &str, element: &str| {
        let error = RpcError::protocol(tag).message(why).bad_element(element);
        Some((error, true))
    };
    if rpc.has_mixed_content() || (!rpc.has_children() && !rpc.trimmed_text().is_empty()) {
        return of_content(ErrorTag::BadElement, "text beside the operation", "rpc");
    }
    let mut operations = rpc.children();
    match (operations.next(), operations.next()) {
        (None, _) => {
            let why = "an rpc without operation";
            of_content(ErrorTag::MissingElement, why, "rpcOperation")
        }
        // The message can be read, so it is not malformed (which would end the
        // session): its second operation is an element where none is expected.
        (Some(_), Some(second)) => {
            let why = "an rpc with more than one operation";
            of_content(ErrorTag::UnknownElement, why, second.name())
        }
        (Some(_), None) => None,
    }
}
