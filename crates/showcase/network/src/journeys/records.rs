//! Signalling records: the serving cells of each vehicle over time.
//!
//! Limited to what a core network knows: while a vehicle is not served there is no record, only the
//! radio link failure at the end of the last one. Kept for two days ([`KEPT_S`]); each province
//! reads its own. Read next: [`super::coverage`].

use crate::mobile::PlaceService;
use domain::inventory::Inventory;
use domain::telemetry::{Outcome, Visit};
use domain::time::Timestamp;
use std::collections::{BTreeMap, VecDeque};

/// The retention time of records, in seconds.
pub const KEPT_S: f64 = 2.0 * 86_400.0;
/// The absence from a cell, in seconds, after which a return is a new visit.
const GAP_S: f64 = 120.0;

/// The records of all vehicles.
#[derive(Clone, Debug, Default)]
pub struct Records {
    by_vehicle: BTreeMap<String, VecDeque<Entry>>,
}

#[derive(Clone, Debug)]
struct Entry {
    visit: Visit,
    /// The number of samples, for means.
    samples: u32,
    /// True while the vehicle is connected to it.
    connected: bool,
}

impl Records {
    /// Records the service of a vehicle at an instant, none if there was none. `asleep_s` is the
    /// time since the previous sample, in seconds.
    pub fn take(&mut self, vin: &str, served: Option<&PlaceService>, at: Timestamp, asleep_s: f64) {
        let entries = self.by_vehicle.entry(vin.to_owned()).or_default();
        while entries
            .front()
            .is_some_and(|e| at.seconds_since(e.visit.until) > KEPT_S)
        {
            entries.pop_front();
        }
        let last = entries.back_mut();
        match (served, last) {
            (None, Some(last)) => last.lose(),
            (None, None) => {}
            (Some(served), Some(last)) if last.goes_on(served, at, asleep_s) => {
                last.sample(served, at);
            }
            (Some(served), _) => entries.push_back(Entry::begin(served, at)),
        }
    }

    /// The records of one province about a vehicle, between two instants.
    pub fn trace(
        &self,
        inventory: &Inventory,
        vin: &str,
        province: &str,
        (from, until): (Timestamp, Timestamp),
    ) -> Outcome {
        let all = self.by_vehicle.get(vin).into_iter().flatten();
        let asked = all
            .map(|e| &e.visit)
            .filter(|v| v.from <= until && v.until >= from);
        let asked: Vec<(&Visit, &str)> = asked
            .filter_map(|v| Some((v, inventory.province_of(&v.cell)?)))
            .collect();
        let own = |pair: &&(&Visit, &str)| pair.1 == province;
        let crossing = |here: usize, there: usize| {
            let mut pairs = asked.windows(2).rev();
            let found = pairs.find(|p| p[here].1 == province && p[there].1 != province);
            found.map(|p| p[there].1.to_owned())
        };
        Outcome::Traced {
            visits: asked.iter().filter(own).map(|p| p.0.clone()).collect(),
            left_to: crossing(0, 1),
            came_from: crossing(1, 0),
        }
    }
}

impl Entry {
    fn begin(served: &PlaceService, at: Timestamp) -> Self {
        Self {
            visit: Visit {
                cell: served.cell.clone(),
                from: at,
                until: at,
                rsrp_dbm: served.rsrp_dbm,
                throughput_mbps: served.throughput_mbps,
                failures: 0,
            },
            samples: 1,
            connected: true,
        }
    }

    fn goes_on(&self, served: &PlaceService, at: Timestamp, asleep_s: f64) -> bool {
        let pause = at.seconds_since(self.visit.until);
        self.connected && self.visit.cell == served.cell && pause <= asleep_s.max(GAP_S)
    }

    fn sample(&mut self, served: &PlaceService, at: Timestamp) {
        let n = f64::from(self.samples);
        let mean = |old: f64, new: f64| (old * n + new) / (n + 1.0);
        self.visit.until = at;
        self.visit.rsrp_dbm = mean(self.visit.rsrp_dbm, served.rsrp_dbm);
        self.visit.throughput_mbps = mean(self.visit.throughput_mbps, served.throughput_mbps);
        self.samples += 1;
    }

    /// Ends the current visit with a radio link failure.
    fn lose(&mut self) {
        if self.connected {
            self.connected = false;
            self.visit.failures += 1;
        }
    }
}
