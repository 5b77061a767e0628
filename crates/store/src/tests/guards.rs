//! What the statements hold to by themselves, where a database has no triggers.

use super::removal::{life, put};
use super::*;
use crate::cipher::{Keys, Tables};
use crate::digest::ORIGIN;
use crate::encryptor::Encryptor;
use crate::failure::FailureKind;
use crate::row::{entry, task};

/// A state with an ended task, an open one and a log, without triggers.
fn untriggered(
    try_it: impl Fn(&Connection, &mut Encryptor) -> Result<(), SqlFailure>,
) -> SqlFailure {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    put(&store, life("ended", None, 1, Some(2)));
    put(&store, life("open", None, 3, None));
    drop(store);
    let refused = behind(&path, |connection| {
        try_it(connection, &mut Encryptor::default())
    });
    refused.unwrap_err()
}

#[test]
fn a_terminal_state_is_not_left() {
    for id in ["ended", "open"] {
        let left = |connection: &Connection, encryptor: &mut Encryptor| {
            let mut task = task(id);
            task.version = 7;
            let old = task::stored(connection, &task.id)?;
            task::write(connection, &task, old.as_ref(), 0, encryptor)?;
            Err(SqlFailure::rule("it was written"))
        };
        let told = match id {
            "ended" => "a terminal state is never left",
            _ => "it was written",
        };
        assert_eq!(untriggered(left).to_string(), told);
    }
}

#[test]
fn a_task_is_not_forgotten_before_a_checkpoint() {
    for number in [1, 2] {
        let refused =
            untriggered(|connection, encryptor| task::remove(connection, number, encryptor));
        assert_eq!(refused.kind(), FailureKind::Rule);
        assert!(refused.to_string().starts_with("a task is never forgotten"));
    }
}

#[test]
fn the_log_is_not_cut_before_a_checkpoint() {
    let cut = |connection: &Connection, encryptor: &mut Encryptor| {
        entry::forget_until(connection, 2, 2, encryptor)
    };
    let refused = untriggered(cut).to_string();
    assert!(refused.starts_with("the log is never cut"), "{refused}");
}

#[test]
fn an_erased_entry_is_not_erased_again() {
    let twice = |connection: &Connection, encryptor: &mut Encryptor| {
        let keys = Keys::default();
        let tables = Tables {
            connection,
            keys: &keys,
        };
        let mut statement = tables.prepare(entry::BEHIND)?;
        let mut rows = statement.query([0, 1])?;
        let row = rows.next()?.unwrap();
        let read = entry::read(row, 1, &ORIGIN, &keys).unwrap();
        let left = read.entry.happening.clone();
        entry::erase(connection, &read, &left, None, encryptor)?;
        entry::erase(connection, &read, &left, None, encryptor)
    };
    assert_eq!(
        untriggered(twice).to_string(),
        "the log is only appended to"
    );
}
