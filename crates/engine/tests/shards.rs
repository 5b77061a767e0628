//! Decisions beside each other: what is one tree is decided in one order, whatever its parts are called, and what
//! a publisher may have open is counted exactly.
//!
//! Which shard an identifier leads to is the engine's own affair; so many names are tried here that they lead to
//! most of them. That the same comes of one shard as of many is a law of `simulation`. Read next:
//! `engine::tasks::placement`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::Principal;
use domain::agent::{Agent, Input, Output};
use domain::profile::Profile;
use domain::registry::Reach;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, Task, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::{AllTasks, TaskById};
use engine::refusal::{Conflict, OverLimit};
use engine::{
    Engine, Limits, Negotiate, Quotas, Refusal, RegisterAgent, Setup, Stepping, UserLimits,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::Duration;
use testkit::{assignment, hosted, message, on_disk, outcome, profile, setup};

const TEXT: &str = "## target object\nsite-1\n## task description\nwork";
fn now() -> Timestamp {
    Timestamp::from_ms(1_000)
}

/// Accepts whatever it is asked, and never comes back to it.
struct Patient;

impl Agent for Patient {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => vec![Output::Answer(Reply::accepted())],
            _ => Vec::new(),
        }
    }
}

fn engine(store: store::Options, tasks_open: usize) -> Engine {
    let own = UserLimits {
        tasks_open,
        ..UserLimits::default()
    };
    let engine = Engine::open(Setup {
        store,
        limits: Limits {
            users: Quotas {
                usual: own,
                ..Quotas::default()
            },
            ..Limits::default()
        },
        ..setup([hosted(profile("worker"), Patient, now())])
    })
    .unwrap();
    engine.start(now());
    engine
}

fn in_file(folder: &Path) -> Engine {
    engine(on_disk(folder), 10_000)
}

fn operator(engine: &Engine) -> Principal {
    engine.principal("operator")
}

fn say(engine: &Engine, negotiate: Negotiate) -> Result<Reply, Refusal> {
    let said = engine.execute(&operator(engine), negotiate, now());
    outcome(said).map(|negotiated| negotiated.reply)
}

fn assign(engine: &Engine, id: &str, parent: Option<&str>) -> Result<Reply, Refusal> {
    let assignment = Negotiate {
        parent: parent.map(TaskId::new),
        ..assignment("worker", id, TEXT)
    };
    say(engine, assignment)
}

fn task(engine: &Engine, id: &str) -> Arc<Task> {
    let read = engine.read(&operator(engine), TaskById(TaskId::new(id)), now());
    read.unwrap().unwrap()
}

/// Names that lead to most shards.
fn names(what: &str) -> Vec<String> {
    (0..200).map(|n| format!("{what}-{n}")).collect()
}

#[test]
fn a_part_lives_and_ends_with_its_whole_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let parts = names("part");
    {
        let engine = in_file(folder.path());
        assign(&engine, "whole", None).unwrap();
        for part in &parts {
            let reply = assign(&engine, part, Some("whole")).unwrap();
            assert_eq!(reply.verdict, Verdict::Accepted, "{part}");
            assert_eq!(
                assign(&engine, part, Some("whole")),
                Ok(reply),
                "{part} again"
            );
        }
        // A part of a part, and a name that is another's.
        assign(&engine, "deep", Some(&parts[7])).unwrap();
        let taken = assign(&engine, &parts[8], None).unwrap_err();
        assert!(
            matches!(taken, Refusal::Conflict(Conflict::TaskExists { .. })),
            "{taken}"
        );
    }
    // After a restart they are where they were.
    let engine = in_file(folder.path());
    let taken = assign(&engine, &parts[9], None).unwrap_err();
    assert!(
        matches!(taken, Refusal::Conflict(Conflict::TaskExists { .. })),
        "{taken}"
    );
    let cancelled = say(&engine, message(Verb::TaskCancel, &parts[10], TEXT)).unwrap();
    assert_eq!(cancelled.verdict, Verdict::Accepted);
    assert_eq!(task(&engine, &parts[10]).status, Status::Cancelled);
    assert_eq!(task(&engine, "whole").status, Status::Processing);
    say(&engine, message(Verb::TaskCancel, "whole", TEXT)).unwrap();
    for part in parts.iter().map(String::as_str).chain(["deep"]) {
        assert_eq!(task(&engine, part).status, Status::Cancelled, "{part}");
    }
    // What has ended is known by its name, and nothing lives elsewhere any more.
    let again = assign(&engine, &parts[11], Some("whole")).unwrap();
    assert_eq!(
        again.status,
        Some(Status::Processing),
        "the same word has the same answer"
    );
    assert_eq!(engine.counts().open, 0);
    assert!(engine.store().verify().unwrap().is_sound());
}

/// How many tasks each shard of the store has, once so many trees, and parts of one of them that are called otherwise,
/// were assigned where so many shards decide.
fn stored_over(shards: usize, trees: usize) -> Vec<(store::Shard, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(Setup {
        store: on_disk(folder.path()),
        limits: Limits {
            shards,
            ..Limits::default()
        },
        ..setup([hosted(profile("worker"), Patient, now())])
    })
    .unwrap();
    engine.start(now());
    assign(&engine, "whole", None).unwrap();
    for part in &names("part")[..20] {
        assign(&engine, part, Some("whole")).unwrap();
    }
    for tree in 0..trees {
        assign(&engine, &format!("tree-{tree}"), None).unwrap();
    }
    assert!(engine.store().settle());
    let report = engine.store().verify().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    let shards = report.shards.iter();
    let shards = shards.filter(|it| it.counts.tasks > 0);
    let counts = shards.map(|it| {
        // What was said of a task, and what came of it, is where the task is.
        assert!(it.last > 0 && it.counts.exchanges >= it.counts.tasks);
        (it.shard, it.counts.tasks)
    });
    counts.collect()
}

#[test]
fn a_tree_is_on_one_shard_of_the_store_which_is_the_same_however_many_decide() {
    let alone = stored_over(64, 0);
    let [(_, all)] = &alone[..] else {
        panic!("{alone:?}");
    };
    assert_eq!(*all, 21);
    for shards in [1, 3] {
        assert_eq!(stored_over(shards, 0), alone);
    }
    let many = stored_over(64, 100);
    assert!(many.len() > 32, "{many:?}");
    assert_eq!(stored_over(1, 100), many);
}

/// What was agreed on at the home of a name binds the part of that name, which lives elsewhere.
#[test]
fn what_was_agreed_on_binds_a_part_that_lives_with_its_whole() {
    let engine = engine(store::Options::memory(), 10_000);
    assign(&engine, "whole", None).unwrap();
    for name in names("agreed") {
        let asked = Negotiate {
            to: Some("worker".to_owned()),
            ..message(Verb::FeasibilityNegotiate, &name, TEXT)
        };
        let agreed = say(&engine, asked).unwrap();
        assert_eq!(agreed.verdict, Verdict::Accepted, "{name}");
        let other = Negotiate {
            parent: Some(TaskId::new("whole")),
            ..assignment(
                "worker",
                &name,
                "## target object\nsite-2\n## task description\nwork",
            )
        };
        let departs = say(&engine, other).unwrap_err();
        let departs = departs.to_string();
        assert!(
            departs.contains("departs from what was agreed"),
            "{departs}"
        );
        assign(&engine, &name, Some("whole")).unwrap();
    }
}

/// Threads that give each other's tasks parts, under names that lead anywhere, and end them.
#[test]
fn whoever_decides_beside_whom_a_name_is_one_tasks() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 150;
    let folder = tempfile::tempdir().unwrap();
    let engine = in_file(folder.path());
    engine.set_stepping(Stepping::InTurn, now());
    for whole in 0..THREADS {
        assign(&engine, &format!("whole-{whole}"), None).unwrap();
    }
    let given = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (engine, given) = (&engine, &given);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    // All of them want the same names, each for the part of another whole, or for a whole.
                    let name = format!("name-{round}");
                    let whole = format!("whole-{}", (thread + round) % THREADS);
                    let parent = (thread != round % THREADS).then_some(&*whole);
                    match assign(engine, &name, parent) {
                        Ok(_) => drop(given.fetch_add(1, Relaxed)),
                        Err(Refusal::Conflict(Conflict::TaskExists { .. })) => {}
                        Err(other) => panic!("{name}: {other}"),
                    }
                    if round % 3 == thread % 3 {
                        drop(say(engine, message(Verb::TaskCancel, &name, TEXT)));
                    }
                }
            });
        }
    });
    assert_eq!(given.load(Relaxed), ROUNDS as u64, "a name is given once");
    for whole in 0..THREADS {
        say(
            &engine,
            message(Verb::TaskCancel, &format!("whole-{whole}"), TEXT),
        )
        .unwrap();
    }
    let tasks = engine.read(&operator(&engine), AllTasks, now()).unwrap();
    let is_part_and_open =
        |t: &&Arc<Task>| t.conditions.parent.is_some() && !t.status.is_terminal();
    let left: Vec<&Arc<Task>> = tasks.iter().filter(is_part_and_open).collect();
    assert!(left.is_empty(), "a part has ended with its whole: {left:?}");
    let ids: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.id).collect();
    assert_eq!(
        (tasks.len(), ids.len()),
        (ROUNDS + THREADS, ROUNDS + THREADS)
    );
    assert!(engine.store().verify().unwrap().is_sound());
}

#[test]
fn a_publisher_has_as_many_open_tasks_as_it_may_and_not_one_more() {
    const MOST: usize = 50;
    let engine = engine(store::Options::memory(), MOST);
    let given = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..4 {
            let (engine, given) = (&engine, &given);
            scope.spawn(move || {
                for name in names(&format!("t{thread}")) {
                    match assign(engine, &name, None) {
                        Ok(_) => drop(given.fetch_add(1, Relaxed)),
                        Err(Refusal::OverLimit(OverLimit::TasksOpen { .. })) => {}
                        Err(other) => panic!("{name}: {other}"),
                    }
                }
            });
        }
    });
    assert_eq!(given.load(Relaxed), MOST as u64);
    assert_eq!(engine.counts().open, MOST as u64);
}

/// Stands for an agent elsewhere: takes its time over a task until it may go on.
struct Slow(Arc<Barrier>);

impl Agent for Slow {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        if let Input::Asked(_) = input {
            // It is at work, and then it may go on.
            self.0.wait();
            self.0.wait();
            return vec![Output::Answer(Reply::accepted())];
        }
        Vec::new()
    }
}

/// What stands for agents elsewhere steps within a decision: it holds up what is about the same tree, and nothing
/// else.
#[test]
fn a_decision_that_takes_long_holds_up_its_own_shard_alone() {
    let at_work = Arc::new(Barrier::new(2));
    let slow = Arc::clone(&at_work);
    let engine = Engine::open(Setup {
        proxy: Some(Box::new(move |_| Box::new(Slow(Arc::clone(&slow))))),
        ..setup([hosted(profile("worker"), Patient, now())])
    });
    let engine = engine.unwrap();
    let tower = RegisterAgent {
        profile: Profile::clone(&profile("tower")),
        reach: Reach::Server {
            address: "out.example:830".to_owned(),
            host_key: "ssh-ed25519 AAAA".to_owned(),
        },
        lease_ms: 3_600_000,
    };
    let registered = engine.execute(&operator(&engine), tower, now());
    outcome(registered).unwrap();
    let mut names = names("t");
    names.push("long/part".to_owned());
    thread::scope(|scope| {
        let engine = &engine;
        scope.spawn(|| say(engine, assignment("tower", "long", TEXT)).unwrap());
        at_work.wait();
        let (sender, done) = mpsc::channel();
        for name in &names {
            let sender = sender.clone();
            let parent = name.contains('/').then_some("long");
            scope.spawn(move || {
                assign(engine, name, parent).unwrap();
                sender.send(name.clone()).unwrap();
            });
        }
        // Of 200 names about three lead to the shard of the long decision.
        let soon = (0..150).map(|_| done.recv_timeout(Duration::from_secs(60)).unwrap());
        let soon: BTreeSet<String> = soon.collect();
        assert!(
            !soon.contains("long/part"),
            "a part of what is being decided is decided behind it"
        );
        at_work.wait();
        let rest = done.iter().take(names.len() - soon.len()).count();
        assert_eq!(soon.len() + rest, names.len());
    });
}
