//! What a cell consumes, by its radio unit, load, power and sleep.
//!
//! `P0 + slope × load` by least squares over 71,498 hours of the base-station set of the ITU AI/ML in
//! 5G Challenge 2023. The set has a unit of its own; that one unit is 10 W is an assumption (a macro
//! radio with two antennas then draws about 160 W when idle).
//!
//! | what | from |
//! |---|---|
//! | `P0` and slope of Type2 to Type7, Type9; deep sleep of Type9; carrier and deep sleep of Type10 | the set |
//! | slope of Type10: 12 | assumed: the set says small |
//! | deep sleep saves at most 90 % of `P0` | assumed: the figure of Type10 is beyond its `P0` |
//! | symbol shutdown saves 10 % of `P0` at no load, nothing at full load | assumed |
//! | raised power multiplies the part that depends on load | follows from what amplifiers do |
//!
//! Read next: [`super::coverage`].

use domain::inventory::RadioUnit;
use domain::telemetry::Saving;

/// kW in one unit of the set.
const KW_PER_UNIT: f64 = 0.01;
/// Of `P0` this much at least is drawn in the deepest sleep.
const SLEEP_LEAST: f64 = 0.1;
/// Of `P0` this much is saved by symbol shutdown at no load.
const SYMBOL_SHUTDOWN: f64 = 0.1;

struct Fit {
    p0: f64,
    slope: f64,
    carrier_shutdown: Option<f64>,
    deep_sleep: Option<f64>,
}

fn fit(unit: RadioUnit) -> Fit {
    let plain = |p0, slope| Fit {
        p0,
        slope,
        carrier_shutdown: None,
        deep_sleep: None,
    };
    match unit {
        RadioUnit::Type2 => plain(15.2, 38.9),
        RadioUnit::Type3 => plain(21.1, 14.6),
        RadioUnit::Type4 => plain(15.7, 28.5),
        RadioUnit::Type5 => plain(11.5, 35.8),
        RadioUnit::Type6 => plain(17.6, 20.0),
        RadioUnit::Type7 => plain(19.1, 32.0),
        RadioUnit::Type9 => Fit {
            deep_sleep: Some(14.5),
            ..plain(29.0, 11.1)
        },
        RadioUnit::Type10 => Fit {
            carrier_shutdown: Some(61.0),
            deep_sleep: Some(106.0),
            ..plain(80.1, 12.0)
        },
    }
}

/// True if a unit knows this way of saving.
pub fn can(unit: RadioUnit, saving: Saving) -> bool {
    let fit = fit(unit);
    match saving {
        Saving::Off | Saving::SymbolShutdown => true,
        Saving::CarrierShutdown => fit.carrier_shutdown.is_some(),
        Saving::DeepSleep => fit.deep_sleep.is_some(),
    }
}

/// Seconds until a cell that is woken serves again.
pub fn wake_s(saving: Saving) -> f64 {
    match saving {
        Saving::Off | Saving::SymbolShutdown => 0.0,
        Saving::CarrierShutdown => 30.0,
        Saving::DeepSleep => 300.0,
    }
}

/// What a cell draws on average, in kW: `load` 0 to 1, its power raised by `offset_db`.
pub fn power_kw(unit: RadioUnit, load: f64, saving: Saving, offset_db: f64) -> f64 {
    let fit = fit(unit);
    let load = load.clamp(0.0, 1.0);
    let awake = fit.p0 + fit.slope * load * 10f64.powf(offset_db / 10.0);
    let asleep = |saved: Option<f64>| match saved {
        Some(saved) => (fit.p0 - saved).max(SLEEP_LEAST * fit.p0),
        None => awake,
    };
    let units = match saving {
        Saving::Off => awake,
        Saving::SymbolShutdown => awake - SYMBOL_SHUTDOWN * fit.p0 * (1.0 - load),
        Saving::CarrierShutdown => asleep(fit.carrier_shutdown),
        Saving::DeepSleep => asleep(fit.deep_sleep),
    };
    units * KW_PER_UNIT
}
