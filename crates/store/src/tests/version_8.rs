//! A state of version 8, the last without shards, as written by the release that had it.

use super::encrypted::{refused, sound};
use super::removal::{Key, life, put};
use super::version_5::reads_version_5;
use super::*;

/// The state in a file.
pub(super) fn version_8() -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = file();
    let connection = Connection::open(&path).unwrap();
    let dump = include_str!("version-8.sql");
    connection.execute_batch(dump).unwrap();
    (folder, path)
}

fn options(path: &Path) -> Options {
    Options {
        signer: Some(Arc::new(Key("platform"))),
        outside: vec![path.with_file_name("store_head")],
        ..encrypted(path)
    }
}

fn verified(path: &Path) -> ChainReport {
    let signer = Key("platform");
    let how = VerifyOptions {
        signer: Some(&signer),
        ..VerifyOptions::default()
    };
    verify_with_keys(path, how, keeper("m1").as_ref()).unwrap()
}

/// The head as the previous release kept it outside, of a state of this generation.
fn kept_outside(path: &Path, ahead: u64) -> String {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT generation, digest, sequence, time, chain FROM head";
    let seen = connection.query_row(sql, [], |row| {
        Ok(crate::outside::Seen {
            generation: row.get::<_, i64>(0)? as u64 + ahead,
            digest: row.get(1)?,
            sequence: row.get::<_, i64>(2)? as u64,
            time: at(row.get(3)?),
            chain: row.get(4)?,
            bound: true,
            sealed: Some(7),
        })
    });
    seen.unwrap().text(Some(&Key("platform")))
}

#[test]
fn it_becomes_shard_zero_and_no_row_is_written_anew() {
    let (_folder, path) = version_8();
    let rows = |path: &Path| -> Vec<(String, Vec<u8>)> {
        let connection = Connection::open(path).unwrap();
        let sql = "SELECT 'task ' || number, digest FROM task UNION ALL
            SELECT 'exchange ' || number, digest FROM exchange UNION ALL
            SELECT 'log ' || sequence, digest FROM log UNION ALL
            SELECT 'cursor', digest FROM cursor ORDER BY 1";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    let before = rows(&path);
    // It is read as it is before anybody opens it.
    let report = sound(verified(&path));
    assert!(report.authentic && report.attestations.is_empty());
    let outside = path.with_file_name("store_head");
    std::fs::write(&outside, kept_outside(&path, 0)).unwrap();
    let (store, _) = open(options(&path));
    reads_version_5(&store);
    assert_eq!(rows(&path), before);
    let digest = report.digest;
    let report = sound(store.verify().unwrap());
    assert!(report.authentic);
    assert_eq!(report.digest, digest);
    let [sharded] = &report.attestations[..] else {
        panic!("{:?}", report.attestations);
    };
    assert_eq!(
        (sharded.ground, sharded.sequence, sharded.chain),
        (Ground::Sharded, report.last, digest)
    );
    // Another shard begins behind it.
    let five = Batch {
        shard: Shard::new(5).unwrap(),
        ..life("five", None, 9_000, None)
    };
    put(&store, five);
    drop(store);
    assert_eq!(verified(&path).attestations.len(), 1);
    let (store, recovered) = open(options(&path));
    assert_eq!(recovered.tasks.len(), 2);
    reads_version_5_and_five(&store);
}

fn reads_version_5_and_five(store: &Store) {
    let entries = store.entries(0, 100).unwrap();
    assert_eq!((entries[0].sequence, entries.len()), (3, 6));
    assert!(sound(store.verify().unwrap()).authentic);
}

#[test]
fn the_head_that_was_kept_of_it_still_tells_of_an_older_copy() {
    let (_folder, path) = version_8();
    let outside = path.with_file_name("store_head");
    std::fs::write(&outside, kept_outside(&path, 1)).unwrap();
    let older = refused(&options(&path));
    assert!(matches!(older, OpenError::SetBack { .. }), "{older}");
    let version = Connection::open(&path).unwrap();
    let version = version.pragma_query_value(None, "user_version", |r| r.get::<_, i64>(0));
    assert_eq!(version.unwrap(), 8, "it is as it was");
}

#[test]
fn a_head_of_it_that_was_moved_to_another_shard_is_no_head() {
    let (_folder, path) = version_8();
    drop(open(options(&path)));
    behind(&path, |connection| {
        connection.execute("UPDATE head SET shard = 1", []).unwrap();
    });
    let forged = refused(&options(&path));
    assert!(matches!(forged, OpenError::Corrupt { .. }), "{forged}");
}
