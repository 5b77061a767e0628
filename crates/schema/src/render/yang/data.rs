//! Payloads as typed XML and as JSON of RFC 7951, and back.
//!
//! Knows how JSON's values stand in the data tree: integers and decimals are text there, and text
//! alone in XML. Whether they are *right* is libyang's to say, or [`crate::contract`]'s.

use super::{DataNodeKind, identifier, kind, namespace};
use crate::render::decimal::plain;
use crate::render::dialect::is_yang_char;
use crate::template::{KeyType, OTHER, Property, Shape, Template};
use serde_json::{Map, Number, Value};

/// The element or member inside an anydata that holds JSON text.
pub const JSON: &str = "json";

/// A payload, or a part of it, that typed XML cannot say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTypedForm {
    /// XML has no JSON types: a value of another type could pass for one of the right type.
    #[error("{path}: {expected} is needed")]
    Type {
        /// The place, as an RFC 6901 pointer.
        path: String,
        /// The JSON type of the key.
        expected: &'static str,
    },
    /// A character that neither XML nor YANG can hold.
    #[error("{path}: U+{character:04X} cannot stand in XML")]
    Character {
        /// The place.
        path: String,
        /// Its code point.
        character: u32,
    },
    /// A key whose name no element can have.
    #[error("{path}: not a name that an element can have")]
    Name {
        /// The place.
        path: String,
    },
}

/// A canonical payload as typed XML: the container of the template's module with its elements, keys
/// in the template's order, unknown keys behind them.
///
/// Writes what is wrong as well where XML can say it (a value out of range, an unknown key), so that
/// libyang refuses it.
///
/// # Errors
/// [`NoTypedForm`] at the first place that XML cannot say.
pub fn to_xml(template: &Template, payload: &Map<String, Value>) -> Result<String, NoTypedForm> {
    let name = identifier(&template.schema_id);
    let mut writer = Writer { xml: String::new() };
    writer.xml = format!("<{name} xmlns=\"{}\">", namespace(template));
    let members: Vec<(&str, Place<'_>)> = template
        .keys
        .iter()
        .map(|key| match key.key_name.as_str() {
            OTHER => (OTHER, Place::Other),
            name => (name, Place::Shaped(&key.shape, key.required)),
        })
        .collect();
    writer.members(&members, payload, "")?;
    writer.close(&name);
    Ok(writer.xml)
}

/// The value at a place.
#[derive(Clone, Copy)]
enum Place<'a> {
    Other,
    Shaped(&'a Shape, bool),
}

struct Writer {
    xml: String,
}

impl Writer {
    fn members(
        &mut self,
        members: &[(&str, Place<'_>)],
        object: &Map<String, Value>,
        path: &str,
    ) -> Result<(), NoTypedForm> {
        for (name, place) in members {
            if let Some(value) = object.get(*name) {
                let path = format!("{path}/{name}");
                match place {
                    Place::Other => self.other(value, &path)?,
                    Place::Shaped(shape, required) => {
                        self.value(&identifier(name), shape, *required, value, &path)?;
                    }
                }
            }
        }
        for (name, value) in object {
            if !members.iter().any(|(known, _)| known == name) {
                self.unknown(name, value, path)?;
            }
        }
        Ok(())
    }

    fn object(
        &mut self,
        properties: &[Property],
        value: &Value,
        path: &str,
    ) -> Result<(), NoTypedForm> {
        let object = value
            .as_object()
            .ok_or_else(|| wrong(path, KeyType::Object))?;
        let members: Vec<(&str, Place<'_>)> = properties
            .iter()
            .map(|m| (m.name.as_str(), Place::Shaped(&m.shape, m.required)))
            .collect();
        self.members(&members, object, path)
    }

    fn value(
        &mut self,
        name: &str,
        shape: &Shape,
        required: bool,
        value: &Value,
        path: &str,
    ) -> Result<(), NoTypedForm> {
        match kind(shape, required) {
            DataNodeKind::Leaf => self.leaf(name, shape, value, path),
            DataNodeKind::AnyData => self.any(name, shape, value, path),
            DataNodeKind::Container { .. } => {
                self.open(name);
                self.object(&shape.constraint.properties, value, path)?;
                self.close(name);
                Ok(())
            }
            DataNodeKind::LeafList | DataNodeKind::List => {
                let entries = value
                    .as_array()
                    .ok_or_else(|| wrong(path, KeyType::Array))?;
                let items = shape.constraint.items.as_deref();
                let items = items.expect("a list has items");
                for (at, entry) in entries.iter().enumerate() {
                    self.value(name, items, false, entry, &format!("{path}/{at}"))?;
                }
                Ok(())
            }
        }
    }

    fn leaf(
        &mut self,
        name: &str,
        shape: &Shape,
        value: &Value,
        path: &str,
    ) -> Result<(), NoTypedForm> {
        let text = match (shape.key_type, value) {
            (KeyType::String, Value::String(text)) => text.clone(),
            (KeyType::Integer | KeyType::Number, Value::Number(number)) => plain(number),
            (KeyType::Boolean, Value::Bool(yes)) => yes.to_string(),
            (expected, _) => return Err(wrong(path, expected)),
        };
        self.element(name, &text, path)
    }

    fn any(
        &mut self,
        name: &str,
        shape: &Shape,
        value: &Value,
        path: &str,
    ) -> Result<(), NoTypedForm> {
        let right = match shape.key_type {
            KeyType::Array => value.is_array(),
            KeyType::Object => value.is_object(),
            _ => true,
        };
        if !right {
            return Err(wrong(path, shape.key_type));
        }
        // An empty array is no array to YANG: without entries there are no elements.
        if shape.key_type == KeyType::Array && value.as_array().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        self.open(name);
        self.element(JSON, &value.to_string(), path)?;
        self.close(name);
        Ok(())
    }

    fn other(&mut self, value: &Value, path: &str) -> Result<(), NoTypedForm> {
        let entries = match value {
            Value::Array(entries) => entries.as_slice(),
            one => std::slice::from_ref(one),
        };
        for entry in entries {
            let text = entry.as_str().ok_or_else(|| wrong(path, KeyType::String))?;
            self.element(OTHER, text, path)?;
        }
        Ok(())
    }

    /// A key that the template does not have: an element for libyang to refuse.
    fn unknown(&mut self, name: &str, value: &Value, path: &str) -> Result<(), NoTypedForm> {
        let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        if identifier(name) != name {
            return Err(NoTypedForm::Name { path });
        }
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.element(name, &text, &path)
    }

    fn open(&mut self, name: &str) {
        self.xml.extend(["<", name, ">"]);
    }

    fn close(&mut self, name: &str) {
        self.xml.extend(["</", name, ">"]);
    }

    fn element(&mut self, name: &str, text: &str, path: &str) -> Result<(), NoTypedForm> {
        self.open(name);
        for c in text.chars() {
            match c {
                '&' => self.xml.push_str("&amp;"),
                '<' => self.xml.push_str("&lt;"),
                '>' => self.xml.push_str("&gt;"),
                // A bare one is read as a line feed (XML 1.0 §2.11).
                '\r' => self.xml.push_str("&#13;"),
                c if is_yang_char(c) => self.xml.push(c),
                c => {
                    return Err(NoTypedForm::Character {
                        path: path.to_owned(),
                        character: u32::from(c),
                    });
                }
            }
        }
        self.close(name);
        Ok(())
    }
}

fn wrong(path: &str, expected: KeyType) -> NoTypedForm {
    NoTypedForm::Type {
        path: path.to_owned(),
        expected: expected.as_str(),
    }
}

// ------------------------------------------------------------------ RFC 7951

/// A canonical payload as RFC 7951 writes the container: `{"flight_booking_v1:flight_booking_v1":
/// {…}}`, integers and decimals as strings. Values of the wrong type stay as they are.
pub fn to_rfc7951(template: &Template, payload: &Map<String, Value>) -> Value {
    let name = identifier(&template.schema_id);
    let inner = payload.iter().map(|(name, value)| {
        let value = match template.key(name) {
            Some(_) if name == OTHER => match value {
                Value::String(_) => Value::Array(vec![value.clone()]),
                other => other.clone(),
            },
            Some(key) => encoded(&key.shape, key.required, value),
            None => value.clone(),
        };
        (identifier(name), value)
    });
    let inner: Map<String, Value> = inner.collect();
    Value::Object(Map::from_iter([(format!("{name}:{name}"), inner.into())]))
}

fn encoded(shape: &Shape, required: bool, value: &Value) -> Value {
    let kind = kind(shape, required);
    match (kind, value) {
        (DataNodeKind::Leaf, Value::Number(number)) => Value::String(plain(number)),
        (DataNodeKind::AnyData, value) => Value::Object(Map::from_iter([(
            JSON.to_owned(),
            value.to_string().into(),
        )])),
        (DataNodeKind::Container { .. }, Value::Object(object)) => {
            through(&shape.constraint.properties, object, encoded)
        }
        (DataNodeKind::LeafList | DataNodeKind::List, Value::Array(entries)) => {
            each(shape, entries, encoded)
        }
        (_, value) => value.clone(),
    }
}

/// The payload in the JSON that libyang prints of the container, or in that of its content:
/// numbers are numbers again, prefixes of modules are gone, `other` is a string if it is one.
///
/// Total: what is not as RFC 7951 says stays as it is, for [`crate::contract`] to refuse. Anydata
/// that a client wrote as elements, not as JSON text, is taken as printed: XML tells no types there.
pub fn from_rfc7951(template: &Template, printed: &Value) -> Map<String, Value> {
    let Value::Object(outer) = printed else {
        return Map::new();
    };
    let container = identifier(&template.schema_id);
    let inner = outer
        .iter()
        .find(|(name, _)| local(name) == container)
        .and_then(|(_, value)| value.as_object())
        .unwrap_or(outer);
    let by_name = |name: &str| {
        let keys = &template.keys;
        keys.iter()
            .find(|key| identifier(&key.key_name) == local(name))
    };
    let payload = inner.iter().map(|(name, value)| match by_name(name) {
        Some(key) if key.key_name == OTHER => (key.key_name.clone(), other_decoded(value)),
        Some(key) => {
            let value = decoded(&key.shape, key.required, value);
            (key.key_name.clone(), value)
        }
        None => (local(name).to_owned(), value.clone()),
    });
    payload.collect()
}

fn other_decoded(value: &Value) -> Value {
    match value {
        Value::Array(entries) if entries.len() == 1 => entries[0].clone(),
        other => other.clone(),
    }
}

fn decoded(shape: &Shape, required: bool, value: &Value) -> Value {
    let kind = kind(shape, required);
    match (kind, value) {
        (DataNodeKind::Leaf, Value::String(text)) => scalar(shape.key_type, text),
        (DataNodeKind::AnyData, value) => any_decoded(value),
        (DataNodeKind::Container { .. }, Value::Object(object)) => {
            through(&shape.constraint.properties, object, decoded)
        }
        (DataNodeKind::LeafList | DataNodeKind::List, Value::Array(entries)) => {
            each(shape, entries, decoded)
        }
        (_, value) => value.clone(),
    }
}

fn scalar(key_type: KeyType, text: &str) -> Value {
    let number = match key_type {
        KeyType::Integer => text.parse::<i64>().ok().map(Number::from),
        KeyType::Number => decimal(text),
        _ => None,
    };
    number.map_or_else(|| text.into(), Value::Number)
}

/// A decimal as the number that JSON canonically writes: `3.0` is 3 (RFC 8785 §3.2.2.3).
fn decimal(text: &str) -> Option<Number> {
    let whole = text.strip_suffix(".0").unwrap_or(text);
    match whole.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => Number::from_f64(text.parse().ok()?),
    }
}

fn any_decoded(value: &Value) -> Value {
    let Value::Object(object) = value else {
        return value.clone();
    };
    let mut members = object.iter();
    match (members.next(), members.next()) {
        (Some((name, Value::String(text))), None) if local(name) == JSON => {
            crate::json::read(text.as_bytes()).unwrap_or_else(|_| value.clone())
        }
        _ => without_prefixes(value),
    }
}

fn without_prefixes(value: &Value) -> Value {
    match value {
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (local(name).to_owned(), without_prefixes(value)))
            .collect(),
        Value::Array(entries) => entries.iter().map(without_prefixes).collect(),
        other => other.clone(),
    }
}

type Coding = fn(&Shape, bool, &Value) -> Value;

/// The members of an object, each in the other coding; unknown ones as they are.
fn through(properties: &[Property], object: &Map<String, Value>, coding: Coding) -> Value {
    let members = object.iter().map(|(name, value)| {
        let known = properties
            .iter()
            .find(|m| identifier(&m.name) == local(name));
        match known {
            Some(m) => (m.name.clone(), coding(&m.shape, m.required, value)),
            None => (local(name).to_owned(), value.clone()),
        }
    });
    members.collect()
}

fn each(shape: &Shape, entries: &[Value], coding: Coding) -> Value {
    let items = shape.constraint.items.as_deref();
    let items = items.expect("a list has items");
    entries
        .iter()
        .map(|entry| coding(items, false, entry))
        .collect()
}

/// A name without the module before it.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}
