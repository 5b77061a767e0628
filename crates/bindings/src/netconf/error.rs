//! The one file that knows error tags: why the engine or the schema said no, as `<rpc-error>`.
//!
//! Tags and their meaning: RFC 6241 Appendix A. Read next: `operation`.

use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::filter::FilterError;
use ::netconf::xml::Element;
use domain::content::ContentError;
use engine::Refusal;
use yang::{Violation, XPathError};

/// Where a leaf of `task-negotiate` stands.
fn negotiate_path(leaf: &str) -> ErrorPath {
    ErrorPath::new(format!("/agt:task-negotiate/agt:{leaf}")).bind("agt", super::AGENT_NAMESPACE)
}

/// A refusal of the engine.
pub(crate) fn of_refusal(refusal: &Refusal) -> RpcError {
    let message = refusal.to_string();
    let error = match refusal {
        Refusal::Denied { .. } => RpcError::protocol(ErrorTag::AccessDenied)
            .path(ErrorPath::new("/agt:task-negotiate").bind("agt", super::AGENT_NAMESPACE)),
        Refusal::ForeignSender { .. } => {
            RpcError::protocol(ErrorTag::AccessDenied).path(negotiate_path("task-sendFrom"))
        }
        Refusal::UnknownAgent { .. } | Refusal::OtherEndpoint { .. } => {
            RpcError::application(ErrorTag::InvalidValue).path(negotiate_path("task-sendTo"))
        }
        Refusal::MissingLeaf { leaf, .. } => RpcError::application(ErrorTag::MissingElement)
            .path(ErrorPath::new("/agt:task-negotiate").bind("agt", super::AGENT_NAMESPACE))
            .bad_element(*leaf),
        Refusal::BadLeaf { leaf, .. } => {
            RpcError::application(ErrorTag::InvalidValue).path(negotiate_path(leaf))
        }
        Refusal::Content(cause) => {
            let error =
                RpcError::application(ErrorTag::InvalidValue).path(negotiate_path("content"));
            match cause {
                ContentError::SecondPayload
                | ContentError::NotJson { .. }
                | ContentError::NotAPayload => error.app_tag("kv-payload"),
                ContentError::Missing(_) | ContentError::NotABoolean(_) => error,
            }
        }
        Refusal::TaskExists { .. } => {
            RpcError::application(ErrorTag::DataExists).path(negotiate_path("task-id"))
        }
        Refusal::UnknownTask { .. } => {
            RpcError::application(ErrorTag::DataMissing).path(negotiate_path("task-id"))
        }
        Refusal::NotPublisher { .. } => {
            RpcError::application(ErrorTag::AccessDenied).path(negotiate_path("task-id"))
        }
        Refusal::OutOfTurn(_) => RpcError::application(ErrorTag::OperationFailed)
            .app_tag("bad-state")
            .path(negotiate_path("task-id")),
        Refusal::NotOffered { .. } => {
            RpcError::application(ErrorTag::OperationNotSupported).path(negotiate_path("commuType"))
        }
        Refusal::NoAnswer { .. } => {
            RpcError::application(ErrorTag::OperationFailed).app_tag("no-answer")
        }
        Refusal::StoreFull => RpcError::application(ErrorTag::ResourceDenied).app_tag("store-full"),
        Refusal::StoreFailed { .. } => {
            RpcError::application(ErrorTag::OperationFailed).app_tag("store-failed")
        }
    };
    error.message(message)
}

/// A violation of the schema.
pub(crate) fn of_violation(violation: &Violation) -> RpcError {
    let tag = ErrorTag::from_wire(violation.tag.as_str()).unwrap_or(ErrorTag::OperationFailed);
    let mut error = RpcError::application(tag).message(violation.message.clone());
    if let Some(path) = &violation.path {
        let path = violation
            .prefixes
            .iter()
            .fold(ErrorPath::new(path.clone()), |path, (prefix, uri)| {
                path.bind(prefix, uri)
            });
        error = error.path(path);
    }
    if let Some(app_tag) = &violation.app_tag {
        error = error.app_tag(app_tag.clone());
    }
    if let Some(element) = &violation.element {
        error = error.bad_element(element.clone());
    }
    if let Some(namespace) = &violation.namespace {
        error = error.bad_namespace(namespace.clone());
    }
    error
}

/// A filter that cannot be used.
pub(crate) fn of_filter(error: &FilterError, at: Element<'_>) -> RpcError {
    let tag = match error {
        FilterError::TooBig => ErrorTag::TooBig,
        FilterError::UnboundPrefix(_) => ErrorTag::InvalidValue,
    };
    RpcError::protocol(tag)
        .path(ErrorPath::of(at))
        .message(error.to_string())
}

/// A filter of type xpath without an expression.
pub(crate) fn filter_without_select(filter: Element<'_>) -> RpcError {
    RpcError::protocol(ErrorTag::MissingAttribute)
        .path(ErrorPath::of(filter))
        .bad_attribute("select")
        .bad_element("filter")
        .message("a filter of type xpath needs the attribute select")
}

/// A filter of a type that is none.
pub(crate) fn filter_type(filter: Element<'_>, kind: &str) -> RpcError {
    RpcError::protocol(ErrorTag::BadAttribute)
        .path(ErrorPath::of(filter))
        .bad_attribute("type")
        .bad_element("filter")
        .message(format!(
            "a filter is of type subtree or xpath, not '{kind}'"
        ))
}

/// An XPath filter that cannot be evaluated.
pub(crate) fn of_xpath(error: &XPathError, at: Element<'_>) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(ErrorPath::of(at))
        .message(error.to_string())
}

/// An rpc that is not offered, in the request's own words.
pub(crate) fn not_supported(operation: Element<'_>, why: &str) -> RpcError {
    RpcError::protocol(ErrorTag::OperationNotSupported)
        .path(ErrorPath::of(operation))
        .message(format!("<{}> is not supported: {why}", operation.name()))
}

/// An rpc that the access rules deny.
pub(crate) fn denied(operation: Element<'_>, user: &str) -> RpcError {
    RpcError::protocol(ErrorTag::AccessDenied)
        .path(ErrorPath::of(operation))
        .message(format!(
            "'{user}' may not execute <{}>; a rule in access.toml can permit it",
            operation.name()
        ))
}

/// An element that is missing from an rpc.
pub(crate) fn missing(operation: Element<'_>, element: &str) -> RpcError {
    RpcError::protocol(ErrorTag::MissingElement)
        .path(ErrorPath::of(operation))
        .bad_element(element)
        .message(format!("<{}> needs <{element}>", operation.name()))
}

/// A value that cannot be used.
pub(crate) fn invalid(at: Element<'_>, message: impl Into<String>) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(ErrorPath::of(at))
        .message(message)
}
