//! The energy set as it is published: three tables of comma-separated values.
//!
//! `BSinfo.csv` has the carriers of each station, `CLdata.csv` load and saving modes of each carrier
//! and hour, `ECdata.csv` the energy of each station and hour. Columns are found by their headings;
//! nothing in the set is quoted. Kept are stations with one carrier whose unit is a [`RadioUnit`]: of
//! others nobody knows which carrier took what. Reads no files. Read next: [`super`].

use super::within::LevelHour;
use crate::inventory::RadioUnit;
use std::collections::BTreeMap;
use thiserror::Error;

/// The counters of a carrier in an hour, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellCounters {
    /// The share of its radio resources in use.
    pub load: f64,
    /// The share of the hour asleep: modes 1 and 2, which the units that have both use together.
    pub sleep: f64,
    /// The intensity of symbol shutdown: mode 6.
    pub symbol: f64,
    /// The greatest of modes 3 to 5, of which nothing is fitted.
    pub other: f64,
}

/// An hour of a station: energy, and what explains it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyHour {
    /// The hour of the energy, in hours from 1 January of the year.
    pub at: i64,
    /// The energy, in units of the set.
    pub energy: f64,
    /// The counters.
    pub counters: CellCounters,
}

/// A station with one carrier.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyStation {
    /// Its name.
    pub name: String,
    /// The unit.
    pub unit: RadioUnit,
    /// The unit's mode of operation: `Mode2`.
    pub mode: String,
    energy: BTreeMap<i64, f64>,
    counters: BTreeMap<i64, CellCounters>,
}

/// The set.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyRecord {
    /// The stations that are kept, by name.
    pub stations: Vec<EnergyStation>,
    /// All stations with energy.
    pub stations_all: usize,
    /// All hours of energy.
    pub hours_all: usize,
}

/// The reason for which a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EnergyRecordError {
    /// A column is missing.
    #[error("{table}: there is no column {column}")]
    NoColumn {
        /// The table.
        table: &'static str,
        /// The heading.
        column: &'static str,
    },
    /// A field is not what its column has.
    #[error("{table}, line {line}: '{field}' is no {column}")]
    Field {
        /// The table.
        table: &'static str,
        /// The line, from 1.
        line: usize,
        /// The heading.
        column: &'static str,
        /// What stands there.
        field: String,
    },
}

impl EnergyHour {
    /// The hour as a row of the fit: load counts while awake. Symbol shutdown is a covariate if
    /// `symbol`.
    pub fn level_hour(&self, station: usize, symbol: bool) -> LevelHour {
        let counters = self.counters;
        let awake = counters.load * (1.0 - counters.sleep);
        let symbol = if symbol { counters.symbol } else { 0.0 };
        LevelHour {
            station,
            energy: self.energy,
            covariates: [awake, counters.sleep, symbol],
        }
    }
}

impl EnergyStation {
    /// True if its energy was recorded on more than one day.
    pub fn several_days(&self) -> bool {
        let day = |at: &i64| at.div_euclid(24);
        let (first, last) = (self.energy.keys().next(), self.energy.keys().next_back());
        first.map(day) != last.map(day)
    }

    /// Its hours, with the counters stamped `lag_h` hours later; without those of other modes.
    pub fn hours(&self, lag_h: i64) -> impl Iterator<Item = EnergyHour> {
        let each = self.energy.iter().filter_map(move |(at, energy)| {
            let counters = *self.counters.get(&(at + lag_h))?;
            Some(EnergyHour {
                at: *at,
                energy: *energy,
                counters,
            })
        });
        each.filter(|hour| hour.counters.other == 0.0)
    }

    /// True if counters are there of this hour and of those beside it, none in other modes.
    pub fn is_surrounded(&self, at: i64) -> bool {
        let known = |at: i64| self.counters.get(&at).is_some_and(|c| c.other == 0.0);
        (at - 1..=at + 1).all(known)
    }
}

impl EnergyRecord {
    /// Reads the three tables.
    ///
    /// # Errors
    /// [`EnergyRecordError`], for the first column that is missing or field that is wrong.
    pub fn read(stations: &str, cells: &str, energy: &str) -> Result<Self, EnergyRecordError> {
        let mut kept = carriers(stations)?;
        let table = Table::of("CLdata.csv", cells);
        let time = table.column("Time")?;
        let (name, load) = (table.column("BS")?, table.column("load")?);
        let mut modes = Vec::new();
        for heading in [
            "ESMode1", "ESMode2", "ESMode3", "ESMode4", "ESMode5", "ESMode6",
        ] {
            modes.push(table.column(heading)?);
        }
        for line in table.lines() {
            let Some(station) = kept.get_mut(line.text(name)) else {
                continue;
            };
            let mut shares = [0.0; 6];
            for (share, mode) in shares.iter_mut().zip(&modes) {
                *share = line.share(*mode)?;
            }
            let [carrier, beside, others @ .., symbol] = shares;
            let counters = CellCounters {
                load: line.share(load)?,
                sleep: carrier.max(beside),
                symbol,
                other: others.into_iter().fold(0.0, f64::max),
            };
            station.counters.insert(line.hour(time)?, counters);
        }
        let table = Table::of("ECdata.csv", energy);
        let (time, name) = (table.column("Time")?, table.column("BS")?);
        let energy = table.column("Energy")?;
        let (mut seen, mut hours_all) = (BTreeMap::new(), 0);
        for line in table.lines() {
            hours_all += 1;
            seen.insert(line.text(name), ());
            if let Some(station) = kept.get_mut(line.text(name)) {
                station
                    .energy
                    .insert(line.hour(time)?, line.number(energy)?);
            }
        }
        Ok(Self {
            stations_all: seen.len(),
            hours_all,
            stations: kept
                .into_values()
                .filter(|s| !s.energy.is_empty())
                .collect(),
        })
    }
}

/// The stations with one carrier, by name, without hours.
fn carriers(text: &str) -> Result<BTreeMap<String, EnergyStation>, EnergyRecordError> {
    let table = Table::of("BSinfo.csv", text);
    let (name, unit) = (table.column("BS")?, table.column("RUType")?);
    let mode = table.column("Mode")?;
    let mut carriers: BTreeMap<String, Vec<EnergyStation>> = BTreeMap::new();
    let mut of_others: Vec<String> = Vec::new();
    for line in table.lines() {
        let Some(known) = RadioUnit::parse(line.text(unit)) else {
            of_others.push(line.text(name).to_owned());
            continue;
        };
        let station = EnergyStation {
            name: line.text(name).to_owned(),
            unit: known,
            mode: line.text(mode).to_owned(),
            energy: BTreeMap::new(),
            counters: BTreeMap::new(),
        };
        carriers
            .entry(station.name.clone())
            .or_default()
            .push(station);
    }
    for name in of_others {
        carriers.remove(&name);
    }
    carriers.retain(|_, of_it| of_it.len() == 1);
    let alone = carriers.into_iter();
    Ok(alone
        .filter_map(|(name, mut of_it)| Some((name, of_it.pop()?)))
        .collect())
}

/// A column: its heading and its place.
#[derive(Clone, Copy)]
struct Column(&'static str, usize);

struct Table<'a> {
    name: &'static str,
    headings: Vec<&'a str>,
    rest: &'a str,
}

struct Line<'a> {
    table: &'static str,
    number: usize,
    fields: Vec<&'a str>,
}

impl<'a> Table<'a> {
    fn of(name: &'static str, text: &'a str) -> Self {
        let (heading, rest) = text.split_once('\n').unwrap_or((text, ""));
        let heading = heading.trim_start_matches('\u{feff}').trim_end();
        Self {
            name,
            headings: heading.split(',').collect(),
            rest,
        }
    }

    fn column(&self, column: &'static str) -> Result<Column, EnergyRecordError> {
        let place = self.headings.iter().position(|heading| *heading == column);
        let none = EnergyRecordError::NoColumn {
            table: self.name,
            column,
        };
        Ok(Column(column, place.ok_or(none)?))
    }

    fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        let table = self.name;
        let lines = self
            .rest
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        lines.map(move |(number, line)| Line {
            table,
            number: number + 2,
            fields: line.trim_end().split(',').collect(),
        })
    }
}

impl<'a> Line<'a> {
    fn text(&self, column: Column) -> &'a str {
        self.fields.get(column.1).copied().unwrap_or_default()
    }

    fn number(&self, column: Column) -> Result<f64, EnergyRecordError> {
        let number = self.text(column).parse::<f64>().ok();
        number
            .filter(|x| x.is_finite() && *x >= 0.0)
            .ok_or_else(|| self.wrong(column))
    }

    fn share(&self, column: Column) -> Result<f64, EnergyRecordError> {
        let share = self.number(column)?;
        (share <= 1.0)
            .then_some(share)
            .ok_or_else(|| self.wrong(column))
    }

    /// The hour from 1 January, of `1/31/2023 5:00`: month first, as in the set.
    fn hour(&self, column: Column) -> Result<i64, EnergyRecordError> {
        let hour = || {
            let (date, time) = self.text(column).split_once(' ')?;
            let mut date = date.split('/').map(str::parse::<i64>);
            let (month, day) = (date.next()?.ok()?, date.next()?.ok()?);
            let hour = time.split(':').next()?.parse::<i64>().ok()?;
            // The set is of one January; months of 31 days keep the order of any other.
            let known =
                (1..=12).contains(&month) && (1..=31).contains(&day) && (0..24).contains(&hour);
            known.then_some(((month - 1) * 31 + day - 1) * 24 + hour)
        };
        hour().ok_or_else(|| self.wrong(column))
    }

    fn wrong(&self, column: Column) -> EnergyRecordError {
        EnergyRecordError::Field {
            table: self.table,
            line: self.number,
            column: column.0,
            field: self.text(column).chars().take(40).collect(),
        }
    }
}
