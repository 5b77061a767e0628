//! The one file that knows error tags: why the engine or the schema said no, as `<rpc-error>`.
//!
//! Tags and their meaning: RFC 6241 Appendix A. Read next: `operation`.

use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::filter::FilterError;
use ::netconf::names::namespace::BASE;
use ::netconf::xml::Element;
use domain::content::ContentError;
use engine::Refusal;
use yang::{Violation, XPathError};

/// Where `task-negotiate` stands in its message, or a leaf of it. RFC 6241 §4.3: a path to what
/// was sent begins at the document, so with `rpc`.
fn negotiate_path(leaf: Option<&str>) -> ErrorPath {
    let leaf = leaf.map_or_else(String::new, |leaf| format!("/agt:{leaf}"));
    ErrorPath::new(format!("/nc:rpc/agt:task-negotiate{leaf}"))
        .bind("nc", BASE)
        .bind("agt", super::AGENT_NAMESPACE)
}

/// A path of libyang, in which a name without prefix has that of the one above it, as XPath wants
/// it: with a prefix everywhere.
fn qualified(path: &str) -> String {
    let mut module = "";
    let mut out = String::with_capacity(path.len() * 2);
    let mut quote = None;
    let mut begins = false;
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)));
        let length = name.unwrap_or(rest.len());
        let named = length > 0 && !first.is_ascii_digit();
        match (quote, begins && named) {
            (None, true) => {
                begins = false;
                let colon = rest[length..].starts_with(':');
                if colon {
                    module = &rest[..length];
                    let local = &rest[length + 1..];
                    let more = local.find(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)));
                    let end = length + 1 + more.unwrap_or(local.len());
                    out.push_str(&rest[..end]);
                    rest = &rest[end..];
                } else {
                    out.push_str(module);
                    out.push(':');
                    out.push_str(&rest[..length]);
                    rest = &rest[length..];
                }
                continue;
            }
            (None, false) if matches!(first, '\'' | '"') => quote = Some(first),
            (Some(open), _) if open == first => quote = None,
            _ => {}
        }
        // A name begins a step, or a key in a predicate; a number there is a position.
        begins = quote.is_none() && (matches!(first, '/' | '[') || (begins && first == '@'));
        out.push(first);
        rest = &rest[first.len_utf8()..];
    }
    out
}

/// A refusal of the engine.
pub(crate) fn of_refusal(refusal: &Refusal) -> RpcError {
    let message = refusal.to_string();
    let error = match refusal {
        Refusal::Denied { .. } => {
            RpcError::protocol(ErrorTag::AccessDenied).path(negotiate_path(None))
        }
        Refusal::ForeignSender { .. } => {
            RpcError::protocol(ErrorTag::AccessDenied).path(negotiate_path(Some("task-sendFrom")))
        }
        Refusal::UnknownAgent { .. } | Refusal::OtherEndpoint { .. } => {
            RpcError::application(ErrorTag::InvalidValue).path(negotiate_path(Some("task-sendTo")))
        }
        Refusal::MissingLeaf { leaf, .. } => RpcError::application(ErrorTag::MissingElement)
            .path(negotiate_path(None))
            .bad_element(*leaf),
        Refusal::BadLeaf { leaf, .. } => {
            RpcError::application(ErrorTag::InvalidValue).path(negotiate_path(Some(leaf)))
        }
        Refusal::Content(cause) => {
            let error =
                RpcError::application(ErrorTag::InvalidValue).path(negotiate_path(Some("content")));
            match cause {
                ContentError::SecondPayload
                | ContentError::NotJson { .. }
                | ContentError::NotAPayload => error.app_tag("kv-payload"),
                ContentError::Missing(_) | ContentError::NotABoolean(_) => error,
            }
        }
        Refusal::TaskExists { .. } => {
            RpcError::application(ErrorTag::DataExists).path(negotiate_path(Some("task-id")))
        }
        Refusal::UnknownTask { .. } => {
            RpcError::application(ErrorTag::DataMissing).path(negotiate_path(Some("task-id")))
        }
        Refusal::NotPublisher { .. } => {
            RpcError::application(ErrorTag::AccessDenied).path(negotiate_path(Some("task-id")))
        }
        Refusal::OutOfTurn(_) => RpcError::application(ErrorTag::OperationFailed)
            .app_tag("bad-state")
            .path(negotiate_path(Some("task-id"))),
        Refusal::NotOffered { .. } => RpcError::application(ErrorTag::OperationNotSupported)
            .path(negotiate_path(Some("commuType"))),
        Refusal::NoAnswer { .. } => {
            RpcError::application(ErrorTag::OperationFailed).app_tag("no-answer")
        }
        Refusal::NoNetwork => {
            RpcError::application(ErrorTag::OperationFailed).app_tag("no-network")
        }
        Refusal::NoSuchFault { .. } => RpcError::application(ErrorTag::InvalidValue).path(
            ErrorPath::new("/cvs:inject-fault/cvs:element")
                .bind("cvs", super::SIMULATION_NAMESPACE),
        ),
        Refusal::StoreFull => RpcError::application(ErrorTag::ResourceDenied).app_tag("store-full"),
        Refusal::StoreFailed { .. } => {
            RpcError::application(ErrorTag::OperationFailed).app_tag("store-failed")
        }
    };
    error.message(message)
}

/// A violation of the schema by the operation `at`.
pub(crate) fn of_violation(violation: &Violation, at: Element<'_>) -> RpcError {
    let tag = ErrorTag::from_wire(violation.tag.as_str()).unwrap_or(ErrorTag::OperationFailed);
    // The message itself was read, so it is not malformed (which would end the session, and must
    // not be told to a peer of base:1.0): text stands where elements are due, or its like.
    if tag == ErrorTag::MalformedMessage {
        return RpcError::application(ErrorTag::BadElement)
            .path(ErrorPath::of(at))
            .message(violation.message.clone())
            .bad_element(at.name());
    }
    let mut error = RpcError::application(tag).message(violation.message.clone());
    if let Some(path) = &violation.path {
        let path = violation
            .prefixes
            .iter()
            .fold(
                ErrorPath::new(format!("/nc:rpc{}", qualified(path))),
                |path, (prefix, uri)| path.bind(prefix, uri),
            )
            .bind("nc", BASE);
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

#[cfg(test)]
mod tests {
    use super::qualified;

    #[test]
    fn every_step_gets_the_prefix_of_the_one_above() {
        for (written, meant) in [
            ("/m:a", "/m:a"),
            ("/m:a/b/n:c/d", "/m:a/m:b/n:c/n:d"),
            ("/m:a/b[k='x/y[z']/c", "/m:a/m:b[m:k='x/y[z']/m:c"),
            ("/m:a/b[1]", "/m:a/m:b[1]"),
            ("/m:a/@n:k", "/m:a/@n:k"),
        ] {
            assert_eq!(qualified(written), meant);
        }
    }
}
