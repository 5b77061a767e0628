//! Tasks from before a start: their publishers are notified without sending a message.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::access;
use crate::clock::Clock;
use crate::config::Settings;
use crate::host::{Company, Home};
use crate::runtime::Runtime;
use crate::schemas::{generation, shipped_modules};
use domain::agent::{Agent, Input, Output, Progress};
use domain::inventory::Inventory;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, TaskId};
use domain::time::SeededRng;
use domain::verb::Verb;
use engine::{Hosted, Negotiate};

/// The time limit for anything awaited.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

type Step = Box<dyn FnMut(Input, Timestamp) -> Vec<Output> + Send>;

struct Scripted(Step);

impl Agent for Scripted {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        (self.0)(input, now)
    }
}

fn hosted(name: &str, now: Timestamp, step: Step) -> Hosted {
    Hosted {
        profile: Arc::new(testkit::profile(name)),
        agent: Box::new(Scripted(step)),
        again: None,
        endpoint: None,
        registered_at: now,
    }
}

/// Accepts everything, and finishes once the platform has started.
fn slow() -> Step {
    Box::new(|input, now| match input {
        Input::Started(_) => vec![Output::Wake { token: 1, at: now }],
        Input::Asked(_) => vec![Output::Answer(Reply::new(Verdict::Accepted, Vec::new()))],
        Input::Woken(_) => vec![Output::Report {
            task: TaskId::new("part"),
            progress: Progress::Result(Content::new("link", "done").with_result("done")),
        }],
        _ => Vec::new(),
    })
}

/// Reports the task notifications that it receives, and does nothing else.
fn listening(told: mpsc::UnboundedSender<(TaskId, Status)>) -> Step {
    Box::new(move |input, _| {
        if let Input::Notified(news) = input {
            let _ = told.send((news.task.clone(), news.status));
        }
        Vec::new()
    })
}

#[tokio::test]
async fn who_published_a_task_before_a_start_hears_of_its_end_without_a_word() {
    let (telling, mut told) = mpsc::unbounded_channel();
    let clock = Arc::new(Clock::wall());
    let company = Company {
        agents: vec![
            hosted("boss", clock.now(), listening(telling)),
            hosted("slow", clock.now(), slow()),
        ],
        posts: BTreeMap::new(),
        default_agent: "slow".to_owned(),
        access: access::parse("access.toml", access::SHIPPED).unwrap(),
    };
    let (settings, modules) = (Settings::default(), generation(&shipped_modules()).unwrap());
    let (inventory, now) = (Arc::new(Inventory::default()), clock.now());
    let host = Host::with(Home::Memory, &settings, company, modules, inventory, clock);
    let host = Arc::new(host.await.unwrap());
    // As if of a life before: it is open when the agents are briefed.
    let assignment = Negotiate {
        to: Some("slow".to_owned()),
        task: Some(TaskId::new("part")),
        texts: vec![Content::new("link", "diagnose it").render()],
        asynchronous: Some(true),
        ..Negotiate::new(Endpoint::Platform, Verb::TaskAssign)
    };
    let engine = host.platform.engine();
    let boss = engine.principal("boss");
    drop(engine.execute(&boss, assignment, now));
    engine.flushed().await;
    let mut runtime = Runtime::new(host, (), Box::new(|_| {}));
    runtime.begin().await;
    let ended =
        async { while told.recv().await.unwrap() != (TaskId::new("part"), Status::Finished) {} };
    let heard = tokio::time::timeout(PATIENCE, runtime.live(ended)).await;
    assert!(heard.is_ok(), "nobody tells it");
    runtime.end().await;
}
