//! The formulas by hand, and what they say of a small network.

#![allow(clippy::unwrap_used)]

use super::coverage::{LostSector, Surroundings, sectors};
use super::curve::usual_load;
use super::energy::{can, power_kw};
use super::*;
use crate::bench::id;
use crate::drill::hour;
use crate::drill::net::Net;
use domain::inventory::RadioUnit;
use domain::telemetry::Saving;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn radio() -> Radio {
    Radio::new(Arc::new(Net::new().inventory))
}

#[test]
fn units_and_days_are_what_is_reckoned_by_hand() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 0.001, "{a} {b}");
    // 15.76 + 29.01 × 0.5, in units of 10 W.
    near(power_kw(RadioUnit::Type4, 0.5, Saving::Off, 0.0), 0.3026);
    // 31.15 − 12.45: the lower end of what Type10's sleep is measured to save.
    near(
        power_kw(RadioUnit::Type10, 0.0, Saving::DeepSleep, 0.0),
        0.1870,
    );
    near(usual_load(hour(4)), (0.101 + 0.075) / 2.0);
}

#[test]
fn a_sector_knows_its_cover_and_its_neighbours_distance() {
    let radio = radio();
    assert_eq!(radio.cover_of(&id("cell:s0/4")), Some(&id("cell:s0/3")));
    assert_eq!(radio.cover_of(&id("cell:s0/3")), None);
    let km = radio.spacing_km(&id("cell:s0/1"));
    assert!((4.5..5.1).contains(&km), "{km}");
    let lost: Vec<ElementId> = radio
        .inventory()
        .cells_of(&id("site:s0"))
        .cloned()
        .collect();
    let found = sectors(&radio, lost.iter());
    assert_eq!(found, [id("cell:s0/1"), id("cell:s0/3"), id("cell:s0/5")]);
}

proptest! {
    /// Energy never falls below what sleep draws, grows with load, and no saving costs.
    #[test]
    fn energy_keeps_to_physics(load in 0.0..=1.0f64, more in 0.0..=1.0f64, db in 0.0..=10.0f64) {
        for unit in RadioUnit::ALL {
            let draws = |load, saving, db| power_kw(unit, load, saving, db);
            prop_assert!(draws(load.max(more), Saving::Off, db) >= draws(load.min(more), Saving::Off, db));
            prop_assert!(draws(load, Saving::Off, db) >= draws(load, Saving::Off, 0.0) - 1e-12);
            for saving in Saving::ALL.into_iter().filter(|s| can(unit, *s)) {
                prop_assert!(draws(load, saving, db) > 0.0);
                prop_assert!(draws(load, saving, db) <= draws(load, Saving::Off, db) + 1e-12);
            }
        }
    }

    /// Who is louder alone covers no fewer users.
    #[test]
    fn a_louder_neighbour_covers_no_less(db in 0.0..=10.0f64, which in 0usize..18) {
        let radio = radio();
        let lost: BTreeSet<ElementId> = radio.inventory().cells_of(&id("site:s0")).cloned().collect();
        let around = Surroundings {
            lost: &lost,
            cells: &BTreeMap::new(),
            usual_load: 0.1,
        };
        let mut field = LostSector::of_sector(&radio, &id("cell:s0/1"), 5.0, around).unwrap();
        let before = field.served(2.0);
        let which = which % field.candidates.len();
        field.candidates[which].offset_db = db;
        let after = field.served(2.0);
        prop_assert!(after.share >= before.share);
        prop_assert!(after.carried_mbps <= field.demand_mbps + 1e-9);
    }
}
