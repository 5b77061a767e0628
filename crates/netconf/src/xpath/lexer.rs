//! The lexer, from characters to tokens (XPath 1.0 §3.7), in one pass.
//!
//! Decides where a name is an operator and a star a multiplication; grammar is in [`super::parse`].

use super::{EXPRESSION_BYTES, EXPRESSION_NODES, ExpressionError};

/// One token of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'x> {
    /// `(`, `::`, `<=` and the like; also the operators that are names.
    Sign(&'static str),
    /// A name, with its prefix or none.
    Name(&'x str, &'x str),
    /// `prefix:*`, or `*` where the prefix is empty.
    Any(&'x str),
    Literal(&'x str),
    Number(f64),
}

/// A token and its position in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'x> {
    pub(super) token: Token<'x>,
    pub(super) at: usize,
}

/// Longer signs first.
const SIGNS: [&str; 21] = [
    "//", "::", "..", "!=", "<=", ">=", "(", ")", "[", "]", ".", "@", ",", "/", "|", "+", "-", "=",
    "<", ">", "$",
];

/// The most tokens of an expression of the greatest size.
const TOKENS: usize = 8 * EXPRESSION_NODES;

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, ExpressionError> {
    if text.len() > EXPRESSION_BYTES {
        return Err(ExpressionError::TooBig {
            what: "bytes",
            limit: EXPRESSION_BYTES,
        });
    }
    let mut tokens: Vec<Placed<'_>> = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start_matches(is_space).len();
        if at == text.len() {
            return Ok(tokens);
        }
        if tokens.len() == TOKENS {
            return Err(ExpressionError::TooBig {
                what: "tokens",
                limit: TOKENS,
            });
        }
        let operand = wants_operand(tokens.last().map(|placed| placed.token));
        let (token, length) = token(&text[at..], operand).ok_or_else(|| {
            let found = text[at..].chars().next().map(String::from);
            syntax(text, at, "a token of XPath", found.unwrap_or_default())
        })?;
        tokens.push(Placed { token, at });
        at += length;
    }
}

/// A syntax error at a byte of the text.
pub(super) fn syntax(
    text: &str,
    at: usize,
    expected: &'static str,
    found: String,
) -> ExpressionError {
    ExpressionError::Syntax {
        at: text[..at].chars().count() + 1,
        expected,
        found,
    }
}

/// §3.7: true behind these tokens and at the start, where a name is no operator and a star is no
/// multiplication.
fn wants_operand(before: Option<Token<'_>>) -> bool {
    match before {
        None => true,
        Some(Token::Sign(sign)) => !matches!(sign, ")" | "]" | "." | ".."),
        Some(_) => false,
    }
}

fn token(rest: &str, operand: bool) -> Option<(Token<'_>, usize)> {
    let first = rest.chars().next()?;
    if matches!(first, '\'' | '"') {
        let length = rest[1..].find(first)?;
        return Some((Token::Literal(&rest[1..=length]), length + 2));
    }
    let second_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    if first.is_ascii_digit() || (first == '.' && second_is_digit) {
        return number(rest);
    }
    if first == '*' {
        let token = match operand {
            true => Token::Any(""),
            false => Token::Sign("*"),
        };
        return Some((token, 1));
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Some((Token::Sign(sign), sign.len()));
    }
    let name = &rest[..name_length(rest)?];
    if !operand {
        let word = ["and", "or", "mod", "div"].iter().find(|w| **w == name)?;
        return Some((Token::Sign(word), word.len()));
    }
    let after = &rest[name.len()..];
    let local = after.strip_prefix(':').filter(|l| !l.starts_with(':'));
    Some(match local {
        None => (Token::Name("", name), name.len()),
        Some(local) if local.starts_with('*') => (Token::Any(name), name.len() + 2),
        Some(local) => {
            let local = &local[..name_length(local)?];
            (Token::Name(name, local), name.len() + 1 + local.len())
        }
    })
}

/// `Digits ('.' Digits?)? | '.' Digits`
fn number(rest: &str) -> Option<(Token<'_>, usize)> {
    let digits = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit());
        end.unwrap_or(text.len())
    };
    let mut length = digits(rest);
    if rest[length..].starts_with('.') {
        length += 1 + digits(&rest[length + 1..]);
    }
    rest[..length]
        .parse()
        .ok()
        .map(|number| (Token::Number(number), length))
}

/// The bytes of the `NCName` at the start; `None` if there is none.
fn name_length(text: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}');
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        .then(|| text.find(|c| !is_part(c)).unwrap_or(text.len()))
}

pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
