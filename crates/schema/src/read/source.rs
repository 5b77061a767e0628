//! The source of JSON: a text, which may be anything, or a value.

use crate::json::{Budget, Excess};
use crate::lint::{Findings, LintRule, Place};
use language::excerpt::excerpt;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::fmt;
use std::io;

/// The largest template, patch or key that is read, as JSON; bytes.
pub const SOURCE_BYTES_MAX: usize = 256 * 1024;

/// The source to read from.
#[derive(Clone, Copy, Debug)]
pub enum TemplateSource<'a> {
    /// A JSON text.
    Text(&'a str),
    /// A JSON value.
    Value(&'a Value),
}

impl<'a> From<&'a str> for TemplateSource<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for TemplateSource<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Value> for TemplateSource<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> TemplateSource<'a> {
    /// The value, unless it is too large or no JSON.
    pub(super) fn value(self, findings: &mut Findings) -> Option<Cow<'a, Value>> {
        let bytes = match self {
            Self::Text(text) => text.len(),
            Self::Value(value) => written_length(value),
        };
        if bytes > SOURCE_BYTES_MAX {
            let message = format!("{bytes} bytes of JSON; {SOURCE_BYTES_MAX} are the most");
            findings.note(LintRule::Limit, &Place::root(), message);
            return None;
        }
        match self {
            Self::Text(text) => parse(text, findings).map(Cow::Owned),
            Self::Value(value) => Some(Cow::Borrowed(value)),
        }
    }
}

fn written_length(value: &Value) -> usize {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value)
        .expect("a value has string keys and counting succeeds");
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a JSON text in which no object has a member twice: of two members called alike, receivers
/// would take one or the other (RFC 8259 §4, RFC 7493 §2.3).
///
/// # Errors
/// [`SourceError`]
pub fn json(text: impl AsRef<[u8]>) -> Result<Value, SourceError> {
    json_within(&mut Budget::default(), text)
}

/// Reads one such text of several in a message: what may be read of the message is spent.
///
/// # Errors
/// [`SourceError`]
pub fn json_within(budget: &mut Budget, text: impl AsRef<[u8]>) -> Result<Value, SourceError> {
    let text = text.as_ref();
    budget.spend(text)?;
    let (read, twice) = parsed(text);
    let value = read?;
    match twice.found.into_iter().next() {
        None => Ok(value),
        Some((at, name)) => Err(SourceError::Twice {
            name,
            at: at.to_string(),
        }),
    }
}

/// The reason why a JSON text is not read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It is more than is read.
    #[error(transparent)]
    Excess(#[from] Excess),
    /// It is no JSON.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
    /// An object has a member twice.
    #[error("'{}' stands twice in one object, at {}", excerpt(name), excerpt(at))]
    Twice {
        /// The member.
        name: String,
        /// The object: a JSON pointer.
        at: String,
    },
}

/// The bytes of places and names from which on no further member that stands twice is noted: each place
/// may be as long as the text, and a text may have as many as it has members.
const NOTED_BYTES: usize = 16 << 10;

/// The first members that stand twice, each with its object.
#[derive(Default)]
struct Twice {
    found: Vec<(Place, String)>,
    bytes: usize,
}

impl Twice {
    fn note(&mut self, at: &At<'_>, name: &str) {
        if self.bytes < NOTED_BYTES {
            let place = at.place();
            self.bytes += place.to_string().len() + name.len();
            self.found.push((place, name.to_owned()));
        }
    }
}

/// Reads a text, and notes members that stand twice.
fn parsed(text: &[u8]) -> (Result<Value, serde_json::Error>, Twice) {
    let mut twice = Twice::default();
    let mut json = serde_json::Deserializer::from_slice(text);
    let once = Once {
        at: &At::Root,
        twice: &mut twice,
    };
    let read = once
        .deserialize(&mut json)
        .and_then(|value| json.end().map(|()| value));
    (read, twice)
}

/// Reads a text in which no object has a member twice.
fn parse(text: &str, findings: &mut Findings) -> Option<Value> {
    if let Err(excess) = Budget::default().spend(text.as_bytes()) {
        findings.note(LintRule::Limit, &Place::root(), excess.to_string());
        return None;
    }
    let (read, twice) = parsed(text.as_bytes());
    for (at, name) in &twice.found {
        let message = format!("'{name}' stands twice in one object");
        findings.note(LintRule::DuplicateMember, at, message);
    }
    read.map_err(|e| findings.note(LintRule::Json, &Place::root(), format!("not JSON: {e}")))
        .ok()
}

/// Reads a value and notes members that stand twice.
struct Once<'t> {
    at: &'t At<'t>,
    twice: &'t mut Twice,
}

/// The place of a value; made into a [`Place`] only if there is something to say about it.
enum At<'a> {
    Root,
    Member(&'a At<'a>, &'a str),
    Entry(&'a At<'a>, usize),
}

impl At<'_> {
    fn place(&self) -> Place {
        match self {
            Self::Root => Place::root(),
            Self::Member(above, name) => above.place().member(name),
            Self::Entry(above, index) => above.place().index(*index),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Once<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number without bounds"))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(Once {
            at: &At::Entry(self.at, list.len()),
            twice: &mut *self.twice,
        })? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let at = At::Member(self.at, &name);
            let value = members.next_value_seed(Once {
                at: &at,
                twice: &mut *self.twice,
            })?;
            if map.contains_key(&name) {
                self.twice.note(&at, &name);
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places as long as the text, for each of as many members as fit, would take gigabytes.
    #[test]
    fn few_of_many_members_that_stand_twice_are_noted() {
        let name = "n".repeat(NOTED_BYTES);
        let text = format!(r#"{{"{name}":{{"a":0{}}}}}"#, r#","a":0"#.repeat(1_000));
        let (read, twice) = parsed(text.as_bytes());
        assert!(read.is_ok());
        assert_eq!(twice.found.len(), 1);
        let short = format!(r#"{{"a":0{}}}"#, r#","a":0"#.repeat(100_000));
        let (_, twice) = parsed(short.as_bytes());
        assert!((1..=NOTED_BYTES).contains(&twice.found.len()));
    }
}
