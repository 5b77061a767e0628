//! The section `[schemas]`: what payloads are held to, and whether schemas evolve.
//!
//! Read next: [`crate::schemas`], `schema::evolution::Settings`.

use schema::contract::Unknown;
use schema::evolution::Settings;
use serde::Deserialize;

/// The section `[schemas]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SchemaSettings {
    /// `unknown-keys`: what happens to keys that a schema does not have: `reject`, `ignore`, or
    /// `to-other`. `reject` if nothing is said.
    pub unknown_keys: Option<UnknownKeys>,
    /// `evolve`: whether schemas learn from what payloads say in `other`. True if nothing is said.
    pub evolve: Option<bool>,
    /// `[schemas.evolution]`: the numbers of draft-zhou §6.2, the draft's if nothing is said.
    pub evolution: Option<Settings>,
}

/// What happens to a key that a schema does not have.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownKeys {
    /// The payload is refused.
    Reject,
    /// The key is dropped, with a warning.
    Ignore,
    /// It becomes an entry of `other`.
    ToOther,
}

impl SchemaSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            unknown_keys: self.unknown_keys.or(below.unknown_keys),
            evolve: self.evolve.or(below.evolve),
            evolution: self.evolution.or(below.evolution),
        }
    }

    /// What happens to unknown keys.
    pub fn unknown(&self) -> Unknown {
        match self.unknown_keys {
            None | Some(UnknownKeys::Reject) => Unknown::Reject,
            Some(UnknownKeys::Ignore) => Unknown::Ignore,
            Some(UnknownKeys::ToOther) => Unknown::ToOther,
        }
    }

    /// Whether schemas evolve.
    pub fn evolves(&self) -> bool {
        self.evolve.unwrap_or(true)
    }

    /// The numbers of evolution.
    pub fn evolution(&self) -> Settings {
        self.evolution.clone().unwrap_or_default()
    }

    /// What is wrong with the numbers, in one line; none if nothing is.
    pub(super) fn fault(&self) -> Option<String> {
        let wrong = self.evolution.as_ref()?.check();
        let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        (!wrong.is_empty()).then(|| wrong.join("; "))
    }
}
