//! The way of a state in PostgreSQL from the oldest version to the newest.
//!
//! Read next: `postgres::schema`.

use super::*;
use crate::postgres::session::Session;
use crate::postgres::{net::Net, reach};
use crate::schema::version::NEWEST;
use crate::tests::removal::{Key, life, put};
use crate::tests::version_5::reads_version_5;
use crate::tests::version_8::version_8;

/// The oldest version that is carried over.
const OLDEST: i32 = 8;

/// Makes a state as the release of that version made it, with what those of its rows were that are in a file.
fn fill(database: &Database<'_>, file: &Connection) {
    database.say(include_str!("version-8.sql"));
    let columns = database.say(
        "SELECT table_name || ' ' || string_agg(column_name || ' ' || data_type, ' ' ORDER BY ordinal_position)
         FROM information_schema.columns WHERE table_schema = current_schema()
         AND table_name NOT IN ('state', 'owner', 'numbered', 'node') GROUP BY table_name",
    );
    let mut all = String::new();
    for line in columns.lines() {
        let (table, columns) = line.split_once(' ').unwrap();
        let columns: Vec<_> = columns.split(' ').collect();
        let literal = |column: &[&str]| match column {
            ["one", _] => "1".to_owned(),
            [name, "bytea"] => {
                format!(r#"iif("{name}" IS NULL, 'NULL', '''\x' || hex("{name}") || '''')"#)
            }
            [name, ..] => format!("quote(\"{name}\")"),
            [] => unreachable!("chunks have something in them"),
        };
        let literals: Vec<_> = columns.chunks(2).map(literal).collect();
        let rows = format!("SELECT {} FROM {table}", literals.join(" || ', ' || "));
        let mut rows = file.prepare(&rows).unwrap();
        let rows = rows.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let insert = |row: String| format!("INSERT INTO {table} VALUES ({row});\n");
        all.extend(rows.map(Result::unwrap).map(insert));
    }
    let numbered = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence";
    let numbered: i64 = file.query_row(numbered, [], |row| row.get(0)).unwrap();
    database.say(&format!(
        "{all} INSERT INTO state VALUES (1, 'convoke', {OLDEST});
         INSERT INTO owner VALUES (1, 0, '', 0, 0, '', '', 0, 0);
         INSERT INTO numbered VALUES (1, {numbered})"
    ));
}

fn session(database: &Database<'_>) -> Session {
    let address: PostgresAddress = database.by_socket().parse().unwrap();
    reach::session(&Net::start().unwrap(), &address).unwrap()
}

#[test]
fn a_state_of_the_oldest_version_becomes_one_of_the_newest() {
    let Some(server) = server() else { return };
    // As that release wrote it; and without a key.
    let (_one, written) = version_8();
    let (_other, plain) = file();
    let (store, _) = open(Options::file(&plain));
    store.commit(everything("t1")).wait().unwrap();
    drop(store);
    for (keys, path) in [(Some(keeper("m1")), written), (None, plain)] {
        let is_written = keys.is_some();
        let database = server.database();
        fill(&database, &Connection::open(&path).unwrap());
        let digest = crate::verify(path).unwrap().digest;
        let options = Options {
            keys,
            signer: Some(Arc::new(Key("platform"))),
            ..at_home(&database, "one")
        };
        // Whoever only reads does not carry it over.
        let read = crate::verify(&options.location).unwrap_err();
        let cause = std::error::Error::source(&read).unwrap().to_string();
        assert!(cause.contains("at schema 8"), "{read}: {cause}");
        let foreign = database.copy();
        foreign.say("ALTER TABLE log ADD COLUMN behind BIGINT");
        let strange = refused(&at_home(&foreign, "one"));
        assert!(matches!(strange, OpenError::Schema { .. }), "{strange}");
        let (store, recovered) = open(options.clone());
        assert_eq!(recovered.tasks.len(), 1);
        if is_written {
            reads_version_5(&store);
        }
        let five = Batch {
            shard: Shard::new(5).unwrap(),
            ..life("five", None, 9_000, None)
        };
        put(&store, five);
        let report = store.verify().unwrap();
        assert!(report.is_sound(), "{:?}", report.faults);
        assert_eq!(report.authentic, is_written);
        let grounds = report.attestations.iter();
        let grounds: Vec<_> = grounds.map(|it| (it.ground, it.chain)).collect();
        assert_eq!(grounds, [(Ground::Sharded, digest)]);
        drop(store);
        let (_store, recovered) = open(options);
        assert_eq!(recovered.tasks.len(), 2);
        let version = database.say("SELECT version FROM state");
        assert_eq!(version, NEWEST.to_string(), "an older release refuses it");
    }
}

/// What a migration says that it makes is what it makes.
#[test]
fn nothing_is_strange_after_any_migration() {
    let Some(server) = server() else { return };
    let (_folder, path) = version_8();
    let database = server.database();
    fill(&database, &Connection::open(path).unwrap());
    let session = session(&database);
    for version in OLDEST..=NEWEST {
        schema::migrate_to(&session, version).unwrap();
        assert_eq!(schema::version(&session).unwrap(), version);
        let strangers = schema::strangers(&session).unwrap();
        assert!(strangers.is_empty(), "at {version}: {strangers:?}");
    }
}

#[test]
fn a_version_that_is_not_known_is_refused_and_left_as_it_is() {
    let Some(server) = server() else { return };
    let database = server.database();
    let options = at_home(&database, "one");
    drop(open(options.clone()));
    let (newer, older) = (NEWEST + 1, OLDEST - 1);
    for (found, why) in [
        (
            newer,
            format!(
                "the state is at schema {newer}, this release knows {NEWEST}: use the newer release"
            ),
        ),
        (
            older,
            format!(
                "the state is at schema {older} of the time before the first release, the oldest that can be read is {OLDEST}: begin a new one"
            ),
        ),
    ] {
        database.say(&format!("UPDATE state SET version = {found}"));
        assert_eq!(refused(&options).to_string(), why);
        let left = database.say("SELECT version FROM state");
        assert_eq!(left, found.to_string());
    }
    database.say(&format!("UPDATE state SET version = {newer}"));
    let report = crate::verify(&options.location).unwrap();
    let told = report.faults[0].key.clone();
    assert_eq!(told, refused(&options).to_string());
}
