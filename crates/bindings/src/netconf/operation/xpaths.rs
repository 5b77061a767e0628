//! The length of the XPaths in a request, which libyang must not be shown if they are too long.
//!
//! Read next: [`super`], which asks before libyang looks.

use crate::netconf::error;
use ::netconf::error::RpcError;
use ::netconf::xml::XmlElement;

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
