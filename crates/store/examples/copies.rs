//! Measures how long a large state takes from a file into a PostgreSQL database and back, and how large a
//! process becomes over it.
//!
//! `cargo run --release -p convoke-store --example copies -- [TASKS] [FOLDER]`: fills a state in a file with ended
//! tasks, each with an exchange, a response and two entries of the log, encrypted; copies it into a database of
//! a server that it starts, with fsync, and from there into another file. Each copy is verified, which is part
//! of its time. Knows the public interface only. Read next: `million`, the same for all else.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../tests/life/mod.rs"]
mod life;

use domain::content::{Content, Payload};
use domain::time::Timestamp;
use life::name;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use store::{
    CopySource, Ground, HeldKeys, KeyKeeper, Location, Options, Secret, Store, backup, transfer,
};
use testkit::postgres::{Server, Setting};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let tasks: usize = arguments
        .get(1)
        .map_or(200_000, |words| words.parse().unwrap());
    let folder = arguments
        .get(2)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::Builder::new()
        .prefix("convoke-copies-")
        .tempdir_in(folder)
        .unwrap();
    let setting = Setting {
        fsync: true,
        tls: false,
    };
    let Some(server) = Server::start(&setting) else {
        return;
    };
    let database = server.database();
    let first = Location::File(folder.path().join("first.db"));
    let second = Location::Postgres(database.by_socket().parse().unwrap());
    let third = Location::File(folder.path().join("third.db"));
    fill(&options(&first), tasks);
    let bytes = std::fs::metadata(folder.path().join("first.db")).unwrap();
    println!("{tasks} tasks, {} MiB in a file", bytes.len() >> 20);
    saved(&first, &folder.path().join("backup"));
    moved("file to database", &first, &second);
    moved("database to file", &second, &third);
    let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in peak.lines().filter(|line| line.starts_with("VmHWM")) {
        println!("largest process: {line}");
    }
}

fn options(location: &Location) -> Options {
    let chance = Box::new(|bytes: &mut [u8]| {
        bytes.fill(7);
        Ok(())
    });
    let keys = HeldKeys::new("m1", Secret::new([1; 32]), chance);
    Options {
        keys: Some(Arc::new(keys) as Arc<dyn KeyKeeper>),
        holder: "platform".to_owned(),
        ..Options::new(location.clone())
    }
}

fn source(location: &Location) -> CopySource {
    CopySource {
        location: location.clone(),
        lock: None,
        outside: Vec::new(),
        signers: Vec::new(),
        keys: options(location).keys,
    }
}

fn saved(from: &Location, to: &Path) {
    let (began, mut copied) = (Instant::now(), None);
    backup(&source(from), to, &mut |at| {
        if at.verifies {
            copied.get_or_insert_with(|| began.elapsed());
        }
    })
    .unwrap();
    println!(
        "file to backup: {:?}, {copied:?} of it copying",
        began.elapsed()
    );
}

fn moved(what: &str, from: &Location, to: &Location) {
    let (began, mut copied) = (Instant::now(), None);
    let done = transfer(&source(from), &options(to), Ground::Imported, &mut |at| {
        if at.verifies {
            copied.get_or_insert_with(|| began.elapsed());
        }
    });
    let rows = done.unwrap().rows;
    println!(
        "{what}: {rows} rows in {:?}, {copied:?} of it copying",
        began.elapsed()
    );
}

fn fill(options: &Options, tasks: usize) {
    let (store, _) = Store::open(options.clone(), Box::new(|_| {})).unwrap();
    let mut tickets = VecDeque::new();
    for n in 0..tasks {
        let payload = serde_json::json!({
            "link": format!("link-{n}"), "alarms": ["los", "ber-high"], "since": "2026-11-22T02:00:00Z",
        });
        let content = Content::new("link:a--b", "Diagnose the return link of the base station")
            .with_payload(Payload::new("fault_diagnosis_v1", payload));
        let parties = ["oss", ["ip", "ran", "field"][n % 3]];
        let at = Timestamp::from_ms(1_000_000 + n as i64);
        tickets.push_back(store.commit(life::life(&name(n), parties, content, at)));
        if tickets.len() > 1_000 {
            tickets.pop_front().unwrap().wait().unwrap();
        }
    }
    tickets
        .into_iter()
        .for_each(|ticket| ticket.wait().unwrap());
}
