//! Faults on given terms, and immediate repair. Read next: `../tests/stories.rs`, the course of
//! each fault by itself.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::fault::candidates;
use crate::{Backbone, Parameters};
use domain::inventory::ElementId;
use domain::telemetry::Severity;
use proptest::prelude::*;

fn at(minutes: f64) -> Timestamp {
    let start = Timestamp::parse("2025-04-21T10:00:00Z").unwrap();
    start.plus_s(minutes * 60.0)
}

fn network(seed: u64) -> Simulation {
    let quiet = Parameters {
        sites: 60,
        noise: 0.0,
        complaints_per_site_hour: 0.0,
        decoys: false,
        performance: false,
        ..Parameters::default()
    };
    Simulation::new(&Backbone::named("Polska").unwrap(), quiet, seed, at(0.0))
}

fn fault(simulation: &mut Simulation, kind: FaultKind, terms: FaultTerms, minutes: f64) -> Fault {
    let inventory = simulation.inventory();
    let fits =
        |element: &ElementId| kind != FaultKind::Congestion || simulation.can_surge(element, terms);
    let element = candidates(&inventory, kind, 2).into_iter().find(fits);
    Fault {
        kind,
        element: element.unwrap(),
        at: at(minutes),
    }
}

fn lasting(minutes: f64) -> FaultTerms {
    FaultTerms {
        lasts_s: Some(minutes * 60.0),
        severity: None,
    }
}

#[test]
fn what_can_be_said_of_each_kind() {
    let severe = FaultTerms {
        lasts_s: None,
        severity: Some(Severity::Critical),
    };
    let rows = FaultKind::simulated().map(|kind| {
        let takes = |terms: FaultTerms| {
            if terms.check(kind).is_ok() {
                "yes"
            } else {
                "no"
            }
        };
        format!("{kind} {} {}", takes(lasting(60.0)), takes(severe))
    });
    insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @r"
    fibre-cut no no
    duct-cut no no
    card-failure no no
    router-failure no no
    mains-failure yes no
    optical-module-ageing yes no
    cell-hardware-failure no no
    misconfiguration no no
    interference yes yes
    congestion yes yes
    ");
    for s in [59.9, 604_800.1, f64::NAN] {
        let terms = lasting(s / 60.0);
        let refused = terms
            .check(FaultKind::Interference)
            .unwrap_err()
            .to_string();
        assert_eq!(refused, "a duration is 60 to 604800 seconds");
    }
}

#[test]
fn what_has_a_duration_ends_with_it_and_not_before() {
    for kind in [
        FaultKind::MainsFailure,
        FaultKind::Interference,
        FaultKind::Congestion,
    ] {
        let mut simulation = network(1);
        let fault = fault(&mut simulation, kind, lasting(40.0), 0.0);
        simulation.inject_on(fault, lasting(40.0)).unwrap();
        simulation.advance(at(39.0));
        assert_eq!(simulation.truth()[0].repaired_at, None, "{kind}");
        simulation.advance(at(41.0));
        assert_eq!(simulation.truth()[0].repaired_at, Some(at(40.0)), "{kind}");
        assert!(simulation.state().troubles.is_empty(), "{kind}");
    }
}

#[test]
fn a_module_is_dark_when_it_was_said_to_be() {
    let mut simulation = network(1);
    let kind = FaultKind::OpticalModuleAgeing;
    let fault = fault(&mut simulation, kind, lasting(30.0), 0.0);
    let optic = fault.element.clone();
    simulation.inject_on(fault, lasting(30.0)).unwrap();
    simulation.advance(at(15.0));
    let half = simulation.state().dimmed_db(&optic, at(15.0));
    simulation.advance(at(31.0));
    let whole = simulation.state().dimmed_db(&optic, at(31.0));
    assert!((half - 8.0).abs() < 0.1 && (whole - 16.0).abs() < 0.1);
    assert!(simulation.state().failed().contains(&optic));
}

#[test]
fn the_more_severe_the_more_is_heard_and_the_farther_around() {
    let heard = |severity| {
        let mut simulation = network(1);
        let terms = FaultTerms {
            lasts_s: None,
            severity,
        };
        let fault = fault(&mut simulation, FaultKind::Interference, terms, 0.0);
        let cell = fault.element.clone();
        simulation.inject_on(fault, terms).unwrap();
        simulation.advance(at(1.0));
        let heard = simulation.state().interference_dbm();
        (heard[&cell], heard.len())
    };
    let [minor, major, critical] =
        [Severity::Minor, Severity::Major, Severity::Critical].map(|s| heard(Some(s)));
    assert_eq!(heard(None), major);
    assert!(
        minor.0 < major.0 && major.0 < critical.0,
        "{minor:?} {major:?} {critical:?}"
    );
    assert!(
        minor.1 <= major.1 && major.1 <= critical.1,
        "{minor:?} {major:?} {critical:?}"
    );
}

#[test]
fn asking_whether_a_surge_is_possible_changes_nothing() {
    let play = |asked: bool| {
        let mut simulation = network(3);
        let fault = fault(
            &mut simulation,
            FaultKind::Congestion,
            FaultTerms::default(),
            0.0,
        );
        if asked {
            for link in simulation.inventory().links.keys() {
                simulation.can_surge(link, FaultTerms::default());
            }
        }
        simulation.inject(fault).unwrap();
        simulation.advance(at(600.0))
    };
    assert_eq!(play(true), play(false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every fault can be repaired at once, at any stage and only once, without a trace.
    #[test]
    fn a_word_mends_anything(which in 0..10usize, seed in 0..8u64, minutes in 0.0..600.0f64) {
        let kind = FaultKind::ALL[which];
        let mut simulation = network(seed);
        let fault = fault(&mut simulation, kind, FaultTerms::default(), 5.0);
        simulation.inject(fault).unwrap();
        prop_assert!(!simulation.mend_fault(1, at(0.0)), "there is no second fault");
        simulation.advance(at(minutes));
        let over = simulation.truth()[0].repaired_at.is_some();
        prop_assert_eq!(simulation.mend_fault(0, at(minutes)), !over);
        prop_assert!(!simulation.mend_fault(0, at(minutes)), "it is mended");
        // Sites that were dark boot.
        simulation.advance(at(minutes + 30.0));
        let truth = &simulation.truth()[0];
        prop_assert!(truth.repaired_at.is_some() && truth.restored_at.is_some());
        prop_assert!(simulation.state().troubles.is_empty() && simulation.sites_out().is_empty());
        let begun = minutes >= 5.0;
        prop_assert!(begun || truth.touched.is_empty() && truth.sites_out.is_empty());
    }
}
