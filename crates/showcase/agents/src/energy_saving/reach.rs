//! The energy that can be saved within given bounds: the coming day, by what was learnt of every
//! sector.
//!
//! The figure is the most that can be hoped for: a cell is thought to sleep whenever the cell that
//! covers its sector would bear it by the marks at which sleepers are woken, without the care that is
//! taken before one is put to sleep, and whatever the cells around make of it. So a target above the
//! figure is out of reach, and one below it may be. Where too little was measured nothing is said.
//! Read next: [`super::policy`], which decides; [`super::negotiation`], what is offered instead.

use super::EnergySaving;
use super::forecast::{USERS_TELLING, sector_of};
use super::meter::LOAD_OF_SLEEPERS;
use super::policy::{BEYOND, Bounds, MARGIN_AWAKE, deepest};
use crate::radio::energy::power_kw;
use domain::inventory::{Cell, ElementId};
use domain::telemetry::Saving;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Hours between the instants at which the coming day is looked at.
const STEP_H: i64 = 2;
/// Their number.
const STEPS: i64 = 24 / STEP_H;

/// The savings that are within reach of a part of the network in the coming day.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reach {
    /// The power that would be taken without saving, as power summed over the instants, in kW.
    baseline_kw: f64,
    /// The power that is saved without putting any cell to sleep.
    awake_kw: f64,
    /// The power that each sleep saves beyond that, with the throughput in Mbit/s that users could
    /// be promised meanwhile; the greatest first.
    sleeps: Vec<(f64, f64)>,
}

/// A sector at an instant.
#[derive(Clone, Copy)]
struct Hour {
    load: f64,
    /// The throughput that its users could be promised if their covering cell were alone, in
    /// Mbit/s; none if it cannot be.
    promise_mbps: Option<f64>,
}

impl Reach {
    /// The most that can be saved while users are promised so much, in percent.
    pub(super) fn percent(&self, promised_mbps: f64) -> f64 {
        let borne = self.sleeps.iter().take_while(|s| s.0 >= promised_mbps);
        let saved_kw = borne.fold(self.awake_kw, |sum, (_, kw)| sum + kw);
        100.0 * saved_kw / self.baseline_kw
    }

    /// The most that users can be promised while so much is saved, in Mbit/s; none if so much cannot be
    /// saved whatever they are promised.
    pub(super) fn promise_mbps(&self, percent: f64) -> Option<f64> {
        let wanted_kw = self.baseline_kw * percent / 100.0;
        let mut saved_kw = self.awake_kw;
        let enough = self.sleeps.iter().find(|(_, kw)| {
            saved_kw += kw;
            saved_kw >= wanted_kw
        });
        enough.map(|(promise_mbps, _)| *promise_mbps)
    }
}

impl EnergySaving {
    /// The energy that can be saved within these bounds by such cells; none if too little was
    /// measured to say.
    pub(super) fn reach<'a>(
        &self,
        cells: impl Iterator<Item = &'a ElementId>,
        bounds: Bounds,
        now: Timestamp,
    ) -> Option<Reach> {
        if !self.meter.is_telling() {
            return None;
        }
        let mut reach = Reach {
            baseline_kw: 0.0,
            awake_kw: 0.0,
            sleeps: Vec::new(),
        };
        let mut days: BTreeMap<&ElementId, Vec<Hour>> = BTreeMap::new();
        for id in cells {
            let Some(cell) = self.radio.cell(id) else {
                continue;
            };
            let cover = sector_of(&self.radio, id);
            let day = days
                .entry(cover)
                .or_insert_with(|| self.day_of(cover, bounds, now));
            let sleep = deepest(cell).filter(|_| cell.capacity_layer && cover != id);
            for hour in day.iter() {
                reach.count(cell, *hour, sleep);
            }
        }
        reach.sleeps.sort_by(|a, b| b.0.total_cmp(&a.0));
        (reach.baseline_kw > 0.0).then_some(reach)
    }

    /// The coming day of the sector that a cell covers; nothing if it never was heard of.
    fn day_of(&self, cover: &ElementId, bounds: Bounds, now: Timestamp) -> Vec<Hour> {
        let Some(today) = self.forecast.cell(cover) else {
            return Vec::new();
        };
        let full_mbps = self.forecast.full_mbps(&self.radio, cover);
        let latest_mbps = self.forecast.traffic_mbps(cover, now).unwrap_or_default();
        let hour = |n: i64| {
            let at = now.plus_s((n * STEP_H * 3_600) as f64);
            let mbps = self.forecast.traffic_mbps(cover, at)?;
            let load = mbps / full_mbps;
            let users = match latest_mbps > 0.0 {
                true => today.users * mbps / latest_mbps,
                false => today.users,
            };
            let left = (1.0 - load.min(0.99)) / (1.0 - today.load.min(0.99));
            let promise_mbps = match users < USERS_TELLING || today.edge_throughput_mbps <= 0.0 {
                true => f64::INFINITY,
                false => today.edge_throughput_mbps * left / MARGIN_AWAKE,
            };
            let bears = load <= bounds.max_load + BEYOND;
            Some(Hour {
                load: load.clamp(0.0, 1.0),
                promise_mbps: bears.then_some(promise_mbps),
            })
        };
        (0..STEPS).filter_map(hour).collect()
    }
}

impl Reach {
    fn count(&mut self, cell: &Cell, hour: Hour, sleep: Option<Saving>) {
        let load = match sleep {
            Some(_) => LOAD_OF_SLEEPERS,
            None => hour.load,
        };
        let draws = |saving| power_kw(cell.radio_unit, load, saving, 0.0);
        let (off_kw, awake_kw) = (draws(Saving::Off), draws(Saving::SymbolShutdown));
        self.baseline_kw += off_kw;
        self.awake_kw += off_kw - awake_kw;
        if let (Some(sleep), Some(promise_mbps)) = (sleep, hour.promise_mbps) {
            self.sleeps.push((promise_mbps, awake_kw - draws(sleep)));
        }
    }
}
