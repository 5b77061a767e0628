//! Copying the store of a state folder: to a backup, from one, and from another place.
//!
//! Knows which key, which host keys and which last head belong to a state, by where it is; the copy is made by
//! `store`. Read next: [`crate::kept`].

use crate::config::{Settings, SettingsError};
use crate::kept;
use crate::master_key::{self, MasterKeyError};
use crate::seal::HostSeal;
use crate::ssh::keys::{self, KeyFileError, StateKeys};
use crate::state::StateFolder;
use domain::time::Timestamp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{
    Copied, CopyError, CopyProgress, CopySource, Ground, KeyKeeper, Location, PostgresAddress,
    Signer,
};

/// The reason for which a store was not copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyingError {
    /// The settings of a folder cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The master key cannot be used.
    #[error(transparent)]
    Key(#[from] MasterKeyError),
    /// A host key cannot be read or made.
    #[error(transparent)]
    Host(#[from] KeyFileError),
    /// There is no host key, and another would not be that of the platform whose store it is.
    #[error(
        "{} is missing: put that of the platform there whose store it is; nothing was copied",
        .0.display()
    )]
    NoHostKey(PathBuf),
    /// It was not copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
}

/// Where a store is that is to be imported.
#[derive(Clone, Debug)]
pub enum StoreOrigin {
    /// Where the settings of this state folder say.
    Folder(StateFolder),
    /// In this file alone: a backup, or `convoke.db` of a folder.
    File(PathBuf),
    /// In this database.
    Database(PostgresAddress),
}

/// Copies the store of a folder into a new file, which is a store itself. A platform may run on it.
///
/// # Errors
/// [`CopyingError`]; there is no such file then.
pub fn backup(
    folder: &StateFolder,
    settings: &Settings,
    file: &Path,
    progress: &mut dyn FnMut(CopyProgress),
) -> Result<Copied, CopyingError> {
    let host = keys::load(&folder.host_key()).ok();
    let from = CopySource {
        signers: host.into_iter().map(signs).collect(),
        ..source(folder, settings, keeper(folder, settings)?)
    };
    Ok(store::backup(&from, file, progress)?)
}

/// Copies a backup to where the settings of a folder have its store, which holds nothing yet; on record as
/// restored.
///
/// # Errors
/// [`CopyingError`]; nothing was stored then.
pub fn restore(
    folder: &StateFolder,
    settings: &Settings,
    file: &Path,
    now: Timestamp,
    progress: &mut dyn FnMut(CopyProgress),
) -> Result<Copied, CopyingError> {
    let origin = StoreOrigin::File(file.to_owned());
    arrive(folder, settings, &origin, Ground::Restored, now, progress)
}

/// Copies a store from another place to where the settings of a folder have its store, which holds nothing yet; on
/// record as imported. No platform runs on either.
///
/// # Errors
/// [`CopyingError`]; nothing was stored then.
pub fn import(
    folder: &StateFolder,
    settings: &Settings,
    origin: &StoreOrigin,
    now: Timestamp,
    progress: &mut dyn FnMut(CopyProgress),
) -> Result<Copied, CopyingError> {
    arrive(folder, settings, origin, Ground::Imported, now, progress)
}

fn arrive(
    folder: &StateFolder,
    settings: &Settings,
    origin: &StoreOrigin,
    ground: Ground,
    now: Timestamp,
    progress: &mut dyn FnMut(CopyProgress),
) -> Result<Copied, CopyingError> {
    let keys = keeper(folder, settings)?;
    let (mut from, sealed) = match origin {
        StoreOrigin::Folder(other) => {
            let host = keys::load(&other.host_key()).ok();
            let other = source(other, &Settings::load(other)?, keys.clone());
            (other, host)
        }
        StoreOrigin::File(path) => (alone(path.into(), keys.clone()), None),
        StoreOrigin::Database(address) => (
            alone(Location::Postgres(address.clone()), keys.clone()),
            None,
        ),
    };
    // Before anything is made in a folder that may be new.
    if keys.is_none() && store::is_encrypted(&from.location).unwrap_or(false) {
        return Err(CopyError::NoKey(from.location).into());
    }
    if sealed.is_none() && !folder.host_key().exists() {
        return Err(CopyingError::NoHostKey(folder.host_key()));
    }
    let host = StateKeys::open(folder.path())?.host()?;
    let signers = [sealed, Some(host.clone())].into_iter().flatten();
    from.signers = signers.map(signs).collect();
    let to = kept::with_keys(folder, settings, host, keys, now);
    Ok(store::transfer(&from, &to, ground, progress)?)
}

/// The store of a folder, of which nobody is known who signed it.
fn source(
    folder: &StateFolder,
    settings: &Settings,
    keys: Option<Arc<dyn KeyKeeper>>,
) -> CopySource {
    CopySource {
        lock: settings.store.url.is_some().then(|| folder.lock()),
        outside: kept::outside(folder, settings),
        ..alone(kept::location(folder, settings), keys)
    }
}

/// A store of which nothing else is known.
fn alone(location: Location, keys: Option<Arc<dyn KeyKeeper>>) -> CopySource {
    CopySource {
        location,
        lock: None,
        outside: Vec::new(),
        signers: Vec::new(),
        keys,
    }
}

/// The keeper of the key of a folder, if there is one.
fn keeper(
    folder: &StateFolder,
    settings: &Settings,
) -> Result<Option<Arc<dyn KeyKeeper>>, MasterKeyError> {
    master_key::existing(&folder.store_key(), settings.store.key_command.as_deref())
}

fn signs(host: crate::ssh::PrivateKey) -> Arc<dyn Signer> {
    Arc::new(HostSeal(host))
}
