//! A parsed I-Regexp in the dialects of the renderings.
//!
//! Knows what each dialect needs escaped: ECMAScript with `u` for JSON Schema and HTML, XSD for YANG,
//! GBNF for decoding. Refuses to match anything. Read before: [`crate::iregexp`].

use crate::iregexp::{Class, Item, Node};
use std::fmt::Write as _;

/// The pattern for ECMAScript with the `u` flag, anchored; Rust's `regex` reads it as well, and
/// takes it for the same.
pub(crate) fn ecma(node: &Node) -> String {
    format!("^(?:{})$", written(node, &ECMA))
}

/// The pattern for the `pattern` attribute of HTML, which is anchored by itself (`v` flag).
pub(crate) fn html(node: &Node) -> String {
    written(node, &ECMA)
}

/// The pattern for YANG (XSD), which is anchored by itself.
pub(crate) fn xsd(node: &Node) -> String {
    written(node, &XSD)
}

/// The characters that a dialect wants escaped.
struct Dialect {
    group: &'static str,
    literal: &'static str,
    class: &'static str,
    /// True if the pattern is itself YANG text, which has no control characters.
    yang_text: bool,
}

const ECMA: Dialect = Dialect {
    group: "(?:",
    literal: "^$\\.*+?()[]{}|",
    class: "\\]^-[(){}/|",
    yang_text: false,
};

// `^` and `$` are ordinary characters of XSD outside classes, and libyang escapes them itself.
const XSD: Dialect = Dialect {
    group: "(",
    literal: "\\.*+?()[]{}|",
    class: "\\]^-[",
    yang_text: true,
};

/// A class that holds nothing.
const NOTHING: &str = "[^\\s\\S]";

fn written(node: &Node, dialect: &Dialect) -> String {
    match node {
        Node::Choice(branches) => {
            let branches: Vec<_> = branches.iter().map(|b| written(b, dialect)).collect();
            branches.join("|")
        }
        Node::Sequence(pieces) => pieces.iter().map(|p| atom(p, dialect)).collect(),
        Node::Repeat { node, min, max } => {
            format!("{}{}", atom(node, dialect), quantifier(*min, *max))
        }
        Node::Class(class) => class_written(class, dialect),
    }
}

/// A node that binds as one thing.
fn atom(node: &Node, dialect: &Dialect) -> String {
    match node {
        Node::Choice(_) | Node::Sequence(_) => {
            format!("{}{})", dialect.group, written(node, dialect))
        }
        Node::Repeat { .. } | Node::Class(_) => written(node, dialect),
    }
}

fn quantifier(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}

fn class_written(class: &Class, dialect: &Dialect) -> String {
    if let Some(c) = class.literal() {
        return match dialect.yang_text && !is_yang_char(c) {
            true => NOTHING.to_owned(),
            false => escaped(c, dialect.literal),
        };
    }
    if let (false, [Item::Category { .. }]) = (class.negated, class.items.as_slice()) {
        return item_written(&class.items[0], dialect);
    }
    let items: String = class
        .items
        .iter()
        .map(|item| item_written(item, dialect))
        .collect();
    match (items.is_empty(), class.negated) {
        (true, false) => NOTHING.to_owned(),
        (true, true) => "[\\s\\S]".to_owned(),
        (false, negated) => format!("[{}{items}]", if negated { "^" } else { "" }),
    }
}

fn item_written(item: &Item, dialect: &Dialect) -> String {
    match item {
        Item::Category { name, negated } => {
            format!("\\{}{{{name}}}", if *negated { 'P' } else { 'p' })
        }
        Item::Range(low, high) if dialect.yang_text => yang_range(*low, *high),
        Item::Range(low, high) => range(*low, *high, dialect.class),
    }
}

fn range(low: char, high: char, special: &str) -> String {
    match low == high {
        true => escaped(low, special),
        false => format!("{}-{}", escaped(low, special), escaped(high, special)),
    }
}

/// A range without the characters that YANG text cannot hold; data cannot hold them either.
fn yang_range(low: char, high: char) -> String {
    let mut text = String::new();
    for control in ['\t', '\n', '\r'] {
        if (low..=high).contains(&control) {
            text.push_str(&escaped(control, XSD.class));
        }
    }
    let low = (low.max(' ')..=high).find(|c| is_yang_char(*c));
    let high = low.and_then(|low| (low..=high).rev().find(|c| is_yang_char(*c)));
    if let (Some(low), Some(high)) = (low, high) {
        text.push_str(&range(low, high, XSD.class));
    }
    text
}

/// The `yang-char` of RFC 7950 §14: what YANG texts and YANG strings may hold.
pub(crate) fn is_yang_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FDCF}' | '\u{FDF0}'..)
        && u32::from(c) & 0xFFFE != 0xFFFE
}

fn escaped(c: char, special: &str) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c if special.contains(c) => format!("\\{c}"),
        c => c.to_string(),
    }
}

// ---------------------------------------------------------------------- GBNF

/// The pattern as the inside of a JSON string, in GBNF; none if it names a category, which GBNF
/// cannot.
pub(crate) fn gbnf(node: &Node) -> Option<String> {
    match node {
        Node::Choice(branches) => {
            let branches: Option<Vec<_>> = branches.iter().map(gbnf).collect();
            Some(format!("({})", branches?.join(" | ")))
        }
        Node::Sequence(pieces) => {
            let pieces: Option<Vec<_>> = pieces.iter().map(gbnf).collect();
            Some(gbnf_sequence(&pieces?))
        }
        Node::Repeat { node, min, max } => {
            let inner = match node.as_ref() {
                Node::Repeat { .. } => format!("({})", gbnf(node)?),
                _ => gbnf(node)?,
            };
            Some(format!("{inner}{}", quantifier(*min, *max)))
        }
        Node::Class(class) => class.ranges().map(|ranges| gbnf_class(&ranges)),
    }
}

/// Pieces behind each other, literals joined; in parentheses where there are several.
fn gbnf_sequence(pieces: &[String]) -> String {
    let mut joined: Vec<String> = Vec::new();
    for piece in pieces {
        let literals = piece.ends_with('"') && piece.starts_with('"');
        match joined.last_mut() {
            Some(last) if literals && last.starts_with('"') && last.ends_with('"') => {
                last.truncate(last.len() - 1);
                last.push_str(&piece[1..]);
            }
            _ => joined.push(piece.clone()),
        }
    }
    match joined.len() {
        0 => "\"\"".to_owned(),
        1 => joined.swap_remove(0),
        _ => format!("({})", joined.join(" ")),
    }
}

/// Characters of a JSON string that are written with a backslash, and how, as GBNF literals.
const WRITTEN: [(u32, &str); 7] = [
    (0x08, r#""\\b""#),
    (0x09, r#""\\t""#),
    (0x0A, r#""\\n""#),
    (0x0C, r#""\\f""#),
    (0x0D, r#""\\r""#),
    (0x22, r#""\\\"""#),
    (0x5C, r#""\\\\""#),
];

fn gbnf_class(ranges: &[(u32, u32)]) -> String {
    let mut plain = String::new();
    for &(low, high) in ranges {
        // What stands for itself in a JSON string.
        for (from, to) in [
            (0x20, 0x21),
            (0x23, 0x5B),
            (0x5D, 0xD7FF),
            (0xE000, 0x10_FFFF),
        ] {
            let (low, high) = (low.max(from), high.min(to));
            if low < high {
                let _ = write!(plain, "{}-{}", gbnf_char(low), gbnf_char(high));
            } else if low == high {
                plain.push_str(&gbnf_char(low));
            }
        }
    }
    let holds = |code| {
        ranges
            .iter()
            .any(|(low, high)| (*low..=*high).contains(&code))
    };
    let mut choices: Vec<String> = WRITTEN
        .iter()
        .filter(|(code, _)| holds(*code))
        .map(|(_, text)| (*text).to_owned())
        .collect();
    if !plain.is_empty() {
        choices.insert(0, format!("[{plain}]"));
    }
    if let [(low, high)] = ranges
        && let Some(c) = char::from_u32(*low).filter(|c| low == high && is_plain(*c))
    {
        return format!("\"{c}\"");
    }
    match choices.len() {
        // Nothing can follow: a class of one character that JSON never holds unescaped.
        0 => "[\\x00]".to_owned(),
        1 => choices.swap_remove(0),
        _ => format!("({})", choices.join(" | ")),
    }
}

/// True if a literal of GBNF holds the character as it is.
fn is_plain(c: char) -> bool {
    !c.is_control() && c != '"' && c != '\\'
}

fn gbnf_char(code: u32) -> String {
    match char::from_u32(code) {
        Some(c) if c.is_ascii_alphanumeric() => c.to_string(),
        _ if code < 0x100 => format!("\\x{code:02X}"),
        _ if code < 0x1_0000 => format!("\\u{code:04X}"),
        _ => format!("\\U{code:08X}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
