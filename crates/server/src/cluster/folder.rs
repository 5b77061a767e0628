//! The folder of a node: checked, and told from all others.
//!
//! Read next: [`crate::state`].

use crate::access;
use crate::config::Settings;
use crate::host::StartError;
use crate::ssh::keys::StateKeys;
use crate::state::StateFolder;
use crate::writable;
use sha2::{Digest as _, Sha256};
use std::os::unix::fs::MetadataExt as _;

/// Checks the files of a folder as a start of a platform does.
pub(super) fn prepared(folder: &StateFolder, settings: &Settings) -> Result<StateKeys, StartError> {
    writable::check(folder)?;
    settings.check(folder)?;
    let keys = StateKeys::open(folder.path())?;
    access::load(&folder.access())?;
    Ok(keys)
}

/// A word for a folder on this machine that no other has.
pub(super) fn place(folder: &StateFolder) -> String {
    let mut digest = Sha256::new();
    // Nothing of it is known where there is no such file; the folder is told from others here at least.
    digest.update(std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default());
    let path = folder.path();
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    digest.update(path.as_os_str().as_encoded_bytes());
    if let Ok(found) = path.metadata() {
        digest.update(found.dev().to_be_bytes());
        digest.update(found.ino().to_be_bytes());
    }
    base16ct::lower::encode_string(&digest.finalize())
}
