//! Forgeries by an attacker who can write the file while the platform is down, and has no key: each
//! is refused, with its exact error, when the state is opened or when it is verified.
//!
//! The attacker has SQLite, this source and older copies of the file. All digests are made anew;
//! codes and signatures cannot be. Read next: `databases.rs`, the same in PostgreSQL; `former.rs`, states that look like others; `outside.rs`, the head outside the database;
//! `pages.rs`, pages that stand in many places.

mod databases;
mod former;
mod outside;
mod pages;

use super::encrypted::fill;
use super::removal::{Key, life, put, trim};
use super::*;
use crate::cover::covered;
use crate::digest::{ORIGIN, RowDigest, Sum, link, of_body, of_bytes};
use crate::encryptor::Encryptor;
use crate::row;
use crate::row::head::{self, Head};
use crate::row::numbers::THERE;
use crate::row::standing::RowPlace;
use crate::set::STALE;
use crate::sql::Session;
use domain::negotiation::{Kind, Negotiation, State};
use domain::registry::Reach;
use rusqlite::params;

/// A state, an older copy of it, and the other files of the state folder.
struct Stage {
    _folder: tempfile::TempDir,
    path: PathBuf,
    older: PathBuf,
    outside: PathBuf,
}

impl Stage {
    fn options(&self) -> Options {
        Options {
            signer: Some(Arc::new(Key("platform"))),
            outside: vec![self.outside.clone()],
            ..encrypted(&self.path)
        }
    }

    fn verified(&self) -> Vec<String> {
        let signer = Key("platform");
        let how = VerifyOptions {
            signer: Some(&signer),
            outside: vec![self.outside.clone()],
            ..VerifyOptions::default()
        };
        let report = verify_with_keys(&self.path, how, keeper("m1").as_ref()).unwrap();
        report.faults.iter().map(ToString::to_string).collect()
    }
}

fn elsewhere(host_key: &str) -> Batch {
    let reach = Reach::Server {
        address: "198.51.100.7:830".into(),
        host_key: host_key.into(),
    };
    Batch {
        registrations: vec![Arc::new(kept::registration("elsewhere", reach))],
        ..Batch::default()
    }
}

fn document(name: &str, body: &str) -> Document {
    Document {
        kind: "patch".into(),
        name: name.to_owned(),
        body: Some(body.to_owned()),
    }
}

fn documents(documents: Vec<Document>) -> Batch {
    Batch {
        documents,
        ..Batch::default()
    }
}

fn ended_negotiation(task: &str) -> Negotiation {
    Negotiation {
        state: State::Agreed,
        ..kept::negotiation(task, Kind::Feasibility)
    }
}

fn negotiations(negotiations: Vec<Negotiation>) -> Batch {
    Batch {
        negotiations: negotiations.into_iter().map(Arc::new).collect(),
        ..Batch::default()
    }
}

/// A state with something of everything; since the older copy, something of everything changed.
fn stage() -> Stage {
    let (folder, path) = file();
    let stage = Stage {
        older: folder.path().join("older.db"),
        outside: folder.path().join("store_head"),
        path,
        _folder: folder,
    };
    {
        let (store, _) = open(stage.options());
        put(&store, life("gone", None, 100, Some(200)));
        assert_eq!(trim(&store, 500, 100).tasks, 1);
        put(&store, life("ended", None, 1_000, Some(1_100)));
        put(&store, life("other", None, 1_200, Some(1_300)));
        put(&store, life("erased", None, 1_400, Some(1_500)));
        fill(&store, &["moving", "closing"]);
        put(&store, elsewhere("ssh-ed25519 theirs"));
        put(&store, elsewhere("ssh-ed25519 renewed"));
        put(&store, negotiations(vec![ended_negotiation("ended")]));
        let patches = vec![document("approved", "pending"), document("stays", "{}")];
        put(&store, documents(patches));
        let piece = Batch {
            data: vec![DataParam {
                body: Body::Chunked(domain::context::Chunked {
                    size: 100,
                    sha256: None,
                    finished: false,
                }),
                ..data("large", None, "oss", "ran")
            }],
            chunks: vec![Chunk {
                data: "large".into(),
                offset: 0,
                bytes: b"the first piece".as_slice().into(),
            }],
            ..Batch::default()
        };
        put(&store, piece);
    }
    std::fs::copy(&stage.path, &stage.older).unwrap();
    {
        let (store, _) = open(stage.options());
        let read = |id: &str| store.task(&TaskId::new(id)).unwrap().unwrap();
        let asked = after(&read("moving"), Command::Ask(content("which?")));
        let closed = after(&read("closing"), Command::Cancel);
        put(&store, tasks(&[&asked, &closed]));
        put(&store, elsewhere("ssh-ed25519 latest"));
        put(&store, documents(vec![document("approved", "yes")]));
        let cursor = (
            "https://oss.example/the-guest-eats-no-peanuts".to_owned(),
            Some(2),
        );
        store.keep_cursors(vec![cursor]).wait().unwrap();
        let answered = Exchange {
            response: Some("d-ended".into()),
            ..exchange("x-ended", Some("ended"), "oss", "ran", 1_000)
        };
        put(
            &store,
            Batch {
                exchanges: vec![answered],
                happenings: vec![(at(5_000), session(1))],
                ..Batch::default()
            },
        );
        let erased = TaskId::new("erased");
        store.erase(&erased, at(6_000)).wait().unwrap();
    }
    stage
}

/// The stage at which a forgery is refused.
#[derive(Debug)]
enum Refused {
    /// Opening is refused.
    AtStart(String),
    /// The start does not read it; `verify` reports it.
    ByVerify(String),
}
use Refused::{AtStart, ByVerify};

fn forged(table: &str, key: &str) -> Refused {
    AtStart(format!(
        "the state was forged at {table} '{key}': who wrote that has not its key; it is refused"
    ))
}

fn stale(table: &str) -> Refused {
    forged(table, STALE)
}

fn strange(what: &str) -> Refused {
    AtStart(format!(
        "the state was forged: its schema is not that of a state of Convoke ({what})"
    ))
}

fn found(table: &str, key: &str) -> Refused {
    ByVerify(format!("{table} '{key}' is forged"))
}

fn found_stale(table: &str) -> Refused {
    found(table, STALE)
}

fn is_refused(forge: impl FnOnce(&Connection, &Stage), refused: Refused) {
    let stage = stage();
    drop(open(stage.options()));
    assert_eq!(stage.verified(), [""; 0], "before it was forged");
    let last = ends(&stage.path).0.to_string();
    let number = "SELECT number FROM data_param WHERE id = 'large'";
    let number: i64 = behind(&stage.path, |connection| {
        let number = connection.query_row(number, [], |row| row.get(0)).unwrap();
        forge(connection, &stage);
        number
    });
    let filled = |told: String| {
        told.replace("LAST", &last)
            .replace("NUMBER", &number.to_string())
    };
    let refused = match refused {
        AtStart(told) => AtStart(filled(told)),
        ByVerify(told) => ByVerify(filled(told)),
    };
    is_refused_now(&stage, &refused);
}

fn is_refused_now(stage: &Stage, refused: &Refused) {
    let opened = Store::open(stage.options(), Box::new(|_| {}));
    match (refused, opened) {
        (AtStart(told), Err(error)) => assert_eq!(error.to_string(), *told),
        (AtStart(told), Ok(_)) => panic!("it was opened, where is: {told}"),
        (ByVerify(told), Ok((store, _))) => {
            let faults = store.verify().unwrap().faults;
            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
            assert!(faults.contains(told), "{faults:?}");
            assert!(stage.verified().contains(told), "{:?}", stage.verified());
        }
        (ByVerify(_), Err(error)) => panic!("{error}"),
    }
    assert_ne!(stage.verified(), [""; 0], "verify finds it too");
    databases::is_refused_there(stage, refused);
}

macro_rules! forgeries {
    ($($(#[$doc:meta])* $name:ident: $forge:expr => $refused:expr;)+) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            is_refused($forge, $refused);
        }
    )+};
}

/// Writes like the platform, but without the key.
fn plainly() -> Encryptor {
    Encryptor::default()
}

fn run(connection: &Connection, sql: &str) {
    assert_ne!(connection.execute(sql, []).unwrap(), 0, "{sql}");
}

/// Replaces rows by those of the older copy.
fn put_back(connection: &Connection, stage: &Stage, table: &str, which: &str) {
    let older = stage.older.display();
    run_all(connection, &format!("ATTACH '{older}' AS older"));
    let _ = connection.execute(&format!("DELETE FROM main.{table} WHERE {which}"), []);
    let insert = format!("INSERT INTO main.{table} SELECT * FROM older.{table} WHERE {which}");
    run(connection, &insert);
    run_all(connection, "DETACH older");
}

/// Runs SQL with checks and triggers disabled; they exist again afterwards.
fn beside_checks(connection: &Connection, sql: &str) {
    let triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let mut statement = connection.prepare(triggers).unwrap();
    let triggers = statement.query_map([], read).unwrap();
    let triggers: Vec<_> = triggers.map(Result::unwrap).collect();
    run_all(connection, "PRAGMA ignore_check_constraints = ON");
    for (name, _) in &triggers {
        run_all(connection, &format!("DROP TRIGGER {name}"));
    }
    run(connection, sql);
    for (_, made) in &triggers {
        run_all(connection, made);
    }
}

fn run_all(connection: &Connection, sql: &str) {
    connection.execute_batch(sql).unwrap();
}

/// Makes the head fit the rows and the log, as far as possible without the key.
fn count_anew(connection: &Connection) {
    let count = |sql: &str| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap() as u64
    };
    let last = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?));
    let (sequence, time, chain): (i64, i64, Sum) = connection
        .query_row(
            "SELECT sequence, time, digest FROM log ORDER BY sequence DESC LIMIT 1",
            [],
            last,
        )
        .unwrap();
    let head = Head {
        sequence: sequence as u64,
        time: at(time),
        chain,
        counts: Counts {
            tasks: count("SELECT count(*) FROM task"),
            open: count("SELECT count(*) FROM task WHERE ended = 0"),
            exchanges: count("SELECT count(*) FROM exchange"),
            data: count("SELECT count(*) FROM data_param"),
        },
    };
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?));
    let (generation, cipher): (u64, Option<Vec<u8>>) = connection
        .query_row("SELECT generation, cipher FROM head", [], read)
        .unwrap();
    let beside = head::beside(Shard::ZERO, &head, generation);
    let digest = cipher.map_or(beside, |cipher| covered(head::TABLE, &beside, &cipher));
    let sql = "UPDATE head SET sequence = ?1, time = ?2, chain = ?3, tasks = ?4, open = ?5,
        exchanges = ?6, data = ?7, digest = ?8";
    let counts = head.counts;
    let row = params![
        sequence,
        time,
        chain,
        counts.tasks as i64,
        counts.open as i64,
        counts.exchanges as i64,
        counts.data as i64,
        digest
    ];
    connection.execute(sql, row).unwrap();
}

/// Makes the chain anew, from an entry on.
fn chain_anew(connection: &Connection, from: i64) {
    let before = "SELECT digest FROM log WHERE sequence = ?1 UNION ALL SELECT chain FROM checkpoint
        WHERE sequence = ?1";
    let mut chain: Sum = connection
        .query_row(before, [from - 1], |row| row.get(0))
        .unwrap_or(ORIGIN);
    let entries = "SELECT sequence, time, kind, body, cipher, erased FROM log WHERE sequence >= ?1
        ORDER BY sequence";
    type Entry = (i64, i64, String, String, Option<Vec<u8>>, Option<Vec<u8>>);
    let entries: Vec<Entry> = connection
        .prepare(entries)
        .unwrap()
        .query_map([from], |r| {
            Ok((
                r.get(0)?,
                r.get(1)?,
                r.get(2)?,
                r.get(3)?,
                r.get(4)?,
                r.get(5)?,
            ))
        })
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for (sequence, time, kind, body, cipher, erased) in entries {
        let stored = cipher.map_or_else(|| of_body(&body), |cipher| of_bytes(&cipher));
        let was = erased.map_or(stored, |mark| *mark.first_chunk().unwrap());
        chain = link(&chain, sequence as u64, at(time), &kind, &was);
        let sql = "UPDATE log SET digest = ?2 WHERE sequence = ?1";
        connection.execute(sql, params![sequence, chain]).unwrap();
    }
}

/// The body of an entry in plain text.
const PLAIN: &str = r#"{"username":"operator","session":9,"source_host":"forged"}"#;

/// Rewrites the last entry in plain text, and the chain behind it.
fn rewrite_the_log(connection: &Connection) {
    let sql = "UPDATE log SET body = ?1, cipher = NULL WHERE kind = 'session-started'";
    assert_eq!(connection.execute(sql, [PLAIN]).unwrap(), 1);
    let first = "SELECT sequence FROM log WHERE kind = 'session-started'";
    let first: i64 = connection.query_row(first, [], |row| row.get(0)).unwrap();
    chain_anew(connection, first);
    count_anew(connection);
}

fn forged_task(connection: &Connection, id: &str, status: Status) {
    let mut task = task(id);
    task.text = "forged".into();
    task.status = status;
    let open = "UPDATE task SET ended = 0 WHERE id = ?1";
    connection.execute(open, [id]).unwrap();
    row::replaceable::put(Session::sqlite(connection), &task, THERE, &mut plainly()).unwrap();
}

fn set_back(stage: &Stage, found: (u64, u64), seen: (u64, u64)) -> Refused {
    AtStart(format!(
        "the state ends at entry {} (write {}), but {} has seen entry {} (write {}): an older copy \
         was put back, or another state",
        found.0,
        found.1,
        stage.outside.display(),
        seen.0,
        seen.1
    ))
}

/// The last entry and the generation of a state.
fn ends(path: &Path) -> (u64, u64) {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT sequence, generation FROM head";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (sequence, generation) = connection.query_row(sql, [], row).unwrap();
    (sequence as u64, generation as u64)
}

// The four of the review.

forgeries! {
    an_open_task_in_plain_text_with_its_digest_made_anew:
        |connection, _| forged_task(connection, "moving", Status::InputRequired)
        => forged("task", "moving");
    a_registration_with_another_address_and_host_key:
        |connection, _| {
            let reach = Reach::Server {
                address: "203.0.113.66:830".into(),
                host_key: "ssh-ed25519 forged".into(),
            };
            let registration = kept::registration("elsewhere", reach);
            row::replaceable::put(Session::sqlite(connection), &registration, THERE, &mut plainly()).unwrap();
        }
        => stale("registration");
    the_log_rewritten_and_its_seal_deleted:
        |connection, _| {
            rewrite_the_log(connection);
            run(connection, "DELETE FROM seal");
        }
        => forged("head", "it does not fit what binds the rows");
}

#[test]
fn an_older_copy_of_the_database_put_back() {
    let stage = stage();
    let (found, seen) = (ends(&stage.older), ends(&stage.path));
    std::fs::copy(&stage.older, &stage.path).unwrap();
    is_refused_now(&stage, &set_back(&stage, found, seen));
}

// Tasks and what belongs to them.

forgeries! {
    an_ended_task_in_plain_text_with_its_digest_made_anew:
        |connection, _| forged_task(connection, "ended", Status::Cancelled)
        => found("task", "ended");
    a_task_reopened_from_an_older_copy:
        |connection, stage| {
            put_back(connection, stage, "task", "id = 'closing'");
            count_anew(connection);
        }
        => forged("head", "it does not fit what binds the rows");
    an_open_task_as_it_was_before:
        |connection, stage| put_back(connection, stage, "task", "id = 'moving'")
        => stale("task");
    a_task_deleted_with_all_that_counts_it:
        |connection, _| {
            run(connection, "DELETE FROM task WHERE id = 'other'");
            count_anew(connection);
        }
        => forged("head", "it does not fit what binds the rows");
    the_order_of_two_tasks_swapped:
        |connection, _| run_all(connection, "
            UPDATE task SET number = 1001 WHERE id = 'ended';
            UPDATE task SET number = 1000 WHERE id = 'other';")
        => found_stale("task");
    an_exchange_in_plain_text:
        |connection, _| {
            let forged = exchange("x-ended", Some("ended"), "oss", "ran", 1_000);
            row::replaceable::put(Session::sqlite(connection), &forged, THERE, &mut plainly()).unwrap();
        }
        => found("exchange", "x-ended");
    an_exchange_without_its_answer_again:
        |connection, stage| put_back(connection, stage, "exchange", "id = 'x-ended'")
        => found_stale("exchange");
    an_exchange_deleted_and_counted_anew:
        |connection, _| {
            run(connection, "DELETE FROM exchange WHERE id = 'x-other'");
            count_anew(connection);
        }
        => forged("head", "it does not fit what binds the rows");
    data_in_plain_text:
        |connection, _| {
            let forged = data("d-ended", Some("ended"), "oss", "ran");
            row::replaceable::put(Session::sqlite(connection), &forged, THERE, &mut plainly()).unwrap();
        }
        => found("data_param", "d-ended");
    data_with_the_pieces_of_others:
        |connection, _| run_all(connection, "
            UPDATE data_param SET number = 10000 WHERE id = 'large';
            UPDATE data_param SET number = (SELECT max(data) FROM data_chunk)
              WHERE id = 'd-ended';")
        => found("data_param", "large");
    a_piece_of_data_deleted:
        |connection, _| run(connection, "DELETE FROM data_chunk
            WHERE data = (SELECT number FROM data_param WHERE id = 'large')")
        => found_stale("data_chunk");
    a_piece_of_data_in_plain_text:
        |connection, _| {
            let number = "SELECT number FROM data_param WHERE id = 'large'";
            let number: i64 = connection.query_row(number, [], |row| row.get(0)).unwrap();
            row::data_chunk::rewrite(Session::sqlite(connection), number, 0, b"forged", &mut plainly()).unwrap();
        }
        => ByVerify("data_chunk 'number NUMBER, offset 0' is forged".into());
    an_open_negotiation_deleted:
        |connection, _| run(connection, "DELETE FROM negotiation WHERE task = 'moving'")
        => stale("negotiation");
    an_ended_negotiation_deleted:
        |connection, _| run(connection, "DELETE FROM negotiation WHERE task = 'ended'")
        => found_stale("negotiation");
    a_negotiation_opened_again_in_plain_text:
        |connection, _| {
            let opened = kept::negotiation("ended", Kind::Feasibility);
            row::replaceable::put(Session::sqlite(connection), &opened, THERE, &mut plainly()).unwrap();
        }
        => forged("negotiation", "ended/feasibility");
    a_team_in_plain_text:
        |connection, _| {
            let mut forged = kept::team("moving");
            forged.publisher = "somebody".into();
            row::replaceable::put(Session::sqlite(connection), &forged, THERE, &mut plainly()).unwrap();
        }
        => found("team", "moving");
    a_team_that_its_publisher_does_not_find:
        |connection, _| run(connection, "UPDATE team SET publisher = 'somebody' WHERE task = 'moving'")
        => ByVerify("team 'moving' is damaged".into());
    a_team_that_one_who_was_asked_does_not_find:
        |connection, _| run(connection, "DELETE FROM team_candidate WHERE task = 'moving'")
        => ByVerify("team_candidate 'moving' is damaged".into());
    a_team_that_somebody_finds_who_was_not_asked:
        |connection, _| run(connection, "INSERT INTO team_candidate VALUES ('somebody', 'moving')")
        => ByVerify("team_candidate 'moving' is damaged".into());
    a_receiver_of_pushes_added:
        |connection, _| {
            let forged = pushes::config("moving", "oss", "forged");
            row::replaceable::put(Session::sqlite(connection), &forged, RowPlace::zero(1_000), &mut plainly()).unwrap();
        }
        => found("push_config", "moving");
    a_receiver_of_pushes_deleted:
        |connection, _| run(connection, "DELETE FROM push_config WHERE task = 'moving'")
        => found_stale("push_config");
    a_row_without_its_code:
        |connection, _| run(connection, "UPDATE exchange
            SET digest = CAST(substr(digest, 1, 32) AS BLOB) WHERE id = 'x-other'")
        => found("exchange", "x-other");
    a_row_with_the_code_of_another:
        |connection, _| run(connection, "UPDATE exchange SET digest = CAST(substr(digest, 1, 32) ||
            (SELECT substr(digest, 33) FROM exchange WHERE id = 'x-ended') AS BLOB)
            WHERE id = 'x-other'")
        => found("exchange", "x-other");
}

// Agents, schemas, cursors.

forgeries! {
    a_registration_deleted:
        |connection, _| run(connection, "DELETE FROM registration")
        => stale("registration");
    a_registration_added:
        |connection, _| {
            let added = kept::registration("stranger", Reach::Client);
            row::replaceable::put(Session::sqlite(connection), &added, THERE, &mut plainly()).unwrap();
        }
        => stale("registration");
    a_registration_as_it_was_before:
        |connection, stage| put_back(connection, stage, "registration", "name = 'elsewhere'")
        => stale("registration");
    a_patch_approved_in_plain_text:
        |connection, _| {
            let approved = document("stays", "approved");
            row::replaceable::put(Session::sqlite(connection), &approved, THERE, &mut plainly()).unwrap();
        }
        => stale("document");
    a_patch_as_it_was_before_its_verdict:
        |connection, stage| put_back(connection, stage, "document", "name = 'approved'")
        => stale("document");
    a_pool_deleted:
        |connection, _| run(connection, "DELETE FROM document WHERE kind = 'pool'")
        => stale("document");
    an_observation_added:
        |connection, _| {
            let forged = row::observation::prepare("{\"other\":\"forged\"}", &plainly().keys);
            row::observation::append(Session::sqlite(connection), &forged, RowPlace::zero(1_000), &mut plainly()).unwrap();
        }
        => stale("observation");
    a_cursor_set_back:
        |connection, stage| put_back(connection, stage, "cursor", "true")
        => stale("cursor");
}

// The log, its seal and its signed records.

forgeries! {
    the_log_rewritten_under_its_seal:
        |connection, _| rewrite_the_log(connection)
        => forged("head", "it does not fit what binds the rows");
    the_log_cut_short:
        |connection, _| {
            run(connection, "DELETE FROM log WHERE kind = 'session-started'");
            count_anew(connection);
        }
        => forged("head", "it does not fit what binds the rows");
    an_entry_spliced_in:
        |connection, _| {
            let sql = "INSERT INTO log (sequence, time, kind, body, digest)
                SELECT max(sequence) + 1, 9000, 'session-started', ?1, x'00' FROM log";
            connection.execute(sql, [PLAIN]).unwrap();
            let last = "SELECT max(sequence) FROM log";
            let last = connection.query_row(last, [], |row| row.get(0)).unwrap();
            chain_anew(connection, last);
            count_anew(connection);
        }
        => forged("head", "it does not fit what binds the rows");
    what_was_erased_put_back:
        |connection, stage| {
            let erased = "sequence IN (SELECT sequence FROM main.log WHERE erased IS NOT NULL)";
            let older = stage.older.display();
            run_all(connection, &format!("ATTACH '{older}' AS older;
                CREATE TEMP TABLE back AS SELECT * FROM older.log WHERE {erased};
                DELETE FROM main.log WHERE sequence IN (SELECT sequence FROM back);
                INSERT INTO main.log SELECT * FROM back; DETACH older;"));
        }
        => found_stale("log");
    the_record_of_an_erasure_deleted:
        |connection, _| run(connection, "DELETE FROM erasure")
        => found_stale("erasure");
    the_seal_deleted:
        |connection, _| run(connection, "DELETE FROM seal")
        => AtStart("the seal of the state is missing, though its log was sealed up to entry LAST".into());
    the_seal_before:
        |connection, stage| put_back(connection, stage, "seal", "true")
        => forged("seal", "it is not the one that was written last");
    the_seal_of_another_state:
        |connection, _| {
            let (folder, other) = file();
            let options = Options {
                signer: Some(Arc::new(Key("platform"))),
                ..encrypted(&other)
            };
            put(&open(options).0, life("t", None, 0, Some(1)));
            run_all(connection, &format!("ATTACH '{}' AS other; DELETE FROM seal;
                INSERT INTO main.seal SELECT * FROM other.seal; DETACH other;", other.display()));
            drop(folder);
        }
        => forged("seal", "it is not the one that was written last");
}

// Keys, and what SQLite itself is told.

forgeries! {
    the_mark_taken_back_that_all_is_encrypted:
        |connection, _| {
            let key = &mut crate::data_key::data_keys(Session::sqlite(connection)).unwrap()[0];
            key.whole = false;
            key.write(Session::sqlite(connection), &mut plainly()).unwrap();
        }
        => stale("data_key");
    the_last_number_of_a_period_taken:
        |connection, _| {
            let forged = crate::data_key::Period {
                number: u32::MAX,
                data_key: 1,
                salt: [0; 16],
            };
            forged.insert(Session::sqlite(connection)).unwrap();
        }
        => stale("period");
    what_binds_the_rows_deleted:
        |connection, _| {
            run(connection, "UPDATE head SET cipher = NULL");
            count_anew(connection);
        }
        => forged("head", "what binds the rows is gone");
    /// Behind the greatest number no observation can be written.
    a_number_that_was_never_given:
        |connection, _| run_all(connection, "DELETE FROM sqlite_sequence;
            INSERT INTO sqlite_sequence (name, seq) VALUES ('observation', 9223372036854775807)")
        => strange("strange number in sqlite_sequence");
    /// A number that may have been given, but was not: an observation written behind it would be
    /// refused later.
    a_number_that_was_not_given_yet:
        |connection, _| run_all(connection, "DELETE FROM sqlite_sequence;
            INSERT INTO sqlite_sequence (name, seq) VALUES ('observation', 9007199254740991)")
        => forged("observation", "its last number is not the one that was given last");
    the_numbers_begin_anew:
        |connection, _| run_all(connection, "DELETE FROM sqlite_sequence")
        => forged("observation", "its last number is not the one that was given last");
    /// In no list, and never removed; found by its key alone.
    a_task_neither_open_nor_ended:
        |connection, _| beside_checks(connection, "UPDATE task SET ended = 2 WHERE id = 'ended'")
        => found_stale("task");
    /// An outdated row that is read, while the platform writes the other one.
    a_head_of_another_number:
        |connection, _| beside_checks(connection, "UPDATE head SET shard = 64")
        => strange("strange row in head");
    a_second_seal:
        |connection, _| beside_checks(connection, "INSERT INTO seal
            SELECT -1, sequence, time, chain, tasks, open, exchanges, data, digest, signature FROM seal")
        => strange("strange row in seal");
    a_checkpoint_of_another_number:
        |connection, _| beside_checks(connection, "UPDATE checkpoint SET shard = 64")
        => strange("strange row in checkpoint");
    a_trigger_added:
        |connection, _| run_all(connection, "CREATE TRIGGER thief AFTER INSERT ON task
            BEGIN UPDATE registration SET place = 'forged'; END")
        => strange("strange trigger thief");
    a_view_in_the_place_of_a_table:
        |connection, _| run_all(connection, "ALTER TABLE team RENAME TO hidden;
            CREATE VIEW team AS SELECT * FROM hidden WHERE false")
        => strange("missing index sqlite_autoindex_team_1, missing index team_by_publisher, missing table team, \
            strange index sqlite_autoindex_hidden_1, strange index team_by_publisher, \
            strange table hidden, strange view team");
    an_index_dropped:
        |connection, _| run_all(connection, "DROP INDEX task_open")
        => strange("missing index task_open");
    a_table_added:
        |connection, _| run_all(connection, "CREATE TABLE stranger (x)")
        => strange("strange table stranger");
}

/// After a rotation, a wrapped key from before it is worthless.
#[test]
fn a_data_key_of_before_a_rotation_put_back() {
    let stage = stage();
    {
        let (store, _) = open(stage.options());
        store.rotate().unwrap().wait().unwrap();
        store.reencrypt().wait().unwrap();
    }
    behind(&stage.path, |connection| {
        put_back(connection, &stage, "data_key", "number = 1");
        put_back(connection, &stage, "period", "data_key = 1");
    });
    is_refused_now(&stage, &stale("data_key"));
}

/// A retired schema would not be found.
#[test]
fn an_index_emptied_so_that_documents_are_not_found() {
    let stage = stage();
    drop(open(stage.options()));
    empty_index(&stage.path, "sqlite_autoindex_document_1");
    let refused = "wrong # of entries in index sqlite_autoindex_document_1";
    is_refused_now(&stage, &forged("document", refused));
}

/// The write-ahead log of an earlier run, beside the current file.
#[test]
fn a_write_ahead_log_put_back() {
    let stage = stage();
    let wal = |of: &Path| PathBuf::from(format!("{}-wal", of.display()));
    let kept = stage.path.with_file_name("kept-wal");
    {
        let (store, _) = open(stage.options());
        put(&store, life("later", None, 7_000, None));
        std::fs::copy(wal(&stage.path), &kept).unwrap();
        put(&store, life("latest", None, 7_100, None));
    }
    let seen = ends(&stage.path);
    std::fs::copy(&kept, wal(&stage.path)).unwrap();
    // It is one that SQLite takes: that is what makes it a forgery.
    let copy = stage.path.with_file_name("copy.db");
    std::fs::copy(&stage.path, &copy).unwrap();
    std::fs::copy(&kept, wal(&copy)).unwrap();
    let found = ends(&copy);
    assert!(found < seen, "{found:?} {seen:?}");
    // Pages of the file and pages of the log are of two states: the seal is the younger one's.
    let misfit = forged("seal", crate::row::seal::NOT_THE_LAST);
    is_refused_now(&stage, &misfit);
}

#[test]
fn the_database_deleted() {
    let stage = stage();
    let seen = ends(&stage.path);
    std::fs::remove_file(&stage.path).unwrap();
    let refused = encrypted::refused(&stage.options()).to_string();
    let AtStart(told) = set_back(&stage, (0, 0), seen) else {
        panic!("a state is set back at the start");
    };
    assert_eq!(refused, told);
}
