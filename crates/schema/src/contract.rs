//! A template made ready to check payloads: in microseconds, all violations at once (§3.2, §4.1).
//!
//! ```text
//! Template ──new──► Contract ──verify──► () | violations
//!                            └─accept──► Accepted | violations
//! ```
//!
//! Knows what a payload may hold and its canonical form; nothing in prose is enforced. Refuses
//! to know clients, patches and windows: [`crate::evolution`] makes the template that is in effect
//! and says which withdrawn keys are still accepted. Made once, it is used by many threads.
//!
//! - `fields`: an object, compiled, and in `check` the shape of one value; `walk`: whether a payload
//!   fits, and what is wrong where it does not; `accepted`: its canonical form;
//! - `pattern`, `format`: what strings are held to;
//! - `place`, `told`, `nearest`: where something is wrong, what stands there, what was meant.

mod accepted;
mod excerpt;
mod fields;
mod format;
mod nearest;
mod pattern;
mod place;
mod walk;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use accepted::Accepted;
pub use fields::Tolerated;
pub use pattern::{Pattern, PatternFault, Unusable, check_pattern};

use crate::other;
use crate::template::{Key, OTHER, Template};
use crate::violation::PayloadViolation;
use accepted::Settling;
use fields::Fields;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use walk::Walk;

/// The treatment of a key that the schema does not have (Q9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// The payload is refused, the key named, and a likely one or `other` suggested.
    #[default]
    Reject,
    /// The key is dropped, with a warning.
    Ignore,
    /// The key and its value become an entry of `other`, with a warning.
    ToOther,
}

/// The bounds of a payload; beyond, it is a violation. `other` has limits of its own and counts
/// for none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The depth to which values are nested; the value of a key is at depth 1. 16 by default.
    pub depth: usize,
    /// Values in all, at every depth. 4,096 by default.
    pub nodes: usize,
    /// Bytes of one string. 65,536 by default.
    pub string_bytes: usize,
    /// Violations that are told, at least one; further ones are not looked for. 1,024 by default.
    pub violations: usize,
    /// The bounds on what is kept of `other`.
    pub other: other::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 16,
            nodes: 4_096,
            string_bytes: 65_536,
            violations: 1_024,
            other: other::Limits::default(),
        }
    }
}

/// A template, compiled.
#[derive(Clone, Debug)]
pub struct Contract {
    schema_id: String,
    fields: Fields,
    defaults: Arc<[(String, Value)]>,
    limits: Limits,
}

impl Contract {
    /// Compiles a template, with the default [`Limits`] and no tolerated keys.
    ///
    /// # Errors
    /// [`Unusable`] if a pattern is no I-Regexp (RFC 9485) or too large; the first is told.
    pub fn new(template: &Template) -> Result<Self, Unusable> {
        Ok(Self {
            schema_id: template.schema_id.clone(),
            fields: Fields::of_keys(&template.keys)?,
            defaults: template.keys.iter().filter_map(default_of).collect(),
            limits: Limits::default(),
        })
    }

    /// Accepts these withdrawn keys too, with a warning; a key that the template has by that name
    /// goes before.
    ///
    /// # Errors
    /// [`Unusable`], as of [`Contract::new`].
    pub fn tolerating(mut self, withdrawn: &[Tolerated]) -> Result<Self, Unusable> {
        for key in withdrawn {
            self.fields.tolerate(key)?;
        }
        Ok(self)
    }

    /// With other limits.
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The version that payloads are checked against.
    pub fn schema_id(&self) -> &str {
        &self.schema_id
    }

    /// Checks whether a payload keeps to the schema, unknown keys rejected. Allocates only to tell
    /// what is wrong.
    ///
    /// # Errors
    /// Everything that is wrong: keys in the order of the template, then unknown ones by name.
    pub fn verify(&self, payload: &Map<String, Value>) -> Result<(), Vec<PayloadViolation>> {
        self.examine(payload, true)
    }

    /// Takes a payload in: its canonical values, what `other` says, and what is odd about it.
    ///
    /// # Errors
    /// Everything that is wrong, as of [`Contract::verify`]. Never because of `other` (D40), and
    /// never because of an unknown key unless `unknown` says so.
    pub fn accept(
        &self,
        payload: Map<String, Value>,
        unknown: Unknown,
    ) -> Result<Accepted, Vec<PayloadViolation>> {
        self.examine(&payload, unknown == Unknown::Reject)?;
        let settling = Settling::new(unknown, &self.limits);
        Ok(settling.settle(&self.fields, payload, Arc::clone(&self.defaults)))
    }

    /// Of each key that a payload has and the schema knows: whether its value is of the key's type
    /// (§6.2.3 `value_type_correctness`). Constraints do not count, and nothing is refused: a payload
    /// that [`Contract::accept`] refuses has a report as well (Q39).
    pub fn type_correct(&self, payload: &Map<String, Value>) -> BTreeMap<String, bool> {
        let present = payload.iter().filter_map(|(name, value)| {
            let field = self.fields.get(name)?;
            (!field.is_absent(value)).then(|| (name.clone(), field.check.is_of_type(value)))
        });
        present.collect()
    }

    fn examine(
        &self,
        payload: &Map<String, Value>,
        strict: bool,
    ) -> Result<(), Vec<PayloadViolation>> {
        let violations = Walk::new(&self.limits, strict).violations(&self.fields, payload);
        match violations.is_empty() {
            true => Ok(()),
            false => Err(violations),
        }
    }
}

/// D32, Q11: a default counts for optional keys alone.
fn default_of(key: &Key) -> Option<(String, Value)> {
    let value = key
        .default_value
        .as_ref()
        .filter(|value| !value.is_null())?;
    (!key.required && key.key_name != OTHER).then(|| (key.key_name.clone(), value.clone()))
}
