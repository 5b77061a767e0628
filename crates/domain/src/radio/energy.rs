//! The energy of radio units, by load and saving mode, and how far measurements show it.
//!
//! Coefficients of [`refit`] on the energy set of the ITU AI/ML in 5G Challenge 2023 (repository
//! `ITU-AI-ML-in-5G-Challenge/5G-Energy-Consumption-Modelling-Solution-Team-Farzi-Data-Scientists`,
//! commit `0e5e768d`, 923 base stations, hourly in a week of January 2023), in the set's own unit.
//! `convoke learn energy --data DIR` computes them anew and compares.
//!
//! A saving is claimed where a unit has hours with and without the mode: [`SavedRange::low`].
//! Elsewhere it may be anything up to [`SavedRange::high`]:
//!
//! | unit, mode | low | high |
//! |---|---|---|
//! | Type2, Type4, Type10: carrier shutdown | fitted, lower end of the 95 % interval | upper end; of Type10 also what symbol shutdown may have saved before |
//! | Type10: deep sleep | as carrier shutdown: the set shows one kind of sleep | all that it takes |
//! | Type9: deep sleep | 0: no hour of it in the set | all that it takes |
//! | Type9, Type10: symbol shutdown | 0: it is in every hour of the set, so [`EnergyFit::awake`] includes it | an extrapolation to hours without it |
//! | others: symbol shutdown | 0: hardly in the set | the largest share that it takes of any unit |
//!
//! The set names its modes by numbers alone: a mode in which hardly anything is carried is taken for
//! sleep, and one whose share falls as load rises, for symbol shutdown. Assumption: the set's unit
//! is 10 W, with which a two-antenna macro unit idles at about 160 W. Refuses to know what the set
//! does not show at all: raised power, which each model assumes for itself. Read next: [`refit`],
//! [`super::load`].

pub mod refit;

use crate::inventory::RadioUnit;
use crate::telemetry::Saving;

/// Watts per unit of the set.
pub const WATTS_PER_UNIT: f64 = 10.0;
/// The most that symbol shutdown may save at no load, as a share of the consumption without it: the
/// largest of any unit whose hours have it (Type9, by extrapolation).
const SYMBOL_SHARE_MOST: f64 = 0.52;

/// A consumption that rises with load, in units of the set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyLine {
    /// The consumption at no load.
    pub idle: f64,
    /// The additional consumption at full load.
    pub slope: f64,
}

/// The fitted saving of a unit's sleep against its consumption awake at no load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepFit {
    /// The saving, in units of the set.
    pub saved: f64,
    /// The lower end of its 95 % interval, by clusters of stations.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The stations with hours asleep.
    pub stations: usize,
    /// The hours of which some part was slept.
    pub hours: usize,
}

/// The fit of one type of radio unit, in units of the set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyFit {
    /// The stations behind it: those with one carrier.
    pub stations: usize,
    /// The hours behind it.
    pub hours: usize,
    /// The consumption of a unit that serves, with symbol shutdown if it is in every hour.
    pub awake: EnergyLine,
    /// The fitted saving of sleep; none where no hour is slept.
    pub sleep: Option<SleepFit>,
    /// The extrapolated consumption without symbol shutdown; none where the set has such hours.
    pub unrested: Option<EnergyLine>,
}

/// The bounds of a saving, in units of the set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SavedRange {
    /// The saving that measurements show.
    pub low: f64,
    /// The saving that they do not exclude.
    pub high: f64,
}

impl EnergyLine {
    /// The consumption at `load` (0 to 1), in units of the set.
    pub fn at(self, load: f64) -> f64 {
        self.idle + self.slope * load
    }
}

impl EnergyFit {
    /// The fit of a type of unit.
    pub fn of(unit: RadioUnit) -> Self {
        match unit {
            RadioUnit::Type2 => {
                Self::plain(33, 3_273, 15.38, 38.94).sleeping(6.22, 4.65, 7.79, 21, 484)
            }
            RadioUnit::Type3 => Self::plain(31, 3_094, 21.08, 14.67),
            RadioUnit::Type4 => {
                Self::plain(231, 22_784, 15.76, 29.01).sleeping(7.47, 7.04, 7.89, 160, 3_788)
            }
            RadioUnit::Type5 => Self::plain(40, 2_215, 11.74, 21.12),
            RadioUnit::Type6 => Self::plain(199, 19_635, 18.10, 16.87),
            RadioUnit::Type7 => Self::plain(114, 11_216, 20.43, 27.35),
            RadioUnit::Type9 => Self::plain(27, 518, 15.92, 31.93).resting(32.88, 5.76),
            RadioUnit::Type10 => Self::plain(21, 403, 31.15, 58.62)
                .sleeping(13.43, 12.45, 14.42, 19, 95)
                .resting(47.73, 40.09),
        }
    }

    fn plain(stations: usize, hours: usize, idle: f64, slope: f64) -> Self {
        Self {
            stations,
            hours,
            awake: EnergyLine { idle, slope },
            sleep: None,
            unrested: None,
        }
    }

    fn sleeping(self, saved: f64, low: f64, high: f64, stations: usize, hours: usize) -> Self {
        let sleep = SleepFit {
            saved,
            low,
            high,
            stations,
            hours,
        };
        Self {
            sleep: Some(sleep),
            ..self
        }
    }

    fn resting(self, idle: f64, slope: f64) -> Self {
        Self {
            unrested: Some(EnergyLine { idle, slope }),
            ..self
        }
    }

    /// The consumption that measurements show at `load` (0 to 1) in `saving`, in units of the set: no
    /// saving is assumed beyond [`SavedRange::low`]. A mode that the unit does not support saves
    /// nothing.
    pub fn draws(&self, load: f64, saving: Saving) -> f64 {
        self.awake.at(load) - self.saved(load, saving).low
    }

    /// The most that the unit may take at `load` without any saving, in units of the set.
    pub fn unsaved_most(&self, load: f64) -> f64 {
        let awake = self.awake.at(load);
        self.unrested.map_or(awake, |line| line.at(load).max(awake))
    }

    /// The saving of `saving` at `load` (0 to 1): low against [`EnergyFit::awake`], high against
    /// [`EnergyFit::unsaved_most`]. Units whose symbol shutdown never stops are those that sleep deeply.
    pub fn saved(&self, load: f64, saving: Saving) -> SavedRange {
        let (awake, most) = (self.awake.at(load), self.unsaved_most(load));
        let asleep = |saved: f64| self.awake.idle - saved;
        match (saving, self.sleep) {
            (Saving::Off, _) => SavedRange::default(),
            (Saving::SymbolShutdown, _) => SavedRange {
                low: 0.0,
                high: match self.unrested {
                    Some(_) => most - awake,
                    None => SYMBOL_SHARE_MOST * self.awake.idle * (1.0 - load),
                },
            },
            (Saving::CarrierShutdown, Some(sleep)) => SavedRange {
                low: awake - asleep(sleep.low),
                high: most - asleep(sleep.high),
            },
            (Saving::DeepSleep, sleep) if self.unrested.is_some() => SavedRange {
                low: sleep.map_or(0.0, |sleep| awake - asleep(sleep.low)),
                high: most,
            },
            (Saving::CarrierShutdown | Saving::DeepSleep, _) => SavedRange::default(),
        }
    }
}

/// True if units of this type support `saving`: carrier shutdown as the set shows; deep sleep, which
/// it does not, of the units that are built for it.
pub fn can(unit: RadioUnit, saving: Saving) -> bool {
    match saving {
        Saving::Off | Saving::SymbolShutdown => true,
        Saving::CarrierShutdown => EnergyFit::of(unit).sleep.is_some(),
        Saving::DeepSleep => matches!(unit, RadioUnit::Type9 | RadioUnit::Type10),
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

    /// A saving is claimed of the units with hours with and without the mode, and of no other.
    #[test]
    fn a_saving_is_claimed_where_the_set_shows_it_and_bounded_elsewhere() {
        let mut shown = Vec::new();
        for unit in RadioUnit::ALL {
            let fit = EnergyFit::of(unit);
            for saving in Saving::ALL {
                for load in [0.0, 0.3, 1.0] {
                    let saved = fit.saved(load, saving);
                    assert!(
                        0.0 <= saved.low && saved.low <= saved.high,
                        "{unit:?} {saving:?}"
                    );
                    assert!(saved.high <= fit.unsaved_most(load) + 1e-9);
                    assert!(fit.draws(load, saving) > 0.0);
                    assert!(saved == SavedRange::default() || can(unit, saving));
                }
                if fit.saved(0.0, saving).low > 0.0 {
                    shown.push(format!("{} {}", unit.as_str(), saving.as_str()));
                }
            }
        }
        assert_eq!(
            shown,
            [
                "Type2 carrier-shutdown",
                "Type4 carrier-shutdown",
                "Type10 carrier-shutdown",
                "Type10 deep-sleep"
            ]
        );
    }

    /// The coefficients are those of something physical, and rest on more than a few stations.
    #[test]
    fn the_coefficients_are_positive_and_rest_on_many_hours() {
        let mut most = 0.0_f64;
        for unit in RadioUnit::ALL {
            let fit = EnergyFit::of(unit);
            assert!(fit.stations >= 20 && fit.hours >= 400, "{unit:?}");
            assert!((5.0..40.0).contains(&fit.awake.idle), "{unit:?}");
            assert!((10.0..80.0).contains(&fit.awake.slope), "{unit:?}");
            if let Some(sleep) = fit.sleep {
                assert!(0.0 < sleep.low && sleep.low < sleep.saved && sleep.saved < sleep.high);
                assert!(sleep.high < fit.awake.idle);
                assert!(sleep.stations <= fit.stations && sleep.hours < fit.hours);
            }
            if let Some(line) = fit.unrested {
                assert!(line.idle > fit.awake.idle && line.slope > 0.0, "{unit:?}");
                most = most.max(1.0 - fit.awake.idle / line.idle);
            }
        }
        assert!((most - SYMBOL_SHARE_MOST).abs() < 0.01, "{most}");
    }
}
