//! The command line of `convoke audit`.

use super::Remote;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Show logins and failed logins, denials, and decisions.
    Show(Wanted),
    /// Write the records as JSON lines for programs and archives.
    Export {
        /// The file, which must not exist; default standard output.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        wanted: Wanted,
    },
}

/// The selection of records.
#[derive(Args)]
pub(crate) struct Wanted {
    /// Only records written at this instant or later (RFC 3339).
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only records of this kind, e.g. denied or login-failed; may be repeated.
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<String>,
    /// Only records about this user.
    #[arg(long, value_name = "NAME")]
    pub(crate) about: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
