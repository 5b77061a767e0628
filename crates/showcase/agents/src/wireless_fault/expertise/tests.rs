//! Mains or not, and what ails a cell.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{Net, Readings, id, measured};

fn decided(target: &str, rows: &[Readings<'_>]) -> Option<ElementId> {
    let finding = WirelessExpertise::decide(&Net::town().inventory(), &id(target), &measured(rows));
    finding.map(|f| f.root_cause)
}

use Condition::{Degraded, Failed, Good, Unreachable};

#[test]
fn meters_decide() {
    let dead = &[("meters_total", 4.0), ("meters_dead", 4.0)];
    let one = &[("meters_total", 4.0), ("meters_dead", 1.0)];
    assert_eq!(
        decided("zone:bb", &[("zone:bb", Failed, dead)]),
        Some(id("zone:bb"))
    );
    assert_eq!(decided("zone:bb", &[("zone:bb", Degraded, one)]), None);
    assert_eq!(
        decided("zone:bb", &[("zone:bb", Good, &[("mains_volts", 231.0)])]),
        None
    );
    // Asked about a site, the zone is to blame.
    assert_eq!(
        decided("site:b1", &[("zone:bb", Failed, dead)]),
        Some(id("zone:bb"))
    );
}

#[test]
fn last_breaths_decide_when_meters_are_out_of_reach() {
    let gasp: &[(&str, f64)] = &[("last_mains_volts", 0.0)];
    let lives: &[(&str, f64)] = &[("mains_volts", 229.0)];
    let silent: &[(&str, f64)] = &[];
    let zone = |b1, b3, b4| {
        decided(
            "zone:bb",
            &[
                ("zone:bb", Unreachable, silent),
                ("site:b1", Unreachable, b1),
                ("site:b3", Unreachable, b3),
                ("site:b4", Good, b4),
            ],
        )
    };
    assert_eq!(zone(gasp, gasp, silent), Some(id("zone:bb")));
    assert_eq!(zone(gasp, gasp, lives), Some(id("zone:bb")));
    assert_eq!(zone(gasp, lives, lives), None);
    // Silence is no proof of missing mains.
    assert_eq!(zone(silent, silent, silent), None);
}

/// A cell's readings, and the cause they show.
#[test]
fn what_ails_a_cell_shows_in_its_readings() {
    let inventory = crate::drill::net::Net::new().inventory;
    let cause = |condition, readings: &[(&str, f64)]| {
        let m = Measurement {
            element: id("cell:s0/1"),
            condition,
            readings: readings
                .iter()
                .map(|(n, v)| ((*n).to_owned(), *v))
                .collect(),
        };
        cell_finding(&inventory, &m).map(|f| f.cause)
    };
    // Ten MHz hear -97 dBm of thermal noise.
    for (condition, readings, expected) in [
        (
            Failed,
            &[("carrier_on", 0.0)][..],
            Some(Cause::CellHardwareFailure),
        ),
        // A carrier that is off because the cell sleeps is no failure.
        (Good, &[("carrier_on", 0.0)], None),
        (Degraded, &[("vswr", 3.1)], Some(Cause::CellHardwareFailure)),
        (
            Degraded,
            &[("interference_dbm", -88.0), ("vswr", 1.2)],
            Some(Cause::Interference),
        ),
        (Good, &[("interference_dbm", -95.0)], None),
        (Good, &[], None),
    ] {
        assert_eq!(cause(condition, readings), expected, "{readings:?}");
    }
}
