//! The key that the nodes of a cluster share: who has it is of the cluster.
//!
//! It is in `cluster_key` of each node's state folder, 64 hexadecimal digits that its owner alone may
//! read; one folder makes it, and it is copied to the others. What is derived from it is not known here.
//! Read next: [`crate::master_key`], the other key that is made like this.

use crate::ssh::keys::{sync_parent, write_temporary};
use crate::state::StateFolder;
use sha2::{Digest as _, Sha256};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The length of the key, in bytes.
const BYTES: usize = 32;

/// The reason for which there is no key.
#[derive(Debug, thiserror::Error)]
pub enum ClusterKeyError {
    /// The file cannot be read or made.
    #[error("cluster key {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// Others than the owner may read the file.
    #[error("{} is open to others: chmod 600 it, and give all nodes a new key", .0.display())]
    OpenToOthers(PathBuf),
    /// The text is not a key.
    #[error("{} holds no cluster key: 64 hexadecimal digits are needed", .0.display())]
    Format(PathBuf),
    /// The system gives no random bytes.
    #[error("the system gives no randomness")]
    Chance(#[source] getrandom::Error),
}

/// The key of a cluster; it is not shown.
pub struct SharedKey([u8; BYTES]);

impl SharedKey {
    /// Its bytes.
    pub fn bytes(&self) -> [u8; BYTES] {
        self.0
    }

    /// By what people see whether two nodes have the same (the first 16 hexadecimal digits of its
    /// SHA-256).
    pub fn digest(&self) -> String {
        let digest = base16ct::lower::encode_string(&Sha256::digest(self.0));
        digest[..16].to_owned()
    }
}

/// The key in the folder, which is made if there is none; true if it was.
///
/// # Errors
/// [`ClusterKeyError`]
pub fn load_or_make(folder: &StateFolder) -> Result<(SharedKey, bool), ClusterKeyError> {
    let file = folder.cluster_key();
    if let Some(key) = load(&file)? {
        return Ok((key, false));
    }
    make(&file)?;
    match load(&file)? {
        Some(key) => Ok((key, true)),
        None => Err(failed(&file)(io::ErrorKind::NotFound.into())),
    }
}

/// The key in a file; none if there is no such file.
///
/// # Errors
/// [`ClusterKeyError`]
pub(crate) fn load(file: &Path) -> Result<Option<SharedKey>, ClusterKeyError> {
    match std::fs::metadata(file) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(failed(file)(cause)),
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            return Err(ClusterKeyError::OpenToOthers(file.to_owned()));
        }
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(file).map_err(failed(file))?;
    let mut key = [0; BYTES];
    match base16ct::mixed::decode(text.trim(), &mut key) {
        Ok(read) if read.len() == BYTES => Ok(Some(SharedKey(key))),
        _ => Err(ClusterKeyError::Format(file.to_owned())),
    }
}

/// Makes a key, unless another process made one first.
fn make(file: &Path) -> Result<(), ClusterKeyError> {
    let mut key = [0; BYTES];
    getrandom::fill(&mut key).map_err(ClusterKeyError::Chance)?;
    let text = format!("{}\n", base16ct::lower::encode_string(&key));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed(file))?;
    }
    let temporary = write_temporary(file, text.as_bytes(), 0o600).map_err(failed(file))?;
    let placed = match std::fs::hard_link(&temporary, file) {
        Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => Err(cause),
        _ => std::fs::remove_file(&temporary),
    };
    placed
        .and_then(|()| sync_parent(file))
        .map_err(failed(file))
}

fn failed(file: &Path) -> impl Fn(io::Error) -> ClusterKeyError {
    move |cause| ClusterKeyError::File {
        path: file.to_owned(),
        cause,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs::{Permissions, read_to_string, set_permissions, write};

    #[test]
    fn a_key_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = StateFolder::new(folder.path().join("state"));
        let (made, is_new) = load_or_make(&folder).unwrap();
        assert!(is_new);
        let mode = std::fs::metadata(folder.cluster_key()).unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
        let (again, is_new) = load_or_make(&folder).unwrap();
        assert!(!is_new);
        assert_eq!(again.bytes(), made.bytes());
        let digits = read_to_string(folder.cluster_key()).unwrap();
        assert!(!digits.contains(&made.digest()));
    }

    #[test]
    fn what_is_no_key_or_is_open_to_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = StateFolder::new(folder.path());
        let file = folder.cluster_key();
        for text in ["", "00", "zz", &"0".repeat(63), &"0".repeat(66)] {
            write(&file, text).unwrap();
            set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
            let refused = load_or_make(&folder).map(|_| ());
            assert!(matches!(refused, Err(ClusterKeyError::Format(_))), "{text}");
        }
        write(&file, "0".repeat(64)).unwrap();
        assert_eq!(load_or_make(&folder).unwrap().0.bytes(), [0; BYTES]);
        set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let refused = load_or_make(&folder).map(|_| ());
        assert!(matches!(refused, Err(ClusterKeyError::OpenToOthers(_))));
    }
}
