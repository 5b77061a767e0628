//! The YANG types of scalars: exactly what their constraints accept.
//!
//! Knows ranges, lengths, patterns and enumerations of RFC 7950 §9.

use super::statement::Statement;
use crate::iregexp;
use crate::render::decimal::{FRACTION_DIGITS, Scaled, from_millionths, plain};
use crate::render::{dialect, formats};
use crate::template::{Constraint, Format, KeyType, Shape, Template};
use serde_json::{Number, Value};
use std::collections::BTreeSet;

/// The base type of a scalar.
pub(super) fn name(shape: &Shape) -> &'static str {
    match shape.key_type {
        KeyType::Integer => "int64",
        KeyType::Number => "decimal64",
        KeyType::Boolean => "boolean",
        _ if is_enumeration(&shape.constraint) => "enumeration",
        _ => "string",
    }
}

/// The `type` statement of a scalar.
pub(super) fn of(shape: &Shape) -> Statement {
    let constraint = &shape.constraint;
    match shape.key_type {
        KeyType::Integer => integer(constraint),
        KeyType::Number => number(constraint),
        KeyType::Boolean => Statement::new("type", "boolean"),
        _ if is_enumeration(constraint) => enumeration(constraint),
        _ => string(constraint),
    }
}

/// A type that has no values: of constraints that exclude each other.
fn nothing() -> Statement {
    Statement::new("type", "string")
        .with_text("length", "0")
        .with_text("pattern", "x")
}

fn integer(constraint: &Constraint) -> Statement {
    let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
    match ranges(constraint, 0, least, most) {
        Ranges::All => Statement::new("type", "int64"),
        Ranges::None => nothing(),
        Ranges::Some(ranges) => {
            let range = parts(&ranges, |bound| bound.to_string());
            Statement::new("type", "int64").with_text("range", &range)
        }
    }
}

fn number(constraint: &Constraint) -> Statement {
    let digits = FRACTION_DIGITS.to_string();
    let decimal = Statement::new("type", "decimal64").with("fraction-digits", &digits);
    let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
    match ranges(constraint, FRACTION_DIGITS, least, most) {
        Ranges::All => decimal,
        Ranges::None => nothing(),
        Ranges::Some(ranges) => decimal.with_text("range", &parts(&ranges, from_millionths)),
    }
}

enum Ranges {
    /// Not narrowed.
    All,
    /// Nothing is left.
    None,
    /// Ascending, disjoint.
    Some(Vec<(i128, i128)>),
}

/// The ranges that minimum, maximum and enum leave of a type's values, scaled by 10^places.
fn ranges(constraint: &Constraint, places: u32, least: i128, most: i128) -> Ranges {
    let scaled = |number: &Number| Scaled::of(number, places);
    let low = constraint.minimum.as_ref().map(|n| scaled(n).ceil());
    let high = constraint.maximum.as_ref().map(|n| scaled(n).floor());
    if low.is_none() && high.is_none() && constraint.allowed.is_empty() {
        return Ranges::All;
    }
    let low = low.map_or(least, |low| low.max(least));
    let high = high.map_or(most, |high| high.min(most));
    if !constraint.allowed.is_empty() {
        let values: BTreeSet<i128> = constraint
            .allowed
            .iter()
            .filter_map(|value| match value {
                Value::Number(number) => scaled(number).exact(),
                _ => None,
            })
            .filter(|value| (low..=high).contains(value))
            .collect();
        return match values.is_empty() {
            true => Ranges::None,
            false => Ranges::Some(values.into_iter().map(|value| (value, value)).collect()),
        };
    }
    match low <= high {
        true => Ranges::Some(vec![(low, high)]),
        false => Ranges::None,
    }
}

fn parts(ranges: &[(i128, i128)], written: impl Fn(i128) -> String) -> String {
    let parts: Vec<String> = ranges
        .iter()
        .map(|&(low, high)| match low == high {
            true => written(low),
            false => format!("{}..{}", written(low), written(high)),
        })
        .collect();
    parts.join(" | ")
}

/// True if an enumeration can say it: nothing else narrows the text, and each value is a name that
/// RFC 7950 §9.6.4 allows.
fn is_enumeration(constraint: &Constraint) -> bool {
    let alone = constraint.format.is_none()
        && constraint.max_length.is_none()
        && node(constraint).is_none();
    let allowed = texts(&constraint.allowed);
    alone && !allowed.is_empty() && allowed.iter().all(|text| is_enum_name(text))
}

fn is_enum_name(text: &str) -> bool {
    !text.is_empty()
        && text.trim() == text
        && text
            .chars()
            .all(|c| !c.is_control() && dialect::is_yang_char(c))
}

fn texts(values: &[Value]) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    for text in values.iter().filter_map(Value::as_str) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

fn node(constraint: &Constraint) -> Option<iregexp::Node> {
    constraint
        .pattern
        .as_deref()
        .and_then(|text| iregexp::parse(text).ok())
}

fn enumeration(constraint: &Constraint) -> Statement {
    let mut statement = Statement::new("type", "enumeration");
    for text in texts(&constraint.allowed) {
        statement.push(Statement::text("enum", text));
    }
    statement
}

fn string(constraint: &Constraint) -> Statement {
    let base = constraint.format.map_or("string", typedef_name);
    let mut statement = Statement::new("type", base);
    if let Some(length) = constraint.max_length {
        statement.push(Statement::text("length", &format!("0..{length}")));
    }
    if let Some(node) = node(constraint) {
        statement.push(Statement::text("pattern", &dialect::xsd(&node)));
    }
    if !constraint.allowed.is_empty() {
        let choices: Vec<iregexp::Node> = texts(&constraint.allowed)
            .into_iter()
            .map(iregexp::Node::text)
            .collect();
        if choices.is_empty() {
            return nothing();
        }
        let choice = iregexp::Node::Choice(choices);
        statement.push(Statement::text("pattern", &dialect::xsd(&choice)));
    }
    statement
}

/// The formats that a template uses, each once.
pub(super) fn formats(template: &Template) -> BTreeSet<Format> {
    let mut formats = BTreeSet::new();
    for key in &template.keys {
        gather(&key.shape, &mut formats);
    }
    formats
}

fn gather(shape: &Shape, formats: &mut BTreeSet<Format>) {
    formats.extend(shape.constraint.format);
    for member in &shape.constraint.properties {
        gather(&member.shape, formats);
    }
    if let Some(items) = &shape.constraint.items {
        gather(items, formats);
    }
}

fn typedef_name(format: Format) -> &'static str {
    match format {
        Format::Date => "format-date",
        Format::Time => "format-time",
        Format::DateTime => "format-date-time",
        Format::Ipv4 => "format-ipv4",
        Format::Ipv6 => "format-ipv6",
        Format::Uri => "format-uri",
        Format::Uuid => "format-uuid",
    }
}

/// The typedef of a format.
pub(super) fn typedef(format: Format) -> Statement {
    let told = match format {
        Format::Date => "A day that exists, YYYY-MM-DD (RFC 3339, full-date).",
        Format::Time => "A time of day with zone (RFC 3339, full-time).",
        Format::DateTime => "An instant with zone (RFC 3339, date-time).",
        Format::Ipv4 => "An IPv4 address in dotted decimals.",
        Format::Ipv6 => "An IPv6 address (RFC 4291), without zone.",
        Format::Uri => "A URI with its scheme (RFC 3986).",
        Format::Uuid => "A UUID (RFC 9562).",
    };
    let mut base = Statement::new("type", "string");
    let pattern = dialect::xsd(&formats::node(format));
    base.push(Statement::text("pattern", &pattern));
    let mut typedef = Statement::new("typedef", typedef_name(format));
    typedef.push(base);
    typedef.with_text("description", told)
}

/// The `default` of a leaf, or one of a leaf-list; none where YANG text cannot hold it, or it is
/// not of the type.
pub(super) fn default(shape: &Shape, value: &Value) -> Option<Statement> {
    let text = match (shape.key_type, value) {
        (KeyType::Integer | KeyType::Number, Value::Number(number)) => plain(number),
        (KeyType::Boolean, Value::Bool(yes)) => yes.to_string(),
        (KeyType::String, Value::String(text)) => text.clone(),
        _ => return None,
    };
    let told = |c: char| c != '\r' && dialect::is_yang_char(c);
    text.chars()
        .all(told)
        .then(|| Statement::text("default", &text))
}
