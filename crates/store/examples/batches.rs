//! Measures what a batch costs: processor time of the writer and of the whole process, and the rate.
//!
//! `cargo run --release -p convoke-store --example batches -- plain|encrypted|postgres [TASKS] [PREPARERS] [FOLDER] [SHARDS]`:
//! stores tasks, each assigned in one batch (with a question that waits) and ended in a later one (with its
//! answer), a thousand batches ahead of the disk, of so many shards in turn. The batches are made beforehand. Knows the public
//! interface only. Read next: `million`, a large state.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../tests/life/mod.rs"]
mod life;

use domain::content::{Content, Payload};
use domain::time::Timestamp;
use life::name;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Batch, HeldKeys, Location, Options, Secret, Shard, Store};
use testkit::postgres::{Server, Setting};

/// The batches that wait at once, and so the tasks that are open.
const AHEAD: usize = 1_000;

/// How long a tick of the kernel's accounts is.
const TICK: Duration = Duration::from_millis(10);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let word = |place: usize| arguments.get(place).map(String::as_str);
    let number = |place: usize| word(place).map(|words| words.parse::<usize>().unwrap());
    let (kind, tasks) = (word(1).unwrap_or("encrypted"), number(2).unwrap_or(50_000));
    let folder = word(4).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::Builder::new()
        .prefix("convoke-batches-")
        .tempdir_in(folder)
        .unwrap();
    let setting = Setting {
        fsync: true,
        tls: false,
    };
    let server = (kind == "postgres").then(|| Server::start(&setting).unwrap());
    let database = server.as_ref().map(|server| server.database());
    let location = match &database {
        Some(database) => Location::Postgres(database.by_socket().parse().unwrap()),
        None => Location::File(folder.path().join("convoke.db")),
    };
    let mut options = Options::new(location);
    options.holder = "batches".to_owned();
    if kind != "plain" {
        options.keys = Some(Arc::new(HeldKeys::new(
            "master",
            Secret::new([7; 32]),
            random(),
        )));
    }
    options.preparers = number(3).unwrap_or(options.preparers);
    let preparers = options.preparers;
    let shards = number(5).unwrap_or(Shard::COUNT);
    println!(
        "{kind}, {preparers} preparers, {shards} shards: {}",
        measured(options, tasks, shards)
    );
}

fn random() -> store::RandomSource {
    Box::new(|bytes| {
        bytes
            .iter_mut()
            .enumerate()
            .for_each(|(n, byte)| *byte = n as u8);
        Ok(())
    })
}

fn measured(options: Options, tasks: usize, shards: usize) -> String {
    let batches: Vec<Batch> = interleaved(tasks, shards);
    let count = batches.len() as f64;
    let (store, _) = Store::open(options, Box::new(|_| {})).unwrap();
    let (began, before) = (Instant::now(), spent(None));
    let mut tickets = VecDeque::new();
    for batch in batches {
        tickets.push_back(store.commit(batch));
        if tickets.len() > AHEAD {
            tickets.pop_front().unwrap().wait().unwrap();
        }
    }
    tickets
        .into_iter()
        .for_each(|ticket| ticket.wait().unwrap());
    let (lasted, all) = (began.elapsed(), spent(None) - before);
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / count;
    let told = store.statistics();
    format!(
        "{:.0} batches/s; µs a batch: {:.1} of the writer, {:.1} of all threads; {:.1} writing, {:.1} committing; \
         {} rows known, {} looked up",
        count / lasted.as_secs_f64(),
        micros(spent(Some("store-writer"))),
        micros(all),
        micros(told.writing),
        micros(told.committing),
        told.known,
        told.looked_up,
    )
}

/// Assignments, and behind each some other's end.
fn interleaved(tasks: usize, shards: usize) -> Vec<Batch> {
    let mut batches = Vec::with_capacity(2 * tasks);
    let mut open = VecDeque::new();
    for n in 0..tasks {
        let (begun, ended) = halves(n, Shard::all().nth(n % shards).unwrap());
        batches.push(begun);
        open.push_back(ended);
        if open.len() > AHEAD {
            batches.extend(open.pop_front());
        }
    }
    batches.extend(open);
    batches
}

fn halves(n: usize, shard: Shard) -> (Batch, Batch) {
    let payload = serde_json::json!({
        "link": format!("link-{n}"), "alarms": ["los", "ber-high"], "since": "2026-11-22T02:00:00Z",
    });
    let content = Content::new("link:a--b", "Diagnose the return link of the base station")
        .with_payload(Payload::new("fault_diagnosis_v1", payload));
    let parties = ["oss", ["ip", "ran", "field"][n % 3]];
    let at = Timestamp::from_ms(1_000_000 + n as i64);
    let mut ended = life::life(&name(n), parties, content, at);
    let mut asked = ended.exchanges[0].clone();
    (asked.response, asked.response_time) = (None, None);
    ended.shard = shard;
    let begun = Batch {
        shard,
        tasks: vec![ended.tasks.remove(0)],
        happenings: vec![ended.happenings.remove(0)],
        exchanges: vec![asked],
        ..Batch::default()
    };
    (begun, ended)
}

/// The processor time of the threads of this name so far, or of the process.
fn spent(thread: Option<&str>) -> Duration {
    let files = std::fs::read_dir("/proc/self/task").unwrap();
    let files = files.map(|file| file.unwrap().path());
    let told = files.filter_map(|path| read(&path, thread));
    match thread {
        Some(_) => told.sum(),
        None => read(Path::new("/proc/self"), None).unwrap(),
    }
}

fn read(path: &Path, thread: Option<&str>) -> Option<Duration> {
    let told = std::fs::read_to_string(path.join("stat")).ok()?;
    let (name, numbers) = told.split_once('(')?.1.rsplit_once(')')?;
    if thread.is_some_and(|thread| thread != name) {
        return None;
    }
    // User and system time are the fields 14 and 15 of all, 12 and 13 behind the name.
    let ticks = numbers.split_whitespace().skip(11).take(2);
    let ticks: u32 = ticks.filter_map(|number| number.parse::<u32>().ok()).sum();
    Some(TICK * ticks)
}
