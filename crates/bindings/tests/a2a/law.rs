//! Laws: what A2A says of a task is what NETCONF says of it, whatever was done to it by either; and
//! whatever is said in A2A-T is answered.

use crate::radio::RADIO;
use crate::stage::*;
use a2a::state::state_of_status;
use a2a::telecom::extension::{Family, TelecomExtension, UriGeneration};
use a2a::version::Dialect;
use a2a::wire;
use domain::task::Status;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Something that is done to the tasks of a run.
#[derive(Clone, Debug)]
enum Deed {
    Begin(&'static str),
    Answer(usize, &'static str),
    Cancel(usize),
    Wait,
}

fn deed() -> impl Strategy<Value = Deed> {
    let begin = proptest::sample::select(vec![
        "now", "ask", "propose", "hold", "later", "fail", "refuse",
    ]);
    let answer = proptest::sample::select(vec!["accept it", "reject it", "the left one"]);
    prop_oneof![
        3 => begin.prop_map(Deed::Begin),
        3 => (0..4_usize, answer).prop_map(|(place, words)| Deed::Answer(place, words)),
        1 => (0..4_usize).prop_map(Deed::Cancel),
        1 => Just(Deed::Wait),
    ]
}

fn run(stage: &mut Stage, deeds: &[Deed]) -> Vec<Value> {
    let mut tasks: Vec<Value> = Vec::new();
    for (n, deed) in deeds.iter().enumerate() {
        let id = format!("m-{n}");
        let now = json!({"returnImmediately": true});
        match deed {
            Deed::Begin(word) => {
                let sent = json!({"message": words(&id, word), "configuration": now});
                let begun = stage.rpc("ann", CLERK, "SendMessage", sent);
                tasks.push(begun["result"]["task"]["id"].clone());
            }
            Deed::Answer(place, said) => {
                if let Some(task) = tasks.get(*place) {
                    let message = to(&json!({"id": task}), words(&id, said));
                    let sent = json!({"message": message, "configuration": now});
                    stage.rpc("ann", CLERK, "SendMessage", sent);
                }
            }
            Deed::Cancel(place) => {
                if let Some(task) = tasks.get(*place) {
                    stage.rpc("ann", CLERK, "CancelTask", json!({"id": task}));
                }
            }
            Deed::Wait => stage.advance(1_000),
        }
    }
    tasks
}

/// How a task begins in the answer of `get-tasks`.
const TASK: &str = "<task xmlns";

/// The texts of all leaves of a name.
fn leaves(xml: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let pieces = xml.split(&open).skip(1);
    pieces
        .map(|it| it.split(&close).next().unwrap().to_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Q81: assignment, answer, cancellation and query are the same deeds over both.
    #[test]
    fn both_protocols_say_the_same(deeds in proptest::collection::vec(deed(), 1..10)) {
        let mut stage = Stage::new();
        let tasks = run(&mut stage, &deeds);
        let registry = "xmlns='urn:convoke:params:xml:ns:yang:convoke-registry'";
        let shown = stage.netconf("ann", &format!("<get-tasks {registry}/>"));
        let listed = stage.rpc("ann", CLERK, "ListTasks", json!({"includeArtifacts": true}));
        let listed = listed["result"]["tasks"].as_array().unwrap();
        prop_assert_eq!(listed.len(), tasks.len());
        for entry in shown.split(TASK).skip(1) {
            let id = &leaves(entry, "task-id")[0];
            let task = listed.iter().find(|task| task["id"] == id.as_str()).unwrap();
            let status = Status::parse(&leaves(entry, "task-status")[0]).unwrap();
            let meant = wire::task_state(Dialect::V10, state_of_status(status));
            prop_assert_eq!(state(task), meant.to_string());
            let stated = leaves(entry, "conversation");
            prop_assert_eq!(&task["contextId"], stated.first().unwrap_or(id));
            let offered = entry.contains("<result>");
            prop_assert_eq!(task["artifacts"].as_array().unwrap().len(), usize::from(offered));
            let record = format!("<get-context {registry}><task-id>{id}</task-id></get-context>");
            let asked = leaves(&stage.netconf("ann", &record), "request-info").len();
            let history = task["history"].as_array().unwrap();
            let said = history.iter().filter(|it| it["role"] == "ROLE_USER").count();
            prop_assert_eq!(said, asked, "{}", task);
        }
        prop_assert_eq!(shown.matches(TASK).count(), tasks.len());
    }
}

/// A text of A2A-T, more or less.
fn text() -> impl Strategy<Value = String> {
    let titles = proptest::sample::select(vec![
        "Task Type",
        "Task Object",
        "Task Target",
        "Operation Type",
        "Notification Topic",
        "Subscribe Condition",
        "Feasibility Negotiation",
        "Under Evaluation Description",
        "Feasibility Negotiation Result",
        "Target Negotiation Result",
        "Further Parameters",
        "Information Negotiation Result",
        "Information Negotiation Result Content",
        "Anything",
    ]);
    let lines = proptest::sample::select(vec![
        "Wireless network energy saving",
        "Area: Haidian",
        "1. Energy consumption goal: 90%",
        "Energy consumption goal: much",
        "Create",
        "Incident",
        "Fault priority: high",
        "Accept",
        "Reject",
        "### Alternative 1",
        "Alternative: 7",
        "`area`: [",
        "other: {\"a\": 1}",
        "\"",
        "",
    ]);
    let section = (titles, proptest::collection::vec(lines, 0..3));
    let sections = proptest::collection::vec(section, 0..4);
    sections.prop_map(|sections| {
        let told = sections.into_iter();
        told.map(|(title, lines)| format!("## {title}\n{}\n\n", lines.join("\n")))
            .collect()
    })
}

fn metadata() -> impl Strategy<Value = Value> {
    let family = proptest::sample::select(Family::ALL.to_vec());
    let template = proptest::sample::select(vec![
        "Task-T/network-layer/ran-energy-saving/v1",
        "Notification-T/network-layer/subscribe-incident/v1",
        "Negotiation-T/feasibility-negotiation/propose/v1",
        "Negotiation-T/feasibility-negotiation/accept-reject/v1",
        "Negotiation-T/target-negotiation/propose/v1",
        "Negotiation-T/information-negotiation/accept-reject/v1",
        "Negotiation-T/common/abort/v1",
    ]);
    let texts = proptest::collection::vec((family, text()), 1..3);
    let word = proptest::sample::select(vec!["PROPOSE", "ACCEPT", "REJECT", "ABORT"]);
    let context = (0..3_u32, 1..4_u32, word);
    (texts, proptest::option::of(template), context).prop_map(|(texts, template, context)| {
        let (negotiation, round, word) = context;
        let id = format!("7d8c7b00-3c8c-4f8e-9b1e-00000000000{negotiation}");
        let mut metadata = json!({"negotiationContext":
            {"id": id, "round": round, "maxRounds": 3, "performative": word}});
        for (family, text) in texts {
            let generation = UriGeneration::Current;
            metadata[TelecomExtension { family, generation }.uri()] = text.into();
        }
        if let Some(template) = template {
            metadata["templateUri"] = template.into();
        }
        metadata
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A2A-T: whatever is said is answered or refused, never by a failure of ours, and said again it is
    /// answered alike.
    #[test]
    fn whatever_is_said_is_answered(said in proptest::collection::vec(metadata(), 1..12)) {
        let stage = Stage::new();
        let mut task = Value::Null;
        for (n, metadata) in said.into_iter().enumerate() {
            let mut message = words(&format!("m-{n}"), "x");
            message["metadata"] = metadata;
            if n % 2 == 1 && task["id"].is_string() {
                message = to(&task, message);
            }
            let sent = json!({"message": message, "configuration": {"returnImmediately": true}});
            let answer = stage.rpc("ann", RADIO, "SendMessage", sent.clone());
            let code = answer["error"]["code"].as_i64();
            prop_assert!(code.is_none_or(|it| it != -32603), "{sent}\n{answer}");
            if answer["result"]["task"].is_object() {
                task = answer["result"]["task"].clone();
                let again = stage.rpc("ann", RADIO, "SendMessage", sent);
                prop_assert_eq!(&again["result"]["task"]["id"], &task["id"]);
            }
        }
    }
}
