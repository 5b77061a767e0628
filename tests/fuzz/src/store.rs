//! A state that was tampered with: bytes changed, truncated, rows changed and deleted.
//!
//! Opening, reading and verifying terminate for any content; what is read was written, or is
//! refused; and a state that verifies is complete. Knows no table: it asks SQLite for them.

use domain::content::{Content, Payload};
use domain::context::{DataParam, Exchange};
use domain::event::{Entry, LogEvent};
use domain::task::{Command, Task, TaskId};
use domain::time::Timestamp;
use domain::verb::Verb;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use store::{
    Batch, ChainReport, Filter, HeldKeys, Options, RandomSource, Secret, Store, TaskFilter,
};
use store::{VerifyOptions, verify_with_keys};

/// The content of a state, as far as it can be read.
#[derive(Debug, PartialEq)]
struct Held {
    tasks: Vec<Task>,
    exchanges: Vec<Exchange>,
    data: Vec<DataParam>,
    bytes: Vec<u8>,
    entries: Vec<Arc<Entry>>,
}

/// A state as it was closed.
struct Sound {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
    held: Held,
}

/// A state with plain payloads, or one with encrypted payloads.
fn sound(encrypted: bool) -> &'static Sound {
    static STATES: [OnceLock<Sound>; 2] = [const { OnceLock::new() }; 2];
    STATES[usize::from(encrypted)].get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.db");
        let (store, _) = Store::open(options(&path, encrypted), Box::new(|_| {})).expect("new");
        for batch in batches() {
            store.commit(batch).wait().expect("it is stored");
        }
        let held = read(&store, true).expect("it is read");
        drop(store);
        let bytes = std::fs::read(&path).expect("it was closed");
        Sound {
            folder,
            bytes,
            held,
        }
    })
}

fn options(path: &Path, encrypted: bool) -> Options {
    let chance: RandomSource = Box::new(|bytes: &mut [u8]| {
        bytes.fill(7);
        Ok(())
    });
    let keeper = || Arc::new(HeldKeys::new("m1", Secret::new([5; 32]), chance)) as _;
    Options {
        keys: encrypted.then(keeper),
        // Nothing here has to survive a power cut.
        synchronous_full: false,
        readers: 1,
        ..Options::file(path)
    }
}

fn batches() -> Vec<Batch> {
    (0..4).map(batch).collect()
}

/// A task with all its records; every second one has ended.
fn batch(number: i64) -> Batch {
    let at = Timestamp::from_ms(1_000 + number);
    let id = format!("t{number}");
    let content = Content::new("link:a--b", "mend it").with_payload(Payload::new(
        "fault_diagnosis_v1",
        serde_json::json!({"n": number}),
    ));
    let text = "## target object\nlink:a--b".to_owned();
    let mut task = Task::assigned(TaskId::new(&*id), "oss", "ran", text, content, true, at);
    let mut tasks = vec![Arc::new(task.clone())];
    if number % 2 == 1 {
        let cancelled = task.decide(Command::Cancel, at).expect("it is open");
        task.apply(&cancelled);
        tasks.push(Arc::new(task));
    }
    let parties = ["oss".to_owned(), "ran".to_owned()];
    let data = DataParam::inline(
        format!("d{number}"),
        parties,
        "a reply",
        "text/plain",
        "it is mended".to_owned(),
        at,
    );
    Batch {
        tasks,
        exchanges: vec![Exchange {
            id: format!("x{number}"),
            task: Some(TaskId::new(&*id)),
            from: "oss".into(),
            to: "ran".into(),
            verb: Verb::TaskAssign,
            request: format!("request {number}"),
            request_time: at,
            response: Some("accepted".into()),
            response_time: Some(at),
        }],
        data: vec![data],
        happenings: vec![(
            at,
            LogEvent::SessionStarted {
                username: "operator".into(),
                session: 7,
                source_host: "127.0.0.1".into(),
            },
        )],
        ..Batch::default()
    }
}

/// Changes a state as selected by the bytes, and then does all that can be done with a state.
///
/// Bit 0 of the first byte: encrypted or not. Bit 1: rows are changed, else bytes of the file.
pub fn state(data: &[u8]) {
    let (choice, data) = data.split_first().unwrap_or((&0, &[]));
    let encrypted = choice & 1 == 1;
    let sound = sound(encrypted);
    let path = sound.folder.path().join("changed.db");
    clear(&path);
    let rows = choice & 2 == 2;
    let bytes = if rows {
        sound.bytes.clone()
    } else {
        spoiled(&sound.bytes, data)
    };
    std::fs::write(&path, bytes).expect("there is room");
    if rows {
        change_rows(&path, data);
    }
    looked_at(&path, sound, encrypted);
    clear(&path);
}

/// Removes a state and its companion files.
fn clear(path: &Path) {
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        drop(std::fs::remove_file(PathBuf::from(name)));
    }
}

/// Applies changes of five bytes each: a position of three bytes, and the new value; a last byte of
/// 0 truncates the file there.
fn spoiled(bytes: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for change in data.chunks_exact(5) {
        let place = u32::from_be_bytes([0, change[0], change[1], change[2]]) as usize;
        let at = place % bytes.len().max(1);
        match change[4] {
            0 => bytes.truncate(at.max(1)),
            _ => bytes[at] ^= change[3],
        }
    }
    bytes
}

/// Applies changes of four bytes each: table, row, column, and a value; SQLite may reject changes.
fn change_rows(path: &Path, data: &[u8]) {
    let Ok(connection) = Connection::open(path) else {
        return;
    };
    let names = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).expect("a query of ours");
        let names = statement.query_map([], |row| row.get(0)).expect("names");
        names.map(|name| name.expect("text")).collect()
    };
    for trigger in names("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
        connection
            .execute_batch(&format!("DROP TRIGGER {trigger}"))
            .expect("it is there");
    }
    let tables = names(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    );
    let tables: Vec<_> = tables
        .into_iter()
        .map(|table| {
            let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
            (table, columns)
        })
        .collect();
    for change in data.chunks(12) {
        let [table, row, column, rest @ ..] = change else {
            break;
        };
        let (table, columns) = &tables[usize::from(*table) % tables.len()];
        let column = &columns[usize::from(*column) % columns.len()];
        let chosen = format!("(SELECT rowid FROM {table} LIMIT 1 OFFSET {})", row % 16);
        let (sql, value) = match value(rest) {
            Some(value) => (
                format!("UPDATE {table} SET {column} = ?1 WHERE rowid = {chosen}"),
                Some(value),
            ),
            None if row & 128 == 0 => (format!("DELETE FROM {table} WHERE rowid = {chosen}"), None),
            None => (
                format!(
                    "UPDATE {table} SET {column} = (SELECT {column} FROM {table} LIMIT 1) WHERE rowid = {chosen}"
                ),
                None,
            ),
        };
        drop(connection.execute(&sql, params_from_iter(value)));
    }
}

/// A value of any SQLite type; none if there are no more bytes.
fn value(bytes: &[u8]) -> Option<Value> {
    let (kind, rest) = bytes.split_first()?;
    Some(match kind % 5 {
        0 => Value::Null,
        1 => Value::Integer(
            rest.iter()
                .fold(0, |sum, byte| (sum << 8) | i64::from(*byte)),
        ),
        2 => Value::Real(f64::from(rest.first().copied().unwrap_or(0)) / 7.0),
        3 => Value::Text(String::from_utf8_lossy(rest).into_owned()),
        _ => Value::Blob(rest.to_vec()),
    })
}

fn looked_at(path: &Path, sound: &Sound, encrypted: bool) {
    let options = options(path, encrypted);
    let plain = store::verify(path);
    let whole = match &options.keys {
        Some(keeper) => verify_with_keys(path, VerifyOptions::default(), keeper.as_ref()).ok(),
        None => plain.ok(),
    };
    let is_sound = whole.as_ref().is_some_and(ChainReport::is_sound);
    match Store::open(options, Box::new(|_| {})) {
        Ok((store, _)) => match read(&store, false) {
            Ok(held) => {
                genuine(&held, &sound.held);
                // The order of rows is nobody's promise; that they are there is.
                assert!(
                    !is_sound || counts(&held) == counts(&sound.held),
                    "sound, but not whole: {held:?}"
                );
            }
            Err(refused) => assert!(!is_sound, "sound, but {refused}"),
        },
        Err(refused) => assert!(!is_sound, "sound, but {refused}"),
    }
}

fn counts(held: &Held) -> [usize; 4] {
    [
        held.tasks.len(),
        held.exchanges.len(),
        held.data.len(),
        held.entries.len(),
    ]
}

/// Everything that is read was once written.
fn genuine(held: &Held, sound: &Held) {
    fn among<T: PartialEq + Debug>(found: &[T], written: &[T]) {
        for one in found {
            assert!(written.contains(one), "served, but never written: {one:?}");
        }
    }
    among(&held.tasks, &sound.tasks);
    among(&held.exchanges, &sound.exchanges);
    among(&held.data, &sound.data);
    among(&held.entries, &sound.entries);
    assert!(held.bytes.is_empty() || held.bytes == sound.bytes);
}

/// Reads everything. What is refused is left out, unless `strictly`.
fn read(store: &Store, strictly: bool) -> Result<Held, store::ReadError> {
    let every = Filter::default();
    let held = Held {
        tasks: store.tasks(&TaskFilter::default())?.rows,
        exchanges: store.exchanges(&every)?.rows,
        data: store.data_params(&every)?.rows,
        bytes: match store.read_data("d0", 0, 1_000) {
            Ok(bytes) => bytes,
            Err(refused) if strictly => return Err(refused),
            Err(_) => Vec::new(),
        },
        entries: store.entries(0, 1_000)?,
    };
    let report = store.verify()?;
    assert!(!strictly || report.is_sound(), "{report:?}");
    Ok(held)
}
