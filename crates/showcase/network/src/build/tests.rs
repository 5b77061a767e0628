//! Properties of building, checked over seeds and topologies.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn census(network: &Inventory) -> String {
    use ElementKind::*;
    [Router, LineCard, Link, Duct, Site, PowerZone]
        .map(|kind| format!("{} {}", kind.as_str(), network.of_kind(kind).count()))
        .join(", ")
}

#[test]
fn the_default_network_has_the_intended_size() {
    let network = inventory(&Backbone::default(), &Parameters::default(), 1);
    insta::assert_snapshot!(census(&network), @"router 50, card 138, link 409, duct 34, site 300, zone 77");
    let cores: Vec<&str> = network.cores.iter().map(ElementId::as_str).collect();
    assert_eq!(cores, ["router:Giessen", "router:Hannover"]);
}

#[test]
fn some_rings_survive_each_single_cut_and_some_sites_do_not() {
    let network = inventory(&Backbone::default(), &Parameters::default(), 1);
    let access: Vec<_> = network.links.iter().filter(|(_, l)| !l.backbone).collect();
    let harmless = access
        .iter()
        .filter(|(id, _)| {
            network
                .sites_cut_off(&BTreeSet::from([(*id).clone()]))
                .is_empty()
        })
        .count();
    assert!(
        harmless * 3 > access.len(),
        "{harmless} of {}",
        access.len()
    );
    assert!(
        harmless * 10 < access.len() * 9,
        "{harmless} of {}",
        access.len()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn a_network_is_whole_and_in_order(seed in any::<u64>(), which in 0..4usize, sites in 1..500usize) {
        let topology = crate::catalogue()[which].topology();
        let parameters = Parameters { sites, ..Parameters::default() };
        let network = inventory(&topology, &parameters, seed);
        prop_assert_eq!(&network, &inventory(&topology, &parameters, seed));
        prop_assert_eq!(network.of_kind(ElementKind::Site).count(), sites);
        prop_assert!(network.sites_cut_off(&BTreeSet::new()).is_empty());
        prop_assert!((1..=2).contains(&network.cores.len()));
        for (id, element) in &network.elements {
            let kind = format!("{}:", element.kind.as_str());
            prop_assert!(id.as_str().starts_with(&kind) && *id == element.id);
            prop_assert!(element.position.0.is_finite() && element.position.1.is_finite());
            let wireless = matches!(element.kind, ElementKind::Site | ElementKind::PowerZone | ElementKind::Cell);
            let domain = if wireless { Domain::Wireless } else { Domain::Ip };
            prop_assert_eq!(element.domain, domain);
            let parent = element.parent.as_ref().map(|p| network.elements[p].kind);
            let fits = match element.kind {
                ElementKind::LineCard => parent == Some(ElementKind::Router),
                ElementKind::Site => parent == Some(ElementKind::PowerZone),
                ElementKind::Cell => parent == Some(ElementKind::Site),
                ElementKind::Optic => matches!(parent, Some(ElementKind::LineCard | ElementKind::Site)),
                _ => parent.is_none(),
            };
            prop_assert!(fits, "{} in {:?}", id, parent);
            prop_assert!(network.province_of(id).is_some());
        }
        for (id, link) in &network.links {
            prop_assert_eq!(network.elements[id].kind, ElementKind::Link);
            prop_assert!(link.length_km >= access::SHORTEST_KM || link.backbone);
            let (a, b) = (network.elements[&link.a].kind, network.elements[&link.b].kind);
            prop_assert_eq!(link.backbone, a == ElementKind::LineCard && b == ElementKind::LineCard);
            prop_assert!(link.ducts.iter().all(|d| network.elements[d].kind == ElementKind::Duct));
            for (optic, end) in [(&link.optic_a, &link.a), (&link.optic_b, &link.b)] {
                prop_assert_eq!(network.elements[optic].parent.as_ref(), Some(end));
            }
            prop_assert!(!link.backbone || crate::traffic::demand::MODULES_MBPS.contains(&link.capacity_mbps));
        }
        for duct in network.of_kind(ElementKind::Duct) {
            let inside = network.links.values().filter(|l| l.ducts.contains(&duct.id)).count();
            prop_assert!(inside >= 2);
        }
        for zone in network.of_kind(ElementKind::PowerZone) {
            let inside = network.elements.values().filter(|e| e.parent.as_ref() == Some(&zone.id)).count();
            prop_assert!((1..=12).contains(&inside));
        }
        let halves: BTreeSet<&String> = network.provinces.values().collect();
        prop_assert_eq!(halves.into_iter().collect::<Vec<_>>(), PROVINCES);
        for router in network.of_kind(ElementKind::Router) {
            let inside = network.elements.values().filter(|e| e.parent.as_ref() == Some(&router.id)).count();
            prop_assert!((2..=4).contains(&inside));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_quick_count_says_what_the_inventory_says(seed in any::<u64>(), picks in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12)) {
        let network = inventory(&Backbone::default(), &Parameters::default(), seed);
        let names: Vec<&ElementId> = network.elements.keys().collect();
        let failed: BTreeSet<ElementId> = picks.iter().map(|p| (*p.get(&names)).clone()).collect();
        let reach = crate::reachability::Reachability::new(&network);
        prop_assert_eq!(reach.sites_out(&failed), network.sites_cut_off(&failed));
    }
}
