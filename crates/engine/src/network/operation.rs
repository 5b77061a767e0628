//! What is done to the network: actions through its management systems (module convoke-ems), and faults
//! of a simulated one (module convoke-simulation).
//!
//! Types alone: what carries an operation out says what it is. Read next: [`crate::network::ems`] and
//! [`crate::network::faults`].

use domain::cause::Cause;
use domain::ems::Ems;
use domain::inventory::ElementId;
use domain::telemetry::{Action, Severity};

/// An rpc of module convoke-ems: do something to the network, through one of its management systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// Which.
    pub ems: Ems,
    /// What.
    pub action: Action,
}

/// What came of an action on the network.
#[derive(Clone, Debug, PartialEq)]
pub struct Acted {
    /// Its number, unique since the start of the platform.
    pub number: u64,
    /// How it ended; never `Impossible`.
    pub outcome: domain::telemetry::Outcome,
}

/// `inject-fault`: breaks something, now; answers the fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InjectFault {
    /// What happens; none for anything that takes a batch of sites out of service.
    pub kind: Option<Cause>,
    /// To what, if it matters.
    pub element: Option<ElementId>,
    /// How long it takes, in seconds, if that is to be set.
    pub duration_s: Option<u64>,
    /// How bad it is, if that is to be set.
    pub severity: Option<Severity>,
}

/// `list-faults`: tells what is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListFaults {
    /// True if what is over is told as well.
    pub ended: bool,
}

/// `clear-fault`: mends a fault at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearFault {
    /// Its number.
    pub id: u64,
}
