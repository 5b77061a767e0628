//! Key files: generated at the first start, loaded afterwards.
//!
//! Ed25519 in OpenSSH's format, so that `ssh -i` and `ssh-keygen` read them. Files are written
//! atomically. Keys are authorized by [`super::authentication`].

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use russh::keys::ssh_key::LineEnding;
use russh::keys::{Algorithm, PrivateKey, PublicKey};

use crate::user_name::is_user_name;

/// The reason for which a key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// Reading or writing failed.
    #[error("key file {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The file holds no usable key.
    #[error("{} is not an OpenSSH private key without passphrase", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The error of the parser.
        #[source]
        cause: russh::keys::ssh_key::Error,
    },
    /// Others than the owner may read the private key.
    #[error("{} is open to others (mode {mode:03o}); run chmod 600", path.display())]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The name of an agent cannot be the name of a file.
    #[error("{name:?} cannot name a key file")]
    Name {
        /// The name.
        name: String,
    },
}

/// The keys inside a state folder.
#[derive(Clone, Debug)]
pub struct StateKeys {
    directory: PathBuf,
}

impl StateKeys {
    /// The keys of the state folder `directory`, which is created (mode 0700) with `keys/`,
    /// `users/` and `agents/` if missing.
    ///
    /// # Errors
    /// [`KeyFileError::File`] if a folder cannot be made.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, KeyFileError> {
        let directory = directory.into();
        for folder in [
            directory.clone(),
            directory.join("keys"),
            directory.join("users"),
            directory.join("agents"),
        ] {
            private_folder(&folder)?;
        }
        Ok(Self { directory })
    }

    /// The server's host key, `host_ed25519`.
    ///
    /// # Errors
    /// As [`load_or_generate`].
    pub fn host(&self) -> Result<PrivateKey, KeyFileError> {
        load_or_generate(&self.directory.join("host_ed25519"), "convoke host")
    }

    /// The operator's key, `operator_ed25519`, with its public half beside it.
    ///
    /// # Errors
    /// As [`load_or_generate`].
    pub fn operator(&self) -> Result<PrivateKey, KeyFileError> {
        let key = load_or_generate(&self.operator_path(), "operator")?;
        let path = self.directory.join("operator_ed25519.pub");
        write_public(&path, key.public_key())?;
        Ok(key)
    }

    /// The path of the operator's private key, for `ssh -i`.
    #[must_use]
    pub fn operator_path(&self) -> PathBuf {
        self.directory.join("operator_ed25519")
    }

    /// The key of the agent `name`, `keys/NAME_ed25519`.
    ///
    /// # Errors
    /// [`KeyFileError::Name`] for a name that is no user name; else as
    /// [`load_or_generate`].
    pub fn agent(&self, name: &str) -> Result<PrivateKey, KeyFileError> {
        if !is_user_name(name) {
            return Err(KeyFileError::Name { name: name.into() });
        }
        let path = self.directory.join("keys").join(format!("{name}_ed25519"));
        load_or_generate(&path, name)
    }

    /// The folder of public keys that may log in, for
    /// [`super::KeyDirectory::new`].
    #[must_use]
    pub fn users(&self) -> PathBuf {
        self.directory.join("users")
    }

    /// The folder of public keys of agents that are not hosted here, for
    /// [`super::KeyDirectory::with_agents`].
    #[must_use]
    pub fn agents(&self) -> PathBuf {
        self.directory.join("agents")
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.directory
    }

    /// The path for [`write_known_hosts`].
    #[must_use]
    pub fn known_hosts(&self) -> PathBuf {
        self.directory.join("known_hosts")
    }
}

/// Generates a new Ed25519 key.
#[must_use]
pub fn generate(comment: &str) -> PrivateKey {
    let mut key = PrivateKey::random(&mut russh::keys::key::safe_rng(), Algorithm::Ed25519)
        .expect("Ed25519 is compiled in and its key generation cannot fail");
    key.set_comment(comment);
    key
}

/// Loads the key at `path`, or generates one there (mode 0600) if there is none. Two processes that
/// start at once get the same key.
///
/// # Errors
/// As [`load`], or [`KeyFileError::File`] if the file cannot be written.
pub fn load_or_generate(path: &Path, comment: &str) -> Result<PrivateKey, KeyFileError> {
    match load(path) {
        Err(KeyFileError::File { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {}
        outcome => return outcome,
    }
    let text = generate(comment)
        .to_openssh(LineEnding::LF)
        .map_err(|cause| KeyFileError::Format {
            path: path.into(),
            cause,
        })?;
    let temporary = write_temporary(path, text.as_bytes(), 0o600).map_err(at(path))?;
    // A link, unlike a rename, never replaces what another process made first.
    let linked = fs::hard_link(&temporary, path);
    let _ = fs::remove_file(&temporary);
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(at(path)(error)),
        _ => {
            sync_parent(path).map_err(at(path))?;
            load(path)
        }
    }
}

/// Loads the private key at `path`.
///
/// # Errors
/// [`KeyFileError::File`] if it cannot be read, [`KeyFileError::OpenToOthers`] if group
/// or others have any right to it, [`KeyFileError::Format`] if it holds no key or
/// an encrypted one.
pub fn load(path: &Path) -> Result<PrivateKey, KeyFileError> {
    let mode = fs::metadata(path).map_err(at(path))?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyFileError::OpenToOthers {
            path: path.into(),
            mode,
        });
    }
    let text = fs::read(path).map_err(at(path))?;
    let format = |cause| KeyFileError::Format {
        path: path.into(),
        cause,
    };
    let key = PrivateKey::from_openssh(&text).map_err(format)?;
    if key.is_encrypted() {
        return Err(format(russh::keys::ssh_key::Error::Encrypted));
    }
    Ok(key)
}

/// Writes the public half of a key in OpenSSH's one-line format (mode 0644), replacing the file if
/// its content differs.
///
/// # Errors
/// [`KeyFileError::File`] if the file cannot be written.
pub fn write_public(path: &Path, key: &PublicKey) -> Result<(), KeyFileError> {
    replace(path, format!("{}\n", line_of(key)).as_bytes())
}

/// Writes a `known_hosts` file in which every address has the same host key.
///
/// # Errors
/// [`KeyFileError::File`] if the file cannot be written.
pub fn write_known_hosts(
    path: &Path,
    host_key: &PublicKey,
    addresses: &[SocketAddr],
) -> Result<(), KeyFileError> {
    let mut bare = host_key.clone();
    bare.set_comment("");
    let key = line_of(&bare);
    let text: String = addresses
        .iter()
        .map(|address| match address.port() {
            22 => format!("{} {key}\n", address.ip()),
            port => format!("[{}]:{port} {key}\n", address.ip()),
        })
        .collect();
    replace(path, text.as_bytes())
}

fn line_of(key: &PublicKey) -> String {
    let line = key
        .to_openssh()
        .expect("a key whose comment is text has a line form");
    line.trim_end().to_owned()
}

fn private_folder(path: &Path) -> Result<(), KeyFileError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(at(path))
}

fn replace(path: &Path, bytes: &[u8]) -> Result<(), KeyFileError> {
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    write_temporary(path, bytes, 0o644)
        .and_then(|temporary| {
            fs::rename(&temporary, path).inspect_err(|_| {
                let _ = fs::remove_file(&temporary);
            })
        })
        .and_then(|()| sync_parent(path))
        .map_err(at(path))
}

/// Writes and syncs a new file beside `path`, or leaves none; with its leading dot it is not taken
/// for a user's key.
pub(crate) fn write_temporary(path: &Path, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let serial = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!(".{name}.{}.{serial}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&temporary)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if let Err(cause) = written {
        let _ = fs::remove_file(&temporary);
        return Err(cause);
    }
    Ok(temporary)
}

pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    match path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        Some(parent) => File::open(parent)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> KeyFileError {
    move |cause| KeyFileError::File {
        path: path.into(),
        cause,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_key_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateKeys::open(folder.path().join("state")).unwrap();
        let host = state.host().unwrap();
        assert_eq!(host.public_key(), state.host().unwrap().public_key());
        let agent = state.agent("ran-east").unwrap();
        assert_ne!(host.public_key().key_data(), agent.public_key().key_data());
        for made in ["state", "state/keys", "state/users", "state/agents"] {
            assert_eq!(mode(&folder.path().join(made)), 0o700, "{made}");
        }
        assert_eq!(mode(&folder.path().join("state/host_ed25519")), 0o600);
        assert_eq!(
            mode(&folder.path().join("state/keys/ran-east_ed25519")),
            0o600
        );
    }

    #[test]
    fn the_operators_public_key_lies_beside_the_private_one() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateKeys::open(folder.path()).unwrap();
        let key = state.operator().unwrap();
        let text = fs::read_to_string(folder.path().join("operator_ed25519.pub")).unwrap();
        assert_eq!(&PublicKey::from_openssh(&text).unwrap(), key.public_key());
    }

    #[test]
    fn starting_at_once_makes_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let keys: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| load_or_generate(&path, "x").unwrap()))
                .collect();
            starts
                .into_iter()
                .map(|start| start.join().unwrap())
                .collect()
        });
        assert!(
            keys.iter()
                .all(|key| key.public_key() == keys[0].public_key())
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_open_or_broken_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        load_or_generate(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = load_or_generate(&path, "x").unwrap_err();
        assert!(matches!(
            error,
            KeyFileError::OpenToOthers { mode: 0o640, .. }
        ));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "no key").unwrap();
        let error = load_or_generate(&path, "x").unwrap_err();
        assert!(matches!(error, KeyFileError::Format { .. }));
    }

    #[test]
    fn an_agents_name_cannot_leave_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateKeys::open(folder.path()).unwrap();
        let error = state.agent("../operator").unwrap_err();
        assert!(matches!(error, KeyFileError::Name { .. }));
    }

    #[test]
    fn known_hosts_are_written_as_openssh_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("known_hosts");
        let key = generate("a comment that does not belong there");
        let addresses = ["127.0.0.1:8830", "[::1]:8831", "192.0.2.1:22"];
        let addresses = addresses.map(|address| address.parse().unwrap());
        write_known_hosts(&path, key.public_key(), &addresses).unwrap();
        let mut bare = key.public_key().clone();
        bare.set_comment("");
        let key = bare.to_openssh().unwrap().trim_end().to_owned();
        assert_eq!(
            fs::read_to_string(path).unwrap(),
            format!("[127.0.0.1]:8830 {key}\n[::1]:8831 {key}\n192.0.2.1 {key}\n")
        );
    }
}
