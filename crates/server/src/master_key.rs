//! The master key of a state folder, under which the store's data keys are wrapped (draft-zhou §7).
//!
//! It is in `store_key` beside the database, readable by its owner alone and made at the first
//! start, or is printed by a command, so that a key management service may keep it. A line is `NAME
//! HEX`, 32 bytes in 64 digits; the first key is in force, the others unwrap older data keys.
//! Encryption itself is in `store`. Read next: [`crate::key_rotation`].

use crate::ssh::keys::{sync_parent, write_temporary};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use store::{HeldKeys, KeyKeeper, KeyKeeperError, Location, RandomSource, Secret};

/// The reason for which there is no master key.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// The file cannot be read or made.
    #[error("master key {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// Others than the owner may read the file.
    #[error("{} is open to others: chmod 600 it, and rotate the key", .0.display())]
    OpenToOthers(PathBuf),
    /// The text is not a key.
    #[error("{0} gives no master key: a line 'NAME HEX' with 64 digits is needed")]
    Format(String),
    /// The command cannot be run.
    #[error("the command '{command}' cannot be run")]
    Command {
        /// The command.
        command: String,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The command failed.
    #[error("the command '{command}' failed: {reason}")]
    Failed {
        /// The command.
        command: String,
        /// The exit status, and the error output.
        reason: String,
    },
    /// The key is missing: a new one would not open the stored payloads.
    #[error(
        "{} is gone, and {store} is encrypted under it: put the key back from where it is kept; \
         docs/store.md says what can be saved without it",
        key.display()
    )]
    Lost {
        /// The file of the key.
        key: PathBuf,
        /// The store.
        store: Location,
    },
    /// The system gives no random bytes.
    #[error("the system gives no randomness")]
    Chance(#[source] KeyKeeperError),
}

/// The keeper of a state folder's key: that of `command` if there is one, else that of the file,
/// which is created if missing.
///
/// # Errors
/// [`MasterKeyError`]
pub fn keeper(
    file: &Path,
    command: Option<&[String]>,
) -> Result<Arc<dyn KeyKeeper>, MasterKeyError> {
    let text = match command {
        Some(command) => printed(command)?,
        None => filed(file)?,
    };
    let whence = || command.map_or_else(|| file.display().to_string(), |c| c.join(" "));
    held(&text)
        .map(|keys| Arc::new(keys) as _)
        .ok_or_else(|| MasterKeyError::Format(whence()))
}

/// The keeper, if there is a key already: for readers.
///
/// # Errors
/// [`MasterKeyError`]
pub fn existing(
    file: &Path,
    command: Option<&[String]>,
) -> Result<Option<Arc<dyn KeyKeeper>>, MasterKeyError> {
    match command.is_some() || file.exists() {
        true => keeper(file, command).map(Some),
        false => Ok(None),
    }
}

/// Puts a new key in front of those of the file, which still unwrap older data keys.
///
/// # Errors
/// [`MasterKeyError`]
pub fn rotate(file: &Path) -> Result<(), MasterKeyError> {
    let text = format!("{}{}", fresh()?, filed(file)?);
    write(file, &text, true)
}

/// Removes all keys but the one in force from the file, once nothing is wrapped under the others.
///
/// # Errors
/// [`MasterKeyError`]
pub fn forget_older(file: &Path) -> Result<(), MasterKeyError> {
    let text = filed(file)?;
    let first = text.lines().next().unwrap_or_default();
    write(file, &format!("{first}\n"), true)
}

fn filed(file: &Path) -> Result<String, MasterKeyError> {
    let wrong = |cause| MasterKeyError::File {
        path: file.to_owned(),
        cause,
    };
    match std::fs::metadata(file) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => write(file, &fresh()?, false)?,
        Err(cause) => return Err(wrong(cause)),
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            return Err(MasterKeyError::OpenToOthers(file.to_owned()));
        }
        Ok(_) => {}
    }
    std::fs::read_to_string(file).map_err(wrong)
}

/// Writes the file atomically; one that another process made first is not replaced unless `replace`
/// is true.
fn write(file: &Path, text: &str, replace: bool) -> Result<(), MasterKeyError> {
    let wrong = |cause| MasterKeyError::File {
        path: file.to_owned(),
        cause,
    };
    let temporary = write_temporary(file, text.as_bytes(), 0o600).map_err(wrong)?;
    let placed = match replace {
        true => std::fs::rename(&temporary, file),
        false => match std::fs::hard_link(&temporary, file) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => Err(cause),
            _ => std::fs::remove_file(&temporary),
        },
    };
    placed.and_then(|()| sync_parent(file)).map_err(wrong)
}

/// A new key under a name of its own, as a line.
fn fresh() -> Result<String, MasterKeyError> {
    let mut bytes = [0; 40];
    chance()(&mut bytes).map_err(MasterKeyError::Chance)?;
    let digits = base16ct::lower::encode_string(&bytes);
    let (name, secret) = digits.split_at(16);
    Ok(format!("{name} {secret}\n"))
}

/// The random bytes of the operating system.
fn chance() -> RandomSource {
    Box::new(|bytes| {
        getrandom::fill(bytes)
            .map_err(|cause| KeyKeeperError::Failed(Box::new(io::Error::other(cause))))
    })
}

fn printed(command: &[String]) -> Result<String, MasterKeyError> {
    let told = command.join(" ");
    let (program, arguments) = command
        .split_first()
        .ok_or_else(|| MasterKeyError::Format("an empty command".to_owned()))?;
    let ended = Command::new(program).args(arguments).output();
    let ended = ended.map_err(|cause| MasterKeyError::Command {
        command: told.clone(),
        cause,
    })?;
    match ended.status.success() {
        true => Ok(String::from_utf8_lossy(&ended.stdout).into_owned()),
        false => Err(MasterKeyError::Failed {
            reason: format!(
                "{}: {}",
                ended.status,
                String::from_utf8_lossy(&ended.stderr).trim()
            ),
            command: told,
        }),
    }
}

/// The keys of the lines, the first in force; none if a line is malformed.
fn held(text: &str) -> Option<HeldKeys> {
    let mut keys = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let (name, digits) = line.trim().split_once(' ')?;
            Some((name.to_owned(), secret(digits.trim())?))
        });
    let (name, first) = keys.next()??;
    keys.try_fold(HeldKeys::new(name, first, chance()), |held, key| {
        let (name, secret) = key?;
        Some(held.with_older(name, secret))
    })
}

fn secret(digits: &str) -> Option<Secret> {
    let mut bytes = [0; 32];
    let read = base16ct::mixed::decode(digits, &mut bytes).ok()?;
    let whole = read.len() == 32;
    whole.then(|| Secret::new(bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store_key");
        assert!(existing(&file, None).unwrap().is_none());
        let first = keeper(&file, None).unwrap().current();
        assert_eq!(keeper(&file, None).unwrap().current(), first);
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(
            keeper(&file, None),
            Err(MasterKeyError::OpenToOthers(_))
        ));
    }

    #[test]
    fn a_key_that_was_rotated_opens_what_the_older_wrapped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store_key");
        let before = keeper(&file, None).unwrap();
        let wrapped = before
            .wrap(&before.current(), &Secret::new([7; 32]))
            .unwrap();
        rotate(&file).unwrap();
        let after = keeper(&file, None).unwrap();
        assert_ne!(after.current(), before.current());
        let opened = after.unwrap(&before.current(), &wrapped).unwrap();
        assert_eq!(opened.expose(), &[7; 32]);
        forget_older(&file).unwrap();
        let alone = keeper(&file, None).unwrap();
        assert_eq!(alone.current(), after.current());
        assert!(alone.unwrap(&before.current(), &wrapped).is_err());
    }

    #[test]
    fn a_command_may_keep_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store_key");
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let digits = "ab".repeat(32);
        let said = words(&format!("echo kms-1 {digits}"));
        assert_eq!(keeper(&file, Some(&said)).unwrap().current(), "kms-1");
        assert!(!file.exists());
        let refused = keeper(&file, Some(&words("echo nothing")));
        assert!(matches!(refused, Err(MasterKeyError::Format(_))));
        assert!(matches!(
            keeper(&file, Some(&words("false"))),
            Err(MasterKeyError::Failed { .. })
        ));
        let absent = words("no-such-program-anywhere");
        assert!(matches!(
            keeper(&file, Some(&absent)),
            Err(MasterKeyError::Command { .. })
        ));
    }
}
