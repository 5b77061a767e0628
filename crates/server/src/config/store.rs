//! The section `[store]`: whether payloads are encrypted at rest, who keeps the key, and where else
//! the last head is kept.
//!
//! Read next: [`crate::master_key`], [`crate::kept`].

use serde::Deserialize;
use std::path::PathBuf;

/// The section `[store]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StoreSettings {
    /// `encrypt`: whether payloads are encrypted at rest. True if nothing is said; what is encrypted
    /// already stays so.
    pub encrypt: Option<bool>,
    /// `key-command`: a program with arguments that prints the master key, a line `NAME HEX`, and
    /// older ones behind it; the file `store_key` if nothing is said.
    pub key_command: Option<Vec<String>>,
    /// `witness`: a file elsewhere, on another disk or host, in which the last head of the store is
    /// kept as well as in `store_head`.
    pub witness: Option<PathBuf>,
    /// `verify-at-start`: whether all of the store is verified beside all else after each start. True
    /// if nothing is said; what decisions build on is verified in any case.
    pub verify_at_start: Option<bool>,
}

impl StoreSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            encrypt: self.encrypt.or(below.encrypt),
            key_command: self.key_command.or(below.key_command),
            witness: self.witness.or(below.witness),
            verify_at_start: self.verify_at_start.or(below.verify_at_start),
        }
    }

    /// Whether payloads are encrypted.
    pub fn encrypts(&self) -> bool {
        self.encrypt.unwrap_or(true)
    }
}
