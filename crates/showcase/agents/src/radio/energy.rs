//! The consumption of a cell, by its radio unit, load, power and sleep.
//!
//! The fits of [`domain::radio::energy`], and assumptions on what that set does not show:
//!
//! | what | assumed |
//! |---|---|
//! | slope of Type10 | 12 units of the set, which calls it small |
//! | symbol shutdown | saves 10 % of idle power at no load, nothing at full load |
//! | raised power | multiplies the part that depends on load, as in amplifiers |
//!
//! Read next: [`super::coverage`].

use domain::inventory::RadioUnit;
use domain::radio::energy::{EnergyFit, WATTS_PER_UNIT};
use domain::telemetry::Saving;

pub use domain::radio::energy::{can, wake_s};

/// The slope of Type10, in units of the set.
const SMALL_SLOPE: f64 = 12.0;
/// Of idle power this much is saved by symbol shutdown at no load.
const SYMBOL_SHUTDOWN: f64 = 0.1;

/// The mean power that a cell draws, in kW: `load` 0 to 1, its power raised by `offset_db`.
pub fn power_kw(unit: RadioUnit, load: f64, saving: Saving, offset_db: f64) -> f64 {
    let fit = EnergyFit::of(unit);
    let load = load.clamp(0.0, 1.0);
    let slope = fit.slope.unwrap_or(SMALL_SLOPE);
    let awake = fit.idle + slope * load * 10f64.powf(offset_db / 10.0);
    let units = match saving {
        Saving::SymbolShutdown => awake - SYMBOL_SHUTDOWN * fit.idle * (1.0 - load),
        saving => fit.asleep(saving).unwrap_or(awake),
    };
    units * (WATTS_PER_UNIT / 1_000.0)
}
