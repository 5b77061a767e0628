//! The network that somebody runs beside the platform: its management systems, its faults, and how well it goes.
//!
//! Read next: [`ems`], [`faults`], [`referee`]; [`told`], what of it is kept.

pub(crate) mod ems;
pub(crate) mod fault;
pub(crate) mod faults;
pub(crate) mod operation;
pub(crate) mod referee;
pub(crate) mod told;
pub(crate) mod trial;

use domain::inventory::Inventory;
use ems::management::Management;
use faults::request::WaitingRequests;
use referee::request::WaitingForReferee;
use std::sync::Arc;

/// The network that is run here, if one is.
pub(crate) struct Network {
    /// Requests about faults, while somebody runs a simulated network.
    faults: WaitingRequests,
    /// Questions to its referee, likewise.
    referee: WaitingForReferee,
    management: Management,
}

impl Network {
    /// Nobody runs one yet; it is documented like this.
    pub(crate) fn new(inventory: &Arc<Inventory>) -> Self {
        Self {
            faults: WaitingRequests::default(),
            referee: WaitingForReferee::default(),
            management: Management::new(inventory),
        }
    }
}
