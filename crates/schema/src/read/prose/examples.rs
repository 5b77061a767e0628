//! Mapping examples: `'two people' -> 2`, `“两个人” → 2`, `Example: by half => 50`.

use crate::template::{KeyType, MappingExample};
use serde_json::Value;

/// The signs between what is said and its value.
const ARROWS: [&str; 7] = ["-->", "->", "=>", "→", "⇒", "映射为", " maps to "];
/// Opening and closing quotes.
const QUOTES: [(char, char); 10] = [
    ('\'', '\''),
    ('"', '"'),
    ('“', '”'),
    ('‘', '’'),
    ('„', '“'),
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
    ('`', '`'),
    ('＂', '＂'),
];
/// Words that announce examples; without one, words that stand bare on both sides are no example.
const ANNOUNCED: [&str; 7] = ["example", "e.g.", "mapping", "示例", "例如", "例：", "映射"];
/// The signs at which a bare word or phrase ends.
const STOPS: [char; 14] = [
    ';', ',', ':', '(', ')', '\n', '。', '；', '，', '：', '、', '（', '）', '|',
];

/// The mapping examples of a prose, in its order. Their values are brought to the key's type where
/// they can be: of an integer key, `'2'` is 2.
pub fn examples(prose: &str, key_type: KeyType) -> Vec<MappingExample> {
    let mut found = Vec::new();
    let mut floor = 0;
    while let Some((at, arrow)) = next_arrow(prose, floor) {
        let after = at + arrow.len();
        let left = &prose[floor..at];
        let said = said(left);
        let Some((value, length)) = value(&prose[after..], key_type) else {
            floor = after;
            continue;
        };
        let trusted = said.quoted || value.quoted || announced(&prose[..at]);
        if trusted && !value.value.is_null() {
            found.extend(said.alternatives.into_iter().map(|said| MappingExample {
                said,
                value: value.value.clone(),
            }));
        }
        floor = after + length;
    }
    found
}

/// The first arrow from a place on, the longest where several begin.
fn next_arrow(prose: &str, from: usize) -> Option<(usize, &'static str)> {
    let found = ARROWS
        .iter()
        .filter_map(|arrow| prose[from..].find(arrow).map(|at| (from + at, *arrow)));
    found.min_by_key(|(at, arrow)| (*at, usize::MAX - arrow.len()))
}

fn announced(before: &str) -> bool {
    let before = before.to_lowercase();
    ANNOUNCED.iter().any(|word| before.contains(word))
}

struct Utterance {
    alternatives: Vec<String>,
    quoted: bool,
}

/// The utterance before an arrow: the quoted texts that end there, else the bare words.
fn said(left: &str) -> Utterance {
    let mut alternatives = Vec::new();
    let mut rest = left.trim_end();
    while let Some((text, before)) = quoted_at_end(rest) {
        alternatives.insert(0, text);
        match before_separator(before) {
            Some(before) => rest = before,
            None => break,
        }
    }
    let quoted = !alternatives.is_empty();
    if !quoted {
        alternatives.extend(bare_at_end(rest));
    }
    Utterance {
        alternatives,
        quoted,
    }
}

/// A quoted text at the end, and what stands before it.
fn quoted_at_end(text: &str) -> Option<(String, &str)> {
    let last = text.chars().next_back()?;
    let (open, close) = *QUOTES.iter().find(|(_, close)| *close == last)?;
    let inner = &text[..text.len() - close.len_utf8()];
    if close == '"'
        && let Some(found) = json_string_at_end(text)
    {
        return Some(found);
    }
    let start = inner.char_indices().rev().find(|(at, c)| {
        *c == open && (open != close || opens(&inner[..*at], &inner[at + c.len_utf8()..]))
    })?;
    let said = inner[start.0 + open.len_utf8()..].trim();
    (!said.is_empty()).then(|| (said.to_owned(), &text[..start.0]))
}

/// True if a quote that opens as it closes opens here: no word before it, no space behind it. An
/// apostrophe (`don't`) does not.
fn opens(before: &str, behind: &str) -> bool {
    !before.ends_with(char::is_alphanumeric)
        && !behind.starts_with(char::is_whitespace)
        && !behind.is_empty()
}

/// A JSON string at the end, with escapes in it.
fn json_string_at_end(text: &str) -> Option<(String, &str)> {
    let starts = text[..text.len() - 1]
        .char_indices()
        .rev()
        .filter(|(_, c)| *c == '"');
    let mut longest = None;
    for (start, _) in starts {
        let escaped = text[..start].ends_with('\\');
        match serde_json::from_str::<String>(&text[start..]) {
            Ok(said) if !escaped => longest = Some((said, &text[..start])),
            _ if longest.is_some() => break,
            _ => {}
        }
    }
    longest.filter(|(said, _)| !said.trim().is_empty())
}

/// The text before a word that joins two quoted texts, if one does.
fn before_separator(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let joined = [" or", "/", ",", "、", "，", "或", "或者"]
        .iter()
        .find_map(|separator| before.strip_suffix(separator))?
        .trim_end();
    let joined = joined.strip_suffix([',', '，']).unwrap_or(joined);
    QUOTES
        .iter()
        .any(|(_, close)| joined.ends_with(*close))
        .then_some(joined)
}

fn bare_at_end(text: &str) -> Option<String> {
    let start = text
        .char_indices()
        .rev()
        .find(|(at, c)| STOPS.contains(c) || ends_sentence(text, *at, *c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    let said = text[start..].trim();
    (!said.is_empty()).then(|| said.to_owned())
}

fn ends_sentence(text: &str, at: usize, c: char) -> bool {
    let behind = &text[at + c.len_utf8()..];
    matches!(c, '.' | '!' | '?') && (behind.is_empty() || behind.starts_with(char::is_whitespace))
}

struct Meaning {
    value: Value,
    quoted: bool,
}

/// The value behind an arrow, and how many bytes it takes.
fn value(behind: &str, key_type: KeyType) -> Option<(Meaning, usize)> {
    let text = behind.trim_start();
    let skipped = behind.len() - text.len();
    let (value, length, quoted) = quoted_at_start(text)
        .map(|(value, length)| (Value::String(value), length, true))
        .or_else(|| literal(text).map(|(value, length)| (value, length, false)))
        .or_else(|| {
            bare_at_start(text).map(|(value, length)| (Value::String(value), length, false))
        })?;
    let value = brought_to(key_type, value, &text[..length]);
    Some((Meaning { value, quoted }, skipped + length))
}

fn quoted_at_start(text: &str) -> Option<(String, usize)> {
    let first = text.chars().next()?;
    if first == '"'
        && let Some((Value::String(value), length)) = composite(text)
    {
        return Some((value, length));
    }
    let (open, close) = *QUOTES.iter().find(|(open, _)| *open == first)?;
    let inner = &text[open.len_utf8()..];
    let (end, _) = inner.char_indices().find(|(at, c)| {
        *c == close
            && (open != close || !inner[at + c.len_utf8()..].starts_with(char::is_alphanumeric))
    })?;
    let length = open.len_utf8() + end + close.len_utf8();
    Some((inner[..end].to_owned(), length))
}

/// A JSON string, array or object.
fn composite(text: &str) -> Option<(Value, usize)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = stream.next()?.ok()?;
    Some((value, stream.byte_offset()))
}

/// A JSON literal without quotes and brackets: up to where a bare word ends.
fn literal(text: &str) -> Option<(Value, usize)> {
    if text.starts_with(['[', '{']) {
        return composite(text);
    }
    let (word, length) = bare_at_start(text)?;
    Some((serde_json::from_str(&word).ok()?, length))
}

fn bare_at_start(text: &str) -> Option<(String, usize)> {
    let end = text
        .char_indices()
        .find(|(at, c)| STOPS.contains(c) || ends_sentence(text, *at, *c))
        .map_or(text.len(), |(at, _)| at);
    let value = text[..end].trim_end();
    (!value.is_empty()).then(|| (value.to_owned(), value.len()))
}

/// A value of the key's type, where the author's spelling is not.
fn brought_to(key_type: KeyType, value: Value, spelling: &str) -> Value {
    match (key_type, &value) {
        (KeyType::String, Value::Number(_) | Value::Bool(_)) => Value::String(spelling.to_owned()),
        (KeyType::Integer | KeyType::Number | KeyType::Boolean, Value::String(text)) => {
            match serde_json::from_str(&text.to_lowercase()) {
                Ok(read @ Value::Number(_)) if key_type != KeyType::Boolean => read,
                Ok(read @ Value::Bool(_)) if key_type == KeyType::Boolean => read,
                _ => value,
            }
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pairs(prose: &str, key_type: KeyType) -> Vec<(String, Value)> {
        let found = examples(prose, key_type).into_iter();
        found.map(|e| (e.said, e.value)).collect()
    }

    /// D29, D44: the examples of the draft's figures.
    #[test]
    fn the_draft_s_examples_are_read() {
        for (prose, key_type, said, value) in [
            (
                "Departure city or airport code. Acceptable values: IATA airport codes (e.g., PEK, SHA, \
                 JFK) or city names in English or local language. Example mapping: 'from Beijing' -> 'PEK'.",
                KeyType::String,
                "from Beijing",
                json!("PEK"),
            ),
            (
                "Date of departure in ISO 8601 format (YYYY-MM-DD). Example mapping: 'next Monday' -> \
                 '2026-05-04'.",
                KeyType::String,
                "next Monday",
                json!("2026-05-04"),
            ),
            (
                "Number of passengers. Range: 1-9. Example: 'two people' -> 2.",
                KeyType::Integer,
                "two people",
                json!(2),
            ),
            (
                "Whether teeth whitening is enabled. Example: 'make the teeth whiter' -> true.",
                KeyType::Boolean,
                "make the teeth whiter",
                json!(true),
            ),
        ] {
            assert_eq!(
                pairs(prose, key_type),
                [(said.to_owned(), value)],
                "{prose}"
            );
        }
    }

    /// D29: the other ways in which authors write them.
    #[test]
    fn quotes_arrows_and_bare_words_are_read() {
        for (prose, key_type, expected) in [
            (
                "示例：“两个人” → 2；「三个人」→3。",
                KeyType::Integer,
                json!([["两个人", 2], ["三个人", 3]]),
            ),
            (
                "映射示例：'市中心' -> 'CBD'，'机场' -> 'APT'",
                KeyType::String,
                json!([["市中心", "CBD"], ["机场", "APT"]]),
            ),
            (
                "Examples: \"by half\" => 50, \"a bit\" => 10.5.",
                KeyType::Number,
                json!([["by half", 50], ["a bit", 10.5]]),
            ),
            (
                "Example: two people -> 2, three people -> 3.",
                KeyType::Integer,
                json!([["two people", 2], ["three people", 3]]),
            ),
            (
                "Example: light smoothing -> low intensity. More follows.",
                KeyType::String,
                json!([["light smoothing", "low intensity"]]),
            ),
            (
                "Example: 'don't wake me' -> 'do not disturb'.",
                KeyType::String,
                json!([["don't wake me", "do not disturb"]]),
            ),
            (
                "Example: 'a' or 'b' -> 'x'; 'c' / 'd' -> 'y'.",
                KeyType::String,
                json!([["a", "x"], ["b", "x"], ["c", "y"], ["d", "y"]]),
            ),
            (
                "'first one' -> '1'",
                KeyType::Integer,
                json!([["first one", 1]]),
            ),
            (
                "'room one' -> 101",
                KeyType::String,
                json!([["room one", "101"]]),
            ),
            (
                "Example: next Monday -> 2026-05-04.",
                KeyType::String,
                json!([["next Monday", "2026-05-04"]]),
            ),
            (
                "Example: 'all of them' -> [\"a\", \"b\"].",
                KeyType::Array,
                json!([["all of them", ["a", "b"]]]),
            ),
            (
                "'half a metre' -> {\"value\": 0.5}",
                KeyType::Object,
                json!([["half a metre", {"value": 0.5}]]),
            ),
            (
                r#""say \"hi\"" -> "it's""#,
                KeyType::String,
                json!([["say \"hi\"", "it's"]]),
            ),
            ("'two' -> 2.", KeyType::Any, json!([["two", 2]])),
            ("'half' -> 0.5", KeyType::Any, json!([["half", 0.5]])),
            (
                "'on' maps to True.",
                KeyType::Boolean,
                json!([["on", true]]),
            ),
        ] {
            let expected: Vec<(String, Value)> = serde_json::from_value(expected).expect("pairs");
            assert_eq!(pairs(prose, key_type), expected, "{prose}");
        }
    }

    #[test]
    fn what_is_no_example_is_not_read() {
        for prose in [
            "",
            "Direction of traffic, ingress -> egress.",
            "Whether eye enlargement is enabled.",
            "->",
            "Example mapping: ->",
            "'unfinished' ->",
            "'nothing' -> null.",
            "It's -> ",
        ] {
            assert_eq!(pairs(prose, KeyType::String), [], "{prose}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_prose_breaks_the_reader(prose in "[a'\"“”‘’「」 .,;:→>=\\-\\\\0-9{\\[映射为或、。]{0,40}") {
            for key_type in [KeyType::String, KeyType::Integer, KeyType::Any] {
                examples(&prose, key_type);
            }
        }
    }
}
