//! What the schema says, which libyang does in words and paths of its own.
//!
//! Read next: [`super::refused`].

use ::netconf::error::{ErrorInfo, ErrorPath, ErrorTag, RpcError};
use ::netconf::names::namespace::{BASE, YANG};
use ::netconf::xml::XmlElement;
use yang::Violation;

/// A violation of the schema by the operation `at`.
pub(crate) fn of_violation(violation: &Violation, at: XmlElement<'_>) -> RpcError {
    let tag = ErrorTag::from_wire(violation.tag.as_str()).unwrap_or(ErrorTag::OperationFailed);
    // The message itself was read, so it is not malformed (which would end the session, and must
    // not be told to a peer of base:1.0): text stands where elements are due, or its like.
    if tag == ErrorTag::MalformedMessage {
        return RpcError::application(ErrorTag::BadElement)
            .path(ErrorPath::of(at))
            .message(violation.message.clone())
            .bad_element(at.name());
    }
    let path = violation.path.as_ref().map(|path| {
        let path = ErrorPath::new(format!("/nc:rpc{}", qualified(path)));
        let bound = violation.prefixes.iter();
        bound
            .fold(path, |path, (prefix, uri)| path.bind(prefix, uri))
            .bind("nc", BASE)
    });
    // libyang does not always say where: then it is about the operation.
    let mut error = RpcError::application(tag)
        .message(violation.message.clone())
        .path(path.unwrap_or_else(|| ErrorPath::of(at)));
    if let Some(app_tag) = &violation.app_tag {
        error = error.app_tag(app_tag.clone());
    }
    if let Some(attribute) = &violation.attribute {
        error = error.bad_attribute(attribute.clone());
    }
    // RFC 6241 Appendix A: these tags name an element.
    let needs_element = matches!(
        tag,
        ErrorTag::BadElement | ErrorTag::BadAttribute | ErrorTag::UnknownAttribute
    );
    if let Some(element) = &violation.element {
        error = error.bad_element(element.clone());
    } else if needs_element {
        error = error.bad_element(at.name());
    }
    if let Some(choice) = &violation.choice {
        // RFC 7950 §15.6
        error = error.info(ErrorInfo::Other {
            namespace: YANG.to_owned(),
            name: "missing-choice".to_owned(),
            text: choice.clone(),
        });
    }
    if let Some(namespace) = &violation.namespace {
        error = error.bad_namespace(namespace.clone());
    }
    error
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
