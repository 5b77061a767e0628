//! Schemas on the one road: payloads are held to them, and they grow out of what `other` says, over
//! restarts, under approval (draft-zhou §3.2, §4.3, §6.2, §7).
//!
//! Read next: `engine::schemas`.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../../schema/tests/evolution/bag.rs"]
mod bag;

use bag::Bag;
use domain::access::{AccessRules, Action, Principal};
use domain::agent::{Agent, Input, Output};
use domain::inventory::Inventory;
use domain::profile::{Capability, Layer, Profile};
use domain::reply::Reply;
use domain::task::TaskId;
use domain::time::{Dice, Timestamp};
use domain::verb::Verb;
use engine::{
    Endpoint, Engine, Hosted, Limits, Negotiate, Operation, Outcome, PatchStanding, Query, Records,
    Refusal, Retention, SchemaOutcome, SchemaRecords, SchemaRequest, SchemaSetup, Setup, Which,
};
use schema::contract::Unknown;
use schema::evolution::Settings;
use schema::shipped;
use schema::violation::Code;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

const HOUR_MS: i64 = 3_600_000;

struct Willing;

impl Agent for Willing {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut Dice) -> Vec<Output> {
        match input {
            Input::Asked(_) => vec![Output::Answer(Reply::accepted())],
            _ => Vec::new(),
        }
    }
}

fn open(directory: &Path, unknown: Unknown) -> Engine {
    let profile = Profile {
        name: "airline".to_owned(),
        alias: None,
        description: "books".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    Engine::open(Setup {
        store: store::Options::file(directory.join("convoke.db")),
        access: AccessRules {
            enabled: false,
            read_default: Action::Permit,
            write_default: Action::Deny,
            exec_default: Action::Permit,
            groups: BTreeMap::new(),
            lists: Vec::new(),
        },
        agents: vec![Hosted {
            profile: Arc::new(profile),
            agent: Box::new(Willing),
            endpoint: None,
            registered_at: start(),
        }],
        default_agent: "airline".to_owned(),
        inventory: Arc::new(Inventory::default()),
        seed: 7,
        limits: Limits::default(),
        retention: Retention::default(),
        deliverable: Box::new(|_| Ok(())),
        credentials: Box::new(|_| None),
        proxy: None,
        schemas: SchemaSetup {
            settings: Settings::default(),
            unknown,
            embedder: Some(Arc::new(Bag)),
            ..SchemaSetup::fixed(shipped::shipped())
        },
    })
    .unwrap()
}

fn start() -> Timestamp {
    Timestamp::parse("2026-05-01T00:00:00Z").unwrap()
}

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

fn send(
    engine: &Engine,
    client: &str,
    task: &str,
    payload: &Value,
    now: Timestamp,
) -> Result<Outcome, Refusal> {
    let json = json!({ "schema_id": "flight_booking_v1", "payload": payload });
    let negotiate = Negotiate {
        task: Some(TaskId::new(task)),
        texts: vec![format!(
            "## target object\nflight\n## task description\nbook\n## structured payload\n{json}"
        )],
        asynchronous: Some(true),
        ..Negotiate::new(Endpoint::Platform, Verb::TaskAssign)
    };
    let who = principal(client);
    wait(
        engine
            .execute(&who, Operation::Negotiate(negotiate), now)
            .outcome(),
    )
}

fn ask(engine: &Engine, who: &str, request: SchemaRequest, now: Timestamp) -> SchemaOutcome {
    tried(engine, who, request, now).unwrap()
}

fn tried(
    engine: &Engine,
    who: &str,
    request: SchemaRequest,
    now: Timestamp,
) -> Result<SchemaOutcome, Refusal> {
    let execution = engine.execute(&principal(who), Operation::Schema(request), now);
    match wait(execution.outcome())? {
        Outcome::Schema(outcome) => Ok(outcome),
        other => panic!("{other:?}"),
    }
}

fn records(engine: &Engine, who: &str, now: Timestamp) -> SchemaRecords {
    let wanted = Operation::Read(Query::Schemas);
    match wait(engine.execute(&principal(who), wanted, now).outcome()).unwrap() {
        Outcome::Records(Records::Schemas(records)) => *records,
        other => panic!("{other:?}"),
    }
}

fn flight(other: Option<&str>) -> Value {
    let mut payload = json!({
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
    });
    if let Some(other) = other {
        payload["other"] = other.into();
    }
    payload
}

/// Clients that were there for a while, and then all want the same.
fn clamour(engine: &Engine, said: &str, at: Timestamp) {
    for (n, client) in ["c1", "c2", "c3", "c4", "c5", "c6", "c7"]
        .iter()
        .enumerate()
    {
        for round in 0..3 {
            let task = format!("{said}-{n}-{round}");
            send(
                engine,
                client,
                &task,
                &flight(Some(said)),
                at + n as i64 + round,
            )
            .unwrap();
        }
    }
    wait(engine.evolve(at + 60_000)).unwrap();
}

fn acquaint(engine: &Engine, at: Timestamp) {
    for n in 0..40 {
        let client = format!("c{}", n % 8);
        let words = format!("unlike any other {n}{n}{n}");
        send(
            engine,
            &client,
            &format!("early-{n}"),
            &flight(Some(&words)),
            at + n,
        )
        .unwrap();
    }
    wait(engine.evolve(at + 60_000)).unwrap();
}

/// D15, D38 to D40, Q22: all that is wrong at once, nothing stored; `other` never rejects.
#[test]
fn a_payload_is_held_to_its_schema_before_anything_happens() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    let wrong = json!({ "origin": 7, "cabin_class": "barge", "wings": 2, "other": 5 });
    let Err(Refusal::Payload { violations, .. }) = send(&engine, "c", "t1", &wrong, start()) else {
        panic!("it was taken");
    };
    let codes: Vec<(&str, Code)> = violations
        .iter()
        .map(|v| (v.path.as_str(), v.code))
        .collect();
    assert_eq!(
        codes,
        [
            ("/origin", Code::Type),
            ("/destination", Code::Missing),
            ("/departure_date", Code::Missing),
            ("/cabin_class", Code::Enum),
            ("/wings", Code::Unknown),
        ]
    );
    let read = Operation::Read(Query::Task(TaskId::new("t1")));
    let none = wait(engine.execute(&principal("c"), read, start()).outcome()).unwrap();
    assert_eq!(none, Outcome::Records(Records::Tasks(Vec::new())));
    let mut odd = flight(None);
    odd["other"] = json!({ "not": "text" });
    send(&engine, "c", "t2", &odd, start()).unwrap();
}

/// D8, Q10, Q14, D112: stateless; what is kept is canonical, and `other` is inert.
#[test]
fn what_is_kept_is_canonical() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    let mut payload = flight(Some("window\u{202e} seat\u{7}"));
    payload["cabin_class"] = Value::Null;
    payload["passenger_count"] = json!(2.0);
    send(&engine, "c", "t", &payload, start()).unwrap();
    let read = Operation::Read(Query::Task(TaskId::new("t")));
    let found = wait(engine.execute(&principal("c"), read, start()).outcome()).unwrap();
    let Outcome::Records(Records::Tasks(tasks)) = found else {
        panic!("no tasks")
    };
    let values: &Map<String, Value> = &tasks[0].content.payload.as_ref().unwrap().values;
    assert_eq!(values["other"], "window seat");
    assert_eq!(values["passenger_count"], 2);
    assert!(!values.contains_key("cabin_class"));
    assert!(!tasks[0].text.contains('\u{7}') && !tasks[0].text.contains('\u{202e}'));
}

/// D73 to D75, D86 to D88, D99, D113, Q45: what many want waits for approval, is told then, and is
/// there after a restart; the payload may carry the key from then on.
#[test]
fn what_many_want_becomes_a_key_once_it_is_approved() {
    let directory = tempfile::tempdir().unwrap();
    let later = start() + 10 * 24 * HOUR_MS;
    let patch_id = {
        let engine = open(directory.path(), Unknown::Reject);
        acquaint(&engine, start());
        clamour(&engine, "window seat", later);
        let waiting = records(&engine, "admin", later + HOUR_MS);
        let patch = waiting.patches.iter().find(|p| p.client.is_none());
        let patch = patch.expect("a patch waits for everyone");
        assert_eq!(patch.state, PatchStanding::Pending);
        let updates = SchemaRequest::Updates {
            schema_id: "flight_booking_v1".to_owned(),
            since: None,
        };
        let SchemaOutcome::Updates(none) = ask(&engine, "c1", updates, later) else {
            panic!("no updates")
        };
        assert!(
            none.patches.is_empty(),
            "told before it was approved: {none:?}"
        );
        patch.answer.patch_id.clone()
    };
    // Another process takes it up where it was.
    let engine = open(directory.path(), Unknown::Reject);
    let approve = SchemaRequest::Approve { patch_id };
    let approved = ask(&engine, "admin", approve.clone(), later + HOUR_MS);
    assert_eq!(approved, SchemaOutcome::Patch(PatchStanding::Active));
    assert!(tried(&engine, "admin", approve, later + HOUR_MS).is_err());
    let which = Which::Scenario("Flight Booking".to_owned());
    let wanted = SchemaRequest::Template {
        which,
        language: Some("en-US".to_owned()),
    };
    let SchemaOutcome::Template(told) = ask(&engine, "c1", wanted, later + HOUR_MS) else {
        panic!("no template")
    };
    let keys = told.template["keys"].as_array().unwrap();
    let fresh = keys
        .iter()
        .find(|k| k["experimental"] == true)
        .expect("a key on trial");
    let name = fresh["key_name"].as_str().unwrap();
    assert!(
        told.signed["keys"]
            .as_array()
            .unwrap()
            .iter()
            .all(|k| k["key_name"] != name)
    );
    let mut payload = flight(None);
    payload[name] = match fresh["key_type"].as_str() {
        Some("boolean") => json!(true),
        _ => fresh["enum"]
            .get(0)
            .cloned()
            .unwrap_or_else(|| json!("window seat")),
    };
    send(&engine, "c2", "with-the-key", &payload, later + 2 * HOUR_MS).unwrap();
    wait(engine.evolve(later + 3 * HOUR_MS)).unwrap();
    let told = records(&engine, "admin", later + 3 * HOUR_MS);
    let key = told
        .patches
        .iter()
        .flat_map(|p| &p.keys)
        .find(|k| k.key_name == name)
        .unwrap();
    assert!(
        key.ratios.usage_frequency.is_some_and(|share| share > 0.0),
        "{key:?}"
    );
    assert!(!told.samples.is_empty(), "nothing to judge");
}

/// Q55, §7: what a client said is gone on its request, what was not taken in yet included.
#[test]
fn what_a_client_said_is_erased_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    send(&engine, "c1", "a", &flight(Some("window seat")), start()).unwrap();
    wait(engine.evolve(start() + HOUR_MS)).unwrap();
    send(
        &engine,
        "c1",
        "b",
        &flight(Some("aisle seat")),
        start() + HOUR_MS,
    )
    .unwrap();
    let erase = SchemaRequest::Erase {
        client: "c1".to_owned(),
    };
    let SchemaOutcome::Erased(count) = ask(&engine, "admin", erase, start() + 2 * HOUR_MS) else {
        panic!("nothing was erased")
    };
    assert!(count >= 2, "{count}");
    drop(engine);
    let engine = open(directory.path(), Unknown::Reject);
    assert_eq!(wait(engine.evolve(start() + 3 * HOUR_MS)).unwrap(), 0);
    let pools = records(&engine, "admin", start() + 3 * HOUR_MS).pools;
    assert!(pools.iter().all(|p| p.clusters.is_empty()), "{pools:?}");
}

/// D4, Q3, Q23 to Q25: published at run time, immutable, newer versions alone, there after a restart.
#[test]
fn a_template_is_published_once_and_for_all() {
    let directory = tempfile::tempdir().unwrap();
    let template = |version: u32, meaning: &str| {
        let template = json!({
            "schema_id": format!("pizza_order_v{version}"), "scenario": "pizza_order",
            "keys": [{ "key_name": "size", "key_type": "string", "required": true,
                       "annotations": { "en": { "meaning": meaning, "examples": [["large", "large"]] } } }],
        });
        SchemaRequest::Publish {
            template: template.to_string(),
        }
    };
    {
        let engine = open(directory.path(), Unknown::Reject);
        assert!(matches!(
            ask(&engine, "admin", template(1, "How big."), start()),
            SchemaOutcome::Published { .. }
        ));
        let changed = tried(&engine, "admin", template(1, "How large."), start());
        assert!(matches!(changed, Err(Refusal::Publish(_))), "{changed:?}");
        let bad = SchemaRequest::Publish {
            template: "{}".to_owned(),
        };
        assert!(matches!(
            tried(&engine, "admin", bad, start()),
            Err(Refusal::Template(_))
        ));
    }
    let engine = open(directory.path(), Unknown::Reject);
    ask(&engine, "admin", template(2, "How big."), start());
    let which = Which::Scenario("pizza order".to_owned());
    let newest = SchemaRequest::Template {
        which,
        language: None,
    };
    let SchemaOutcome::Template(told) = ask(&engine, "c", newest, start()) else {
        panic!("no template")
    };
    assert_eq!(told.schema_id, "pizza_order_v2");
    let unknown = Which::Scenario("iced latte".to_owned());
    let unknown = SchemaRequest::Template {
        which: unknown,
        language: None,
    };
    assert!(matches!(
        tried(&engine, "c", unknown, start()),
        Err(Refusal::UnknownScenario(_))
    ));
}

fn principal(name: &str) -> Principal {
    Principal {
        name: name.to_owned(),
        groups: Default::default(),
        agent: false,
    }
}
