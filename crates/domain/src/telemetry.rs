//! The telemetry and actuator contract: an agent's observations of its network and its actions on
//! it.
//!
//! The simulated network implements it; an adapter to a real element-management system would
//! implement the same. Agents see nothing beyond it, no fault and no ground truth. Alarm vocabulary
//! and severities are those of RFC 8632 (ietf-alarms). Read next: [`crate::agent`].

mod customer_word;

pub use customer_word::CustomerWord;

use crate::inventory::ElementId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The type of an alarm (RFC 8632, `alarm-type-id`).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
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
    /// An optical module sends less light than it should.
    OpticalPowerLow,
    /// A cell that should be on air is not.
    CellUnavailable,
    /// A cell serves its users far worse than it should.
    CellDegraded,
    /// A cell hears more foreign power than it can bear.
    InterferenceHigh,
    /// The batteries of a site will soon be empty.
    BatteryLow,
    /// An alarm whose type nobody here has a name for: [`Alarm::qualifier`] and its text are all that
    /// is known of it. It is kept, shown and passed on like any other.
    Unknown,
}

crate::named! {
    /// The name as payloads and people read it.
    AlarmType
}

/// The severity of an alarm (RFC 8632, `severity`; `cleared` is [`Alarm::cleared`]).
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
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

crate::named! {
    /// The name in RFC 8632.
    Severity
}

/// One alarm as its domain's management system delivers it: possibly late, twice, or out of order.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// The element it is raised on (RFC 8632, `resource`).
    pub resource: ElementId,
    /// The type of alarm.
    pub alarm_type: AlarmType,
    /// What the system that raised it calls its type (RFC 8632, `alarm-type-qualifier`), where that
    /// says more: a type that is [`AlarmType::Unknown`] here has its own name there. Otherwise empty.
    pub qualifier: String,
    /// The severity.
    pub severity: Severity,
    /// The time at which the element noticed; the alarm may arrive much later.
    pub time: Timestamp,
    /// True when the condition has gone.
    pub cleared: bool,
    /// The text, for people.
    pub text: String,
}

impl Alarm {
    /// The name of its type: ours, or that of whoever raised it where nobody here has one.
    pub fn type_name(&self) -> &str {
        match self.alarm_type {
            AlarmType::Unknown if !self.qualifier.is_empty() => &self.qualifier,
            known => known.as_str(),
        }
    }
}

/// A customer's complaint (draft §2.1, step 3c).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// The time at which it was made.
    pub time: Timestamp,
    /// The site that served the customer when service was last good.
    pub site: ElementId,
    /// The customer's words.
    pub text: String,
}

/// A report of a field engineer's app to the agent that dispatched the engineer (draft §2.1, steps
/// 7-8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldReport {
    /// The engineer stands at the element and asks what to do.
    Arrived {
        /// The token of the [`Action::Dispatch`].
        token: Token,
        /// The element at which the engineer is.
        element: ElementId,
        /// The question, in words.
        question: String,
    },
    /// The engineer followed the guidance; this is the outcome.
    Ended {
        /// The token of the [`Action::Dispatch`].
        token: Token,
        /// The element at which the engineer was.
        element: ElementId,
        /// True if something broken was found there and mended.
        repaired: bool,
        /// The finding, in words.
        finding: String,
    },
}

/// A ticket that a customer's company has opened (draft §2.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// Its number.
    pub ticket: String,
    /// The time at which it was opened.
    pub time: Timestamp,
    /// The company that passes the complaint on: a car maker, for example.
    pub from: String,
    /// The language of the text as a tag of BCP 47: `en` or `zh`.
    pub language: String,
    /// The customer's words.
    pub text: String,
}

/// The energy-saving mode of a cell (3GPP TS 28.310); each saves more than the one before, and
/// takes longer to wake from.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Saving {
    /// No saving.
    #[default]
    Off,
    /// The amplifier rests between symbols that carry nothing; users notice next to nothing.
    SymbolShutdown,
    /// The carrier is off, the unit stays warm; it serves nobody.
    CarrierShutdown,
    /// The unit is off except for the part that wakes it; it serves nobody.
    DeepSleep,
}

crate::named! {
    /// The name, everywhere: `carrier-shutdown`.
    Saving
}

impl Saving {
    /// True if a cell in this mode serves users.
    pub fn serves(self) -> bool {
        matches!(self, Self::Off | Self::SymbolShutdown)
    }
}

/// The performance of a cell in a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellPerformance {
    /// The share of its radio resources in use, 0 to 1.
    pub load: f64,
    /// Users that it served, on average.
    pub users: f64,
    /// Traffic that it carried, in Mbit/s.
    pub traffic_mbps: f64,
    /// Downlink throughput of its users, on average, in Mbit/s.
    pub throughput_mbps: f64,
    /// Downlink throughput of the slowest tenth of its users, in Mbit/s.
    pub edge_throughput_mbps: f64,
    /// Foreign power on its carrier, in dBm; thermal noise where there is none.
    pub interference_dbm: f64,
    /// The increase of its transmit power, in dB.
    pub power_offset_db: f64,
    /// Its energy-saving mode at the end of the period.
    pub saving: Saving,
    /// Its energy consumption, in kWh.
    pub energy_kwh: f64,
}

/// The performance of a link in a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkPerformance {
    /// The offered traffic in the busier direction as a share of the capacity; above 1 it drops.
    pub utilisation: f64,
    /// The traffic that it carried in the busier direction, in Mbit/s.
    pub traffic_mbps: f64,
    /// Delay from end to end with queueing, in milliseconds.
    pub latency_ms: f64,
    /// Packets lost, 0 to 1.
    pub loss: f64,
}

/// The performance figures of a domain's management system for a period: cells or links, as the
/// domain has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Performance {
    /// The time at which the period began.
    pub from: Timestamp,
    /// The time at which it ended.
    pub until: Timestamp,
    /// Every cell that reported.
    pub cells: BTreeMap<ElementId, CellPerformance>,
    /// Every link that reported.
    pub links: BTreeMap<ElementId, LinkPerformance>,
}

/// A cell that served a vehicle, as the signalling records of one province show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// The cell that served it, or that it last asked for service.
    pub cell: ElementId,
    /// The beginning.
    pub from: Timestamp,
    /// The end.
    pub until: Timestamp,
    /// The reference signal power that it reported, in dBm.
    pub rsrp_dbm: f64,
    /// The downlink throughput that it got, in Mbit/s.
    pub throughput_mbps: f64,
    /// Attempts of the vehicle that failed: set-up refused, connection dropped.
    pub failures: u32,
}

/// Telemetry that arrives from the network without having been asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Telemetry {
    /// An alarm of the agent's own domain.
    Alarm(Alarm),
    /// A complaint; service layer only.
    Complaint(Complaint),
    /// News from an engineer in the field.
    Field(FieldReport),
    /// The performance figures of the agent's own domain for the period that has just ended.
    Performance(Arc<Performance>),
    /// A ticket of a customer's company; business layer only.
    Ticket(Ticket),
    /// The customer's answer to a question about a ticket; business layer only.
    CustomerAnswered {
        /// The ticket's number.
        ticket: String,
        /// The customer's words.
        text: String,
    },
}

/// Correlates an answer with its request; chosen by the agent, unique per agent, and below 2^63:
/// the upper half is reserved for the platform's own requests to management systems.
pub type Token = u64;

/// An action of an agent on its network. Each takes simulated time and ends in an [`Outcome`].
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Measure one element actively: light levels, reflections, voltages, heartbeats.
    Probe {
        /// The element to measure; must belong to the agent's domain.
        element: ElementId,
    },
    /// Send an engineer. [`Telemetry::Field`] follows on arrival and at the end.
    Dispatch {
        /// The destination.
        element: ElementId,
        /// The sender's own key of the work order. A dispatch under a key that was used before
        /// sends no second engineer: the one on it reports under the new token from then on, and
        /// reports the arrival again if already there.
        work_order: Option<String>,
    },
    /// Tell an engineer who has arrived what to repair.
    Guide {
        /// The token of the dispatch.
        dispatch: Token,
        /// The element to repair.
        element: ElementId,
        /// The steps to follow, for people.
        steps: Vec<String>,
    },
    /// Raise the transmit power of a cell.
    SetPower {
        /// The cell.
        cell: ElementId,
        /// The offset above normal, 0 to 10 dB; 0 is normal.
        offset_db: f64,
    },
    /// Let cells sleep, or wake them.
    SetSaving {
        /// The cells.
        cells: BTreeSet<ElementId>,
        /// The energy-saving mode.
        saving: Saving,
    },
    /// Read the parameters of an element, as they are and as they are planned.
    ReadConfiguration {
        /// The element.
        element: ElementId,
    },
    /// Set a parameter of an element.
    Configure {
        /// The element.
        element: ElementId,
        /// The name of the parameter, as in [`Configuration`].
        parameter: String,
        /// Its value.
        value: String,
    },
    /// Restart an element from afar.
    Restart {
        /// The element.
        element: ElementId,
    },
    /// Look up where a vehicle was, in the signalling records of the agent's own province.
    Trace {
        /// The vehicle identification number (ISO 3779).
        vehicle: String,
        /// The beginning of the time.
        from: Timestamp,
        /// The end of the time.
        until: Timestamp,
    },
    /// Send a message to the customer who opened a ticket.
    TellCustomer {
        /// The ticket's number.
        ticket: String,
        /// The text of the message.
        text: String,
        /// True if it is a question, whose answer is [`Telemetry::CustomerAnswered`]; false if it is
        /// the reply that ends the ticket.
        question: bool,
    },
}

impl Action {
    /// The elements that it acts on; none for actions on vehicles and customers.
    pub fn elements(&self) -> Vec<&ElementId> {
        match self {
            Self::Probe { element }
            | Self::Dispatch { element, .. }
            | Self::Guide { element, .. }
            | Self::ReadConfiguration { element }
            | Self::Configure { element, .. }
            | Self::Restart { element } => vec![element],
            Self::SetPower { cell, .. } => vec![cell],
            Self::SetSaving { cells, .. } => cells.iter().collect(),
            Self::Trace { .. } | Self::TellCustomer { .. } => Vec::new(),
        }
    }
}

/// The condition of an element.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// Working.
    Good,
    /// Working, but not well.
    Degraded,
    /// Not working.
    Failed,
    /// Not measurable from afar.
    Unreachable,
}

crate::named! {
    /// The name as payloads write it.
    Condition
}

/// The result of a probe. Readings carry their unit in the name, for example `light_a_dbm`,
/// `light_b_dbm`, `reflection_km` (distance from end A to the break), `mains_volts`,
/// `battery_percent`, `heartbeat_age_s`, `temperature_celsius`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The element measured.
    pub element: ElementId,
    /// Its condition.
    pub condition: Condition,
    /// The readings, by name.
    pub readings: BTreeMap<String, f64>,
}

/// The parameters of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The running values, by name; the unit is in the name, for example `electrical-tilt-degrees`.
    pub running: BTreeMap<String, String>,
    /// The planned values.
    pub planned: BTreeMap<String, String>,
}

/// The outcome of an [`Action`].
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
    /// The setting was made, or the restart done: power, energy saving, parameter.
    Done,
    /// The parameters that were read.
    Configuration(Configuration),
    /// The cells that served the vehicle, in order of time.
    Traced {
        /// The visits to cells of the agent's own province.
        visits: Vec<Visit>,
        /// The province into which it left within the time asked about, if it did.
        left_to: Option<String>,
        /// The province from which it came within the time asked about, if it did.
        came_from: Option<String>,
    },
    /// The message has reached the customer.
    Told,
    /// The action cannot be done, for this reason.
    Impossible(String),
    /// The attempt failed, for this reason: a probe that broke off, an element that did not answer
    /// in time. It says nothing of the element; the same action may succeed when tried again.
    Failed(String),
}
