//! The section `[schemas]`: validation of payloads, and evolution of schemas.
//!
//! Read next: [`crate::schemas`], `schema::evolution::EvolutionSettings`.

use super::error::SettingsError;
use schema::contract::Unknown;
use schema::evolution::EvolutionSettings;
use semantics::backend::{BackendOptions, EmbedderChoice, Unavailable};
use serde::Deserialize;
use std::path::PathBuf;

/// The section `[schemas]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SchemaSettings {
    /// `unknown-keys`: the treatment of keys that a schema does not have: `reject`, `ignore`, or
    /// `to-other`. `reject` by default.
    pub unknown_keys: Option<UnknownKeys>,
    /// `evolve`: true if schemas learn from entries of `other` in payloads. True by default.
    pub evolve: Option<bool>,
    /// `[schemas.embedder]`: the embedder by which fragments are compared. N-grams by default.
    pub embedder: Option<EmbedderSettings>,
    /// `[schemas.evolution]`: the numbers of draft-zhou §6.2, with the draft's defaults.
    pub evolution: Option<EvolutionSettings>,
}

/// The embedder by which fragments are compared.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EmbedderSettings {
    /// `name`: `ngrams`, or `static` or `minilm` in builds that hold them.
    pub name: String,
    /// `weights`: the directory of its weights.
    pub weights: Option<PathBuf>,
    /// `sha256`: the digest of its weights, in 64 hexadecimal digits.
    pub sha256: Option<String>,
}

/// The treatment of a key that a schema does not have.
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
            embedder: self.embedder.or(below.embedder),
            evolution: self.evolution.or(below.evolution),
        }
    }

    /// The treatment of unknown keys.
    pub fn unknown(&self) -> Unknown {
        match self.unknown_keys {
            None | Some(UnknownKeys::Reject) => Unknown::Reject,
            Some(UnknownKeys::Ignore) => Unknown::Ignore,
            Some(UnknownKeys::ToOther) => Unknown::ToOther,
        }
    }

    /// True if schemas evolve.
    pub fn evolves(&self) -> bool {
        self.evolve.unwrap_or(true)
    }

    /// The embedder by which fragments are compared.
    ///
    /// # Errors
    /// [`Unavailable`] if there is none of that name, or if its parameters are missing.
    pub fn embedder(&self) -> Result<EmbedderChoice, Unavailable> {
        let Some(settings) = &self.embedder else {
            return Ok(EmbedderChoice::Ngrams);
        };
        let given = BackendOptions {
            weights: settings.weights.clone(),
            sha256: settings.sha256.clone(),
            ..BackendOptions::default()
        };
        EmbedderChoice::named(&settings.name, &given)
    }

    /// The numbers of evolution.
    pub fn evolution(&self) -> EvolutionSettings {
        self.evolution.clone().unwrap_or_default()
    }

    /// Checks that the numbers are consistent, and that the embedder exists.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let wrong = self.evolution.as_ref().map(EvolutionSettings::check);
        let wrong = wrong.unwrap_or_default();
        if !wrong.is_empty() {
            let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            return Err(SettingsError::Evolution(wrong.join("; ")));
        }
        self.embedder().map(drop).map_err(SettingsError::Embedder)
    }
}
