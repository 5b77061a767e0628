//! The store of a state folder: opening it, verifying it, and accepting it when it is doubted.
//!
//! Knows what belongs together: the database, in a file or of PostgreSQL, the key that rows are bound
//! with, the host key that signs, and the files outside that hold the last head. The checks are made by
//! `store`.
//! Read next: [`crate::master_key`], [`crate::seal`].

use crate::background;
use crate::config::{Settings, SettingsError};
use crate::master_key::{self, MasterKeyError};
use crate::seal::HostSeal;
use crate::ssh::PrivateKey;
use crate::ssh::keys::{self, KeyFileError, StateKeys};
use crate::state::StateFolder;
use domain::time::Timestamp;
use russh::keys::HashAlg;
use std::path::PathBuf;
use std::sync::Arc;
use store::{
    ChainReport, CommitError, KeyKeeper, Location, OpenError, Options, Spawn, Store, VerifyOptions,
};

/// The reason for which the store was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The host key cannot be read.
    #[error(transparent)]
    Host(#[from] KeyFileError),
    /// The master key cannot be used.
    #[error(transparent)]
    Key(#[from] MasterKeyError),
    /// The error cannot be accepted, or a platform runs on the store.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store could not be sealed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// The files that hold the last head: in the folder, and the witness if there is one.
pub(crate) fn outside(folder: &StateFolder, settings: &Settings) -> Vec<PathBuf> {
    let witness = settings.store.witness.clone();
    [folder.store_head()].into_iter().chain(witness).collect()
}

/// The location of the state of a folder.
pub fn location(folder: &StateFolder, settings: &Settings) -> Location {
    match &settings.store.url {
        Some(address) => Location::Postgres(address.clone()),
        None => Location::File(folder.store()),
    }
}

/// The options with which the store of a folder is opened.
///
/// # Errors
/// [`MasterKeyError`]
pub(crate) fn options(
    folder: &StateFolder,
    settings: &Settings,
    host: PrivateKey,
    now: Timestamp,
) -> Result<Options, MasterKeyError> {
    let keys = keeper(folder, settings)?;
    Ok(with_keys(folder, settings, host, keys, now))
}

/// The same with this keeper of keys.
pub(crate) fn with_keys(
    folder: &StateFolder,
    settings: &Settings,
    host: PrivateKey,
    keys: Option<Arc<dyn KeyKeeper>>,
    now: Timestamp,
) -> Options {
    Options {
        // Which no other folder has.
        holder: host.public_key().fingerprint(HashAlg::Sha256).to_string(),
        lock: settings.store.url.is_some().then(|| folder.lock()),
        signer: Some(Arc::new(HostSeal(host))),
        keys,
        outside: outside(folder, settings),
        now,
        ..Options::new(location(folder, settings))
    }
}

/// The starter of the thread that verifies the store in the background, if that is enabled.
pub(crate) fn verified_beside(settings: &Settings) -> Option<Spawn> {
    let wanted = settings.store.verify_at_start.unwrap_or(true);
    let spawn = |work: Box<dyn FnOnce() + Send>| background::spawn("store-verify", work);
    wanted.then(|| Arc::new(spawn) as Spawn)
}

/// The keeper of the key to payloads; none if they are not to be encrypted and never were.
fn keeper(
    folder: &StateFolder,
    settings: &Settings,
) -> Result<Option<Arc<dyn KeyKeeper>>, MasterKeyError> {
    let (file, command) = (folder.store_key(), settings.store.key_command.as_deref());
    let store = location(folder, settings);
    if command.is_none() && !file.exists() && store::is_encrypted(&store).unwrap_or(false) {
        // A new one would open nothing.
        return Err(MasterKeyError::Lost { key: file, store });
    }
    match settings.store.encrypts() {
        true => master_key::keeper(&file, command).map(Some),
        false => master_key::existing(&file, command),
    }
}

/// Checks the hash chain, its signatures if the host key is there, and every row of the store in a
/// state folder, which may be in use; with the master key, the codes of rows as well. Reports its
/// progress. Writes nothing.
///
/// # Errors
/// [`OpenError`] if it cannot be read; damage is in the report.
pub fn verify(
    folder: &StateFolder,
    settings: &Settings,
    mut progress: impl FnMut(store::VerifyProgress),
) -> Result<ChainReport, OpenError> {
    let keeper = master_key::existing(&folder.store_key(), settings.store.key_command.as_deref());
    let key = keys::load(&folder.host_key()).ok();
    let signer = key.map(HostSeal);
    let verification = VerifyOptions {
        signer: signer.as_ref().map(|s| s as &dyn store::Signer),
        progress: Some(&mut progress),
        outside: outside(folder, settings),
    };
    let location = location(folder, settings);
    match keeper {
        Ok(Some(keeper)) => store::verify_with_keys(&location, verification, &*keeper),
        // The chain is over what is stored, so that it is verified without the key as well.
        Ok(None) | Err(_) => store::verify_with(&location, verification),
    }
}

/// Accepts the store of a folder on which no platform runs, although it is older than last seen, or
/// its seal is missing or of another host key: it is verified as a whole, and a signed record of
/// the acceptance is written. Returns the accepted doubts, for people; empty if there were none.
///
/// # Errors
/// [`AcceptError`]; nothing is changed then.
pub async fn accept(
    folder: &StateFolder,
    settings: &Settings,
    now: Timestamp,
) -> Result<Vec<String>, AcceptError> {
    let host = StateKeys::open(folder.path())?.host()?;
    let options = Options {
        accept: true,
        ..options(folder, settings, host, now)?
    };
    let (store, recovered) = Store::open(options, Box::new(|_| ()))?;
    store.seal().await?;
    Ok(recovered.accepted)
}
