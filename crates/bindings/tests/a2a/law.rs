//! A law: what A2A says of a task is what NETCONF says of it, whatever was done to it by either.

use crate::stage::*;
use a2a::state::state_of_status;
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
