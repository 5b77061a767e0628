//! Reading JSON objects member by member, with the place of errors.
//!
//! Knows types and places, and no object of A2A. Read next: [`super::message`].

use crate::error::{Error, ErrorKind};
use crate::message::Metadata;
use schema::time::Timestamp;
use serde_json::{Map, Value};

/// The error for a member that is missing or has another value than needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", if path.is_empty() { "the whole" } else { path })]
pub struct Malformed {
    /// The place, such as `message.parts[0].text`; empty for the value as a whole.
    pub path: String,
    /// The value needed there.
    pub why: String,
}

impl Malformed {
    /// An error in the value as a whole.
    pub fn whole(why: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            why: why.into(),
        }
    }

    /// An error in a member.
    pub fn member(name: &str, why: impl Into<String>) -> Self {
        Self::whole(why).under(name)
    }

    /// The same error, seen from the object that holds it as `name`, or the array as `[i]`.
    pub fn under(mut self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') {
            ""
        } else {
            "."
        };
        self.path = format!("{name}{dot}{}", self.path);
        self
    }

    /// The error for parameters of a request.
    pub fn invalid_params(self) -> Error {
        let message = format!("Invalid parameters: {self}");
        Error::new(ErrorKind::InvalidParams, message).at(self.path, self.why)
    }
}

/// An object that is being read. A member that is null counts as absent.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a>(&'a Map<String, Value>);

impl<'a> Object<'a> {
    pub(crate) fn of(value: &'a Value) -> Result<Self, Malformed> {
        let members = value.as_object();
        members
            .map(Self)
            .ok_or_else(|| Malformed::whole("an object is needed"))
    }

    pub(crate) fn of_members(members: &'a Map<String, Value>) -> Self {
        Self(members)
    }

    /// The member, by its name or by its name in snake_case.
    pub(crate) fn get(self, name: &str) -> Option<&'a Value> {
        let [plain, snake] = self.under_both_names(name);
        plain.or(snake)
    }

    fn under_both_names(self, name: &str) -> [Option<&'a Value>; 2] {
        let snake = snake_case(name).and_then(|name| self.0.get(&name));
        [self.0.get(name), snake].map(|found| found.filter(|value| !value.is_null()))
    }

    /// Reads the member; none if it is absent. Under both of its names it stands twice.
    pub(crate) fn at<T>(
        self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        let found = match self.under_both_names(name) {
            [Some(_), Some(_)] => Err(Malformed::whole("stands twice, in snake_case as well")),
            [plain, snake] => plain.or(snake).map(read).transpose(),
        };
        found.map_err(|wrong| wrong.under(name))
    }

    /// Reads the member, which must be present.
    pub(crate) fn needed<T>(
        self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Result<T, Malformed>,
    ) -> Result<T, Malformed> {
        let found = self.at(name, read)?;
        found.ok_or_else(|| Malformed::member(name, "is missing"))
    }

    /// Reads the entries of an array; an absent one is empty.
    pub(crate) fn each<T>(
        self,
        name: &str,
        mut read: impl FnMut(&'a Value) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let entries = self.at(name, |value| entries(value, &mut read))?;
        Ok(entries.unwrap_or_default())
    }

    /// A text that is not empty; empty counts as absent, as in ProtoJSON.
    pub(crate) fn text(self, name: &str) -> Result<Option<String>, Malformed> {
        let found = self.at(name, text)?;
        Ok(found.filter(|text| !text.is_empty()))
    }

    pub(crate) fn needed_text(self, name: &str) -> Result<String, Malformed> {
        let found = self.text(name)?;
        found.ok_or_else(|| Malformed::member(name, "is missing"))
    }

    /// A text that must be present, and may be empty.
    pub(crate) fn said_text(self, name: &str) -> Result<String, Malformed> {
        self.needed(name, text)
    }

    pub(crate) fn texts(self, name: &str) -> Result<Vec<String>, Malformed> {
        self.each(name, text)
    }

    pub(crate) fn flag(self, name: &str) -> Result<Option<bool>, Malformed> {
        self.at(name, |value| {
            let flag = value.as_bool();
            flag.ok_or_else(|| Malformed::whole("true or false is needed"))
        })
    }

    /// A count, also in the forms in which ProtoJSON writes integers: `5.0`, `"5"`.
    pub(crate) fn count(self, name: &str) -> Result<Option<u32>, Malformed> {
        self.at(name, |value| {
            let count = count(value);
            count.ok_or_else(|| Malformed::whole("an integer from 0 is needed"))
        })
    }

    pub(crate) fn instant(self, name: &str) -> Result<Option<Timestamp>, Malformed> {
        self.at(name, |value| {
            let said = text(value)?;
            Timestamp::parse(&said).map_err(|wrong| Malformed::whole(wrong.to_string()))
        })
    }

    /// Metadata; absent is empty.
    pub(crate) fn free(self, name: &str) -> Result<Metadata, Malformed> {
        let found = self.at(name, |value| Ok(Object::of(value)?.0.clone()))?;
        Ok(found.unwrap_or_default())
    }

    /// All members.
    pub(crate) fn members(self) -> &'a Map<String, Value> {
        self.0
    }
}

/// A text.
pub(crate) fn text(value: &Value) -> Result<String, Malformed> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| Malformed::whole("a string is needed"))
}

/// Reads the entries of an array.
pub(crate) fn entries<'a, T>(
    value: &'a Value,
    mut read: impl FnMut(&'a Value) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let Some(entries) = value.as_array() else {
        return Err(Malformed::whole("an array is needed"));
    };
    let read = |(i, entry)| read(entry).map_err(|wrong| wrong.under(&format!("[{i}]")));
    entries.iter().enumerate().map(read).collect()
}

fn count(value: &Value) -> Option<u32> {
    let whole = |n: f64| n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&n);
    match value {
        Value::Number(number) => {
            let n = number.as_f64().filter(|n| whole(*n))?;
            Some(n as u32)
        }
        Value::String(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// `taskId` as `task_id`; none if it is the same.
fn snake_case(name: &str) -> Option<String> {
    if !name.bytes().any(|b| b.is_ascii_uppercase()) {
        return None;
    }
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    Some(snake)
}
