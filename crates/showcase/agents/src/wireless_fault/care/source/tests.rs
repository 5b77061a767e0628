//! Where a source is, as what cells hear says.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{at, id};
use domain::telemetry::{AlarmType, CellPerformance, Condition, Measurement, Performance};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A case of the three covering sectors of site s0, which usually hear so much.
fn case(usual_dbm: f64) -> CareCase {
    let cells = ["cell:s0/1", "cell:s0/3", "cell:s0/5"].map(id);
    let counted = |c: &ElementId| {
        let counted = CellPerformance {
            interference_dbm: usual_dbm,
            ..CellPerformance::default()
        };
        (c.clone(), counted)
    };
    let before = Performance {
        from: at(0),
        until: at(900),
        cells: cells.iter().map(counted).collect(),
        links: BTreeMap::new(),
    };
    CareCase {
        sites: BTreeSet::from([id("site:s0")]),
        cells: BTreeSet::from(cells),
        symptoms: BTreeSet::from([AlarmType::InterferenceHigh]),
        before: vec![Arc::new(before)],
        ..CareCase::new(1, at(2_000))
    }
}

fn heard(dbm: [f64; 3]) -> Measurements {
    let cells = ["cell:s0/1", "cell:s0/3", "cell:s0/5"].map(id);
    let measured = cells.into_iter().zip(dbm).map(|(element, dbm)| {
        let measurement = Measurement {
            element: element.clone(),
            condition: Condition::Good,
            readings: BTreeMap::from([("interference_dbm".to_owned(), dbm)]),
        };
        (element, measurement)
    });
    measured.collect()
}

fn best(case: &CareCase, dbm: [f64; 3]) -> (ElementId, f64) {
    let inventory = crate::drill::net::Net::new().inventory;
    let ears = ears(&inventory, case, &heard(dbm));
    let care = Care::default();
    let better = ears.iter().map(|ear| {
        let on_carrier = of_carrier(&inventory, &ears, &ear.cell);
        (ear.cell.clone(), care.better_by(ear, &on_carrier))
    });
    better.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

#[test]
fn a_source_is_beside_the_cell_that_hears_more_than_the_others() {
    let (cell, better) = best(&case(-95.0), [-91.0, -82.0, -90.5]);
    assert_eq!(cell, id("cell:s0/3"));
    assert!(better > MARGIN, "{better}");
    // The loudest is not it, if it is always loud.
    let mut loud = case(-95.0);
    let mut before = Performance::clone(&loud.before[0]);
    before
        .cells
        .get_mut(&id("cell:s0/1"))
        .unwrap()
        .interference_dbm = -78.0;
    loud.before = vec![Arc::new(before)];
    let (cell, better) = best(&loud, [-77.9, -82.0, -90.5]);
    assert_eq!(cell, id("cell:s0/3"));
    assert!(better > MARGIN);
}

/// An alarm is no measurement: cells that hear what they always heard, or all somewhat more because the
/// network is busier, are beside no source.
#[test]
fn no_source_is_seen_where_nothing_is_heard() {
    for dbm in [
        [-95.0, -95.0, -95.0],
        [-94.5, -95.3, -95.1],
        [-93.0, -93.2, -92.8],
    ] {
        let (_, better) = best(&case(-95.0), dbm);
        assert!(better < MARGIN, "{dbm:?}: {better}");
    }
}

#[test]
fn what_a_cell_hears_as_usual_disproves_only_where_it_could_hear() {
    let inventory = crate::drill::net::Net::new().inventory;
    let usual = |usual_dbm: f64, dbm: f64| {
        let cell = id("cell:s0/3");
        hears_as_usual(&inventory, &case(usual_dbm), &cell, &heard([dbm; 3]))
    };
    assert!(usual(-95.0, -94.0));
    assert!(!usual(-95.0, -82.0));
    assert!(!usual(-70.0, -70.0), "drowned in its own network");
}

#[test]
fn what_was_heard_just_before_is_no_yardstick() {
    let inventory = crate::drill::net::Net::new().inventory;
    let mut case = case(-95.0);
    let mut late = Performance::clone(&case.before[0]);
    (late.from, late.until) = (at(900), at(1_800));
    for cell in late.cells.values_mut() {
        cell.interference_dbm = -82.0;
    }
    case.before.push(Arc::new(late));
    // It ended 200 s before the trouble was noticed: it may hold half of it.
    assert!((case.usual_dbm(&inventory, &id("cell:s0/3")) + 95.0).abs() < 1e-9);
}

/// Where nothing was counted before, one alarm alone is no proof that a cell hears more than usual.
#[test]
fn where_nobody_knows_what_is_usual_one_alarm_is_not_enough() {
    let care = Care::default();
    assert_eq!(care.margin(1, false), None);
    assert_eq!(care.margin(2, false), care.margin(1, true));
    assert!(care.margin(2, true) < care.margin(1, true));
}
