//! The laws of the engine, under random operations: what was asked twice runs once, a terminal
//! state is never left, the log has no gap and explains every state, what was answered is
//! committed, and what is reopened is what was there.
//!
//! Knows the public interface only; the store is a file. Read next: `engine::negotiate`.
#![allow(clippy::unwrap_used, missing_docs)]

use domain::access::{AccessRules, Action, Principal};
use domain::agent::{Agent, Input, Output, Progress};
use domain::content::Content;
use domain::event::Happening;
use domain::inventory::Inventory;
use domain::profile::{Capability, Layer, Profile};
use domain::reply::{Reply, Verdict};
use domain::task::{Status, Task, TaskId};
use domain::time::{Dice, Timestamp};
use domain::verb::Verb;
use engine::{
    Endpoint, Engine, Execution, Hosted, Negotiate, Operation, Outcome, Query, Records, Refusal,
    Setup,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Does what the first word of the description says, and counts how often it was assigned a task.
struct Worker {
    assigned: Arc<Mutex<BTreeMap<TaskId, u32>>>,
    due: BTreeMap<u64, TaskId>,
}

impl Agent for Worker {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut Dice) -> Vec<Output> {
        let said = || Content::new("site-1", "said").with_result("done");
        match input {
            Input::Asked(ask) if ask.verb == Verb::TaskAssign => {
                let mut assigned = self.assigned.lock().unwrap();
                let times = assigned.entry(ask.task.id.clone()).or_default();
                *times += 1;
                let token = self.due.len() as u64;
                self.due.insert(token, ask.task.id.clone());
                let (verdict, content) = match ask.content.task_description.as_str() {
                    "now" => (Verdict::Result, vec![said()]),
                    "ask" => (Verdict::InputRequired, vec![said()]),
                    "refuse" => (Verdict::Refused, vec![]),
                    _ => (Verdict::Accepted, vec![]),
                };
                let wake = Output::Wake {
                    token,
                    at: now + 1_000,
                };
                vec![Output::Answer(Reply::new(verdict, content)), wake]
            }
            Input::Asked(_) => vec![Output::Answer(Reply::accepted())],
            // May come too late: the task may have ended meanwhile.
            Input::Woken(token) => vec![Output::Report {
                task: self.due[&token].clone(),
                progress: Progress::Result(said()),
            }],
            _ => Vec::new(),
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Assign {
        id: u8,
        word: u8,
        asynchronous: bool,
        judged: bool,
    },
    Cancel(u8),
    Judge {
        id: u8,
        word: u8,
    },
    Ask {
        id: u8,
        word: u8,
        round: u32,
    },
    Pass(u16),
    Reopen,
}

const WORDS: [&str; 4] = ["now", "ask", "refuse", "later"];
const JUDGEMENTS: [&str; 3] = ["accept", "reject", "the second one"];

fn step() -> impl Strategy<Value = Step> {
    let id = 0u8..4;
    prop_oneof![
        6 => (id.clone(), 0u8..4, any::<bool>(), any::<bool>()).prop_map(
            |(id, word, asynchronous, judged)| Step::Assign { id, word, asynchronous, judged }
        ),
        2 => id.clone().prop_map(Step::Cancel),
        3 => (id.clone(), 0u8..3).prop_map(|(id, word)| Step::Judge { id, word }),
        2 => (id, 0u8..2, 1u32..3).prop_map(|(id, word, round)| Step::Ask { id, word, round }),
        2 => (0u16..1_500).prop_map(Step::Pass),
        1 => Just(Step::Reopen),
    ]
}

type Pending = Pin<Box<dyn Future<Output = Result<Outcome, Refusal>> + Send>>;

/// An engine over a file, and what was learnt of it.
struct Trial<'d> {
    directory: &'d Path,
    engine: Engine,
    assigned: Arc<Mutex<BTreeMap<TaskId, u32>>>,
    now: Timestamp,
    operator: Principal,
    /// Replies by request.
    replies: BTreeMap<String, Reply>,
    waiting: Vec<(String, Pending)>,
    /// The last state seen of every task.
    states: BTreeMap<TaskId, Arc<Task>>,
}

fn open(directory: &Path, assigned: &Arc<Mutex<BTreeMap<TaskId, u32>>>, now: Timestamp) -> Engine {
    let profile = Profile {
        name: "worker".to_owned(),
        alias: None,
        description: "works".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        capability: Capability {
            streaming: false,
            push_notifications: true,
            negotiate: None,
        },
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    let engine = Engine::open(Setup {
        // Whether the disk keeps what it was given is the store's own test.
        store: store::Options {
            synchronous_full: false,
            ..store::Options::file(directory.join("convoke.db"))
        },
        access: AccessRules {
            enabled: false,
            read_default: Action::Permit,
            write_default: Action::Deny,
            exec_default: Action::Permit,
            groups: BTreeMap::from([("admin".to_owned(), ["operator".to_owned()].into())]),
            lists: Vec::new(),
        },
        agents: vec![Hosted {
            profile: Arc::new(profile),
            agent: Box::new(Worker {
                assigned: Arc::clone(assigned),
                due: BTreeMap::new(),
            }),
            endpoint: None,
            registered_at: now,
        }],
        default_agent: "worker".to_owned(),
        inventory: Arc::new(Inventory::default()),
        seed: 7,
        synchronous_limit_ms: 5_000,
    })
    .unwrap();
    engine.start(now);
    engine
}

impl<'d> Trial<'d> {
    fn new(directory: &'d Path) -> Self {
        let assigned = Arc::default();
        let now = Timestamp::from_ms(1_000_000);
        let engine = open(directory, &assigned, now);
        let operator = engine.principal("operator");
        Self {
            directory,
            engine,
            assigned,
            now,
            operator,
            replies: BTreeMap::new(),
            waiting: Vec::new(),
            states: BTreeMap::new(),
        }
    }

    fn negotiate(&mut self, verb: Verb, id: u8, description: &str, more: Negotiate) -> String {
        let texts = vec![format!(
            "## target object\nsite-1\n## task description\n{description}"
        )];
        let negotiate = Negotiate {
            verb,
            task: Some(TaskId::new(format!("t{id}"))),
            texts,
            ..more
        };
        let key = format!("{negotiate:?}");
        let execution =
            self.engine
                .execute(&self.operator, Operation::Negotiate(negotiate), self.now);
        match execution {
            Execution::Done(outcome) => self.hear(&key, outcome),
            Execution::Pending(pending) => self.waiting.push((key.clone(), pending)),
        }
        key
    }

    /// Takes what has been answered once everything queued is committed.
    fn settle(&mut self) {
        self.engine
            .store()
            .commit(store::Batch::default())
            .wait()
            .unwrap();
        let mut context = Context::from_waker(Waker::noop());
        for (key, mut pending) in std::mem::take(&mut self.waiting) {
            match pending.as_mut().poll(&mut context) {
                Poll::Ready(outcome) => self.hear(&key, outcome),
                Poll::Pending => self.waiting.push((key, pending)),
            }
        }
        self.look();
    }

    fn hear(&mut self, key: &str, outcome: Result<Outcome, Refusal>) {
        let reply = match outcome {
            Ok(Outcome::Reply(reply)) => reply,
            Ok(other) => panic!("{other:?}"),
            Err(failure @ (Refusal::StoreFailed { .. } | Refusal::NoAnswer { .. })) => {
                panic!("{key}: {failure}")
            }
            Err(refusal) => {
                let again = key.contains("verb: TaskAssign") && self.replies.contains_key(key);
                assert!(!again, "answered before, refused now: {refusal}");
                return;
            }
        };
        if let (Some(id), Some(status)) = (&reply.task, reply.status) {
            let seen = self
                .task(id)
                .expect("a task that was answered is committed");
            assert!(
                seen.status == status || seen.version > 1,
                "{id} is {} after {status}",
                seen.status
            );
        }
        // Assignments and questions of feasibility are answered once, however often they come.
        if key.contains("verb: TaskAssign") || key.contains("verb: Feasibility") {
            let first = self
                .replies
                .entry(key.to_owned())
                .or_insert_with(|| reply.clone());
            assert_eq!(*first, reply, "another reply to {key}");
        }
    }

    fn task(&self, id: &TaskId) -> Option<Arc<Task>> {
        let read = Operation::Read(Query::Task(id.clone()));
        match self.engine.execute(&self.operator, read, self.now) {
            Execution::Done(Ok(Outcome::Records(Records::Tasks(tasks)))) => tasks.first().cloned(),
            other => panic!("{other:?}"),
        }
    }

    /// A terminal state is never left, and versions only grow.
    fn look(&mut self) {
        for id in (0..4).map(|id| TaskId::new(format!("t{id}"))) {
            let Some(task) = self.task(&id) else { continue };
            if let Some(before) = self.states.get(&id) {
                assert!(task.version >= before.version, "{id} went back");
                if before.status.is_terminal() {
                    assert_eq!(**before, *task, "{id} left {}", before.status);
                }
            }
            self.states.insert(id, task);
        }
    }

    fn take(&mut self, step: &Step) {
        let usual = Negotiate {
            endpoint: Endpoint::Platform,
            from: None,
            to: None,
            verb: Verb::TaskAssign,
            task: None,
            texts: Vec::new(),
            asynchronous: None,
            expected_response: None,
            terms: Vec::new(),
            round: None,
        };
        match *step {
            Step::Assign {
                id,
                word,
                asynchronous,
                judged,
            } => {
                let more = Negotiate {
                    asynchronous: Some(asynchronous),
                    expected_response: judged.then(|| "well".to_owned()),
                    ..usual
                };
                self.negotiate(Verb::TaskAssign, id, WORDS[usize::from(word)], more);
            }
            Step::Cancel(id) => {
                self.negotiate(Verb::TaskCancel, id, "stop", usual);
            }
            Step::Judge { id, word } => {
                let word = JUDGEMENTS[usize::from(word)];
                let description = format!("judged\n## result\n{word}");
                self.negotiate(Verb::FulfillmentNegotiate, id, &description, usual);
            }
            Step::Ask { id, word, round } => {
                let more = Negotiate {
                    round: Some(round),
                    ..usual
                };
                self.negotiate(
                    Verb::FeasibilityNegotiate,
                    id,
                    WORDS[usize::from(word)],
                    more,
                );
            }
            Step::Pass(ms) => {
                self.now = self.now + i64::from(ms);
                self.engine.tick(self.now);
            }
            Step::Reopen => return self.reopen(),
        }
        self.settle();
    }

    /// What is read after a restart is what was read before.
    fn reopen(&mut self) {
        self.settle();
        let (before, last) = (self.all(), self.engine.last_sequence());
        self.waiting.clear();
        // A file has one owner: the old engine goes before the new one comes.
        let spare = self.directory.join(format!("spare-{}", unique()));
        std::fs::create_dir_all(&spare).unwrap();
        drop(std::mem::replace(
            &mut self.engine,
            open(&spare, &Arc::default(), self.now),
        ));
        self.engine = open(self.directory, &self.assigned, self.now);
        assert_eq!(self.all(), before);
        assert_eq!(self.engine.last_sequence(), last);
        assert!(self.engine.store().verify().unwrap().is_sound());
    }

    fn all(&self) -> Vec<Arc<Task>> {
        match self
            .engine
            .execute(&self.operator, Operation::Read(Query::Tasks), self.now)
        {
            Execution::Done(Ok(Outcome::Records(Records::Tasks(tasks)))) => tasks,
            other => panic!("{other:?}"),
        }
    }

    /// The log has no gap, its times never fall, and it explains every state.
    fn audit(&self) {
        let entries = self.engine.store().entries(0, usize::MAX >> 1).unwrap();
        let mut told: BTreeMap<TaskId, Status> = BTreeMap::new();
        let mut time = Timestamp::from_ms(0);
        for (place, entry) in entries.iter().enumerate() {
            assert_eq!(entry.sequence, place as u64 + 1);
            assert!(entry.time >= time);
            time = entry.time;
            if let Happening::Task(change) = &entry.happening {
                assert_eq!(
                    told.get(&change.task).copied(),
                    change.previous,
                    "{}",
                    change.task
                );
                assert!(!change.previous.is_some_and(Status::is_terminal));
                told.insert(change.task.clone(), change.status);
            }
        }
        let states = self
            .all()
            .iter()
            .map(|t| (t.id.clone(), t.status))
            .collect();
        assert_eq!(told, states);
        // The feed gives the same, from memory and from the store alike.
        let fed = self.engine.feed().after(0, usize::MAX >> 1).unwrap();
        assert_eq!(fed, entries);
        for (id, times) in self.assigned.lock().unwrap().iter() {
            assert_eq!(*times, 1, "{id} was run {times} times");
        }
    }
}

fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_hold_under_any_operations(steps in prop::collection::vec(step(), 1..40)) {
        let directory = tempfile::tempdir().unwrap();
        let mut trial = Trial::new(directory.path());
        for step in &steps {
            trial.take(step);
        }
        trial.audit();
    }
}

/// The platform stops while the caller of a synchronous task waits; the same request after the
/// restart is answered with the state reached, and then always so.
#[test]
fn a_synchronous_task_survives_a_restart_without_its_caller() {
    let directory = tempfile::tempdir().unwrap();
    let mut trial = Trial::new(directory.path());
    let later = Step::Assign {
        id: 0,
        word: 3,
        asynchronous: false,
        judged: false,
    };
    trial.take(&later);
    assert_eq!(trial.waiting.len(), 1);
    for step in [Step::Reopen, later.clone(), later] {
        trial.take(&step);
    }
    // The first of the two queues the record of its answer, which the second hears again.
    trial.settle();
    assert!(trial.waiting.is_empty());
    let statuses: Vec<_> = trial.replies.values().map(|r| r.status).collect();
    assert_eq!(statuses, [Some(Status::Processing)]);
    trial.audit();
}
