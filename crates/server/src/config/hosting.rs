//! The section `[agents]`: queue lengths and step times of hosted agents.
//!
//! Read next: `engine::Limits`.

use super::error::SettingsError;
use super::range::within;
use engine::Limits;
use serde::Deserialize;

/// The section `[agents]`, as far as it is given.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentSettings {
    /// `mailbox`: the most requests that wait for one agent, 1 to 65,536; 4,096 by default.
    pub mailbox: Option<u64>,
    /// `telemetry`: the most pieces of telemetry that wait for one agent before the oldest is
    /// dropped, 1 to 1,048,576; 16,384 by default.
    pub telemetry: Option<u64>,
    /// `step-s`: the time after which an agent's step for one input is given up, 1 to 3,600 s; 10 s
    /// by default.
    pub step_s: Option<u64>,
}

impl AgentSettings {
    pub(super) fn over(self, below: Self) -> Self {
        Self {
            mailbox: self.mailbox.or(below.mailbox),
            telemetry: self.telemetry.or(below.telemetry),
            step_s: self.step_s.or(below.step_s),
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        within("mailbox", self.mailbox, 65_536, "1 to 65536")?;
        within("telemetry", self.telemetry, 1 << 20, "1 to 1048576")?;
        within("step-s", self.step_s, 3_600, "1 to 3600")
    }

    /// The same limits with the given settings applied.
    pub(super) fn limits(&self, usual: Limits) -> Limits {
        Limits {
            mailbox: self.mailbox.map_or(usual.mailbox, |n| n as usize),
            telemetry: self.telemetry.map_or(usual.telemetry, |n| n as usize),
            step_ms: self.step_s.map_or(usual.step_ms, |s| s as i64 * 1_000),
            ..usual
        }
    }
}
