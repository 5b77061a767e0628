//! The authored form: everything, in every language; the form that is kept, signed and shipped.

use super::sent::{head, whole_key};
use crate::language::Language;
use crate::patch::Patch;
use crate::template::{Annotation, Description, Key, Template};
use serde_json::{Map, Value, json};

/// A template as its author writes it. Reading it gives the same template.
pub fn template(template: &Template) -> Value {
    let keys = template.keys.iter().map(|k| key(k, &template.language));
    let mut members = Map::new();
    members.insert("schema_id".into(), template.schema_id.clone().into());
    members.insert("scenario".into(), template.scenario.clone().into());
    members.insert("language".into(), template.language.as_str().into());
    members.insert("keys".into(), keys.collect());
    if let Some(title) = &template.title {
        members.insert("title".into(), self::title(title, &template.language));
    }
    if let Some(response) = &template.response_schema_id {
        members.insert("response_schema_id".into(), response.clone().into());
    }
    Value::Object(members)
}

/// A key as its author writes it, in a template of a language.
pub fn key(key: &Key, language: &Language) -> Value {
    whole_key(key, &|annotation, _, members| {
        describe(annotation, language, members);
    })
}

/// A patch with its descriptions in every language. Reading it gives the same patch.
pub fn patch(patch: &Patch) -> Value {
    let language = Language::english();
    let mut members = head(patch);
    if !patch.new_keys.is_empty() {
        let keys = patch.new_keys.iter().map(|k| key(k, &language));
        members.insert("new_keys".into(), keys.collect());
    }
    if !patch.modified_keys.is_empty() {
        let keys = patch.modified_keys.iter().map(|refinement| {
            let mut members = Map::new();
            members.insert("key_name".into(), refinement.key_name.clone().into());
            describe(&refinement.annotation, &language, &mut members);
            Value::Object(members)
        });
        members.insert("modified_keys".into(), keys.collect());
    }
    Value::Object(members)
}

/// One prose in the template's language is the draft's member; all else is `annotations`.
fn describe(annotation: &Annotation, language: &Language, members: &mut Map<String, Value>) {
    match annotation.0.get(language) {
        Some(only) if only.verbatim && annotation.0.len() == 1 => {
            members.insert("semantic_description".into(), only.meaning.clone().into());
        }
        _ => {
            let each = annotation
                .0
                .iter()
                .map(|(l, d)| (l.to_string(), description(d)));
            members.insert("annotations".into(), Value::Object(each.collect()));
        }
    }
}

fn description(description: &Description) -> Value {
    if description.verbatim {
        return description.meaning.clone().into();
    }
    let examples: Vec<Value> = description
        .examples
        .iter()
        .map(|e| json!([e.said, e.value]))
        .collect();
    match examples.is_empty() {
        true => json!({"meaning": description.meaning}),
        false => json!({"meaning": description.meaning, "examples": examples}),
    }
}

fn title(title: &Annotation, language: &Language) -> Value {
    match title.0.get(language) {
        Some(only) if title.0.len() == 1 => only.meaning.clone().into(),
        _ => {
            let each = title
                .0
                .iter()
                .map(|(l, d)| (l.to_string(), d.meaning.clone().into()));
            Value::Object(each.collect())
        }
    }
}
