//! Authenticity of states: bound on first use, kept through all operations, accepted again only by
//! an operator.

use super::encrypted::{SECRET, fill, refused, sound, version_2};
use super::removal::{Key, life, put, trim};
use super::version_5::{reads_version_5, version_5};
use super::*;
use std::process::Command as Process;

fn options(path: &Path) -> Options {
    Options {
        signer: Some(Arc::new(Key("platform"))),
        outside: vec![path.with_file_name("store_head")],
        ..encrypted(path)
    }
}

fn verified(path: &Path, key: &'static str) -> ChainReport {
    let signer = Key(key);
    let how = VerifyOptions {
        signer: Some(&signer),
        outside: vec![path.with_file_name("store_head")],
        ..VerifyOptions::default()
    };
    verify_with_keys(path, how, keeper("m1").as_ref()).unwrap()
}

fn grounds(report: &ChainReport) -> Vec<&'static str> {
    let grounds = report.attestations.iter();
    grounds
        .map(|attestation| attestation.ground.as_str())
        .collect()
}

/// After any operation, the rows sum up to the values in the head.
#[test]
fn it_stays_authentic_whatever_is_done() {
    let (_folder, path) = file();
    let steps: [fn(&Store); 9] = [
        |store| fill(store, &["t1", "t2"]),
        |store| {
            for n in 0..3 {
                put(
                    store,
                    life(&format!("old{n}"), None, n * 100, Some(n * 100 + 50)),
                );
            }
        },
        |store| {
            let read = store.task(&TaskId::new("t1")).unwrap().unwrap();
            put(store, tasks(&[&after(&read, Command::Cancel)]));
        },
        |store| {
            let erased = store.erase(&TaskId::new("t1"), at(3_000)).wait().unwrap();
            assert_eq!(erased.exchanges, 1);
        },
        |store| assert_eq!(trim(store, 1_000, 800).tasks, 2),
        |store| {
            let batch = Batch {
                observed: Some(1),
                left: vec!["agent".into()],
                documents: vec![Document {
                    kind: "pool".into(),
                    name: "p-t2".into(),
                    body: None,
                }],
                ..Batch::default()
            };
            put(store, batch);
            let forgotten = (format!("https://oss.example/{SECRET}"), None);
            store.keep_cursors(vec![forgotten]).wait().unwrap();
        },
        |store| assert_eq!(store.rotate().unwrap().wait().unwrap().data_key, 2),
        |store| assert_eq!(store.reencrypt().wait().unwrap().data_keys, 1),
        |store| store.compact().wait().unwrap(),
    ];
    for step in steps {
        let (store, _) = open(options(&path));
        step(&store);
        assert!(sound(store.verify().unwrap()).authentic);
        drop(store);
        assert!(sound(verified(&path, "platform")).authentic);
    }
    let report = verified(&path, "platform");
    assert_eq!(grounds(&report), ["rotation"]);
    // Without the key: sound as far as one can tell, and nothing more.
    let without = sound(verify(&path).unwrap());
    assert!(!without.authentic);
    assert_ne!(without.locked, 0);
}

/// A batch that is not stored leaves the sums as they were.
#[test]
fn what_was_refused_is_not_summed_up() {
    let (_folder, path) = file();
    let (store, _) = open(options(&path));
    put(&store, life("t", None, 0, None));
    let too_large = Batch {
        data: vec![data("d", None, "oss", "ran")],
        chunks: vec![Chunk {
            data: "d".into(),
            offset: 0,
            bytes: vec![0; 300_000].into(),
        }],
        ..Batch::default()
    };
    let fine = life("u", None, 10, None);
    let tickets = [store.commit(too_large), store.commit(fine)];
    let [refused, stored] = tickets.map(Ticket::wait);
    assert!(
        matches!(refused, Err(CommitError::Refused(_))),
        "{refused:?}"
    );
    stored.unwrap();
    assert!(sound(store.verify().unwrap()).authentic);
    drop(store);
    open(options(&path));
}

/// A state of the previous release is verified and bound, and this is recorded.
#[test]
fn the_state_of_the_release_before_is_bound_at_first_use() {
    for (version, (_folder, path)) in [(5, version_5()), (2, version_2())] {
        let digest = sound(verify(&path).unwrap()).digest;
        let signed = |path: &Path| match version {
            5 => options(path),
            // It was never signed.
            _ => Options {
                signer: None,
                ..options(path)
            },
        };
        let (store, recovered) = open(signed(&path));
        assert!(!recovered.tasks.is_empty());
        let report = sound(store.verify().unwrap());
        assert!(report.authentic);
        assert_eq!(
            (report.digest, grounds(&report)),
            (digest, vec!["first-use", "sharded"])
        );
        drop(store);
        let (store, _) = open(signed(&path));
        let report = sound(store.verify().unwrap());
        assert_eq!(grounds(&report), ["first-use", "sharded"], "once");
        if version == 5 {
            reads_version_5(&store);
            assert!(sound(verified(&path, "platform")).authentic);
        }
    }
}

/// An unsound state of the previous release is not bound: nothing of it is signed, and nothing
/// changed.
#[test]
fn a_state_of_the_release_before_that_is_not_sound_is_not_bound() {
    for (spoil, told) in [
        (
            "UPDATE exchange SET send_to = 'forged' WHERE id = 'x-ended'",
            "the state is damaged at exchange 'x-ended'; it is refused rather than served",
        ),
        (
            "UPDATE seal SET signature = x'00'",
            "seal '7' is not signed with the host key in use",
        ),
        (
            "CREATE VIEW stranger AS SELECT 1",
            "the state was forged: its schema is not that of a state of Convoke \
             (strange view stranger)",
        ),
    ] {
        let (_folder, path) = version_5();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(spoil).unwrap();
        drop(connection);
        assert_eq!(refused(&options(&path)).to_string(), told);
        let version = Connection::open(&path).unwrap();
        let version = version.pragma_query_value(None, "user_version", |r| r.get::<_, i64>(0));
        assert_eq!(version.unwrap(), 5, "it is as it was");
    }
}

/// A process that is killed at any write of a page leaves a state that is bound whole or not at
/// all: the file and its log as they were after each write are opened again.
#[test]
fn binding_survives_a_kill_at_any_point() {
    if let Ok(path) = std::env::var("CONVOKE_TEST_BIND") {
        // The child: is killed somewhere in here.
        open(options(Path::new(&path)));
        return;
    }
    let this = std::env::current_exe().unwrap();
    let mut bound = [0, 0];
    for round in 0..12_u32 {
        let (_folder, path) = version_5();
        let mut child = Process::new(&this)
            .args([
                "--exact",
                "tests::authentic::binding_survives_a_kill_at_any_point",
            ])
            .env("CONVOKE_TEST_BIND", &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Further on each round, counted in bytes that the child has written.
        let wal = PathBuf::from(format!("{}-wal", path.display()));
        let written = || std::fs::metadata(&wal).map_or(0, |wal| wal.len());
        while written() < u64::from(round) * 16_384 && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().unwrap();
        let report = verified(&path, "platform");
        bound[usize::from(report.authentic)] += 1;
        assert!(report.is_sound(), "{:?}", report.faults);
        let (store, _) = open(options(&path));
        let report = sound(store.verify().unwrap());
        assert!(report.authentic);
        assert_eq!(grounds(&report), ["first-use", "sharded"]);
        reads_version_5(&store);
    }
    assert_ne!(
        bound[0], 0,
        "none was killed before it was bound: {bound:?}"
    );
}

/// A store that was plain is bound when it gets a key.
#[test]
fn a_plain_state_is_bound_when_it_gets_a_key() {
    let (_folder, path) = file();
    let plain = Options {
        keys: None,
        ..options(&path)
    };
    put(&open(plain.clone()).0, life("t", None, 0, Some(1)));
    let (store, _) = open(options(&path));
    let report = sound(store.verify().unwrap());
    assert!(report.authentic);
    assert_eq!(grounds(&report), ["first-use"]);
    store.reencrypt().wait().unwrap();
    drop(store);
    assert!(sound(verified(&path, "platform")).authentic);
    assert!(matches!(refused(&plain), OpenError::Encrypted));
}

/// A restored backup is refused, and accepted by an operator with a signed record. The abandoned
/// state cannot come back.
#[test]
fn a_backup_is_accepted_on_purpose() {
    let (folder, path) = file();
    let backup = folder.path().join("backup.db");
    let abandoned = folder.path().join("abandoned.db");
    put(&open(options(&path)).0, life("first", None, 0, None));
    std::fs::copy(&path, &backup).unwrap();
    put(&open(options(&path)).0, life("second", None, 10, None));
    std::fs::copy(&path, &abandoned).unwrap();
    std::fs::copy(&backup, &path).unwrap();
    let why = refused(&options(&path));
    assert!(matches!(why, OpenError::SetBack { .. }) && why.may_be_accepted());
    let on_purpose = Options {
        accept: true,
        now: at(77_000),
        ..options(&path)
    };
    let (store, recovered) = open(on_purpose.clone());
    assert_eq!(recovered.accepted, [why.to_string()]);
    assert_eq!(recovered.tasks.len(), 1);
    drop(store);
    let report = sound(verified(&path, "platform"));
    let [record] = &report.attestations[..] else {
        panic!("{:?}", report.attestations);
    };
    assert_eq!((record.ground, record.time), (Ground::Restored, at(77_000)));
    assert_eq!(record.detail, why.to_string());
    let (store, recovered) = open(options(&path));
    assert_eq!(recovered.accepted, [""; 0]);
    drop(store);
    // There is nothing to accept any more.
    assert_eq!(open(on_purpose.clone()).1.accepted, [""; 0]);
    std::fs::copy(&abandoned, &path).unwrap();
    assert!(matches!(
        refused(&options(&path)),
        OpenError::SetBack { .. }
    ));
    // A forgery is refused even to an operator.
    std::fs::copy(&backup, &path).unwrap();
    behind(&path, |connection| {
        connection.execute("DELETE FROM exchange", []).unwrap();
    });
    let forged = refused(&on_purpose).to_string();
    assert!(
        forged.starts_with("the state is damaged at head") || forged.contains("forged"),
        "{forged}"
    );
}

/// The seal is required once there was one; its absence may be accepted if every row is sound.
#[test]
fn a_seal_that_is_gone_is_accepted_on_purpose_only() {
    let (_folder, path) = file();
    put(&open(options(&path)).0, life("first", None, 0, None));
    behind(&path, |connection| {
        connection.execute("DELETE FROM seal", []).unwrap()
    });
    assert!(matches!(
        refused(&options(&path)),
        OpenError::Unsealed { sealed: 1 }
    ));
    // A state without a key has the file outside to tell.
    let (_folder, plain) = file();
    let unkeyed = |accept| Options {
        keys: None,
        accept,
        ..options(&plain)
    };
    put(&open(unkeyed(false)).0, life("first", None, 0, None));
    behind(&plain, |connection| {
        connection.execute("DELETE FROM seal", []).unwrap()
    });
    assert!(matches!(
        refused(&unkeyed(false)),
        OpenError::Unsealed { sealed: 1 }
    ));
    for options in [
        Options {
            accept: true,
            ..options(&path)
        },
        unkeyed(true),
    ] {
        assert_eq!(open(options.clone()).1.accepted.len(), 1);
        assert_eq!(
            open(Options {
                accept: false,
                ..options
            })
            .1
            .accepted,
            [""; 0]
        );
    }
}

/// A state with another host key is refused, and everything is signed anew on request.
#[test]
fn another_host_key_is_accepted_on_purpose() {
    let (_folder, path) = file();
    {
        let (store, _) = open(options(&path));
        put(&store, life("gone", None, 0, Some(1)));
        put(&store, life("erased", None, 5_000, Some(5_001)));
        store
            .erase(&TaskId::new("erased"), at(6_000))
            .wait()
            .unwrap();
        assert_eq!(trim(&store, 6_000, 1_500).tasks, 1);
    }
    let renewed = Options {
        signer: Some(Arc::new(Key("renewed"))),
        ..options(&path)
    };
    let why = refused(&renewed);
    assert!(matches!(why, OpenError::Stranger { .. }), "{why:?}");
    let (store, recovered) = open(Options {
        accept: true,
        ..renewed.clone()
    });
    assert_eq!(recovered.accepted.len(), 2, "{:?}", recovered.accepted);
    drop(store);
    let report = sound(verified(&path, "renewed"));
    assert_eq!(grounds(&report), ["host-key", "restored"]);
    assert!(report.signatures >= 6, "{report:?}");
    assert_eq!(
        verified(&path, "platform").faults.len() as u64,
        report.signatures + 1
    );
    open(renewed);
}

/// Without the key nothing is opened and nothing is written, and the chain can still be verified.
#[test]
fn a_lost_key_leaves_what_needs_none() {
    let (_folder, path) = file();
    put(&open(options(&path)).0, life("first", None, 0, Some(1)));
    let lost = refused(&Options {
        keys: Some(keeper("made anew")),
        accept: true,
        ..options(&path)
    });
    assert_eq!(
        lost.to_string(),
        "the state is encrypted: there is no master key 'm1'"
    );
    let signer = Key("platform");
    let how = VerifyOptions {
        signer: Some(&signer),
        ..VerifyOptions::default()
    };
    let report = sound(verify_with(&path, how).unwrap());
    assert_eq!(
        (report.entries, report.signatures, report.authentic),
        (2, 1, false)
    );
}

/// All ciphertexts in a state: of payloads, of the ledger, and wrapped keys.
fn ciphertexts(path: &Path) -> Vec<Vec<u8>> {
    let connection = Connection::open(path).unwrap();
    let mut found = Vec::new();
    let columns = encrypted_tables().map(|table| match table {
        "data_chunk" => (table, "bytes"),
        _ => (table, "cipher"),
    });
    for (table, column) in columns.chain([("data_key", "wrapped")]) {
        let sql = format!("SELECT {column} FROM {table}");
        let mut statement = connection.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0));
        found.extend(rows.unwrap().map(Result::unwrap));
    }
    found
}

/// The steps of `convoke store rotate`, in its order, leave no ciphertext of the old key in any
/// file: not in free pages, and not where the walk had moved rows.
#[test]
fn a_rotation_leaves_no_old_ciphertext() {
    let (folder, path) = file();
    {
        let (store, _) = open(options(&path));
        let ids: Vec<String> = (0..40).map(|n| format!("t{n}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        fill(&store, &ids);
        // Rows that were written over and removed leave theirs in free space.
        for id in &ids[..20] {
            let read = store.task(&TaskId::new(*id)).unwrap().unwrap();
            put(&store, tasks(&[&after(&read, Command::Cancel)]));
        }
    }
    let old = ciphertexts(&path);
    assert!(old.len() > 400, "{}", old.len());
    {
        let (store, _) = open(options(&path));
        store.rotate().unwrap().wait().unwrap();
        store.reencrypt().wait().unwrap();
        store.compact().wait().unwrap();
        store.seal().wait().unwrap();
    }
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap().path();
        let bytes = std::fs::read(&file).unwrap();
        // Whole words: the middle of a ciphertext is as good as chance.
        let is_left = |cipher: &&Vec<u8>| {
            let word = &cipher[cipher.len() / 3..][..12];
            bytes.windows(12).any(|window| window == word)
        };
        assert_eq!(old.iter().filter(is_left).count(), 0, "{}", file.display());
    }
    assert!(sound(verified(&path, "platform")).authentic);
}

/// Nobody is told that the head is sealed while another program locks the file; once that is over, a seal
/// says so as a batch does.
#[test]
fn a_seal_that_meets_a_lock_fails_and_the_next_one_is_made() {
    let (_folder, path) = file();
    let (store, _) = open(options(&path));
    fill(&store, &["t1"]);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let sealed = store.seal().wait();
    assert!(matches!(sealed, Err(CommitError::Locked)), "{sealed:?}");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    store.seal().wait().unwrap();
    assert_eq!(store.statistics().condition, Condition::Working);
    drop(store);
    assert!(sound(verified(&path, "platform")).authentic);
}

/// The verification in the background stops the store at a forgery that no opening reads.
#[test]
fn what_is_forged_among_what_has_ended_stops_the_store() {
    let forgeries: [fn(&Path); 3] = [
        |path| {
            behind(path, |connection| {
                let deleted = "DELETE FROM exchange WHERE id = 'x-ended'";
                assert_eq!(connection.execute(deleted, []).unwrap(), 1);
            });
        },
        // So that an identifier that was used seems to be free.
        |path| empty_index(path, "sqlite_autoindex_task_1"),
        |path| {
            behind(path, |connection| {
                let cut = "DELETE FROM log WHERE sequence = 1";
                assert_eq!(connection.execute(cut, []).unwrap(), 1);
            });
        },
    ];
    forgeries.into_iter().for_each(is_stopped_beside);
}

fn is_stopped_beside(forge: fn(&Path)) {
    let (_folder, path) = file();
    let watched = Options {
        verify: Some(Arc::new(|work| Ok(std::thread::spawn(work)))),
        ..options(&path)
    };
    {
        let (store, _) = open(watched.clone());
        put(&store, life("ended", None, 0, Some(1)));
        // More than a start looks at.
        for number in 0..1_100 {
            drop(store.commit(Batch {
                happenings: vec![(at(2), session(number))],
                ..Batch::default()
            }));
        }
    }
    let (store, _) = open(watched.clone());
    put(&store, life("more", None, 10, Some(11)));
    drop(store);
    forge(&path);
    let (store, _) = open(watched);
    while store.statistics().condition != Condition::Stopped {
        std::thread::yield_now();
    }
    let refused = store.commit(life("refused", None, 20, None)).wait();
    assert!(matches!(refused, Err(CommitError::Stopped)), "{refused:?}");
    while store.verification().state == VerificationState::Running {
        std::thread::yield_now();
    }
    assert_eq!(store.verification().state, VerificationState::Damaged);
}
