//! A template as JSON Schema 2020-12, for those who validate by it.
//!
//! `format` has to be asserted by who checks with it; the keyword `$schema` alone makes it an
//! annotation.

use super::{dialect, wording};
use crate::iregexp;
use crate::language::Language;
use crate::template::{Key, KeyStatus, KeyType, OTHER, Property, Shape, Template};
use serde_json::{Map, Value, json};

/// The JSON Schema of a template's payloads, described in the language asked for.
///
/// Refuses keys that the template does not have. `experimental` keys say `x-experimental`,
/// deprecated ones `deprecated`. A pattern that is no I-Regexp, which only a peer's template can
/// have, is left out.
pub fn json_schema(template: &Template, language: &Language) -> Value {
    Value::Object(json_schema_object(template, language))
}

/// The same, for those who take nothing but an object.
pub fn json_schema_object(template: &Template, language: &Language) -> Map<String, Value> {
    let properties: Map<String, Value> = template
        .keys
        .iter()
        .map(|key| (key.key_name.clone(), key_schema(key, template, language)))
        .collect();
    let required: Vec<&str> = template
        .own_keys()
        .filter(|key| key.required)
        .map(|key| key.key_name.as_str())
        .collect();
    let id = format!("urn:convoke:schema:{}", template.schema_id);
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    let members = [
        ("$schema", json!(dialect)),
        ("$id", json!(id)),
        ("title", json!(wording::title(template, language))),
        ("type", json!("object")),
        ("properties", Value::Object(properties)),
        ("required", json!(required)),
        ("additionalProperties", json!(false)),
    ];
    members
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

fn key_schema(key: &Key, template: &Template, language: &Language) -> Value {
    let mut schema = match key.key_name.as_str() {
        OTHER => Map::from_iter([
            ("type".to_owned(), json!(["string", "array"])),
            ("items".to_owned(), json!({"type": "string"})),
        ]),
        _ => shape_schema(&key.shape, key.required, template, language),
    };
    let told = wording::told(&key.annotation, &key.shape, language, &template.language);
    describe(&mut schema, told);
    if let Some(default) = wording::default(key) {
        schema.insert("default".to_owned(), default.clone());
    }
    match key.standing {
        KeyStatus::Stable => None,
        KeyStatus::Experimental => schema.insert("x-experimental".to_owned(), Value::Bool(true)),
        KeyStatus::Deprecated => schema.insert("deprecated".to_owned(), Value::Bool(true)),
    };
    Value::Object(schema)
}

fn describe(schema: &mut Map<String, Value>, told: String) {
    if !told.is_empty() {
        schema.insert("description".to_owned(), Value::String(told));
    }
}

/// The keywords of a shape. A required array has an entry at least.
pub(crate) fn shape_schema(
    shape: &Shape,
    required: bool,
    template: &Template,
    language: &Language,
) -> Map<String, Value> {
    let constraint = &shape.constraint;
    let mut schema = Map::new();
    if shape.key_type != KeyType::Any {
        schema.insert("type".to_owned(), shape.key_type.as_str().into());
    }
    if !constraint.allowed.is_empty() {
        schema.insert("enum".to_owned(), constraint.allowed.clone().into());
    }
    if let Some(unit) = &constraint.unit {
        schema.insert("x-unit".to_owned(), unit.clone().into());
    }
    match shape.key_type {
        KeyType::String => text_keywords(shape, &mut schema),
        KeyType::Integer | KeyType::Number => range_keywords(shape, &mut schema),
        KeyType::Array => array_keywords(shape, required, template, language, &mut schema),
        KeyType::Object => object_keywords(&constraint.properties, template, language, &mut schema),
        KeyType::Boolean | KeyType::Any => {}
    }
    schema
}

fn text_keywords(shape: &Shape, schema: &mut Map<String, Value>) {
    let constraint = &shape.constraint;
    if let Some(format) = constraint.format {
        schema.insert("format".to_owned(), format.as_str().into());
    }
    if let Some(node) = constraint
        .pattern
        .as_deref()
        .and_then(|text| iregexp::parse(text).ok())
    {
        schema.insert("pattern".to_owned(), dialect::ecma(&node).into());
    }
    if let Some(length) = constraint.max_length {
        schema.insert("maxLength".to_owned(), length.into());
    }
}

fn range_keywords(shape: &Shape, schema: &mut Map<String, Value>) {
    let bounds = [
        ("minimum", &shape.constraint.minimum),
        ("maximum", &shape.constraint.maximum),
    ];
    for (keyword, bound) in bounds {
        if let Some(bound) = bound {
            schema.insert(keyword.to_owned(), Value::Number(bound.clone()));
        }
    }
}

fn array_keywords(
    shape: &Shape,
    required: bool,
    template: &Template,
    language: &Language,
    schema: &mut Map<String, Value>,
) {
    if let Some(items) = &shape.constraint.items {
        let items = shape_schema(items, false, template, language);
        schema.insert("items".to_owned(), Value::Object(items));
    }
    if required {
        schema.insert("minItems".to_owned(), 1.into());
    }
    if let Some(items) = shape.constraint.max_items {
        schema.insert("maxItems".to_owned(), items.into());
    }
}

fn object_keywords(
    members: &[Property],
    template: &Template,
    language: &Language,
    schema: &mut Map<String, Value>,
) {
    if members.is_empty() {
        return;
    }
    let mut properties = Map::new();
    for member in members {
        let mut inner = shape_schema(&member.shape, member.required, template, language);
        let told = wording::told(
            &member.annotation,
            &member.shape,
            language,
            &template.language,
        );
        describe(&mut inner, told);
        properties.insert(member.name.clone(), Value::Object(inner));
    }
    let required: Vec<&str> = members
        .iter()
        .filter(|member| member.required)
        .map(|member| member.name.as_str())
        .collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), required.into());
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
}
