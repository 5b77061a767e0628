//! Rows on several shards: one count, a chain, a head and sums for each, and batches that are about several.

use super::encrypted::{SECRET, comes_back, refused, secrets, sound};
use super::removal::{Key, has, life, put, trim};
use super::*;
use std::time::Duration;

/// The shards of these tests.
const SHARDS: [u8; 3] = [0, 5, 63];

fn shard(number: u8) -> Shard {
    Shard::new(number).unwrap()
}

fn on(number: u8, batch: Batch) -> Batch {
    Batch {
        shard: shard(number),
        ..batch
    }
}

fn signed(options: &Options) -> Options {
    Options {
        signer: Some(Arc::new(Key("platform"))),
        ..options.clone()
    }
}

/// Writes to three shards in turn, a task that ended, one that is open and, encrypted or not, one of everything.
fn fill(store: &Store) {
    for round in 0..3_i64 {
        for number in SHARDS {
            let from = 1_000 + 100 * round;
            let ended = life(
                &format!("ended-{number}-{round}"),
                None,
                from,
                Some(from + 50),
            );
            put(store, on(number, ended));
        }
    }
    for number in SHARDS {
        put(store, on(number, secrets(&format!("open-{number}"))));
    }
    let cursor = (format!("https://oss.example/{SECRET}"), Some(1));
    store.keep_cursors(vec![cursor]).wait().unwrap();
}

fn ids() -> Vec<String> {
    SHARDS
        .iter()
        .map(|number| format!("open-{number}"))
        .collect()
}

fn check(store: &Store) {
    let ids = ids();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    comes_back(store, &ids);
    decides(store);
}

/// What is open is found, on whichever shard.
fn decides(store: &Store) {
    let report = sound(store.verify().unwrap());
    assert_eq!((report.open, report.chunks), (3, 3));
    let decided = store.decided().unwrap();
    let found = decided.tasks.iter().map(|task| task.id.to_string());
    assert_eq!(found.collect::<Vec<_>>(), ids());
    assert_eq!(decided.negotiations.len(), 3);
}

#[test]
fn all_shards_have_one_count_and_each_its_own_head() {
    durably(|options| {
        let options = signed(options);
        let (store, _) = open(options.clone());
        fill(&store);
        check(&store);
        let entries = store.entries(0, 100).unwrap();
        let count: Vec<u64> = entries.iter().map(|entry| entry.sequence).collect();
        assert_eq!(count, (1..=entries.len() as u64).collect::<Vec<_>>());
        // From anywhere on, so that the ends of all chains are looked up.
        for after in 0..entries.len() {
            assert_eq!(store.entries(after as u64, 100).unwrap(), entries[after..]);
        }
        let report = sound(store.verify().unwrap());
        assert_eq!(report.last, entries.len() as u64);
        drop(store);
        let (store, recovered) = open(options.clone());
        assert_eq!(recovered.tasks.len(), 3);
        assert_eq!(recovered.last, report.last);
        check(&store);
        // Only the head of a shard that changed is written.
        put(&store, on(5, happenings(vec![(9_000, session(1))])));
        check(&store);
    });
}

#[test]
fn heads_are_written_of_shards_that_changed_and_of_no_other() {
    let (_folder, path) = file();
    let generations = |path: &Path| -> Vec<(i64, i64)> {
        let connection = Connection::open(path).unwrap();
        let sql = "SELECT shard, generation FROM head ORDER BY shard";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    let (store, _) = open(encrypted(&path));
    put(&store, on(5, everything("five")));
    put(&store, on(63, everything("last")));
    let before = generations(&path);
    assert_eq!(
        before.iter().map(|(shard, _)| *shard).collect::<Vec<_>>(),
        [0, 5, 63]
    );
    put(&store, on(5, happenings(vec![(9_000, session(1))])));
    let after = generations(&path);
    assert_eq!((after[0], after[2]), (before[0], before[2]));
    assert_eq!(
        after[1].1,
        before[2].1 + 1,
        "all shards have one count of generations"
    );
}

#[test]
fn a_group_of_several_shards_is_one_transaction() {
    let (_folder, path) = file();
    let (store, _) = open(Options {
        batch_wait: Duration::from_millis(200),
        ..encrypted(&path)
    });
    let before = store.statistics().transactions;
    let tickets = SHARDS.map(|number| store.commit(on(number, everything(&format!("t{number}")))));
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    assert_eq!(store.statistics().transactions, before + 1);
    assert!(sound(store.verify().unwrap()).authentic);
}

/// What a query tells of shards, read behind the store.
fn shards_of(connection: &Connection, sql: &str) -> Vec<i64> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// A batch about tasks of three shards and about an agent, all of it or nothing.
fn several(mark: &str) -> Batch {
    let mut batch = Batch {
        registrations: vec![Arc::new(kept::registration(
            mark,
            domain::registry::Reach::Hosted,
        ))],
        ..Batch::default()
    };
    for number in SHARDS {
        let id = format!("{mark}-{number}");
        let mut more = everything(&id);
        batch.tasks.append(&mut more.tasks);
        batch.exchanges.append(&mut more.exchanges);
        batch.data.append(&mut more.data);
        batch.happenings.append(&mut more.happenings);
        batch.elsewhere.insert(TaskId::new(id), shard(number));
    }
    batch
}

#[test]
fn one_batch_is_about_several_shards_and_each_has_what_is_its_own() {
    let (_folder, path) = file();
    let (store, _) = open(encrypted(&path));
    put(&store, several("all"));
    let chunked = Body::Chunked(domain::context::Chunked {
        size: 4,
        sha256: None,
        finished: false,
    });
    let begun = DataParam {
        body: chunked,
        ..data("late", None, "oss", "ran")
    };
    let begun = Batch {
        data: vec![begun],
        ..happenings(vec![(9_000, session(1))])
    };
    put(&store, on(5, begun));
    // A piece is with its data.
    let piece = Chunk {
        data: "late".to_owned(),
        offset: 0,
        bytes: Arc::from(*b"late"),
    };
    let piece = Batch {
        chunks: vec![piece],
        ..Batch::default()
    };
    put(&store, on(63, piece));
    let entries = store.entries(0, 100).unwrap();
    assert_eq!(entries.len(), 10);
    assert!(sound(store.verify().unwrap()).authentic);
    drop(store);
    let connection = Connection::open(&path).unwrap();
    for sql in [
        "SELECT shard FROM task ORDER BY number",
        "SELECT shard FROM exchange ORDER BY number",
        "SELECT shard FROM data_param WHERE task IS NOT NULL ORDER BY number",
        "SELECT shard FROM log WHERE kind = 'task' ORDER BY sequence",
    ] {
        assert_eq!(shards_of(&connection, sql), [0, 5, 63], "{sql}");
    }
    assert_eq!(shards_of(&connection, "SELECT shard FROM data_chunk"), [5]);
    // What is about no task is with the batch.
    let sessions = "SELECT shard FROM log WHERE kind <> 'task' ORDER BY sequence";
    assert_eq!(shards_of(&connection, sessions), [0, 0, 0, 0, 0, 0, 5]);
}

#[test]
fn a_batch_about_several_shards_is_stored_as_a_whole_or_not_at_all() {
    durably(|options| {
        let (store, _) = open(Options {
            batch_wait: Duration::from_millis(50),
            ..options.clone()
        });
        put(&store, on(5, life("all-63", None, 1, Some(2))));
        let before = (store.entries(0, 100).unwrap(), store.counts());
        // Its last task has ended before; what is in the group with it is as it should be.
        let refused = store.commit(several("all"));
        let taken = store.commit(several("others"));
        assert!(matches!(
            refused.wait(),
            Err(CommitError::Conflict { task, .. }) if task.as_str() == "all-63"
        ));
        taken.wait().unwrap();
        // Nor is anything left of one that breaks a rule of the database, of which all else is written before.
        let mut broken = several("broken");
        broken.chunks = vec![Chunk {
            data: "d-broken-63".to_owned(),
            offset: 0,
            bytes: vec![0; 300_000].into(),
        }];
        let broken = store.commit(broken);
        let more = store.commit(several("more"));
        assert!(matches!(broken.wait(), Err(CommitError::Refused(_))));
        more.wait().unwrap();
        let (entries, counts) = (store.entries(0, 100).unwrap(), store.counts());
        assert_eq!(entries.len() - before.0.len(), 2 * 9);
        assert_eq!(counts.tasks - before.1.tasks, 6);
        assert_eq!(store.decided().unwrap().registrations.len(), 2);
        assert!(store.task(&TaskId::new("all-0")).unwrap().is_none());
        sound(store.verify().unwrap());
        drop(store);
        let (store, _) = open(options.clone());
        assert_eq!(store.entries(0, 100).unwrap(), entries);
        sound(store.verify().unwrap());
    });
}

#[test]
fn what_is_there_stays_on_its_shard_whatever_a_later_batch_says() {
    everywhere(|options| {
        let (store, _) = open(options);
        put(&store, on(0, secrets("t")));
        let counts = store.counts();
        // Everything once more, on another shard: rows stay, entries of the log are the other's.
        let mut again = secrets("t");
        again.tasks.clear();
        again.observations.clear();
        put(&store, on(5, again));
        let mut ended = store.task(&TaskId::new("t")).unwrap().unwrap();
        let event = ended.decide(Command::Cancel, at(9_000)).unwrap();
        ended.apply(&event);
        put(&store, on(63, tasks(&[&ended])));
        let now = store.counts();
        assert_eq!((now.tasks, now.open), (counts.tasks, counts.open - 1));
        assert_eq!((now.exchanges, now.data), (counts.exchanges, counts.data));
        sound(store.verify().unwrap());
        // What is deleted is deleted where it is.
        let [(last, _)] = &store.observations(10).unwrap()[..] else {
            panic!("there is one");
        };
        let more = Batch {
            documents: vec![Document {
                body: None,
                ..secrets("t").documents.remove(0)
            }],
            observed: Some(*last),
            ..Batch::default()
        };
        put(&store, on(63, more));
        assert!(store.observations(10).unwrap().is_empty());
        assert!(store.documents("pool").unwrap().is_empty());
        sound(store.verify().unwrap());
        // All of it goes with the task, of each shard what is there.
        trim(&store, 1_000_000, 0);
        assert_eq!(store.counts(), crate::Counts::default());
        sound(store.verify().unwrap());
    });
}

#[test]
fn a_group_of_which_a_batch_is_refused_leaves_the_others_on_all_shards() {
    durably(|options| {
        let (store, _) = open(Options {
            batch_wait: Duration::from_millis(50),
            ..options.clone()
        });
        put(&store, on(5, life("ended", None, 1, Some(2))));
        // In one group: a task that has ended, then others that are as they should be.
        let again = store.commit(on(5, life("ended", None, 1, None)));
        let sound_ones =
            SHARDS.map(|number| store.commit(on(number, everything(&format!("t{number}")))));
        assert!(again.wait().is_err());
        for ticket in sound_ones {
            ticket.wait().unwrap();
        }
        assert_eq!(store.taken_back(), 1);
        sound(store.verify().unwrap());
    });
}

/// Batches about one to three tasks, each new on any shard and ended from any other, of which some are refused,
/// between removals, erasures and openings.
#[test]
fn whatever_is_written_on_whichever_shards_adds_up() {
    for seed in 1..=12_u64 {
        let mut state = seed;
        let mut below = move |most: u64| {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % most
        };
        let (_folder, path) = file();
        let options = match seed % 2 {
            0 => signed(&encrypted(&path)),
            _ => Options::file(&path),
        };
        let (mut store, _) = open(options.clone());
        let (mut open_ones, mut ended_ones): (Vec<Task>, Vec<TaskId>) = Default::default();
        let mut told = 0;
        for step in 0..60 {
            let now = 1_000 + 10 * step;
            let mut batch = on(below(64) as u8, Batch::default());
            match below(8) {
                0..=2 => {
                    for n in 0..=below(3) {
                        let new = life(&format!("t-{step}-{n}"), None, now, None);
                        batch.tasks.extend(new.tasks);
                        batch.exchanges.extend(new.exchanges);
                        batch.data.extend(new.data);
                        batch.happenings.extend(new.happenings);
                    }
                }
                3 | 4 => {
                    for _ in 0..=below(3).min(open_ones.len() as u64) {
                        let Some(mut task) = open_ones.pop() else {
                            break;
                        };
                        let event = task.decide(Command::Cancel, at(now)).unwrap();
                        task.apply(&event);
                        let happening = notification(&task, Some(Status::Created));
                        batch.happenings.push((at(now), happening));
                        batch.tasks.push(Arc::new(task));
                    }
                }
                5 => {
                    let gone = trim(&store, now, below(200) as i64).tasks as usize;
                    let there = |id: &TaskId| store.task(id).unwrap().is_some();
                    let before = ended_ones.len();
                    ended_ones.retain(there);
                    assert_eq!(before - ended_ones.len(), gone, "seed {seed}");
                }
                6 => {
                    if let Some(id) = ended_ones.last() {
                        store.erase(id, at(now)).wait().unwrap();
                    }
                }
                _ => {
                    drop(store);
                    store = open(options.clone()).0;
                }
            }
            for task in &batch.tasks {
                let elsewhere = shard(below(64) as u8);
                batch.elsewhere.insert(task.id.clone(), elsewhere);
            }
            // With one of a task that ended, or never was: nothing of it is stored.
            let mut refused = batch.clone();
            let mut late = task("late");
            late.version = 7;
            refused.tasks.push(Arc::new(late));
            let tickets = [refused, batch.clone()].map(|it| store.commit(it));
            let [refused, stored] = tickets.map(Ticket::wait);
            assert!(refused.is_err(), "seed {seed}");
            stored.unwrap();
            told += batch.happenings.len() as u64;
            for task in batch.tasks {
                match task.status.is_terminal() {
                    true => ended_ones.push(task.id.clone()),
                    false => open_ones.push(task.as_ref().clone()),
                }
            }
            let counts = store.counts();
            let all = open_ones.len() + ended_ones.len();
            assert_eq!(
                (counts.tasks, counts.open),
                (all as u64, open_ones.len() as u64)
            );
            assert_eq!(store.statistics().last, told, "one count of all shards");
        }
        let report = sound(store.verify().unwrap());
        assert!(report.shards.len() > 8, "seed {seed}");
        assert!(report.authentic || options.keys.is_none());
        drop(store);
        sound(open(options).0.verify().unwrap());
    }
}

#[test]
fn each_shard_has_a_checkpoint_of_what_was_cut_of_it() {
    durably(|options| {
        let options = signed(options);
        let (store, _) = open(options.clone());
        fill(&store);
        let all = store.entries(0, 100).unwrap();
        // The first round has ended by then, of which each shard has two entries; the second has not.
        let gone = trim(&store, 2_000, 900);
        assert_eq!((gone.tasks, gone.entries), (3, 6));
        assert_eq!(store.entries(0, 100).unwrap(), all[6..]);
        assert_eq!(store.entries(8, 2).unwrap(), all[8..10]);
        let report = sound(store.verify().unwrap());
        let cut = report.checkpoint.unwrap();
        assert_eq!(
            (cut.sequence, cut.tasks, cut.exchanges, cut.data),
            (6, 3, 3, 3)
        );
        drop(store);
        let (store, _) = open(options.clone());
        check(&store);
        // One shard has more of its log cut than the others; then all of it is.
        let all = Retention {
            max_age_ms: Some(0),
            log_max_age_ms: Some(0),
            ..Retention::default()
        };
        assert_eq!(store.trim(at(1_000_000), &all).wait().unwrap().tasks, 6);
        assert_eq!(store.entries(0, 100).unwrap(), []);
        decides(&store);
        put(&store, on(63, happenings(vec![(2_000_000, session(1))])));
        drop(store);
        let (store, _) = open(options.clone());
        assert_eq!(store.entries(0, 100).unwrap().len(), 1);
        decides(&store);
    });
}

#[test]
fn tasks_are_erased_and_encrypted_anew_on_any_shard() {
    in_files(|options| {
        let options = signed(options);
        let (store, _) = open(options.clone());
        fill(&store);
        for number in SHARDS {
            let task = TaskId::new(format!("ended-{number}-1"));
            let record = store.erase(&task, at(5_000)).wait().unwrap();
            assert_eq!((record.exchanges, record.entries), (1, 2));
            assert_eq!(store.task(&task).unwrap().unwrap().text, "");
        }
        check(&store);
        if options.keys.is_some() {
            store.rotate().unwrap().wait().unwrap();
            put(&store, on(5, life("between", None, 6_000, Some(6_100))));
            let walked = store.reencrypt().wait().unwrap();
            assert!(walked.rows > 20 && walked.data_keys == 1, "{walked:?}");
            assert!(sound(store.verify().unwrap()).authentic);
        }
        check(&store);
        drop(store);
        let (store, _) = open(options.clone());
        check(&store);
        assert!(has(&store, "ended-5-1"));
        // What was erased goes with its task.
        trim(&store, 1_000_000, 0);
        assert!(!has(&store, "ended-5-1"));
        check(&store);
    });
}

#[test]
fn a_copy_of_several_shards_is_the_same() {
    durably(|options| {
        let options = signed(options);
        let (store, _) = open(options.clone());
        fill(&store);
        trim(&store, 2_000, 900);
        let source = CopySource {
            location: options.location.clone(),
            lock: None,
            outside: Vec::new(),
            signers: options.signer.iter().cloned().collect(),
            keys: options.keys.clone(),
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("backup.db");
        store.seal().wait().unwrap();
        let copied = backup(&source, &file, &mut |_| {}).unwrap();
        assert_eq!(copied.report.digest, store.verify().unwrap().digest);
        let there = signed(&Options {
            keys: options.keys.clone(),
            ..Options::file(folder.path().join("restored.db"))
        });
        let from = CopySource {
            location: Location::File(file),
            ..source
        };
        transfer(&from, &there, Ground::Restored, &mut |_| {}).unwrap();
        let (restored, _) = open(there);
        check(&restored);
        put(&restored, on(5, life("after", None, 9_000, Some(9_100))));
        check(&restored);
    });
}

/// Changes a state behind the store, once it is closed, and tells what an opening and a verification say.
fn forged(change: impl Fn(&Connection, &Connection)) -> (Option<OpenError>, Vec<String>) {
    let (folder, path) = file();
    let older = folder.path().join("older.db");
    let options = signed(&encrypted(&path));
    let (store, _) = open(options.clone());
    fill(&store);
    drop(store);
    std::fs::copy(&path, &older).unwrap();
    let (store, _) = open(options.clone());
    // No entry of the log tells of it.
    let exchange = Batch {
        exchanges: vec![exchange("x-late", None, "oss", "ran", 8_000)],
        ..Batch::default()
    };
    put(&store, on(5, exchange));
    put(&store, on(0, happenings(vec![(9_000, session(1))])));
    drop(store);
    let older = Connection::open(&older).unwrap();
    behind(&path, |connection| change(connection, &older));
    let signer = Key("platform");
    let how = VerifyOptions {
        signer: Some(&signer),
        ..VerifyOptions::default()
    };
    let report = verify_with_keys(&path, how, keeper("m1").as_ref()).unwrap();
    let faults = report.faults.iter().map(ToString::to_string).collect();
    for _ in 0..100_000 {
        match Store::open(options.clone(), Box::new(|_| {})) {
            Err(OpenError::Locked { .. }) => std::thread::yield_now(),
            opened => return (opened.err(), faults),
        }
    }
    panic!("the state is locked for good")
}

fn run(connection: &Connection, sql: &str) {
    assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
}

#[test]
fn a_row_that_was_moved_to_another_shard_is_missing_in_one_sum_and_too_much_in_the_other() {
    let stale = |table: &str| {
        format!("{table} 'rows are missing, were added, or are older than the last' is forged")
    };
    let at_the_start = ["task", "negotiation", "log"];
    let walked = crate::schema::tables::walked().map(|(table, _)| table);
    for table in walked.filter(|table| !at_the_start.contains(table)) {
        for to in [0, 63, 7] {
            let (_, faults) = forged(|connection, _| {
                let moved = format!(
                    "UPDATE {table} SET shard = {to} WHERE number =
                     (SELECT max(number) FROM {table} WHERE shard = 5)"
                );
                run(connection, &moved);
            });
            assert_eq!(faults.first(), Some(&stale(table)), "{to}: {faults:?}");
        }
    }
    // Two that change places are noticed as well.
    let (_, faults) = forged(|connection, _| {
        run(
            connection,
            "UPDATE exchange SET shard = 68 - shard WHERE id IN ('x-ended-5-1', 'x-ended-63-1')",
        );
    });
    assert_eq!(faults, [stale("exchange")]);
    // What decisions build on is refused at the start.
    for (sql, table) in [
        ("UPDATE task SET shard = 0 WHERE id = 'open-5'", "task"),
        (
            "UPDATE negotiation SET shard = 63 WHERE shard = 5",
            "negotiation",
        ),
    ] {
        let (refused, faults) = forged(|connection, _| run(connection, sql));
        let refused = refused.unwrap();
        assert!(
            matches!(&refused, OpenError::Forged { table: of, .. } if of == table),
            "{refused}"
        );
        assert_eq!(faults.first(), Some(&stale(table)));
    }
    // Nor is there a shard beyond the last.
    let (refused, faults) = forged(|connection, _| {
        connection
            .execute_batch("PRAGMA ignore_check_constraints = 1")
            .unwrap();
        run(connection, "UPDATE task SET shard = 64 WHERE id = 'open-5'");
    });
    assert!(refused.is_some() && !faults.is_empty());
}

#[test]
fn a_log_whose_entries_changed_shards_is_no_chain() {
    for change in [
        "UPDATE log SET shard = 63 WHERE sequence = (SELECT max(sequence) FROM log WHERE shard = 5)",
        "UPDATE log SET shard = 7, behind = sequence - 1 WHERE sequence = (SELECT min(sequence) FROM log WHERE shard = 5)",
        "UPDATE log SET behind = behind + 1 WHERE sequence = (SELECT max(sequence) FROM log WHERE shard = 5)",
        "UPDATE log SET shard = 68 - shard WHERE shard > 0",
        "UPDATE log SET behind = -1 WHERE sequence = 8",
        "DELETE FROM log WHERE sequence = (SELECT max(sequence) FROM log WHERE shard = 5)",
    ] {
        let (refused, faults) = forged(|connection, _| run(connection, change));
        assert!(refused.is_some(), "{change}");
        assert!(
            faults
                .iter()
                .any(|fault| fault.starts_with("log") || fault.starts_with("head")),
            "{change}: {faults:?}"
        );
    }
}

#[test]
fn no_head_seal_or_checkpoint_of_a_shard_is_replaced_alone() {
    /// Puts a row of a shard back as it was.
    fn put_back(connection: &Connection, older: &Connection, table: &str) {
        let sql = format!("SELECT * FROM {table} WHERE shard = 5");
        let mut statement = older.prepare(&sql).unwrap();
        let columns = statement.column_count();
        let values: Vec<rusqlite::types::Value> = statement
            .query_row([], |row| {
                (0..columns).map(|column| row.get(column)).collect()
            })
            .unwrap();
        run(connection, &format!("DELETE FROM {table} WHERE shard = 5"));
        let places: Vec<_> = (1..=columns).map(|place| format!("?{place}")).collect();
        let insert = format!("INSERT INTO {table} VALUES ({})", places.join(", "));
        let values = rusqlite::params_from_iter(values);
        connection.execute(&insert, values).unwrap();
    }
    // A whole shard as it was, which is sound by itself.
    let (refused, faults) = forged(|connection, older| {
        run(connection, "DELETE FROM exchange WHERE id = 'x-late'");
        put_back(connection, older, "head");
        put_back(connection, older, "seal");
    });
    let told = "head 'a shard is older than the others' is forged";
    assert!(
        matches!(refused, Some(OpenError::Forged { .. })),
        "{refused:?}"
    );
    assert_eq!(faults, [told]);
    for (change, table) in [
        ("DELETE FROM head WHERE shard = 5", "head"),
        ("UPDATE head SET shard = 6 WHERE shard = 5", "head"),
        ("UPDATE seal SET shard = 6 WHERE shard = 5", "seal"),
        ("DELETE FROM seal WHERE shard = 5", "seal"),
        (
            "INSERT INTO seal SELECT 6, sequence, time, chain, tasks, open, exchanges, data, digest, signature FROM seal WHERE shard = 0",
            "seal",
        ),
    ] {
        let (refused, faults) = forged(|connection, _| run(connection, change));
        assert!(refused.is_some(), "{change}");
        assert!(
            faults.iter().any(|fault| fault.starts_with(table)),
            "{change}: {faults:?}"
        );
    }
}

#[test]
fn the_head_outside_covers_all_shards() {
    let (folder, path) = file();
    let options = Options {
        outside: vec![folder.path().join("store_head")],
        ..signed(&encrypted(&path))
    };
    let (store, _) = open(options.clone());
    fill(&store);
    drop(store);
    let older = std::fs::read(&path).unwrap();
    let (store, _) = open(options.clone());
    let exchange = Batch {
        exchanges: vec![exchange("x-late", None, "oss", "ran", 8_000)],
        ..Batch::default()
    };
    put(&store, on(63, exchange));
    drop(store);
    drop(open(options.clone()));
    std::fs::write(&path, older).unwrap();
    let refused = refused(&options);
    assert!(matches!(refused, OpenError::SetBack { .. }), "{refused}");
}
