//! An `<rpc>` as a session gives it out, and the errors that prevent that (RFC 6241 §4.1, §4.3).
//!
//! Knows no operation: any element may name one. Read next: [`super`].

use super::Envelope;
use crate::error::{ErrorTag, RpcError};
use crate::xml::{XmlDocument, XmlElement};

/// The most bytes of a `message-id` (`messageIdType` in RFC 6241 Appendix B).
const MESSAGE_ID_BYTES: usize = 4095;

/// One request.
#[derive(Debug, Clone)]
pub struct Rpc {
    /// The parts that its reply must echo.
    pub envelope: Envelope,
    /// The whole message; its root is `<rpc>` and has exactly one child.
    pub document: XmlDocument,
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
    match rpc.attribute("", "message-id") {
        // RFC 6241 §4.1 and §4.3: the reply then has no message-id either.
        None => {
            let error = RpcError::rpc(ErrorTag::MissingAttribute)
                .message("an rpc without message-id")
                .bad_attribute("message-id")
                .bad_element("rpc");
            return Some((error, true));
        }
        Some(id) if id.len() > MESSAGE_ID_BYTES => {
            let error = RpcError::rpc(ErrorTag::BadAttribute)
                .message("a message-id of more than 4095 bytes")
                .bad_attribute("message-id")
                .bad_element("rpc");
            return Some((error, false));
        }
        Some(_) => {}
    }
    // RFC 6241 Appendix A gives these tags to the layers protocol and application only.
    if rpc.has_mixed_content() || (!rpc.has_children() && !rpc.trimmed_text().is_empty()) {
        let error = RpcError::protocol(ErrorTag::BadElement)
            .message("text beside the operation")
            .bad_element("rpc");
        return Some((error, true));
    }
    let mut operations = rpc.children();
    match (operations.next(), operations.next()) {
        (None, _) => {
            let error = RpcError::protocol(ErrorTag::MissingElement)
                .message("an rpc without operation")
                .bad_element("rpcOperation");
            Some((error, true))
        }
        // The message can be read, so it is not malformed (which would end the
        // session): its second operation is an element where none is expected.
        (Some(_), Some(second)) => {
            let error = RpcError::protocol(ErrorTag::UnknownElement)
                .message("an rpc with more than one operation")
                .bad_element(second.name());
            Some((error, true))
        }
        (Some(_), None) => None,
    }
}
