//! What is refused before anything is looked up: credentials, scopes, methods, encodings, parameters.

use crate::site::{JSON, Served, XML, error_of};
use testkit::http::{self, Line};

/// Without a credential every path looks alike, with no word of what is there.
#[tokio::test]
async fn strangers_are_told_nothing() {
    let served = Served::start().await;
    let address = served.address();
    let nowhere = http::get(&address, "/nowhere", None)
        .await
        .problem(401)
        .undated();
    for (method, path) in [
        ("GET", "/restconf"),
        ("GET", "/restconf/data"),
        ("GET", "/restconf/data/irtf-agent:agent"),
        ("GET", "/restconf/nothing"),
        ("PUT", "/restconf/data"),
        ("POST", "/restconf/operations/irtf-agent:task-negotiate"),
        ("OPTIONS", "/restconf/data"),
        ("GET", "/restconf/streams/NETCONF"),
    ] {
        let answer = http::ask(&address, method, path, None, &[], "").await;
        assert_eq!(answer.problem(401).undated(), nowhere, "{method} {path}");
    }
    let (other, own) = (served.scoped(&["a2a"]), served.scoped(&["restconf"]));
    let refused = http::get(&address, "/restconf/data", Some(&other)).await;
    refused.problem(403);
    let taken = http::get(&address, "/restconf/yang-library-version", Some(&own)).await;
    assert_eq!(taken.status, 200);
    served.site.stop().await;
}

#[tokio::test]
async fn the_datastore_is_read_only() {
    let served = Served::start().await;
    let fields = [("Content-Type", JSON)];
    for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"] {
        for path in [
            "/data",
            "/data/irtf-agent:agent",
            "/data/no:thing",
            "/operations",
            "",
        ] {
            let answer = served.ask(method, path, &fields, "{}").await;
            let error = error_of(&answer, 405);
            assert_eq!(
                error["error-tag"], "operation-not-supported",
                "{method} {path}"
            );
            assert_eq!(answer.field("allow"), "GET, HEAD, OPTIONS");
        }
    }
    let path = "/operations/irtf-agent:task-negotiate";
    for method in ["GET", "PUT", "DELETE", "HEAD"] {
        let answer = served.ask(method, path, &[], "").await;
        assert_eq!(
            (answer.status, answer.field("allow")),
            (405, "POST, OPTIONS")
        );
    }
    served.site.stop().await;
}

/// Who may not carry an operation out need not send its input, and nothing of that is taken.
#[tokio::test]
async fn rights_are_asked_before_a_body_is_taken() {
    let served = Served::start().await;
    let credential = format!("Authorization: Bearer {}", served.guest);
    let fields = [
        credential.as_str(),
        "Content-Type: application/yang-data+json",
        "Accept: application/yang-data+json",
        "Content-Length: 1000000",
    ];
    for (operation, status) in [
        ("convoke-cluster:drain-node", 403),
        ("convoke-cluster:nothing", 404),
    ] {
        let mut line = Line::to(served.site.http()).await;
        let asked = format!("POST /restconf/operations/{operation}");
        let answer = line.ask(&asked, &fields).await;
        error_of(&answer, status);
    }
    served.site.stop().await;
}

#[tokio::test]
async fn a_member_that_stands_twice_is_refused() {
    let served = Served::start().await;
    let body = r#"{"convoke-registry:input":{"limit":7,"limit":8}}"#;
    let fields = [("Content-Type", JSON)];
    let path = "/operations/convoke-registry:get-tasks";
    let error = error_of(&served.ask("POST", path, &fields, body).await, 400);
    assert_eq!(error["error-tag"], "malformed-message");
    let message = error["error-message"].as_str().unwrap();
    assert!(message.contains("'limit' stands twice"), "{message}");
    served.site.stop().await;
}

#[tokio::test]
async fn an_encoding_that_nobody_has_is_refused() {
    let served = Served::start().await;
    for (accept, status, content_type) in [
        ("text/html", 406, JSON),
        ("application/json", 406, JSON),
        ("application/yang-data+xml;q=0", 406, JSON),
        ("*/*", 200, JSON),
        ("text/html, application/*;q=0.1", 200, JSON),
        (
            "application/yang-data+json;q=0.3, application/yang-data+xml;q=0.4",
            200,
            XML,
        ),
        ("application/yang-data+xml, */*;q=0.9", 200, XML),
    ] {
        let path = "/data/irtf-agent:agent/name";
        let answer = served.ask("GET", path, &[("Accept", accept)], "").await;
        assert_eq!(answer.status, status, "{accept}: {answer:?}");
        assert_eq!(answer.field("content-type"), content_type, "{accept}");
    }
    let path = "/operations/convoke-registry:count-tasks";
    for content_type in [
        vec![],
        vec![("Content-Type", "application/json")],
        vec![("Content-Type", "application/yang-data+xml; charset=utf-16")],
    ] {
        let answer = served.ask("POST", path, &content_type, "{}").await;
        error_of(&answer, 415);
    }
    // An error is in the encoding that is taken.
    let answer = served
        .ask("GET", "/data/no:thing", &[("Accept", XML)], "")
        .await;
    assert_eq!((answer.status, answer.field("content-type")), (404, XML));
    let opened = "<errors xmlns=\"urn:ietf:params:xml:ns:yang:ietf-restconf\"><error><error-type>";
    assert!(answer.body.starts_with(opened), "{answer:?}");
    served.site.stop().await;
}

#[tokio::test]
async fn a_parameter_that_is_not_offered_is_named() {
    let served = Served::start().await;
    for (path, word) in [
        ("/data?filter=x", "'filter' is not offered"),
        ("/data?insert=first", "'insert' is not offered"),
        ("/data?point=x", "'point' is not offered"),
        (
            "/data?start-time=2026-01-01T00:00:00Z",
            "'start-time' is not offered",
        ),
        ("/data?with-origin", "'with-origin' is not offered"),
        ("/data?depth=1&depth=2", "'depth' is said twice"),
        ("/data?depth=0", "'depth' is unbounded or 1 to 65535"),
        (
            "/data?content=some",
            "'content' is config, nonconfig or all",
        ),
        ("/data?with-defaults=no", "'with-defaults' is report-all"),
        ("/data?fields=", "'fields' has no value"),
        ("/data?fields=agent", "'agent' is no node there"),
        ("/data?fields=irtf-agent:agent(", "no list of fields"),
        (
            "/data/convoke-registry:registry/agent",
            "named by its keys, in this order: agent=name",
        ),
        ("/data/irtf-agent:agent=1", "'agent' is no list"),
        ("/data/irtf-agent:agent/%zz", "an escape that is none"),
        ("?depth=1", "'depth' is not offered here, nor any other"),
        (
            "/operations?depth=1",
            "'depth' is not offered here, nor any other",
        ),
    ] {
        let answer = served.ask("GET", path, &[], "").await;
        let error = error_of(&answer, 400);
        assert_eq!(error["error-tag"], "invalid-value", "{path}");
        let message = error["error-message"].as_str().unwrap();
        assert!(message.contains(word), "{path}: {message}");
    }
    served.site.stop().await;
}
