//! What others send costs bounded time and memory: long paths, deep fields, many keys, large bodies, and
//! readers of streams who take nothing.

use crate::site::{JSON, Served, error_of};
use std::fmt::Write as _;
use testkit::http::{self, Line, request};

#[tokio::test]
async fn a_target_is_read_up_to_its_bounds() {
    let served = Served::start().await;
    let room = 8 << 10;
    for (path, statuses) in [
        (format!("/data/{}", "a:b/".repeat(1_900)), &[404][..]),
        (format!("/data/{}", "/".repeat(7_000)), &[400]),
        (
            format!("/data/irtf-agent:agent{}", "/name".repeat(1_500)),
            &[404],
        ),
        (
            format!(
                "/data/convoke-registry:registry/agent={}",
                ",".repeat(7_000)
            ),
            &[400],
        ),
        (
            format!(
                "/data/convoke-registry:registry/agent={}",
                "%2C".repeat(2_300)
            ),
            &[404],
        ),
        (
            format!("/data?fields={}", "irtf-agent:agent(".repeat(440)),
            &[400],
        ),
        (
            format!("/data?fields={}", "irtf-agent:agent/".repeat(440)),
            &[400],
        ),
        (
            format!(
                "/data?fields={}irtf-agent:agent",
                "irtf-agent:agent;".repeat(440)
            ),
            &[200],
        ),
        (format!("/data?{}", "&depth=1".repeat(900)), &[400]),
        (format!("/operations/{}", "a".repeat(8_000)), &[405]),
        (
            format!("/streams/NETCONF?filter={}", "//*%5B1%5D|".repeat(600)),
            &[400, 413],
        ),
        (
            format!("/streams/NETCONF?filter={}1", "(".repeat(7_000)),
            &[400, 413],
        ),
        (format!("/data/{}", "x".repeat(room)), &[414]),
    ] {
        let answer = served.ask("GET", &path, &[], "").await;
        let status = answer.status;
        assert!(
            statuses.contains(&status),
            "{path:.60}: {status} {:.300}",
            answer.body
        );
        // What was sent is not sent back.
        assert!(status == 200 || answer.body.len() < 2_000, "{path:.60}");
    }
    served.site.stop().await;
}

#[tokio::test]
async fn a_body_is_read_up_to_its_bounds() {
    let served = Served::start().await;
    let path = "/operations/irtf-agent:task-negotiate";
    let deep = format!(
        "{{\"irtf-agent:input\":{}1{}}}",
        "{\"x\":".repeat(100),
        "}".repeat(100)
    );
    let many = format!(
        "{{\"irtf-agent:input\":{{\"content\":[{}0]}}}}",
        "0,".repeat(40_000)
    );
    let wide = (0..30_000).fold("{\"irtf-agent:input\":{".to_owned(), |mut text, place| {
        let _ = write!(text, "\"x{place}\":{place},");
        text
    }) + "\"y\":1}}";
    for (body, status, tag) in [
        (deep, 413, "too-big"),
        (many, 413, "too-big"),
        (wide, 400, "unknown-element"),
    ] {
        let answer = served
            .ask("POST", path, &[("Content-Type", JSON)], &body)
            .await;
        let error = error_of(&answer, status);
        assert_eq!(error["error-tag"], tag, "{error}");
    }
    let open = "<input xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\">";
    let deep = format!("{open}{}{}</input>", "<a>".repeat(100), "</a>".repeat(100));
    let many = format!("{open}{}</input>", "<a/>".repeat(40_000));
    for body in [deep, many] {
        let fields = [("Content-Type", "application/yang-data+xml")];
        let answer = served.ask("POST", path, &fields, &body).await;
        assert_eq!(error_of(&answer, 413)["error-tag"], "too-big");
    }
    let large = "x".repeat((2 << 20) + 1);
    let fields = [("Content-Type", JSON)];
    let address = served.address();
    let token = Some(served.operator.as_str());
    let target = format!("/restconf{path}");
    let answer = http::ask(&address, "POST", &target, token, &fields, &large).await;
    answer.problem(413);
    served.site.stop().await;
}

/// A name that is written into an element is an identifier, whatever JSON lets stand in it.
#[tokio::test]
async fn nothing_in_json_becomes_markup() {
    let served = Served::start().await;
    for name in [
        "x><task-id>t</task-id><x",
        "irtf-agent:x y='z'",
        "x/>",
        "",
        ":",
        "a:b:c",
        "irtf-agent:",
    ] {
        let input = serde_json::json!({ name: "v" });
        let answer = served.call("irtf-agent:task-negotiate", &input).await;
        assert_eq!(
            error_of(&answer, 400)["error-tag"],
            "unknown-element",
            "{name}"
        );
    }
    let content = "</content><task-id>t</task-id>";
    let input = serde_json::json!({
        "task-sendTo": content, "commuType": "taskAssgin", "task-id": "t", "content": [content],
    });
    let answer = served.call("irtf-agent:task-negotiate", &input).await;
    let error = error_of(&answer, 400);
    assert_eq!(error["error-tag"], "invalid-value", "{error}");
    served.site.stop().await;
}

/// Who opens streams and takes nothing delays nobody, and nothing is made for him ahead.
#[tokio::test]
async fn readers_who_take_nothing_delay_nobody() {
    let served = Served::start().await;
    let bearer = format!("Authorization: Bearer {}", served.operator);
    let mut idle = Vec::new();
    for _ in 0..50 {
        let mut line = Line::to(served.site.http()).await;
        let target = "GET /restconf/streams/NETCONF?start-time=2026-01-01T00:00:00Z";
        line.send(&request(target, &[&bearer])).await;
        idle.push(line);
    }
    for place in 0..100 {
        served.assign(&format!("dig-{place}")).await;
    }
    let name = served.json("/data/irtf-agent:agent/name").await;
    assert_eq!(name["irtf-agent:name"], "digger");
    let operator = |usage: &engine::Usage| usage.name == "operator";
    let usage = served.site.host.platform.engine().usage();
    let usage = usage.into_iter().find(operator).unwrap();
    assert!(usage.requests >= 50, "{usage:?}");
    drop(idle);
    testkit::eventually("the streams to end", || {
        let usage = served.site.host.platform.engine().usage();
        usage
            .into_iter()
            .find(operator)
            .is_none_or(|usage| usage.requests == 0)
    })
    .await;
    served.site.stop().await;
}
