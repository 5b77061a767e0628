//! The state folder: all files of a platform.
//!
//! `convoke.toml`, `access.toml`, `convoke.db`, `host_ed25519`, `known_hosts`, `operator_ed25519`,
//! `keys/AGENT_ed25519`, `users/NAME.pub`, `agents/NAME.pub`, `revoked_certificates`,
//! `token_ed25519`, `tokens/ID.json`, `console/`, `peers/NAME.token`, `store_key`, `store_head`, `store_url`, `cluster_key`. Created at the
//! first start; there are no passwords. A name belongs to one principal: a user, a hosted agent, or
//! an agent elsewhere. Read next: [`crate::config`], [`crate::ssh::keys`].

use crate::file::FileError;
use crate::permissions::Others;
use crate::user_name::is_user_name;
use domain::profile::{ProfileError, usable_name};
use engine::Credential;
use sha2::{Digest as _, Sha256};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The reason for which the names in the state folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// Two principals have one name.
    #[error("{} and {} give the name '{name}' to two principals: remove one of them", agent.display(), other.display())]
    Twice {
        /// The name.
        name: String,
        /// The file that makes it an agent's.
        agent: PathBuf,
        /// The file of the other principal.
        other: PathBuf,
    },
    /// The name cannot be an agent's.
    #[error("{}: {cause}", file.display())]
    Unusable {
        /// The file that would give it to one.
        file: PathBuf,
        /// The reason.
        cause: ProfileError,
    },
    /// The folder cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
}

/// The user whose key is generated at the first start.
pub(crate) const OPERATOR: &str = "operator";

/// A state folder.
#[derive(Clone, Debug)]
pub struct StateFolder(PathBuf);

impl StateFolder {
    /// The folder at `path`, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The settings of the platform.
    pub fn settings(&self) -> PathBuf {
        self.0.join("convoke.toml")
    }

    /// The access rules.
    pub fn access(&self) -> PathBuf {
        self.0.join("access.toml")
    }

    /// The revoked client certificates.
    pub fn revoked_certificates(&self) -> PathBuf {
        self.0.join("revoked_certificates")
    }

    /// The files with public keys of users and agents, except hidden ones: the name, whether it is
    /// an agent's, and the path.
    pub fn key_files(&self) -> Vec<(String, Credential, PathBuf)> {
        let folders = [("users", Credential::User), ("agents", Credential::Agent)];
        let mut found = Vec::new();
        for (folder, whose) in folders {
            let entries = std::fs::read_dir(self.0.join(folder)).into_iter().flatten();
            for path in entries.flatten().map(|entry| entry.path()) {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str()?.strip_suffix(".pub"));
                if let Some(name) = name.filter(|name| is_user_name(name)) {
                    found.push((name.to_owned(), whose, path.clone()));
                }
            }
        }
        found.sort_by(|a, b| a.2.cmp(&b.2));
        found
    }

    /// The files in `users/` whose names cannot be user names, except hidden ones.
    pub fn unusable_keys(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.0.join("users"))
            .into_iter()
            .flatten();
        let files = entries.flatten().map(|entry| entry.path());
        let mut unusable: Vec<PathBuf> = files
            .filter(|path| {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let name = file.strip_suffix(".pub");
                name.is_some_and(|name| !name.starts_with('.') && !is_user_name(name))
            })
            .collect();
        unusable.sort();
        unusable
    }

    /// The key that signs tokens.
    pub fn token_key(&self) -> PathBuf {
        self.0.join("token_ed25519")
    }

    /// The list of tokens.
    pub fn tokens(&self) -> PathBuf {
        self.0.join("tokens")
    }

    /// The host key, with which the record is signed as well.
    pub fn host_key(&self) -> PathBuf {
        self.0.join("host_ed25519")
    }

    /// The master key of the store.
    pub fn store_key(&self) -> PathBuf {
        self.0.join("store_key")
    }

    /// The address of the database, as a node that joined others was told it.
    pub fn store_url(&self) -> PathBuf {
        self.0.join("store_url")
    }

    /// The key that the nodes of a cluster share.
    pub fn cluster_key(&self) -> PathBuf {
        self.0.join("cluster_key")
    }

    /// True if it is, or was, that of a node of a cluster, which has some files alike with others.
    pub fn is_of_a_node(&self) -> bool {
        self.cluster_key().exists()
    }

    /// The store.
    pub fn store(&self) -> PathBuf {
        self.0.join("convoke.db")
    }

    /// The file that a platform locks whose store is elsewhere.
    pub fn lock(&self) -> PathBuf {
        self.0.join("convoke.db.lock")
    }

    /// The file that holds the last head of the store outside of it.
    pub fn store_head(&self) -> PathBuf {
        self.0.join("store_head")
    }

    /// The kind of principal of a name: a user, or an agent with a key in `agents/`. None for names
    /// that the folder does not know, hosted agents among them.
    pub fn credential(&self, name: &str) -> Option<Credential> {
        if !is_user_name(name) {
            return None;
        }
        if name == OPERATOR || self.key("users", name).is_file() {
            return Some(Credential::User);
        }
        let agent = self.key("agents", name).is_file();
        agent.then_some(Credential::Agent)
    }

    /// The digest of the public keys of a name (SHA-256, hexadecimal); none if the folder knows no
    /// such name, or no key of it.
    pub fn credential_digest(&self, name: &str) -> Option<String> {
        let folder = match self.credential(name)? {
            Credential::User => "users",
            Credential::Agent => "agents",
        };
        let first = (name == OPERATOR).then(|| self.0.join("operator_ed25519.pub"));
        // Keys that others may write let nobody in, over HTTP either.
        let own = self.key(folder, name);
        let places = [self.0.join(folder), own.clone()];
        let is_its = places.iter().all(|it| Others::who_may_write(it).is_none());
        let files = first.into_iter().chain(is_its.then_some(own));
        let mut keys = files.filter_map(|file| std::fs::read(file).ok()).peekable();
        keys.peek()?;
        let mut digest = Sha256::new();
        keys.for_each(|key| digest.update(key));
        Some(base16ct::lower::encode_string(&digest.finalize()))
    }

    /// Checks that every key in `agents/` has a name that an agent can have, and that no other
    /// principal has; `hosted` are the names of the agents hosted here.
    ///
    /// # Errors
    /// [`NameError`] for the first violation, by name.
    pub fn check_agents<'a>(
        &self,
        hosted: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), NameError> {
        let folder = self.0.join("agents");
        let unreadable = |cause| FileError::unreadable(&folder, cause);
        let entries = match std::fs::read_dir(&folder) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(unreadable)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(unreadable)?.file_name();
            let name = file.to_str().and_then(|name| name.strip_suffix(".pub"));
            names.extend(name.filter(|n| !n.starts_with('.')).map(str::to_owned));
        }
        names.sort();
        let hosted: Vec<&str> = hosted.into_iter().collect();
        for name in names {
            let agent = self.key("agents", &name);
            if !usable_name(&name) {
                let cause = ProfileError::Name(name);
                return Err(NameError::Unusable { file: agent, cause });
            }
            let user = self.key("users", &name);
            let other = if user.exists() {
                user
            } else if name == OPERATOR {
                self.0.join("operator_ed25519.pub")
            } else if hosted.contains(&name.as_str()) {
                self.0.join("keys").join(format!("{name}_ed25519"))
            } else {
                continue;
            };
            return Err(NameError::Twice { name, agent, other });
        }
        Ok(())
    }

    /// The file with the public keys of `name` in a folder of principals.
    fn key(&self, folder: &str, name: &str) -> PathBuf {
        self.0.join(folder).join(format!("{name}.pub"))
    }

    /// The cursors of webhooks of a release before, which the store has now.
    pub fn webhook(&self) -> PathBuf {
        self.0.join("convoke.db-webhook")
    }

    /// The folder of the platform's tokens for A2A agents elsewhere, `NAME.token` each.
    pub fn peers(&self) -> PathBuf {
        self.0.join("peers")
    }

    /// True if a platform has been started here before.
    pub fn is_used(&self) -> bool {
        self.store().exists()
    }

    /// Deletes the store; keys, users and settings stay.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn forget_store(&self) -> std::io::Result<()> {
        let Ok(entries) = std::fs::read_dir(&self.0) else {
            return Ok(());
        };
        for entry in entries {
            let path = entry?.path();
            let name = path
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default();
            if name.starts_with("convoke.db") || name == "store_head" {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn folder_with(files: &[&str]) -> (tempfile::TempDir, StateFolder) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let state = StateFolder::new(folder.path());
        (folder, state)
    }

    #[test]
    fn a_name_is_a_users_or_an_agents() {
        let (_folder, state) = folder_with(&["users/noc.pub", "agents/ip.pub", "agents/.x.pub"]);
        for (name, whose) in [
            ("operator", Some(Credential::User)),
            ("noc", Some(Credential::User)),
            ("ip", Some(Credential::Agent)),
            ("hosted", None),
            ("../agents/ip", None),
            (".x", None),
        ] {
            assert_eq!(state.credential(name), whose, "{name}");
        }
        assert!(state.check_agents(["hosted"]).is_ok());
        assert!(StateFolder::new("/nonexistent").check_agents([]).is_ok());
    }

    #[test]
    fn a_key_under_a_name_that_nobody_can_have_is_named() {
        let files = [
            "users/noc.pub",
            "users/(several).pub",
            "users/.x.pub",
            "users/readme",
        ];
        let (folder, state) = folder_with(&files);
        let odd = folder.path().join("users/(several).pub");
        assert_eq!(state.unusable_keys(), [odd]);
        let keys = state.key_files().into_iter().map(|(name, ..)| name);
        assert_eq!(keys.collect::<Vec<_>>(), ["noc"]);
    }

    #[test]
    fn a_name_of_two_is_told_with_both_files() {
        for (other, name) in [
            ("users/noc.pub", "noc"),
            ("operator_ed25519.pub", "operator"),
            ("keys/hosted_ed25519", "hosted"),
        ] {
            let agent = format!("agents/{name}.pub");
            let (folder, state) = folder_with(&[other, &agent, "agents/fine.pub"]);
            let told = state.check_agents(["hosted"]).unwrap_err().to_string();
            let path = |file: &str| folder.path().join(file).display().to_string();
            let expected = format!(
                "{} and {} give the name '{name}' to two principals: remove one of them",
                path(&agent),
                path(other)
            );
            assert_eq!(told, expected);
        }
        let (_folder, state) = folder_with(&["agents/a b.pub"]);
        let told = state.check_agents([]).unwrap_err().to_string();
        assert!(
            told.contains("agents/a b.pub: the name 'a b' is not usable"),
            "{told}"
        );
    }
}
