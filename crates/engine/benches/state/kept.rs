//! What a state of ended tasks, or of open ones, costs who opens it, in processes of their own.
//!
//! Read next: `main.rs`.

#[path = "../../../store/tests/life/mod.rs"]
mod life;

use super::*;
use life::name;

/// The arguments with which this program opens a state and tells what that took: to read one task
/// from the disk, or many.
pub(super) const FIRST: &str = "--open-and-read-first";
pub(super) const MANY: &str = "--open-and-read-many";
/// The same, to read none.
pub(super) const OPEN: &str = "--open";

/// What a state of ended tasks costs who opens it. Everything is told from the disk, of which the
/// system then holds nothing in memory, and keyed reads from the system's memory and from our own
/// as well: whoever compares sizes must compare like with like.
pub(super) fn kept(scale: &Scale, folder: &Path) -> Vec<Row> {
    let path = folder.join("kept.db");
    let (mut rows, mut there) = (Vec::new(), 0);
    for tasks in scale.kept {
        fill(&path, there, tasks, life);
        there = tasks;
        let of = format!("over {tasks} ended tasks");
        let mut tell = |what: &str, value: Option<f64>, unit| {
            rows.extend(value.map(|value| (format!("{what}, {of}"), value, unit)));
        };
        let firsts: Vec<Value> = (0..scale.firsts)
            .map(|n| told(FIRST, &path, n * 7_919 % tasks))
            .collect();
        let cold = |key| forgotten(&path).then(|| median(&firsts, key));
        tell("until the engine is open, from disk", cold("open_ms"), "ms");
        tell("a task by its key, from disk", cold("get_us"), "µs");
        read_whole(&path);
        let warm = told(MANY, &path, tasks);
        let value = |key: &str| warm[key].as_f64();
        tell("until the engine is open", value("open_ms"), "ms");
        tell("a task by its key, first read", value("get_us"), "µs");
        tell("a task by its key, read again", value("again_us"), "µs");
        tell("resident memory", value("resident_mb"), "MB");
    }
    rows
}

/// How long it takes to open a state of open tasks, all of which are read: what a take-over waits for. None is part of another.
pub(super) fn open(scale: &Scale, folder: &Path) -> Vec<Row> {
    let path = folder.join("open.db");
    fill(&path, 0, scale.open, begun);
    read_whole(&path);
    let timed: Vec<Value> = (0..scale.firsts.min(5))
        .map(|_| told(OPEN, &path, 0))
        .collect();
    let of = |what: &str, key, unit| {
        let what = format!("{what}, over {} open tasks", scale.open);
        (what, median(&timed, key), unit)
    };
    vec![
        of("until the engine is open", "open_ms", "ms"),
        of("resident memory", "resident_mb", "MB"),
    ]
}

/// What this program says in a role, in a process of its own.
fn told(role: &str, path: &Path, argument: usize) -> Value {
    let told = std::process::Command::new(std::env::current_exe().unwrap())
        .args([role, &path.display().to_string(), &argument.to_string()])
        .output()
        .unwrap();
    serde_json::from_slice(&told.stdout).unwrap()
}

fn median(told: &[Value], key: &str) -> f64 {
    let mut values: Vec<f64> = told.iter().map(|t| t[key].as_f64().unwrap()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn read_whole(path: &Path) {
    let mut file = std::fs::File::open(path).unwrap();
    std::io::copy(&mut file, &mut std::io::sink()).unwrap();
}

/// Lets the system forget what it holds of the file in memory; false where `dd` is another one.
fn forgotten(path: &Path) -> bool {
    let dd = std::process::Command::new("dd")
        .args([format!("if={}", path.display()), "count=0".to_owned()])
        .args(["iflag=nocache", "status=none"])
        .status();
    dd.is_ok_and(|status| status.success())
}

/// How long it takes to open a state that is not in memory, then to read one task that is not.
pub(super) fn opened_and_read_first(path: &Path, task: usize) -> Value {
    forgotten(path);
    let began = Instant::now();
    let engine = engine(keyed(path));
    let open_ms = began.elapsed().as_secs_f64() * 1e3;
    forgotten(path);
    let began = Instant::now();
    read(&engine, name(task));
    json!({ "open_ms": open_ms, "get_us": began.elapsed().as_secs_f64() * 1e6 })
}

pub(super) fn opened_and_read(path: &Path, tasks: usize) -> Value {
    let began = Instant::now();
    let engine = engine(keyed(path));
    let open_ms = began.elapsed().as_secs_f64() * 1e3;
    // The median: on a busy machine a mean says how busy it is.
    let each_us = || {
        let timed = |n: usize| {
            let began = Instant::now();
            read(&engine, name(n * 7_919 % tasks));
            began.elapsed().as_secs_f64() * 1e6
        };
        let mut took: Vec<f64> = (0..1_000).map(timed).collect();
        took.sort_unstable_by(f64::total_cmp);
        took[took.len() / 2]
    };
    let (get_us, again_us) = (each_us(), each_us());
    json!({ "open_ms": open_ms, "get_us": get_us, "again_us": again_us,
        "resident_mb": resident_mb() })
}

/// How long it takes to open a state that is in memory.
pub(super) fn opened(path: &Path) -> Value {
    let began = Instant::now();
    let _engine = engine(keyed(path));
    let open_ms = began.elapsed().as_secs_f64() * 1e3;
    json!({ "open_ms": open_ms, "resident_mb": resident_mb() })
}

/// None where the system does not say.
fn resident_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let resident = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kb: f64 = resident.split_whitespace().next()?.parse().ok()?;
    Some(kb / 1e3)
}

fn read(engine: &Engine, id: String) {
    let query = TaskById(TaskId::new(id));
    let found = engine.read(&operator(), query, now());
    assert!(found.unwrap().is_some());
}

fn fill(path: &Path, from: usize, to: usize, of: fn(usize) -> Batch) {
    let (store, _) = Store::open(keyed(path), Box::new(|_| {})).unwrap();
    let mut tickets = VecDeque::new();
    for n in from..to {
        tickets.push_back(store.commit(of(n)));
        if tickets.len() > 1_000 {
            tickets.pop_front().unwrap().wait().unwrap();
        }
    }
    tickets.into_iter().for_each(|t| t.wait().unwrap());
}

fn life(n: usize) -> Batch {
    life::life(&name(n), PARTIES, content(), now() + n as i64)
}

fn begun(n: usize) -> Batch {
    let ([from, to], content) = (PARTIES, content());
    let (id, text, at) = (TaskId::new(name(n)), content.render(), now() + n as i64);
    let task = Task::assigned(id, from, to, text, content, true, at);
    Batch {
        tasks: vec![Arc::new(task)],
        ..Batch::default()
    }
}

const PARTIES: [&str; 2] = ["operator", "worker"];

fn content() -> Content {
    Content::new("link:a--b", "Diagnose the return link of the base station")
}
