//! `convoke watch`: what can be typed.

use super::Remote;
use clap::Args;

/// Follows the notifications of a platform, and goes on where it was when the platform comes back.
#[derive(Args)]
pub(crate) struct Watch {
    /// Replay from this instant on (RFC 3339), then follow.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// End after so many notifications.
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Only what concerns this task.
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// A line for each notification even where a terminal is.
    #[arg(long)]
    pub(crate) lines: bool,
    #[command(flatten)]
    pub(crate) remote: Remote,
}
