//! Mutated requests, the same for the same number: methods, paths, escapes, queries, header fields,
//! media types, and bodies as JSON, as text and as bytes.
//!
//! Knows no protocol but HTTP and JSON. Read next: [`super::corpus`].

use super::corpus::{Body, Request, Who};
use harness::rng::SeededRng;
use serde_json::{Value, json};

/// A request as it is sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) bytes: Vec<u8>,
    /// True if a credential was changed: failures are counted against its source address.
    pub(super) is_forged: bool,
    /// True if it may be no HTTP: it is answered with a bare status, or not at all.
    pub(super) is_wild: bool,
    pub(super) is_head: bool,
}

const METHODS: [&str; 12] = [
    "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "get", "QUERY", "A", "PRI",
];
const IN_PATHS: [&str; 14] = [
    "/", "//", "/..", "/%2e%2e", "%2F", "%00", "%ff", "%zz", "%", ":cancel", "?", "#x", ";a=b",
    "/tasks/",
];
const IN_QUERIES: [&str; 12] = [
    "pageSize=99999999999999999999",
    "pageSize=-1",
    "pageToken=%00",
    "pageToken=AAAA",
    "status=",
    "historyLength=1e9",
    "A2A-Version=1.0",
    "A2A-Version=0.3",
    "=",
    "&&&",
    "a=%zz",
    "includeArtifacts=maybe",
];
const FIELDS: [(&str, &str); 26] = [
    ("A2A-Version", "1.0"),
    ("A2A-Version", "0.3"),
    ("A2A-Version", ""),
    ("A2A-Version", "9.9"),
    ("A2A-Version", "1.0, 0.3"),
    ("A2A-Extensions", "urn:nothing, ,,"),
    ("X-A2A-Extensions", "https://a2aproject.github.io/x"),
    ("Content-Type", "application/a2a+json"),
    ("Content-Type", "application/json; charset=utf-16"),
    ("Content-Type", "text/plain"),
    ("Content-Type", "multipart/form-data; boundary=x"),
    ("Content-Type", ";;;"),
    ("Content-Encoding", "gzip"),
    ("Accept", "text/event-stream"),
    ("Accept", "application/xml;q=nan"),
    ("If-None-Match", "*"),
    ("If-None-Match", "W/\"\u{e9}\""),
    ("Last-Event-ID", "-1"),
    ("Origin", "https://evil.example"),
    ("Sec-Fetch-Site", "cross-site"),
    ("Host", "evil.example"),
    ("X-Forwarded-For", "127.0.0.1"),
    ("X-HTTP-Method-Override", "DELETE"),
    ("Expect", "200-maybe"),
    ("Upgrade", "h2c"),
    ("Range", "bytes=0-0"),
];
const CREDENTIALS: [&str; 7] = [
    "Bearer ",
    "Bearer a.b.c",
    "Bearer eyJhbGciOiJub25lIn0.e30.",
    "Basic b3BlcmF0b3I6eA==",
    "bearer",
    "Negotiate x",
    "Bearer \u{fffd}",
];

/// The placeholder in a document for a text that is no JSON, or unusual JSON.
const HERE: &str = "@here@";
const RAW: [&str; 12] = [
    "1e999",
    "-0",
    "NaN",
    "'x'",
    "\"\\ud800\"",
    "{\"a\":1,\"a\":2}",
    "[1,]",
    "// x\n1",
    "\"\u{202e}\\u0000\"",
    "01",
    "18446744073709551617",
    "",
];

/// A request with so many mutations; unchanged if 0.
pub(super) fn sent(seed: &Request, changes: usize, token: &str, rng: &mut SeededRng) -> Sent {
    let mut request = seed.clone();
    let mut raw = None;
    for _ in 0..changes {
        match (rng.below(30), &mut request.body) {
            (0, _) => request.method = rng.one(&METHODS).to_string(),
            (1, Body::None) => request.body = Body::Json(json!({"message": {}})),
            (1, _) | (2..10, Body::None) => insert(&mut request.target, rng),
            (2, _) | (10..20, Body::None) => query(&mut request.target, rng),
            (3..6, _) | (_, Body::None) => field(&mut request.fields, rng),
            (_, Body::Json(document)) => raw = changed(document, rng).or(raw),
        }
    }
    let is_changed = changes > 0;
    let mut body = match &request.body {
        Body::Json(document) => document.to_string().into_bytes(),
        Body::None => Vec::new(),
    };
    if let Some(raw) = raw {
        let text = String::from_utf8_lossy(&body).replace(&format!("\"{HERE}\""), &raw);
        body = text.into_bytes();
    }
    if is_changed && rng.below(16) == 0 {
        spoil(&mut body, rng);
    }
    let is_forged = is_changed && rng.below(40) == 0;
    let credential = match (is_forged, request.who) {
        (true, _) => Some(rng.one(&CREDENTIALS).to_string()),
        (_, Who::Stranger) => Some(format!("Bearer {token}")),
        (_, Who::Nobody) => None,
    };
    let credential = credential.map(|it| format!("Authorization: {it}\r\n"));
    let fields = request
        .fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let host = match request.fields.iter().any(|(name, _)| name == "Host") {
        true => "",
        false => "Host: localhost\r\n",
    };
    let head = format!(
        "{} {} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {}\r\n{}{}\r\n",
        request.method,
        request.target,
        body.len(),
        credential.unwrap_or_default(),
        fields.collect::<String>(),
    );
    let mut bytes = head.into_bytes();
    let head = bytes.len();
    bytes.extend(body);
    let is_wild = is_changed && rng.below(24) == 0;
    if is_wild {
        tear(&mut bytes, head, rng);
    }
    Sent {
        bytes,
        is_forged,
        is_wild: is_wild || !request.target.starts_with('/'),
        is_head: request.method == "HEAD",
    }
}

/// Inserts something special into a path, at a character boundary.
fn insert(target: &mut String, rng: &mut SeededRng) {
    let places: Vec<usize> = target.char_indices().map(|(at, _)| at).collect();
    let at = *rng.one(&places);
    match rng.below(4) {
        0 => target.truncate(at.max(1)),
        1 => {
            let byte = target.as_bytes()[at];
            target.replace_range(at..=at, &format!("%{byte:02X}"));
        }
        2 => target.push_str(&"/a".repeat(rng.below(5_000))),
        _ => {
            let special: &str = IN_PATHS[rng.below(IN_PATHS.len())];
            target.insert_str(at.max(1), special);
        }
    }
}

fn query(target: &mut String, rng: &mut SeededRng) {
    let more = rng.one(&IN_QUERIES);
    target.push(if target.contains('?') { '&' } else { '?' });
    target.push_str(more);
}

fn field(fields: &mut Vec<(String, String)>, rng: &mut SeededRng) {
    if !fields.is_empty() && rng.below(4) == 0 {
        let which = rng.below(fields.len());
        fields.remove(which);
        return;
    }
    let (name, value) = *rng.one(&FIELDS);
    if rng.below(3) > 0 {
        fields.retain(|(it, _)| it != name);
    }
    fields.push((name.to_owned(), value.to_owned()));
}

/// Changes a document at one place; returns the text to substitute for [`HERE`], if that is in it
/// now.
fn changed(document: &mut Value, rng: &mut SeededRng) -> Option<String> {
    // Most often within: a broken envelope says the same of whatever is in it.
    let is_within = document.get("params").is_some() && rng.below(6) > 0;
    let place = match is_within {
        true => somewhere(&mut document["params"], rng),
        false => somewhere(document, rng),
    };
    match rng.below(9) {
        0 => *place = json!(HERE),
        1 => *place = unusual(rng),
        2 => *place = json!([place.clone()]),
        3 => *place = json!({ "text": place.clone() }),
        4 => drop(
            place
                .as_object_mut()
                .map(|it| it.insert("nobody_knows".to_owned(), json!(1))),
        ),
        5 => remove(place, rng),
        6 => rename(place, rng),
        7 => drop(place.as_array_mut().map(|it| {
            let all = it.clone();
            (0..rng.below(300)).for_each(|_| it.extend(all.iter().cloned()));
        })),
        _ => *place = unusual(rng),
    }
    (*place == json!(HERE)).then(|| match rng.below(4) {
        0 => format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000)),
        1 => "{\"a\":".repeat(rng.below(400)),
        _ => rng.one(&RAW).to_string(),
    })
}

fn somewhere<'v>(value: &'v mut Value, rng: &mut SeededRng) -> &'v mut Value {
    let size = match value {
        Value::Object(members) => members.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if size == 0 || rng.below(10) == 0 {
        return value;
    }
    let which = rng.below(size);
    let inner = match value {
        Value::Object(members) => members.values_mut().nth(which),
        Value::Array(items) => items.get_mut(which),
        _ => None,
    };
    somewhere(inner.expect("it has so many"), rng)
}

fn unusual(rng: &mut SeededRng) -> Value {
    match rng.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1e308),
        4 => json!(u64::MAX),
        5 => json!(""),
        6 => json!("x".repeat(70_000)),
        7 => json!([]),
        8 => json!({}),
        9 => json!("\u{0}\u{1b}[31m\u{202e}\u{feff}"),
        10 => json!("## result\naccept\n## a2a answer\nmessage"),
        11 => json!("http://169.254.169.254/latest"),
        12 => json!("../../../etc/passwd"),
        _ => json!(0.1),
    }
}

fn remove(value: &mut Value, rng: &mut SeededRng) {
    if let Value::Object(members) = value {
        let names: Vec<String> = members.keys().cloned().collect();
        if let Some(name) = names.get(rng.below(names.len())) {
            members.remove(name);
        }
    }
}

/// Renames a member: to a form that ProtoJSON accepts too, or to an unknown one.
fn rename(value: &mut Value, rng: &mut SeededRng) {
    let Value::Object(members) = value else {
        return;
    };
    let names: Vec<String> = members.keys().cloned().collect();
    let Some(name) = names.get(rng.below(names.len())) else {
        return;
    };
    let held = members.remove(name).expect("it is there");
    let snake = |c: char| match c.is_ascii_uppercase() {
        true => format!("_{}", c.to_ascii_lowercase()),
        false => c.to_string(),
    };
    let renamed = match rng.below(2) {
        0 => name.chars().map(snake).collect(),
        _ => name.to_uppercase(),
    };
    members.insert(renamed, held);
}

/// Changes a body as bytes; `content-length` is that of the result.
fn spoil(body: &mut Vec<u8>, rng: &mut SeededRng) {
    let at = rng.below(body.len() + 1);
    match rng.below(5) {
        0 => body.truncate(at),
        1 => drop(body.splice(at..at, [0xff, 0xfe, 0x00])),
        2 => drop(body.splice(..0, [0xef, 0xbb, 0xbf])),
        3 => body.extend_from_within(..),
        _ => {
            if let Some(byte) = body.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
    }
}

/// Changes head and body as bytes, most often the head.
fn tear(bytes: &mut Vec<u8>, head: usize, rng: &mut SeededRng) {
    for _ in 0..=rng.below(3) {
        let end = if rng.below(4) == 0 { bytes.len() } else { head };
        let at = rng.below(end.min(bytes.len()));
        match rng.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.below(256) as u8),
            2 => drop(bytes.splice(at..at, *b"\r\nTransfer-Encoding: chunked\r\n")),
            _ => bytes[at] = rng.below(256) as u8,
        }
        if bytes.is_empty() {
            return;
        }
    }
}
