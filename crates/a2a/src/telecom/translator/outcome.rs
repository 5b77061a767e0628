//! The result of a task as the section that its prompt expects.
//!
//! Knows how values are told to people; a result that is structured travels as data beside it.

use crate::telecom::markdown::{BlockBody, Prompt, Section};
use crate::telecom::text_language::TextLanguage;
use schema::template::{Key, Template};
use serde_json::{Map, Value};

/// The outcome of a task, by the template of its result: a line for each key, in the words of the
/// schema. Keys that the schema does not know are left out.
pub fn outcome(
    schema: &Template,
    values: &Map<String, Value>,
    text_language: TextLanguage,
) -> String {
    let told = schema
        .keys
        .iter()
        .filter_map(|key| Some((key, values.get(&key.key_name)?)));
    let title = text_language.either("Expected Output", "预期输出(Expected Output)");
    let section = told.fold(Section::new(title), |section, (key, value)| {
        section.with(BlockBody::Entry {
            depth: 0,
            number: None,
            text: line(schema, key, value, text_language),
        })
    });
    let document = Prompt {
        front: Vec::new(),
        sections: vec![section],
    };
    document.to_string()
}

fn line(schema: &Template, key: &Key, value: &Value, text_language: TextLanguage) -> String {
    let language = text_language.language();
    let (_, described) = key.annotation.lookup(Some(&language), &schema.language);
    let meaning = described.meaning.trim_end_matches(['.', '。']);
    let unit = key
        .shape
        .constraint
        .unit
        .as_deref()
        .map(|unit| format!(" {unit}"));
    let colon = text_language.either(": ", "：");
    format!(
        "{meaning}{colon}{}{}",
        told(value, text_language),
        unit.unwrap_or_default()
    )
}

fn told(value: &Value, text_language: TextLanguage) -> String {
    match value {
        Value::Bool(true) => text_language.either("yes", "是").to_owned(),
        Value::Bool(false) => text_language.either("no", "否").to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| told(item, text_language)).collect();
            items.join(text_language.either(", ", "、"))
        }
        value => value.to_string(),
    }
}
