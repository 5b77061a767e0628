//! The lessons learnt, their pace, and that they can be written down.

#![allow(clippy::unwrap_used)]

use super::text::SHIPPED;
use super::*;
use proptest::prelude::*;

fn episode(cause: Cause, followed: &[(AlarmType, Certainty, Option<f64>)]) -> Episode {
    let followed = followed
        .iter()
        .map(|(alarm_type, certainty, delay_s)| ExpectedAlarm {
            alarm_type: *alarm_type,
            certainty: *certainty,
            after_s: delay_s.map(|s| (s, s)),
        });
    Episode {
        cause,
        followed: followed.collect(),
        others: BTreeMap::new(),
    }
}

/// What ships was learnt, says from what, and says something of the ten causes of the simulated network: how often each
/// strikes, and how it shows.
#[test]
fn what_ships_was_learnt_and_is_complete() {
    let shipped = Knowledge::parse(SHIPPED).unwrap();
    assert_eq!(shipped, Knowledge::in_force());
    assert_ne!(shipped, Knowledge::default());
    assert!(SHIPPED.contains("# Learnt by `convoke learn` from seeds 50001.."));
    for cause in Cause::simulated() {
        let says = |what: &str| SHIPPED.contains(&format!("\ncause {cause} {what} "));
        assert!(says("frequency") && says("alarm"), "{cause}");
    }
    let figures = SHIPPED.lines().filter(|l| !l.starts_with('#'));
    let figures: String = figures.map(|l| format!("{l}\n")).collect();
    assert_eq!(
        figures,
        shipped.to_string(),
        "nothing is left as set by hand unsaid"
    );
}

#[test]
fn nothing_learnt_is_what_was_set_by_hand() {
    let learnt = Knowledge::learn(&[]);
    for alarm_type in AlarmType::ALL {
        let (a, b) = (
            learnt.odds(alarm_type),
            Knowledge::default().odds(alarm_type),
        );
        assert!((a.effect.seen - b.effect.seen).abs() < 1e-9 && (a.chance - b.chance).abs() < 1e-9);
    }
}

#[test]
fn a_hundred_lost_alarms_are_believed_and_one_is_not() {
    use AlarmType::CardFailure;
    let lost = episode(Cause::CardFailure, &[(CardFailure, Certainty::Sure, None)]);
    let seen = |learnt: &Knowledge| learnt.odds(CardFailure).effect.seen;
    let once = Knowledge::learn(std::slice::from_ref(&lost));
    assert!(seen(&once) > 0.6, "{once}");
    let often = Knowledge::learn(&vec![lost; 100]);
    assert!(seen(&often) < 0.15, "{often}");
}

/// What one cause teaches of a type of alarm holds for others as far as these have not shown it
/// themselves.
#[test]
fn a_cause_may_differ_from_what_holds_in_general() {
    use AlarmType::LinkDown;
    let shown = |cause, delay_s| episode(cause, &[(LinkDown, Certainty::Sure, delay_s)]);
    let mut episodes = vec![shown(Cause::FibreCut, Some(5.0)); 200];
    episodes.extend(vec![shown(Cause::CardFailure, None); 200]);
    let learnt = Knowledge::learn(&episodes);
    let seen = |cause| learnt.effect(cause, LinkDown).seen;
    assert!(seen(Some(Cause::FibreCut)) > 0.9 && seen(Some(Cause::CardFailure)) < 0.1);
    let general = seen(None);
    assert!((0.4..0.6).contains(&general), "{general}");
    assert_eq!(seen(Some(Cause::RouterFailure)), general);
}

/// What stands at a cell weighs for one cause and against the others, as learnt.
#[test]
fn own_alarms_weigh_for_the_cause_that_shows_so() {
    use AlarmType::{CellUnavailable, InterferenceHigh};
    let knowledge = Knowledge::default();
    let best = |stands: AlarmType| {
        let local = Cause::ALL.into_iter().filter(|c| own_alarms(*c).len() > 1);
        let weight = |c: &Cause| knowledge.weight(*c, |t| t == stands, 900.0);
        local
            .max_by(|a, b| weight(a).total_cmp(&weight(b)))
            .unwrap()
    };
    assert_eq!(best(CellUnavailable), Cause::CellHardwareFailure);
    assert_eq!(best(InterferenceHigh), Cause::Interference);
    // In a network whose broken radio units are heard as foreign power, the same alarm says otherwise.
    let buzzing = episode(
        Cause::CellHardwareFailure,
        &[
            (InterferenceHigh, Certainty::Sure, Some(60.0)),
            (CellUnavailable, Certainty::Sure, None),
        ],
    );
    let quiet = episode(
        Cause::Interference,
        &[(InterferenceHigh, Certainty::Sure, None)],
    );
    let mut episodes = vec![buzzing; 300];
    episodes.extend(vec![quiet; 300]);
    let learnt = Knowledge::learn(&episodes);
    let weight = |c| learnt.weight(c, |t| t == InterferenceHigh, 900.0);
    assert!(weight(Cause::CellHardwareFailure) > weight(Cause::Interference) + 2.0);
}

#[test]
fn delays_widen_the_window_and_batteries_are_counted() {
    use AlarmType::{LinkDown, SiteUnreachable};
    let slow = |s: f64| episode(Cause::FibreCut, &[(LinkDown, Certainty::Sure, Some(s))]);
    let slow: Vec<Episode> = (0..100).map(|n| slow(f64::from(n) * 10.0)).collect();
    let learnt = Knowledge::learn(&slow);
    assert!(learnt.window_s > 1_000.0, "{}", learnt.window_s);
    assert!((learnt.odds(LinkDown).effect.delay_s - 890.0).abs() < 15.0);
    let holds = episode(
        Cause::MainsFailure,
        &[(SiteUnreachable, Certainty::Battery, None)],
    );
    let learnt = Knowledge::learn(&vec![holds; 200]);
    assert!(learnt.battery_ends < 0.1, "{}", learnt.battery_ends);
    assert!(learnt.frequency(Cause::MainsFailure) > learnt.frequency(Cause::FibreCut));
}

#[test]
fn what_stands_without_a_fault_counts_as_chance() {
    use AlarmType::SiteUnreachable;
    let mut noisy = episode(Cause::FibreCut, &[]);
    let others = Others {
        places: 1_000,
        lasted_s: (1..=50).map(|n| f64::from(n) * 10.0).collect(),
    };
    noisy.others.insert(SiteUnreachable, others);
    let chance = |n: usize| {
        Knowledge::learn(&vec![noisy.clone(); n])
            .odds(SiteUnreachable)
            .chance
    };
    assert!(chance(1) > 0.01 && chance(1) < chance(20));
    assert!((chance(100) - 0.05).abs() < 0.002);
    let lasts_s = Knowledge::learn(&[noisy]).lasts_s(SiteUnreachable);
    assert!((480.0..=500.0).contains(&lasts_s), "{lasts_s}");
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    for (text, why) in [
        (
            "window-s 300\nalarm gremlins seen 0.5 delay-s 3 chance 0.1 lasts-s 60",
            "line 2: no alarm is called gremlins",
        ),
        (
            "battery-ends 1.5",
            "line 1: '1.5' is no number between 0 and 1",
        ),
        ("window-s -1", "line 1: '-1' is no number above 0"),
        (
            "# only a remark\n\nhello",
            "line 3: 'hello' says nothing known",
        ),
    ] {
        assert_eq!(Knowledge::parse(text).unwrap_err().to_string(), why);
    }
}

proptest! {
    #[test]
    fn reading_undoes_writing(
        seen in 0.001f64..0.998, chance in 1e-6f64..0.9, delay in 1.0f64..9_000.0,
        window in 1.0f64..90_000.0, ends in 0.001f64..0.998,
    ) {
        let mut knowledge = Knowledge { window_s: window, battery_ends: ends, ..Knowledge::default() };
        knowledge.odds.insert(AlarmType::LinkDown, Odds::new(seen, chance, delay));
        knowledge.effects.insert((Cause::FibreCut, AlarmType::LinkDown), Effect { seen, delay_s: delay });
        prop_assert_eq!(Knowledge::parse(&knowledge.to_string()).unwrap(), knowledge);
    }

    #[test]
    fn whatever_is_learnt_can_be_reckoned_with(
        delays in proptest::collection::vec(proptest::option::of(-80_000.0f64..80_000.0), 0..60),
        lasted in proptest::collection::vec(0.0f64..1e6, 0..60), places in 0u64..5_000,
    ) {
        let followed: Vec<_> = delays.iter().map(|d| (AlarmType::LossOfSignal, Certainty::Sure, *d)).collect();
        let mut e = episode(Cause::FibreCut, &followed);
        let places = places.max(lasted.len() as u64);
        e.others.insert(AlarmType::LossOfSignal, Others { places, lasted_s: lasted });
        let learnt = Knowledge::learn(&[e]);
        let odds = learnt.odds(AlarmType::LossOfSignal);
        prop_assert!(odds.effect.seen > 0.0 && odds.effect.seen < 1.0);
        prop_assert!(odds.chance > 0.0 && odds.chance < 1.0);
        prop_assert!(odds.effect.delay_s >= 1.0 && learnt.window_s >= 60.0);
        prop_assert_eq!(Knowledge::parse(&learnt.to_string()).unwrap(), learnt);
    }
}
