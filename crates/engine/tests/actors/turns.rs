//! Turns of several steps: their order, what comes of each while the next is taken, and what becomes
//! of the inputs that were handed out and not begun.
//!
//! Read next: `engine::Turn`.

use super::failing::poisoned;
use super::*;
use engine::refusal::OverLimit;

/// Asks for these tasks, whose assignments are on disk then.
fn ask_for<const N: usize>(stage: &Stage, tasks: [&str; N]) -> [Pending; N] {
    let asked = tasks.map(|task| stage.ask(assignment("worker", task)));
    stage.flush();
    asked
}

fn verdict(stage: &Stage, pending: &mut Pending) -> Option<Verdict> {
    stage.flush();
    reply(stage, pending).map(|reply| reply.verdict)
}

#[test]
fn what_waits_for_an_agent_is_one_turn_and_each_answer_is_given_when_it_comes() {
    let stage = stage(Plan::default(), [("worker", willing())]);
    stage.settle();
    let [mut a, mut b] = ask_for(&stage, ["a", "b"]);
    let (first, turn) = stage.turn(8).unwrap().step(|| true);
    let [mut later] = ask_for(&stage, ["later"]);
    assert!(!first.ends_turn() && stage.turn(8).is_none());
    assert!(stage.engine.finish(first, stage.now));
    let accepted = Some(Verdict::Accepted);
    assert_eq!(verdict(&stage, &mut a), accepted);
    assert_eq!(verdict(&stage, &mut b), None);
    let (last, rest) = turn.unwrap().step(|| true);
    assert!(last.ends_turn() && rest.is_none());
    assert!(stage.engine.finish(last, stage.now));
    assert_eq!(verdict(&stage, &mut b), accepted);
    stage.settle();
    assert_eq!(verdict(&stage, &mut later), accepted);
    let heard = [
        "started",
        "taskAssgin a 1",
        "taskAssgin b 1",
        "taskAssgin later 1",
    ];
    assert_eq!(stage.heard("worker"), heard);
}

#[test]
fn what_is_left_of_a_turn_comes_before_what_came_later() {
    let stage = stage(Plan::default(), [("worker", willing())]);
    stage.settle();
    drop(ask_for(&stage, ["a", "b", "c"]));
    let (first, turn) = stage.turn(8).unwrap().step(|| true);
    drop(ask_for(&stage, ["d"]));
    let (second, rest) = turn.unwrap().step(|| false);
    assert!(second.ends_turn() && rest.is_none());
    for stepped in [first, second] {
        assert!(stage.engine.finish(stepped, stage.now));
    }
    let turn = stage.turn(1).unwrap();
    assert!(matches!(turn.input(), Input::Asked(ask) if ask.task.id.as_str() == "c"));
    assert!(stage.engine.finish(only(turn), stage.now));
    stage.settle();
    let heard = stage.heard("worker").split_off(1);
    let order = ["a", "b", "c", "d"].map(|task| format!("taskAssgin {task} 1"));
    assert_eq!(heard, order);
}

#[test]
fn a_panic_ends_the_turn_and_what_was_not_begun_is_answered_by_the_agent_made_anew() {
    let stage = stage(Plan::default(), [("worker", poisoned(1))]);
    stage.settle();
    let [mut good, mut poison, mut behind] = ask_for(&stage, ["good", "poison", "behind"]);
    let (first, turn) = stage.turn(8).unwrap().step(|| true);
    let (panicked, rest) = turn.unwrap().step(|| true);
    assert!(panicked.ends_turn() && rest.is_none());
    for stepped in [first, panicked] {
        assert!(stage.engine.finish(stepped, stage.now));
    }
    stage.settle();
    let asked = [&mut good, &mut poison, &mut behind];
    let verdicts = asked.map(|pending| verdict(&stage, pending).unwrap());
    let expected = [Verdict::Accepted, Verdict::Refused, Verdict::Accepted];
    assert_eq!(verdicts, expected);
    let heard = stage.heard("worker");
    let heard: Vec<&str> = heard.iter().map(String::as_str).collect();
    let expected = [
        "started",
        "taskAssgin good 1",
        "taskAssgin poison 1",
        "started good",
        "taskAssgin behind 1",
    ];
    assert_eq!(heard, expected);
}

#[test]
fn a_step_has_its_time_from_the_end_of_the_one_before_and_what_was_not_begun_outlives_it() {
    let mut stage = stage(Plan::default(), [("worker", willing())]);
    stage.settle();
    let within = Limits::default().step_ms;
    drop(ask_for(&stage, ["a", "stuck", "behind"]));
    stage.engine.deliver("worker", telemetry("news"), stage.now);
    let (first, turn) = stage.turn(8).unwrap().step(|| true);
    let stuck = turn.unwrap();
    stage.pass(within - 1);
    assert!(stage.engine.finish(first, stage.now));
    stage.pass(within - 1);
    assert_eq!(stage.engine.steps_given_up(), 0, "it has its own time");
    stage.pass(1);
    assert_eq!(stage.engine.steps_given_up(), 1);
    stage.settle();
    let failed = ["a", "stuck", "behind"].map(|task| stage.task(task).status);
    assert_eq!(failed, [Status::Failed; 3], "as when it had but one step");
    // Whoever runs the turn comes back after all, and finds nothing that others do as well.
    let (late, rest) = stuck.step(|| true);
    assert!(rest.is_none() && !stage.engine.finish(late, stage.now));
    let heard = [
        "started",
        "taskAssgin a 1",
        "started",
        "news",
        "taskAssgin stuck 1",
    ];
    assert_eq!(stage.heard("worker"), heard);
}

#[test]
fn what_was_handed_out_and_not_begun_has_room_in_the_mailbox() {
    let limits = Limits {
        mailbox: 2,
        ..Limits::default()
    };
    let plan = Plan {
        limits,
        ..Plan::default()
    };
    let stage = stage(plan, [("worker", willing())]);
    stage.settle();
    let is_refused = |task| {
        let refused = answered(&mut stage.ask(assignment("worker", task)));
        matches!(
            refused,
            Some(Err(Refusal::OverLimit(OverLimit::MailboxFull { .. })))
        )
    };
    drop(ask_for(&stage, ["a", "b"]));
    let (first, turn) = stage.turn(8).unwrap().step(|| true);
    assert!(!is_refused("c") && is_refused("d"), "'b' is not begun");
    assert!(stage.engine.finish(first, stage.now));
    assert!(!is_refused("d") && is_refused("e"), "'b' is under way");
    assert!(
        stage
            .engine
            .finish(turn.unwrap().step(|| true).0, stage.now)
    );
    stage.settle();
    let heard = stage.heard("worker").split_off(1);
    let order = ["a", "b", "c", "d"].map(|task| format!("taskAssgin {task} 1"));
    assert_eq!(heard, order);
}
