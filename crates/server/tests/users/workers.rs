//! The threads on which agents step: others have one while a step does not return, and their number
//! is restored once it has.

use domain::agent::{Agent, Input, Output};
use domain::registry::Health;
use domain::reply::{Reply, Verdict};
use domain::time::{SeededRng, Timestamp};
use engine::{Engine, Hosted, Limits};
use server::background;
use server::clock::Clock;
use server::workers::AgentWorkers;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use testkit::{Willing, assignment, eventually, hosted, profile, setup, within};

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

fn hosting(agents: Vec<Hosted>) -> Engine {
    Engine::open(setup(agents)).unwrap()
}

/// The number of this process's threads for agents.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "agents").count()
}

async fn begins(stepping: &Receiver<()>) {
    eventually("a step", || stepping.try_recv().is_ok()).await;
}

/// The outcome of an assignment that is not awaited.
async fn assigned(engine: &Engine, to: &str, task: &str, now: Timestamp) -> Reply {
    let text = "## target object\nlink\n## task description\ndiagnose it";
    let operation = assignment(to, task, text);
    let execution = engine.execute(&engine.principal("operator"), operation, now);
    let outcome = within("an answer", execution.outcome()).await;
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
        agents.push(hosted(profile(name), Stuck { begun, held }, clock.now()));
        stepping.push(begins);
        releases.push(release);
    }
    agents.push(hosted(profile("other"), Willing, clock.now()));
    let engine = Arc::new(hosting(agents));
    let workers = AgentWorkers::start(&engine, &clock).unwrap();
    engine.start(clock.now());
    for stepping in &stepping {
        begins(stepping).await;
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
    let stuck = hosted(profile("worker"), Stuck { begun, held }, clock.now());
    let engine = Arc::new(hosting(vec![stuck]));
    let workers = AgentWorkers::start(&engine, &clock).unwrap();
    let usual = background::cores().get();
    engine.start(clock.now());
    begins(&stepping).await;
    engine.tick(clock.now() + Limits::default().step_ms + 1);
    assert_eq!(engine.steps_given_up(), 1);
    eventually("another thread in its place", || threads() == usual + 1).await;
    drop(release);
    eventually("its end", || threads() == usual).await;
    workers.stop().await;
}
