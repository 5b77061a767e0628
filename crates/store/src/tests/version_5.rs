//! A state of version 5, as written by the release that had it.

use super::encrypted::SECRET;
use super::removal::{Key, has, life, put, trim};
use super::*;

/// Fills the state of which `version-5.sql` is the dump, when run by the previous release.
fn fill(path: &PathBuf) {
    let options = || Options {
        signer: Some(Arc::new(Key("platform"))),
        ..encrypted(path)
    };
    {
        let (store, _) = open(options());
        put(&store, life("old", None, 1_000, Some(1_100)));
        assert_eq!(trim(&store, 1_500, 100).tasks, 1);
    }
    let (store, _) = open(options());
    put(&store, life("ended", None, 2_000, Some(2_100)));
    put(&store, life("erased", None, 2_200, Some(2_300)));
    put(&store, encrypted::secrets("open"));
    let registered = Batch {
        registrations: vec![Arc::new(kept::registration(
            "agent",
            domain::registry::Reach::Hosted,
        ))],
        ..Batch::default()
    };
    put(&store, registered);
    let cursor = ("https://oss.example/reports".to_owned(), Some(3));
    store.keep_cursors(vec![cursor]).wait().unwrap();
    store
        .erase(&TaskId::new("erased"), at(3_000))
        .wait()
        .unwrap();
}

/// The state in a file.
pub(super) fn version_5() -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = file();
    let connection = Connection::open(&path).unwrap();
    let dump = include_str!("version-5.sql");
    connection.execute_batch(dump).unwrap();
    (folder, path)
}

/// Checks the contents of the state.
pub(super) fn reads_version_5(store: &Store) {
    let open = store.task(&TaskId::new("open")).unwrap().unwrap();
    assert_eq!(open.text, SECRET);
    assert!(has(store, "ended") && has(store, "erased") && !has(store, "old"));
    let erased = store.task(&TaskId::new("erased")).unwrap().unwrap();
    assert_eq!(erased.text, "");
    assert!(store.erasure(&erased.id).unwrap().is_some());
    let cursors = store.cursors().unwrap();
    assert_eq!(cursors[0].name, "https://oss.example/reports");
    assert_eq!(store.decided().unwrap().registrations.len(), 1);
    let entries = store.entries(0, 100).unwrap();
    assert_eq!((entries[0].sequence, entries.len()), (3, 5));
}

/// The rows written by the previous release equal those written today, except for their binding.
#[test]
fn the_same_is_filled_in_today() {
    let (_folder, path) = file();
    fill(&path);
    let options = Options {
        signer: Some(Arc::new(Key("platform"))),
        ..encrypted(&path)
    };
    let (store, _) = open(options);
    reads_version_5(&store);
    assert!(store.verify().unwrap().attestations.is_empty());
}
