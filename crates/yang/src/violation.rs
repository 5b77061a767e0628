//! A refused document, in the words of RFC 6241 Appendix A.
//!
//! Maps libyang's messages to error tags. `<rpc-error>` itself is written by the binding.

use std::fmt;

use crate::error::LibraryError;
use crate::set::as_written;

/// The tags that validation can give (RFC 6241 Appendix A, RFC 7950 §8.3.1
/// and §15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// An element that must be there is not.
    MissingElement,
    /// An element that the schema does not have.
    UnknownElement,
    /// An element in a namespace that no module defines.
    UnknownNamespace,
    /// An element in a wrong place, of a wrong number or of a wrong kind.
    BadElement,
    /// An attribute that is wrong or whose prefix is not bound.
    BadAttribute,
    /// An attribute that no module defines.
    UnknownAttribute,
    /// A value outside its type.
    InvalidValue,
    /// The document is not well-formed, or not of the announced shape.
    MalformedMessage,
    /// A reference to something that does not exist, or a mandatory choice.
    DataMissing,
    /// A constraint over several nodes: `must`, `unique`, element counts.
    OperationFailed,
}

impl Tag {
    /// The `error-tag` as it stands in RFC 6241.
    pub fn as_str(self) -> &'static str {
        match self {
            Tag::MissingElement => "missing-element",
            Tag::UnknownElement => "unknown-element",
            Tag::UnknownNamespace => "unknown-namespace",
            Tag::BadElement => "bad-element",
            Tag::BadAttribute => "bad-attribute",
            Tag::UnknownAttribute => "unknown-attribute",
            Tag::InvalidValue => "invalid-value",
            Tag::MalformedMessage => "malformed-message",
            Tag::DataMissing => "data-missing",
            Tag::OperationFailed => "operation-failed",
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The first violation found in a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{tag}: {message}{}", self.path.as_deref().map(|path| format!(" (at {path})")).unwrap_or_default())]
pub struct Violation {
    /// The `error-tag`.
    pub tag: Tag,
    /// The `error-path`: an instance-identifier whose prefixes are module
    /// names, bound in [`Violation::prefixes`].
    pub path: Option<String>,
    /// (prefix, namespace) of the prefixes in `path`, in order of appearance.
    pub prefixes: Vec<(String, String)>,
    /// The violation, in English, at most 300 characters; may quote the value.
    pub message: String,
    /// The `error-app-tag`, if the schema or RFC 7950 §15 gives one.
    pub app_tag: Option<String>,
    /// The local name for `bad-element`; where an attribute is wrong, that of the element that has it.
    pub element: Option<String>,
    /// The local name for `bad-attribute`.
    pub attribute: Option<String>,
    /// The name for `missing-choice` (RFC 7950 §15.6).
    pub choice: Option<String>,
    /// The namespace for `bad-namespace`.
    pub namespace: Option<String>,
}

/// A longer path is cut down to its names (an instance-identifier with a value
/// of a megabyte helps nobody).
const PATH_MAX_BYTES: usize = 1024;
const MESSAGE_MAX_CHARS: usize = 300;

impl Violation {
    /// The violation that a libyang error stands for. `namespace_of` maps modules to namespaces;
    /// `exists` tells whether a path without predicates leads to a node: libyang gives a node that
    /// has no parent yet a path that begins with it.
    pub(crate) fn from_library<'m>(
        error: &LibraryError,
        namespace_of: impl Fn(&str) -> Option<&'m str>,
        exists: impl Fn(&str) -> bool,
    ) -> Violation {
        let place = error.data_path.as_deref().map(without_attribute);
        let (tag, attribute, element) = match (classify(error), place) {
            ((tag @ (Tag::UnknownAttribute | Tag::BadAttribute), named), _) => {
                (tag, named, path_end(error))
            }
            // RFC 6241 Appendix A: what an attribute says is wrong.
            ((Tag::InvalidValue, _), Some((_, Some(attribute)))) => (
                Tag::BadAttribute,
                Some(attribute.to_owned()),
                path_end(error),
            ),
            ((tag, named), _) => (tag, None, named),
        };
        let path = place
            .map(|(path, _)| path)
            .filter(|path| exists(&without_predicates(path)))
            .map(|path| {
                if path.len() > PATH_MAX_BYTES {
                    without_predicates(path)
                } else {
                    path.to_owned()
                }
            });
        let prefixes = path
            .as_deref()
            .map(prefixes_in)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|prefix| Some((prefix.to_owned(), namespace_of(prefix)?.to_owned())))
            .collect();
        Violation {
            tag,
            path,
            prefixes,
            message: shortened(&as_written(&error.message)),
            app_tag: error.app_tag.clone(),
            namespace: quoted(&error.message)
                .next()
                .filter(|_| tag == Tag::UnknownNamespace)
                .map(str::to_owned),
            choice: quoted(&error.message)
                .next()
                .filter(|_| error.message.starts_with(MISSING_CHOICE))
                .map(str::to_owned),
            attribute,
            element,
        }
    }

    /// A violation of the document as a whole.
    pub(crate) fn whole(tag: Tag, message: &str) -> Violation {
        Violation {
            tag,
            path: None,
            prefixes: Vec::new(),
            message: message.to_owned(),
            app_tag: None,
            element: None,
            attribute: None,
            choice: None,
            namespace: None,
        }
    }
}

/// The quoted word of a message that is the element.
#[derive(Clone, Copy)]
enum Word {
    First,
    Last,
    None,
}
use Word::{First, Last};

/// The beginning of the message about a choice, whose name it quotes.
const MISSING_CHOICE: &str = "Mandatory choice ";

/// The beginnings of libyang's messages (5.4; `ly_common.h`, `parser_xml.c`)
/// and the tag of each; the word is the element.
const MESSAGES: &[(&str, Tag, Word)] = &[
    ("Mandatory node ", Tag::MissingElement, First),
    (
        "List instance is missing its key ",
        Tag::MissingElement,
        First,
    ),
    (
        "Missing the operation node",
        Tag::MissingElement,
        Word::None,
    ),
    ("Missing NETCONF ", Tag::MalformedMessage, Word::None),
    (
        "Missing notification \"eventTime\"",
        Tag::MissingElement,
        First,
    ),
    (MISSING_CHOICE, Tag::DataMissing, Word::None),
    ("Invalid leafref value ", Tag::DataMissing, Word::None),
    ("Invalid instance-identifier ", Tag::DataMissing, Word::None),
    (
        "No module with namespace ",
        Tag::UnknownNamespace,
        Word::None,
    ),
    ("No default namespace ", Tag::UnknownNamespace, Word::None),
    ("Missing XML namespace", Tag::UnknownNamespace, Word::None),
    ("Node ", Tag::UnknownElement, First),
    ("When condition ", Tag::UnknownElement, Word::None),
    ("Unexpected data ", Tag::UnknownElement, First),
    (
        "Annotation definition for attribute ",
        Tag::UnknownAttribute,
        First,
    ),
    (
        "Unknown (or not implemented) YANG module with namespace ",
        Tag::UnknownAttribute,
        Last,
    ),
    (
        "Missing mandatory prefix for XML metadata ",
        Tag::UnknownAttribute,
        First,
    ),
    ("Unknown XML prefix ", Tag::MalformedMessage, Word::None),
    ("Duplicate instance of ", Tag::BadElement, First),
    ("Data for both cases ", Tag::BadElement, Word::None),
    ("Invalid position of the key ", Tag::BadElement, First),
    ("Child element ", Tag::BadElement, First),
    ("Text value ", Tag::BadElement, Last),
    ("Unexpected sibling ", Tag::BadElement, Word::None),
    ("Unexpected child element ", Tag::BadElement, First),
    ("Unexpected ", Tag::BadElement, First),
    ("Too many ", Tag::OperationFailed, Word::None),
    ("Too few ", Tag::OperationFailed, Word::None),
    ("Unique data leaf", Tag::OperationFailed, Word::None),
    ("Must condition ", Tag::OperationFailed, Word::None),
];

/// `LY_VECODE` values that decide where no message does.
const SYNTAX: u32 = yang_rs::ffi::LY_VECODE::LYVE_SYNTAX;
const SYNTAX_XML: u32 = yang_rs::ffi::LY_VECODE::LYVE_SYNTAX_XML;

fn classify(error: &LibraryError) -> (Tag, Option<String>) {
    // RFC 7950 §15.5 to §15.7: these application tags are operation-failed or
    // data-missing whatever the schema's own error-message says.
    match error.app_tag.as_deref() {
        Some("instance-required" | "missing-choice") => return (Tag::DataMissing, None),
        Some("must-violation" | "data-not-unique" | "too-many-elements" | "too-few-elements") => {
            return (Tag::OperationFailed, None);
        }
        _ => {}
    }
    if error.kind == SYNTAX_XML {
        return (Tag::MalformedMessage, None);
    }
    for (beginning, tag, element) in MESSAGES {
        if error.message.starts_with(beginning) {
            let element = match element {
                First => quoted(&error.message).next(),
                Last => quoted(&error.message).last(),
                Word::None => None,
            };
            let element = element
                .and_then(|name| name.rsplit(':').next())
                .map(str::to_owned);
            // The path of an unknown namespace ends at the parent.
            let fallback = || path_end(error).filter(|_| *tag != Tag::UnknownNamespace);
            return (*tag, element.or_else(fallback));
        }
    }
    if error.kind == SYNTAX {
        return (Tag::MalformedMessage, None);
    }
    (Tag::InvalidValue, path_end(error))
}

/// The words in double quotes.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|word| !word.is_empty())
}

/// The name of the last element of the path, without its prefix.
fn path_end(error: &LibraryError) -> Option<String> {
    let (element, _) = without_attribute(error.data_path.as_deref()?);
    let names = without_predicates(element);
    let last = names.rsplit('/').next()?;
    let name = last.rsplit(':').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// The path of an element, and the name of that attribute of it at which the path ends, if it does:
/// `/m:a/b/@n:c`.
fn without_attribute(path: &str) -> (&str, Option<&str>) {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    match path.rsplit_once("/@") {
        Some((element, attribute)) if attribute.chars().all(is_name) => {
            (element, attribute.rsplit(':').next())
        }
        _ => (path, None),
    }
}

/// The path's names only: everything in brackets is left out, quotes minded.
pub(crate) fn without_predicates(path: &str) -> String {
    let mut names = String::new();
    let (mut depth, mut quote) = (0_usize, None);
    for character in path.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') if depth > 0 => quote = Some(character),
            (None, '[') => depth += 1,
            (None, ']') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 => names.push(character),
            (None, _) => {}
        }
    }
    names
}

/// The prefixes of a path outside quotes, each once, in order of appearance.
fn prefixes_in(path: &str) -> Vec<&str> {
    let mut prefixes = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (index, character) in path.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => {
                quote = None;
                start = index + 1;
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, ':') => {
                let prefix = &path[start..index];
                if !prefix.is_empty() && !prefixes.contains(&prefix) {
                    prefixes.push(prefix);
                }
                start = index + 1;
            }
            (None, '/' | '[' | ']' | '=' | '.') => start = index + 1,
            (None, _) => {}
        }
    }
    prefixes
}

fn shortened(message: &str) -> String {
    match message.char_indices().nth(MESSAGE_MAX_CHARS) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests;
