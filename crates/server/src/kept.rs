//! The store of a state folder: how it is opened, verified, and taken back on purpose.
//!
//! Knows which files belong together: the database, the key that rows are bound with, the host key
//! that signs, and the files outside in which the last head is kept. What is checked is `store`'s.
//! Read next: [`crate::master_key`], [`crate::seal`].

use crate::background;
use crate::config::{Settings, SettingsError};
use crate::master_key::{self, MasterKeyError};
use crate::seal::HostSeal;
use crate::ssh::PrivateKey;
use crate::ssh::keys::{self, KeyError, StateKeys};
use crate::state::StateFolder;
use domain::time::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;
use store::{ChainReport, CommitError, KeyKeeper, OpenError, Options, Spawn, Store, Verification};

/// Why the store was not taken back.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The host key cannot be read.
    #[error(transparent)]
    Host(#[from] KeyError),
    /// The master key cannot be used.
    #[error(transparent)]
    Key(#[from] MasterKeyError),
    /// What is there is refused whoever asks, or a platform runs on it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It could not be sealed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Where the last head is kept: in the folder, and with the witness if there is one.
pub(crate) fn outside(folder: &StateFolder, settings: &Settings) -> Vec<PathBuf> {
    let witness = settings.store.witness.clone();
    [folder.store_head()].into_iter().chain(witness).collect()
}

/// How the store of a folder is opened.
///
/// # Errors
/// [`MasterKeyError`]
pub(crate) fn options(
    folder: &StateFolder,
    settings: &Settings,
    host: PrivateKey,
    now: Timestamp,
) -> Result<Options, MasterKeyError> {
    Ok(Options {
        signer: Some(Arc::new(HostSeal(host))),
        keys: keeper(folder, settings)?,
        outside: outside(folder, settings),
        now,
        ..Options::file(folder.store())
    })
}

/// Who starts the thread that verifies everything beside the platform, if that is wanted.
pub(crate) fn verified_beside(settings: &Settings) -> Option<Spawn> {
    let wanted = settings.store.verify_at_start.unwrap_or(true);
    let spawn = |work: Box<dyn FnOnce() + Send>| background::spawn("store-verify", work);
    wanted.then(|| Arc::new(spawn) as Spawn)
}

/// Who keeps the key to payloads; none if they are not to be encrypted and never were.
fn keeper(
    folder: &StateFolder,
    settings: &Settings,
) -> Result<Option<Arc<dyn KeyKeeper>>, MasterKeyError> {
    let (file, command) = (folder.store_key(), settings.store.key_command.as_deref());
    if command.is_none() && !file.exists() && store::is_encrypted(&folder.store()).unwrap_or(false)
    {
        // A new one would open nothing.
        return Err(MasterKeyError::Lost {
            key: file,
            store: folder.store(),
        });
    }
    match settings.store.encrypts() {
        true => master_key::keeper(&file, command).map(Some),
        false => master_key::existing(&file, command),
    }
}

/// Checks the hash chain, its signatures if the host key is there, and every row of the store in a
/// state folder, which may be in use; with the master key, that nobody without it wrote any of it.
/// Tells how far it is. Writes nothing.
///
/// # Errors
/// [`OpenError`] if it cannot be read; damage is in the report.
pub fn verify(
    folder: &StateFolder,
    mut progress: impl FnMut(store::Progress),
) -> Result<ChainReport, OpenError> {
    let settings = Settings::load(folder).unwrap_or_default();
    let keeper = master_key::existing(&folder.store_key(), settings.store.key_command.as_deref());
    let key = keys::load(&folder.host_key()).ok();
    let signer = key.map(HostSeal);
    let verification = Verification {
        signer: signer.as_ref().map(|s| s as &dyn store::Signer),
        progress: Some(&mut progress),
        outside: outside(folder, &settings),
    };
    match keeper {
        Ok(Some(keeper)) => store::verify_with_keys(&folder.store(), verification, &*keeper),
        // The chain is over what is stored, so that it is verified without the key as well.
        Ok(None) | Err(_) => store::verify_with(&folder.store(), verification).map_err(Into::into),
    }
}

/// Takes the store of a folder on which no platform runs as it is, though it is older than it was seen
/// last, or its seal is missing or of another host key: all of it is verified, and that it was taken
/// is on record, signed. What was accepted, for people; nothing if there was nothing to accept.
///
/// # Errors
/// [`AcceptError`]; nothing was changed.
pub async fn accept(folder: &StateFolder, now: Timestamp) -> Result<Vec<String>, AcceptError> {
    let settings = Settings::load(folder)?;
    let host = StateKeys::open(folder.path())?.host()?;
    let options = Options {
        accept: true,
        ..options(folder, &settings, host, now)?
    };
    let (store, recovered) = Store::open(options, Box::new(|_| ()))?;
    store.seal().await?;
    Ok(recovered.accepted)
}
