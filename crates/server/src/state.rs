//! The state folder: everything that a platform keeps, under one roof.
//!
//! `convoke.toml`, `access.toml`, `convoke.db`, `host_ed25519`, `known_hosts`, `operator_ed25519`,
//! `keys/AGENT_ed25519`, `users/NAME.pub`. Made at the first start; no password exists. Read next:
//! [`crate::config`], [`crate::ssh::keys`].

use std::path::{Path, PathBuf};

/// A state folder.
#[derive(Clone, Debug)]
pub struct StateFolder(PathBuf);

impl StateFolder {
    /// The folder at `path`, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
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

    /// The store.
    pub fn store(&self) -> PathBuf {
        self.0.join("convoke.db")
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
            if name.starts_with("convoke.db") {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}
