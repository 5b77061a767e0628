//! Behaviour of files: reopening, locks, newer schemas, full disks.

use super::*;
use rusqlite::Connection;
use std::time::{Duration, Instant};

#[test]
fn reopening_finds_everything() {
    let (_folder, path) = file();
    let first = task("t1");
    let asked = after(&first, Command::Ask(content("which site?")));
    let (store, _) = open(Options::file(&path));
    store.commit(everything("t1")).wait().unwrap();
    store.commit(tasks(&[&task("t0")])).wait().unwrap();
    store.commit(tasks(&[&asked])).wait().unwrap();
    let entries = store.entries(0, 10).unwrap();
    drop(store);
    let (store, recovered) = open(Options {
        thorough: true,
        ..Options::file(&path)
    });
    assert_eq!(recovered.tasks, [Arc::new(task("t0")), Arc::new(asked)]);
    assert_eq!((recovered.last, recovered.last_time), (3, at(1_002)));
    assert_eq!(recovered.log_began, Some(at(1_000)));
    assert_eq!(store.entries(0, 10).unwrap(), entries);
    assert_eq!(store.statistics().last, 3);
    store
        .commit(happenings(vec![(5, session(9))]))
        .wait()
        .unwrap();
    assert_eq!(store.entries(3, 10).unwrap()[0].time, at(1_002));
    assert!(verify(&path).unwrap().is_sound());
}

#[test]
fn dropping_the_store_writes_what_is_queued() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let tickets: Vec<_> = (0..1_000)
        .map(|n| store.commit(everything(&format!("t{n}"))))
        .collect();
    drop(store);
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    let (_store, recovered) = open(Options::file(&path));
    assert_eq!((recovered.tasks.len(), recovered.last), (1_000, 3_000));
}

/// A write-ahead log that is left behind must be read by the next opening, which takes time in
/// proportion.
#[test]
fn closing_leaves_no_log_to_recover() {
    let (folder, path) = file();
    for n in 0..100 {
        let (store, _) = open(Options {
            synchronous_full: false,
            ..Options::file(&path)
        });
        let written = store.commit(everything(&format!("t{n}")));
        written.wait().unwrap();
        drop(store);
        let log = folder.path().join("state.db-wal");
        assert!(!log.exists(), "closing {n} left the log");
    }
}

#[test]
fn a_copy_taken_while_it_runs_holds_what_was_acknowledged() {
    let (folder, path) = file();
    let (store, _) = open(Options::file(&path));
    for n in 0..20 {
        store.commit(everything(&format!("t{n}"))).wait().unwrap();
    }
    // The files of a killed process: the database and its write-ahead log, not closed.
    let copy = folder.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(
        folder.path().join("state.db-wal"),
        folder.path().join("copy.db-wal"),
    )
    .unwrap();
    let (copied, recovered) = open(Options::file(&copy));
    assert_eq!((recovered.tasks.len(), recovered.last), (20, 60));
    assert!(copied.verify().unwrap().is_sound());
}

#[test]
fn a_second_opener_is_told() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let second = Store::open(Options::file(&path), Box::new(|_| {}));
    assert!(
        matches!(&second, Err(OpenError::Locked { state }) if *state == Location::from(&path)),
        "{second:?}"
    );
    drop(store);
    open(Options::file(&path));
}

#[test]
fn who_finds_the_database_locked_is_told_so() {
    let (_folder, path) = file();
    drop(open(Options::file(&path)));
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = Store::open(Options::file(&path), Box::new(|_| {}));
    assert!(matches!(&refused, Err(OpenError::Busy)), "{refused:?}");
    drop(other);
    open(Options::file(&path));
}

#[test]
fn a_newer_an_older_and_a_foreign_state_are_refused() {
    let (_folder, path) = file();
    drop(open(Options::file(&path)));
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let refused = Store::open(Options::file(&path), Box::new(|_| {}));
    assert!(
        matches!(
            refused,
            Err(OpenError::Newer {
                found: 99,
                known: crate::schema::version::NEWEST
            })
        ),
        "{refused:?}"
    );

    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    drop(connection);
    let refused = Store::open(Options::file(&path), Box::new(|_| {}));
    assert!(
        matches!(
            refused,
            Err(OpenError::Older {
                found: 1,
                oldest: 2
            })
        ),
        "{refused:?}"
    );

    let (_folder, path) = file();
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t (x)")
        .unwrap();
    let refused = Store::open(Options::file(&path), Box::new(|_| {}));
    assert!(matches!(refused, Err(OpenError::Foreign)), "{refused:?}");
}

#[test]
fn sql_holds_the_rules_that_must_hold_whatever_the_code_does() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let first = task("t1");
    store.commit(everything("t1")).wait().unwrap();
    let cancelled = after(&first, Command::Cancel);
    store.commit(tasks(&[&cancelled])).wait().unwrap();
    let connection = Connection::open(&path).unwrap();
    for sql in [
        "UPDATE task SET status = 'processing'",
        "UPDATE task SET text = ''",
        "DELETE FROM task",
        "UPDATE log SET body = ''",
        "UPDATE log SET erased = x'00', digest = x'00'",
        "DELETE FROM log",
    ] {
        assert!(connection.execute(sql, []).is_err(), "{sql}");
    }
}

#[test]
fn a_full_disk_refuses_reads_go_on_and_space_mends_it() {
    let (_folder, path) = file();
    let options = Options {
        size_max: Some(400 << 10),
        ..Options::file(&path)
    };
    let (store, _) = open(options);
    let large = |n: usize| Batch {
        data: vec![DataParam {
            body: Body::Inline("x".repeat(50_000)),
            ..data(&format!("large{n}"), None, "a", "b")
        }],
        ..everything(&format!("t{n}"))
    };
    let stored = (0..100)
        .take_while(|n| store.commit(large(*n)).wait().is_ok())
        .count();
    assert!((1..10).contains(&stored), "{stored}");
    let refused = store.commit(large(stored)).wait();
    assert!(matches!(refused, Err(CommitError::Full)), "{refused:?}");
    store.commit(Batch::default()).wait().unwrap();
    assert_eq!(store.statistics().condition, Condition::Full);
    assert_eq!(
        store.data_params(&Filter::default()).unwrap().rows.len(),
        stored
    );
    assert_eq!(store.entries(0, 1_000).unwrap().len(), 3 * stored);
    let connection = Connection::open(&path).unwrap();
    connection.execute("DELETE FROM data_param", []).unwrap();
    store.commit(large(stored)).wait().unwrap();
    assert_eq!(store.statistics().condition, Condition::Working);
    assert_eq!(store.entries(0, 1_000).unwrap().len(), 3 * stored + 3);
    let faults = store.verify().unwrap().faults;
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].table, "head", "it counts what was deleted");
}

/// SQLITE_BUSY is answered before anything is written: nothing is unknown, unlike after a failed fsync.
#[test]
fn a_state_that_another_program_locks_refuses_until_it_is_let_go() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    store.commit(everything("t1")).wait().unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store.commit(everything("t2")).wait();
    assert!(matches!(refused, Err(CommitError::Locked)), "{refused:?}");
    assert_eq!(store.statistics().condition, Condition::Locked);
    let begun = Instant::now();
    for _ in 0..20 {
        let refused = store.commit(everything("t2")).wait();
        assert!(matches!(refused, Err(CommitError::Locked)), "{refused:?}");
    }
    let waited = begun.elapsed();
    assert!(
        waited < Duration::from_secs(20),
        "one after the other: {waited:?}"
    );
    assert_eq!(store.entries(0, 10).unwrap().len(), 3, "reads go on");
    other.execute_batch("ROLLBACK").unwrap();
    store.commit(everything("t2")).wait().unwrap();
    assert_eq!(store.statistics().condition, Condition::Working);
    assert_eq!(store.entries(0, 10).unwrap().len(), 6);
    let report = store.verify().unwrap();
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

#[test]
fn a_failed_write_stops_the_store_for_good_and_reads_go_on() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    store.commit(everything("t1")).wait().unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("DROP TABLE exchange").unwrap();
    let failed = store.commit(everything("t2")).wait();
    assert!(matches!(failed, Err(CommitError::Write(_))), "{failed:?}");
    let refused = store.commit(happenings(vec![(1, session(1))])).wait();
    assert!(matches!(refused, Err(CommitError::Stopped)), "{refused:?}");
    assert_eq!(store.statistics().condition, Condition::Stopped);
    assert_eq!(store.entries(0, 10).unwrap().len(), 3);
}

/// True if a plan reads a whole table; a partial index holds only the wanted rows of it.
fn of_a_table(plan: &str) -> bool {
    let partial = ["task_open", "task_ended", "negotiation_open"];
    let whole =
        |step: &&str| step.starts_with("SCAN ") && !partial.iter().any(|i| step.ends_with(i));
    plan.split("; ").any(|step| whole(&step))
}

#[test]
fn queries_use_their_indexes() {
    let (_folder, path) = file();
    let (_store, _) = open(Options::file(&path));
    let connection = Connection::open(&path).unwrap();
    for sql in queries() {
        let sql = format!("EXPLAIN QUERY PLAN {sql}");
        let mut statement = connection.prepare(&sql).unwrap();
        let lines = statement
            .query_map([], |row| row.get::<_, String>(3))
            .unwrap();
        let plan = lines.collect::<Result<Vec<_>, _>>().unwrap().join("; ");
        assert!(
            !of_a_table(&plan) && !plan.contains("TEMP B-TREE"),
            "{sql}\n{plan}"
        );
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = file();
    let (store, _) = open(Options::file(&path));
    store.commit(everything("t1")).wait().unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(files.len(), 4, "{files:?}");
    for file in files {
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file:?}");
    }
}
