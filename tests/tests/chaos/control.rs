//! Controls: what the promise stands on is taken away, and the checks must notice.
//!
//! Read next: [`super::check`].

use super::check::{self, Findings, Listening};
use super::platform::Platform;
use super::record::Record;
use tokio::task::JoinSet;

/// How many are acknowledged meanwhile.
const MEANWHILE: usize = 200;

/// What is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// Commits wait for no standby, which stands still; then it is promoted.
    Standby,
}

impl Control {
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        match name {
            "standby" => Ok(Self::Standby),
            _ => Err(format!("--control {name}")),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Standby => "standby",
        }
    }

    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Standby => "that a standby was promoted which nobody had waited for",
        }
    }

    /// Takes it away, and checks.
    pub(crate) async fn run(
        self,
        platform: &mut Platform,
        record: &Record,
        mut clients: JoinSet<()>,
        listening: Listening,
    ) -> Findings {
        match self {
            Self::Standby => {
                platform.primary().awaits_nobody();
                platform.standby().signal("STOP");
                record.goes_on(MEANWHILE).await;
                clients.shutdown().await;
                platform.kill_primary();
                platform.standby().signal("CONT");
                platform.promote();
            }
        }
        listening.abort();
        let mut found = Findings::default();
        check::stored(platform, record, &mut found);
        found
    }
}
