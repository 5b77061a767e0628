//! The forms of a field's value: words, numbers with units, lists, spans of the day.
//!
//! What is read is a JSON value of the key, or why it cannot be one; what is written is read as the
//! same value, or not written at all. Refuses to know what is required, which the schema's contract
//! says. Read next: [`template`](super::template).

use super::labels::{item_ends, items, parts, quoted, unquoted};
use super::phrases::Phrases;
use super::text_language::TextLanguage;
use schema::steps::{Effort, ReadingBudget};
use schema::template::{KeyType, Shape};
use serde::Deserialize;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// The form of a value, as template files say it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueForm {
    /// As it stands.
    Text,
    /// One of these: what the key holds, and how that is said. What the schema's `enum` allows is
    /// understood as well.
    Words(BTreeMap<String, Phrases>),
    /// A number; the first unit is written, all are understood, each times its factor.
    Number(Vec<(String, f64)>),
    /// Several, put into an array; each begins with the prefix, said or not.
    List {
        /// Such as `site:`.
        #[serde(default)]
        prefix: String,
    },
    /// Two times of the day, `HH:MM`, for this key and the key `until`.
    Span {
        /// The key of the second.
        until: String,
    },
    /// No key holds it: it goes to `other`, with its label.
    Other,
}

/// So many items make a value at the most: the two times of a span.
const ITEMS_MAX: usize = 2;

impl ValueForm {
    /// The values of what is said, one for each key; a span has two.
    ///
    /// # Errors
    /// What is expected instead, for people.
    pub(super) fn read(
        &self,
        said: &str,
        shape: &Shape,
        text_language: TextLanguage,
        work: &ReadingBudget<'_>,
    ) -> Result<Vec<Value>, String> {
        work.take(1 + said.len() + self.words());
        let one = |value: Value| vec![value];
        match self {
            Self::Text | Self::Other => Ok(one(unquoted(said).into())),
            Self::Words(words) => word(words, said, shape)
                .map(one)
                .ok_or_else(|| told(words, text_language)),
            Self::Number(units) => number(units, said)
                .map(one)
                .ok_or_else(|| format!("a number{}", behind(units))),
            Self::List { prefix } => Ok(one(list(prefix, said))),
            Self::Span { .. } => {
                span(said).ok_or_else(|| "two times of the day, such as 01:00~06:00".to_owned())
            }
        }
    }

    /// The values of the first items of what is said, as few as make a value, and what is said behind
    /// them: `5Mbps; backup power 10h` is a number and something else. A text is a value as a whole, and
    /// so is a list.
    ///
    /// # Errors
    /// What is expected instead, for people.
    pub(super) fn read_first<'a>(
        &self,
        said: &'a str,
        shape: &Shape,
        text_language: TextLanguage,
        work: &ReadingBudget<'_>,
    ) -> Result<(Vec<Value>, Vec<&'a str>), String> {
        let whole = || {
            self.read(said, shape, text_language, work)
                .map(|values| (values, Vec::new()))
        };
        if matches!(self, Self::Text | Self::Other | Self::List { .. }) {
            return whole();
        }
        work.take(said.len());
        let ends = item_ends(said).into_iter().take(ITEMS_MAX);
        let mut first = ends.filter_map(|end| {
            let values = self
                .read(said[..end].trim(), shape, text_language, work)
                .ok()?;
            work.take(said.len() - end);
            Some((values, items(&said[end..]).collect()))
        });
        first.next().map_or_else(whole, Ok)
    }

    /// Writes a value in words; none if this form has no words that read as the same.
    pub(super) fn write(
        &self,
        values: &[&Value],
        shape: &Shape,
        text_language: TextLanguage,
    ) -> Option<String> {
        let said = self.said(values, text_language)?;
        let work = ReadingBudget::within(Effort::any());
        let read = self.read(&said, shape, text_language, &work).ok()?;
        read.iter().eq(values.iter().copied()).then_some(said)
    }

    /// The number of words of its own that a value is compared with.
    fn words(&self) -> usize {
        match self {
            Self::Words(words) => words
                .values()
                .map(|phrases| 1 + phrases.all().count())
                .sum(),
            Self::Number(units) => units.len(),
            Self::Text | Self::List { .. } | Self::Span { .. } | Self::Other => 0,
        }
    }

    fn said(&self, values: &[&Value], text_language: TextLanguage) -> Option<String> {
        match (self, values) {
            (Self::Text, [Value::String(text)]) => Some(quoted(text)),
            (Self::Words(words), [value]) => {
                let name = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                words.get(&name)?.in_tongue(text_language).first().cloned()
            }
            (Self::Number(units), [Value::Number(number)]) => {
                let unit = units.first().map_or("", |(unit, _)| unit);
                Some(format!("{number}{unit}"))
            }
            (Self::List { .. }, [array @ Value::Array(_)]) => Some(super::labels::json(array)),
            (Self::Span { .. }, [Value::String(from), Value::String(until)]) => {
                Some(format!("{from}~{until}"))
            }
            _ => None,
        }
    }
}

/// Words are the same whatever their case, spaces, quotes, hyphens and underscores.
fn folded(text: &str) -> String {
    let text = unquoted(text.trim()).to_lowercase();
    let words = text.split(|c: char| c.is_whitespace() || c == '-' || c == '_');
    words
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn word(words: &BTreeMap<String, Phrases>, said: &str, shape: &Shape) -> Option<Value> {
    let said = folded(said);
    let is_said = |(name, phrases): &(&String, &Phrases)| {
        folded(name) == said || phrases.all().any(|phrase| folded(phrase) == said)
    };
    if let Some((name, _)) = words.iter().find(is_said) {
        return Some(named(name, shape));
    }
    let allowed = &shape.constraint.allowed;
    allowed
        .iter()
        .find(|v| v.as_str().is_some_and(|v| folded(v) == said))
        .cloned()
}

fn named(name: &str, shape: &Shape) -> Value {
    match (shape.key_type, name) {
        (KeyType::Boolean, "true") => true.into(),
        (KeyType::Boolean, "false") => false.into(),
        _ => name.into(),
    }
}

fn told(words: &BTreeMap<String, Phrases>, text_language: TextLanguage) -> String {
    let first = words
        .values()
        .filter_map(|p| p.in_tongue(text_language).first());
    let first: Vec<&str> = first.map(String::as_str).collect();
    format!("one of: {}", first.join(", "))
}

fn behind(units: &[(String, f64)]) -> String {
    let units: Vec<&str> = units.iter().map(|(unit, _)| unit.trim()).collect();
    match units.is_empty() {
        true => String::new(),
        false => format!(" in {}", units.join(", ")),
    }
}

/// A decimal number of up to 15 digits and 9 decimals, and perhaps a unit behind it.
fn number(units: &[(String, f64)], said: &str) -> Option<Value> {
    let said = unquoted(said);
    let end = said.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)));
    let (digits, unit) = said.split_at(end.unwrap_or(said.len()));
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let signless = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(signless) || !all_digits(decimals) || signless.len() > 15 || decimals.len() > 9 {
        return None;
    }
    let unit = folded(unit);
    let named = units.iter().find(|(name, _)| folded(name) == unit);
    let factor = match (named, unit.is_empty()) {
        (Some((_, factor)), _) => *factor,
        (None, true) => 1.0,
        (None, false) => return None,
    };
    let value: f64 = digits.parse().ok()?;
    scaled(value, factor)
}

/// 3.0 is 3.
fn scaled(value: f64, factor: f64) -> Option<Value> {
    let value = match factor == 1.0 {
        true => value,
        false => (value * factor * 1e9).round() / 1e9,
    };
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => Some((value as i64).into()),
        false => Number::from_f64(value).map(Value::Number),
    }
}

fn list(prefix: &str, said: &str) -> Value {
    if let Ok(Value::Array(items)) = schema::json::read(said.as_bytes()) {
        return items
            .into_iter()
            .map(|item| prefixed(prefix, item))
            .collect();
    }
    let bare = said.trim().trim_start_matches('[').trim_end_matches(']');
    let items = parts(bare).into_iter().map(unquoted);
    items.map(|item| prefixed(prefix, item.into())).collect()
}

fn prefixed(prefix: &str, item: Value) -> Value {
    match item {
        Value::String(text) if !text.starts_with(prefix) => format!("{prefix}{text}").into(),
        item => item,
    }
}

/// Two times and nothing else that counts: `start time "08:00:00", end time "12:00:00"`.
fn span(said: &str) -> Option<Vec<Value>> {
    let is_time = |word: &&str| word.bytes().any(|b| b.is_ascii_digit());
    let words = said.split(|c: char| !(c.is_ascii_digit() || c == ':'));
    let times: Option<Vec<Value>> = words.filter(is_time).map(time_of_day).collect();
    times.filter(|times| times.len() == 2)
}

/// `HH:MM`, perhaps with seconds, which are none.
fn time_of_day(word: &str) -> Option<Value> {
    let mut parts = word.trim_matches(':').split(':');
    let hour: u8 = two_digits(parts.next()?)?;
    let minute: u8 = two_digits(parts.next()?)?;
    let on_the_minute = parts.next().is_none_or(|seconds| seconds == "00");
    let exists = hour < 24 && minute < 60 && on_the_minute && parts.next().is_none();
    exists.then(|| format!("{hour:02}:{minute:02}").into())
}

fn two_digits(text: &str) -> Option<u8> {
    (1..=2).contains(&text.len()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any() -> ReadingBudget<'static> {
        ReadingBudget::within(Effort::any())
    }

    fn shape() -> Shape {
        Shape::of(KeyType::String)
    }

    fn number_of(said: &str) -> String {
        let units = [
            ("Mbps", 1.0),
            ("Mbit/s", 1.0),
            ("Gbps", 1_000.0),
            ("kbps", 0.001),
        ];
        let units = units
            .map(|(unit, factor)| (unit.to_owned(), factor))
            .to_vec();
        match ValueForm::Number(units).read(said, &shape(), TextLanguage::English, &any()) {
            Ok(values) => values[0].to_string(),
            Err(expected) => expected,
        }
    }

    /// Q5, A2A-T: numbers come as `1.0`, with units of any case, and go out as integers.
    #[test]
    fn numbers_come_with_units() {
        for (said, expected) in [
            ("10Mbps", "10"),
            ("10.0 mbit/s", "10"),
            ("2.5Mbps", "2.5"),
            ("2.3 Gbps", "2300"),
            ("1", "1"),
            ("-3", "-3"),
            ("250 kbps", "0.25"),
            ("\"5\"", "5"),
            ("999999999999999", "999999999999999"),
        ] {
            assert_eq!(number_of(said), expected, "{said}");
        }
        for said in [
            "",
            "ten",
            "1e9",
            "5 bananas",
            "1.2.3",
            "--1",
            "9999999999999999",
            "٣",
        ] {
            assert_eq!(
                number_of(said),
                "a number in Mbps, Mbit/s, Gbps, kbps",
                "{said}"
            );
        }
    }

    #[test]
    fn spans_are_two_times() {
        let read = |said: &str| {
            let form = ValueForm::Span {
                until: "end".to_owned(),
            };
            form.read(said, &shape(), TextLanguage::English, &any())
                .map(|v| Value::from(v).to_string())
        };
        let both = r#"["08:00","12:00"]"#;
        for said in [
            "start time \"08:00:00\", end time \"12:00:00\"",
            "起始时间“08:00:00”，结束时间“12:00:00”",
            "08:00~12:00",
            "8:00 to 12:00",
        ] {
            assert_eq!(read(said).as_deref(), Ok(both), "{said}");
        }
        for said in [
            "all day",
            "08:00",
            "08:00:30~12:00",
            "25:00~26:00",
            "1~2",
            "08:00~10:00~12:00",
        ] {
            read(said).expect_err(said);
        }
    }

    #[test]
    fn lists_take_their_prefix() {
        let form = ValueForm::List {
            prefix: "site:".to_owned(),
        };
        let read = |said: &str| {
            let values = form
                .read(said, &shape(), TextLanguage::English, &any())
                .expect("a list");
            values[0].to_string()
        };
        let both = r#"["site:A","site:B"]"#;
        for said in [
            "A, B",
            "[\"A\", \"site:B\"]",
            "[“A”，“B”]",
            "site:A、site:B",
        ] {
            assert_eq!(read(said), both, "{said}");
        }
    }
}
