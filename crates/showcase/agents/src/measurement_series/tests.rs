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
fn what_two_agree_on_is_not_measured_a_third_time() {
    let mut round = round();
    round.take(&id("cell:1"), told(Condition::Failed, &[("vswr", 3.0)]));
    assert!(round.waits());
    round.take(&id("cell:1"), told(Condition::Failed, &[("vswr", 3.2)]));
    assert!(!round.waits());
    assert!(round.again(alike).is_empty());
    let agreed = round.agreed().remove(&id("cell:1")).unwrap();
    assert_eq!(agreed.condition, Condition::Failed);
    assert!((agreed.readings["vswr"] - 3.1).abs() < 1e-9);
}

#[test]
fn of_two_that_differ_a_third_decides() {
    for (third, holds) in [
        (Condition::Failed, Condition::Failed),
        (Condition::Good, Condition::Good),
        // Nobody is of one mind: doubt does not condemn.
        (Condition::Degraded, Condition::Good),
    ] {
        let mut round = round();
        round.take(&id("cell:1"), told(Condition::Failed, &[("on", 0.0)]));
        round.take(&id("cell:1"), told(Condition::Good, &[("on", 1.0)]));
        assert_eq!(round.again(alike), [id("cell:1")]);
        round.take(&id("cell:1"), told(third, &[("on", 1.0)]));
        assert!(round.again(alike).is_empty());
        let agreed = round.agreed().remove(&id("cell:1")).unwrap();
        assert_eq!(agreed.condition, holds);
        assert!((agreed.readings["on"] - 1.0).abs() < 1e-9);
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
