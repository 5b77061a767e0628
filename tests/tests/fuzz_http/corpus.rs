//! Well-formed requests of every route of the HTTP server, in both versions and bindings of A2A, as
//! seeds of mutations.
//!
//! Knows paths and methods; refuses to know the mutations. Read next: [`super::mutation`].

use serde_json::{Value, json};

/// The conformance agent, and an agent with schemas.
pub(super) const PLAYER: &str = "/agents/TMF-Convoke-Conformance-1.0.0";
const IP: &str = "/agents/TMF-Convoke-IP-1.0.0";

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Nobody,
    Stranger,
}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) who: Who,
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    pub(super) fields: Vec<(String, String)>,
    pub(super) body: Body,
    /// True if it must succeed.
    pub(super) is_answered: bool,
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(super) enum Body {
    None,
    Json(Value),
}

/// The tasks that requests refer to.
pub(super) struct Tasks {
    /// A task of the sender.
    pub(super) own: String,
    /// A task of another user.
    pub(super) theirs: String,
}

/// Every request, well-formed.
pub(super) fn requests(tasks: &Tasks) -> Vec<Request> {
    let mut all = open();
    all.push(get("/whoami"));
    for agent in [PLAYER, "/"] {
        all.extend(calls(agent, "1.0", v10(tasks)));
        all.extend(calls(agent, "0.3", v03(tasks)));
    }
    all.extend(calls(IP, "1.0", of_schemas()));
    all.extend(rest(tasks));
    all
}

/// Requests for public routes.
fn open() -> Vec<Request> {
    let cards = [
        "/.well-known/agent-card.json".to_owned(),
        "/.well-known/agent.json".to_owned(),
        format!("{IP}/.well-known/agent-card.json"),
    ];
    let probes = ["/livez", "/readyz", "/.well-known/jwks.json"].map(str::to_owned);
    let all = probes.iter().chain(&cards);
    let open = all.map(|path| Request {
        who: Who::Nobody,
        ..get(path)
    });
    open.collect()
}

fn get(target: &str) -> Request {
    Request {
        who: Who::Stranger,
        method: "GET".to_owned(),
        target: target.to_owned(),
        fields: Vec::new(),
        body: Body::None,
        is_answered: true,
    }
}

fn post(target: &str, version: &str, body: Value) -> Request {
    let fields = [
        ("Content-Type", "application/json"),
        ("A2A-Version", version),
    ];
    Request {
        method: "POST".to_owned(),
        fields: fields
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        body: Body::Json(body),
        ..get(target)
    }
}

/// A JSON-RPC call: a method, its parameters, and whether it must succeed.
type Call = (&'static str, Value, bool);

fn calls(agent: &str, version: &str, methods: Vec<Call>) -> Vec<Request> {
    let calls = methods.into_iter().map(|(method, params, is_answered)| {
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        Request {
            is_answered,
            ..post(agent, version, call)
        }
    });
    calls.collect()
}

/// Calls to an agent with schemas: typed data, an intent, a payload, text, and schemas (A2A
/// extensions 002 and 004, draft-zhou).
fn of_schemas() -> Vec<Call> {
    let said = |parts: Value, metadata: Value| {
        json!({
            "message": {"messageId": "f-1", "role": "ROLE_USER", "parts": parts, "metadata": metadata},
            "configuration": {"returnImmediately": true},
        })
    };
    let typed = json!([{
        "data": {"target": "router:Berlin"}, "mediaType": "application/json;schema=fault_diagnosis_v1",
    }]);
    let payload = json!([{"data": {
        "schema_id": "fault_diagnosis_v1", "payload": {"target": "router:Berlin", "other": "x"},
    }}]);
    let intent = json!({"intentInfos": [{"intent": "fault-diagnosis", "slots": [
        {"name": "target", "value": "router:Berlin", "normValue": "router:Berlin"},
        {"name": "unheard of", "value": "1"},
    ]}]});
    let words = json!([{"text": "please diagnose router:Berlin"}]);
    let question = json!([{"data": {"method": "get_schema_template", "params": {"scenario": "fault_diagnosis"}}}]);
    let scenario = json!({"scenario": "fault_diagnosis"});
    vec![
        ("SendMessage", said(typed, json!({})), true),
        ("SendMessage", said(payload, json!({})), true),
        ("SendMessage", said(words.clone(), intent), true),
        ("SendMessage", said(words, json!({})), true),
        ("SendMessage", said(question, json!({})), true),
        ("get_schema_template", scenario, true),
        (
            "get_schema_updates",
            json!({"schema_id": "fault_diagnosis_v1"}),
            true,
        ),
        (
            "request_capability_extension",
            json!({"scenario": "fault_diagnosis", "text": "x"}),
            false,
        ),
        ("GetExtendedAgentCard", json!({}), true),
        ("ListTasks", json!({"contextId": "c", "pageSize": 1}), true),
    ]
}

fn v10(Tasks { own, theirs }: &Tasks) -> Vec<Call> {
    let said = json!({"messageId": "tck-complete-task-f", "role": "ROLE_USER", "parts": [{"text": "play"}]});
    let now = json!({"returnImmediately": true, "historyLength": 3, "acceptedOutputModes": ["text/plain"]});
    let push = json!({"taskId": own, "id": "p", "url": HOOK, "token": "t",
        "authentication": {"scheme": "Bearer", "credentials": "c"}});
    vec![
        (
            "SendMessage",
            json!({"message": said, "configuration": now}),
            true,
        ),
        (
            "SendMessage",
            json!({"message": {"messageId": "f-2", "role": "ROLE_USER", "taskId": theirs,
            "parts": [{"text": "play"}]}}),
            false,
        ),
        (
            "SendMessage",
            json!({"message": {"messageId": "f-3", "role": "ROLE_USER", "parts": [
                {"text": "two files"},
                {"raw": "eA==", "filename": "../x", "mediaType": "text/plain"},
                {"url": "file:///etc/passwd", "mediaType": "text/plain"},
            ]}}),
            false,
        ),
        ("SendStreamingMessage", json!({"message": said}), true),
        ("GetTask", json!({"id": own, "historyLength": 2}), true),
        ("GetTask", json!({"id": theirs}), false),
        (
            "ListTasks",
            json!({"pageSize": 2, "status": "TASK_STATE_COMPLETED", "includeArtifacts": true}),
            true,
        ),
        ("CancelTask", json!({"id": theirs}), false),
        ("SubscribeToTask", json!({"id": own}), true),
        ("SubscribeToTask", json!({"id": theirs}), false),
        ("CreateTaskPushNotificationConfig", push, true),
        (
            "CreateTaskPushNotificationConfig",
            json!({"taskId": theirs, "id": "p", "url": HOOK}),
            false,
        ),
        (
            "ListTaskPushNotificationConfigs",
            json!({"taskId": own}),
            true,
        ),
        (
            "GetTaskPushNotificationConfig",
            json!({"taskId": theirs, "id": "p"}),
            false,
        ),
        (
            "DeleteTaskPushNotificationConfig",
            json!({"taskId": own, "id": "p"}),
            false,
        ),
        ("GetExtendedAgentCard", json!({}), true),
    ]
}

/// The URL of a receiver that the operator allows, without a listener.
pub(super) const HOOK: &str = "http://127.0.0.1:9/in";

fn v03(Tasks { own, theirs }: &Tasks) -> Vec<Call> {
    let said = json!({"messageId": "tck-complete-task-f", "role": "user", "kind": "message",
        "parts": [{"kind": "text", "text": "play"}]});
    let now = json!({"blocking": false, "historyLength": 3});
    vec![
        (
            "message/send",
            json!({"message": said, "configuration": now}),
            true,
        ),
        ("message/stream", json!({"message": said}), true),
        ("tasks/get", json!({"id": own, "historyLength": 2}), true),
        ("tasks/get", json!({"id": theirs}), false),
        ("tasks/cancel", json!({"id": theirs}), false),
        ("tasks/resubscribe", json!({"id": own}), true),
        (
            "tasks/pushNotificationConfig/set",
            json!({"taskId": own, "pushNotificationConfig": {"url": HOOK}}),
            true,
        ),
        (
            "tasks/pushNotificationConfig/get",
            json!({"id": theirs}),
            false,
        ),
        (
            "tasks/pushNotificationConfig/list",
            json!({"id": own}),
            true,
        ),
        (
            "tasks/pushNotificationConfig/delete",
            json!({"id": theirs, "pushNotificationConfigId": "p"}),
            false,
        ),
        ("agent/getAuthenticatedExtendedCard", json!({}), true),
    ]
}

/// Requests of HTTP+JSON in both versions.
fn rest(Tasks { own, theirs }: &Tasks) -> Vec<Request> {
    let said = json!({"messageId": "tck-complete-task-f", "role": "ROLE_USER", "parts": [{"text": "play"}]});
    let old = json!({"messageId": "tck-complete-task-f", "role": "ROLE_USER", "content": [{"text": "play"}]});
    let mut all = Vec::new();
    for (prefix, version, message) in [("", "1.0", said), ("/v1", "0.3", old)] {
        let base = format!("{PLAYER}{prefix}");
        let read = |path: String, is_answered| Request {
            fields: vec![("A2A-Version".to_owned(), version.to_owned())],
            is_answered,
            ..get(&path)
        };
        let say = |path: &str| {
            post(
                &format!("{base}{path}"),
                version,
                json!({"message": message}),
            )
        };
        let card = if version == "1.0" {
            "extendedAgentCard"
        } else {
            "card"
        };
        all.extend([
            say("/message:send"),
            say("/message%3Astream"),
            read(
                format!("{base}/tasks?pageSize=2&historyLength=1&status=TASK_STATE_COMPLETED"),
                version == "1.0",
            ),
            read(format!("{base}/tasks/{own}?historyLength=1"), true),
            read(format!("{base}/tasks/{theirs}"), false),
            read(format!("{base}/tasks/{own}:subscribe"), true),
            read(format!("{base}/tasks/{own}/pushNotificationConfigs"), true),
            read(
                format!("{base}/tasks/{theirs}/pushNotificationConfigs/p"),
                false,
            ),
            read(format!("{base}/{card}"), true),
            Request {
                is_answered: false,
                ..post(&format!("{base}/tasks/{theirs}:cancel"), version, json!({}))
            },
            Request {
                method: "DELETE".to_owned(),
                ..read(
                    format!("{base}/tasks/{theirs}/pushNotificationConfigs/p"),
                    false,
                )
            },
        ]);
    }
    all
}
