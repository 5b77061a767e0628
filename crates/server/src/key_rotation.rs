//! The rotation of the keys of a state folder on which no platform runs.
//!
//! Knows what is written anew, and in which order; the key is drawn and read elsewhere. Read next:
//! [`crate::master_key`], [`crate::kept`].

use crate::config::{Settings, SettingsError};
use crate::kept;
use crate::master_key::{self, MasterKeyError};
use crate::ssh::keys::{KeyFileError, StateKeys};
use crate::state::StateFolder;
use domain::time::Timestamp;
use store::{CommitError, OpenError, Options, Store};

/// The reason for which keys were not rotated.
#[derive(Debug, thiserror::Error)]
pub enum KeyRotationError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The master key cannot be used.
    #[error(transparent)]
    Key(#[from] MasterKeyError),
    /// The host key cannot be read.
    #[error(transparent)]
    Host(#[from] KeyFileError),
    /// The store cannot be opened: a platform runs on it, or it is damaged.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The keys were not changed.
    #[error(transparent)]
    Rotate(#[from] store::KeyRotationError),
    /// The rows were not written anew.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Rotates the keys of a state folder on which no platform runs: a new master key in the file (not
/// of a command), a new data key, every row encrypted and bound under it, and the file written
/// anew, so that no ciphertext of the old key is left in it. Returns the number of rows; a signed
/// record is written. If it is interrupted, it must be repeated.
///
/// # Errors
/// [`KeyRotationError`]
pub async fn rotate_all(
    folder: &StateFolder,
    settings: &Settings,
    now: Timestamp,
) -> Result<u64, KeyRotationError> {
    let (file, command) = (folder.store_key(), settings.store.key_command.as_deref());
    let host = StateKeys::open(folder.path())?.host()?;
    let open = || -> Result<Store, KeyRotationError> {
        let options = kept::options(folder, settings, host.clone(), now)?;
        let options = Options {
            keys: Some(master_key::keeper(&file, command)?),
            ..options
        };
        Ok(Store::open(options, Box::new(|_| ()))?.0)
    };
    drop(open()?);
    if command.is_none() {
        master_key::rotate(&file)?;
    }
    let store = open()?;
    store.rotate()?.await?;
    let done = store.reencrypt().await?;
    store.compact().await?;
    store.seal().await?;
    drop(store);
    if command.is_none() {
        master_key::forget_older(&file)?;
    }
    Ok(done.rows)
}
