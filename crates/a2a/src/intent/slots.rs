//! The conversion of slots, which are texts, to the payload of a skill.
//!
//! Knows the types of JSON Schema that a text can have. Nothing is guessed: `"3.5"` is no integer,
//! and `"yes"` no boolean. Read next: [`crate::intake`].

use super::Slot;
use crate::version::inert;
use schema::violation::{Code, PayloadViolation};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// The key for slots that match no parameter (draft-zhou §4.3).
const OTHER: &str = "other";

/// The outcome of filling the parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled {
    /// The values, by parameter; slots that match none in `other`.
    pub payload: Map<String, Value>,
    /// Required parameters that no slot names.
    pub missing: Vec<String>,
    /// Parameters whose text cannot be converted, with the value needed.
    pub unusable: BTreeMap<String, String>,
    /// Warnings, which do not prevent the task.
    pub warnings: Vec<String>,
}

impl Filled {
    /// True if nothing is missing or unusable.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.unusable.is_empty()
    }

    /// The question that names every parameter to be asked for; none if the parameters are
    /// complete.
    pub fn question(&self) -> Option<String> {
        let missing = self.missing.iter().map(|name| format!("{name} is missing"));
        let unusable = self
            .unusable
            .iter()
            .map(|(name, needed)| format!("{name}: {needed}"));
        let all: Vec<String> = missing.chain(unusable).collect();
        (!all.is_empty()).then(|| format!("Needed: {}.", all.join("; ")))
    }
}

/// Fills the parameters of a skill: from the values known before, and from the slots, which take
/// precedence.
pub fn fill(
    input_schema: &Map<String, Value>,
    before: Map<String, Value>,
    slots: &[Slot],
) -> Filled {
    let properties = input_schema.get("properties").and_then(Value::as_object);
    let mut filled = Filled {
        payload: before,
        ..Filled::default()
    };
    let mut seen: Vec<&str> = Vec::new();
    for slot in slots {
        let is_again = seen.contains(&slot.name.as_str());
        match properties.and_then(|all| all.get(&slot.name)) {
            Some(property) => filled.take(property, slot, is_again),
            None => filled.take_unknown(slot),
        }
        seen.push(&slot.name);
    }
    filled.missing = missing(input_schema, &filled);
    filled
}

fn missing(input_schema: &Map<String, Value>, filled: &Filled) -> Vec<String> {
    let required = input_schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let is_there =
        |name: &str| filled.payload.contains_key(name) || filled.unusable.contains_key(name);
    names
        .filter(|name| !is_there(name))
        .map(str::to_owned)
        .collect()
}

impl Filled {
    fn take(&mut self, property: &Value, slot: &Slot, is_again: bool) {
        if slot.name == OTHER {
            return self.add_other(slot.said().to_owned());
        }
        if has_type(property, "array") {
            return self.take_entry(property, slot, is_again);
        }
        if is_again {
            let warning = format!("{} was said twice, the last one counts", inert(&slot.name));
            self.warnings.push(warning);
        }
        match value_of(property, slot.said()) {
            Ok(value) => {
                self.unusable.remove(&slot.name);
                self.payload.insert(slot.name.clone(), value);
            }
            Err(needed) => self.refuse(slot, needed),
        }
    }

    /// Takes a slot of an array: the whole array as JSON, or one entry of it; several are gathered.
    fn take_entry(&mut self, property: &Value, slot: &Slot, is_again: bool) {
        let whole = serde_json::from_str(slot.said())
            .ok()
            .filter(Value::is_array);
        if let Some(whole) = whole {
            self.payload.insert(slot.name.clone(), whole);
            return;
        }
        let any = Value::Object(Map::new());
        match value_of(property.get("items").unwrap_or(&any), slot.said()) {
            Ok(entry) => {
                let before = self.payload.remove(&slot.name).filter(|_| is_again);
                let mut entries = match before {
                    Some(Value::Array(entries)) => entries,
                    _ => Vec::new(),
                };
                entries.push(entry);
                self.payload.insert(slot.name.clone(), entries.into());
            }
            Err(needed) => self.refuse(slot, needed),
        }
    }

    fn refuse(&mut self, slot: &Slot, needed: String) {
        self.payload.remove(&slot.name);
        self.unusable.insert(slot.name.clone(), needed);
    }

    /// Removes the values that violate the schema.
    pub(crate) fn refuse_all(&mut self, violations: &[PayloadViolation]) {
        for violation in violations {
            let Some(name) = violation.key_name() else {
                continue;
            };
            let is_told = self.missing.contains(&name) || self.unusable.contains_key(&name);
            self.payload.remove(&name);
            match violation.code {
                _ if is_told => {}
                Code::Missing => self.missing.push(name),
                _ => {
                    let needed = format!("{} is needed", violation.expected);
                    self.unusable.insert(name, needed);
                }
            }
        }
    }

    fn take_unknown(&mut self, slot: &Slot) {
        self.warnings
            .push(format!("there is no parameter {}", inert(&slot.name)));
        self.add_other(format!("{}: {}", slot.name, slot.said()));
    }

    fn add_other(&mut self, said: String) {
        let said = Value::String(said);
        let place = self.payload.entry(OTHER).or_insert(Value::Null);
        *place = match place.take() {
            Value::Null => said,
            Value::Array(mut all) => {
                all.push(said);
                all.into()
            }
            one => vec![one, said].into(),
        };
    }
}

/// A text as a value of a property; or the value needed instead.
fn value_of(property: &Value, said: &str) -> Result<Value, String> {
    let trimmed = said.trim();
    let all = types(property);
    let mut values = all.iter().filter_map(|kind| match kind.as_str() {
        "integer" => integer(trimmed),
        "number" => number(trimmed),
        "boolean" => trimmed.parse::<bool>().ok().map(Value::Bool),
        "object" => json(trimmed).filter(Value::is_object),
        "array" => json(trimmed).filter(Value::is_array),
        "null" => (trimmed == "null").then_some(Value::Null),
        _ => Some(said.into()),
    });
    let found = match all.is_empty() {
        true => Some(said.into()),
        false => values.next(),
    };
    let found = found.ok_or_else(|| format!("{} is needed", all.join(" or ")))?;
    allowed(property, found)
}

/// The value of the enumeration that a text names, ignoring case.
fn allowed(property: &Value, value: Value) -> Result<Value, String> {
    let Some(all) = property.get("enum").and_then(Value::as_array) else {
        return Ok(value);
    };
    let same = |it: &&Value| match (it.as_str(), value.as_str()) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other.trim()),
        _ => **it == value,
    };
    let found = all
        .iter()
        .find(|it| **it == value)
        .or_else(|| all.iter().find(same));
    found.cloned().ok_or_else(|| {
        let names: Vec<String> = all.iter().map(Value::to_string).collect();
        format!("one of {} is needed", names.join(", "))
    })
}

fn types(property: &Value) -> Vec<String> {
    let texts = |all: &[Value]| {
        let names = all.iter().filter_map(Value::as_str);
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut all = match property.get("type") {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => texts(all),
        _ => Vec::new(),
    };
    // The narrower reading first; a text is always a string.
    all.sort_by_key(|kind| kind == "string");
    all
}

fn has_type(property: &Value, kind: &str) -> bool {
    types(property) == [kind]
}

/// An integer: `3` and `3.0`, not `3.5`.
fn integer(text: &str) -> Option<Value> {
    let whole = text
        .split_once('.')
        .map_or(Some(text), |(whole, fraction)| {
            let zeros = !fraction.is_empty() && fraction.bytes().all(|b| b == b'0');
            zeros.then_some(whole)
        })?;
    let signed = whole.parse::<i64>().ok().map(Value::from);
    signed.or_else(|| whole.parse::<u64>().ok().map(Value::from))
}

fn number(text: &str) -> Option<Value> {
    integer(text).or_else(|| {
        let n: f64 = text.parse().ok()?;
        Number::from_f64(n).map(Value::Number)
    })
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}
