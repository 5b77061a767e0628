//! MCP of the real command: tools and resources as seen by the official SDK, and the process as
//! seen by its parent. The construction of names, results and URIs is tested in `crates/convoke`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use serde_json::{Value, json};
use std::process::Stdio;
use support::process::{Running, binary, python, run};
use support::{block_on, page, within};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// The name of the tool that diagnoses a fault.
const DIAGNOSE: &str = "ip-fault_fault-diagnosis";

/// A platform with a network without events, in which a diagnosis takes seconds.
async fn platform(state: &std::path::Path) -> Running {
    let network = ["--network", "Polska", "--sites", "12"];
    let serve = [&["serve"][..], &network, &["--speed", "100"]];
    Running::start(state, &serve.concat()).await
}

/// The results of the official SDK for Python, over one of the lifecycles of MCP.
async fn by_sdk(running: &Running, lifecycle: &str, schema: &str) -> Value {
    let asking = format!("asks-{lifecycle}");
    // That is no element: the agent asks for one.
    let assign = [
        "task", "assign", "ip-fault", "nonsense", "--async", "--id", &asking,
    ];
    running.client(&assign).await.well();
    let mut client = python("tests/interop/mcp_session.py");
    client.arg(lifecycle).arg(binary()).arg(running.state());
    client.args([running.address(), "router:Gdansk", &asking, schema]);
    let output = within("the SDK", client.output()).await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The output of a command, as one object.
async fn told(running: &Running, arguments: &[&str]) -> Value {
    let printed = running.client(arguments).await.well();
    printed.json().pop().unwrap()
}

/// The JSON Schema that the platform renders of a template.
async fn rendered(running: &Running, schema: &str) -> Value {
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
    let shown = told(running, &show).await;
    serde_json::from_str(shown["shown"].as_str().unwrap()).unwrap()
}

/// Asserts the results over either lifecycle.
async fn is_served(running: &Running, facts: &Value) {
    let tool = &facts["tools"][DIAGNOSE];
    assert_eq!(
        tool["inputSchema"],
        rendered(running, "fault_diagnosis_v1").await
    );
    let result = rendered(running, "fault_diagnosis_result_v1").await;
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
async fn is_read(running: &Running, facts: &Value) {
    assert_eq!(
        facts["resources"],
        json!(["convoke://agents", "convoke://tasks"])
    );
    let templates = json!(["convoke://agents/{name}", "convoke://tasks/{id}"]);
    assert_eq!(facts["templates"], templates);
    let listed = running.client(&["agent", "list", "--json"]).await.well();
    assert_eq!(facts["agents"], json!(["application/json", listed.json()]));
    let task = facts["diagnosed"]["meta"]["convoke/task-id"]
        .as_str()
        .unwrap();
    assert_eq!(
        facts["task"],
        told(running, &["task", "show", task, "--json"]).await
    );
}

/// The official SDK for Python works, over both lifecycles of the protocol.
#[test]
fn the_official_python_sdk_is_served() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = platform(state.path()).await;
        let lifecycles = [
            ("legacy", "2025-11-25", "field_guidance_v1", -32002, 1),
            ("auto", "2026-07-28", "quality_check_v1", -32602, 4),
        ];
        for (lifecycle, version, schema, nowhere, fewer) in lifecycles {
            let facts = by_sdk(&running, lifecycle, schema).await;
            assert_eq!(facts["version"], version);
            assert_eq!(facts["server"], "convoke");
            assert_eq!(facts["nowhere"], nowhere, "{lifecycle}");
            let [before, after] = [0, 1].map(|place| facts["changed"][place].as_u64().unwrap());
            assert_eq!(before - after, fewer, "{lifecycle}");
            is_served(&running, &facts).await;
            is_read(&running, &facts).await;
        }
    });
}

/// Only the protocol is on standard output; the process ends with its input, with the exit codes of
/// all commands.
#[test]
fn the_process_ends_as_commands_do() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let ended = running.client(&["mcp"]).await.well();
        assert_eq!(ended.stdout, "");
        let nowhere = run(state.path(), &["mcp", "--netconf", "127.0.0.1:1"]).await;
        assert_eq!(nowhere.with_code(4).stdout, "");
        let patience = running.client(&["mcp", "--patience", "0"]).await;
        patience.with_code(2);
    });
}

/// A client that disconnects does not cancel its tasks.
#[test]
fn a_task_goes_on_when_its_assistant_has_gone() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut process = Command::new(binary());
        process.args(["mcp", "--netconf", running.address(), "--state"]);
        process.arg(running.state()).kill_on_drop(true);
        let piped = process.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = piped.spawn().unwrap();
        let begin = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        });
        let standing = json!({"report": "incidents", "domain": "IP"});
        let call = json!({"name": "ip-fault_incident-reporting", "arguments": standing});
        let mut input = process.stdin.take().unwrap();
        for (id, method, params) in [(1, "initialize", begin), (2, "tools/call", call)] {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            let line = format!("{message}\n");
            input.write_all(line.as_bytes()).await.unwrap();
        }
        let open = ["task", "list", "--open", "--party", "operator", "--json"];
        let assigned = async { while running.client(&open).await.well().json().is_empty() {} };
        within("a task", assigned).await;
        drop(input);
        let ended = within("the end", process.wait_with_output()).await.unwrap();
        assert!(ended.status.success(), "{ended:?}");
        assert_eq!(running.client(&open).await.well().json().len(), 1);
    });
}

/// The page `docs/mcp.md`: every command is run, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = platform(state.path()).await;
        page::holds("mcp.md", &running, 1).await;
    });
}
