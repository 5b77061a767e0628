//! A2A of the real command: cards, tasks in both protocols, streams, and foreign clients. The
//! meaning of each message is in `crates/bindings/tests/a2a`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "foreign/a2a.rs"]
mod clients;
mod support;

use clients::IP;
use serde_json::{Value, json};
use std::path::Path;
use support::entrance::Entrance;
use support::http::{Answer, ask, get, post};
use support::process::{Running, run};
use support::{block_on, page};

const CARD: &str = "/.well-known/agent-card.json";
const V10: [(&str, &str); 1] = [("A2A-Version", "1.0")];

/// A platform with a network without events, and a token of its operator.
async fn platform(state: &Path, flags: &[&str]) -> (Running, String) {
    // A diagnosis takes minutes of the network's time.
    let serve = [
        "serve",
        "--network",
        "Polska",
        "--sites",
        "12",
        "--speed",
        "100",
    ];
    let running = Running::start(state, &[&serve[..], flags].concat()).await;
    let printed = run(running.state(), &["token", "issue", "--valid", "30d"])
        .await
        .well();
    let token = printed.stdout.trim_end().to_owned();
    (running, token)
}

/// A call of JSON-RPC.
async fn call(running: &Running, token: &str, method: &str, params: Value) -> Answer {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    post(running.http(), IP, Some(token), &V10, &call).await
}

/// A message whose only part is a diagnosis, typed by its schema (002 §3).
fn diagnosis(id: &str, target: &str) -> Value {
    json!({
        "messageId": id, "role": "ROLE_USER",
        "parts": [{
            "data": {"target": target}, "mediaType": "application/json;schema=fault_diagnosis_v1",
        }],
    })
}

/// Cards are public, list what is published, and are cacheable (F8).
#[test]
fn every_agent_has_a_card() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let (running, _) = platform(state.path(), &[]).await;
        let address = running.http();
        let own = get(address, &format!("{IP}{CARD}"), None).await;
        assert_eq!(own.status, 200, "{own:?}");
        let card = own.json();
        assert_eq!(card["name"], "TMF-Convoke-IP-1.0.0");
        let url = format!("http://{address}{IP}");
        let interfaces = card["supportedInterfaces"].as_array().unwrap();
        assert!(
            interfaces.iter().all(|it| it["url"] == url.as_str()),
            "{card}"
        );
        assert!(card["schemas"]["fault_diagnosis_v1"].is_object(), "{card}");
        assert!(card["securitySchemes"]["bearer"].is_object(), "{card}");
        let known = [("If-None-Match", own.fields["etag"].as_str())];
        let again = ask(address, "GET", &format!("{IP}{CARD}"), None, &known, "").await;
        assert_eq!((again.status, again.body.as_str()), (304, ""));

        let root = get(address, CARD, None).await.json();
        assert_eq!(
            root["supportedInterfaces"][0]["url"],
            format!("http://{address}")
        );
        let nobody = get(address, &format!("/agents/nobody{CARD}"), None).await;
        assert_eq!(nobody.status, 404, "{nobody:?}");
        assert_eq!(get(address, IP, None).await.status, 401);
    });
}

/// A task has the same content over both protocols, whichever of A2A and NETCONF began it.
#[test]
fn a_task_is_the_same_over_both_protocols() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let (running, token) = platform(state.path(), &[]).await;
        let sent = json!({"message": diagnosis("m-1", "router:Gdansk")});
        let answer = call(&running, &token, "SendMessage", sent.clone()).await;
        let task = answer.json()["result"]["task"].clone();
        assert_eq!(
            task["status"]["state"], "TASK_STATE_COMPLETED",
            "{answer:?}"
        );
        let parts = &task["artifacts"][0]["parts"];
        let typed = "application/json;schema=fault_diagnosis_result_v1";
        assert_eq!(parts[0]["mediaType"], typed, "{task}");
        let id = task["id"].as_str().unwrap();
        let shown = running.client(&["task", "show", id, "--json"]).await.well();
        assert!(
            shown.stdout.contains(r#""task-status":"finished""#),
            "{}",
            shown.stdout
        );
        // The same message again is the same task.
        let again = call(&running, &token, "SendMessage", sent).await.json();
        assert_eq!(again["result"]["task"]["id"], id);

        let agent = "TMF-Convoke-IP-1.0.0";
        let assign = [
            "task",
            "assign",
            agent,
            "router:Lodz",
            "--id",
            "over-netconf",
            "--async",
        ];
        running.client(&assign).await.well();
        let got = call(&running, &token, "GetTask", json!({"id": "over-netconf"})).await;
        let got = got.json();
        assert_eq!(got["result"]["id"], "over-netconf", "{got}");
        let listed = call(&running, &token, "ListTasks", json!({})).await.json();
        let ids = [0, 1].map(|place| listed["result"]["tasks"][place]["id"].clone());
        assert_eq!(
            ids,
            [json!("over-netconf"), json!(id)],
            "the latest change first"
        );
        let stranger = call(&running, &token, "GetTask", json!({"id": "nothing"})).await;
        assert_eq!(stranger.json()["error"]["code"], -32001);
    });
}

/// A9: a stream begins with the task and ends with its end.
#[test]
fn a_message_is_followed_as_a_stream() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let (running, token) = platform(state.path(), &[]).await;
        let sent = json!({"message": diagnosis("m-1", "router:Gdansk")});
        let path = format!("{IP}/message:stream");
        let streamed = post(running.http(), &path, Some(&token), &V10, &sent).await;
        assert_eq!(streamed.status, 200, "{streamed:?}");
        let events = streamed.events();
        assert!(events[0]["task"]["id"].is_string(), "{events:?}");
        let last = events.last().unwrap();
        assert_eq!(
            last["statusUpdate"]["status"]["state"],
            "TASK_STATE_COMPLETED"
        );
        assert!(
            events.iter().any(|it| it["artifactUpdate"].is_object()),
            "{events:?}"
        );
    });
}

/// Facts missing from plain text are asked for, and the answer completes the task.
#[test]
fn plain_words_are_read_or_asked_back() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let (running, token) = platform(state.path(), &[]).await;
        let words = |id: &str, text: &str, task: Option<&Value>| {
            let mut message = json!({
                "messageId": id, "role": "ROLE_USER", "parts": [{"text": text}],
            });
            if let Some(task) = task {
                message["taskId"] = task.clone();
            }
            json!({ "message": message })
        };
        let vague = words("w-1", "please diagnose the fault", None);
        let asked = call(&running, &token, "SendMessage", vague).await.json();
        let task = &asked["result"]["task"];
        assert_eq!(
            task["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
            "{asked}"
        );
        let answer = words("w-2", "router:Gdansk", Some(&task["id"]));
        let done = call(&running, &token, "SendMessage", answer).await.json();
        assert_eq!(done["result"]["task"]["id"], task["id"], "{done}");
        assert_eq!(
            done["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED",
            "{done}"
        );
    });
}

/// Runs a test at a platform with these flags and one allowed push address.
fn with_pushes(flags: &[&str], test: impl AsyncFnOnce(&Entrance, &str)) {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let settings = "[webhook]\nallow = ['https://hook.example']\n";
        std::fs::write(state.path().join("convoke.toml"), settings).unwrap();
        let (running, token) = platform(state.path(), flags).await;
        test(&running, &token).await;
    });
}

#[test]
fn the_official_python_sdk_is_served() {
    with_pushes(&[], async |platform, token| {
        let facts = clients::the_official_python_sdk_is_served(platform, token).await;
        assert_eq!(facts["signature"], "NoSignatureError");
    });
}

/// Q60: a strict card is signed, and verification as by the SDK accepts it, and no other.
#[test]
fn a_strict_card_is_vouched_for() {
    with_pushes(&["--card-profile", "strict"], async |platform, token| {
        let facts = clients::the_official_python_sdk_is_served(platform, token).await;
        assert_eq!(facts["signature"], "holds", "{facts}");
        assert_eq!(facts["forged"], "InvalidSignaturesError");
    });
}

#[test]
fn the_official_javascript_sdks_are_served() {
    with_pushes(&[], clients::the_official_javascript_sdks_are_served);
}

/// The page `docs/a2a.md`: every command is run, every answer compared.
#[test]
fn every_command_of_the_page_holds() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve_on(state.path(), "Germany50").await;
        page::holds("a2a.md", &running, 4).await;
    });
}
