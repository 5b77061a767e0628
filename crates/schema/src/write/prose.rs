//! The `semantic_description` that is sent: the meaning, what is acceptable, examples (§4.2).
//!
//! The wording follows the draft's figures: a key written apart reads as Figure 2 has it. The words
//! around the values are Chinese in Chinese and English in every other language.

use crate::language::Language;
use crate::template::{Constraint, Description, Format, KeyType, MappingExample, Shape};
use serde_json::{Number, Value};

/// The most bytes of acceptable values that prose repeats; `enum` has them all.
const LISTED_BYTES_MAX: usize = 1024;

/// One prose of a description: as its author wrote it where `verbatim`, else its meaning, what the
/// shape accepts, and its examples.
pub fn composed(shape: &Shape, description: &Description, language: &Language) -> String {
    if description.verbatim {
        return description.meaning.clone();
    }
    let words = Words::of(language);
    let mut text = sentence(description.meaning.trim(), words);
    for clause in clauses(shape, words) {
        push(&mut text, &clause, words);
    }
    if !description.examples.is_empty() {
        let examples: Vec<String> = description.examples.iter().map(example).collect();
        push(
            &mut text,
            &label(words, words.example, &examples.join(words.also)),
            words,
        );
    }
    text
}

/// The meaning of the key `other`.
pub(super) fn other(language: &Language) -> Description {
    Description::meaning(Words::of(language).other)
}

/// The wording of a language.
struct Words {
    stop: &'static str,
    colon: &'static str,
    comma: &'static str,
    also: &'static str,
    gap: &'static str,
    acceptable: &'static str,
    range: &'static str,
    to: &'static str,
    at_least: &'static str,
    at_most: &'static str,
    unit: &'static str,
    format: &'static str,
    pattern: &'static str,
    length: &'static str,
    size: &'static str,
    item: &'static str,
    members: &'static str,
    required: &'static str,
    example: &'static str,
    other: &'static str,
}

static ENGLISH: Words = Words {
    stop: ".",
    colon: ": ",
    comma: ", ",
    also: "; ",
    gap: " ",
    acceptable: "Acceptable values",
    range: "Range",
    to: " to ",
    at_least: "At least",
    at_most: "At most",
    unit: "Unit",
    format: "Format",
    pattern: "Pattern (the whole value)",
    length: "Characters at most",
    size: "Items at most",
    item: "Each item",
    members: "Members",
    required: "required",
    example: "Example mapping",
    other: "What the user wants and no other key covers, in the user's own words",
};

static CHINESE: Words = Words {
    stop: "。",
    colon: "：",
    comma: "、",
    also: "；",
    gap: "",
    acceptable: "取值",
    range: "范围",
    to: " 至 ",
    at_least: "最小",
    at_most: "最大",
    unit: "单位",
    format: "格式",
    pattern: "模式（整个值）",
    length: "最多字符数",
    size: "最多项数",
    item: "每一项",
    members: "成员",
    required: "必填",
    example: "映射示例",
    other: "其他键都不能表达的用户需求，用用户自己的话",
};

impl Words {
    fn of(language: &Language) -> &'static Self {
        match language.primary() {
            "zh" => &CHINESE,
            _ => &ENGLISH,
        }
    }
}

fn push(text: &mut String, clause: &str, words: &Words) {
    if !text.is_empty() && !text.ends_with(char::is_whitespace) {
        text.push_str(words.gap);
    }
    text.push_str(clause);
    text.push_str(words.stop);
}

fn sentence(meaning: &str, words: &Words) -> String {
    let finished = meaning.is_empty() || meaning.ends_with(['.', '!', '?', '。', '！', '？', '…']);
    let stop = if finished { "" } else { words.stop };
    format!("{meaning}{stop}")
}

fn label(words: &Words, name: &str, what: &str) -> String {
    format!("{name}{}{what}", words.colon)
}

/// The values that a shape accepts, clause by clause.
fn clauses(shape: &Shape, words: &Words) -> Vec<String> {
    let rule = &shape.constraint;
    let mut clauses = Vec::new();
    let mut say = |name: &str, what: Option<String>| {
        clauses.extend(what.map(|what| label(words, name, &what)));
    };
    say(
        words.acceptable,
        (!rule.allowed.is_empty()).then(|| listed(&rule.allowed, words)),
    );
    let (name, range) = range(rule, words);
    say(name, range);
    say(words.unit, rule.unit.clone());
    say(words.format, rule.format.map(|f| format_name(f).to_owned()));
    say(words.pattern, rule.pattern.clone());
    say(words.length, rule.max_length.map(|n| n.to_string()));
    say(words.size, rule.max_items.map(|n| n.to_string()));
    say(
        words.item,
        rule.items.as_deref().and_then(|items| item(items, words)),
    );
    say(
        words.members,
        (!rule.properties.is_empty()).then(|| members(rule, words)),
    );
    clauses
}

fn listed(values: &[Value], words: &Words) -> String {
    let mut text = String::new();
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            text.push_str(words.comma);
        }
        if text.len() > LISTED_BYTES_MAX {
            text.push('…');
            break;
        }
        text.push_str(&plain(value));
    }
    text
}

/// A value of a list: bare, unless that could be misread.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.contains([',', '、', '.', '。', ';', '；', '\'', '"']) => {
            text.clone()
        }
        _ => value.to_string(),
    }
}

/// `1-9`, as the draft writes it; `-10 to 5` where a sign would be misread.
fn range<'w>(rule: &Constraint, words: &'w Words) -> (&'w str, Option<String>) {
    match (&rule.minimum, &rule.maximum) {
        (Some(least), Some(most)) => {
            let signed = |n: &Number| n.as_f64().is_some_and(f64::is_sign_negative);
            let to = if signed(least) || signed(most) {
                words.to
            } else {
                "-"
            };
            (words.range, Some(format!("{least}{to}{most}")))
        }
        (Some(least), None) => (words.at_least, Some(least.to_string())),
        (None, Some(most)) => (words.at_most, Some(most.to_string())),
        (None, None) => (words.range, None),
    }
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Date => "ISO 8601 (YYYY-MM-DD)",
        Format::Time => "RFC 3339 (hh:mm:ssZ)",
        Format::DateTime => "RFC 3339 (YYYY-MM-DDThh:mm:ssZ)",
        Format::Ipv4 => "IPv4",
        Format::Ipv6 => "IPv6",
        Format::Uri => "URI",
        Format::Uuid => "UUID",
    }
}

fn item(items: &Shape, words: &Words) -> Option<String> {
    let clauses = clauses(items, words);
    match (clauses.is_empty(), items.key_type) {
        (true, KeyType::Any) => None,
        (true, key_type) => Some(key_type.as_str().to_owned()),
        (false, key_type) => Some(format!(
            "{}{}{}",
            key_type.as_str(),
            words.also,
            clauses.join(words.also)
        )),
    }
}

fn members(rule: &Constraint, words: &Words) -> String {
    let named = rule.properties.iter().map(|p| {
        let required = if p.required {
            format!(", {}", words.required)
        } else {
            String::new()
        };
        format!("{} ({}{required})", p.name, p.shape.key_type.as_str())
    });
    named.collect::<Vec<_>>().join(words.comma)
}

fn example(example: &MappingExample) -> String {
    let value = match &example.value {
        Value::String(text) => quoted(text),
        value => value.to_string(),
    };
    format!("{} -> {value}", quoted(&example.said))
}

/// A text in single quotes as the draft writes it; as a JSON string where it has quotes itself.
fn quoted(text: &str) -> String {
    let simple =
        !text.contains(['\'', '"', '\\', '\n', '\t']) && text.trim() == text && !text.is_empty();
    match simple {
        true => format!("'{text}'"),
        false => Value::from(text).to_string(),
    }
}
