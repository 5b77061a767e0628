//! Isolation of clients: a running platform under many and silent connections.
//!
//! Everything goes over loopback SSH to a `convoke serve` of its own. Figures are asserted with
//! wide margins, as machines differ; they are measured by the benches, and printed here
//! (`--nocapture`). Read next: `slow.rs` for subscribers that do not read, `crash.rs` for kills.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use netconf::client::{Outcome, Reply};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use support::openssh::OpenSsh;
use support::process::{FREE_PORTS, Running, run};
use support::talk::{self, Talk, get_agent, get_tasks, subscribe, text};
use support::{block_on, within};

const AGENT: &str = "TMF-Convoke-IP-1.0.0";

#[track_caller]
fn found_agent(reply: &Reply) {
    assert_eq!(reply.outcome, Outcome::Data, "{}", reply.raw());
    assert_eq!(text(&reply.document, "name"), AGENT, "{}", reply.raw());
}

#[track_caller]
fn accepted(reply: &Reply, task: &str) {
    assert_eq!(text(&reply.document, "task-id"), task, "{}", reply.raw());
    // What its agent, which has thousands, has not answered while the reply was waited for is created.
    let status = text(&reply.document, "task-status");
    assert!(
        ["input-required", "created"].contains(&status.as_str()),
        "{status}"
    );
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
        let mut holder = OpenSsh::connect(&running).await;
        let locked = holder.ask(LOCK).await;
        assert!(locked.contains("<ok/>"), "{locked}");
        let Outcome::Errors(errors) = waiting.ask(LOCK).await.outcome else {
            panic!("the lock is held by another");
        };
        assert_eq!(errors[0].tag.as_str(), "lock-denied");
        let session = holder.session.clone();
        holder.kill().await;
        // The platform tells when the session has ended; then the lock is free.
        assert_eq!(reason_of_end(&mut waiting, &session).await, "dropped");
        assert_eq!(waiting.ask(LOCK).await.outcome, Outcome::Ok);
    });
}

/// Waits until a subscriber is notified of the end of the session, with the reason.
async fn reason_of_end(subscriber: &mut Talk, session: &str) -> String {
    loop {
        let notification = subscriber.notification().await.unwrap();
        if notification.content().unwrap().name() == "netconf-session-end"
            && text(&notification.document, "session-id") == session
        {
            return text(&notification.document, "termination-reason");
        }
    }
}

#[test]
fn who_sends_without_end_and_reads_no_reply_is_held_back() {
    /// Longer than the system takes to send what it has room for.
    const HELD_BACK: Duration = Duration::from_secs(5);
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut subscriber = Talk::connect(&running).await;
        assert_eq!(subscriber.ask(&subscribe("")).await.outcome, Outcome::Ok);
        let mut flood = OpenSsh::connect(&running).await;
        let session = flood.session.clone();
        let schema = "<get-schema xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\">\
             <identifier>irtf-agent</identifier></get-schema>";
        // Requests with much around them: the server takes no more than it may hold.
        let request = format!("{schema}{}", " ".repeat(256 << 10));
        let mut sent_bytes = 0;
        while let Ok(is_open) = tokio::time::timeout(HELD_BACK, flood.try_call(&request)).await {
            assert!(is_open, "it was ended after {sent_bytes} bytes");
            sent_bytes += request.len();
            assert!(sent_bytes < 64 << 20, "nothing holds it back");
        }
        let kill = format!("<kill-session><session-id>{session}</session-id></kill-session>");
        assert_eq!(subscriber.ask(&kill).await.outcome, Outcome::Ok);
        assert_eq!(reason_of_end(&mut subscriber, &session).await, "killed");
    });
}

#[test]
fn a_session_that_is_stuck_in_writing_can_be_killed() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut stuck = OpenSsh::connect(&running).await;
        let session = stuck.session.clone();
        let schema = "<get-schema xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\">\
             <identifier>irtf-agent</identifier></get-schema>";
        for _ in 0..2_000 {
            stuck.call(schema).await;
        }
        let mut talk = Talk::connect(&running).await;
        assert_eq!(talk.ask(&subscribe("")).await.outcome, Outcome::Ok);
        let kill = format!("<kill-session><session-id>{session}</session-id></kill-session>");
        let reply = talk.ask(&kill).await;
        assert_eq!(reply.outcome, Outcome::Ok, "{}", reply.raw());
        assert_eq!(reason_of_end(&mut talk, &session).await, "killed");
        let mut answered = 0;
        while stuck.next().await.is_some() {
            answered += 1;
        }
        assert!(answered < 2_000, "it was not stuck");
        stuck.end().await;
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

/// A platform ends in time during any search; SIGTERM was once ignored while libyang evaluated an
/// expression.
#[test]
fn a_platform_ends_in_time_while_it_searches() {
    const SEARCH: &str = "<get><filter type=\"xpath\" \
        select=\"//*[count(preceding::*[count(preceding::*[. != ..])&gt;=0])&lt;0]\"/></get>";
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let running = Running::serve(state.path()).await;
        let mut talks = Vec::new();
        for _ in 0..4 {
            let mut talk = Talk::connect(&running).await;
            for _ in 0..64 {
                talk.call(SEARCH);
            }
            talk.flush().await.unwrap();
            talks.push(talk);
        }
        // One has been given up, so the others are waited for.
        let reply = talks[0].reply().await.unwrap();
        assert!(reply.raw().contains("search-cost"), "{}", reply.raw());
        let begun = Instant::now();
        assert!(running.stop().await.success());
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(50), "it took {took:?}");
    });
}
