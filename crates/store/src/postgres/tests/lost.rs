//! Answers that do not come: a proxy between session and server takes them away.

use super::way::{Fate, Way};
use super::{Kind, PUT, TABLE, kind, opened, put, session, taken, words};
use crate::postgres::owner::Owner;
use crate::postgres::schema;
use crate::postgres::session::Session;
use crate::sql::Value;
use std::time::Duration;
use testkit::postgres::Database;

fn through(way: &Way, database: &Database<'_>) -> Session {
    opened(&way.url(database)).answering_within(Duration::from_millis(500))
}

/// A session by this way that owns a state.
fn owning(way: &Way, database: &Database<'_>) -> (Session, Owner) {
    schema::prepare(&opened(&database.by_socket())).unwrap();
    database.say(TABLE);
    let session = through(way, database);
    let owner = taken(&session, "me").unwrap();
    owner.fences(&session).unwrap();
    (session, owner)
}

/// Commits one word.
fn say(session: &Session, number: i64, word: &str) -> Result<(), crate::failure::SqlFailure> {
    session.begin()?;
    put(session, number, word)?;
    Ok(session.commit()?)
}

#[test]
fn a_commit_whose_answer_is_lost_is_unknown() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    for fate in [Fate::Answer, Fate::Question, Fate::Silence] {
        let database = server.database();
        database.say(TABLE);
        let way = Way::to(server);
        let session = through(&way, &database);
        way.next(fate);
        session.begin().unwrap();
        put(&session, 1, "a").unwrap();
        session.flush().unwrap();
        assert_eq!(kind(session.commit()), Kind::Unknown, "{fate:?}");
        assert!(session.is_lost(), "{fate:?}");
        // Nothing was stored after that was refused; whether that was is another's to find out.
        assert_eq!(
            kind(put(&session, 2, "b").and_then(|()| session.flush())),
            Kind::Unknown
        );
        if fate == Fate::Question {
            assert_eq!(words(&opened(&database.by_socket())).unwrap(), [""; 0]);
        }
    }
}

#[test]
fn what_became_of_a_commit_without_an_answer_is_found_out_by_its_owner() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    for fate in [Fate::Answer, Fate::Question, Fate::Silence] {
        let database = server.database();
        let way = Way::to(server);
        let (mut session, _) = owning(&way, &database);
        say(&session, 1, "a").unwrap();
        way.next(fate);
        let said = say(&session, 2, "b");
        assert!(session.is_lost(), "{fate:?}");
        session.renewed().unwrap();
        if fate == Fate::Question {
            assert_eq!(kind(said), Kind::Unreachable);
            assert_eq!(words(&session).unwrap(), ["a"]);
            // Nothing was stored, so it may be said again.
            say(&session, 2, "b").unwrap();
        } else {
            said.unwrap();
        }
        say(&session, 3, "c").unwrap();
        assert_eq!(words(&session).unwrap(), ["a", "b", "c"], "{fate:?}");
    }
}

#[test]
fn nobody_says_what_became_of_a_commit_in_a_state_that_is_anothers_or_was_set_back() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    for meanwhile in ["epoch = epoch + 1", "commits = commits - 2", "commits = 7"] {
        for fate in [Fate::Answer, Fate::Question] {
            let database = server.database();
            let way = Way::to(server);
            let (mut session, _) = owning(&way, &database);
            say(&session, 1, "a").unwrap();
            let (behind, is_first) = (opened(&database.by_socket()), std::cell::Cell::new(true));
            let change = format!("UPDATE owner SET {meanwhile}");
            session.while_unknown(Box::new(move || {
                // What still runs is waited for.
                if is_first.replace(false) {
                    behind.change(&change, &[]).unwrap();
                }
                true
            }));
            way.next(fate);
            assert_eq!(kind(say(&session, 2, "b")), Kind::Unknown, "{meanwhile}");
            session.renewed().unwrap();
            assert_eq!(kind(say(&session, 3, "c")), Kind::Fenced, "{meanwhile}");
        }
    }
}

#[test]
fn what_became_of_a_commit_is_asked_until_nobody_waits_for_it() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let way = std::sync::Arc::new(Way::to(server));
    for tries in [3, 4] {
        let (session, owner) = owning_again(&way, &database);
        let (asked, opens) = (std::cell::Cell::new(0), std::sync::Arc::clone(&way));
        session.while_unknown(Box::new(move || {
            asked.set(asked.get() + 1);
            opens.close(asked.get() < 4);
            asked.get() < tries
        }));
        way.next(Fate::Answer);
        let said = say(&session, tries, "a");
        match tries {
            3 => assert_eq!(kind(said), Kind::Unknown),
            _ => said.unwrap(),
        }
        way.close(false);
        owner.release(&opened(&database.by_socket()), None).unwrap();
    }
}

fn owning_again(way: &Way, database: &Database<'_>) -> (Session, Owner) {
    if database.say("SELECT to_regclass('owner') IS NULL") == "t" {
        return owning(way, database);
    }
    let session = through(way, database);
    let owner = taken(&session, "me").unwrap();
    owner.fences(&session).unwrap();
    (session, owner)
}

#[test]
fn a_database_that_was_not_reached_is_left_alone_for_as_long_as_that_took() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let way = Way::to(server);
    let mut session = through(&way, &database);
    way.close(true);
    way.next(Fate::Question);
    assert_eq!(kind(session.script("COMMIT".to_owned())), Kind::Unknown);
    assert_eq!(kind(session.renewed()), Kind::Unreachable);
    way.close(false);
    // Whoever asks right behind is told the same.
    assert_eq!(kind(session.renewed()), Kind::Unreachable);
    let until = std::time::Instant::now() + testkit::PATIENCE;
    while session.renewed().is_err() {
        assert!(
            std::time::Instant::now() < until,
            "it is left alone for ever"
        );
    }
}

#[test]
fn a_session_that_an_administrator_ends_has_stored_nothing() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let session = session(&database);
    session.begin().unwrap();
    put(&session, 1, "a").unwrap();
    session.flush().unwrap();
    let end = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    assert_eq!(database.say(end), "1");
    let ended = session.commit();
    // Where the end was heard before COMMIT was sent, it is known.
    assert!(matches!(kind(ended), Kind::Unreachable | Kind::Unknown));
    assert!(session.is_lost());
    let statement = session.change(PUT, &[Value::Number(2), Value::Text("b"), Value::Null]);
    assert!(matches!(kind(statement), Kind::Unreachable | Kind::Unknown));
    assert_eq!(words(&opened(&database.by_socket())).unwrap(), [""; 0]);
}
