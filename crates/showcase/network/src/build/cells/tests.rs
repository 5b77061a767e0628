//! Properties of cells and batteries, checked over seeds.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::build::{Parameters, inventory};
use crate::geography::distance_km;
use crate::topology::Backbone;
use proptest::prelude::*;

fn network(sites: usize, seed: u64) -> Inventory {
    let parameters = Parameters {
        sites,
        ..Parameters::default()
    };
    inventory(&Backbone::default(), &parameters, seed)
}

#[test]
fn a_thousand_sites_have_about_five_thousand_cells_of_the_units_of_the_set() {
    let network = network(1_000, 1);
    let units = RadioUnit::ALL.map(|unit| {
        let cells = network.cells.values().filter(|c| c.radio_unit == unit);
        format!("{} {}", unit.as_str(), cells.count())
    });
    insta::assert_snapshot!(units.join(", "), @"Type2 129, Type3 114, Type4 1047, Type5 261, Type6 894, Type7 555, Type9 1095, Type10 864");
    assert!((4_500..5_500).contains(&network.cells.len()));
}

#[test]
fn remote_sites_have_batteries_for_hours_and_the_others_for_one_at_full_load() {
    let network = network(300, 1);
    assert_eq!(network.battery_wh.len(), 300);
    let mut remote = 0;
    for (site, wh) in &network.battery_wh {
        let hours = wh / power_at(&network, site, NORMAL_LOAD);
        if *wh <= old_battery_wh(&network, site) + 1.0 {
            assert!((1.0..2.5).contains(&hours), "{hours}");
        } else {
            remote += 1;
            assert!((3.99..8.01).contains(&hours), "{hours}");
        }
    }
    assert!((20..120).contains(&remote), "{remote}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn cells_hang_on_their_sites_and_know_their_neighbours(seed in any::<u64>(), sites in 1..200usize) {
        let network = network(sites, seed);
        prop_assert_eq!(network.of_kind(ElementKind::Cell).count(), network.cells.len());
        for site in network.of_kind(ElementKind::Site) {
            prop_assert!(matches!(network.cells_of(&site.id).count(), 3 | 6));
            prop_assert!(network.battery_wh[&site.id] > 0.0);
        }
        for (id, cell) in &network.cells {
            let element = &network.elements[id];
            prop_assert_eq!((element.kind, element.domain), (ElementKind::Cell, Domain::Wireless));
            let site = element.parent.as_ref().unwrap();
            prop_assert_eq!(network.elements[site].kind, ElementKind::Site);
            prop_assert!(network.cells_of(site).any(|c| c == id));
            prop_assert_eq!(cell.capacity_layer, cell.carrier_mhz > 1_000.0);
            prop_assert!((2..=NEIGHBOURS_MOST).contains(&cell.neighbours.len()));
            let mut last = 0.0;
            for neighbour in &cell.neighbours {
                prop_assert!(neighbour != id && network.cells.contains_key(neighbour));
                let km = distance_km(element.position, network.elements[neighbour].position);
                prop_assert!(km > last - 0.02 && km < 1.01 * HANDOVER_KM.0, "{} after {}", km, last);
                last = km;
            }
        }
    }
}
