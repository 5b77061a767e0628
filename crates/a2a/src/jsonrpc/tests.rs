//! Requests and refusals over JSON-RPC, in both versions.

use super::*;
use crate::arbitrary;
use crate::event::SendMessageResponse;
use crate::schema_request::SchemaRequest;
use crate::task::{Task, TaskState, TaskStatus};
use insta::assert_snapshot;
use proptest::prelude::*;

fn refusal(body: &str, header: Option<&str>) -> String {
    match read(body.as_bytes(), header) {
        Ok(call) => format!("taken as {:?}", call.request.method()),
        Err(refused) => {
            let reply = refused.envelope.error(&refused.error);
            let (id, error) = (&reply["id"], &reply["error"]);
            format!("{id} {} {}", error["code"], error["message"])
        }
    }
}

/// A6: malformed requests, with their errors.
#[test]
fn what_is_no_request_is_refused_precisely() {
    let new = Some("1.0");
    let told = [
        refusal("{", new),
        refusal("\u{0}", new),
        refusal(
            r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a","id":"b"}}"#,
            new,
        ),
        refusal("[]", new),
        refusal(r#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#, new),
        refusal("7", new),
        refusal(r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#, new),
        refusal(r#"{"id":1,"method":"GetTask"}"#, new),
        refusal(r#"{"jsonrpc":"2.0","id":true,"method":"GetTask"}"#, new),
        refusal(r#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#, new),
        refusal(
            r#"{"jsonrpc":"2.0","id":18446744073709551617,"method":"GetTask"}"#,
            new,
        ),
        refusal(r#"{"jsonrpc":"2.0","id":"a"}"#, new),
        refusal(r#"{"jsonrpc":"2.0","id":"a","method":7}"#, new),
        refusal(r#"{"jsonrpc":"2.0","id":"a","method":"tasks/foo"}"#, None),
        refusal(r#"{"jsonrpc":"2.0","id":"a","method":"Foo"}"#, new),
        refusal(r#"{"jsonrpc":"2.0","id":"a","method":"GetTask"}"#, None),
        refusal(r#"{"jsonrpc":"2.0","id":"a","method":"tasks/get"}"#, new),
        refusal(
            r#"{"jsonrpc":"2.0","id":"a","method":"GetTask"}"#,
            Some("9.9"),
        ),
        refusal(
            r#"{"jsonrpc":"2.0","id":"a","method":"GetTask","params":[1]}"#,
            new,
        ),
        refusal(r#"{"jsonrpc":"2.0","id":"a","method":"GetTask"}"#, new),
        refusal(
            r#"{"jsonrpc":"2.0","id":"a","method":"GetTask","params":{"id":"t","historyLength":-1}}"#,
            new,
        ),
        refusal(
            r#"{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"t"}}"#,
            new,
        ),
        refusal(r#"{"jsonrpc":"2.0","method":"GetExtendedAgentCard"}"#, new),
        refusal(r#"{"jsonrpc":"2.0","method":"get_schema_template"}"#, new),
    ];
    assert_snapshot!(told.join("\n"), @r#"
    null -32700 "Invalid JSON payload: EOF while parsing an object at line 1 column 1"
    null -32700 "Invalid JSON payload: expected value at line 1 column 1"
    null -32700 "Invalid JSON payload: 'id' stands twice in one object, at /params/id"
    null -32600 "Request payload validation error: batches are not taken, send one request"
    null -32600 "Request payload validation error: batches are not taken, send one request"
    null -32600 "Request payload validation error: an object is needed"
    1 -32600 "Request payload validation error: jsonrpc: '2.0' is needed"
    1 -32600 "Request payload validation error: jsonrpc: '2.0' is needed"
    null -32600 "Request payload validation error: id: a string, a number or null is needed"
    null -32600 "Request payload validation error: id: a string, a number or null is needed"
    null -32600 "Request payload validation error: id: a number of 64 bits at most is needed"
    "a" -32600 "Request payload validation error: method: a string is needed"
    "a" -32600 "Request payload validation error: method: a string is needed"
    "a" -32601 "there is no method 'tasks/foo'"
    "a" -32601 "there is no method 'Foo'"
    "a" -32009 "'GetTask' is a method of 1.0; the request says 0.3"
    "a" -32009 "'tasks/get' is a method of 0.3; the request says 1.0"
    "a" -32009 "version '9.9' is not spoken here, only 0.3 and 1.0 are"
    "a" -32602 "Invalid parameters: params: an object is needed"
    "a" -32602 "Invalid parameters: id: is missing"
    "a" -32602 "Invalid parameters: historyLength: an integer from 0 is needed"
    taken as GetTask
    null -32600 "Request payload validation error: id: is missing, notifications are not taken"
    null -32600 "Request payload validation error: id: is missing, notifications are not taken"
    "#);
}

/// A6: `data` is an array of details in v1.0, and free in v0.3.
#[test]
fn refusals_are_written_in_the_version_asked() {
    let new = read(
        br#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}"#,
        Some("1.0"),
    );
    let new = new.expect_err("no id");
    assert_snapshot!(new.envelope.error(&new.error), @r#"{"error":{"code":-32602,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","reason":"INVALID_PARAMS"},{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"description":"is missing","field":"id"}]}],"message":"Invalid parameters: id: is missing"},"id":1,"jsonrpc":"2.0"}"#);
    let old = read(
        br#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}"#,
        None,
    );
    let old = old.expect_err("no id");
    assert_snapshot!(old.envelope.error(&old.error), @r#"{"error":{"code":-32602,"data":{"fieldViolations":[{"description":"is missing","field":"id"}],"reason":"INVALID_PARAMS"},"message":"Invalid parameters: id: is missing"},"id":1,"jsonrpc":"2.0"}"#);
}

/// Identifiers are returned unchanged.
#[test]
fn identifiers_come_back() {
    for id in [
        "1",
        "-7",
        "18446744073709551615",
        "1.5",
        "\"\"",
        "\"a\"",
        "null",
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"GetExtendedAgentCard"}}"#);
        let call = read(body.as_bytes(), Some("1.0")).expect("a request");
        let reply = call.envelope.result(&Response::Deleted).to_string();
        assert!(reply.contains(&format!("\"id\":{id}")), "{reply}");
    }
}

/// A request with an envelope gets a response with one, one without it the bare document.
#[test]
fn templates_are_asked_for_with_and_without_an_envelope() {
    let bare = r#"{"method":"get_schema_template","params":{"scenario":"flight_booking","preferred_language":"en-US"}}"#;
    let template = Response::Schema(json!({"schema_id": "flight_booking_v1"}));
    for header in [None, Some("0.3"), Some("1.0")] {
        let call = read(bare.as_bytes(), header).expect("a question");
        let A2aRequest::Schema(SchemaRequest::Template(query)) = &call.request else {
            panic!("{call:?}")
        };
        assert_eq!(query.scenario.as_deref(), Some("flight_booking"));
        assert_eq!(query.preferred_language.as_deref(), Some("en-US"));
        assert_eq!(
            call.envelope.result(&template),
            json!({"schema_id": "flight_booking_v1"})
        );
    }
    let wrapped = bare.replacen('{', r#"{"jsonrpc":"2.0","id":1,"#, 1);
    let call = read(wrapped.as_bytes(), None).expect("a question");
    assert_snapshot!(
        call.envelope.result(&template),
        @r#"{"id":1,"jsonrpc":"2.0","result":{"schema_id":"flight_booking_v1"}}"#
    );
    let none = read(br#"{"method":"get_schema_template"}"#, None).expect_err("no scenario");
    assert!(none.envelope.error(&none.error).get("jsonrpc").is_none());
}

fn task(state: TaskState) -> Task {
    Task {
        id: "t".to_owned(),
        context_id: "c".to_owned(),
        status: TaskStatus {
            state,
            message: None,
            timestamp: None,
        },
        artifacts: None,
        history: Vec::new(),
        metadata: Map::new(),
    }
}

/// The same answer in both versions.
#[test]
fn the_same_task_is_told_in_both_versions() {
    let envelope = |dialect| RpcEnvelope {
        id: Id::from(1),
        dialect,
        is_bare: false,
    };
    let sent = Response::Sent(SendMessageResponse::Task(task(TaskState::Canceled)));
    let event = StreamResponse::from(SendMessageResponse::Task(task(TaskState::Working)));
    let told = [Dialect::V10, Dialect::V03].map(|dialect| {
        let envelope = envelope(dialect);
        format!("{}\n{}", envelope.result(&sent), envelope.event(&event))
    });
    assert_snapshot!(told.join("\n"), @r#"
    {"id":1,"jsonrpc":"2.0","result":{"task":{"contextId":"c","id":"t","status":{"state":"TASK_STATE_CANCELED"}}}}
    {"id":1,"jsonrpc":"2.0","result":{"task":{"contextId":"c","id":"t","status":{"state":"TASK_STATE_WORKING"}}}}
    {"id":1,"jsonrpc":"2.0","result":{"contextId":"c","id":"t","kind":"task","status":{"state":"canceled"}}}
    {"id":1,"jsonrpc":"2.0","result":{"contextId":"c","id":"t","kind":"task","status":{"state":"working"}}}
    "#);
}

/// Responses of an agent: errors, responses to other requests, and malformed ones.
#[test]
fn a_client_reads_answers_and_refusals() {
    let id = Id::Text("q".to_owned());
    let read = |reply: Value| read_reply(&id, Version::V03, Method::GetTask, &reply);
    let good = json!({"jsonrpc": "2.0", "id": "q", "result": {
        "kind": "task", "id": "t", "contextId": "c", "status": {"state": "canceled"},
    }});
    assert_eq!(read(good), Ok(Response::Task(task(TaskState::Canceled))));
    let refused = read(json!({"id": "q", "error": {"code": -32001, "message": "none"}}));
    assert_eq!(refused.expect_err("refused").kind, ErrorKind::TaskNotFound);
    for odd in [
        json!({"id": "other", "result": {}}),
        json!({"id": "q"}),
        json!({"id": "q", "result": {"id": "t"}}),
        json!("hello"),
    ] {
        let refused = read(odd).expect_err("no answer");
        assert_eq!(refused.kind, ErrorKind::InvalidAgentResponse);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A server reads what a client writes, in every version that has the method.
    #[test]
    fn servers_read_what_clients_write(
        request in prop_oneof![arbitrary::request(), arbitrary::question()],
    ) {
        for version in Version::ALL {
            let Ok(written) = write(&Id::from(7), version, None, &request) else {
                prop_assert!(request.method().name(version).is_none());
                continue;
            };
            let body = written.to_string();
            let call = read(body.as_bytes(), Some(version.as_str())).expect("a request");
            prop_assert_eq!(&call.request, &request);
            prop_assert_eq!(call.envelope.id, Id::from(7));
        }
    }

    /// No bytes make it panic.
    #[test]
    fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let _ = read(&bytes, None);
        let _ = read(&bytes, Some("1.0"));
    }
}

/// Two MiB of small objects would take 640 MB in memory; they are refused before they are parsed.
#[test]
fn more_values_than_are_read_are_refused_before_they_are_parsed() {
    let envelope = |data: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"x":{data}}}}}"#)
    };
    let read = |data: &str| read(envelope(data).as_bytes(), Some("1.0"));
    let many = format!("[{}0]", r#"{"":0},"#.repeat(20_000));
    let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
    let told = [many, deep].map(|data| {
        let RpcRejection { envelope, error } = read(&data).expect_err("too large");
        assert_eq!(error.kind.http_status_of_rpc(), 413);
        format!("{} {} {}", envelope.id.value(), error.kind.code(), error)
    });
    assert_snapshot!(told.join("\n"), @"
    null -32043 The payload is too large: there are more than 32768 values in it
    null -32043 The payload is too large: it is more than 64 deep
    ");
}
