//! Checks for files in a state folder that others may write, and could use to admit themselves.
//!
//! Others are everybody but root and the user that the process runs as: a file or folder that
//! belongs to one of them, that everybody may write, or that a group may write which is not the
//! process's own (a user with a private group may have a umask of 002). For rules and settings, for
//! the state folder and for the folder of private keys that prevents a start, and changes are
//! ignored while the platform runs; public keys that others may write admit nobody
//! ([`crate::ssh::keys`] checks private ones). Read next: [`crate::state`].

use crate::file::FileError;
use crate::state::StateFolder;
use rustix::process::{getegid, geteuid};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The write permission of everybody (`chmod o-w` removes it).
const OTHERS_WRITE: u32 = 0o002;

/// The write permission of the group (`chmod g-w` removes it).
const GROUP_WRITES: u32 = 0o020;

/// Others who may write a file, or make and remove files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// All users of the machine.
    Everybody,
    /// A group by its number, which is not the process's own.
    Group(u32),
    /// The owner by its number, which is neither root nor the user of the process.
    Owner(u32),
}

/// The user and group of this process.
#[derive(Clone, Copy, Debug)]
struct Own {
    user: u32,
    group: u32,
}

impl Own {
    fn of_process() -> Self {
        Self {
            user: geteuid().as_raw(),
            group: getegid().as_raw(),
        }
    }
}

impl Others {
    /// Those who may write the file at a path; none if it does not exist.
    pub(crate) fn who_may_write(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Self::of(&found, Own::of_process())
    }

    fn of(found: &Metadata, own: Own) -> Option<Self> {
        Self::by(found.permissions().mode(), [found.uid(), found.gid()], own)
    }

    fn by(mode: u32, [owner, group]: [u32; 2], own: Own) -> Option<Self> {
        if mode & OTHERS_WRITE != 0 {
            Some(Self::Everybody)
        } else if owner != 0 && owner != own.user {
            Some(Self::Owner(owner))
        } else if mode & GROUP_WRITES != 0 && group != own.group {
            Some(Self::Group(group))
        } else {
            None
        }
    }

    /// The fact, in words for people.
    fn can_write(self) -> String {
        match self {
            Self::Everybody => "everybody on this machine can write it".to_owned(),
            Self::Group(group) => format!("the group {group}, which is not ours, can write it"),
            Self::Owner(owner) => format!("the user {owner}, to whom it belongs, can write it"),
        }
    }

    /// The command that fixes it.
    fn remedy(self) -> &'static str {
        match self {
            Self::Everybody => "chmod o-w",
            Self::Group(_) => "chmod g-w",
            Self::Owner(_) => "chown it to whoever runs the platform",
        }
    }
}

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

/// The warning for such a folder or file.
pub(crate) fn lets_nobody_in(path: &Path, others: Others) -> String {
    format!(
        "{}: {}, so it lets nobody in; {}",
        path.display(),
        others.can_write(),
        others.remedy()
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

    /// The user of the process, root and the process's own group are not others.
    #[test]
    fn others_are_everybody_other_groups_and_other_owners() {
        use Others::{Everybody, Group, Owner};
        let own = Own { user: 7, group: 70 };
        for (mode, ids, others) in [
            (0o644, [7, 70], None),
            (0o644, [0, 0], None),
            (0o664, [7, 70], None),
            (0o775, [0, 70], None),
            (0o664, [7, 80], Some(Group(80))),
            (0o664, [7, 0], Some(Group(0))),
            (0o644, [7, 80], None),
            (0o600, [8, 70], Some(Owner(8))),
            (0o400, [8, 70], Some(Owner(8))),
            (0o666, [7, 70], Some(Everybody)),
            (0o666, [8, 80], Some(Everybody)),
        ] {
            assert_eq!(Others::by(mode, ids, own), others, "{mode:o} {ids:?}");
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
