//! Payloads and secrets are neither in the audit trail nor in the log of the process: a unique word
//! is put into everything that a hostile user can send, permitted and denied.
//!
//! A process has one log, so this is the only test in this file. Read next: `users/platform.rs`.
#![allow(clippy::unwrap_used, unreachable_pub)]

#[path = "users/platform.rs"]
#[allow(dead_code)]
mod platform;

use base64ct::{Base64, Encoding as _};
use domain::audit::{AuditKind, AuditRecord};
use domain::content::{Content, Payload};
use domain::event::LogEvent;
use platform::Platform;
use serde_json::{Value, json};
use server::client::{CallError, Client};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use testkit::http::{Answer, ask};
use tracing_subscriber::EnvFilter;

/// The word.
const CANARY: &str = "kestrel-7f3a9";

/// The log of the process.
static LOGGED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
const NEGOTIATION: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";
const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
const SCHEMA: &str = "urn:convoke:params:xml:ns:yang:convoke-schema";
const DATA: &str = "urn:convoke:params:xml:ns:yang:convoke-data";
const HOOK: &str = "http://127.0.0.1:9";

/// Contents with the word in each part, and in a payload's own and unknown keys.
fn contents() -> Vec<Content> {
    let said = || Content::new(CANARY, CANARY);
    let under = |schema_id: &str, value: Value| said().with_payload(Payload::new(schema_id, value));
    vec![
        said(),
        under(
            "fault_diagnosis_v1",
            json!({"target": format!("site:{CANARY}")}),
        ),
        under(
            "fault_diagnosis_v1",
            json!({"target": CANARY, CANARY: CANARY, "other": {"fragments": [{
                "key_name": CANARY, "description": CANARY, "value": CANARY,
            }]}}),
        ),
        under(CANARY, json!({CANARY: CANARY})),
    ]
}

fn negotiate(verb: &str, to: &str, id: &str, content: &Content, more: &str) -> String {
    let text = content.render().replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<task-negotiate xmlns='{AGENT}'><task-sendTo>{to}</task-sendTo><commuType>{verb}</commuType>\
         <task-id>{id}</task-id><content>{text}</content>{more}</task-negotiate>"
    )
}

/// Everything that is sent over NETCONF, under identifiers of this user's own.
fn operations(user: &str, agent: &str) -> Vec<String> {
    let mut operations = Vec::new();
    let flag = format!("<task-async xmlns='{NEGOTIATION}'>true</task-async>");
    let subscription = format!(
        "<task-subscription xmlns='{NEGOTIATION}'><subscript-protocol>http</subscript-protocol>\
         <subscript-url>{HOOK}/{CANARY}?token={CANARY}</subscript-url></task-subscription>"
    );
    for (n, content) in contents().iter().enumerate() {
        let id = format!("{user}-{n}");
        for (verb, more) in [
            ("taskAssgin", flag.as_str()),
            ("FulfillmentNegotiate", ""),
            ("taskResultNotify", ""),
            ("taskResultSubscribe", subscription.as_str()),
            ("taskCancel", ""),
            ("taskResultQuery", ""),
        ] {
            operations.push(negotiate(verb, agent, &id, content, more));
        }
        let more = format!("{flag}{subscription}");
        operations.push(negotiate(
            "taskAssgin",
            agent,
            &format!("s-{id}"),
            content,
            &more,
        ));
        let more = "<type>FEASIBILITY</type>";
        let id = format!("f-{id}");
        operations.push(negotiate("FeasibilityNegotiate", agent, &id, content, more));
    }
    let bytes = Base64::encode_string(CANARY.as_bytes());
    operations.extend([
        format!(
            "<data-write xmlns='{DATA}'><id>d-{user}</id><data>{bytes}</data><finished>true\
             </finished></data-write>"
        ),
        format!("<data-read xmlns='{DATA}'><id>{CANARY}</id></data-read>"),
        format!(
            "<get><filter type='subtree'><registry xmlns='{REGISTRY}'><task><task-sendTo>{CANARY}\
             </task-sendTo></task></registry></filter></get>"
        ),
        format!("<get><filter type='xpath' select=\"//*[contains(., '{CANARY}')]\"/></get>"),
        format!("<get><filter type='xpath' select=\"///{CANARY}[\"/></get>"),
        format!("<edit-config><config>{CANARY}</config></edit-config>"),
        format!(
            "<register-agent xmlns='{REGISTRY}'><name>{user}</name><description>{CANARY}</description>\
             <version>1.0.0</version><provider>{CANARY}</provider><layer>resource</layer>\
             <reach>client</reach><lease>600</lease></register-agent>"
        ),
        format!("<discover-agents xmlns='{REGISTRY}'><text>{CANARY}</text></discover-agents>"),
        format!(
            "<form-team xmlns='{REGISTRY}'><task-id>team-{user}</task-id><need><name>a</name>\
             <skill>x</skill><content>{CANARY}</content></need></form-team>"
        ),
        format!(
            "<request-capability-extension xmlns='{SCHEMA}'><scenario>fault_diagnosis</scenario>\
             <text>{CANARY}</text></request-capability-extension>"
        ),
        format!(
            "<validate-payload xmlns='{SCHEMA}'><schema-id>fault_diagnosis_v1</schema-id>\
             <payload>{{\"target\":\"{CANARY}\",\"{CANARY}\":1}}</payload></validate-payload>"
        ),
        format!(
            "<reject-patch xmlns='{SCHEMA}'><patch-id>p-1</patch-id><reason>{CANARY}</reason>\
             </reject-patch>"
        ),
        format!(
            "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'>\
             <filter type='xpath' select=\"/*[.='{CANARY}']\"/></create-subscription>"
        ),
    ]);
    operations
}

/// A message of A2A with the word in each of its fields.
fn message(n: usize) -> Value {
    let typed = json!({
        "data": {"target": CANARY, CANARY: CANARY},
        "mediaType": "application/json;schema=fault_diagnosis_v1", "metadata": {CANARY: CANARY},
    });
    json!({
        "message": {
            "messageId": format!("m-{n}"), "role": "ROLE_USER", "extensions": [CANARY],
            "metadata": {CANARY: CANARY}, "parts": [{"text": CANARY}, typed],
        },
        "configuration": {"returnImmediately": true, "pushNotificationConfig": push()},
        "metadata": {CANARY: CANARY},
    })
}

fn push() -> Value {
    json!({
        "id": "own", "url": format!("{HOOK}/{CANARY}?token={CANARY}"), "token": CANARY,
        "authentication": {"scheme": "Bearer", "credentials": CANARY},
    })
}

/// Everything that is sent over A2A: version, path and body.
fn requests(n: usize, task: &str) -> Vec<(&'static str, &'static str, String)> {
    let call = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": CANARY, "method": method, "params": params}).to_string()
    };
    let mut config = push();
    config["taskId"] = task.into();
    let old = json!({"taskId": task, "pushNotificationConfig": {
        "id": "old", "url": format!("{HOOK}/{CANARY}"), "token": CANARY,
        "authentication": {"schemes": ["Bearer"], "credentials": CANARY},
    }});
    let old_message = json!({"message": {
        "kind": "message", "messageId": format!("o-{n}"), "role": "user",
        "parts": [{"kind": "text", "text": CANARY}, {"kind": "data", "data": {"target": CANARY}}],
    }});
    vec![
        ("1.0", "", call("SendMessage", message(n))),
        ("1.0", "", call("SendStreamingMessage", message(n + 1))),
        ("1.0", "", call("CreateTaskPushNotificationConfig", config)),
        (
            "1.0",
            "",
            call("GetTask", json!({"id": CANARY, CANARY: CANARY})),
        ),
        ("1.0", "", call(CANARY, json!({}))),
        ("0.3", "", call("message/send", old_message)),
        ("0.3", "", call("tasks/pushNotificationConfig/set", old)),
        ("1.0", "/message:send", message(n + 2).to_string()),
        ("1.0", "/message:stream", message(n + 3).to_string()),
        ("1.0", "/message:send", format!("{{\"message\": {CANARY}")),
        (CANARY, "/message:send", message(n + 4).to_string()),
    ]
}

/// Sends a request over HTTP, with the word in fields of the head as well.
async fn post(
    platform: &Platform,
    credential: &str,
    version: &str,
    path: &str,
    body: &str,
) -> Answer {
    let address = platform.host.http.unwrap().address.to_string();
    let fields = [
        ("A2A-Version", version),
        ("A2A-Extensions", CANARY),
        ("X-Secret", CANARY),
        ("Authorization", credential),
        ("Content-Type", "application/json"),
    ];
    ask(&address, "POST", path, None, &fields, body).await
}

fn trail(platform: &Platform) -> Vec<Arc<AuditRecord>> {
    let entries = platform.host.platform.engine().feed().after(0, 100_000);
    let records = entries.unwrap().into_iter();
    let records = records.filter_map(|entry| match &entry.happening {
        LogEvent::Audit(record) => Some(Arc::clone(record)),
        _ => None,
    });
    records.collect()
}

/// Executes all operations as a user; returns the number of successes.
async fn netconf(platform: &Platform, user: &str, agent: &str) -> usize {
    let mut client: Client = platform.client(user).await;
    let mut done = 0;
    for operation in operations(user, agent) {
        match client.call(&operation).await {
            Ok(_) => done += 1,
            Err(CallError::Refused(_)) => {}
            Err(over) => panic!("{operation}: {over}"),
        }
    }
    // A malformed message ends the session.
    assert!(
        client
            .call(&format!("<get>{CANARY}<{CANARY}</get>"))
            .await
            .is_err()
    );
    done
}

#[tokio::test]
async fn nothing_that_is_said_or_secret_is_in_the_audit_trail_or_the_log() {
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new("debug"))
        .with_ansi(false)
        .with_writer(|| Log)
        .init();
    let settings =
        format!("[http]\nlisten = \"127.0.0.1:0\"\n[webhook]\nallow-private = [\"{HOOK}\"]\n");
    let platform = Platform::with(&settings).await;
    let engine = platform.host.platform.engine();
    engine.start(platform.host.clock.now());
    platform.admit("users/guest.pub");
    platform.admit("agents/ip.pub");
    let agent = platform.host.profiles[0].name.clone();

    let permitted = netconf(&platform, "operator", &agent).await;
    assert!(permitted > 10, "{permitted} operations were done");
    netconf(&platform, "ip", &agent).await;
    let denied = netconf(&platform, "guest", &agent).await;
    assert!(denied < permitted, "{denied}");

    let mut secrets = vec![CANARY.to_owned(), Base64::encode_string(CANARY.as_bytes())];
    let mut accepted = 0;
    for (n, user) in ["operator", "ip", "guest"].into_iter().enumerate() {
        let token = platform.token(user).unwrap();
        let bearer = format!("Bearer {token}");
        for (version, path, body) in requests(10 * n, "operator-0") {
            let path = format!("/agents/{agent}{path}");
            let answer = post(&platform, &bearer, version, &path, &body).await;
            let is_taken = answer.status == 200 && !answer.body.contains("\"error\"");
            accepted += usize::from(is_taken);
        }
        // The signature makes it a secret.
        let signature = token.rsplit('.').next().unwrap();
        secrets.extend([signature.to_owned(), token.clone()]);
    }
    assert!(accepted > 3, "{accepted} requests were taken");
    let basic = Base64::encode_string(format!("operator:{CANARY}").as_bytes());
    for credential in [
        format!("Bearer {CANARY}.{CANARY}.{CANARY}"),
        format!("Basic {basic}"),
        CANARY.to_owned(),
    ] {
        let answer = post(&platform, &credential, "1.0", "/nowhere", CANARY).await;
        assert!(answer.line.starts_with("HTTP/1.1 401"), "{answer:?}");
    }
    secrets.push(basic);

    // Aggregated records are written at the end.
    engine.end_trail(platform.host.clock.now());
    engine.flushed().await;
    let records = trail(&platform);
    let is_denied =
        |r: &Arc<AuditRecord>| r.event.kind == AuditKind::Denied && r.event.user == "guest";
    assert!(records.iter().any(is_denied), "{records:?}");
    let logged = String::from_utf8(LOGGED.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("audit: denied: 'guest'"), "{logged}");
    for secret in &secrets {
        for record in &records {
            assert!(!format!("{record:?}").contains(secret), "{record:?}");
        }
        let line = logged.lines().find(|line| line.contains(secret));
        assert_eq!(line, None);
    }
}
