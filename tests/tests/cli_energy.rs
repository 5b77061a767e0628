//! `convoke learn energy`: a folder in, tables or JSON out, and an exit code that says whether the fit
//! is what ships.
//!
//! The set is invented here; the public one does not ship. No platform runs. Read next:
//! `cli_alarms.rs`.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::Value;
use std::fmt::Write;
use support::block_on;
use support::process::run;
use tempfile::TempDir;

/// Twelve stations of Type4 on one day: 15 units idle, and 20 more at full load.
fn set() -> TempDir {
    let mut stations = "BS,CellName,RUType,Mode\n".to_owned();
    let modes = (1..=6).map(|n| format!(",ESMode{n}")).collect::<String>();
    let mut cells = format!("Time,BS,CellName,load{modes}\n");
    let mut energy = "Time,BS,Energy\n".to_owned();
    for station in 0..12 {
        writeln!(stations, "B{station},Cell0,Type4,Mode2").unwrap();
        for hour in 0..24 {
            let load = f64::from((hour * 7 + station * 5) % 20) / 20.0;
            let time = format!("1/2/2023 {hour}:00");
            writeln!(cells, "{time},B{station},Cell0,{load},0,0,0,0,0,0").unwrap();
            writeln!(energy, "{time},B{station},{}", 15.0 + 20.0 * load).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("BSinfo.csv", stations),
        ("CLdata.csv", cells),
        ("ECdata.csv", energy),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_fit_that_is_not_what_ships_is_shown_and_ends_with_1() {
    let folder = set();
    let data = folder.path().display().to_string();
    let out = folder.path().join("fit.json").display().to_string();
    let learn = ["learn", "energy", "--data", &data, "--out", &out];
    let told = block_on(run(folder.path(), &learn));
    assert_eq!(told.code, 1, "{}", told.stderr);
    assert!(
        told.stderr.contains("differ from what ships"),
        "{}",
        told.stderr
    );
    assert!(
        told.stdout.contains("288 hours of 12 stations"),
        "{}",
        told.stdout
    );
    assert!(
        told.stdout
            .contains("Type4 slope: 20.00 fitted, 29.01 shipped"),
        "{}",
        told.stdout
    );

    let document: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let unit = &document["units"][0];
    assert_eq!(
        (unit["unit"].as_str(), unit["hours"].as_u64()),
        (Some("Type4"), Some(288))
    );
    assert!((unit["idle"].as_f64().unwrap() - 15.0).abs() < 1e-9);
    assert!(unit["held_out"]["level_unknown"]["mae"].as_f64().unwrap() < 1e-9);
    assert_eq!(document["lags"][0]["lag_h"], 0);
    let told = block_on(run(
        folder.path(),
        &["learn", "energy", "--data", &data, "--json"],
    ));
    assert_eq!(told.json(), [document]);
}

#[test]
fn a_folder_without_the_set_is_named() {
    let folder = set();
    let data = folder.path().display().to_string();
    std::fs::remove_file(folder.path().join("ECdata.csv")).unwrap();
    let told = block_on(run(folder.path(), &["learn", "energy", "--data", &data]));
    assert_eq!(told.code, 1);
    assert!(told.stderr.contains("ECdata.csv"), "{}", told.stderr);
    std::fs::write(folder.path().join("ECdata.csv"), "Time,BS\n").unwrap();
    let told = block_on(run(folder.path(), &["learn", "energy", "--data", &data]));
    assert_eq!(told.code, 2);
    assert!(told.stderr.contains("no column Energy"), "{}", told.stderr);
}
