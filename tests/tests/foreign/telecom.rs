//! A foreign client of A2A-T: the SDK of telecom peers. Read next: `../../interop/a2a_t_session.py`.

use crate::support::entrance::Entrance;
use crate::support::process::{python, run};
use crate::support::within;
use a2a::telecom::repertoire::TemplateCatalogue;
use a2a::telecom::text_language::TextLanguage;
use serde_json::{Value, json};

pub(crate) const ENERGY: &str = "energy_saving_v1";

/// A task as we write it to a peer.
fn ours() -> String {
    let schemas = schema::shipped::shipped();
    let find = |id: &str| schemas.iter().find(|it| it.schema_id == id);
    let repertoire = TemplateCatalogue::new(find).unwrap();
    let values = json!({"action": "activate", "area": "Haidian", "saving_target_percent": 20});
    let translator = repertoire.for_schema(ENERGY).unwrap();
    translator.write(values.as_object().unwrap(), TextLanguage::English)
}

/// The results of the SDK; none if it is not installed.
async fn by_sdk(platform: &Entrance, breaks: &Value) -> Option<Value> {
    let printed = run(platform.state(), &["token", "issue", "--valid", "30d"]);
    let token = printed.await.well().stdout.trim_end().to_owned();
    let url = format!("http://{}", platform.http());
    let mut session = python("tests/interop/a2a_t_session.py");
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

/// A task, a question, a feasibility and a subscription in the texts of the SDK, which accepts our
/// answers and our requests; the tasks are the engine's. `breaks` is a command after which there is an incident.
pub(crate) async fn the_sdk_of_a2a_t_is_served(platform: &Entrance, breaks: &Value) {
    let Some(facts) = by_sdk(platform, breaks).await else {
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
    let shown = platform
        .client(&["task", "show", id, "--json"])
        .await
        .well();
    assert!(
        shown.stdout.contains(r#""task-status":"cancelled""#),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains(ENERGY), "{}", shown.stdout);
}
