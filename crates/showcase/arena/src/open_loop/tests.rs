//! A recorded stream is the same each time, and every policy is judged on the same faults of it.

use super::*;

fn days(seed: u64) -> Days {
    let stream = StreamDays {
        topology: Backbone::named("Polska").unwrap(),
        sites: 60,
        days: 3,
        alarms: Arc::default(),
        errors: TelemetryErrors::none(),
    };
    stream.with(seed)
}

#[test]
fn every_policy_diagnoses_the_same_stream() {
    let day = record(&days(50_301), |_| {});
    let again = record(&days(50_301), |_| {});
    assert_eq!(day.alarms, again.alarms);
    assert_eq!(day.troubles, again.troubles);
    let in_order = |pair: &[yardsticks::DeliveredAlarm]| pair[0].at <= pair[1].at;
    assert!(day.alarms.windows(2).all(in_order));
    let cells = day
        .alarms
        .iter()
        .filter(|a| a.resource.as_str().starts_with("cell:"));
    assert!(cells.count() > 0, "cells are heard like anything else");
    let small = day.troubles.iter().filter(|t| t.cause.is_none());
    assert!(
        small.count() > 0,
        "small troubles are known to whoever judges"
    );

    let one = std::slice::from_ref(&day);
    let method = TuningMethod::AlarmsAreTrue;
    let tuned = tune_on(one, TuningDays::default(), method, 5.0).tuned;
    let runs = diagnose(&day, 50_301, &tuned);
    assert_eq!(runs.len(), YardstickKind::ALL.len() + 1);
    assert!(!runs[0].faults.is_empty());
    let kinds = |run: &OpenLoopRun| -> Vec<String> {
        run.faults.iter().map(|fault| fault.kind.clone()).collect()
    };
    for run in &runs {
        assert_eq!(kinds(run), kinds(&runs[0]), "{}", run.policy);
        assert!(run.statements >= run.right + run.real_troubles, "{run:?}");
    }
    let named: u32 = runs.iter().map(|run| run.right).sum();
    assert!(named > 0, "{runs:?}");
}
