//! The structured payloads of the fault flow, one type per schema version.
//!
//! Each type reads itself from a [`Payload`] and names every missing or mistyped key at once, so
//! that a sender mends all of them in one round. Refuses to know what agents do with them.
//! Read next: [`incident`], [`diagnosis`], [`repair`], [`verification`].

pub mod diagnosis;
pub mod incident;
pub mod repair;
pub mod verification;

use domain::content::{Content, Payload};
use domain::inventory::ElementId;
use domain::reply::{Reason, Reply, Verdict};
use domain::time::Timestamp;
use serde_json::{Map, Value};

/// A payload type with its schema version.
pub trait Schema: Sized {
    /// The schema version, e.g. `fault_diagnosis_v1`.
    const ID: &'static str;

    /// The key and value pairs.
    fn values(&self) -> Value;

    /// Reads the keys that `keys` holds.
    ///
    /// # Errors
    /// Every problem of every key.
    fn from_keys(keys: Keys<'_>) -> Result<Self, Unreadable>;

    /// The payload as a message carries it.
    fn to_payload(&self) -> Payload {
        Payload::new(Self::ID, self.values())
    }

    /// Reads a payload.
    ///
    /// # Errors
    /// [`Unreadable`]: another schema, or keys that lack or are of the wrong type.
    fn from_payload(payload: &Payload) -> Result<Self, Unreadable> {
        if payload.schema_id != Self::ID {
            return Err(Unreadable::OtherSchema {
                expected: Self::ID,
                found: payload.schema_id.clone(),
            });
        }
        Self::from_keys(Keys::of(&payload.values))
    }

    /// Reads the payload of a content, if it has one of this schema that can be read.
    fn in_content(content: &Content) -> Option<Self> {
        Self::from_payload(content.payload.as_ref()?).ok()
    }
}

/// What is wrong with one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The key, with a place behind it where an entry of an array is meant: `alarms/2/time`.
    pub path: String,
    /// What stands there instead; none if the key lacks.
    pub found: Option<String>,
    /// What is expected there.
    pub expected: &'static str,
}

/// Why a payload cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It follows another schema.
    #[error("the payload follows {found}, not {expected}")]
    OtherSchema {
        /// The schema asked for.
        expected: &'static str,
        /// The schema found.
        found: String,
    },
    /// Keys lack or are of the wrong type.
    #[error("{} of the payload's keys cannot be read", .0.len())]
    Keys(Vec<Problem>),
}

impl Unreadable {
    /// The reply to the sender: `input-required` if keys merely lack, `refused` if something
    /// wrong stands there; one reason per key.
    pub fn reply(&self, target: &str) -> Reply {
        let problems = match self {
            Self::OtherSchema { .. } => {
                return Reply::refused("unknown-schema", "schema_id", self.to_string());
            }
            Self::Keys(problems) => problems,
        };
        let wrong = problems.iter().any(|p| p.found.is_some());
        let verdict = if wrong {
            Verdict::Refused
        } else {
            Verdict::InputRequired
        };
        let keys: Vec<&str> = problems.iter().map(|p| p.path.as_str()).collect();
        let asked = Content::new(
            target,
            format!("Needed in the payload: {}", keys.join(", ")),
        );
        let mut reply = Reply::new(verdict, vec![asked]);
        reply.reasons = problems.iter().map(reason).collect();
        reply
    }
}

fn reason(problem: &Problem) -> Reason {
    let (reason, message) = match &problem.found {
        None => ("missing-key", format!("{} is needed", problem.expected)),
        Some(found) => (
            "bad-value",
            format!("{} is needed, not {found}", problem.expected),
        ),
    };
    Reason {
        reason: reason.to_owned(),
        path: problem.path.clone(),
        message,
    }
}

/// The keys of a payload while they are read; remembers what it could not read.
#[derive(Debug)]
pub struct Keys<'a> {
    values: &'a Map<String, Value>,
    prefix: String,
    problems: Vec<Problem>,
}

impl<'a> Keys<'a> {
    /// The keys of one object.
    pub fn of(values: &'a Map<String, Value>) -> Self {
        Self {
            values,
            prefix: String::new(),
            problems: Vec::new(),
        }
    }

    /// The value if every key could be read.
    ///
    /// # Errors
    /// [`Unreadable::Keys`] otherwise.
    pub fn done<T>(self, value: T) -> Result<T, Unreadable> {
        if self.problems.is_empty() {
            Ok(value)
        } else {
            Err(Unreadable::Keys(self.problems))
        }
    }

    /// A text; empty and noted if there is none.
    pub fn text(&mut self, key: &str) -> String {
        self.read(key, "a text", |v| v.as_str().map(str::to_owned))
    }

    /// A text that may be null or lack.
    pub fn optional_text(&mut self, key: &str) -> Option<String> {
        match self.values.get(key) {
            None | Some(Value::Null) => None,
            Some(_) => Some(self.text(key)),
        }
    }

    /// A truth value.
    pub fn flag(&mut self, key: &str) -> bool {
        self.read(key, "true or false", Value::as_bool)
    }

    /// A whole number from 0.
    pub fn count(&mut self, key: &str) -> u64 {
        self.read(key, "a whole number", Value::as_u64)
    }

    /// An instant.
    pub fn time(&mut self, key: &str) -> Timestamp {
        self.read(key, "a date and time with zone", |v| {
            Timestamp::parse(v.as_str()?).ok()
        })
    }

    /// One of the names that `parse` knows.
    pub fn name<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        parse: fn(&str) -> Option<T>,
    ) -> Option<T> {
        self.read(key, expected, |v| parse(v.as_str()?).map(Some))
    }

    /// As [`Keys::name`], but null and absence are fine.
    pub fn optional_name<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        parse: fn(&str) -> Option<T>,
    ) -> Option<T> {
        match self.values.get(key) {
            None | Some(Value::Null) => None,
            Some(_) => self.name(key, expected, parse),
        }
    }

    /// The identifier of an element.
    pub fn element(&mut self, key: &str) -> ElementId {
        ElementId::new(self.text(key))
    }

    /// A list of texts.
    pub fn texts(&mut self, key: &str) -> Vec<String> {
        self.read(key, "a list of texts", |v| {
            let items = v.as_array()?.iter();
            items.map(|i| i.as_str().map(str::to_owned)).collect()
        })
    }

    /// A list of element identifiers.
    pub fn elements<C: FromIterator<ElementId>>(&mut self, key: &str) -> C {
        self.texts(key).into_iter().map(ElementId::new).collect()
    }

    /// A list of objects, each read by `read`; its problems are noted under their place.
    pub fn objects<T>(&mut self, key: &str, read: impl Fn(&mut Keys<'a>) -> T) -> Vec<T> {
        let Some(items) = self.values.get(key) else {
            self.note(key, "a list of objects");
            return Vec::new();
        };
        let Some(items) = items.as_array() else {
            self.note(key, "a list of objects");
            return Vec::new();
        };
        let mut found = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            found.extend(self.nested(&format!("{key}/{i}"), Some(item), &read));
        }
        found
    }

    /// An object, read by `read`.
    pub fn object<T>(&mut self, key: &str, read: impl Fn(&mut Keys<'a>) -> T) -> Option<T> {
        self.nested(key, self.values.get(key), &read)
    }

    fn nested<T>(
        &mut self,
        path: &str,
        value: Option<&'a Value>,
        read: &impl Fn(&mut Keys<'a>) -> T,
    ) -> Option<T> {
        let Some(Value::Object(values)) = value else {
            self.problems.push(Problem {
                path: format!("{}{path}", self.prefix),
                found: value.map(Value::to_string),
                expected: "an object",
            });
            return None;
        };
        let mut inner = Keys {
            values,
            prefix: format!("{}{path}/", self.prefix),
            problems: Vec::new(),
        };
        let value = read(&mut inner);
        self.problems.append(&mut inner.problems);
        Some(value)
    }

    fn read<T: Default>(
        &mut self,
        key: &str,
        expected: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> T {
        match self.values.get(key).and_then(read) {
            Some(value) => value,
            None => {
                self.note(key, expected);
                T::default()
            }
        }
    }

    fn note(&mut self, key: &str, expected: &'static str) {
        let found = self.values.get(key).filter(|v| !v.is_null());
        self.problems.push(Problem {
            path: format!("{}{key}", self.prefix),
            found: found.map(Value::to_string),
            expected,
        });
    }
}

/// Element identifiers as a JSON list.
pub(crate) fn list<'a>(elements: impl IntoIterator<Item = &'a ElementId>) -> Value {
    elements
        .into_iter()
        .map(|e| Value::from(e.as_str()))
        .collect()
}

#[cfg(test)]
mod tests;
