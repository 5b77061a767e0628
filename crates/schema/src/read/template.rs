//! A template from JSON (§4.1).

use super::reader::{Object, Reader};
use super::{annotation, key};
use crate::language::Language;
use crate::lint::{self, LintRule, Place, Placed};
use crate::signature::SEAL;
use crate::template::{Key, OTHER, Template};
use crate::write;
use serde_json::Value;
use std::collections::BTreeSet;

const MEMBERS: [&str; 7] = [
    "schema_id",
    "scenario",
    "keys",
    "title",
    "language",
    "response_schema_id",
    SEAL,
];

/// Reads and lints a template. What is missing keeps nothing else from being told.
pub(super) fn read(reader: &mut Reader, value: &Value, at: &Place) -> Option<Template> {
    let object = reader.object(value, at)?;
    reader.unknown_members(object, &MEMBERS);
    let schema_id = reader.demanded_text(object, "schema_id");
    let scenario = reader.demanded_text(object, "scenario");
    let named = schema_id.is_some() && scenario.is_some();
    let language = reader.language(object, Language::english());
    let mut template = Template {
        schema_id: schema_id.unwrap_or_default(),
        scenario: scenario.unwrap_or_default(),
        title: annotation::title(reader, object, &language),
        language,
        keys: Vec::new(),
        response_schema_id: response(reader, object),
    };
    if named {
        lint::head(&template, at, &mut reader.findings);
    }
    let keys = keys(reader, object, &template.language)?;
    together(reader, &template, &keys, &at.member("keys"));
    template.keys = keys.into_iter().map(|(_, key)| key).collect();
    place_other_last(&mut template);
    named.then_some(template)
}

fn response(reader: &mut Reader, object: Object<'_>) -> Option<String> {
    let text = |v: &Value| v.as_str().map(str::to_owned);
    reader.optional(object, "response_schema_id", "a string", text)
}

type PlacedKey = (Place, Key);

fn keys(reader: &mut Reader, object: Object<'_>, language: &Language) -> Option<Vec<PlacedKey>> {
    let list = reader.demanded_list(object, "keys")?;
    let at = object.at.member("keys");
    if list.len() > lint::KEYS_MAX {
        let message = format!("{} keys; {} are the most", list.len(), lint::KEYS_MAX);
        reader.note(LintRule::Limit, &at, message);
        return None;
    }
    let read = list.iter().enumerate().filter_map(|(i, value)| {
        let at = at.index(i);
        key::read(reader, value, language, &at).map(|key| (at, key))
    });
    Some(read.collect())
}

/// The rules that only all keys together can break. A missing `other` breaks none: it is put there.
fn together(reader: &mut Reader, template: &Template, keys: &[PlacedKey], at: &Place) {
    let absent = keys.iter().all(|(_, key)| key.key_name != OTHER);
    let other = absent.then(|| other(template, keys.iter().map(|(_, key)| key)));
    let placed: Vec<Placed<'_>> = keys
        .iter()
        .map(|(at, key)| Placed {
            at: at.clone(),
            key,
        })
        .chain(other.iter().map(|key| Placed {
            at: at.clone(),
            key,
        }))
        .collect();
    lint::keys(template, &placed, at, &mut reader.findings);
}

fn place_other_last(template: &mut Template) {
    match template.keys.iter().position(|key| key.key_name == OTHER) {
        Some(at) => {
            let other = template.keys.remove(at);
            template.keys.push(other);
        }
        None => {
            let other = other(template, template.keys.iter());
            template.keys.push(other);
        }
    }
}

/// The key `other` as we describe it, in each language that the keys have.
fn other<'k>(template: &Template, keys: impl Iterator<Item = &'k Key>) -> Key {
    let mut languages: BTreeSet<Language> = keys
        .flat_map(|key| key.annotation.0.keys().cloned())
        .collect();
    languages.insert(template.language.clone());
    write::other(languages)
}
