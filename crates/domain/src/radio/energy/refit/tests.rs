//! The fit finds what an invented set was made of, and says what it was not asked for.

#![allow(clippy::unwrap_used)]

use super::*;
use record::EnergyRecordError;
use std::fmt::Write;

const STATIONS: &str = "BS,CellName,RUType,Mode,Frequency\n";
const CELLS: &str = "Time,BS,CellName,load,ESMode1,ESMode2,ESMode3,ESMode4,ESMode5,ESMode6\n";
const ENERGY: &str = "Time,BS,Energy\n";

/// A number of 0 to 1 that looks random and is the same in every run.
fn chance(a: usize, b: usize) -> f64 {
    let mixed = (a * 7_919 + b * 104_729 + 13).wrapping_mul(2_654_435_761) >> 7;
    (mixed % 1_000) as f64 / 1_000.0
}

fn time(at: usize) -> String {
    format!("1/{}/2023 {}:00", at / 24 + 1, at % 24)
}

/// A set of stations of Type4 over five days, whose counters lag an hour behind energy, and of Type10
/// on one day, whose symbol shutdown never stops; besides a station with two carriers and one of a
/// type that is not known here.
fn invented() -> [String; 3] {
    let [mut stations, mut cells, mut energy] = [STATIONS, CELLS, ENERGY].map(str::to_owned);
    for number in 0..40 {
        writeln!(stations, "W{number},Cell0,Type4,Mode2,532").unwrap();
        let level = 15.0 + 4.0 * chance(number, 0);
        for at in 0..120 {
            let asleep = (2..6).contains(&(at % 24)) && (at / 24) % 2 == 0 && number % 2 == 0;
            let (load, sleep) = if asleep {
                (0.01, 1)
            } else {
                (chance(number, at + 1), 0)
            };
            let (when, name) = (time(at), format!("W{number}"));
            writeln!(cells, "{when},{name},Cell0,{load},{sleep},{sleep},0,0,0,0").unwrap();
            if at > 0 {
                let awake = load * (1.0 - f64::from(sleep));
                let noise = chance(at, number) - 0.5;
                let watts = level + 30.0 * awake - 7.0 * f64::from(sleep) + 0.4 * noise;
                writeln!(energy, "{},{name},{watts}", time(at - 1)).unwrap();
            }
        }
    }
    for number in 0..20 {
        writeln!(stations, "D{number},Cell0,Type10,Mode1,697").unwrap();
        let level = 48.0 + 4.0 * chance(number, 7);
        for at in 0..24 {
            let (load, sleep, symbol) = match (2..6).contains(&at) {
                true => (0.05, 1.0, 0.0),
                false => {
                    let load = 0.6 * chance(number, at + 3);
                    (
                        load,
                        0.0,
                        0.45 - 0.5 * load + 0.1 * (chance(at, number) - 0.5),
                    )
                }
            };
            let (when, name) = (time(at + 24), format!("D{number}"));
            writeln!(cells, "{when},{name},Cell0,{load},{sleep},0,0,0,0,{symbol}").unwrap();
            let watts = level + 40.0 * load * (1.0 - sleep) - 30.0 * sleep - 38.0 * symbol;
            writeln!(energy, "{when},{name},{watts}").unwrap();
        }
    }
    for (name, unit, carrier) in [("T", "Type4", 0), ("T", "Type4", 1), ("U", "Type1", 0)] {
        writeln!(stations, "{name},Cell{carrier},{unit},Mode2,365").unwrap();
        writeln!(energy, "1/1/2023 5:00,{name},900").unwrap();
    }
    [stations, cells, energy]
}

fn record(set: &[String; 3]) -> Result<EnergyRecord, EnergyRecordError> {
    EnergyRecord::read(&set[0], &set[1], &set[2])
}

fn of(refit: &EnergyRefit, unit: RadioUnit) -> &UnitRefit {
    refit.units.iter().find(|u| u.unit == unit).unwrap()
}

#[test]
fn the_fit_finds_what_the_set_was_made_of() {
    let record = record(&invented()).unwrap();
    assert_eq!(
        (record.stations_all, record.hours_all),
        (62, 40 * 119 + 480 + 3)
    );
    assert_eq!(
        record.stations.len(),
        60,
        "one carrier, and of a type that is known"
    );
    let refit = EnergyRefit::of(&record);
    let lags: Vec<_> = refit
        .lags
        .iter()
        .map(|l| (l.several_days, l.stations, l.lag_h))
        .collect();
    assert_eq!(lags, [(false, 20, 0), (true, 40, 1)]);

    let four = of(&refit, RadioUnit::Type4);
    assert_eq!((four.fit.stations, four.fit.hours), (40, 40 * 119));
    let near =
        |figure: f64, truth: f64, by: f64| assert!((figure - truth).abs() < by, "{figure} {truth}");
    near(four.fit.awake.slope, 30.0, 0.05);
    near(four.fit.awake.idle, 17.0, 0.5);
    let sleep = four.fit.sleep.unwrap();
    assert!(
        sleep.low < 7.0 && 7.0 < sleep.high && sleep.high - sleep.low < 0.2,
        "{sleep:?}"
    );
    assert_eq!((sleep.stations, sleep.hours), (20, 20 * 12));
    assert_eq!(four.fit.unrested, None);
    assert!(four.level_known.r2 > 0.99 && four.level_known.mae < 0.2);
    assert!(four.level_unknown.r2 < four.level_known.r2, "levels differ");
    assert!(four.slope_error > 0.0 && four.idle_spread > 0.5);

    let ten = of(&refit, RadioUnit::Type10);
    let unrested = ten.fit.unrested.unwrap();
    near(unrested.slope, 40.0, 0.01);
    near(unrested.idle, 50.0, 1.0);
    assert!(
        ten.fit.awake.idle < unrested.idle - 10.0,
        "as it is operated"
    );
    assert!(ten.fit.awake.slope > unrested.slope + 10.0);
    assert_eq!(ten.modes, "Mode1");
}

/// Each way in which a fit can depart from what ships is told: another figure, a missing one.
#[test]
fn what_is_not_as_shipped_is_told() {
    let refit = EnergyRefit::of(&record(&invented()).unwrap());
    let told = refit.deviations();
    let of = |unit, name| told.iter().find(|d| d.unit == unit && d.name == name);
    assert!(of(RadioUnit::Type4, "slope").is_some());
    let gone = of(RadioUnit::Type7, "idle").unwrap();
    assert_eq!(
        (gone.fitted, gone.shipped),
        (None, Some(EnergyFit::of(RadioUnit::Type7).awake.idle))
    );
    let units = RadioUnit::ALL.into_iter().map(|unit| UnitRefit {
        unit,
        modes: String::new(),
        fit: EnergyFit::of(unit),
        idle_spread: 0.0,
        slope_error: 0.0,
        level_known: Residuals::default(),
        level_unknown: Residuals::default(),
    });
    let mut same = EnergyRefit {
        lags: Vec::new(),
        units: units.collect(),
    };
    assert_eq!(same.deviations(), []);
    same.units[0].fit.awake.slope += 0.004;
    assert_eq!(same.deviations(), [], "that is rounded");
    same.units[0].fit.awake.slope += 0.004;
    assert_eq!(same.deviations().len(), 1);
}

#[test]
fn a_table_that_is_none_is_refused_by_line_and_column() {
    let said = |at: usize, from: &str, to: &str| {
        let mut set = invented();
        set[at] = set[at].replacen(from, to, 1);
        record(&set).unwrap_err().to_string()
    };
    assert_eq!(
        said(0, "RUType", "Unit"),
        "BSinfo.csv: there is no column RUType"
    );
    assert_eq!(said(1, "Cell0,0.", "Cell0,7."), {
        let set = invented();
        let first = set[1]
            .lines()
            .position(|line| line.contains("Cell0,0."))
            .unwrap();
        let load = set[1]
            .lines()
            .nth(first)
            .unwrap()
            .split(',')
            .nth(3)
            .unwrap()
            .replacen('0', "7", 1);
        format!("CLdata.csv, line {}: '{load}' is no load", first + 1)
    });
    let when = said(2, "1/1/2023 0:00", "tomorrow");
    assert_eq!(when, "ECdata.csv, line 2: 'tomorrow' is no Time");
}

/// Two stations whose hours lie on lines of slope 2, by hand.
#[test]
fn levels_are_taken_out_before_slopes_are_looked_for() {
    let hour = |station, x: f64, energy| LevelHour {
        station,
        energy,
        covariates: [x, 0.0, 0.0],
    };
    let hours = [
        hour(0, 0.0, 1.0),
        hour(0, 1.0, 3.0),
        hour(1, 0.0, 10.0),
        hour(1, 2.0, 14.0),
    ];
    let fit = WithinFit::of(&hours).unwrap();
    assert!((fit.slopes[0] - 2.0).abs() < 1e-12 && fit.slopes[1] == 0.0);
    assert!((fit.levels[&0] - 1.0).abs() < 1e-12 && (fit.levels[&1] - 10.0).abs() < 1e-12);
    assert!(fit.left < 1e-20 && (fit.all - 10.0).abs() < 1e-12);
    assert!((fit.mean_level() - 5.5).abs() < 1e-12);
    // A pooled line through the same hours would rise by 1.9 from 5.9.
    assert_eq!(WithinFit::of(&[hour(0, 1.0, 1.0), hour(1, 2.0, 5.0)]), None);
    // One hour is off by 4: the residuals are 2 and −2 there, so the error is not nothing.
    let bent = [
        hour(0, 0.0, 1.0),
        hour(0, 1.0, 7.0),
        hour(1, 0.0, 10.0),
        hour(1, 2.0, 14.0),
    ];
    assert!(WithinFit::of(&bent).unwrap().errors[0] > 0.5);
}
