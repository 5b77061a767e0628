//! The files of a state: locked, and readable by their owner only.
//!
//! Knows no SQL. Read next: [`crate::backend`].

use super::error::OpenError;
use super::location::Location;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Locks a file, created if missing and readable by its owner only, for the state at `state`. The lock is held
/// as long as the file is open.
///
/// # Errors
/// [`OpenError::Locked`], [`OpenError::File`].
pub fn locked(path: &Path, state: &Location) -> Result<File, OpenError> {
    let lock = private(path).map_err(file_error(path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked {
            state: state.clone(),
        }),
        Err(TryLockError::Error(cause)) => Err(file_error(path)(cause)),
    }
}

fn file_error(path: &Path) -> impl Fn(io::Error) -> OpenError {
    let path = path.to_owned();
    move |cause| OpenError::File {
        path: path.clone(),
        cause,
    }
}

/// Locks the state in a file and makes that readable by its owner only.
pub(super) fn prepare(path: &Path) -> Result<File, OpenError> {
    let lock = locked(&beside(path, ".lock"), &path.into())?;
    // SQLite gives `-wal` and `-shm` the mode of the file itself, so it is made here first. Nobody
    // has it open yet, so closing it drops no lock of SQLite's.
    let file = private(path).map_err(file_error(path))?;
    let is_empty = file.metadata().map_err(file_error(path))?.len() == 0;
    drop(file);
    if is_empty {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // A file whose name is not durable is gone after a power cut, whatever was synced into it.
        // Nothing is written before this, so a file that holds something has its name; to sync
        // again would wait for whatever else the disk has to do, seconds at times.
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(file_error(folder))?;
    }
    Ok(lock)
}

/// The file of this name and suffix.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// The size of the file of a state with its write-ahead log, in bytes; none of a state elsewhere, or if the file
/// is not there.
pub(crate) fn size(location: &Location) -> Option<u64> {
    let Location::File(path) = location else {
        return None;
    };
    let file = fs::metadata(path).ok()?.len();
    // There is none while nothing was written.
    let log = fs::metadata(beside(path, "-wal"));
    Some(file + log.map_or(0, |log| log.len()))
}

/// Opens `path`, created if missing, readable by its owner only.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(0o600).open(path)?;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}
