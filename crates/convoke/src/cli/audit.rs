//! `convoke audit`: what can be typed.

use super::Remote;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Show who got in and who did not, what was denied, and what was decided.
    Show(Wanted),
    /// Write the same as JSON lines for programs and archives.
    Export {
        /// Where to; standard output if not given. The file must not exist.
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        wanted: Wanted,
    },
}

/// Which records.
#[derive(Args)]
pub(crate) struct Wanted {
    /// Only what was written at this instant or later (RFC 3339).
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only records of this kind, e.g. denied or login-failed; may be given more than once.
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<String>,
    /// Only records about this user.
    #[arg(long, value_name = "NAME")]
    pub(crate) about: Option<String>,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
