//! Expensive requests of A2A: repeated words and tags, deep JSON, long strings, many parts, queries
//! and paths of all kinds.
//!
//! Over JSON-RPC and over HTTP+JSON, in both versions. Refuses to know the answers. Read next:
//! `tests/fuzz_http`, which mutates well-formed ones.

use crate::dice::Dice;
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
pub(super) fn json_rpc(dice: &mut Dice) -> Post {
    let (version, methods): (_, &[&str]) = match dice.once_in(3) {
        true => ("0.3", &V03),
        false => ("1.0", &V10),
    };
    let method = *dice.one(methods);
    let params = match method {
        "SendMessage" | "SendStreamingMessage" | "message/send" | "message/stream" => {
            spoken(dice, version)
        }
        _ => parameters(dice),
    };
    let call =
        json!({"jsonrpc": "2.0", "id": dice.below(1_000), "method": method, "params": params});
    let body = match dice.below(12) {
        0 => format!("[{}]", vec![call.to_string(); dice.size(200)].join(",")),
        1 => deep(dice, &call),
        2 => twice(dice, &call),
        _ => call.to_string(),
    };
    Post {
        method: "POST",
        target: match *dice.one(&AGENTS) {
            "" => "/".to_owned(),
            agent => agent.to_owned(),
        },
        version,
        body: body.into_bytes(),
    }
}

/// A request over HTTP+JSON.
pub(super) fn rest(dice: &mut Dice) -> Post {
    let agent = *dice.one(&AGENTS);
    let version = *dice.one(&["1.0", "1.0", "0.3"]);
    let base = match version {
        "0.3" => format!("{agent}/v1"),
        _ => agent.to_owned(),
    };
    let id = match dice.below(4) {
        0 => "%2e%2e%2f".repeat(dice.size(300)),
        1 => "x".repeat(dice.size(6_000)),
        _ => format!("t-{}", dice.below(100)),
    };
    let (method, path) = match dice.below(10) {
        0..=3 => ("POST", "/message:send".to_owned()),
        4 => ("POST", "/message:stream".to_owned()),
        5 => ("GET", format!("/tasks?{}", query(dice))),
        6 => ("GET", format!("/tasks/{id}?{}", query(dice))),
        7 => ("POST", format!("/tasks/{id}:cancel")),
        8 => ("POST", format!("/tasks/{id}/pushNotificationConfigs")),
        _ => ("GET", format!("/tasks/{id}:subscribe")),
    };
    let body = match (method, path.starts_with("/message")) {
        ("GET", _) => String::new(),
        (_, true) => {
            let spoken = spoken(dice, version);
            match dice.below(10) {
                0 => deep(dice, &spoken),
                1 => twice(dice, &spoken),
                _ => spoken.to_string(),
            }
        }
        _ => parameters(dice).to_string(),
    };
    Post {
        method,
        target: base + &path,
        version,
        body: body.into_bytes(),
    }
}

fn query(dice: &mut Dice) -> String {
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
    let chosen: Vec<&str> = (0..dice.size(60)).map(|_| *dice.one(&some)).collect();
    chosen.join("&")
}

/// A message of one part or many.
fn spoken(dice: &mut Dice, version: &str) -> Value {
    let many = if dice.once_in(4) { dice.size(3_000) } else { 1 };
    let parts: Vec<Value> = (0..many).map(|_| part(dice, 100_000 / many)).collect();
    let role = if version == "0.3" {
        "user"
    } else {
        "ROLE_USER"
    };
    let mut message = json!({
        "messageId": format!("m-{}", dice.below(1 << 20)), "role": role, "parts": parts,
        "metadata": metadata(dice),
    });
    if dice.once_in(4) {
        message["contextId"] = words(dice, 300).into();
    }
    if dice.once_in(6) {
        message["referenceTaskIds"] = vec!["t"; dice.size(2_000)].into();
    }
    if dice.once_in(6) {
        message["extensions"] = vec!["urn:nothing"; dice.size(2_000)].into();
    }
    json!({"message": message, "configuration": {"returnImmediately": true, "blocking": false}})
}

fn part(dice: &mut Dice, most: usize) -> Value {
    match dice.below(8) {
        0 => json!({"kind": "data", "data": nested(dice, most), "mediaType": "application/json"}),
        1 => json!({"kind": "data", "data": {
            "schema_id": "fault_diagnosis_v1",
            "payload": {"target": words(dice, most), "other": words(dice, most)},
        }}),
        2 => json!({"raw": "eHh4".repeat(most / 8 + 1), "filename": "../x"}),
        3 => json!({"url": "file:///etc/passwd"}),
        _ => json!({"kind": "text", "text": words(dice, most)}),
    }
}

fn words(dice: &mut Dice, most: usize) -> String {
    let length = dice.size(most.max(1));
    let mut words = String::new();
    match dice.once_in(2) {
        // The same again and again.
        true => {
            let word = *dice.one(&WORDS);
            words = word.repeat(length / word.len() + 1);
        }
        false => {
            while words.len() < length {
                words.push_str(WORDS[dice.below(WORDS.len())]);
            }
        }
    }
    words
}

/// Nested objects and lists, about as deep as the JSON parser allows.
fn nested(dice: &mut Dice, most: usize) -> Value {
    let mut value = json!(words(dice, most / 2 + 1));
    for _ in 0..dice.size(100) {
        value = match dice.once_in(2) {
            true => json!([value]),
            false => json!({ "a": value }),
        };
    }
    value
}

fn metadata(dice: &mut Dice) -> Value {
    if !dice.once_in(4) {
        return json!({});
    }
    let many = dice.size(2_000);
    let members = (0..many).map(|number| (format!("k{number}"), json!(number)));
    Value::Object(members.collect::<Map<_, _>>())
}

/// Parameters of other methods, valid and invalid.
fn parameters(dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => json!({"id": words(dice, 4_000), "historyLength": u64::MAX}),
        1 => {
            json!({"taskId": "t", "id": "p", "url": "http://169.254.169.254/x", "token": words(dice, 8_000)})
        }
        2 => {
            json!({"pageSize": 100, "pageToken": words(dice, 4_000), "status": "TASK_STATE_WORKING"})
        }
        3 => json!({"scenario": words(dice, 20_000), "text": words(dice, 20_000)}),
        4 => nested(dice, 10_000),
        _ => metadata(dice),
    }
}

/// The text of a document with a part nested deeper than the parser allows.
fn deep(dice: &mut Dice, document: &Value) -> String {
    let levels = dice.size(200_000);
    let inner = match dice.below(3) {
        0 => "[".repeat(levels),
        1 => format!("{}1{}", "[".repeat(levels), "]".repeat(levels)),
        _ => format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels)),
    };
    let mut text = document.to_string();
    text.truncate(text.len() - 1);
    format!("{text},\"x\":{inner}}}")
}

/// The text of a document with a duplicate member.
fn twice(dice: &mut Dice, document: &Value) -> String {
    let mut text = document.to_string();
    text.truncate(text.len() - 1);
    let again = ",\"message\":{},\"params\":{},\"id\":1".repeat(dice.size(2_000));
    format!("{text}{again}}}")
}
