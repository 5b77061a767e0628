//! The power consumption of radio units, by load, raised transmit power and sleep.
//!
//! Knows the fits of [`domain::radio::energy`], and adds what that set does not show.
//!
//! Assumptions:
//! - Type10's slope, which the set calls small: 8 units, a tenth of its idle power.
//! - Symbol shutdown: the amplifier's share, taken as 15 % of idle power, is saved in symbols
//!   without traffic, so `0.15 × (1 − load)` of the idle power.
//! - Raised power costs the additional radiated power at an efficiency of 0.3, during transmission;
//!   a tenth of the time even without traffic, for reference signals.
//!
//! Read next: `account`.

use super::propagation::linear;
use domain::inventory::Cell;
use domain::radio::energy::{EnergyFit, WATTS_PER_UNIT};
use domain::telemetry::Saving;

/// The slope of Type10, in units of the set.
const SMALL_SLOPE: f64 = 8.0;
/// The share of idle power that symbol shutdown saves without traffic.
const SYMBOL_SHARE: f64 = 0.15;
/// The efficiency of a power amplifier: radiated over consumed power.
const EFFICIENCY: f64 = 0.3;
/// The share of the time in which a cell without traffic transmits.
const REFERENCE_SIGNALS: f64 = 0.1;

/// The power that a cell draws, in watts, at `load` (0 to 1), raised by `offset_db`, in `saving`. A
/// mode that its unit does not support saves nothing.
pub fn power_w(cell: &Cell, load: f64, offset_db: f64, saving: Saving) -> f64 {
    let fit = EnergyFit::of(cell.radio_unit);
    if let Some(asleep) = fit.asleep(saving) {
        return asleep * WATTS_PER_UNIT;
    }
    let rests = match saving {
        Saving::SymbolShutdown => SYMBOL_SHARE * (1.0 - load) * fit.idle,
        _ => 0.0,
    };
    let slope = fit.slope.unwrap_or(SMALL_SLOPE);
    (fit.idle + slope * load - rests) * WATTS_PER_UNIT + raised_w(cell, load, offset_db)
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
