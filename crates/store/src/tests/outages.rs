//! A database that is away, and answers that are lost: what was acknowledged is stored, once, and what
//! was refused is not.
//!
//! How that is found out is in `postgres::tests::lost`.

use super::*;
use crate::postgres::tests::way::{Fate, Way};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use testkit::PATIENCE;
use testkit::postgres::{Server, Setting};

fn at(url: &str) -> Options {
    let address: PostgresAddress = url.parse().unwrap();
    Options {
        synchronous_full: false,
        readers: 1,
        ..Options::postgres(address, "one")
    }
}

/// The identifiers of tasks, in the order in which they became durable.
type Told = Arc<Mutex<Vec<String>>>;

fn listening(options: Options) -> (Store, Told) {
    let told = Told::default();
    let tell = Arc::clone(&told);
    let on_commit = Box::new(move |committed: &[Committed]| {
        let tasks = committed.iter().flat_map(|batch| &batch.tasks);
        let ids = tasks.map(|task| task.id.to_string());
        tell.lock().unwrap().extend(ids);
    });
    (Store::open(options, on_commit).unwrap().0, told)
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "not so in time: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Asserts that exactly these tasks are stored, were told of, each once, and that all is sound.
fn holds(store: &Store, told: &Told, acknowledged: &BTreeSet<String>) {
    let told = told.lock().unwrap().clone();
    let once: BTreeSet<String> = told.iter().cloned().collect();
    assert_eq!(told.len(), once.len(), "something was told of twice");
    assert!(
        once == *acknowledged,
        "{} told of, {} acknowledged",
        once.len(),
        acknowledged.len()
    );
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.tasks, acknowledged.len() as u64);
    for id in acknowledged {
        let task = TaskId::new(id.clone());
        assert!(store.task(&task).unwrap().is_some(), "{id}");
    }
}

#[test]
fn answers_that_are_lost_are_found_again_and_nothing_is_stored_twice() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let way = Way::to(server);
    let (store, told) = listening(at(&way.url(&database)));
    let mut acknowledged = BTreeSet::new();
    for (turn, fate) in [Fate::Answer, Fate::Question].repeat(8).iter().enumerate() {
        way.next(*fate);
        let ids = (0..20).map(|number| format!("t{turn}-{number}"));
        let tickets: Vec<_> = ids.map(|id| (store.commit(everything(&id)), id)).collect();
        for (ticket, id) in tickets {
            ticket.wait().unwrap();
            acknowledged.insert(id);
        }
        assert!(!way.waits(), "the answer was lost");
    }
    assert_eq!(store.statistics().condition, Condition::Working);
    holds(&store, &told, &acknowledged);
}

#[test]
fn a_job_whose_answer_is_lost_is_done_or_says_that_it_is_not() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let way = Way::to(server);
    let (store, told) = listening(at(&way.url(&database)));
    let t1 = task("t1");
    store.commit(tasks(&[&t1])).wait().unwrap();
    let ended = after(&t1, Command::Fail(content("no")));
    store.commit(tasks(&[&ended])).wait().unwrap();
    way.next(Fate::Question);
    let refused = store.erase(&t1.id, super::at(3_000)).wait();
    assert!(
        matches!(refused, Err(CommitError::Unreachable)),
        "{refused:?}"
    );
    until("it is looked for by itself", || {
        store.statistics().condition == Condition::Working
    });
    way.next(Fate::Answer);
    let erased = store.erase(&t1.id, super::at(4_000)).wait().unwrap();
    assert_eq!(
        store.erase(&t1.id, super::at(5_000)).wait().unwrap(),
        erased
    );
    told.lock().unwrap().dedup();
    holds(&store, &told, &["t1".to_owned()].into());
}

#[test]
fn a_store_that_closes_does_not_wait_for_what_nobody_can_tell() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let way = Way::to(server);
    let (store, _) = listening(at(&way.url(&database)));
    store.commit(everything("t1")).wait().unwrap();
    way.next(Fate::Answer);
    let ticket = {
        way.close(true);
        store.commit(everything("t2"))
    };
    until("it is not known", || {
        store.statistics().condition == Condition::Unreachable
    });
    let begun = Instant::now();
    drop(store);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert!(ticket.wait().is_err(), "nobody knows, so nobody says so");
    // Who opens it next sees what is so.
    let (_store, recovered) = open(at(&database.by_socket()));
    assert_eq!(recovered.tasks.len(), 2);
}

#[test]
fn a_group_that_finds_no_database_is_refused_after_a_while_and_the_next_at_once() {
    let Some(server) = testkit::postgres::shared() else {
        return;
    };
    let database = server.database();
    let way = Way::to(server);
    let (store, told) = listening(at(&way.url(&database)));
    store.commit(everything("t1")).wait().unwrap();
    way.close(true);
    database.say(
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    for (id, least, most) in [("t2", 5, 60), ("t3", 0, 4)] {
        let begun = Instant::now();
        let refused = store.commit(everything(id)).wait();
        assert!(
            matches!(refused, Err(CommitError::Unreachable)),
            "{refused:?}"
        );
        let taken = begun.elapsed().as_secs();
        assert!((least..most).contains(&taken), "{id} took {taken} s");
        let read = store.task(&TaskId::new("t1"));
        assert!(matches!(read, Err(ReadError::Unreachable(_))), "{read:?}");
    }
    assert_eq!(store.statistics().condition, Condition::Unreachable);
    until("all is settled", || store.settle());
    assert_eq!(store.taken_back(), 2);
    way.close(false);
    until("it is looked for by itself", || {
        store.statistics().condition == Condition::Working
    });
    store.commit(everything("t4")).wait().unwrap();
    let stored = ["t1", "t4"].map(str::to_owned);
    holds(&store, &told, &stored.into());
}

/// Two threads assign tasks until told to end. Returns what was acknowledged and what was refused.
fn under_load(store: &Store, while_running: impl FnOnce()) -> (BTreeSet<String>, BTreeSet<String>) {
    let ends = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let load = |thread: usize| {
            let ends = &ends;
            scope.spawn(move || {
                let (mut stored, mut refused) = (BTreeSet::new(), BTreeSet::new());
                for number in 0.. {
                    let id = format!("t{thread}-{number}");
                    match store.commit(everything(&id)).wait() {
                        Ok(()) => stored.insert(id),
                        Err(CommitError::Unreachable) => {
                            std::thread::sleep(Duration::from_millis(5));
                            refused.insert(id)
                        }
                        Err(other) => panic!("{id}: {other}"),
                    };
                    if ends.load(Relaxed) {
                        break;
                    }
                }
                (stored, refused)
            })
        };
        let (one, other) = (load(1), load(2));
        while_running();
        ends.store(true, Relaxed);
        let ((mut stored, mut refused), more) = (one.join().unwrap(), other.join().unwrap());
        stored.extend(more.0);
        refused.extend(more.1);
        (stored, refused)
    })
}

#[test]
fn while_a_database_is_away_nothing_is_stored_and_once_it_is_back_all_goes_on() {
    let setting = Setting {
        fsync: true,
        tls: false,
    };
    let Some(server) = Server::start(&setting) else {
        return;
    };
    let database = server.database();
    let (store, told) = listening(at(&database.by_socket()));
    let stores = || {
        let before = store.statistics().batches;
        until("it stores", || store.statistics().batches > before + 20);
    };
    let (stored, refused) = under_load(&store, || {
        // As fast as it can, and then after longer than a group is tried for.
        for away in [0, 0, 10].map(Duration::from_secs) {
            stores();
            server.restart(away);
        }
        stores();
    });
    assert!(stored.is_disjoint(&refused));
    assert_eq!(store.statistics().condition, Condition::Working);
    assert_eq!(store.taken_back(), refused.len() as u64);
    holds(&store, &told, &stored);
    drop(store);
}
