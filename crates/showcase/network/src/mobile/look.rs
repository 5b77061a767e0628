//! The evaluation of the mobile domain at one instant: settings of cells and ground in, a picture
//! and rates out.
//!
//! Knows how orders, faults and crowds become powers, silence and demand; refuses to know the
//! serving cells (`evaluation`) and the totals over time. Read next: `account`.

use super::account::Rates;
use super::propagation::{elements_db, linear};
use super::scene::Scene;
use super::stirred::Cast;
use super::{Mobile, PERIOD_MS, energy};
use domain::inventory::ElementId;
use domain::radio::load::Hour;
use domain::telemetry::Saving;
use domain::time::Timestamp;
use std::collections::BTreeSet;

impl Mobile {
    /// Evaluates everything at `now`.
    pub(super) fn evaluate(&mut self, now: Timestamp) {
        let now = quarter(now);
        let hour = Hour::of(now);
        let levels: Vec<f64> = self.wanted.iter().map(|day| hour.value(day)).collect();
        let crowds = self.crowds(now);
        let users = self.users.points.iter();
        let wanted =
            users.map(|user| user.home.map_or(0.0, |home| levels[home]) * crowds[user.site]);
        let scene = Scene {
            factor: self.factors(),
            foreign_mw: self.foreign_mw(),
            usual: self.loads.iter().map(|day| hour.value(day)).collect(),
            wanted: wanted.collect(),
            backhaul: self.backhaul_mbps(),
        };
        let cast = Cast {
            units: &self.units,
            on: &self.on,
            users: &self.users,
        };
        self.evaluation.see(cast, scene);
        self.rates = self.rates();
    }

    /// The factor of each cell's planned power; 0 if it is off air.
    fn factors(&self) -> Vec<f64> {
        let offsets = self
            .told
            .iter()
            .map(|told| (told.saving.serves(), told.offset_db));
        let (mut serves, mut offsets_db): (Vec<bool>, Vec<f64>) = offsets.unzip();
        let dark = self.ground.sites_out.iter().chain(&self.ground.unpowered);
        for site in dark.filter_map(|id| self.sites.binary_search(id).ok()) {
            serves[self.on[site].clone()].fill(false);
        }
        for cell in self.numbered(&self.ground.cells_failed) {
            serves[cell] = false;
        }
        for (id, loss_db) in &self.ground.losses_db {
            if let Some(cell) = self.number(id) {
                offsets_db[cell] -= loss_db.max(0.0);
            }
        }
        let cells = serves.into_iter().zip(offsets_db);
        let factor = |(serves, offset_db)| if serves { linear(offset_db) } else { 0.0 };
        cells.map(factor).collect()
    }

    /// Power from outside the network on each cell's carrier, in mW per resource element.
    fn foreign_mw(&self) -> Vec<f64> {
        let mut foreign_mw = vec![0.0; self.units.len()];
        for (id, dbm) in &self.ground.interference_dbm {
            if let Some(cell) = self.number(id) {
                let bandwidth_mhz = self.units[cell].plan.bandwidth_mhz;
                foreign_mw[cell] = linear(dbm - elements_db(bandwidth_mhz));
            }
        }
        foreign_mw
    }

    /// True for each cell that draws no power, for lack of supply or because it is broken.
    fn dead(&self) -> Vec<bool> {
        let mut dead = vec![false; self.units.len()];
        let unpowered = self.ground.unpowered.iter();
        for site in unpowered.filter_map(|id| self.sites.binary_search(id).ok()) {
            dead[self.on[site].clone()].fill(true);
        }
        for cell in self.numbered(&self.ground.cells_failed) {
            dead[cell] = true;
        }
        dead
    }

    fn numbered<'a>(&'a self, cells: &'a BTreeSet<ElementId>) -> impl Iterator<Item = usize> {
        cells.iter().filter_map(|id| self.number(id))
    }

    /// The factor of demand around each site.
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

    /// The limit of each site's backhaul, in Mbit/s.
    fn backhaul_mbps(&self) -> Vec<f64> {
        let mut backhaul = vec![f64::MAX; self.sites.len()];
        for (id, limit) in &self.ground.backhaul_mbps {
            if let Ok(site) = self.sites.binary_search(id) {
                backhaul[site] = *limit;
            }
        }
        backhaul
    }

    /// The rates per second that hold until the picture or the demand changes.
    fn rates(&self) -> Rates {
        let (picture, scene) = (self.picture(), self.evaluation.scene());
        let mut rates = Rates::default();
        let cells = self.units.iter().zip(&self.told).zip(&picture.load);
        for (((unit, told), load), dead) in cells.zip(self.dead()) {
            if dead {
                rates.power_w.push(0.0);
                rates.power_without_w.push(0.0);
                continue;
            }
            let saving = match told.waking {
                Some(_) => Saving::Off,
                None => told.saving,
            };
            let (plan, offset_db) = (&unit.plan, told.offset_db);
            let power_w = |saving| energy::power_w(plan, *load, offset_db, saving);
            rates.power_w.push(power_w(saving));
            rates.power_without_w.push(power_w(Saving::Off));
            rates.least_w += energy::power_least_w(plan, *load, offset_db, saving);
            rates.without_most_w += energy::unsaved_most_w(plan, *load, offset_db, saving);
        }
        for (user, point) in self.users.points.iter().enumerate() {
            rates.users += point.weight;
            rates.wanted_mbps += point.weight * scene.wanted[user];
            match picture.serving[user] {
                None => rates.users_out += point.weight,
                Some(_) if picture.throughput[user] < self.settings.guaranteed_mbps => {
                    rates.users_below += point.weight;
                }
                Some(_) => {}
            }
        }
        rates.traffic_mbps = picture.traffic.iter().sum();
        rates
    }
}

/// The middle of the quarter of an hour of `now`: demand is constant within it, so that a second
/// evaluation changes nothing.
fn quarter(now: Timestamp) -> Timestamp {
    let begun_ms = now.as_ms().rem_euclid(PERIOD_MS);
    now + (PERIOD_MS / 2 - begun_ms)
}
