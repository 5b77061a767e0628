//! Subscribers that do not read: each is ended with a reason, and misses nothing when it returns.
//!
//! The others receive everything, once and in order. In CI one of fifty hangs;
//! `SLOW_SUBSCRIBERS=1000 SLOW_HANGING=100 SLOW_TASKS=3000 SLOW_PACE_MS=200` makes it a hundred of
//! a thousand for ten minutes. Figures are printed (`--nocapture`). Read next: `support`, and
//! `halfopen.rs` for peers that are gone.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::content::Content;
use domain::verb::Verb;
use netconf::client::Outcome;
use netconf::names::namespace::NETCONF_NOTIFICATIONS;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::time::{Duration, Instant};
use support::openssh::OpenSsh;
use support::process::Running;
use support::raw::Raw;
use support::talk::{self, Talk, get_agent, subscribe, text};
use support::{block_on, element, within};

const AGENT: &str = "TMF-Convoke-IP-1.0.0";
const LOCK: &str = "<lock><target><running/></target></lock>";

/// The time limit of a stalled transport of a lagging subscriber, in these tests.
const STALL: Duration = Duration::from_secs(2);

fn setting(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// A platform that ends stalled subscribers after [`STALL`].
async fn serve(state: &std::path::Path) -> Running {
    let limits = format!("[limits]\nsubscription-stall-s = {}\n", STALL.as_secs());
    std::fs::write(state.join("convoke.toml"), limits).unwrap();
    Running::serve(state).await
}

/// An assignment with long notifications, so that buffers fill.
fn assign(task: &str) -> String {
    let what = format!("diagnose {}", "at length ".repeat(300));
    let request = NegotiateRequest {
        to: Some(AGENT),
        task: Some(task),
        content: vec![Content::new(format!("site:{task}"), what).render()],
        asynchronous: Some(true),
        ..NegotiateRequest::default()
    };
    negotiate_request(Verb::TaskAssign, &request)
}

/// Assigns tasks at this pace, while another session makes requests; returns their latencies.
async fn load(running: &Running, tasks: Range<usize>, pace: Duration) -> Vec<Duration> {
    let mut busy = Talk::connect(running).await;
    let mut other = Talk::connect(running).await;
    let mut waited = Vec::new();
    let at_once = if pace.is_zero() { 50 } else { 1 };
    for first in tasks.clone().step_by(at_once) {
        let batch = first..(first + at_once).min(tasks.end);
        for n in batch.clone() {
            busy.call(&assign(&format!("load-{n}")));
        }
        busy.flush().await.unwrap();
        let asked = Instant::now();
        other.ask(&get_agent(AGENT)).await;
        waited.push(asked.elapsed());
        for n in batch {
            let reply = busy.reply().await.unwrap();
            assert_eq!(text(&reply.document, "task-id"), format!("load-{n}"));
        }
        // The pace is part of the load, not of what is tested.
        tokio::time::sleep(pace).await;
    }
    waited.sort();
    waited
}

fn is_task(message: &str) -> bool {
    message.contains("<condition-notifications")
}

fn task_of(message: &str) -> &str {
    element(message, "task-id").unwrap()
}

/// A digest of a message, to save memory.
fn digest(message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.hash(&mut hasher);
    hasher.finish()
}

/// A subscriber that reads.
struct Listener(Raw);

impl Listener {
    async fn subscribe(running: &Running, inside: &str) -> Self {
        Self(Raw::subscribed(talk::stream(running).await, inside).await)
    }

    /// The notifications about tasks until the second about `last`: created, then waiting for
    /// input.
    async fn hear(&mut self, last: &str) -> Vec<String> {
        self.hear_as(last, |message| message).await
    }

    /// The notifications until that, each mapped by `keep`.
    async fn hear_as<T>(&mut self, last: &str, keep: impl Fn(String) -> T) -> Vec<T> {
        let mut heard = Vec::new();
        let mut of_last = 0;
        while of_last < 2 {
            let message = self.0.next().await.expect("who reads is not ended");
            if is_task(&message) {
                of_last += usize::from(task_of(&message) == last);
                heard.push(keep(message));
            }
        }
        heard
    }

    /// Waits for the ends of all these sessions; returns their reasons.
    async fn hear_ends(&mut self, mut sessions: BTreeSet<String>) -> BTreeSet<String> {
        let mut reasons = BTreeSet::new();
        while !sessions.is_empty() {
            let message = self.0.next().await.expect("who reads is not ended");
            if sessions.remove(element(&message, "session-id").unwrap()) {
                reasons.insert(element(&message, "termination-reason").unwrap().to_owned());
            }
        }
        reasons
    }
}

/// Asserts that every task is there in order, and nothing twice.
fn assert_whole(heard: &[String], tasks: Range<usize>) {
    let mut told = BTreeSet::new();
    let mut order = Vec::new();
    for message in heard {
        let task = task_of(message);
        assert!(
            told.insert((task, element(message, "status"))),
            "twice: {message}"
        );
        if element(message, "status") == Some("created") {
            order.push(task);
        }
    }
    assert_eq!(told.len(), 2 * tasks.len());
    let expected: Vec<String> = tasks.map(|n| format!("load-{n}")).collect();
    assert_eq!(order, expected);
    let times: Vec<_> = heard
        .iter()
        .map(|m| element(m, "eventTime").unwrap())
        .collect();
    assert!(times.is_sorted(), "eventTime goes back");
}

#[test]
fn who_does_not_read_is_ended_and_replays_what_it_missed_and_the_others_hear_all() {
    let subscribers = setting("SLOW_SUBSCRIBERS", 50);
    let hanging = setting("SLOW_HANGING", 1);
    let tasks = setting("SLOW_TASKS", 1_500);
    let pace = Duration::from_millis(setting("SLOW_PACE_MS", 0) as u64);
    let last = format!("load-{}", tasks - 1);
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = serve(state.path()).await;
        let mut observer = Talk::connect(&running).await;
        let mut log = Listener::subscribe(&running, "").await;
        let ends =
            format!("<filter><netconf-session-end xmlns=\"{NETCONF_NOTIFICATIONS}\"/></filter>");
        let mut ends = Listener::subscribe(&running, &ends).await;
        let mut readers = Vec::new();
        for stream in talk::streams(&running, subscribers - hanging - 1, 16).await {
            let mut listener = Listener(Raw::subscribed(stream, "").await);
            let last = last.clone();
            readers.push(tokio::spawn(async move {
                let heard = listener.hear_as(&last, |message| digest(&message)).await;
                (listener, heard)
            }));
        }
        let (files, memory) = (running.open_files(), running.resident_kib());
        let mut hung = Vec::new();
        for n in 0..hanging {
            let mut ssh = OpenSsh::connect(&running).await;
            if n == 0 {
                assert!(ssh.ask(LOCK).await.contains("<ok/>"));
            }
            assert!(ssh.ask(&subscribe("")).await.contains("<ok/>"));
            hung.push(ssh);
        }
        let began = Instant::now();
        let waited = load(&running, 0..tasks, pace).await;
        println!(
            "{tasks} tasks in {:?} beside {hanging} of {subscribers} that do not read: a read waited \
             {:?} (median), {:?} (longest)",
            began.elapsed(),
            waited[waited.len() / 2],
            waited[waited.len() - 1]
        );
        assert!(waited[waited.len() / 2] < Duration::from_secs(1));

        // They are ended, for this reason, and what they held is free.
        let sessions = hung.iter().map(|ssh| ssh.session.clone()).collect();
        assert_eq!(
            ends.hear_ends(sessions).await,
            ["dropped".to_owned()].into()
        );
        println!("all were ended after {:?}", began.elapsed());
        assert_eq!(observer.ask(LOCK).await.outcome, Outcome::Ok);
        let freed = async {
            while running.open_files() > files {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        within("their connections to be closed", freed).await;
        println!(
            "resident: {memory} KiB before, {} KiB after",
            running.resident_kib()
        );

        // The others heard everything, once and in order, and the same.
        let live = log.hear(&last).await;
        assert_whole(&live, 0..tasks);
        let digests: Vec<u64> = live.iter().map(|message| digest(message)).collect();
        for reader in readers {
            let (_, heard) = within("a reader", reader).await.unwrap();
            assert!(heard == digests, "two subscribers were told differently");
        }

        // What they had got is a beginning of it; the replay brings the rest.
        for mut ssh in hung {
            let mut got = Vec::new();
            while let Some(message) = ssh.next().await {
                if is_task(&message) {
                    got.push(message);
                }
            }
            ssh.end().await;
            assert!(got.len() < live.len() && live.starts_with(&got));
            let since = element(got.last().unwrap_or(&live[0]), "eventTime").unwrap();
            let known = live
                .iter()
                .position(|m| element(m, "eventTime") == Some(since));
            let start = format!("<startTime>{since}</startTime>");
            let mut again = Listener::subscribe(&running, &start).await;
            let replayed = again.hear(&last).await;
            assert!(
                replayed == live[known.unwrap()..],
                "the replay is not what was told live"
            );
        }
    });
}

/// A lagging subscriber that reads slowly, and one with a long replay that does not read at all:
/// neither is ended, and neither misses anything.
#[test]
fn who_reads_slowly_or_has_a_long_replay_is_not_ended() {
    const TASKS: usize = 2_000;
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = serve(state.path()).await;
        let start = {
            let mut first = Listener::subscribe(&running, "").await;
            load(&running, 0..1, Duration::ZERO).await;
            let heard = first.hear("load-0").await;
            element(&heard[0], "eventTime").unwrap().to_owned()
        };
        let mut slow = OpenSsh::connect(&running).await;
        assert!(slow.ask(&subscribe("")).await.contains("<ok/>"));
        // The time is what is tested: several times what the platform grants who takes nothing.
        let loaded = Cell::new(false);
        let little_by_little = async {
            let began = Instant::now();
            while began.elapsed() < 3 * STALL || !loaded.get() {
                assert!(slow.read(16_384).await, "who reads is not ended");
                tokio::time::sleep(STALL / 20).await;
            }
        };
        // Connected beforehand: that takes its time on a busy machine, while nobody reads.
        let mut replaying = OpenSsh::connect(&running).await;
        let loading = async {
            load(&running, 1..TASKS, Duration::ZERO).await;
            loaded.set(true);
        };
        tokio::join!(loading, little_by_little);
        let since = format!("<startTime>{start}</startTime>");
        assert!(replaying.ask(&subscribe(&since)).await.contains("<ok/>"));
        // Neither has read for a while now; they go on together, so that neither waits for the other.
        tokio::time::sleep(STALL / 4).await;
        let hears_all = async |mut ssh: OpenSsh, tasks: Range<usize>| {
            let mut told = Vec::new();
            while told.len() < 2 * tasks.len() {
                let message = ssh.next().await.expect("it is not ended");
                told.extend(is_task(&message).then_some(message));
            }
            assert_whole(&told, tasks);
            ssh.kill().await;
        };
        tokio::join!(hears_all(slow, 1..TASKS), hears_all(replaying, 0..TASKS));
    });
}
