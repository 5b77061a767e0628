//! A patch from JSON, and the short form of a suggestion (§6.2.2, Figure 9).

use super::reader::{Object, Reader};
use super::{annotation, key};
use crate::language::Language;
use crate::lint::{self, LintRule, Place};
use crate::patch::{Patch, Refinement};
use crate::signature::SEAL;
use crate::template::{Key, KeyType, OTHER, Shape};
use serde_json::Value;
use std::collections::BTreeSet;

const MEMBERS: [&str; 9] = [
    "patch_id",
    "parent_schema_id",
    "timestamp",
    "expires_at",
    "client",
    "new_keys",
    "modified_keys",
    "language",
    SEAL,
];

/// The content of a `schema_update_suggestion`.
#[derive(Clone, Debug, PartialEq)]
pub enum Suggestion {
    /// A whole patch.
    Patch(Patch),
    /// Keys without a patch around them: advice, on which nothing can be built.
    Advice {
        /// Keys that the schema might gain.
        new_keys: Vec<Key>,
        /// Keys that might be described better.
        modified_keys: Vec<Refinement>,
    },
}

/// Reads and lints a patch.
pub(super) fn read(reader: &mut Reader, value: &Value, at: &Place) -> Option<Patch> {
    let object = reader.object(value, at)?;
    let patch_id = reader.demanded_text(object, "patch_id");
    let parent_schema_id = reader.demanded_text(object, "parent_schema_id");
    let timestamp = reader.demanded_instant(object, "timestamp");
    let expires_at = reader.demanded_instant(object, "expires_at");
    if expires_at
        .zip(timestamp)
        .is_some_and(|(end, start)| end <= start)
    {
        reader.note(
            LintRule::Patch,
            &at.member("expires_at"),
            "the patch ends before it begins",
        );
    }
    let client = reader.optional(object, "client", "a string", |v| {
        v.as_str().map(str::to_owned)
    });
    let (new_keys, modified_keys) = changes(reader, object);
    Some(Patch {
        patch_id: patch_id?,
        parent_schema_id: parent_schema_id?,
        timestamp: timestamp?,
        expires_at: expires_at?,
        client,
        new_keys,
        modified_keys,
    })
}

/// Reads a whole patch if it names itself, the short form otherwise.
pub(super) fn suggestion(reader: &mut Reader, value: &Value, at: &Place) -> Option<Suggestion> {
    let object = reader.object(value, at)?;
    if object.get("patch_id").is_some() {
        return read(reader, value, at).map(Suggestion::Patch);
    }
    let (new_keys, modified_keys) = changes(reader, object);
    Some(Suggestion::Advice {
        new_keys,
        modified_keys,
    })
}

fn changes(reader: &mut Reader, object: Object<'_>) -> (Vec<Key>, Vec<Refinement>) {
    reader.unknown_members(object, &MEMBERS);
    let language = reader.language(object, Language::english());
    let new_keys: Vec<Key> = list(reader, object, "new_keys", |reader, value, at| {
        new_key(reader, value, &language, at)
    });
    let modified_keys: Vec<Refinement> =
        list(reader, object, "modified_keys", |reader, value, at| {
            refinement(reader, value, &language, at)
        });
    if new_keys.is_empty() && modified_keys.is_empty() {
        reader.note(
            LintRule::Patch,
            object.at,
            "nothing new and nothing modified",
        );
    }
    once(
        reader,
        object,
        new_keys
            .iter()
            .map(|k| &k.key_name)
            .chain(modified_keys.iter().map(|m| &m.key_name)),
    );
    (new_keys, modified_keys)
}

fn list<T>(
    reader: &mut Reader,
    object: Object<'_>,
    name: &str,
    mut read: impl FnMut(&mut Reader, &Value, &Place) -> Option<T>,
) -> Vec<T> {
    let Some((value, at)) = object.get(name) else {
        return Vec::new();
    };
    match value.as_array() {
        Some(list) if list.len() <= lint::KEYS_MAX => list
            .iter()
            .enumerate()
            .filter_map(|(i, value)| read(reader, value, &at.index(i)))
            .collect(),
        Some(list) => {
            let message = format!("{} keys; {} are the most", list.len(), lint::KEYS_MAX);
            reader.note(LintRule::Limit, &at, message);
            Vec::new()
        }
        None => {
            reader.note(LintRule::Mistyped, &at, format!("'{name}' is an array"));
            Vec::new()
        }
    }
}

fn new_key(reader: &mut Reader, value: &Value, language: &Language, at: &Place) -> Option<Key> {
    let key = key::read(reader, value, language, at)?;
    if key.required {
        reader.note(
            LintRule::Patch,
            &at.member("required"),
            "a patch never requires a key",
        );
    }
    if key.key_name == OTHER {
        reader.note(
            LintRule::Patch,
            &at.member("key_name"),
            "'other' is of every template already",
        );
    }
    Some(key)
}

fn refinement(
    reader: &mut Reader,
    value: &Value,
    language: &Language,
    at: &Place,
) -> Option<Refinement> {
    let object = reader.object(value, at)?;
    let describing = ["key_name", "semantic_description", "annotations"];
    for name in object
        .members
        .keys()
        .filter(|name| !describing.contains(&name.as_str()))
    {
        let message = format!("a patch changes descriptions only, not '{name}'");
        reader.note(LintRule::Patch, &at.member(name), message);
    }
    let key_name = reader.demanded_text(object, "key_name");
    // The type is that of the key which is described, and not known here.
    let shape = Shape::of(KeyType::Any);
    let annotation = annotation::of(reader, object, &shape, language);
    lint::described(&annotation, &shape, at, &mut reader.findings);
    Some(Refinement {
        key_name: key_name?,
        annotation,
    })
}

fn once<'k>(reader: &mut Reader, object: Object<'_>, names: impl Iterator<Item = &'k String>) {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            reader.note(
                LintRule::DuplicateKey,
                object.at,
                format!("'{name}' stands there twice"),
            );
        }
    }
}
