//! `convoke learn energy`: the energy of radio units, fitted anew to the public energy set, beside
//! the coefficients that ship.
//!
//! Ends with 1 if any coefficient is not the one that ships. Knows files and tables; the fit is
//! [`domain::radio::energy::refit`]. Read next: that.

use crate::cli::{Common, LearnEnergy};
use crate::output::{self, Failure, line, table};
use crate::showcase::files;
use domain::radio::energy::refit::record::EnergyRecord;
use domain::radio::energy::refit::{
    EnergyDeviation, EnergyRefit, LAGS_H, RecordLag, Residuals, UnitRefit,
};
use markup::words::{count, decimal};
use serde_json::{Value, json};
use std::path::Path;

/// The most bytes of a table of the set.
const TABLE_BYTES_MAX: u64 = 256 << 20;

pub(crate) fn run(common: &Common, wanted: &LearnEnergy) -> Result<(), Failure> {
    let text = |name: &str| table_of(&wanted.data.join(name));
    let (stations, cells) = (text("BSinfo.csv")?, text("CLdata.csv")?);
    let energy = text("ECdata.csv")?;
    let record = EnergyRecord::read(&stations, &cells, &energy);
    let record =
        record.map_err(|fault| Failure::usage(format!("{}: {fault}", wanted.data.display())))?;
    let refit = EnergyRefit::of(&record);
    let deviations = refit.deviations();
    if let Some(out) = &wanted.out {
        let document = document(&record, &refit, &deviations);
        let text = serde_json::to_string_pretty(&document);
        let text = text.expect("figures and names are JSON");
        files::write(out, &format!("{text}\n"))?;
    }
    match common.json {
        true => output::json(&document(&record, &refit, &deviations)),
        false => show(&record, &refit, &deviations),
    }
    match deviations.len() {
        0 => Ok(()),
        n => {
            let figures = count(n, "coefficient differs", "coefficients differ");
            Err(Failure::failed(format!("{figures} from what ships")))
        }
    }
}

fn table_of(file: &Path) -> Result<String, Failure> {
    let bytes = files::bytes(file, TABLE_BYTES_MAX)?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| Failure::usage(format!("{}: it is not UTF-8", file.display())))
}

fn document(record: &EnergyRecord, refit: &EnergyRefit, deviations: &[EnergyDeviation]) -> Value {
    json!({
        "event": "learnt",
        "stations": record.stations_all,
        "hours": record.hours_all,
        "stations_with_one_carrier": record.stations.len(),
        "lags": refit.lags.iter().map(lag).collect::<Vec<_>>(),
        "units": refit.units.iter().map(unit).collect::<Vec<_>>(),
        "deviations": deviations.iter().map(deviation).collect::<Vec<_>>(),
    })
}

fn lag(lag: &RecordLag) -> Value {
    let explained = LAGS_H.iter().zip(lag.explained);
    let explained: Vec<Value> = explained
        .map(|(lag_h, share)| json!({ "lag_h": lag_h, "explained": share }))
        .collect();
    json!({
        "several_days": lag.several_days, "stations": lag.stations, "lag_h": lag.lag_h,
        "tried": explained,
    })
}

fn unit(unit: &UnitRefit) -> Value {
    let residuals = |r: Residuals| json!({ "mae": r.mae, "mape": r.mape, "r2": r.r2 });
    let fit = unit.fit;
    let sleep = fit.sleep.map(|s| {
        json!({
            "saved": s.saved, "low": s.low, "high": s.high, "stations": s.stations, "hours": s.hours,
        })
    });
    json!({
        "unit": unit.unit.as_str(), "modes": unit.modes,
        "stations": fit.stations, "hours": fit.hours,
        "idle": fit.awake.idle, "idle_spread": unit.idle_spread,
        "slope": fit.awake.slope, "slope_error": unit.slope_error,
        "sleep": sleep,
        "unrested": fit.unrested.map(|u| json!({ "idle": u.idle, "slope": u.slope })),
        "held_out": {
            "level_known": residuals(unit.level_known),
            "level_unknown": residuals(unit.level_unknown),
        },
    })
}

fn deviation(told: &EnergyDeviation) -> Value {
    json!({
        "unit": told.unit.as_str(), "figure": told.name, "fitted": told.fitted,
        "shipped": told.shipped,
    })
}

fn show(record: &EnergyRecord, refit: &EnergyRefit, deviations: &[EnergyDeviation]) {
    line(&format!(
        "{} of {}; fitted are the {} with one carrier and a known unit",
        count(record.hours_all, "hour", "hours"),
        count(record.stations_all, "station", "stations"),
        record.stations.len(),
    ));
    for lag in &refit.lags {
        line(&lag_in_words(lag));
    }
    line(&format!("\n{}\n", fits(&refit.units)));
    line(&format!("{}\n", errors(&refit.units)));
    for told in deviations {
        let figure = |it: Option<f64>| it.map_or("nothing".to_owned(), |x| decimal(x, 2));
        line(&format!(
            "{} {}: {} fitted, {} shipped",
            told.unit.as_str(),
            told.name,
            figure(told.fitted),
            figure(told.shipped),
        ));
    }
    if deviations.is_empty() {
        line("Every coefficient is the one that ships.");
    }
}

fn lag_in_words(lag: &RecordLag) -> String {
    let kind = match lag.several_days {
        true => "of several days",
        false => "of a single day",
    };
    let tried = LAGS_H.iter().zip(lag.explained);
    let tried: Vec<String> = tried
        .map(|(lag_h, share)| format!("{lag_h} h {}", percent(share)))
        .collect();
    format!(
        "{} {kind}: counters are taken {} h after energy (explained at {})",
        count(lag.stations, "station", "stations"),
        lag.lag_h,
        tried.join(", "),
    )
}

fn percent(share: f64) -> String {
    format!("{} %", decimal(100.0 * share, 1))
}

/// The coefficients, in units of the set.
fn fits(units: &[UnitRefit]) -> String {
    let row = |unit: &UnitRefit| {
        let fit = unit.fit;
        let sleep = fit.sleep.map_or("-".to_owned(), |s| {
            let [saved, low, high] = [s.saved, s.low, s.high].map(|x| decimal(x, 2));
            format!("{saved} ({low} to {high})")
        });
        let behind = fit.sleep.map_or("-".to_owned(), |s| {
            format!("{} of {}", count(s.hours, "hour", "hours"), s.stations)
        });
        let unrested = fit.unrested.map_or("-".to_owned(), |u| {
            format!("{} + {} load", decimal(u.idle, 2), decimal(u.slope, 2))
        });
        vec![
            format!("{} {}", unit.unit.as_str(), unit.modes),
            format!("{} of {}", count(fit.hours, "hour", "hours"), fit.stations),
            format!(
                "{} ± {}",
                decimal(fit.awake.idle, 2),
                decimal(unit.idle_spread, 2)
            ),
            format!(
                "{} ± {}",
                decimal(fit.awake.slope, 2),
                decimal(unit.slope_error, 2)
            ),
            sleep,
            behind,
            unrested,
        ]
    };
    let header = [
        "unit",
        "stations",
        "idle ± spread",
        "slope ± error",
        "sleep saves (95 %)",
        "asleep",
        "without symbol shutdown",
    ];
    table(&header, &units.iter().map(row).collect::<Vec<_>>())
}

/// The errors on stations left out.
fn errors(units: &[UnitRefit]) -> String {
    let row = |unit: &UnitRefit| {
        let mut row = vec![unit.unit.as_str().to_owned()];
        for r in [unit.level_known, unit.level_unknown] {
            row.extend([decimal(r.mae, 2), percent(r.mape), decimal(r.r2, 3)]);
        }
        row
    };
    let header = [
        "left out, level",
        "known: MAE",
        "MAPE",
        "R²",
        "unknown: MAE",
        "MAPE",
        "R²",
    ];
    table(&header, &units.iter().map(row).collect::<Vec<_>>())
}
