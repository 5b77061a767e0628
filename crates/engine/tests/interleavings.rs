//! Threads in each other's way: the group commit, its hand-over to what readers see, to the feed
//! and to what is let go of, and a subscription's hand-over from the log in the store to the one
//! in memory.
//!
//! Real threads over a real store, not a model checker: the locks that matter stand on both sides
//! of SQLite, which `loom` and `shuttle` cannot step through, and they would have every lock, channel and
//! clock on the way replaced under test, where nothing shipped behaves otherwise than in a test. So this
//! shows that nothing fails in some thousands of interleavings, and not that none can. What the threads
//! check are promises, so that one entry that is missing, doubled or early is found at once; the last test
//! shows that.
//!
//! Where agents step beside the decisions, threads that ask and threads on which agents step are in each other's
//! way as well.
//!
//! What is data behind a lock, to which threads can do no more than one operation after the other, is gone
//! through in every order instead: mailboxes in `src/hosting/mailbox/orders.rs`, the turns of users in
//! `server/src/pool/orders.rs`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::Principal;
use domain::agent::{Agent, Input, Output};
use domain::content::Content;
use domain::event::{Entry, LogEvent};
use domain::reply::{Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::TaskById;
use engine::{Engine, Execution, Feed, Limits, Refusal, Setup, Stepping};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use testkit::{hosted, message, outcome, profile, setup, wait};

/// Threads that assign, tasks of each, and threads that follow.
const WRITERS: u64 = 4;
const TASKS: u64 = 1_200;
const FOLLOWERS: u64 = 4;
/// Entries that a task leaves: it begins and it is done.
const ENTRIES: u64 = 2;

/// Does everything at once.
struct Quick;

impl Agent for Quick {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => {
                let done = Content::new("site-1", "done").with_result("done");
                vec![Output::Answer(Reply::new(Verdict::Result, vec![done]))]
            }
            _ => Vec::new(),
        }
    }
}

fn engine(store: store::Options) -> Engine {
    Engine::open(Setup {
        store,
        ..setup([hosted(profile("worker"), Quick, Timestamp::from_ms(0))])
    })
    .unwrap()
}

fn assign(engine: &Engine, who: &Principal, id: &TaskId) -> Reply {
    let text = "## target object\nsite-1\n## task description\nwork";
    let negotiate = message(Verb::TaskAssign, id.as_str(), text);
    let now = Timestamp::from_ms(1_000);
    outcome(engine.execute(who, negotiate, now)).unwrap().reply
}

/// Assigns its tasks, each twice; what is answered can be seen at once, however it is read.
fn write(engine: &Engine, writer: u64) {
    let who = engine.principal("operator");
    for n in 0..TASKS {
        let id = TaskId::new(format!("t{writer}-{n}"));
        let last = engine.last_sequence();
        let reply = assign(engine, &who, &id);
        assert_eq!(reply.status, Some(Status::Finished));
        assert!(
            engine.last_sequence() >= last + ENTRIES,
            "the feed is behind {id}"
        );
        let read = TaskById(id.clone());
        let found = engine.read(&who, read, Timestamp::from_ms(1_000));
        let status = found.unwrap().map(|task| task.status);
        assert_eq!(status, Some(Status::Finished), "{id} is seen too late");
        // It has ended and may have been let go of: then the store knows it.
        assert_eq!(assign(engine, &who, &id), reply, "{id} was asked twice");
    }
}

/// What a follower has read: gap-free, from the beginning, in order.
#[derive(Default)]
struct Followed {
    cursor: u64,
    began: BTreeMap<TaskId, Status>,
}

impl Followed {
    fn take(&mut self, entries: &[Arc<Entry>]) -> Result<(), String> {
        for entry in entries {
            if entry.sequence != self.cursor + 1 {
                return Err(format!("{} follows {}", entry.sequence, self.cursor));
            }
            self.cursor = entry.sequence;
            if let LogEvent::Task(change) = &entry.happening {
                let before = self.began.insert(change.task.clone(), change.status);
                if before != change.previous {
                    return Err(format!("{} was {before:?}", change.task));
                }
            }
        }
        Ok(())
    }
}

/// Follows the log from its beginning to its end, as a subscription does: what is there, then
/// what comes.
fn follow(feed: &Feed, page: usize, all: u64) {
    let mut followed = Followed::default();
    let mut news = feed.watch();
    while followed.cursor < all {
        let entries = feed.after(followed.cursor, page).unwrap();
        if entries.is_empty() {
            // Whoever looked first and waits then is woken by what came between.
            wait(news.wait_for(|last| *last > followed.cursor)).unwrap();
        }
        followed.take(&entries).unwrap();
        assert!(
            followed.cursor <= feed.last(),
            "the feed is ahead of itself"
        );
    }
    assert_eq!(followed.began.len() as u64, WRITERS * TASKS);
}

fn everybody_at_once(options: store::Options) {
    let engine = engine(options);
    engine.start(Timestamp::from_ms(1_000));
    let begun = AtomicU64::new(0);
    let all = WRITERS * TASKS * ENTRIES;
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (engine, begun) = (&engine, &begun);
            scope.spawn(move || {
                begun.fetch_add(1, Ordering::Relaxed);
                write(engine, writer);
            });
        }
        for follower in 0..FOLLOWERS {
            let (engine, begun) = (&engine, &begun);
            scope.spawn(move || {
                // Some begin with the log, some when the memory has forgotten its beginning.
                let late = follower * all / (FOLLOWERS + 1);
                while begun.load(Ordering::Relaxed) < WRITERS || engine.last_sequence() < late {
                    thread::yield_now();
                }
                follow(engine.feed(), 1 + 97 * follower as usize, all);
            });
        }
    });
    assert_eq!(engine.counts().tasks, WRITERS * TASKS);
    assert_eq!(engine.counts().open, 0);
    assert!(engine.store().verify().unwrap().is_sound());
}

#[test]
fn what_is_answered_is_seen_by_all_over_memory() {
    everybody_at_once(store::Options::memory());
}

#[test]
fn what_is_answered_is_seen_by_all_over_a_file() {
    let directory = tempfile::tempdir().unwrap();
    everybody_at_once(testkit::on_disk(directory.path()));
}

/// Tasks of each thread where agents step beside the decisions, and the room of a mailbox.
const BESIDE: u64 = 300;
const ROOM: usize = 3;

/// Writes down what it was asked.
struct Counting {
    asked: Arc<AtomicU64>,
}

impl Agent for Counting {
    fn step(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        if matches!(input, Input::Asked(_)) {
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
        Quick.step(input, now, rng)
    }
}

/// Counts whoever is through, also with a panic: nobody waits for ever for who is not.
struct Through<'a>(&'a AtomicU64);

impl Drop for Through<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Agents are asked by some threads and step on others: each is asked once for each task, has no more before it
/// than it has room for, and its answer is what whoever asked is told.
#[test]
fn agents_that_step_beside_the_decisions_are_asked_once_each_and_within_their_room() {
    const AGENTS: [&str; 2] = ["one", "two"];
    let now = Timestamp::from_ms(1_000);
    let counts = AGENTS.map(|_| Arc::new(AtomicU64::new(0)));
    let agents = AGENTS.iter().zip(&counts).map(|(name, asked)| {
        let asked = Arc::clone(asked);
        hosted(profile(name), Counting { asked }, now)
    });
    let limits = Limits {
        mailbox: ROOM,
        ..Limits::default()
    };
    let setup = Setup {
        limits,
        ..setup(agents)
    };
    let engine = Engine::open(setup).unwrap();
    engine.set_stepping(Stepping::Beside, now);
    engine.start(now);
    let (accepted, done) = (AGENTS.map(|_| AtomicU64::new(0)), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            let (engine, done) = (&engine, &done);
            scope.spawn(move || {
                while done.load(Ordering::Relaxed) < WRITERS {
                    let mut turn = engine.next_turn(2, now);
                    while let Some(next) = turn {
                        let (stepped, rest) = next.step(|| true);
                        assert!(engine.finish(stepped, now));
                        turn = rest;
                    }
                    thread::yield_now();
                }
            });
        }
        for writer in 0..WRITERS {
            let (engine, counts, accepted, done) = (&engine, &counts, &accepted, &done);
            scope.spawn(move || {
                let _through = Through(done);
                let who = engine.principal("operator");
                for n in 0..BESIDE {
                    let agent = (n % 2) as usize;
                    let id = format!("b{writer}-{n}");
                    let text = "## target object\nsite-1\n## task description\nwork";
                    let assigned = loop {
                        let assign = testkit::assignment(AGENTS[agent], &id, text);
                        match engine.execute(&who, assign, now) {
                            Execution::Done(Err(Refusal::OverLimit(_))) => thread::yield_now(),
                            other => break other,
                        }
                    };
                    // What was begun since makes this less, never more.
                    let taken = accepted[agent].fetch_add(1, Ordering::SeqCst) + 1;
                    let ahead = taken.saturating_sub(counts[agent].load(Ordering::SeqCst));
                    assert!(ahead <= ROOM as u64 + 1, "{ahead} wait or are begun");
                    let reply = outcome(assigned).unwrap().reply;
                    assert_eq!(reply.status, Some(Status::Finished), "{id}");
                }
            });
        }
    });
    let asked = counts.map(|asked| asked.load(Ordering::Relaxed));
    assert_eq!(asked, [WRITERS * BESIDE / 2; 2]);
    assert_eq!(engine.counts().open, 0);
    assert_eq!(engine.store().documents("question").unwrap(), []);
}

/// What the threads check finds one entry that is missing, doubled or out of order.
#[test]
fn a_follower_notices_one_wrong_entry() {
    let engine = engine(store::Options::memory());
    engine.start(Timestamp::from_ms(1_000));
    let who = engine.principal("operator");
    for n in 0..3 {
        assign(&engine, &who, &TaskId::new(format!("t{n}")));
    }
    let entries = engine.feed().after(0, 100).unwrap();
    let take = |entries: &[Arc<Entry>]| Followed::default().take(entries);
    assert_eq!(take(&entries), Ok(()));
    for place in 0..entries.len() {
        let mut missing = entries.clone();
        missing.remove(place);
        let mut doubled = entries.clone();
        doubled.insert(place, Arc::clone(&entries[place]));
        let mut swapped = entries.clone();
        swapped.swap(place, (place + 1) % entries.len());
        let last = place + 1 == entries.len();
        assert!(last || take(&missing).is_err());
        assert!(take(&doubled).is_err() && take(&swapped).is_err());
    }
}
