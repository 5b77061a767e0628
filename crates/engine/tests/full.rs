//! A store that is full: what it did not take has not happened, and things go on once there is
//! space again, without a restart.
//!
//! Read next: `engine::recovery`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::{AccessRules, Action, Principal};
use domain::agent::{Agent, Input, Output};
use domain::inventory::Inventory;
use domain::profile::{Capability, Layer, Profile};
use domain::registry::Reach;
use domain::reply::Reply;
use domain::task::{Status, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::TaskById;
use engine::{
    DiscoverAgents, Endpoint, Engine, Hosted, Limits, Negotiate, Negotiated, Refusal,
    RegisterAgent, Retention, Setup, StoreFailure,
};
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

struct Willing;

impl Agent for Willing {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => vec![Output::Answer(Reply::accepted())],
            _ => Vec::new(),
        }
    }
}

fn profile(name: &str, description: &str) -> Profile {
    Profile {
        name: name.to_owned(),
        alias: None,
        description: description.to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    }
}

fn open(directory: &Path) -> Engine {
    Engine::open(Setup {
        store: store::Options {
            size_max: Some(400_000),
            ..store::Options::file(directory.join("convoke.db"))
        },
        access: AccessRules {
            enabled: false,
            read_default: Action::Permit,
            write_default: Action::Deny,
            exec_default: Action::Permit,
            groups: BTreeMap::from([("admin".to_owned(), ["operator".to_owned()].into())]),
            lists: Vec::new(),
        },
        agents: vec![Hosted {
            profile: Arc::new(profile("worker", "works")),
            agent: Box::new(Willing),
            again: None,
            endpoint: None,
            registered_at: now(),
        }],
        default_agent: "worker".to_owned(),
        inventory: Arc::new(Inventory::default()),
        seed: 7,
        limits: Limits::default(),
        retention: Retention::default(),
        deliverable: Box::new(|_| Ok(())),
        credentials: Box::new(|_| None),
        proxy: None,
        schemas: engine::SchemaSetup::fixed(Vec::new()),
    })
    .unwrap()
}

fn now() -> Timestamp {
    Timestamp::from_ms(1_000_000)
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn ask(
    engine: &Engine,
    who: &Principal,
    verb: Verb,
    task: &str,
    words: &str,
) -> Result<Negotiated, Refusal> {
    let negotiate = Negotiate {
        task: Some(TaskId::new(task)),
        texts: vec![format!(
            "## target object\nsite-1\n## task description\n{words}"
        )],
        asynchronous: Some(true),
        ..Negotiate::new(Endpoint::Platform, verb)
    };
    wait(engine.execute(who, negotiate, now()).outcome())
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
        matches!(unknown, Refusal::UnknownTask { .. }),
        "{unknown:?}"
    );
    // A change of a task that is there is taken back as well.
    let refused = ask(&engine, &operator, Verb::FulfillmentNegotiate, "a", &large);
    assert_eq!(refused, Err(StoreFailure::Full.into()));
    // Nor is there room for what the agent made of it; who asks meanwhile would hear of that.
    engine.store().settle();
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
            profile: profile("out", description),
            reach: Reach::Client,
            lease_ms: 60_000,
        };
        wait(engine.execute(&operator, register, now()).outcome())
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
