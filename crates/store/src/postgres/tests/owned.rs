//! Databases that will do and that will not, and who owns a state in one.

use super::{Kind, TABLE, kind, opened, put, taken, words};
use crate::lead::Obstacle;
use crate::postgres::fitness::{self, Unfit};
use crate::postgres::owner;
use crate::postgres::schema;
use testkit::postgres::{Database, Server, Setting};

fn owned(server: &Server) -> Database<'_> {
    let database = server.database();
    schema::prepare(&opened(&database.by_socket())).unwrap();
    database.say(TABLE);
    database
}

#[test]
fn a_state_that_another_owns_is_not_taken_before_it_is_released() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = owned(server);
    let (mine, yours) = (opened(&database.by_socket()), opened(&database.by_socket()));
    let me = taken(&mine, "me").unwrap();
    let Obstacle::Held { by, left } = taken(&yours, "you").unwrap_err() else {
        panic!("it is promised to nobody");
    };
    assert_eq!(by, "me");
    assert!(left <= owner::OWNED && !left.is_zero(), "{left:?}");
    me.release(&mine, None).unwrap();
    let you = taken(&yours, "you").unwrap();
    assert!(taken(&mine, "me").is_err());
    // What was released once is not released again by who had it before.
    me.release(&mine, None).unwrap();
    assert!(taken(&mine, "me").is_err());
    you.release(&yours, None).unwrap();
}

#[test]
fn whoever_has_lost_a_state_stores_nothing_more() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = owned(server);
    let (old, new) = (opened(&database.by_socket()), opened(&database.by_socket()));
    let before = taken(&old, "me").unwrap();
    before.fences(&old).unwrap();
    old.begin().unwrap();
    put(&old, 1, "a").unwrap();
    old.commit().unwrap();
    let after = taken(&new, "me").unwrap();
    old.begin().unwrap();
    put(&old, 2, "b").unwrap();
    assert_eq!(kind(old.commit()), Kind::Fenced);
    assert_eq!(kind(before.fences(&old)), Kind::Fenced);
    assert_eq!(kind(before.renew(&old)), Kind::Fenced);
    after.fences(&new).unwrap();
    new.begin().unwrap();
    put(&new, 3, "c").unwrap();
    new.commit().unwrap();
    assert_eq!(words(&new).unwrap(), ["a", "c"]);
}

/// What decides whether a group was stored whose answer was lost: who has the row knows.
#[test]
fn whoever_asks_what_was_stored_waits_for_what_is_under_way() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = owned(server);
    let lost = opened(&database.by_socket());
    let owner = taken(&lost, "me").unwrap();
    owner.fences(&lost).unwrap();
    lost.begin().unwrap();
    put(&lost, 1, "a").unwrap();
    lost.flush().unwrap();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let session = opened(&database.by_socket());
            owner.fences(&session).unwrap();
            // It has seen everything that will ever be stored behind that fence.
            words(&session).unwrap()
        });
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted";
        let until = std::time::Instant::now() + testkit::PATIENCE;
        while database.say(waits) == "0" {
            assert!(std::time::Instant::now() < until, "it does not wait");
        }
        lost.commit().unwrap();
        assert_eq!(asked.join().unwrap(), ["a"]);
    });
}

/// A second line behind that: were a group that is late stored after all, the same group would not be.
#[test]
fn a_count_is_met_by_one_transaction_alone() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = owned(server);
    let (late, again) = (opened(&database.by_socket()), opened(&database.by_socket()));
    let owner = taken(&late, "me").unwrap();
    owner.fences(&late).unwrap();
    owner.fences(&again).unwrap();
    late.begin().unwrap();
    put(&late, 1, "a").unwrap();
    late.commit().unwrap();
    again.begin().unwrap();
    let said = put(&again, 2, "a").and_then(|()| again.commit());
    assert_eq!(kind(said), Kind::Fenced);
    late.begin().unwrap();
    put(&late, 3, "b").unwrap();
    late.commit().unwrap();
    assert_eq!(words(&late).unwrap(), ["a", "b"]);
}

#[test]
fn a_database_that_will_not_do_is_refused_with_the_reason() {
    let setting = Setting {
        fsync: true,
        tls: false,
    };
    let Some(server) = Server::start(&setting) else {
        return;
    };
    let good = server.database();
    let check = |url: &str, durable| fitness::check(&opened(url), durable).unwrap();
    assert_eq!(check(&good.by_socket(), true), Ok(()));
    let make = |options: &str| {
        let name = options.split_whitespace().next().unwrap();
        good.say(&format!(
            "CREATE DATABASE {name} TEMPLATE template0 {}",
            &options[name.len()..]
        ));
        good.by_socket().replace(good.name(), name)
    };
    let sorted = make("sorted LOCALE_PROVIDER icu ICU_LOCALE 'und' ENCODING 'UTF8'");
    assert_eq!(check(&sorted, false), Err(Unfit::Order));
    let latin = make("latin ENCODING 'LATIN1'");
    assert_eq!(
        check(&latin, false),
        Err(Unfit::Encoding("LATIN1".to_owned()))
    );
    let name = good.name();
    good.say(&format!(
        "ALTER DATABASE {name} SET synchronous_commit = off"
    ));
    let lazy = Err(Unfit::NotDurable("synchronous_commit"));
    assert_eq!(check(&good.by_socket(), true), lazy);
    assert_eq!(check(&good.by_socket(), false), Ok(()));
    if let Some(unsafe_) = testkit::postgres::shared() {
        let database = unsafe_.database();
        assert_eq!(
            check(&database.by_socket(), true),
            Err(Unfit::NotDurable("fsync"))
        );
    }
}
