//! The table of readings, row by row.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{Net, id};

/// An element, how it was found, and its readings.
type Row<'a> = (&'a str, Condition, &'a [(&'a str, f64)]);

fn measured(rows: &[Row<'_>]) -> Measurements {
    rows.iter()
        .map(|(element, condition, readings)| {
            let m = Measurement {
                element: id(element),
                condition: *condition,
                readings: readings
                    .iter()
                    .map(|(n, v)| ((*n).to_owned(), *v))
                    .collect(),
            };
            (id(element), m)
        })
        .collect()
}

fn decided(target: &str, rows: &[Row<'_>]) -> String {
    let inventory = Net::town().inventory();
    match IpPractice::decide(&inventory, &id(target), &measured(rows)) {
        Some(f) => format!("{} {}; {}", f.cause, f.root_cause, f.location),
        None => "nothing".to_owned(),
    }
}

use Condition::{Degraded, Failed, Good, Unreachable};

const CUT_AT_0_3: &[(&str, f64)] = &[("light_a_dbm", -40.1), ("reflection_km", 0.3)];

#[test]
fn the_table() {
    let broken = &[("light_a_dbm", -40.1), ("reflection_km", 4.26)];
    let dark = &[("light_a_dbm", -39.9)];
    let rows = [
        decided("link:B-b5", &[("link:B-b5", Failed, broken)]),
        decided("link:B-b5", &[("link:B-b5", Failed, dark)]),
        decided(
            "link:B-b5",
            &[("link:B-b5", Good, &[("light_a_dbm", -7.0)])],
        ),
        decided(
            "link:B-b1",
            &[
                ("link:B-b1", Failed, CUT_AT_0_3),
                ("link:B-b2", Failed, CUT_AT_0_3),
            ],
        ),
        decided(
            "link:B-b1",
            &[
                ("link:B-b1", Failed, CUT_AT_0_3),
                ("link:B-b2", Failed, broken),
            ],
        ),
        decided(
            "link:B-b1",
            &[("link:B-b1", Failed, CUT_AT_0_3), ("link:B-b2", Good, &[])],
        ),
        decided(
            "card:B/1",
            &[
                ("card:B/1", Failed, &[("heartbeat_age_s", 200.0)]),
                ("router:B", Good, &[]),
            ],
        ),
        decided(
            "card:B/1",
            &[("card:B/1", Good, &[("heartbeat_age_s", 4.0)])],
        ),
        decided(
            "card:B/1",
            &[
                ("card:B/1", Unreachable, &[]),
                ("router:B", Failed, &[("console_answers", 0.0)]),
            ],
        ),
        decided(
            "router:B",
            &[("router:B", Unreachable, &[("console_answers", 1.0)])],
        ),
    ];
    insta::assert_snapshot!(rows.join("\n"), @r"
    fibre-cut link:B-b5; 4.3 km of 12.0 km from card:B/2, begins in Bonn (50.7000 N, 7.1000 E)
    nothing
    nothing
    duct-cut duct:B-1; 0.30 km from the router in Bonn, begins in Bonn (50.7000 N, 7.1000 E)
    fibre-cut link:B-b1; 0.3 km of 12.0 km from card:B/1, begins in Bonn (50.7000 N, 7.1000 E)
    fibre-cut link:B-b1; 0.3 km of 12.0 km from card:B/1, begins in Bonn (50.7000 N, 7.1000 E)
    card-failure card:B/1; in Bonn (50.7000 N, 7.1000 E)
    nothing
    router-failure router:B; in Bonn (50.7000 N, 7.1000 E)
    nothing
    ");
}

#[test]
fn a_duct_measured_itself_needs_all_fibres_at_one_place() {
    let duct = |broken: f64, could: f64, spread: f64| {
        let readings = [
            ("links_broken", broken),
            ("links_measured", could),
            ("break_km", 0.31),
            ("break_spread_km", spread),
        ];
        decided(
            "duct:B-1",
            &[
                ("duct:B-1", Degraded, &readings),
                ("link:B-b1", Failed, CUT_AT_0_3),
            ],
        )
    };
    assert!(duct(2.0, 2.0, 0.02).starts_with("duct-cut duct:B-1; 0.31 km"));
    assert!(duct(2.0, 2.0, 5.0).starts_with("fibre-cut link:B-b1"));
    assert!(duct(1.0, 2.0, 0.0).starts_with("fibre-cut link:B-b1"));
}

#[test]
fn what_is_measured_around_a_suspect() {
    let inventory = Net::town().inventory();
    let plan = |target: &str, cause| {
        let suspicion = Suspicion {
            target: id(target),
            cause,
        };
        let plan = IpPractice::plan(&inventory, &suspicion, &BTreeSet::new());
        let names: Vec<&str> = plan.iter().map(|e| e.as_str()).collect();
        names.join(" ")
    };
    let plans = [
        plan("link:B-b1", Cause::FibreCut),
        plan("duct:B-1", Cause::DuctCut),
        plan("card:B/2", Cause::CardFailure),
        plan("router:C", Cause::RouterFailure),
    ];
    insta::assert_snapshot!(plans.join("\n"), @r"
    link:B-b1 card:B/1 duct:B-1 link:B-b1 link:B-b2
    duct:B-1 link:B-b1 link:B-b2
    card:B/2 router:B link:B-C link:B-b5 link:B-b6
    router:C card:C/0 card:C/1 card:C/2
    ");
}
