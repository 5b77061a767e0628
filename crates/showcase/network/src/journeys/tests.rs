//! Vehicles follow roads at plausible speeds, and records show the service there was.
#![allow(clippy::unwrap_used)]

use super::records::Records;
use super::*;
use crate::build::{self, Parameters};
use crate::mobile::PlaceService;
use crate::topology::Backbone;
use domain::inventory::ElementId;
use domain::telemetry::Outcome;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Germany50 in two provinces, split at the median latitude.
pub(crate) fn germany() -> Inventory {
    let mut inventory = build::inventory(&Backbone::default(), &Parameters::default(), 7);
    let mut towns: Vec<(f64, String)> = inventory
        .of_kind(ElementKind::Router)
        .map(|r| (r.position.1, r.place.clone()))
        .collect();
    towns.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = towns.len() / 2;
    for (rank, (_, town)) in towns.into_iter().enumerate() {
        let province = if rank < middle { "South" } else { "North" };
        inventory.provinces.insert(town, province.to_owned());
    }
    inventory
}

fn start() -> Timestamp {
    Timestamp::parse("2025-04-21T00:00:00Z").unwrap()
}

#[test]
fn every_vehicle_has_a_number_of_iso_3779_of_its_own() {
    let journeys = Journeys::new(&germany(), 500, 3);
    let numbers: BTreeSet<&str> = journeys.vehicles().iter().map(|v| v.vin.as_str()).collect();
    assert_eq!((numbers.len(), journeys.vehicles().len()), (200, 200));
    for vin in numbers {
        let allowed = |c: char| {
            (c.is_ascii_digit() || c.is_ascii_uppercase()) && !matches!(c, 'I' | 'O' | 'Q')
        };
        assert!(vin.len() == 17 && vin.chars().all(allowed), "{vin}");
    }
    let homes: BTreeSet<&str> = journeys
        .vehicles()
        .iter()
        .map(|v| v.province.as_str())
        .collect();
    assert_eq!(homes, BTreeSet::from(["North", "South"]));
}

/// Some vehicles cross the border of the provinces, and all are at home at midnight.
#[test]
fn vehicles_leave_their_province_and_come_home() {
    let inventory = germany();
    let journeys = Journeys::new(&inventory, 60, 3);
    let mut crossed = 0;
    for (n, vehicle) in journeys.vehicles().iter().enumerate() {
        let there = |hour: f64| {
            let at = journeys
                .whereabouts(n, start().plus_s(hour * 3_600.0))
                .unwrap();
            journeys.nearest_town(at.position).unwrap().0.to_owned()
        };
        assert_eq!(
            journeys.whereabouts(n, start()).unwrap().position,
            vehicle.spot
        );
        let away = |town: String| inventory.provinces[&town] != vehicle.province;
        crossed += usize::from((0..24).any(|hour| away(there(f64::from(hour)))));
    }
    assert!((6..40).contains(&crossed), "{crossed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn where_a_vehicle_is_depends_on_nothing_but_the_instant(seed: u64, vehicle in 0usize..20, minute in 0i64..2_800) {
        let inventory = germany();
        let journeys = Journeys::new(&inventory, 20, seed);
        let at = |m: i64| journeys.whereabouts(vehicle, start() + m * 60_000).unwrap();
        let (here, next) = (at(minute), at(minute + 1));
        // 120 km/h is 2 km a minute, by straight lines on a map that is round.
        prop_assert!(km(here.position, next.position) < 2.2);
        prop_assert_eq!(at(minute), here);
        if !here.driving && !next.driving {
            prop_assert!(km(here.position, next.position) < 2.2);
        }
        prop_assert_eq!(Journeys::new(&inventory, 20, seed).whereabouts(vehicle, start() + minute * 60_000), Some(here));
    }
}

fn served(cell: &str) -> PlaceService {
    PlaceService {
        cell: ElementId::new(cell),
        rsrp_dbm: -90.0,
        throughput_mbps: 5.0,
    }
}

/// Each province records its own part of a route, and the province to which the vehicle left.
#[test]
fn records_are_each_provinces_own_and_a_loss_is_the_end_of_a_visit() {
    let inventory = germany();
    let site_in = |province: &str| {
        let mut sites = inventory.of_kind(ElementKind::Site);
        let found = sites.find(|s| inventory.province_of(&s.id) == Some(province));
        found.unwrap().id.as_str().to_owned()
    };
    let (north, south) = (site_in("North"), site_in("South"));
    let mut records = Records::default();
    let steps = [
        Some(&north),
        Some(&north),
        None,
        None,
        Some(&north),
        Some(&south),
        Some(&north),
    ];
    for (minute, step) in (0..).zip(steps) {
        let served = step.map(|cell| served(cell));
        records.take("V", served.as_ref(), start() + minute * 60_000, 0.0);
    }
    let window = (start(), start() + 600_000);
    let told = |province: &str| match records.trace(&inventory, "V", province, window) {
        Outcome::Traced {
            visits,
            left_to,
            came_from,
        } => {
            let spans: Vec<String> = visits
                .iter()
                .map(|v| {
                    format!(
                        "{}-{} {}",
                        (v.from - start()) / 60_000,
                        (v.until - start()) / 60_000,
                        v.failures
                    )
                })
                .collect();
            format!("{spans:?} {left_to:?} {came_from:?}")
        }
        other => panic!("{other:?}"),
    };
    insta::assert_snapshot!(told("North"), @r#"["0-1 1", "4-4 0", "6-6 0"] Some("South") Some("South")"#);
    insta::assert_snapshot!(told("South"), @r#"["5-5 0"] Some("North") Some("North")"#);
}
