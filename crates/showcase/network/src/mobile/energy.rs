//! The power consumption of radio units, by load, raised transmit power and sleep.
//!
//! Knows the fits of [`domain::radio::energy`]: [`power_w`] is what measurements show, so that
//! sleep saves no more than that; [`power_least_w`] and [`unsaved_most_w`] are what they do not
//! exclude, between which the upper bound of what was saved lies.
//!
//! Assumption, which no measurement bounds: raised power costs the additional radiated power at an
//! efficiency of 0.3, during transmission; a tenth of the time even without traffic, for reference
//! signals.
//!
//! Read next: `account`.

use super::propagation::linear;
use domain::inventory::Cell;
use domain::radio::energy::{EnergyFit, WATTS_PER_UNIT, can};
use domain::telemetry::Saving;

/// The efficiency of a power amplifier: radiated over consumed power.
const EFFICIENCY: f64 = 0.3;
/// The share of the time in which a cell without traffic transmits.
const REFERENCE_SIGNALS: f64 = 0.1;

/// The power that a cell draws, in watts, at `load` (0 to 1), raised by `offset_db`, in `saving`,
/// which saves what measurements show and no more. A mode that its unit does not support saves
/// nothing.
pub fn power_w(cell: &Cell, load: f64, offset_db: f64, saving: Saving) -> f64 {
    let units = EnergyFit::of(cell.radio_unit).draws(load, saving);
    units * WATTS_PER_UNIT + sent_w(cell, load, offset_db, saving)
}

/// The least power that a cell may draw, in watts: in `saving`, which saves all that measurements do
/// not exclude.
pub fn power_least_w(cell: &Cell, load: f64, offset_db: f64, saving: Saving) -> f64 {
    if !saves(cell, saving) {
        return power_w(cell, load, offset_db, saving);
    }
    let fit = EnergyFit::of(cell.radio_unit);
    let units = fit.unsaved_most(load) - fit.saved(load, saving).high;
    units * WATTS_PER_UNIT + sent_w(cell, load, offset_db, saving)
}

/// The most power that a cell in `saving` may have drawn without, in watts. One that saves nothing
/// draws what it draws.
pub fn unsaved_most_w(cell: &Cell, load: f64, offset_db: f64, saving: Saving) -> f64 {
    if !saves(cell, saving) {
        return power_w(cell, load, offset_db, Saving::Off);
    }
    let units = EnergyFit::of(cell.radio_unit).unsaved_most(load);
    units * WATTS_PER_UNIT + raised_w(cell, load, offset_db)
}

/// True if `saving` is a mode in which this cell may take less.
fn saves(cell: &Cell, saving: Saving) -> bool {
    saving != Saving::Off && can(cell.radio_unit, saving)
}

fn sent_w(cell: &Cell, load: f64, offset_db: f64, saving: Saving) -> f64 {
    match saving.serves() {
        true => raised_w(cell, load, offset_db),
        false => 0.0,
    }
}

fn raised_w(cell: &Cell, load: f64, offset_db: f64) -> f64 {
    if offset_db == 0.0 {
        return 0.0;
    }
    let radiated_w = linear(cell.power_dbm) / 1000.0;
    let sends = REFERENCE_SIGNALS + (1.0 - REFERENCE_SIGNALS) * load;
    sends * radiated_w * (linear(offset_db) - 1.0) / EFFICIENCY
}

/// The least power that a cell draws while it is supplied, in watts.
pub fn floor_w(cell: &Cell) -> f64 {
    Saving::ALL
        .into_iter()
        .map(|saving| power_w(cell, 0.0, 0.0, saving))
        .fold(f64::INFINITY, f64::min)
}
