//! Agents of the outside. Some are NETCONF servers themselves: a second platform hosts an agent
//! which the first has registered with its address and host key. Others are clients: the examples.
//!
//! Platforms run in this process, on loopback, each with a folder of its own; they and the clients
//! are stopped in the middle and started again. What is asserted is the law: no task is lost, none
//! is done twice. Read next: `server::remote`, `examples/agent_client.py`.

#![allow(clippy::unwrap_used)]

use domain::access::Principal;
use domain::agent::{Agent, Input, Output, Progress};
use domain::content::Content;
use domain::inventory::Inventory;
use domain::profile::{Capability, Layer, Profile, Skill};
use domain::registry::Reach;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, Task, TaskId};
use domain::time::{Dice, Timestamp};
use domain::verb::Verb;
use engine::{Hosted, Negotiate, Operation, Outcome, Query, Records, Refusal, Register};
use harness::memory::generation;
use server::access;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Company, Endpoint, Home, Host};
use server::peers::PLATFORM;
use server::ssh::keys::StateKeys;
use server::state::StateFolder;
use server::world::World;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The longest that anything may take here.
const LONGEST: Duration = Duration::from_secs(60);
/// How long the agent works at a task, in milliseconds.
const WORK_MS: i64 = 150;

/// What an agent was asked to do, in order: survives its platform.
type Journal = Arc<Mutex<Vec<TaskId>>>;

/// Does what it is asked, after a while; remembers each assignment.
#[derive(Default)]
struct Digger {
    journal: Journal,
    open: Vec<(u64, TaskId)>,
    last: u64,
}

impl Digger {
    fn work_at(&mut self, task: TaskId, now: Timestamp) -> Output {
        self.last = (self.last + 1).max(now.as_ms() as u64);
        self.open.push((self.last, task));
        Output::Wake {
            token: self.last,
            at: now + WORK_MS,
        }
    }
}

impl Agent for Digger {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut Dice) -> Vec<Output> {
        match input {
            Input::Started(briefing) => {
                let open = briefing.open.iter().filter(|t| t.awaits.is_none());
                open.map(|task| self.work_at(task.id.clone(), now))
                    .collect()
            }
            Input::Asked(ask) => {
                let (mut outputs, words) = (Vec::new(), &ask.content.task_description);
                let reply = match ask.verb {
                    Verb::FeasibilityNegotiate if words.contains("moon") => {
                        Reply::refused("too-far", "target object", "the moon is too far")
                    }
                    Verb::TaskAssign => {
                        self.journal.lock().unwrap().push(ask.task.id.clone());
                        outputs.push(self.work_at(ask.task.id.clone(), now));
                        Reply::accepted()
                    }
                    _ => Reply::accepted(),
                };
                outputs.insert(0, Output::Answer(reply));
                outputs
            }
            Input::Woken(token) => {
                let at = self.open.iter().position(|(t, _)| *t == token);
                let task = at.map(|at| self.open.remove(at).1);
                let result = Content::new("hole", "dug").with_result("one metre deep");
                let report = |task| Output::Report {
                    task,
                    progress: Progress::Result(result),
                };
                task.map(report).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

fn profile(name: &str) -> Profile {
    Profile {
        name: name.to_owned(),
        alias: None,
        description: "Digs where it is asked to".to_owned(),
        agent_type: None,
        version: "1.0.0".to_owned(),
        provider: "Convoke".to_owned(),
        domain: Some("IP".to_owned()),
        management_object: None,
        layer: Layer::Resource,
        province: None,
        capability: Capability {
            negotiate: Some("acp-task-feasibility-negotiation-v1.0".to_owned()),
            ..Capability::default()
        },
        skills: vec![Skill {
            name: "dig".to_owned(),
            description: "Digs".to_owned(),
            tags: vec!["field".to_owned()],
            input_modes: vec!["text".to_owned()],
            output_modes: vec!["text".to_owned()],
            ..Skill::default()
        }],
        authentication: Vec::new(),
    }
}

/// A platform that lives.
struct Site {
    host: Arc<Host>,
    stop: oneshot::Sender<()>,
    life: JoinHandle<()>,
}

impl Site {
    /// Starts a platform that hosts one agent, at this address or any.
    async fn start(folder: &Path, agent: &str, journal: &Journal, at: Option<SocketAddr>) -> Self {
        let clock = Arc::new(Clock::wall());
        let settings = Settings {
            netconf: Some(at.unwrap_or(([127, 0, 0, 1], 0).into())),
            agents_from: Some(0),
            ..Settings::default()
        };
        let company = Company {
            agents: vec![Hosted {
                profile: Arc::new(profile(agent)),
                agent: Box::new(Digger {
                    journal: Arc::clone(journal),
                    ..Digger::default()
                }),
                again: None,
                endpoint: None,
                registered_at: clock.now(),
            }],
            posts: Default::default(),
            default_agent: agent.to_owned(),
            access: access::parse("access.toml", access::SHIPPED).unwrap(),
        };
        let home = Home::Folder(StateFolder::new(folder));
        let inventory = Arc::new(Inventory::default());
        let host = Host::with(home, &settings, company, generation(), inventory, clock);
        let host = Arc::new(host.await.unwrap());
        let mut world = World::new(Arc::clone(&host), None, Box::new(|_| {}));
        let (stop, stopped) = oneshot::channel::<()>();
        let life = tokio::spawn(async move {
            world.begin().await;
            world.live(async { drop(stopped.await) }).await;
        });
        Self { host, stop, life }
    }

    fn address(&self) -> SocketAddr {
        self.host.address_of(&Endpoint::Platform).unwrap()
    }

    async fn stop(self) {
        let _ = self.stop.send(());
        self.life.await.unwrap();
        let mut host = self.host;
        let host = loop {
            // Whoever looks something up at this instant lets go of it in the next.
            match Arc::try_unwrap(host) {
                Ok(host) => break host,
                Err(held) => host = held,
            }
            tokio::task::yield_now().await;
        };
        let engine = Arc::downgrade(host.platform.engine());
        host.stop().await;
        // The last sessions end by themselves; only then the store is free.
        let began = Instant::now();
        while engine.strong_count() > 0 {
            assert!(began.elapsed() < LONGEST, "a session does not end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn operator(&self) -> Principal {
        self.host.platform.engine().principal("operator")
    }

    async fn execute(&self, operation: Operation) -> Result<Outcome, Refusal> {
        let now = self.host.clock.now();
        let engine = self.host.platform.engine();
        let execution = engine.execute(&self.operator(), operation, now);
        tokio::time::timeout(LONGEST, execution.outcome())
            .await
            .unwrap()
    }

    async fn ask(&self, verb: Verb, task: &str, words: &str) -> Reply {
        self.ask_of("digger", verb, task, words).await
    }

    async fn ask_of(&self, agent: &str, verb: Verb, task: &str, words: &str) -> Reply {
        let mut negotiate = Negotiate::new(Endpoint::Platform, verb);
        negotiate.to = Some(agent.to_owned());
        negotiate.task = Some(TaskId::new(task));
        negotiate.texts = vec![Content::new("garden", words).render()];
        negotiate.asynchronous = (verb == Verb::TaskAssign).then_some(true);
        match self.execute(Operation::Negotiate(negotiate)).await {
            Ok(Outcome::Reply(reply)) => reply,
            other => panic!("{other:?}"),
        }
    }

    async fn task(&self, id: &str) -> Arc<Task> {
        match self
            .execute(Operation::Read(Query::Task(TaskId::new(id))))
            .await
        {
            Ok(Outcome::Records(Records::Tasks(tasks))) => Arc::clone(&tasks[0]),
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the task has ended; how.
    async fn end_of(&self, id: &str) -> Status {
        let began = Instant::now();
        loop {
            let status = self.task(id).await.status;
            if status.is_terminal() {
                return status;
            }
            assert!(began.elapsed() < LONGEST, "{id} is {status}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Two folders; the platform of the second lets that of the first in.
fn folders() -> (tempfile::TempDir, tempfile::TempDir) {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = StateKeys::open(here.path())
        .unwrap()
        .agent(PLATFORM)
        .unwrap();
    let keys = StateKeys::open(there.path()).unwrap();
    let line = key.public_key().to_openssh().unwrap();
    std::fs::write(keys.agents().join(format!("{PLATFORM}.pub")), line).unwrap();
    (here, there)
}

async fn register(here: &Site, there: &Path, address: SocketAddr) {
    let key = StateKeys::open(there).unwrap().host().unwrap();
    let line = key.public_key().to_openssh().unwrap();
    let words: Vec<&str> = line.split(' ').take(2).collect();
    let register = Register {
        profile: profile("digger"),
        reach: Reach::Server {
            address: address.to_string(),
            host_key: words.join(" "),
        },
        lease_ms: 3_600_000,
    };
    here.execute(Operation::Register(register)).await.unwrap();
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(test);
}

#[test]
fn an_agent_on_another_platform_is_asked_works_and_reports() {
    run(async {
        let (folder_here, folder_there) = folders();
        let journal = Journal::default();
        let there = Site::start(folder_there.path(), "digger", &journal, None).await;
        let here = Site::start(folder_here.path(), "oss", &Journal::default(), None).await;
        register(&here, folder_there.path(), there.address()).await;
        let feasible = here.ask(Verb::FeasibilityNegotiate, "t-0", "dig").await;
        assert_eq!(feasible.verdict, Verdict::Accepted);
        let refused = here
            .ask(Verb::FeasibilityNegotiate, "t-1", "dig on the moon")
            .await;
        assert_eq!(refused.verdict, Verdict::Refused);
        assert_eq!(refused.reasons[0].reason, "too-far");
        let assigned = here.ask(Verb::TaskAssign, "t-0", "dig").await;
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
    run(async {
        let (folder_here, folder_there) = folders();
        let (journal, nothing) = (Journal::default(), Journal::default());
        let there = Site::start(folder_there.path(), "digger", &journal, None).await;
        let address = there.address();
        let here = Site::start(folder_here.path(), "oss", &nothing, None).await;
        register(&here, folder_there.path(), address).await;
        for task in ["t-1", "t-2", "t-3"] {
            here.ask(Verb::TaskAssign, task, "dig").await;
        }
        // The agent's platform is away when more is assigned, and while this one is started again.
        there.stop().await;
        for task in ["t-4", "t-5"] {
            here.ask(Verb::TaskAssign, task, "dig").await;
        }
        here.stop().await;
        let here = Site::start(folder_here.path(), "oss", &nothing, None).await;
        here.ask(Verb::TaskAssign, "t-6", "dig").await;
        let there = Site::start(folder_there.path(), "digger", &journal, Some(address)).await;
        // Once more, while the agent works.
        here.ask(Verb::TaskAssign, "t-7", "dig").await;
        here.stop().await;
        let here = Site::start(folder_here.path(), "oss", &nothing, None).await;
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
    run(async {
        let (folder_here, folder_there) = folders();
        let (journal, nothing) = (Journal::default(), Journal::default());
        let there = Site::start(folder_there.path(), "digger", &journal, None).await;
        let here = Site::start(folder_here.path(), "oss", &nothing, None).await;
        // Registered with the key of this platform instead.
        register(&here, folder_here.path(), there.address()).await;
        let mut negotiate = Negotiate::new(Endpoint::Platform, Verb::TaskAssign);
        negotiate.to = Some("digger".to_owned());
        negotiate.task = Some(TaskId::new("t-1"));
        negotiate.texts = vec![Content::new("garden", "dig").render()];
        negotiate.asynchronous = Some(true);
        negotiate.deadline = Some(here.host.clock.now() + 1_500);
        let assigned = here.execute(Operation::Negotiate(negotiate)).await;
        assert!(matches!(assigned, Ok(Outcome::Reply(_))), "{assigned:?}");
        assert_eq!(here.end_of("t-1").await, Status::Failed);
        assert!(journal.lock().unwrap().is_empty());
        here.stop().await;
        there.stop().await;
    });
}

/// A program of the outside; killed when dropped.
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

/// Makes a key for an agent and lets it in; the file of the private key.
fn let_in(folder: &Path, agent: &str) -> PathBuf {
    let keys = StateKeys::open(folder).unwrap();
    let key = keys.agent(agent).unwrap();
    let line = key.public_key().to_openssh().unwrap();
    std::fs::write(keys.agents().join(format!("{agent}.pub")), line).unwrap();
    folder.join(format!("keys/{agent}_ed25519"))
}

/// What is asked of a client agent, whatever it is written in: it registers, answers whether a task
/// can be done, works, and goes on after it, or its platform, was away.
async fn client_agent(agent: &str, start: impl Fn(SocketAddr, &Path, &Path) -> Command) {
    let (folder, nothing) = (tempfile::tempdir().unwrap(), Journal::default());
    let key = let_in(folder.path(), agent);
    let here = Site::start(folder.path(), "oss", &nothing, None).await;
    let address = here.address();
    let known = folder.path().join("known_hosts");
    let client = || Client(start(address, &key, &known).spawn().unwrap());
    let first = client();
    let began = Instant::now();
    let is_here = |site: &Site| {
        let engine = site.host.platform.engine();
        engine
            .registrations()
            .iter()
            .any(|r| r.profile.name == agent)
    };
    while !is_here(&here) {
        assert!(began.elapsed() < LONGEST, "{agent} does not register");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let ask = async |task: &str, words: &str| {
        let verb = Verb::FeasibilityNegotiate;
        here.ask_of(agent, verb, task, words).await.verdict
    };
    assert_eq!(ask("s-0", "survey the site").await, Verdict::Accepted);
    assert_eq!(ask("s-9", "survey the sea").await, Verdict::Refused);
    here.ask_of(agent, Verb::TaskAssign, "s-0", "survey the site")
        .await;
    assert_eq!(here.end_of("s-0").await, Status::Finished);
    drop(first);
    here.ask_of(agent, Verb::TaskAssign, "s-1", "survey").await;
    let _second = client();
    assert_eq!(here.end_of("s-1").await, Status::Finished);
    here.stop().await;
    let here = Site::start(folder.path(), "oss", &nothing, Some(address)).await;
    here.ask_of(agent, Verb::TaskAssign, "s-2", "survey").await;
    assert_eq!(here.end_of("s-2").await, Status::Finished);
    here.stop().await;
}

#[test]
fn the_example_of_a_client_agent_works_and_survives_restarts() {
    run(client_agent("surveyor", |address, key, _| {
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
    run(client_agent("surveyor", |address, key, known| {
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
