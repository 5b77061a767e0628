//! Copies of states between files and databases: what arrives, what is refused, and what a kill leaves.

use super::encrypted::{comes_back, fill, sound, version_2};
use super::removal::{Key, life, put, trim};
use super::*;
use crate::backend::Untrusted;
use crate::heads::StoredHeads;
use std::process::Command as Process;
use testkit::postgres::Database;

/// A place for a state in a folder, which has what belongs to it.
fn place(
    folder: &Path,
    location: impl Into<Location>,
    keys: Option<Arc<dyn KeyKeeper>>,
) -> Options {
    Options {
        keys,
        signer: Some(Arc::new(Key("platform"))),
        outside: vec![folder.join("store_head")],
        synchronous_full: false,
        readers: 2,
        holder: "platform".into(),
        now: at(9_000),
        ..Options::new(location.into())
    }
}

fn in_database(database: &Database<'_>) -> Location {
    Location::Postgres(database.by_socket().parse().unwrap())
}

/// The state of these options, to be copied.
fn of(options: &Options) -> CopySource {
    CopySource {
        location: options.location.clone(),
        lock: None,
        outside: options.outside.clone(),
        signers: options.signer.iter().cloned().collect(),
        keys: options.keys.clone(),
    }
}

/// What is known of a state besides where it is, taken away.
fn alone(source: CopySource) -> CopySource {
    CopySource {
        outside: Vec::new(),
        ..source
    }
}

fn moved(from: &CopySource, to: &Options) -> Result<Copied, CopyError> {
    // A child of another test may hold a lock for a moment: see `open`.
    for _ in 0..100_000 {
        match transfer(from, to, Ground::Imported, &mut |_| {}) {
            Err(
                CopyError::Source {
                    cause: OpenError::Locked { .. },
                    ..
                }
                | CopyError::Destination {
                    cause: OpenError::Locked { .. },
                    ..
                },
            ) => {
                std::thread::yield_now();
            }
            moved => return moved,
        }
    }
    panic!("the state is locked for good")
}

/// The digest of the head that is stored.
fn head(location: &Location) -> [u8; 32] {
    let state = Untrusted::reader(location).unwrap();
    StoredHeads::read(state.session()).unwrap().digest
}

/// What a store tells of itself, with its key if it has one.
fn verified(options: &Options) -> ChainReport {
    let how = VerifyOptions {
        signer: options.signer.as_deref(),
        outside: options.outside.clone(),
        ..VerifyOptions::default()
    };
    match &options.keys {
        Some(keys) => verify_with_keys(&options.location, how, keys.as_ref()),
        None => verify_with(&options.location, how),
    }
    .unwrap()
}

/// Fills a state with rows of all kinds, among them a checkpoint, an erasure and observations whose last is gone.
fn made(options: &Options) {
    let (store, _) = open(options.clone());
    put(&store, life("gone", None, 100, Some(200)));
    assert_eq!(trim(&store, 500, 100).tasks, 1);
    put(&store, life("erased", None, 1_000, Some(1_100)));
    fill(&store, &["t1", "t2"]);
    let registered = Batch {
        registrations: vec![Arc::new(kept::registration(
            "elsewhere",
            domain::registry::Reach::Server {
                address: "198.51.100.7:830".into(),
                host_key: "ssh-ed25519 theirs".into(),
            },
        ))],
        ..Batch::default()
    };
    put(&store, registered);
    store
        .erase(&TaskId::new("erased"), at(6_000))
        .wait()
        .unwrap();
}

/// Files and databases, one after the other, plain and encrypted: the state is the same wherever it arrives.
#[test]
fn a_state_arrives_as_it_was_wherever_it_goes() {
    let server = testkit::postgres::shared();
    for keys in [None, Some(keeper("m1"))] {
        let folders: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
        let databases: Vec<_> = server
            .iter()
            .flat_map(|it| [it.database(), it.database()])
            .collect();
        let mut places = vec![Location::from(folders[0].path().join("state.db"))];
        places.extend(databases.iter().map(in_database));
        places.push(folders[3].path().join("state.db").into());
        let places = places.into_iter().zip(&folders);
        let mut places =
            places.map(|(location, folder)| place(folder.path(), location, keys.clone()));
        let mut here = places.next().unwrap();
        made(&here);
        let mut hops = 0;
        for there in places {
            let before = sound(verified(&here));
            let copied = moved(&of(&here), &there).unwrap();
            assert_eq!(
                copied.head,
                head(&here.location),
                "the head arrived as it was"
            );
            assert_eq!(copied.report.authentic, keys.is_some());
            assert_eq!(copied.accepted, Vec::<String>::new());
            let after = sound(verified(&there));
            assert_eq!((after.digest, after.last), (before.digest, before.last));
            assert_eq!(after.authentic, keys.is_some());
            assert_eq!(after.erased, before.erased);
            assert_eq!(after.checkpoint, before.checkpoint);
            assert_eq!(
                after.seal.unwrap().sequence,
                after.last,
                "it is sealed where it is"
            );
            hops += 1;
            let arrivals: Vec<_> = after.attestations.iter().map(|it| it.ground).collect();
            assert_eq!(arrivals, vec![Ground::Imported; hops]);
            let told = &after.attestations[hops - 1].detail;
            assert!(told.ends_with(&format!("of {}", here.location)), "{told}");
            // It goes on where it is, and numbers with it.
            let (store, _) = open(there.clone());
            comes_back(&store, &["t1", "t2"]);
            fill(&store, &[&format!("hop{hops}")]);
            assert!(sound(store.verify().unwrap()).authentic == keys.is_some());
            drop(store);
            here = there;
        }
        assert!(hops >= 1);
    }
}

#[test]
fn a_backup_is_the_state_itself_and_no_platform_waits_for_it() {
    let (folder, path) = file();
    let at_home = place(folder.path(), path, Some(keeper("m1")));
    made(&at_home);
    let (store, _) = open(at_home.clone());
    let file = folder.path().join("backup");
    let mut tables = Vec::new();
    let before = store.statistics().counts.tasks;
    let copied = backup(&of(&at_home), &file, &mut |at| {
        // Stored while a snapshot is held, and not in it.
        put(&store, everything(&format!("meanwhile{}", tables.len())));
        tables.push((at.verifies, at.table));
    });
    let copied = copied.unwrap();
    assert!(copied.report.authentic);
    assert_eq!(copied.report.tasks, before);
    assert!(
        tables.contains(&(false, "log")) && tables.contains(&(true, "log")),
        "{tables:?}"
    );
    assert!(sound(store.verify().unwrap()).authentic);
    drop(store);
    // Nothing is beside it, and nothing was added to it.
    assert_eq!(head(&file.as_path().into()), copied.head);
    for suffix in ["-wal", "-shm", "-journal", ".new", ".lock"] {
        let beside = crate::open::beside(&file, suffix);
        assert!(!beside.exists(), "{}", beside.display());
    }
    // Put back: what came later is given up, on record.
    let away = folder.path().join("away");
    std::fs::rename(folder.path().join("state.db"), &away).unwrap();
    let saved = alone(CopySource {
        location: file.as_path().into(),
        ..of(&at_home)
    });
    let restored = transfer(&saved, &at_home, Ground::Restored, &mut |_| {}).unwrap();
    assert_eq!(restored.head, copied.head);
    let [given_up] = &restored.accepted[..] else {
        panic!("{:?}", restored.accepted);
    };
    assert!(given_up.contains("has seen entry"), "{given_up}");
    let report = sound(verified(&at_home));
    let grounds: Vec<_> = report.attestations.iter().map(|it| it.ground).collect();
    assert_eq!(grounds, [Ground::Restored, Ground::Restored]);
    let (store, _) = open(at_home);
    comes_back(&store, &["t1", "t2"]);
}

#[test]
fn what_was_tampered_with_is_not_copied() {
    type Spoil = fn(&Connection);
    let spoilt: [(Spoil, &str); 5] = [
        (
            |it| drop(it.execute("UPDATE exchange SET send_to = 'x' WHERE id = 'x-t1'", [])),
            "the state is damaged at exchange 'x-t1'",
        ),
        (
            |it| drop(it.execute("DELETE FROM exchange WHERE id = 'x-t1'", [])),
            "the state was forged at exchange",
        ),
        (
            |it| drop(it.execute("UPDATE seal SET signature = x'00'", [])),
            "is not signed with the host key in use",
        ),
        (
            |it| drop(it.execute("DELETE FROM seal", [])),
            "the state was forged at seal",
        ),
        (
            |it| it.execute_batch("CREATE TABLE more (x)").unwrap(),
            "its schema is not that of a state",
        ),
    ];
    let server = testkit::postgres::shared();
    for (spoil, told) in spoilt {
        let (folder, path) = file();
        let here = place(folder.path(), path.clone(), Some(keeper("m1")));
        made(&here);
        behind(&path, spoil);
        let elsewhere = tempfile::tempdir().unwrap();
        let to_file = place(
            elsewhere.path(),
            elsewhere.path().join("x.db"),
            here.keys.clone(),
        );
        let database = server.map(|it| it.database());
        let to_database = database.as_ref().map(|it| Options {
            location: in_database(it),
            ..to_file.clone()
        });
        for to in [Some(&to_file), to_database.as_ref()].into_iter().flatten() {
            let refused = moved(&alone(of(&here)), to).unwrap_err();
            assert!(matches!(refused, CopyError::Source { .. }), "{refused:?}");
            assert!(refused.to_string().contains(told), "{refused}");
        }
        let refused = backup(&of(&here), &elsewhere.path().join("b"), &mut |_| {}).unwrap_err();
        assert!(refused.to_string().contains(told), "{refused}");
        let left: Vec<_> = std::fs::read_dir(elsewhere.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "the lock alone: {left:?}");
        if let Some(database) = &database {
            let tables = "SELECT count(*) FROM pg_tables WHERE tablename = 'task'";
            assert_eq!(database.say(tables), "0");
        }
    }
}

/// A copy that is older than what was last seen of it is not taken for the state.
#[test]
fn what_was_set_back_is_not_copied() {
    let (folder, path) = file();
    let here = place(folder.path(), path.clone(), Some(keeper("m1")));
    made(&here);
    let older = folder.path().join("older");
    std::fs::copy(&path, &older).unwrap();
    put(&open(here.clone()).0, everything("later"));
    std::fs::copy(&older, &path).unwrap();
    let refused = backup(&of(&here), &folder.path().join("b"), &mut |_| {}).unwrap_err();
    assert!(refused.to_string().contains("store_head"), "{refused}");
}

#[test]
fn a_key_that_is_not_there_is_told_before_anything_is_copied() {
    let (folder, path) = file();
    let keys = Some(keeper("m1"));
    let here = place(folder.path(), path, keys.clone());
    made(&here);
    let (plain_folder, path) = file();
    let plain = place(plain_folder.path(), path, None);
    made(&plain);
    let with = |options: &Options, keys| CopySource {
        keys,
        ..of(options)
    };
    let copies = |from: &CopySource| {
        let to = folder.path().join("backup");
        let copied = backup(from, &to, &mut |at| panic!("{at:?}"));
        assert!(!to.exists());
        copied.unwrap_err()
    };
    let missing = copies(&with(&here, None));
    assert!(matches!(missing, CopyError::NoKey(_)), "{missing}");
    let wrong = copies(&with(&here, Some(keeper("m2"))));
    let is_key = matches!(
        &wrong,
        CopyError::Source {
            cause: OpenError::Key(_),
            ..
        }
    );
    assert!(is_key, "{wrong}");
    let unbound = copies(&with(&plain, keys));
    assert!(matches!(unbound, CopyError::NotBound(_)), "{unbound}");
}

#[test]
fn nothing_that_is_there_is_overwritten_and_nothing_in_use_is_moved() {
    let (folder, path) = file();
    let here = place(folder.path(), path, Some(keeper("m1")));
    made(&here);
    let elsewhere = tempfile::tempdir().unwrap();
    let to = place(
        elsewhere.path(),
        elsewhere.path().join("state.db"),
        here.keys.clone(),
    );
    for left in ["state.db", "state.db-wal", "state.db-journal"] {
        let left = elsewhere.path().join(left);
        std::fs::write(&left, "mine").unwrap();
        let refused = moved(&of(&here), &to).unwrap_err();
        assert!(matches!(refused, CopyError::Occupied { .. }), "{refused}");
        assert_eq!(std::fs::read(&left).unwrap(), b"mine");
        std::fs::remove_file(&left).unwrap();
    }
    let (store, _) = open(here.clone());
    let refused = transfer(&of(&here), &to, Ground::Imported, &mut |_| {}).unwrap_err();
    let in_use = matches!(
        &refused,
        CopyError::Source {
            cause: OpenError::Locked { .. },
            ..
        }
    );
    assert!(in_use, "{refused}");
    drop(store);
    let nothing = CopySource {
        location: elsewhere.path().join("none").into(),
        ..of(&to)
    };
    let refused = moved(&nothing, &to).unwrap_err();
    assert!(matches!(refused, CopyError::Nothing(_)), "{refused}");
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let (one, other) = (server.database(), server.database());
    let there = Options {
        location: in_database(&one),
        ..to.clone()
    };
    moved(&of(&here), &there).unwrap();
    let refused = moved(&of(&here), &there).unwrap_err();
    assert!(matches!(refused, CopyError::Occupied { .. }), "{refused}");
    // Its owner may have a copy made of it, and nobody may move it away from him.
    let (store, _) = open(there.clone());
    let beyond = Options {
        location: in_database(&other),
        ..to
    };
    let refused = moved(&of(&there), &beyond).unwrap_err();
    let held = matches!(
        &refused,
        CopyError::Source {
            cause: OpenError::Held { .. },
            ..
        }
    );
    assert!(held, "{refused}");
    backup(&of(&there), &elsewhere.path().join("backup"), &mut |_| {}).unwrap();
    drop(store);
    moved(&of(&there), &beyond).unwrap();
}

/// The signatures of another host key, which the folder of the source has, are replaced on record.
#[test]
fn a_state_of_another_host_is_signed_anew() {
    let (folder, path) = file();
    let here = place(folder.path(), path, Some(keeper("m1")));
    made(&here);
    let elsewhere = tempfile::tempdir().unwrap();
    let to = Options {
        signer: Some(Arc::new(Key("other"))),
        ..place(
            elsewhere.path(),
            elsewhere.path().join("state.db"),
            here.keys.clone(),
        )
    };
    let copied = moved(&of(&here), &to).unwrap();
    assert!(
        copied.accepted[0].contains("is not signed with the host key"),
        "{copied:?}"
    );
    let report = sound(verified(&to));
    let grounds: Vec<_> = report.attestations.iter().map(|it| it.ground).collect();
    assert_eq!(grounds, [Ground::HostKey, Ground::Imported]);
    drop(open(to));
}

/// Rows of the release before encryption cannot be served by a database; written anew they can.
#[test]
fn rows_of_old_releases_are_written_anew_first() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let (folder, path) = version_2();
    let here = Options {
        outside: Vec::new(),
        signer: None,
        ..place(folder.path(), path, Some(keeper("m1")))
    };
    let database = server.database();
    let there = Options {
        location: in_database(&database),
        ..here.clone()
    };
    let plain = CopySource {
        keys: None,
        ..of(&here)
    };
    let refused = moved(&plain, &there).unwrap_err();
    assert!(matches!(refused, CopyError::Older(_)), "{refused}");
    drop(open(here.clone()));
    let refused = moved(&of(&here), &there).unwrap_err();
    let names_open = matches!(&refused, CopyError::OlderRows { task, .. } if task == "open");
    assert!(names_open, "{refused}");
    let (store, _) = open(here.clone());
    store.reencrypt().wait().unwrap();
    drop(store);
    assert!(moved(&of(&here), &there).unwrap().report.authentic);
}

/// Whoever is killed at any moment of it leaves a destination that holds nothing or all.
#[test]
fn a_copy_that_is_killed_leaves_nothing_or_all() {
    let there = |folder: &Path, to: &str| match to.parse::<PostgresAddress>() {
        Ok(address) => place(folder, Location::Postgres(address), Some(keeper("m1"))),
        Err(_) => place(folder, folder.join(to), Some(keeper("m1"))),
    };
    if let Ok(told) = std::env::var("CONVOKE_TEST_COPY") {
        // The child: is killed somewhere in here.
        let [from, folder, to, dies] = told.split('|').collect::<Vec<_>>().try_into().unwrap();
        let from = place(
            Path::new(from).parent().unwrap(),
            Path::new(from),
            Some(keeper("m1")),
        );
        let (mut steps, dies) = (0, dies.parse::<u32>().unwrap());
        let ended = transfer(
            &of(&from),
            &there(Path::new(folder), to),
            Ground::Imported,
            &mut |_| {
                steps += 1;
                if steps == dies {
                    std::process::abort();
                }
            },
        );
        panic!("it was not killed, but {ended:?}");
    }
    let server = testkit::postgres::shared();
    let (folder, path) = file();
    let here = place(folder.path(), path.clone(), Some(keeper("m1")));
    made(&here);
    let database = server.map(|it| it.database());
    let places = [
        Some("state.db".to_owned()),
        database.as_ref().map(Database::by_socket),
    ];
    for to in places.into_iter().flatten() {
        let elsewhere = tempfile::tempdir().unwrap();
        for dies in [1, 6, 13, 17, 25, 32] {
            let words = [
                path.to_str().unwrap(),
                elsewhere.path().to_str().unwrap(),
                &to,
            ];
            let child = Process::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "tests::copies::a_copy_that_is_killed_leaves_nothing_or_all",
                ])
                .env("CONVOKE_TEST_COPY", format!("{}|{dies}", words.join("|")))
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&child.stdout);
            assert_eq!(child.status.code(), None, "killed at {dies}: {told}");
            assert!(!elsewhere.path().join("state.db").exists());
            assert!(!elsewhere.path().join("store_head").exists());
            if let (Some(database), true) = (&database, to.starts_with("postgres")) {
                let tables = "SELECT count(*) FROM pg_tables WHERE tablename = 'task'";
                assert_eq!(database.say(tables), "0");
            }
        }
        let to = there(elsewhere.path(), &to);
        moved(&of(&here), &to).unwrap();
        assert!(sound(verified(&to)).authentic);
    }
}
