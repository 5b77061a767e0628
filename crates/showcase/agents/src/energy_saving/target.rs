//! The saving target: what it still bears, and to what it is lowered, until when.
//!
//! What was saved in the last day beyond the target is spare, but for what cells that are held awake
//! will still take. A task may hold cells awake at a lower target than the standing one: then that is
//! the target until the task ends. Whether an order is taken is not decided here: see
//! [`super::negotiation`].

use super::EnergySaving;
use super::meter::waking_kw;
use domain::inventory::ElementId;
use domain::telemetry::Saving;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The cost of an order that the target does not bear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strain {
    /// The energy that it costs, in kWh.
    pub costs_kwh: f64,
    /// The energy that the target bears of it, in kWh.
    pub spare_kwh: f64,
    /// The energy that the last day would have taken without saving, in kWh.
    pub baseline_kwh: f64,
    /// The share of that which was saved, in percent.
    pub saved_percent: f64,
    /// The target, in percent.
    pub target_percent: f64,
    /// The target that would bear all of it, in percent.
    pub lowered_percent: f64,
}

impl EnergySaving {
    /// The strain on the target by what costs `costs_kwh`; none if the target bears it, or there is
    /// none, or too little was measured to say.
    pub(super) fn strain(&self, costs_kwh: f64, now: Timestamp) -> Option<Strain> {
        let target_percent = self.target_percent().filter(|t| *t > 0.0)?;
        let day = self.meter.day();
        let left_kwh = day.saved_kwh() - self.promised_kwh(now);
        let spare_kwh = (left_kwh - day.baseline_kwh * target_percent / 100.0).max(0.0);
        if !self.meter.is_telling() || costs_kwh <= spare_kwh {
            return None;
        }
        let lowered = 100.0 * (left_kwh - costs_kwh) / day.baseline_kwh;
        Some(Strain {
            costs_kwh,
            spare_kwh,
            baseline_kwh: day.baseline_kwh,
            saved_percent: day.percent(),
            target_percent,
            // Down to the tenth that is written: what is offered is borne.
            lowered_percent: (lowered.max(0.0) * 10.0).floor() / 10.0,
        })
    }

    /// The target in force, in percent: the standing one, or the lowest at which cells are held awake.
    fn target_percent(&self) -> Option<f64> {
        let standing = self.bounds()?.target_percent;
        let lowered = self.lowered().map(|(percent, _)| percent);
        Some(lowered.map_or(standing, |l| l.min(standing)))
    }

    /// The lowest target at which cells are held awake, in percent, and until when.
    fn lowered(&self) -> Option<(f64, Timestamp)> {
        let holds = self.holds.values();
        let targets = holds.filter_map(|h| Some((h.order.saving_target_percent?, h.until)));
        targets.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// In words, where the target in force is lower than the standing one.
    pub(super) fn lowered_in_words(&self) -> Option<String> {
        let standing = self.bounds()?.target_percent;
        let (percent, until) = self.lowered().filter(|(percent, _)| *percent < standing)?;
        Some(format!(
            "the saving target is {percent:.1} % instead of {standing:.1} % until {until}"
        ))
    }

    /// The energy that cells that are held awake will take until they may sleep again, in kWh.
    fn promised_kwh(&self, now: Timestamp) -> f64 {
        let left = |until: Timestamp| until.seconds_since(now).max(0.0) / 3_600.0;
        let holds = self.holds.values();
        holds.map(|h| h.costs_kw * left(h.until)).sum()
    }

    /// The power that it costs to wake those of these cells that sleep and are not held awake
    /// already, in kW.
    pub(super) fn waking_kw(&self, cells: &BTreeSet<ElementId>) -> f64 {
        let state = |c: &ElementId| self.state.get(c).copied().unwrap_or(Saving::Off);
        let held = self.held();
        let sleepers = cells.iter().filter(|c| !held.contains(*c));
        waking_kw(&self.radio, sleepers.map(|c| (c, state(c))))
    }
}
