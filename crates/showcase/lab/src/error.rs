//! What can go wrong in the laboratory.
//!
//! Read next: [`crate::bring_up`].

use crate::plan::PlanError;
use crate::requirements::Lacking;
use crate::shell::ShellError;
use std::path::Path;

/// A step of the laboratory that failed.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// This machine lacks something.
    #[error(transparent)]
    Lacking(#[from] Lacking),
    /// No laboratory can be made of this.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is no backbone of this name.
    #[error("there is no topology '{0}'")]
    Topology(String),
    /// A program failed.
    #[error(transparent)]
    Shell(#[from] ShellError),
    /// A file could not be read or written.
    #[error("{path}: {cause}")]
    File {
        /// Which.
        path: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// A file holds something else than it should.
    #[error("a file of the laboratory is damaged")]
    Damaged(#[from] serde_json::Error),
    /// A router does not answer at its console.
    #[error("{router}: {daemon} does not answer")]
    Silent {
        /// The router.
        router: String,
        /// Its daemon.
        daemon: String,
    },
    /// A router refused a line of configuration.
    #[error("{router} refused '{line}': {said}")]
    Refused {
        /// The router.
        router: String,
        /// The line.
        line: String,
        /// What it said.
        said: String,
    },
    /// The network did not come together in time.
    #[error("after {0} s OSPF is not full everywhere")]
    NotFull(u64),
    /// What is to be broken does not exist, or not in this way.
    #[error("{0}")]
    Request(String),
    /// A process of the laboratory ended.
    #[error("{0}")]
    Ended(String),
    /// Processes of a user cannot be ended.
    #[error("processes of user {0} are still there: each was ended, and others had been started")]
    Alive(u32),
    /// It is no longer wanted.
    #[error("interrupted")]
    Interrupted,
    /// A key of the laboratory cannot be made.
    #[error(transparent)]
    Key(#[from] server::ssh::keys::KeyFileError),
    /// The platform of the agents has no management system.
    #[error(transparent)]
    Survey(#[from] server::managed::SurveyError),
    /// The platform of the agents did not start.
    #[error(transparent)]
    Start(#[from] server::host::StartError),
}

impl LabError {
    pub(crate) fn file(path: &Path, cause: std::io::Error) -> Self {
        Self::File {
            path: path.display().to_string(),
            cause,
        }
    }
}
