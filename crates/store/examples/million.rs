//! Measures the time that a state of a million ended tasks takes to open, to read by key, to trim
//! and to verify.
//!
//! `cargo run --release -p convoke-store --example million -- [TASKS] [FOLDER]`: fills a state with
//! tasks, each with an exchange, a response and two entries of the log, and measures. The folder
//! is made and removed. Between two openings a process of its own is killed in mid-load, so that
//! one of them finds a long write-ahead log. Knows the public interface only.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../tests/life/mod.rs"]
mod life;

use domain::content::{Content, Payload};
use domain::task::TaskId;
use domain::time::Timestamp;
use life::name;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::{Batch, Options, Retention, Store, TaskFilter};

/// Tasks of the load that is killed: more than 64 MiB of write-ahead log.
const KILLED: usize = 10_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let word = |place: usize| arguments.get(place).map(String::as_str);
    if word(1) == Some("until-killed") {
        return load_until_killed(Path::new(word(2).unwrap()));
    }
    let tasks: usize = word(1).map_or(1_000_000, |n| n.parse().unwrap());
    let folder = word(2).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = folder.join(format!("convoke-million-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("convoke.db");
    measure(&path, tasks);
    std::fs::remove_dir_all(&folder).unwrap();
}

fn measure(path: &Path, tasks: usize) {
    let few = tasks.min(1_000);
    fill(path, 0, few);
    let (store, opened) = open(path);
    println!("open with {few} ended tasks: {opened:?}");
    println!("  read by key: {:?}", keyed(&store, few));
    drop(store);
    fill(path, few, tasks);
    let bytes = std::fs::metadata(path).unwrap().len();
    let (store, opened) = open(path);
    let counts = store.counts();
    println!(
        "open with {} ended tasks, {bytes} bytes: {opened:?}",
        counts.tasks
    );
    println!("  read by key: {:?}", keyed(&store, tasks));
    let began = Instant::now();
    let page = store.tasks(&TaskFilter {
        party: Some("oss".into()),
        status: TaskFilter::ENDED.to_vec(),
        ..TaskFilter::default()
    });
    println!(
        "  a page of {} tasks: {:?}",
        page.unwrap().rows.len(),
        began.elapsed()
    );
    drop(store);

    let binary = std::env::current_exe().unwrap();
    let mut child = std::process::Command::new(binary);
    let status = child.arg("until-killed").arg(path).status().unwrap();
    assert!(!status.success());
    let log = std::fs::metadata(path.with_file_name("convoke.db-wal"))
        .unwrap()
        .len();
    let (store, opened) = open(path);
    println!("open behind a kill, {log} bytes of write-ahead log: {opened:?}");

    let began = Instant::now();
    let retention = Retention {
        max_age_ms: Some(1),
        ..Retention::default()
    };
    let tenth = Timestamp::from_ms(1_000_000 + tasks as i64 / 10);
    let trimming = store.trim(tenth, &retention);
    let (mut longest, mut commits, mut trimmed) = (Duration::ZERO, 0, None);
    let waiter = std::thread::spawn(move || trimming.wait().unwrap());
    while trimmed.is_none() {
        let began = Instant::now();
        store
            .commit(life(tasks + KILLED + 1 + commits))
            .wait()
            .unwrap();
        longest = longest.max(began.elapsed());
        commits += 1;
        trimmed = waiter.is_finished().then_some(());
    }
    let trimmed = waiter.join().unwrap();
    println!(
        "trim of {} tasks: {:?}; meanwhile {commits} commits, the longest {longest:?}",
        trimmed.tasks,
        began.elapsed()
    );
    drop(store);
    let began = Instant::now();
    let report = store::verify(path).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    println!("verify {} tasks: {:?}", report.tasks, began.elapsed());
}

fn open(path: &Path) -> (Store, Duration) {
    let began = Instant::now();
    let (store, recovered) = Store::open(Options::file(path), Box::new(|_| {})).unwrap();
    assert!(recovered.tasks.is_empty());
    (store, began.elapsed())
}

/// The mean time of reading a task by its key, over a thousand keys all over the state.
fn keyed(store: &Store, tasks: usize) -> Duration {
    let began = Instant::now();
    for n in 0..1_000 {
        let id = TaskId::new(name(n * 7_919 % tasks));
        assert!(store.task(&id).unwrap().is_some());
    }
    began.elapsed() / 1_000
}

fn fill(path: &Path, from: usize, to: usize) {
    let (store, _) = Store::open(Options::file(path), Box::new(|_| {})).unwrap();
    let began = Instant::now();
    let mut tickets = std::collections::VecDeque::new();
    for n in from..to {
        tickets.push_back(store.commit(life(n)));
        if tickets.len() > 1_000 {
            tickets.pop_front().unwrap().wait().unwrap();
        }
    }
    tickets
        .into_iter()
        .for_each(|ticket| ticket.wait().unwrap());
    let statistics = store.statistics();
    println!(
        "{} tasks written in {:?}, {:?} of it rows",
        to - from,
        began.elapsed(),
        statistics.writing
    );
}

fn load_until_killed(path: &Path) {
    let (store, _) = Store::open(Options::file(path), Box::new(|_| {})).unwrap();
    let first = store.counts().tasks as usize;
    let tickets: Vec<_> = (first..first + KILLED)
        .map(|n| store.commit(life(n)))
        .collect();
    tickets
        .into_iter()
        .for_each(|ticket| ticket.wait().unwrap());
    std::process::abort();
}

fn life(n: usize) -> Batch {
    let payload = serde_json::json!({
        "link": format!("link-{n}"), "alarms": ["los", "ber-high"], "since": "2026-11-22T02:00:00Z",
    });
    let content = Content::new("link:a--b", "Diagnose the return link of the base station")
        .with_payload(Payload::new("fault_diagnosis_v1", payload));
    let parties = ["oss", ["ip", "ran", "field"][n % 3]];
    let at = Timestamp::from_ms(1_000_000 + n as i64);
    life::life(&name(n), parties, content, at)
}
