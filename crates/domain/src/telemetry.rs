//! What an agent may see of its network and do to it: the telemetry and actuator contract.
//!
//! The simulated network implements it; an adapter to a real element-management system would
//! implement the same. Agents see nothing else: no fault, no ground truth. Alarm vocabulary and
//! severities are those of RFC 8632 (ietf-alarms). Read next: [`crate::agent`].

use crate::inventory::ElementId;
use crate::time::Timestamp;
use std::collections::BTreeMap;

/// What an alarm says (RFC 8632, `alarm-type-id`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlarmType {
    /// No light arrives at a port (raised on the link, by one or both ends).
    LossOfSignal,
    /// A link does not carry traffic (protocol timers ran out).
    LinkDown,
    /// A card does not answer its router.
    CardFailure,
    /// A router does not answer its management system.
    NodeUnreachable,
    /// A site does not answer its management system.
    SiteUnreachable,
    /// A site is out of service: none of its cells carries traffic.
    CellsOutOfService,
    /// Mains voltage is gone; the equipment runs on battery, or is about to stop.
    MainsFailure,
    /// Too many bit errors on a link.
    SignalDegraded,
    /// A board or cabinet is too hot.
    TemperatureHigh,
    /// A site's antenna reflects too much power.
    AntennaMismatch,
    /// A site lost its time reference.
    ClockUnsynchronised,
    /// Too many packets dropped on a link.
    Congestion,
}

impl AlarmType {
    /// Every type, for tables and tests.
    pub const ALL: [AlarmType; 12] = [
        Self::LossOfSignal,
        Self::LinkDown,
        Self::CardFailure,
        Self::NodeUnreachable,
        Self::SiteUnreachable,
        Self::CellsOutOfService,
        Self::MainsFailure,
        Self::SignalDegraded,
        Self::TemperatureHigh,
        Self::AntennaMismatch,
        Self::ClockUnsynchronised,
        Self::Congestion,
    ];

    /// The name as payloads and people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LossOfSignal => "loss-of-signal",
            Self::LinkDown => "link-down",
            Self::CardFailure => "card-failure",
            Self::NodeUnreachable => "node-unreachable",
            Self::SiteUnreachable => "site-unreachable",
            Self::CellsOutOfService => "cells-out-of-service",
            Self::MainsFailure => "mains-failure",
            Self::SignalDegraded => "signal-degraded",
            Self::TemperatureHigh => "temperature-high",
            Self::AntennaMismatch => "antenna-mismatch",
            Self::ClockUnsynchronised => "clock-unsynchronised",
            Self::Congestion => "congestion",
        }
    }

    /// The type called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.as_str() == name)
    }
}

/// How bad an alarm is (RFC 8632, `severity`; `cleared` is [`Alarm::cleared`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something to look at.
    Warning,
    /// Does not affect service yet.
    Minor,
    /// Affects service.
    Major,
    /// Service is lost.
    Critical,
}

impl Severity {
    /// The name in RFC 8632.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Critical => "critical",
        }
    }
}

/// One alarm as its domain's management system delivers it: possibly late, twice, or out of order.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// The element it is raised on (RFC 8632, `resource`).
    pub resource: ElementId,
    /// What it says.
    pub alarm_type: AlarmType,
    /// How bad it is.
    pub severity: Severity,
    /// When the element noticed; the alarm may arrive much later.
    pub time: Timestamp,
    /// True when the condition has gone.
    pub cleared: bool,
    /// For people.
    pub text: String,
}

/// A customer's complaint (draft §2.1, step 3c).
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// When it was made.
    pub time: Timestamp,
    /// The site that served the customer when service was last good.
    pub site: ElementId,
    /// The customer's words.
    pub text: String,
}

/// What a field engineer's app tells the agent that sent the engineer out (draft §2.1, steps 7-8).
#[derive(Clone, Debug, PartialEq)]
pub enum FieldReport {
    /// The engineer stands at the element and asks what to do.
    Arrived {
        /// The token of the [`Action::Dispatch`].
        token: Token,
        /// Where.
        element: ElementId,
        /// The question, in words.
        question: String,
    },
    /// The engineer followed the guidance and this came of it.
    Ended {
        /// The token of the [`Action::Dispatch`].
        token: Token,
        /// Where.
        element: ElementId,
        /// True if something broken was found there and mended.
        repaired: bool,
        /// What was found.
        finding: String,
    },
}

/// What arrives from the network without having been asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Telemetry {
    /// An alarm of the agent's own domain.
    Alarm(Alarm),
    /// A complaint; service layer only.
    Complaint(Complaint),
    /// News from an engineer in the field.
    Field(FieldReport),
}

/// Links an answer to what asked for it; chosen by the agent, unique per agent.
pub type Token = u64;

/// What an agent can do to its network. Each takes simulated time and ends in an [`Outcome`].
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Measure one element actively: light levels, reflections, voltages, heartbeats.
    Probe {
        /// What to measure; must belong to the agent's domain.
        element: ElementId,
    },
    /// Send an engineer. [`Telemetry::Field`] follows on arrival and at the end.
    Dispatch {
        /// Where to.
        element: ElementId,
    },
    /// Tell an engineer who has arrived what to repair.
    Guide {
        /// The token of the dispatch.
        dispatch: Token,
        /// What to repair.
        element: ElementId,
        /// The steps to follow, for people.
        steps: Vec<String>,
    },
}

/// How an element was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// It does its work.
    Good,
    /// It does, but not well.
    Degraded,
    /// It does not.
    Failed,
    /// It could not be measured from afar.
    Unreachable,
}

impl Condition {
    /// The name as payloads write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Degraded => "degraded",
            Self::Failed => "failed",
            Self::Unreachable => "unreachable",
        }
    }
}

/// What a probe measured. Readings carry their unit in the name, for example `light_a_dbm`,
/// `light_b_dbm`, `reflection_km` (distance from end A to the break), `mains_volts`,
/// `battery_percent`, `heartbeat_age_s`, `temperature_celsius`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What was measured.
    pub element: ElementId,
    /// How it was found.
    pub condition: Condition,
    /// The readings, by name.
    pub readings: BTreeMap<String, f64>,
}

/// How an [`Action`] ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A probe's readings.
    Measured(Measurement),
    /// The engineer is on the way and arrives about then.
    Dispatched {
        /// Expected arrival.
        arrival: Timestamp,
    },
    /// The guidance was passed on.
    Guided,
    /// It cannot be done, and why.
    Impossible(String),
}
