//! The schema template of draft-zhou §4.1: a scenario's keys, what each may hold and means.
//!
//! Knows the shape only. [`crate::read`] makes one from JSON, [`crate::lint`] says what is wrong
//! with it, [`crate::write`] writes it in one language, [`crate::contract`] checks payloads.

mod annotation;
mod key;
mod shape;

pub use annotation::{Annotation, Description, MappingExample};
pub use key::{Key, KeyStatus};
pub use shape::{Constraint, Format, KeyType, Property, Shape};

use crate::language::Language;
use serde_json::{Map, Value};

/// The reserved name of the key that takes what no other key covers (§4.3).
pub const OTHER: &str = "other";

/// The reserved member of a result that carries a suggestion (§6.2.2).
pub const SCHEMA_UPDATE_SUGGESTION: &str = "schema_update_suggestion";

/// A schema template: one version of one scenario.
///
/// Immutable once published (§6.2.2): a change is another version, under another `schema_id`.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Names this version within its agent's namespace, e.g. `fault_diagnosis_v1`.
    pub schema_id: String,
    /// The scenario, e.g. `fault_diagnosis`; for our own templates the `schema_id` without `_vN`.
    pub scenario: String,
    /// The scenario for people; extra to the draft.
    pub title: Option<Annotation>,
    /// The language of descriptions where nobody asks for another.
    pub language: Language,
    /// The keys, in the author's order; the last is [`OTHER`], put there by the reader if the
    /// author left it out.
    pub keys: Vec<Key>,
    /// The template of the result, if results are structured.
    pub response_schema_id: Option<String>,
}

impl Template {
    /// The key called so.
    pub fn key(&self, key_name: &str) -> Option<&Key> {
        self.keys.iter().find(|k| k.key_name == key_name)
    }

    /// The keys beside [`OTHER`].
    pub fn own_keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter().filter(|k| k.key_name != OTHER)
    }

    /// The names of the required keys that a payload lacks.
    pub fn missing(&self, payload: &Map<String, Value>) -> Vec<String> {
        let required = self.own_keys().filter(|key| key.required);
        let missing = required.filter(|key| !payload.contains_key(&key.key_name));
        missing.map(|key| key.key_name.clone()).collect()
    }

    /// Its own language, then those of its keys; one may come more than once.
    pub fn languages(&self) -> impl Iterator<Item = &Language> {
        let annotated = self.keys.iter().flat_map(|key| key.annotation.0.keys());
        std::iter::once(&self.language).chain(annotated)
    }

    /// The number behind `_v` in the `schema_id`; none if there is none.
    pub fn version(&self) -> Option<u32> {
        self.schema_id.rsplit_once("_v")?.1.parse().ok()
    }
}
