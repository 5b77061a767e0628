//! Descriptions from JSON: one prose, or meaning and examples by language (§4.2).

use super::number::integral;
use super::prose;
use super::reader::{Object, Reader};
use crate::language::Language;
use crate::lint::{LintRule, Place};
use crate::template::{Annotation, Description, KeyType, MappingExample, Shape};
use serde_json::{Map, Value};

/// The descriptions of a key or a property.
pub(super) fn of(
    reader: &mut Reader,
    object: Object<'_>,
    shape: &Shape,
    language: &Language,
) -> Annotation {
    let mut annotation = annotations(reader, object, shape.key_type);
    let names: &[&str] = match reader.of_peer() {
        true => &["semantic_description", "description"],
        false => &["semantic_description"],
    };
    match object.first(names) {
        Some((Value::String(prose), at)) => {
            let description = prose::description(prose, shape.key_type);
            if annotation.0.insert(language.clone(), description).is_some() {
                reader.note(
                    LintRule::Malformed,
                    &at,
                    format!("'annotations' has {language} too"),
                );
            }
        }
        Some((Value::Object(by_language), at)) if reader.of_peer() => {
            reader.note(
                LintRule::Malformed,
                &at,
                "'semantic_description' is one string",
            );
            annotation
                .0
                .extend(languages(reader, by_language, shape.key_type, &at).0);
        }
        Some((_, at)) => reader.note(
            LintRule::Mistyped,
            &at,
            "'semantic_description' is a string",
        ),
        // Lint says that there is none.
        None => {}
    }
    annotation
}

/// The title of a template: one, or one by language.
pub(super) fn title(
    reader: &mut Reader,
    object: Object<'_>,
    language: &Language,
) -> Option<Annotation> {
    let (value, at) = object.get("title")?;
    match value {
        Value::String(title) => Some(Annotation::of(
            language.clone(),
            Description::meaning(title),
        )),
        Value::Object(titles) if !titles.is_empty() => Some(Annotation(
            titles
                .iter()
                .filter_map(|(tag, title)| {
                    let at = at.member(tag);
                    let text = title.as_str();
                    if text.is_none() {
                        reader.note(LintRule::Malformed, &at, "a title is a string");
                    }
                    Some((tag_of(reader, tag, &at)?, Description::meaning(text?)))
                })
                .collect(),
        )),
        _ => {
            reader.note(
                LintRule::Malformed,
                &at,
                "'title' is a string, or strings by language",
            );
            None
        }
    }
}

fn annotations(reader: &mut Reader, object: Object<'_>, key_type: KeyType) -> Annotation {
    let wanted = "an object of descriptions by language";
    let by_language = reader.optional(object, "annotations", wanted, Value::as_object);
    by_language.map_or_else(Annotation::default, |by_language| {
        languages(
            reader,
            by_language,
            key_type,
            &object.at.member("annotations"),
        )
    })
}

fn languages(
    reader: &mut Reader,
    by_language: &Map<String, Value>,
    key_type: KeyType,
    at: &Place,
) -> Annotation {
    let read = by_language.iter().filter_map(|(tag, value)| {
        let at = at.member(tag);
        let language = tag_of(reader, tag, &at);
        let description = description(reader, value, key_type, &at);
        Some((language?, description?))
    });
    Annotation(read.collect())
}

fn tag_of(reader: &mut Reader, tag: &str, at: &Place) -> Option<Language> {
    Language::parse(tag)
        .map_err(|e| reader.note(LintRule::Language, at, e.to_string()))
        .ok()
}

/// A prose, or a meaning with examples.
fn description(
    reader: &mut Reader,
    value: &Value,
    key_type: KeyType,
    at: &Place,
) -> Option<Description> {
    if let Value::String(prose) = value {
        return Some(prose::description(prose, key_type));
    }
    let Some(members) = value.as_object() else {
        reader.note(
            LintRule::Malformed,
            at,
            "a description is a string or an object",
        );
        return None;
    };
    let object = Object { members, at };
    reader.unknown_members(object, &["meaning", "examples"]);
    let meaning = reader.optional(object, "meaning", "a string", |v| {
        v.as_str().map(str::to_owned)
    });
    let examples = reader.optional(object, "examples", "an array", Value::as_array);
    Some(Description {
        meaning: meaning.unwrap_or_default(),
        verbatim: false,
        examples: self::examples(reader, examples, key_type, &at.member("examples")),
    })
}

fn examples(
    reader: &mut Reader,
    list: Option<&Vec<Value>>,
    key_type: KeyType,
    at: &Place,
) -> Vec<MappingExample> {
    let pairs = list.into_iter().flatten().enumerate();
    pairs
        .filter_map(|(i, pair)| {
            let example = example(pair, key_type);
            if example.is_none() {
                reader.note(
                    LintRule::Malformed,
                    &at.index(i),
                    "an example is [what is said, the value]",
                );
            }
            example
        })
        .collect()
}

fn example(pair: &Value, key_type: KeyType) -> Option<MappingExample> {
    match pair.as_array()?.as_slice() {
        [Value::String(said), value] if !said.is_empty() && !value.is_null() => {
            Some(MappingExample {
                said: said.clone(),
                value: integral(key_type, value),
            })
        }
        _ => None,
    }
}
