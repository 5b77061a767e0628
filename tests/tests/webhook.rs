//! Webhooks: reports of tasks to receivers that accept them, refuse them, are slow, dead or forged.
//!
//! Deliveries follow a log in memory here, to real receivers on loopback; the last tests use the
//! whole command and the example of a receiver, which verifies signatures with independent code.
//! `webhook/pushes.rs` has the same for push notifications. The parsing of addresses is tested in
//! `server`, `webhook/target/tests.rs`, the schedule of retries in `webhook/schedule/tests.rs`.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[path = "webhook/desk.rs"]
mod desk;
#[path = "webhook/example.rs"]
mod example;
#[path = "webhook/pushes.rs"]
mod pushes;
#[path = "webhook/receiver.rs"]
mod receiver;
mod support;

use bindings::netconf::{NegotiateRequest, negotiate_request, read_notification};
use desk::{Desk, QUICK, client, signing};
use domain::content::Content;
use domain::task::{Conditions, Status, Subscription};
use domain::verb::Verb;
use example::{Example, certificates, know};
use netconf::client::Outcome;
use receiver::{Answer, Receiver};
use serde_json::json;
use server::clock::Clock;
use server::webhook::report;
use server::webhook::schedule::{DeliveryQueue, WAITING_BYTES};
use server::webhook::source::DeliverySource;
use server::webhook::{
    AllowList, Deliveries, DeliveryPolicy, DeliveryStatistics, Sealer, TrustError, WebhookClient,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use support::process::Running;
use support::talk::{Talk, cancel, subscribe};

const IP: &str = "TMF-Convoke-IP-1.0.0";

const TAKEN: Answer = Answer::Status(204);

fn to(receiver: &Receiver) -> server::webhook::WebhookClient {
    client(&[receiver.url("")], false)
}

/// Waits until the outcomes of reports are as expected.
async fn until(
    deliveries: &Deliveries,
    holds: impl FnMut(&DeliveryStatistics) -> bool,
) -> DeliveryStatistics {
    let mut statistics = deliveries.statistics();
    let told = tokio::time::timeout(support::PATIENCE, statistics.wait_for(holds)).await;
    let last = *deliveries.statistics().borrow();
    *told
        .unwrap_or_else(|_| panic!("stays at {last:?}"))
        .unwrap()
}

async fn delivered(deliveries: &Deliveries, count: u64) {
    until(deliveries, |s| s.delivered == count).await;
}

/// The stored cursors, by address and task.
fn kept(desk: &Desk) -> Vec<(String, u64)> {
    let cursors = desk.cursors.borrow();
    let short = |name: &str| name.rsplit(' ').next().unwrap().to_owned();
    cursors
        .iter()
        .map(|(name, at)| (short(name), *at))
        .collect()
}

fn only_read_to(place: u64) -> Vec<(String, u64)> {
    vec![("webhook".to_owned(), place)]
}

#[tokio::test]
async fn every_change_is_posted_in_order_with_its_place_in_the_log() {
    let mut receiver = Receiver::start(|_, _| TAKEN).await;
    let desk = Desk::new();
    let deliveries = desk.deliver(to(&receiver));
    desk.subscribe("a", &receiver.url("/in?x=1"));
    desk.subscribe("b", &receiver.url("/in?x=1"));
    for _ in 0..3 {
        for task in ["a", "silent", "b"] {
            desk.change(task, Status::Processing);
        }
    }
    let mut told: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for _ in 0..6 {
        let report = receiver.report().await;
        assert_eq!(report.line, "POST /in?x=1 HTTP/1.1");
        assert_eq!(report.fields["host"], receiver.address.to_string());
        assert_eq!(report.fields["content-type"], "application/json");
        assert!(report.fields["signature-input"].starts_with("convoke=(\"@method\" "));
        assert!(report.connection <= 4, "connections are used again");
        told.entry(report.task().to_owned())
            .or_default()
            .push(report.sequence());
    }
    assert_eq!(told["a"], [1, 4, 7]);
    assert_eq!(told["b"], [3, 6, 9]);
    delivered(&deliveries, 6).await;
    deliveries.stop().await;
    // Only how far the log was read is left to remember.
    assert_eq!(kept(&desk), only_read_to(9));
}

#[tokio::test]
async fn whatever_is_not_taken_is_sent_again_before_the_next_change() {
    use Answer::{Close, Long, Nothing, Redirect, Status as Is};
    let answers = [
        Is(500),
        Close,
        Nothing,
        Redirect,
        Is(404),
        Long(503, 100_000),
        Long(200, 100_000),
    ];
    let rule = move |_: &receiver::Report, before: usize| *answers.get(before).unwrap_or(&TAKEN);
    let mut receiver = Receiver::start(rule).await;
    let desk = Desk::new();
    let deliveries = desk.deliver(to(&receiver));
    desk.subscribe("t", &receiver.url("/"));
    desk.changes("t", 2);
    let mut expected = vec!["t:1"; answers.len()];
    expected.push("t:2");
    assert_eq!(receiver.names(expected.len()).await, expected);
    delivered(&deliveries, 2).await;
    assert_eq!(deliveries.statistics().borrow().failed, 6);
    assert!(receiver.names_now().is_empty());
}

#[tokio::test]
async fn nothing_is_lost_nor_put_out_of_order_when_the_platform_is_restarted_meanwhile() {
    let works = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&works);
    let mut receiver = Receiver::start(move |report, _| {
        let takes = seen.load(Relaxed) || report.task() == "done" || report.sequence() == 2;
        if takes { TAKEN } else { Answer::Status(503) }
    })
    .await;
    let desk = Desk::new();
    let deliveries = desk.deliver(to(&receiver));
    for task in ["done", "half", "none"] {
        desk.subscribe(task, &receiver.url("/"));
        desk.changes(task, 1); // 1, 2, 3
    }
    desk.changes("half", 2); // 4, 5
    desk.changes("none", 1); // 6
    delivered(&deliveries, 2).await;
    deliveries.stop().await;
    desk.changes("half", 1); // 7, while the platform is down
    let behind = [("webhook", 6), ("half", 3), ("none", 2)];
    assert_eq!(kept(&desk), behind.map(|(name, at)| (name.to_owned(), at)));

    receiver.names_now();
    works.store(true, Relaxed);
    let deliveries = desk.deliver(to(&receiver));
    let mut told = receiver.names(5).await;
    delivered(&deliveries, 5).await;
    told.retain(|name| name.starts_with("half"));
    assert_eq!(told, ["half:4", "half:5", "half:7"]);
    assert!(receiver.names_now().is_empty(), "and nothing twice");
}

#[tokio::test]
async fn after_a_crash_reports_come_again_rather_than_never() {
    let mut receiver = Receiver::start(|_, _| TAKEN).await;
    let desk = Desk::new();
    desk.subscribe("t", &receiver.url("/"));
    let deliveries = desk.deliver(to(&receiver));
    let mut cursors = desk.cursors.subscribe();
    cursors
        .wait_for(|c| c.contains_key("webhook"))
        .await
        .unwrap();
    desk.full.store(true, Relaxed); // no place is kept any more
    desk.changes("t", 3);
    assert_eq!(receiver.names(3).await, ["t:1", "t:2", "t:3"]);
    drop(deliveries);
    desk.full.store(false, Relaxed);
    let _deliveries = desk.deliver(to(&receiver));
    assert_eq!(receiver.names(3).await, ["t:1", "t:2", "t:3"]);
}

#[tokio::test]
async fn cursors_that_could_not_be_kept_are_kept_at_the_end() {
    let receiver = Receiver::start(|_, _| TAKEN).await;
    let desk = Desk::new();
    desk.full.store(true, Relaxed);
    desk.subscribe("t", &receiver.url("/"));
    let deliveries = desk.deliver(to(&receiver));
    desk.changes("t", 3);
    delivered(&deliveries, 3).await;
    desk.full.store(false, Relaxed);
    deliveries.stop().await;
    assert_eq!(kept(&desk), only_read_to(3));
}

#[tokio::test]
async fn gone_ends_the_subscription_of_that_task_for_good() {
    let rule = |report: &receiver::Report, _: usize| match report.task() {
        "t" => Answer::Status(410),
        _ => TAKEN,
    };
    let mut receiver = Receiver::start(rule).await;
    let desk = Desk::new();
    for task in ["t", "other"] {
        desk.subscribe(task, &receiver.url("/"));
    }
    let deliveries = desk.deliver(to(&receiver));
    desk.changes("t", 2);
    assert_eq!(receiver.names(1).await, ["t:1"]);
    until(&deliveries, |s| s.gone == 1).await;
    deliveries.stop().await;
    let deliveries = desk.deliver(to(&receiver));
    desk.changes("t", 1);
    desk.changes("other", 1);
    assert_eq!(receiver.names(1).await, ["other:4"]);
    // Another address is another subscription; the end of the task ends what is remembered.
    desk.subscribe("t", &receiver.url("/elsewhere"));
    desk.change("t", Status::Finished);
    assert_eq!(receiver.names(1).await, ["t:5"]);
    until(&deliveries, |s| s.gone == 1).await;
    deliveries.stop().await;
    assert_eq!(kept(&desk), only_read_to(5));
}

#[tokio::test]
async fn a_dead_receiver_delays_no_other() {
    let dead = Receiver::start(|_, _| Answer::Nothing).await;
    let mut live = Receiver::start(|_, _| TAKEN).await;
    let desk = Desk::new();
    let origins = [dead.url(""), live.url("")];
    let slow = DeliveryPolicy {
        try_ms: 3_600_000,
        ..QUICK
    };
    let source = Arc::clone(&desk) as Arc<dyn DeliverySource>;
    let clock = Arc::new(Clock::wall());
    let deliveries = Deliveries::start(source, client(&origins, false), slow, clock).unwrap();
    for task in 0..200 {
        let (waits, goes) = (format!("dead-{task}"), format!("live-{task}"));
        desk.subscribe(&waits, &dead.url("/"));
        desk.subscribe(&goes, &live.url("/"));
        desk.changes(&waits, 1);
        desk.changes(&goes, 1);
    }
    // Not one try of the dead one ends within an hour.
    assert_eq!(live.names(200).await.len(), 200);
    until(&deliveries, |s| s.pending == 200).await;
    deliveries.stop().await;
    assert_eq!(kept(&desk).len(), 201);
}

#[tokio::test]
async fn what_nobody_takes_for_a_day_is_given_up_and_counted() {
    let receiver = Receiver::start(|_, _| Answer::Status(500)).await;
    let desk = Desk::new();
    desk.subscribe("t", &receiver.url("/"));
    let short = DeliveryPolicy {
        give_up_ms: 200,
        ..QUICK
    };
    let source = Arc::clone(&desk) as Arc<dyn DeliverySource>;
    let clock = Arc::new(Clock::wall());
    let deliveries = Deliveries::start(source, to(&receiver), short, clock).unwrap();
    desk.changes("t", 3);
    let statistics = until(&deliveries, |s| s.given_up == 3).await;
    assert_eq!((statistics.delivered, statistics.pending), (0, 0));
    assert!(statistics.failed > 1, "{statistics:?}");
}

/// Abandoned reports are not stored, so that they are not abandoned again after a restart.
#[tokio::test]
async fn what_waits_of_one_owner_is_bounded_and_the_rest_given_up() {
    let receiver = Receiver::start(|_, _| Answer::Status(404)).await;
    let mut other = Receiver::start(|_, _| TAKEN).await;
    let desk = Desk::new();
    let origins = [receiver.url(""), other.url("")];
    let deliveries = desk.deliver(client(&origins, false));
    let url = receiver.url(&format!("/{}", "x".repeat(2_000)));
    let lane = DeliveryQueue {
        task: domain::task::TaskId::new("t-0000"),
        url: url.clone(),
        push: None,
    };
    let most = WAITING_BYTES / lane.bytes();
    for task in 0..most + 3 {
        let task = format!("t-{task:04}");
        desk.subscribe(&task, &url);
        desk.changes(&task, 1);
    }
    let is_full = |s: &DeliveryStatistics| (s.pending as usize, s.given_up) == (most, 3);
    until(&deliveries, is_full).await;
    // The owner of a configuration is somebody else.
    desk.push("t-0000", "c", &other.url("/"));
    desk.changes("t-0000", 1);
    until(&deliveries, |s| s.delivered == 1).await;
    assert_eq!(other.report().await.body["task"], "t-0000");
    deliveries.stop().await;
    assert_eq!(kept(&desk).len(), most + 1);
    let deliveries = desk.deliver(client(&origins, false));
    let is_full = |s: &DeliveryStatistics| (s.pending as usize, s.given_up) == (most + 1, 0);
    until(&deliveries, is_full).await;
}

#[tokio::test]
async fn an_address_that_is_not_allowed_any_more_is_not_spoken_to() {
    let mut receiver = Receiver::start(|_, _| Answer::Status(500)).await;
    let desk = Desk::new();
    desk.subscribe("t", &receiver.url("/"));
    let deliveries = desk.deliver(to(&receiver));
    desk.changes("t", 2);
    receiver.report().await;
    deliveries.stop().await;
    receiver.names_now();
    let deliveries = desk.deliver(client(&["http://192.0.2.1".to_owned()], false));
    desk.changes("t", 1);
    until(&deliveries, |s| s.refused == 3).await;
    deliveries.stop().await;
    assert!(receiver.names_now().is_empty());
    assert_eq!(kept(&desk), only_read_to(3));
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_is_followed_only_if_it_is_marked_as_private() {
    let mut receiver = Receiver::start(|_, _| TAKEN).await;
    let origin = format!("http://localhost:{}", receiver.address.port());
    let desk = Desk::new();
    desk.subscribe("t", &format!("{origin}/"));
    let deliveries = desk.deliver(client(std::slice::from_ref(&origin), false));
    desk.changes("t", 1);
    until(&deliveries, |s| s.failed >= 2).await;
    deliveries.stop().await;
    assert!(receiver.names_now().is_empty(), "no connection was made");
    let _deliveries = desk.deliver(client(&[origin], true));
    assert_eq!(receiver.names(1).await, ["t:1"]);
}

#[tokio::test]
async fn code_that_is_not_ours_verifies_reports_and_refuses_what_was_forged() {
    let folder = tempfile::tempdir().unwrap();
    let known_hosts = folder.path().join("known_hosts");
    let key = server::ssh::keys::generate("host");
    know(&known_hosts, &key);
    let mut example = Example::start(&known_hosts, None).await;
    let url = format!("{}in?x=1", example.url);
    let desk = Desk::new();
    desk.subscribe("t", &url);
    let deliveries = desk.deliver(signing(
        key.clone(),
        std::slice::from_ref(&example.url),
        false,
        None,
    ));
    desk.changes("t", 2);
    for sequence in ["1", "2"] {
        let event = example.event().await;
        assert_eq!(
            (&event["event"], &event["sequence"]),
            (&json!("report"), &json!(sequence))
        );
        assert_eq!(event["irtf-agent:condition-notifications"]["task-id"], "t");
    }
    delivered(&deliveries, 2).await;
    deliveries.stop().await;

    // The same by somebody else.
    let stranger = server::ssh::keys::generate("stranger");
    let deliveries = desk.deliver(signing(
        stranger,
        std::slice::from_ref(&example.url),
        false,
        None,
    ));
    desk.changes("t", 1);
    assert_eq!(example.event().await["why"], "the key is not known");
    until(&deliveries, |s| s.failed > 0).await;
    deliveries.stop().await;

    // Parts of a request that was signed in another one.
    let sealer = Sealer::new(key).unwrap();
    let now = Clock::wall_time().as_ms() / 1_000;
    let body = r#"{"sequence":"9"}"#;
    let fields = |signed_url: &str, signed_body: &str, at: i64| {
        let seal = sealer.seal(signed_url, report::MEDIA_TYPE, signed_body, at);
        let address = url.split('/').nth(2).unwrap();
        [
            ("Host", address.to_owned()),
            ("Content-Type", "application/json".to_owned()),
            ("Content-Digest", seal.content_digest),
            ("Signature-Input", seal.signature_input),
            ("Signature", seal.signature),
        ]
        .map(|(name, value)| (name.to_owned(), value))
    };
    let right = fields(&url, body, now);
    let mut digest = right.clone();
    digest[2].1 = fields(&url, "{}", now)[2].1.clone();
    let mut other = right.clone();
    other[1].1 = "text/plain".to_owned();
    for (fields, path, body, why) in [
        (&right[..3], "/in?x=1", body, "no signature"),
        (
            &right[..],
            "/in?x=1",
            "{}",
            "the body is not the one that was signed",
        ),
        (&digest[..], "/in?x=1", "{}", "the signature is wrong"),
        (&right[..], "/in?x=2", body, "the signature is wrong"),
        (&other[..], "/in?x=1", body, "the signature is wrong"),
        (
            &fields(&url, body, now - 301)[..],
            "/in?x=1",
            body,
            "the signature is of another time",
        ),
    ] {
        assert_eq!(
            example.post(path, fields, body).await,
            "HTTP/1.1 401 Unauthorized"
        );
        assert_eq!(example.event().await["why"], why);
    }
    assert_eq!(
        example.post("/in?x=1", &right, r#"{"sequence":"9"}"#).await,
        "HTTP/1.1 204 No Content"
    );
}

#[tokio::test]
async fn over_tls_only_who_is_certified_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    certificates(folder.path()).await;
    let key = server::ssh::keys::generate("host");
    know(&path("known_hosts"), &key);
    let mut example = Example::start(&path("known_hosts"), Some(folder.path())).await;
    let by_name = example.url.replace("127.0.0.1", "localhost");
    let desk = Desk::new();
    let tell = |url: &str, authority: &str| {
        desk.subscribe("t", url);
        let origins = [url.to_owned()];
        desk.deliver(signing(key.clone(), &origins, true, Some(&path(authority))))
    };
    // Certified by nobody that is trusted, and for another name.
    for (url, authority) in [(&example.url, "stranger.pem"), (&by_name, "authority.pem")] {
        let deliveries = tell(url, authority);
        desk.changes("t", 1);
        until(&deliveries, |s| s.failed >= 2).await;
        assert_eq!(deliveries.statistics().borrow().delivered, 0);
        deliveries.stop().await;
        desk.cursors.send_modify(BTreeMap::clear);
    }
    let url = example.url.clone();
    let deliveries = tell(&url, "authority.pem");
    desk.changes("t", 1);
    assert_eq!(example.event().await["sequence"], "3");
    delivered(&deliveries, 1).await;
}

#[test]
fn authorities_that_cannot_be_read_are_told_of_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authorities.pem");
    let client = || {
        let key = server::ssh::keys::generate("host");
        WebhookClient::new(AllowList::default(), Sealer::new(key).unwrap(), Some(&file))
    };
    assert!(matches!(client(), Err(TrustError::File { .. })));
    std::fs::write(&file, "no certificate").unwrap();
    assert!(matches!(client(), Err(TrustError::Nobody(_))));
}

/// An assignment whose changes are reported to this address. Without a network the agent asks for
/// missing input at once.
fn assign_and_tell(task: &str, url: String) -> String {
    let conditions = Conditions {
        subscription: Some(Subscription {
            protocol: "http".to_owned(),
            method: "POST".to_owned(),
            url,
        }),
        ..Conditions::default()
    };
    let request = NegotiateRequest {
        to: Some(IP),
        task: Some(task),
        content: vec![Content::new("site:1", "diagnose").render()],
        asynchronous: Some(true),
        conditions: Some(&conditions),
        ..NegotiateRequest::default()
    };
    negotiate_request(Verb::TaskAssign, &request)
}

#[tokio::test]
async fn a_platform_tells_what_netconf_tells_though_it_is_killed_in_between() {
    let works = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&works);
    let rule = move |_: &receiver::Report, _| match seen.load(Relaxed) {
        true => TAKEN,
        false => Answer::Status(503),
    };
    let mut receiver = Receiver::start(rule).await;
    let state = tempfile::tempdir().unwrap();
    let settings = format!("[webhook]\nallow = ['{}']\n", receiver.url(""));
    std::fs::write(state.path().join("convoke.toml"), settings).unwrap();

    let running = Running::serve(state.path()).await;
    let mut talk = Talk::connect(&running).await;
    let elsewhere = talk
        .ask(&assign_and_tell("t-0", "http://192.0.2.1/".to_owned()))
        .await;
    assert!(
        elsewhere
            .raw()
            .contains("http://192.0.2.1 is not allowed here"),
        "{}",
        elsewhere.raw()
    );
    let told = talk.ask(&assign_and_tell("t-1", receiver.url("/in"))).await;
    assert_eq!(told.outcome, Outcome::Data, "{}", told.raw());
    assert_eq!(receiver.report().await.task(), "t-1");
    running.kill().await;

    receiver.names_now();
    works.store(true, Relaxed);
    let running = Running::serve(state.path()).await;
    let mut talk = Talk::connect(&running).await;
    talk.ask(&cancel(IP, "t-1")).await;
    let mut reports = Vec::new();
    for _ in 0..3 {
        reports.push(receiver.report().await);
    }
    talk.ask(&subscribe("<startTime>1970-01-01T00:00:00Z</startTime>"))
        .await;
    let mut notifications = Vec::new();
    while notifications.len() < 3 {
        let received = talk.notification().await.unwrap();
        let change = read_notification(&received).unwrap();
        notifications.extend(change.filter(|n| n.task.as_str() == "t-1"));
    }
    let statuses: Vec<_> = notifications.iter().map(|n| n.status).collect();
    assert_eq!(
        statuses,
        [Status::Created, Status::InputRequired, Status::Cancelled]
    );
    for (report, notification) in reports.iter().zip(&notifications) {
        let body = report::body(report.sequence(), notification);
        assert_eq!(
            report.body,
            serde_json::from_str::<serde_json::Value>(&body).unwrap()
        );
    }
    assert!(reports.is_sorted_by_key(|r| r.sequence()));
}
