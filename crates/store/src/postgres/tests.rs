//! Sessions with a real server: what is sent, what is waited for, and what fails.
//!
//! Read next: [`gathered`], what goes out together; [`ways`], connections and what keeps them from being made;
//! [`lost`], answers that do not come; [`owned`], who may write; [`leads`], who does in turn.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod gathered;
mod leads;
mod lost;
mod owned;
pub(crate) mod way;
mod ways;

use super::address::PostgresAddress;
use super::error::PostgresError;
use super::net::Net;
use super::owner::{Claim, OWNED, Owner};
use super::session::{Expect, Session};
use crate::failure::{FailureKind as Kind, SqlFailure};
use crate::lead::Obstacle;
use crate::sql::{self, FromCell, Value};
use std::ops::ControlFlow;
use std::time::Instant;
use testkit::postgres::Database;
use tokio_postgres::Row;

const TABLE: &str =
    "CREATE TABLE word (number BIGINT PRIMARY KEY, text TEXT NOT NULL, payload BYTEA)";
const PUT: &str = "INSERT INTO word (number, text, payload) VALUES (?1, ?2, ?3)";
const ALL: &str = "SELECT number, text, payload FROM word ORDER BY +number";
const WORD: &str = "SELECT number, text FROM word WHERE text = ?1";
const BOTH: &str = "SELECT text, number FROM word WHERE text = ?1 AND payload = ?2";
const FIND: &str = "SELECT text FROM word NOT INDEXED WHERE number = ?1";
const GUARDED: &str = "UPDATE word SET text = ?2 WHERE number = ?1 AND text <> ?2";

/// A session with a database that has the table.
fn session(database: &Database<'_>) -> Session {
    database.say(TABLE);
    opened(&database.by_socket())
}

fn opened(url: &str) -> Session {
    let address: PostgresAddress = url.parse().unwrap();
    Session::open(&Net::start().unwrap(), &address).unwrap()
}

/// The state, for a platform alone.
fn taken(session: &Session, holder: &str) -> Result<Owner, Obstacle> {
    let claim = Claim {
        holder,
        node: "",
        rules: "",
        any_rules: true,
        ttl: OWNED,
    };
    Owner::claim(session, &claim).unwrap()
}

fn put(session: &Session, number: i64, text: &str) -> Result<(), PostgresError> {
    let values = [Value::Number(number), Value::Text(text), Value::Null];
    session.put(PUT, &values, Expect::One("a rule"))
}

fn words(session: &Session) -> Result<Vec<String>, PostgresError> {
    let mut found = Vec::new();
    session.query(ALL, &[], &mut |row| {
        found.push(text(row, 1));
        Ok::<_, PostgresError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

fn text(row: &Row, index: usize) -> String {
    get(row, index)
}

fn get<T: FromCell>(row: &Row, index: usize) -> T {
    sql::Row::Postgres(row).get(index).unwrap()
}

fn kind<T>(result: Result<T, impl Into<SqlFailure>>) -> Kind {
    result.err().unwrap().into().kind()
}

/// A group as the writer makes them: keys are looked up, rows put, all is committed.
fn group(session: &Session, from: i64, rows: i64) -> Result<usize, PostgresError> {
    session.begin()?;
    let names: Vec<_> = (from..from + rows).map(|it| it.to_string()).collect();
    let keys = names.iter().map(|name| vec![name.as_str()]).collect();
    session.look_ahead(&[(WORD, keys)])?;
    let mut found = 0;
    for name in &names {
        session.query(WORD, &[Value::Text(name)], &mut |_| {
            found += 1;
            Ok::<_, PostgresError>(ControlFlow::Continue(()))
        })?;
    }
    let payload = [7; 400];
    for number in from..from + rows {
        let values = [
            Value::Number(number),
            Value::Text(&names[(number - from) as usize]),
            Value::Bytes(&payload),
        ];
        session.put(PUT, &values, Expect::One("a rule"))?;
    }
    session.commit()?;
    Ok(found)
}

#[test]
fn a_group_waits_three_times_however_large_it_is() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    // What is prepared once is not counted.
    group(&session, 0, 1).unwrap();
    for (from, rows) in [(1, 1), (100, 256), (1000, 1500)] {
        let before = session.waits();
        assert_eq!(group(&session, from, rows), Ok(0));
        assert_eq!(session.waits() - before, 3, "{rows} rows");
    }
    assert_eq!(words(&session).unwrap().len(), 1758);
}

#[test]
fn what_is_looked_up_ahead_is_given_once_and_only_in_its_transaction() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    let find = |word: &str| {
        let mut found = Vec::new();
        let key = [Value::Text(word)];
        let each = &mut |row: &Row| {
            found.push(get::<i64>(row, 0));
            Ok::<_, PostgresError>(ControlFlow::Continue(()))
        };
        session.query(WORD, &key, each).unwrap();
        found
    };
    put(&session, 1, "a").unwrap();
    put(&session, 2, "b").unwrap();
    assert_eq!(find("?"), [0_i64; 0]);
    let keys = ["a", "b", "c", "a"].map(|key| vec![key]).into();
    let wanted = [(WORD, keys), (BOTH, [vec!["a", "b"]].into())];
    session.begin().unwrap();
    // What is prepared once is not counted.
    session.look_ahead(&wanted).unwrap();
    session.roll_back();
    session.begin().unwrap();
    let before = session.waits();
    session.look_ahead(&wanted).unwrap();
    assert_eq!((find("a"), find("c")), (vec![1], vec![]));
    assert_eq!(session.waits() - before, 1);
    // Once asked for, a row may change.
    put(&session, 3, "c").unwrap();
    assert_eq!(find("c"), [3]);
    session.roll_back();
    database.say("UPDATE word SET number = 7 WHERE text = 'b'");
    assert_eq!(find("b"), [7]);
}

#[test]
fn a_session_that_has_prepared_nothing_looks_many_long_answers_up() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    let words: Vec<String> = (0..1_000).map(|n| format!("{n:0>100}")).collect();
    session.begin().unwrap();
    for (number, word) in words.iter().enumerate() {
        put(&session, number as i64, word).unwrap();
    }
    session.commit().unwrap();
    let fresh = opened(&database.by_socket());
    let keys = words.iter().map(|word| vec![word.as_str()]).collect();
    let wanted = [(WORD, keys), (BOTH, [vec!["a", "b"]].into())];
    fresh.begin().unwrap();
    fresh.look_ahead(&wanted).unwrap();
    let before = fresh.waits();
    let mut numbers = Vec::new();
    for word in &words {
        let each = &mut |row: &Row| {
            numbers.push(get::<i64>(row, 0));
            Ok::<_, PostgresError>(ControlFlow::Continue(()))
        };
        fresh.query(WORD, &[Value::Text(word)], each).unwrap();
    }
    assert!(numbers.iter().copied().eq(0..1_000));
    assert_eq!(fresh.waits(), before);
    fresh.roll_back();
}

#[test]
fn the_first_failure_fails_everything_behind_it_and_nothing_is_stored() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    session.begin().unwrap();
    put(&session, 1, "a").unwrap();
    put(&session, 1, "b").unwrap();
    put(&session, 2, "c").unwrap();
    let first = session.flush().unwrap_err();
    assert_eq!(
        (first.kind, first.code.as_deref()),
        (Kind::Rule, Some("23505"))
    );
    assert_eq!(put(&session, 3, "d"), Err(first.clone()));
    assert_eq!(words(&session), Err(first.clone()));
    assert_eq!(session.commit(), Err(first));
    assert_eq!(words(&session), Ok(vec![]));
    session.begin().unwrap();
    put(&session, 1, "a").unwrap();
    session.commit().unwrap();
    assert_eq!(words(&session).unwrap(), ["a"]);
}

#[test]
fn rows_that_are_inserted_together_are_those_that_were_put() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    let long = vec![7; 1 << 20];
    let payload = |number: i64| match number % 3 {
        0 => Value::Null,
        1 => Value::Bytes(&[0, 0xff]),
        _ => Value::Text("ü"),
    };
    session.begin().unwrap();
    // More than go together; and a change of one of them, which must find it.
    for number in 1..=1_500 {
        let values = [Value::Number(number), Value::Text("a"), payload(number)];
        session.put(PUT, &values, Expect::One("a rule")).unwrap();
        if number == 700 {
            let other = [Value::Number(number), Value::Text("b")];
            session.put(GUARDED, &other, Expect::One("a rule")).unwrap();
        }
    }
    let values = [Value::Number(0), Value::Text(""), Value::Bytes(&long)];
    session.put(PUT, &values, Expect::Any).unwrap();
    assert_eq!(words(&session).unwrap().len(), 1_501);
    session.commit().unwrap();
    assert_eq!(session.changes(), 1_502);
    let mut number = 0;
    let each = &mut |row: &Row| {
        assert_eq!(get::<i64>(row, 0), number);
        let found: Option<Vec<u8>> = get(row, 2);
        match (number, payload(number)) {
            (0, _) => assert_eq!(found.as_ref(), Some(&long)),
            (_, Value::Null) => assert_eq!(found, None),
            (_, Value::Bytes(bytes)) => assert_eq!(found.as_deref(), Some(bytes)),
            (_, _) => assert_eq!(found.as_deref(), Some("ü".as_bytes())),
        }
        assert_eq!(text(row, 1) == "b", number == 700);
        number += 1;
        Ok::<_, PostgresError>(ControlFlow::Continue(()))
    };
    session.query(ALL, &[], each).unwrap();
    assert_eq!(number, 1_501);
}

#[test]
fn what_was_gathered_and_held_back_goes_with_its_transaction() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let first = session(&database);
    first.begin().unwrap();
    put(&first, 1, "a").unwrap();
    first.roll_back();
    first.begin().unwrap();
    put(&first, 1, "b").unwrap();
    // Its connection takes leave, though it was held.
    drop(first);
    let second = opened(&database.by_socket());
    second.begin().unwrap();
    put(&second, 1, "c").unwrap();
    second.commit().unwrap();
    assert_eq!(words(&second).unwrap(), ["c"]);
}

#[test]
fn a_guard_that_holds_breaks_a_rule() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    session.begin().unwrap();
    put(&session, 1, "a").unwrap();
    let same = [Value::Number(1), Value::Text("a")];
    session.put(GUARDED, &same, Expect::Any).unwrap();
    session.flush().unwrap();
    session.put(GUARDED, &same, Expect::One("a rule")).unwrap();
    assert_eq!(kind(session.commit()), Kind::Rule);
    assert_eq!(words(&session), Ok(vec![]));
    assert_eq!(session.change(GUARDED, &same), Ok(0));
    session.begin().unwrap();
    session.put(GUARDED, &same, Expect::Owner).unwrap();
    put(&session, 1, "a").unwrap();
    assert_eq!(kind(session.commit()), Kind::Fenced);
    assert_eq!(words(&session), Ok(vec![]));
}

#[test]
fn a_savepoint_takes_back_its_own_work_alone() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    session.begin().unwrap();
    let put = |number, text| Ok::<_, SqlFailure>(put(&session, number, text)?);
    session.savepoint(|| put(1, "a")).unwrap();
    let twice = session.savepoint(|| put(1, "b").and(put(2, "b")));
    assert_eq!(kind(twice), Kind::Rule);
    session.savepoint(|| put(3, "c")).unwrap();
    session.commit().unwrap();
    assert_eq!(words(&session).unwrap(), ["a", "c"]);
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let writer = session(&database);
    let reader = opened(&database.by_socket());
    put(&writer, 1, "a").unwrap();
    writer.flush().unwrap();
    let snapshot = reader.snapshot();
    assert_eq!(words(&reader).unwrap(), ["a"]);
    put(&writer, 2, "b").unwrap();
    writer.flush().unwrap();
    assert_eq!(words(&reader).unwrap(), ["a"]);
    let refused = put(&reader, 3, "c").and_then(|()| reader.flush());
    assert_eq!(refused.unwrap_err().code.as_deref(), Some("25006"));
    drop(snapshot);
    assert_eq!(words(&reader).unwrap(), ["a", "b"]);
}

#[test]
fn anything_may_be_asked_between_two_rows() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    // More than one buffer of a socket.
    session.begin().unwrap();
    for number in 0..3000 {
        put(&session, number, &"x".repeat(500)).unwrap();
    }
    session.commit().unwrap();
    let mut read = 0;
    let each = &mut |row: &Row| {
        let number = get::<i64>(row, 0);
        if number % 1000 == 0 {
            let found = session.one(FIND, &[Value::Number(number)], |row| {
                Ok::<_, PostgresError>(text(row, 0).len())
            });
            assert_eq!(found, Ok(Some(500)));
        }
        read += 1;
        Ok::<_, PostgresError>(match read {
            2500 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    };
    session.query(ALL, &[], each).unwrap();
    assert_eq!(read, 2500);
    let none = session.one(FIND, &[Value::Number(-1)], |_| Ok::<_, PostgresError>(()));
    assert_eq!(none, Ok(None));
}

#[test]
fn values_come_back_as_they_went_and_are_of_their_columns_types() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    let payload = "ü\0x";
    let values = [
        Value::Number(i64::MIN),
        Value::Text("ü"),
        Value::Text(payload),
    ];
    session.change(PUT, &values).unwrap();
    let asked = "SELECT number, text, payload, 7, number > 0, EXISTS (SELECT 1 FROM word), \
                 octet_length(payload), CAST(?1 AS TEXT) IS NULL, CAST(NULL AS BIGINT) FROM word";
    let read = |row: &Row| {
        let numbers = [0, 3, 4, 5, 6, 7, 8].map(|index| get::<Option<i64>>(row, index));
        let flags = [7, 0, 1, 4, 1].map(Some);
        assert_eq!(numbers[0], Some(i64::MIN));
        assert_eq!((&numbers[1..6], numbers[6]), (&flags[..], None));
        let texts = (text(row, 1), text(row, 2));
        assert_eq!(texts, ("ü".to_owned(), payload.to_owned()));
        assert_eq!(get::<Vec<u8>>(row, 2), payload.as_bytes());
        let row = sql::Row::Postgres(row);
        assert_eq!(kind(row.get::<i64>(1)), Kind::Misfit);
        assert_eq!(kind(row.bytes(1).map(|_| ())), Kind::Misfit);
        assert_eq!(kind(row.get::<i64>(9)), Kind::Misfit);
        Ok::<_, PostgresError>(())
    };
    assert_eq!(session.one(asked, &[Value::Null], read), Ok(Some(())));
    // What a text cannot hold is refused, and the session goes on.
    let zero = [Value::Number(1), Value::Text("a\0"), Value::Null];
    let refused = session.change(PUT, &zero).unwrap_err();
    assert_eq!(
        (refused.kind, refused.code.as_deref()),
        (Kind::Rule, Some("22021"))
    );
    assert_eq!(kind(session.change("SELEC", &[])), Kind::Other);
    assert_eq!(kind(session.change(PUT, &[Value::Null])), Kind::Other);
    assert_eq!(words(&session).unwrap(), ["ü"]);
}

#[test]
fn what_another_has_locked_is_not_waited_for_long() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let first = session(&database);
    put(&first, 1, "a").unwrap();
    first.flush().unwrap();
    first.begin().unwrap();
    first
        .change(GUARDED, &[Value::Number(1), Value::Text("b")])
        .unwrap();
    let second = opened(&database.by_socket());
    second.begin().unwrap();
    second
        .change("SET LOCAL lock_timeout = '20ms'", &[])
        .unwrap();
    second
        .put(
            GUARDED,
            &[Value::Number(1), Value::Text("c")],
            Expect::One("a rule"),
        )
        .unwrap();
    assert_eq!(kind(second.commit()), Kind::Busy);
    first.commit().unwrap();
    assert_eq!(words(&second).unwrap(), ["b"]);
}

#[test]
fn an_error_holds_nothing_of_a_row() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    session
        .change(PUT, &[Value::Number(1), Value::Text("secret"), Value::Null])
        .unwrap();
    let again = [
        Value::Number(1),
        Value::Text("secret"),
        Value::Text("secret"),
    ];
    let twice = session.change(PUT, &again).unwrap_err();
    let none = [Value::Number(2), Value::Null, Value::Text("secret")];
    let lacking = session.change(PUT, &none).unwrap_err();
    for error in [twice, lacking] {
        assert_eq!(error.kind, Kind::Rule);
        let told = format!("{error} {error:?}");
        assert!(!told.contains("secret"), "{told}");
    }
}

/// How long groups take: `cargo test -p convoke-store --release postgres -- --ignored --nocapture`.
#[test]
#[ignore = "measures, and proves nothing"]
fn groups_are_measured() {
    let setting = testkit::postgres::Setting {
        fsync: true,
        tls: true,
    };
    let Some(server) = testkit::postgres::Server::start(&setting) else {
        return;
    };
    let database = server.database();
    let plain = session(&database);
    let address: PostgresAddress = database.by_port("localhost").parse().unwrap();
    let address = format!("{}?sslmode=verify-full", database.by_port("localhost"))
        .parse()
        .map(|it: PostgresAddress| it.with_authorities(server.authority()))
        .unwrap_or(address);
    let secured = Session::open(&Net::start().unwrap(), &address).unwrap();
    for (name, session, first) in [("socket", plain, 0), ("TLS", secured, 1 << 40)] {
        for rows in [1, 256, 1300] {
            group(&session, first + (rows << 20), 1).unwrap();
            let (start, waits, groups) = (Instant::now(), session.waits(), 50);
            for turn in 0..groups {
                group(&session, first + (rows << 20) + 1 + turn * rows, rows).unwrap();
            }
            let seconds = start.elapsed().as_secs_f64();
            let waits = (session.waits() - waits) as f64 / groups as f64;
            println!(
                "{name}: {rows} rows a group: {:.2} ms, {waits} waits, {:.0} puts/s",
                seconds * 1000.0 / groups as f64,
                (groups * rows) as f64 / seconds
            );
        }
    }
}
