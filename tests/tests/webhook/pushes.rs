//! Push notifications of A2A: delivered like reports, by their configuration.
//!
//! The body is tested in `crates/bindings/tests/a2a/pushes.rs`.

use crate::desk::{Desk, client};
use crate::receiver::{Answer, Receiver, Report};
use crate::support::http::{get, post};
use crate::support::process::{Running, run};
use crate::{TAKEN, delivered, kept, only_read_to, to, until};
use domain::task::Status;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// `task:sequence.part` of a push of the desk; `task:sequence` of a report.
fn name(report: &Report) -> String {
    match &report.body["part"] {
        Value::Null => report.name(),
        part => {
            let task = report.body["task"].as_str().unwrap();
            format!("{task}:{}.{part}", report.body["sequence"])
        }
    }
}

async fn names(receiver: &mut Receiver, count: usize) -> Vec<String> {
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(name(&receiver.report().await));
    }
    names
}

/// A receiver that refuses everything until it is switched on.
async fn down() -> (Receiver, Arc<AtomicBool>) {
    let works = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&works);
    let rule = move |_: &Report, _| match seen.load(Relaxed) {
        true => TAKEN,
        false => Answer::Status(503),
    };
    (Receiver::start(rule).await, works)
}

/// A11: every change is pushed, in order and complete, with the token and a signature; the
/// publisher's own reports go on beside it.
#[tokio::test]
async fn every_change_is_pushed_in_order_with_the_token() {
    let mut receiver = Receiver::start(|_, _| TAKEN).await;
    let mut publisher = Receiver::start(|_, _| TAKEN).await;
    let desk = Desk::new();
    let origins = [receiver.url(""), publisher.url("")];
    let deliveries = desk.deliver(client(&origins, false));
    desk.subscribe("t", &publisher.url("/"));
    desk.changes("t", 1);
    desk.push("t", "c", &receiver.url("/hook"));
    desk.changes("t", 2);
    for expected in ["t:2.1", "t:2.2", "t:3.1", "t:3.2"] {
        let report = receiver.report().await;
        assert_eq!(name(&report), expected);
        assert_eq!(report.line, "POST /hook HTTP/1.1");
        assert_eq!(report.fields["x-a2a-notification-token"], "token of c");
        assert_eq!(report.fields["content-type"], "application/a2a+json");
        assert!(report.fields["signature-input"].contains("\"content-type\""));
    }
    assert_eq!(publisher.names(3).await, ["t:1", "t:2", "t:3"]);
    delivered(&deliveries, 5).await;
    deliveries.stop().await;
    assert_eq!(kept(&desk), only_read_to(3));
}

/// A refused push is repeated as a whole before the next change.
#[tokio::test]
async fn a_push_that_is_taken_in_part_is_sent_again_whole() {
    let rule = |_: &Report, before: usize| match before {
        1 => Answer::Status(503),
        2 => Answer::Close,
        _ => TAKEN,
    };
    let mut receiver = Receiver::start(rule).await;
    let desk = Desk::new();
    let deliveries = desk.deliver(to(&receiver));
    desk.push("t", "c", &receiver.url("/"));
    desk.changes("t", 2);
    let told = names(&mut receiver, 7).await;
    assert_eq!(
        told,
        [
            "t:1.1", "t:1.2", "t:1.1", "t:1.1", "t:1.2", "t:2.1", "t:2.2"
        ]
    );
    delivered(&deliveries, 2).await;
}

/// A11: a receiver that is down gets everything once it is up, even if the platform was restarted
/// meanwhile; two configurations for one address are independent.
#[tokio::test]
async fn nothing_is_lost_while_a_receiver_is_down_and_the_platform_restarted() {
    let (mut receiver, works) = down().await;
    let desk = Desk::new();
    let deliveries = desk.deliver(to(&receiver));
    for id in ["a", "b"] {
        desk.push("t", id, &receiver.url("/"));
    }
    desk.changes("t", 2);
    until(&deliveries, |s| s.pending == 4 && s.failed > 2).await;
    deliveries.stop().await;
    desk.changes("t", 1);
    let cursors = desk.cursors.borrow().clone();
    assert_eq!(cursors.len(), 3, "{cursors:?}");

    while receiver.now().is_some() {}
    works.store(true, Relaxed);
    let deliveries = desk.deliver(to(&receiver));
    let mut told: Vec<(String, String)> = Vec::new();
    for _ in 0..12 {
        let report = receiver.report().await;
        let token = report.fields["x-a2a-notification-token"].clone();
        told.push((token, name(&report)));
    }
    for id in ["a", "b"] {
        let of_it = told.iter().filter(|(token, _)| token.ends_with(id));
        let of_it: Vec<&str> = of_it.map(|(_, name)| name.as_str()).collect();
        assert_eq!(
            of_it,
            ["t:1.1", "t:1.2", "t:2.1", "t:2.2", "t:3.1", "t:3.2"]
        );
    }
    delivered(&deliveries, 6).await;
    deliveries.stop().await;
    assert_eq!(kept(&desk), only_read_to(3));
}

/// A deleted configuration gets nothing more, not even its backlog; a new one of the same name
/// gets later changes.
#[tokio::test]
async fn a_deleted_configuration_hears_nothing_more() {
    let (mut receiver, works) = down().await;
    let desk = Desk::new();
    let deliveries = desk.deliver(to(&receiver));
    desk.push("t", "c", &receiver.url("/"));
    desk.changes("t", 2);
    until(&deliveries, |s| s.pending == 2 && s.failed > 0).await;
    desk.withdraw("c");
    until(&deliveries, |s| s.pending == 0).await;
    while receiver.now().is_some() {}
    works.store(true, Relaxed);
    desk.changes("t", 1);
    desk.push("t", "c", &receiver.url("/"));
    desk.changes("t", 1);
    assert_eq!(names(&mut receiver, 2).await, ["t:4.1", "t:4.2"]);
    delivered(&deliveries, 1).await;
    deliveries.stop().await;
    assert_eq!(kept(&desk), only_read_to(4));
}

/// An origin that the operator no longer allows gets no more pushes.
#[tokio::test]
async fn a_target_that_is_not_allowed_any_more_is_not_spoken_to() {
    let mut receiver = Receiver::start(|_, _| TAKEN).await;
    let desk = Desk::new();
    let deliveries = desk.deliver(client(&["http://192.0.2.1".to_owned()], false));
    desk.push("t", "c", &receiver.url("/"));
    desk.change("t", Status::Finished);
    until(&deliveries, |s| s.refused == 1).await;
    assert!(receiver.now().is_none());
}

/// A task of A2A on the real command is pushed across a kill of the platform; and not without an
/// allow list.
#[tokio::test]
async fn a_platform_pushes_what_it_streams_though_it_is_killed_in_between() {
    let (mut receiver, works) = down().await;
    let state = tempfile::tempdir().unwrap();
    let settings = state.path().join("convoke.toml");
    std::fs::write(&settings, "[webhook]\n").unwrap();
    let agent = "/agents/TMF-Convoke-IP-1.0.0";
    let card = format!("{agent}/.well-known/agent-card.json");
    let sent = json!({
        "message": {"messageId": "m-1", "role": "ROLE_USER",
            "parts": [{"text": "please diagnose the fault"}]},
        "configuration": {"returnImmediately": true, "taskPushNotificationConfig": {
            "id": "c", "url": receiver.url("/hook"), "token": "known",
            "authentication": {"scheme": "Bearer", "credentials": "s3cret"}}},
    });
    let ask = async |running: &Running, token: &str, method: &str, params: &Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let version = [("A2A-Version", "1.0")];
        post(running.http(), agent, Some(token), &version, &call)
            .await
            .json()
    };
    let token = async |running: &Running| {
        let printed = run(running.state(), &["token", "issue", "--valid", "1d"]).await;
        printed.well().stdout.trim_end().to_owned()
    };

    let running = Running::serve(state.path()).await;
    let operator = token(&running).await;
    let told = get(running.http(), &card, None).await.json();
    assert_eq!(told["capabilities"]["pushNotifications"], false);
    let refused = ask(&running, &operator, "SendMessage", &sent).await;
    assert_eq!(refused["error"]["code"], -32003, "{refused}");
    running.kill().await;

    let allowed = format!("[webhook]\nallow = ['{}']\n", receiver.url(""));
    std::fs::write(&settings, allowed).unwrap();
    let running = Running::serve(state.path()).await;
    let operator = token(&running).await;
    let told = get(running.http(), &card, None).await.json();
    assert_eq!(told["capabilities"]["pushNotifications"], true);
    let mut elsewhere = sent.clone();
    elsewhere["configuration"]["taskPushNotificationConfig"]["url"] = "http://127.0.0.1:1/".into();
    let refused = ask(&running, &operator, "SendMessage", &elsewhere).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(
        refused
            .to_string()
            .contains("http://127.0.0.1:1 is not allowed here"),
        "{refused}"
    );
    let begun = ask(&running, &operator, "SendMessage", &sent).await;
    let task = begun["result"]["task"]["id"].clone();
    let report = receiver.report().await;
    assert_eq!(report.fields["authorization"], "Bearer s3cret");
    assert_eq!(report.fields["x-a2a-notification-token"], "known");
    running.kill().await;

    while receiver.now().is_some() {}
    works.store(true, Relaxed);
    let running = Running::serve(state.path()).await;
    let operator = token(&running).await;
    let key = json!({"taskId": task, "id": "c"});
    let read = ask(&running, &operator, "GetTaskPushNotificationConfig", &key).await;
    assert_eq!(read["result"]["token"], "known", "{read}");
    ask(&running, &operator, "CancelTask", &json!({"id": task})).await;
    let mut states = Vec::new();
    while states.last().map(String::as_str) != Some("TASK_STATE_CANCELED") {
        let pushed = receiver.report().await.body;
        let update = &pushed["statusUpdate"];
        assert_eq!(update["taskId"], task, "{pushed}");
        states.push(update["status"]["state"].as_str().unwrap().to_owned());
    }
    assert_eq!(states[0], "TASK_STATE_SUBMITTED", "{states:?}");
    assert_eq!(states.len(), 3, "{states:?}");
}
