//! Element management systems of a running network, used by foreign clients: ncclient, and an agent
//! in Python that diagnoses faults.
//!
//! A platform runs in this process on loopback, with its agents and a simulated network at a minute
//! per second. The protocol's details are in `tests/conformance/ems-*`. Read next: `arena`,
//! `examples/domain_agent.py`.

#![allow(clippy::unwrap_used)]

mod support;

use arena::stage;
use domain::cause::Cause;
use domain::content::{Content, Payload};
use domain::ems::Ems;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::task::{Status, Task, TaskId};
use domain::time::Timestamp;
use engine::query::TaskById;
use engine::{InjectFault, Operation};
use serde_json::{Value, json};
use server::clock::Clock;
use server::config::Settings;
use server::host::{Endpoint, Home, Host};
use server::runtime::Pace;
use server::ssh::keys::StateKeys;
use server::state::StateFolder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use support::talk::Talk;
use support::{polska, world};
use tokio::task::JoinHandle;

/// The time limit of any wait.
const LONGEST: Duration = Duration::from_secs(120);
/// A minute of simulated time per second.
const PACE: Pace = Pace::Followed {
    speed: 60.0,
    longest: 0.3,
};
const AGENT: &str = "ip-from-outside";

/// A platform whose network runs until the end of the test.
struct Living {
    folder: tempfile::TempDir,
    host: Arc<Host>,
    inventory: Arc<Inventory>,
    over: Arc<AtomicBool>,
    life: JoinHandle<()>,
}

impl Living {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let settings = polska();
        let network = stage::served(&settings, now).unwrap().unwrap();
        let inventory = network.inventory();
        let home = Home::Folder(StateFolder::new(folder.path()));
        let mut world = world(home, &settings, network).await;
        let host = Arc::clone(world.host());
        let over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&over);
        let life = tokio::spawn(async move {
            world.begin().await;
            let horizon = now.plus_s(7.0 * 86_400.0);
            world.run(PACE, horizon, |_| stop.load(Relaxed)).await;
        });
        Self {
            folder,
            host,
            inventory,
            over,
            life,
        }
    }

    async fn end(self) {
        self.over.store(true, Relaxed);
        self.life.await.unwrap();
    }

    fn port(&self, endpoint: &Endpoint) -> String {
        self.host.address_of(endpoint).unwrap().port().to_string()
    }

    async fn execute<O: Operation>(&self, operation: O) -> O::Output {
        let engine = self.host.platform.engine();
        let operator = engine.principal("operator");
        let execution = engine.execute(&operator, operation, self.host.clock.now());
        let outcome = tokio::time::timeout(LONGEST, execution.outcome()).await;
        outcome.unwrap().unwrap()
    }

    async fn breaks(&self, kind: &str, element: &ElementId) {
        let fault = InjectFault {
            kind: Cause::parse(kind),
            element: Some(element.clone()),
            duration_s: None,
            severity: None,
        };
        self.execute(fault).await;
    }

    async fn task(&self, id: &str) -> Arc<Task> {
        self.execute(TaskById(TaskId::new(id))).await.unwrap()
    }

    /// The result of the agent's diagnosis of an element.
    async fn diagnosis(&self, id: &str, target: &ElementId) -> Value {
        let payload = json!({ "target": target.as_str(), "suspected_cause": "fibre-cut" });
        let content = Content::new(target.as_str(), format!("Diagnose {target}"))
            .with_payload(Payload::new("fault_diagnosis_v1", payload));
        self.execute(testkit::assignment(AGENT, id, &content.render()))
            .await;
        let began = Instant::now();
        loop {
            let task = self.task(id).await;
            if task.status.is_terminal() {
                assert_eq!(task.status, Status::Finished, "{:?}", task.said);
                let result = task.result.clone().unwrap();
                return Value::Object(result.payload.unwrap().values);
            }
            assert!(began.elapsed() < LONGEST, "{id} is {}", task.status);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn is_registered(&self) -> bool {
        let registrations = self.host.platform.engine().registrations();
        registrations.iter().any(|r| r.profile.name == AGENT)
    }

    /// A link to a site, and a line card in another town with links of its own.
    fn victims(&self) -> (ElementId, ElementId) {
        let place = |id: &ElementId| &self.inventory.element(id).unwrap().place;
        let domain = |id: &ElementId| self.inventory.element(id).unwrap().domain;
        let links = self.inventory.links.iter();
        let mut access = links.filter(|(id, l)| !l.backbone && domain(id) == Domain::Ip);
        let (link, _) = access.next().unwrap();
        let cards = self.inventory.of_kind(ElementKind::LineCard);
        let carries = |id: &ElementId| self.inventory.links.values().any(|l| l.a == *id);
        let other = |id: &ElementId| place(id) != place(link) && carries(id);
        let mut cards = cards.map(|card| &card.id).filter(|id| other(id));
        (link.clone(), cards.next().unwrap().clone())
    }
}

fn python(script: PathBuf) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let python = root.join(".venv/bin/python3");
    assert!(
        python.exists(),
        "{} is not installed: run `make setup`",
        python.display()
    );
    let mut command = Command::new(python);
    command.arg(root.join(script));
    command
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(test);
}

/// Killed when dropped.
struct Client(std::process::Child);

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An agent in Python finds a fault by measuring (draft-wang-nmrg-magent-im §2.1, steps 1 to 5).
#[test]
fn an_agent_in_python_diagnoses_the_network_through_its_management_system() {
    run(async {
        let living = Living::start().await;
        let keys = StateKeys::open(living.folder.path()).unwrap();
        let line = keys.agent(AGENT).unwrap().public_key().to_openssh();
        std::fs::write(keys.agents().join(format!("{AGENT}.pub")), line.unwrap()).unwrap();
        let mut command = python("examples/domain_agent.py".into());
        command.args(["--port", &living.port(&Endpoint::Platform)]);
        command.args(["--ems-port", &living.port(&Endpoint::Ems(Ems::Ip))]);
        // A minute of the platform is a second of the agent's.
        command.args(["--lease", "86400"]);
        let key = living.folder.path().join(format!("keys/{AGENT}_ed25519"));
        command.arg("--key").arg(key).stdout(Stdio::null());
        let _client = Client(command.spawn().unwrap());
        let began = Instant::now();
        while !living.is_registered() {
            assert!(began.elapsed() < LONGEST, "{AGENT} does not register");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let (link, card) = living.victims();
        let healthy = living.diagnosis("d-0", &link).await;
        assert_eq!(healthy["confirmed"], false, "{healthy}");

        living.breaks("fibre-cut", &link).await;
        living.breaks("card-failure", &card).await;
        let found = living.diagnosis("d-1", &link).await;
        let cause = |found: &Value| (found["root_cause"].clone(), found["cause"].clone());
        assert_eq!(
            cause(&found),
            (json!(link.as_str()), json!("fibre-cut")),
            "{found}"
        );
        let found = living.diagnosis("d-2", &card).await;
        assert_eq!(
            cause(&found),
            (json!(card.as_str()), json!("card-failure")),
            "{found}"
        );
        // Of a link that is dark the card is found behind it.
        let on_card = living.inventory.links.iter().find(|(_, l)| l.a == card);
        let found = living.diagnosis("d-3", on_card.unwrap().0).await;
        assert_eq!(
            cause(&found),
            (json!(card.as_str()), json!("card-failure")),
            "{found}"
        );
        living.end().await;
    });
}

/// RFC 8632 and RFC 5277 by ncclient: an alarm is notified, is in the list, and its element is
/// measured.
#[test]
fn ncclient_hears_an_alarm_reads_it_and_probes() {
    run(async {
        let living = Living::start().await;
        let (_, card) = living.victims();
        let mut command = python("tests/interop/ncclient_ems.py".into());
        command.args([
            &living.port(&Endpoint::Platform),
            &living.port(&Endpoint::Ems(Ems::Ip)),
        ]);
        command.arg(living.folder.path().join("operator_ed25519"));
        command.arg(card.as_str());
        let finished = tokio::task::spawn_blocking(move || command.output());
        let finished = tokio::time::timeout(LONGEST, finished).await.unwrap();
        let Output { stdout, stderr, .. } = finished.unwrap().unwrap();
        let told = String::from_utf8_lossy(&stdout);
        let facts: Value = serde_json::from_str(&told)
            .unwrap_or_else(|e| panic!("{e}: {told}{}", String::from_utf8_lossy(&stderr)));
        assert_eq!(facts["injected"], card.as_str(), "{facts}");
        assert_eq!(facts["heard"]["resource"], card.as_str());
        assert_eq!(facts["heard"]["type"], "card-failure");
        assert_eq!(facts["listed"]["severity"], facts["heard"]["severity"]);
        assert_eq!(facts["listed"]["cleared"], "false");
        assert_eq!(facts["probed"]["condition"], "failed");
        assert!(
            facts["probed"]["heartbeat_age_s"].as_f64() > Some(60.0),
            "{facts}"
        );
        assert_eq!(facts["foreign"], "other-domain");
        assert!(facts["nodes"].as_u64() > Some(50), "{facts}");
        living.end().await;
    });
}

#[test]
fn a_platform_without_network_has_no_management_systems_and_says_so() {
    run(async {
        let (settings, clock) = (Settings::default(), Arc::new(Clock::wall()));
        let (roster, inventory) = (arena::shipped(), Arc::default());
        let host = Host::start(Home::Memory, &settings, roster, inventory, clock).await;
        let host = Arc::new(host.unwrap());
        let mut talk = Talk::over(host.pipe("operator", Endpoint::Platform)).await;
        let probe = "<probe xmlns=\"urn:convoke:params:xml:ns:yang:convoke-ems\">\
                     <element>router:R</element></probe>";
        let reply = talk.ask(probe).await;
        let words = support::talk::text(&reply.document, "error-message");
        assert!(words.contains("this platform runs no network"), "{words}");
        for ems in Ems::ALL {
            assert_eq!(host.address_of(&Endpoint::Ems(ems)), None);
        }
    });
}
