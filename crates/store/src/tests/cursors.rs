//! Cursors: stored in the group commit, read back, deleted.

use super::*;

fn kept(store: &Store) -> Vec<(String, u64)> {
    let cursors = store.cursors().unwrap().into_iter();
    let mut kept: Vec<_> = cursors.map(|c| (c.name, c.sequence)).collect();
    kept.sort();
    kept
}

fn cursor(name: &str, sequence: u64) -> (String, Option<u64>) {
    (name.into(), Some(sequence))
}

#[test]
fn cursors_are_kept_moved_and_forgotten() {
    durably(|options| {
        let (store, _) = open(options.clone());
        assert_eq!(kept(&store), []);
        let first = vec![cursor("webhook", 3), cursor("https://oss.example/ü t1", 1)];
        store.keep_cursors(first).wait().unwrap();
        let then = vec![
            cursor("webhook", 7),
            ("https://oss.example/ü t1".into(), None),
            ("nobody's".into(), None),
            cursor("other", u64::from(u32::MAX) + 1),
        ];
        store.keep_cursors(then).wait().unwrap();
        let expected = [("other".into(), 1 << 32), ("webhook".into(), 7)];
        assert_eq!(kept(&store), expected);
        store.commit(everything("t1")).wait().unwrap();
        drop(store);
        let (store, _) = open(options.clone());
        assert_eq!(kept(&store), expected);
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{report:?}");
        assert_eq!((report.cursors, report.tasks), (2, 1));
    });
}

#[test]
fn a_damaged_cursor_is_refused() {
    let (_folder, path) = file();
    let (store, _) = open(Options::file(&path));
    store
        .keep_cursors(vec![cursor("webhook", 3)])
        .wait()
        .unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let changed = connection.execute("UPDATE cursor SET sequence = 4", []);
    assert_eq!(changed.unwrap(), 1);
    let refused = store.cursors();
    assert!(
        matches!(&refused, Err(ReadError::Corrupt { table, .. }) if table == "cursor"),
        "{refused:?}"
    );
    assert!(!store.verify().unwrap().is_sound());
}
