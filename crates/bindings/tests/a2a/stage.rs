//! A platform in memory with two agents, and a client of each protocol: no socket, one clock.
//!
//! `airline` takes flight bookings and does what `other` of the payload says; `clerk` has no schemas
//! and does what the first word says; `radio` is a telecom peer's (`radio.rs`). Read next: `main.rs`.

use crate::radio::{Radio, radio};
use ::a2a::card::CardProfile;
use bindings::a2a::{
    Answer, AnswerBody, Binding, BindingSettings, EventFrames, IncomingRequest, RequestBody,
};
use bindings::background::{Background, Busy, Inline, Job};
use bindings::netconf::{Flow, Peer, Platform, Session};
use bindings::words::WordReader;
use domain::access::{AccessOperation, AccessRules, Action, Principal, Rule, RuleList, RuleTarget};
use domain::agent::{Agent, Ask, Input, Output, Progress};
use domain::content::{Content, Payload};
use domain::profile::{Profile, Skill};
use domain::reply::{Reply, Verdict};
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use engine::refusal::Field;
use engine::{Credential, Endpoint, Engine, Limits, SchemaSetup, Setup, StoreOptions};
use netconf::client::{ClientEvent, ClientSession};
use schema::language::Language;
use schema::semantics::{
    Circumstances, OfferedScenario, ParseFailure, Parsed, ScenarioFit, ScenarioReading,
    SemanticParser, Understanding,
};
use schema::shipped;
use schema::template::Template;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use testkit::{hosted, setup};
use yang::{Generation, ModuleSet};

pub(crate) const AIRLINE: &str = "airline";
pub(crate) const CLERK: &str = "clerk";
pub(crate) const WATCH: &str = "watch";

/// Does what it is told, by one word.
#[derive(Default)]
struct Player {
    /// Which task goes on then, and how.
    later: BTreeMap<Token, (TaskId, Vec<Progress>)>,
}

impl Agent for Player {
    fn step(&mut self, input: Input, now: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(ask) if ask.verb == Verb::TaskAssign => self.assigned(&ask, now),
            Input::Asked(ask) if ask.task.status.is_terminal() => {
                vec![Output::Answer(Reply::accepted())]
            }
            Input::Asked(ask) => vec![
                Output::Answer(Reply::accepted()),
                Output::Report {
                    task: ask.task.id.clone(),
                    progress: Progress::Result(result(&ask.task.content)),
                },
            ],
            Input::Woken(token) => self.woken(token),
            _ => Vec::new(),
        }
    }
}

impl Player {
    fn assigned(&mut self, ask: &Ask, now: Timestamp) -> Vec<Output> {
        let said = |words: &str| Content::new("stage", words);
        let answer = |verdict, content| vec![Output::Answer(Reply::new(verdict, vec![content]))];
        match word(&ask.content) {
            "ask" => answer(Verdict::InputRequired, said("window or aisle?")),
            "propose" => answer(Verdict::Offered, said("by way of Tokyo")),
            "refuse" => vec![Output::Answer(Reply::refused(
                "full",
                "",
                "all seats are taken",
            ))],
            "hold" => vec![Output::Answer(Reply::accepted())],
            "later" => self.later(ask, now, vec![working("half of it")]),
            // Much at once.
            "recite" => self.later(ask, now, vec![working(&"word ".repeat(6_000)); 40]),
            "fail" => vec![
                Output::Answer(Reply::accepted()),
                Output::Report {
                    task: ask.task.id.clone(),
                    progress: Progress::Failed(said("the plane broke")),
                },
            ],
            _ => answer(Verdict::Result, result(&ask.content)),
        }
    }

    fn later(&mut self, ask: &Ask, now: Timestamp, then: Vec<Progress>) -> Vec<Output> {
        let token = self.later.len() as Token + 1;
        self.later.insert(token, (ask.task.id.clone(), then));
        let at = now + 1_000;
        vec![
            Output::Answer(Reply::accepted()),
            Output::Wake { token, at },
        ]
    }

    fn woken(&mut self, token: Token) -> Vec<Output> {
        let Some((task, then)) = self.later.get(&token).cloned() else {
            return Vec::new();
        };
        let done = Progress::Result(result(&Content::default()));
        let reports = then.into_iter().chain([done]).map(|progress| {
            let task = task.clone();
            Output::Report { task, progress }
        });
        reports.collect()
    }
}

fn working(said: &str) -> Progress {
    Progress::Working {
        percent: 50,
        content: Content::new("stage", said),
    }
}

fn word(content: &Content) -> &str {
    let other = content.payload.as_ref().and_then(|it| it.text("other"));
    let words = other.unwrap_or(&content.task_description);
    words.split_whitespace().next().unwrap_or_default()
}

fn result(of: &Content) -> Content {
    let done = Content::new("stage", "done");
    match &of.payload {
        Some(_) => done.with_payload(Payload::new(
            "flight_booking_result_v1",
            json!({"booking_id": "B-1", "status": "confirmed"}),
        )),
        None => done.with_result("it is done"),
    }
}

pub(crate) fn profile(name: &str, schemas: &[&str]) -> Profile {
    let skill = Skill {
        description: "does it".to_owned(),
        schemas: schemas.iter().map(|it| (*it).to_owned()).collect(),
        ..testkit::skill(&format!("{name}-skill"), &["test"])
    };
    Profile {
        description: "does what it is told".to_owned(),
        skills: vec![skill],
        ..testkit::profile(name)
    }
}

/// Reads `key=value` for the keys of a template, and takes the rest for `other`.
struct Pairs;

impl SemanticParser for Pairs {
    fn name(&self) -> &str {
        "pairs"
    }

    fn parse(
        &self,
        template: &Template,
        utterance: &str,
        _: &Circumstances,
    ) -> Result<Parsed, ParseFailure> {
        let mut parsed = Parsed::default();
        for word in utterance.split_whitespace() {
            let pair = word.split_once('=');
            let known = pair.filter(|(key, _)| template.own_keys().any(|k| k.key_name == *key));
            match known {
                Some((key, value)) => {
                    parsed.payload.insert(key.to_owned(), value.into());
                }
                None => parsed.other.push(word.to_owned()),
            }
        }
        parsed.missing = template.missing(&parsed.payload);
        Ok(parsed)
    }
}

/// Everything to everybody who is not called `guest`.
fn access() -> AccessRules {
    let rule = |action| Rule {
        name: "all".to_owned(),
        module: "*".to_owned(),
        target: RuleTarget::Everything,
        operations: [
            AccessOperation::Read,
            AccessOperation::Write,
            AccessOperation::Exec,
        ]
        .into(),
        action,
    };
    let list = |group: &str, action| RuleList {
        name: group.to_owned(),
        groups: [group.to_owned()].into(),
        rules: vec![rule(action)],
    };
    AccessRules {
        enabled: true,
        read_default: Action::Deny,
        write_default: Action::Deny,
        exec_default: Action::Deny,
        groups: BTreeMap::from([("guests".to_owned(), ["guest".to_owned()].into())]),
        lists: vec![list("guests", Action::Deny), list("*", Action::Permit)],
    }
}

/// The platform.
pub(crate) struct Stage {
    pub engine: Arc<Engine>,
    pub binding: Binding,
    pub now: Timestamp,
    /// How often words were read.
    pub read: Arc<AtomicUsize>,
    pub pool: Arc<Pool>,
}

/// Work is done at once and counted, unless there is no room for any.
#[derive(Default)]
pub(crate) struct Pool {
    /// Whether nobody has room.
    pub full: AtomicBool,
    /// How much was done.
    pub done: AtomicUsize,
    /// What each piece of work takes by the platform's clock.
    pub lasts_ms: AtomicI64,
    lasted_ms: AtomicI64,
}

impl Background for Pool {
    fn has_room(&self, _user: &str) -> bool {
        !self.full.load(Ordering::Relaxed)
    }

    fn run(&self, user: &str, job: Job) -> Result<(), Busy> {
        match self.has_room(user) {
            true => {
                self.done.fetch_add(1, Ordering::Relaxed);
                let lasts = self.lasts_ms.load(Ordering::Relaxed);
                self.lasted_ms.fetch_add(lasts, Ordering::Relaxed);
                Inline.run(user, job)
            }
            false => Err(Busy),
        }
    }
}

/// A reader by the parser alone, which counts what it is asked: whatever says something fits.
struct Counted {
    read: Arc<AtomicUsize>,
}

impl WordReader for Counted {
    fn name(&self) -> &str {
        Pairs.name()
    }

    fn understand(
        &self,
        words: &str,
        offers: &[OfferedScenario<'_>],
        _: bool,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Understanding, ParseFailure> {
        self.read.fetch_add(1, Ordering::Relaxed);
        let mut understanding = Understanding::default();
        for (place, offer) in offers.iter().enumerate() {
            let template = offer.template.expect("each offer has one");
            let parsed = Pairs.parse_until(template, words, circumstances, over)?;
            let fit = ScenarioFit {
                offer: place,
                agent: offer.agent.to_owned(),
                scenario: offer.scenario.to_owned(),
                score: 1.0,
                known: parsed.payload.keys().cloned().collect(),
            };
            match parsed.payload.is_empty() {
                true => understanding.others.push(fit),
                false => understanding.near.push(ScenarioReading {
                    is_full: parsed.missing.is_empty(),
                    fit,
                    parsed,
                }),
            }
        }
        Ok(understanding)
    }

    fn parse(
        &self,
        words: &str,
        template: &Template,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure> {
        self.read.fetch_add(1, Ordering::Relaxed);
        Pairs.parse_until(template, words, circumstances, over)
    }
}

pub(crate) fn principal(name: &str, agent: bool) -> Principal {
    Principal {
        name: name.to_owned(),
        groups: match name {
            "guest" => ["guests".to_owned()].into(),
            _ => Default::default(),
        },
        agent,
        source: String::new(),
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::over(StoreOptions::memory())
    }

    pub(crate) fn over(store: StoreOptions) -> Self {
        Self::set(store, false, Limits::default())
    }

    /// One that reads so many bytes for an answer.
    pub(crate) fn reading(read_bytes: u64) -> Self {
        let limits = Limits {
            read_bytes,
            ..Limits::default()
        };
        Self::set(StoreOptions::memory(), false, limits)
    }

    /// One that pushes, to `https://hook.example` alone.
    pub(crate) fn pushing(store: StoreOptions) -> Self {
        Self::set(store, true, Limits::default())
    }

    fn set(store: StoreOptions, push_notifications: bool, limits: Limits) -> Self {
        let now = Timestamp::parse("2026-05-01T00:00:00Z").expect("a literal");
        let player =
            |name, schemas: &[&str]| hosted(profile(name, schemas), Player::default(), now);
        let engine = Engine::open(Setup {
            store,
            access: access(),
            limits,
            deliverable: Box::new(|to| match to.url.starts_with("https://hook.example/") {
                true => Ok(()),
                false => Err((Field::SubscriptionUrl, "it is not allowed here".to_owned())),
            }),
            credentials: Box::new(|name| (name == "stranger").then_some(Credential::Agent)),
            schemas: SchemaSetup::fixed(shipped::shipped()),
            ..setup([
                player(AIRLINE, &["flight_booking_v1", "flight_booking_v2"]),
                player(CLERK, &[]),
                player(WATCH, &["fault_incident_v1"]),
                hosted(radio(), Radio::default(), now),
            ])
        })
        .expect("the store opens");
        engine.start(now);
        let engine = Arc::new(engine);
        let settings = BindingSettings {
            forgetful: None,
            url: "https://a2a.example".to_owned(),
            card_profile: CardProfile::Schemas,
            card_max_age_s: 60,
            language: Language::english(),
            push_notifications,
            dress: Box::new(|_| {}),
        };
        let read = Arc::new(AtomicUsize::new(0));
        let reader = Arc::new(Counted {
            read: Arc::clone(&read),
        });
        let pool = Arc::<Pool>::default();
        let background = Arc::clone(&pool);
        Self {
            binding: Binding::new(Arc::clone(&engine), settings, reader, background),
            pool,
            engine,
            now,
            read,
        }
    }

    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        testkit::wait(future)
    }

    /// Time passes, and what falls due happens.
    pub(crate) fn advance(&mut self, ms: i64) {
        self.now = self.now + ms;
        self.engine.tick(self.now);
        self.wait(self.engine.flushed());
    }

    pub(crate) fn ask(&self, who: &Principal, at: &str, incoming: &IncomingRequest<'_>) -> Answer {
        let endpoint = endpoint(at);
        let clock = || self.now + self.pool.lasted_ms.load(Ordering::Relaxed);
        let patience = std::future::pending();
        let handled = self
            .binding
            .handle(who, &endpoint, incoming, &clock, patience);
        self.wait(handled)
    }

    /// A call over JSON-RPC, v1.0, and its `result` or `error`.
    pub(crate) fn rpc(&self, who: &str, at: &str, method: &str, params: Value) -> Value {
        let answer = self.rpc_of(&principal(who, false), at, method, params);
        body(answer)
    }

    pub(crate) fn rpc_of(&self, who: &Principal, at: &str, method: &str, params: Value) -> Answer {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let version = if method.contains('/') { "0.3" } else { "1.0" };
        let body = RequestBody::new(call.to_string());
        self.ask(
            who,
            at,
            &IncomingRequest {
                verb: "POST",
                path: "/",
                query: "",
                headers: &[
                    ("a2a-version", version),
                    ("Content-Type", "application/json"),
                ],
                body: &body,
            },
        )
    }

    /// A message of ann to the airline, and the task that it is answered by.
    pub(crate) fn send(&self, message: Value) -> Value {
        let answer = self.rpc("ann", AIRLINE, "SendMessage", json!({"message": message}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"]["task"].clone()
    }

    /// The same without waiting for what comes of it.
    pub(crate) fn begin(&self, message: Value) -> Value {
        let wanted = json!({"message": message, "configuration": {"returnImmediately": true}});
        let answer = self.rpc("ann", AIRLINE, "SendMessage", wanted);
        answer["result"]["task"].clone()
    }

    /// The code of a refusal.
    pub(crate) fn refused(&self, at: &str, method: &str, params: Value) -> i64 {
        let answer = self.rpc("ann", at, method, params);
        answer["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("{answer}"))
    }

    /// An rpc over NETCONF at the platform, and the whole reply.
    pub(crate) fn netconf(&self, who: &str, operation: &str) -> String {
        let generation = generation();
        let platform = Arc::new(Platform::new(
            Arc::clone(&self.engine),
            generation,
            Arc::new(Counted {
                read: Arc::clone(&self.read),
            }),
            Arc::new(Inline),
            self.now,
        ));
        let peer = Peer {
            user: who.to_owned(),
            source_host: "127.0.0.1".to_owned(),
        };
        let mut session = Session::open(&platform, Endpoint::Platform, &peer, self.now, 0);
        let mut client = ClientSession::default();
        client.call(operation);
        for _ in 0..1_000 {
            session.receive(&client.transmit(), 0);
            while session.step(self.now, 0) == Flow::Again {}
            client.receive(&session.transmit());
            while let Some(event) = client.poll() {
                if let ClientEvent::Reply(reply) = event {
                    return reply.raw().to_owned();
                }
            }
            self.wait(self.engine.flushed());
        }
        panic!("no reply to {operation}")
    }
}

fn generation() -> Arc<Generation> {
    static GENERATION: OnceLock<Arc<Generation>> = OnceLock::new();
    let load = || Generation::load(&ModuleSet::convoke()).expect("the modules load");
    Arc::clone(GENERATION.get_or_init(load))
}

pub(crate) fn endpoint(name: &str) -> Endpoint {
    match name {
        "platform" => Endpoint::Platform,
        name => Endpoint::Agent(name.to_owned()),
    }
}

pub(crate) fn body(answer: Answer) -> Value {
    match answer.body {
        AnswerBody::Whole(text) => serde_json::from_str(&text).expect("JSON"),
        AnswerBody::Shared(text) => serde_json::from_str(&text).expect("JSON"),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn frames(answer: Answer) -> EventFrames {
    match answer.body {
        AnswerBody::Stream(frames) => *frames,
        other => panic!("{other:?}"),
    }
}

/// The event of a frame over JSON-RPC.
pub(crate) fn event(frame: &str) -> Value {
    let data = frame.strip_prefix("data: ").expect("a frame with data");
    let envelope: Value = serde_json::from_str(data.trim()).expect("JSON");
    envelope["result"].clone()
}

/// Everything of a flight but what is named.
pub(crate) fn flight(without: &[&str], other: &str) -> Map<String, Value> {
    let all = json!({
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": other,
    });
    let Value::Object(mut all) = all else {
        unreachable!("a literal")
    };
    all.retain(|key, value| !without.contains(&key.as_str()) && value != "");
    all
}

/// A typed part in a message.
pub(crate) fn typed(id: &str, data: &Map<String, Value>) -> Value {
    json!({"messageId": id, "role": "ROLE_USER", "parts": [
        {"data": data, "mediaType": "application/json;schema=flight_booking_v1"}]})
}

pub(crate) fn words(id: &str, text: &str) -> Value {
    json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]})
}

/// The same message to a task.
pub(crate) fn to(task: &Value, mut message: Value) -> Value {
    message["taskId"] = task["id"].clone();
    message
}

pub(crate) fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap_or_default()
}
