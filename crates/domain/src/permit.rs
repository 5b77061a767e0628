//! Rights over the network: the actions that an agent, or a client of a management system, may
//! take.
//!
//! Granted by the platform, kept by the network. Read next: [`crate::telemetry`], the actions.

use crate::inventory::Domain;
use std::collections::BTreeSet;

/// The actions on the network that are granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permit {
    /// The domains whose elements it may probe.
    pub probe: BTreeSet<Domain>,
    /// The domains whose elements it may configure and restart.
    pub configure: BTreeSet<Domain>,
    /// True if it may set the power of cells and let them sleep.
    pub radio: bool,
    /// True if it may look up where vehicles were.
    pub trace: bool,
    /// True if it commands the field force.
    pub field: bool,
    /// True if it may talk to customers.
    pub customers: bool,
    /// The province to which all of this is confined; none: everywhere.
    pub province: Option<String>,
}
