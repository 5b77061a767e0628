//! The memory that a client has of what it accepted, so that nobody – the signing agent included –
//! can give it something else under the same name, or something older.
//!
//! A template is remembered twice: as a whole in each language and form in which it came, and
//! without its descriptions, which all languages share. So a type cannot change with the language.

use super::fingerprint::Fingerprints;
use super::{DocumentKind, Verified};
use serde::{Deserialize, Serialize};
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
