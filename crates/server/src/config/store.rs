//! The section `[store]`: where the state is, encryption at rest, the keeper of the key, and the
//! witness of the last head.
//!
//! Read next: [`crate::master_key`], [`crate::kept`].

use crate::file::FileError;
use crate::state::StateFolder;
use serde::{Deserialize, Deserializer};
use std::io::ErrorKind;
use std::path::PathBuf;
use store::{PostgresAddress, PostgresAddressError};

/// The section `[store]`, as far as it is given.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StoreSettings {
    /// `url`: the PostgreSQL database that holds the state, `postgres://user@host/database`; by
    /// default the file `convoke.db` in the state folder does.
    #[serde(default, deserialize_with = "address")]
    pub url: Option<PostgresAddress>,
    /// `encrypt`: true to encrypt payloads at rest. True by default; payloads that are encrypted
    /// already stay so.
    pub encrypt: Option<bool>,
    /// `key-command`: a program with arguments that prints the master key, a line `NAME HEX`, and
    /// older ones behind it; by default the file `store_key`.
    pub key_command: Option<Vec<String>>,
    /// `witness`: a file elsewhere, on another disk or host, that holds the last head of the store
    /// beside `store_head`.
    pub witness: Option<PathBuf>,
    /// `verify-at-start`: true to verify the whole store in the background after each start. True
    /// by default; the rows on which decisions are based are verified in any case.
    pub verify_at_start: Option<bool>,
}

impl StoreSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            url: self.url.or(below.url),
            encrypt: self.encrypt.or(below.encrypt),
            key_command: self.key_command.or(below.key_command),
            witness: self.witness.or(below.witness),
            verify_at_start: self.verify_at_start.or(below.verify_at_start),
        }
    }

    /// The address of the database that a node that joined others was told; none if it did not.
    pub(super) fn joined(folder: &StateFolder) -> Result<Option<PostgresAddress>, FileError> {
        let path = folder.store_url();
        let text = match std::fs::read_to_string(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|cause| FileError::unreadable(&path, cause))?,
        };
        let address = text.trim().parse::<PostgresAddress>();
        let wrong = |error: PostgresAddressError| {
            FileError::at(&path.display().to_string(), &text, 0, error.to_string())
        };
        address.map(Some).map_err(wrong)
    }

    /// True if payloads are encrypted.
    pub fn encrypts(&self) -> bool {
        self.encrypt.unwrap_or(true)
    }
}

fn address<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PostgresAddress>, D::Error> {
    let url = String::deserialize(from)?;
    url.parse().map(Some).map_err(serde::de::Error::custom)
}
