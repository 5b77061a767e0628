//! Checks for files in a state folder that others may write, and could use to admit themselves.
//!
//! For rules and settings, for the state folder and for the folder of private keys that prevents a
//! start, and changes are ignored while the platform runs; public keys that others may write admit
//! nobody ([`crate::ssh::keys`] checks private ones). Others are those of [`crate::permissions`].
//! Read next: [`crate::state`].

use crate::file::FileError;
use crate::permissions::Others;
use crate::state::StateFolder;
use std::io;
use std::path::PathBuf;

/// Refuses a state folder in which others may write rules or settings.
///
/// # Errors
/// The first file or folder that others may write.
pub(crate) fn check(folder: &StateFolder) -> Result<(), FileError> {
    let decisive = [
        folder.path().to_owned(),
        folder.access(),
        folder.settings(),
        folder.revoked_certificates(),
        folder.tokens(),
        folder.path().join("keys"),
    ];
    for path in decisive {
        if let Some(others) = Others::who_may_write(&path) {
            let (can, remedy) = (others.can_write(), others.remedy());
            let why = format!("{can}, and so let himself in; {remedy}");
            let cause = io::Error::new(io::ErrorKind::PermissionDenied, why);
            return Err(FileError::unreadable(&path, cause));
        }
    }
    Ok(())
}

/// Folders and files of public keys that are ignored, with those who may write them.
pub(crate) fn keys_of_nobody(folder: &StateFolder) -> Vec<(PathBuf, Others)> {
    let folders = ["users", "agents"].map(|name| folder.path().join(name));
    let files = folder.key_files().into_iter().map(|(_, _, file)| file);
    let all = folders.into_iter().chain(files);
    all.filter_map(|path| {
        let others = Others::who_may_write(&path)?;
        Some((path, others))
    })
    .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rustix::process::getegid;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    /// The write permission of everybody.
    const OTHERS_WRITE: u32 = 0o002;

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
        fs::create_dir(folder.path().join("keys")).unwrap();
        assert!(check(&state).is_ok());
        for (path, usual) in [
            (folder.path().to_owned(), 0o700),
            (state.access(), 0o644),
            (state.settings(), 0o644),
            (state.tokens(), 0o700),
            (folder.path().join("keys"), 0o755),
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

    /// A umask of 002 with a private group for each user does not prevent a first start.
    #[test]
    fn what_our_own_group_may_write_is_ours() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        fs::write(state.access(), "").unwrap();
        let group = fs::metadata(state.access()).unwrap().gid();
        assert_eq!(group, getegid().as_raw());
        may(&state.access(), 0o664);
        may(folder.path(), 0o775);
        assert!(check(&state).is_ok());
    }

    #[test]
    fn keys_that_everybody_may_write_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let users = folder.path().join("users");
        fs::create_dir(&users).unwrap();
        let key = users.join("guest.pub");
        fs::write(&key, "").unwrap();
        assert_eq!(keys_of_nobody(&state), []);
        may(&key, 0o666);
        let of_key = (key, Others::Everybody);
        assert_eq!(keys_of_nobody(&state), std::slice::from_ref(&of_key));
        may(&users, 0o777);
        let of_folder = (users, Others::Everybody);
        assert_eq!(keys_of_nobody(&state), [of_folder, of_key]);
    }
}
