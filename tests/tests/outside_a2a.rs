//! External agents over A2A: another Convoke, the example in Python, and unusable ones.
//!
//! Platforms run in this process, on loopback, each with a folder of its own; one registers agents
//! of the other by their cards and assigns tasks to them, and either is stopped in the middle. The
//! asserted property: no task is lost, none is done twice by an agent with a persistent memory.
//! Read next: `server::outside`, `bindings::a2a::outside`, `examples/a2a_peer.py`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "outside_a2a/signed.rs"]
mod signed;
mod support;

use domain::agent::{Agent, Input, Output, Progress};
use domain::content::{Content, Payload};
use domain::profile::{Capability, Layer, Profile};
use domain::registry::Registration;
use domain::reply::{Reply, Verdict};
use domain::task::{Status, Task, TaskId};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::refusal::NotAvailable;
use engine::{IntroduceAgent, Negotiate, Refusal};
use serde_json::{Value, json};
use server::clock::Clock;
use server::config::Settings;
use server::config::a2a::Cards;
use server::config::http::Listen;
use server::state::StateFolder;
use server::token::{Grant, Tokens};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::process::{Running, python};
use support::site::digging;
use support::{block_on, within};
use testkit::{Site, hosted};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::process::Child;

/// The time that an agent takes for a task, in milliseconds.
const WORK_MS: i64 = 150;

/// The requests to an agent, in order; survives its platform.
type Journal = Arc<Mutex<Vec<String>>>;

/// An agent that executes after a while; asks first, or never ends, if the task says so.
struct Worker {
    journal: Journal,
    open: Vec<(u64, TaskId, Content)>,
    last: u64,
}

impl Worker {
    fn new(journal: &Journal) -> Self {
        Self {
            journal: Arc::clone(journal),
            open: Vec::new(),
            last: 0,
        }
    }

    fn work_at(&mut self, task: &TaskId, done: Content, now: Timestamp) -> Output {
        self.last = (self.last + 1).max(now.as_ms() as u64);
        self.open.push((self.last, task.clone(), done));
        Output::Wake {
            token: self.last,
            at: now + WORK_MS,
        }
    }

    fn begin(&mut self, task: &Task, now: Timestamp) -> Vec<Output> {
        let words = task.content.task_description.as_str();
        let report = |progress| Output::Report {
            task: task.id.clone(),
            progress,
        };
        if words.contains("for ever") {
            return Vec::new();
        }
        if words.contains("ask") {
            let asked = Content::new("hole", "How deep?");
            return vec![report(Progress::InputRequired(asked))];
        }
        let result = match &task.content.payload {
            Some(_) => Content::new("hole", "looked at").with_payload(good()),
            None => Content::new("hole", "dug").with_result("one metre deep"),
        };
        vec![self.work_at(&task.id, result, now)]
    }
}

impl Agent for Worker {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Started(briefing) => {
                let open = briefing.open.iter().filter(|t| t.awaits.is_none());
                open.flat_map(|task| self.begin(task, now)).collect()
            }
            Input::Asked(ask) => {
                let mut outputs = vec![Output::Answer(Reply::accepted())];
                let task = &ask.task;
                let said = |word: &str| self.journal.lock().unwrap().push(word.to_owned());
                match ask.verb {
                    Verb::TaskAssign => {
                        said(task.id.as_str());
                        outputs.extend(self.begin(task, now));
                    }
                    Verb::TaskCancel => said("cancelled"),
                    _ => {
                        let deep = format!("dug: {}", ask.content.task_description);
                        let result = Content::new("hole", "dug").with_result(deep);
                        outputs.push(self.work_at(&task.id, result, now));
                    }
                }
                outputs
            }
            Input::Woken(token) => {
                let at = self.open.iter().position(|(t, _, _)| *t == token);
                let done = at.map(|at| self.open.remove(at));
                let report = |(_, task, result)| Output::Report {
                    task,
                    progress: Progress::Result(result),
                };
                done.map(report).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The payload of the result of a typed task.
fn good() -> Payload {
    Payload::new("quality_check_result_v1", json!({"verdict": "good"}))
}

fn profile(name: &str) -> Profile {
    let schemas: &[&str] = if name == "typist" {
        &["quality_check_v1"]
    } else {
        &[]
    };
    Profile {
        description: "Digs where it is asked to".to_owned(),
        capability: Capability {
            streaming: name == "digger",
            ..Capability::default()
        },
        skills: vec![digging(schemas)],
        ..testkit::profile(name)
    }
}

/// The start parameters of a site.
#[derive(Default)]
struct Plan {
    /// The address of its HTTP server; any if there is none.
    http: Option<SocketAddr>,
    /// The addresses of agents that it may talk to.
    peers: Vec<String>,
    cards: Option<Cards>,
}

async fn start(folder: &Path, agents: &[&str], journal: &Journal, plan: Plan) -> Site {
    let mut settings = testkit::loopback();
    let http = plan.http.unwrap_or(([127, 0, 0, 1], 0).into());
    settings.http.listen = Some(Listen::At(http));
    settings.a2a.peers.allow_private = Some(plan.peers);
    settings.a2a.card_profile = plan.cards;
    let worker = |name: &&str| hosted(profile(name), Worker::new(journal), Clock::wall_time());
    Site::start(folder, &settings, agents.iter().map(worker).collect()).await
}

/// Registers an agent by its card.
async fn introduce(site: &Site, name: &str, url: &str) -> Result<Arc<Registration>, Refusal> {
    let introduction = IntroduceAgent {
        card_url: url.to_owned(),
        name: Some(name.to_owned()),
        alias: None,
        agent_type: None,
        domain: None,
        management_object: None,
        layer: Layer::Resource,
        province: None,
        lease_ms: 10_000,
    };
    Ok(site.execute(introduction).await?.registration)
}

async fn assign(site: &Site, agent: &str, task: &str, content: Content) {
    site.ask(Verb::TaskAssign, agent, task, &content).await;
}

async fn word(site: &Site, verb: Verb, agent: &str, task: &str, words: &str) {
    site.ask(verb, agent, task, &dig(words)).await;
}

/// The identifier of a task at its remote agent.
fn there(task: &Task) -> String {
    let said = task.said.as_ref().unwrap().section("task there").unwrap();
    let there: Value = serde_json::from_str(said).unwrap();
    there["id"].as_str().unwrap().to_owned()
}

fn dig(words: &str) -> Content {
    Content::new("garden", words)
}

fn check() -> Content {
    let values = json!({
        "ticket_id": "t-7", "from": "2026-05-04T10:00:00Z", "until": "2026-05-04T11:00:00Z",
    });
    dig("look at it").with_payload(Payload::new("quality_check_v1", values))
}

/// Two folders, two platforms; that of the first has a token of the other for these agents.
struct Pair {
    folder_here: tempfile::TempDir,
    folder_there: tempfile::TempDir,
    journal: Journal,
    here: Site,
    there: Site,
}

impl Pair {
    async fn start(cards: Option<Cards>) -> Self {
        let (folder_here, folder_there) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let journal = Journal::default();
        let agents = ["digger", "typist"];
        let plan = Plan {
            cards,
            ..Plan::default()
        };
        let there = start(folder_there.path(), &agents, &journal, plan).await;
        let tokens = StateFolder::new(folder_here.path()).peers();
        std::fs::create_dir_all(&tokens).unwrap();
        let issuer = StateFolder::new(folder_there.path());
        let issuer = Tokens::open(&issuer, Settings::default().http.token.terms()).unwrap();
        let grant = Grant {
            name: "operator".to_owned(),
            valid_s: 3_600,
            scope: Default::default(),
        };
        let issued = issuer.issue(&grant, there.host.clock.now()).unwrap();
        for agent in agents {
            std::fs::write(tokens.join(format!("{agent}.token")), &issued.token).unwrap();
        }
        let here = Self::begin(folder_here.path(), there.http()).await;
        for agent in agents {
            let url = format!("http://{}/agents/{agent}", there.http());
            introduce(&here, agent, &url).await.unwrap();
        }
        Self {
            folder_here,
            folder_there,
            journal,
            here,
            there,
        }
    }

    async fn begin(folder: &Path, peer: SocketAddr) -> Site {
        let plan = Plan {
            peers: vec![format!("http://{peer}")],
            ..Plan::default()
        };
        start(folder, &["oss"], &Journal::default(), plan).await
    }

    async fn begin_there(folder: &Path, journal: &Journal, http: SocketAddr) -> Site {
        let plan = Plan {
            http: Some(http),
            ..Plan::default()
        };
        let agents = ["digger", "typist"];
        start(folder, &agents, journal, plan).await
    }

    fn done(&self) -> usize {
        self.journal.lock().unwrap().len()
    }
}

/// An agent is registered by its card, receives its task as data of its schema, and its typed
/// result becomes a payload here.
#[test]
fn a_typed_task_goes_to_another_platform_and_comes_back() {
    block_on(async {
        let pair = Pair::start(Some(Cards::Strict)).await;
        let engine = pair.here.host.platform.engine();
        let known = engine.registration("typist").unwrap();
        assert_eq!(known.profile.description, "Digs where it is asked to");
        assert_eq!(known.profile.skills[0].schemas, ["quality_check_v1"]);
        assert_eq!(known.reach.as_str(), "a2a");
        assign(&pair.here, "typist", "t-1", check()).await;
        let done = pair.here.comes_to("t-1", Status::Finished).await;
        assert_eq!(done.result.as_ref().unwrap().payload, Some(good()));
        // There it was a payload, not words that were read.
        let there = pair.there.task(&there(&done)).await;
        assert_eq!(there.content.payload, check().payload);
        pair.here.stop().await;
        pair.there.stop().await;
    });
}

/// Its question becomes the task's question here, the answer continues the same task
/// there; a task cancelled here is cancelled there.
#[test]
fn questions_are_answered_and_tasks_are_cancelled() {
    block_on(async {
        let pair = Pair::start(None).await;
        let here = &pair.here;
        assign(here, "digger", "t-1", dig("ask before you dig")).await;
        let asked = here.comes_to("t-1", Status::InputRequired).await;
        assert_eq!(asked.said.as_ref().unwrap().task_description, "How deep?");
        word(
            here,
            Verb::FulfillmentNegotiate,
            "digger",
            "t-1",
            "two metres",
        )
        .await;
        let done = here.comes_to("t-1", Status::Finished).await;
        let result = done.result.as_ref().unwrap().result.clone().unwrap();
        assert!(result.contains("two metres"), "{result}");
        assert_eq!(pair.done(), 1);

        assign(here, "digger", "t-2", dig("dig for ever")).await;
        let begun = here.comes_to("t-2", Status::Processing).await;
        let there = there(&begun);
        word(here, Verb::TaskCancel, "digger", "t-2", "enough").await;
        here.comes_to("t-2", Status::Cancelled).await;
        pair.there.comes_to(&there, Status::Cancelled).await;
        // The task is over before its executor has heard of it.
        let is_heard = || pair.journal.lock().unwrap().last().unwrap() == "cancelled";
        testkit::eventually("the executor there hears of it", is_heard).await;
        pair.here.stop().await;
        pair.there.stop().await;
    });
}

/// A rejected result begins another task there, an accepted one none (draft-wang-nmrg-magent-im
/// §4.5).
#[test]
fn a_result_is_judged() {
    block_on(async {
        let pair = Pair::start(None).await;
        let here = &pair.here;
        assign(here, "digger", "t-1", dig("dig").expecting("a hole")).await;
        for (word, tasks_there) in [("reject", 2), ("accept", 2)] {
            here.comes_to("t-1", Status::InputRequired).await;
            let judged = dig("deeper").with_result(word);
            let verb = Verb::FulfillmentNegotiate;
            here.ask(verb, "digger", "t-1", &judged).await;
            let said = async {
                while pair.done() < tasks_there {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            within("a word there", said).await;
        }
        here.comes_to("t-1", Status::Finished).await;
        assert_eq!(pair.done(), 2);
        pair.here.stop().await;
        pair.there.stop().await;
    });
}

/// Whichever side is restarted, no task is lost and none is done twice.
#[test]
fn either_side_may_be_started_again() {
    block_on(async {
        let mut pair = Pair::start(None).await;
        let http = pair.there.http();
        for task in ["t-1", "t-2"] {
            assign(&pair.here, "digger", task, dig("dig")).await;
        }
        assign(&pair.here, "typist", "t-3", check()).await;
        pair.there.stop().await;
        // Nobody is there when more is assigned, and while this platform is started again.
        assign(&pair.here, "digger", "t-4", dig("dig")).await;
        pair.here.stop().await;
        pair.here = Pair::begin(pair.folder_here.path(), http).await;
        assign(&pair.here, "digger", "t-5", dig("dig")).await;
        pair.there = Pair::begin_there(pair.folder_there.path(), &pair.journal, http).await;
        assign(&pair.here, "digger", "t-6", dig("dig")).await;
        pair.here.stop().await;
        pair.here = Pair::begin(pair.folder_here.path(), http).await;
        for task in ["t-1", "t-2", "t-3", "t-4", "t-5", "t-6"] {
            pair.here.comes_to(task, Status::Finished).await;
        }
        assert_eq!(pair.done(), 6);
        pair.here.stop().await;
        pair.there.stop().await;
    });
}

/// A task that has timed out here is ended there.
#[test]
fn a_task_that_has_timed_out_is_ended_there() {
    block_on(async {
        let pair = Pair::start(None).await;
        let here = &pair.here;
        let negotiate = Negotiate {
            deadline: Some(here.host.clock.now() + 1_000),
            ..testkit::assignment("digger", "t-1", &dig("dig for ever").render())
        };
        here.say(negotiate).await;
        let begun = here.comes_to("t-1", Status::Processing).await;
        let there = there(&begun);
        here.comes_to("t-1", Status::Failed).await;
        pair.there.comes_to(&there, Status::Cancelled).await;
        // Whoever asks whether something could be done is told that nobody says so over A2A.
        let verb = Verb::FeasibilityNegotiate;
        let reply = here.ask(verb, "digger", "t-2", &dig("dig")).await;
        assert_eq!(reply.verdict, Verdict::Refused);
        assert_eq!(reply.reasons[0].reason, "operation-not-supported");
        pair.here.stop().await;
        pair.there.stop().await;
    });
}

/// Starts a server with the same answer for every connection.
async fn answering(answer: impl Fn(&str) -> String + Send + 'static) -> SocketAddr {
    answering_at(([127, 0, 0, 1], 0).into(), answer).await
}

/// Starts a server at an address with the same answer for every connection.
async fn answering_at(
    address: SocketAddr,
    answer: impl Fn(&str) -> String + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4_096];
            let read = stream.read(&mut request).await.unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            let _ = stream.write_all(answer(&request).as_bytes()).await;
        }
    });
    address
}

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The reason for which the card of a server with this answer is refused.
async fn refused(answer: impl Fn(&str) -> String + Send + 'static) -> String {
    let address = answering(answer).await;
    let folder = tempfile::tempdir().unwrap();
    let here = Pair::begin(folder.path(), address).await;
    let refused = introduce(&here, "x", &format!("http://{address}")).await;
    here.stop().await;
    refused.unwrap_err().to_string()
}

/// The card of an agent at the requested address.
fn a_card(request: &str) -> Value {
    let host = request.lines().find_map(|line| line.strip_prefix("host: "));
    let url = format!("http://{}/", host.unwrap());
    json!({
        "name": "x", "description": "d", "version": "1", "skills": [],
        "supportedInterfaces": [{
            "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
        }],
    })
}

/// An unusable card is refused, with the precise reason.
#[test]
fn what_cannot_be_used_is_refused() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let here = Pair::begin(folder.path(), ([127, 0, 0, 1], 1).into()).await;
        let elsewhere = introduce(&here, "x", "http://127.0.0.1:2").await;
        let why = elsewhere.unwrap_err().to_string();
        assert!(
            why.contains("http://127.0.0.1:2 is not allowed here"),
            "{why}"
        );
        let nobody = introduce(&here, "x", "http://127.0.0.1:1").await;
        assert!(
            matches!(
                nobody,
                Err(Refusal::NotAvailable(NotAvailable::Card { .. }))
            ),
            "{nobody:?}"
        );
        here.stop().await;

        let long = refused(|_| ok(&" ".repeat(300_000))).await;
        assert!(long.contains("longer than 262144 bytes"), "{long}");
        let moved =
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:22/\r\ncontent-length: 0\r\n\r\n";
        let moved = refused(move |_| moved.to_owned()).await;
        assert!(moved.contains("answers 302"), "{moved}");
        let none = refused(|_| ok("[]")).await;
        assert!(none.contains("it is no card"), "{none}");
        let foreign = refused(|request| {
            let mut card = a_card(request);
            card["supportedInterfaces"][0]["protocolBinding"] = "GRPC".into();
            ok(&card.to_string())
        });
        let foreign = foreign.await;
        assert!(foreign.contains("supportedInterfaces"), "{foreign}");
        let wanting = refused(|request| {
            let mut card = a_card(request);
            card["capabilities"] = json!({"extensions": [{"uri": "urn:x", "required": true}]});
            ok(&card.to_string())
        });
        let wanting = wanting.await;
        assert!(
            wanting.contains("the extension 'urn:x' is required"),
            "{wanting}"
        );
        let old = refused(|request| {
            let mut card = a_card(request);
            card["version"] = "today".into();
            ok(&card.to_string())
        });
        let old = old.await;
        assert!(old.contains("version: 'today' is no version"), "{old}");
        let inward = refused(|request| {
            let mut card = a_card(request);
            card["supportedInterfaces"][0]["url"] = "http://127.0.0.1:22/".into();
            ok(&card.to_string())
        });
        let inward = inward.await;
        assert!(inward.contains("127.0.0.1:22 is not allowed"), "{inward}");
    });
}

/// A signed card is accepted only if the signature is valid.
#[test]
fn a_forged_card_is_refused() {
    block_on(async {
        let pair = Pair::start(Some(Cards::Strict)).await;
        let http = &pair.there.http().to_string();
        let true_card =
            support::http::get(http, "/agents/digger/.well-known/agent-card.json", None);
        let true_card = true_card.await.json();
        assert!(
            true_card["signatures"][0]["protected"].is_string(),
            "{true_card}"
        );
        let mut forged = true_card.clone();
        forged["description"] = "Digs anywhere".into();
        let keys = support::http::get(http, "/.well-known/jwks.json", None)
            .await
            .body;
        let why = refused(move |request| match request.contains("jwks") {
            true => ok(&keys),
            false => ok(&forged.to_string()),
        });
        let why = why.await;
        assert!(why.contains("no signature of the card holds"), "{why}");
        pair.here.stop().await;
        pair.there.stop().await;
    });
}

/// An agent that does not answer becomes offline, and online again when it does; changes of its
/// card are followed.
#[test]
fn a_card_is_looked_at_again() {
    block_on(async {
        let said = Arc::new(Mutex::new(json!({})));
        let served = Arc::clone(&said);
        let address = answering(move |request| {
            let mut card = a_card(request);
            let changed = served.lock().unwrap().as_object().cloned().unwrap();
            card.as_object_mut().unwrap().extend(changed);
            ok(&card.to_string())
        });
        let address = address.await;
        let folder = tempfile::tempdir().unwrap();
        let here = Pair::begin(folder.path(), address).await;
        introduce(&here, "x", &format!("http://{address}"))
            .await
            .unwrap();
        said.lock().unwrap()["description"] = "another".into();
        let engine = here.host.platform.engine();
        let until = async |what: &dyn Fn(&Registration) -> bool| {
            let changed = async {
                while !what(&engine.place("x").unwrap()) {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            within("the card", changed).await;
        };
        until(&|it| it.profile.description == "another").await;
        said.lock().unwrap()["supportedInterfaces"] = json!([]);
        until(&|it| it.health_note.contains("supportedInterfaces")).await;
        assert!(!engine.place("x").unwrap().is_available());
        *said.lock().unwrap() = json!({});
        until(&|it| it.is_available() && it.profile.description == "d").await;
        here.stop().await;
    });
}

/// Starts the example in Python, on a free port; killed when dropped.
async fn surveyor(port: u16) -> Child {
    let mut command = python("examples/a2a_peer.py");
    command.args(["--port", &port.to_string(), "--drive", "0.3"]);
    command
        .stdout(Stdio::null())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let child = command.spawn().unwrap();
    let listening = async {
        while tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_err()
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    within("the surveyor", listening).await;
    child
}

/// An agent written with the official SDK is asked by schema, by intent and in words, and restarted
/// in the middle.
#[test]
fn the_example_in_python_takes_tasks() {
    block_on(async {
        let free = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let first = surveyor(address.port()).await;
        let folder = tempfile::tempdir().unwrap();
        let here = Pair::begin(folder.path(), address).await;
        introduce(&here, "surveyor", &format!("http://{address}"))
            .await
            .unwrap();
        assign(&here, "surveyor", "s-1", check()).await;
        let done = here.comes_to("s-1", Status::Finished).await;
        assert_eq!(done.result.as_ref().unwrap().payload, Some(good()));

        let values = json!({"question": "Which door?", "element": "site:BE-017"});
        let guided = dig("guide me").with_payload(Payload::new("field_guidance_v1", values));
        assign(&here, "surveyor", "s-2", guided).await;
        let done = here.comes_to("s-2", Status::Finished).await;
        let result = done.result.as_ref().unwrap().result.clone().unwrap();
        assert_eq!(result, "site:BE-017: open the left door first");

        assign(&here, "surveyor", "s-3", dig("look around")).await;
        let asked = here.comes_to("s-3", Status::InputRequired).await;
        assert_eq!(
            asked.said.as_ref().unwrap().task_description,
            "Which place?"
        );
        word(
            &here,
            Verb::FulfillmentNegotiate,
            "surveyor",
            "s-3",
            "Flensburg",
        )
        .await;
        here.comes_to("s-3", Status::Finished).await;

        // It keeps its tasks in memory: what it has lost it is told again.
        assign(&here, "surveyor", "s-4", check()).await;
        here.comes_to("s-4", Status::Processing).await;
        drop(first);
        let _second = surveyor(address.port()).await;
        here.comes_to("s-4", Status::Finished).await;
        here.stop().await;
    });
}

/// Registration on the command line has the same result as over NETCONF.
#[test]
fn an_agent_is_registered_on_the_command_line() {
    block_on(async {
        let address = answering(|request| ok(&a_card(request).to_string())).await;
        let folder = tempfile::tempdir().unwrap();
        let settings = format!("[a2a.peers]\nallow-private = ['http://{address}']\n");
        std::fs::write(folder.path().join("convoke.toml"), settings).unwrap();
        let running = Running::serve(folder.path()).await;
        let url = format!("http://{address}");
        let register = ["agent", "register", "--a2a", &url, "--name", "probe"];
        let registered = running.client(&register).await.well();
        assert!(
            registered.stdout.contains("probe registered"),
            "{}",
            registered.stdout
        );
        let shown = running
            .client(&["agent", "show", "probe", "--json"])
            .await
            .well();
        assert!(
            shown.stdout.contains(r#""reach":"a2a""#),
            "{}",
            shown.stdout
        );
        assert!(shown.stdout.contains(&url), "{}", shown.stdout);
        let other = [
            "agent",
            "register",
            "--a2a",
            "http://127.0.0.1:9",
            "--name",
            "other",
        ];
        let refused = running.client(&other).await;
        assert_ne!(refused.code, 0);
        assert!(
            refused.stderr.contains("is not allowed here"),
            "{}",
            refused.stderr
        );
    });
}
