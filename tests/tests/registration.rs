//! An external agent, from the key file that authorises it to its removal.
//!
//! Everything goes over loopback SSH to a `convoke serve` of its own: the agent is a NETCONF client
//! with its own key, the operator uses commands. Read next: `outside.rs` for agents that are
//! servers themselves, `conformance/registry-*` for each reply to the letter.

#![allow(clippy::unwrap_used)]

mod support;

use domain::content::Content;
use domain::task::Status;
use domain::verb::Verb;
use netconf::client::Reply;
use netconf::error::ErrorTag;
use netconf::xml::XmlElement;
use serde_json::{Value, json};
use server::client::{CallError, Client, Identity, NegotiateReply, NegotiateRequest};
use server::clock::{Clock, TimeSource};
use server::host::{Home, Host};
use server::runtime::Runtime;
use server::ssh::{ConnectError, keys};
use server::state::StateFolder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use support::process::{FREE_PORTS, Finished, Running, run};
use support::{block_on, within};

/// The external agent, with a name of the recommended form.
const PROBE: &str = "TMF-Example-Probe-1.0.0";
/// An agent that the platform hosts.
const HOSTED: &str = "TMF-Convoke-IP-1.0.0";
/// The default duration of a lease, in milliseconds.
const LEASE_MS: i64 = 300_000;
const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";

/// The agent's own machine: a key, and the host key that it knows.
struct Probe {
    identity: Identity,
    public: String,
}

impl Probe {
    fn new(folder: &Path, state: &Path) -> Self {
        let key = keys::load_or_generate(&folder.join("probe_ed25519"), PROBE).unwrap();
        Self {
            identity: Identity {
                user: PROBE.to_owned(),
                key: folder.join("probe_ed25519"),
                known_hosts: state.join("known_hosts"),
            },
            public: key.public_key().to_openssh().unwrap(),
        }
    }

    fn is_let_in(&self, state: &Path) {
        std::fs::write(key_file(state), &self.public).unwrap();
    }

    async fn try_connect(&self, running: &Running) -> Result<Session, CallError> {
        let connecting = Client::connect(running.address(), &self.identity);
        within("a session", connecting).await.map(Session)
    }

    async fn connect(&self, running: &Running) -> Session {
        self.try_connect(running).await.unwrap()
    }

    async fn is_kept_out(&self, running: &Running) {
        let refused = self.try_connect(running).await.err();
        assert!(
            matches!(
                refused,
                Some(CallError::Connect(
                    ConnectError::AuthenticationRefused { .. }
                ))
            ),
            "{refused:?}"
        );
    }
}

/// The file that authorises the agent while it exists.
fn key_file(state: &Path) -> PathBuf {
    state.join("agents").join(format!("{PROBE}.pub"))
}

/// A session of the agent.
struct Session(Client);

impl Session {
    async fn call(&mut self, rpc: &str, inside: &str) -> Result<Reply, CallError> {
        let operation = format!("<{rpc} xmlns=\"{REGISTRY}\">{inside}</{rpc}>");
        within(rpc, self.0.call(&operation)).await
    }

    async fn register(&mut self, name: &str) -> Result<Reply, CallError> {
        let profile = format!(
            "<name>{name}</name><description>Looks at sites from afar</description>\
             <skills><skill><skill-name>survey</skill-name>\
             <skill-description>Photographs masts</skill-description>\
             <skill-tags>drone</skill-tags></skill></skills><version>1.0.0</version>\
             <provider>Example</provider><layer>resource</layer>"
        );
        self.call("register-agent", &profile).await
    }

    /// All leaves of each task in `get-tasks` that the agent sees.
    async fn tasks(&mut self) -> Vec<Vec<(String, String)>> {
        let reply = self.call("get-tasks", "").await.unwrap();
        let leaf = |e: XmlElement<'_>| (e.name().to_owned(), e.trimmed_text().to_owned());
        let task = |e: XmlElement<'_>| e.children().map(leaf).collect();
        reply.body().map(task).collect()
    }

    async fn report(&mut self, task: &str, result: &str) -> NegotiateReply {
        let content = Content::new("site:1", "surveyed").with_result(result);
        let request = NegotiateRequest {
            task: Some(task),
            content: vec![content.render()],
            ..NegotiateRequest::default()
        };
        let reporting = self.0.negotiate(Verb::TaskResultNotify, &request);
        within("the answer to a report", reporting).await.unwrap()
    }
}

/// The tags of the errors of a refusal.
#[track_caller]
fn tags(outcome: Result<Reply, CallError>) -> Vec<ErrorTag> {
    match outcome {
        Err(CallError::Refused(errors)) => errors.iter().map(|e| e.tag).collect(),
        other => panic!("{:?}", other.map(|reply| reply.raw().to_owned())),
    }
}

fn leaf<'t>(task: &'t [(String, String)], name: &str) -> Option<&'t str> {
    let found = task.iter().find(|(n, _)| n == name);
    found.map(|(_, text)| text.as_str())
}

/// Assigns a survey to the agent; returns the operator's reply.
async fn assign(running: &Running, agent: &str, task: &str) -> Value {
    let assign = [
        "task", "assign", agent, "site:1", "survey", "--id", task, "--async", "--json",
    ];
    running.client(&assign).await.well().json()[0]["reply"].clone()
}

/// The task as the operator sees it.
async fn task(running: &Running, id: &str) -> Value {
    let show = ["task", "show", id, "--json"];
    running.client(&show).await.well().json()[0]["task"].clone()
}

/// The agents with the skill, as the operator finds them.
async fn surveyors(running: &Running) -> Vec<Value> {
    let discover = ["agent", "discover", "--skill", "survey", "--json"];
    let found = running.client(&discover).await.well().json();
    found.iter().map(|f| f["name"].clone()).collect()
}

#[test]
fn an_agent_is_let_in_by_its_key_file_works_survives_a_kill_and_leaves() {
    block_on(async {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let running = Running::serve(state.path()).await;
        let probe = Probe::new(folder.path(), state.path());
        probe.is_kept_out(&running).await;
        probe.is_let_in(state.path());
        registers(&running, &probe).await;
        let told = works(&running, &probe).await;
        running.kill().await;

        let running = Running::serve(state.path()).await;
        is_remembered(&running, &probe, &told).await;
        leaves(&running, &probe).await;
        std::fs::remove_file(key_file(state.path())).unwrap();
        probe.is_kept_out(&running).await;
        assert_eq!(running.stop().await.code(), Some(0));
        let verified = run(state.path(), &["store", "verify", "--json"]).await;
        assert_eq!(verified.well().json()[0]["sound"], true);
    });
}

/// It sees nothing of others before it is registered, and cannot register another name.
async fn registers(running: &Running, probe: &Probe) {
    assign(running, HOSTED, "anothers").await;
    assert_eq!(task(running, "anothers").await["task-sendTo"], HOSTED);
    let mut session = probe.connect(running).await;
    assert!(session.tasks().await.is_empty());
    assert!(surveyors(running).await.is_empty());
    for foreign in ["TMF-Example-Probe-2.0.0", HOSTED, "operator"] {
        let refused = tags(session.register(foreign).await);
        assert_eq!(refused, [ErrorTag::AccessDenied], "{foreign}");
    }
    assert!(surveyors(running).await.is_empty());
    let registered = session.register(PROBE).await.unwrap();
    let advice = registered.body().find(|e| e.name() == "advice");
    assert!(advice.is_none(), "the name is of the recommended form");
    assert_eq!(surveyors(running).await, [PROBE]);
    assert!(session.tasks().await.is_empty());
}

/// It receives a task, reads it, and reports it finished; returns the reply to that.
async fn works(running: &Running, probe: &Probe) -> NegotiateReply {
    let answer = assign(running, PROBE, "survey-1").await;
    assert_eq!(answer["verdict"], "pending");
    let shown = task(running, "survey-1").await;
    assert_eq!(shown["task-status"], "created", "nobody has answered");
    let mut session = probe.connect(running).await;
    let tasks = session.tasks().await;
    let [task] = &tasks[..] else {
        panic!("{tasks:?}")
    };
    assert_eq!(leaf(task, "task-id"), Some("survey-1"));
    assert_eq!(leaf(task, "task-sendFrom"), Some("operator"));
    assert_eq!(leaf(task, "task-status"), Some("created"));
    let told = session.report("survey-1", "the mast stands").await;
    assert_eq!(told.as_ref().unwrap().status, Some(Status::Finished));
    told
}

/// After a kill its registration and its tasks are there, and a repeated report is not executed
/// again.
async fn is_remembered(running: &Running, probe: &Probe, told: &NegotiateReply) {
    assert_eq!(surveyors(running).await, [PROBE]);
    let mut session = probe.connect(running).await;
    session.call("renew-lease", "").await.unwrap();
    let before = session.tasks().await;
    assert_eq!(before.len(), 1, "{before:?}");
    assert_eq!(leaf(&before[0], "task-status"), Some("finished"));
    let shown = task(running, "survey-1").await;
    let context = ["task", "context", "survey-1", "--json"];
    let said = running.client(&context).await.well().stdout;
    assert!(said.contains("the mast stands"), "{said}");

    assert_eq!(&session.report("survey-1", "the mast stands").await, told);
    assert_eq!(session.tasks().await, before);
    assert_eq!(task(running, "survey-1").await, shown);
    assert_eq!(running.client(&context).await.well().stdout, said);
    let other = session.report("survey-1", "it has fallen").await;
    assert!(other.is_err(), "it has ended: {other:?}");
    assert_eq!(task(running, "survey-1").await, shown);
}

/// Its open tasks fail when it leaves.
async fn leaves(running: &Running, probe: &Probe) {
    assign(running, PROBE, "survey-2").await;
    assert_eq!(task(running, "survey-2").await["task-status"], "created");
    let mut session = probe.connect(running).await;
    session.call("deregister-agent", "").await.unwrap();
    let left = task(running, "survey-2").await;
    assert_eq!(left["task-status"], "failed");
    assert_eq!(task(running, "survey-1").await["task-status"], "finished");
    assert!(surveyors(running).await.is_empty());
    let refused = tags(session.call("renew-lease", "").await);
    assert_eq!(refused, [ErrorTag::InvalidValue]);
}

/// The machine's clocks, with the wall clock set forward by an hour.
#[derive(Debug)]
struct HourLater(Instant);

impl TimeSource for HourLater {
    fn wall_ns(&self) -> i64 {
        let since = SystemTime::now() + Duration::from_secs(3_600);
        since.duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64
    }

    fn monotonic_ns(&self) -> i64 {
        self.0.elapsed().as_nanos() as i64
    }
}

/// True while the agent is registered.
fn is_in_its_place(host: &Host) -> bool {
    let registrations = host.platform.engine().registrations();
    let mut valid = registrations.iter().filter(|r| !r.expired);
    valid.any(|r| r.profile.name == PROBE)
}

#[test]
fn while_the_platform_is_down_no_lease_ends() {
    block_on(async {
        let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let running = Running::serve(state.path()).await;
        let probe = Probe::new(folder.path(), state.path());
        probe.is_let_in(state.path());
        let mut session = probe.connect(&running).await;
        session.register(PROBE).await.unwrap();
        running.kill().await;

        let clock = Arc::new(Clock::by(HourLater(Instant::now())));
        let home = Home::Folder(StateFolder::new(state.path()));
        let (settings, roster) = (testkit::loopback(), arena::shipped());
        let inventory = Arc::default();
        let host = Host::start(home, &settings, roster, inventory, Arc::clone(&clock)).await;
        let host = Arc::new(host.unwrap());
        let mut world = Runtime::new(Arc::clone(&host), (), Box::new(|_| {}));
        let begun = clock.now();
        world.begin().await;
        let engine = host.platform.engine();
        engine.tick(begun + (LEASE_MS - 1));
        engine.flushed().await;
        assert!(is_in_its_place(&host));
        engine.tick(clock.now() + LEASE_MS);
        engine.flushed().await;
        assert!(!is_in_its_place(&host));
        drop(world);
        Arc::into_inner(host).unwrap().stop().await;
    });
}

/// A state folder with these files of principals.
fn folder_with(files: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let state = tempfile::tempdir().unwrap();
    let public = keys::generate("a key").public_key().to_openssh().unwrap();
    let paths: Vec<_> = files.iter().map(|file| state.path().join(file)).collect();
    for path in &paths {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &public).unwrap();
    }
    (state, paths)
}

async fn serve(state: &Path) -> Finished {
    let serve = ["serve", "--network", "none", "--json"];
    run(state, &[&serve[..], &FREE_PORTS].concat()).await
}

#[test]
fn a_name_of_two_principals_keeps_the_platform_from_starting() {
    block_on(async {
        let (state, paths) = folder_with(&["users/noc.pub", "agents/noc.pub", "agents/fine.pub"]);
        let checked = run(state.path(), &["config", "check"]).await.with_code(2);
        let served = serve(state.path()).await.with_code(1);
        for said in [&checked.stderr, &served.stderr] {
            for path in &paths[..2] {
                assert!(said.contains(&path.display().to_string()), "{said}");
            }
            assert!(said.contains("'noc'"), "{said}");
        }
        assert_eq!(served.stdout, "", "it was never ready");
        // One of them removed, as it says, all is well.
        std::fs::remove_file(&paths[1]).unwrap();
        run(state.path(), &["config", "check"]).await.well();
        let running = Running::serve(state.path()).await;
        assert_eq!(running.stop().await.code(), Some(0));
    });
}

#[test]
fn the_check_of_the_configuration_advises_on_names() {
    block_on(async {
        let state = tempfile::tempdir().unwrap();
        let check = ["config", "check", "--json"];
        let shipped = run(state.path(), &check).await.well().json();
        assert_eq!(shipped[0]["advice"], json!([]));

        let profiles = state.path().join("profiles");
        std::fs::create_dir(&profiles).unwrap();
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/showcase/agents/profiles");
        for file in ["oss-fault.toml", "ip-fault.toml"] {
            let text = std::fs::read_to_string(source.join(file)).unwrap();
            let text = text.replace(HOSTED, "watchman");
            std::fs::write(profiles.join(file), text).unwrap();
        }
        let settings = format!("profiles = {profiles:?}\n");
        std::fs::write(state.path().join("convoke.toml"), settings).unwrap();
        let advised = run(state.path(), &check).await.well().json();
        let advice = advised[0]["advice"].as_array().unwrap();
        let [advice] = &advice[..] else {
            panic!("{advice:?}")
        };
        let advice = advice.as_str().unwrap();
        for words in ["ip-fault.toml", "'watchman'", "recommended form"] {
            assert!(advice.contains(words), "{advice}");
        }
        let plain = run(state.path(), &["config", "check"]).await.well();
        assert!(plain.stdout.contains(advice), "{}", plain.stdout);
    });
}
