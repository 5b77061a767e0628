//! How busy agents are and how their steps went, as whoever runs the platform is told.
//!
//! Read next: `engine::AgentStatistics`.

use super::failing::poisoned;
use super::*;
use engine::AgentStatistics;

/// What is told of the first agent.
fn told(stage: &Stage) -> AgentStatistics {
    stage.engine.agent_statistics(stage.now).remove(0)
}

/// What waits for it, since when in milliseconds, and since when it steps.
fn busy(stage: &Stage) -> (u32, u64, Option<Timestamp>) {
    let told = told(stage);
    (told.waiting, told.waiting_ms, told.step_since)
}

#[test]
fn an_agent_that_does_not_come_back_shows_since_when_and_what_waits_behind_it() {
    let mut stage = stage(
        Plan::default(),
        [("worker", willing()), ("other", willing())],
    );
    stage.settle();
    let began = told(&stage);
    assert_eq!((&*began.name, began.steps, began.failed), ("worker", 1, 0));
    assert_eq!(busy(&stage), (0, 0, None));
    drop(stage.ask(assignment("worker", "a")));
    stage.flush();
    assert_eq!(busy(&stage), (1, 0, None), "nobody took it");
    stage.pass(50);
    assert_eq!(busy(&stage), (1, 50, None));
    let (turn, since) = (stage.next().unwrap(), stage.now);
    assert_eq!(busy(&stage), (0, 0, Some(since)));
    stage.pass(400);
    for task in ["b", "c"] {
        drop(stage.ask(assignment("worker", task)));
        stage.pass(300);
    }
    stage.flush();
    assert_eq!(busy(&stage), (2, 600, Some(since)), "the mailbox grows");
    let others = stage.engine.agent_statistics(stage.now).remove(1);
    assert_eq!(
        (&*others.name, others.waiting, others.steps),
        ("other", 0, 1)
    );
    let took = Duration::from_micros(1_500);
    assert!(stage.engine.finish(only(turn).taking(took), stage.now));
    assert_eq!(busy(&stage), (2, 600, None));
    let after = told(&stage);
    assert_eq!((after.steps, after.step_time, after.failed), (2, took, 0));
    stage.settle();
    assert_eq!(busy(&stage), (0, 0, None));
    assert_eq!(told(&stage).steps, 4);
}

#[test]
fn what_was_handed_out_behind_a_step_waits_as_what_is_in_the_mailbox_does() {
    let mut stage = stage(Plan::default(), [("worker", willing())]);
    stage.settle();
    for task in ["a", "b", "c"] {
        drop(stage.ask(assignment("worker", task)));
        stage.pass(100);
    }
    stage.flush();
    let (first, turn) = stage.turn(8).unwrap().step(|| true);
    assert_eq!(busy(&stage), (2, 200, Some(stage.now)));
    stage.pass(10);
    assert!(stage.engine.finish(first, stage.now));
    assert_eq!(busy(&stage), (1, 110, Some(stage.now)), "the turn goes on");
    // What was not begun goes back, and has waited since it came.
    let (second, rest) = turn.unwrap().step(|| false);
    assert!(rest.is_none() && stage.engine.finish(second, stage.now));
    assert_eq!(busy(&stage), (1, 110, None));
}

#[test]
fn steps_that_fail_are_counted_as_such() {
    let mut stage = stage(Plan::default(), [("worker", poisoned(1))]);
    stage.settle();
    let before = told(&stage);
    drop(stage.ask(assignment("worker", "poison")));
    stage.flush();
    let took = Duration::from_micros(7);
    let panicked = only(stage.next().unwrap()).taking(took);
    assert!(stage.engine.finish(panicked, stage.now));
    let panicked = told(&stage);
    assert_eq!((panicked.steps, panicked.failed), (before.steps + 1, 1));
    assert_eq!((panicked.step_time, panicked.step_since), (took, None));
    stage.settle();
    let before = told(&stage);
    drop(stage.ask(assignment("worker", "stuck")));
    stage.flush();
    let lost = stage.next().unwrap();
    let limit = Limits::default().step_ms;
    stage.pass(limit);
    let given_up = told(&stage);
    assert_eq!((given_up.steps, given_up.failed), (before.steps + 1, 2));
    let limit = Duration::from_millis(limit as u64);
    assert_eq!(given_up.step_time, took + limit);
    // What comes of it now is nobody's step.
    assert!(!stage.engine.finish(only(lost), stage.now));
    assert_eq!(told(&stage).steps, given_up.steps);
}
