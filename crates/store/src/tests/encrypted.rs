//! Payloads at rest are encrypted.

use super::*;
use domain::context::{Body, Chunked};
use domain::negotiation::Kind;
use domain::push::PushConfig;
use domain::task::{Conditions, Subscription};

use std::collections::BTreeSet;

/// The text that must not be found in any file.
pub(super) const SECRET: &str = "the-guest-eats-no-peanuts";

/// A batch in which every payload contains the secret.
pub(super) fn secrets(id: &str) -> Batch {
    let conditions = Conditions {
        subscription: Some(Subscription {
            protocol: "https".into(),
            method: "POST".into(),
            url: format!("https://oss.example/{SECRET}"),
        }),
        data: Some(format!("d-{id}")),
        ..Conditions::default()
    };
    let task = Task {
        text: SECRET.into(),
        content: content(SECRET),
        plan: Some(content(SECRET)),
        result: Some(content(SECRET)),
        said: Some(content(SECRET)),
        ..task(id).under(conditions)
    };
    let of = |name: &str, body| DataParam {
        body,
        description: SECRET.into(),
        ..data(&format!("{name}-{id}"), Some(id), "oss", "ran")
    };
    let size = SECRET.len() as u64;
    let (sha256, finished) = (Some(Sha256::digest(SECRET).into()), true);
    let chunked = Body::Chunked(Chunked {
        size,
        sha256,
        finished,
    });
    let mut negotiation = kept::negotiation(id, Kind::Fulfillment);
    negotiation.turns[0].speech.contents = vec![content(SECRET)];
    let mut team = kept::team(id);
    team.needs[0].content = content(SECRET);
    Batch {
        happenings: vec![(at(1_000), notification(&task, None))],
        tasks: vec![Arc::new(task)],
        exchanges: vec![Exchange {
            request: SECRET.into(),
            ..exchange(&format!("x-{id}"), Some(id), "oss", "ran", 1_000)
        }],
        data: vec![
            of("d", Body::Inline(SECRET.into())),
            of("u", Body::Elsewhere(format!("https://x.example/{SECRET}"))),
            of("c", chunked),
        ],
        chunks: vec![Chunk {
            data: format!("c-{id}"),
            offset: 0,
            bytes: SECRET.as_bytes().into(),
        }],
        negotiations: vec![Arc::new(negotiation)],
        teams: vec![Arc::new(team)],
        pushes: vec![PushChange::Keep(PushConfig {
            url: format!("https://oss.example/{SECRET}"),
            token: Some(SECRET.into()),
            ..pushes::config(id, "oss", &format!("push-{id}"))
        })],
        documents: vec![Document {
            kind: "pool".into(),
            name: format!("p-{id}"),
            body: Some(format!("{{\"said\":\"{SECRET}\"}}")),
        }],
        observations: vec![format!("{{\"other\":\"{SECRET}\",\"of\":\"{id}\"}}")],
        ..Batch::default()
    }
}

/// Fills a state with secrets.
pub(super) fn fill(store: &Store, ids: &[&str]) {
    for id in ids {
        store.commit(secrets(id)).wait().unwrap();
    }
    let cursor = (format!("https://oss.example/{SECRET}"), Some(1));
    store.keep_cursors(vec![cursor]).wait().unwrap();
}

/// Everything that was filled in is read back.
pub(super) fn comes_back(store: &Store, ids: &[&str]) {
    for id in ids {
        let batch = secrets(id);
        let (key, task) = (TaskId::new(*id), &batch.tasks[0]);
        assert_eq!(store.task(&key).unwrap().as_ref(), Some(task.as_ref()));
        let exchange = &batch.exchanges[0];
        let found = store.exchange(&exchange.id).unwrap();
        assert_eq!(found.as_ref(), Some(exchange));
        for data in &batch.data {
            assert_eq!(store.data_param(&data.id).unwrap().as_ref(), Some(data));
        }
        let bytes = store.read_data(&format!("c-{id}"), 4, 5).unwrap();
        assert_eq!(bytes, SECRET.as_bytes()[4..9]);
        assert_eq!(store.negotiations(&key).unwrap()[0], *batch.negotiations[0]);
        assert_eq!(store.team(&key).unwrap().unwrap(), *batch.teams[0]);
        let configs = store.push_configs(&key).unwrap().into_iter();
        let configs: Vec<_> = configs.map(PushChange::Keep).collect();
        assert_eq!(configs, batch.pushes);
        let documents = store.documents("pool").unwrap();
        assert!(documents.contains(&batch.documents[0]));
        let observed = store.observations(1_000).unwrap();
        assert!(
            observed
                .iter()
                .any(|(_, row)| *row == batch.observations[0])
        );
        let told = &batch.happenings[0].1;
        let entries = store.entries(0, 1_000).unwrap();
        assert!(entries.iter().any(|entry| entry.happening == *told));
    }
    let cursors = store.cursors().unwrap();
    assert!(cursors.iter().any(|cursor| cursor.name.contains(SECRET)));
}

/// The files of a state in which `words` stand.
pub(super) fn holding(path: &Path, words: &str) -> Vec<String> {
    let mut holding = Vec::new();
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        if bytes.windows(words.len()).any(|w| w == words.as_bytes()) {
            holding.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    holding.sort();
    holding
}

pub(super) fn sound(report: ChainReport) -> ChainReport {
    assert!(report.is_sound(), "{:?}", report.faults);
    report
}

pub(super) fn refused(options: &Options) -> OpenError {
    match Store::open(options.clone(), Box::new(|_| {})) {
        Err(error) => error,
        Ok(_) => panic!("it was opened"),
    }
}

/// D110, Q55: no payload is found in the database, its write-ahead log or the index of that,
/// neither while the store runs nor later.
#[test]
fn no_payload_stands_in_any_file() {
    let (_folder, path) = file();
    let (store, _) = open(encrypted(&path));
    fill(&store, &["t1", "t2"]);
    comes_back(&store, &["t1", "t2"]);
    assert_eq!(holding(&path, SECRET), [""; 0]);
    // Unencrypted columns are found, so the search itself works.
    assert_eq!(holding(&path, "x-t1"), ["state.db-wal"]);
    drop(store);
    assert_eq!(holding(&path, SECRET), [""; 0]);
    assert_eq!(holding(&path, "x-t1"), ["state.db"]);
    let (plain_folder, plain) = file();
    let (store, _) = open(Options::file(&plain));
    fill(&store, &["t1"]);
    drop(store);
    assert_eq!(holding(&plain, SECRET), ["state.db"]);
    drop(plain_folder);
}

#[test]
fn what_was_encrypted_comes_back_after_every_opening() {
    durably(|options| {
        if options.keys.is_none() {
            return;
        }
        let mut ids: Vec<String> = Vec::new();
        for n in 0..4 {
            let (store, recovered) = open(options.clone());
            assert_eq!(recovered.tasks.len(), ids.len());
            ids.push(format!("t{n}"));
            fill(&store, &[&ids[n]]);
            let all: Vec<&str> = ids.iter().map(String::as_str).collect();
            comes_back(&store, &all);
            sound(store.verify().unwrap());
            let encryption = store.encryption().unwrap();
            assert_eq!((encryption.data_key, encryption.whole), (Some(1), true));
        }
    });
}

/// Neither rows nor chain need a key to be verified; with it, payloads are checked too.
#[test]
fn it_is_verified_without_the_key_and_with_it() {
    let (_folder, path) = file();
    let (store, _) = open(encrypted(&path));
    fill(&store, &["t1", "t2"]);
    let with = sound(store.verify().unwrap());
    assert_eq!((with.locked, with.tasks, with.chunks), (0, 2, 2));
    drop(store);
    let without = sound(verify(&path).unwrap());
    assert_eq!((without.digest, without.open), (with.digest, with.open));
    // 2 tasks, exchanges, pieces, negotiations, teams, entries, documents, observations, targets of
    // pushing; 6 data, 1 cursor.
    assert_eq!(without.locked, 2 * 9 + 6 + 1);
    let m1 = keeper("m1");
    let again = verify_with_keys(&path, VerifyOptions::default(), m1.as_ref()).unwrap();
    assert_eq!(sound(again).locked, 0);
    let other = keeper("m2");
    let refused = verify_with_keys(&path, VerifyOptions::default(), other.as_ref());
    assert!(
        matches!(&refused, Err(OpenError::Key(KeyKeeperError::Unknown { master })) if master == "m1"),
        "{refused:?}"
    );
}

#[test]
fn one_flipped_bit_of_a_ciphertext_is_found_without_the_key() {
    for (table, column) in [
        ("task", "cipher"),
        ("exchange", "cipher"),
        ("data_param", "cipher"),
        ("data_chunk", "cipher"),
        ("data_chunk", "bytes"),
        ("negotiation", "cipher"),
        ("team", "cipher"),
        ("log", "cipher"),
        ("cursor", "cipher"),
        ("push_config", "cipher"),
        ("data_key", "wrapped"),
        ("period", "salt"),
    ] {
        let (_folder, path) = file();
        let (store, _) = open(encrypted(&path));
        fill(&store, &["t1"]);
        drop(store);
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("DROP TRIGGER the_log_is_never_rewritten")
            .unwrap();
        let read = format!("SELECT {column} FROM {table} LIMIT 1");
        let mut bytes: Vec<u8> = connection.query_row(&read, [], |row| row.get(0)).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 4;
        let write = format!("UPDATE {table} SET {column} = ?1");
        connection.execute(&write, [bytes]).unwrap();
        drop(connection);
        let report = verify(&path).unwrap();
        assert!(
            report.faults.iter().any(|fault| fault.table == table),
            "{table}.{column}: {report:?}"
        );
    }
}

/// A missing, a wrong and no key are distinguished, and the state is left untouched.
#[test]
fn without_the_key_it_is_refused_and_left_as_it_is() {
    let (_folder, path) = file();
    let (store, _) = open(encrypted(&path));
    fill(&store, &["t1"]);
    drop(store);
    let before = std::fs::read(&path).unwrap();
    let none = refused(&Options::file(&path));
    assert!(matches!(none, OpenError::Encrypted), "{none:?}");
    let with = |keys: Arc<dyn KeyKeeper>| Options {
        keys: Some(keys),
        ..Options::file(&path)
    };
    let missing = refused(&with(keeper("m2")));
    assert!(
        matches!(&missing, OpenError::Key(KeyKeeperError::Unknown { master }) if master == "m1"),
        "{missing:?}"
    );
    assert_eq!(
        missing.to_string(),
        "the state is encrypted: there is no master key 'm1'"
    );
    let namesake = HeldKeys::new("m1", secret("another"), chance());
    let wrong = refused(&with(Arc::new(namesake)));
    assert!(
        matches!(&wrong, OpenError::Key(KeyKeeperError::Wrong { master }) if master == "m1"),
        "{wrong:?}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let (store, _) = open(encrypted(&path));
    comes_back(&store, &["t1"]);
}

/// D110: a writer of the file without the key can neither move a payload nor change the columns
/// beside it, even if all digests are made anew.
#[test]
fn a_payload_fits_no_other_row_and_no_other_columns() {
    let (_folder, path) = file();
    let (store, _) = open(encrypted(&path));
    for (id, request) in [("x1", "yes"), ("x2", "no")] {
        let batch = Batch {
            exchanges: vec![Exchange {
                request: request.into(),
                ..exchange(id, None, "oss", "ran", 1_000)
            }],
            ..Batch::default()
        };
        store.commit(batch).wait().unwrap();
    }
    let connection = Connection::open(&path).unwrap();
    let cipher = |id: &str| -> Vec<u8> {
        let sql = "SELECT cipher FROM exchange WHERE id = ?1";
        connection.query_row(sql, [id], |row| row.get(0)).unwrap()
    };
    let forge = |id: &str, to: &str, cipher: Vec<u8>| {
        let beside = crate::digest::RowDigest::of("exchange")
            .text(id)
            .optional_text(None)
            .text("oss")
            .text(to)
            .text(Verb::TaskAssign.as_str())
            .text("")
            .number(1_000)
            .optional_text(None)
            .optional_number(None)
            .sum();
        let sum = crate::cover::covered("exchange", &beside, &cipher);
        let sql = "UPDATE exchange SET send_to = ?2, cipher = ?3, digest = ?4 WHERE id = ?1";
        let changed = connection.execute(sql, rusqlite::params![id, to, cipher, sum]);
        assert_eq!(changed.unwrap(), 1);
    };
    let (first, second) = (cipher("x1"), cipher("x2"));
    // The same as it was, but for the code: the digest is how the store does it.
    for (to, cipher) in [("ran", first.clone()), ("ran", second), ("other", first)] {
        forge("x1", to, cipher);
        let refused = store.exchange("x1");
        assert!(
            matches!(&refused, Err(ReadError::Forged { key, .. }) if key == "x1"),
            "{refused:?}"
        );
    }
    assert!(verify(&path).unwrap().is_sound(), "the digests are right");
    assert!(!store.verify().unwrap().is_sound());
}

/// Every pair of period and count of a state.
fn nonces(path: &Path) -> Vec<(String, Vec<u8>)> {
    let connection = Connection::open(path).unwrap();
    let mut nonces = Vec::new();
    for table in [
        "task",
        "exchange",
        "data_param",
        "data_chunk",
        "negotiation",
        "team",
        "log",
        "cursor",
        "push_config",
    ] {
        let sql = format!("SELECT substr(cipher, 2, 12) FROM {table}");
        let mut statement = connection.prepare(&sql).unwrap();
        let found = statement.query_map([], |row| row.get(0)).unwrap();
        nonces.extend(found.map(|nonce| (table.to_owned(), nonce.unwrap())));
    }
    nonces
}

/// No two payloads share a nonce, after rollbacks, rotations and openings.
#[test]
fn no_nonce_is_used_twice() {
    let (_folder, path) = file();
    for n in 0..3 {
        let (store, _) = open(encrypted(&path));
        fill(&store, &[&format!("a{n}")]);
        // Breaks a rule that nothing foresees: all is rolled back, and done again one by one.
        let mut broken = task(&format!("b{n}"));
        broken.percent = 101;
        let tickets = [
            store.commit(everything(&format!("c{n}"))),
            store.commit(tasks(&[&broken])),
            store.commit(everything(&format!("d{n}"))),
        ];
        let stored: Vec<bool> = tickets.into_iter().map(|t| t.wait().is_ok()).collect();
        assert_eq!(stored, [true, false, true]);
        store.rotate().unwrap().wait().unwrap();
        fill(&store, &[&format!("e{n}")]);
    }
    let nonces = nonces(&path);
    let different: BTreeSet<_> = nonces.iter().map(|(_, nonce)| nonce).collect();
    assert_eq!(different.len(), nonces.len());
}

/// Rotation makes a new data key, touches no row, and makes the old master key unnecessary.
#[test]
fn keys_are_rotated_without_touching_a_row() {
    let (_folder, path) = file();
    let (store, _) = open(encrypted(&path));
    fill(&store, &["t1"]);
    let rotated = store.rotate().unwrap().wait().unwrap();
    assert_eq!((rotated.data_key, rotated.rewrapped), (2, 0));
    fill(&store, &["t2"]);
    comes_back(&store, &["t1", "t2"]);
    let before = nonces(&path);
    drop(store);

    let newer = HeldKeys::new("m2", secret("m2"), chance()).with_older("m1", secret("m1"));
    let (store, _) = open(Options {
        keys: Some(Arc::new(newer)),
        ..Options::file(&path)
    });
    store.commit(Batch::default()).wait().unwrap();
    let encryption = store.encryption().unwrap();
    assert_eq!(encryption.masters, ["m2"]);
    assert_eq!((encryption.data_key, encryption.whole), (Some(2), false));
    drop(store);
    assert_eq!(nonces(&path), before, "no payload was encrypted anew");

    let only_new = Options {
        keys: Some(keeper("m2")),
        ..Options::file(&path)
    };
    let (store, _) = open(only_new.clone());
    comes_back(&store, &["t1", "t2"]);
    let digest = sound(store.verify().unwrap()).digest;
    let walked = store.reencrypt().wait().unwrap();
    // As many as there are payloads under the first data key, and all cursors.
    assert_eq!((walked.rows, walked.data_keys), (12 + 1, 1));
    let encryption = store.encryption().unwrap();
    assert_eq!((encryption.data_key, encryption.whole), (Some(2), true));
    comes_back(&store, &["t1", "t2"]);
    assert_eq!(store.reencrypt().wait().unwrap().rows, 1);
    assert_eq!(sound(store.verify().unwrap()).digest, digest);
    drop(store);
    assert_eq!(sound(verify(&path).unwrap()).digest, digest);
    let (store, _) = open(only_new);
    comes_back(&store, &["t1", "t2"]);
    fill(&store, &["t3"]);
    comes_back(&store, &["t3"]);
}

#[test]
fn a_plain_state_has_no_keys_to_rotate() {
    let (store, _) = open(Options::memory());
    assert!(matches!(store.rotate(), Err(KeyRotationError::Plain)));
    let walked = store.reencrypt().wait().unwrap();
    assert_eq!(walked, Reencrypted::default());
    assert_eq!(store.encryption().unwrap(), Encryption::default());
}

/// The state of the release before, in a file.
pub(super) fn version_2() -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = file();
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(include_str!("version-2.sql"))
        .unwrap();
    (folder, path)
}

/// Checks the contents of a state of version 2.
pub(super) fn reads_version_2(store: &Store) {
    let ended = store.task(&TaskId::new("ended")).unwrap().unwrap();
    assert_eq!(ended.text, "an old-secret");
    assert_eq!(ended.plan, Some(content("plan old-secret")));
    let open_one = store.task(&TaskId::new("open")).unwrap().unwrap();
    assert_eq!(open_one.conditions.data.as_deref(), Some("d-open"));
    let exchange = store.exchange("x-ended").unwrap().unwrap();
    assert_eq!(exchange.request, "request old-secret");
    let bytes = store.read_data("d-open", 0, 100).unwrap();
    assert_eq!(bytes, b"old-secretold-secret");
    let entries = store.entries(0, 6).unwrap();
    assert_eq!((entries[0].sequence, entries[5].sequence), (3, 8));
    assert!(store.erasure(&TaskId::new("erased")).unwrap().is_some());
    assert!(store.team(&ended.id).unwrap().is_some());
}

/// A state without conversations is verified as it is, and migrated when it is opened.
#[test]
fn a_state_without_conversations_is_read() {
    let (_folder, path) = version_2();
    crate::sqlite::schema::migrate_to(&Connection::open(&path).unwrap(), 3);
    sound(verify(&path).unwrap());
    let (store, _) = open(Options::file(&path));
    let task = store.task(&TaskId::new("open")).unwrap().unwrap();
    assert_eq!(task.conversation(), "open");
    reads_version_2(&store);
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn the_state_of_the_release_before_is_verified_as_it_is() {
    let (_folder, path) = version_2();
    let before = std::fs::read(&path).unwrap();
    let report = sound(verify(&path).unwrap());
    assert_eq!((report.tasks, report.erased, report.chunks), (3, 2, 2));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// A state from before encryption is read as it is, new rows are encrypted, and the walk leaves
/// nothing readable.
#[test]
fn the_state_of_the_release_before_is_taken_over() {
    let (_folder, path) = version_2();
    let digest = sound(verify(&path).unwrap()).digest;
    let (store, _) = open(Options::file(&path));
    reads_version_2(&store);
    assert_eq!(sound(store.verify().unwrap()).digest, digest);
    drop(store);

    let (store, _) = open(encrypted(&path));
    reads_version_2(&store);
    assert!(!store.encryption().unwrap().whole);
    fill(&store, &["t1"]);
    drop(store);
    assert_eq!(holding(&path, SECRET), [""; 0]);
    assert_eq!(holding(&path, "old-secret"), ["state.db"]);

    let (store, _) = open(encrypted(&path));
    let digest = sound(store.verify().unwrap()).digest;
    let walked = store.reencrypt().wait().unwrap();
    assert!(walked.rows > 10, "{walked:?}");
    assert!(store.encryption().unwrap().whole);
    store.compact().wait().unwrap();
    reads_version_2(&store);
    comes_back(&store, &["t1"]);
    assert_eq!(sound(store.verify().unwrap()).digest, digest);
    drop(store);
    assert_eq!(holding(&path, "old-secret"), [""; 0]);
    assert_eq!(sound(verify(&path).unwrap()).digest, digest);
    let (store, _) = open(encrypted(&path));
    reads_version_2(&store);
}

/// Erasure reaches encrypted contents, before a walk and after it.
#[test]
fn what_is_encrypted_is_erased() {
    for walked_before in [false, true] {
        let (_folder, path) = file();
        let (store, _) = open(encrypted(&path));
        fill(&store, &["t1", "t2"]);
        let asked = store.task(&TaskId::new("t1")).unwrap().unwrap();
        let ended = after(&asked, Command::Cancel);
        store.commit(tasks(&[&ended])).wait().unwrap();
        let digest = store.verify().unwrap().digest;
        if walked_before {
            store.rotate().unwrap().wait().unwrap();
            store.reencrypt().wait().unwrap();
        }
        let erased = store.erase(&ended.id, at(9_000)).wait().unwrap();
        assert_eq!((erased.exchanges, erased.data, erased.entries), (1, 3, 1));
        store.rotate().unwrap().wait().unwrap();
        store.reencrypt().wait().unwrap();
        let left = store.task(&ended.id).unwrap().unwrap();
        assert_eq!(
            (left.text.as_str(), left.result),
            ("", Some(Content::new("", "")))
        );
        comes_back(&store, &["t2"]);
        let report = sound(store.verify().unwrap());
        assert_eq!((report.digest, report.erased), (digest, 1));
        drop(store);
        let report = sound(verify(&path).unwrap());
        assert_eq!((report.digest, report.erased), (digest, 1));
    }
}

#[test]
fn data_that_an_open_task_was_given_stay_though_nobody_can_read_it() {
    durably(|options| {
        let (store, _) = open(options.clone());
        let mut given = secrets("t1");
        given.data[0].task = None;
        store.commit(given).wait().unwrap();
        let stray = DataParam {
            task: None,
            ..data("stray", None, "oss", "ran")
        };
        let batch = Batch {
            data: vec![stray],
            ..Batch::default()
        };
        store.commit(batch).wait().unwrap();
        let retention = Retention {
            max_age_ms: Some(1),
            ..Retention::default()
        };
        let trimmed = store.trim(at(1_000_000), &retention).wait().unwrap();
        assert_eq!(trimmed.data, 1);
        assert!(store.data_param("d-t1").unwrap().is_some());
        assert!(store.data_param("stray").unwrap().is_none());
    });
}

#[test]
fn the_same_piece_again_is_fine_and_another_one_is_not() {
    durably(|options| {
        if options.keys.is_none() {
            return;
        }
        let (store, _) = open(options.clone());
        fill(&store, &["t1"]);
        let again = |bytes: &[u8]| Batch {
            chunks: vec![Chunk {
                data: "c-t1".into(),
                offset: 0,
                bytes: bytes.into(),
            }],
            ..Batch::default()
        };
        store.commit(again(SECRET.as_bytes())).wait().unwrap();
        let other = store.commit(again(b"another")).wait();
        assert!(
            matches!(other, Err(CommitError::Overlap { .. })),
            "{other:?}"
        );
    });
}

/// A keeper that can be unavailable.
struct Away(std::sync::atomic::AtomicBool, Arc<dyn KeyKeeper>);

impl Away {
    fn ask(&self) -> Result<&dyn KeyKeeper, KeyKeeperError> {
        match self.0.load(Relaxed) {
            true => Err(KeyKeeperError::Failed("no route to host".into())),
            false => Ok(self.1.as_ref()),
        }
    }
}

impl KeyKeeper for Away {
    fn current(&self) -> String {
        self.1.current()
    }

    fn wrap(&self, master: &str, key: &Secret) -> Result<Vec<u8>, KeyKeeperError> {
        self.ask()?.wrap(master, key)
    }

    fn unwrap(&self, master: &str, wrapped: &[u8]) -> Result<Secret, KeyKeeperError> {
        self.ask()?.unwrap(master, wrapped)
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), KeyKeeperError> {
        self.ask()?.random(bytes)
    }
}

#[test]
fn a_keeper_that_is_away_stops_no_commit_and_no_read() {
    let (_folder, path) = file();
    let keys = Arc::new(Away(false.into(), keeper("m1")));
    let options = Options {
        keys: Some(Arc::clone(&keys) as Arc<dyn KeyKeeper>),
        ..Options::file(&path)
    };
    let (store, _) = open(options.clone());
    fill(&store, &["t1"]);
    keys.0.store(true, Relaxed);
    let refused_rotation = store.rotate();
    assert!(
        matches!(
            refused_rotation,
            Err(KeyRotationError::Key(KeyKeeperError::Failed(_)))
        ),
        "{refused_rotation:?}"
    );
    fill(&store, &["t2"]);
    comes_back(&store, &["t1", "t2"]);
    drop(store);
    let away = refused(&options);
    assert!(
        matches!(away, OpenError::Key(KeyKeeperError::Failed(_))),
        "{away:?}"
    );
    keys.0.store(false, Relaxed);
    let (store, _) = open(options);
    comes_back(&store, &["t1", "t2"]);
}
