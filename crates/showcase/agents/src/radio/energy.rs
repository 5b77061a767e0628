//! The consumption of a cell, by its radio unit, load, power and sleep.
//!
//! The fits of [`domain::radio::energy`], as far as measurements show: an agent promises and reports no
//! saving that they do not. One assumption on what they do not show: raised power multiplies the part
//! that depends on load, as in amplifiers. Read next: [`super::coverage`].

use domain::inventory::RadioUnit;
use domain::radio::energy::{EnergyFit, WATTS_PER_UNIT};
use domain::telemetry::Saving;

pub use domain::radio::energy::{can, wake_s};

/// The mean power that a cell draws, in kW: `load` 0 to 1, its power raised by `offset_db`.
pub fn power_kw(unit: RadioUnit, load: f64, saving: Saving, offset_db: f64) -> f64 {
    let fit = EnergyFit::of(unit);
    let load = load.clamp(0.0, 1.0);
    let raised = match saving.serves() {
        true => fit.awake.slope * load * (10f64.powf(offset_db / 10.0) - 1.0),
        false => 0.0,
    };
    (fit.draws(load, saving) + raised) * (WATTS_PER_UNIT / 1_000.0)
}

/// True if measurements show that `saving` saves anything on a unit: where they do not, nothing is to be had
/// for what it costs users.
pub fn is_shown(unit: RadioUnit, saving: Saving) -> bool {
    EnergyFit::of(unit).saved(0.0, saving).low > 0.0
}
