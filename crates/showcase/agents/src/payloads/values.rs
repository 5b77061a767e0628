//! The values of a payload that its contract has accepted, read and written.
//!
//! Knows the canonical form: an optional key without a value, and an array without an entry, are
//! absent. Refuses to check: that is the contract's. Read next: [`super`].

use domain::inventory::ElementId;
use domain::time::Timestamp;
use serde_json::{Map, Value};

/// The keys of an object that its contract has accepted.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a>(pub &'a Map<String, Value>);

impl<'a> Values<'a> {
    /// The text under `key`; empty if it is absent.
    pub fn text(self, key: &str) -> String {
        self.optional_text(key).unwrap_or_default()
    }

    /// The text under `key`.
    pub fn optional_text(self, key: &str) -> Option<String> {
        self.0.get(key)?.as_str().map(str::to_owned)
    }

    /// The truth value under `key`; false if it is absent.
    pub fn flag(self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The whole number from 0 under `key`; 0 if it is absent.
    pub fn count(self, key: &str) -> u64 {
        self.0.get(key).and_then(Value::as_u64).unwrap_or_default()
    }

    /// The instant under `key`.
    pub fn time(self, key: &str) -> Option<Timestamp> {
        self.name(key, |text| Timestamp::parse(text).ok())
    }

    /// The value that the name under `key` names.
    pub fn name<T>(self, key: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        parse(self.0.get(key)?.as_str()?)
    }

    /// The identifier of an element under `key`.
    pub fn element(self, key: &str) -> Option<ElementId> {
        self.optional_text(key).map(ElementId::new)
    }

    /// The texts of the array under `key`; none if it is absent.
    pub fn texts(self, key: &str) -> Vec<String> {
        let texts = self.items(key).filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// The identifiers of elements in the array under `key`; none if it is absent.
    pub fn elements<C: FromIterator<ElementId>>(self, key: &str) -> C {
        self.texts(key).into_iter().map(ElementId::new).collect()
    }

    /// The object under `key`, read by `read`.
    pub fn object<T>(self, key: &str, read: impl Fn(Values<'a>) -> Option<T>) -> Option<T> {
        read(Values(self.0.get(key)?.as_object()?))
    }

    /// The objects of the array under `key`, each read by `read`; none if it is absent.
    pub fn objects<T>(self, key: &str, read: impl Fn(Values<'a>) -> Option<T>) -> Vec<T> {
        let objects = self.items(key).filter_map(Value::as_object);
        objects.filter_map(|object| read(Values(object))).collect()
    }

    fn items(self, key: &str) -> impl Iterator<Item = &'a Value> {
        self.0
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    }
}

/// Element identifiers as a JSON list.
pub(super) fn list<'a>(elements: impl IntoIterator<Item = &'a ElementId>) -> Value {
    let texts = elements.into_iter().map(|e| Value::from(e.as_str()));
    texts.collect()
}

/// A text that says nothing where it is empty.
pub(super) fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The object without the keys that hold nothing: null, or an array without an entry.
pub(super) fn canonical(mut values: Value) -> Value {
    let nothing = |v: &Value| v.is_null() || v.as_array().is_some_and(Vec::is_empty);
    if let Value::Object(keys) = &mut values {
        keys.retain(|_, value| !nothing(value));
    }
    values
}
