//! Errors: their codes are the specification's, and they survive the wire.

use super::*;
use crate::version::Version;
use insta::assert_snapshot;

/// A6: the codes of both specifications, and those of the platform, are all different.
#[test]
fn kinds_have_their_codes() {
    let mut codes: Vec<i64> = ErrorKind::ALL.iter().map(|kind| kind.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), ErrorKind::ALL.len());
    let told = ErrorKind::ALL.into_iter().map(|kind| {
        let (code, status) = (kind.code(), kind.http_status());
        format!("{code} {status} {} {}", kind.grpc_status(), kind.reason())
    });
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    -32700 400 INVALID_ARGUMENT PARSE_ERROR
    -32600 400 INVALID_ARGUMENT INVALID_REQUEST
    -32601 404 NOT_FOUND METHOD_NOT_FOUND
    -32602 400 INVALID_ARGUMENT INVALID_PARAMS
    -32603 500 INTERNAL INTERNAL_ERROR
    -32001 404 NOT_FOUND TASK_NOT_FOUND
    -32002 400 FAILED_PRECONDITION TASK_NOT_CANCELABLE
    -32003 400 FAILED_PRECONDITION PUSH_NOTIFICATION_NOT_SUPPORTED
    -32004 400 FAILED_PRECONDITION UNSUPPORTED_OPERATION
    -32005 400 INVALID_ARGUMENT CONTENT_TYPE_NOT_SUPPORTED
    -32006 500 INTERNAL INVALID_AGENT_RESPONSE
    -32007 400 FAILED_PRECONDITION EXTENDED_AGENT_CARD_NOT_CONFIGURED
    -32008 400 FAILED_PRECONDITION EXTENSION_SUPPORT_REQUIRED
    -32009 400 FAILED_PRECONDITION VERSION_NOT_SUPPORTED
    -32040 401 UNAUTHENTICATED UNAUTHENTICATED
    -32041 403 PERMISSION_DENIED PERMISSION_DENIED
    -32042 409 ALREADY_EXISTS ALREADY_EXISTS
    -32043 413 INVALID_ARGUMENT PAYLOAD_TOO_LARGE
    -32044 429 RESOURCE_EXHAUSTED TOO_MANY_REQUESTS
    -32045 503 UNAVAILABLE UNAVAILABLE
    -32046 415 INVALID_ARGUMENT UNSUPPORTED_MEDIA_TYPE
    -32047 405 UNIMPLEMENTED VERB_NOT_ALLOWED
    ");
}

/// An error is read as it was written, in both versions and bindings.
#[test]
fn an_error_survives_the_wire() {
    for kind in ErrorKind::ALL {
        let error = Error::new(kind, "no")
            .at("message.parts", "one part at least is needed")
            .with("taskId", "t-1");
        for dialect in Dialect::ALL {
            assert_eq!(Error::of_jsonrpc(&error.to_jsonrpc(dialect)), error);
        }
        assert_eq!(
            Error::of_status(kind.http_status(), &error.to_status()),
            error
        );
    }
}

/// A6: the forms of v1.0 §9.5 and §11.6.
#[test]
fn errors_have_the_forms_of_the_specification() {
    let error = Error::task_not_found("nonexistent-task-id");
    assert_snapshot!(error.to_jsonrpc(Dialect::V10), @r#"{"code":-32001,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","metadata":{"taskId":"nonexistent-task-id"},"reason":"TASK_NOT_FOUND"}],"message":"Task not found"}"#);
    assert_snapshot!(error.to_jsonrpc(Dialect::V03), @r#"{"code":-32001,"data":{"reason":"TASK_NOT_FOUND","taskId":"nonexistent-task-id"},"message":"Task not found"}"#);
    assert_snapshot!(error.to_status(), @r#"{"error":{"code":404,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","metadata":{"taskId":"nonexistent-task-id"},"reason":"TASK_NOT_FOUND"}],"message":"Task not found","status":"NOT_FOUND"}}"#);
}

/// A5: a client that is told that its version is not supported reads one form, whatever it speaks.
#[test]
fn an_unsupported_version_is_told_in_one_form() {
    let error = Error::from(Version::of_header(Some("1.0, 0.3")).expect_err("two"));
    let told = Dialect::ALL.map(|dialect| error.to_jsonrpc(dialect));
    let [one, rest @ ..] = &told;
    assert!(rest.iter().all(|other| other == one), "{told:?}");
    assert_snapshot!(one, @r#"{"code":-32009,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"a2a-protocol.org","reason":"VERSION_NOT_SUPPORTED"}],"message":"the request says '1.0, 0.3', one version is needed"}"#);
}

/// A request of a megabyte is not answered by another.
#[test]
fn what_is_longer_than_an_identifier_is_quoted_in_part() {
    let longest = "t".repeat(TaskId::LONGEST);
    assert_eq!(Error::task_not_found(&longest).metadata["taskId"], longest);
    let error = Error::task_not_found(&"t".repeat(1_000_000));
    assert_eq!(error.metadata["taskId"], format!("{}…", "t".repeat(64)));
}

#[test]
fn the_errors_of_strangers_are_errors_still() {
    let odd = Error::of_jsonrpc(&json!({"code": -32050, "message": "busy", "data": 7}));
    assert_eq!(
        (odd.kind, odd.metadata["code"].as_str()),
        (ErrorKind::Internal, "-32050")
    );
    assert_eq!(Error::of_jsonrpc(&json!("boom")).kind, ErrorKind::Internal);
    let page = Error::of_status(502, &json!("<html>"));
    assert_eq!(page.kind, ErrorKind::Internal);
    assert_eq!(
        Error::of_status(404, &json!({})).kind,
        ErrorKind::TaskNotFound
    );
    let of_v03 = json!({"code": -32002, "message": "ended"});
    assert_eq!(
        Error::of_status(400, &of_v03).kind,
        ErrorKind::TaskNotCancelable
    );
    assert_eq!(
        Error::of_status(503, &json!({})).kind,
        ErrorKind::Unavailable
    );
}
