//! Each error strikes as often as said, leaves the others alone, and clears what it raised.

use super::*;
use crate::build::{Parameters, inventory};
use crate::state::ObservableCondition;
use crate::topology::Backbone;
use std::collections::BTreeSet;

const ALARMS: usize = 3_000;

fn network() -> Inventory {
    inventory(&Backbone::default(), &Parameters::default(), 1)
}

fn with(settings: &str) -> TelemetryErrors {
    let mut errors = TelemetryErrors::none();
    errors.set_all(settings).unwrap();
    errors
}

fn at(s: usize) -> Timestamp {
    Timestamp::from_ms(0).plus_s(s as f64)
}

/// A message about site `index`, at its own hour, delivered five seconds later.
fn message(network: &Inventory, index: usize, cleared: bool) -> Deliveries {
    let sites: Vec<&ElementId> = network
        .of_kind(domain::inventory::ElementKind::Site)
        .map(|site| &site.id)
        .collect();
    let site = sites[index % sites.len()];
    let sighting = ObservableCondition {
        resource: site.clone(),
        alarm_type: AlarmType::SiteUnreachable,
        seen_by: site.clone(),
    };
    let time = at(10_000 * index + if cleared { 2_000 } else { 0 });
    vec![(time.plus_s(5.0), alarms::alarm(&sighting, time, cleared))]
}

/// What arrives of each of many alarms, and of its clearing.
fn passed(errors: TelemetryErrors) -> Vec<(Deliveries, Deliveries)> {
    let network = network();
    let mut transmission = AlarmTransmission::new(errors, 5);
    let mut pass = |index, cleared| {
        let sent = message(&network, index, cleared);
        transmission.pass(&network, sent)
    };
    (0..ALARMS)
        .map(|index| (pass(index, false), pass(index, true)))
        .collect()
}

/// The numbers of the alarms of which this is true.
fn struck(
    errors: TelemetryErrors,
    is: impl Fn(usize, &(Deliveries, Deliveries)) -> bool,
) -> BTreeSet<usize> {
    let all = passed(errors).into_iter().enumerate();
    let struck = all.filter(|(index, told)| is(*index, told));
    struck.map(|(index, _)| index).collect()
}

/// True if `count` of all alarms is within four standard deviations of this share.
fn is_share(count: usize, share: f64) -> bool {
    let expected = ALARMS as f64 * share;
    (count as f64 - expected).abs() < 4.0 * (expected * (1.0 - share)).sqrt()
}

fn is_lost(_: usize, told: &(Deliveries, Deliveries)) -> bool {
    told.0.is_empty()
}

fn is_elsewhere(network: &Inventory, index: usize, told: &(Deliveries, Deliveries)) -> bool {
    let own = &message(network, index, false)[0].1.resource;
    told.0.iter().any(|(_, alarm)| alarm.resource != *own)
}

#[test]
fn without_errors_all_arrives_as_it_was_sent() {
    let network = network();
    for (index, told) in passed(TelemetryErrors::none()).into_iter().enumerate() {
        assert_eq!(told.0, message(&network, index, false));
        assert_eq!(told.1, message(&network, index, true));
    }
}

#[test]
fn a_third_is_lost_with_its_clearing_and_a_higher_share_loses_those_too() {
    let lost = struck(with("lost=0.33"), is_lost);
    assert!(is_share(lost.len(), 0.33), "{}", lost.len());
    let few = struck(with("lost=0.1"), is_lost);
    assert!(few.is_subset(&lost) && is_share(few.len(), 0.1));
    let mut compared = 0;
    for (raised, cleared) in passed(with("lost=0.33")) {
        // What was never told is not taken back; what was told is taken back in the end.
        assert_eq!(raised.is_empty(), cleared.is_empty());
        let late = cleared.iter().filter(|(at, _)| at.as_ms() % 900_000 == 0);
        compared += late.count();
    }
    assert!(is_share(compared, 0.67 * 0.33), "{compared}");
}

#[test]
fn what_is_misattributed_is_of_the_same_kind_near_by_and_cleared_there() {
    let network = network();
    let mut count = 0;
    for (index, (raised, cleared)) in passed(with("misattributed=0.2")).into_iter().enumerate() {
        let own = &message(&network, index, false)[0].1.resource;
        let told = &raised[0].1.resource;
        assert_eq!(cleared[0].1.resource, *told);
        assert!(
            raised[0].1.text.contains(told.as_str()),
            "{}",
            raised[0].1.text
        );
        if told != own {
            assert!(neighbours(&network, own).contains(told));
            count += 1;
        }
    }
    assert!(is_share(count, 0.2), "{count}");
}

#[test]
fn what_has_no_name_is_kept_with_a_code_that_tells_nothing() {
    let mut count = 0;
    for (raised, cleared) in passed(with("unknown=0.3")) {
        let (raised, cleared) = (&raised[0].1, &cleared[0].1);
        assert_eq!(raised.alarm_type, cleared.alarm_type);
        if raised.alarm_type == AlarmType::Unknown {
            assert!(!raised.text.contains("heartbeat") && raised.text.contains("site:"));
            assert!(cleared.cleared && cleared.text.starts_with("unknown on site:"));
            count += 1;
        }
    }
    assert!(is_share(count, 0.3), "{count}");
}

#[test]
fn what_flaps_ends_after_it_was_seen_last() {
    let mut raises = Vec::new();
    for (raised, cleared) in passed(with("flapping=0.2")) {
        let begun: BTreeSet<Timestamp> = raised
            .iter()
            .filter(|(_, alarm)| !alarm.cleared)
            .map(|(_, alarm)| alarm.time)
            .collect();
        let end = cleared[0].1.time;
        assert!(raised.iter().all(|(_, alarm)| alarm.time < end));
        if begun.len() > 1 {
            raises.push(begun.len());
        }
    }
    assert!(is_share(raises.len(), 0.2), "{}", raises.len());
    let mean = raises.iter().sum::<usize>() as f64 / raises.len() as f64;
    assert!((3.0..3.6).contains(&mean), "{mean}");
}

#[test]
fn what_is_late_is_as_late_as_said_and_single_messages_are_overtaken() {
    let network = network();
    let delays = |errors| -> Vec<f64> {
        let told = passed(errors).into_iter().enumerate();
        told.map(|(index, (raised, _))| {
            let sent = message(&network, index, false)[0].0;
            raised[0].0.seconds_since(sent)
        })
        .filter(|delay_s| *delay_s > 0.0)
        .collect()
    };
    let late = delays(with("late=0.25,late-s=1200"));
    assert!(is_share(late.len(), 0.25), "{}", late.len());
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!((1_020.0..1_380.0).contains(&mean), "{mean}");
    let overtaken = delays(with("disorder=0.25"));
    assert!(is_share(overtaken.len(), 0.25), "{}", overtaken.len());
    assert!(overtaken.iter().all(|delay_s| *delay_s <= OVERTAKEN_S));
}

#[test]
fn one_error_does_not_change_whom_another_strikes() {
    let network = network();
    let elsewhere = |settings: &str| {
        struck(with(settings), |index, told| {
            is_elsewhere(&network, index, told)
        })
    };
    let alone = elsewhere("misattributed=0.2");
    let among = elsewhere("misattributed=0.2,unknown=0.5,late=0.5,flapping=0.5,disorder=0.5");
    assert_eq!(alone, among);
    let lost = |settings: &str| struck(with(settings), is_lost);
    assert_eq!(
        lost("lost=0.2"),
        lost("lost=0.2,misattributed=0.9,flapping=0.9")
    );
}
