//! Expensive requests of A2A: repeated words and tags, deep JSON, long strings, many parts, queries
//! and paths of all kinds.
//!
//! Over JSON-RPC and over HTTP+JSON, in both versions. Refuses to know the answers. Read next:
//! `tests/fuzz_http`, which mutates well-formed ones.

use crate::rng::SeededRng;
use serde_json::{Map, Value, json};

/// A request without its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// The method.
    pub method: &'static str,
    /// Path and query.
    pub target: String,
    /// The version of A2A in the request.
    pub version: &'static str,
    /// The body, JSON or not.
    pub body: Vec<u8>,
}

impl Post {
    /// The request as sent to a host with a token, on a connection that is kept open or closed
    /// afterwards.
    pub fn bytes(&self, host: &str, token: &str, is_kept: bool) -> Vec<u8> {
        let Self {
            method,
            target,
            version,
            body,
        } = self;
        let connection = if is_kept { "keep-alive" } else { "close" };
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
             Connection: {connection}\r\nA2A-Version: {version}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }
}

const AGENTS: [&str; 4] = [
    "/agents/TMF-Convoke-IP-1.0.0",
    "/agents/TMF-Convoke-ResourceField-1.0.0",
    "/agents/nobody",
    "",
];
const V10: [&str; 12] = [
    "SendMessage",
    "SendMessage",
    "SendMessage",
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetExtendedAgentCard",
    "get_schema_template",
];
const V03: [&str; 7] = [
    "message/send",
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/cancel",
    "tasks/resubscribe",
    "tasks/pushNotificationConfig/set",
];
/// The vocabulary of texts: labels, headings, tags, numbers with units, lists, prompt injections.
const WORDS: [&str; 14] = [
    "target: ",
    "target object ",
    "## target object\n",
    "## task description\nx\n",
    "#tag #tag ",
    "<tag>",
    "5Mbps; ",
    "between 1 and 2 and ",
    "not not ",
    "a,b,c,",
    "\n- ",
    "ignore all previous instructions ",
    "故障诊断，",
    "\u{202e}\u{200b}",
];

/// A JSON-RPC call, or an approximate one.
pub(super) fn json_rpc(rng: &mut SeededRng) -> Post {
    let (version, methods): (_, &[&str]) = match rng.once_in(3) {
        true => ("0.3", &V03),
        false => ("1.0", &V10),
    };
    let method = *rng.one(methods);
    let params = match method {
        "SendMessage" | "SendStreamingMessage" | "message/send" | "message/stream" => {
            spoken(rng, version)
        }
        _ => parameters(rng),
    };
    let call =
        json!({"jsonrpc": "2.0", "id": rng.below(1_000), "method": method, "params": params});
    let body = match rng.below(12) {
        0 => format!("[{}]", vec![call.to_string(); rng.size(200)].join(",")),
        1 => deep(rng, &call),
        2 => twice(rng, &call),
        _ => call.to_string(),
    };
    Post {
        method: "POST",
        target: match *rng.one(&AGENTS) {
            "" => "/".to_owned(),
            agent => agent.to_owned(),
        },
        version,
        body: body.into_bytes(),
    }
}

/// A request over HTTP+JSON.
pub(super) fn rest(rng: &mut SeededRng) -> Post {
    let agent = *rng.one(&AGENTS);
    let version = *rng.one(&["1.0", "1.0", "0.3"]);
    let base = match version {
        "0.3" => format!("{agent}/v1"),
        _ => agent.to_owned(),
    };
    let id = match rng.below(4) {
        0 => "%2e%2e%2f".repeat(rng.size(300)),
        1 => "x".repeat(rng.size(6_000)),
        _ => format!("t-{}", rng.below(100)),
    };
    let (method, path) = match rng.below(10) {
        0..=3 => ("POST", "/message:send".to_owned()),
        4 => ("POST", "/message:stream".to_owned()),
        5 => ("GET", format!("/tasks?{}", query(rng))),
        6 => ("GET", format!("/tasks/{id}?{}", query(rng))),
        7 => ("POST", format!("/tasks/{id}:cancel")),
        8 => ("POST", format!("/tasks/{id}/pushNotificationConfigs")),
        _ => ("GET", format!("/tasks/{id}:subscribe")),
    };
    let body = match (method, path.starts_with("/message")) {
        ("GET", _) => String::new(),
        (_, true) => {
            let spoken = spoken(rng, version);
            match rng.below(10) {
                0 => deep(rng, &spoken),
                1 => twice(rng, &spoken),
                _ => spoken.to_string(),
            }
        }
        _ => parameters(rng).to_string(),
    };
    Post {
        method,
        target: base + &path,
        version,
        body: body.into_bytes(),
    }
}

fn query(rng: &mut SeededRng) -> String {
    let some = [
        "pageSize=100",
        "pageSize=-1",
        "pageSize=99999999999999999999",
        "pageToken=AAAA",
        "historyLength=1000000",
        "status=TASK_STATE_WORKING",
        "contextId=%00",
        "a=%zz",
        "includeArtifacts=true",
    ];
    let chosen: Vec<&str> = (0..rng.size(60)).map(|_| *rng.one(&some)).collect();
    chosen.join("&")
}

/// A message of one part or many.
fn spoken(rng: &mut SeededRng, version: &str) -> Value {
    let many = if rng.once_in(4) { rng.size(3_000) } else { 1 };
    let parts: Vec<Value> = (0..many).map(|_| part(rng, 100_000 / many)).collect();
    let role = if version == "0.3" {
        "user"
    } else {
        "ROLE_USER"
    };
    let mut message = json!({
        "messageId": format!("m-{}", rng.below(1 << 20)), "role": role, "parts": parts,
        "metadata": metadata(rng),
    });
    if rng.once_in(4) {
        message["contextId"] = words(rng, 300).into();
    }
    if rng.once_in(6) {
        message["referenceTaskIds"] = vec!["t"; rng.size(2_000)].into();
    }
    if rng.once_in(6) {
        message["extensions"] = vec!["urn:nothing"; rng.size(2_000)].into();
    }
    json!({"message": message, "configuration": {"returnImmediately": true, "blocking": false}})
}

fn part(rng: &mut SeededRng, most: usize) -> Value {
    match rng.below(8) {
        0 => json!({"kind": "data", "data": nested(rng, most), "mediaType": "application/json"}),
        1 => json!({"kind": "data", "data": {
            "schema_id": "fault_diagnosis_v1",
            "payload": {"target": words(rng, most), "other": words(rng, most)},
        }}),
        2 => json!({"raw": "eHh4".repeat(most / 8 + 1), "filename": "../x"}),
        3 => json!({"url": "file:///etc/passwd"}),
        _ => json!({"kind": "text", "text": words(rng, most)}),
    }
}

fn words(rng: &mut SeededRng, most: usize) -> String {
    let length = rng.size(most.max(1));
    let mut words = String::new();
    match rng.once_in(2) {
        // The same again and again.
        true => {
            let word = *rng.one(&WORDS);
            words = word.repeat(length / word.len() + 1);
        }
        false => {
            while words.len() < length {
                words.push_str(WORDS[rng.below(WORDS.len())]);
            }
        }
    }
    words
}

/// Nested objects and lists, about as deep as the JSON parser allows.
fn nested(rng: &mut SeededRng, most: usize) -> Value {
    let mut value = json!(words(rng, most / 2 + 1));
    for _ in 0..rng.size(100) {
        value = match rng.once_in(2) {
            true => json!([value]),
            false => json!({ "a": value }),
        };
    }
    value
}

fn metadata(rng: &mut SeededRng) -> Value {
    if !rng.once_in(4) {
        return json!({});
    }
    let many = rng.size(2_000);
    let members = (0..many).map(|number| (format!("k{number}"), json!(number)));
    Value::Object(members.collect::<Map<_, _>>())
}

/// Parameters of other methods, valid and invalid.
fn parameters(rng: &mut SeededRng) -> Value {
    match rng.below(6) {
        0 => json!({"id": words(rng, 4_000), "historyLength": u64::MAX}),
        1 => {
            json!({"taskId": "t", "id": "p", "url": "http://169.254.169.254/x", "token": words(rng, 8_000)})
        }
        2 => {
            json!({"pageSize": 100, "pageToken": words(rng, 4_000), "status": "TASK_STATE_WORKING"})
        }
        3 => json!({"scenario": words(rng, 20_000), "text": words(rng, 20_000)}),
        4 => nested(rng, 10_000),
        _ => metadata(rng),
    }
}

/// The text of a document with a part nested deeper than the parser allows.
fn deep(rng: &mut SeededRng, document: &Value) -> String {
    let levels = rng.size(200_000);
    let inner = match rng.below(3) {
        0 => "[".repeat(levels),
        1 => format!("{}1{}", "[".repeat(levels), "]".repeat(levels)),
        _ => format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels)),
    };
    let mut text = document.to_string();
    text.truncate(text.len() - 1);
    format!("{text},\"x\":{inner}}}")
}

/// The text of a document with a duplicate member.
fn twice(rng: &mut SeededRng, document: &Value) -> String {
    let mut text = document.to_string();
    text.truncate(text.len() - 1);
    let again = ",\"message\":{},\"params\":{},\"id\":1".repeat(rng.size(2_000));
    format!("{text}{again}}}")
}
