//! The fit of the energy set: within stations, by type of unit, tried on stations left out.
//!
//! - **Which hours.** Stations with one carrier ([`record`]); hours of modes other than sleep and
//!   symbol shutdown are left out.
//! - **Whose clock.** Stations that were recorded over several days book energy an hour before load;
//!   those of a single day do not. For either the lag is the one of −1, 0 and 1 h that explains
//!   consumption best ([`RecordLag`]).
//! - **What is fitted.** A level of each station, a slope over load while awake, the saving of sleep;
//!   where symbol shutdown is in every hour, once more with its share as a covariate, which is
//!   extrapolated to none. Of other units, hours with it are left out. The idle consumption is the
//!   mean level of the stations.
//! - **How surely.** Errors by clusters of stations, as hours of one are much alike.
//! - **How well.** Five times a fifth of the stations is left out of the fit and predicted: with the
//!   mean level, as one would of a station never measured, and with its own.
//!
//! Pure: the same text gives the same figures. Refuses to know why a mode was on, so that what else
//! differs between hours with and without it is taken for saving. Read next: [`record`], [`within`].

pub mod record;
pub mod within;

use super::{EnergyFit, EnergyLine, SleepFit};
use crate::inventory::RadioUnit;
use record::{EnergyRecord, EnergyStation};
use std::collections::BTreeMap;
use within::{LevelHour, WithinFit};

/// The lags that are tried, in hours.
pub const LAGS_H: [i64; 3] = [-1, 0, 1];
/// The fifths of stations that are left out in turn.
const FOLDS: usize = 5;
/// The standard errors on either side that make a 95 % interval.
const TWO_SIDED_95: f64 = 1.96;
/// The fewest stations of a type that is fitted.
const STATIONS_LEAST: usize = 10;
/// The fewest stations, and hours, asleep of a type whose sleep is fitted.
const ASLEEP_LEAST: (usize, usize) = (10, 50);

/// The lag of counters behind energy in one kind of stations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordLag {
    /// True of the stations recorded over several days, false of those of a single day.
    pub several_days: bool,
    /// The stations.
    pub stations: usize,
    /// The hours by which counters are stamped later than the energy that they explain.
    pub lag_h: i64,
    /// The share of the variance within stations that load and sleep explain at each of [`LAGS_H`].
    pub explained: [f64; 3],
}

/// The errors of predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// The mean absolute error, in units of the set.
    pub mae: f64,
    /// The mean of the absolute errors as shares of what was measured.
    pub mape: f64,
    /// The share of the variance that is explained.
    pub r2: f64,
}

/// The fit of one type of unit.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitRefit {
    /// The type.
    pub unit: RadioUnit,
    /// Its mode of operation in the set, or modes.
    pub modes: String,
    /// The coefficients, unrounded.
    pub fit: EnergyFit,
    /// The standard deviation of the stations' levels.
    pub idle_spread: f64,
    /// The standard error of the slope.
    pub slope_error: f64,
    /// The errors on stations left out, whose own level is taken as known.
    pub level_known: Residuals,
    /// The errors on stations left out, at the mean level.
    pub level_unknown: Residuals,
}

/// The fit of the whole set.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyRefit {
    /// The lags, of the stations of a single day first.
    pub lags: Vec<RecordLag>,
    /// The types with enough stations, in their order.
    pub units: Vec<UnitRefit>,
}

/// A coefficient that is not what ships.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyDeviation {
    /// The type.
    pub unit: RadioUnit,
    /// The coefficient: `idle`, `slope`, `hours`, …
    pub name: &'static str,
    /// The fitted figure; none if the set does not have it.
    pub fitted: Option<f64>,
    /// The shipped one; none if none ships.
    pub shipped: Option<f64>,
}

impl EnergyRefit {
    /// Fits all types of the record.
    pub fn of(record: &EnergyRecord) -> Self {
        let kinds = [false, true].into_iter();
        let lags: Vec<_> = kinds
            .filter_map(|days| lag(&record.stations, days))
            .collect();
        let lag_of = |station: &EnergyStation| {
            let lag = lags
                .iter()
                .find(|lag| lag.several_days == station.several_days());
            lag.map_or(0, |lag| lag.lag_h)
        };
        let units = RadioUnit::ALL.into_iter().filter_map(|unit| {
            let of_it = record.stations.iter().filter(|s| s.unit == unit);
            UnitRefit::of(unit, &of_it.map(|s| (s, lag_of(s))).collect::<Vec<_>>())
        });
        Self {
            units: units.collect(),
            lags,
        }
    }

    /// What differs from the shipped coefficients by more than they are rounded.
    pub fn deviations(&self) -> Vec<EnergyDeviation> {
        let each = RadioUnit::ALL.into_iter().flat_map(|unit| {
            let fitted = self.units.iter().find(|u| u.unit == unit);
            let fitted = figures(fitted.map(|u| u.fit));
            let both = fitted.into_iter().zip(figures(Some(EnergyFit::of(unit))));
            both.map(move |((name, fitted), (_, shipped))| EnergyDeviation {
                unit,
                name,
                fitted,
                shipped,
            })
        });
        each.filter(EnergyDeviation::matters).collect()
    }
}

impl EnergyDeviation {
    /// The coefficients ship with two decimals.
    const ROUNDED: f64 = 0.005_1;

    fn matters(&self) -> bool {
        match (self.fitted, self.shipped) {
            (Some(fitted), Some(shipped)) => (fitted - shipped).abs() > Self::ROUNDED,
            (fitted, shipped) => fitted.is_some() != shipped.is_some(),
        }
    }
}

/// All figures of a fit, with their names, always in the same order.
fn figures(fit: Option<EnergyFit>) -> [(&'static str, Option<f64>); 11] {
    let of = |figure: fn(&EnergyFit) -> f64| fit.as_ref().map(figure);
    let sleep = |figure: fn(&SleepFit) -> f64| fit.and_then(|f| f.sleep).as_ref().map(figure);
    let unrested = fit.and_then(|f| f.unrested);
    [
        ("stations", of(|f| f.stations as f64)),
        ("hours", of(|f| f.hours as f64)),
        ("idle", of(|f| f.awake.idle)),
        ("slope", of(|f| f.awake.slope)),
        ("sleep-saved", sleep(|s| s.saved)),
        ("sleep-saved-low", sleep(|s| s.low)),
        ("sleep-saved-high", sleep(|s| s.high)),
        ("sleep-stations", sleep(|s| s.stations as f64)),
        ("sleep-hours", sleep(|s| s.hours as f64)),
        ("unrested-idle", unrested.map(|line| line.idle)),
        ("unrested-slope", unrested.map(|line| line.slope)),
    ]
}

/// The lag of one kind of stations; none if there are none.
fn lag(stations: &[EnergyStation], several_days: bool) -> Option<RecordLag> {
    let of_kind = stations.iter().filter(|s| s.several_days() == several_days);
    let of_kind: Vec<&EnergyStation> = of_kind.collect();
    let mut explained = [0.0; 3];
    for (share, lag_h) in explained.iter_mut().zip(LAGS_H) {
        let (mut left, mut all) = (0.0, 0.0);
        for unit in RadioUnit::ALL {
            let of_unit = of_kind.iter().filter(|s| s.unit == unit).enumerate();
            let hours = of_unit.flat_map(|(number, station)| {
                // The same hours at every lag: those whose neighbours were counted too.
                let hours = station.hours(lag_h).filter(|h| station.is_surrounded(h.at));
                hours.map(move |hour| hour.level_hour(number, false))
            });
            if let Some(fit) = WithinFit::of(&hours.collect::<Vec<_>>()) {
                left += fit.left;
                all += fit.all;
            }
        }
        *share = if all > 0.0 { 1.0 - left / all } else { 0.0 };
    }
    let best = (0..LAGS_H.len()).max_by(|a, b| explained[*a].total_cmp(&explained[*b]))?;
    (!of_kind.is_empty()).then_some(RecordLag {
        several_days,
        stations: of_kind.len(),
        lag_h: LAGS_H[best],
        explained,
    })
}

impl UnitRefit {
    /// The fit of a type; none if it has too few stations, or hours that tell nothing.
    fn of(unit: RadioUnit, stations: &[(&EnergyStation, i64)]) -> Option<Self> {
        let mut hours = Vec::new();
        for (number, (station, lag_h)) in stations.iter().enumerate() {
            hours.extend(station.hours(*lag_h).map(|hour| (number, hour)));
        }
        let rests = hours
            .iter()
            .filter(|(_, h)| h.counters.symbol > 0.0)
            .count();
        let rests = 2 * rests > hours.len();
        hours.retain(|(_, h)| rests || h.counters.symbol == 0.0);
        let numbers = |which: &dyn Fn(&record::EnergyHour) -> bool| {
            let mut by_station: BTreeMap<usize, usize> = BTreeMap::new();
            for (number, _) in hours.iter().filter(|(_, hour)| which(hour)) {
                *by_station.entry(*number).or_default() += 1;
            }
            (by_station.len(), by_station.values().sum::<usize>())
        };
        let (all, asleep) = (numbers(&|_| true), numbers(&|h| h.counters.sleep > 0.0));
        if all.0 < STATIONS_LEAST {
            return None;
        }
        let sleeps = asleep.0 >= ASLEEP_LEAST.0 && asleep.1 >= ASLEEP_LEAST.1;
        let level = |symbol| {
            let hours = hours.iter().map(|(n, hour)| hour.level_hour(*n, symbol));
            hours.collect::<Vec<LevelHour>>()
        };
        let rows = level(false);
        let found = WithinFit::of(&rows)?;
        let sleep = sleeps.then(|| {
            let (saved, error) = (-found.slopes[1], TWO_SIDED_95 * found.errors[1]);
            SleepFit {
                saved,
                low: saved - error,
                high: saved + error,
                stations: asleep.0,
                hours: asleep.1,
            }
        });
        let unrested = match rests {
            true => {
                let found = WithinFit::of(&level(true))?;
                Some(EnergyLine {
                    idle: found.mean_level(),
                    slope: found.slopes[0],
                })
            }
            false => None,
        };
        let (level_known, level_unknown) = held_out(&rows)?;
        Some(Self {
            unit,
            modes: modes(stations),
            fit: EnergyFit {
                stations: all.0,
                hours: all.1,
                awake: EnergyLine {
                    idle: found.mean_level(),
                    slope: found.slopes[0],
                },
                sleep,
                unrested,
            },
            idle_spread: found.level_spread(),
            slope_error: found.errors[0],
            level_known,
            level_unknown,
        })
    }
}

/// The modes of operation of these stations, in order, joined.
fn modes(stations: &[(&EnergyStation, i64)]) -> String {
    let mut modes: Vec<&str> = stations.iter().map(|(s, _)| s.mode.as_str()).collect();
    modes.sort_unstable();
    modes.dedup();
    modes.join(", ")
}

/// The errors on stations left out: with their own level, and at the mean level of the others.
fn held_out(rows: &[LevelHour]) -> Option<(Residuals, Residuals)> {
    let mut predicted = Vec::new();
    for fold in 0..FOLDS {
        let (out, kept): (Vec<LevelHour>, Vec<LevelHour>) =
            rows.iter().partition(|row| row.station % FOLDS == fold);
        let fit = WithinFit::of(&kept)?;
        let levels = within::levels(&out, &fit.slopes);
        for row in out {
            let rise = row.rise(&fit.slopes);
            predicted.push((row, levels[&row.station] + rise, fit.mean_level() + rise));
        }
    }
    let means = within::levels(rows, &[0.0; 3]);
    let mean = rows.iter().map(|row| row.energy).sum::<f64>() / rows.len() as f64;
    let known = predicted
        .iter()
        .map(|(row, own, _)| (row.energy, *own, means[&row.station]));
    let unknown = predicted
        .iter()
        .map(|(row, _, at_mean)| (row.energy, *at_mean, mean));
    Some((Residuals::of(known), Residuals::of(unknown)))
}

impl Residuals {
    /// Of measured, predicted, and what one would say without any model.
    fn of(each: impl Iterator<Item = (f64, f64, f64)>) -> Self {
        let (mut sum, mut n, mut left, mut all) = (Self::default(), 0.0, 0.0, 0.0);
        for (measured, predicted, naive) in each {
            let error = measured - predicted;
            n += 1.0;
            sum.mae += error.abs();
            sum.mape += error.abs() / measured;
            left += error * error;
            all += (measured - naive).powi(2);
        }
        Self {
            mae: sum.mae / n,
            mape: sum.mape / n,
            r2: 1.0 - left / all,
        }
    }
}

#[cfg(test)]
mod tests;
