//! Nodes that take turns: leases, how they end and who follows, and the directory.

use super::opened;
use crate::failure::FailureKind;
use crate::lead::{
    Announced, Announcement, Directory, LeadCandidate, Lease, MARGIN, Obstacle, Standing, Taking,
};
use crate::postgres::address::PostgresAddress;
use crate::postgres::tests::way::Way;
use crate::postgres::{owner, schema};
use crate::{Batch, CommitError, Options, Store};
use domain::cluster::NodeRequest;
use std::thread;
use std::time::{Duration, Instant};
use testkit::postgres::{Database, shared};

const TTL: Duration = Duration::from_secs(2);

fn address(database: &Database<'_>) -> PostgresAddress {
    database.by_socket().parse().unwrap()
}

fn candidate(node: &str) -> LeadCandidate {
    LeadCandidate {
        fingerprint: "SHA256:host".to_owned(),
        node: node.to_owned(),
        rules: "these".to_owned(),
        any_rules: false,
        ttl: TTL,
        durable: false,
    }
}

fn taking(database: &Database<'_>, candidate: &LeadCandidate) -> Taking {
    Lease::take(&address(database), candidate).unwrap()
}

#[track_caller]
fn taken(database: &Database<'_>, node: &str) -> Lease {
    match taking(database, &candidate(node)) {
        Taking::Leads(lease) => lease,
        Taking::Obstructed(why) => panic!("{node} does not lead: {why}"),
    }
}

#[track_caller]
fn obstacle(database: &Database<'_>, candidate: &LeadCandidate) -> Obstacle {
    match taking(database, candidate) {
        Taking::Obstructed(why) => why,
        Taking::Leads(lease) => panic!("{} leads: {lease:?}", candidate.node),
    }
}

/// Takes the lead as soon as it can be had.
fn waited(database: &Database<'_>, node: &str) -> Lease {
    let end = Instant::now() + 10 * TTL;
    loop {
        match taking(database, &candidate(node)) {
            Taking::Leads(lease) => return lease,
            Taking::Obstructed(why) => assert!(Instant::now() < end, "{why}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn store(database: &Database<'_>, lease: &Lease) -> Store {
    let options = Options {
        lease: Some(lease.clone()),
        synchronous_full: false,
        ..Options::postgres(address(database), "nobody")
    };
    Store::open(options, Box::new(|_| ())).unwrap().0
}

/// A lease that nobody gives back, as that of a process that was killed; it is renewed until it is fenced.
fn killed(database: &Database<'_>, node: &str) -> u64 {
    let lease = taken(database, node);
    let epoch = lease.epoch();
    std::mem::forget(lease);
    epoch
}

#[tokio::test]
async fn of_two_candidates_one_leads_and_the_other_after_it() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let first = taken(&database, "a");
    assert!(first.holds());
    assert!(first.left() <= TTL - MARGIN, "{:?}", first.left());
    match obstacle(&database, &candidate("b")) {
        Obstacle::Held { by, left } => {
            assert_eq!(by, "SHA256:host a");
            assert!(left <= TTL, "{left:?}");
        }
        other => panic!("{other}"),
    }
    // It is renewed for as long as somebody holds it.
    std::thread::sleep(TTL + Duration::from_millis(500));
    assert!(first.holds());
    assert!(matches!(
        obstacle(&database, &candidate("b")),
        Obstacle::Held { .. }
    ));
    let held = store(&database, &first);
    first.release(None).unwrap();
    assert_eq!(first.standing(), Standing::Released);
    let second = taken(&database, "b");
    assert!(second.epoch() > first.epoch());
    let fenced = held.keep_cursors(vec![("old".to_owned(), Some(1))]).await;
    assert!(
        matches!(&fenced, Err(CommitError::Write(cause)) if cause.kind() == FailureKind::Fenced),
        "{fenced:?}"
    );
    let new = store(&database, &second);
    new.keep_cursors(vec![("new".to_owned(), Some(1))])
        .await
        .unwrap();
    let names: Vec<_> = new.cursors().unwrap();
    assert_eq!(names.len(), 1);
    new.commit(Batch::default()).await.unwrap();
}

/// As the opening of a large state does.
#[test]
fn a_transaction_that_outlasts_the_lease_does_not_end_it() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let lease = taken(&database, "a");
    let writer = opened(&database.by_socket());
    lease.fences(&writer).unwrap();
    let long = writer.long_transaction();
    writer
        .script("CREATE TABLE word (text TEXT)".to_owned())
        .unwrap();
    let begun = Instant::now();
    while begun.elapsed() < TTL + MARGIN {
        assert!(lease.holds(), "it is lost after {:?}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(20));
    }
    long.commit().unwrap();
    assert_eq!(database.say("SELECT count(*) FROM word"), "0");
    assert!(lease.holds());
}

#[tokio::test]
async fn whoever_is_cut_off_has_lost_the_lead_before_another_has_it() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let first = taken(&database, "a");
    let held = store(&database, &first);
    // The row is kept from its owner, as by a network that is cut: nothing that it sends gets through.
    let cut = opened(&database.by_socket());
    cut.begin().unwrap();
    let lock = "SELECT epoch FROM owner WHERE one = 1 FOR UPDATE";
    cut.one(lock, &[], |_| Ok::<_, crate::SqlFailure>(()))
        .unwrap();
    let start = Instant::now();
    while first.holds() {
        assert!(start.elapsed() < 2 * TTL);
        std::thread::sleep(Duration::from_millis(5));
    }
    let lost = start.elapsed();
    assert!(lost <= TTL - MARGIN, "{lost:?}");
    assert_eq!(first.standing(), Standing::Lost);
    let until =
        "SELECT until - CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) FROM owner";
    let left: i64 = database.say(until).parse().unwrap();
    assert!(
        left > 500,
        "the database lets nobody take it yet: {left} ms"
    );
    // It stays lost, whatever its renewals come to.
    cut.commit().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(first.standing(), Standing::Lost);
    drop(held);
    drop(first);
    let second = waited(&database, "b");
    assert!(second.holds());
}

#[test]
fn the_clock_of_the_database_rules_and_a_former_life_is_taken_up_at_once() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let epoch = killed(&database, "a");
    assert!(matches!(
        obstacle(&database, &candidate("b")),
        Obstacle::Held { .. }
    ));
    let again = taken(&database, "a");
    assert_eq!(again.epoch(), epoch + 1);
    assert!(again.holds());
    // What the database says is over is over, whatever anybody else's clock says.
    let end = Instant::now() + 10 * TTL;
    let other = loop {
        database.say("UPDATE owner SET until = 1");
        match taking(&database, &candidate("b")) {
            Taking::Leads(lease) => break lease,
            // A renewal came in between.
            Taking::Obstructed(why) => assert!(Instant::now() < end, "{why}"),
        }
    };
    assert_eq!(other.epoch(), epoch + 2);
    let start = Instant::now();
    while again.standing() != Standing::Lost {
        assert!(start.elapsed() < TTL, "a renewal is told that it is fenced");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut directory = Directory::open(&address(&database), TTL, false).unwrap();
    let lead = directory.lead().unwrap();
    assert_eq!((lead.node.as_str(), lead.held), ("b", true));
    assert_eq!(lead.epoch, other.epoch());
}

#[test]
fn a_lead_is_handed_to_one_node_alone_for_a_while() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    taken(&database, "a").release(Some("c")).unwrap();
    for node in ["b", "a"] {
        match obstacle(&database, &candidate(node)) {
            Obstacle::Promised { to, left } => {
                assert_eq!(to, "c");
                assert!(left <= TTL);
            }
            other => panic!("{node}: {other}"),
        }
    }
    let heir = taken(&database, "c");
    assert!(heir.holds());
    heir.release(Some("d")).unwrap();
    // It never comes.
    let start = Instant::now();
    let next = waited(&database, "b");
    assert!(next.holds());
    assert!(start.elapsed() >= TTL / 2, "{:?}", start.elapsed());
}

#[test]
fn only_the_rules_last_in_force_may_lead() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let lease = taken(&database, "a");
    lease.in_force("others");
    let mut directory = Directory::open(&address(&database), TTL, false).unwrap();
    let start = Instant::now();
    while directory.lead().unwrap().rules != "others" {
        assert!(start.elapsed() < TTL);
    }
    lease.release(None).unwrap();
    assert_eq!(obstacle(&database, &candidate("b")), Obstacle::Rules);
    let knows = LeadCandidate {
        rules: "others".to_owned(),
        ..candidate("b")
    };
    assert!(matches!(taking(&database, &knows), Taking::Leads(_)));
    let forced = LeadCandidate {
        any_rules: true,
        ..candidate("c")
    };
    let Taking::Leads(forced) = taking(&database, &forced) else {
        panic!("an operator may say so");
    };
    assert_eq!(directory.lead().unwrap().rules, "these");
    forced.release(None).unwrap();
}

/// A platform alone, and what changes keys or accepts, has no rules that nodes could have in common.
#[test]
fn whoever_is_alone_leaves_the_rules_in_force() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    taken(&database, "a").release(None).unwrap();
    let alone = Options {
        synchronous_full: false,
        ..Options::postgres(address(&database), "SHA256:host")
    };
    drop(Store::open(alone, Box::new(|_| ())).unwrap());
    let others = LeadCandidate {
        rules: "others".to_owned(),
        ..candidate("b")
    };
    assert_eq!(obstacle(&database, &others), Obstacle::Rules);
    assert!(taken(&database, "a").holds());
}

/// What a node does about a lease that runs out, a platform alone does not: nobody waits to follow it.
#[test]
fn whoever_is_alone_waits_for_its_database() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let way = Way::to(server);
    let through: PostgresAddress = way.url(&database).parse().unwrap();
    let lease = Lease::alone(&through, "SHA256:host", false).unwrap();
    way.close(true);
    database.say(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    let end = Instant::now() + 5 * owner::OWNED;
    let until = "SELECT until > extract(epoch FROM now()) * 1000 FROM owner";
    let until_it_is = |kept: &str| {
        while database.say(until) != kept {
            assert!(Instant::now() < end, "it is not so: {kept}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    until_it_is("f");
    assert!(lease.holds());
    way.close(false);
    until_it_is("t");
    database.say("UPDATE owner SET epoch = epoch + 1");
    while lease.holds() {
        assert!(Instant::now() < end, "it is another's");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(lease.standing(), Standing::Lost);
}

fn announcement(name: &str, life: &str) -> Announcement {
    Announcement {
        name: name.to_owned(),
        place: format!("place of {life}"),
        life: life.to_owned(),
        address: "127.0.0.1:8840".to_owned(),
        version: "0.1.0".to_owned(),
        state: "standing-by".to_owned(),
        rules: "these".to_owned(),
    }
}

#[test]
fn a_name_is_one_processs_while_it_is_heard_of() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let mut directory = Directory::open(&address(&database), TTL, false).unwrap();
    let known = |requested| Announced::Known { requested };
    let first = announcement("a", "1");
    assert_eq!(directory.announce(&first).unwrap(), known(None));
    assert!(directory.request("a", NodeRequest::Drain).unwrap());
    assert!(!directory.request("b", NodeRequest::Drain).unwrap());
    assert_eq!(
        directory.announce(&first).unwrap(),
        known(Some(NodeRequest::Drain))
    );
    let elsewhere = announcement("a", "2");
    match directory.announce(&elsewhere).unwrap() {
        Announced::Taken { left } => assert!(left <= TTL && !left.is_zero()),
        other => panic!("{other:?}"),
    }
    // A new life in the same place follows at once, and nothing is asked of it.
    let again = Announcement {
        place: first.place.clone(),
        ..elsewhere.clone()
    };
    assert_eq!(directory.announce(&again).unwrap(), known(None));
    let all = directory.nodes().unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!((&*all[0].life, all[0].alive), ("2", true));
    directory.request("a", NodeRequest::Lead).unwrap();
    directory.fulfilled("a", NodeRequest::Drain).unwrap();
    assert_eq!(
        directory.nodes().unwrap()[0].requested,
        Some(NodeRequest::Lead)
    );
    directory.fulfilled("a", NodeRequest::Lead).unwrap();
    assert_eq!(directory.nodes().unwrap()[0].requested, None);
    // The life before does not end this one.
    directory.leave("a", "1").unwrap();
    assert!(directory.nodes().unwrap()[0].alive);
    directory.leave("a", "2").unwrap();
    assert!(!directory.nodes().unwrap()[0].alive);
    let third = announcement("a", "3");
    assert_eq!(directory.announce(&third).unwrap(), known(None));
    let month = "UPDATE node SET seen = 0, until = 0";
    database.say(month);
    directory.leave("b", "1").unwrap();
    assert_eq!(directory.nodes().unwrap(), []);
}

/// The tables as the first release with a database made them.
const BEFORE: &str = "ALTER TABLE owner DROP COLUMN since, DROP COLUMN rules, DROP COLUMN heir,
    DROP COLUMN heir_until; DROP TABLE node";

#[tokio::test]
async fn a_state_of_before_is_completed_and_read_as_it_is() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let alone = Options {
        synchronous_full: false,
        ..Options::postgres(address(&database), "SHA256:host")
    };
    let (store, _) = Store::open(alone.clone(), Box::new(|_| ())).unwrap();
    store
        .keep_cursors(vec![("kept".to_owned(), Some(7))])
        .await
        .unwrap();
    drop(store);
    database.say(BEFORE);
    let report = crate::verify(&alone.location).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    let (store, _) = Store::open(alone, Box::new(|_| ())).unwrap();
    assert_eq!(store.cursors().unwrap().len(), 1);
    drop(store);
    let session = opened(&database.by_socket());
    assert_eq!(schema::strangers(&session).unwrap(), Vec::<String>::new());
    database.say(BEFORE);
    let lease = taken(&database, "a");
    assert!(lease.holds());
    // Whoever is alone waits for the lease like any other.
    let alone = Options {
        synchronous_full: false,
        ..Options::postgres(address(&database), "SHA256:host")
    };
    let refused = Store::open(alone, Box::new(|_| ()));
    assert!(matches!(refused, Err(crate::OpenError::Held { .. })));
}

/// Whoever joins a state of before lets its owner go first, whose commits and renewals change the same table.
#[test]
fn nobody_waits_behind_who_would_complete_a_state_of_before() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    drop(Directory::open(&address(&database), TTL, false).unwrap());
    database.say(BEFORE);
    let (commits, renews) = (opened(&database.by_socket()), opened(&database.by_socket()));
    let under_way = commits.transaction().unwrap();
    let lock = "LOCK TABLE owner IN ROW EXCLUSIVE MODE";
    commits.script(lock.to_owned()).unwrap();
    let joins = thread::spawn({
        let address = address(&database);
        move || Directory::open(&address, TTL, false).map(drop)
    });
    let end = Instant::now() + Duration::from_secs(2);
    let mut longest = Duration::ZERO;
    while Instant::now() < end {
        let begun = Instant::now();
        renews
            .change("UPDATE owner SET until = until", &[])
            .unwrap();
        longest = longest.max(begun.elapsed());
        thread::sleep(Duration::from_millis(5));
    }
    println!("a renewal waited for {longest:?} at most");
    assert!(longest < TTL / 2, "{longest:?}");
    assert!(!joins.is_finished(), "there was nothing to add");
    drop(under_way);
    joins.join().unwrap().unwrap();
    assert_eq!(schema::strangers(&renews).unwrap(), Vec::<String>::new());
}

#[test]
fn nodes_that_start_together_make_the_tables_once() {
    let Some(server) = shared() else {
        return;
    };
    let database = server.database();
    let address = address(&database);
    std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Directory::open(&address, TTL, false).map(drop)))
            .collect();
        for start in starts {
            start.join().unwrap().unwrap();
        }
    });
    database.say(BEFORE);
    std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Directory::open(&address, TTL, false).map(drop)))
            .collect();
        for start in starts {
            start.join().unwrap().unwrap();
        }
    });
}
