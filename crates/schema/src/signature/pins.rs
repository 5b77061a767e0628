//! The memory that a client has of what it accepted, so that nobody – the signing agent included –
//! can give it something else under the same name, or something older.
//!
//! A template is remembered twice: as a whole in each language and form in which it came, and
//! without its descriptions, which all languages share. So a type cannot change with the language.

use super::{DocumentKind, Verified};
use crate::canonical;
use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The documents that a client has accepted, by agent; kept across restarts as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins(BTreeMap<String, OfAgent>);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct OfAgent {
    /// By `schema_id`.
    templates: BTreeMap<String, Pin>,
    /// By `parent_schema_id`, then `patch_id`.
    patches: BTreeMap<String, BTreeMap<String, Pin>>,
    /// The highest version of each scenario.
    newest: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pin {
    version: u64,
    contract: String,
    /// By language and form.
    documents: BTreeMap<String, String>,
}

/// Hashes of a document: whole, and without its descriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprints {
    form: String,
    document: String,
    contract: String,
}

/// The way in which a template was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// By its scenario: the newest there is.
    ByScenario,
    /// By its `schema_id`, which may be an older version.
    ByName,
}

/// The reason why a document whose seal is good is not accepted; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// The name stands for another document.
    #[error("'{name}' of '{agent}' is not what was accepted under that name")]
    Changed {
        /// The agent.
        agent: String,
        /// The `schema_id` or `patch_id`.
        name: String,
    },
    /// A newer one was accepted before.
    #[error("'{name}' of '{agent}' is version {version}, and {seen} was accepted before")]
    Older {
        /// The agent.
        agent: String,
        /// The `schema_id` or `patch_id`.
        name: String,
        /// Its version.
        version: u64,
        /// The highest version that was accepted.
        seen: u64,
    },
}

impl Pins {
    /// Accepts a document whose seal was verified, and remembers it.
    ///
    /// A template never changes. A patch may be sealed anew with other content (a key that is now
    /// deprecated), under a higher version. How a patch was asked for is no matter.
    ///
    /// # Errors
    /// [`PinError`]; then nothing has changed.
    pub fn accept(&mut self, verified: &Verified, asked: Asked) -> Result<(), PinError> {
        match verified.kind {
            DocumentKind::Template => self.accept_template(verified, asked),
            DocumentKind::Patch => self.accept_patch(verified),
        }
    }

    /// Forgets all of an agent, e.g. when it was set up anew.
    pub fn forget(&mut self, agent: &str) {
        self.0.remove(agent);
    }

    fn accept_template(&mut self, verified: &Verified, asked: Asked) -> Result<(), PinError> {
        let known = self.0.entry(verified.agent.clone()).or_default();
        let scenario = verified
            .scenario
            .clone()
            .unwrap_or_else(|| verified.schema_id.clone());
        let seen = known.newest.get(&scenario).copied().unwrap_or(0);
        if asked == Asked::ByScenario && verified.version < seen {
            return Err(older(verified, seen));
        }
        match known.templates.get_mut(&verified.schema_id) {
            Some(pin) if pin.version != verified.version => return Err(changed(verified)),
            Some(pin) => pin.hold(verified)?,
            None => {
                known
                    .templates
                    .insert(verified.schema_id.clone(), Pin::of(verified));
            }
        }
        known.newest.insert(scenario, seen.max(verified.version));
        Ok(())
    }

    fn accept_patch(&mut self, verified: &Verified) -> Result<(), PinError> {
        let known = self.0.entry(verified.agent.clone()).or_default();
        let patches = known.patches.entry(verified.schema_id.clone()).or_default();
        match patches.get_mut(name(verified)) {
            Some(pin) if verified.version < pin.version => Err(older(verified, pin.version)),
            Some(pin) if verified.version == pin.version => pin.hold(verified),
            _ => {
                patches.insert(name(verified).to_owned(), Pin::of(verified));
                Ok(())
            }
        }
    }
}

impl Pin {
    fn of(verified: &Verified) -> Self {
        let Fingerprints {
            form,
            document,
            contract,
        } = verified.fingerprints.clone();
        Self {
            version: verified.version,
            contract,
            documents: BTreeMap::from([(form, document)]),
        }
    }

    /// Checks a document against what is remembered, and remembers its language and form.
    fn hold(&mut self, verified: &Verified) -> Result<(), PinError> {
        let Fingerprints {
            form,
            document,
            contract,
        } = verified.fingerprints.clone();
        let other = self
            .documents
            .get(&form)
            .is_some_and(|before| *before != document);
        if other || self.contract != contract {
            return Err(changed(verified));
        }
        self.documents.insert(form, document);
        Ok(())
    }
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

fn name(verified: &Verified) -> &str {
    verified.patch_id.as_deref().unwrap_or(&verified.schema_id)
}

fn changed(verified: &Verified) -> PinError {
    PinError::Changed {
        agent: verified.agent.clone(),
        name: name(verified).to_owned(),
    }
}

fn older(verified: &Verified, seen: u64) -> PinError {
    PinError::Older {
        agent: verified.agent.clone(),
        name: name(verified).to_owned(),
        version: verified.version,
        seen,
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
