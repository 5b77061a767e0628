//! What the statements hold to by themselves, where a database has no triggers.

use super::removal::{life, put};
use super::*;
use crate::cipher::Keys;
use crate::encryptor::Encryptor;
use crate::failure::FailureKind;
use crate::read::chains::Chains;
use crate::row::numbers::THERE;
use crate::row::replaceable::put as replace;
use crate::row::{entry, task};
use crate::sql::{Session, values};

/// A state with an ended task, an open one and a log, without triggers.
fn untriggered(
    try_it: impl Fn(Session<'_>, &mut Encryptor) -> Result<(), SqlFailure>,
) -> SqlFailure {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    put(&store, life("ended", None, 1, Some(2)));
    put(&store, life("open", None, 3, None));
    drop(store);
    let refused = behind(&path, |connection| {
        try_it(Session::sqlite(connection), &mut Encryptor::default())
    });
    refused.unwrap_err()
}

#[test]
fn a_terminal_state_is_not_left() {
    for id in ["ended", "open"] {
        let left = |session: Session<'_>, encryptor: &mut Encryptor| {
            let mut task = task(id);
            task.version = 7;
            replace(session, &task, THERE, encryptor)?;
            Err(SqlFailure::of(FailureKind::Rule, "it was written"))
        };
        let told = match id {
            "ended" => "a terminal state is never left",
            _ => "it was written",
        };
        let refused = untriggered(left).to_string();
        assert!(refused.starts_with(told), "{refused}");
    }
}

#[test]
fn a_task_is_not_forgotten_before_a_checkpoint() {
    for number in [1, 2] {
        let refused = untriggered(|session, encryptor| task::remove(session, number, encryptor));
        assert_eq!(refused.kind(), FailureKind::Rule);
        assert!(refused.to_string().starts_with("a task is never forgotten"));
    }
}

#[test]
fn the_log_is_not_cut_before_a_checkpoint() {
    let cut = |session: Session<'_>, encryptor: &mut Encryptor| {
        entry::forget_until(session, 2, 2, encryptor)
    };
    let refused = untriggered(cut).to_string();
    assert!(refused.starts_with("the log is never cut"), "{refused}");
}

#[test]
fn an_erased_entry_is_not_erased_again() {
    let twice = |session: Session<'_>, encryptor: &mut Encryptor| {
        let keys = Keys::default();
        let read = session.find(entry::BEHIND, values![0_i64, 1_i64], |row| {
            let mut chains = Chains::behind(session, 0).unwrap();
            Ok::<_, SqlFailure>(chains.read(row, &keys).unwrap())
        })?;
        let read = read.unwrap();
        let left = read.entry.happening.clone();
        entry::erase(session, &read, &left, None, encryptor)?;
        entry::erase(session, &read, &left, None, encryptor)
    };
    assert_eq!(
        untriggered(twice).to_string(),
        "the log is only appended to"
    );
}
