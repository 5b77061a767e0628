//! What an agent may see of its network and do to it: the telemetry and actuator contract.
//!
//! The simulated network implements it; an adapter to a real element-management system would
//! implement the same. Agents see nothing else: no fault, no ground truth. Alarm vocabulary and
//! severities are those of RFC 8632 (ietf-alarms). Read next: [`crate::agent`].

use crate::inventory::ElementId;
use crate::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What an alarm says (RFC 8632, `alarm-type-id`).
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
}

crate::named! {
    /// The name as payloads and people read it.
    AlarmType
}

/// How bad an alarm is (RFC 8632, `severity`; `cleared` is [`Alarm::cleared`]).
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

/// A ticket that a customer's company has opened (draft §2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub ticket: String,
    /// When it was opened.
    pub time: Timestamp,
    /// Who passes the complaint on: a car maker, a company.
    pub from: String,
    /// The language of the text as a tag of BCP 47: `en` or `zh`.
    pub language: String,
    /// The customer's words.
    pub text: String,
}

/// How deeply a cell sleeps (3GPP TS 28.310); each saves more than the one before, and takes longer
/// to wake from.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Saving {
    /// It does not.
    #[default]
    Off,
    /// Its amplifier rests between symbols that carry nothing; users notice next to nothing.
    SymbolShutdown,
    /// Its carrier is off, the unit stays warm; it serves nobody.
    CarrierShutdown,
    /// The unit is off but for what wakes it; it serves nobody.
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

/// How a cell did in a period.
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
    /// By how much its transmit power is raised, in dB.
    pub power_offset_db: f64,
    /// How deeply it sleeps, at the end of the period.
    pub saving: Saving,
    /// What it consumed, in kWh.
    pub energy_kwh: f64,
}

/// How a link did in a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkPerformance {
    /// What it was given in the busier direction as a share of what it can carry; above 1 it drops.
    pub utilisation: f64,
    /// What it carried in the busier direction, in Mbit/s.
    pub traffic_mbps: f64,
    /// Delay from end to end with queueing, in milliseconds.
    pub latency_ms: f64,
    /// Packets lost, 0 to 1.
    pub loss: f64,
}

/// What a domain's management system counted in a period: cells or links, as the domain has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Performance {
    /// When the period began.
    pub from: Timestamp,
    /// When it ended.
    pub until: Timestamp,
    /// Every cell that reported.
    pub cells: BTreeMap<ElementId, CellPerformance>,
    /// Every link that reported.
    pub links: BTreeMap<ElementId, LinkPerformance>,
}

/// Where a vehicle was, as the signalling records of one province show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// The cell that served it, or that it last asked for service.
    pub cell: ElementId,
    /// From when.
    pub from: Timestamp,
    /// Until when.
    pub until: Timestamp,
    /// The reference signal power that it reported, in dBm.
    pub rsrp_dbm: f64,
    /// The downlink throughput that it got, in Mbit/s.
    pub throughput_mbps: f64,
    /// Attempts of the vehicle that failed: set-up refused, connection dropped.
    pub failures: u32,
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
    /// What the agent's own domain counted in the period that has just ended.
    Performance(Arc<Performance>),
    /// A ticket of a customer's company; business layer only.
    Ticket(Ticket),
    /// What the customer says to a question about a ticket; business layer only.
    CustomerAnswered {
        /// The ticket's number.
        ticket: String,
        /// The customer's words.
        text: String,
    },
}

/// Links an answer to what asked for it; chosen by the agent, unique per agent, and below 2^63: the upper
/// half is the platform's, for what is asked at management systems.
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
        /// The sender's own key of the work order. Under one that was sent before nobody else is sent:
        /// whoever is on it reports under the new token from then on, the arrival once more if he is there.
        work_order: Option<String>,
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
    /// Raise the transmit power of a cell.
    SetPower {
        /// The cell.
        cell: ElementId,
        /// By how much above normal, 0 to 10 dB; 0 is normal.
        offset_db: f64,
    },
    /// Let cells sleep, or wake them.
    SetSaving {
        /// The cells.
        cells: BTreeSet<ElementId>,
        /// How deeply.
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
        /// Which parameter, as [`Configuration`] names it.
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
        /// From when.
        from: Timestamp,
        /// Until when.
        until: Timestamp,
    },
    /// Say something to whoever opened a ticket.
    TellCustomer {
        /// The ticket's number.
        ticket: String,
        /// What is said.
        text: String,
        /// True if it is a question, whose answer is [`Telemetry::CustomerAnswered`]; false if it is
        /// the reply that ends the ticket.
        question: bool,
    },
}

impl Action {
    /// The elements that it is done to; none for what is about vehicles and customers.
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

/// How an element was found.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
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

crate::named! {
    /// The name as payloads write it.
    Condition
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

/// The parameters of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// As they are, by name; the unit is in the name, for example `electrical-tilt-degrees`.
    pub running: BTreeMap<String, String>,
    /// As they are planned.
    pub planned: BTreeMap<String, String>,
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
    /// It is as was asked: power, sleep, parameter or restart.
    Done,
    /// The parameters that were read.
    Configuration(Configuration),
    /// Where the vehicle was, in order of time.
    Traced {
        /// In the agent's own province.
        visits: Vec<Visit>,
        /// The province into which it left within the time asked about, if it did.
        left_to: Option<String>,
        /// The province from which it came within the time asked about, if it did.
        came_from: Option<String>,
    },
    /// What was said has reached the customer.
    Told,
    /// It cannot be done, and why.
    Impossible(String),
}
