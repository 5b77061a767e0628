//! Push configurations: stored, replaced, deleted, removed with their task.

use super::*;
use domain::push::{PushAuthentication, PushConfig};
use rusqlite::Connection;

pub(super) fn config(task: &str, owner: &str, id: &str) -> PushConfig {
    PushConfig {
        task: TaskId::new(task),
        owner: owner.to_owned(),
        id: id.to_owned(),
        url: format!("https://oss.example/ü/{id}"),
        token: Some("its token".to_owned()),
        authentication: Some(PushAuthentication {
            scheme: "Bearer".to_owned(),
            credentials: Some("its credentials".to_owned()),
        }),
        version: "1.0".to_owned(),
        since: 1 << 40,
    }
}

fn change(store: &Store, pushes: Vec<PushChange>) {
    let batch = Batch {
        pushes,
        ..Batch::default()
    };
    store.commit(batch).wait().unwrap();
}

fn kept(store: &Store, task: &str) -> Vec<String> {
    let found = store.push_configs(&TaskId::new(task)).unwrap().into_iter();
    found.map(|it| format!("{} {}", it.owner, it.id)).collect()
}

/// They survive a kill of the process, in their last form.
#[test]
fn they_outlive_the_process() {
    in_files(|options| {
        let (store, _) = open(options.clone());
        // With the task that they are about, in one batch.
        let keep = |config: PushConfig| PushChange::Keep(config);
        let batch = Batch {
            pushes: vec![
                keep(config("t1", "ann", "b")),
                keep(config("t1", "ben", "a")),
            ],
            ..everything("t1")
        };
        store.commit(batch).wait().unwrap();
        let replaced = PushConfig {
            token: None,
            authentication: None,
            ..config("t1", "ann", "b")
        };
        let forget = PushChange::Forget {
            task: TaskId::new("t1"),
            owner: "ben".to_owned(),
            id: "a".to_owned(),
        };
        let last = vec![
            keep(config("t1", "ann", "a")),
            keep(replaced.clone()),
            forget.clone(),
        ];
        change(&store, last);
        change(&store, vec![forget]);
        // Killed: nothing is closed, what is in the files is all there is.
        let Location::File(path) = &options.location else {
            panic!("a file")
        };
        let (_folder, copy) = file();
        for end in ["", "-wal"] {
            let of = |path: &PathBuf| PathBuf::from(format!("{}{end}", path.display()));
            std::fs::copy(of(path), of(&copy)).unwrap();
        }
        let (again, _) = open(Options {
            location: Location::File(copy),
            ..options.clone()
        });
        assert_eq!(kept(&again, "t1"), ["ann a", "ann b"]);
        let found = again.push_configs(&TaskId::new("t1")).unwrap();
        assert_eq!(found, [config("t1", "ann", "a"), replaced]);
        let report = again.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!(report.pushes, 2);
    });
}

#[test]
fn none_is_kept_of_a_task_that_is_not_there() {
    let (store, _) = open(Options::memory());
    change(&store, vec![PushChange::Keep(config("t1", "ann", "a"))]);
    assert_eq!(kept(&store, "t1"), [""; 0]);
}

/// Retention and erasure of a task delete its push configurations.
#[test]
fn they_go_with_their_task() {
    durably(|options| {
        let (store, _) = open(options.clone());
        for id in ["trimmed", "erased", "open"] {
            let ended = Arc::new(after(&task(id), Command::Cancel));
            let batch = Batch {
                pushes: vec![PushChange::Keep(config(id, "ann", "a"))],
                ..everything(id)
            };
            store.commit(batch).wait().unwrap();
            if id != "open" {
                let batch = Batch {
                    tasks: vec![ended],
                    ..Batch::default()
                };
                store.commit(batch).wait().unwrap();
            }
            if id == "trimmed" {
                let retention = Retention {
                    max_age_ms: Some(1_000),
                    ..Retention::default()
                };
                let trimmed = store.trim(at(9_000), &retention).wait().unwrap();
                assert_eq!(trimmed.tasks, 1);
            }
        }
        store
            .erase(&TaskId::new("erased"), at(9_000))
            .wait()
            .unwrap();
        assert_eq!(kept(&store, "trimmed"), [""; 0]);
        assert_eq!(kept(&store, "erased"), [""; 0]);
        assert_eq!(kept(&store, "open"), ["ann a"]);
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
    });
}

/// A state of the previous release is verified as it is, and gets the table when it is opened.
#[test]
fn a_state_without_them_is_migrated() {
    let (_folder, path) = encrypted::version_2();
    crate::sqlite::schema::migrate_to(&Connection::open(&path).unwrap(), 4);
    let report = verify(&path).unwrap();
    assert!(report.is_sound(), "{report:?}");
    let (store, _) = open(Options::file(&path));
    change(&store, vec![PushChange::Keep(config("open", "ann", "a"))]);
    assert_eq!(kept(&store, "open"), ["ann a"]);
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn a_damaged_one_is_refused() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    let batch = Batch {
        pushes: vec![PushChange::Keep(config("t1", "ann", "a"))],
        ..everything("t1")
    };
    store.commit(batch).wait().unwrap();
    let connection = Connection::open(&path).unwrap();
    let damage = "UPDATE push_config SET owner = 'ben'";
    assert_eq!(connection.execute(damage, []).unwrap(), 1);
    let refused = store.push_configs(&TaskId::new("t1"));
    assert!(
        matches!(&refused, Err(ReadError::Corrupt { table, .. }) if table == "push_config"),
        "{refused:?}"
    );
    assert!(!store.verify().unwrap().is_sound());
}
