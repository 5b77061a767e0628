//! The facts that a description tells of a key's values: unit, way of writing, acceptable values,
//! range.
//!
//! Prose is a hint, never a constraint. Read next: [`super::kind`].

use super::kind::Kind;
use super::words::{contains_word, spoken};
use crate::lexicon;
use crate::rules::pattern::regex;
use language::quantity::{Unit, unit_named};
use language::text::{Text, Token, tokens};
use regex::Regex;
use schema::template::{Annotation, Constraint, Format, KeyType, Shape};
use serde_json::Value;
use std::sync::LazyLock;

/// An acceptable value and how people say it.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The value.
    pub(crate) value: Value,
    /// Its own words.
    pub(crate) own: Vec<Token>,
    /// Other terms for it.
    pub(crate) alike: Vec<Vec<Token>>,
}

/// The unit of a key: declared, in its name, or in its description.
pub(super) fn unit(constraint: &Constraint, name: &[String], prose: &str) -> Option<&'static Unit> {
    let declared = constraint.unit.as_deref().and_then(unit_named);
    let named = || {
        let last = name.last()?;
        (last.len() > 1).then(|| unit_named(last)).flatten()
    };
    declared.or_else(named).or_else(|| prose_unit(prose))
}

static IN_UNIT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b(?:in|of|number of|as a|measured in)\s+(?:the\s+)?([a-z%/]+)"));

fn prose_unit(prose: &str) -> Option<&'static Unit> {
    if contains_word(prose, "percent")
        || contains_word(prose, "percentage")
        || prose.contains("百分比")
    {
        return unit_named("%");
    }
    IN_UNIT
        .captures_iter(prose)
        .filter_map(|c| unit_named(&c[1]).filter(|_| c[1].len() > 2))
        .next()
        .or_else(|| {
            ["分钟", "小时", "毫秒", "秒", "天"]
                .iter()
                .find(|u| prose.contains(*u))
                .and_then(|u| unit_named(u))
        })
}

static WRITING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:(?:yyyy|dd|mm|yy)[-/.](?:mm|dd)(?:[-/.](?:yyyy|dd|yy))?(?:[ t]hh:mm(?::ss)?)?|hh:mm(?::ss)?)(?:z\b)?|month-day-year|iso[- ]?8601",
    )
});

/// The way in which a key writes days and times: declared by `format`, told in prose, or shown by
/// an example.
pub(super) fn writing(shape: &Shape, annotation: &Annotation, kind: Kind) -> Option<String> {
    if !matches!(kind, Kind::Day | Kind::Clock | Kind::Instant) {
        return None;
    }
    match shape.constraint.format {
        Some(Format::Date) => return Some("yyyy-mm-dd".to_owned()),
        Some(Format::Time) => return Some("full-time".to_owned()),
        Some(Format::DateTime) => return Some("rfc3339".to_owned()),
        _ => {}
    }
    let told: String = annotation
        .0
        .values()
        .map(|d| d.meaning.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    let named = WRITING
        .find_iter(&told)
        .map(|m| m.as_str().to_lowercase())
        .max_by_key(String::len);
    named
        .map(|w| standard(&w, kind))
        .or_else(|| shown(annotation))
}

fn standard(writing: &str, kind: Kind) -> String {
    match writing {
        "month-day-year" => "mm-dd-yyyy".to_owned(),
        _ if writing.starts_with("iso") => match kind {
            Kind::Instant => "rfc3339",
            Kind::Clock => "hh:mm",
            _ => "yyyy-mm-dd",
        }
        .to_owned(),
        other => other.to_owned(),
    }
}

/// The writing of example values: `2026-05-04`, `06:00`.
fn shown(annotation: &Annotation) -> Option<String> {
    let value = annotation
        .0
        .values()
        .flat_map(|d| &d.examples)
        .find_map(|e| e.value.as_str())?;
    let digits = |c: char| if c.is_ascii_digit() { '9' } else { c };
    Some(
        match value.chars().map(digits).collect::<String>().as_str() {
            "9999-99-99" => "yyyy-mm-dd",
            "99:99" => "hh:mm",
            "99:99:99" => "hh:mm:ss",
            shape if shape.starts_with("9999-99-99T99:99") => "rfc3339",
            _ => return None,
        }
        .to_owned(),
    )
}

static LISTED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)(?:acceptable values|可选值|可取值)\s*[:：]\s*([^.。]*)"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex(r"'([^']{1,30})'(?:s\b)?"));
static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:range|between|from|取值范围|范围|ranging)[^\d]{0,12}(-?\d+(?:\.\d+)?)\s*(?:\([^)]*\)\s*)?(?:-|–|to|and|至|到|~)\s*(-?\d+(?:\.\d+)?)",
    )
});

pub(super) fn prose_range(prose: &str) -> Option<(f64, f64)> {
    let found = RANGE.captures(prose)?;
    Some((found[1].parse().ok()?, found[2].parse().ok()?))
}

/// The acceptable values, and whether only they are meant.
pub(super) fn choices(shape: &Shape, annotation: &Annotation) -> (Vec<Choice>, bool) {
    let entry = shape.constraint.items.as_deref().unwrap_or(shape);
    let declared = if shape.constraint.allowed.is_empty() {
        &entry.constraint.allowed
    } else {
        &shape.constraint.allowed
    };
    if !declared.is_empty() {
        return (declared.iter().map(choice).collect(), true);
    }
    let told: Vec<&str> = annotation.0.values().map(|d| d.meaning.as_str()).collect();
    let listed = told
        .iter()
        .find_map(|prose| listed_values(prose, entry.key_type));
    match listed {
        Some(values) => (values.iter().map(choice).collect(), true),
        None if entry.key_type == KeyType::String => {
            (hinted_values(&told).iter().map(choice).collect(), false)
        }
        None => (Vec::new(), false),
    }
}

/// "Acceptable values: a, b, c." but not "Acceptable values: city names or codes".
fn listed_values(prose: &str, key_type: KeyType) -> Option<Vec<Value>> {
    let list = LISTED.captures(prose)?.get(1)?.as_str();
    let parts: Vec<&str> = list
        .split([',', '，', '、'])
        .map(|p| {
            p.trim()
                .trim_start_matches("or ")
                .trim_matches(['\'', '"', '`'])
        })
        .filter(|p| !p.is_empty())
        .collect();
    let plain = parts.iter().all(|p| {
        p.split_whitespace().count() <= 4 && !p.contains(['(', ')']) && !p.contains(" or ")
    });
    (parts.len() >= 2 && plain).then(|| parts.iter().map(|p| typed(p, key_type)).collect())
}

fn typed(written: &str, key_type: KeyType) -> Value {
    let number = matches!(key_type, KeyType::Integer | KeyType::Number);
    number
        .then(|| serde_json::from_str::<Value>(written).ok())
        .flatten()
        .unwrap_or_else(|| Value::String(written.to_owned()))
}

static MAPPED: LazyLock<Regex> = LazyLock::new(|| regex(r"'[^']*'\s*(?:->|→)\s*'?[^'.]*'?"));

/// Sentences that tell how something is written.
static FORMATTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)(?:in the|the|in|following|date|time|iso|this) format|format(?:ted)?(?: is| should|:| '| as|\))|格式",
    )
});

static SUCH_AS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?:such as|e\.g\.,?|for example,?) ([a-z][a-z ,/-]*)"));

/// The texts that prose gives as instances, without quotation marks: "such as oil, acrylic, etc.";
/// two at least, in lower case.
fn instances(sentence: &str) -> Vec<String> {
    let Some(found) = SUCH_AS.captures(sentence).and_then(|c| c.get(1)) else {
        return Vec::new();
    };
    let parts = found.as_str().split(',').flat_map(|p| p.split(" or "));
    let values = parts.map(|p| {
        p.trim()
            .trim_start_matches("or ")
            .trim_start_matches("and ")
            .trim()
    });
    let values: Vec<String> = values
        .filter(|v| !v.is_empty() && *v != "etc" && v.split(' ').count() <= 3 && v.len() > 2)
        .map(str::to_owned)
        .collect();
    if values.len() >= 2 {
        values
    } else {
        Vec::new()
    }
}

/// Values that prose quotes: "can be 'men' or 'women'".
fn hinted_values(told: &[&str]) -> Vec<Value> {
    let mut values: Vec<String> = Vec::new();
    for prose in told {
        let without = MAPPED.replace_all(prose, " ");
        let sentences = without.split(". ").filter(|s| !FORMATTED.is_match(s));
        let quoted = sentences.clone().flat_map(|s| QUOTED.captures_iter(s));
        let quoted = quoted.map(|found| found[1].trim().to_owned());
        for value in quoted.chain(sentences.flat_map(instances)) {
            if !value.is_empty()
                && !values.contains(&value)
                && value.split_whitespace().count() <= 3
            {
                values.push(value);
            }
        }
    }
    values.into_iter().map(Value::String).collect()
}

fn choice(value: &Value) -> Choice {
    let written = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let words = spoken(&written);
    let mut alike: Vec<String> = lexicon::terms_like(&words)
        .into_iter()
        .map(str::to_owned)
        .collect();
    alike.sort_by_key(|t| std::cmp::Reverse(t.len()));
    Choice {
        value: value.clone(),
        own: Text::new(&words).tokens,
        alike: alike.iter().map(|t| tokens(t)).collect(),
    }
}
