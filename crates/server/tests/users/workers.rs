//! The threads on which agents step: others have one while a step does not return, and their number
//! is restored once it has.

use crate::platform::within;
use domain::access::{AccessRules, Action};
use domain::agent::{Agent, Input, Output};
use domain::inventory::Inventory;
use domain::profile::{Capability, Layer, Profile};
use domain::registry::Health;
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::{
    Endpoint, Engine, Execution, Hosted, Limits, Negotiate, Retention, SchemaSetup, Setup,
};
use server::background;
use server::clock::Clock;
use server::workers::AgentWorkers;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Serialises tests that count the threads of the process, or start some.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Reports that it steps, and does not return before it is released.
struct Stuck {
    begun: Sender<()>,
    held: Receiver<()>,
}

impl Agent for Stuck {
    fn step(&mut self, _: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        let _ = self.begun.send(());
        let _ = self.held.recv();
        Vec::new()
    }
}

/// Accepts any request.
struct Willing;

impl Agent for Willing {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => vec![Output::Answer(Reply::accepted())],
            _ => Vec::new(),
        }
    }
}

fn hosted(name: &str, agent: impl Agent + 'static, now: Timestamp) -> Hosted {
    let profile = Profile {
        name: name.to_owned(),
        alias: None,
        description: "works".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    Hosted {
        profile: Arc::new(profile),
        agent: Box::new(agent),
        again: None,
        endpoint: None,
        registered_at: now,
    }
}

fn hosting(agents: Vec<Hosted>) -> Engine {
    let engine = Engine::open(Setup {
        store: engine::StoreOptions::memory(),
        access: AccessRules {
            enabled: true,
            read_default: Action::Permit,
            write_default: Action::Permit,
            exec_default: Action::Permit,
            groups: BTreeMap::new(),
            lists: Vec::new(),
        },
        agents,
        default_agent: "worker".to_owned(),
        inventory: Arc::new(Inventory::default()),
        seed: 7,
        limits: Limits::default(),
        retention: Retention::default(),
        deliverable: Box::new(|_| Ok(())),
        credentials: Box::new(|_| None),
        proxy: None,
        schemas: SchemaSetup::fixed(Vec::new()),
    });
    engine.unwrap()
}

/// The number of this process's threads for agents.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "agents").count()
}

async fn begins(stepping: &Receiver<()>) {
    while stepping.try_recv().is_err() {
        tokio::task::yield_now().await;
    }
}

/// The outcome of an assignment that is not awaited.
async fn assigned(engine: &Engine, to: &str, task: &str, now: Timestamp) -> Reply {
    let text = "## target object\nlink\n## task description\ndiagnose it";
    let operation = Negotiate {
        to: Some(to.to_owned()),
        task: Some(TaskId::new(task)),
        texts: vec![text.to_owned()],
        asynchronous: Some(true),
        ..Negotiate::new(Endpoint::Platform, Verb::TaskAssign)
    };
    let outcome = match engine.execute(&engine.principal("operator"), operation, now) {
        Execution::Done(outcome) => outcome,
        Execution::Pending(pending) => within("an answer", pending).await,
    };
    outcome.unwrap().reply
}

/// However many agents occupy a thread with a step that does not return, the others have one as
/// soon as these are abandoned.
#[tokio::test]
async fn others_are_answered_while_steps_do_not_come_back() {
    let _alone = ALONE.lock().await;
    let clock = Arc::new(Clock::wall());
    let (mut agents, mut stepping, mut releases) = (Vec::new(), Vec::new(), Vec::new());
    // As many as there are threads.
    let names: Vec<String> = (0..background::cores().get())
        .map(|n| match n {
            0 => "worker".to_owned(),
            n => format!("worker-{n}"),
        })
        .collect();
    for name in &names {
        let (begun, begins) = channel();
        let (release, held) = channel();
        agents.push(hosted(name, Stuck { begun, held }, clock.now()));
        stepping.push(begins);
        releases.push(release);
    }
    agents.push(hosted("other", Willing, clock.now()));
    let engine = Arc::new(hosting(agents));
    let workers = AgentWorkers::start(&engine, &clock).unwrap();
    engine.start(clock.now());
    for stepping in &stepping {
        within("a step", begins(stepping)).await;
    }
    engine.tick(clock.now() + Limits::default().step_ms + 1);
    assert_eq!(engine.steps_given_up(), names.len() as u64);
    let reply = assigned(&engine, "other", "t", clock.now()).await;
    assert_eq!(reply.verdict, Verdict::Accepted);
    for name in &names {
        let place = engine.place(name).unwrap();
        assert_eq!(place.health, Health::Failing);
        assert!(
            place.health_note.starts_with("unavailable"),
            "{}",
            place.health_note
        );
    }
    assert_eq!(engine.place("other").unwrap().health, Health::Ok);
    drop(releases);
    workers.stop().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_thread_that_was_given_up_ends_when_it_comes_back() {
    let _alone = ALONE.lock().await;
    let (begun, stepping) = channel();
    let (release, held) = channel();
    let clock = Arc::new(Clock::wall());
    let stuck = hosted("worker", Stuck { begun, held }, clock.now());
    let engine = Arc::new(hosting(vec![stuck]));
    let workers = AgentWorkers::start(&engine, &clock).unwrap();
    let usual = background::cores().get();
    engine.start(clock.now());
    within("the step", begins(&stepping)).await;
    engine.tick(clock.now() + Limits::default().step_ms + 1);
    assert_eq!(engine.steps_given_up(), 1);
    within("another thread in its place", async {
        while threads() != usual + 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    drop(release);
    within("its end", async {
        while threads() != usual {
            tokio::task::yield_now().await;
        }
    })
    .await;
    workers.stop().await;
}
