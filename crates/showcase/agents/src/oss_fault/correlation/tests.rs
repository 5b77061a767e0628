//! Causes with the same sites, told apart by their alarms.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{Net, at, id};
use crate::knowledge::ObservedAlarm;
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
        strange: BTreeMap::new(),
        complaints: BTreeMap::new(),
        named: BTreeMap::new(),
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
    // A third of the duct's alarms are lost, one site elsewhere missed a heartbeat.
    let thin = [
        ("site:b1", SiteUnreachable, 80),
        ("site:b1", CellsOutOfService, 90),
        ("site:b2", SiteUnreachable, 100),
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
    assert!(ranked.iter().all(|r| {
        !correlator
            .keys(&r.explains)
            .contains(&(id("card:B/1"), CardFailure))
            || correlator.candidate(r.index).element == id("card:B/1")
    }));
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

fn with_optics() -> Correlator {
    Correlator::new(Topology::new(Arc::new(
        Net::town().with_optics().inventory(),
    )))
}

/// An ageing module is told from a cut by its warning, and from the module at the other end.
#[test]
fn an_ageing_module_was_warned_of_and_a_cut_was_not() {
    let correlator = with_optics();
    let first = |alarms: &[(&str, AlarmType, i64)]| {
        let explained = correlator.explain(&evidence(alarms), at(600));
        let first = explained.first().map(|e| e.ranked[0].index);
        first.map(|index| correlator.candidate(index).element.to_string())
    };
    let cut = [
        ("link:B-b5", LinkDown, 6),
        ("link:B-b5", LossOfSignal, 1),
        ("site:b5", SiteUnreachable, 80),
        ("site:b5", CellsOutOfService, 80),
    ];
    assert_eq!(first(&cut).as_deref(), Some("link:B-b5"));
    let mut dark = cut.to_vec();
    dark.push(("optic:B-b5/b", OpticalPowerLow, -9_000));
    assert_eq!(first(&dark).as_deref(), Some("optic:B-b5/b"));
    // Before it darkens, the warning alone is enough; a warning of the day before yesterday is not
    // about this.
    let warning = [("optic:B-b5/b", OpticalPowerLow, 1)];
    assert_eq!(first(&warning).as_deref(), Some("optic:B-b5/b"));
    dark.pop();
    dark.push(("optic:B-b5/b", OpticalPowerLow, -200_000));
    assert_eq!(first(&dark).as_deref(), Some("link:B-b5"));
}

#[test]
fn the_best_three_of_each_fault_are_named() {
    use crate::payloads::incident::IncidentAlarm;
    let heard: Vec<IncidentAlarm> = with_ring(&[
        ("link:B-b1", LossOfSignal, 1),
        ("link:B-b2", LossOfSignal, 1),
    ])
    .iter()
    .map(|(e, alarm_type, s)| IncidentAlarm {
        resource: id(e),
        alarm_type: *alarm_type,
        qualifier: None,
        time: at(*s),
    })
    .collect();
    let top = correlator().top(&heard, &BTreeMap::new(), at(600), 3);
    let names: Vec<&str> = top[0].iter().map(|s| s.target.as_str()).collect();
    assert_eq!(names.len(), 3);
    assert_eq!(names[0], "duct:B-1");
    assert!(names.contains(&"card:B/1"), "{names:?}");
}

/// A lesson says what was seen of what should have been, and what stood besides; learning from many
/// of them sharpens the picture.
#[test]
fn a_lesson_is_what_topology_expects_beside_what_was_heard() {
    let correlator = correlator();
    let fault = happened("card:B/1", Cause::CardFailure, 0);
    let heard = [
        heard("link:B-b1", LinkDown, 7, None),
        heard("link:B-b2", LinkDown, 8, Some(20)),
        heard("site:b1", SiteUnreachable, 90, None),
        heard("site:a1", SiteUnreachable, 50, None),
        heard("card:B/1", TemperatureHigh, 3, None),
    ];
    let lessons = correlator.lessons(&[fault], &heard);
    let after = |alarm_type| {
        let followed = lessons[0].followed.iter();
        let of_type = followed.filter(move |f| f.alarm_type == alarm_type);
        of_type.filter_map(|f| f.after_s).collect::<Vec<_>>()
    };
    // Counted from the first alarm, as the agent has it; what flickered is none.
    assert_eq!(after(LinkDown), [(0.0, 5.0)]);
    assert_eq!(after(SiteUnreachable), [(83.0, 88.0)]);
    assert!(after(CardFailure).is_empty());
    let others = &lessons[0].others[&SiteUnreachable];
    assert_eq!(others.lasted_s, [f64::INFINITY]);
    assert!(others.places >= 2);
    let learnt = Knowledge::learn(&vec![lessons[0].clone(); 50]);
    let seen = |knowledge: &Knowledge| knowledge.odds(CardFailure).effect.seen;
    assert!(seen(&learnt) < seen(&Knowledge::default()));
}

/// What two faults of one time have in common teaches nothing of either, and is no chance.
#[test]
fn faults_of_one_time_are_kept_apart() {
    let correlator = correlator();
    let (card, duct) = (
        happened("card:B/1", Cause::CardFailure, 0),
        happened("duct:B-1", Cause::DuctCut, 100),
    );
    let heard = [heard("site:b1", SiteUnreachable, 90, None)];
    let types = |faults: &[PastFault]| {
        let lessons = correlator.lessons(faults, &heard);
        let followed = lessons[0].followed.iter();
        let sites = followed.filter(|f| f.alarm_type == SiteUnreachable).count();
        let others = lessons[0].others.get(&SiteUnreachable);
        (sites, others.map(|o| o.lasted_s.len()))
    };
    let (alone, _) = types(std::slice::from_ref(&card));
    assert!(alone >= 4);
    assert_eq!(types(&[card, duct]), (0, Some(0)));
}

fn happened(target: &str, cause: Cause, s: i64) -> PastFault {
    PastFault {
        suspicion: Suspicion {
            target: id(target),
            cause,
        },
        from: at(s),
        until: at(7_200),
        touched: BTreeSet::new(),
    }
}

/// An alarm noticed at an instant and delivered five seconds later.
fn heard(resource: &str, alarm_type: AlarmType, s: i64, cleared: Option<i64>) -> ObservedAlarm {
    ObservedAlarm {
        resource: id(resource),
        alarm_type,
        noticed: at(s),
        arrived: at(s + 5),
        cleared: cleared.map(at),
    }
}

#[test]
fn cells_are_no_candidates() {
    let mut inventory = Net::town().inventory();
    let mut cell = inventory.element(&id("site:b1")).unwrap().clone();
    cell.id = id("cell:b1/1");
    cell.kind = ElementKind::Cell;
    cell.parent = Some(id("site:b1"));
    inventory.elements.insert(cell.id.clone(), cell);
    let correlator = Correlator::new(Topology::new(Arc::new(inventory)));
    assert!(correlator.of_element(&id("cell:b1/1")).is_none());
    assert!(correlator.of_element(&id("site:b1")).is_some());
}

#[test]
fn the_baseline_blames_the_first_alarm() {
    use super::super::baseline::first_alarm_baseline;
    use crate::payloads::incident::IncidentAlarm;
    let inventory = Net::town().inventory();
    let sighting = |e: &str, alarm_type| IncidentAlarm {
        resource: id(e),
        alarm_type,
        qualifier: None,
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

/// A type that was found to lie weighs less, and what is expected may have come under a strange name.
#[test]
fn what_lies_weighs_less_and_what_is_strange_weighs_little() {
    let topology = Topology::new(Arc::new(Net::town().inventory()));
    let score = |liar: bool, strange: bool| {
        let mut correlator = Correlator::new(topology.clone());
        if liar {
            correlator.found([LossOfSignal; 30], false);
        }
        let mut seen = evidence(&[
            ("link:B-b5", LossOfSignal, 0),
            ("link:B-b5", LinkDown, 5),
            ("site:b5", SiteUnreachable, 90),
        ]);
        if strange {
            seen.strange.insert(id("site:b5"), at(10));
        }
        let ranked = correlator.rank(&seen, at(400));
        let link = ranked
            .iter()
            .find(|r| correlator.candidate(r.index).element == id("link:B-b5"));
        link.map(|r| r.score)
    };
    let plain = score(false, false).unwrap_or_default();
    assert!(score(true, false).unwrap_or_default() < plain - 1.0);
    assert!(score(false, true).unwrap_or_default() > plain);
    // Alone it is no evidence of anything.
    let correlator = Correlator::new(topology.clone());
    let mut alone = evidence(&[]);
    alone.strange.insert(id("site:b5"), at(10));
    assert!(correlator.explain(&alone, at(400)).is_empty());
}
