//! A platform with an agent that digs, in a folder of its own, stopped and started at will.
//!
//! Two of them make an external agent: the second hosts what the first has registered with its
//! address and host key. Read next: `outside.rs`, `partition.rs`.

use domain::agent::{Agent, Input, Output, Progress};
use domain::content::Content;
use domain::profile::{Capability, Profile, Skill};
use domain::registry::Reach;
use domain::reply::Reply;
use domain::task::TaskId;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::RegisterAgent;
use server::clock::Clock;
use server::config::Settings;
use server::peers::PLATFORM;
use server::ssh::keys::StateKeys;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
pub use testkit::Site;

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
        description: "Digs where it is asked to".to_owned(),
        domain: Some("IP".to_owned()),
        capability: Capability {
            negotiate: Some("acp-task-feasibility-negotiation-v1.0".to_owned()),
            ..Capability::default()
        },
        skills: vec![digging(&[])],
        ..testkit::profile(name)
    }
}

/// The skill of who digs, with these schemas.
pub fn digging(schemas: &[&str]) -> Skill {
    Skill {
        description: "Digs".to_owned(),
        input_modes: vec!["text".to_owned()],
        output_modes: vec!["text".to_owned()],
        schemas: schemas.iter().map(|it| (*it).to_owned()).collect(),
        ..testkit::skill("dig", &["field"])
    }
}

/// Starts a platform that hosts one agent, at this address or any.
pub async fn start(folder: &Path, agent: &str, journal: &Journal, at: Option<SocketAddr>) -> Site {
    let loopback = testkit::loopback();
    let settings = Settings {
        netconf: at.or(loopback.netconf),
        ..loopback
    };
    let digger = Digger {
        journal: Arc::clone(journal),
        ..Digger::default()
    };
    let hosted = testkit::hosted(profile(agent), digger, Clock::wall_time());
    Site::start(folder, &settings, vec![hosted]).await
}

/// Asks the agent `digger`.
pub async fn ask(site: &Site, verb: Verb, task: &str, words: &str) -> Reply {
    ask_of(site, "digger", verb, task, words).await
}

pub async fn ask_of(site: &Site, agent: &str, verb: Verb, task: &str, words: &str) -> Reply {
    let content = Content::new("garden", words);
    site.ask(verb, agent, task, &content).await
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
