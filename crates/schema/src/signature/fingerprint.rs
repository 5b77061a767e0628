//! Hashes by which a document is known again: of the whole, and of what no description changes.
//!
//! Knows which members describe and which bind. Read next: [`super::Pins`], which remembers them.

use crate::canonical;
use base64ct::{Base64UrlUnpadded, Encoding};
use serde_json::{Map, Value};

/// Hashes of a document: whole, and without its descriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprints {
    /// The language and form in which it came.
    pub(super) form: String,
    /// Of the whole.
    pub(super) document: String,
    /// Of what all languages share.
    pub(super) contract: String,
}

impl Fingerprints {
    pub(super) fn of(document: &Value) -> Self {
        Self {
            form: form(document),
            document: fingerprint(document),
            contract: fingerprint(&undescribed(document)),
        }
    }
}

fn fingerprint(value: &Value) -> String {
    Base64UrlUnpadded::encode_string(&canonical::hash(value))
}

/// The language in which a document came, and whether it was the authored form.
fn form(document: &Value) -> String {
    let language = document
        .get("language")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let authored = has_annotations(document) || document.get("title").is_some_and(Value::is_object);
    let form = if authored { " authored" } else { "" };
    format!("{language}{form}")
}

fn has_annotations(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key("annotations") || members.values().any(has_annotations)
        }
        Value::Array(elements) => elements.iter().any(has_annotations),
        _ => false,
    }
}

const DESCRIBING: [&str; 5] = [
    "semantic_description",
    "annotations",
    "description",
    "title",
    "language",
];

/// A document, a key or a shape without what describes it.
fn undescribed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members
                .iter()
                .filter(|(name, _)| !DESCRIBING.contains(&name.as_str()));
            Value::Object(
                kept.map(|(name, value)| (name.clone(), nested(name, value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Descends where descriptions stand: a value that merely looks like one is kept.
fn nested(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("keys" | "new_keys" | "modified_keys" | "properties", Value::Array(list)) => {
            list.iter().map(undescribed).collect()
        }
        ("items", shape) => undescribed(shape),
        ("properties", Value::Object(by_name)) => {
            let each = by_name
                .iter()
                .map(|(name, shape)| (name.clone(), undescribed(shape)));
            Value::Object(each.collect::<Map<_, _>>())
        }
        (_, value) => value.clone(),
    }
}
