//! Damage is found and refused, never served.

use super::*;

/// A closed state with `count` of everything.
fn closed(count: usize) -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let tickets: Vec<_> = (0..count)
        .map(|n| store.commit(everything(&format!("t{n}"))))
        .collect();
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    drop(store);
    (folder, path)
}

/// Changes rows behind the back of the triggers, as a flipped bit does.
fn spoil(path: &Path, sql: &str) {
    behind(path, |connection| {
        assert_ne!(connection.execute(sql, []).unwrap(), 0, "{sql}");
    });
}

fn refusal(path: &Path) -> (String, String) {
    match Store::open(Options::file(path), Box::new(|_| {})) {
        Err(OpenError::Corrupt { table, key }) => (table, key),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_changed_column_of_a_task_is_refused() {
    for change in [
        "text = text || ' '",
        "status = 'finished'",
        "status = 'nonsense'",
        "awaits = 'answer'",
        "percent = 1",
        "version = 2",
        "content = '{'",
        "said = '{}'",
        "id = 't9'",
        "send_to = 'other'",
        "changed_at = changed_at + 1",
        "digest = zeroblob(32)",
        "digest = zeroblob(3)",
    ] {
        let (_folder, path) = closed(3);
        spoil(&path, &format!("UPDATE task SET {change} WHERE id = 't1'"));
        assert_eq!(refusal(&path).0, "task", "{change}");
        let report = verify(&path).unwrap();
        assert_eq!(report.faults.len(), 1, "{change}: {report:?}");
    }
}

/// Opening does not read ended tasks: damage to one does not prevent it.
#[test]
fn damage_to_an_ended_task_is_refused_when_that_task_is_read() {
    let (_folder, path) = closed(3);
    {
        let (store, _) = open(Options::file(&path));
        for id in ["t0", "t1"] {
            let ended = after(&task(id), Command::Cancel);
            store.commit(tasks(&[&ended])).wait().unwrap();
        }
    }
    spoil(&path, "UPDATE task SET text = 'forged' WHERE id = 't1'");
    let (store, recovered) = open(Options::file(&path));
    assert_eq!(recovered.tasks.len(), 1);
    assert_eq!((recovered.counts.tasks, recovered.counts.open), (3, 1));
    let read = |id: &str| store.task(&TaskId::new(id));
    assert!(read("t0").unwrap().is_some());
    let refused = read("t1");
    assert!(
        matches!(&refused, Err(ReadError::Corrupt { key, .. }) if key == "t1"),
        "{refused:?}"
    );
    assert_eq!(store.verify().unwrap().faults.len(), 1);
}

#[test]
fn a_task_that_is_gone_is_missed() {
    let (_folder, path) = closed(3);
    spoil(&path, "DELETE FROM task WHERE id = 't1'");
    assert_eq!(refusal(&path).0, "head");
}

#[test]
fn a_changed_moved_or_missing_entry_is_refused() {
    for (change, found_at) in [
        (
            "UPDATE log SET body = replace(body, 'operator', 'operatoR') WHERE sequence = 5",
            "5",
        ),
        ("UPDATE log SET time = time + 1 WHERE sequence = 5", "5"),
        (
            "UPDATE log SET kind = 'session-started' WHERE sequence = 6",
            "6",
        ),
        (
            "UPDATE log SET digest = zeroblob(32) WHERE sequence = 5",
            "5",
        ),
        ("DELETE FROM log WHERE sequence = 5", "5"),
        ("DELETE FROM log WHERE sequence = 9", "8"),
        ("UPDATE head SET sequence = 8", ""),
    ] {
        let (_folder, path) = closed(3);
        spoil(&path, change);
        assert_eq!(refusal(&path).1, found_at, "{change}");
        assert!(!verify(&path).unwrap().is_sound(), "{change}");
    }
}

#[test]
fn damage_while_it_runs_is_not_served() {
    let (_folder, path) = closed(3);
    let (store, _) = open(Options::file(&path));
    spoil(
        &path,
        "UPDATE log SET body = body || ' ' WHERE sequence = 5",
    );
    let connection = Connection::open(&path).unwrap();
    connection
        .execute(
            "UPDATE exchange SET request = 'forged' WHERE id = 'x-t1'",
            [],
        )
        .unwrap();
    connection
        .execute(
            "UPDATE data_param SET data = 'forged' WHERE id = 'd-t1'",
            [],
        )
        .unwrap();
    let corrupt = |error: ReadError| match error {
        ReadError::Corrupt { table, key } => (table, key),
        other => panic!("{other:?}"),
    };
    assert_eq!(store.entries(0, 4).unwrap().len(), 4);
    assert_eq!(
        corrupt(store.entries(0, 5).unwrap_err()),
        ("log".into(), "5".into())
    );
    assert_eq!(store.entries(5, 10).unwrap().len(), 4);
    assert_eq!(
        corrupt(store.exchange("x-t1").unwrap_err()),
        ("exchange".into(), "x-t1".into())
    );
    assert!(store.exchange("x-t2").unwrap().is_some());
    assert_eq!(
        corrupt(store.data_param("d-t1").unwrap_err()).0,
        "data_param"
    );
    corrupt(store.exchanges(&Filter::default()).unwrap_err());
    let faults = store.verify().unwrap().faults;
    let found: Vec<_> = faults.iter().map(ToString::to_string).collect();
    let damaged = ["log '5'", "exchange 'x-t1'", "data_param 'd-t1'"];
    assert_eq!(found, damaged.map(|place| format!("{place} is damaged")));
}

/// Everything that a store serves, piece by piece, or the first refusal.
fn served(path: &Path) -> Result<Vec<String>, String> {
    // As in `open`: a child process of another test may hold the lock for a moment.
    let mut opened = std::iter::repeat_with(|| Store::open(Options::file(path), Box::new(|_| {})));
    let opened = opened
        .by_ref()
        .take(100_000)
        .find(|opened| !matches!(opened, Err(OpenError::Locked { .. })));
    let opened = opened.expect("the lock is let go");
    let (store, recovered) = opened.map_err(|refused| refused.to_string())?;
    let read = || -> Result<Vec<String>, ReadError> {
        let all = Filter {
            limit: usize::MAX,
            ..Filter::default()
        };
        let mut pieces = Vec::new();
        let mut put = |piece: &dyn std::fmt::Debug| pieces.push(format!("{piece:?}"));
        for n in 0..ROWS {
            let id = TaskId::new(format!("t{n}"));
            store.task(&id)?.iter().for_each(|t| put(t));
            let exchange = store.exchange(&format!("x-t{n}"))?;
            exchange.iter().for_each(|e| put(e));
            let data = store.data_param(&format!("d-t{n}"))?;
            data.iter().for_each(|d| put(d));
        }
        let tasks = store
            .tasks(&TaskFilter {
                limit: usize::MAX,
                ..TaskFilter::default()
            })?
            .rows;
        tasks.iter().for_each(|t| put(t));
        recovered.tasks.iter().for_each(|t| put(t));
        store.exchanges(&all)?.rows.iter().for_each(|e| put(e));
        store.data_params(&all)?.rows.iter().for_each(|d| put(d));
        store.entries(0, usize::MAX)?.iter().for_each(|e| put(e));
        Ok(pieces)
    };
    read().map_err(|refused| refused.to_string())
}

/// Rows of each table in the states that are damaged.
const ROWS: usize = 60;

fn damaged(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// Served rows are as written, and a state that `verify` calls sound is served whole. A flip in an
/// index may hide a row from queries; `verify` reports it. `CONVOKE_FLIPS` flips, or a hundred.
#[test]
fn a_flipped_bit_is_found_or_of_no_consequence() {
    let (_folder, path) = closed(ROWS);
    let sound = std::fs::read(&path).unwrap();
    let before = served(&path).unwrap();
    std::fs::write(&path, &sound).unwrap();
    let flips = damaged("CONVOKE_FLIPS", 100);
    // A fixed walk over the file: the same bits at every run.
    let mut place = 0x2545_f491_4f6c_dd1d_u64;
    let mut found = 0;
    for _ in 0..flips {
        place ^= place << 13;
        place ^= place >> 7;
        place ^= place << 17;
        let mut bytes = sound.clone();
        let byte = (place >> 8) as usize % bytes.len();
        bytes[byte] ^= 1 << (place % 8);
        std::fs::write(&path, &bytes).unwrap();
        let report = verify(&path);
        let is_sound = matches!(&report, Ok(report) if report.is_sound());
        found += u64::from(!is_sound);
        match served(&path) {
            Ok(after) => {
                let written = after.iter().all(|piece| before.contains(piece));
                assert!(written, "byte {byte} changed what is served");
                assert!(!is_sound || after == before, "byte {byte} hides something");
            }
            Err(why) => assert!(!is_sound, "byte {byte}: {why}, and verify finds nothing"),
        }
    }
    assert!(found > flips / 3, "{found} of {flips}");
}

/// A truncated file is refused: `CONVOKE_TRUNCATIONS` truncations, or twenty.
#[test]
fn a_truncated_file_is_refused() {
    let (_folder, path) = closed(ROWS);
    let sound = std::fs::read(&path).unwrap();
    let pages = sound.len() / 4_096;
    for n in 0..damaged("CONVOKE_TRUNCATIONS", 20) as usize {
        // In turn at a page and within one; an empty file is a new state.
        let kept = (1 + n * 7 % (pages - 1)) * 4_096 - n % 2 * 100;
        std::fs::write(&path, &sound[..kept]).unwrap();
        let thorough = Options {
            thorough: true,
            ..Options::file(&path)
        };
        let opened = Store::open(thorough, Box::new(|_| {}));
        assert!(
            matches!(opened, Err(OpenError::Corrupt { .. })),
            "{kept}: {opened:?}"
        );
    }
}

#[test]
fn a_torn_write_ahead_log_loses_nothing_before_the_tear() {
    let (folder, path) = file();
    let (store, _) = open(Options::file(&path));
    for n in 0..10 {
        store.commit(everything(&format!("t{n}"))).wait().unwrap();
    }
    let copy = folder.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    let log = std::fs::read(folder.path().join("state.db-wal")).unwrap();
    for kept in (0..=log.len()).step_by(log.len() / 23) {
        let folder = tempfile::tempdir().unwrap();
        let torn = folder.path().join("state.db");
        std::fs::copy(&copy, &torn).unwrap();
        std::fs::write(folder.path().join("state.db-wal"), &log[..kept]).unwrap();
        // A whole number of transactions is left, and they are the first ones.
        let (store, recovered) = open(Options::file(&torn));
        let count = recovered.tasks.len();
        assert_eq!(recovered.last, 3 * count as u64);
        for (n, task) in recovered.tasks.iter().enumerate() {
            assert_eq!(task.id.as_str(), format!("t{n}"));
        }
        assert!(store.verify().unwrap().is_sound());
    }
}

/// Regression: a wrong application or version number of the file, which is in no row, was refused
/// by opening, but not reported by verifying.
#[test]
fn a_file_that_opening_refuses_is_not_sound() {
    for (pragma, value) in [("application_id", 7), ("user_version", 99)] {
        let (_folder, path) = closed(1);
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, pragma, value).unwrap();
        drop(connection);
        let report = verify(&path).unwrap();
        assert_eq!(report.faults.len(), 1, "{pragma}: {report:?}");
        assert!(Store::open(Options::file(&path), Box::new(|_| {})).is_err());
    }
}
