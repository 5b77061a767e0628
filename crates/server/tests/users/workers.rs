//! The threads on which agents step: there are as many as before once an agent that was given up has come
//! back.

use crate::platform::within;
use domain::access::{AccessRules, Action};
use domain::agent::{Agent, Input, Output};
use domain::inventory::Inventory;
use domain::profile::{Capability, Layer, Profile};
use domain::time::{Dice, Timestamp};
use engine::{Engine, Hosted, Limits, Retention, SchemaSetup, Setup};
use server::background;
use server::clock::Clock;
use server::workers::AgentWorkers;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Says that it steps, and does not come back before it is let.
struct Stuck {
    begun: Sender<()>,
    held: Receiver<()>,
}

impl Agent for Stuck {
    fn step(&mut self, _: Input, _: Timestamp, _: &mut Dice) -> Vec<Output> {
        let _ = self.begun.send(());
        let _ = self.held.recv();
        Vec::new()
    }
}

fn hosting(agent: Stuck, now: Timestamp) -> Engine {
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
        province: None,
        capability: Capability::default(),
        skills: Vec::new(),
        authentication: Vec::new(),
    };
    let engine = Engine::open(Setup {
        store: engine::StoreOptions::memory(),
        access: AccessRules {
            enabled: true,
            read_default: Action::Deny,
            write_default: Action::Deny,
            exec_default: Action::Deny,
            groups: BTreeMap::new(),
            lists: Vec::new(),
        },
        agents: vec![Hosted {
            profile: Arc::new(profile),
            agent: Box::new(agent),
            again: None,
            endpoint: None,
            registered_at: now,
        }],
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

/// How many threads of this process are for agents.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "agents").count()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_thread_that_was_given_up_ends_when_it_comes_back() {
    let (begun, stepping) = channel();
    let (release, held) = channel();
    let clock = Arc::new(Clock::wall());
    let engine = Arc::new(hosting(Stuck { begun, held }, clock.now()));
    let workers = AgentWorkers::start(&engine, &clock).unwrap();
    let usual = background::cores().get();
    engine.start(clock.now());
    within("the step", async {
        while stepping.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
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
