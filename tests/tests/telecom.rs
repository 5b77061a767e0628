//! A2A-T of the real command: the SDK of telecom peers, and the page. What each message means is in
//! `crates/bindings/tests/a2a/telecom.rs`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use a2a::telecom::repertoire::Repertoire;
use a2a::telecom::tongue::Tongue;
use serde_json::{Value, json};
use support::process::{Running, binary, python, run};
use support::{block_on, page, within};

const ENERGY: &str = "energy_saving_v1";

/// A task as we write it to a peer.
fn ours() -> String {
    let schemas = schema::shipped::shipped();
    let find = |id: &str| schemas.iter().find(|it| it.schema_id == id);
    let repertoire = Repertoire::new(find).unwrap();
    let values = json!({"action": "activate", "area": "Haidian", "saving_target_percent": 20});
    let translator = repertoire.for_schema(ENERGY).unwrap();
    translator.write(values.as_object().unwrap(), Tongue::English)
}

/// What the SDK found; none if it is not installed.
async fn by_sdk(running: &Running) -> Option<Value> {
    let printed = run(running.state(), &["token", "issue", "--valid", "30d"]);
    let token = printed.await.well().stdout.trim_end().to_owned();
    let url = format!("http://{}", running.http());
    let mut session = python("tests/interop/a2a_t_session.py");
    let breaks = json!([
        binary(),
        "fault",
        "inject",
        "router-failure:Lodz",
        "--state",
        running.state(),
        "--netconf",
        running.address()
    ]);
    let session = session.args([&url, &token, "Gdansk", &ours(), &breaks.to_string()]);
    let session = session.output();
    let output = within("the session", session).await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
    match facts["missing"].as_str() {
        None => Some(facts),
        Some(missing) => {
            println!("the SDK of A2A-T is not there ({missing}): skipped");
            None
        }
    }
}

/// Issue 6 §5: a task, a question, a feasibility and a subscription in the texts of the SDK, which takes
/// what we answer and what we ask; the tasks are the engine's.
#[test]
fn the_sdk_of_a2a_t_is_served() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        // Energy is reported on hours of the network's time after it is saved.
        let serve = [
            "serve",
            "--network",
            "Polska",
            "--sites",
            "12",
            "--speed",
            "100",
        ];
        let running = Running::start(state.path(), &serve).await;
        let Some(facts) = by_sdk(&running).await else {
            return;
        };
        let declared = [
            "Negotiation-T/NL/v1",
            "Negotiation-T/v1",
            "Task-T/NL/v1",
            "Task-T/v1",
        ];
        assert_eq!(facts["declares"], json!(declared));
        let energy = &facts["energy"];
        let asked = ["TASK_STATE_SUBMITTED", "TASK_STATE_INPUT_REQUIRED"];
        assert_eq!(energy["states"], json!(asked));
        assert_eq!(energy["checked"], json!(["id", "maxRounds", "round"]));
        assert!(
            energy["asked"].as_str().unwrap().contains("not plenty"),
            "{energy}"
        );
        let reports = energy["reports"].to_string();
        assert!(
            reports.contains("How energy saving stands: active"),
            "{reports}"
        );
        assert_eq!(energy["cancelled"], "TASK_STATE_CANCELED");
        let feasibility = &facts["feasibility"];
        let said = &feasibility["said"]["negotiationContext"];
        assert_eq!(
            (&said["id"], &said["performative"]),
            (&feasibility["id"], &json!("ACCEPT"))
        );
        let ended = feasibility["left"].as_str().unwrap();
        assert!(ended.contains("is agreed"), "{ended}");
        let subscription = &facts["subscription"];
        let taken = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "artifact"];
        assert_eq!(subscription["states"], json!(taken));
        let outcome = subscription["outcome"].to_string();
        assert!(
            outcome.contains("Subscription result: success"),
            "{outcome}"
        );
        let told = &subscription["told"]["parts"][0]["data"]["faultManagement.Incident"];
        let priority = told["priority"].as_str().unwrap();
        assert!(["critical", "high"].contains(&priority), "{told}");
        assert_eq!(subscription["cancelled"], "TASK_STATE_CANCELED");
        assert_eq!(facts["ours"], true);
        let id = energy["id"].as_str().unwrap();
        let shown = running.client(&["task", "show", id, "--json"]).await.well();
        assert!(
            shown.stdout.contains(r#""task-status":"cancelled""#),
            "{}",
            shown.stdout
        );
        assert!(shown.stdout.contains(ENERGY), "{}", shown.stdout);
    });
}

/// The page `docs/a2a-t.md`: every command is typed, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Germany50").await;
        page::holds("a2a-t.md", &running, 3).await;
    });
}
