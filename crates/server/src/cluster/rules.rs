//! The digest of what the folders of all nodes must have alike, so that whoever leads lets in the same.
//!
//! Read next: [`crate::state`], the files.

use crate::file::FileError;
use crate::ssh::keys::{KeyFileError, StateKeys};
use crate::state::StateFolder;
use crate::token::list::ListError;
use crate::token::revoked;
use russh::keys::HashAlg;
use sha2::{Digest as _, Sha256};
use std::io::ErrorKind;
use std::path::Path;

/// The reason for which there is no digest.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A key cannot be read or made.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// The list of tokens cannot be read.
    #[error(transparent)]
    Tokens(#[from] ListError),
}

/// The digest (SHA-256, hexadecimal) of the host key, the operator's key, `access.toml`, the keys of users and of
/// agents, the list of revoked certificates, and the tokens that were revoked, in a folder. It is of the files alone:
/// nodes whose clocks differ have the same, and it stays the same while nobody leads.
///
/// # Errors
/// [`RulesError`]
pub fn digest(folder: &StateFolder) -> Result<String, RulesError> {
    let keys = StateKeys::open(folder.path())?;
    let mut digest = Sha256::new();
    let mut add = |name: &str, content: &[u8]| {
        for part in [name.as_bytes(), content] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
    };
    for (name, key) in [("host", keys.host()?), ("operator", keys.operator()?)] {
        let shown = key.public_key().fingerprint(HashAlg::Sha256);
        add(name, shown.to_string().as_bytes());
    }
    for path in [folder.access(), folder.revoked_certificates()] {
        add(&named(folder, &path), &read(&path)?);
    }
    for (_, _, path) in folder.key_files() {
        add(&named(folder, &path), &read(&path)?);
    }
    for id in revoked(folder)? {
        add("revoked token", id.as_bytes());
    }
    Ok(base16ct::lower::encode_string(&digest.finalize()))
}

/// The path of a file within its folder.
fn named(folder: &StateFolder, path: &Path) -> String {
    let within = path.strip_prefix(folder.path()).unwrap_or(path);
    within.to_string_lossy().into_owned()
}

/// The content of a file; empty if there is none.
fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    match std::fs::read(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(|cause| FileError::unreadable(path, cause)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::token::{Grant, TokenTerms, Tokens};
    use domain::time::Timestamp;
    use std::collections::BTreeSet;

    #[test]
    fn folders_have_one_digest_if_they_let_in_the_same() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (a, b) = (
            StateFolder::new(first.path()),
            StateFolder::new(second.path()),
        );
        let before = digest(&a).unwrap();
        assert_ne!(before, digest(&b).unwrap(), "another host key");
        for key in ["host_ed25519", "operator_ed25519"] {
            std::fs::copy(first.path().join(key), second.path().join(key)).unwrap();
        }
        assert_eq!(before, digest(&b).unwrap());
        let files = [
            "access.toml",
            "revoked_certificates",
            "users/noc.pub",
            "agents/far.pub",
        ];
        let mut told = vec![before];
        for file in files {
            let path = second.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "x").unwrap();
            let now = digest(&b).unwrap();
            assert!(!told.contains(&now), "{file} is in it");
            told.push(now);
        }
        std::fs::write(second.path().join("store_head"), "x").unwrap();
        assert_eq!(told.last(), Some(&digest(&b).unwrap()));
    }

    #[test]
    fn a_token_that_was_revoked_is_in_it_also_once_it_has_expired() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(folder.path());
        let before = digest(&state).unwrap();
        let tokens = Tokens::open(&state, TokenTerms::default()).unwrap();
        let issued = |at: i64| {
            let grant = Grant {
                name: "operator".to_owned(),
                valid_s: 60,
                scope: BTreeSet::new(),
            };
            let issued = tokens.issue(&grant, Timestamp::from_ms(1_000 * at));
            issued.unwrap().entry.id
        };
        let id = issued(0);
        assert_eq!(digest(&state).unwrap(), before, "nothing was revoked");
        tokens.revoke(&id).unwrap();
        let revoked = digest(&state).unwrap();
        assert_ne!(revoked, before, "it expired in 1970");
        std::fs::write(state.cluster_key(), "").unwrap();
        let second = issued(100);
        assert_eq!(digest(&state).unwrap(), revoked);
        // Whoever is alone forgets what is void by itself.
        std::fs::remove_file(state.cluster_key()).unwrap();
        issued(200);
        assert_eq!(digest(&state).unwrap(), before);
        assert!(!state.tokens().join(format!("{second}.json")).exists());
    }
}
