//! Days that were begun, for whoever goes on with them: the network, and what was found so far.
//!
//! Read next: [`super`].

use crate::score::{RunFindings, ServiceIntegrals};
use domain::telemetry::Alarm;
use domain::time::Timestamp;
use network::Simulation;
use std::collections::BTreeMap;
use std::sync::Mutex;
use yardsticks::DeliveredAlarm;

/// What has come of days so far.
pub(super) struct Begun {
    pub(super) at: Timestamp,
    pub(super) simulation: Simulation,
    pub(super) watch: ServiceIntegrals,
    pub(super) alarms: Vec<DeliveredAlarm>,
    pub(super) work: RunFindings,
}

impl Begun {
    /// Nothing yet.
    pub(super) fn with(simulation: Simulation, at: Timestamp) -> Self {
        Self {
            at,
            simulation,
            watch: ServiceIntegrals::default(),
            alarms: Vec::new(),
            work: RunFindings::default(),
        }
    }
}

pub(super) fn looked(watch: &Mutex<ServiceIntegrals>) -> ServiceIntegrals {
    watch.lock().expect("looking does not panic").clone()
}

/// The alarms that stand, of those that were delivered.
pub(super) fn standing(delivered: &[DeliveredAlarm]) -> Vec<Alarm> {
    let mut standing = BTreeMap::new();
    for told in delivered {
        let alarm = &told.alarm;
        let which = (&alarm.resource, alarm.type_name());
        match alarm.cleared {
            true => standing.remove(&which),
            false => standing.insert(which, alarm),
        };
    }
    standing.into_values().cloned().collect()
}
