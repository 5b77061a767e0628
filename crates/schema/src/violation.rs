//! All that is wrong with a payload: all of it at once, each with its place and what was expected.
//!
//! Knows the forms in which that is told, to people and to programs; refuses to know how it is found
//! out, which is [`crate::contract`]'s, and how a protocol carries it.

use serde_json::{Map, Value, json};
use std::fmt;
use strum::IntoStaticStr;

/// One thing wrong with a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadViolation {
    /// The place, as an RFC 6901 pointer into the payload: `/alarms/2/time`.
    pub path: String,
    /// The fault.
    pub code: Code,
    /// The values expected there, for people and programs: `integer from 1 to 9`.
    pub expected: String,
    /// The value found there, as JSON, shortened; none if nothing does.
    pub found: Option<String>,
}

/// The kinds of violation; told by these names everywhere.
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// `missing`: a required key is not there, or null.
    Missing,
    /// `unknown`: the schema has no such key.
    Unknown,
    /// `type`.
    Type,
    /// `enum`: not one of the acceptable values.
    Enum,
    /// `range`: below the minimum or above the maximum.
    Range,
    /// `format`.
    Format,
    /// `pattern`.
    Pattern,
    /// `length`: a string, an array or a whole payload that is too long.
    Length,
    /// `depth`: nested deeper than is read.
    Depth,
}

impl Code {
    /// The name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl PayloadViolation {
    /// The key of the schema that the place is in; none if the payload as a whole is meant.
    pub fn key_name(&self) -> Option<String> {
        key_name(&self.path)
    }
}

impl fmt::Display for PayloadViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            None => write!(f, "{}: {} is missing", self.path, self.expected),
            Some(found) => write!(f, "{}: {} is needed, not {found}", self.path, self.expected),
        }
    }
}

/// Something odd about a payload that is accepted all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The place, as an RFC 6901 pointer into the payload.
    pub path: String,
    /// The oddity.
    pub code: Caution,
    /// The same in words, for people.
    pub message: String,
}

/// The kinds of warning; told by these names everywhere.
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caution {
    /// `deprecated`: the key is on its way out (§6.2.3).
    Deprecated,
    /// `withdrawn`: the key is gone, and accepted for a while yet (§6.2.3).
    Withdrawn,
    /// `ignored`: the schema has no such key, and the value was dropped.
    Ignored,
    /// `moved`: the schema has no such key, and the value went to `other`.
    Moved,
    /// `malformed`: `other` is neither a string nor an array of strings, and was dropped.
    Malformed,
    /// `truncated`: `other` is longer than is kept.
    Truncated,
}

impl Caution {
    /// The name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Warning {
    /// As told in a result: `key_name`, `path`, `code`, `message`.
    pub fn to_value(&self) -> Value {
        json!({
            "key_name": key_name(&self.path),
            "path": self.path,
            "code": self.code.as_str(),
            "message": self.message,
        })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// The reply to a payload that is refused: `error` (always `invalid_payload`), `schema_id`,
/// and `errors`, each with `key_name`, `path`, `code`, `message` and `expected`.
///
/// `key_name` is left out where the payload as a whole is meant. What stood there is in `message`
/// alone, shortened and inert.
pub fn report(schema_id: &str, violations: &[PayloadViolation]) -> Value {
    json!({
        "error": "invalid_payload",
        "schema_id": schema_id,
        "errors": violations.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn entry(violation: &PayloadViolation) -> Value {
    let mut entry = Map::new();
    if let Some(name) = violation.key_name() {
        entry.insert("key_name".to_owned(), name.into());
    }
    entry.insert("path".to_owned(), violation.path.as_str().into());
    entry.insert("code".to_owned(), violation.code.as_str().into());
    entry.insert("message".to_owned(), violation.to_string().into());
    entry.insert("expected".to_owned(), violation.expected.as_str().into());
    Value::Object(entry)
}

/// The first segment of a pointer, its escapes undone (RFC 6901 §4).
fn key_name(path: &str) -> Option<String> {
    let first = path.strip_prefix('/')?.split('/').next()?;
    Some(first.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn violation(path: &str, code: Code, found: Option<&str>) -> PayloadViolation {
        PayloadViolation {
            path: path.to_owned(),
            code,
            expected: "integer from 1 to 9".to_owned(),
            found: found.map(str::to_owned),
        }
    }

    /// Q22: one reply tells all, by key, place, code, in words, and what was expected.
    #[test]
    fn a_reply_tells_every_violation() {
        let all = [
            violation("/passenger_count", Code::Range, Some("12")),
            violation("/legs/2/a~1b", Code::Missing, None),
            violation("", Code::Length, None),
        ];
        let reply = report("flight_booking_v1", &all);
        assert_snapshot!(serde_json::to_string_pretty(&reply).expect("JSON"), @r#"
        {
          "error": "invalid_payload",
          "errors": [
            {
              "code": "range",
              "expected": "integer from 1 to 9",
              "key_name": "passenger_count",
              "message": "/passenger_count: integer from 1 to 9 is needed, not 12",
              "path": "/passenger_count"
            },
            {
              "code": "missing",
              "expected": "integer from 1 to 9",
              "key_name": "legs",
              "message": "/legs/2/a~1b: integer from 1 to 9 is missing",
              "path": "/legs/2/a~1b"
            },
            {
              "code": "length",
              "expected": "integer from 1 to 9",
              "message": ": integer from 1 to 9 is missing",
              "path": ""
            }
          ],
          "schema_id": "flight_booking_v1"
        }
        "#);
    }

    #[test]
    fn a_key_name_is_the_first_segment_with_its_escapes_undone() {
        assert_eq!(key_name("/a~1b~0/2/c").as_deref(), Some("a/b~"));
        assert_eq!(key_name("/").as_deref(), Some(""));
        assert_eq!(key_name(""), None);
    }
}
