//! The power consumption of radio units, by load, raised transmit power and sleep.
//!
//! Knows the fits of the energy set of the ITU AI/ML in 5G Challenge 2023 (923 base stations, one
//! week, hourly): a unit's energy is close to `idle + slope × load`, in the set's own unit.
//!
//! Assumptions, where the set gives no figure:
//! - 1 of its units is 10 W: then a two-antenna macro unit idles at about 160 W.
//! - Type10's slope is called small; 8 units here, a tenth of its idle power.
//! - Type10's deep sleep is fitted as 106 below 80.1, a negative consumption: no unit falls below a
//!   tenth of its idle power.
//! - Symbol shutdown is in no fit: the amplifier's share, taken as 15 % of idle power, is saved in
//!   symbols without traffic, so `0.15 × (1 − load)` of the idle power.
//! - Raised power costs the additional radiated power at an efficiency of 0.3, during transmission;
//!   a tenth of the time even without traffic, for reference signals.
//!
//! Read next: `account`.

use super::propagation::linear;
use domain::inventory::{Cell, RadioUnit};
use domain::telemetry::Saving;

/// Watts in a unit of the set.
const UNIT_W: f64 = 10.0;
/// The least consumption of a unit with power, as a share of idle.
const FLOOR: f64 = 0.1;
/// The share of idle power that symbol shutdown saves without traffic.
const SYMBOL_SHARE: f64 = 0.15;
/// The efficiency of a power amplifier: radiated over consumed power.
const EFFICIENCY: f64 = 0.3;
/// The share of the time in which a cell without traffic transmits.
const REFERENCE_SIGNALS: f64 = 0.1;

/// The fit of one type of unit, in units of the set.
struct Fit {
    idle: f64,
    slope: f64,
    carrier_shutdown: Option<f64>,
    deep_sleep: Option<f64>,
}

fn fit(unit: RadioUnit) -> Fit {
    let (idle, slope, carrier_shutdown, deep_sleep) = match unit {
        RadioUnit::Type2 => (15.2, 38.9, None, None),
        RadioUnit::Type3 => (21.1, 14.6, None, None),
        RadioUnit::Type4 => (15.7, 28.5, None, None),
        RadioUnit::Type5 => (11.5, 35.8, None, None),
        RadioUnit::Type6 => (17.6, 20.0, None, None),
        RadioUnit::Type7 => (19.1, 32.0, None, None),
        RadioUnit::Type9 => (29.0, 11.1, None, Some(14.5)),
        RadioUnit::Type10 => (80.1, 8.0, Some(61.0), Some(106.0)),
    };
    Fit {
        idle,
        slope,
        carrier_shutdown,
        deep_sleep,
    }
}

/// True if units of this type support `saving`.
pub fn can(unit: RadioUnit, saving: Saving) -> bool {
    let fit = fit(unit);
    match saving {
        Saving::Off | Saving::SymbolShutdown => true,
        Saving::CarrierShutdown => fit.carrier_shutdown.is_some(),
        Saving::DeepSleep => fit.deep_sleep.is_some(),
    }
}

/// Seconds that a cell needs to resume service after `saving`.
pub fn wake_s(saving: Saving) -> f64 {
    match saving {
        Saving::Off | Saving::SymbolShutdown => 0.0,
        Saving::CarrierShutdown => 30.0,
        Saving::DeepSleep => 300.0,
    }
}

/// The power that a cell draws, in watts, at `load` (0 to 1), raised by `offset_db`, in `saving`. A
/// mode that its unit does not support saves nothing.
pub fn power_w(cell: &Cell, load: f64, offset_db: f64, saving: Saving) -> f64 {
    let fit = fit(cell.radio_unit);
    let saved = match saving {
        Saving::CarrierShutdown => fit.carrier_shutdown,
        Saving::DeepSleep => fit.deep_sleep,
        Saving::Off | Saving::SymbolShutdown => None,
    };
    if let Some(saved) = saved {
        return (fit.idle - saved).max(FLOOR * fit.idle) * UNIT_W;
    }
    let rests = match saving {
        Saving::SymbolShutdown => SYMBOL_SHARE * (1.0 - load) * fit.idle,
        _ => 0.0,
    };
    (fit.idle + fit.slope * load - rests) * UNIT_W + raised_w(cell, load, offset_db)
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
