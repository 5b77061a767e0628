//! Half-open connections, as after a pulled cable: nothing arrives any more, not even a reset. The
//! platform notices, ends their sessions as `dropped`, and keeps nothing of them.
//!
//! The test creates a network namespace with `unshare` and runs itself inside; there the peers have
//! an address that can be removed from the routing table. Without permission for a namespace it
//! prints so and tests nothing. In CI the keepalive interval is one second; `HALFOPEN_SESSIONS=1000
//! HALFOPEN_KEEPALIVE_S=15` tests a thousand sessions at the default interval. Read next:
//! `slow.rs`, for peers that exist but do not read.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use netconf::client::{ClientEvent, Outcome};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use support::process::Running;
use support::talk::{self, Talk, subscribe, text};
use support::{block_on, within};
use tokio::process::Command;

const LOCK: &str = "<lock><target><running/></target></lock>";
/// Set in the process that runs inside the namespace.
const INSIDE: &str = "HALFOPEN_INSIDE";
/// The number of unanswered keepalives; the connection ends one interval after the last.
const QUESTIONS: u32 = 3;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// Changes the namespace's routes.
async fn ip(arguments: &str) {
    let status = Command::new("ip").args(arguments.split(' ')).status().await;
    assert!(status.unwrap().success(), "ip {arguments}");
}

#[test]
fn peers_that_are_gone_without_a_word_are_noticed_and_leave_nothing_behind() {
    if std::env::var_os(INSIDE).is_some() {
        return block_on(inside());
    }
    // As root, or as one who may be root in a namespace of users.
    for who in [&["--net"][..], &["--net", "--map-root-user"]] {
        let can = std::process::Command::new("unshare")
            .args(who)
            .args(["ip", "link", "set", "lo", "up"])
            .output();
        if !can.is_ok_and(|tried| tried.status.success()) {
            continue;
        }
        let status = std::process::Command::new("unshare")
            .args(who)
            .arg(std::env::current_exe().unwrap())
            .args(["peers_that_are_gone", "--nocapture"])
            .env(INSIDE, "1")
            .status();
        assert!(status.unwrap().success(), "inside the namespace");
        return;
    }
    println!("NOT TESTED: half-open connections, since `unshare --net` and `ip` make no namespace");
}

async fn inside() {
    let sessions = setting("HALFOPEN_SESSIONS", 20);
    let keepalive = Duration::from_secs(setting("HALFOPEN_KEEPALIVE_S", 1));
    ip("link set lo up").await;
    // Rules come before the table of local addresses now.
    ip("rule add pref 9 lookup local").await;
    ip("rule del pref 0").await;
    let state = tempfile::tempdir().unwrap();
    let limits = format!("[limits]\nkeepalive-s = {}\n", keepalive.as_secs());
    std::fs::write(state.path().join("convoke.toml"), limits).unwrap();
    let running = Running::serve(state.path()).await;
    let mut observer = Talk::connect(&running).await;
    assert_eq!(observer.ask(&subscribe("")).await.outcome, Outcome::Ok);
    let files = running.open_files();

    // Who connects now has an address of its own.
    ip("route replace local 127.0.0.1 dev lo table local src 127.0.0.2").await;
    let mut peers = Vec::new();
    for stream in talk::streams(&running, sessions as usize, 32).await {
        peers.push(Talk::over(stream).await);
    }
    assert_eq!(peers[0].ask(LOCK).await.outcome, Outcome::Ok);
    // Half of them are written to when they are gone, the others are idle.
    for peer in peers.iter_mut().step_by(2) {
        assert_eq!(peer.ask(&subscribe("")).await.outcome, Outcome::Ok);
    }
    assert_ne!(observer.ask(LOCK).await.outcome, Outcome::Ok);
    ip("route replace local 127.0.0.1 dev lo table local src 127.0.0.1").await;

    ip("rule add pref 1 to 127.0.0.2 blackhole").await;
    ip("rule add pref 1 from 127.0.0.2 blackhole").await;
    let gone = Instant::now();
    // Something to tell those of them who have subscribed.
    drop(Talk::connect(&running).await);
    let mut awaited: BTreeSet<String> = peers.iter().map(|p| p.session.to_string()).collect();
    let all = async {
        while !awaited.is_empty() {
            let Ok(ClientEvent::Notification(told)) = observer.event().await else {
                panic!("the observer is ended");
            };
            let session = text(&told.document, "session-id");
            if told.content().unwrap().name() == "netconf-session-end" && awaited.remove(&session) {
                assert_eq!(text(&told.document, "termination-reason"), "dropped");
            }
        }
    };
    let most = keepalive * (QUESTIONS + 1);
    tokio::time::timeout(2 * most, all)
        .await
        .expect("all of them are noticed");
    let lasted = gone.elapsed();
    println!("{sessions} half-open sessions were gone after {lasted:?}, keepalive {keepalive:?}");
    // A second for the timers of kernel and library, which round up.
    assert!(lasted < most + Duration::from_secs(1), "{lasted:?}");
    assert_eq!(observer.ask(LOCK).await.outcome, Outcome::Ok);
    let closed = async {
        while running.open_files() > files {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within("their connections to be closed", closed).await;
}
