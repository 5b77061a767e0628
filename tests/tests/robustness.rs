//! One bad or busy client never troubles another: a running platform under crowds, silence and
//! readers that do not read.
//!
//! Everything goes over loopback SSH to a `convoke serve` of its own. Figures are asserted with
//! much room, since machines differ; the figures themselves belong to the benches, and are printed
//! here (`--nocapture`). Read next: `support`, and `crash.rs` for what survives a kill.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use netconf::client::{Outcome, Reply};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::process::{FREE_PORTS, Running, run};
use support::talk::{self, Talk, get_agent, get_tasks, subscribe, text};
use support::{block_on, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

const AGENT: &str = "TMF-Convoke-IP-1.0.0";

#[track_caller]
fn found_agent(reply: &Reply) {
    assert_eq!(reply.outcome, Outcome::Data, "{}", reply.raw());
    assert_eq!(text(&reply.document, "name"), AGENT, "{}", reply.raw());
}

#[track_caller]
fn accepted(reply: &Reply, task: &str) {
    assert_eq!(text(&reply.document, "task-id"), task, "{}", reply.raw());
    assert_eq!(text(&reply.document, "task-status"), "input-required");
}

#[test]
fn a_thousand_rpcs_sent_at_once_on_one_session_are_answered_in_order() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut talk = Talk::connect(&running).await;
        let get = get_agent(AGENT);
        let ids: Vec<u64> = (0..1_000).map(|_| talk.call(&get)).collect();
        talk.flush().await.unwrap();
        for id in ids {
            let reply = talk.reply().await.unwrap();
            assert_eq!(reply.message_id, id);
            found_agent(&reply);
        }
        // Reads and changes in turns: each read sees every change in front of it.
        let asked: Vec<(u64, usize)> = (0..1_000)
            .map(|n| match n % 5 {
                4 => (talk.call(&get_tasks()), n),
                _ => (talk.call(&talk::assign(AGENT, &format!("mix-{n}"))), n),
            })
            .collect();
        talk.flush().await.unwrap();
        let mut assigned = 0;
        for (id, n) in asked {
            let reply = talk.reply().await.unwrap();
            assert_eq!(reply.message_id, id);
            if n % 5 == 4 {
                let seen = reply.raw().matches("<task-id>mix-").count();
                assert_eq!(seen, assigned, "reply {n}");
            } else {
                accepted(&reply, &format!("mix-{n}"));
                assigned += 1;
            }
        }
    });
}

#[test]
fn fifty_clients_that_connect_in_the_same_instant_are_all_served() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let began = Instant::now();
        let streams = talk::streams(&running, 50, 50).await;
        let clients: Vec<_> = streams
            .into_iter()
            .map(|stream| {
                tokio::spawn(async move {
                    let mut talk = Talk::over(stream).await;
                    found_agent(&talk.ask(&get_agent(AGENT)).await);
                    talk.session
                })
            })
            .collect();
        let mut sessions = BTreeSet::new();
        for client in clients {
            sessions.insert(within("a client", client).await.unwrap());
        }
        assert_eq!(sessions.len(), 50, "each session has a number of its own");
        println!("50 clients served in {:?}", began.elapsed());
    });
}

#[test]
fn five_hundred_idle_sessions_stay_usable_and_cost_next_to_nothing() {
    const SESSIONS: u64 = 500;
    const WATCHED: Duration = Duration::from_secs(3);
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        // Ten come and go first: what the first sessions cost once is not counted.
        for stream in talk::streams(&running, 10, 10).await {
            found_agent(&Talk::over(stream).await.ask(&get_agent(AGENT)).await);
        }
        let before_kib = running.resident_kib();
        let mut talks = Vec::new();
        for stream in talk::streams(&running, SESSIONS as usize, 32).await {
            talks.push(Talk::over(stream).await);
        }
        let each_kib = running.resident_kib().saturating_sub(before_kib) / SESSIONS;
        let spent_before = running.cpu_time();
        // No wait for something to happen: the test is that nothing does, for a while.
        tokio::time::sleep(WATCHED).await;
        let spent = running.cpu_time() - spent_before;
        println!("idle: {spent:?} of processor in {WATCHED:?}; {each_kib} KiB per session");
        assert!(spent < WATCHED / 20, "idle sessions cost {spent:?}");
        assert!(each_kib < 200, "{each_kib} KiB per idle session");
        for talk in &mut talks {
            found_agent(&talk.ask(&get_agent(AGENT)).await);
        }
    });
}

/// The numbers of the tasks that notifications tell of, as `NAME-n` has them.
fn told(notification: &netconf::client::Notification) -> Option<(String, String)> {
    let event = notification.content()?;
    (event.name() == "condition-notifications").then(|| {
        let task = text(&notification.document, "task-id");
        let status = text(&notification.document, "status");
        (task, status)
    })
}

/// Every task is told of twice, created and then waiting for input, in the order of the log.
struct Gapless {
    next: usize,
    created: bool,
}

impl Gapless {
    fn new() -> Self {
        Self {
            next: 0,
            created: false,
        }
    }

    fn take(&mut self, task: &str, status: &str) {
        let expected = if self.created {
            "input-required"
        } else {
            "created"
        };
        assert_eq!(
            (task, status),
            (format!("load-{}", self.next).as_str(), expected)
        );
        self.next += usize::from(self.created);
        self.created = !self.created;
    }
}

#[test]
fn a_subscriber_that_never_reads_delays_nobody_and_loses_nothing_silently() {
    const TASKS: usize = 4_000;
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut slow = SlowReader::start(&running).await;
        let mut readers = Vec::new();
        for _ in 0..3 {
            let mut talk = Talk::connect(&running).await;
            assert_eq!(talk.ask(&subscribe("")).await.outcome, Outcome::Ok);
            readers.push(tokio::spawn(async move {
                let mut order = Gapless::new();
                while order.next < TASKS {
                    if let Some((task, status)) = told(&talk.notification().await.unwrap()) {
                        order.take(&task, &status);
                    }
                }
            }));
        }
        let mut busy = Talk::connect(&running).await;
        let mut other = Talk::connect(&running).await;
        let before_kib = running.resident_kib();
        let (mut latencies, mut done) = (Vec::new(), 0);
        while done < TASKS {
            for n in done..done + 100 {
                busy.call(&talk::assign(AGENT, &format!("load-{n}")));
            }
            busy.flush().await.unwrap();
            let asked = Instant::now();
            found_agent(&other.ask(&get_agent(AGENT)).await);
            latencies.push(asked.elapsed());
            for n in done..done + 100 {
                accepted(&busy.reply().await.unwrap(), &format!("load-{n}"));
            }
            done += 100;
        }
        for reader in readers {
            within("every notification", reader).await.unwrap();
        }
        let grown_kib = running.resident_kib().saturating_sub(before_kib);
        latencies.sort();
        println!(
            "beside a subscriber that does not read: median {:?}, longest {:?}; grown by {grown_kib} KiB",
            latencies[latencies.len() / 2],
            latencies[latencies.len() - 1]
        );
        assert!(latencies[latencies.len() / 2] < Duration::from_secs(1));
        assert!(grown_kib < 128 * 1_024, "{grown_kib} KiB");
        // Now it reads: all of it in order, or the end; never a gap.
        let mut order = Gapless::new();
        let told_of = slow.read_on(&mut order, TASKS).await;
        println!("the slow one then read of {told_of} tasks");
        assert_eq!(told_of, TASKS, "nothing ended its session");
    });
}

/// A subscriber behind OpenSSH, whose window closes when nobody reads its output while its
/// connection stays alive.
struct SlowReader {
    child: tokio::process::Child,
    decoder: netconf::framing::Decoder,
}

impl SlowReader {
    async fn start(running: &Running) -> Self {
        let mut child = ssh(running).spawn().expect("OpenSSH's ssh is installed");
        let mut stdin = child.stdin.take().unwrap();
        let capability = netconf::names::capability::BASE_1_0;
        let base = netconf::names::namespace::BASE;
        let hello = format!(
            "<hello xmlns=\"{base}\"><capabilities><capability>{capability}</capability>\
             </capabilities></hello>]]>]]><rpc xmlns=\"{base}\" message-id=\"1\">{}</rpc>]]>]]>",
            subscribe("")
        );
        stdin.write_all(hello.as_bytes()).await.unwrap();
        stdin.flush().await.unwrap();
        let mut slow = Self {
            child,
            decoder: netconf::framing::Decoder::new(64 << 20),
        };
        assert!(slow.next().await.unwrap().contains("<hello"));
        assert!(slow.next().await.unwrap().contains("<ok/>"));
        // Its input stays open as long as it lives.
        slow.child.stdin = Some(stdin);
        slow
    }

    async fn next(&mut self) -> Option<String> {
        let stdout = self.child.stdout.as_mut().unwrap();
        let mut buffer = [0; 65_536];
        loop {
            if let Some(message) = self.decoder.next_message().unwrap() {
                return Some(String::from_utf8(message).unwrap());
            }
            let read = within("what the slow one missed", stdout.read(&mut buffer)).await;
            match read.unwrap() {
                0 => return None,
                length => self.decoder.push(&buffer[..length]),
            }
        }
    }

    /// Reads until all is told or the session ends; how many tasks it was told of.
    async fn read_on(&mut self, order: &mut Gapless, tasks: usize) -> usize {
        while order.next < tasks {
            let Some(message) = self.next().await else {
                break;
            };
            let document = harness::xml::parse(&message).unwrap();
            if text(&document, "commuType").is_empty() {
                continue;
            }
            order.take(&text(&document, "task-id"), &text(&document, "status"));
        }
        order.next
    }
}

fn ssh(running: &Running) -> Command {
    let state = running.state().display();
    let mut command = Command::new("ssh");
    command
        .args(["-T", "-p", running.port(), "-i"])
        .arg(running.operator().key)
        .args([
            "-F",
            "none",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "BatchMode=yes",
        ])
        .arg("-o")
        .arg(format!("UserKnownHostsFile={state}/known_hosts"))
        .args(["operator@127.0.0.1", "-s", "netconf"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    command
}

#[test]
fn assignments_pipelined_on_eight_sessions_are_all_durable_and_numbered_without_gap() {
    const SESSIONS: usize = 8;
    const EACH: usize = 250;
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let began = Instant::now();
        let clients: Vec<_> = (0..SESSIONS)
            .map(|client| {
                let stream = talk::stream(&running);
                async move { (client, Talk::over(stream.await).await) }
            })
            .collect();
        let mut working = Vec::new();
        for client in clients {
            let (client, mut talk) = client.await;
            working.push(tokio::spawn(async move {
                let task = |n: usize| format!("pipe-{client}-{n}");
                for n in 0..EACH {
                    talk.call(&talk::assign(AGENT, &task(n)));
                }
                talk.flush().await.unwrap();
                for n in 0..EACH {
                    accepted(&talk.reply().await.unwrap(), &task(n));
                }
            }));
        }
        for client in working {
            within("a client", client).await.unwrap();
        }
        let tasks = SESSIONS * EACH;
        println!(
            "{tasks} tasks acknowledged after fsync in {:?}",
            began.elapsed()
        );
        // The chain is walked entry by entry: a number that is missing breaks it.
        let report = run(state.path(), &["store", "verify", "--json"]).await;
        let report = &report.well().json()[0];
        assert_eq!(report["sound"], true);
        assert!(
            report["tasks"].as_u64().unwrap() >= tasks as u64,
            "{report}"
        );
        assert!(report["entries"].as_u64().unwrap() >= 2 * tasks as u64);
    });
}

const LOCK: &str = "<lock><target><running/></target></lock>";

#[test]
fn a_lock_dies_with_its_session_when_the_connection_is_cut() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut waiting = Talk::connect(&running).await;
        assert_eq!(waiting.ask(&subscribe("")).await.outcome, Outcome::Ok);
        let mut holder = ssh(&running).spawn().expect("OpenSSH's ssh is installed");
        let base = netconf::names::namespace::BASE;
        let capability = netconf::names::capability::BASE_1_0;
        let hello = format!(
            "<hello xmlns=\"{base}\"><capabilities><capability>{capability}</capability>\
             </capabilities></hello>]]>]]><rpc xmlns=\"{base}\" message-id=\"1\">{LOCK}</rpc>]]>]]>"
        );
        let stdin = holder.stdin.as_mut().unwrap();
        stdin.write_all(hello.as_bytes()).await.unwrap();
        let mut decoder = netconf::framing::Decoder::new(1 << 20);
        let mut messages = Vec::new();
        while messages.len() < 2 {
            let mut buffer = [0; 65_536];
            let stdout = holder.stdout.as_mut().unwrap();
            let read = within("the lock", stdout.read(&mut buffer)).await.unwrap();
            decoder.push(&buffer[..read]);
            while let Some(message) = decoder.next_message().unwrap() {
                messages.push(String::from_utf8(message).unwrap());
            }
        }
        assert!(messages[1].contains("<ok/>"), "{}", messages[1]);
        let Outcome::Errors(errors) = waiting.ask(LOCK).await.outcome else {
            panic!("the lock is held by another");
        };
        assert_eq!(errors[0].tag.as_str(), "lock-denied");
        holder.kill().await.unwrap();
        // The platform tells when the session has ended; then the lock is free.
        let holder = text(&harness::xml::parse(&messages[0]).unwrap(), "session-id");
        loop {
            let notification = waiting.notification().await.unwrap();
            let event = notification.content().unwrap();
            if event.name() == "netconf-session-end"
                && text(&notification.document, "session-id") == holder
            {
                assert_eq!(
                    text(&notification.document, "termination-reason"),
                    "dropped"
                );
                break;
            }
        }
        assert_eq!(waiting.ask(LOCK).await.outcome, Outcome::Ok);
    });
}

#[test]
fn a_session_that_is_stuck_in_writing_can_be_killed() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut stuck = ssh(&running).spawn().expect("OpenSSH's ssh is installed");
        let base = netconf::names::namespace::BASE;
        let capability = netconf::names::capability::BASE_1_0;
        let mut bytes = format!(
            "<hello xmlns=\"{base}\"><capabilities><capability>{capability}</capability>\
             </capabilities></hello>]]>]]>"
        );
        let schema = "<get-schema xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\">\
             <identifier>irtf-agent</identifier></get-schema>";
        for n in 0..2_000 {
            bytes += &format!("<rpc xmlns=\"{base}\" message-id=\"{n}\">{schema}</rpc>]]>]]>");
        }
        let mut stdin = stuck.stdin.take().unwrap();
        let written = stdin.write_all(bytes.as_bytes());
        within("the server takes requests", written).await.unwrap();
        let mut hello = [0; 65_536];
        let stdout = stuck.stdout.as_mut().unwrap();
        let read = within("a hello", stdout.read(&mut hello)).await.unwrap();
        let hello = String::from_utf8_lossy(&hello[..read]).into_owned();
        let session = hello.split("session-id>").nth(1).unwrap();
        let session = session.trim_end_matches("</").to_owned();
        let mut talk = Talk::connect(&running).await;
        let kill = format!("<kill-session><session-id>{session}</session-id></kill-session>");
        let reply = talk.ask(&kill).await;
        assert_eq!(reply.outcome, Outcome::Ok, "{}", reply.raw());
        let mut rest = Vec::new();
        let ended = async {
            let stdout = stuck.stdout.as_mut().unwrap();
            let _ = stdout.read_to_end(&mut rest).await;
            stuck.wait().await
        };
        within("the killed session to end", ended).await.unwrap();
        assert!(rest.len() < 64 << 20);
        let monitoring = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";
        let sessions = talk
            .ask(&format!(
                "<get><filter type=\"subtree\"><netconf-state xmlns=\"{monitoring}\"><sessions/>\
                 </netconf-state></filter></get>"
            ))
            .await;
        let gone = format!("<session-id>{session}</session-id>");
        assert!(!sessions.raw().contains(&gone), "{}", sessions.raw());
    });
}

#[test]
fn a_restart_finds_every_task_and_a_second_process_is_turned_away() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut talk = Talk::connect(&running).await;
        for n in 0..20 {
            let reply = talk.ask(&talk::assign(AGENT, &format!("kept-{n}"))).await;
            accepted(&reply, &format!("kept-{n}"));
        }
        let second = [&["serve", "--network", "none"][..], &FREE_PORTS].concat();
        let second = run(state.path(), &second).await.with_code(5);
        assert!(second.stderr.contains("in use"), "{}", second.stderr);
        let before = talk.ask(&get_tasks()).await;
        assert_eq!(running.stop().await.code(), Some(0));
        assert_eq!(within("the end", talk.end()).await, "end of input");

        let running = Running::serve(state.path()).await;
        let mut talk = Talk::connect(&running).await;
        let after = talk.ask(&get_tasks()).await;
        for n in 0..20 {
            let id = format!("<task-id>kept-{n}</task-id>");
            assert!(before.raw().contains(&id) && after.raw().contains(&id));
        }
        let again = talk.ask(&talk::assign(AGENT, "kept-7")).await;
        accepted(&again, "kept-7");
    });
}
