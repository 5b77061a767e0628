//! The conformance agent: the scenarios of the public A2A conformance suites over every binding and
//! version, run by a foreign client, and by hand where it lacks a function; and the results of
//! foreign linters on our cards. The agent is `server::a2a::conformance`.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::http::{Answer, ask, get, post};
use support::process::{Running, python, run};
use support::{block_on, within};

const AGENT: &str = "/agents/TMF-Convoke-Conformance-1.0.0";
const CARD: &str = "/.well-known/agent-card.json";
const V10: [(&str, &str); 1] = [("A2A-Version", "1.0")];
const WAYS: [&str; 4] = [
    "1.0 JSONRPC",
    "1.0 HTTP+JSON",
    "0.3 JSONRPC",
    "0.3 HTTP+JSON",
];

/// The prefix of a message identifier, whether its task is `working` first, its final state, and
/// its result.
const SCENES: [(&str, bool, &str, Option<&str>); 18] = [
    ("tck-complete-task", false, "COMPLETED", Some(HELLO)),
    (
        "tck-delayed-complete",
        true,
        "COMPLETED",
        Some("text Done after delay"),
    ),
    (
        "tck-artifact-text",
        false,
        "COMPLETED",
        Some("text Generated text content"),
    ),
    ("tck-artifact-file", false, "COMPLETED", Some(FILE)),
    (
        "tck-artifact-file-url",
        false,
        "COMPLETED",
        Some("url output.txt text/plain https://example.com/output.txt"),
    ),
    (
        "tck-artifact-data",
        false,
        "COMPLETED",
        Some(r#"data {"count": 42.0, "key": "value"}"#),
    ),
    ("tck-input-required", false, "INPUT_REQUIRED", None),
    ("tck-reject-task", false, "REJECTED", None),
    (
        "tck-stream-001",
        true,
        "COMPLETED",
        Some("text Stream hello from TCK"),
    ),
    ("tck-stream-002", false, "COMPLETED", Some(HELLO)),
    (
        "tck-stream-003",
        true,
        "COMPLETED",
        Some("text Stream task lifecycle"),
    ),
    (
        "tck-stream-ordering-001",
        true,
        "COMPLETED",
        Some("text Ordered output"),
    ),
    (
        "tck-stream-artifact-text",
        true,
        "COMPLETED",
        Some("text Streamed text content"),
    ),
    ("tck-stream-artifact-file", true, "COMPLETED", Some(FILE)),
    (
        "tck-stream-artifact-chunked",
        true,
        "COMPLETED",
        Some("text chunk-1 chunk-2"),
    ),
    (
        "test-resubscribe-message-id",
        true,
        "COMPLETED",
        Some(HELLO),
    ),
    ("tck-message-response", false, "", None),
    ("anything-else", false, "INPUT_REQUIRED", None),
];
const HELLO: &str = "text Hello from TCK";
const FILE: &str = "raw output.txt text/plain TCK file content";

/// A platform with the conformance agent, and a token of its operator.
async fn platform(state: &Path) -> (Running, String) {
    let settings = "[a2a]\nconformance-agent = true\n";
    std::fs::write(state.join("convoke.toml"), settings).unwrap();
    let running = Running::serve(state).await;
    let printed = run(running.state(), &["token", "issue"]).await.well();
    (running, printed.stdout.trim_end().to_owned())
}

/// The expected results of a scene for a client that waits, and for one that streams.
fn told(scene: &str, works: bool, state: &str, result: Option<&str>) -> Value {
    if scene == "tck-message-response" {
        let answer = ["message text Direct message response"];
        return json!([answer, answer]);
    }
    let line = |kind: &str, what: &str| Some(format!("{kind} {what}"));
    let waited = [line("task", state), result.and_then(|it| line("has", it))];
    let streamed = [
        line("task", "SUBMITTED"),
        works.then(|| line("status", "WORKING")).flatten(),
        result.and_then(|it| line("artifact", it)),
        line("status", state),
    ];
    let both = [waited.to_vec(), streamed.to_vec()];
    json!(both.map(|lines| lines.into_iter().flatten().collect::<Vec<_>>()))
}

/// The conformance agent, enabled by configuration only, plays the scenarios of the public suites
/// by the identifiers of messages, in both versions and over both bindings.
#[test]
fn every_scenario_is_played() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let (running, token) = platform(state.path()).await;
        // At the root as well, where suites of v0.3 look for it.
        let url = format!("http://{}", running.http());
        let mut client = python("tests/interop/a2a_conformance.py");
        client.args([&url, &token]).args(SCENES.map(|it| it.0));
        let output = within("the SDK", client.output()).await.unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaint}");
        let facts: Value = serde_json::from_slice(&output.stdout).unwrap();
        for way in WAYS {
            for (scene, works, state, result) in SCENES {
                // The SDK cannot read bytes there; a test of ours below does.
                if way == "0.3 HTTP+JSON" && result == Some(FILE) {
                    continue;
                }
                let expected = told(scene, works, state, result);
                assert_eq!(facts[way][scene], expected, "{way} {scene}");
            }
            let asked = "task INPUT_REQUIRED";
            let done = ["task COMPLETED", "has text Hello from TCK"];
            let expected = json!([asked, asked, asked, done[0], done[1], 4]);
            assert_eq!(facts[way]["answered"], expected, "{way}");
        }
    });
}

fn message(id: &str) -> Value {
    json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": "play"}]})
}

async fn call(running: &Running, token: &str, path: &str, method: &str, params: Value) -> Answer {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    post(running.http(), path, Some(token), &V10, &call).await
}

/// Peculiarities of the suites: URLs with and without a trailing slash, members in snake_case,
/// unknown members, and repeated message identifiers for other tasks.
#[test]
fn the_habits_of_the_suites_are_met() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let (running, token) = platform(state.path()).await;
        let mut said = message("tck-input-required-1");
        said["unknown_member"] = json!("never told");
        let mut tasks = Vec::new();
        for path in [AGENT.to_owned(), format!("{AGENT}/")] {
            let sent = json!({"message": said});
            let answer = call(&running, &token, &path, "SendMessage", sent).await;
            assert!(!answer.body.contains("unknown_member"), "{answer:?}");
            tasks.push(answer.json()["result"]["task"]["id"].clone());
        }
        assert_ne!(tasks[0], tasks[1]);
        let mut more = message("tck-complete-task-1");
        more["task_id"] = tasks[0].clone();
        let sent = json!({"message": more});
        let answer = call(&running, &token, AGENT, "SendMessage", sent)
            .await
            .json();
        let task = &answer["result"]["task"];
        assert_eq!(
            (&task["id"], &task["status"]["state"]),
            (&tasks[0], &json!("TASK_STATE_COMPLETED"))
        );
        // The one truth: what the suites did is a task like any other.
        let id = tasks[0].as_str().unwrap();
        let shown = running.client(&["task", "show", id, "--json"]).await.well();
        assert!(shown.stdout.contains(r#""task-status":"finished""#));
    });
}

/// A file over HTTP+JSON of v0.3 has its content in `bytes` (v0.3 §6.6).
#[test]
fn a_file_is_told_as_old_clients_read_it() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let (running, token) = platform(state.path()).await;
        let said = json!({"message": {
            "messageId": "tck-artifact-file-1", "role": "ROLE_USER", "content": [{"text": "play"}],
        }});
        let path = format!("{AGENT}/v1/message:send");
        let answer = post(running.http(), &path, Some(&token), &[], &said).await;
        let file = &answer.json()["task"]["artifacts"][0]["parts"][0]["file"];
        assert_eq!(
            file["fileWithBytes"], "VENLIGZpbGUgY29udGVudA==",
            "{answer:?}"
        );
        assert_eq!(file["mimeType"], "text/plain");
    });
}

/// It exists only if it is enabled, and occupies the root only then.
#[test]
fn it_is_not_there_unasked() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let path = format!("{AGENT}{CARD}");
        assert_eq!(get(running.http(), &path, None).await.status, 404);
        let root = get(running.http(), CARD, None).await.json();
        assert_ne!(root["name"], "TMF-Convoke-Conformance-1.0.0");
        assert_eq!(
            ask(running.http(), "POST", AGENT, None, &[], "")
                .await
                .status,
            401
        );
    });
}

/// The output of a linter on a URL; it must succeed.
async fn linted(linter: &str, arguments: &[&str], url: &str) -> String {
    let mut command = python(&format!(".venv/bin/{linter}"));
    let output = within(linter, command.args(arguments).arg(url).output())
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{linter} {arguments:?} {url}:\n{said}"
    );
    said
}

/// Foreign linters accept our cards: those for v0.3 the one with its members, those for v1.0
/// the strict one.
#[test]
fn linters_of_others_are_content_with_cards() {
    block_on(async {
        let agents = ["", "/agents/TMF-Convoke-IP-1.0.0"];
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        for agent in agents {
            let url = format!("http://{}{agent}", running.http());
            let said = linted("a2a-lint", &["--strict"], &url).await;
            assert!(said.contains("GRADE A"), "{said}");
            linted("a2aops", &["card", "check"], &url).await;
        }
        running.stop().await;
        let serve = ["serve", "--network", "none", "--card-profile", "strict"];
        let running = Running::start(state.path(), &serve).await;
        for agent in agents {
            let url = format!("http://{}{agent}", running.http());
            linted("a2aops", &["card", "check"], &url).await;
            let said = linted("a2aops", &["compat"], &url).await;
            assert!(!said.contains('\u{2717}'), "{said}");
        }
    });
}
