//! Names of faults, and properties of random choice.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::build::{Parameters, inventory};
use crate::chance::stream;
use crate::topology::Backbone;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn requested(text: &str) -> String {
    match text.parse::<FaultRequest>() {
        Ok(request) => format!("{request:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn requests_are_read() {
    insta::assert_snapshot!(requested("random"), @"Random");
    insta::assert_snapshot!(requested("duct-cut"), @"OfKind(DuctCut)");
    insta::assert_snapshot!(requested("fibre-cut:link:Berlin-BE-017"), @r#"Exactly { kind: FibreCut, element: ElementId("link:Berlin-BE-017") }"#);
    insta::assert_snapshot!(requested("earthquake"), @"'earthquake' is no fault: write random, fibre-cut, duct-cut, card-failure, router-failure, mains-failure, optical-module-ageing, cell-hardware-failure, misconfiguration, interference or congestion, and after a colon an element if it matters which");
}

#[test]
fn what_is_asked_for_must_exist_and_fit() {
    let network = inventory(
        &Backbone::named("Polska").unwrap(),
        &Parameters::default(),
        1,
    );
    let resolve = |text: &str| {
        let request: FaultRequest = text.parse().unwrap();
        match request.resolve(&network, 4, Timestamp::from_ms(0), &mut stream(1, 0)) {
            Ok(fault) => fault.to_string(),
            Err(error) => error.to_string(),
        }
    };
    insta::assert_snapshot!(resolve("router-failure:router:Lodz"), @"router-failure:router:Lodz");
    insta::assert_snapshot!(resolve("router-failure:router:Paris"), @"the network has no element 'router:Paris'");
    insta::assert_snapshot!(resolve("fibre-cut:router:Lodz"), @"a fibre-cut happens to a link, and 'router:Lodz' is none");
}

#[test]
fn every_kind_has_candidates_and_rings_are_lost_with_their_ducts() {
    let network = inventory(&Backbone::default(), &Parameters::default(), 1);
    for kind in OUTAGES {
        assert!(candidates(&network, kind, 4).len() > 3, "{}", kind.as_str());
        assert_eq!(FaultKind::parse(kind.as_str()), Some(kind));
    }
    let classic = candidates(&network, FaultKind::DuctCut, 4)
        .into_iter()
        .find(|duct| {
            let links = network.links.iter().filter(|(_, l)| l.ducts.contains(duct));
            links
                .into_iter()
                .all(|(link, _)| network.sites_cut_off(&BTreeSet::from([link.clone()])).len() < 4)
        });
    assert!(classic.is_some(), "no ring has both ends in one duct");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_random_fault_takes_out_a_batch_and_leaves_the_backbone(seed in any::<u64>(), which in 0..4usize, min in 4..9usize) {
        let topology = crate::catalogue()[which].topology();
        let network = inventory(&topology, &Parameters::default(), seed);
        let mut rng = stream(seed, 0);
        let fault = random_fault(&network, &OUTAGES, min, Timestamp::from_ms(0), &mut rng).unwrap();
        let failed = BTreeSet::from([fault.element.clone()]);
        prop_assert!(network.sites_cut_off(&failed).len() >= min);
        let reached = Reachability::new(&network).nodes(&failed);
        for router in network.of_kind(ElementKind::Router) {
            prop_assert!(failed.contains(&router.id) || reached.contains(&router.id));
        }
    }
}
