//! Origins of alarms without a name here, in a town.

use super::*;
use crate::bench::{Net, at, id};
use crate::learnt_causes::tests::graph;

fn finder() -> OriginFinder {
    let inventory = Arc::new(Net::town().with_optics().inventory());
    OriginFinder::new(
        Topology::new(inventory),
        Arc::new(LearntCauses::of(&graph())),
    )
}

/// What is blamed first for each group of these alarms.
fn blamed(alarms: &[(&str, &str, i64)]) -> Vec<(String, Cause)> {
    let standing: NamedAlarms = alarms
        .iter()
        .map(|(element, name, s)| ((id(element), (*name).to_owned()), at(*s)))
        .collect();
    let found = finder().explain(&standing);
    let best = found.iter().filter_map(|e| e.ranked.first());
    best.map(|best| (best.element.to_string(), best.cause))
        .collect()
}

#[test]
fn two_ports_that_face_each_other_blame_what_is_between_them() {
    let alarms = [
        ("optic:A-B/a", "DARK", 10),
        ("optic:A-B/b", "DARK", 11),
        ("card:C/2", "HOT", 12),
    ];
    let first = blamed(&alarms).remove(0);
    assert_eq!(first, ("link:A-B".to_owned(), Cause::FibreCut));
}

#[test]
fn a_port_whose_far_module_foretold_it_blames_that_module() {
    let alarms = [("optic:A-B/a", "LASER", 10), ("optic:A-B/b", "DARK", 900)];
    let expected = ("optic:A-B/a".to_owned(), Cause::OpticalModuleAgeing);
    assert_eq!(blamed(&alarms), [expected]);
}

#[test]
fn ports_side_by_side_blame_the_duct_that_their_links_share() {
    let alarms = [
        ("optic:B-b1/a", "DARK", 10),
        ("optic:B-b2/a", "DARK", 11),
        ("site:b1", "GONE", 40),
        ("site:b2", "GONE", 45),
        ("site:b3", "GONE", 50),
        ("site:b4", "GONE", 52),
    ];
    let found = blamed(&alarms);
    assert_eq!(found, [("duct:B-1".to_owned(), Cause::DuctCut)]);
}

#[test]
fn sites_of_one_supply_blame_it_and_one_alone_does_not() {
    let both = [("site:b2", "MAINS", 10), ("site:b5", "MAINS", 20)];
    // They are not adjacent, so each is a group; either blames the same zone.
    let found = blamed(&both);
    assert!(
        found.iter().all(|(element, _)| element == "zone:b"),
        "{found:?}"
    );
    assert!(
        blamed(&[("site:b2", "HOT", 10)])
            .iter()
            .all(|(e, _)| e == "zone:b")
    );
}

#[test]
fn what_is_far_away_or_much_later_is_another_matter() {
    let alarms = [
        ("optic:A-B/a", "DARK", 10),
        ("optic:B-b6/a", "DARK", 9_000),
        ("site:b6", "GONE", 9_020),
    ];
    let found = finder().explain(
        &alarms
            .iter()
            .map(|(element, name, s)| ((id(element), (*name).to_owned()), at(*s)))
            .collect(),
    );
    assert_eq!(found.len(), 2);
    let origins: Vec<usize> = found.iter().map(|e| e.origins.len()).collect();
    assert_eq!(origins, [1, 1]);
}

#[test]
fn nothing_is_said_of_types_that_were_never_heard() {
    assert!(blamed(&[("optic:A-B/a", "FLUX", 10)]).is_empty());
}

/// Who knows nothing groups what stands side by side at once, whatever it is, and takes all of it for
/// origins.
#[test]
fn where_nothing_was_learnt_place_and_time_alone_make_a_group() {
    let inventory = Arc::new(Net::town().with_optics().inventory());
    let ignorant = Arc::new(LearntCauses::ignorant(["FLUX", "FLOW"]));
    let ignorant = OriginFinder::new(Topology::new(inventory), ignorant);
    let alarms = |later_s: i64| -> NamedAlarms {
        let alarm = |element: &str, name: &str, s: i64| ((id(element), name.to_owned()), at(s));
        let [one, other] = ["optic:A-B/a", "optic:A-B/b"];
        [alarm(one, "FLUX", 10), alarm(other, "FLOW", later_s)].into()
    };
    let together = ignorant.explain(&alarms(200));
    assert_eq!(together.len(), 1);
    assert_eq!(together[0].origins, together[0].explains);
    assert_eq!(together[0].ranked[0].element, id("link:A-B"));
    assert_eq!(ignorant.explain(&alarms(400)).len(), 2);
    assert!(finder().explain(&alarms(200)).is_empty());
}
