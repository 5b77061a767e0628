//! The list of tokens: the folder `tokens/`, with a file `ID.json` for each issued token, or
//! `ID.revoked` once it was revoked.
//!
//! It holds neither tokens nor anything that would help to make one. Files are written atomically.
//! Further requirements are in [`super`].

use crate::ssh::keys::{sync_parent, write_temporary};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The number of random bytes in an identifier.
const ID_BYTES: usize = 10;

/// The list cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the list of tokens {}: {cause}", path.display())]
pub struct ListError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause.
    #[source]
    pub cause: io::Error,
}

/// The entry of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenEntry {
    /// The identifier, `jti`.
    pub id: String,
    /// The bearer.
    pub name: String,
    /// The time at which it was issued.
    pub issued: Timestamp,
    /// The time at which it expires.
    pub expires: Timestamp,
    /// The scopes; without any, everything is open to it.
    pub scope: BTreeSet<String>,
    /// The digest of the key that its bearer had then.
    pub key: String,
}

/// The form of an entry in its file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Filed {
    name: String,
    issued: String,
    expires: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    key: String,
}

/// The folder.
#[derive(Debug)]
pub(super) struct List(PathBuf);

/// The file extension of an issued token.
const ISSUED: &str = "json";
/// The file extension of a revoked token; the file is kept until it would have expired at least, so
/// that a later check of the folder sees that there was one.
const REVOKED: &str = "revoked";

impl List {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The entry of that identifier, if it is on the list and can be read. One that was revoked is not, although
    /// whoever copied the folder to another may have left its file there.
    pub(super) fn entry(&self, id: &str) -> Option<TokenEntry> {
        let entry = self.read(id, ISSUED)?;
        (!self.file(id, REVOKED).exists()).then_some(entry)
    }

    fn read(&self, id: &str, ending: &str) -> Option<TokenEntry> {
        let text = is_id(id).then(|| fs::read(self.file(id, ending)).ok())??;
        entry(id, &text)
    }

    /// All entries, by name and then by when they expire.
    pub(super) fn entries(&self) -> Result<Vec<TokenEntry>, ListError> {
        let mut entries = self.all(ISSUED)?;
        entries.retain(|entry| !self.file(&entry.id, REVOKED).exists());
        Ok(entries)
    }

    /// Entries that were revoked and whose files are still there, in the same order.
    pub(super) fn revoked(&self) -> Result<Vec<TokenEntry>, ListError> {
        self.all(REVOKED)
    }

    /// The identifiers of those, in order, whatever is in the files.
    pub(super) fn revoked_ids(&self) -> Result<Vec<String>, ListError> {
        let mut ids = self.ids(REVOKED)?;
        ids.sort();
        Ok(ids)
    }

    fn all(&self, ending: &str) -> Result<Vec<TokenEntry>, ListError> {
        let ids = self.ids(ending)?.into_iter();
        let mut entries: Vec<_> = ids.filter_map(|id| self.read(&id, ending)).collect();
        entries.sort_by(|a, b| (&a.name, a.expires, &a.id).cmp(&(&b.name, b.expires, &b.id)));
        Ok(entries)
    }

    fn ids(&self, ending: &str) -> Result<Vec<String>, ListError> {
        let files = match fs::read_dir(&self.0) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(at(&self.0))?,
        };
        let mut ids = Vec::new();
        for file in files {
            let name = file.map_err(at(&self.0))?.file_name();
            let id = name
                .to_str()
                .and_then(|name| name.strip_suffix(ending)?.strip_suffix('.'));
            ids.extend(id.filter(|id| is_id(id)).map(str::to_owned));
        }
        Ok(ids)
    }

    pub(super) fn add(&self, entry: &TokenEntry) -> Result<(), ListError> {
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.0);
        made.map_err(at(&self.0))?;
        let file = self.file(&entry.id, ISSUED);
        let filed = Filed {
            name: entry.name.clone(),
            issued: entry.issued.to_string(),
            expires: entry.expires.to_string(),
            scope: joined(&entry.scope),
            key: entry.key.clone(),
        };
        let text = serde_json::to_vec(&filed).expect("strings are JSON");
        write_temporary(&file, &text, 0o600)
            .and_then(|temporary| fs::rename(temporary, &file))
            .and_then(|()| sync_parent(&file))
            .map_err(at(&file))
    }

    /// Moves an entry to the revoked ones; it may be gone already.
    pub(super) fn revoke(&self, id: &str) -> Result<(), ListError> {
        let (file, revoked) = (self.file(id, ISSUED), self.file(id, REVOKED));
        done(&file, fs::rename(&file, revoked))
    }

    /// Deletes entries that expired before `then`; revoked ones too, unless they are to be kept.
    pub(super) fn forget_expired(
        &self,
        then: Timestamp,
        keeps_revoked: bool,
    ) -> Result<(), ListError> {
        let endings = [ISSUED, REVOKED];
        for ending in &endings[..if keeps_revoked { 1 } else { 2 }] {
            let entries = self.all(ending)?;
            for entry in entries.iter().filter(|entry| entry.expires < then) {
                let file = self.file(&entry.id, ending);
                done(&file, fs::remove_file(&file))?;
            }
        }
        Ok(())
    }

    fn file(&self, id: &str, ending: &str) -> PathBuf {
        self.0.join(format!("{id}.{ending}"))
    }
}

/// A new identifier.
pub(super) fn fresh_id() -> Result<String, ListError> {
    let mut bytes = [0; ID_BYTES];
    let filled = getrandom::fill(&mut bytes).map_err(io::Error::other);
    filled.map_err(at(Path::new("the system's randomness")))?;
    Ok(base16ct::lower::encode_string(&bytes))
}

/// True for identifiers of the form that [`fresh_id`] makes; no others can be files.
fn is_id(id: &str) -> bool {
    id.len() == 2 * ID_BYTES && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The scopes as one text; none if there are none.
pub(super) fn joined(scope: &BTreeSet<String>) -> Option<String> {
    let words: Vec<&str> = scope.iter().map(String::as_str).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

pub(super) fn entry(id: &str, text: &[u8]) -> Option<TokenEntry> {
    let filed: Filed = serde_json::from_slice(text).ok()?;
    let scope = filed.scope.unwrap_or_default();
    Some(TokenEntry {
        id: id.to_owned(),
        name: filed.name,
        issued: Timestamp::parse(&filed.issued).ok()?,
        expires: Timestamp::parse(&filed.expires).ok()?,
        scope: scope.split_whitespace().map(str::to_owned).collect(),
        key: filed.key,
    })
}

/// Checks the outcome of an operation on a file, which may have been gone already, and syncs its
/// folder.
fn done(file: &Path, outcome: io::Result<()>) -> Result<(), ListError> {
    match outcome {
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(at(file)(cause)),
        _ => sync_parent(file).map_err(at(file)),
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> ListError {
    move |cause| ListError {
        path: path.to_owned(),
        cause,
    }
}
