//! Foreign clients of A2A: the official SDKs. Read next: `../../interop/a2a_session.py`, `../../interop/js`.

use crate::support::entrance::Entrance;
use crate::support::process::{node, python};
use crate::support::within;
use serde_json::{Value, json};
use std::path::Path;
use tokio::process::Command;

/// An agent with schemas, and one of its elements.
pub(crate) const IP: &str = "/agents/TMF-Convoke-IP-1.0.0";
const WAYS: [&str; 4] = [
    "1.0 JSONRPC",
    "1.0 HTTP+JSON",
    "0.3 JSONRPC",
    "0.3 HTTP+JSON",
];

/// The results of an official SDK at an agent of a platform with one allowed push address.
async fn by_sdk(mut client: Command, platform: &Entrance, token: &str) -> Value {
    let url = format!("http://{}{IP}", platform.http());
    client.args([&url, token, "router:Gdansk"]);
    let output = within("the SDK", client.output()).await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Asserts the results of every binding and version that the SDK uses.
#[track_caller]
fn is_served(facts: &Value) {
    assert_eq!(facts["offered"], json!(WAYS));
    let both = WAYS.iter().flat_map(|way| [(way, "stream"), (way, "wait")]);
    for (way, how) in both {
        let of = &facts[format!("{way} {how}")];
        assert_eq!(of["state"], "TASK_STATE_COMPLETED", "{way} {how}: {of}");
        assert_eq!(of["said"], json!(["ROLE_USER"]));
        assert_eq!(of["cancelled"], "TaskNotCancelableError");
        assert_eq!(of["unknown"], "TaskNotFoundError");
        assert_eq!(of["extended"], facts["name"]);
        let config = json!(["hook", "https://hook.example/in", "known"]);
        let pushed = &of["pushed"];
        assert_eq!(
            (&pushed["made"], &pushed["read"]),
            (&config, &config),
            "{way}"
        );
        if *way != "0.3 HTTP+JSON" {
            let (listed, left) = (&pushed["listed"], &pushed["left"]);
            assert_eq!((listed, left), (&json!(["hook"]), &json!([])), "{way}");
        }
        if way.starts_with("1.0") {
            assert_eq!(of["listed"][0], 1, "{way} {how}: {of}");
        }
        if how == "stream" {
            assert_eq!(of["begun"], "TASK_STATE_SUBMITTED");
            assert_eq!(of["ended"], "TASK_STATE_COMPLETED");
            let kinds = of["events"].as_array().unwrap();
            assert_eq!(kinds.first(), Some(&json!("task")));
            assert!(kinds.contains(&json!("artifact_update")), "{of}");
        }
    }
}

/// The official SDK for Python works over every binding and version on the card, with and without
/// streams; returns its results.
pub(crate) async fn the_official_python_sdk_is_served(platform: &Entrance, token: &str) -> Value {
    let facts = by_sdk(python("tests/interop/a2a_session.py"), platform, token).await;
    assert_eq!(facts["name"], "TMF-Convoke-IP-1.0.0");
    is_served(&facts);
    facts
}

/// The official SDKs for JavaScript work: 1.x for v1.0 and 0.3.x for v0.3.
pub(crate) async fn the_official_javascript_sdks_are_served(platform: &Entrance, token: &str) {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("interop/js/node_modules");
    if !clients.exists() {
        println!("{} is not there (`make setup`): skipped", clients.display());
        return;
    }
    let facts = by_sdk(node("tests/interop/js/a2a_session.mjs"), platform, token).await;
    for way in WAYS {
        let of = &facts[way];
        let completed = match way.starts_with("1.0") {
            true => "TASK_STATE_COMPLETED",
            false => "completed",
        };
        assert_eq!(of["waited"], completed, "{way}: {of}");
        assert_eq!(of["state"], completed, "{way}: {of}");
        assert_eq!(
            (&of["result"], &of["said"]),
            (&json!("result"), &json!(true))
        );
        assert_eq!(of["kinds"][0], "task", "{way}: {of}");
        let last = of["kinds"][1]
            .as_str()
            .unwrap()
            .replace('-', "")
            .to_lowercase();
        assert_eq!(last, "statusupdate", "{way}: {of}");
        for (refused, name) in [
            ("unknown", "TaskNotFound"),
            ("cancelled", "TaskNotCancelable"),
        ] {
            assert!(of[refused].as_str().unwrap().contains(name), "{way}: {of}");
        }
    }
}
