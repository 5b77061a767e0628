//! XML as NETCONF needs it: one guarded, namespace-aware, read-only tree.
//!
//! [`XmlDocument::parse`] is the only entry for bytes from outside. It accepts well-formed,
//! namespace-well-formed XML 1.0 in UTF-8 without document type and processing instructions, within
//! [`Limits`]; anything else is an [`XmlError`]. It knows nothing of NETCONF. The tokens come from
//! quick-xml, which does not check well-formedness: the checks are in `parse`, the tree is in
//! `document`, and escaping for the way out is in [`mod@write`].

mod attributes;
mod document;
mod lexical;
mod parse;
#[cfg(test)]
mod tests;
pub mod write;

pub use document::{Attribute, XmlDocument, XmlElement};

/// Bounds on one message; each protects from a different way to waste a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one message after framing is removed.
    pub message_bytes: usize,
    /// Elements open at one time.
    pub depth: usize,
    /// Elements in the whole message.
    pub elements: usize,
    /// Attributes of one element, namespace declarations not counted.
    pub attributes: usize,
    /// Namespace declarations on one element; four times as many may be in scope.
    pub namespaces: usize,
    /// Bytes of one element or attribute name, prefix included.
    pub name_bytes: usize,
}

impl Default for Limits {
    /// The limits of a server: 8 MiB, 64 levels, 32 768 elements.
    fn default() -> Self {
        Limits {
            message_bytes: 8 << 20,
            depth: 64,
            elements: 1 << 15,
            attributes: 64,
            namespaces: 32,
            name_bytes: 256,
        }
    }
}

impl Limits {
    /// The limits of a client: 64 MiB, 4 194 304 elements.
    pub fn client() -> Self {
        Limits {
            message_bytes: 64 << 20,
            elements: 1 << 22,
            ..Limits::default()
        }
    }
}

/// The error for bytes that are not an acceptable document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// A bound of [`Limits`] was passed; the message may be fine otherwise.
    #[error("{what} exceeds the limit of {limit}")]
    TooBig {
        /// The thing bounded.
        what: &'static str,
        /// Its bound.
        limit: usize,
    },
    /// The bytes are not UTF-8, or declare another encoding.
    #[error("the encoding is not UTF-8")]
    Encoding,
    /// A character that XML 1.0 §2.2 excludes.
    #[error("a character at byte {offset} is not allowed in XML")]
    Character {
        /// Offset in the message.
        offset: usize,
    },
    /// `<!DOCTYPE …>`.
    #[error("a document type declaration is not accepted")]
    DocumentType,
    /// `<?…?>` other than the XML declaration at the very start.
    #[error("processing instructions are not accepted")]
    ProcessingInstruction,
    /// A reference to an entity that XML does not predefine, or to no character.
    #[error("undefined or malformed reference at byte {offset}")]
    Reference {
        /// Offset in the message.
        offset: usize,
    },
    /// No root element.
    #[error("the document has no root element")]
    NoRoot,
    /// More than one root element.
    #[error("the document has a second root element")]
    SecondRoot,
    /// Characters before or after the root element.
    #[error("text outside the root element")]
    TextOutsideRoot,
    /// A prefix that nothing in scope declares.
    #[error("prefix \"{prefix}\" is not bound to a namespace")]
    UnboundPrefix {
        /// The prefix.
        prefix: String,
    },
    /// Two attributes of one name, or of one expanded name.
    #[error("duplicate attribute \"{name}\"")]
    DuplicateAttribute {
        /// The name as written.
        name: String,
    },
    /// An end tag that does not close the element open last, or none at all.
    #[error("element \"{open}\" is not closed properly")]
    Mismatched {
        /// The element that is open; empty if none is.
        open: String,
    },
    /// Any other breach of the grammar.
    #[error("malformed XML at byte {offset}: {what}")]
    Syntax {
        /// Offset in the message.
        offset: usize,
        /// The rule that is broken.
        what: &'static str,
    },
}

impl XmlError {
    /// True if a limit was passed rather than a rule broken.
    pub fn is_too_big(&self) -> bool {
        matches!(self, XmlError::TooBig { .. })
    }
}
