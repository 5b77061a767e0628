//! Training is deterministic, and depends on the alarms.

use super::*;
use domain::telemetry::AlarmType;
use std::sync::Arc as Shared;

fn days(seed: u64) -> Days {
    Days {
        topology: network::Backbone::named("Polska").unwrap(),
        sites: 60,
        days: 1,
        seed,
        policy: crate::day::Operator::None,
        practice: Default::default(),
        alarms: Shared::default(),
        errors: network::TelemetryErrors::none(),
        knowledge: None,
    }
}

fn attended(seeds: std::ops::Range<u64>) -> Training {
    let mut training = Training::default();
    seeds.for_each(|seed| training.attend(&days(seed), |_| {}));
    training
}

/// The same seeds give the same bytes, and something is learnt from them.
#[test]
fn the_same_days_teach_the_same() {
    let (once, again) = (attended(50_001..50_004), attended(50_001..50_004));
    assert!(
        once.faults().values().sum::<usize>() > 3,
        "{:?}",
        once.faults()
    );
    let text = once.knowledge().to_string();
    assert_eq!(text, again.knowledge().to_string());
    assert_ne!(text, Knowledge::default().to_string());
    assert_eq!(Knowledge::parse(&text).unwrap(), once.knowledge());
}

/// Learning depends on the alarms: the same days with management systems that lose every second
/// alarm and delay all others by ten minutes give other knowledge.
#[test]
fn a_network_that_tells_otherwise_teaches_otherwise() {
    let mut simulation = days(50_001).network();
    let inventory = simulation.inventory();
    let cell = inventory.cells.keys().next().unwrap().clone();
    let end = days(50_001).end();
    let fault = network::Fault {
        kind: Cause::CellHardwareFailure,
        element: cell.clone(),
        at: days(50_001).begin(),
    };
    simulation.inject(fault).unwrap();
    simulation.advance(end);
    let heard = |after_s: f64| {
        vec![ObservedAlarm {
            resource: cell.clone(),
            alarm_type: AlarmType::CellUnavailable,
            noticed: days(50_001).begin().plus_s(10.0),
            arrived: days(50_001).begin().plus_s(10.0 + after_s),
            cleared: None,
        }]
    };
    let learnt = |heard: &[ObservedAlarm]| {
        let episode = lessons(&simulation, heard, end);
        let ours = episode
            .into_iter()
            .filter(|e| e.cause == Cause::CellHardwareFailure);
        let many: Vec<Episode> = ours.cycle().take(60).collect();
        Knowledge::learn(&many).effect(Some(Cause::CellHardwareFailure), AlarmType::CellUnavailable)
    };
    let (prompt, late, silent) = (learnt(&heard(5.0)), learnt(&heard(600.0)), learnt(&[]));
    assert!(
        prompt.seen > 0.9 && silent.seen < 0.3,
        "{prompt:?} {silent:?}"
    );
    assert!(late.delay_s > prompt.delay_s + 500.0, "{late:?} {prompt:?}");
}
