//! The entries of the queue: all that can happen in the simulation, and what each needs to know.
//!
//! Refuses to know what follows from an event, and when one is due. Read next: `simulation/events.rs`,
//! which lets each happen.

use super::customers::Brewing;
use super::{EmissionContent, Recipients};
use crate::fault::{Fault, FaultTerms};
use crate::noise::NoiseBurst;
use crate::state::{LightLevel, ObservableCondition, TroubleKind};
use domain::inventory::ElementId;
use domain::telemetry::{Saving, Token};
use domain::time::Timestamp;

/// An event in the queue.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// An injected fault begins.
    Strike {
        number: usize,
        fault: Fault,
        terms: FaultTerms,
    },
    /// A trouble ends, by repair or by itself.
    Mend(usize),
    /// An event of the mobile domain.
    Air(Air),
    /// A site has booted after its battery was empty.
    Boot(ElementId),
    /// A condition is detected, if it still stands since then.
    Notice {
        sighting: ObservableCondition,
        since: Timestamp,
    },
    /// An emission is delivered.
    Deliver {
        to: Recipients,
        tiding: Box<EmissionContent>,
    },
    /// The next burst of background alarms begins.
    Burst,
    /// An alarm of the background is raised.
    Grumble(NoiseBurst),
    /// A background alarm ends.
    Relent(NoiseBurst),
    /// The next group of false alarms begins.
    FalseBurst,
    /// A false alarm is raised.
    FalseAlarm(NoiseBurst),
    /// A false alarm ends.
    FalseEnd(NoiseBurst),
    /// A small outage happens; none: draw one and schedule the next.
    Mishap(Option<TroubleKind>),
    /// A customer of a site complains, if it is still out.
    Complain(ElementId),
    /// A customer complains about an unrelated matter.
    StrayComplaint,
    /// The readings of a probe are complete.
    Measure {
        agent: String,
        token: Token,
        element: ElementId,
    },
    /// An ageing optical module has lost more light.
    Progress { number: usize, light: LightLevel },
    /// Something nearly broken switches between off and on.
    Flicker(usize),
    /// A surge of traffic is over.
    Subside(usize),
    /// A measurement period ends.
    Period,
    /// A spontaneous fault happens.
    Befall,
    /// A storm begins.
    Storm,
    /// A bad contact begins.
    Loosen,
    /// A command reaches its element.
    Commanded(Errand),
    /// A restarted element runs again.
    Started { errand: Errand, number: usize },
    /// An engineer arrives.
    Arrive { agent: String, token: Token },
    /// An engineer finishes the work at an element.
    Finish {
        agent: String,
        token: Token,
        element: ElementId,
        mends: Option<usize>,
        finding: String,
    },
    /// Vehicles are sampled.
    Survey,
    /// A driver complains.
    Grieve(Box<Brewing>),
    /// A driver complains about a matter outside the network.
    StrayGrievance,
    /// A customer answers a question about the ticket of this index.
    CustomerAnswers(usize),
}

/// An event of the mobile domain.
#[derive(Clone, Debug)]
pub(super) enum Air {
    /// A period ends.
    Period,
    /// An order to a cell takes effect if it is still the latest.
    Obey {
        cell: ElementId,
        order: u32,
        command: CellCommand,
    },
    /// The outcome of orders is reported to the agent.
    Report {
        agent: String,
        token: Token,
        orders: Vec<(ElementId, CellCommand)>,
    },
    /// A battery is to be checked.
    Battery { site: ElementId, version: u32 },
    /// A stadium event begins.
    Stadium,
}

/// An order to a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CellCommand {
    Power(f64),
    Saving(Saving),
    /// Starts waking, until then.
    Wake(Timestamp),
}

/// A command to an element's management interface.
#[derive(Clone, Debug)]
pub(super) enum Command {
    Read,
    Set { parameter: String, value: String },
    Restart,
}

/// A command with its sender and its target.
#[derive(Clone, Debug)]
pub(super) struct Errand {
    pub(super) agent: String,
    pub(super) token: Token,
    pub(super) element: ElementId,
    pub(super) command: Command,
}
