//! The energy of radio units, by load and sleep.
//!
//! Fits of the energy set of the ITU AI/ML in 5G Challenge 2023 (923 base stations, one week,
//! hourly): a unit's energy is close to `idle + slope × load`, in the set's own unit. Two
//! assumptions: that unit is 10 W, with which a two-antenna macro unit idles at about 160 W; and no
//! unit falls below a tenth of its idle power, as the fitted saving of Type10's deep sleep (106 of
//! 80.1) would be a negative consumption. Refuses to know what the set does not show, which each
//! model assumes for itself: symbol shutdown, raised power, and the slope of Type10. Read next:
//! [`super::load`].

use crate::inventory::RadioUnit;
use crate::telemetry::Saving;

/// Watts per unit of the set.
pub const WATTS_PER_UNIT: f64 = 10.0;
/// The least consumption of a unit with power, as a share of idle.
const FLOOR: f64 = 0.1;

/// The fit of one type of radio unit, in units of the set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyFit {
    /// The consumption at no load.
    pub idle: f64,
    /// The additional consumption at full load; none where the set calls it small and gives no
    /// figure.
    pub slope: Option<f64>,
    carrier_shutdown: Option<f64>,
    deep_sleep: Option<f64>,
}

impl EnergyFit {
    /// The fit of a type of unit.
    pub fn of(unit: RadioUnit) -> Self {
        let (idle, slope, carrier_shutdown, deep_sleep) = match unit {
            RadioUnit::Type2 => (15.2, Some(38.9), None, None),
            RadioUnit::Type3 => (21.1, Some(14.6), None, None),
            RadioUnit::Type4 => (15.7, Some(28.5), None, None),
            RadioUnit::Type5 => (11.5, Some(35.8), None, None),
            RadioUnit::Type6 => (17.6, Some(20.0), None, None),
            RadioUnit::Type7 => (19.1, Some(32.0), None, None),
            RadioUnit::Type9 => (29.0, Some(11.1), None, Some(14.5)),
            RadioUnit::Type10 => (80.1, None, Some(61.0), Some(106.0)),
        };
        Self {
            idle,
            slope,
            carrier_shutdown,
            deep_sleep,
        }
    }

    /// The consumption in carrier shutdown or deep sleep, in units of the set; none in other modes,
    /// and in a mode that the unit does not support.
    pub fn asleep(&self, saving: Saving) -> Option<f64> {
        let saved = match saving {
            Saving::CarrierShutdown => self.carrier_shutdown,
            Saving::DeepSleep => self.deep_sleep,
            Saving::Off | Saving::SymbolShutdown => None,
        };
        saved.map(|saved| (self.idle - saved).max(FLOOR * self.idle))
    }
}

/// True if units of this type support `saving`.
pub fn can(unit: RadioUnit, saving: Saving) -> bool {
    match saving {
        Saving::Off | Saving::SymbolShutdown => true,
        Saving::CarrierShutdown | Saving::DeepSleep => EnergyFit::of(unit).asleep(saving).is_some(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_sleep_as_the_set_shows_and_never_give_energy_back() {
        let asleep = |unit, saving| EnergyFit::of(unit).asleep(saving);
        assert_eq!(asleep(RadioUnit::Type9, Saving::DeepSleep), Some(14.5));
        assert_eq!(asleep(RadioUnit::Type9, Saving::CarrierShutdown), None);
        let deepest = asleep(RadioUnit::Type10, Saving::DeepSleep).unwrap_or_default();
        assert!((deepest - 8.01).abs() < 1e-9, "{deepest}");
        for unit in RadioUnit::ALL {
            let sleeps = Saving::ALL.map(|saving| (saving, asleep(unit, saving)));
            for (saving, units) in sleeps {
                assert!(units.is_none() || can(unit, saving), "{unit:?} {saving:?}");
                assert!(units.is_none_or(|units| units > 0.0));
            }
        }
    }
}
