//! A key definition from JSON (§4.1).

use super::number::integral;
use super::reader::{Object, Reader};
use super::{annotation, shape};
use crate::language::Language;
use crate::lint::{self, LintRule, Place};
use crate::template::{Key, KeyStatus, KeyType, OTHER, Shape};
use serde_json::Value;

const MEMBERS: [&str; 8] = [
    "key_name",
    "required",
    "default_value",
    "semantic_description",
    "annotations",
    "security_relevant",
    "experimental",
    "deprecated",
];

/// Reads and lints a key whose `semantic_description` is in a language.
pub(super) fn read(
    reader: &mut Reader,
    value: &Value,
    language: &Language,
    at: &Place,
) -> Option<Key> {
    let object = reader.object(value, at)?;
    let known = [&MEMBERS[..], &shape::MEMBERS, &["key_type"]].concat();
    reader.unknown_members(object, &known);
    let key_name = reader.demanded_text(object, "key_name");
    let shape = shape::of_key(reader, object, language);
    let mut key = Key {
        required: required(reader, object),
        default_value: default_value(object, &shape),
        annotation: annotation::of(reader, object, &shape, language),
        security_relevant: reader.flag(object, "security_relevant"),
        standing: standing(reader, object),
        key_name: key_name?,
        shape,
    };
    let before = reader.findings.list.len();
    lint::key(&key, at, &mut reader.findings);
    if reader.of_peer() {
        mend(&mut key, reader, before);
    }
    Some(key)
}

fn required(reader: &mut Reader, object: Object<'_>) -> bool {
    match object.get("required") {
        None => {
            reader.note(LintRule::Missing, object.at, "'required' is missing");
            false
        }
        Some((value, at)) => value.as_bool().unwrap_or_else(|| {
            reader.note(LintRule::Mistyped, &at, "'required' is true or false");
            false
        }),
    }
}

/// `null` is no default.
fn default_value(object: Object<'_>, shape: &Shape) -> Option<Value> {
    object
        .get("default_value")
        .map(|(value, _)| integral(shape.key_type, value))
}

fn standing(reader: &mut Reader, object: Object<'_>) -> KeyStatus {
    let experimental = reader.flag(object, "experimental");
    match reader.flag(object, "deprecated") {
        true => KeyStatus::Deprecated,
        false if experimental => KeyStatus::Experimental,
        false => KeyStatus::Stable,
    }
}

/// Takes from a peer's key what was warned of and cannot be used as it stands.
fn mend(key: &mut Key, reader: &Reader, before: usize) {
    if key.key_name == OTHER {
        key.required = false;
        key.shape = Shape::of(KeyType::String);
        key.default_value = None;
    }
    if reader.findings.list[before..]
        .iter()
        .any(|f| f.rule == LintRule::Default)
    {
        key.default_value = None;
    }
    shape::mend(&mut key.shape, &reader.findings.list[before..]);
}
