//! The folder in which a laboratory keeps its state while it stands.
//!
//! | file | holds | who may read it |
//! |---|---|---|
//! | `plan.json` | what was built, costs and areas included | root |
//! | `documents.json` | the documented inventory | its owner, the management system's user ([`crate::user`]) |
//! | `conf/` | what FRR starts with | FRR |
//! | `book/book.jsonl` | what was broken, when, and how ([`crate::book`]) | root: the folder has mode 0700 |
//! | `rack.sock` | the way to the routers ([`crate::rack`]) | its owner, the same user |
//! | `rack.pid` | the process behind it | everybody |
//! | `management/` | the state of the management system | its owner, the same user |
//! | `agents/` | what lets agents in there ([`crate::enrolment`]) | everybody, but for the key: its owner, the agents' user |
//!
//! Read next: [`crate::plan`].

use crate::documents::Documents;
use crate::error::LabError;
use crate::files;
use crate::plan::LabPlan;
use crate::shell::run;
use crate::user::management_user;
use rustix::fs::{Mode, chmod};
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// The prefix of the usual laboratory.
pub const USUAL_PREFIX: &str = "cvlab";

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

    /// The folder of the management system's own state.
    pub fn management(&self) -> PathBuf {
        self.0.join("management")
    }

    /// The folder of what lets agents in at the management system.
    pub(crate) fn agents(&self) -> PathBuf {
        self.0.join("agents")
    }

    /// The socket of the rack.
    pub fn socket(&self) -> PathBuf {
        self.0.join("rack.sock")
    }

    /// The file with the number of the rack's process.
    pub(crate) fn rack_pid(&self) -> PathBuf {
        self.0.join("rack.pid")
    }

    /// Makes the folder with what was planned and documented. Nobody but root enters it until it is
    /// opened.
    ///
    /// # Errors
    /// [`LabError::File`]
    pub(crate) fn make(&self, plan: &LabPlan) -> Result<(), LabError> {
        let configurations = self.configurations();
        let folders = [
            (&self.0, 0o700),
            (&configurations, 0o750),
            (&self.book(), 0o700),
        ];
        for (folder, mode) in folders {
            files::make_folder(folder, mode).map_err(|e| LabError::file(folder, e))?;
        }
        run(
            "chown",
            &["root:frr", &configurations.display().to_string()],
        )?;
        self.write("plan.json", &serde_json::to_string_pretty(plan)?, 0o600)?;
        let documents = serde_json::to_string_pretty(&Documents::of(plan))?;
        self.write("documents.json", &documents, 0o600)?;
        let file = self.0.join("documents.json");
        files::give(&file, management_user(&plan.prefix)?).map_err(|e| LabError::file(&file, e))
    }

    /// Lets everybody to what is theirs in it, once everything has its rights.
    ///
    /// # Errors
    /// [`LabError::File`]
    pub(crate) fn open(&self) -> Result<(), LabError> {
        chmod(&self.0, Mode::from_raw_mode(0o711)).map_err(|e| LabError::file(&self.0, e.into()))
    }

    /// Writes a file with these rights, which it has from the beginning.
    ///
    /// # Errors
    /// [`LabError::File`]
    pub(crate) fn write(&self, name: &str, text: &str, mode: u32) -> Result<(), LabError> {
        let file = self.0.join(name);
        files::replace(&file, text, mode).map_err(|e| LabError::file(&file, e))
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
    /// [`LabError::File`] if none stands, or the caller may not know.
    pub fn documents(&self) -> Result<Documents, LabError> {
        self.read("documents.json")
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, LabError> {
        let file = self.0.join(name);
        let text = fs::read_to_string(&file).map_err(|e| LabError::file(&file, e))?;
        Ok(serde_json::from_str(&text)?)
    }
}
