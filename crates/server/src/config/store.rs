//! The section `[store]`: whether payloads are encrypted at rest, and who keeps the key.
//!
//! Read next: [`crate::master_key`].

use serde::Deserialize;

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
}

impl StoreSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            encrypt: self.encrypt.or(below.encrypt),
            key_command: self.key_command.or(below.key_command),
        }
    }

    /// Whether payloads are encrypted.
    pub fn encrypts(&self) -> bool {
        self.encrypt.unwrap_or(true)
    }
}
