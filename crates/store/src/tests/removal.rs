//! Retention, checkpoints, seals and erasure.

use super::*;
use domain::task::Conditions;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

/// A signing key for tests: whoever knows its secret can compute with it.
#[derive(Clone)]
pub(super) struct Key(pub(super) &'static str);

impl Signer for Key {
    fn sign(&self, message: &[u8]) -> Vec<u8> {
        Sha256::digest([self.0.as_bytes(), message].concat()).to_vec()
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        self.sign(message) == signature
    }
}

fn signed(path: &PathBuf) -> Options {
    Options {
        signer: Some(Arc::new(Key("platform"))),
        ..Options::file(path)
    }
}

fn checked(path: &std::path::Path, key: &'static str) -> ChainReport {
    let signer = Key(key);
    let how = VerifyOptions {
        signer: Some(&signer),
        ..VerifyOptions::default()
    };
    verify_with(path, how).unwrap()
}

/// A task assigned at `from` and finished at `to`, if given, in a batch with everything.
pub(super) fn life(id: &str, parent: Option<&str>, from: i64, to: Option<i64>) -> Batch {
    let mut task = task(id).under(Conditions {
        parent: parent.map(TaskId::new),
        ..Conditions::default()
    });
    (task.created_at, task.changed_at) = (at(from), at(from));
    let mut happenings = vec![(at(from), notification(&task, None))];
    let first = Arc::new(task.clone());
    let mut tasks = vec![first];
    if let Some(to) = to {
        let event = task.decide(Command::Cancel, at(to)).unwrap();
        task.apply(&event);
        happenings.push((at(to), notification(&task, Some(Status::Created))));
        tasks.push(Arc::new(task));
    }
    let exchange = exchange(&format!("x-{id}"), Some(id), "oss", "ran", from);
    Batch {
        tasks,
        happenings,
        exchanges: vec![exchange],
        data: vec![data(&format!("d-{id}"), Some(id), "oss", "ran")],
        ..Batch::default()
    }
}

pub(super) fn put(store: &Store, batch: Batch) {
    store.commit(batch).wait().unwrap();
}

pub(super) fn trim(store: &Store, now: i64, max_age_ms: i64) -> Trimmed {
    let retention = Retention {
        max_age_ms: Some(max_age_ms),
        ..Retention::default()
    };
    store.trim(at(now), &retention).wait().unwrap()
}

pub(super) fn has(store: &Store, id: &str) -> bool {
    let there = store.task(&TaskId::new(id)).unwrap().is_some();
    let exchange = store.exchange(&format!("x-{id}")).unwrap().is_some();
    let data = store.data_param(&format!("d-{id}")).unwrap().is_some();
    assert_eq!((exchange, data), (there, there), "{id}: all or nothing");
    there
}

#[test]
fn what_ended_long_ago_goes_with_everything_and_the_rest_of_the_log_verifies() {
    let (_folder, path) = file();
    let (store, _) = open(signed(&path));
    for n in 0..10 {
        put(
            &store,
            life(&format!("t{n}"), None, n * 100, Some(n * 100 + 50)),
        );
    }
    put(&store, life("open", None, 1_000, None));
    put(&store, life("late", None, 1_100, Some(1_150)));
    let began = trim(&store, 2_000, 1_551);
    // 2000 - 1551 = 449: t0 to t3 ended before that; t4 ended at 450.
    assert_eq!(
        (began.tasks, began.exchanges, began.data, began.entries),
        (4, 4, 4, 8)
    );
    assert_eq!(began.log_began, Some(at(400)));
    let left: Vec<i64> = (0..10).filter(|n| has(&store, &format!("t{n}"))).collect();
    assert_eq!(left, [4, 5, 6, 7, 8, 9]);
    assert_eq!(store.entries(0, 3).unwrap()[0].sequence, 9);
    assert_eq!(store.entries(3, 1).unwrap()[0].sequence, 9);
    assert_eq!(store.entries(12, 1).unwrap()[0].sequence, 13);
    assert_eq!(store.sequence_at(at(0)).unwrap(), 8);
    assert_eq!(store.sequence_at(at(450)).unwrap(), 9);
    assert_eq!(store.log_began().unwrap(), Some(at(400)));
    // Nothing more to do, and everything that ended, however it lies.
    assert_eq!(trim(&store, 2_000, 1_551).tasks, 0);
    let all = trim(&store, 1_000_000, 0);
    assert_eq!(
        (all.tasks, all.entries),
        (7, 12),
        "the open task holds the log"
    );
    assert!(has(&store, "open") && !has(&store, "late"));
    let counts = store.counts();
    assert_eq!(
        (counts.tasks, counts.open, counts.exchanges, counts.data),
        (1, 1, 1, 1)
    );
    drop(store);

    let report = checked(&path, "platform");
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.entries, report.last, report.tasks), (3, 23, 1));
    let checkpoint = report.checkpoint.unwrap();
    assert_eq!((checkpoint.sequence, checkpoint.tasks), (20, 11));
    assert_eq!(report.seal.unwrap().sequence, 23);
    assert!(report.signatures >= 2);
    let (store, recovered) = open(signed(&path));
    assert_eq!((recovered.last, recovered.log_began), (23, Some(at(1_000))));
    assert_eq!(recovered.tasks.len(), 1);
    put(&store, life("next", None, 2_000, Some(2_001)));
    assert_eq!(store.entries(0, 100).unwrap().len(), 5);
}

#[test]
fn a_task_stays_while_what_it_is_part_of_or_made_of_is_open() {
    everywhere(|options| {
        let (store, _) = open(options);
        put(&store, life("root", None, 0, Some(10)));
        put(&store, life("middle", Some("root"), 1, Some(9)));
        put(&store, life("leaf", Some("middle"), 2, None));
        put(&store, life("twig", Some("middle"), 2, Some(3)));
        put(&store, life("alone", None, 3, Some(4)));
        put(&store, life("whole", None, 3, None));
        put(&store, life("part", Some("whole"), 3, Some(4)));
        assert_eq!(trim(&store, 1_000, 0).tasks, 2);
        let there = ["root", "middle", "leaf", "twig", "alone", "whole", "part"];
        let there = there.map(|id| has(&store, id));
        assert_eq!(there, [true, true, true, false, false, true, true]);
        let leaf = store.task(&TaskId::new("leaf")).unwrap().unwrap();
        let mut ended = leaf.clone();
        ended.apply(&leaf.decide(Command::Cancel, at(20)).unwrap());
        put(&store, tasks(&[&ended]));
        assert_eq!(trim(&store, 1_000, 0).tasks, 3);
        assert_eq!(store.counts().tasks, 2);
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
    });
}

#[test]
fn what_belongs_to_no_task_goes_by_its_own_age() {
    everywhere(|options| {
        let (store, _) = open(options);
        let mut open_task = task("open");
        open_task.conditions.data = Some("d-wanted".into());
        let at_time = |id: &str, ms| DataParam {
            changed_at: at(ms),
            ..data(id, None, "oss", "ran")
        };
        let batch = Batch {
            exchanges: vec![
                exchange("x-old", None, "oss", "ran", 10),
                exchange("x-never", Some("never assigned"), "oss", "ran", 10),
                exchange("x-open", Some("open"), "oss", "ran", 10),
                exchange("x-new", None, "oss", "ran", 900),
            ],
            data: vec![
                at_time("d-old", 10),
                at_time("d-wanted", 10),
                at_time("d-new", 900),
            ],
            ..tasks(&[&open_task])
        };
        put(&store, batch);
        let gone = trim(&store, 1_000, 500);
        assert_eq!((gone.tasks, gone.exchanges, gone.data), (0, 2, 1));
        let found = store.exchanges(&Filter::default()).unwrap().rows;
        let found: Vec<_> = found.iter().map(|e| e.id.as_str()).collect();
        assert_eq!(found, ["x-open", "x-new"]);
        assert!(store.data_param("d-old").unwrap().is_none());
        assert!(store.data_param("d-wanted").unwrap().is_some());
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn too_many_bytes_take_the_oldest_and_leave_the_rest() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let large = |n: i64| {
        let mut batch = life(&format!("t{n}"), None, n * 10, Some(n * 10 + 5));
        batch.data[0].body = Body::Inline("x".repeat(20_000));
        batch
    };
    for n in 0..200 {
        put(&store, large(n));
    }
    let retention = Retention {
        max_bytes: Some(2 << 20),
        ..Retention::default()
    };
    let gone = store.trim(at(5_000), &retention).wait().unwrap();
    assert!(gone.bytes <= 2 << 20, "{gone:?}");
    // A slice has 64 tasks at most, and one may begin just above the bound.
    assert!((50..200).contains(&gone.tasks), "{gone:?}");
    let left: Vec<i64> = (0..200).filter(|n| has(&store, &format!("t{n}"))).collect();
    assert_eq!(left, (gone.tasks as i64..200).collect::<Vec<_>>());
    // Freed pages are filled again: the file does not grow.
    let size = || std::fs::metadata(&path).unwrap().len();
    let move_pages = || {
        let connection = Connection::open(&path).unwrap();
        // The thread that moves pages may just be at it.
        let is_busy = || {
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            connection.query_row(sql, [], |row| row.get::<_, bool>(0))
        };
        while is_busy().unwrap() {
            std::thread::yield_now();
        }
    };
    move_pages();
    let before = size();
    for n in 200..200 + gone.tasks as i64 {
        put(&store, large(n));
    }
    move_pages();
    assert!(size() <= before + (200 << 10), "{} after {before}", size());
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn a_log_that_an_open_task_holds_goes_by_its_own_age() {
    everywhere(|options| {
        let (store, _) = open(options);
        put(&store, life("standing", None, 0, None));
        put(&store, life("t1", None, 10, Some(20)));
        assert_eq!(trim(&store, 1_000, 0).entries, 0);
        let retention = Retention {
            log_max_age_ms: Some(985),
            ..Retention::default()
        };
        let gone = store.trim(at(1_000), &retention).wait().unwrap();
        assert_eq!((gone.entries, gone.log_began), (2, Some(at(20))));
        assert!(has(&store, "standing"));
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn a_long_trim_goes_in_slices_and_commits_go_on() {
    everywhere(|options| {
        let (store, _) = open(options);
        let tickets: Vec<_> = (0..3_000)
            .map(|n| store.commit(life(&format!("t{n}"), None, n, Some(n + 1))))
            .collect();
        tickets.into_iter().for_each(|t| t.wait().unwrap());
        let before = store.statistics().transactions;
        let retention = Retention {
            max_age_ms: Some(0),
            ..Retention::default()
        };
        let trimming = store.trim(at(1_000_000), &retention);
        // Commits during the trim do not wait for its end.
        let mut commits = 0;
        while store.counts().tasks > 500 {
            put(&store, happenings(vec![(2_000_000, session(commits))]));
            commits += 1;
        }
        assert!(commits > 5, "{commits}");
        assert_eq!(trimming.wait().unwrap().tasks, 3_000);
        assert!(store.statistics().transactions >= before + u64::from(commits));
        assert!(store.verify().unwrap().is_sound());
    });
}

#[test]
fn pieces_of_data_that_went_go_too_and_never_become_those_of_others() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let mut batch = life("t1", None, 0, Some(1));
    batch.data[0].body = Body::Chunked(domain::context::Chunked {
        size: 50 * 10,
        sha256: None,
        finished: true,
    });
    batch.chunks = (0..50)
        .map(|n| Chunk {
            data: "d-t1".into(),
            offset: n * 10,
            bytes: Arc::new([n as u8; 10]),
        })
        .collect();
    put(&store, batch);
    assert_eq!(trim(&store, 1_000, 0).data, 1);
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.chunks, 0);
    // Interrupted: the data are gone and pieces are left.
    put(&store, life("t2", None, 0, None));
    let connection = Connection::open(&path).unwrap();
    let left = "INSERT INTO data_chunk (data, offset, digest, bytes) VALUES (77, 0, x'00', x'01')";
    connection.execute(left, []).unwrap();
    drop(connection);
    drop(store);
    let (store, _) = open(Options::file(&path));
    put(
        &store,
        Batch {
            data: vec![DataParam {
                changed_at: at(900),
                ..data("later", None, "oss", "ran")
            }],
            ..Batch::default()
        },
    );
    let connection = Connection::open(&path).unwrap();
    let number = "SELECT number FROM data_param WHERE id = 'later'";
    let number: i64 = connection.query_row(number, [], |r| r.get(0)).unwrap();
    assert_eq!(number, 78);
    trim(&store, 1_000, 500);
    assert_eq!(store.verify().unwrap().chunks, 0);
}

#[test]
fn damage_is_not_cut_away() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    put(&store, life("t1", None, 0, Some(1)));
    put(&store, life("t2", None, 2, Some(3)));
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("DROP TRIGGER the_log_is_never_rewritten")
        .unwrap();
    connection
        .execute("UPDATE log SET body = body || ' ' WHERE sequence = 3", [])
        .unwrap();
    let retention = Retention {
        max_age_ms: Some(0),
        ..Retention::default()
    };
    let refused = store.trim(at(1_000), &retention).wait();
    assert!(
        matches!(refused, Err(CommitError::Damaged { .. })),
        "{refused:?}"
    );
    put(&store, life("t3", None, 4, None));
    assert_eq!(store.statistics().condition, Condition::Working);
}

#[test]
fn a_forged_head_checkpoint_or_seal_is_found_by_who_knows_the_key() {
    let (_folder, path) = file();
    let (store, _) = open(signed(&path));
    for n in 0..5 {
        put(
            &store,
            life(&format!("t{n}"), None, n * 100, Some(n * 100 + 50)),
        );
    }
    trim(&store, 1_000, 800);
    drop(store);
    assert!(checked(&path, "platform").is_sound());
    let faults = checked(&path, "somebody else").faults;
    let tables: Vec<_> = faults.iter().map(|f| f.table.as_str()).collect();
    assert_eq!(tables, ["checkpoint", "seal"]);
    // A state that was never signed says nothing against its rows; one that must be signed does.
    assert!(verify(&path).unwrap().is_sound());
    // An attacker can remove the last entry and rewrite head and counts, but not sign them.
    {
        let (store, _) = open(Options::file(&path));
        put(&store, life("forged", None, 5_000, Some(5_001)));
    }
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "DROP TRIGGER the_log_is_never_rewritten; DROP TRIGGER the_log_is_never_cut;
             CREATE TABLE copy AS SELECT * FROM log WHERE sequence > 10;
             DELETE FROM log WHERE sequence >= 10;
             UPDATE copy SET sequence = sequence - 1;
             INSERT INTO log SELECT * FROM copy; DROP TABLE copy;",
        )
        .unwrap();
    drop(connection);
    let faults = checked(&path, "platform").faults;
    assert!(faults.iter().any(|f| f.table == "seal"), "{faults:?}");
}

#[test]
fn what_was_said_about_a_task_is_erased_and_the_rest_verifies() {
    let (_folder, path) = file();
    let secret = "a-very-secret-subscriber";
    let (store, _) = open(signed(&path));
    put(&store, life("t0", None, 0, Some(1)));
    let mut batch = life("t1", None, 10, Some(20));
    for task in &mut batch.tasks {
        let mut with = task.as_ref().clone();
        with.text = secret.into();
        with.content = content(secret);
        with.result = Some(content(secret));
        *task = Arc::new(with);
    }
    batch.happenings = vec![
        (at(10), notification(&batch.tasks[0], None)),
        (at(20), notification(&batch.tasks[1], Some(Status::Created))),
    ];
    batch.exchanges[0].request = secret.into();
    batch.data[0].body = Body::Inline(secret.into());
    put(&store, batch);
    put(&store, life("t2", None, 30, None));
    let entries = store.entries(0, 100).unwrap();
    let before = store.verify().unwrap().digest;

    let open_task = store.erase(&TaskId::new("t2"), at(99)).wait();
    assert!(
        matches!(open_task, Err(CommitError::Open { .. })),
        "{open_task:?}"
    );
    let unknown = store.erase(&TaskId::new("?"), at(99)).wait();
    assert!(
        matches!(unknown, Err(CommitError::UnknownTask { .. })),
        "{unknown:?}"
    );
    let id = TaskId::new("t1");
    assert_eq!(store.erasure(&id).unwrap(), None);
    let record = store.erase(&id, at(99)).wait().unwrap();
    assert_eq!((record.exchanges, record.data, record.entries), (1, 1, 2));
    assert_eq!(store.erase(&id, at(100)).wait().unwrap(), record);
    assert_eq!(store.erasure(&id).unwrap(), Some(record));

    let left = store.task(&id).unwrap().unwrap();
    assert_eq!((left.status, left.text.as_str()), (Status::Cancelled, ""));
    assert_eq!(store.exchange("x-t1").unwrap().unwrap().request, "");
    let after = store.entries(0, 100).unwrap();
    assert_eq!(after.len(), entries.len());
    for (was, is) in entries.iter().zip(&after) {
        let about = |e: &domain::event::Entry| match &e.happening {
            LogEvent::Task(told) => (told.task.clone(), told.status),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (was.sequence, was.time, about(was)),
            (is.sequence, is.time, about(is))
        );
        assert_eq!(
            was == is,
            about(was).0 != id,
            "only what it says of t1 is blank"
        );
    }
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.erased, report.digest), (2, before));
    drop(store);
    for file in ["state.db", "state.db-wal"] {
        let bytes = std::fs::read(path.with_file_name(file)).unwrap_or_default();
        let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
        assert!(!found, "{file} still holds it");
    }
    assert!(checked(&path, "platform").is_sound());
    // Blanking a body without the key is found.
    let connection = Connection::open(&path).unwrap();
    let spoil = "UPDATE log SET body = '', erased = zeroblob(64) WHERE sequence = 1";
    connection.execute(spoil, []).unwrap();
    assert!(!checked(&path, "platform").is_sound());
}

#[test]
fn the_head_is_sealed_when_the_store_closes() {
    let (_folder, path) = file();
    let (store, _) = open(signed(&path));
    put(&store, life("t1", None, 0, Some(1)));
    assert_eq!(store.verify().unwrap().seal, None);
    drop(store);
    let report = checked(&path, "platform");
    assert!(report.is_sound(), "{report:?}");
    let seal = report.seal.unwrap();
    assert_eq!((seal.sequence, seal.chain), (report.last, report.digest));
}

#[test]
fn the_head_is_sealed_when_it_is_asked_for() {
    let (_folder, path) = file();
    let (store, _) = open(signed(&path));
    put(&store, life("t1", None, 0, Some(1)));
    store.seal().wait().unwrap();
    let report = store.verify().unwrap();
    let seal = report.seal.unwrap();
    assert_eq!((seal.sequence, seal.chain), (report.last, report.digest));
}

#[test]
fn the_head_is_sealed_while_the_store_runs() {
    let (_folder, path) = file();
    let (store, _) = open(Options {
        sealed_within: std::time::Duration::ZERO,
        ..signed(&path)
    });
    put(&store, life("t1", None, 0, Some(1)));
    // The seal of one transaction is written before the next begins.
    put(&store, happenings(vec![(2, session(1))]));
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert!(report.seal.is_some_and(|seal| seal.sequence >= 2));
}

#[test]
fn a_walk_says_how_far_it_is() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    put(&store, life("t1", None, 0, Some(1)));
    let mut told = Vec::new();
    let mut note = |progress: VerifyProgress| told.push((progress.table, progress.rows));
    let how = VerifyOptions {
        progress: Some(&mut note),
        ..VerifyOptions::default()
    };
    verify_with(&path, how).unwrap();
    assert!(
        told.contains(&("log", 2)) && told.contains(&("task", 1)),
        "{told:?}"
    );
}

#[test]
fn numbers_go_on_behind_rows_that_were_removed() {
    let (_folder, path) = file();
    let (store, _) = open(signed(&path));
    put(&store, life("first", None, 1, Some(2)));
    trim(&store, 1_000, 10);
    assert!(!has(&store, "first"));
    put(&store, life("second", None, 1_000, None));
    drop(store);
    let numbers = behind(&path, |connection| {
        ["task", "exchange", "data_param"].map(|table| {
            let sql = format!("SELECT number FROM {table}");
            connection.query_row(&sql, [], |row| row.get::<_, i64>(0))
        })
    });
    assert_eq!(numbers.map(Result::unwrap), [2, 2, 2]);
}
