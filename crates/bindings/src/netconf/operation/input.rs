//! What stands below an element of an input, by name.
//!
//! The schema has been checked, so leaves are single and well typed; what is below an element is in
//! its namespace. One thing is looked at before the schema is: how long XPaths are. Read next: [`super`].

use crate::netconf::error;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;
use domain::time::Timestamp;
use std::str::FromStr;

/// The child of that name.
pub(super) fn child<'x>(element: XmlElement<'x>, name: &str) -> Option<XmlElement<'x>> {
    element.child(element.namespace(), name)
}

/// The children of that name, in order.
pub(super) fn all<'x>(element: XmlElement<'x>, name: &str) -> impl Iterator<Item = XmlElement<'x>> {
    let named = move |c: &XmlElement<'x>| c.is(element.namespace(), name);
    element.children().filter(named)
}

/// A string.
pub(super) fn text(element: XmlElement<'_>, name: &str) -> Option<String> {
    child(element, name).map(|e| e.text().to_owned())
}

/// A string that the schema demands, or the operation does.
///
/// # Errors
/// `missing-element`
pub(super) fn needed(element: XmlElement<'_>, name: &str) -> Result<String, RpcError> {
    text(element, name).ok_or_else(|| error::missing(element, name))
}

/// The strings of a leaf-list.
pub(super) fn texts(element: XmlElement<'_>, name: &str) -> Vec<String> {
    all(element, name).map(|e| e.text().to_owned()).collect()
}

/// An enumeration, or anything else in which white space around the value does not count.
pub(super) fn word<'x>(element: XmlElement<'x>, name: &str) -> Option<&'x str> {
    child(element, name).map(|e| e.trimmed_text())
}

/// A boolean; false if it is not there.
pub(super) fn flag(element: XmlElement<'_>, name: &str) -> bool {
    word(element, name) == Some("true")
}

/// A number.
pub(super) fn number<N: FromStr>(element: XmlElement<'_>, name: &str) -> Option<N> {
    word(element, name)?.parse().ok()
}

/// An instant below an element.
pub(super) fn time(element: XmlElement<'_>, name: &str) -> Result<Option<Timestamp>, RpcError> {
    child(element, name).map(instant).transpose()
}

/// An instant; the schema lets some pass that no calendar has.
pub(super) fn instant(leaf: XmlElement<'_>) -> Result<Timestamp, RpcError> {
    let parsed = Timestamp::parse(leaf.trimmed_text());
    parsed.map_err(|why| error::invalid(leaf, why.to_string()))
}

/// Tokens that all XPaths of a request may have together before libyang looks at them.
const XPATH_TOKENS: usize = 16_384;

/// Refuses XPaths that libyang must not be shown, wherever in the input they stand: at each operator it
/// looks back over all of them, and it counts the tokens of a value in 16 bits and so never ends with
/// 65,536.
pub(super) fn has_short_xpaths(operation: XmlElement<'_>) -> Result<(), RpcError> {
    let mut tokens = 0;
    let mut elements = vec![operation];
    while let Some(element) = elements.pop() {
        // ietf-netconf annotates it, for whichever element.
        let selects = element.attributes().filter(|a| a.name == "select");
        tokens += selects.map(|a| tokens_at_most(a.value)).sum::<usize>();
        if element.name() == "xpath-filter" {
            tokens += tokens_at_most(element.text());
        }
        if tokens > XPATH_TOKENS {
            let message = format!(
                "the XPaths of a request have more than {XPATH_TOKENS} tokens: say it shorter"
            );
            return Err(error::too_big(element, message));
        }
        elements.extend(element.children());
    }
    Ok(())
}

/// As many tokens as an XPath has, or more. Letters that stand together are one, and so are digits: they
/// are told apart because libyang reads `1or1` as three.
fn tokens_at_most(xpath: &str) -> usize {
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Blank,
        Digit,
        Letter,
        Sign,
    }
    let kind = |c: char| match c {
        c if c.is_whitespace() => Kind::Blank,
        c if c.is_ascii_digit() => Kind::Digit,
        c if c.is_alphabetic() || c == '_' => Kind::Letter,
        _ => Kind::Sign,
    };
    let mut last = Kind::Blank;
    let begins = xpath.chars().map(kind).filter(|kind| {
        let before = std::mem::replace(&mut last, *kind);
        *kind == Kind::Sign || *kind != Kind::Blank && *kind != before
    });
    begins.count()
}

#[cfg(test)]
mod tests {
    use super::tokens_at_most;

    #[test]
    fn an_xpath_has_no_more_tokens_than_are_counted() {
        for (xpath, tokens) in [
            ("", 0),
            ("  \n", 0),
            ("//task", 3),
            ("-----1", 6),
            ("1or1or1", 5),
            ("a12 = b", 4),
            ("count( //* )", 6),
        ] {
            assert_eq!(tokens_at_most(xpath), tokens, "{xpath}");
        }
    }
}
