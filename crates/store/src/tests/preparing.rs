//! Rows are made ready by several threads: in order, under the keys in force, with no nonce twice; and what the
//! writer knows of the rows that it replaces.

use super::removal::{life, put};
use super::*;
use crate::cipher::Header;
use crate::row::entry;
use crate::row::replaceable::Replaceable;
use crate::row::standing::{RowPlace, Standing};
use crate::row_keys::RowKeys;
use crate::sql::Session;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::AtomicBool;
use std::thread;

/// The threads that commit, and the tasks of each.
const COMMITTERS: usize = 4;
const TASKS: usize = 150;

fn prepared_by(preparers: usize, options: Options) -> Options {
    Options {
        preparers,
        ..options
    }
}

/// The period and the count of each ciphertext in a file.
fn nonces(path: &Path) -> Vec<(u32, u64)> {
    let connection = Connection::open(path).unwrap();
    let of = |table: &'static str| {
        let sql = format!("SELECT cipher FROM {table} WHERE cipher IS NOT NULL");
        let mut statement = connection.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0));
        let header = |cipher: Vec<u8>| Header::parse(entry::ciphertext(&cipher)).unwrap();
        let headers: Vec<Header> = rows.unwrap().map(|row| header(row.unwrap())).collect();
        headers
    };
    let headers = encrypted_tables().flat_map(of);
    headers
        .map(|header| (header.period, header.count))
        .collect()
}

/// An assignment with everything, and the end of it.
fn halves(id: &str) -> (Batch, Batch) {
    let begun = encrypted::secrets(id);
    let mut asked = begun.exchanges[0].clone();
    asked.response = Some(format!("d-{id}"));
    let ended = after(&begun.tasks[0], Command::Cancel);
    let ended = Batch {
        happenings: vec![(at(2_000), notification(&ended, Some(Status::Created)))],
        tasks: vec![Arc::new(ended)],
        exchanges: vec![asked],
        negotiations: begun.negotiations.clone(),
        ..Batch::default()
    };
    (begun, ended)
}

#[test]
fn no_nonce_is_used_twice_while_keys_rotate_and_many_commit() {
    for preparers in [0, 3] {
        let (_folder, path) = file();
        let (store, _) = open(prepared_by(preparers, encrypted(&path)));
        let goes = AtomicBool::new(true);
        thread::scope(|scope| {
            let committers = (0..COMMITTERS).map(|committer| {
                let store = &store;
                scope.spawn(move || {
                    let mut tickets = VecDeque::new();
                    for n in 0..TASKS {
                        let (begun, ended) = halves(&format!("{committer}-{n}"));
                        tickets.extend([store.commit(begun), store.commit(ended)]);
                        while tickets.len() > 16 {
                            tickets.pop_front().unwrap().wait().unwrap();
                        }
                    }
                    tickets.into_iter().for_each(|it| it.wait().unwrap());
                })
            });
            let committers: Vec<_> = committers.collect();
            let rotating = scope.spawn(|| {
                let mut rotations = 0;
                while goes.load(Relaxed) || rotations < 3 {
                    store.rotate().unwrap().wait().unwrap();
                    rotations += 1;
                    // Older data keys are deleted: what is still under one would be lost.
                    if rotations % 4 == 0 {
                        store.reencrypt().wait().unwrap();
                    }
                }
                rotations
            });
            committers.into_iter().for_each(|it| it.join().unwrap());
            goes.store(false, Relaxed);
            assert!(rotating.join().unwrap() >= 3);
        });
        for (committer, n) in (0..COMMITTERS).flat_map(|c| (0..TASKS).map(move |n| (c, n))) {
            let id = TaskId::new(format!("{committer}-{n}"));
            let task = store.task(&id).unwrap().unwrap();
            assert_eq!(
                (task.status, &*task.text),
                (Status::Cancelled, encrypted::SECRET)
            );
            assert!(
                store
                    .exchange(&format!("x-{id}"))
                    .unwrap()
                    .unwrap()
                    .response
                    .is_some()
            );
        }
        assert_eq!(
            store.entries(0, usize::MAX).unwrap().len(),
            2 * COMMITTERS * TASKS
        );
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{:?}", report.faults);
        drop(store);
        let nonces = nonces(&path);
        assert!(nonces.len() > 8 * COMMITTERS * TASKS, "{}", nonces.len());
        let different: BTreeSet<_> = nonces.iter().collect();
        assert_eq!(different.len(), nonces.len());
        // All sums are looked at once more when it is opened.
        drop(open(prepared_by(preparers, encrypted(&path))));
    }
}

#[test]
fn batches_are_stored_in_the_order_of_the_calls() {
    everywhere(|options| {
        let (store, _) = open(prepared_by(3, options));
        // Some take long to make ready, the next one none.
        let tickets = (0..200).map(|n| {
            let long = "x".repeat(if n % 3 == 0 { 100_000 } else { 0 });
            store.commit(Batch {
                happenings: vec![(at(n.into()), session(n))],
                observations: vec![long],
                ..Batch::default()
            })
        });
        let tickets: Vec<_> = tickets.collect();
        tickets.into_iter().for_each(|it| it.wait().unwrap());
        let entries = store.entries(0, usize::MAX).unwrap();
        let told: Vec<_> = entries
            .iter()
            .map(|entry| entry.happening.clone())
            .collect();
        let said: Vec<_> = (0..200).map(session).collect();
        assert_eq!(told, said);
    });
}

#[test]
fn what_stands_is_known_and_not_looked_up() {
    everywhere(|options| {
        let (store, _) = open(options);
        let (mut begun, mut ended) = halves("one");
        for batch in [&mut begun, &mut ended] {
            batch.negotiations.clear();
            (batch.teams, batch.pushes, batch.documents) = Default::default();
        }
        put(&store, begun);
        let before = store.statistics();
        put(&store, ended.clone());
        let after = store.statistics();
        // The task and the exchange.
        assert_eq!(after.known - before.known, 2);
        assert_eq!(after.looked_up, before.looked_up);
        let stale = store.commit(ended).wait();
        assert!(
            matches!(stale, Err(CommitError::Conflict { .. })),
            "{stale:?}"
        );
    });
}

fn documents(all: &[(&str, Option<&str>)]) -> Batch {
    let document = |(name, body): &(&str, Option<&str>)| Document {
        kind: "pool".into(),
        name: (*name).to_owned(),
        body: body.map(str::to_owned),
    };
    Batch {
        documents: all.iter().map(document).collect(),
        ..Batch::default()
    }
}

fn bodies(store: &Store) -> Vec<(String, String)> {
    let all = store.documents("pool").unwrap().into_iter();
    all.map(|it| (it.name, it.body.unwrap())).collect()
}

#[test]
fn a_document_that_stands_is_known_and_one_that_does_not_is_looked_up() {
    everywhere(|options| {
        let (store, _) = open(options);
        put(
            &store,
            documents(&[("a", Some("1")), ("b", Some("1")), ("c", Some("1"))]),
        );
        let before = store.statistics();
        put(&store, documents(&[("a", Some("2")), ("b", None)]));
        put(&store, documents(&[("a", None)]));
        let after = store.statistics();
        assert_eq!(after.known - before.known, 3);
        assert_eq!(after.looked_up, before.looked_up);
        // What is deleted is not known to be so: that is looked up, and nothing is deleted twice.
        let again = [
            ("a", None),
            ("a", Some("3")),
            ("a", None),
            ("a", None),
            ("a", Some("4")),
        ];
        put(&store, documents(&again));
        assert_eq!(
            bodies(&store),
            [
                ("c".to_owned(), "1".to_owned()),
                ("a".to_owned(), "4".to_owned())
            ]
        );
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn documents_that_stood_before_the_start_are_replaced_and_deleted() {
    durably(|options| {
        let (store, _) = open(options.clone());
        put(&store, documents(&[("a", Some("1")), ("b", Some("1"))]));
        drop(store);
        let (store, _) = open(options.clone());
        let tickets = [("a", Some("2")), ("b", None), ("c", Some("1")), ("d", None)]
            .map(|one| store.commit(documents(&[one])));
        tickets.into_iter().for_each(|it| it.wait().unwrap());
        assert_eq!(
            bodies(&store),
            [
                ("a".to_owned(), "2".to_owned()),
                ("c".to_owned(), "1".to_owned())
            ]
        );
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn what_was_not_stored_is_not_known() {
    everywhere(|options| {
        let (store, _) = open(options);
        put(&store, life("one", None, 1, None));
        // A task that exists, which is found only when it is written, behind others of its group.
        let again = life("one", None, 1, None);
        let tickets = [
            life("two", None, 2, None),
            again,
            life("three", None, 3, None),
        ];
        let [two, again, three] = tickets.map(|batch| store.commit(batch));
        two.wait().unwrap();
        three.wait().unwrap();
        let refused = again.wait();
        assert!(
            matches!(refused, Err(CommitError::Conflict { found: Some(1), .. })),
            "{refused:?}"
        );
        for id in ["one", "two", "three"] {
            let ended = after(
                &store.task(&TaskId::new(id)).unwrap().unwrap(),
                Command::Cancel,
            );
            put(&store, tasks(&[&ended]));
        }
        assert_eq!(store.counts().tasks, 3);
        assert_eq!(store.counts().open, 0);
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn a_row_that_a_job_changed_is_looked_up() {
    in_files(|options| {
        let (store, _) = open(options.clone());
        put(&store, life("ended", None, 1, Some(2)));
        if options.keys.is_some() {
            store.rotate().unwrap().wait().unwrap();
        }
        store.erase(&TaskId::new("ended"), at(9)).wait().unwrap();
        store.reencrypt().wait().unwrap();
        let mut answered = exchange("x-ended", Some("ended"), "oss", "ran", 1);
        answered.response = Some("d-ended".into());
        put(
            &store,
            Batch {
                exchanges: vec![answered],
                ..Batch::default()
            },
        );
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn each_batch_is_answered_for_itself_whoever_makes_it_ready() {
    everywhere(|options| {
        let (store, _) = open(prepared_by(3, options));
        thread::scope(|scope| {
            for committer in 0..COMMITTERS {
                let store = &store;
                scope.spawn(move || {
                    let tickets = (0..20).flat_map(|n| {
                        let (begun, ended) = halves(&format!("{committer}-{n}"));
                        [begun.clone(), begun, ended.clone(), ended].map(|it| store.commit(it))
                    });
                    let tickets: Vec<_> = tickets.collect();
                    for (place, ticket) in tickets.into_iter().enumerate() {
                        match (place % 2, ticket.wait()) {
                            (0, Ok(())) | (1, Err(CommitError::Conflict { .. })) => (),
                            (_, other) => panic!("batch {place}: {other:?}"),
                        }
                    }
                });
            }
        });
        let counts = store.counts();
        assert_eq!((counts.tasks, counts.open), (20 * COMMITTERS as u64, 0));
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{:?}", report.faults);
    });
}

/// Writes a value in the place of rows that are not there, or are others.
fn is_replaced_only_as_known<V: Replaceable>(session: Session<'_>, value: &V) {
    let mut encryptor = crate::encryptor::Encryptor::default();
    let row = value.prepare(&RowKeys::default());
    let stands = value.standing(session).unwrap();
    let stands = stands.unwrap_or_else(|| {
        value
            .write(&row, session, None, RowPlace::zero(1_000), &mut encryptor)
            .unwrap()
    });
    let other = Standing {
        digest: vec![7; 32],
        ..stands.clone()
    };
    for old in [None, Some(&other)] {
        let refused = value
            .write(&row, session, old, RowPlace::zero(1_001), &mut encryptor)
            .map(drop)
            .unwrap_err();
        assert_eq!(
            refused.kind(),
            crate::failure::FailureKind::Rule,
            "{refused}"
        );
    }
    value
        .write(&row, session, Some(&stands), stands.place, &mut encryptor)
        .unwrap();
}

/// Deletes a document as it stands, and as it does not.
fn is_deleted_only_as_known(session: Session<'_>, document: &Document) {
    let mut encryptor = crate::encryptor::Encryptor::default();
    let stands = document.standing(session).unwrap().unwrap();
    let other = Standing {
        digest: vec![7; 32],
        ..stands.clone()
    };
    let refused = document
        .remove(session, &other, &mut encryptor)
        .unwrap_err();
    assert_eq!(
        refused.kind(),
        crate::failure::FailureKind::Rule,
        "{refused}"
    );
    document.remove(session, &stands, &mut encryptor).unwrap();
    assert!(document.standing(session).unwrap().is_none());
}

#[test]
fn no_row_is_replaced_that_is_another_than_was_known() {
    let (_folder, path) = file();
    drop(open(Options::file(&path)));
    behind(&path, |connection| {
        let session = Session::sqlite(connection);
        let batch = encrypted::secrets("one");
        is_replaced_only_as_known(session, batch.tasks[0].as_ref());
        is_replaced_only_as_known(session, &batch.exchanges[0]);
        is_replaced_only_as_known(session, &batch.data[0]);
        is_replaced_only_as_known(session, batch.negotiations[0].as_ref());
        is_replaced_only_as_known(session, batch.teams[0].as_ref());
        is_replaced_only_as_known(session, &batch.documents[0]);
        is_deleted_only_as_known(session, &batch.documents[0]);
        is_replaced_only_as_known(session, &pushes::config("one", "oss", "push"));
        let reach = domain::registry::Reach::Client;
        is_replaced_only_as_known(session, &kept::registration("ran", reach));
        let cursor = Cursor {
            name: "reader".into(),
            sequence: 1,
        };
        is_replaced_only_as_known(session, &cursor);
    });
}

#[test]
fn what_is_told_of_a_task_does_not_depend_on_who_was_in_the_group() {
    everywhere(|mut options| {
        // All of them are one group, which is full with the last.
        (options.batch_wait, options.batch_max) = (std::time::Duration::from_secs(60), 4);
        let (store, _) = open(options);
        let (begun, ended) = halves("one");
        let late = Batch {
            tasks: vec![Arc::new(Task {
                version: 3,
                ..ended.tasks[0].as_ref().clone()
            })],
            ..Batch::default()
        };
        let tickets = [begun, ended.clone(), late, ended].map(|batch| store.commit(batch));
        let told = tickets.map(|ticket| ticket.wait().map_err(|error| error.to_string()));
        let ended = Err("task one is cancelled and never changes again".to_owned());
        let again = "task one is stored at version Some(2), and version 2 does not follow it";
        assert_eq!(told, [Ok(()), Ok(()), ended, Err(again.to_owned())]);
        assert_eq!(store.statistics().transactions, 1);
    });
}
