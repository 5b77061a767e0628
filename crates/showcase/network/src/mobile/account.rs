//! Totals over time: performance of a period, and the tally for the referee.
//!
//! Integrates what is constant between two changes; refuses to know why it is as it is
//! (`evaluation`). Read next: [`super::battery`].

use super::picture::Picture;
use super::propagation::{decibels, elements_db, linear};
use super::users::Unit;
use domain::inventory::ElementId;
use domain::telemetry::CellPerformance;
use domain::time::Timestamp;
use std::collections::BTreeMap;

const JOULES_PER_KWH: f64 = 3.6e6;

/// The totals of users, traffic and energy since the beginning, for the referee.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MobileTotals {
    /// The energy consumed by all cells, in kWh.
    pub energy_kwh: f64,
    /// The energy they would have consumed at the same loads and powers without saving, in kWh.
    pub energy_without_saving_kwh: f64,
    /// The energy that they may have consumed at the least, in kWh: each saving as large as
    /// measurements do not exclude.
    pub energy_least_kwh: f64,
    /// The energy that they may have consumed without saving at the most, in kWh.
    pub energy_without_saving_most_kwh: f64,
    /// Users times minutes.
    pub user_minutes: f64,
    /// User minutes without service; a part of [`MobileTotals::user_minutes`].
    pub user_minutes_out: f64,
    /// User minutes with service below [`super::MobileSettings::guaranteed_mbps`]; a part of
    /// [`MobileTotals::user_minutes`].
    pub user_minutes_below: f64,
    /// The traffic carried, in megabytes.
    pub traffic_mb: f64,
    /// The demand, in megabytes.
    pub wanted_mb: f64,
}

/// Rates that are constant until the next change.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    /// The power drawn by each cell, in watts.
    pub(super) power_w: Vec<f64>,
    /// The power drawn without saving, in watts.
    pub(super) power_without_w: Vec<f64>,
    /// The least power that all cells may draw, in watts.
    pub(super) least_w: f64,
    /// The most power that all cells may draw without saving, in watts.
    pub(super) without_most_w: f64,
    pub(super) users: f64,
    pub(super) users_out: f64,
    pub(super) users_below: f64,
    pub(super) traffic_mbps: f64,
    pub(super) wanted_mbps: f64,
}

/// The sums of one cell over a period: each is an integral over seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    load: f64,
    users: f64,
    traffic: f64,
    throughput: f64,
    edge: f64,
    busy: f64,
    foreign: f64,
    joules: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) from: Timestamp,
    pub(super) at: Timestamp,
    cells: Vec<Sums>,
    pub(super) tally: MobileTotals,
}

impl MobileTotals {
    /// The tally `seconds` later if nothing changes.
    pub(super) fn after(mut self, seconds: f64, rates: &Rates) -> Self {
        let kwh = |watts: f64| watts * seconds / JOULES_PER_KWH;
        let minutes = seconds / 60.0;
        self.energy_kwh += kwh(rates.power_w.iter().sum());
        self.energy_without_saving_kwh += kwh(rates.power_without_w.iter().sum());
        self.energy_least_kwh += kwh(rates.least_w);
        self.energy_without_saving_most_kwh += kwh(rates.without_most_w);
        self.user_minutes += rates.users * minutes;
        self.user_minutes_out += rates.users_out * minutes;
        self.user_minutes_below += rates.users_below * minutes;
        self.traffic_mb += rates.traffic_mbps * seconds / 8.0;
        self.wanted_mb += rates.wanted_mbps * seconds / 8.0;
        self
    }
}

impl Account {
    pub(super) fn new(cells: usize, start: Timestamp) -> Self {
        Self {
            from: start,
            at: start,
            cells: vec![Sums::default(); cells],
            tally: MobileTotals::default(),
        }
    }

    /// Advances to `until` with everything unchanged.
    pub(super) fn pass(&mut self, until: Timestamp, picture: &Picture, rates: &Rates) {
        let seconds = until.seconds_since(self.at);
        if seconds <= 0.0 {
            return;
        }
        self.at = until;
        self.tally = self.tally.after(seconds, rates);
        for (cell, sums) in self.cells.iter_mut().enumerate() {
            sums.load += picture.load[cell] * seconds;
            sums.users += picture.users[cell] * seconds;
            sums.traffic += picture.traffic[cell] * seconds;
            sums.throughput += picture.throughput_sum[cell] * seconds;
            sums.foreign += picture.foreign[cell] * seconds;
            sums.joules += rates.power_w[cell] * seconds;
            if picture.users[cell] > 0.0 {
                sums.edge += picture.edge[cell] * seconds;
                sums.busy += seconds;
            }
        }
    }

    /// Ends the period: the performance of each cell that `reports`.
    pub(super) fn close(
        &mut self,
        units: &[Unit],
        reports: impl Fn(usize) -> bool,
    ) -> BTreeMap<ElementId, CellPerformance> {
        let seconds = self.at.seconds_since(self.from).max(1e-3);
        self.from = self.at;
        let sums = self.cells.iter_mut().map(std::mem::take);
        let cells = units.iter().zip(sums).enumerate();
        cells
            .filter(|(number, _)| reports(*number))
            .map(|(_, (unit, sums))| (unit.id.clone(), sums.performance(unit, seconds)))
            .collect()
    }
}

impl Sums {
    fn performance(self, unit: &Unit, seconds: f64) -> CellPerformance {
        let over = |sum: f64, by: f64| if by > 0.0 { sum / by } else { 0.0 };
        let carrier = linear(elements_db(unit.plan.bandwidth_mhz));
        CellPerformance {
            load: self.load / seconds,
            users: self.users / seconds,
            traffic_mbps: self.traffic / seconds,
            throughput_mbps: over(self.throughput, self.users),
            edge_throughput_mbps: over(self.edge, self.busy),
            interference_dbm: decibels(carrier * (unit.noise_mw + self.foreign / seconds)),
            energy_kwh: self.joules / JOULES_PER_KWH,
            ..CellPerformance::default()
        }
    }
}
