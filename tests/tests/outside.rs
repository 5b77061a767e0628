//! Agents outside the platform. Some are NETCONF servers themselves: a second platform hosts an
//! agent which the first has registered with its address and host key. Others are clients: the
//! examples.
//!
//! Platforms run in this process, on loopback, each with a folder of its own; they and the clients
//! are stopped in the middle and started again. The asserted property: no task is lost, none is
//! done twice. Read next: `server::remote`, `examples/agent_client.py`.

#![allow(clippy::unwrap_used)]

mod support;

use domain::content::Content;
use domain::reply::Verdict;
use domain::task::{Status, TaskId};
use domain::verb::Verb;
use engine::Negotiate;
use server::peers::PLATFORM;
use server::ssh::keys::StateKeys;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::block_on;
use support::site::{self, Journal, ask, ask_of, folders, register};
use testkit::eventually;

#[test]
fn an_agent_on_another_platform_is_asked_works_and_reports() {
    block_on(async {
        let (folder_here, folder_there) = folders();
        let journal = Journal::default();
        let there = site::start(folder_there.path(), "digger", &journal, None).await;
        let here = site::start(folder_here.path(), "oss", &Journal::default(), None).await;
        register(&here, folder_there.path(), there.address()).await;
        let feasible = ask(&here, Verb::FeasibilityNegotiate, "t-0", "dig").await;
        assert_eq!(feasible.verdict, Verdict::Accepted);
        let refused = ask(&here, Verb::FeasibilityNegotiate, "t-1", "dig on the moon").await;
        assert_eq!(refused.verdict, Verdict::Refused);
        assert_eq!(refused.reasons[0].reason, "too-far");
        let assigned = ask(&here, Verb::TaskAssign, "t-0", "dig").await;
        assert_eq!(
            assigned.verdict,
            Verdict::Pending,
            "the agent answers later"
        );
        assert_eq!(here.end_of("t-0").await, Status::Finished);
        let result = here.task("t-0").await.result.clone().unwrap();
        assert_eq!(result.result.as_deref(), Some("one metre deep"));
        assert_eq!(*journal.lock().unwrap(), [TaskId::new("t-0")]);
        // There, the platform is the publisher.
        assert_eq!(there.task("t-0").await.from, PLATFORM);
        here.stop().await;
        there.stop().await;
    });
}

#[test]
fn whichever_platform_is_started_again_no_task_is_lost_or_done_twice() {
    block_on(async {
        let (folder_here, folder_there) = folders();
        let (journal, nothing) = (Journal::default(), Journal::default());
        let there = site::start(folder_there.path(), "digger", &journal, None).await;
        let address = there.address();
        let here = site::start(folder_here.path(), "oss", &nothing, None).await;
        register(&here, folder_there.path(), address).await;
        for task in ["t-1", "t-2", "t-3"] {
            ask(&here, Verb::TaskAssign, task, "dig").await;
        }
        // The agent's platform is away when more is assigned, and while this one is started again.
        there.stop().await;
        for task in ["t-4", "t-5"] {
            ask(&here, Verb::TaskAssign, task, "dig").await;
        }
        here.stop().await;
        let here = site::start(folder_here.path(), "oss", &nothing, None).await;
        ask(&here, Verb::TaskAssign, "t-6", "dig").await;
        let there = site::start(folder_there.path(), "digger", &journal, Some(address)).await;
        // Once more, while the agent works.
        ask(&here, Verb::TaskAssign, "t-7", "dig").await;
        here.stop().await;
        let here = site::start(folder_here.path(), "oss", &nothing, None).await;
        let tasks = ["t-1", "t-2", "t-3", "t-4", "t-5", "t-6", "t-7"];
        for task in tasks {
            assert_eq!(here.end_of(task).await, Status::Finished, "{task}");
        }
        let mut done = journal.lock().unwrap().clone();
        done.sort();
        assert_eq!(done, tasks.map(TaskId::new));
        here.stop().await;
        there.stop().await;
    });
}

#[test]
fn a_server_with_another_host_key_is_told_nothing() {
    block_on(async {
        let (folder_here, folder_there) = folders();
        let (journal, nothing) = (Journal::default(), Journal::default());
        let there = site::start(folder_there.path(), "digger", &journal, None).await;
        let here = site::start(folder_here.path(), "oss", &nothing, None).await;
        // Registered with the key of this platform instead.
        register(&here, folder_here.path(), there.address()).await;
        let negotiate = Negotiate {
            deadline: Some(here.host.clock.now() + 1_500),
            ..testkit::assignment("digger", "t-1", &Content::new("garden", "dig").render())
        };
        let assigned = here.execute(negotiate).await;
        assert!(assigned.is_ok(), "{assigned:?}");
        assert_eq!(here.end_of("t-1").await, Status::Failed);
        assert!(journal.lock().unwrap().is_empty());
        here.stop().await;
        there.stop().await;
    });
}

/// A client program; killed when dropped.
struct Client(std::process::Child);

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The folder of the examples.
fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// Makes a key for an agent and authorises it; returns the file of the private key.
fn let_in(folder: &Path, agent: &str) -> PathBuf {
    let keys = StateKeys::open(folder).unwrap();
    let key = keys.agent(agent).unwrap();
    let line = key.public_key().to_openssh().unwrap();
    std::fs::write(keys.agents().join(format!("{agent}.pub")), line).unwrap();
    folder.join(format!("keys/{agent}_ed25519"))
}

/// Asserts the behaviour of a client agent, in any programming language: it registers, answers
/// feasibility questions, executes tasks, and resumes after an absence of itself or of its
/// platform.
async fn client_agent(agent: &str, start: impl Fn(SocketAddr, &Path, &Path) -> Command) {
    let (folder, nothing) = (tempfile::tempdir().unwrap(), Journal::default());
    let key = let_in(folder.path(), agent);
    let here = site::start(folder.path(), "oss", &nothing, None).await;
    let address = here.address();
    let known = folder.path().join("known_hosts");
    let client = || Client(start(address, &key, &known).spawn().unwrap());
    let first = client();
    let engine = here.host.platform.engine();
    let is_here = || engine.registration(agent).is_some();
    eventually(&format!("{agent} to register"), is_here).await;
    let ask = async |task: &str, words: &str| {
        let verb = Verb::FeasibilityNegotiate;
        ask_of(&here, agent, verb, task, words).await.verdict
    };
    assert_eq!(ask("s-0", "survey the site").await, Verdict::Accepted);
    assert_eq!(ask("s-9", "survey the sea").await, Verdict::Refused);
    ask_of(&here, agent, Verb::TaskAssign, "s-0", "survey the site").await;
    assert_eq!(here.end_of("s-0").await, Status::Finished);
    drop(first);
    ask_of(&here, agent, Verb::TaskAssign, "s-1", "survey").await;
    let _second = client();
    assert_eq!(here.end_of("s-1").await, Status::Finished);
    here.stop().await;
    let here = site::start(folder.path(), "oss", &nothing, Some(address)).await;
    ask_of(&here, agent, Verb::TaskAssign, "s-2", "survey").await;
    assert_eq!(here.end_of("s-2").await, Status::Finished);
    here.stop().await;
}

#[test]
fn the_example_of_a_client_agent_works_and_survives_restarts() {
    block_on(client_agent("surveyor", |address, key, _| {
        let python = examples().join("../.venv/bin/python3");
        assert!(
            python.exists(),
            "{} is not installed: run `make setup`",
            python.display()
        );
        let mut command = Command::new(python);
        command.arg(examples().join("agent_client.py"));
        command.args(["--port", &address.port().to_string()]);
        command.arg("--key").arg(key).stdout(Stdio::null());
        command
    }));
}

#[test]
fn the_example_of_a_client_agent_in_rust_works_and_survives_restarts() {
    block_on(client_agent("surveyor", |address, key, known| {
        // Cargo builds examples beside tests: target/PROFILE/examples and target/PROFILE/deps.
        let tests = std::env::current_exe().unwrap();
        let profile = tests.parent().and_then(Path::parent).unwrap();
        let program = profile.join("examples/agent_client");
        let built = "run `cargo build -p convoke-tests --examples` (`make test` does)";
        assert!(
            program.exists(),
            "{} is not built: {built}",
            program.display()
        );
        let mut command = Command::new(program);
        command.args([&address.port().to_string(), "surveyor"]);
        command.arg(key).arg(known).stdout(Stdio::null());
        command
    }));
}
