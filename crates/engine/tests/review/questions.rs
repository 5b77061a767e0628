//! Questions that change nothing: `CapabilityRequest` and `taskResultQuery`, answered ahead of their
//! record.

use super::*;
use engine::refusal::{InvalidInput, NotFound};

fn asked_about(stage: &Stage, task: &str) -> Vec<(String, Verb)> {
    let exchanges = ExchangesOf {
        party: None,
        id: None,
        task: Some(TaskId::new(task)),
    };
    let found = stage.read("operator", exchanges);
    found.into_iter().map(|e| (e.from, e.verb)).collect()
}

#[test]
fn a_question_is_on_the_record_of_a_task_only_for_who_may_see_it() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    stage.say("noc", assignment("t1", JOB)).unwrap();
    for who in ["outbob", "noc"] {
        let reply = stage
            .say(who, message(Verb::CapabilityRequest, "t1", "FORGED"))
            .unwrap();
        assert_eq!(
            reply.task,
            Some(TaskId::new("t1")),
            "nobody is told whether it is there"
        );
    }
    let expected = [Verb::TaskAssign, Verb::CapabilityRequest].map(|verb| ("noc".to_owned(), verb));
    assert_eq!(asked_about(&stage, "t1"), expected);
    assert_eq!(asked_about(&stage, "t2"), []);
}

#[test]
fn a_question_names_a_task_by_an_identifier() {
    let stage = stage(|_| vec![answer(Verdict::Accepted)]);
    let long = "x".repeat(4_000_000);
    for verb in [Verb::CapabilityRequest, Verb::TaskResultQuery] {
        let refused = stage.say("noc", message(verb, &long, JOB));
        assert!(
            matches!(
                refused,
                Err(Refusal::InvalidInput(InvalidInput::Unusable { .. })
                    | Refusal::NotFound(NotFound::Task { .. }))
            ),
            "{verb:?}"
        );
    }
    assert_eq!(stage.engine.store().queued(), 0);
}

/// Who asks faster than can be written waits, so that what others decide is not behind all of it.
#[test]
fn questions_do_not_pile_up_before_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing is written before it is asked for.
    let held = store::Options {
        synchronous_full: false,
        batch_max: usize::MAX,
        batch_wait: Duration::from_secs(3_600),
        ..store::Options::file(folder.path().join("convoke.db"))
    };
    let stage = open(held, Limits::default(), |_| Vec::new());
    let queued = || stage.engine.store().queued();
    let ask = || {
        let question = message(Verb::CapabilityRequest, "t1", JOB);
        stage.begin("noc", question)
    };
    let mut waiting = Vec::new();
    for _ in 0..1_100 {
        match ask() {
            Execution::Done(outcome) => {
                outcome.unwrap();
                assert!(queued() < 1_024, "{} batches wait", queued());
            }
            Execution::Pending(outcome) => {
                assert!(queued() >= 1_024, "{} batches wait", queued());
                waiting.push(outcome);
            }
        }
    }
    assert!(!waiting.is_empty());
    for outcome in &mut waiting {
        assert!(at_once(outcome.as_mut()).is_none());
    }
    wait(stage.engine.store().seal()).unwrap();
    for outcome in waiting {
        assert!(wait(outcome).is_ok());
    }
    assert!(matches!(ask(), Execution::Done(Ok(_))));
}
