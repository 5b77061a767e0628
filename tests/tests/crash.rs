//! `kill -9` under load: everything acknowledged is still there, and nothing else.
//!
//! A `convoke serve` of its own takes assignments and cancellations, pipelined over SSH by several
//! clients, until it is killed at a moment chosen by a seed. Its store is checked row by row; then
//! it is started again, read completely, loaded again and killed again: forty times, or
//! `CONVOKE_CRASH_CYCLES` times; the seed is printed and taken from `CONVOKE_CRASH_SEED`. This
//! proves recovery and idempotence, not fsync: the kernel keeps the writes of a killed process.
//! Read next: `robustness.rs`, and `store`, whose tests damage files and cut the power.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use domain::task::TaskId;
use netconf::client::{ClientEvent, Outcome, Reply};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use store::{Filter, Options, Store};
use support::process::Running;
use support::talk::{self, Talk, text};
use support::{block_on, within};
use tokio::sync::Notify;

const AGENTS: [&str; 3] = [
    "TMF-Convoke-IP-1.0.0",
    "TMF-Convoke-Wireless-1.0.0",
    "TMF-Convoke-ResourceField-1.0.0",
];
const CLIENTS: usize = 4;
/// Requests in flight per client.
const IN_FLIGHT: usize = 16;
/// Cycles per state folder, as each check reads all tasks and a growing state would slow down a
/// long run.
const CYCLES_OF_ONE_STATE: u64 = 10;
/// The most acknowledgements before a kill.
const ACKNOWLEDGED_MAX: u64 = 200;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// The facts about a task from the replies received.
#[derive(Clone, Default)]
struct Known {
    agent: &'static str,
    /// The body of the reply to its assignment.
    assigned: Option<String>,
    /// True if the first sending had no reply, but the second had.
    sent_again: bool,
    cancel_sent: bool,
    cancelled: bool,
}

type Tasks = BTreeMap<String, Known>;

#[test]
fn what_was_acknowledged_before_a_kill_is_found_after_it() {
    let (cycles, seed) = (
        setting("CONVOKE_CRASH_CYCLES", 40),
        setting("CONVOKE_CRASH_SEED", 1),
    );
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    block_on(async {
        let (began, mut lost_none_of) = (Instant::now(), 0);
        let mut left = cycles;
        while left > 0 {
            let here = left.min(CYCLES_OF_ONE_STATE);
            left -= here;
            lost_none_of += kill_and_look(here, &mut rng, seed).await;
        }
        println!(
            "{cycles} kills in {:?}, {lost_none_of} tasks acknowledged, none lost",
            began.elapsed()
        );
    });
}

/// Runs so many cycles over one state folder; returns the number of tasks acknowledged before a
/// kill.
async fn kill_and_look(cycles: u64, rng: &mut ChaCha8Rng, seed: u64) -> usize {
    let state = tempfile::tempdir().unwrap();
    let (mut tasks, mut sent) = (Tasks::new(), Tasks::new());
    for cycle in 0..cycles {
        println!(
            "cycle {cycle} of seed {seed}, {} tasks sent so far",
            tasks.len()
        );
        let running = Running::serve(state.path()).await;
        find_again(&running, &mut tasks, &sent).await;
        let acknowledged = 1 + rng.next_u64() % ACKNOWLEDGED_MAX;
        sent = load_and_kill(running, cycle, acknowledged).await;
        assert!(sent.values().any(|known| known.assigned.is_some()));
        tasks.extend(sent.clone());
        nothing_is_half_there(state.path());
    }
    let running = Running::serve(state.path()).await;
    find_again(&running, &mut tasks, &sent).await;
    send_again(&mut Talk::connect(&running).await, &tasks).await;
    assert_eq!(running.stop().await.code(), Some(0));
    nothing_is_half_there(state.path());
    tasks.values().filter(|k| k.assigned.is_some()).count()
}

/// Compares the present tasks with the known ones; then repeats the last requests.
async fn find_again(running: &Running, tasks: &mut Tasks, sent: &Tasks) {
    let mut talk = Talk::connect(running).await;
    compare(&mut talk, tasks).await;
    send_again(&mut talk, sent).await;
    // What was under way when the kill came may be there or not: sent again, it is.
    for id in sent.keys() {
        tasks.get_mut(id).unwrap().sent_again = true;
    }
    compare(&mut talk, tasks).await;
}

/// Checks a copy of the store as the kill left it: every row is valid and referenced, and the log
/// folds to the present tasks.
fn nothing_is_half_there(state: &Path) {
    let copy = tempfile::tempdir().unwrap();
    for name in ["convoke.db", "convoke.db-wal"] {
        let (from, to) = (state.join(name), copy.path().join(name));
        // A platform that ended by itself leaves no write-ahead log.
        if from.exists() {
            std::fs::copy(from, to).unwrap();
        }
    }
    let options = Options {
        keys: Some(server::master_key::keeper(&state.join("store_key"), None).unwrap()),
        ..Options::file(copy.path().join("convoke.db"))
    };
    let (store, _) = Store::open(options, Box::new(|_| {})).unwrap();
    let tasks = testkit::sound(&store);
    let all = Filter {
        limit: usize::MAX,
        ..Filter::default()
    };
    let data = store.data_params(&all).unwrap().rows;
    let data: BTreeMap<String, Option<TaskId>> = data.into_iter().map(|d| (d.id, d.task)).collect();
    let belongs = |task: &Option<TaskId>| task.as_ref().is_none_or(|id| tasks.contains_key(id));
    for (id, task) in &data {
        assert!(belongs(task), "data {id} of no task");
    }
    for exchange in store.exchanges(&all).unwrap().rows {
        assert!(
            belongs(&exchange.task),
            "exchange {} of no task",
            exchange.id
        );
        let response = exchange.response.as_ref();
        assert!(
            response.is_none_or(|id| data.contains_key(id)),
            "{} without its response",
            exchange.id
        );
    }
}

/// Loads the platform from all clients until so many requests are acknowledged, then kills it under
/// load; returns the requests with their replies.
async fn load_and_kill(running: Running, cycle: u64, acknowledged: u64) -> Tasks {
    let count = Arc::new(Count {
        left: AtomicU64::new(acknowledged),
        reached: Notify::new(),
        over: AtomicBool::new(false),
    });
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        let talk = Talk::connect(&running).await;
        let count = Arc::clone(&count);
        clients.push(tokio::spawn(load(talk, cycle, client, count)));
    }
    within("acknowledgements", count.reached.notified()).await;
    running.kill().await;
    count.over.store(true, Relaxed);
    let mut tasks = Tasks::new();
    for client in clients {
        tasks.extend(within("a client to notice", client).await.unwrap());
    }
    tasks
}

struct Count {
    left: AtomicU64,
    reached: Notify,
    over: AtomicBool,
}

/// Runs one client, which keeps requests in flight until the connection breaks. Every third task is
/// cancelled once it is acknowledged.
async fn load(mut talk: Talk, cycle: u64, client: usize, count: Arc<Count>) -> Tasks {
    let mut tasks = Tasks::new();
    let mut calls: HashMap<u64, (String, bool)> = HashMap::new();
    let mut next = 0;
    loop {
        while calls.len() < IN_FLIGHT {
            let (id, agent) = (format!("t-{cycle}-{client}-{next}"), AGENTS[next % 3]);
            next += 1;
            calls.insert(talk.call(&talk::assign(agent, &id)), (id.clone(), false));
            let known = Known {
                agent,
                ..Known::default()
            };
            tasks.insert(id, known);
        }
        let reply = match within("a reply or the kill", talk.event()).await {
            Ok(ClientEvent::Reply(reply)) => reply,
            Ok(other) => panic!("{other:?}"),
            Err(_) => return tasks,
        };
        let (id, cancel) = calls.remove(&reply.message_id).unwrap();
        let known = tasks.get_mut(&id).unwrap();
        assert_eq!(reply.outcome, Outcome::Data, "{}", reply.raw());
        if cancel {
            assert_eq!(text(&reply.document, "task-status"), "cancelled");
            known.cancelled = true;
        } else {
            assert_eq!(text(&reply.document, "task-status"), "input-required");
            known.assigned = Some(body(&reply));
            if next % 3 == 0 {
                known.cancel_sent = true;
                calls.insert(talk.call(&talk::cancel(known.agent, &id)), (id, true));
            }
        }
        if count.left.fetch_sub(1, Relaxed) == 1 {
            count.reached.notify_one();
        }
    }
}

fn body(reply: &Reply) -> String {
    reply.body().map(|element| element.standalone()).collect()
}

/// Compares the platform's tasks with the known facts.
async fn compare(talk: &mut Talk, tasks: &Tasks) {
    let reply = talk.ask(&talk::get_tasks()).await;
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let registry = reply.data().unwrap().children().next().unwrap();
    for task in registry.children() {
        let leaf = |name| {
            let found = task.children().find(|c| c.name() == name);
            found.map_or("", |c| c.trimmed_text()).to_owned()
        };
        let before = found.insert(leaf("task-id"), leaf("task-status"));
        assert!(before.is_none(), "{} is there twice", leaf("task-id"));
    }
    for (id, known) in tasks {
        let allowed: &[&str] = match known {
            Known {
                cancelled: true, ..
            } => &["cancelled"],
            Known {
                cancel_sent: true, ..
            } => &["input-required", "cancelled"],
            _ => &["input-required"],
        };
        match found.remove(id) {
            Some(status) => assert!(allowed.contains(&status.as_str()), "{id}: {status}"),
            None => assert!(
                known.assigned.is_none(),
                "{id} was acknowledged and is lost"
            ),
        }
    }
    // The platform's own standing tasks are all that is left.
    found.retain(|id, _| id.starts_with("t-"));
    assert!(found.is_empty(), "nobody sent {found:?}");
}

/// Repeats every assignment of the cycle: an acknowledged one must have the same reply, and one
/// without reply must get the lost reply.
async fn send_again(talk: &mut Talk, sent: &Tasks) {
    for (id, known) in sent {
        talk.call(&talk::assign(known.agent, id));
    }
    for (id, known) in sent {
        let reply = talk.reply().await.unwrap();
        assert_eq!(text(&reply.document, "task-id"), *id, "{}", reply.raw());
        if let Some(first) = &known.assigned {
            assert_eq!(*first, body(&reply), "{id}: another reply");
        }
        assert_eq!(text(&reply.document, "task-status"), "input-required");
    }
}
