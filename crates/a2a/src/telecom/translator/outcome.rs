//! The result of a task as the section that its prompt expects.
//!
//! Knows how values are told to people; a result that is structured travels as data beside it.

use crate::telecom::markdown::{Body, Document, Section};
use crate::telecom::tongue::Tongue;
use schema::template::{Key, Template};
use serde_json::{Map, Value};

/// What came of a task, by the template of its result: a line for each key, in the words of the
/// schema. Keys that the schema does not know are left out.
pub fn outcome(schema: &Template, values: &Map<String, Value>, tongue: Tongue) -> String {
    let told = schema
        .keys
        .iter()
        .filter_map(|key| Some((key, values.get(&key.key_name)?)));
    let title = tongue.either("Expected Output", "预期输出(Expected Output)");
    let section = told.fold(Section::new(title), |section, (key, value)| {
        section.with(Body::Entry {
            depth: 0,
            number: None,
            text: line(schema, key, value, tongue),
        })
    });
    let document = Document {
        front: Vec::new(),
        sections: vec![section],
    };
    document.to_string()
}

fn line(schema: &Template, key: &Key, value: &Value, tongue: Tongue) -> String {
    let language = tongue.language();
    let (_, described) = key.annotation.lookup(Some(&language), &schema.language);
    let meaning = described.meaning.trim_end_matches(['.', '。']);
    let unit = key
        .shape
        .constraint
        .unit
        .as_deref()
        .map(|unit| format!(" {unit}"));
    let colon = tongue.either(": ", "：");
    format!(
        "{meaning}{colon}{}{}",
        told(value, tongue),
        unit.unwrap_or_default()
    )
}

fn told(value: &Value, tongue: Tongue) -> String {
    match value {
        Value::Bool(true) => tongue.either("yes", "是").to_owned(),
        Value::Bool(false) => tongue.either("no", "否").to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| told(item, tongue)).collect();
            items.join(tongue.either(", ", "、"))
        }
        value => value.to_string(),
    }
}
