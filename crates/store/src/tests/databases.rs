//! A state in a database of PostgreSQL: whose it is, what is strange in it, and what it survives.
//!
//! What every location keeps to is in `contract`; sessions are in `postgres::tests`. Read next: [`migrations`].

#![allow(clippy::print_stdout)]

mod migrations;

use super::*;
use crate::postgres::{dialect, schema};
use testkit::postgres::{Database, Server};

fn server() -> Option<&'static Server> {
    testkit::postgres::shared()
}

fn at_home(database: &Database<'_>, holder: &str) -> Options {
    let address: PostgresAddress = database.by_socket().parse().unwrap();
    Options {
        synchronous_full: false,
        readers: 1,
        ..Options::postgres(address, holder)
    }
}

fn refused(options: &Options) -> OpenError {
    let opened = Store::open(options.clone(), Box::new(|_| {}));
    opened.map(|_| ()).unwrap_err()
}

#[test]
fn another_platform_waits_and_the_same_one_takes_over() {
    let Some(server) = server() else { return };
    let database = server.database();
    let (store, _) = open(at_home(&database, "one"));
    store.commit(everything("t1")).wait().unwrap();
    let held = refused(&at_home(&database, "two"));
    assert!(
        matches!(&held, OpenError::Held { by, .. } if by == "one"),
        "{held}"
    );
    let (again, recovered) = open(at_home(&database, "one"));
    assert_eq!(recovered.tasks.len(), 1);
    again.commit(everything("t2")).wait().unwrap();
    let late = store.commit(everything("t3")).wait();
    // Whoever keeps the state may have noticed it first.
    let is_over = matches!(late, Err(CommitError::Write(_) | CommitError::Stopped));
    assert!(is_over, "{late:?}");
    assert_eq!(store.statistics().condition, Condition::Stopped);
    assert_eq!(again.task(&TaskId::new("t3")).unwrap(), None);
    assert!(again.verify().unwrap().is_sound());
    // Whoever was taken over lets nobody else in when it closes.
    drop(store);
    assert!(matches!(
        refused(&at_home(&database, "two")),
        OpenError::Held { .. }
    ));
    drop(again);
    let (_store, recovered) = open(at_home(&database, "two"));
    assert_eq!(recovered.tasks.len(), 2);
}

#[test]
fn what_nobody_here_has_made_is_refused() {
    let Some(server) = server() else { return };
    let foreign = server.database();
    foreign.say("CREATE TABLE word (text TEXT)");
    assert!(matches!(
        refused(&at_home(&foreign, "one")),
        OpenError::Foreign
    ));
    let alike = server.database();
    alike.say("CREATE TABLE state (one BIGINT, application TEXT, version BIGINT); CREATE TABLE owner (one BIGINT)");
    assert!(matches!(
        refused(&at_home(&alike, "one")),
        OpenError::Foreign
    ));
    let left =
        "SELECT count(*) FROM pg_attribute WHERE attrelid = 'owner'::regclass AND attnum > 0";
    assert_eq!(alike.say(left), "1");
    let original = server.database();
    let (store, _) = open(at_home(&original, "one"));
    store.commit(everything("t1")).wait().unwrap();
    drop(store);
    let found = [
        (
            "CREATE TABLE word (text TEXT)",
            "strange column word.text text null",
        ),
        (
            "DROP INDEX task_open",
            "missing index on task task_open changed_at,number ended = 0",
        ),
        (
            "ALTER TABLE log ADD COLUMN more BIGINT",
            "strange column log.more bigint null",
        ),
        (
            "ALTER TABLE task DROP CONSTRAINT task_rule_2",
            "missing rule task_rule_2",
        ),
        (
            "ALTER TABLE task ENABLE ROW LEVEL SECURITY",
            "strange hidden rows of task",
        ),
        (
            "CREATE VIEW tasks AS SELECT 1",
            "strange relation tasks, strange rewriting _RETURN",
        ),
        (
            "CREATE RULE lost AS ON INSERT TO log DO INSTEAD NOTHING",
            "strange rewriting lost",
        ),
        (
            "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; \
             CREATE TRIGGER lost BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION f()",
            "strange trigger lost",
        ),
    ];
    for (forgery, strange) in found {
        let copy = original.copy();
        copy.say(forgery);
        match refused(&at_home(&copy, "one")) {
            OpenError::Schema { strangers } => assert_eq!(strangers, strange),
            other => panic!("{forgery}: {other}"),
        }
    }
}

#[test]
fn a_row_that_is_changed_behind_the_store_is_found() {
    let Some(server) = server() else { return };
    let database = server.database();
    let (store, _) = open(at_home(&database, "one"));
    store.commit(everything("t1")).wait().unwrap();
    database.say("UPDATE exchange SET send_from = 'somebody' WHERE id = 'x-t1'");
    let refused = store.exchange("x-t1");
    assert!(matches!(&refused, Err(ReadError::Corrupt { table, .. }) if table == "exchange"));
    assert!(!store.verify().unwrap().is_sound());
}

/// SQLite takes such a name; a TEXT of PostgreSQL cannot hold it.
#[test]
fn a_name_with_a_zero_fails_its_batch_alone() {
    let Some(server) = server() else { return };
    let database = server.database();
    let (store, _) = open(at_home(&database, "one"));
    let tickets = [everything("t1"), tasks(&[&task("t\0")]), everything("t2")];
    let [first, second, third] = tickets.map(|batch| store.commit(batch)).map(Ticket::wait);
    first.unwrap();
    assert!(matches!(second, Err(CommitError::Refused(_))), "{second:?}");
    third.unwrap();
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn readers_connect_anew() {
    let Some(server) = server() else { return };
    let database = server.database();
    let (store, _) = open(at_home(&database, "one"));
    store.commit(everything("t1")).wait().unwrap();
    assert!(store.task(&TaskId::new("t1")).unwrap().is_some());
    let end = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    // Writer, reader, and the thread that keeps the state.
    assert_eq!(database.say(end), "3");
    assert!(store.task(&TaskId::new("t1")).unwrap().is_some());
}

#[test]
fn a_store_whose_state_is_anothers_stops_without_being_asked_for_anything() {
    let Some(server) = server() else { return };
    let database = server.database();
    let (store, _) = open(at_home(&database, "one"));
    let (_again, _) = open(at_home(&database, "one"));
    let until = std::time::Instant::now() + testkit::PATIENCE;
    while store.statistics().condition != Condition::Stopped {
        assert!(std::time::Instant::now() < until, "it goes on");
        std::thread::yield_now();
    }
    let late = store.commit(everything("t1")).wait();
    assert!(matches!(late, Err(CommitError::Stopped)), "{late:?}");
}

#[test]
fn a_state_of_the_release_before_gets_what_it_has_not() {
    let Some(server) = server() else { return };
    let database = server.database();
    let (store, _) = open(at_home(&database, "one"));
    store.commit(everything("t1")).wait().unwrap();
    drop(store);
    database.say(
        "ALTER TABLE owner DROP COLUMN commits; UPDATE owner SET until = 4102444800000;
         DROP INDEX exchange_by_send_from; CREATE INDEX exchange_by_send_from ON exchange (send_from)",
    );
    let address: PostgresAddress = database.by_socket().parse().unwrap();
    let report = crate::verify(Location::Postgres(address)).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert!(matches!(
        refused(&at_home(&database, "two")),
        OpenError::Held { .. }
    ));
    // Whoever owns the state is not kept waiting by one who does not.
    let columns =
        "SELECT indnatts FROM pg_index WHERE indexrelid = 'exchange_by_send_from'::regclass";
    assert_eq!(database.say(columns), "1");
    let (store, recovered) = open(at_home(&database, "one"));
    assert_eq!(recovered.tasks.len(), 1);
    store.commit(everything("t2")).wait().unwrap();
    assert!(store.verify().unwrap().is_sound());
    assert_eq!(database.say(columns), "2");
    drop(store);
    let (_store, recovered) = open(at_home(&database, "two"));
    assert_eq!(recovered.tasks.len(), 2);
}

#[test]
fn a_server_that_may_lose_what_it_acknowledged_is_refused() {
    let Some(server) = server() else { return };
    let database = server.database();
    let options = Options {
        synchronous_full: true,
        ..at_home(&database, "one")
    };
    let unfit = refused(&options);
    assert!(matches!(unfit, OpenError::Unfit { .. }), "{unfit}");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(database.say(tables), "0");
}

/// How many batches are stored a second: `cargo test -p convoke-store --release measured -- --ignored --nocapture`.
#[test]
#[ignore = "measures, and proves nothing"]
fn stores_are_measured() {
    let setting = testkit::postgres::Setting {
        fsync: true,
        tls: false,
    };
    let Some(server) = Server::start(&setting) else {
        return;
    };
    let database = server.database();
    let in_database = Options {
        synchronous_full: true,
        ..at_home(&database, "one")
    };
    let (_folder, path) = file();
    for (name, options) in [("file", Options::file(path)), ("database", in_database)] {
        let (store, _) = open(options);
        let start = std::time::Instant::now();
        let batches = (0..2_560).map(|number| everything(&format!("t{number}")));
        let tickets: Vec<_> = batches.map(|batch| store.commit(batch)).collect();
        tickets
            .into_iter()
            .for_each(|ticket| ticket.wait().unwrap());
        let seconds = start.elapsed().as_secs_f64();
        let told = store.statistics();
        println!(
            "{name}: {:.0} batches/s in {} transactions; {:.2} s of rows, {:.2} s of commits",
            told.batches as f64 / seconds,
            told.transactions,
            told.writing.as_secs_f64(),
            told.committing.as_secs_f64()
        );
    }
}

/// What is released stays as it is: a change of the tables is a step of its own.
#[test]
fn the_tables_are_made_with_these_words() {
    let words = schema::statements();
    let kept = include_str!("databases/tables.sql");
    assert!(words == kept, "{words}");
}

/// Whatever PostgreSQL chooses for the rows that there are, an index has each page in its order. What stands in two
/// indexes it reads and sorts, where SQLite merges them.
#[test]
fn queries_can_use_their_indexes() {
    let Some(server) = server() else { return };
    let database = server.database();
    let (_store, _) = open(at_home(&database, "one"));
    let rather_not = ["seqscan", "bitmapscan", "sort", "incremental_sort"];
    let rather_not: String = rather_not
        .map(|it| format!("SET enable_{it} = off; "))
        .concat();
    for sql in queries() {
        let sql = dialect::translate(&sql).text;
        let plan = database.say(&format!("{rather_not}EXPLAIN (COSTS OFF) {sql}"));
        let is_merged = sql.contains(" UNION ALL ");
        let is_dear = |line: &str| {
            let step = line.trim_start_matches([' ', '-', '>']);
            let sorts = step == "Sort" || step == "Incremental Sort";
            step.starts_with("Seq Scan") || (sorts && !is_merged)
        };
        assert!(
            plan.contains("Index") && !plan.lines().any(is_dear),
            "{sql}\n{plan}"
        );
    }
}
