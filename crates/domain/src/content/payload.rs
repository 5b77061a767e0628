//! A structured payload: one JSON object that names its schema.
//!
//! The meaning of its keys is not known here: that is its schema's. Read next: [`super`].

use super::ContentError;
use schema::json::Budget;
use schema::read::{self, SourceError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A structured payload: the values, and the schema they follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// The schema version, e.g. `fault_diagnosis_v1`.
    pub schema_id: String,
    /// Key and value pairs.
    pub values: Map<String, Value>,
}

impl Payload {
    /// A payload under `schema_id`; `values` must be a JSON object.
    ///
    /// # Panics
    /// If `values` is not an object: the caller writes it as a literal.
    pub fn new(schema_id: &str, values: Value) -> Self {
        let Value::Object(values) = values else {
            panic!("the values of a payload are a JSON object")
        };
        Self {
            schema_id: schema_id.to_owned(),
            values,
        }
    }

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        members(&self.values)
    }

    /// The scenario: the schema without its version (`fault_diagnosis`), which is the task's type.
    pub fn scenario(&self) -> &str {
        match self.schema_id.rsplit_once("_v") {
            Some((name, version)) if version.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => &self.schema_id,
        }
    }

    /// The string under `key`.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(Value::as_str)
    }

    /// The strings of the array under `key`; empty if there is none.
    pub fn texts(&self, key: &str) -> Vec<&str> {
        let items = self.values.get(key).and_then(Value::as_array);
        items
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// The number under `key`.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.values.get(key).and_then(Value::as_f64)
    }

    /// The truth value under `key`.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.values.get(key).and_then(Value::as_bool)
    }

    /// The JSON object as it stands in a section.
    pub fn to_json(&self) -> String {
        serde_json::json!({ "schema_id": self.schema_id, "payload": self.values }).to_string()
    }

    pub(super) fn parse(budget: &mut Budget, text: &str) -> Result<Self, ContentError> {
        let value = read::json_within(budget, text).map_err(|cause| match cause {
            SourceError::Excess(excess) => ContentError::TooBig(excess),
            other => ContentError::NotJson {
                cause: other.to_string(),
            },
        })?;
        let Value::Object(mut object) = value else {
            return Err(ContentError::NotAPayload);
        };
        match (
            object.remove("schema_id"),
            object.remove("payload"),
            object.is_empty(),
        ) {
            (Some(Value::String(schema_id)), Some(Value::Object(values)), true) => {
                Ok(Self { schema_id, values })
            }
            _ => Err(ContentError::NotAPayload),
        }
    }
}

fn members(values: &Map<String, Value>) -> usize {
    let each = values
        .iter()
        .map(|(key, value)| key.len() + bytes_of(value));
    each.sum()
}

/// The approximate size of a value in bytes: its names and texts count; a number and an empty list
/// count little.
fn bytes_of(value: &Value) -> usize {
    const SIGNS: usize = 8;
    SIGNS
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(bytes_of).sum(),
            Value::Object(values) => members(values),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}
