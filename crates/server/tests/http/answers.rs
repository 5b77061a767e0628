//! The responses to requests, by caller and form.

use crate::house::{House, Plan};
use serde_json::json;
use std::sync::atomic::Ordering;
use store::Condition;
use testkit::http::{Line, request};

#[tokio::test]
async fn whoever_has_a_token_is_who_it_says_with_groups_as_over_netconf() {
    let house = House::open();
    for (name, agent, groups) in [
        ("operator", false, json!(["admin", "auditor"])),
        ("noc", false, json!([])),
        ("ip", true, json!(["agents"])),
    ] {
        let issued = house.issue(name, 3_600, &[]);
        let answer = house.whoami(&issued.token).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let expected = json!({
            "name": name, "agent": agent, "groups": groups,
            "credential": {
                "kind": "token", "id": issued.entry.id, "scope": [],
                "expires": "2026-11-21T13:00:00.000Z",
            },
        });
        assert_eq!(answer.json(), expected);
    }
}

/// A platform is ready if its store accepts commits.
#[tokio::test]
async fn a_platform_is_alive_and_ready_while_its_store_takes_something() {
    let house = House::open();
    for (condition, status, words) in [
        (Condition::Working, 200, "ready"),
        (Condition::Full, 503, "the store is full"),
        (
            Condition::Locked,
            503,
            "another program keeps the store locked",
        ),
        (
            Condition::Unreachable,
            503,
            "the database of the store cannot be reached",
        ),
        (Condition::Stopped, 503, "the store failed"),
        (Condition::Working, 200, "ready"),
    ] {
        *house.condition.lock().unwrap() = condition;
        let answer = house.ask("GET /readyz", &[]).await;
        assert_eq!(answer.status, status);
        assert!(answer.body.contains(words), "{answer:?}");
        if status == 503 {
            assert_eq!(answer.clone().problem(503).field("retry-after"), "5");
        }
        let alive = house.ask("GET /livez", &[]).await;
        assert_eq!(
            (alive.status, alive.body.as_str()),
            (200, r#"{"status":"alive"}"#)
        );
    }
}

#[tokio::test]
async fn a_platform_whose_decision_panicked_is_not_alive() {
    let house = House::open();
    assert_eq!(house.ask("GET /livez", &[]).await.status, 200);
    house.broken.store(true, Ordering::Relaxed);
    let answer = house.ask("GET /livez", &[]).await;
    assert_eq!(answer.status, 503);
    assert!(answer.body.contains("a decision failed"), "{answer:?}");
}

#[tokio::test]
async fn the_key_of_tokens_is_there_for_everybody() {
    let house = House::open();
    let answer = house.ask("GET /.well-known/jwks.json", &[]).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.field("content-type"), "application/jwk-set+json");
    assert_eq!(answer.field("cache-control"), "public, max-age=300");
    let key = &answer.json()["keys"][0];
    for (member, value) in [
        ("kty", "OKP"),
        ("crv", "Ed25519"),
        ("alg", "EdDSA"),
        ("use", "sig"),
    ] {
        assert_eq!(key[member], value);
    }
    assert_eq!(key.get("d"), None, "the private half stays here");
}

/// Without a credential nothing is revealed; with one, the responses for "does not exist" and "not
/// yours" are the same to the byte.
#[tokio::test]
async fn what_is_behind_the_server_is_not_told() {
    let house = House::open();
    let there = house.ask("GET /whoami", &[]).await.problem(401);
    assert_eq!(there.field("www-authenticate"), r#"Bearer realm="convoke""#);
    let there = there.undated();
    for line in [
        "GET /nowhere",
        "POST /whoami",
        "GET /agents/ran/x",
        "GET /%zz",
        "DELETE /",
    ] {
        let answer = house.ask(line, &[]).await;
        assert_eq!(answer.undated(), there, "{line}");
    }
    let ip = house.bearer("ip");
    let own = house.ask("GET /agents/ip/x", &[&ip]).await;
    assert_eq!((own.status, own.body.as_str()), (200, "/x"));
    let nowhere = house.ask("GET /nowhere", &[&ip]).await.problem(404);
    let nowhere = nowhere.undated();
    for line in [
        "GET /agents/ran/x",
        "GET /agents/nobody/x",
        "GET /agents",
        "GET /%zz",
    ] {
        let answer = house.ask(line, &[&ip]).await;
        assert_eq!(answer.undated(), nowhere, "{line}");
    }
}

#[tokio::test]
async fn another_method_is_told_which_there_are() {
    let house = House::open();
    let operator = house.bearer("operator");
    for (line, fields, allowed) in [
        ("POST /livez", &[][..], "GET, HEAD"),
        ("OPTIONS /livez", &[], "GET, HEAD"),
        ("DELETE /whoami", &[&operator], "GET, HEAD"),
        ("GET /length", &[&operator], "POST"),
    ] {
        let fields: Vec<&str> = fields.iter().map(|f: &&String| f.as_str()).collect();
        let answer = house.ask(line, &fields).await.problem(405);
        assert_eq!(answer.field("allow"), allowed, "{line}");
    }
    let mut line = Line::to(house.address).await;
    line.send(&request("HEAD /livez", &[])).await;
    let (head, next) = (
        line.piece().await,
        request("GET /livez", &["Connection: close"]),
    );
    assert!(
        head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    assert!(head.contains("content-length: 18"), "{head}");
    line.send(&next).await;
    assert!(line.rest().await.ends_with(r#"{"status":"alive"}"#));
}

/// No foreign page in a browser can make requests, only the server's own.
#[tokio::test]
async fn there_is_no_cors() {
    let house = House::open();
    let operator = house.bearer("operator");
    let preflight = [
        "Origin: https://evil.example",
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization",
    ];
    for (line, fields) in [
        ("OPTIONS /whoami", &preflight[..]),
        ("OPTIONS /livez", &preflight),
        ("GET /livez", &["Origin: null"]),
        (
            "GET /whoami",
            &[operator.as_str(), "Origin: https://evil.example"],
        ),
        (
            "POST /length",
            &[operator.as_str(), "Origin: http://localhost:3000"],
        ),
    ] {
        let answer = house.ask(line, fields).await.problem(403);
        let told = answer
            .fields
            .keys()
            .find(|name| name.starts_with("access-control"));
        assert_eq!(told, None, "{line}");
    }
    let own = house
        .ask("GET /whoami", &[&operator, "Origin: http://localhost"])
        .await;
    assert_eq!(own.status, 200);
    assert_eq!(own.field("access-control-allow-origin"), "");
}

#[tokio::test]
async fn nobody_is_reached_under_another_name() {
    let house = House::built(Plan {
        names: vec!["noc.example".to_owned()],
        ..Plan::default()
    });
    for (host, status) in [
        ("Host: localhost", 200),
        ("Host: 127.0.0.1:8880", 200),
        ("Host: noc.example", 200),
        ("Host: rebound.example", 421),
        ("Host: \u{1}", 400),
    ] {
        assert_eq!(
            house.ask("GET /livez", &[host]).await.status,
            status,
            "{host}"
        );
    }
    house
        .ask("GET http://rebound.example/livez", &["Host: localhost"])
        .await
        .problem(421);
    let mut line = Line::to(house.address).await;
    line.send("GET /livez HTTP/1.1\r\n\r\n").await;
    line.answer().await.problem(400);
}

#[tokio::test]
async fn an_answer_is_not_kept_guessed_at_or_framed() {
    let house = House::open();
    let operator = house.bearer("operator");
    for (line, fields) in [
        ("GET /whoami", &[operator.as_str()][..]),
        ("GET /whoami", &[]),
    ] {
        let answer = house.ask(line, fields).await;
        for (name, value) in [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            (
                "content-security-policy",
                "default-src 'none'; frame-ancestors 'none'",
            ),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(answer.field(name), value, "{}", answer.status);
        }
    }
}

/// Bytes that are not HTTP are answered with the bare status, and the connection ends.
#[tokio::test]
async fn what_is_no_request_ends_the_connection() {
    let house = House::open();
    let many: String = (0..300).map(|n| format!("x-{n}: y\r\n")).collect();
    let long = "x".repeat(100_000);
    for (bytes, status) in [
        ("\u{0}\u{1}\r\n\r\n".to_owned(), 400),
        ("GET /livez HTTP/9.9\r\n\r\n".to_owned(), 400),
        (
            "GET /livez HTTP/1.1\r\nHost : localhost\r\n\r\n".to_owned(),
            400,
        ),
        (
            "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1, 2\r\n\r\n".to_owned(),
            400,
        ),
        (
            "POST /livez HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n".to_owned(),
            400,
        ),
        (request("GET /livez", &[many.trim_end()]), 431),
        (request("GET /livez", &[&format!("x: {long}")]), 431),
    ] {
        let mut line = Line::to(house.address).await;
        line.send(&bytes).await;
        let answer = line.rest().await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{bytes:.60}: {answer}"
        );
    }
    assert_eq!(house.ask("GET /livez", &[]).await.status, 200);
}
