//! The folder in which a laboratory keeps its state while it stands.
//!
//! | file | holds | who may read it |
//! |---|---|---|
//! | `plan.json` | what was built, costs and areas included | root |
//! | `documents.json` | the documented inventory | everybody |
//! | `conf/` | what FRR starts with | everybody |
//! | `book/book.jsonl` | what was broken, when, and how ([`crate::book`]) | root: the folder has mode 0700 |
//! | `rack.sock` | the way to the routers ([`crate::rack`]) | its owner, the management system |
//! | `rack.pid` | the process behind it | everybody |
//! | `management/` | the state of a management system that is served | its owner, the same user |
//!
//! Read next: [`crate::plan`].

use crate::documents::Documents;
use crate::error::LabError;
use crate::plan::LabPlan;
use rustix::fs::{Mode, chmod, chown};
use rustix::process::{Gid, Uid};
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// The prefix of the usual laboratory.
pub const USUAL_PREFIX: &str = "cvlab";

/// The user under whom a management system runs: `nobody`.
pub const MANAGEMENT_USER: u32 = 65_534;

/// The folder of one laboratory.
#[derive(Clone, Debug)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// The folder of the laboratory with this prefix, which is a name that was checked.
    pub fn of(prefix: &str) -> Self {
        Self(Path::new("/run").join(format!("convoke-lab-{prefix}")))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The folder of FRR's start configurations.
    pub(crate) fn configurations(&self) -> PathBuf {
        self.0.join("conf")
    }

    /// The folder that only the injector's user may enter.
    pub(crate) fn book(&self) -> PathBuf {
        self.0.join("book")
    }

    /// The folder of a served management system's own state.
    pub fn management(&self) -> PathBuf {
        self.0.join("management")
    }

    /// The socket of the rack.
    pub fn socket(&self) -> PathBuf {
        self.0.join("rack.sock")
    }

    /// The file with the number of the rack's process.
    pub(crate) fn rack_pid(&self) -> PathBuf {
        self.0.join("rack.pid")
    }

    /// Makes the folder with what was planned and documented.
    ///
    /// # Errors
    /// [`LabError::File`]
    pub(crate) fn make(&self, plan: &LabPlan) -> Result<(), LabError> {
        fs::create_dir_all(self.configurations()).map_err(|e| LabError::file(&self.0, e))?;
        fs::create_dir_all(self.book()).map_err(|e| LabError::file(&self.book(), e))?;
        self.permit(&self.0, 0o711)?;
        self.permit(&self.configurations(), 0o755)?;
        self.permit(&self.book(), 0o700)?;
        let management = self.management();
        fs::create_dir_all(&management).map_err(|e| LabError::file(&management, e))?;
        let (uid, gid) = (
            Uid::from_raw(MANAGEMENT_USER),
            Gid::from_raw(MANAGEMENT_USER),
        );
        chown(&management, Some(uid), Some(gid))
            .map_err(|e| LabError::file(&management, e.into()))?;
        self.permit(&management, 0o700)?;
        self.write("plan.json", &serde_json::to_string_pretty(plan)?, 0o600)?;
        let documents = Documents::of(plan);
        self.write(
            "documents.json",
            &serde_json::to_string_pretty(&documents)?,
            0o644,
        )
    }

    /// Writes a file with these rights.
    ///
    /// # Errors
    /// [`LabError::File`]
    pub(crate) fn write(&self, name: &str, text: &str, mode: u32) -> Result<(), LabError> {
        let file = self.0.join(name);
        fs::write(&file, text).map_err(|e| LabError::file(&file, e))?;
        self.permit(&file, mode)
    }

    fn permit(&self, path: &Path, mode: u32) -> Result<(), LabError> {
        chmod(path, Mode::from_raw_mode(mode)).map_err(|e| LabError::file(path, e.into()))
    }

    /// The plan of the laboratory that stands.
    ///
    /// # Errors
    /// [`LabError::File`] if none stands, or the caller may not know.
    pub fn plan(&self) -> Result<LabPlan, LabError> {
        self.read("plan.json")
    }

    /// The documents of the laboratory that stands.
    ///
    /// # Errors
    /// [`LabError::File`] if none stands.
    pub fn documents(&self) -> Result<Documents, LabError> {
        self.read("documents.json")
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, LabError> {
        let file = self.0.join(name);
        let text = fs::read_to_string(&file).map_err(|e| LabError::file(&file, e))?;
        Ok(serde_json::from_str(&text)?)
    }
}
