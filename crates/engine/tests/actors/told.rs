//! What customers say is told once: over a death at any place it is noted and heard, or neither, and what
//! comes of it comes about once.
//!
//! Read next: `engine::Engine::told`.

use super::outside::{World, passing_on, prompt};
use super::*;
use engine::{NetworkNote, ToldOnce};

fn notes(stage: &Stage) -> Vec<(String, String)> {
    let notes = stage.engine.network_notes().unwrap();
    notes.into_iter().collect()
}

fn rows(stage: &Stage) -> usize {
    stage.flush();
    stage.engine.store().documents("question").unwrap().len()
}

/// Tells an agent something that a customer says, and notes its number.
fn tell(stage: &Stage, agent: &str, text: &str, number: u64) {
    let note = NetworkNote {
        name: "system".to_owned(),
        text: Some(number.to_string()),
    };
    let Input::Telemetry(telemetry) = telemetry(text) else {
        unreachable!("it is telemetry");
    };
    let told = ToldOnce {
        agent: agent.to_owned(),
        telemetry,
        key: format!("told {number}"),
    };
    stage.engine.told(vec![note], vec![told], stage.now);
}

fn agents() -> [(&'static str, Script); 3] {
    [
        ("worker", willing()),
        ("desk", passing_on()),
        ("prompt", prompt()),
    ]
}

/// Whoever listens tells again what is not noted, as a system replays it, and nothing else.
#[test]
fn a_death_anywhere_loses_nothing_that_a_customer_said_and_tells_nothing_that_is_done() {
    let (mut death, mut heard_twice) = (0, 0);
    loop {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| home.path().join(name);
        let before = stage(Plan::held_in(&file("before.db")), agents());
        before.settle();
        tell(&before, "desk", "errand", 7);
        let mut world = World::beside(&before, BTreeMap::new());
        let mut moves = 0;
        while moves < death && world.go_on(&before) {
            moves += 1;
        }
        let after = Plan::held_in(&before.dead(&file("after.db")));
        let first = before.heard("desk").contains(&"errand".to_owned());
        drop((world, before));
        let after = stage(after, agents());
        let mut world = World::beside(&after, BTreeMap::new());
        let noted = notes(&after);
        match noted.is_empty() {
            true => tell(&after, "desk", "errand", 7),
            false => assert_eq!(noted, [("system".to_owned(), "7".to_owned())]),
        }
        while world.go_on(&after) {}
        assert_eq!(
            after.task("errand").status,
            Status::Finished,
            "death {death}"
        );
        assert_eq!(after.engine.counts().tasks, 1, "death {death}");
        assert_eq!(
            rows(&after),
            0,
            "death {death}: nothing is to be heard any more"
        );
        let again = after.heard("desk").contains(&"errand".to_owned());
        assert!(first || again, "death {death}: nobody heard it");
        heard_twice += usize::from(first && again);
        if moves < death {
            assert!(!again, "all was done");
            break;
        }
        death += 1;
    }
    assert!(death > 4 && heard_twice > 0, "{death} deaths");
}

#[test]
fn who_does_not_listen_any_more_is_told_nothing() {
    let home = tempfile::tempdir().unwrap();
    let file = |name: &str| home.path().join(name);
    let before = stage(Plan::held_in(&file("before.db")), agents());
    tell(&before, "desk", "errand", 1);
    tell(&before, "nobody", "lost", 2);
    assert_eq!(rows(&before), 1);
    let after = Plan::held_in(&before.dead(&file("after.db")));
    drop(before);
    let after = stage(after, [("worker", willing())]);
    after.settle();
    assert_eq!(rows(&after), 0);
    assert_eq!(notes(&after), [("system".to_owned(), "2".to_owned())]);
}
