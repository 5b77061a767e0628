//! A foreign client of `convoke mcp`, which is one of the platform: the official SDK. Read next: `../../interop/mcp_session.py`.

use crate::support::entrance::Entrance;
use crate::support::process::{binary, python};
use crate::support::within;
use serde_json::{Value, json};

/// The name of the tool that diagnoses a fault.
const DIAGNOSE: &str = "ip-fault_fault-diagnosis";

/// The results of the official SDK for Python, over one of the lifecycles of MCP.
async fn by_sdk(platform: &Entrance, lifecycle: &str, schema: &str) -> Value {
    let asking = format!("asks-{lifecycle}");
    // That is no element: the agent asks for one.
    let assign = [
        "task", "assign", "ip-fault", "nonsense", "--async", "--id", &asking,
    ];
    platform.client(&assign).await.well();
    let mut client = python("tests/interop/mcp_session.py");
    client.arg(lifecycle).arg(binary()).arg(platform.state());
    client.args([platform.address(), "router:Gdansk", &asking, schema]);
    let output = within("the SDK", client.output()).await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The output of a command, as one object.
async fn told(platform: &Entrance, arguments: &[&str]) -> Value {
    let printed = platform.client(arguments).await.well();
    printed.json().pop().unwrap()
}

/// The JSON Schema that the platform renders of a template.
async fn rendered(platform: &Entrance, schema: &str) -> Value {
    let show = [
        "schema",
        "show",
        schema,
        "--form",
        "json-schema",
        "--language",
        "zh",
        "--json",
    ];
    let shown = told(platform, &show).await;
    serde_json::from_str(shown["shown"].as_str().unwrap()).unwrap()
}

/// Asserts the results over either lifecycle.
async fn is_served(platform: &Entrance, facts: &Value) {
    let tool = &facts["tools"][DIAGNOSE];
    assert_eq!(
        tool["inputSchema"],
        rendered(platform, "fault_diagnosis_v1").await
    );
    let result = rendered(platform, "fault_diagnosis_result_v1").await;
    assert_eq!(tool["outputSchema"], result);
    let title = format!(
        "{} (ip-fault)",
        tool["inputSchema"]["title"].as_str().unwrap()
    );
    assert_eq!(tool["title"], title);
    assert!(
        !title.is_ascii(),
        "it is in the language asked for: {title}"
    );

    let diagnosed = &facts["diagnosed"];
    assert_eq!(diagnosed["error"], false, "{diagnosed}");
    assert_eq!(diagnosed["structured"]["target"], "router:Gdansk");
    assert_eq!(diagnosed["meta"]["convoke/task-status"], "finished");
    let steps = facts["progress"].as_array().unwrap();
    assert_eq!(steps.last(), Some(&json!([100.0, 100.0])), "{steps:?}");

    let wrong = &facts["wrong"];
    assert_eq!(wrong["error"], true);
    let words = wrong["words"][0].as_str().unwrap();
    for place in ["/target: ", "/y: ", "/sites/0: "] {
        assert!(words.contains(place), "{words}");
    }

    let waited = &facts["waited"];
    assert_eq!(waited["error"], true);
    assert_eq!(waited["meta"]["convoke/task-status"], "input-required");
    let words = waited["words"][0].as_str().unwrap();
    assert!(words.contains("Needed: target"), "{words}");
    let answered = &facts["answered"];
    assert_eq!(
        answered["meta"]["convoke/task-id"],
        waited["meta"]["convoke/task-id"]
    );

    assert_eq!(answered["structured"]["target"], "router:Gdansk");

    assert_eq!(facts["no task"]["error"], true);
    assert_eq!(facts["no arguments"]["words"][0], "missing field `task`");
    assert_eq!(facts["no tool"], -32602);
    assert_eq!(facts["given up"], "cancelled");
}

/// Agents and tasks are resources, in the JSON of the commands.
async fn is_read(platform: &Entrance, facts: &Value) {
    assert_eq!(
        facts["resources"],
        json!(["convoke://agents", "convoke://tasks"])
    );
    let templates = json!(["convoke://agents/{name}", "convoke://tasks/{id}"]);
    assert_eq!(facts["templates"], templates);
    let listed = platform.client(&["agent", "list", "--json"]).await.well();
    assert_eq!(facts["agents"], json!(["application/json", listed.json()]));
    let task = facts["diagnosed"]["meta"]["convoke/task-id"]
        .as_str()
        .unwrap();
    assert_eq!(
        facts["task"],
        told(platform, &["task", "show", task, "--json"]).await
    );
}

/// The official SDK for Python works, over both lifecycles of the protocol.
pub(crate) async fn the_official_python_sdk_is_served(platform: &Entrance) {
    let lifecycles = [
        ("legacy", "2025-11-25", "field_guidance_v1", -32002, 1),
        ("auto", "2026-07-28", "quality_check_v1", -32602, 4),
    ];
    for (lifecycle, version, schema, nowhere, fewer) in lifecycles {
        let facts = by_sdk(platform, lifecycle, schema).await;
        assert_eq!(facts["version"], version);
        assert_eq!(facts["server"], "convoke");
        assert_eq!(facts["nowhere"], nowhere, "{lifecycle}");
        let [before, after] = [0, 1].map(|place| facts["changed"][place].as_u64().unwrap());
        assert_eq!(before - after, fewer, "{lifecycle}");
        is_served(platform, &facts).await;
        is_read(platform, &facts).await;
    }
}
