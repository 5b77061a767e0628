//! Changes that go out together come to what they come to one by one.
//!
//! Read next: [`crate::postgres::session`].

use super::{get, kind, opened, text};
use crate::failure::FailureKind as Kind;
use crate::postgres::error::PostgresError;
use crate::postgres::session::{Expect, Session};
use crate::sql::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use testkit::postgres::Database;
use tokio_postgres::Row;

const TABLE: &str =
    "CREATE TABLE kept (name TEXT PRIMARY KEY, digest BIGINT NOT NULL, body TEXT NOT NULL)";
const INSERT: &str = "INSERT INTO kept (body, name, digest) VALUES (?1, ?2, ?3)";
const UPSERT: &str = "INSERT INTO kept (body, name, digest) VALUES (?1, ?2, ?3)
    ON CONFLICT (name) DO UPDATE SET body = excluded.body, digest = excluded.digest";
const UPDATE: &str =
    "UPDATE kept SET body = ?1, digest = ?4 WHERE name = ?2 AND digest = ?3 AND body <> ?1";
const DELETE: &str = "DELETE FROM kept WHERE name = ?1 AND digest = ?2";
const ALL: &str = "SELECT name, digest, body FROM kept ORDER BY name";

type Rows = BTreeMap<String, (i64, String)>;
/// Changes the row of a name.
type ByName<'s> = dyn Fn(&str) -> Result<(), PostgresError> + 's;

fn session(database: &Database<'_>) -> Session {
    database.say(TABLE);
    opened(&database.by_socket())
}

fn insert(session: &Session, name: &str, digest: i64, body: &str) {
    let values = [Value::Text(body), Value::Text(name), Value::Number(digest)];
    session.put(INSERT, &values, Expect::Any).unwrap();
}

/// Replaces a row as it is known to be, by the next one.
fn update(session: &Session, name: &str, known: i64, body: &str) -> Result<(), PostgresError> {
    let (body, name) = (Value::Text(body), Value::Text(name));
    let values = [body, name, Value::Number(known), Value::Number(known + 1)];
    session.put(UPDATE, &values, Expect::One("a rule"))
}

fn delete(session: &Session, name: &str, known: i64) -> Result<(), PostgresError> {
    let values = [Value::Text(name), Value::Number(known)];
    session.put(DELETE, &values, Expect::One("a rule"))
}

fn all(session: &Session) -> Rows {
    let mut rows = Rows::new();
    let each = &mut |row: &Row| {
        rows.insert(text(row, 0), (get(row, 1), text(row, 2)));
        Ok::<_, PostgresError>(ControlFlow::Continue(()))
    };
    session.query(ALL, &[], each).unwrap();
    rows
}

/// Dice that fall alike every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = { self.0 }
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

#[test]
fn each_row_is_changed_in_the_order_that_was_given() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    let (mut dice, mut rows, mut changes) = (Dice(7), Rows::new(), session.changes());
    // Few names meet each other often, many fill statements.
    for names in [2, 5, 1_000] {
        for _ in 0..8 {
            session.begin().unwrap();
            for _ in 0..dice.below(900) {
                let name = format!("{}", dice.below(names));
                let body = format!("ü{}", dice.0);
                match rows.get(&name).map(|(digest, _)| *digest) {
                    None => {
                        insert(&session, &name, 1, &body);
                        rows.insert(name, (1, body));
                    }
                    Some(digest) if dice.below(3) == 0 => {
                        delete(&session, &name, digest).unwrap();
                        rows.remove(&name);
                    }
                    Some(digest) => {
                        update(&session, &name, digest, &body).unwrap();
                        rows.insert(name, (digest + 1, body));
                    }
                }
                changes += 1;
            }
            session.commit().unwrap();
            assert_eq!(all(&session), rows);
            assert_eq!(session.changes(), changes);
        }
    }
    assert!(changes > 5_000, "{changes}");
}

/// What replaces a row that stands in its way is of a row that the same statement cannot meet twice.
#[test]
fn a_row_that_is_put_twice_is_as_it_was_put_last() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    let put = |name: &str, digest: i64, body: &str| {
        let values = [Value::Text(body), Value::Text(name), Value::Number(digest)];
        session.put(UPSERT, &values, Expect::Any).unwrap();
    };
    session.begin().unwrap();
    insert(&session, "b", 1, "inserted");
    for digest in 1..=3 {
        put("a", digest, "put");
        put("b", 10 + digest, "put");
    }
    update(&session, "a", 3, "changed").unwrap();
    put("c", 1, "put");
    put("a", 7, "put last");
    session.commit().unwrap();
    let row = |digest, body: &str| (digest, body.to_owned());
    let expected = [
        ("a", row(7, "put last")),
        ("b", row(13, "put")),
        ("c", row(1, "put")),
    ];
    let expected = expected.map(|(name, row)| (name.to_owned(), row));
    assert_eq!(all(&session), BTreeMap::from(expected));
}

#[test]
fn one_row_among_many_that_is_not_as_known_breaks_the_rule() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    session.begin().unwrap();
    (0..100).for_each(|name| insert(&session, &name.to_string(), 1, "a"));
    session.commit().unwrap();
    let before = all(&session);
    let wrong: [&ByName<'_>; 3] = [
        &|name| update(&session, name, 2, "b"),
        &|name| update(&session, name, 1, "a"),
        &|name| delete(&session, name, 2),
    ];
    for wrong in wrong {
        session.begin().unwrap();
        for name in (0..100).map(|name| name.to_string()) {
            match name.as_str() {
                "42" => wrong(&name).unwrap(),
                _ => update(&session, &name, 1, "b").unwrap(),
            }
        }
        assert_eq!(kind(session.commit()), Kind::Rule);
        assert_eq!(all(&session), before);
    }
}

#[test]
fn rows_are_found_by_their_keys_while_they_are_few() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    let scans = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'kept'";
    // What is asked the sixth time has the plan that it will always have.
    for round in 0..20 {
        session.begin().unwrap();
        let names = || (0..40).map(|name| format!("{round}-{name}"));
        names().for_each(|name| insert(&session, &name, 1, "a"));
        names().for_each(|name| update(&session, &name, 1, "b").unwrap());
        names().for_each(|name| delete(&session, &name, 2).unwrap());
        let scans = session.one(scans, &[], |row| Ok::<i64, PostgresError>(get(row, 0)));
        assert_eq!(scans, Ok(Some(0)));
        session.commit().unwrap();
    }
}
