//! A template as a grammar for constrained decoding (§6.1), in llama.cpp's GBNF.
//!
//! Keys in the template's order, each with its value or `null` for what was not said; written as
//! `{"a": 1, "b": null}`, without other blanks. Text is what was said, or a value of an example;
//! typed values (numbers, dates, enumerations) are whatever their constraints accept. What GBNF
//! cannot hold is listed in [`crate::render`] and checked afterwards.

use super::{decimal::Scaled, dialect, formats};
use crate::iregexp;
use crate::template::{Annotation, Constraint, Key, KeyType, OTHER, Property, Shape, Template};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Above this, a length is left to the check: llama.cpp writes repetitions out.
const LENGTH_MAX: usize = 200;

/// The rules that all grammars share.
const SHARED: &str = r#"string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]
value ::= string | number | object | array | "true" | "false" | "null"
object ::= "{" (string ": " value (", " string ": " value)*)? "}"
array ::= "[" (value (", " value)*)? "]"
number ::= integer ("." [0-9]{1,6})?
integer ::= "-"? ("0" | [1-9] [0-9]{0,17})
"#;

/// The grammar of a template's payloads.
///
/// With `spans`, the pieces of an utterance, free text is one of them or the value of one of the
/// key's examples, and `other` holds spans alone: nothing can be invented. Without, free text is
/// any string.
pub fn gbnf(template: &Template, spans: Option<&[String]>) -> String {
    let mut grammar = Grammar {
        rules: String::new(),
        count: 0,
        spans,
    };
    let members: Vec<(String, String)> = template
        .keys
        .iter()
        .map(|key| (key.key_name.clone(), grammar.key(key)))
        .collect();
    let root = sequence(&members);
    format!("root ::= {root}\n{}{SHARED}", grammar.rules)
}

struct Grammar<'a> {
    rules: String,
    count: usize,
    spans: Option<&'a [String]>,
}

impl Grammar<'_> {
    fn key(&mut self, key: &Key) -> String {
        if key.key_name == OTHER {
            let text = self.said(&Constraint::default(), None);
            let text = self.rule(OTHER, text);
            let array = format!("\"[\" {text} (\", \" {text})* \"]\"");
            return self.rule(OTHER, format!("{text} | {array} | \"null\""));
        }
        self.nullable(&key.key_name, &key.shape, Some(&key.annotation))
    }

    fn nullable(&mut self, name: &str, shape: &Shape, annotation: Option<&Annotation>) -> String {
        let value = self.shape(name, shape, annotation);
        self.rule(name, format!("{value} | \"null\""))
    }

    /// Adds a rule; its name is free of `_`, which GBNF does not take.
    fn rule(&mut self, name: &str, body: String) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = name.chars().map(plain).collect();
        let name = format!("{name}-{}", self.count);
        self.count += 1;
        let _ = writeln!(self.rules, "{name} ::= {body}");
        name
    }

    /// The body of a rule for values of the shape.
    fn shape(&mut self, name: &str, shape: &Shape, annotation: Option<&Annotation>) -> String {
        let constraint = &shape.constraint;
        match shape.key_type {
            _ if !constraint.allowed.is_empty() => choices(&constraint.allowed),
            KeyType::String => self.text(constraint, annotation),
            KeyType::Integer => integer(constraint),
            KeyType::Number => number(constraint),
            KeyType::Boolean => "\"true\" | \"false\"".to_owned(),
            KeyType::Array => self.array(name, constraint, annotation),
            KeyType::Object => self.object(name, &constraint.properties),
            KeyType::Any => "value".to_owned(),
        }
    }

    fn text(&self, constraint: &Constraint, annotation: Option<&Annotation>) -> String {
        if let Some(format) = constraint.format {
            let inside = dialect::gbnf(&formats::node(format));
            let inside = inside.expect("our formats name no categories; a test reads them all");
            return format!("\"\\\"\" {inside} \"\\\"\"");
        }
        self.said(constraint, annotation)
    }

    /// Free text: spans and examples where there are spans, else any.
    fn said(&self, constraint: &Constraint, annotation: Option<&Annotation>) -> String {
        let pattern = constraint
            .pattern
            .as_deref()
            .and_then(|text| iregexp::parse(text).ok());
        let Some(spans) = self.spans else {
            return free(constraint, pattern.as_ref());
        };
        let fits = |text: &str| {
            let matches = |node: &iregexp::Node| {
                Regex::new(&dialect::ecma(node)).is_ok_and(|regex| regex.is_match(text))
            };
            constraint
                .max_length
                .is_none_or(|max| text.chars().count() <= max)
                && pattern.as_ref().is_none_or(matches)
        };
        let examples = annotation.into_iter().flat_map(example_texts);
        let texts: BTreeSet<&str> = spans
            .iter()
            .map(String::as_str)
            .chain(examples)
            .filter(|text| fits(text))
            .collect();
        match texts.is_empty() {
            // An empty choice is no grammar; `null` is what is left anyway.
            true => "\"null\"".to_owned(),
            false => {
                let texts: Vec<String> =
                    texts.into_iter().map(|t| json_literal(&t.into())).collect();
                texts.join(" | ")
            }
        }
    }

    fn array(
        &mut self,
        name: &str,
        constraint: &Constraint,
        annotation: Option<&Annotation>,
    ) -> String {
        let item = match &constraint.items {
            None => "value".to_owned(),
            Some(items) => {
                let body = self.shape(name, items, annotation);
                self.rule(name, body)
            }
        };
        let more = match constraint.max_items {
            Some(max) if max <= LENGTH_MAX => format!("{{0,{}}}", max.saturating_sub(1)),
            _ => "*".to_owned(),
        };
        format!("\"[\" {item} (\", \" {item}){more} \"]\"")
    }

    fn object(&mut self, name: &str, properties: &[Property]) -> String {
        if properties.is_empty() {
            return "object".to_owned();
        }
        let members: Vec<(String, String)> = properties
            .iter()
            .map(|member| {
                let rule = format!("{name}-{}", member.name);
                let rule = self.nullable(&rule, &member.shape, Some(&member.annotation));
                (member.name.clone(), rule)
            })
            .collect();
        sequence(&members)
    }
}

/// `{"a": …, "b": …}`.
fn sequence(members: &[(String, String)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, rule)| {
            let name = Value::from(name.as_str()).to_string();
            format!("{} {rule}", literal(&format!("{name}: ")))
        })
        .collect();
    format!("\"{{\" {} \"}}\"", members.join(" \", \" "))
}

fn free(constraint: &Constraint, pattern: Option<&iregexp::Node>) -> String {
    if let Some(inside) = pattern.and_then(dialect::gbnf) {
        return format!("\"\\\"\" {inside} \"\\\"\"");
    }
    match constraint.max_length {
        Some(max) if max <= LENGTH_MAX => format!("\"\\\"\" char{{0,{max}}} \"\\\"\""),
        _ => "string".to_owned(),
    }
}

/// The texts that examples map to, in every language.
fn example_texts(annotation: &Annotation) -> impl Iterator<Item = &str> {
    let descriptions = annotation.0.values();
    let values = descriptions.flat_map(|d| d.examples.iter().map(|example| &example.value));
    values.flat_map(|value| match value {
        Value::Array(entries) => entries.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect::<Vec<_>>(),
    })
}

fn choices(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(json_literal).collect();
    values.join(" | ")
}

/// A value in JSON, as a literal of GBNF.
fn json_literal(value: &Value) -> String {
    literal(&value.to_string())
}

fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

// ------------------------------------------------------------------- numbers

/// Whole numbers between the bounds, exactly.
fn integer(constraint: &Constraint) -> String {
    let bound =
        |number: &Option<serde_json::Number>| number.as_ref().map(|number| Scaled::of(number, 0));
    let (low, high) = (bound(&constraint.minimum), bound(&constraint.maximum));
    if low.is_none() && high.is_none() {
        return "integer".to_owned();
    }
    let least = i128::from(i64::MIN);
    let most = i128::from(i64::MAX);
    let low = low.map_or(least, |low| low.ceil().clamp(least, most));
    let high = high.map_or(most, |high| high.floor().clamp(least, most));
    whole_numbers(low, high)
}

fn whole_numbers(low: i128, high: i128) -> String {
    let mut choices = Vec::new();
    if low < 0 {
        let (from, to) = ((-high).max(1), -low);
        if from <= to {
            choices.extend(naturals(from, to).into_iter().map(|n| format!("\"-\" {n}")));
        }
    }
    if high >= 0 && low <= high {
        choices.extend(naturals(low.max(0), high));
    }
    match choices.is_empty() {
        true => "\"null\"".to_owned(),
        false => choices.join(" | "),
    }
}

/// Digits of the numbers `from..=to`, not negative, as choices of equally many digits each.
fn naturals(from: i128, to: i128) -> Vec<String> {
    let mut choices = Vec::new();
    let mut low = from;
    while low <= to {
        let digits = low.to_string().len() as u32;
        let high = to.min(10_i128.pow(digits) - 1);
        same_length(&low.to_string(), &high.to_string(), "", &mut choices);
        low = high + 1;
    }
    choices
}

/// The numbers between two of equally many digits, behind a prefix.
fn same_length(low: &str, high: &str, prefix: &str, choices: &mut Vec<String>) {
    let Some((first_low, first_high)) = low.chars().next().zip(high.chars().next()) else {
        choices.push(digits(prefix, "", 0));
        return;
    };
    let behind = low.len() - 1;
    let full = |rest: &str, digit: char| rest.chars().all(|c| c == digit);
    let (low_rest, high_rest) = (&low[1..], &high[1..]);
    if first_low == first_high {
        let prefix = format!("{prefix}{first_low}");
        if full(low_rest, '0') && full(high_rest, '9') {
            choices.push(digits(&prefix, "", behind));
        } else {
            same_length(low_rest, high_rest, &prefix, choices);
        }
        return;
    }
    let (mut from, mut to) = (first_low, first_high);
    if !full(low_rest, '0') {
        let nines = "9".repeat(behind);
        same_length(low_rest, &nines, &format!("{prefix}{first_low}"), choices);
        from = char::from(first_low as u8 + 1);
    }
    let ragged = !full(high_rest, '9');
    if ragged {
        to = char::from(first_high as u8 - 1);
    }
    if from <= to {
        choices.push(digits(prefix, &format!("[{from}-{to}]"), behind));
    }
    if ragged {
        let zeros = "0".repeat(behind);
        same_length(&zeros, high_rest, &format!("{prefix}{first_high}"), choices);
    }
}

/// A prefix, a class, and so many digits.
fn digits(prefix: &str, class: &str, behind: usize) -> String {
    let mut parts = Vec::new();
    if !prefix.is_empty() {
        parts.push(literal(prefix));
    }
    if !class.is_empty() {
        parts.push(class.to_owned());
    }
    match behind {
        0 => {}
        1 => parts.push("[0-9]".to_owned()),
        behind => parts.push(format!("[0-9]{{{behind}}}")),
    }
    parts.join(" ")
}

/// Decimals: without a sign where none may be negative; the rest of the range is checked later.
fn number(constraint: &Constraint) -> String {
    let low = constraint.minimum.as_ref().map(|low| Scaled::of(low, 0));
    match low {
        Some(low) if low.floor() >= 0 => {
            "(\"0\" | [1-9] [0-9]{0,17}) (\".\" [0-9]{1,6})?".to_owned()
        }
        _ => "number".to_owned(),
    }
}

#[cfg(test)]
mod tests;
