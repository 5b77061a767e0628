//! Where PostgreSQL's programs are, and who runs them.
//!
//! Knows the places of distributions. Starts nothing. Read next: [`super`].

use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest release that the store is written for.
const OLDEST: u32 = 15;

/// The folders of which each holds releases by their number (Debian, Red Hat).
const RELEASES: &[&str] = &["/usr/lib/postgresql", "/usr"];

/// The user of a distribution's package, or one that owns nothing.
const USERS: &[&str] = &["postgres", "nobody"];

/// The folder of a release's programs.
#[derive(Clone)]
pub(super) struct Programs(PathBuf);

/// Why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Nowhere,
    Older(u32),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => f.write_str("PostgreSQL is not there")?,
            Self::Older(found) => write!(f, "PostgreSQL is {found}, and not {OLDEST} or newer")?,
        }
        f.write_str(" (`make setup` installs it through apt: the package postgresql)")
    }
}

impl Programs {
    /// The newest release.
    pub(super) fn find() -> Result<Self, Missing> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&path);
        let folders = RELEASES
            .iter()
            .flat_map(|folder| releases(Path::new(folder)));
        Self::newest(on_path.chain(folders))
    }

    fn newest(folders: impl Iterator<Item = PathBuf>) -> Result<Self, Missing> {
        let found = folders.filter_map(|folder| Some((release(&folder)?, folder)));
        match found.max_by_key(|(release, _)| *release) {
            None => Err(Missing::Nowhere),
            Some((release, _)) if release < OLDEST => Err(Missing::Older(release)),
            Some((_, folder)) => Ok(Self(folder)),
        }
    }

    pub(super) fn initdb(&self) -> PathBuf {
        self.0.join("initdb")
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.0.join("postgres")
    }

    pub(super) fn basebackup(&self) -> PathBuf {
        self.0.join("pg_basebackup")
    }

    pub(super) fn psql(&self) -> PathBuf {
        self.0.join("psql")
    }
}

/// The folders of programs below this one.
fn releases(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path().join("bin")).collect()
}

/// The release whose programs are in this folder.
fn release(folder: &Path) -> Option<u32> {
    let all = ["initdb", "postgres", "psql"];
    if !all.iter().all(|name| folder.join(name).is_file()) {
        return None;
    }
    let mut asked = Command::new(folder.join("postgres"));
    let told = asked.arg("--version").output().ok()?;
    parsed(&String::from_utf8(told.stdout).ok()?)
}

/// The release in `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn parsed(told: &str) -> Option<u32> {
    let number = told.split_whitespace().nth(2)?;
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The user that a server runs as.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    /// None where it is the one who tests.
    pub(super) user: Option<u32>,
    pub(super) group: Option<u32>,
}

impl Owner {
    /// PostgreSQL refuses root.
    pub(super) fn find() -> Self {
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let mut known = USERS.iter().filter_map(|name| numbered(&users, name));
        match is_root().then(|| known.next()).flatten() {
            Some((user, group)) => Self {
                user: Some(user),
                group: Some(group),
            },
            None => Self {
                user: None,
                group: None,
            },
        }
    }

    /// A command of this user, in English and untouched by the settings of who tests.
    pub(super) fn command(self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir("/").env("LC_ALL", "C");
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PG") {
                command.env_remove(name);
            }
        }
        if let Some(group) = self.group {
            command.gid(group);
        }
        if let Some(user) = self.user {
            command.uid(user);
        }
        command
    }
}

fn is_root() -> bool {
    // Who one is, without unsafe code: the owner of one's own process.
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The numbers of a user and of its group in `/etc/passwd`.
fn numbered(users: &str, name: &str) -> Option<(u32, u32)> {
    let mut lines = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let found = lines.find(|fields| fields.first() == Some(&name))?;
    Some((found.get(2)?.parse().ok()?, found.get(3)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_what_they_tell() {
        let told = [
            "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)",
            "postgres (PostgreSQL) 18beta1",
            "postgres",
        ];
        assert_eq!(told.map(parsed), [Some(15), Some(18), None]);
    }

    #[test]
    fn where_there_is_none_the_package_is_named() {
        let missing = Programs::newest(std::iter::empty()).err().unwrap();
        assert_eq!(
            missing.to_string(),
            "PostgreSQL is not there (`make setup` installs it through apt: the package postgresql)"
        );
    }

    #[test]
    fn users_are_read_by_name() {
        let users = "root:x:0:0:root:/:/bin/sh\npostgres:x:101:104::/var:/bin/sh\n";
        assert_eq!(numbered(users, "postgres"), Some((101, 104)));
        assert_eq!(numbered(users, "nobody"), None);
    }
}
