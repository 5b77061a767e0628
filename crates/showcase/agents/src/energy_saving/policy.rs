//! The choice of which cell sleeps, and how deeply.
//!
//! | cell | does |
//! |---|---|
//! | held awake by a task, or without a policy in force | nothing |
//! | adds capacity where another covers, and its unit can sleep | sleeps while the covering cell can carry the sector alone (below) |
//! | any other | symbol shutdown |
//!
//! The covering cell can, if the most traffic that is expected until the look-ahead is over keeps its
//! load under the bound and leaves its slowest users four times what was promised; and if the covering
//! cells around have as much for theirs, for they hear what it sends besides: most who would get less
//! than was promised live there. A cell that sleeps is woken when the load is a tenth over the bound,
//! or somebody's slowest users are down to three times what was promised: between the two nothing
//! changes, so that cells do not flap. What is measured is what the slowest tenth does not exceed, and
//! some have less still: hence the multiples. On a site that lives on its batteries, capacity sleeps as
//! long as the covering cell is not full: light lasts longer then. Read next: [`super::forecast`].

use super::forecast::{Forecast, edge_mbps};
use crate::radio::Radio;
use crate::radio::energy::{can, is_shown};
use domain::inventory::{Cell, ElementId};
use domain::telemetry::Saving;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// Seconds ahead for which a cell must not be needed to sleep at all.
pub const AHEAD_S: f64 = 2_700.0;
/// Seconds ahead for which it must not be needed to sleep deeply.
const DEEP_AHEAD_S: f64 = 7_200.0;
/// By how much the load may pass its bound before sleepers are woken.
pub(super) const BEYOND: f64 = 0.1;
/// The same on a site that lives on its batteries: the load up to which the covering cell bears all.
const BATTERY_LOAD: f64 = 0.9;
/// The margin left to the slowest users, here and around, as a multiple of what was promised, when
/// a cell goes to sleep.
const MARGIN_ASLEEP: f64 = 4.0;
/// The same below which it is woken.
pub(super) const MARGIN_AWAKE: f64 = 3.0;

/// The bounds within which energy is saved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The load up to which a covering cell carries its sector alone, 0 to 1.
    pub max_load: f64,
    /// The throughput that users were promised, in Mbit/s.
    pub min_throughput_mbps: f64,
    /// By how much consumption is to fall, in percent.
    pub target_percent: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_load: 0.5,
            min_throughput_mbps: 2.0,
            target_percent: 0.0,
        }
    }
}

/// The situation that the policy is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Outlook<'a> {
    /// The picture of the network.
    pub radio: &'a Radio,
    /// The expectation.
    pub forecast: &'a Forecast,
    /// Cells that a task holds awake.
    pub held: &'a BTreeSet<ElementId>,
    /// Sites that live on their batteries.
    pub on_battery: &'a BTreeSet<ElementId>,
    /// The bounds in force; none if nobody wants energy saved.
    pub bounds: Option<Bounds>,
    /// The instant.
    pub now: Timestamp,
}

impl Outlook<'_> {
    /// The state that a cell should take that is `now` in `current`.
    pub fn wanted(&self, id: &ElementId, cell: &Cell, current: Saving) -> Saving {
        let Some(bounds) = self.bounds else {
            return Saving::Off;
        };
        if self.held.contains(id) {
            return Saving::Off;
        }
        let deepest = deepest(cell).filter(|_| cell.capacity_layer);
        let sleeps = deepest.and_then(|deepest| Some((self.radio.cover_of(id)?, deepest)));
        match sleeps {
            Some((cover, deepest)) => self.depth(cell, cover, current, deepest, bounds),
            None => Saving::SymbolShutdown,
        }
    }

    fn depth(
        &self,
        cell: &Cell,
        cover: &ElementId,
        current: Saving,
        deepest: Saving,
        bounds: Bounds,
    ) -> Saving {
        let asleep = !current.serves();
        if !self.bears(cover, AHEAD_S, asleep, bounds) {
            return Saving::SymbolShutdown;
        }
        // Who sleeps goes on as deeply as it does, until it sleeps deeper.
        if current == deepest || self.bears(cover, DEEP_AHEAD_S, asleep, bounds) {
            return deepest;
        }
        match can(cell.radio_unit, Saving::CarrierShutdown) {
            true => Saving::CarrierShutdown,
            false if asleep => current,
            false => Saving::SymbolShutdown,
        }
    }

    /// True if the covering cell carries its sector alone for so long.
    fn bears(&self, cover: &ElementId, ahead_s: f64, asleep: bool, bounds: Bounds) -> bool {
        let until = self.now.plus_s(ahead_s);
        let Some(most) = self.forecast.most_mbps(cover, self.now, until) else {
            return false;
        };
        let Some(today) = self.forecast.cell(cover).filter(|c| c.saving.serves()) else {
            return false;
        };
        let battery = self.on_battery.contains(self.radio.site_of(cover));
        let most_load = match (battery, asleep) {
            (true, _) => BATTERY_LOAD.max(bounds.max_load),
            (false, true) => bounds.max_load + BEYOND,
            (false, false) => bounds.max_load,
        };
        let load = most / self.forecast.full_mbps(self.radio, cover);
        if load > most_load || today.load > most_load {
            return false;
        }
        let margin = match asleep {
            true => MARGIN_AWAKE,
            false => MARGIN_ASLEEP,
        };
        let least_mbps = bounds.min_throughput_mbps * margin;
        let left = (1.0 - load.min(0.99)) / (1.0 - today.load.min(0.99));
        let keeps = |edge_mbps: f64, share: f64| edge_mbps * share >= least_mbps;
        let here = edge_mbps(today).is_none_or(|edge| keeps(edge, left.min(1.0)));
        let around = self.forecast.slowest_around_mbps(cover);
        battery || here && around.is_none_or(|edge| keeps(edge, 1.0))
    }
}

/// The depth to which a cell can sleep and is shown to save by that; none if there is none.
pub(super) fn deepest(cell: &Cell) -> Option<Saving> {
    let mut ways = [Saving::DeepSleep, Saving::CarrierShutdown].into_iter();
    let unit = cell.radio_unit;
    ways.find(|s| can(unit, *s) && is_shown(unit, *s))
}
