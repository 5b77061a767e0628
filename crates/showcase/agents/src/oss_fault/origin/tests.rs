//! Origins of alarms without a name here, in a town: by topology, and as a past teaches them.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::{Net, at, id};
use crate::learnt_causes::tests::graph;
use domain::telemetry::{AlarmType, Severity};

fn town() -> Topology {
    Topology::new(Arc::new(Net::town().with_optics().inventory()))
}

fn finder() -> OriginFinder {
    OriginFinder::new(&town(), &LearntCauses::of(&graph()))
}

fn standing(alarms: &[(&str, &str, i64)]) -> NamedAlarms {
    let alarms = alarms.iter();
    alarms
        .map(|(element, name, s)| ((id(element), (*name).to_owned()), at(*s)))
        .collect()
}

/// What is blamed first for each group of these alarms, surest first.
fn blamed(finder: &OriginFinder, alarms: &[(&str, &str, i64)]) -> Vec<(String, Cause)> {
    let found = finder.explain(&standing(alarms));
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
    let first = blamed(&finder(), &alarms).remove(0);
    assert_eq!(first, ("link:A-B".to_owned(), Cause::FibreCut));
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
    let found = finder().explain(&standing(&alarms));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].ranked[0].element, id("duct:B-1"));
    assert_eq!(found[0].explains.len(), alarms.len());
}

/// The same ports, but the sites behind them speak for being there: half of what the duct would cut off
/// is not enough to blame it.
#[test]
fn who_should_be_out_and_is_silent_speaks_against() {
    let one = [("optic:B-b5/a", "DARK", 10), ("site:b5", "GONE", 20)];
    let both = [
        one[0],
        one[1],
        ("optic:B-b6/a", "DARK", 11),
        ("site:b6", "GONE", 21),
    ];
    let best = |alarms: &[(&str, &str, i64)]| blamed(&finder(), alarms).remove(0).0;
    assert_eq!(best(&one), "link:B-b5");
    assert_eq!(best(&both), "card:B/2");
}

#[test]
fn sites_of_one_supply_blame_it() {
    let both = [("site:b2", "MAINS", 10), ("site:b5", "MAINS", 20)];
    let expected = ("zone:b".to_owned(), Cause::MainsFailure);
    assert_eq!(blamed(&finder(), &both), [expected]);
}

#[test]
fn what_is_far_away_is_another_matter() {
    let alarms = [
        ("optic:A-a1/a", "DARK", 10),
        ("site:a1", "GONE", 12),
        ("optic:B-b6/a", "DARK", 9_000),
        ("site:b6", "GONE", 9_020),
    ];
    let found = blamed(&finder(), &alarms);
    let mut elements: Vec<&str> = found.iter().map(|(element, _)| &element[..]).collect();
    elements.sort_unstable();
    assert_eq!(elements, ["link:A-a1", "link:B-b6"]);
}

#[test]
fn nothing_is_said_of_types_that_were_never_heard_or_relate_to_nothing() {
    assert!(blamed(&finder(), &[("optic:A-B/a", "FLUX", 10)]).is_empty());
    let nothing = OriginFinder::new(&town(), &LearntCauses::default());
    assert!(blamed(&nothing, &[("optic:A-B/a", "DARK", 10)]).is_empty());
    let untaught = OriginFinder::taught(&town(), []);
    assert!(blamed(&untaught, &[("optic:A-B/a", "DARK", 10)]).is_empty());
}

/// Whoever knows nothing but names goes by place and time.
#[test]
fn whoever_is_ignorant_goes_by_topology_alone() {
    let ignorant = OriginFinder::new(&town(), &LearntCauses::ignorant(["FLUX", "FLOW"]));
    let alarms = |later_s: i64| {
        let [one, other] = ["optic:A-B/a", "optic:A-B/b"];
        [(one, "FLUX", 10), (other, "FLOW", later_s)]
    };
    let at_once = ignorant.explain(&standing(&alarms(200)));
    assert_eq!(at_once.len(), 1);
    assert_eq!(at_once[0].ranked[0].element, id("link:A-B"));
    let rare = at_once[0].ranked[0].score;
    let often = finder().explain(&standing(&[
        ("optic:A-B/a", "DARK", 10),
        ("optic:A-B/b", "GONE", 200),
    ]));
    assert!(rare > often[0].ranked[0].score, "rare names tell more");
}

/// A past of six hundred days, in which something happens every tenth, in turn: a spur is cut; the supply of b2
/// and b5 fails, and two hours later b5 ends. Doors stand open twice a day, which is nothing.
fn past() -> Vec<(Timestamp, Alarm)> {
    let mut past = Vec::new();
    let mut lasts = |element: &str, name: &str, from: i64, until: i64| {
        for (s, cleared) in [(from, false), (until, true)] {
            let alarm = Alarm {
                resource: id(element),
                alarm_type: AlarmType::Unknown,
                qualifier: name.to_owned(),
                severity: Severity::Major,
                time: at(s),
                cleared,
                text: String::new(),
            };
            past.push((at(s + 20), alarm));
        }
    };
    for turn in 0..60 {
        let from = 864_000 * turn + 3_600;
        let end = from + 20_000;
        match turn % 2 {
            0 => {
                let spur = ["A-a1", "B-b5", "B-b6"][turn as usize / 2 % 3];
                let site = spur.split('-').next_back().unwrap();
                lasts(&format!("optic:{spur}/a"), "DARK", from, end);
                lasts(&format!("site:{site}"), "GONE", from + 30, end);
            }
            _ => {
                lasts("site:b2", "MAINS", from, end);
                lasts("site:b5", "MAINS", from + 5, end);
                let ends = from + 7_200;
                lasts("site:b5", "ENDS", ends, end);
                lasts("site:b5", "GONE", ends + 30, end);
                lasts("optic:B-b5/a", "DARK", ends + 2, end);
            }
        }
        for hour in (2..24).step_by(2) {
            let site = ["b1", "b2", "b3", "b4", "b6"][(turn as usize + hour / 2) % 5];
            let from = 864_000 * turn + 36_000 * hour as i64 + 1_800;
            lasts(&format!("site:{site}"), "DOOR", from, from + 3_000);
        }
    }
    past.sort_by_key(|it| it.0);
    past
}

fn taught() -> OriginFinder {
    let past = past();
    OriginFinder::taught(&town(), past.iter().map(|(at, alarm)| (*at, alarm)))
}

#[test]
fn what_comes_by_itself_again_and_again_is_learnt_to_mean_nothing() {
    let taught = taught();
    assert!(blamed(&taught, &[("site:b6", "DOOR", 10)]).is_empty());
    let cut = [("optic:B-b6/a", "DARK", 10), ("site:b6", "GONE", 40)];
    let expected = ("link:B-b6".to_owned(), Cause::FibreCut);
    assert_eq!(blamed(&taught, &cut), [expected]);
    // A door that opens beside it is none of its alarms.
    let with_door = [cut[0], cut[1], ("site:b6", "DOOR", 50)];
    let found = taught.explain(&standing(&with_door));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].explains, standing(&cut).into_keys().collect());
}

#[test]
fn what_comes_of_a_failure_later_is_no_second_one() {
    let taught = taught();
    let ends = [
        ("site:b5", "ENDS", 7_210),
        ("optic:B-b5/a", "DARK", 7_212),
        ("site:b5", "GONE", 7_240),
    ];
    let mains = [("site:b2", "MAINS", 10), ("site:b5", "MAINS", 15)];
    let all = [&mains[..], &ends].concat();
    let expected = ("zone:b".to_owned(), Cause::MainsFailure);
    assert_eq!(blamed(&taught, &all), [expected]);
    let alarm = (id("optic:B-b5/a"), "DARK".to_owned());
    let found = taught.explain_one(&alarm, &standing(&all)).unwrap();
    assert_eq!(found.explains.len(), all.len());
    // Where no supply failed before, the same port is about its link.
    let cut = [ends[1], ends[2]];
    assert_eq!(blamed(&taught, &cut)[0].0, "link:B-b5");
}

#[test]
fn the_score_of_what_was_taught_is_odds_against_all_else() {
    let cut = standing(&[("optic:B-b6/a", "DARK", 10), ("site:b6", "GONE", 40)]);
    let found = taught().explain(&cut).remove(0);
    let scores: Vec<f64> = found.ranked.iter().map(|it| it.score).collect();
    assert!(scores[0] > 0.0, "{scores:?}");
    assert!(scores[1..].iter().all(|score| *score < 0.0), "{scores:?}");
}

#[test]
fn the_same_past_teaches_the_same() {
    let cut = standing(&[("optic:B-b6/a", "DARK", 10), ("site:b6", "GONE", 40)]);
    assert_eq!(taught().explain(&cut), taught().explain(&cut));
}
