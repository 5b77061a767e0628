//! A platform whose agents and clients are behind an unreliable network: late, slow, silent, cut,
//! half-closed, and partitioned.
//!
//! Between them are proxies with faults by seed (`support/proxy.rs`). Publishers assign and cancel
//! throughout, to an agent that is a server on another platform and to one that is a client of this
//! one, and repeat requests without answer. Another user, not behind the proxies, reads and assigns
//! meanwhile. After the network is restored: everything acknowledged is there, before and after a
//! restart; the same request has the same reply; nothing was done twice, or ended in two ways; live
//! and replay agree; both logs verify.
//!
//! Seeds are printed. `CONVOKE_PARTITIONS` sets their number, `CONVOKE_PARTITION_SEED` the first.
//! Read next: `partition/clients.rs`, `support/proxy.rs`, `crash.rs`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "partition/clients.rs"]
mod clients;
mod support;

use clients::{Acknowledged, Order, Said, Way, is_alike, publish, stand_by, survey};
use domain::event::LogEvent;
use domain::task::{Status, TaskId};
use domain::verb::Verb;
use harness::rng::SeededRng;
use netconf::client::Notification;
use server::client::{Client, NegotiateReply};
use server::ssh::keys::StateKeys;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use support::proxy::{Proxy, Tally};
use support::site::{Journal, Site, folders, register, start};
use support::talk::{get_agent, subscribe, text};
use support::{block_on, within};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The agent that is a server elsewhere, the one that is a client, and the local one.
const DIGGER: &str = "digger";
const SURVEYOR: &str = "surveyor";
const HOME: &str = "oss";
/// The number of seeds by default, and of those that run in parallel.
const SEEDS: u64 = 16;
const AT_ONCE: usize = 4;
/// The number of publishers, and of the tasks of each.
const PUBLISHERS: u64 = 3;
const TASKS: u64 = 12;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

/// The notifications about tasks until the last of them has ended.
async fn told(client: &mut Client, last: &str) -> Vec<Notification> {
    let mut told = Vec::new();
    loop {
        let notification = client.notification().await.unwrap();
        let is_last = text(&notification.document, "task-id") == last
            && text(&notification.document, "status") == "finished";
        told.push(notification);
        if is_last {
            return told;
        }
    }
}

const OF_TASKS: &str = "<filter type=\"subtree\"><condition-notifications \
    xmlns=\"urn:ietf:params:xml:ns:yang:irtf-agent\"/></filter>";

/// Authorises an agent with a key of its own.
fn let_in(folder: &Path, agent: &str) {
    let keys = StateKeys::open(folder).unwrap();
    let line = keys
        .agent(agent)
        .unwrap()
        .public_key()
        .to_openssh()
        .unwrap();
    std::fs::write(keys.agents().join(format!("{agent}.pub")), line).unwrap();
}

/// The results of one seed.
struct Shown {
    faults: Tally,
    overtaken: usize,
    acknowledged: usize,
    by_stander: u64,
}

/// Prints the seed if the test panics.
struct Under(u64);

impl Drop for Under {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("this was under CONVOKE_PARTITION_SEED={}", self.0);
        }
    }
}

async fn under(seed: u64) -> Shown {
    let _told = Under(seed);
    let (folder_here, folder_there) = folders();
    let (journal, own) = (Journal::default(), Journal::default());
    let there = start(folder_there.path(), DIGGER, &journal, None).await;
    let here = start(folder_here.path(), HOME, &own, None).await;
    let_in(folder_here.path(), SURVEYOR);
    let [to_agent, to_here, to_surveyor] =
        [(&there, 1), (&here, 2), (&here, 3)].map(|(site, purpose)| {
            let rng = &mut SeededRng::of(seed, &[purpose]);
            Proxy::before(site.address(), rng.next().max(1))
        });
    let (to_agent, to_here, to_surveyor) = (to_agent.await, to_here.await, to_surveyor.await);
    register(&here, folder_there.path(), to_agent.address()).await;

    let direct = Way::of("operator", folder_here.path(), here.address());
    let mut live = direct.connect().await.unwrap();
    live.call(&subscribe(OF_TASKS)).await.unwrap();
    let reports = Arc::default();
    let way = Way::of(SURVEYOR, folder_here.path(), to_surveyor.address());
    let surveyor = tokio::spawn(survey(way, Arc::clone(&reports)));
    is_registered(&here, SURVEYOR).await;

    let order = Arc::new(Order::default());
    let (done, watched) = watch::channel(false);
    let by_stander = tokio::spawn(stand_by(direct.clone(), watched));
    let mut publishers = JoinSet::new();
    for number in 0..PUBLISHERS {
        let way = Way::of("operator", folder_here.path(), to_here.address());
        let rng = SeededRng::of(seed, &[4, number]);
        publishers.spawn(publish(number, way, rng, Arc::clone(&order)));
    }
    let acknowledged = within("publishers to be done", publishers.join_all()).await;
    let acknowledged = acknowledged.concat();
    done.send_replace(true);
    let by_stander = within("who is not concerned", by_stander).await.unwrap();
    for proxy in [&to_agent, &to_here, &to_surveyor] {
        proxy.heal();
    }
    let ends = ends(&here, &acknowledged).await;
    agree(&here, &there, &ends, &journal).await;

    let last = Said {
        verb: Verb::TaskAssign,
        agent: HOME,
        task: "last".to_owned(),
    };
    let mut client = direct.connect().await.unwrap();
    last.over(&mut client).await.unwrap().unwrap();
    let heard = within("all that is told", told(&mut live, "last")).await;
    is_replayed(&mut client, &heard).await;
    surveyor.abort();
    drop((live, client, surveyor.await));
    let mut faults = Tally::new();
    for proxy in [to_agent, to_here, to_surveyor] {
        for (fault, count) in proxy.tally() {
            *faults.entry(fault).or_default() += count;
        }
    }
    nothing_is_lost(here, folder_here.path(), &acknowledged, &ends).await;
    is_sound(&there);
    there.stop().await;
    Shown {
        faults,
        overtaken: order.overtaken(),
        acknowledged: acknowledged.len(),
        by_stander,
    }
}

async fn is_registered(site: &Site, agent: &str) {
    let registered = async {
        let is_there = || {
            let registrations = site.host.platform.engine().registrations();
            registrations.iter().any(|it| it.profile.name == agent)
        };
        while !is_there() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within("an agent to register", registered).await;
}

/// The end of every acknowledged task, once it has ended.
async fn ends(
    here: &Site,
    acknowledged: &Acknowledged,
) -> BTreeMap<String, (&'static str, Status)> {
    let mut ends = BTreeMap::new();
    for (said, reply) in acknowledged {
        let status = here.end_of(&said.task).await;
        match (said.verb, reply) {
            (Verb::TaskAssign, reply) => {
                assert!(reply.is_ok(), "{said:?}: {reply:?}");
                assert!(
                    matches!(status, Status::Finished | Status::Cancelled),
                    "{}: {status}",
                    said.task
                );
            }
            // Who was told that it is cancelled finds it so; who was refused, that it is done.
            (_, Ok(_)) => assert_eq!(status, Status::Cancelled, "{said:?}: {reply:?}"),
            (_, Err(_)) => assert_eq!(status, Status::Finished, "{said:?}: {reply:?}"),
        }
        ends.insert(said.task.clone(), (said.agent, status));
    }
    let cancelled: BTreeSet<&String> = acknowledged
        .iter()
        .filter(|(said, reply)| said.verb == Verb::TaskCancel && reply.is_ok())
        .map(|(said, _)| &said.task)
        .collect();
    for (task, (_, status)) in &ends {
        let was = cancelled.contains(task);
        assert_eq!(was, *status == Status::Cancelled, "{task}: {status}");
    }
    ends
}

/// Asserts that both platforms agree on a task, and nothing was done twice.
async fn agree(
    here: &Site,
    there: &Site,
    ends: &BTreeMap<String, (&'static str, Status)>,
    journal: &Journal,
) {
    let mut dug = journal.lock().unwrap().clone();
    let all = dug.len();
    dug.sort();
    dug.dedup();
    assert_eq!(dug.len(), all, "something was dug twice");
    for (task, (agent, status)) in ends {
        let is_dug = dug.contains(&TaskId::new(task.as_str()));
        match (*agent, status) {
            (DIGGER, Status::Finished) => {
                assert!(is_dug, "{task} was not dug");
                assert_eq!(there.task(task).await.status, Status::Finished, "{task}");
                let result = here.task(task).await.result.clone().unwrap();
                assert_eq!(result.result.as_deref(), Some("one metre deep"));
            }
            (DIGGER, _) => {}
            (_, _) => assert!(!is_dug, "{task} is another's"),
        }
    }
}

/// Asserts that a replay equals the notifications received live, in order.
async fn is_replayed(client: &mut Client, heard: &[Notification]) {
    let from = format!("{OF_TASKS}<startTime>2020-01-01T00:00:00Z</startTime>");
    client.call(&subscribe(&from)).await.unwrap();
    let replayed = within("a replay", told(client, "last")).await;
    let raw = |all: &[Notification]| all.iter().map(|n| n.raw().to_owned()).collect::<Vec<_>>();
    assert_eq!(raw(&replayed), raw(heard), "replay and live");
    let times: Vec<&str> = heard.iter().map(|n| n.event_time.as_str()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

/// Asserts that the log has no gap, at most one end for each task, folds to the state, and
/// verifies.
fn is_sound(site: &Site) {
    let store = site.host.platform.engine().store();
    let report = store.verify().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    let mut told: BTreeMap<TaskId, Status> = BTreeMap::new();
    for (place, entry) in store.entries(0, usize::MAX).unwrap().iter().enumerate() {
        assert_eq!(entry.sequence, place as u64 + 1, "a gap in the log");
        if let LogEvent::Task(change) = &entry.happening {
            let before = told.insert(change.task.clone(), change.status);
            assert_eq!(before, change.previous, "{}", change.task);
            let ended = before.filter(|status| status.is_terminal());
            assert_eq!(ended, None, "{} ended twice", change.task);
        }
    }
    let all = store::TaskFilter {
        limit: usize::MAX,
        ..store::TaskFilter::default()
    };
    let tasks = store.tasks(&all).unwrap().rows;
    let tasks: BTreeMap<TaskId, Status> = tasks.into_iter().map(|t| (t.id, t.status)).collect();
    assert_eq!(told, tasks, "the log folds to the state");
}

/// Asserts that repeated requests have the same replies, also after a restart, when everything is
/// unchanged.
async fn nothing_is_lost(
    here: Site,
    folder: &Path,
    acknowledged: &Acknowledged,
    ends: &BTreeMap<String, (&'static str, Status)>,
) {
    let before = said_again(&here, folder, acknowledged).await;
    for ((said, reply), again) in acknowledged.iter().zip(&before) {
        is_alike(said, reply, again);
    }
    is_sound(&here);
    here.stop().await;
    let here = start(folder, HOME, &Journal::default(), None).await;
    for (task, (_, status)) in ends {
        assert_eq!(here.task(task).await.status, *status, "{task}");
    }
    let after = said_again(&here, folder, acknowledged).await;
    assert_eq!(after, before, "what is settled stays so");
    is_sound(&here);
    here.stop().await;
}

/// The replies to all requests, repeated.
async fn said_again(
    here: &Site,
    folder: &Path,
    acknowledged: &Acknowledged,
) -> Vec<NegotiateReply> {
    let way = Way::of("operator", folder, here.address());
    let (mut client, mut replies) = (way.connect().await.unwrap(), Vec::new());
    for (said, _) in acknowledged {
        replies.push(said.over(&mut client).await.unwrap());
    }
    client.close().await.unwrap();
    replies
}

#[test]
fn whatever_the_network_does_nothing_acknowledged_is_lost_or_done_twice() {
    let first = setting("CONVOKE_PARTITION_SEED", 1);
    let last = first + setting("CONVOKE_PARTITIONS", SEEDS);
    block_on(async {
        let (mut faults, mut overtaken) = (Tally::new(), 0);
        let mut seeds = first..last;
        let mut running = JoinSet::new();
        loop {
            while running.len() < AT_ONCE
                && let Some(seed) = seeds.next()
            {
                running.spawn(async move { (seed, under(seed).await) });
            }
            let Some(shown) = running.join_next().await else {
                break;
            };
            // What went wrong is told already.
            let (seed, shown) = shown.expect("no seed fails");
            println!(
                "seed {seed}: {} acknowledged, {} out of order, {} beside them, {:?}",
                shown.acknowledged, shown.overtaken, shown.by_stander, shown.faults
            );
            assert!(shown.by_stander > 0, "seed {seed}: nobody else was served");
            overtaken += shown.overtaken;
            for (fault, count) in shown.faults {
                *faults.entry(fault).or_default() += count;
            }
        }
        println!(
            "seeds {first} to {}: {overtaken} out of order, {faults:?}",
            last - 1
        );
        // Else nothing of interest happened.
        assert!(overtaken > 0);
        for fault in ["Delay", "Stall", "Close", "Reset", "Hold"] {
            assert!(faults.contains_key(fault), "no {fault}: {faults:?}");
        }
    });
}

/// In order and without a clock: while one session is cut off, the other is answered as usual,
/// including tasks for the unreachable agent; then the first is answered as well.
#[test]
fn who_cannot_be_reached_keeps_nobody_waiting() {
    block_on(async {
        let (folder_here, folder_there) = folders();
        let (journal, own) = (Journal::default(), Journal::default());
        let there = start(folder_there.path(), DIGGER, &journal, None).await;
        let here = start(folder_here.path(), HOME, &own, None).await;
        let to_agent = Proxy::before(there.address(), 0).await;
        let to_here = Proxy::before(here.address(), 0).await;
        register(&here, folder_there.path(), to_agent.address()).await;
        let parted = Way::of("operator", folder_here.path(), to_here.address());
        let mut parted = parted.connect().await.unwrap();
        let direct = Way::of("operator", folder_here.path(), here.address());
        let mut direct = direct.connect().await.unwrap();
        to_here.part();
        to_agent.part();
        let mut asked = tokio::spawn(async move {
            let said = Said {
                verb: Verb::TaskAssign,
                agent: HOME,
                task: "late".to_owned(),
            };
            said.over(&mut parted).await.unwrap().unwrap()
        });
        for number in 0..50 {
            let agent = *[DIGGER, HOME].get(number % 2).unwrap();
            let said = Said {
                verb: Verb::TaskAssign,
                agent,
                task: format!("t-{number}"),
            };
            said.over(&mut direct).await.unwrap().unwrap();
            direct.call(&get_agent(HOME)).await.unwrap();
        }
        assert!(!asked.is_finished(), "nothing came through");
        to_here.join();
        to_agent.join();
        within("the first to be answered", &mut asked)
            .await
            .unwrap();
        for number in 0..50 {
            assert_eq!(here.end_of(&format!("t-{number}")).await, Status::Finished);
        }
        drop((direct, to_agent, to_here));
        here.stop().await;
        there.stop().await;
    });
}
