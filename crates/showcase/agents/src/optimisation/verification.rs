//! The outcome of a compensation: users, throughput and energy, from counters before and since.
//!
//! A user more at a helper than there was before, the hour of the day taken into account, is a user
//! of what is lost. Energy beyond what the helper would have taken is what it costs; the formula says
//! in what proportion, the meter how much.

use super::figures::Figures;
use super::running::Running;
use crate::radio::Radio;
use crate::radio::curve::usual_load;
use crate::radio::energy::power_kw;
use domain::inventory::ElementId;
use domain::telemetry::{CellPerformance, Performance};
use domain::time::Timestamp;

/// The lowest edge throughput among cells that have users, in Mbit/s.
pub fn edge_mbps<'a>(cells: impl Iterator<Item = &'a CellPerformance>) -> Option<f64> {
    let used = cells.filter(|c| c.users > 0.1 && c.saving.serves());
    used.map(|c| c.edge_throughput_mbps.max(0.0))
        .min_by(f64::total_cmp)
}

/// The figures that a period shows of a compensation.
pub fn figures(radio: &Radio, running: &Running, performance: &Performance) -> Figures {
    let helpers = running.plan.parts.keys();
    let now = |c: &ElementId| performance.cells.get(c);
    let change = by_hour(running.began, performance.until);
    let hours = performance.until.seconds_since(performance.from) / 3_600.0;
    let mut gained = 0.0;
    let mut extra_kwh = 0.0;
    for cell in helpers.clone() {
        let (Some(now), Some(unit)) = (now(cell), radio.cell(cell).map(|c| c.radio_unit)) else {
            continue;
        };
        let quiet = CellPerformance::default();
        let before = running.before.get(cell).unwrap_or(&quiet);
        gained += (now.users - before.users * change).max(0.0);
        let would = power_kw(unit, before.load * change, before.saving, 0.0);
        let does = power_kw(unit, now.load, now.saving, now.power_offset_db);
        let share = (1.0 - would / does.max(1e-9)).clamp(0.0, 1.0);
        // A cell without a meter of its own is reckoned by formula.
        let taken = match now.energy_kwh > 0.0 {
            true => now.energy_kwh,
            false => does * hours,
        };
        extra_kwh += taken * share;
    }
    let lost = running.lost_users * by_hour(running.lost_users_at, performance.until);
    Figures {
        served_percent: (lost > 0.5).then(|| (100.0 * gained / lost).clamp(0.0, 100.0)),
        edge_mbps: edge_mbps(helpers.filter_map(now)),
        extra_kwh,
    }
}

/// By what factor users are more, or fewer, at one hour than at another.
pub fn by_hour(from: Timestamp, to: Timestamp) -> f64 {
    (usual_load(to) / usual_load(from).max(0.01)).clamp(0.2, 5.0)
}
