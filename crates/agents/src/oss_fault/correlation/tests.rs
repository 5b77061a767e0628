//! Causes with the same sites, told apart by their alarms.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{Net, at, id};
use std::sync::Arc;

use AlarmType::*;

fn correlator() -> Correlator {
    Correlator::new(Topology::new(Arc::new(Net::town().inventory())))
}

fn evidence(alarms: &[(&str, AlarmType, i64)]) -> Evidence {
    Evidence {
        alarms: alarms
            .iter()
            .map(|(e, t, s)| ((id(e), *t), at(*s)))
            .collect(),
        complaints: BTreeMap::new(),
    }
}

/// The first of each explanation, ten minutes on.
fn blamed(alarms: &[(&str, AlarmType, i64)]) -> Vec<String> {
    let correlator = correlator();
    let explanations = correlator.explain(&evidence(alarms), at(600));
    let first = |e: &Explanation| correlator.candidate(e.ranked[0].index).element.to_string();
    explanations.iter().map(first).collect()
}

const RING_OUT: [(&str, AlarmType, i64); 7] = [
    ("site:b1", SiteUnreachable, 80),
    ("site:b1", CellsOutOfService, 90),
    ("site:b2", SiteUnreachable, 100),
    ("site:b2", CellsOutOfService, 70),
    ("site:b3", SiteUnreachable, 85),
    ("site:b4", SiteUnreachable, 99),
    ("site:b4", CellsOutOfService, 61),
];

fn with_ring(more: &[(&'static str, AlarmType, i64)]) -> Vec<(&'static str, AlarmType, i64)> {
    RING_OUT.iter().chain(more).copied().collect()
}

#[test]
fn a_duct_is_told_from_its_card_by_which_light_is_missed() {
    // Both cut off b1 to b4; the router's card sees darkness only while it lives.
    let duct = with_ring(&[
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b1", LinkDown, 6),
        ("link:B-b2", LossOfSignal, 1),
    ]);
    assert_eq!(blamed(&duct), ["duct:B-1"]);
    let card = with_ring(&[
        ("card:B/1", CardFailure, 5),
        ("link:B-b1", LinkDown, 6),
        ("link:B-b2", LinkDown, 7),
    ]);
    assert_eq!(blamed(&card), ["card:B/1"]);
    // The card's own alarm is lost: no light is missed although links are lost.
    let silent = with_ring(&[("link:B-b1", LinkDown, 6), ("link:B-b2", LinkDown, 7)]);
    assert_eq!(blamed(&silent), ["card:B/1"]);
}

#[test]
fn one_link_of_a_ring_is_not_its_duct() {
    let cut = [("link:B-b1", LossOfSignal, 1), ("link:B-b1", LinkDown, 6)];
    assert_eq!(blamed(&cut), ["link:B-b1"]);
}

#[test]
fn a_router_takes_more_than_its_card() {
    let router = with_ring(&[
        ("router:B", NodeUnreachable, 70),
        ("site:b5", SiteUnreachable, 100),
        ("site:b6", CellsOutOfService, 95),
        ("link:A-B", LossOfSignal, 1),
        ("link:B-C", LinkDown, 8),
        ("link:A-B", LinkDown, 8),
    ]);
    assert_eq!(blamed(&router), ["router:B"]);
}

#[test]
fn a_zone_cries_before_its_sites_fall_silent() {
    // b2 (in the ring) and b5 (a spur) share mains; batteries hold for a while.
    let zone = [
        ("site:b2", MainsFailure, 1),
        ("site:b5", MainsFailure, 2),
        ("site:b5", SiteUnreachable, 480),
        ("link:B-b5", LossOfSignal, 400),
    ];
    assert_eq!(blamed(&zone), ["zone:b"]);
    // The same site out with a cut spur, and no cry.
    let spur = [
        ("site:b5", SiteUnreachable, 80),
        ("site:b5", CellsOutOfService, 80),
        ("link:B-b5", LossOfSignal, 1),
        ("link:B-b5", LinkDown, 4),
    ];
    assert_eq!(blamed(&spur), ["link:B-b5"]);
}

#[test]
fn two_faults_at_once_are_two_explanations() {
    let mut both = with_ring(&[
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b2", LossOfSignal, 1),
    ]);
    both.extend([
        ("site:a1", SiteUnreachable, 150),
        ("site:a1", CellsOutOfService, 160),
        ("link:A-a1", LossOfSignal, 60),
        ("link:A-a1", LinkDown, 64),
    ]);
    assert_eq!(blamed(&both), ["duct:B-1", "link:A-a1"]);
}

#[test]
fn noise_and_lost_alarms_do_not_lead_astray() {
    // Half of the duct's alarms are lost, one site elsewhere missed a heartbeat.
    let thin = [
        ("site:b1", SiteUnreachable, 80),
        ("site:b3", CellsOutOfService, 85),
        ("site:b4", SiteUnreachable, 99),
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b2", LossOfSignal, 1),
        ("site:a1", SiteUnreachable, 30),
    ];
    assert_eq!(blamed(&thin), ["duct:B-1"]);
    // A single missed heartbeat is explained by nothing shared.
    assert!(blamed(&[("site:a1", SiteUnreachable, 30)]).is_empty());
}

#[test]
fn an_old_alarm_is_not_part_of_a_new_fault() {
    let correlator = correlator();
    let mut alarms = with_ring(&[
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b2", LossOfSignal, 1),
    ]);
    alarms.push(("card:B/1", CardFailure, -4_000));
    let ranked = correlator.rank(&evidence(&alarms), at(600));
    let best = &ranked[0];
    assert_eq!(correlator.candidate(best.index).element, id("duct:B-1"));
    assert!(
        ranked
            .iter()
            .all(|r| !r.explains.contains(&(id("card:B/1"), CardFailure))
                || correlator.candidate(r.index).element == id("card:B/1"))
    );
}

#[test]
fn complaints_tip_the_balance_and_early_silence_does_not() {
    let correlator = correlator();
    let mut seen = evidence(&[("link:B-b5", LossOfSignal, 1), ("link:B-b5", LinkDown, 4)]);
    let score = |seen: &Evidence, s: i64| {
        let ranked = correlator.rank(seen, at(s));
        let of = |r: &&Ranked| correlator.candidate(r.index).element == id("link:B-b5");
        ranked.iter().find(of).map(|r| r.score).unwrap()
    };
    // Heartbeats take minutes to be missed: what has not arrived yet speaks against it later.
    assert!(score(&seen, 20) > score(&seen, 600));
    let before = score(&seen, 600);
    seen.complaints.insert(id("site:b5"), 2);
    assert!(score(&seen, 600) > before);
}

#[test]
fn the_baseline_blames_the_first_alarm() {
    use super::super::baseline::first_alarm_baseline;
    use crate::payloads::incident::Sighting;
    let inventory = Net::town().inventory();
    let sighting = |e: &str, alarm_type| Sighting {
        resource: id(e),
        alarm_type,
        time: at(0),
    };
    let alarms = [
        sighting("router:B", TemperatureHigh),
        sighting("site:b5", CellsOutOfService),
        sighting("link:B-b5", LossOfSignal),
    ];
    let blamed = first_alarm_baseline(&inventory, &alarms).unwrap();
    assert_eq!(
        (blamed.target, blamed.cause),
        (id("zone:b"), Cause::MainsFailure)
    );
    assert!(first_alarm_baseline(&inventory, &alarms[..1]).is_none());
}
