//! What is learnt, how slowly, and that it can be written down.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;

fn episode(cause: Cause, followed: &[(AlarmType, Certainty, Option<f64>)]) -> Episode {
    let followed = followed.iter().map(|(alarm_type, certainty, delay_s)| {
        let (alarm_type, certainty, delay_s) = (*alarm_type, *certainty, *delay_s);
        Followed {
            alarm_type,
            certainty,
            delay_s,
        }
    });
    Episode {
        cause,
        followed: followed.collect(),
        others: BTreeMap::new(),
    }
}

#[test]
fn what_ships_can_be_read() {
    let shipped = Knowledge::parse(SHIPPED).unwrap();
    assert_eq!(shipped, Knowledge::in_force());
}

#[test]
fn nothing_learnt_is_what_was_set_by_hand() {
    let learnt = Knowledge::learn(&[]);
    for alarm_type in AlarmType::ALL {
        let (a, b) = (
            learnt.odds(alarm_type),
            Knowledge::default().odds(alarm_type),
        );
        assert!((a.seen - b.seen).abs() < 1e-9 && (a.chance - b.chance).abs() < 1e-9);
    }
}

#[test]
fn a_hundred_lost_alarms_are_believed_and_one_is_not() {
    use AlarmType::CardFailure;
    let lost = episode(Cause::CardFailure, &[(CardFailure, Certainty::Sure, None)]);
    let once = Knowledge::learn(std::slice::from_ref(&lost)).odds(CardFailure);
    assert!(once.seen > 0.6, "{once:?}");
    let often = Knowledge::learn(&vec![lost; 100]).odds(CardFailure);
    assert!(often.seen < 0.15, "{often:?}");
}

#[test]
fn delays_widen_the_window_and_batteries_are_counted() {
    use AlarmType::{LinkDown, SiteUnreachable};
    let slow = |s: f64| episode(Cause::FibreCut, &[(LinkDown, Certainty::Sure, Some(s))]);
    let slow: Vec<Episode> = (0..100).map(|n| slow(f64::from(n) * 10.0)).collect();
    let learnt = Knowledge::learn(&slow);
    assert!(learnt.window_s > 1_000.0, "{}", learnt.window_s);
    assert!((learnt.odds(LinkDown).delay_s - 890.0).abs() < 15.0);
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
    noisy.others.insert(SiteUnreachable, (50, 1_000));
    let chance = |n| {
        Knowledge::learn(&vec![noisy.clone(); n])
            .odds(SiteUnreachable)
            .chance
    };
    assert!(chance(1) > 0.01 && chance(1) < chance(20));
    assert!((chance(100) - 0.05).abs() < 0.002);
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    for (text, why) in [
        (
            "window-s 300\nalarm gremlins seen 0.5 chance 0.1 delay-s 3",
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
        knowledge.odds.insert(AlarmType::LinkDown, Odds { seen, chance, delay_s: delay });
        prop_assert_eq!(Knowledge::parse(&knowledge.to_string()).unwrap(), knowledge);
    }

    #[test]
    fn whatever_is_learnt_can_be_reckoned_with(
        delays in proptest::collection::vec(proptest::option::of(-80_000.0f64..80_000.0), 0..60),
        stood in 0u64..5_000, places in 0u64..5_000,
    ) {
        let followed: Vec<_> = delays.iter().map(|d| (AlarmType::LossOfSignal, Certainty::Sure, *d)).collect();
        let mut e = episode(Cause::FibreCut, &followed);
        e.others.insert(AlarmType::LossOfSignal, (stood.min(places), places));
        let learnt = Knowledge::learn(&[e]);
        let odds = learnt.odds(AlarmType::LossOfSignal);
        prop_assert!(odds.seen > 0.0 && odds.seen < 1.0);
        prop_assert!(odds.chance > 0.0 && odds.chance < 1.0);
        prop_assert!(odds.delay_s >= 1.0 && learnt.window_s >= 60.0);
        prop_assert_eq!(Knowledge::parse(&learnt.to_string()).unwrap(), learnt);
    }
}
