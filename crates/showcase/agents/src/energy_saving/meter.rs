//! The energy that energy saving saved in the last day: measured consumption against what it would
//! have been.
//!
//! What a cell would have taken is what it took, and what the formula says that its sleep saved; so
//! an error of the formula touches only the part that was saved.

use crate::radio::Radio;
use crate::radio::energy::power_kw;
use domain::inventory::ElementId;
use domain::telemetry::Performance;
use domain::time::Timestamp;
use std::collections::VecDeque;

/// Seconds that the meter looks back.
const DAY_S: f64 = 86_400.0;
/// The load that a sleeping cell would have, where nobody can know.
pub(super) const LOAD_OF_SLEEPERS: f64 = 0.05;

/// Energy in a period, in kWh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyReading {
    /// Taken.
    pub taken_kwh: f64,
    /// The energy that would have been taken without saving.
    pub baseline_kwh: f64,
}

impl EnergyReading {
    /// The energy saved, in percent of the baseline.
    pub fn percent(self) -> f64 {
        match self.baseline_kwh > 0.0 {
            true => 100.0 * (self.baseline_kwh - self.taken_kwh) / self.baseline_kwh,
            false => 0.0,
        }
    }

    /// The energy that was saved, in kWh.
    pub fn saved_kwh(self) -> f64 {
        self.baseline_kwh - self.taken_kwh
    }
}

/// The last day, period by period.
#[derive(Clone, Debug, Default)]
pub struct EnergyMeter {
    periods: VecDeque<(Timestamp, EnergyReading)>,
}

impl EnergyMeter {
    /// Takes a period down.
    pub fn count(&mut self, radio: &Radio, performance: &Performance) {
        let hours = performance.until.seconds_since(performance.from) / 3_600.0;
        let mut reading = EnergyReading::default();
        for (id, cell) in &performance.cells {
            let Some(planned) = radio.cell(id) else {
                continue;
            };
            let load = match cell.saving.serves() {
                true => cell.load,
                false => LOAD_OF_SLEEPERS,
            };
            let draws = |saving| power_kw(planned.radio_unit, load, saving, cell.power_offset_db);
            let saved = (draws(Default::default()) - draws(cell.saving)).max(0.0) * hours;
            reading.taken_kwh += cell.energy_kwh;
            reading.baseline_kwh += cell.energy_kwh + saved;
        }
        self.periods.push_back((performance.until, reading));
        let oldest = performance.until.plus_s(-DAY_S);
        self.periods.retain(|(until, _)| *until > oldest);
    }

    /// The last day, or what there was of it.
    pub fn day(&self) -> EnergyReading {
        let sum = |sum: EnergyReading, (_, r): &(Timestamp, EnergyReading)| EnergyReading {
            taken_kwh: sum.taken_kwh + r.taken_kwh,
            baseline_kwh: sum.baseline_kwh + r.baseline_kwh,
        };
        self.periods.iter().fold(EnergyReading::default(), sum)
    }

    /// True once enough was measured to hold a target against it.
    pub fn is_telling(&self) -> bool {
        self.periods.len() >= 4
    }
}

/// The energy that waking these cells costs in an hour, in kWh.
pub fn waking_kw<'a>(
    radio: &Radio,
    sleepers: impl Iterator<Item = (&'a ElementId, domain::telemetry::Saving)>,
) -> f64 {
    let cost = |(id, saving)| {
        let unit = radio.cell(id)?.radio_unit;
        let draws = |s| power_kw(unit, LOAD_OF_SLEEPERS, s, 0.0);
        Some((draws(domain::telemetry::Saving::Off) - draws(saving)).max(0.0))
    };
    sleepers.filter_map(cost).sum()
}
