//! The bytes of stored rows, and the strictness in reading them: those of earlier releases.
//!
//! The texts in `forms/` are what the store wrote before the types of `domain` derived serde. They
//! change only with the version of the schema, for rows carry digests over these bytes. Read next:
//! [`crate::row`].

use super::kept::{negotiation, registration, team};
use super::pushes::config;
use super::*;
use crate::row::entry;
use crate::row::json::{from_json, to_json};
use domain::access::Credential;
use domain::audit::{AuditEvent, AuditKind, AuditRecord};
use domain::cluster::{LeadMoved, LeadReason};
use domain::context::Chunked;
use domain::negotiation::{Kind, Negotiation, RequestKey, Side, Speech, Stance, State, Turn};
use domain::notification::{AgentUpdate, NegotiationUpdate, SchemaChange, SchemaUpdate};
use domain::policy::{
    Afterwards, DecisionKind, DecisionSubject, NumberBound, PolicyChange, PolicyUpdate,
    RuleConditions, RuleKey, RuleVerdict, StandingRule, TimeOut,
};
use domain::push::PushConfig;
use domain::registry::{AgentChange, Health, Reach, Registration};
use domain::reply::Reason;
use domain::task::{Awaits, Conditions, Subscription};
use rusqlite::types::ValueRef;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Write as _;

const VALUES: &str = include_str!("forms/values.txt");
const STRICTNESS: &str = include_str!("forms/strictness.txt");
const TABLES: &str = include_str!("forms/tables.txt");

/// Reads another text of the form, and writes it again; none if it is not read.
type Again = Box<dyn Fn(&str) -> Option<String>>;

/// A stored form: its name, a value in it, and the reading of others, which are written again.
struct Form {
    name: &'static str,
    json: String,
    again: Again,
}

/// The stored forms of everything, with all members and with as few as possible.
fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    forms.extend([full(), Content::new("", "")].map(|it| form("content", &it)));
    forms.extend([conditions(), Conditions::default()].map(|it| form("conditions", &it)));
    forms.extend([vec![offer(), refusal()], Vec::new()].map(|it| form("turns", &it)));
    forms.extend(registrations().iter().map(|it| form("registration", it)));
    forms.push(form("team", &team("t1")));
    forms.extend(pushes().map(|it| form("push_config", &it)));
    forms.extend(everything_that_happens().iter().map(body));
    forms
}

fn form<T: Serialize + DeserializeOwned>(name: &'static str, value: &T) -> Form {
    Form {
        name,
        json: to_json(value),
        again: Box::new(|text| from_json::<T>(text).map(|it| to_json(&it))),
    }
}

fn body(happening: &LogEvent) -> Form {
    let (name, json) = entry::encode(happening);
    Form {
        name,
        json,
        again: Box::new(move |body| entry::decode(name, body).map(|it| entry::encode(&it).1)),
    }
}

fn full() -> Content {
    let mut full = content("do");
    full.terms.push(("ber".into(), "\u{7f}\u{2028}/<&>".into()));
    full
}

fn conditions() -> Conditions {
    Conditions {
        parent: Some(TaskId::new("root")),
        deadline: Some(at(9_000)),
        answer_within_ms: Some(-500),
        fulfillment_demanded: true,
        round_limit: u32::MAX,
        subscription: Some(Subscription {
            protocol: "https".into(),
            method: "POST".into(),
            url: "https://oss.example/hook".into(),
        }),
        data: Some("d9".into()),
        context: Some("x9".into()),
        conversation: Some("talk".into()),
    }
}

fn offer() -> Turn {
    Turn {
        round: 1,
        by: Side::Publisher,
        speech: Speech::offer(vec![full(), Content::new("a", "b")]),
        at: at(5),
        request: None,
    }
}

fn refusal() -> Turn {
    let reason = Reason {
        reason: "no-capacity".into(),
        path: "window".into(),
        message: "busy \"until\" noon".into(),
    };
    Turn {
        round: 2,
        by: Side::Executor,
        speech: Speech {
            stance: Stance::Accept,
            alternative: Some(2),
            ..Speech::refuse(vec![reason])
        },
        at: at(6),
        request: None,
    }
}

fn registrations() -> Vec<Registration> {
    let server = Reach::Server {
        address: "ran.example:830".into(),
        host_key: "ssh-ed25519 AAAA".into(),
    };
    let card = |signed| Reach::A2a {
        card_url: "https://ran.example/card".into(),
        signed,
    };
    let reaches = [
        Reach::Hosted,
        Reach::Client,
        server,
        card(false),
        card(true),
    ];
    let mut all = reaches.map(|reach| registration("ran", reach)).to_vec();
    let mut bound = (*all[0].profile).clone();
    bound.province = Some("Utrecht".into());
    bound.skills.clear();
    all[0].profile = Arc::new(bound);
    all
}

fn pushes() -> [PushConfig; 2] {
    let full = config("t1", "ann", "c1");
    let bare = PushConfig {
        token: None,
        authentication: None,
        ..full.clone()
    };
    [full, bare]
}

fn everything_that_happens() -> Vec<LogEvent> {
    let mut waiting = task("t1");
    waiting.status = Status::InputRequired;
    waiting.awaits = Some(Awaits::Decision);
    let negotiated = |turn| {
        LogEvent::Negotiation(Arc::new(NegotiationUpdate {
            time: at(7),
            task: TaskId::new("t1"),
            kind: Kind::Fulfillment,
            publisher: "oss".into(),
            executor: "ran".into(),
            state: State::Open,
            turn,
        }))
    };
    let agent = AgentUpdate {
        time: at(8),
        name: "ran".into(),
        change: AgentChange::Registered,
        health: Health::Degraded,
    };
    let lead = LeadMoved {
        time: at(10),
        from: Some("n1".into()),
        to: "n2".into(),
        epoch: 7,
        reason: LeadReason::Drained,
    };
    let rule = StandingRule {
        key: RuleKey {
            author: "ann".into(),
            name: "small".into(),
        },
        kind: DecisionKind::Result,
        conditions: RuleConditions {
            decider: Some("oss".into()),
            agent: Some("ran".into()),
            domain: Some("IP".into()),
            target: Some("link:a--b".into()),
            scenario: Some("repair".into()),
            bounds: vec![NumberBound {
                key: "cost".into(),
                least: Some(0.5),
                most: Some(500.0),
            }],
        },
        verdict: RuleVerdict::Ask,
        time_out: Some(TimeOut {
            after_ms: 60_000,
            then: Afterwards::Escalate("bob".into()),
        }),
        valid_until: Some(at(99)),
        added: at(10),
        credential: Some(Credential::User),
        // None is kept of rules of a host that knows no keys.
        key_digest: None,
    };
    let added = PolicyUpdate {
        added: Some(rule.clone()),
        ..PolicyUpdate::of(rule.key.clone(), PolicyChange::RuleAdded, at(10))
    };
    let decided = PolicyUpdate {
        subject: Some(DecisionSubject {
            kind: DecisionKind::Result,
            id: "t1".into(),
        }),
        since: Some(at(9)),
        decider: Some("oss".into()),
        verdict: Some(RuleVerdict::Accept),
        escalated_to: Some("bob".into()),
        ..PolicyUpdate::of(rule.key, PolicyChange::Decided, at(11))
    };
    let schema = SchemaUpdate {
        time: at(9),
        scenario: "fault_diagnosis".into(),
        schema_id: "fault_diagnosis_v1".into(),
        patch_id: Some("p1".into()),
        client: Some("oss".into()),
        change: SchemaChange::KeyPromoted,
        key_names: vec!["ort".into(), "zeit".into()],
        principal: Some("ann".into()),
        reason: Some("good".into()),
    };
    let bare = SchemaUpdate {
        patch_id: None,
        client: None,
        key_names: Vec::new(),
        principal: None,
        reason: None,
        ..schema.clone()
    };
    let audit = |event| {
        LogEvent::Audit(Arc::new(AuditRecord {
            event,
            count: 3,
            since: at(11),
        }))
    };
    let event = AuditEvent::new(AuditKind::LoginFailed, "mal\u{202e}lory");
    let told = event.clone().from("ssh 192.0.2.7").to("x").because("r");
    vec![
        notification(&task("t1"), None),
        notification(&waiting, Some(Status::Processing)),
        negotiated(Some(refusal())),
        negotiated(None),
        LogEvent::Agent(Arc::new(agent)),
        LogEvent::Schema(Arc::new(schema)),
        LogEvent::Schema(Arc::new(bare)),
        audit(told),
        audit(event),
        session(1),
        ended(1),
        LogEvent::Lead(Arc::new(lead)),
        LogEvent::Policy(Arc::new(added)),
        LogEvent::Policy(Arc::new(decided)),
    ]
}

/// Fails at the first line in which two texts differ.
fn same(found: &str, golden: &str) {
    for (number, (found, golden)) in found.lines().zip(golden.lines()).enumerate() {
        assert_eq!(found, golden, "line {}", number + 1);
    }
    assert_eq!(found.lines().count(), golden.lines().count());
}

#[test]
fn values_are_written_as_ever() {
    let mut text = String::new();
    for Form { name, json, again } in forms() {
        assert_eq!(again(&json).as_ref(), Some(&json), "{name}");
        writeln!(text, "{name} {json}").unwrap();
    }
    same(&text, VALUES);
}

/// Turns of before have no request.
#[test]
fn the_request_of_a_turn_is_kept_with_it() {
    let request = RequestKey {
        connection: u64::MAX,
        offset: 512,
    };
    let turn = Turn {
        request: Some(request),
        ..refusal()
    };
    let Form { json, again, .. } = form("turn", &turn);
    let kept = r#","request":{"connection":18446744073709551615,"offset":512}}"#;
    assert_eq!(
        json,
        to_json(&refusal()).trim_end_matches('}').to_owned() + kept
    );
    assert_eq!(again(&json), Some(json));
}

/// The other values that stand in the place of one.
fn strangers() -> [(&'static str, Value); 12] {
    [
        ("null", Value::Null),
        ("true", json!(true)),
        ("0", json!(0)),
        ("-1", json!(-1)),
        ("256", json!(256)),
        ("2^32", json!(1_u64 << 32)),
        ("9e18", json!(9_000_000_000_000_000_000_u64)),
        ("2^64-1", json!(u64::MAX)),
        ("1.5", json!(1.5)),
        ("text", json!("open")),
        ("[]", json!([])),
        ("{}", json!({})),
    ]
}

/// The places in a value, as JSON pointers; those within a payload's values are not forms.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    let inside: Vec<(String, &Value)> = match value {
        _ if here.ends_with("/values") => Vec::new(),
        Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), v)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(n, v)| (n.to_string(), v))
            .collect(),
        _ => Vec::new(),
    };
    for (name, value) in inside {
        places(value, &format!("{here}/{name}"), found);
    }
}

/// The text with something changed at one place: by the name of the change.
fn changed(value: &Value, place: &str) -> Vec<(&'static str, String)> {
    let mut changes = Vec::new();
    for (name, stranger) in strangers() {
        let mut other = value.clone();
        *other.pointer_mut(place).unwrap() = stranger;
        changes.push((name, other.to_string()));
    }
    let at = |other: &mut Value, change: &dyn Fn(&mut serde_json::Map<String, Value>, &str)| {
        let (parent, name) = place.rsplit_once('/')?;
        let object = other.pointer_mut(parent)?.as_object_mut()?;
        change(object, name);
        Some(other.to_string())
    };
    let missing = at(&mut value.clone(), &|object, name| {
        object.remove(name);
    });
    let twice = at(&mut value.clone(), &|object, name| {
        object.insert(format!("#{name}"), object[name].clone());
    });
    changes.extend(missing.map(|text| ("missing", text)));
    changes.extend(twice.map(|text| ("twice", text.replace("\"#", "\""))));
    let mut other = value.clone();
    if let Some(object) = other.pointer_mut(place).and_then(Value::as_object_mut) {
        object.insert("unknown".into(), json!([{"a": 1}]));
        changes.push(("unknown", other.to_string()));
    }
    // A struct may come as the list of its members.
    if let Some(object) = value.pointer(place).and_then(Value::as_object) {
        let mut other = value.clone();
        *other.pointer_mut(place).unwrap() = object.values().cloned().collect();
        changes.push(("list", other.to_string()));
    }
    changes
}

/// What is read in spite of a change, by form and place; with a digest over what was read.
#[test]
fn reading_is_as_strict_as_ever() {
    let mut text = String::new();
    for Form { name, json, again } in forms() {
        let value: Value = serde_json::from_str(&json).unwrap();
        let mut found = Vec::new();
        places(&value, "", &mut found);
        for place in found {
            let mut taken = Vec::new();
            let mut read = Sha256::new();
            for (change, text) in changed(&value, &place) {
                if let Some(again) = again(&text) {
                    taken.push(change);
                    read.update(again);
                }
            }
            let taken = taken.join(" ");
            let read = &Sha256::digest(read.finalize())[..4];
            let read = u32::from_be_bytes(read.try_into().unwrap());
            writeln!(text, "{name}{place}: {taken} {read:08x}").unwrap();
        }
    }
    same(&text, STRICTNESS);
}

/// Every table that holds rows of the domain, with its digests.
#[test]
fn rows_are_written_as_ever() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    store.commit(everything_stored()).wait().unwrap();
    drop(store);
    let connection = Connection::open(&path).unwrap();
    let mut text = String::new();
    for table in TABLES_OF_ROWS {
        dump(&connection, table, &mut text);
    }
    same(&text, TABLES);
}

const TABLES_OF_ROWS: [&str; 11] = [
    "task",
    "exchange",
    "data_param",
    "data_chunk",
    "negotiation",
    "registration",
    "team",
    "team_candidate",
    "push_config",
    "document",
    "log",
];

fn everything_stored() -> Batch {
    let mut waiting = task("t1").under(conditions());
    waiting.status = Status::InputRequired;
    waiting.awaits = Some(Awaits::Decision);
    waiting.plan = Some(content("plan"));
    waiting.result = Some(full());
    waiting.said = Some(Content::new("a", "b"));
    let negotiations = [Kind::Feasibility, Kind::Fulfillment].map(|kind| Negotiation {
        turns: vec![offer(), refusal()],
        ..negotiation("t1", kind)
    });
    let chunked = DataParam {
        body: Body::Chunked(Chunked {
            size: 3,
            sha256: Some([7; 32]),
            finished: false,
        }),
        ..data("chunked", Some("t1"), "oss", "ran")
    };
    let elsewhere = DataParam {
        body: Body::Elsewhere("https://ran.example/d".into()),
        ..data("elsewhere", None, "oss", "ran")
    };
    let happenings = everything_that_happens().into_iter();
    let names = ["hosted", "client", "server", "card", "signed"];
    let registrations = registrations()
        .into_iter()
        .zip(names)
        .map(|(mut it, name)| {
            let mut profile = (*it.profile).clone();
            profile.name = name.into();
            it.profile = Arc::new(profile);
            Arc::new(it)
        });
    Batch {
        tasks: vec![Arc::new(task("t0")), Arc::new(waiting)],
        exchanges: vec![exchange("x", Some("t1"), "oss", "ran", 1_000)],
        data: vec![data("d", None, "oss", "ran"), chunked, elsewhere],
        happenings: happenings.map(|it| (at(1_000), it)).collect(),
        negotiations: negotiations.map(Arc::new).to_vec(),
        registrations: registrations.collect(),
        teams: vec![Arc::new(team("t1"))],
        chunks: vec![Chunk {
            data: "chunked".into(),
            offset: 0,
            bytes: [1, 2].as_slice().into(),
        }],
        pushes: pushes().map(PushChange::Keep).to_vec(),
        documents: vec![Document {
            kind: "k".into(),
            name: "n".into(),
            body: Some("{}".into()),
        }],
        ..Batch::default()
    }
}

/// Writes the rows of a table, a line each.
fn dump(connection: &Connection, table: &str, text: &mut String) {
    let sql = format!("SELECT * FROM {table} ORDER BY 1, 2");
    let mut statement = connection.prepare(&sql).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        write!(text, "{table}").unwrap();
        for (index, name) in names.iter().enumerate() {
            let value = match row.get_ref(index).unwrap() {
                ValueRef::Null => "-".to_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => number.to_string(),
                ValueRef::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
                ValueRef::Blob(bytes) => bytes.iter().fold("x".to_owned(), |mut hex, byte| {
                    write!(hex, "{byte:02x}").unwrap();
                    hex
                }),
            };
            write!(text, " {name}={value}").unwrap();
        }
        text.push('\n');
    }
}
