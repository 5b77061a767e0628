//! The one place that knows error tags, and where in a message what is wrong stands.
//!
//! In here: what is wrong with a request itself. `refused`: why the engine said no; `violation`: what the
//! schema says; `origin`: the leaf in which an rpc has a field. Tags and their meaning: RFC 6241
//! Appendix A. Read next: `operation`.

mod origin;
mod refused;
mod violation;

pub(crate) use origin::RpcOrigin;
pub(crate) use refused::{denied, of_reading, of_sections, refused};
pub(crate) use violation::of_violation;

use ::netconf::error::{ErrorPath, ErrorTag, RpcError};
use ::netconf::filter::FilterError;
use ::netconf::xml::XmlElement;
use ::netconf::xpath::{EvaluationError, ExpressionError};
use domain::excerpt::excerpt;
use schema::semantics::{FailureKind, ParseFailure};

/// A request that the process that led before may have carried out, or not, and that is not carried out
/// again.
pub(crate) fn leader_changed() -> RpcError {
    RpcError::application(ErrorTag::OperationFailed)
        .app_tag("leader-changed")
        .message(
            "another node leads now, and the one before may have carried this out or not: look before you \
             send it again",
        )
}

/// A filter that cannot be used.
pub(crate) fn of_filter(error: &FilterError, at: XmlElement<'_>) -> RpcError {
    let (tag, told) = match error {
        FilterError::TooBig => (ErrorTag::TooBig, FilterError::TooBig),
        FilterError::UnboundPrefix(prefix) => {
            let prefix = excerpt(prefix).into_owned();
            (ErrorTag::InvalidValue, FilterError::UnboundPrefix(prefix))
        }
    };
    RpcError::protocol(tag)
        .path(ErrorPath::of(at))
        .message(told.to_string())
}

/// A filter of type xpath without an expression.
pub(crate) fn filter_without_select(filter: XmlElement<'_>) -> RpcError {
    RpcError::protocol(ErrorTag::MissingAttribute)
        .path(ErrorPath::of(filter))
        .bad_attribute("select")
        .bad_element("filter")
        .message("a filter of type xpath needs the attribute select")
}

/// An attribute that a filter has not.
pub(crate) fn filter_attribute(filter: XmlElement<'_>, attribute: &str) -> RpcError {
    RpcError::protocol(ErrorTag::UnknownAttribute)
        .path(ErrorPath::of(filter))
        .bad_attribute(attribute)
        .bad_element("filter")
        .message("a filter has the attributes type and select")
}

/// A filter of a type that is none.
pub(crate) fn filter_type(filter: XmlElement<'_>, kind: &str) -> RpcError {
    RpcError::protocol(ErrorTag::BadAttribute)
        .path(ErrorPath::of(filter))
        .bad_attribute("type")
        .bad_element("filter")
        .message(format!(
            "a filter is of type subtree or xpath, not '{}'",
            excerpt(kind)
        ))
}

/// An XPath that is none, or too large.
pub(crate) fn of_expression(cause: &ExpressionError, path: ErrorPath) -> RpcError {
    let tag = match cause {
        ExpressionError::TooBig { .. } => ErrorTag::TooBig,
        _ => ErrorTag::InvalidValue,
    };
    RpcError::protocol(tag).path(path).message(format!(
        "the XPath expression is not valid: {}",
        shortened(cause)
    ))
}

/// The same cause with no more of the expression than a message quotes.
fn shortened(cause: &ExpressionError) -> ExpressionError {
    use ExpressionError::{UnboundPrefix, UnknownFunction, Unqualified};
    let excerpt = |text: &str| excerpt(text).into_owned();
    match cause {
        UnboundPrefix(prefix) => UnboundPrefix(excerpt(prefix)),
        Unqualified(name) => Unqualified(excerpt(name)),
        UnknownFunction(name) => UnknownFunction(excerpt(name)),
        other => other.clone(),
    }
}

/// A prefix of an XPath whose namespace is of no module.
pub(crate) fn unknown_namespace(prefix: &str, namespace: &str, path: ErrorPath) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(path)
        .message(format!(
            "the XPath expression is not valid: prefix \"{}\" stands for \"{}\", which is the \
             namespace of no module",
            excerpt(prefix),
            excerpt(namespace)
        ))
}

/// An XPath that yields a text, a number or a truth (RFC 6241 §8.9.1).
pub(crate) fn no_node_set(path: ErrorPath) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(path)
        .message("the XPath expression does not select nodes")
}

/// A search that ended without a result. RFC 6241 Appendix A: neither request nor reply is too
/// big, but what it would take is more than there is for one request.
pub(crate) fn of_search(cause: &EvaluationError, path: ErrorPath) -> RpcError {
    match cause {
        EvaluationError::Spent { .. } => RpcError::application(ErrorTag::ResourceDenied)
            .app_tag("search-cost")
            .path(path)
            .message(format!(
                "the XPath expression costs too much: {cause}; begin it with a path of names and \
                 keys, such as /p:a/p:b[p:key='x'], and compare with fewer nodes in its predicates"
            )),
        EvaluationError::Cancelled => abandoned(path),
        EvaluationError::Pattern(_) => RpcError::protocol(ErrorTag::InvalidValue)
            .path(path)
            .message(format!("the XPath expression is not valid: {cause}")),
    }
}

/// Words that were not read: for they are too much work, or for who reads them cannot work now. Whoever fills in the
/// keys needs neither.
pub(crate) fn unread(failure: &ParseFailure, path: ErrorPath) -> RpcError {
    match failure.kind {
        FailureKind::TooMuch => {
            RpcError::application(ErrorTag::TooBig)
                .path(path)
                .message(format!(
                    "{}; say it shorter, or fill in the keys",
                    failure.reason
                ))
        }
        FailureKind::Cancelled => abandoned(path),
        FailureKind::Broken => {
            tracing::error!("words were not read: {failure}");
            RpcError::application(ErrorTag::OperationFailed)
                .path(path)
                .message("plain words cannot be read now; keys can be filled in")
        }
    }
}

/// Work for which there is no room now: a search, or words to be read.
pub(crate) fn busy(path: ErrorPath) -> RpcError {
    RpcError::application(ErrorTag::ResourceDenied)
        .app_tag("busy")
        .path(path)
        .message(crate::background::Busy.to_string())
}

/// Work that was not done in its time.
pub(crate) fn abandoned(path: ErrorPath) -> RpcError {
    RpcError::application(ErrorTag::ResourceDenied)
        .app_tag("busy")
        .path(path)
        .message(crate::background::Abandoned.to_string())
}

/// An rpc that is not offered, in the request's own words.
pub(crate) fn not_supported(operation: XmlElement<'_>, why: &str) -> RpcError {
    RpcError::protocol(ErrorTag::OperationNotSupported)
        .path(ErrorPath::of(operation))
        .message(format!("<{}> is not supported: {why}", operation.name()))
}

/// An element that is missing from an rpc.
pub(crate) fn missing(operation: XmlElement<'_>, element: &str) -> RpcError {
    RpcError::protocol(ErrorTag::MissingElement)
        .path(ErrorPath::of(operation))
        .bad_element(element)
        .message(format!("<{}> needs <{element}>", operation.name()))
}

/// A value that cannot be used.
pub(crate) fn invalid(at: XmlElement<'_>, message: impl Into<String>) -> RpcError {
    RpcError::protocol(ErrorTag::InvalidValue)
        .path(ErrorPath::of(at))
        .message(message)
}

/// A value that is more than is read.
pub(crate) fn too_big(at: XmlElement<'_>, message: impl Into<String>) -> RpcError {
    RpcError::protocol(ErrorTag::TooBig)
        .path(ErrorPath::of(at))
        .message(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::netconf::xml::{Limits, XmlDocument};
    use ::netconf::xpath::Expression;

    /// What is sent may have a megabyte; the message about it has not.
    #[test]
    fn a_refused_filter_is_not_quoted_whole() {
        let document = XmlDocument::parse("<filter/>", &Limits::default()).expect("XML");
        let filter = document.root();
        let long = "n".repeat(60_000);
        let mut refusals = vec![
            of_filter(&FilterError::UnboundPrefix(long.clone()), filter),
            filter_type(filter, &long),
            unknown_namespace(&long, &long, ErrorPath::of(filter)),
        ];
        for expression in [
            format!("/{long}"),
            format!("/{long}:a"),
            format!("{long}(1)"),
            format!("1 '{long}'"),
            format!("/p:a {long}"),
        ] {
            let cause = Expression::parse(&expression, &[("p", "urn:p")]).expect_err("it is none");
            refusals.push(of_expression(&cause, ErrorPath::of(filter)));
        }
        for refusal in refusals {
            let message = refusal.message.expect("a refusal says why");
            assert!(message.chars().count() < 300, "{message}");
        }
    }

    /// Too much is the speaker's to mend; what is broken at the reader is not told in detail.
    #[test]
    fn words_that_are_not_read_are_refused_by_whose_fault_it_is() {
        let document = XmlDocument::parse("<utterance/>", &Limits::default()).expect("XML");
        let told = |kind| {
            let failure = ParseFailure {
                parser: "model".to_owned(),
                kind,
                reason: "more than 8000000 steps".to_owned(),
            };
            unread(&failure, ErrorPath::of(document.root()))
        };
        let too_much = told(FailureKind::TooMuch);
        assert_eq!(too_much.tag, ErrorTag::TooBig);
        assert!(format!("{too_much:?}").contains("8000000"), "{too_much:?}");
        assert_eq!(told(FailureKind::Cancelled).tag, ErrorTag::ResourceDenied);
        let broken = told(FailureKind::Broken);
        assert_eq!(broken.tag, ErrorTag::OperationFailed);
        assert!(!format!("{broken:?}").contains("steps"), "{broken:?}");
    }
}
