//! What is asked of the rack and what it answers: lines of JSON.
//!
//! Read next: [`super::service`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest request, in bytes.
pub(crate) const REQUEST_MAX: usize = 16 * 1_024;
/// The longest answer, in bytes.
pub(crate) const ANSWER_MAX: usize = 1_024 * 1_024;
/// How long a line may take once it has begun.
pub(crate) const LINE_WITHIN: Duration = Duration::from_secs(5);

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RackRequest {
    /// States and counters of a router.
    State {
        /// Its name.
        router: String,
    },
    /// The running configuration of a router.
    Configuration {
        /// Its name.
        router: String,
    },
    /// Sets one parameter of a router.
    Configure {
        /// Its name.
        router: String,
        /// The parameter, as in its configuration.
        parameter: String,
        /// The value.
        value: String,
    },
    /// Switches a router off and on again.
    Restart {
        /// Its name.
        router: String,
    },
    /// What the probes between sites, and over links, have counted of late.
    Probes,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "of", rename_all = "kebab-case")]
pub enum RackAnswer {
    /// States and counters.
    State(DeviceState),
    /// The running configuration, by parameter.
    Configuration(BTreeMap<String, String>),
    /// What the probes have counted.
    Probes(ProbeReport),
    /// It is done.
    Done,
    /// The router does not answer.
    Unreachable,
    /// It is not done, for this reason.
    Refused(String),
}

/// States and counters of a router.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceState {
    /// Whether each daemon answers.
    pub daemons: BTreeMap<String, bool>,
    /// Its ports.
    pub ports: BTreeMap<String, PortState>,
}

/// State and counters of a port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PortState {
    /// It is not shut.
    pub admin_up: bool,
    /// There is carrier.
    pub carrier: bool,
    /// Bytes received.
    pub rx_bytes: u64,
    /// Bytes sent.
    pub tx_bytes: u64,
    /// Errors in what was received and sent.
    pub errors: u64,
    /// Packets that the queue dropped.
    pub queue_drops: u64,
    /// A neighbour is fully adjacent; none if ospfd does not say.
    pub adjacent: Option<bool>,
    /// The session of BFD is up; none without a session, or if bfdd does not say.
    pub bfd_up: Option<bool>,
}

/// What the probes have counted over the last seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeReport {
    /// From each site to each other, as `Denver Houston`.
    pub sites: BTreeMap<String, ProbeCounts>,
    /// Over each link, by its identifier.
    pub links: BTreeMap<String, ProbeCounts>,
}

/// What one kind of probe has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProbeCounts {
    /// Probes sent.
    pub sent: u32,
    /// Probes that came back.
    pub returned: u32,
    /// The mean time that they took, in milliseconds; 0 if none came back.
    pub delay_ms: f64,
}

impl ProbeCounts {
    /// The share that was lost, 0 to 1; 0 of none.
    pub fn loss(&self) -> f64 {
        match self.sent {
            0 => 0.0,
            sent => 1.0 - f64::from(self.returned.min(sent)) / f64::from(sent),
        }
    }
}
