//! The contract of the store, for all locations; damage, locks and full disks.
//!
//! Read next: `tests::contract`.
#![allow(clippy::unwrap_used)]

mod authentic;
mod contract;
mod copies;
mod cursors;
mod damage;
mod databases;
mod encrypted;
mod files;
mod forgeries;
mod forms;
mod guards;
mod kept;
mod outages;
mod pieces;
mod portable;
mod preparing;
mod pushes;
mod removal;
mod shards;
mod tables;
mod told;
mod version_5;
mod version_8;

use crate::*;
use domain::content::{Content, Payload};
use domain::context::{Body, DataParam, Exchange};
use domain::event::{LogEvent, Termination};
use domain::notification::Notification;
use domain::task::{Command, Status, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// An instant, in milliseconds.
fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

/// Opens a state; retries while it is locked. A child process that another test starts inherits
/// every open file of this one, and so the lock of a state closed since, until it has executed.
fn open(options: Options) -> (Store, Recovered) {
    for _ in 0..100_000 {
        match Store::open(options.clone(), Box::new(|_| {})) {
            Err(OpenError::Locked { .. }) => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
    panic!("the state is locked for good")
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    (folder, path)
}

/// A keeper of one master key; every call uses another random sequence.
fn keeper(master: &str) -> Arc<dyn KeyKeeper> {
    Arc::new(HeldKeys::new(master, secret(master), chance()))
}

/// The master key of a name.
fn secret(master: &str) -> Secret {
    Secret::new(Sha256::digest(master).into())
}

/// Random enough for tests: no two calls give the same, in one keeper or in two.
fn chance() -> RandomSource {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    Box::new(|bytes| {
        let call = CALLS.fetch_add(1, Relaxed).to_be_bytes();
        bytes.copy_from_slice(&Sha256::digest(call)[..bytes.len()]);
        Ok(())
    })
}

/// Makes an index empty, in the file.
fn empty_index(path: &Path, name: &str) {
    use std::os::unix::fs::FileExt as _;
    const PAGE: u64 = 4_096;
    let root = behind(path, |connection| {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND name = ?1";
        let root: i64 = connection.query_row(sql, [name], |row| row.get(0)).unwrap();
        connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .unwrap();
        root as u64
    });
    // A leaf of an index without a cell.
    let leaf = [0x0a, 0, 0, 0, 0, 0x10, 0, 0];
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.write_all_at(&leaf, (root - 1) * PAGE).unwrap();
}

/// Writes to a file like an attacker who has SQLite and knows the triggers: they exist again
/// afterwards.
fn behind<T>(path: &Path, write: impl FnOnce(&Connection) -> T) -> T {
    let connection = Connection::open(path).unwrap();
    let triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
    let triggers: Vec<(String, String)> = connection
        .prepare(triggers)
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for (name, _) in &triggers {
        let drop = format!("DROP TRIGGER {name}");
        connection.execute_batch(&drop).unwrap();
    }
    let written = write(&connection);
    for (_, sql) in &triggers {
        connection.execute_batch(sql).unwrap();
    }
    written
}

fn encrypted(path: impl Into<PathBuf>) -> Options {
    Options {
        keys: Some(keeper("m1")),
        ..Options::file(path)
    }
}

/// Runs `law` on a state in a file, and on one that is encrypted; the writer makes all rows of one ready, and
/// others those of the other.
fn in_files(law: impl Fn(&Options)) {
    for (preparers, of) in [(0, Options::file as fn(_) -> _), (3, encrypted)] {
        let (_folder, path) = file();
        law(&Options {
            preparers,
            ..of(path)
        });
    }
}

/// Runs `law` on a state in a database of PostgreSQL, and on one that is encrypted, if there is a
/// server.
fn in_databases(law: impl Fn(&Options)) {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    for keys in [None, Some(keeper("m1"))] {
        let database = server.database();
        let address: PostgresAddress = database.by_socket().parse().unwrap();
        law(&Options {
            keys,
            // The tests' server waits for no disk.
            synchronous_full: false,
            readers: 2,
            ..Options::postgres(address, "platform")
        });
    }
}

/// Runs `law` on states that outlive their store: in files and in databases, plain and encrypted.
fn durably(law: impl Fn(&Options)) {
    in_files(&law);
    in_databases(&law);
}

/// Runs `law` on a fresh state in each place that there is.
fn everywhere(law: impl Fn(Options)) {
    durably(|options| law(options.clone()));
    law(Options::memory());
}

/// The tables whose rows have a ciphertext.
fn encrypted_tables() -> impl Iterator<Item = &'static str> {
    let all = crate::schema::tables::ALL.iter();
    let encrypted = all.filter(|table| table.columns.iter().any(|it| it.name == "cipher"));
    encrypted.map(|table| table.name)
}

/// The queries of pages and of opening, with values for their parameters.
fn queries() -> Vec<String> {
    let pages = crate::read::records::pages().into_iter();
    let pages = pages.chain(crate::read::tasks::pages());
    let opening = [
        crate::read::tasks::OPEN,
        crate::row::negotiation::OPEN,
        crate::row::negotiation::OF_OPEN_TASKS,
    ];
    let all = pages.chain(opening.map(str::to_owned));
    let values = [
        (":task", "'t'"),
        (":parent", "'t'"),
        (":party", "'p'"),
        (":time", "1"),
        (":number", "1"),
        (":limit", "1"),
        (":executor", "'e'"),
        (":until", "9"),
        (":conversation", "'c'"),
        (":counterparty", "'c'"),
        (":from", "'p'"),
        (":since", "0"),
        ("?1", "'1'"),
        ("?2", "'p'"),
        ("?3", "1"),
        (":end", "9"),
    ];
    let given = |sql: String| {
        let one = |sql: String, (name, value): (&str, &str)| sql.replace(name, value);
        values.into_iter().fold(sql, one)
    };
    all.map(given).collect()
}

/// A content with everything in it that is hard to store: quotes, headings in bodies, numbers.
fn content(description: &str) -> Content {
    let mut content = Content::new("link:a--b", description).with_payload(Payload::new(
        "fault_diagnosis_v1",
        serde_json::json!({"pi": 0.1 + 0.2, "tiny": 5e-324, "big": u64::MAX, "list": [null, true, "ü\u{0}"]}),
    ));
    content.environmental_information = Some("## not a heading\n\"quoted\"".into());
    content.terms = vec![("los".into(), "loss of signal".into())];
    content.others = vec![("notes".into(), String::new())];
    content.asynchronous = Some(true);
    content.progress = Some("40 %".into());
    content.expecting("restored").with_result("done")
}

fn task(id: &str) -> Task {
    let text = "## target object\nlink:a--b".to_owned();
    Task::assigned(
        TaskId::new(id),
        "oss",
        "ran",
        text,
        content(id),
        true,
        at(1_000),
    )
}

/// The task after `command`.
fn after(task: &Task, command: Command) -> Task {
    let mut next = task.clone();
    let event = task.decide(command, at(2_000)).unwrap();
    next.apply(&event);
    next
}

fn notification(task: &Task, previous: Option<Status>) -> LogEvent {
    LogEvent::Task(Arc::new(Notification {
        time: task.changed_at,
        task: task.id.clone(),
        from: task.to.clone(),
        to: task.from.clone(),
        verb: Verb::TaskResultNotify,
        asynchronous: task.asynchronous,
        status: task.status,
        previous,
        start_time: task.created_at,
        percent: task.percent,
        content: task.content.clone(),
        awaits: task.awaits,
        data: previous.map(|_| "d1".to_owned()),
    }))
}

fn session(number: u32) -> LogEvent {
    LogEvent::SessionStarted {
        username: "operator".into(),
        session: number,
        source_host: "127.0.0.1".into(),
    }
}

fn ended(number: u32) -> LogEvent {
    LogEvent::SessionEnded {
        username: "operator".into(),
        session: number,
        source_host: String::new(),
        killed_by: Some(7),
        reason: Termination::Killed,
    }
}

fn exchange(id: &str, task: Option<&str>, from: &str, to: &str, ms: i64) -> Exchange {
    Exchange {
        id: id.into(),
        task: task.map(TaskId::new),
        from: from.into(),
        to: to.into(),
        verb: Verb::TaskAssign,
        request: format!("request {id}"),
        request_time: at(ms),
        response: None,
        response_time: None,
    }
}

fn data(id: &str, task: Option<&str>, from: &str, to: &str) -> DataParam {
    let parties = [from.into(), to.into()];
    let text = format!("data {id}");
    let data = DataParam::inline(id.into(), parties, "a reply", "text/plain", text, at(1_000));
    DataParam {
        task: task.map(TaskId::new),
        ..data
    }
}

fn tasks(tasks: &[&Task]) -> Batch {
    Batch {
        tasks: tasks.iter().map(|t| Arc::new((*t).clone())).collect(),
        ..Batch::default()
    }
}

fn happenings(happenings: Vec<(i64, LogEvent)>) -> Batch {
    let happenings = happenings.into_iter();
    Batch {
        happenings: happenings.map(|(ms, h)| (at(ms), h)).collect(),
        ..Batch::default()
    }
}

/// A batch with one of everything.
fn everything(id: &str) -> Batch {
    let task = task(id);
    Batch {
        exchanges: vec![exchange(&format!("x-{id}"), Some(id), "oss", "ran", 1_000)],
        data: vec![data(&format!("d-{id}"), Some(id), "oss", "ran")],
        happenings: vec![
            (at(1_000), notification(&task, None)),
            (at(1_001), session(1)),
            (at(1_002), ended(1)),
        ],
        tasks: vec![Arc::new(task)],
        ..Batch::default()
    }
}
