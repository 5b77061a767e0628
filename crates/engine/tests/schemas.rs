//! Schemas on the one road: payloads are held to them, and they grow out of what `other` says, over
//! restarts, under approval (draft-zhou §3.2, §4.3, §6.2, §7).
//!
//! Read next: `engine::schemas`.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../../schema/tests/evolution/bag.rs"]
mod bag;

use bag::Bag;
use domain::access::Principal;
use domain::agent::{Agent, Input, Output, Progress};
use domain::content::{Content, Payload};
use domain::event::LogEvent;
use domain::notification::SchemaChange;
use domain::reply::Reply;
use domain::task::{Status, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::{SchemaTree, TaskById};
use engine::refusal::{Conflict, Field, InvalidInput, NotAvailable, NotFound};
use engine::{
    ApprovePatch, Engine, EraseFragments, GetSchemaTemplate, GetSchemaUpdates, Negotiate,
    Negotiated, Notice, Operation, PatchRecord, PatchStanding, PublishSchemaTemplate, Refusal,
    RejectPatch, RequestCapabilityExtension, RetireSchema, SchemaRecords, SchemaSetup, Setup,
    ValidatePayload, Which,
};
use schema::contract::Unknown;
use schema::evolution::EvolutionSettings;
use schema::semantics::Embedder;
use schema::shipped;
use schema::violation::Code;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::{hosted, message, outcome, profile, setup, wait};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

const HOUR_MS: i64 = 3_600_000;

/// Takes everything on; whoever wants it to stumble gets a result that breaks its schema.
struct Stumbling;

impl Agent for Stumbling {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(ask) if ask.content.payload.as_ref().is_some_and(stumbles) => {
                let payload = Payload::new("flight_booking_result_v1", json!({ "wings": 2 }));
                let result = Content::new("flight", "booked").with_payload(payload);
                let task = ask.task.id.clone();
                let progress = Progress::Result(result);
                vec![
                    Output::Answer(Reply::accepted()),
                    Output::Report { task, progress },
                ]
            }
            Input::Asked(_) => vec![Output::Answer(Reply::accepted())],
            _ => Vec::new(),
        }
    }
}

fn stumbles(payload: &Payload) -> bool {
    payload.text("other") == Some("stumble")
}

fn open(directory: &Path, unknown: Unknown) -> Engine {
    open_with(directory, unknown, EvolutionSettings::default())
}

fn open_with(directory: &Path, unknown: Unknown, settings: EvolutionSettings) -> Engine {
    open_under(directory, unknown, settings, Arc::new(Bag))
}

fn open_under(
    directory: &Path,
    unknown: Unknown,
    settings: EvolutionSettings,
    embedder: Arc<dyn Embedder>,
) -> Engine {
    let airline = hosted(profile("airline"), Stumbling, start());
    Engine::open(Setup {
        store: store::Options::file(directory.join("convoke.db")),
        schemas: SchemaSetup {
            settings,
            unknown,
            embedder: Some(embedder),
            ..SchemaSetup::fixed(shipped::shipped())
        },
        ..setup([airline])
    })
    .unwrap()
}

fn start() -> Timestamp {
    Timestamp::parse("2026-05-01T00:00:00Z").unwrap()
}

fn send(
    engine: &Engine,
    client: &str,
    task: &str,
    payload: &Value,
    now: Timestamp,
) -> Result<Negotiated, Refusal> {
    let json = json!({ "schema_id": "flight_booking_v1", "payload": payload });
    let text = format!(
        "## target object\nflight\n## task description\nbook\n## structured payload\n{json}"
    );
    let negotiate = Negotiate {
        asynchronous: Some(true),
        ..message(Verb::TaskAssign, task, &text)
    };
    outcome(engine.execute(&principal(client), negotiate, now))
}

fn ask<O: Operation>(engine: &Engine, who: &str, request: O, now: Timestamp) -> O::Output {
    tried(engine, who, request, now).unwrap()
}

fn tried<O: Operation>(
    engine: &Engine,
    who: &str,
    request: O,
    now: Timestamp,
) -> Result<O::Output, Refusal> {
    outcome(engine.execute(&principal(who), request, now))
}

fn records(engine: &Engine, who: &str, now: Timestamp) -> SchemaRecords {
    engine.read(&principal(who), SchemaTree, now).unwrap()
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
    let Err(Refusal::InvalidInput(InvalidInput::Payload { violations, .. })) =
        send(&engine, "c", "t1", &wrong, start())
    else {
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
    let read = TaskById(TaskId::new("t1"));
    let none = outcome(engine.execute(&principal("c"), read, start())).unwrap();
    assert_eq!(none, None);
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
    let read = TaskById(TaskId::new("t"));
    let found = outcome(engine.execute(&principal("c"), read, start())).unwrap();
    let tasks = found.as_slice();
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
        let updates = GetSchemaUpdates {
            schema_id: "flight_booking_v1".to_owned(),
            since: None,
        };
        let none = ask(&engine, "c1", updates, later);
        assert!(
            none.patches.is_empty(),
            "told before it was approved: {none:?}"
        );
        patch.answer.patch_id.clone()
    };
    // Another process takes it up where it was.
    let engine = open(directory.path(), Unknown::Reject);
    let approve = ApprovePatch { patch_id };
    let approved = ask(&engine, "admin", approve.clone(), later + HOUR_MS);
    assert_eq!(approved, PatchStanding::Active);
    assert!(tried(&engine, "admin", approve, later + HOUR_MS).is_err());
    let which = Which::Scenario("Flight Booking".to_owned());
    let wanted = GetSchemaTemplate {
        which,
        language: Some("en-US".to_owned()),
    };
    let told = ask(&engine, "c1", wanted, later + HOUR_MS);
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

/// Another embedder: the same words in half the numbers.
struct Folded;

impl Embedder for Folded {
    fn id(&self) -> &str {
        "folded"
    }

    fn dimensions(&self) -> usize {
        Bag.dimensions() / 2
    }

    fn threshold(&self) -> f32 {
        Bag.threshold()
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        let pairs = Bag.embed(text);
        pairs.chunks(2).map(|pair| pair.iter().sum()).collect()
    }

    fn opposes(&self, one: &str, other: &str) -> bool {
        Bag.opposes(one, other)
    }
}

/// Q32: under another embedder a pool keeps its clusters and their heat, in the new vectors; and
/// what comes after joins them, over restarts.
#[test]
fn a_pool_goes_on_under_another_embedder() {
    let directory = tempfile::tempdir().unwrap();
    let under = |embedder: Arc<dyn Embedder>| {
        open_under(
            directory.path(),
            Unknown::Reject,
            EvolutionSettings::default(),
            embedder,
        )
    };
    let pools = |engine: &Engine| records(engine, "admin", start() + HOUR_MS).pools;
    let say = |engine: &Engine, task: &str, words: &str| {
        send(engine, "c1", task, &flight(Some(words)), start()).unwrap();
        wait(engine.evolve(start() + HOUR_MS)).unwrap();
    };
    let engine = under(Arc::new(Bag));
    say(&engine, "a", "window seat");
    say(&engine, "b", "vegetarian meal");
    let before = pools(&engine);
    drop(engine);
    let engine = under(Arc::new(Folded));
    let after = pools(&engine);
    assert_eq!(after.len(), before.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(
            (old.embedder.as_str(), new.embedder.as_str()),
            (Bag.id(), "folded")
        );
        assert_eq!(old.clusters, new.clusters);
    }
    say(&engine, "c", "a window seat");
    let grown = pools(&engine);
    assert_eq!(grown[0].clusters.len(), before[0].clusters.len());
    assert_ne!(grown, after, "it joined");
    drop(engine);
    assert_eq!(pools(&under(Arc::new(Folded))), grown);
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
    let erase = EraseFragments {
        client: "c1".to_owned(),
    };
    let count = ask(&engine, "admin", erase, start() + 2 * HOUR_MS);
    assert!(count >= 2, "{count}");
    drop(engine);
    let engine = open(directory.path(), Unknown::Reject);
    assert_eq!(wait(engine.evolve(start() + 3 * HOUR_MS)).unwrap(), 0);
    let pools = records(&engine, "admin", start() + 3 * HOUR_MS).pools;
    assert!(pools.iter().all(|p| p.clusters.is_empty()), "{pools:?}");
}

/// Nobody could ask for a longer one: `preferred-language` has 35 bytes at most.
#[test]
fn a_template_is_published_with_language_tags_that_can_be_preferred() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    let published = |tag: &str| {
        let template = json!({
            "schema_id": "pizza_order_v1", "scenario": "pizza_order", "language": tag,
            "keys": [{ "key_name": "size", "key_type": "string", "required": true,
                       "annotations": { tag: { "meaning": "How big.", "examples": [["large", "large"]] } } }],
        });
        let template = template.to_string();
        tried(
            &engine,
            "admin",
            PublishSchemaTemplate { template },
            start(),
        )
    };
    let longest = "en-x-abcdefgh-abcdefgh-abcdefgh-abc";
    assert_eq!(longest.len(), 35);
    let longer = published(&format!("{longest}d"));
    assert!(
        matches!(&longer, Err(Refusal::InvalidInput(InvalidInput::Template(found))) if found.len() == 1),
        "{longer:?}"
    );
    assert!(published(longest).is_ok());
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
        PublishSchemaTemplate {
            template: template.to_string(),
        }
    };
    {
        let engine = open(directory.path(), Unknown::Reject);
        ask(&engine, "admin", template(1, "How big."), start());
        let changed = tried(&engine, "admin", template(1, "How large."), start());
        assert!(
            matches!(changed, Err(Refusal::Conflict(Conflict::Publish(_)))),
            "{changed:?}"
        );
        let bad = PublishSchemaTemplate {
            template: "{}".to_owned(),
        };
        assert!(matches!(
            tried(&engine, "admin", bad, start()),
            Err(Refusal::InvalidInput(InvalidInput::Template(_)))
        ));
    }
    let engine = open(directory.path(), Unknown::Reject);
    ask(&engine, "admin", template(2, "How big."), start());
    let which = Which::Scenario("pizza order".to_owned());
    let newest = GetSchemaTemplate {
        which,
        language: None,
    };
    let told = ask(&engine, "c", newest, start());
    assert_eq!(told.schema_id, "pizza_order_v2");
    let unknown = Which::Scenario("iced latte".to_owned());
    let unknown = GetSchemaTemplate {
        which: unknown,
        language: None,
    };
    assert!(matches!(
        tried(&engine, "c", unknown, start()),
        Err(Refusal::NotFound(NotFound::Scenario(_)))
    ));
}

/// A platform on which the patch that everyone wants is active.
fn patched(directory: &Path, settings: EvolutionSettings) -> (Engine, Timestamp) {
    let engine = open_with(directory, Unknown::Reject, settings);
    let later = start() + 10 * 24 * HOUR_MS;
    acquaint(&engine, start());
    clamour(&engine, "window seat", later);
    let patch_id = waiting(&engine, later).answer.patch_id;
    ask(&engine, "admin", ApprovePatch { patch_id }, later);
    (engine, later + HOUR_MS)
}

/// The patch for everyone that waits, or is active.
fn waiting(engine: &Engine, now: Timestamp) -> PatchRecord {
    let patches = records(engine, "admin", now).patches;
    let found = patches.into_iter().find(|p| p.client.is_none());
    found.expect("a patch for everyone")
}

/// What the reply to an ordinary booking tells besides.
fn noticed(engine: &Engine, client: &str, task: &str, now: Timestamp) -> Notice {
    let negotiated = send(engine, client, task, &flight(None), now);
    negotiated.unwrap().notice
}

/// D19, D87, Q44: a reply to the client tells of a patch once, and that is known over a restart;
/// whoever is erased is nobody that was told.
#[test]
fn a_patch_is_told_in_a_reply_once_to_each_client() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, later) = patched(directory.path(), EvolutionSettings::default());
    let told = noticed(&engine, "c1", "a", later);
    let patch = &told.patches[0].patch;
    for member in ["patch_id", "parent_schema_id", "timestamp", "expires_at"] {
        assert!(patch[member].is_string(), "{member} in {patch}");
    }
    assert_eq!(patch["new_keys"][0]["experimental"], true);
    assert_eq!(noticed(&engine, "c1", "b", later), Notice::default());
    assert_eq!(noticed(&engine, "c2", "c", later).patches.len(), 1);
    let recorded = engine.store().data_param("a/assign/response").unwrap();
    let recorded = recorded.unwrap().text().unwrap().to_owned();
    assert!(!recorded.contains("patch"), "{recorded}");
    drop(engine);
    let engine = open(directory.path(), Unknown::Reject);
    assert_eq!(noticed(&engine, "c1", "d", later), Notice::default());
    let erase = EraseFragments {
        client: "c1".to_owned(),
    };
    ask(&engine, "admin", erase, later);
    assert_eq!(noticed(&engine, "c1", "e", later).patches.len(), 1);
}

/// D58: each road on which patches are told has its switch.
#[test]
fn what_is_switched_off_tells_nothing() {
    for (inline, polled) in [(false, true), (true, false)] {
        let directory = tempfile::tempdir().unwrap();
        let mut settings = EvolutionSettings::default();
        settings.parts.inline = inline;
        settings.parts.polled = polled;
        let (engine, later) = patched(directory.path(), settings);
        let patches = noticed(&engine, "c1", "a", later).patches;
        assert_eq!(patches.len(), usize::from(inline));
        let updates = GetSchemaUpdates {
            schema_id: "flight_booking_v1".to_owned(),
            since: None,
        };
        match (tried(&engine, "c1", updates, later), polled) {
            (Ok(told), true) => assert_eq!(told.patches.len(), 1),
            (Err(Refusal::NotAvailable(NotAvailable::SwitchedOff { setting, .. })), false) => {
                assert_eq!(setting, "parts.polled");
            }
            (other, _) => panic!("{other:?}"),
        }
    }
}

/// D105, D106, Q9: what was taken, but should be mended, is told to whoever sent it.
#[test]
fn a_reply_warns_of_what_was_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Ignore);
    let mut odd = flight(None);
    odd["wings"] = json!(2);
    odd["other"] = json!(7);
    for _ in 0..2 {
        let notice = send(&engine, "c", "t", &odd, start()).unwrap().notice;
        let places: Vec<_> = notice
            .warnings
            .iter()
            .map(|w| w.split(':').next())
            .collect();
        assert_eq!(places, [Some("/wings"), Some("/other")]);
    }
}

/// Counts what is logged as a warning.
#[derive(Clone, Default)]
struct Warnings(Arc<AtomicUsize>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// D106: what deserves a warning is logged, once for each payload, and nothing else is.
#[test]
fn warnings_are_logged() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Ignore);
    let heard = Warnings::default();
    tracing::subscriber::with_default(heard.clone(), || {
        send(&engine, "c", "good", &flight(None), start()).unwrap();
        let mut odd = flight(None);
        odd["wings"] = json!(2);
        odd["other"] = json!(7);
        send(&engine, "c", "odd", &odd, start()).unwrap();
    });
    assert_eq!(heard.0.load(Ordering::Relaxed), 1);
}

/// §7: nobody who is known here is named in an example that everyone reads.
#[test]
fn examples_do_not_name_clients() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    send(&engine, "Bartholomew", "first", &flight(None), start()).unwrap();
    let later = start() + 10 * 24 * HOUR_MS;
    acquaint(&engine, start());
    let said = flight(Some("unlike any other at all"));
    send(&engine, "Bartholomew", "second", &said, later).unwrap();
    clamour(&engine, "airline seat beside bartholomew", later);
    let told = waiting(&engine, later).answer.patch.to_string();
    assert!(!told.to_lowercase().contains("bartholomew"), "{told}");
    assert!(told.contains("airline"), "agents are no secret: {told}");
}

/// D113, Q45: a key called like something else that is done here needs two approvers.
#[test]
fn a_key_that_exposes_another_capability_needs_two_approvers() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    let later = start() + 10 * 24 * HOUR_MS;
    acquaint(&engine, start());
    clamour(&engine, "photo retouch", later);
    let patch_id = waiting(&engine, later).answer.patch_id;
    for (admin, state) in [
        ("ada", PatchStanding::Pending),
        ("ben", PatchStanding::Active),
    ] {
        let approve = ApprovePatch {
            patch_id: patch_id.clone(),
        };
        let approved = ask(&engine, admin, approve, later);
        assert_eq!(approved, state);
    }
}

/// §7: why a patch was rejected or ended stands in the log; an ended one is gone at once, and its
/// key is taken for a while yet (D105).
#[test]
fn an_active_patch_can_be_ended_and_the_log_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, later) = patched(directory.path(), EvolutionSettings::default());
    let active = waiting(&engine, later);
    let reject = RejectPatch {
        patch_id: active.answer.patch_id.clone(),
        reason: Some("it asks for too much".to_owned()),
    };
    let ended = ask(&engine, "admin", reject.clone(), later);
    assert_eq!(ended, PatchStanding::Ended);
    assert!(matches!(
        tried(&engine, "admin", reject, later),
        Err(Refusal::NotFound(NotFound::Patch { .. }))
    ));
    let entries = engine.store().entries(0, 10_000).unwrap();
    let mut told = entries.iter().filter_map(|entry| match &entry.happening {
        LogEvent::Schema(update) => Some(update),
        _ => None,
    });
    let last = told.next_back().unwrap();
    assert_eq!(last.change, SchemaChange::PatchRejected);
    assert_eq!(last.principal.as_deref(), Some("admin"));
    assert_eq!(last.reason.as_deref(), Some("it asks for too much"));
    let mut payload = flight(None);
    payload[active.keys[0].key_name.as_str()] = json!(true);
    let notice = send(&engine, "c1", "late", &payload, later).unwrap().notice;
    assert!(notice.warnings[0].contains("withdrawn"), "{notice:?}");
    assert!(notice.patches.is_empty());
}

/// Q23: a retired version is refused with the name of the current one, after a restart as well.
#[test]
fn a_retired_template_takes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let template = |version: u32| {
        PublishSchemaTemplate {
        template: json!({
            "schema_id": format!("pizza_order_v{version}"), "scenario": "pizza_order",
            "keys": [{ "key_name": "size", "key_type": "string", "required": true,
                       "annotations": { "en": { "meaning": "How big.", "examples": [["large", "large"]] } } }],
        })
        .to_string(),
    }
    };
    let retire = |version: u32| RetireSchema {
        schema_id: format!("pizza_order_v{version}"),
    };
    {
        let engine = open(directory.path(), Unknown::Reject);
        ask(&engine, "admin", template(1), start());
        ask(&engine, "admin", template(2), start());
        let refused = tried(&engine, "admin", retire(2), start());
        assert!(matches!(
            refused,
            Err(Refusal::Conflict(Conflict::Unretirable { .. }))
        ));
        let retired = ask(&engine, "admin", retire(1), start());
        let current_schema_id = Some("pizza_order_v2".to_owned());
        assert_eq!(retired, current_schema_id);
    }
    let engine = open(directory.path(), Unknown::Reject);
    let validate = ValidatePayload {
        schema_id: "pizza_order_v1".to_owned(),
        payload: Map::from_iter([("size".to_owned(), json!("large"))]),
    };
    let Err(Refusal::NotFound(NotFound::Schema(unknown))) = tried(&engine, "c", validate, start())
    else {
        panic!("it was taken")
    };
    assert_eq!(unknown.current.as_deref(), Some("pizza_order_v2"));
    let listed = records(&engine, "c", start()).schemas;
    let retired = listed.iter().find(|s| s.schema_id == "pizza_order_v1");
    assert_eq!(retired.unwrap().state, "retired");
}

/// D15, D18: what an agent in here says is held to its schema as well; nobody gets to see a result
/// that breaks it.
#[test]
fn a_result_that_breaks_its_schema_is_a_failure() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    send(&engine, "c", "t", &flight(Some("stumble")), start()).unwrap();
    let read = TaskById(TaskId::new("t"));
    let found = outcome(engine.execute(&principal("c"), read, start())).unwrap();
    let tasks = found.as_slice();
    assert_eq!(tasks[0].status, Status::Failed);
    assert_eq!(tasks[0].result, None);
    let why = &tasks[0].said.as_ref().unwrap().task_description;
    assert!(why.contains("flight_booking_result_v1"), "{why}");
}

fn principal(name: &str) -> Principal {
    Principal {
        name: name.to_owned(),
        groups: Default::default(),
        agent: false,
        source: String::new(),
    }
}

/// Each wish is compared with all before it, so a long one would keep the platform busy: whatever
/// protocol it comes by, and nothing of it is kept.
#[test]
fn a_wish_is_as_long_as_its_leaf_may_be() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path(), Unknown::Reject);
    let wish = |text: String| RequestCapabilityExtension {
        scenario: "flight_booking".to_owned(),
        text,
    };
    let long = tried(&engine, "c", wish("a seat ".repeat(600)), start());
    assert!(
        matches!(
            long,
            Err(Refusal::InvalidInput(InvalidInput::Unusable {
                field: Field::Text,
                ..
            }))
        ),
        "{long:?}"
    );
    let rows = || engine.store().observations(usize::MAX).unwrap().len();
    assert_eq!(rows(), 0);
    tried(&engine, "c", wish("窗".repeat(4_096)), start()).unwrap();
    assert_eq!(rows(), 1);
}
