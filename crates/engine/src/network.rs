//! The network that somebody runs beside the platform: its management systems, and its faults.
//!
//! Read next: [`ems`], [`faults`]; [`told`], what of it is kept.

pub(crate) mod ems;
pub(crate) mod fault;
pub(crate) mod faults;
pub(crate) mod operation;
pub(crate) mod told;

use domain::inventory::Inventory;
use ems::management::Management;
use faults::request::WaitingRequests;
use std::sync::Arc;

/// The network that is run here, if one is.
pub(crate) struct Network {
    /// Requests about faults, while somebody runs a simulated network.
    faults: WaitingRequests,
    management: Management,
}

impl Network {
    /// Nobody runs one yet; it is documented like this.
    pub(crate) fn new(inventory: &Arc<Inventory>) -> Self {
        Self {
            faults: WaitingRequests::default(),
            management: Management::new(inventory),
        }
    }
}
