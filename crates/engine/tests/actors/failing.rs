//! What becomes of an agent that fails, of its tasks and of what it had sent.
//!
//! Read next: `engine::hosting::failing`.

use super::*;
use engine::refusal::NotAvailable;

#[test]
fn a_step_that_panics_fails_its_task_and_the_agent_goes_on_with_the_others() {
    let stage = stage(Plan::default(), [("worker", poisoned(1))]);
    stage.settle();
    let mut good = stage.ask(assignment("worker", "good"));
    stage.settle();
    let mut poison = stage.ask(assignment("worker", "poison"));
    let mut behind = stage.ask(assignment("worker", "behind"));
    stage.settle();
    let told = reply(&stage, &mut poison).unwrap();
    assert_eq!(
        (told.verdict, told.status),
        (Verdict::Refused, Some(Status::Failed))
    );
    assert!(told.reasons[0].message.contains("agent 'worker' failed"));
    for pending in [&mut good, &mut behind] {
        assert_eq!(reply(&stage, pending).unwrap().verdict, Verdict::Accepted);
    }
    assert_eq!(
        stage.heard("worker"),
        [
            "started",
            "taskAssgin good 1",
            "taskAssgin poison 1",
            "started good",
            "taskAssgin behind 1"
        ]
    );
    assert_eq!(stage.health("worker"), Health::Ok);
}

#[test]
fn an_agent_that_fails_again_and_again_is_left_alone_and_its_place_says_so() {
    let script: Script = Arc::new(|input| match input {
        Input::Telemetry(_) => panic!("no"),
        Input::Asked(_) => vec![answer(Verdict::Accepted)],
        _ => Vec::new(),
    });
    let mut stage = stage(Plan::default(), [("worker", script), ("other", willing())]);
    stage.settle();
    let mut taken = stage.ask(assignment("worker", "t"));
    stage.settle();
    assert!(reply(&stage, &mut taken).is_some());
    // Once a minute is not too often, however often that is.
    for _ in 0..5 {
        stage.engine.deliver("worker", telemetry("x"), stage.now);
        stage.settle();
        assert_eq!(stage.heard("worker").last().unwrap(), "started t");
        stage.pass(60_000);
    }
    for _ in 0..3 {
        stage.engine.deliver("worker", telemetry("x"), stage.now);
        stage.settle();
        assert_eq!(stage.health("worker"), Health::Ok);
        assert_eq!(stage.task("t").status, Status::Processing);
    }
    stage.engine.deliver("worker", telemetry("x"), stage.now);
    stage.settle();
    assert_unavailable(&stage);
    assert_eq!(stage.task("t").status, Status::Failed);
    let refused = answered(&mut stage.ask(assignment("worker", "u")));
    assert!(matches!(
        refused,
        Some(Err(Refusal::NotAvailable(NotAvailable::Agent { .. })))
    ));
    let entries = stage.engine.feed().after(0, 1_000).unwrap();
    let told = entries.iter().any(|entry| {
        matches!(&entry.happening, LogEvent::Agent(u) if u.name == "worker" && u.change == AgentChange::Health)
    });
    assert!(told, "the log tells of it");
    let mut other = stage.ask(assignment("other", "v"));
    stage.settle();
    assert_eq!(
        reply(&stage, &mut other).unwrap().verdict,
        Verdict::Accepted
    );
}

#[test]
fn a_step_that_does_not_return_is_given_up_with_all_that_its_agent_had_taken_on() {
    let mut stage = stage(
        Plan::default(),
        [("worker", willing()), ("other", willing())],
    );
    stage.settle();
    let mut taken = stage.ask(assignment("worker", "taken"));
    stage.settle();
    assert!(reply(&stage, &mut taken).is_some());
    let mut stuck = stage.ask(message(Verb::TaskAssign, "worker", "stuck", JOB));
    let mut behind = stage.ask(message(Verb::FeasibilityNegotiate, "worker", "behind", JOB));
    stage.flush();
    let lost = stage.next().unwrap();
    let due = stage.now + Limits::default().step_ms;
    assert!(stage.engine.next_wakeup().unwrap() <= due);
    stage.pass(Limits::default().step_ms - 1);
    assert_eq!(stage.engine.steps_given_up(), 0);
    stage.pass(1);
    assert_eq!(stage.engine.steps_given_up(), 1);
    stage.settle();
    for id in ["taken", "stuck"] {
        let task = stage.task(id);
        assert_eq!(task.status, Status::Failed);
        let why = &task.said.as_ref().unwrap().task_description;
        assert!(why.contains("did not come back"), "{why}");
    }
    let told = reply(&stage, &mut stuck).unwrap();
    assert_eq!(told.status, Some(Status::Failed));
    let told = reply(&stage, &mut behind).unwrap();
    assert_eq!(
        (told.verdict, told.reasons[0].reason.as_str()),
        (Verdict::Refused, "agent-failed")
    );
    // What comes of it now comes too late, and the agent is there again.
    assert!(!stage.engine.finish(only(lost), stage.now));
    assert_eq!(stage.task("stuck").status, Status::Failed);
    let mut next = stage.ask(assignment("worker", "next"));
    stage.settle();
    assert_eq!(reply(&stage, &mut next).unwrap().verdict, Verdict::Accepted);
    assert_eq!(stage.health("worker"), Health::Ok);
}

/// What a file takes that is full soon; nothing is written before it is flushed, and then all together.
pub(super) fn small(home: &Path) -> Plan {
    let plan = Plan::held_in(&home.join("small.db"));
    Plan {
        store: store::Options {
            size_max: Some(400_000),
            ..plan.store
        },
        ..plan
    }
}

/// Of what is written together with this, nothing is stored.
pub(super) fn fill(stage: &Stage) {
    let text = format!("{JOB} {}", "x".repeat(500_000));
    let mut large = stage.ask(Negotiate {
        asynchronous: Some(true),
        ..message(Verb::TaskAssign, "other", "large", &text)
    });
    stage.flush();
    assert_eq!(
        answered(&mut large),
        Some(Err(engine::StoreFailure::Full.into()))
    );
}

/// Panics on "poison" so many times.
pub(super) fn poisoned(times: usize) -> Script {
    let panics = AtomicUsize::new(0);
    Arc::new(move |input| match asked(input) {
        Some(ask) if ask.task.id.as_str() == "poison" => {
            match panics.fetch_add(1, Ordering::Relaxed) < times {
                true => panic!("no"),
                false => vec![answer(Verdict::Accepted)],
            }
        }
        Some(_) => vec![answer(Verdict::Accepted)],
        None => Vec::new(),
    })
}

#[test]
fn an_agent_whose_restart_was_not_stored_is_briefed_once_the_store_takes_something() {
    let home = tempfile::tempdir().unwrap();
    let agents = [("worker", poisoned(1)), ("other", willing())];
    let mut stage = stage(small(home.path()), agents);
    stage.settle();
    let mut taken = stage.ask(assignment("worker", "taken"));
    stage.settle();
    assert!(reply(&stage, &mut taken).is_some());
    let poison = stage.ask(assignment("worker", "poison"));
    stage.flush();
    drop(stage.heard("worker"));
    // It fails, and what follows from that is not stored.
    stage.step().unwrap();
    fill(&stage);
    assert_eq!(stage.heard("worker"), ["taskAssgin poison 1"]);
    assert!(
        stage.next().is_none(),
        "nothing is handed out while it is full"
    );
    // Whoever ticks sees that it is full, tries it, and finds that it takes something.
    assert!(stage.engine.next_wakeup().unwrap() <= stage.now);
    stage.pass(0);
    stage.flush();
    assert!(stage.next().is_none());
    stage.pass(5_000);
    stage.settle();
    assert_eq!(
        stage.heard("worker"),
        ["started taken", "taskAssgin poison 1"]
    );
    for id in ["taken", "poison"] {
        assert_eq!(stage.task(id).status, Status::Processing, "{id}");
    }
    let rows = stage.engine.store().documents("question").unwrap();
    assert_eq!(rows, []);
    assert_eq!(stage.engine.store().documents("trial").unwrap(), []);
    drop(poison);
}

#[test]
fn what_an_agent_had_taken_on_that_is_left_alone_ends_although_that_was_not_stored_at_first() {
    let home = tempfile::tempdir().unwrap();
    let plan = Plan {
        renewable: false,
        ..small(home.path())
    };
    let mut stage = stage(plan, [("worker", poisoned(1)), ("other", willing())]);
    stage.settle();
    drop(stage.ask(assignment("worker", "taken")));
    stage.settle();
    drop(stage.ask(assignment("worker", "poison")));
    stage.flush();
    stage.step().unwrap();
    fill(&stage);
    assert_eq!(stage.task("taken").status, Status::Processing, "taken back");
    stage.pass(0);
    stage.flush();
    stage.pass(5_000);
    stage.flush();
    for id in ["taken", "poison"] {
        assert_eq!(stage.task(id).status, Status::Failed, "{id}");
    }
    assert_unavailable(&stage);
    let rows = stage.engine.store().documents("question").unwrap();
    assert_eq!(rows, []);
}

/// The registry says of the worker that nothing can be given to it, and why.
fn assert_unavailable(stage: &Stage) {
    stage.flush();
    let place = stage.engine.place("worker").unwrap();
    assert_eq!(
        (place.health, place.health_note.as_str()),
        (
            Health::Failing,
            "unavailable: it failed again and again, and was not started once more"
        )
    );
}

#[test]
fn a_step_under_way_is_watched_also_when_decisions_are_taken_back() {
    let home = tempfile::tempdir().unwrap();
    let mut stage = stage(
        small(home.path()),
        [("worker", willing()), ("other", willing())],
    );
    stage.settle();
    let mut stuck = stage.ask(assignment("worker", "stuck"));
    stage.flush();
    let lost = stage.next().unwrap();
    fill(&stage);
    stage.pass(Limits::default().answer_ms);
    let told = reply(&stage, &mut stuck).map(|reply| reply.verdict);
    assert_eq!(told, Some(Verdict::Pending), "who waits is told in time");
    stage.pass(Limits::default().step_ms);
    assert_eq!(stage.engine.steps_given_up(), 1);
    assert!(!stage.engine.finish(only(lost), stage.now));
}

#[test]
fn an_agent_made_anew_hears_nothing_of_what_its_former_self_had_sent() {
    let sends = AtomicUsize::new(0);
    let script: Script = Arc::new(move |input| match input {
        Input::Telemetry(Telemetry::CustomerAnswered { text, .. }) if text == "panic" => {
            panic!("no")
        }
        Input::Telemetry(_) => {
            sends.fetch_add(1, Ordering::Relaxed);
            vec![Output::Send {
                token: 1,
                message: Message {
                    to: "other".to_owned(),
                    verb: Verb::TaskAssign,
                    task: TaskId::new(format!("sent-{}", sends.load(Ordering::Relaxed))),
                    content: Content::new("link", "diagnose it"),
                    alternatives: Vec::new(),
                    alternative: None,
                    asynchronous: true,
                    round: 1,
                    conditions: Conditions::default(),
                },
            }]
        }
        _ => Vec::new(),
    });
    let stage = stage(Plan::default(), [("worker", script), ("other", willing())]);
    stage.settle();
    let token_of = |text: &str| {
        stage.engine.deliver("worker", telemetry(text), stage.now);
        stage.settle();
        let tokens = stage.engine.outgoing().into_iter();
        let mut tokens = tokens.map(|outgoing| match outgoing.output {
            Output::Send { token, .. } => token,
            other => panic!("{other:?}"),
        });
        tokens.next()
    };
    let first = token_of("send").unwrap();
    assert_eq!(token_of("panic"), None);
    let second = token_of("send").unwrap();
    assert_ne!(first, second, "another life, another token");
    drop(stage.heard("worker"));
    for token in [first, second, second] {
        let reply = Ok(Reply::accepted());
        let replied = Input::Replied { token, reply };
        stage.engine.deliver("worker", replied, stage.now);
    }
    stage.settle();
    assert_eq!(stage.heard("worker"), ["reply 1 accepted"]);
}

#[test]
fn telemetry_never_blocks_and_what_makes_room_is_counted() {
    let limits = Limits {
        telemetry: 3,
        ..Limits::default()
    };
    let stage = stage(
        Plan {
            limits,
            ..Plan::default()
        },
        [("worker", willing())],
    );
    stage.settle();
    drop(stage.heard("worker"));
    let mut asked = stage.ask(assignment("worker", "t"));
    for n in 0..10 {
        let told = telemetry(n.to_string());
        stage.engine.deliver("worker", told, stage.now);
    }
    stage.settle();
    assert!(reply(&stage, &mut asked).is_some());
    assert_eq!(stage.heard("worker"), ["taskAssgin t 1", "7", "8", "9"]);
    assert_eq!(stage.engine.telemetry_dropped(), 7);
}

#[test]
fn a_decision_that_panics_leaves_the_platform_broken_and_it_says_so() {
    let stage = stage(Plan::default(), [("worker", willing())]);
    stage.settle();
    assert!(!stage.engine.is_broken());
    let poison = Negotiate {
        subscription: Some(domain::task::Subscription {
            protocol: "http".to_owned(),
            method: "POST".to_owned(),
            url: "panic".to_owned(),
        }),
        ..assignment("worker", "t")
    };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        drop(stage.ask(poison));
    }));
    assert!(panicked.is_err());
    assert!(stage.engine.is_broken());
    assert_eq!(at_once(stage.engine.broken()), Some(()));
}
