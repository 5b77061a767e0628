//! A template as the `response_format` of an OpenAI-compatible endpoint (§6.1).
//!
//! Strict mode wants every key required and refuses what is not declared, so "not said" is `null`;
//! normalising takes the nulls out again.

use super::json_schema::shape_schema;
use super::wording;
use crate::language::Language;
use crate::template::{KeyType, OTHER, Shape, Template};
use serde_json::{Map, Value, json};

/// Keywords that strict mode refuses, or that say nothing there.
const LEFT_OUT: [&str; 4] = ["default", "maxLength", "x-unit", "minItems"];

/// Formats that strict mode knows.
const FORMATS: [&str; 6] = ["date", "time", "date-time", "ipv4", "ipv6", "uuid"];

/// The value of `response_format`: a JSON Schema in which every key is required and may be `null`.
///
/// `strict` unless the template has an object or array without declared content, which strict mode
/// cannot have.
pub fn response_format(template: &Template, language: &Language) -> Value {
    let mut properties = Map::new();
    for key in &template.keys {
        let mut schema = match key.key_name.as_str() {
            OTHER => json!({"type": ["array", "null"], "items": {"type": "string"}}),
            _ => nullable(shape_schema(&key.shape, false, template, language)),
        };
        let told = wording::told(&key.annotation, &key.shape, language, &template.language);
        if !told.is_empty() {
            schema["description"] = told.into();
        }
        properties.insert(key.key_name.clone(), schema);
    }
    let names: Vec<&str> = template.keys.iter().map(|k| k.key_name.as_str()).collect();
    json!({
        "type": "json_schema",
        "json_schema": {
            "name": name(&template.schema_id),
            "strict": template.own_keys().all(|key| is_declared(&key.shape)),
            "schema": {
                "type": "object",
                "properties": properties,
                "required": names,
                "additionalProperties": false,
            },
        },
    })
}

/// The name of a format: letters, digits, `_` and `-`, 64 at most.
fn name(schema_id: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let name = schema_id.chars().map(|c| if safe(c) { c } else { '_' });
    name.take(64).collect()
}

/// True if all that a shape holds is declared.
fn is_declared(shape: &Shape) -> bool {
    match shape.key_type {
        KeyType::Any => false,
        KeyType::Array => shape.constraint.items.as_deref().is_some_and(is_declared),
        KeyType::Object => {
            let members = &shape.constraint.properties;
            !members.is_empty() && members.iter().all(|member| is_declared(&member.shape))
        }
        KeyType::String | KeyType::Integer | KeyType::Number | KeyType::Boolean => true,
    }
}

/// The schema with `null` beside its type, its members likewise and all required.
fn nullable(schema: Map<String, Value>) -> Value {
    let mut schema = strict(schema);
    if let Some(name) = schema.get("type").cloned() {
        schema.insert("type".to_owned(), json!([name, "null"]));
    }
    if let Some(Value::Array(allowed)) = schema.get_mut("enum") {
        allowed.push(Value::Null);
    }
    Value::Object(schema)
}

fn strict(mut schema: Map<String, Value>) -> Map<String, Value> {
    schema.retain(|keyword, _| !LEFT_OUT.contains(&keyword.as_str()));
    let unknown = |format: &Value| format.as_str().is_some_and(|f| !FORMATS.contains(&f));
    if schema.get("format").is_some_and(unknown) {
        schema.remove("format");
    }
    if let Some(Value::Object(items)) = schema.remove("items") {
        schema.insert("items".to_owned(), Value::Object(strict(items)));
    }
    if let Some(Value::Object(members)) = schema.remove("properties") {
        schema.insert("required".to_owned(), members.keys().cloned().collect());
        let members = members.into_iter().map(|(name, member)| match member {
            Value::Object(member) => (name, nullable(member)),
            other => (name, other),
        });
        schema.insert("properties".to_owned(), Value::Object(members.collect()));
    }
    schema
}
