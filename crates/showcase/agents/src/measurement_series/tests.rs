//! Two measurements that agree, two that do not, and probes that fail.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::id;

fn told(condition: Condition, readings: &[(&str, f64)]) -> Outcome {
    Outcome::Measured(Measurement {
        element: id("cell:1"),
        condition,
        readings: readings
            .iter()
            .map(|(n, v)| ((*n).to_owned(), *v))
            .collect(),
    })
}

fn round() -> MeasurementRound {
    let mut round = MeasurementRound::default();
    assert_eq!(round.begin(&[id("cell:1")]).len(), AGREEING);
    round
}

/// Only what the condition says.
fn alike(_: &Measurement, _: &Measurement) -> bool {
    false
}

#[test]
fn what_two_find_in_order_is_not_measured_a_third_time() {
    let mut round = round();
    round.take(&id("cell:1"), told(Condition::Good, &[("vswr", 1.0)]));
    assert!(round.waits());
    round.take(&id("cell:1"), told(Condition::Good, &[("vswr", 1.2)]));
    assert!(!round.waits());
    assert!(round.again(alike).is_empty());
    let agreed = round.agreed().remove(&id("cell:1")).unwrap();
    assert_eq!(agreed.condition, Condition::Good);
    assert!((agreed.readings["vswr"] - 1.1).abs() < 1e-9);
}

/// Measures until nothing more is asked for, the rest of `conditions` in turn; what is agreed on, and how
/// often was measured.
fn measured(conditions: &[Condition]) -> (Condition, usize) {
    let mut round = round();
    let (mut taken, mut next) = (0, conditions.iter().copied());
    let mut probes = AGREEING;
    while probes > 0 {
        for _ in 0..probes {
            let condition = next.next().unwrap();
            let on = f64::from(u8::from(condition == Condition::Good));
            round.take(&id("cell:1"), told(condition, &[("on", on)]));
        }
        taken += probes;
        probes = round.again(alike).len();
    }
    let agreed = round.agreed().remove(&id("cell:1")).unwrap();
    let on = agreed.readings["on"] > 0.5;
    assert_eq!(on, agreed.condition == Condition::Good, "of one state");
    (agreed.condition, taken)
}

#[test]
fn what_condemns_must_lead_by_three_and_what_clears_by_two() {
    use Condition::{Degraded, Failed, Good, Unreachable};
    for (conditions, agreed) in [
        (&[Failed, Failed, Failed][..], (Failed, 3)),
        (&[Unreachable, Unreachable, Unreachable], (Unreachable, 3)),
        (&[Failed, Good, Good, Good], (Good, 4)),
        // Two wrong readings send nobody.
        (&[Failed, Failed, Good, Good, Good, Good], (Good, 6)),
        (&[Good, Failed, Failed, Failed, Failed], (Failed, 5)),
        (&[Degraded, Degraded], (Degraded, 2)),
        // Nobody is of one mind, and it was measured often enough: doubt does not condemn.
        (
            &[Failed, Good, Good, Failed, Failed, Good, Degraded],
            (Good, 7),
        ),
    ] {
        assert_eq!(measured(conditions), agreed, "{conditions:?}");
    }
}

/// Whoever no longer waits does not condemn by two against one.
#[test]
fn what_is_cut_short_condemns_only_without_doubt() {
    for (conditions, agreed) in [
        (
            &[Condition::Failed, Condition::Good, Condition::Failed][..],
            Condition::Good,
        ),
        (&[Condition::Failed, Condition::Failed], Condition::Failed),
    ] {
        let mut round = round();
        for condition in conditions {
            round.take(&id("cell:1"), told(*condition, &[]));
        }
        round.give_up();
        assert!(round.again(alike).is_empty());
        assert_eq!(round.agreed()[&id("cell:1")].condition, agreed);
    }
}

#[test]
fn readings_that_contradict_are_measured_again_and_a_lone_echo_is_none() {
    let mut round = round();
    let echo = |m: &Measurement| m.readings.contains_key("reflection_km");
    let differ = |a: &Measurement, b: &Measurement| echo(a) != echo(b);
    round.take(
        &id("cell:1"),
        told(Condition::Good, &[("reflection_km", 3.0)]),
    );
    round.take(&id("cell:1"), told(Condition::Good, &[]));
    assert_eq!(round.again(differ).len(), 1);
    round.take(&id("cell:1"), told(Condition::Good, &[]));
    assert!(round.agreed()[&id("cell:1")].readings.is_empty());
}

#[test]
fn a_probe_that_fails_is_repeated_but_not_for_ever() {
    let mut round = round();
    let fail = || Outcome::Impossible("busy".to_owned());
    round.take(&id("cell:1"), fail());
    round.take(&id("cell:1"), told(Condition::Good, &[]));
    assert_eq!(round.again(alike).len(), 1);
    round.take(&id("cell:1"), fail());
    let mut probes = 3;
    while let Some(element) = round.again(alike).pop() {
        round.take(&element, fail());
        probes += 1;
    }
    assert_eq!(probes, PROBES_MAX);
    // One measurement is what there is.
    assert_eq!(round.agreed().len(), 1);
    assert!(round.unmeasured().is_empty());
}

#[test]
fn who_no_longer_waits_begins_nothing_again() {
    let mut round = round();
    round.give_up();
    assert!(!round.waits() && round.again(alike).is_empty());
    assert_eq!(round.unmeasured(), ["cell:1: no answer"]);
}
