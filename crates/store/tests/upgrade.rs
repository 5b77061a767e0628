//! Upgrades from each older release to this one, also interrupted ones: nothing is lost, and
//! downgrades that would lose something are refused.
//!
//! The states are as the older releases wrote them. A child process, this very binary started
//! again, opens one, and a shim (`upgrade/kill.c`) kills it before one of its writes to the disk;
//! then the state is opened again. The steps are the same at each run, so a few of them are taken,
//! spread over all, or `CONVOKE_UPGRADE_KILLS` for each release. Knows the public interface of the
//! store only. Read next: `store::schema`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

use domain::context::{DataParam, Exchange};
use domain::event::Entry;
use domain::push::PushConfig;
use domain::task::Task;
use domain::team::Team;
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use store::{
    Cursor, Filter, HeldKeys, KeyKeeper, Most, OpenError, Options, Recovered, Secret, Store,
    TaskFilter,
};

/// The releases, by the version of their schema, the newest last.
const RELEASES: [i32; 7] = [2, 3, 4, 5, 6, 7, 8];
/// The states from which those of the versions in between are made, by removing later additions.
const TWO: &str = include_str!("../src/tests/version-2.sql");
const FIVE: &str = include_str!("upgrade/version-5.sql");
const EIGHT: &str = include_str!("../src/tests/version-8.sql");
/// The file of a state that was made from this one, by which its master key is found.
const OF_EIGHT: &str = "eight.db";
const BEFORE_EIGHT: &str = "DROP INDEX task_by_parent;
    CREATE INDEX task_by_parent ON task (parent) WHERE parent IS NOT NULL; PRAGMA user_version = 7;";
const BEFORE_SEVEN: &str = "DROP INDEX negotiation_by_publisher;
    DROP INDEX negotiation_by_executor; DROP INDEX team_by_publisher; DROP TABLE team_candidate;
    ALTER TABLE team DROP COLUMN publisher; PRAGMA user_version = 6;";
const BEFORE_FIVE: &str = "DROP TABLE push_config; PRAGMA user_version = 4;";
const BEFORE_FOUR: &str = "DROP INDEX task_by_conversation;
    ALTER TABLE task DROP COLUMN conversation; PRAGMA user_version = 3;";

/// No limits.
const ALL: Most = Most {
    rows: usize::MAX,
    bytes: u64::MAX,
};

/// Runs one test at a time: a child process inherits every open file of this process until it has
/// executed, and with it the lock of a state that another test closes and opens again.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A state as that release left it.
fn state_of(release: i32) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let name = if release < 6 { "convoke.db" } else { OF_EIGHT };
    let path = folder.path().join(name);
    let connection = Connection::open(&path).unwrap();
    let steps = match release {
        2 => vec![TWO],
        3 => vec![FIVE, BEFORE_FIVE, BEFORE_FOUR],
        4 => vec![FIVE, BEFORE_FIVE],
        5 => vec![FIVE],
        6 => vec![EIGHT, BEFORE_EIGHT, BEFORE_SEVEN],
        7 => vec![EIGHT, BEFORE_EIGHT],
        _ => vec![EIGHT],
    };
    for sql in steps {
        connection.execute_batch(sql).unwrap();
    }
    (folder, path)
}

fn options(path: &Path) -> Options {
    let chance = Box::new(|bytes: &mut [u8]| {
        bytes.fill(9);
        Ok(())
    });
    let secret = match path.ends_with(OF_EIGHT) {
        true => Sha256::digest("m1").into(),
        false => [7; 32],
    };
    let keeper: Arc<dyn KeyKeeper> = Arc::new(HeldKeys::new("m1", Secret::new(secret), chance));
    Options {
        keys: Some(keeper),
        ..Options::file(path)
    }
}

fn open(path: &Path) -> (Store, Recovered) {
    Store::open(options(path), Box::new(|_| {})).unwrap_or_else(|e| panic!("{e}"))
}

/// Everything that can be read of a state.
#[derive(Debug, PartialEq)]
struct Held {
    recovered: Recovered,
    tasks: Vec<Task>,
    exchanges: Vec<Exchange>,
    data: Vec<DataParam>,
    bytes: Vec<Vec<u8>>,
    entries: Vec<Arc<Entry>>,
    teams: Vec<Team>,
    pushes: Vec<PushConfig>,
    observations: Vec<(u64, String)>,
    cursors: Vec<Cursor>,
}

/// Opens a state, reads it and verifies it; the writer has ended when this returns.
fn held(path: &Path) -> Held {
    let (store, recovered) = open(path);
    let every = Filter::default();
    let data = store.data_params(&every).unwrap().rows;
    let tasks = store.tasks(&TaskFilter::default()).unwrap().rows;
    let pushes = tasks
        .iter()
        .flat_map(|task| store.push_configs(&task.id).unwrap());
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    Held {
        recovered,
        exchanges: store.exchanges(&every).unwrap().rows,
        bytes: data
            .iter()
            .map(|one| store.read_data(&one.id, 0, 10_000).unwrap_or_default())
            .collect(),
        data,
        entries: store.entries(0, 10_000).unwrap(),
        teams: store.teams(ALL).unwrap().rows,
        pushes: pushes.collect(),
        tasks,
        observations: store.observations(1_000).unwrap(),
        cursors: store.cursors().unwrap(),
    }
}

/// The number of rows of each kind in a state of any release.
fn rows(path: &Path) -> [i64; 5] {
    let connection = Connection::open(path).unwrap();
    ["task", "exchange", "data_param", "log", "team"].map(|table| {
        let sql = format!("SELECT count(*) FROM {table}");
        connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    })
}

fn version(path: &Path) -> i32 {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

#[test]
fn each_release_is_brought_up_to_date_and_nothing_is_lost() {
    let _alone = alone();
    for release in RELEASES {
        let (_folder, path) = state_of(release);
        let before = rows(&path);
        let found = held(&path);
        let read = [
            found.tasks.len(),
            found.exchanges.len(),
            found.data.len(),
            found.entries.len(),
            found.teams.len(),
        ];
        assert_eq!(read.map(|count| count as i64), before, "of {release}");
        assert!(found.recovered.counts.open > 0, "of {release}");
        assert_eq!(held(&path), found, "the second opening of {release}");
        assert_eq!(rows(&path), before, "of {release}");
    }
}

/// The shim, compiled once.
static SHIM: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade/kill.c");
    testkit::shim(&source)
});

/// The role of the child process, which opens a state and is killed.
#[test]
#[ignore = "a role that the other tests start"]
fn opener() {
    drop(open(&PathBuf::from(
        std::env::var("CONVOKE_STATE").expect("the other tests start it"),
    )));
}

/// Opens and closes a state in a process that is killed before that step, if any; returns the
/// number of steps, and whether it was killed.
fn opened(path: &Path, kill_at: Option<u64>) -> (u64, bool) {
    let steps = path.with_extension("steps");
    let mut opener = Command::new(std::env::current_exe().unwrap());
    opener
        .args(["--exact", "opener", "--ignored"])
        .env("LD_PRELOAD", &SHIM.1)
        .env("CONVOKE_STATE", path)
        .env("CONVOKE_STEPS", &steps);
    if let Some(at) = kill_at {
        opener.env("CONVOKE_KILL_AT", at.to_string());
    }
    let output = opener.output().unwrap();
    let is_killed = output.status.code().is_none();
    assert!(is_killed || output.status.success(), "{output:?}");
    let taken = fs::metadata(&steps).map_or(0, |file| file.len());
    drop(fs::remove_file(steps));
    (taken, is_killed)
}

#[test]
fn a_kill_in_the_middle_of_it_loses_nothing() {
    let _alone = alone();
    let told = std::env::var("CONVOKE_UPGRADE_KILLS");
    let kills = told.map_or(10, |kills| kills.parse::<u64>().unwrap());
    for release in RELEASES {
        let (_folder, path) = state_of(release);
        let (steps, _) = opened(&path, None);
        let newest = version(&path);
        let whole = held(&path);
        let (mut killed, mut old) = (0, 0);
        for n in 0..kills.min(steps) {
            let (_folder, path) = state_of(release);
            let at = 1 + n * steps / kills.min(steps);
            let (_, is_killed) = opened(&path, Some(at));
            killed += u64::from(is_killed);
            let left = version(&path);
            assert!(
                left == release || left == newest,
                "neither the old nor the new: {left}"
            );
            old += u64::from(left == release);
            assert_eq!(
                held(&path),
                whole,
                "killed before step {at} of {steps}, from {release}"
            );
        }
        println!("{release}: {steps} steps, {killed} kills, {old} of them left the old state");
        assert!(killed > 0, "from {release}");
    }
}

/// A downgrade would lose rows of the newer release: it is refused, and nothing is touched.
#[test]
fn going_back_is_refused_and_nothing_is_touched() {
    let _alone = alone();
    let (_folder, path) = state_of(5);
    held(&path);
    let newer = version(&path) + 1;
    let connection = Connection::open(&path).unwrap();
    connection
        .pragma_update(None, "user_version", newer)
        .unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    let refused = Store::open(options(&path), Box::new(|_| {}));
    let Err(OpenError::Newer { found, known }) = &refused else {
        panic!("{:?}", refused.map(|(_, recovered)| recovered));
    };
    assert_eq!((*found, *known), (newer, newer - 1));
    let said = refused.err().unwrap().to_string();
    assert!(said.ends_with("use the newer release"), "{said}");
    assert!(fs::read(&path).unwrap() == before, "it was touched");
}
