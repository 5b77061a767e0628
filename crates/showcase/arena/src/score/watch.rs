//! The service of users near lost sites and cells, during the loss.
//!
//! Samples the network from time to time and weights each sample by its duration; notes its small
//! troubles as well. Read next: [`super`].

use super::truths::SmallTroubles;
use domain::inventory::ElementId;
use domain::time::Timestamp;
use network::Simulation;
use std::collections::BTreeSet;

/// The sampling interval during an outage, in seconds.
const LOOK_EACH_S: f64 = 60.0;

/// Time integrals of the service of users near lost sites and cells.
#[derive(Clone, Debug, Default)]
pub struct ServiceIntegrals {
    seen: Option<Seen>,
    user_s: f64,
    served_user_s: f64,
    lost_s: f64,
    edge_mbps_s: f64,
    troubles: SmallTroubles,
}

#[derive(Clone, Debug)]
struct Seen {
    at: Timestamp,
    lost: BTreeSet<ElementId>,
    users: f64,
    served: f64,
    edge_mbps: f64,
}

impl ServiceIntegrals {
    /// Takes a sample at `now`, which must not be before the last one.
    pub fn look(&mut self, simulation: &Simulation, now: Timestamp) {
        self.troubles.look(simulation, now);
        let lost = lost(simulation);
        let standing = self
            .seen
            .as_ref()
            .is_some_and(|seen| seen.lost == lost && now.seconds_since(seen.at) < LOOK_EACH_S);
        if standing {
            return;
        }
        if let Some(seen) = self.seen.take() {
            let stood_s = now.seconds_since(seen.at);
            self.lost_s += stood_s;
            self.user_s += stood_s * seen.users;
            self.served_user_s += stood_s * seen.served;
            self.edge_mbps_s += stood_s * seen.edge_mbps;
        }
        if !lost.is_empty() {
            let area = simulation.mobile().area(&lost);
            self.seen = Some(Seen {
                at: now,
                users: area.users,
                served: area.users * area.served_share,
                edge_mbps: area.edge_throughput_mbps,
                lost,
            });
        }
    }

    /// The small troubles so far.
    pub fn troubles(&self) -> &SmallTroubles {
        &self.troubles
    }

    /// The share of the users near lost sites who were served all the same, 0 to 1; none if nothing
    /// was lost.
    pub fn served_share(&self) -> Option<f64> {
        (self.user_s > 0.0).then(|| self.served_user_s / self.user_s)
    }

    /// The 10th percentile of the downlink throughput of the users near lost sites, in Mbit/s,
    /// averaged over the time of loss; none if nothing was lost.
    pub fn edge_mbps(&self) -> Option<f64> {
        (self.lost_s > 0.0).then(|| self.edge_mbps_s / self.lost_s)
    }
}

/// The sites that are out of service, and those with a cell that is.
fn lost(simulation: &Simulation) -> BTreeSet<ElementId> {
    let inventory = simulation.inventory();
    let cells = simulation.state().cells_failed(&inventory);
    let sites = cells.iter().map(|cell| inventory.node_of(cell).clone());
    sites
        .chain(simulation.sites_out().iter().cloned())
        .collect()
}
