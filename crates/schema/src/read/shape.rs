//! Types and what narrows them from JSON: our members, and as much of JSON Schema as peers use.

use super::annotation;
use super::number::{integral, whole};
use super::reader::{Object, Reader};
use crate::language::Language;
use crate::lint::{self, DEPTH_MAX, LintFinding, LintRule, Place};
use crate::template::{Constraint, Format, KeyType, Property, Shape};
use serde_json::{Map, Value};

/// The members that narrow a type.
pub(super) const MEMBERS: [&str; 10] = [
    "enum",
    "minimum",
    "maximum",
    "format",
    "pattern",
    "maxLength",
    "maxItems",
    "items",
    "properties",
    "unit",
];
const PROPERTY_MEMBERS: [&str; 4] = ["name", "required", "semantic_description", "annotations"];

/// The type of a key and what narrows it; the caller lints its first level.
pub(super) fn of_key(reader: &mut Reader, object: Object<'_>, language: &Language) -> Shape {
    read(reader, object, language, 1)
}

/// Takes from a peer's shape what findings say cannot be enforced.
pub(super) fn mend(shape: &mut Shape, findings: &[LintFinding]) {
    let broken = [
        LintRule::Misfit,
        LintRule::Bounds,
        LintRule::Enum,
        LintRule::Pattern,
        LintRule::Number,
    ];
    for finding in findings.iter().filter(|f| broken.contains(&f.rule)) {
        let member = finding
            .path
            .rsplit('/')
            .find(|part| part.parse::<usize>().is_err());
        forget(&mut shape.constraint, member.unwrap_or_default());
    }
}

fn forget(rule: &mut Constraint, member: &str) {
    match member {
        "enum" => rule.allowed.clear(),
        "minimum" | "maximum" => (rule.minimum, rule.maximum) = (None, None),
        "format" => rule.format = None,
        "pattern" => rule.pattern = None,
        "maxLength" => rule.max_length = None,
        "maxItems" => rule.max_items = None,
        "items" => rule.items = None,
        "properties" => rule.properties.clear(),
        _ => {}
    }
}

fn read(reader: &mut Reader, object: Object<'_>, language: &Language, depth: usize) -> Shape {
    let key_type = key_type(reader, object, depth);
    if key_type == KeyType::Any {
        return Shape::of(key_type);
    }
    let number = |v: &Value| v.as_number().map(|n| whole(key_type, n));
    let size = |v: &Value| {
        whole(KeyType::Integer, v.as_number()?)
            .as_u64()?
            .try_into()
            .ok()
    };
    let text = |v: &Value| v.as_str().map(str::to_owned);
    Shape {
        key_type,
        constraint: Constraint {
            allowed: allowed(reader, object, key_type),
            minimum: reader.optional(object, "minimum", "a number", number),
            maximum: reader.optional(object, "maximum", "a number", number),
            format: format(reader, object),
            pattern: reader.optional(object, "pattern", "a string", text),
            max_length: reader.optional(object, "maxLength", "a number of characters", size),
            max_items: reader.optional(object, "maxItems", "a number of items", size),
            items: items(reader, object, language, depth),
            properties: properties(reader, object, language, depth),
            unit: reader.optional(object, "unit", "a string", text),
        },
    }
}

fn key_type(reader: &mut Reader, object: Object<'_>, depth: usize) -> KeyType {
    // Nested shapes may be JSON Schemas, and so may the keys of peers.
    let names: &[&str] = match depth > 1 || reader.of_peer() {
        true => &["key_type", "type"],
        false => &["key_type"],
    };
    match object.first(names) {
        Some((value, at)) => named_type(value, reader.of_peer()).unwrap_or_else(|| {
            let rule = if value.is_string() || reader.of_peer() {
                LintRule::KeyType
            } else {
                LintRule::Mistyped
            };
            let known = KeyType::ALL.map(KeyType::as_str).join(", ");
            reader.note(
                rule,
                &at,
                format!("{value} is not one of the types {known}"),
            );
            KeyType::Any
        }),
        None => {
            let rule = if reader.of_peer() {
                LintRule::KeyType
            } else {
                LintRule::Missing
            };
            reader.note(rule, object.at, "'key_type' is missing");
            KeyType::Any
        }
    }
}

/// A type by its name; of a peer also `["string", "null"]`, for null is absence here.
fn named_type(value: &Value, of_peer: bool) -> Option<KeyType> {
    match value {
        Value::String(name) => KeyType::parse(name),
        Value::Array(names) if of_peer => {
            let mut named = names.iter().filter(|n| n.as_str() != Some("null"));
            let only = named.next()?.as_str()?;
            named.next().is_none().then(|| KeyType::parse(only))?
        }
        _ => None,
    }
}

fn allowed(reader: &mut Reader, object: Object<'_>, key_type: KeyType) -> Vec<Value> {
    let name = extension(reader, object, "enum", "x_enum");
    let values = reader.optional(object, name, "an array of at least one value", |v| {
        v.as_array().filter(|values| !values.is_empty())
    });
    values
        .into_iter()
        .flatten()
        .map(|value| integral(key_type, value))
        .collect()
}

/// The member under its own name, or of a peer under that with `x_`.
fn extension<'n>(reader: &Reader, object: Object<'_>, own: &'n str, peers: &'n str) -> &'n str {
    match reader.of_peer() && object.get(own).is_none() {
        true => peers,
        false => own,
    }
}

fn format(reader: &mut Reader, object: Object<'_>) -> Option<Format> {
    let known = Format::ALL.map(Format::as_str).join(", ");
    let wanted = format!("one of {known}");
    reader.optional(object, "format", &wanted, |v| {
        v.as_str().and_then(Format::parse)
    })
}

fn items(
    reader: &mut Reader,
    object: Object<'_>,
    language: &Language,
    depth: usize,
) -> Option<Box<Shape>> {
    let name = extension(reader, object, "items", "x_items");
    let members = reader.optional(object, name, "an object", Value::as_object)?;
    let at = object.at.member(name);
    let within = Object { members, at: &at };
    nested(reader, within, language, depth, &["key_type", "type"]).map(Box::new)
}

/// A shape one level deeper, linted.
fn nested(
    reader: &mut Reader,
    object: Object<'_>,
    language: &Language,
    depth: usize,
    known: &[&str],
) -> Option<Shape> {
    if depth == DEPTH_MAX {
        reader.note(
            LintRule::Limit,
            object.at,
            format!("shapes nest deeper than {DEPTH_MAX}"),
        );
        return None;
    }
    reader.unknown_members(object, &[known, &MEMBERS].concat());
    let mut shape = read(reader, object, language, depth + 1);
    let before = reader.findings.list.len();
    lint::shape_level(&shape, object.at, &mut reader.findings);
    if reader.of_peer() {
        mend(&mut shape, &reader.findings.list[before..]);
    }
    Some(shape)
}

fn properties(
    reader: &mut Reader,
    object: Object<'_>,
    language: &Language,
    depth: usize,
) -> Vec<Property> {
    let at = object.at.member("properties");
    match object.members.get("properties") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) if list.len() <= lint::KEYS_MAX => {
            let read = list.iter().enumerate();
            read.filter_map(|(i, value)| listed(reader, value, &at.index(i), language, depth))
                .collect()
        }
        Some(Value::Array(list)) => {
            let message = format!("{} properties; {} are the most", list.len(), lint::KEYS_MAX);
            reader.note(LintRule::Limit, &at, message);
            Vec::new()
        }
        Some(Value::Object(map)) if reader.of_peer() => json_schema(
            reader,
            map,
            object.members.get("required"),
            &at,
            language,
            depth,
        ),
        Some(_) => {
            reader.note(
                LintRule::Malformed,
                &at,
                "'properties' is an array of objects with 'name'",
            );
            Vec::new()
        }
    }
}

/// A property of our form.
fn listed(
    reader: &mut Reader,
    value: &Value,
    at: &Place,
    language: &Language,
    depth: usize,
) -> Option<Property> {
    let object = reader.object(value, at)?;
    let name = reader.demanded_text(object, "name");
    let shape = property_shape(reader, object, language, depth);
    let required = reader.flag(object, "required");
    let property = Property {
        annotation: annotation::of(reader, object, shape.as_ref()?, language),
        name: name?,
        required,
        shape: shape?,
    };
    lint::described(
        &property.annotation,
        &property.shape,
        at,
        &mut reader.findings,
    );
    Some(property)
}

fn property_shape(
    reader: &mut Reader,
    object: Object<'_>,
    language: &Language,
    depth: usize,
) -> Option<Shape> {
    let known = [&PROPERTY_MEMBERS[..], &["key_type", "type"]].concat();
    nested(reader, object, language, depth, &known)
}

/// The properties of a peer's JSON Schema, by name.
fn json_schema(
    reader: &mut Reader,
    map: &Map<String, Value>,
    required: Option<&Value>,
    at: &Place,
    language: &Language,
    depth: usize,
) -> Vec<Property> {
    let required = required.and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|r| r.iter().any(|n| n == name));
    let mut properties = Vec::new();
    for (name, value) in map.iter().take(lint::KEYS_MAX) {
        let at = at.member(name);
        let Some(object) = reader.object(value, &at) else {
            continue;
        };
        let Some(shape) = property_shape(reader, object, language, depth) else {
            continue;
        };
        properties.push(Property {
            name: name.clone(),
            annotation: annotation::of(reader, object, &shape, language),
            required: is_required(name),
            shape,
        });
    }
    properties
}
