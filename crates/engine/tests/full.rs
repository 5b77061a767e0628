//! A store that is full: what it did not take has not happened, and things go on once there is
//! space again, without a restart.
//!
//! Read next: `engine::commit::recovery`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::Principal;
use domain::profile::Profile;
use domain::registry::Reach;
use domain::task::{Status, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::query::TaskById;
use engine::refusal::NotFound;
use engine::{
    DiscoverAgents, Engine, Negotiate, Negotiated, Refusal, RegisterAgent, Setup, StoreFailure,
};
use std::path::Path;
use testkit::{Willing, hosted, message, outcome, profile, setup};

fn open(directory: &Path) -> Engine {
    Engine::open(Setup {
        store: store::Options {
            size_max: Some(400_000),
            ..store::Options::file(directory.join("convoke.db"))
        },
        ..setup([hosted(profile("worker"), Willing, now())])
    })
    .unwrap()
}

fn now() -> Timestamp {
    Timestamp::from_ms(1_000_000)
}

fn ask(
    engine: &Engine,
    who: &Principal,
    verb: Verb,
    task: &str,
    words: &str,
) -> Result<Negotiated, Refusal> {
    let text = format!("## target object\nsite-1\n## task description\n{words}");
    let negotiate = Negotiate {
        asynchronous: Some(true),
        ..message(verb, task, &text)
    };
    outcome(engine.execute(who, negotiate, now()))
}

fn status(engine: &Engine, who: &Principal, task: &str) -> Option<Status> {
    let query = TaskById(TaskId::new(task));
    let found = engine.read(who, query, now()).unwrap();
    found.map(|task| task.status)
}

#[test]
fn what_a_full_store_did_not_take_has_not_happened() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let operator = engine.principal("operator");
    ask(&engine, &operator, Verb::TaskAssign, "a", "stay").unwrap();
    let large = "x".repeat(500_000);
    for _ in 0..2 {
        let refused = ask(&engine, &operator, Verb::TaskAssign, "b", &large);
        assert_eq!(refused, Err(StoreFailure::Full.into()));
        assert_eq!(status(&engine, &operator, "b"), None);
    }
    let unknown = ask(&engine, &operator, Verb::TaskCancel, "b", "stop").unwrap_err();
    assert!(
        matches!(unknown, Refusal::NotFound(NotFound::Task { .. })),
        "{unknown:?}"
    );
    // A change of a task that is there is taken back as well.
    let refused = ask(&engine, &operator, Verb::FulfillmentNegotiate, "a", &large);
    assert_eq!(refused, Err(StoreFailure::Full.into()));
    // Nor is there room for what the agent made of it; who asks meanwhile would hear of that.
    assert!(engine.store().settle());
    // The same identifiers serve for something that fits.
    ask(&engine, &operator, Verb::TaskAssign, "b", "stay").unwrap();
    ask(&engine, &operator, Verb::TaskCancel, "b", "stop").unwrap();
    ask(&engine, &operator, Verb::TaskCancel, "a", "stop").unwrap();
    for task in ["a", "b"] {
        assert_eq!(status(&engine, &operator, task), Some(Status::Cancelled));
    }
    assert!(engine.store().verify().unwrap().is_sound());
}

#[test]
fn a_place_that_is_not_on_disk_is_seen_by_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    let operator = engine.principal("operator");
    let register = |description: &str| {
        let register = RegisterAgent {
            profile: Profile {
                description: description.to_owned(),
                ..profile("out")
            },
            reach: Reach::Client,
            lease_ms: 60_000,
        };
        outcome(engine.execute(&operator, register, now()))
    };
    let seen = || {
        let names = engine.registrations().into_iter();
        names.map(|r| r.profile.name.clone()).collect::<Vec<_>>()
    };
    let words = "x".repeat(10_000);
    let mut filled = 0;
    while ask(
        &engine,
        &operator,
        Verb::TaskAssign,
        &format!("t{filled}"),
        &words,
    )
    .is_ok()
    {
        filled += 1;
    }
    let long = "x".repeat(60_000);
    assert_eq!(register(&long), Err(StoreFailure::Full.into()));
    assert_eq!(seen(), ["worker"]);
    let criteria = Default::default();
    let limit = 9;
    let found = engine.read(&operator, DiscoverAgents { criteria, limit }, now());
    assert!(matches!(&found, Ok(found) if found.len() == 1), "{found:?}");
    register("works").unwrap();
    assert_eq!(seen(), ["worker", "out"]);
}
