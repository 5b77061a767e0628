//! Others who may write a file: everybody but root and the user that the process runs as.
//!
//! A file or folder is theirs if it belongs to one of them, if everybody may write it, or if a group
//! may that is not the process's own (a user with a private group may have a umask of 002). Knows
//! no file by name. Read next: [`crate::writable`], which says what follows for which.

use rustix::process::{getegid, geteuid};
use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

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
    pub(crate) fn can_write(self) -> String {
        match self {
            Self::Everybody => "everybody on this machine can write it".to_owned(),
            Self::Group(group) => format!("the group {group}, which is not ours, can write it"),
            Self::Owner(owner) => format!("the user {owner}, to whom it belongs, can write it"),
        }
    }

    /// The command that fixes it.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Everybody => "chmod o-w",
            Self::Group(_) => "chmod g-w",
            Self::Owner(_) => "chown it to whoever runs the platform",
        }
    }
}

/// The warning for a folder or file of public keys that others may write.
pub(crate) fn lets_nobody_in(path: &Path, others: Others) -> String {
    format!(
        "{}: {}, so it lets nobody in; {}",
        path.display(),
        others.can_write(),
        others.remedy()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
