//! What everybody on the machine may write in a state folder: whoever can, lets himself in.
//!
//! Files of rules and settings that others may write stop a start, and change nothing while the platform
//! runs; keys that others may write let nobody in ([`crate::ssh::keys`] looks at private ones). Only the
//! rights of everybody are looked at: whose group may write is the administrator's to say. Read next:
//! [`crate::state`].

use crate::file::FileError;
use crate::state::StateFolder;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The right of everybody to write (`chmod o-w` takes it away).
const OTHERS_WRITE: u32 = 0o002;

/// True if everybody may write the file, or make and remove files in the folder; what is not there,
/// nobody may.
pub(crate) fn is_writable_by_others(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS_WRITE != 0)
}

/// Refuses a state folder in which others may say who may do what.
///
/// # Errors
/// The first file or folder that everybody may write.
pub(crate) fn check(folder: &StateFolder) -> Result<(), FileError> {
    let decisive = [
        folder.path().to_owned(),
        folder.access(),
        folder.settings(),
        folder.revoked_certificates(),
        folder.tokens(),
    ];
    match decisive.iter().find(|path| is_writable_by_others(path)) {
        None => Ok(()),
        Some(path) => {
            let why = "everybody on this machine can write it, and so let himself in; chmod o-w";
            let cause = io::Error::new(io::ErrorKind::PermissionDenied, why);
            Err(FileError::unreadable(path, cause))
        }
    }
}

/// Folders and files of public keys that let nobody in, because everybody may write them.
pub(crate) fn keys_of_nobody(folder: &StateFolder) -> Vec<PathBuf> {
    let folders = ["users", "agents"].map(|name| folder.path().join(name));
    let files = folder.key_files().into_iter().map(|(_, _, file)| file);
    let all = folders.into_iter().chain(files);
    all.filter(|path| is_writable_by_others(path)).collect()
}

/// What to tell of such a folder or file.
pub(crate) fn lets_nobody_in(path: &Path) -> String {
    format!(
        "{}: everybody on this machine can write it, so it lets nobody in; chmod o-w",
        path.display()
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn may(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_everybody_may_write_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        fs::write(state.access(), "").unwrap();
        fs::write(state.settings(), "").unwrap();
        fs::create_dir(state.tokens()).unwrap();
        assert!(check(&state).is_ok());
        for (path, usual) in [
            (folder.path().to_owned(), 0o700),
            (state.access(), 0o644),
            (state.settings(), 0o644),
            (state.tokens(), 0o700),
        ] {
            may(&path, usual | OTHERS_WRITE);
            let refused = check(&state).unwrap_err().to_string();
            assert!(
                refused.starts_with(&path.display().to_string()),
                "{refused}"
            );
            assert!(refused.ends_with("chmod o-w"), "{refused}");
            may(&path, usual);
            assert!(check(&state).is_ok());
        }
    }

    #[test]
    fn keys_that_everybody_may_write_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let users = folder.path().join("users");
        fs::create_dir(&users).unwrap();
        let key = users.join("guest.pub");
        fs::write(&key, "").unwrap();
        assert_eq!(keys_of_nobody(&state), Vec::<PathBuf>::new());
        may(&key, 0o666);
        assert_eq!(keys_of_nobody(&state), std::slice::from_ref(&key));
        may(&users, 0o777);
        assert_eq!(keys_of_nobody(&state), [users, key]);
    }
}
