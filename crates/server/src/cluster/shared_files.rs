//! What the folders of all nodes have alike: read from one folder, and put into another.
//!
//! Files are put in two steps, so that a folder has all of them or is as it was: they are written beside those that
//! are there, in [`READY`], and copied to their places once all of them are on disk. Whoever is interrupted
//! in the second step goes on with it at the next start ([`finish`]). Only names of files that all nodes share
//! are ever written or removed. Knows no channel. Read next: [`super::joining`]; [`crate::state`], the files.

use crate::file::FileError;
use crate::ssh::keys::{sync_parent, write_temporary};
use crate::state::StateFolder;
use crate::token::has_expired;
use crate::user_name::is_user_name;
use base64ct::{Base64, Encoding as _};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

/// The host key, by which a platform is told from others.
pub(super) const HOST_KEY: &str = "host_ed25519";
/// The master key of the store.
pub(super) const STORE_KEY: &str = "store_key";
/// The address of the database.
pub(super) const STORE_URL: &str = "store_url";
/// The key by which nodes know each other, which is given and never told.
pub(super) const CLUSTER_KEY: &str = "cluster_key";

/// The files that all nodes share.
const FILES: [&str; 8] = [
    "access.toml",
    HOST_KEY,
    "operator_ed25519",
    "operator_ed25519.pub",
    "revoked_certificates",
    STORE_KEY,
    STORE_URL,
    "token_ed25519",
];

/// The folders of those that there are many of, and how their names end.
const FOLDERS: [(&str, &[&str]); 5] = [
    ("agents", &[".pub"]),
    ("keys", &["_ed25519"]),
    ("peers", &[".token"]),
    ("tokens", &[ISSUED, REVOKED]),
    ("users", &[".pub"]),
];

/// How the file of a token ends, and that of one that was revoked.
const ISSUED: &str = ".json";
const REVOKED: &str = ".revoked";

/// The most files, and the most bytes of one and of all together.
const FILES_MOST: usize = 20_000;
const FILE_BYTES_MOST: u64 = 1 << 20;
const BYTES_MOST: usize = 16 << 20;

/// The folder of files that are whole, and the one in which they are written before.
const READY: &str = "joining";
const WRITING: &str = ".joining";

/// The reason for which files cannot be shared.
#[derive(Debug, thiserror::Error)]
pub enum SharedFilesError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is more than is told to others.
    #[error(
        "{0}: a node is given {FILES_MOST} files of {FILE_BYTES_MOST} bytes each, and {BYTES_MOST} bytes in all, at most"
    )]
    Large(String),
    /// A node gives a file that is not shared.
    #[error("{0:?} is no file that nodes share")]
    Name(String),
    /// The content of a file cannot be read.
    #[error("what the node gives as {0} cannot be read")]
    Content(String),
}

/// How a folder is different from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// It has the file, with another content.
    Other,
    /// It has not the file.
    Missing,
    /// It alone has the file.
    Extra,
}

/// The shared files of a folder, by their path within it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedFiles {
    files: BTreeMap<String, Vec<u8>>,
    /// How many bytes they have together.
    bytes: usize,
}

/// A file as it is told.
#[derive(Serialize, Deserialize)]
pub(super) struct ToldFile {
    path: String,
    /// In Base64.
    content: String,
}

impl SharedFiles {
    /// Those in a folder, which need not exist.
    ///
    /// # Errors
    /// [`SharedFilesError`]
    pub(super) fn of(folder: &StateFolder) -> Result<Self, SharedFilesError> {
        let mut found = Self::default();
        for name in FILES {
            found.read(folder, name)?;
        }
        for (within, _) in FOLDERS {
            for name in names(&folder.path().join(within))? {
                let path = format!("{within}/{name}");
                if is_shared(&path) {
                    found.read(folder, &path)?;
                }
            }
        }
        Ok(found)
    }

    /// Adds a file of a folder, if it is there.
    fn read(&mut self, folder: &StateFolder, path: &str) -> Result<(), SharedFilesError> {
        let file = folder.path().join(path);
        let unreadable = |cause| FileError::unreadable(&file, cause);
        let length = match fs::metadata(&file) {
            Ok(found) if found.is_file() => found.len(),
            Ok(_) => return Ok(()),
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(unreadable(cause).into()),
        };
        if length > FILE_BYTES_MOST {
            return Err(SharedFilesError::Large(file.display().to_string()));
        }
        match fs::read(&file) {
            Ok(content) => self.add(path, &content),
            // It was removed meanwhile.
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
            Err(cause) => Err(unreadable(cause).into()),
        }
    }

    fn add(&mut self, path: &str, content: &[u8]) -> Result<(), SharedFilesError> {
        let is_large = content.len() as u64 > FILE_BYTES_MOST;
        let is_full = self.files.len() >= FILES_MOST || self.bytes + content.len() > BYTES_MOST;
        if is_large || is_full {
            return Err(SharedFilesError::Large(path.to_owned()));
        }
        self.set(path, Some(content));
        Ok(())
    }

    /// The same as others are told it.
    pub(super) fn told(&self) -> Vec<ToldFile> {
        let told = |(path, content): (&String, &Vec<u8>)| ToldFile {
            path: path.clone(),
            content: Base64::encode_string(content),
        };
        self.files.iter().map(told).collect()
    }

    /// What another node has told.
    ///
    /// # Errors
    /// [`SharedFilesError`] if it is too much, or is not for it to tell.
    pub(super) fn heard(told: Vec<ToldFile>) -> Result<Self, SharedFilesError> {
        let mut heard = Self::default();
        for ToldFile { path, content } in told {
            if !is_shared(&path) {
                return Err(SharedFilesError::Name(path));
            }
            match Base64::decode_vec(&content) {
                Ok(content) => heard.add(&path, &content)?,
                Err(_) => return Err(SharedFilesError::Content(path)),
            }
        }
        Ok(heard)
    }

    /// The content of a file.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Sets the content of a file, or removes it.
    pub(super) fn set(&mut self, path: &str, content: Option<&[u8]>) {
        let before = match content {
            Some(content) => self.files.insert(path.to_owned(), content.to_vec()),
            None => self.files.remove(path),
        };
        self.bytes -= before.map_or(0, |before| before.len());
        self.bytes += content.map_or(0, <[u8]>::len);
    }

    /// Keeps what was revoked in `here`: a token does not come back by another's files before it has expired.
    pub(super) fn keep_revoked(&mut self, here: &Self, now: Timestamp) {
        for (path, content) in &here.files {
            if let Some(token) = path.strip_suffix(REVOKED)
                && (self.files.contains_key(path) || !has_expired(content, now))
            {
                self.set(&format!("{token}{ISSUED}"), None);
                self.set(path, Some(content));
            }
        }
    }

    /// How `here` is different from these, by path.
    pub(super) fn differences(&self, here: &Self) -> BTreeMap<String, Difference> {
        let told = self.files.iter().filter_map(|(path, content)| {
            let difference = match here.files.get(path) {
                None => Difference::Missing,
                Some(own) if own != content => Difference::Other,
                Some(_) => return None,
            };
            Some((path.clone(), difference))
        });
        let extra = here
            .files
            .keys()
            .filter(|path| !self.files.contains_key(*path));
        told.chain(extra.map(|path| (path.clone(), Difference::Extra)))
            .collect()
    }

    /// Puts these into a folder, which is made if there is none, in place of those that it has. Whatever happens
    /// meanwhile, it has all of them or is as it was, once [`finish`] is through.
    ///
    /// # Errors
    /// [`SharedFilesError`]
    pub(super) fn put(&self, folder: &StateFolder) -> Result<(), SharedFilesError> {
        let (writing, ready) = (folder.path().join(WRITING), folder.path().join(READY));
        let failed = |cause| FileError::unreadable(&writing, cause);
        remove(&writing).map_err(failed)?;
        private_folder(&writing).map_err(failed)?;
        for (within, _) in FOLDERS {
            private_folder(&writing.join(within)).map_err(failed)?;
        }
        for (path, content) in &self.files {
            replace(&writing.join(path), path, content)?;
        }
        // From here on it is done, and not before.
        fs::rename(&writing, &ready)
            .and_then(|()| sync_parent(&ready))
            .map_err(|cause| FileError::unreadable(&ready, cause))?;
        finish(folder)
    }
}

/// Ends what was interrupted: puts files that are whole to their places, and removes those that are not.
///
/// # Errors
/// [`SharedFilesError`]
pub(super) fn finish(folder: &StateFolder) -> Result<(), SharedFilesError> {
    let (writing, ready) = (folder.path().join(WRITING), folder.path().join(READY));
    if ready.is_dir() {
        let mut whole = SharedFiles::of(&StateFolder::new(&ready))?;
        whole.read(&StateFolder::new(&ready), CLUSTER_KEY)?;
        for (within, _) in FOLDERS {
            let within = folder.path().join(within);
            private_folder(&within).map_err(|cause| FileError::unreadable(&within, cause))?;
        }
        let before = SharedFiles::of(folder)?;
        for (path, difference) in whole.differences(&before) {
            let file = folder.path().join(&path);
            match (difference, whole.get(&path)) {
                (Difference::Extra, _) | (_, None) => {
                    fs::remove_file(&file).map_err(|cause| FileError::unreadable(&file, cause))?;
                }
                (_, Some(content)) => replace(&file, &path, content)?,
            }
        }
        // What is removed piece by piece is no longer whole.
        fs::rename(&ready, &writing).map_err(|cause| FileError::unreadable(&ready, cause))?;
    }
    remove(&writing).map_err(|cause| FileError::unreadable(&writing, cause))?;
    Ok(())
}

/// True if all nodes share the file with this path in their folder.
fn is_shared(path: &str) -> bool {
    match path.split_once('/') {
        None => FILES.contains(&path),
        Some((within, name)) => FOLDERS.iter().any(|(folder, endings)| {
            let is_name = |ending: &&str| name.strip_suffix(*ending).is_some_and(is_user_name);
            *folder == within && endings.iter().any(is_name)
        }),
    }
}

/// The names in a folder, which need not exist.
fn names(folder: &Path) -> Result<Vec<String>, FileError> {
    let entries = match fs::read_dir(folder) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|cause| FileError::unreadable(folder, cause))?,
    };
    let named = |entry: io::Result<fs::DirEntry>| entry.map(|it| it.file_name().into_string().ok());
    let names: io::Result<Vec<Option<String>>> = entries.map(named).collect();
    let names = names.map_err(|cause| FileError::unreadable(folder, cause))?;
    Ok(names.into_iter().flatten().collect())
}

/// Writes a file in place of another, for its owner alone unless it is for everybody to read.
fn replace(file: &Path, path: &str, content: &[u8]) -> Result<(), FileError> {
    let is_public =
        path.ends_with(".pub") || ["access.toml", "revoked_certificates"].contains(&path);
    let mode = if is_public { 0o644 } else { 0o600 };
    let written = write_temporary(file, content, mode)
        .and_then(|temporary| fs::rename(temporary, file))
        .and_then(|()| fs::set_permissions(file, fs::Permissions::from_mode(mode)))
        .and_then(|()| sync_parent(file));
    written.map_err(|cause| FileError::unreadable(file, cause))
}

fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Removes a folder with all that is in it, if it is there.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(cause),
        Ok(()) => sync_parent(folder),
    }
}

/// Lets no second process put files into a folder, which is made if there is none, for as long as the file is kept.
///
/// # Errors
/// [`FileError`]; another process has it.
pub(super) fn hold(folder: &StateFolder) -> Result<File, FileError> {
    let failed = |cause| FileError::unreadable(folder.path(), cause);
    private_folder(folder.path()).map_err(failed)?;
    let held = File::open(folder.path()).map_err(failed)?;
    held.try_lock().map_err(|cause| failed(cause.into()))?;
    Ok(held)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
