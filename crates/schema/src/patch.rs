//! A patch: what a schema gains while its base stays as it is (draft-zhou §6.2.2).
//!
//! Knows the parts of a patch and how a base looks under patches. How one comes about is told in
//! [`crate::evolution`], who vouches for it in [`crate::signature`].

use crate::template::{Annotation, Key, OTHER, Template};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// An addition to a schema: new keys, refined descriptions, or both. Never removes a key, never
/// changes a type, never requires one (§6.2.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// Names the patch within its agent's namespace.
    pub patch_id: String,
    /// The schema version that it adds to.
    pub parent_schema_id: String,
    /// The instant at which it was made.
    pub timestamp: Timestamp,
    /// The instant at which it ends, unless its keys were promoted before.
    pub expires_at: Timestamp,
    /// The client whose alone it is; none if everyone's.
    pub client: Option<String>,
    /// Keys that the base does not have; never required.
    pub new_keys: Vec<Key>,
    /// Keys of the base, or of patches before, that are described better.
    pub modified_keys: Vec<Refinement>,
}

/// A key described better; only its description changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refinement {
    /// The key.
    pub key_name: String,
    /// Its new description.
    pub annotation: Annotation,
}

impl Patch {
    /// Makes of a template what the patch makes of it: keys that it does not have come before
    /// `other`, descriptions of keys that it has are replaced, language by language. Nothing is
    /// removed, and no type changes.
    pub fn lay_over(&self, template: &mut Template) {
        for key in &self.new_keys {
            insert(template, key.clone());
        }
        for refinement in &self.modified_keys {
            refinement.lay_over(template);
        }
    }

    /// The keys that it brings or describes.
    pub fn key_names(&self) -> Vec<String> {
        let new = self.new_keys.iter().map(|k| &k.key_name);
        let refined = self.modified_keys.iter().map(|m| &m.key_name);
        new.chain(refined).cloned().collect()
    }

    /// True if it has ended.
    pub fn is_over(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }
}

impl Refinement {
    /// Describes the key better, if the template has it. A language that the refinement does not
    /// speak keeps its description: whoever refines in one takes nothing from the others.
    pub fn lay_over(&self, template: &mut Template) {
        if let Some(key) = template
            .keys
            .iter_mut()
            .find(|key| key.key_name == self.key_name)
        {
            key.annotation.0.extend(self.annotation.0.clone());
        }
    }
}

/// Puts a key before `other`, unless the template has one called so.
pub(crate) fn insert(template: &mut Template, key: Key) {
    if template.key(&key.key_name).is_none() {
        let place = template.keys.iter().position(|k| k.key_name == OTHER);
        template
            .keys
            .insert(place.unwrap_or(template.keys.len()), key);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::language::Language;
    use crate::lint::{self, TemplateOrigin};
    use crate::{evolution, read, shipped};
    use serde_json::json;

    /// D78, D79, Q49: a refinement in one language leaves the others, and the template stays sound.
    #[test]
    fn refining_in_one_language_takes_nothing_from_the_others() {
        let base = shipped::template("flight_booking_v1").unwrap();
        let source = json!({
            "patch_id": "p1", "parent_schema_id": "flight_booking_v1", "language": "zh",
            "timestamp": "2026-05-04T00:00:00Z", "expires_at": "2026-08-02T00:00:00Z",
            "modified_keys": [{"key_name": "cabin_class", "semantic_description": "舱位等级。"}]
        });
        let (patch, _) = read::patch(&source, TemplateOrigin::Own).unwrap();
        let patched = evolution::effective(&base, [&patch]);
        assert!(lint::passes(&lint::template(&patched, TemplateOrigin::Own)));
        let [english, chinese] = [Language::english(), Language::chinese()];
        let said = |of: &crate::template::Template, language: &Language| {
            of.key("cabin_class").unwrap().annotation.0[language].clone()
        };
        assert_eq!(said(&patched, &english), said(&base, &english));
        assert_eq!(said(&patched, &chinese).meaning, "舱位等级。");
    }
}
