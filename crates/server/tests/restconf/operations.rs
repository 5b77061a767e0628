//! Operations (RFC 8040 §3.6, §4.4.2): which there are, their input and output in both encodings.

use crate::site::{CONTENT, JSON, Served, XML, error_of};
use serde_json::{Value, json};

#[tokio::test]
async fn the_operations_that_may_be_carried_out_are_told() {
    let served = Served::start().await;
    let told = served.json("/operations").await;
    let told = told["ietf-restconf:operations"].as_object().unwrap();
    for rpc in [
        "irtf-agent:task-negotiate",
        "convoke-registry:get-tasks",
        "convoke-data:data-write",
        "convoke-audit:get-audit",
        "ietf-netconf-monitoring:get-schema",
    ] {
        assert_eq!(told.get(rpc), Some(&json!([null])), "{rpc}");
    }
    // Those of NETCONF's own sessions are methods here; those of management systems are elsewhere.
    let foreign = |rpc: &&String| rpc.starts_with("ietf-netconf:") || rpc.contains("ems:");
    assert_eq!(told.keys().find(foreign), None);
    let xml = served.xml("/operations").await;
    assert!(xml.contains("<task-negotiate xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\"/>"));
    served.site.stop().await;
}

#[tokio::test]
async fn an_operation_takes_and_gives_json() {
    let served = Served::start().await;
    served.assign("dig-1").await;
    let answer = served
        .call("convoke-registry:get-tasks", &json!({ "limit": 10 }))
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let task = &answer.json()["convoke-registry:output"]["task"][0];
    assert_eq!(task["task-id"], "dig-1");
    let told = task["content"].as_str().unwrap();
    assert!(told.contains("dig <deep> & \"wide\""), "{told}");

    let written = served
        .call(
            "convoke-data:data-write",
            &json!({ "id": "map", "type": "text", "value": "a\nb" }),
        )
        .await;
    assert!(matches!(written.status, 200 | 204 | 400), "{written:?}");
    served.site.stop().await;
}

#[tokio::test]
async fn an_operation_takes_and_gives_xml() {
    let served = Served::start().await;
    let escaped = CONTENT.replace('&', "&amp;").replace('<', "&lt;");
    let input = format!(
        "<input xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\"><task-sendTo>digger</task-sendTo>\
         <commuType>taskAssgin</commuType><task-id>dig-2</task-id><content>{escaped}</content>\
         <task-async xmlns=\"urn:convoke:params:xml:ns:yang:convoke-negotiation\">true</task-async>\
         </input>"
    );
    let path = "/operations/irtf-agent:task-negotiate";
    let fields = [("Content-Type", XML), ("Accept", XML)];
    let answer = served.ask("POST", path, &fields, &input).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.field("content-type"), XML);
    let output = "<output xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\">";
    assert!(answer.body.starts_with(output), "{answer:?}");
    assert!(
        answer.body.contains("<task-id>dig-2</task-id>"),
        "{answer:?}"
    );

    // What came in XML may be answered in JSON, below anydata too.
    let again = input.replace("dig-2", "dig-3");
    let fields = [("Content-Type", XML), ("Accept", JSON)];
    let answer = served.ask("POST", path, &fields, &again).await.json();
    let reply = &answer["irtf-agent:output"]["data"]["convoke-negotiation:reply"];
    assert_eq!(reply["task-id"], "dig-3", "{answer}");
    served.site.stop().await;
}

#[tokio::test]
async fn an_operation_without_output_has_no_content() {
    let served = Served::start().await;
    let path = "/operations/convoke-registry:count-tasks";
    let counted = served.ask("POST", path, &[], "").await;
    assert_eq!(counted.status, 200, "{counted:?}");
    let inputs = [
        ("convoke-registry:renew-lease", json!({ "name": "digger" })),
        ("convoke-registry:renew-lease", json!({ "name": "nobody" })),
    ];
    for (rpc, input) in inputs {
        let answer = served.call(rpc, &input).await;
        assert!(
            [204, 200, 400, 403, 409, 501].contains(&answer.status),
            "{answer:?}"
        );
        if answer.status == 204 {
            assert_eq!(
                (answer.body.as_str(), answer.field("content-type")),
                ("", "")
            );
        }
    }
    served.site.stop().await;
}

/// The tags are those of NETCONF, the paths those of the input.
#[tokio::test]
async fn what_is_wrong_with_an_input_is_told_as_over_netconf() {
    let served = Served::start().await;
    let negotiate = "irtf-agent:task-negotiate";
    let valid = json!({
        "task-sendTo": "digger", "commuType": "taskAssgin", "task-id": "t", "content": [CONTENT],
    });
    let with = |name: &str, value: Value| {
        let mut input = valid.clone();
        input[name] = value;
        input
    };
    for (input, status, tag, part) in [
        (
            with("task-sendTo", json!("nobody")),
            400,
            "invalid-value",
            "/irtf-agent:input/task-sendTo",
        ),
        (
            with("colour", json!("red")),
            400,
            "unknown-element",
            "colour",
        ),
        (
            with("commuType", json!("taskDance")),
            400,
            "invalid-value",
            "/irtf-agent:input/commuType",
        ),
        (
            with("no-module:x", json!(1)),
            400,
            "unknown-namespace",
            "no-module",
        ),
        (with("a b", json!(1)), 400, "unknown-element", "a b"),
        (
            with("@task-id", json!({})),
            400,
            "unknown-element",
            "@task-id",
        ),
        (with("task-id", json!(7)), 400, "invalid-value", "task-id"),
        (
            with("convoke-negotiation:task-async", json!("true")),
            400,
            "invalid-value",
            "task-async",
        ),
        (
            with("convoke-negotiation:round", json!("1")),
            400,
            "invalid-value",
            "round",
        ),
        (
            json!({ "task-id": "t" }),
            400,
            "missing-element",
            "commuType",
        ),
    ] {
        let answer = served.call(negotiate, &input).await;
        let error = error_of(&answer, status);
        assert_eq!(error["error-tag"], tag, "{input} {error}");
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    let fields = [("Content-Type", JSON)];
    let path = format!("/operations/{negotiate}");
    for (body, status, tag) in [
        ("{", 400, "malformed-message"),
        ("[]", 400, "malformed-message"),
        ("{\"input\":{}}", 400, "malformed-message"),
        (
            "{\"irtf-agent:input\":{},\"x\":1}",
            400,
            "malformed-message",
        ),
        ("{\"irtf-agent:input\":[]}", 400, "malformed-message"),
    ] {
        let answer = served.ask("POST", &path, &fields, body).await;
        assert_eq!(error_of(&answer, status)["error-tag"], tag, "{body}");
    }
    let fields = [("Content-Type", XML)];
    for body in [
        "<input>",
        "<input/>",
        "<output xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\"/>",
        "<input xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\">text</input>",
        "<!DOCTYPE x><input xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\"/>",
    ] {
        let answer = served.ask("POST", &path, &fields, body).await;
        let error = error_of(&answer, 400);
        assert_eq!(error["error-tag"], "malformed-message", "{body}");
    }
    served.site.stop().await;
}

#[tokio::test]
async fn who_may_not_is_denied_and_what_is_not_there_is_not_found() {
    let served = Served::start().await;
    let address = served.address();
    let path = "/restconf/operations/convoke-registry:count-tasks";
    let guest = Some(served.guest.as_str());
    let denied = testkit::http::ask(&address, "POST", path, guest, &[], "").await;
    let error = error_of(&denied, 403);
    assert_eq!(error["error-tag"], "access-denied");
    for (operation, status, tag) in [
        ("irtf-agent:dance", 404, "invalid-value"),
        ("task-negotiate", 404, "invalid-value"),
        ("no-module:x", 404, "invalid-value"),
        ("irtf-agent:agent", 404, "invalid-value"),
        ("%zz", 404, "invalid-value"),
        ("ietf-netconf:get", 501, "operation-not-supported"),
        ("ietf-netconf:lock", 501, "operation-not-supported"),
        ("ietf-netconf:close-session", 501, "operation-not-supported"),
        ("ietf-netconf:edit-config", 501, "operation-not-supported"),
        (
            "notifications:create-subscription",
            501,
            "operation-not-supported",
        ),
        ("convoke-ems:probe", 501, "operation-not-supported"),
    ] {
        let path = format!("/operations/{operation}");
        let answer = served.ask("POST", &path, &[], "").await;
        assert_eq!(error_of(&answer, status)["error-tag"], tag, "{operation}");
    }
    served.site.stop().await;
}

#[tokio::test]
async fn a_module_is_read_as_it_was_written() {
    let served = Served::start().await;
    let input = json!({ "identifier": "irtf-agent", "format": "ietf-netconf-monitoring:yang" });
    let answer = served
        .call("ietf-netconf-monitoring:get-schema", &input)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let text = &answer.json()["ietf-netconf-monitoring:output"]["data"];
    let text = text.as_str().unwrap();
    assert!(text.starts_with("module irtf-agent"), "{text:.60}");
    served.site.stop().await;
}
