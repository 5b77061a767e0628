//! Looking at the mobile domain at one instant: settings of cells and ground in, a picture and rates
//! out.
//!
//! Knows how orders, faults and crowds become powers, silence and wishes; refuses to know who is
//! served by what (`evaluation`) and what comes together over time. Read next: `account`.

use super::account::Rates;
use super::evaluation::Radio;
use super::propagation::{elements_db, linear};
use super::{Mobile, PERIOD_MS, demand, energy};
use domain::telemetry::Saving;
use domain::time::Timestamp;

impl Mobile {
    /// Looks at everything as it is at `now`.
    pub(super) fn evaluate(&mut self, now: Timestamp) {
        self.tune();
        let now = quarter(now);
        let hour = demand::Hour::of(now);
        let levels: Vec<f64> = self.wanted.iter().map(|day| hour.value(day)).collect();
        let crowds = self.crowds(now);
        let wanted: Vec<f64> = self
            .users
            .points
            .iter()
            .map(|user| user.home.map_or(0.0, |home| levels[home]) * crowds[user.site])
            .collect();
        let usual: Vec<f64> = self.loads.iter().map(|day| hour.value(day)).collect();
        let radio = Radio::new(&self.units, &self.users, &self.factor, &self.foreign_mw);
        self.picture = radio.picture(&wanted, usual, &self.backhaul_mbps());
        self.rates = self.rates(&wanted);
    }

    /// Sets by how much each cell's power is changed, and what disturbs it from outside.
    fn tune(&mut self) {
        for (site, id) in self.sites.iter().enumerate() {
            let out = self.ground.sites_out.contains(id) || self.ground.unpowered.contains(id);
            for cell in self.on[site].clone() {
                let (unit, told) = (&self.units[cell], self.told[cell]);
                let off =
                    out || !told.saving.serves() || self.ground.cells_failed.contains(&unit.id);
                let loss = self.ground.losses_db.get(&unit.id).copied().unwrap_or(0.0);
                self.factor[cell] = match off {
                    true => 0.0,
                    false => linear(told.offset_db - loss.max(0.0)),
                };
                let foreign = self.ground.interference_dbm.get(&unit.id);
                self.foreign_mw[cell] = foreign.map_or(0.0, |dbm| {
                    linear(dbm - elements_db(unit.plan.bandwidth_mhz))
                });
            }
        }
    }

    /// How many times as much is wanted around each site.
    fn crowds(&self, now: Timestamp) -> Vec<f64> {
        let mut crowds = vec![1.0; self.sites.len()];
        for surge in &self.surges {
            let factor = surge.at(now);
            for site in &surge.sites {
                if let Ok(site) = self.sites.binary_search(site) {
                    crowds[site] *= factor;
                }
            }
        }
        crowds
    }

    /// What the backhaul of each site carries at most, in Mbit/s.
    pub(super) fn backhaul_mbps(&self) -> Vec<f64> {
        let limit = |site| self.ground.backhaul_mbps.get(site).copied();
        let sites = self.sites.iter();
        sites.map(|site| limit(site).unwrap_or(f64::MAX)).collect()
    }

    /// What goes on each second as long as the picture and what is `wanted` hold.
    fn rates(&self, wanted: &[f64]) -> Rates {
        let mut rates = Rates::default();
        for (cell, unit) in self.units.iter().enumerate() {
            let (told, load) = (self.told[cell], self.picture.load[cell]);
            let dead = self.ground.cells_failed.contains(&unit.id)
                || self.ground.unpowered.contains(&self.sites[unit.site]);
            let awake = energy::power_w(&unit.plan, load, told.offset_db, Saving::Off);
            let drawn = match told.waking {
                Some(_) => awake,
                None => energy::power_w(&unit.plan, load, told.offset_db, told.saving),
            };
            rates.power_w.push(if dead { 0.0 } else { drawn });
            rates.power_without_w.push(if dead { 0.0 } else { awake });
        }
        for (user, point) in self.users.points.iter().enumerate() {
            rates.users += point.weight;
            rates.wanted_mbps += point.weight * wanted[user];
            match self.picture.serving[user] {
                None => rates.users_out += point.weight,
                Some(_) if self.picture.throughput[user] < self.settings.guaranteed_mbps => {
                    rates.users_below += point.weight;
                }
                Some(_) => {}
            }
        }
        rates.traffic_mbps = self.picture.traffic.iter().sum();
        rates
    }
}

/// The middle of the quarter of an hour in which `now` lies: demand is as then for all of it, so
/// that looking twice changes nothing.
fn quarter(now: Timestamp) -> Timestamp {
    let begun_ms = now.as_ms().rem_euclid(PERIOD_MS);
    now + (PERIOD_MS / 2 - begun_ms)
}
