//! Requests and refusals over HTTP+JSON, in both versions.

use super::outbound;
use super::*;
use crate::arbitrary;
use crate::event::SendMessageResponse;
use crate::message::{Message, Part, Role};
use crate::push::PushNotificationConfig;
use crate::request::ListTasks;
use crate::task::TaskState;
use insta::assert_snapshot;
use proptest::prelude::*;

fn incoming<'a>(verb: &'a str, target: &'a str, header: &'a str, body: &'a str) -> RestRequest<'a> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    RestRequest {
        verb,
        path,
        query,
        version_header: Some(header),
        content_type: (!body.is_empty()).then_some("application/json"),
        body: body.as_bytes(),
    }
}

fn asked(verb: &str, target: &str, header: &str, body: &str) -> A2aRequest {
    let call = read(&incoming(verb, target, header, body));
    call.unwrap_or_else(|refused| panic!("{verb} {target}: {}", refused.error))
        .request
}

/// A4: parameters of path and query.
#[test]
fn paths_and_queries_are_parameters() {
    assert_eq!(
        asked(
            "GET",
            "/tasks/t%2F1?historyLength=3&unheard=1&unheard=2",
            "1.0",
            ""
        ),
        A2aRequest::GetTask(GetTask {
            id: "t/1".to_owned(),
            history_length: Some(3)
        })
    );
    assert_eq!(
        asked(
            "GET",
            "/tasks?contextId=c+1&status=TASK_STATE_WORKING&pageSize=5&pageToken=p&includeArtifacts=true\
             &statusTimestampAfter=2025-11-09T10%3A30%3A00Z",
            "1.0",
            "",
        ),
        A2aRequest::ListTasks(ListTasks {
            context_id: Some("c 1".to_owned()),
            status: Some(TaskState::Working),
            changed_since: Some("2025-11-09T10:30:00Z")
                .map(|it| { schema::time::Timestamp::parse(it).expect("an instant") }),
            page_size: Some(5),
            page_token: Some("p".to_owned()),
            history_length: None,
            include_artifacts: true,
        })
    );
    for body in [
        r#"{"url":"https://peer.example/hook","taskId":"other"}"#,
        r#"{"url":"https://peer.example/hook","task_id":"other"}"#,
    ] {
        let A2aRequest::CreatePushConfig(made) =
            asked("POST", "/tasks/t1/pushNotificationConfigs", "1.0", body)
        else {
            panic!("another request");
        };
        assert_eq!(
            made.task_id.as_deref(),
            Some("t1"),
            "the path counts, not the body"
        );
    }
}

/// Both dialects of v0.3, each answered in its own.
#[test]
fn v03_is_spoken_in_two_dialects() {
    let plain = r#"{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}}"#;
    let proto = r#"{"request":{"message_id":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}"#;
    for (body, dialect) in [(plain, Dialect::V03), (proto, Dialect::V03Proto)] {
        let call = read(&incoming("POST", "/v1/message:send", "", body)).expect("a message");
        assert_eq!(call.form.dialect, dialect);
        let A2aRequest::SendMessage(sent) = call.request else {
            panic!("another request")
        };
        assert_eq!(sent.message.words(), "hi");
    }
    let plain = r#"{"config":{"taskId":"x","pushNotificationConfig":{"id":"c","url":"https://peer.example"}}}"#;
    let proto = r#"{"parent":"tasks/t","config_id":"c","config":{"name":"","push_notification_config":{"url":"https://peer.example"}}}"#;
    let bare = r#"{"name":"tasks/x/pushNotificationConfigs/c","pushNotificationConfig":{"id":"c","url":"https://peer.example"}}"#;
    for body in [plain, proto, bare] {
        let target = "/v1/tasks/t/pushNotificationConfigs";
        let expected = PushNotificationConfig {
            id: Some("c".to_owned()),
            task_id: Some("t".to_owned()),
            ..PushNotificationConfig::new("https://peer.example")
        };
        assert_eq!(
            asked("POST", target, "0.3", body),
            A2aRequest::CreatePushConfig(expected)
        );
    }
}

/// A6: refused requests, with their status codes.
#[test]
fn what_cannot_be_asked_is_refused_precisely() {
    let refusal = |incoming: RestRequest<'_>| {
        let refused = read(&incoming).expect_err("refused");
        let reply = refused.form.error(&refused.error);
        let error = &reply.body["error"];
        format!(
            "{} {} {}",
            reply.status, error["details"][0]["reason"], error["message"]
        )
    };
    let typed = |content_type: Option<&'static str>| RestRequest {
        content_type,
        ..incoming("POST", "/message:send", "1.0", "{}")
    };
    let many = format!("[{}0]", r#"{"":0},"#.repeat(20_000));
    let told = [
        refusal(incoming("GET", "/nothing", "1.0", "")),
        refusal(incoming("DELETE", "/message:send", "1.0", "")),
        refusal(incoming("GET", "/tasks", "", "")),
        refusal(incoming("GET", "/v1/tasks", "1.0", "")),
        refusal(incoming("GET", "/tasks", "7", "")),
        refusal(incoming("GET", "/tasks?pageSize=many", "1.0", "")),
        refusal(incoming("GET", "/tasks?status=working", "1.0", "")),
        refusal(incoming("GET", "/tasks?pageSize=1&pageSize=2", "1.0", "")),
        refusal(incoming(
            "GET",
            "/tasks/t?historyLength=1&historyLength=1&historyLength=1",
            "1.0",
            "",
        )),
        refusal(typed(None)),
        refusal(typed(Some("text/plain"))),
        refusal(typed(Some("application/json"))),
        refusal(incoming("POST", "/message:send", "1.0", "{")),
        refusal(incoming(
            "POST",
            "/message:send",
            "1.0",
            r#"{"message":{},"message":{}}"#,
        )),
        refusal(incoming("POST", "/message:send", "1.0", "[]")),
        refusal(incoming(
            "POST",
            "/v1/message:send",
            "0.3",
            r#"{"message":{},"request":{}}"#,
        )),
        refusal(incoming("POST", "/message:send", "1.0", &many)),
    ];
    assert_snapshot!(told.join("\n"), @r#"
    404 "METHOD_NOT_FOUND" "there is no path '/nothing'"
    405 "VERB_NOT_ALLOWED" "'DELETE' is not taken here, POST is"
    400 "VERSION_NOT_SUPPORTED" "this is a path of 1.0; the request says 0.3"
    400 "VERSION_NOT_SUPPORTED" "this is a path of 0.3; the request says 1.0"
    400 "VERSION_NOT_SUPPORTED" "version '7' is not spoken here, only 0.3 and 1.0 are"
    400 "INVALID_PARAMS" "Invalid parameters: pageSize: an integer from 0 is needed"
    400 "INVALID_PARAMS" "Invalid parameters: status: a state such as 'TASK_STATE_WORKING' is needed"
    400 "INVALID_PARAMS" "Invalid parameters: pageSize: stands twice in the query"
    400 "INVALID_PARAMS" "Invalid parameters: historyLength: stands twice in the query"
    415 "UNSUPPORTED_MEDIA_TYPE" "'' is not read here, application/json is"
    415 "UNSUPPORTED_MEDIA_TYPE" "'text/plain' is not read here, application/json is"
    400 "INVALID_PARAMS" "Invalid parameters: message: is missing"
    400 "PARSE_ERROR" "Invalid JSON payload: EOF while parsing an object at line 1 column 1"
    400 "PARSE_ERROR" "Invalid JSON payload: 'message' stands twice in one object, at /message"
    400 "INVALID_PARAMS" "Invalid parameters: the whole: an object is needed"
    400 "INVALID_PARAMS" "Invalid parameters: request: stands beside 'message'"
    413 "PAYLOAD_TOO_LARGE" "The payload is too large: there are more than 32768 values in it"
    "#);
}

/// A4: the response has the media type of the request; v0.3 clients find the error's name.
#[test]
fn answers_have_the_form_of_the_question() {
    let asked = RestRequest {
        content_type: Some("Application/A2A+JSON; charset=utf-8"),
        ..incoming("POST", "/message:send", "1.0", "{}")
    };
    let refused = read(&asked).expect_err("no message");
    assert_eq!(refused.form.media_type, MEDIA_TYPE);
    let form = ResponseForm {
        dialect: Dialect::V03Proto,
        media_type: JSON,
    };
    let body = form.error(&Error::task_not_found("t")).body;
    assert_snapshot!(body, @r#"{"code":-32001,"data":{"reason":"TASK_NOT_FOUND","taskId":"t"},"error":{"code":404,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","metadata":{"taskId":"t"},"reason":"TASK_NOT_FOUND"}],"message":"Task not found","status":"NOT_FOUND"},"message":"Task not found","type":"TaskNotFoundError"}"#);
}

/// v0.3 §7.1, §7.2: over HTTP+JSON answers and events are told apart by member name, in either
/// dialect.
#[test]
fn answers_and_events_of_v03_have_member_names() {
    let said = SendMessageResponse::Message(Message::new("m", Role::Agent, vec![Part::text("hi")]));
    let told = [Dialect::V03, Dialect::V03Proto, Dialect::V10].map(|dialect| {
        let form = ResponseForm {
            dialect,
            media_type: JSON,
        };
        let event = form.event(&said.clone().into());
        assert_eq!(form.reply(&Response::Sent(said.clone())).body, event);
        event.to_string()
    });
    assert_snapshot!(told.join("\n"), @r#"
    {"message":{"kind":"message","messageId":"m","parts":[{"kind":"text","text":"hi"}],"role":"agent"}}
    {"message":{"content":[{"text":"hi"}],"messageId":"m","role":"ROLE_AGENT"}}
    {"message":{"messageId":"m","parts":[{"text":"hi"}],"role":"ROLE_AGENT"}}
    "#);
}

/// A refusal of a peer is read from its body, or from its status where it has none.
#[test]
fn a_client_reads_refusals() {
    let refusal = |status, body: Value| {
        let read = outbound::read_reply(Version::V10, Method::GetTask, status, &body);
        read.expect_err("refused").kind
    };
    let body = Error::new(ErrorKind::TaskNotCancelable, "ended").to_status();
    assert_eq!(refusal(400, body), ErrorKind::TaskNotCancelable);
    assert_eq!(refusal(404, Value::Null), ErrorKind::TaskNotFound);
    assert_eq!(refusal(200, json!({})), ErrorKind::InvalidAgentResponse);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A server reads what a client writes, in both versions.
    #[test]
    fn servers_read_what_clients_write(request in arbitrary::request()) {
        for version in Version::ALL {
            let sent = outbound::write(version, None, &request).expect("HTTP+JSON has it");
            let body = sent.body.map(|it| it.to_string()).unwrap_or_default();
            let read = read(&incoming(sent.verb, &sent.target, version.as_str(), &body));
            let read = read.map_err(|refused| refused.error.to_string());
            prop_assert_eq!(read.map(|call| call.request), Ok(request.clone()));
        }
    }

    /// No input makes it panic.
    #[test]
    fn nothing_makes_it_panic(target in any::<String>(), body in ".{0,40}") {
        let _ = read(&incoming("POST", &target, "1.0", &body));
        let _ = read(&incoming("GET", &target, "", ""));
    }
}
