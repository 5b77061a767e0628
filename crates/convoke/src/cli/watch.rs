//! The command line of `convoke watch`.

use super::Remote;
use clap::Args;

/// Follow the notifications of a platform, and resume where they stopped when the platform comes
/// back.
#[derive(Args)]
pub(crate) struct Watch {
    /// Replay from this instant on (RFC 3339), then follow.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Exit after this many notifications.
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Only notifications about this task.
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Print one line per notification even on a terminal.
    #[arg(long)]
    pub(crate) lines: bool,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
