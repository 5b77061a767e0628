//! The errors of loading modules and of evaluating an XPath.
//!
//! A refused document is a [`crate::Violation`] (`violation.rs`). The raw
//! record that libyang keeps, [`LibraryError`], does not leave the crate.

use thiserror::Error;

/// The error for a set of modules that cannot be compiled. The caller's texts are at fault;
/// existing generations are untouched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// A name, feature or text holds a NUL byte.
    #[error("the YANG text or name of {module} holds a NUL byte")]
    Nul {
        /// The module's name as given.
        module: String,
    },
    /// libyang refused the modules.
    #[error("the YANG modules do not compile: {message}{}", at(path.as_deref(), *line))]
    Refused {
        /// The first error, in libyang's words.
        message: String,
        /// The schema path concerned, if known.
        path: Option<String>,
        /// The line in the text concerned, from 1; 0 if unknown.
        line: u64,
    },
    /// libyang could not be started (memory).
    #[error("libyang could not make a context")]
    Context,
}

fn at(path: Option<&str>, line: u64) -> String {
    match (path, line) {
        (Some(path), 0) => format!(" (at {path})"),
        (Some(path), line) => format!(" (at {path}, line {line})"),
        (None, 0) => String::new(),
        (None, line) => format!(" (line {line})"),
    }
}

/// The error for a selection by XPath that gave no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum XPathError {
    /// The expression does not parse, names an unknown prefix or namespace,
    /// or calls an unknown function.
    #[error("the XPath expression is not valid: {message}")]
    Expression {
        /// libyang's words.
        message: String,
    },
    /// The expression is valid but its result is a string, number or boolean
    /// (RFC 6241 §8.9.1 demands a node set).
    #[error("the XPath expression does not select nodes")]
    NotANodeSet,
    /// The data to select from are not well-formed: a defect of the caller.
    #[error("the data to select from cannot be read: {message}")]
    Data {
        /// libyang's words.
        message: String,
    },
    /// A NUL byte in the expression, a prefix, a namespace or the data.
    #[error("a NUL byte in {place}")]
    Nul {
        /// The argument that holds it.
        place: &'static str,
    },
}

/// One record of libyang's error list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LibraryError {
    /// `LY_VECODE`.
    pub(crate) kind: u32,
    pub(crate) message: String,
    pub(crate) data_path: Option<String>,
    pub(crate) schema_path: Option<String>,
    pub(crate) app_tag: Option<String>,
    pub(crate) line: u64,
}
