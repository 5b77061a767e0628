//! `<rpc-error>` as a value (RFC 6241 §4.3 and Appendix A), for both sides.
//!
//! Knows types, tags and their texts; the mapping of refusals to errors is the caller's. Written
//! and read in `wire`.

mod wire;

use std::fmt;

pub(crate) use wire::parse_errors;

use crate::xml::XmlElement;

/// The layer where the error occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorType {
    /// Secure transport.
    Transport,
    /// Messages.
    Rpc,
    /// Operations.
    Protocol,
    /// Content.
    Application,
}

/// The severity: whether the request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ErrorSeverity {
    /// The request was refused.
    #[default]
    Error,
    /// The request was carried out.
    Warning,
}

macro_rules! texts {
    ($(#[$meta:meta])* $name:ident { $($variant:ident => $text:literal),+ $(,)? }) => {
        texts!(@impl $name { $($variant => $text),+ });
    };
    (@impl $name:ident { $($variant:ident => $text:literal),+ }) => {
        impl $name {
            /// Every value, in the order of the RFC.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The text on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            /// The value with this text on the wire.
            pub fn from_wire(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

texts!(ErrorType {
    Transport => "transport",
    Rpc => "rpc",
    Protocol => "protocol",
    Application => "application",
});

texts!(ErrorSeverity {
    Error => "error",
    Warning => "warning",
});

/// The kind of error: the tags of RFC 6241 Appendix A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorTag {
    /// A resource that is already in use.
    InUse,
    /// An unacceptable value.
    InvalidValue,
    /// A request or response too large to handle.
    TooBig,
    /// An expected attribute is missing.
    MissingAttribute,
    /// An attribute value is not correct.
    BadAttribute,
    /// An unexpected attribute is present.
    UnknownAttribute,
    /// An expected element is missing.
    MissingElement,
    /// An element value is not correct.
    BadElement,
    /// An unexpected element is present.
    UnknownElement,
    /// An unexpected namespace is present.
    UnknownNamespace,
    /// Authorisation failed.
    AccessDenied,
    /// The lock is held by another.
    LockDenied,
    /// Resources are exhausted.
    ResourceDenied,
    /// A rollback did not complete.
    RollbackFailed,
    /// The data to be created exists.
    DataExists,
    /// The data to be changed does not exist.
    DataMissing,
    /// The operation is not supported by this implementation.
    OperationNotSupported,
    /// Failed for a reason without a tag of its own.
    OperationFailed,
    /// Partly done; obsolete, not to be sent.
    PartialOperation,
    /// The message could not be handled; never sent to base:1.0 peers.
    MalformedMessage,
}

texts!(ErrorTag {
    InUse => "in-use",
    InvalidValue => "invalid-value",
    TooBig => "too-big",
    MissingAttribute => "missing-attribute",
    BadAttribute => "bad-attribute",
    UnknownAttribute => "unknown-attribute",
    MissingElement => "missing-element",
    BadElement => "bad-element",
    UnknownElement => "unknown-element",
    UnknownNamespace => "unknown-namespace",
    AccessDenied => "access-denied",
    LockDenied => "lock-denied",
    ResourceDenied => "resource-denied",
    RollbackFailed => "rollback-failed",
    DataExists => "data-exists",
    DataMissing => "data-missing",
    OperationNotSupported => "operation-not-supported",
    OperationFailed => "operation-failed",
    PartialOperation => "partial-operation",
    MalformedMessage => "malformed-message",
});

/// A path to the node in question, with the prefixes that it uses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorPath {
    /// An absolute XPath location path.
    pub path: String,
    /// (prefix, namespace) of every prefix in it.
    pub namespaces: Vec<(String, String)>,
}

impl ErrorPath {
    /// A path whose prefixes are bound by [`bind`](Self::bind).
    pub fn new(path: impl Into<String>) -> Self {
        ErrorPath {
            path: path.into(),
            namespaces: Vec::new(),
        }
    }

    /// Binds a prefix.
    #[must_use]
    pub fn bind(mut self, prefix: impl Into<String>, namespace: impl Into<String>) -> Self {
        let prefix = prefix.into();
        if !self.namespaces.iter().any(|(known, _)| *known == prefix) {
            self.namespaces.push((prefix, namespace.into()));
        }
        self
    }

    /// The path of `element` in its message, from the root down; prefixes are generated (`n1`,
    /// `n2`, …), one for each namespace.
    pub fn of(element: XmlElement<'_>) -> Self {
        let mut ancestry = vec![element];
        while let Some(parent) = ancestry[ancestry.len() - 1].parent() {
            ancestry.push(parent);
        }
        let mut result = ErrorPath::default();
        for element in ancestry.into_iter().rev() {
            result.path.push('/');
            if !element.namespace().is_empty() {
                let known = result
                    .namespaces
                    .iter()
                    .position(|(_, namespace)| namespace == element.namespace());
                let index = known.unwrap_or_else(|| {
                    let prefix = format!("n{}", result.namespaces.len() + 1);
                    result
                        .namespaces
                        .push((prefix, element.namespace().to_owned()));
                    result.namespaces.len() - 1
                });
                result.path.push_str(&result.namespaces[index].0);
                result.path.push(':');
            }
            result.path.push_str(element.name());
        }
        result
    }
}

/// One item of `<error-info>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorInfo {
    /// Name of the attribute in question.
    BadAttribute(String),
    /// Name of the element in question.
    BadElement(String),
    /// The unexpected namespace.
    BadNamespace(String),
    /// The session that holds the lock; 0 is no NETCONF session.
    SessionId(u32),
    /// Any other element, with text content.
    Other {
        /// Its namespace; empty for that of the error itself.
        namespace: String,
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
}

/// One `<rpc-error>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// The layer.
    pub error_type: ErrorType,
    /// The kind.
    pub tag: ErrorTag,
    /// Error or warning.
    pub severity: ErrorSeverity,
    /// The data-model or implementation specific tag.
    pub app_tag: Option<String>,
    /// The node in question.
    pub path: Option<ErrorPath>,
    /// A sentence for people.
    pub message: Option<String>,
    /// Details for programs.
    pub info: Vec<ErrorInfo>,
}

impl RpcError {
    /// An error with type and tag only.
    pub fn new(error_type: ErrorType, tag: ErrorTag) -> Self {
        RpcError {
            error_type,
            tag,
            severity: ErrorSeverity::Error,
            app_tag: None,
            path: None,
            message: None,
            info: Vec::new(),
        }
    }

    /// An error of the message layer.
    pub fn rpc(tag: ErrorTag) -> Self {
        RpcError::new(ErrorType::Rpc, tag)
    }

    /// An error of the operation layer.
    pub fn protocol(tag: ErrorTag) -> Self {
        RpcError::new(ErrorType::Protocol, tag)
    }

    /// An error of the content layer.
    pub fn application(tag: ErrorTag) -> Self {
        RpcError::new(ErrorType::Application, tag)
    }

    /// Makes it a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = ErrorSeverity::Warning;
        self
    }

    /// Sets the app-tag.
    #[must_use]
    pub fn app_tag(mut self, tag: impl Into<String>) -> Self {
        self.app_tag = Some(tag.into());
        self
    }

    /// Sets the path.
    #[must_use]
    pub fn path(mut self, path: ErrorPath) -> Self {
        self.path = Some(path);
        self
    }

    /// Sets the sentence for people.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Adds an item of `<error-info>`.
    #[must_use]
    pub fn info(mut self, info: ErrorInfo) -> Self {
        self.info.push(info);
        self
    }

    /// Adds `<bad-element>`.
    #[must_use]
    pub fn bad_element(self, name: impl Into<String>) -> Self {
        self.info(ErrorInfo::BadElement(name.into()))
    }

    /// Adds `<bad-attribute>`.
    #[must_use]
    pub fn bad_attribute(self, name: impl Into<String>) -> Self {
        self.info(ErrorInfo::BadAttribute(name.into()))
    }

    /// Adds `<bad-namespace>`.
    #[must_use]
    pub fn bad_namespace(self, namespace: impl Into<String>) -> Self {
        self.info(ErrorInfo::BadNamespace(namespace.into()))
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.severity == ErrorSeverity::Warning {
            f.write_str("warning: ")?;
        }
        write!(f, "{} ({}", self.tag, self.error_type)?;
        if let Some(tag) = &self.app_tag {
            write!(f, ", {tag}")?;
        }
        f.write_str(")")?;
        if let Some(message) = &self.message {
            write!(f, ": {message}")?;
        }
        if let Some(path) = &self.path {
            write!(f, " at {}", path.path)?;
        }
        for (index, info) in self.info.iter().enumerate() {
            f.write_str(if index == 0 { " [" } else { ", " })?;
            match info {
                ErrorInfo::BadAttribute(name) => write!(f, "attribute {name}")?,
                ErrorInfo::BadElement(name) => write!(f, "element {name}")?,
                ErrorInfo::BadNamespace(name) => write!(f, "namespace {name}")?,
                ErrorInfo::SessionId(id) => write!(f, "session {id}")?,
                ErrorInfo::Other { name, text, .. } => write!(f, "{name} {text}")?,
            }
        }
        if self.info.is_empty() {
            Ok(())
        } else {
            f.write_str("]")
        }
    }
}

impl std::error::Error for RpcError {}
