//! A platform in this process, with an agent that digs: on loopback, in a folder of its own,
//! stopped and started at will.
//!
//! Two of them make an external agent: the second hosts what the first has registered with its
//! address and host key. Read next: `outside.rs`, `partition.rs`.

use domain::access::Principal;
use domain::agent::{Agent, Input, Output, Progress};
use domain::content::Content;
use domain::inventory::Inventory;
use domain::profile::{Capability, Layer, Profile, Skill};
use domain::registry::Reach;
use domain::reply::Reply;
use domain::task::{Status, Task, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::query::TaskById;
use engine::{Hosted, Negotiate, Operation, Refusal, RegisterAgent};
use harness::memory::generation;
use server::access;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Company, Endpoint, Home, Host};
use server::peers::PLATFORM;
use server::runtime::Runtime;
use server::ssh::keys::StateKeys;
use server::state::StateFolder;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The time limit of any wait.
pub const LONGEST: Duration = Duration::from_secs(60);
/// The time that the agent takes for a task, in milliseconds.
const WORK_MS: i64 = 150;

/// The tasks of an agent, in order; survives its platform.
pub type Journal = Arc<Mutex<Vec<TaskId>>>;

/// An agent that completes each task after a while; records each assignment.
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
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
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

/// A running platform.
pub struct Site {
    pub host: Arc<Host>,
    stop: oneshot::Sender<()>,
    life: JoinHandle<()>,
}

impl Site {
    /// Starts a platform that hosts one agent, at this address or any.
    pub async fn start(
        folder: &Path,
        agent: &str,
        journal: &Journal,
        at: Option<SocketAddr>,
    ) -> Self {
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
        let mut world = Runtime::new(Arc::clone(&host), (), Box::new(|_| {}));
        let (stop, stopped) = oneshot::channel::<()>();
        let life = tokio::spawn(async move {
            world.begin().await;
            world.live(async { drop(stopped.await) }).await;
        });
        Self { host, stop, life }
    }

    pub fn address(&self) -> SocketAddr {
        self.host.address_of(&Endpoint::Platform).unwrap()
    }

    pub async fn stop(self) {
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

    pub fn operator(&self) -> Principal {
        self.host.platform.engine().principal("operator")
    }

    pub async fn execute<O: Operation>(&self, operation: O) -> Result<O::Output, Refusal> {
        let now = self.host.clock.now();
        let engine = self.host.platform.engine();
        let execution = engine.execute(&self.operator(), operation, now);
        tokio::time::timeout(LONGEST, execution.outcome())
            .await
            .unwrap()
    }

    pub async fn ask(&self, verb: Verb, task: &str, words: &str) -> Reply {
        self.ask_of("digger", verb, task, words).await
    }

    pub async fn ask_of(&self, agent: &str, verb: Verb, task: &str, words: &str) -> Reply {
        let mut negotiate = Negotiate::new(Endpoint::Platform, verb);
        negotiate.to = Some(agent.to_owned());
        negotiate.task = Some(TaskId::new(task));
        negotiate.texts = vec![Content::new("garden", words).render()];
        negotiate.asynchronous = (verb == Verb::TaskAssign).then_some(true);
        self.execute(negotiate).await.unwrap().reply
    }

    pub async fn task(&self, id: &str) -> Arc<Task> {
        self.execute(TaskById(TaskId::new(id)))
            .await
            .unwrap()
            .unwrap()
    }

    /// Waits until the task has ended; returns its state.
    pub async fn end_of(&self, id: &str) -> Status {
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

/// Two folders; the platform of the second authorises that of the first.
pub fn folders() -> (tempfile::TempDir, tempfile::TempDir) {
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

pub async fn register(here: &Site, there: &Path, address: SocketAddr) {
    let key = StateKeys::open(there).unwrap().host().unwrap();
    let line = key.public_key().to_openssh().unwrap();
    let words: Vec<&str> = line.split(' ').take(2).collect();
    let register = RegisterAgent {
        profile: profile("digger"),
        reach: Reach::Server {
            address: address.to_string(),
            host_key: words.join(" "),
        },
        lease_ms: 3_600_000,
    };
    here.execute(register).await.unwrap();
}
