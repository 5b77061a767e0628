//! A platform in memory under the shipped rules and some more, with users and agents of every kind,
//! records of theirs, and requests over each binding.

#[path = "ways.rs"]
mod ways;

use bindings::a2a::{AnswerBody, Binding, BindingSettings};
use bindings::background::Inline;
use bindings::restconf::{Restconf, RestconfBody, RestconfRequest};
use bindings::words::WordReader;
use domain::access::{AccessRules, Principal};
use domain::audit::AuditKind;
use domain::event::LogEvent;
use domain::push::PushConfig;
use domain::task::TaskId;
use domain::time::Timestamp;
use engine::{Endpoint, Engine, KeepPush, Operation, Query};
use harness::cast;
use harness::conformance::{Heard, Host, Opening, Patience, Wire};
use harness::memory::{BEGIN, Memory};
use netconf::client::{ClientEvent, ClientSession};
use schema::semantics::{Circumstances, OfferedScenario, ParseFailure, Parsed, Understanding};
use schema::template::Template;
use server::state::StateFolder;
use server::webhook::PlatformSource;
use server::webhook::source::DeliverySource;
use std::collections::BTreeMap;
use std::sync::Arc;
pub use ways::{Asked, WAYS, Way};

/// The changes, each with its recipient.
pub type Pairs = Vec<(String, String)>;

/// The prefix of all words that occur in records alone.
pub const WORDS: &str = "quibble-";

pub const TASK: &str = "task";
pub const CONTEXT: &str = "context";
pub const DATA: &str = "data";
const LIVE: &str = "live";
const OTHER: &str = "other";

/// The endpoints of sessions.
pub const ENDPOINTS: [&str; 4] = ["platform", "ip", "wireless-ems", "customer-ems"];

pub const AGENTS: [&str; 3] = ["oss", "ip", "wireless"];

/// `operator` is an administrator, `planner` operates the network, `vera` has read access, `peeper`
/// sees the states of tasks alone, `lena` lists agents and sees no task, `carl` audits, `ada`
/// approves patches, `tester` injects faults, `guest` is in no group, and `speaker` may execute
/// `task-negotiate` and nothing else.
pub const USERS: [&str; 13] = [
    "operator", "planner", "vera", "peeper", "lena", "carl", "ada", "tester", "guest", "speaker",
    "oss", "ip", "wireless",
];

/// The grants in addition to the shipped rules.
const GRANTED: &str = r#"
[[group]]
name = "oss-operator"
user-name = ["planner"]

[[group]]
name = "viewer"
user-name = ["vera"]

[[group]]
name = "peepers"
user-name = ["peeper"]

[[group]]
name = "listers"
user-name = ["lena"]

[[group]]
name = "speakers"
user-name = ["speaker"]

[[rule-list]]
name = "oss-operators"
group = ["oss-operator"]

[[rule-list.rule]]
name = "negotiate"
module-name = "irtf-agent"
action = "permit"

[[rule-list.rule]]
name = "registry"
module-name = "convoke-registry"
action = "permit"

[[rule-list.rule]]
name = "hear"
module-name = "convoke-negotiation"
action = "permit"

[[rule-list]]
name = "viewers"
group = ["viewer"]

[[rule-list.rule]]
name = "tasks"
module-name = "convoke-registry"
path = "/registry/task"
access-operations = "read"
action = "permit"

[[rule-list.rule]]
name = "pages"
module-name = "convoke-registry"
rpc-name = "*"
access-operations = "exec"
action = "permit"

[[rule-list]]
name = "peepers"
group = ["peepers"]

[[rule-list.rule]]
name = "states"
module-name = "convoke-registry"
path = "/registry/task/task-status"
access-operations = "read"
action = "permit"

[[rule-list.rule]]
name = "pages"
module-name = "convoke-registry"
rpc-name = "get-tasks"
access-operations = "exec"
action = "permit"

[[rule-list]]
name = "listers"
group = ["listers"]

[[rule-list.rule]]
name = "agents"
module-name = "convoke-registry"
path = "/registry/agent"
access-operations = "read"
action = "permit"

[[rule-list]]
name = "speakers"
group = ["speakers"]

[[rule-list.rule]]
name = "speak"
module-name = "irtf-agent"
rpc-name = "task-negotiate"
access-operations = "exec"
action = "permit"
"#;

/// The rules in force.
pub fn access() -> AccessRules {
    let text = format!("{}\n{GRANTED}", server::access::SHIPPED)
        .replace(
            "name = \"schema-admin\"\nuser-name = []",
            "name = \"schema-admin\"\nuser-name = [\"ada\"]",
        )
        .replace(
            "name = \"auditor\"\nuser-name = [\"operator\"]",
            "name = \"auditor\"\nuser-name = [\"carl\"]",
        )
        .replace(
            "name = \"simulation-admin\"\nuser-name = []",
            "name = \"simulation-admin\"\nuser-name = [\"tester\"]",
        );
    let rules = server::access::parse("access.toml", &text).unwrap();
    assert!(rules.groups["schema-admin"].contains("ada"));
    assert!(rules.groups["simulation-admin"].contains("tester"));
    rules
}

/// A record, with its unique word.
#[derive(Clone, Debug)]
pub struct Row {
    pub kind: &'static str,
    pub id: String,
    pub word: String,
    parties: [&'static str; 2],
}

impl Row {
    fn new(kind: &'static str, id: &str, from: &'static str, to: &'static str) -> Self {
        Self {
            kind,
            id: id.to_owned(),
            word: format!("{WORDS}{id}."),
            parties: [from, to],
        }
    }

    pub fn is_of(&self, user: &str) -> bool {
        self.parties.contains(&user)
    }

    /// True if it is visible at this endpoint: at the platform's all are, at an agent's those that
    /// it executes.
    pub fn is_at(&self, endpoint: &str) -> bool {
        endpoint == "platform" || endpoint == self.parties[1]
    }

    /// True if this user, who may receive notifications, is notified of it at this endpoint.
    pub fn is_heard(&self, user: &str, endpoint: &str, replayed: bool) -> bool {
        let told = self.kind == LIVE || (replayed && self.kind == TASK);
        told && self.is_at(endpoint) && (!AGENTS.contains(&user) || self.is_of(user))
    }
}

struct Joint {
    wire: Box<dyn Wire>,
    client: ClientSession,
    heard: Vec<(String, String, String)>,
}

impl Joint {
    fn reply(&mut self, operation: &str) -> String {
        self.client.call(operation);
        loop {
            self.wire.send(&self.client.transmit());
            match self.wire.receive(Patience::Expecting) {
                Heard::Bytes(bytes) => self.client.receive(&bytes),
                other => panic!("{operation}: {other:?}"),
            }
            if let Some(reply) = self.poll() {
                return reply;
            }
        }
    }

    fn poll(&mut self) -> Option<String> {
        let mut found = None;
        while let Some(event) = self.client.poll() {
            match event {
                ClientEvent::Reply(reply) => found = Some(reply.raw().to_owned()),
                ClientEvent::Notification(told) => {
                    let content = told.content().unwrap();
                    let namespace = content.namespace().to_owned();
                    let text = told.document.source().to_owned();
                    self.heard
                        .push((namespace, content.name().to_owned(), text));
                }
                _ => {}
            }
        }
        found
    }
}

pub struct Stage {
    memory: Memory,
    engine: Arc<Engine>,
    binding: Binding,
    joints: BTreeMap<(String, String), Joint>,
    rows: Vec<Row>,
    now: Timestamp,
    lives: u32,
    runtime: tokio::runtime::Runtime,
}

/// A parser that understands nothing.
struct Unread;

impl WordReader for Unread {
    fn name(&self) -> &str {
        "nobody"
    }

    fn understand(
        &self,
        _: &str,
        _: &[OfferedScenario<'_>],
        _: bool,
        _: &Circumstances,
        _: &dyn Fn() -> bool,
    ) -> Result<Understanding, ParseFailure> {
        Ok(Understanding::default())
    }

    fn parse(
        &self,
        _: &str,
        _: &Template,
        _: &Circumstances,
        _: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure> {
        Ok(Parsed::default())
    }
}

const AGENT: &str = "urn:ietf:params:xml:ns:yang:irtf-agent";
const NEGOTIATION: &str = "urn:convoke:params:xml:ns:yang:convoke-negotiation";
pub const REGISTRY: &str = "urn:convoke:params:xml:ns:yang:convoke-registry";
pub const DATA_MODULE: &str = "urn:convoke:params:xml:ns:yang:convoke-data";

/// A message of `task-negotiate` with these words; `more` follows its content.
pub fn negotiate(verb: &str, to: &str, id: &str, words: &str, more: &str) -> String {
    format!(
        "<task-negotiate xmlns='{AGENT}'><task-sendTo>{to}</task-sendTo><commuType>{verb}</commuType>\
         <task-id>{id}</task-id><content>## target object\nsite-1\n## task description\n{words}</content>\
         {more}</task-negotiate>"
    )
}

/// The elements that make it asynchronous, with a URL for reports.
fn reported(id: &str) -> String {
    format!(
        "<task-async xmlns='{NEGOTIATION}'>true</task-async><task-subscription xmlns='{NEGOTIATION}'>\
         <subscript-protocol>http</subscript-protocol>\
         <subscript-url>http://127.0.0.1:9/{id}</subscript-url></task-subscription>"
    )
}

pub fn refused(reply: &str) -> bool {
    reply.contains("<rpc-error>")
}

impl Stage {
    pub fn new() -> Self {
        let memory = Memory::ruled(access());
        let engine = Arc::clone(memory.platform().engine());
        harness::cluster::join(&engine);
        let settings = BindingSettings {
            forgetful: None,
            url: "https://a2a.example".to_owned(),
            card_profile: a2a::card::CardProfile::Schemas,
            card_max_age_s: 60,
            language: schema::language::Language::english(),
            push_notifications: true,
            dress: Box::new(|_| {}),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let mut stage = Self {
            binding: Binding::new(
                Arc::clone(&engine),
                settings,
                Arc::new(Unread),
                Arc::new(Inline),
            ),
            memory,
            engine,
            joints: BTreeMap::new(),
            rows: Vec::new(),
            now: Timestamp::parse(BEGIN).unwrap(),
            lives: 0,
            runtime: runtime.unwrap(),
        };
        stage.begin();
        stage
    }

    fn begin(&mut self) {
        let tasks = [
            Row::new(TASK, "t-operator", "operator", "ip"),
            Row::new(TASK, "t-speaker", "speaker", "ip"),
            Row::new(TASK, "t-oss", "oss", "ip"),
            Row::new(TASK, "t-wireless", "operator", "wireless"),
        ];
        for row in tasks {
            let words = format!("stay {}", row.word);
            let assign = negotiate(
                "taskAssgin",
                row.parties[1],
                &row.id,
                &words,
                &reported(&row.id),
            );
            self.done(row.parties[0], &assign);
            self.rows.push(row);
        }
        for row in [
            Row::new(OTHER, "p-operator", "operator", "wireless"),
            Row::new(OTHER, "p-speaker", "speaker", "ip"),
        ] {
            let words = format!("offer {}", row.word);
            let more = "<type>FEASIBILITY</type>";
            let ask = negotiate(
                "FeasibilityNegotiate",
                row.parties[1],
                &row.id,
                &words,
                more,
            );
            self.done(row.parties[0], &ask);
            self.rows.push(row);
        }
        let row = Row::new(OTHER, "crew", "operator", "ip");
        let team = format!(
            "<form-team xmlns='{REGISTRY}'><task-id>crew</task-id><need><name>a</name>\
             <skill>play</skill><content>## target object\nsite-1\n## task description\nstay {}\
             </content></need></form-team>",
            row.word
        );
        self.done("operator", &team);
        self.rows.push(row);
        for row in [
            Row::new(DATA, "d-operator", "operator", "wireless"),
            Row::new(DATA, "d-ip", "ip", "oss"),
        ] {
            self.done(
                row.parties[0],
                &write_data(&row.id, &row.word, row.parties[1]),
            );
            self.rows.push(row);
        }
    }

    pub fn rows(&self) -> Vec<Row> {
        self.rows.clone()
    }

    /// The denials of a user, from the audit trail.
    pub fn denials(&self, user: &str) -> Vec<String> {
        self.runtime.block_on(self.engine.flushed());
        let entries = self.engine.feed().after(0, 10_000).unwrap();
        let of_user = entries.iter().filter_map(|entry| match &entry.happening {
            LogEvent::Audit(record) if record.event.user == user => Some(&record.event),
            _ => None,
        });
        let denied = of_user.filter(|event| event.kind == AuditKind::Denied);
        denied
            .map(|event| format!("{}: {}", event.subject, event.reason))
            .collect()
    }

    fn joint(&mut self, user: &str, endpoint: &str) -> Joint {
        let opening = Opening {
            user: user.to_owned(),
            endpoint: endpoint.to_owned(),
            framing: "1.1".to_owned(),
        };
        Joint {
            wire: self.memory.connect(&opening),
            client: ClientSession::default(),
            heard: Vec::new(),
        }
    }

    /// The reply to an RPC.
    pub fn call(&mut self, user: &str, endpoint: &str, operation: &str) -> String {
        let key = (user.to_owned(), endpoint.to_owned());
        let mut joint = match self.joints.remove(&key) {
            Some(joint) => joint,
            None => self.joint(user, endpoint),
        };
        let reply = joint.reply(operation);
        self.joints.insert(key, joint);
        reply
    }

    pub fn done(&mut self, user: &str, operation: &str) -> String {
        let reply = self.call(user, "platform", operation);
        assert!(!refused(&reply), "{user}: {reply}");
        reply
    }

    /// All data.
    pub fn get(&mut self, user: &str, endpoint: &str) -> String {
        self.call(user, endpoint, "<get/>")
    }

    /// All data, by each RPC and filter that reads data.
    pub fn whole(&mut self, user: &str, endpoint: &str) -> Vec<(&'static str, String)> {
        let get_data = "<get-data xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-nmda' \
             xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'>\
             <datastore>ds:operational</datastore></get-data>";
        let path = "<get><filter type='xpath' select='/*'/></get>";
        let mut whole = vec![
            ("get", self.get(user, endpoint)),
            ("get-data", self.call(user, endpoint, get_data)),
            ("a path", self.call(user, endpoint, path)),
        ];
        let endpoint = cast::endpoint(endpoint);
        if !matches!(endpoint, Endpoint::Agent(_)) {
            whole.push(("RESTCONF", self.restconf(user, &endpoint)));
        }
        whole
    }

    /// All data over RESTCONF, as a reply has it.
    fn restconf(&self, user: &str, endpoint: &Endpoint) -> String {
        let binding = Restconf::new(self.memory.platform(), "http://localhost");
        let request = RestconfRequest {
            endpoint,
            method: "GET",
            path: "/data",
            query: None,
            headers: &[("accept", "application/yang-data+xml")],
            body: &[],
        };
        let who = self.principal(user);
        let answer = binding.answer(&who, &request, self.now);
        match self.runtime.block_on(answer).body {
            RestconfBody::Whole(body) => {
                format!("<reply>{}</reply>", String::from_utf8(body).unwrap())
            }
            other => panic!("{other:?}"),
        }
    }

    /// The result of a general XPath: every element with a word of a record in it.
    pub fn xpath(&mut self, user: &str, endpoint: &str) -> String {
        let xpath = format!(
            "<get><filter type='xpath' xmlns:r='{REGISTRY}' xmlns:a='{AGENT}' \
             select=\"/r:registry/*[contains(., '{WORDS}')] | /a:*[contains(., '{WORDS}')]\"/></get>"
        );
        self.call(user, endpoint, &xpath)
    }

    pub fn all_tasks(&mut self, user: &str) -> String {
        self.call(
            user,
            "platform",
            &format!("<get-tasks xmlns='{REGISTRY}'/>"),
        )
    }

    /// The number of tasks, or of those of one party.
    pub fn count_tasks(&mut self, user: &str, party: Option<&str>) -> String {
        let party = party.map_or_else(String::new, |name| format!("<party>{name}</party>"));
        let count = format!("<count-tasks xmlns='{REGISTRY}'>{party}</count-tasks>");
        self.call(user, "platform", &count)
    }

    pub fn all_context(&mut self, user: &str) -> String {
        self.call(
            user,
            "platform",
            &format!("<get-context xmlns='{REGISTRY}'/>"),
        )
    }

    /// The disclosure of one record over this way.
    pub fn tell(&mut self, road: &str, user: &str, id: &str) -> String {
        match road {
            "taskResultQuery" => {
                let ask = format!(
                    "<task-negotiate xmlns='{AGENT}'><commuType>taskResultQuery</commuType>\
                     <task-id>{id}</task-id></task-negotiate>"
                );
                self.call(user, "platform", &ask)
            }
            "data-read" => {
                let read = format!("<data-read xmlns='{DATA_MODULE}'><id>{id}</id></data-read>");
                let reply = self.call(user, "platform", &read);
                // In base64; words are compared as they are.
                let document = harness::xml::parse(&reply).unwrap();
                let data = document.root().child(DATA_MODULE, "data");
                let bytes = data.map(|data| decoded(data.text()));
                bytes.unwrap_or(reply)
            }
            other => panic!("{other}"),
        }
    }

    fn principal(&self, user: &str) -> Principal {
        self.engine.principal(user)
    }

    /// The notifications of a subscriber: modules, names and texts.
    pub fn hear(
        &mut self,
        user: &str,
        endpoint: &str,
        replayed: bool,
    ) -> Vec<(String, String, String)> {
        let mut joint = self.joint(user, endpoint);
        let start = match replayed {
            true => "<startTime>2026-11-21T07:00:00Z</startTime>",
            false => "",
        };
        let subscribed = joint.reply(&format!(
            "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'>{start}\
             </create-subscription>"
        ));
        // Agents are let in at the management systems of their own domain alone.
        let kept_out = AGENTS.contains(&user) && endpoint.ends_with("-ems");
        assert!(kept_out || !refused(&subscribed), "{subscribed}");
        self.live();
        while let Heard::Bytes(bytes) = joint.wire.receive(Patience::Expecting) {
            joint.client.receive(&bytes);
            joint.poll();
        }
        let schema = testkit::generation();
        let module = |namespace: &str| {
            let mut modules = schema.modules().iter();
            let found = modules.find(|m| m.namespace == namespace);
            found.map_or_else(|| namespace.to_owned(), |m| m.name.clone())
        };
        let heard = joint.heard.drain(..);
        heard
            .map(|(namespace, name, text)| (module(&namespace), name, text))
            .collect()
    }

    /// Makes changes between the operator and each of two agents.
    fn live(&mut self) {
        self.lives += 1;
        for (name, agent) in [("ip", "ip"), ("wireless", "wireless")] {
            let row = Row::new(LIVE, &format!("live-{name}"), "operator", agent);
            let id = format!("{}-{}", row.id, self.lives);
            let more = format!("<task-async xmlns='{NEGOTIATION}'>true</task-async>");
            let words = format!("stay {}", row.word);
            self.done(
                "operator",
                &negotiate("taskAssgin", agent, &id, &words, &more),
            );
            if self.rows.iter().all(|known| known.id != row.id) {
                self.rows.push(row);
            }
        }
    }

    /// The publishers who want reports of each change, and the recipients of each push; every user
    /// has requested pushes for every task, and the store contains one of a guest, too.
    pub fn deliveries(&mut self) -> (Pairs, Pairs) {
        let tasks: Vec<Row> = self
            .rows
            .iter()
            .filter(|row| row.kind == TASK)
            .cloned()
            .collect();
        for row in &tasks {
            for user in USERS {
                self.by(Way::Rpc10, user, Asked::Push(&row.id));
            }
            for stranger in ["guest", "wireless", "speaker", "tester"] {
                let config = PushConfig {
                    task: TaskId::new(row.id.as_str()),
                    owner: stranger.to_owned(),
                    id: "smuggled".to_owned(),
                    url: "http://127.0.0.1:9/smuggled".to_owned(),
                    token: None,
                    authentication: None,
                    version: "1.0".to_owned(),
                    since: 0,
                };
                let mut batch = store::Batch::default();
                batch.pushes.push(store::PushChange::Keep(config));
                self.engine.store().commit(batch).wait().unwrap();
            }
        }
        for row in &tasks {
            let (from, to) = (row.parties[0], row.parties[1]);
            let cancel = format!(
                "<task-negotiate xmlns='{AGENT}'><task-sendTo>{to}</task-sendTo>\
                 <commuType>taskCancel</commuType><task-id>{}</task-id></task-negotiate>",
                row.id
            );
            self.done(from, &cancel);
        }
        let kept = tempfile::tempdir().unwrap();
        std::fs::create_dir(kept.path().join("users")).unwrap();
        for user in USERS {
            std::fs::write(kept.path().join(format!("users/{user}.pub")), "").unwrap();
        }
        let folder = StateFolder::new(kept.path());
        let source = PlatformSource::new(Arc::clone(&self.engine), folder);
        let (mut reported, mut pushed) = (Vec::new(), Vec::new());
        for entry in self.engine.feed().after(0, 10_000).unwrap() {
            let LogEvent::Task(change) = &entry.happening else {
                continue;
            };
            if source.subscription(change).unwrap().is_some() {
                reported.push((change.task.to_string(), change.to.clone()));
            }
            for config in source.pushed_by(entry.sequence, change).unwrap() {
                if source
                    .push_of(&config, entry.sequence, change)
                    .unwrap()
                    .is_some()
                {
                    pushed.push((change.task.to_string(), config.owner.clone()));
                }
            }
        }
        (reported, pushed)
    }

    /// Public documents: cards and forms.
    pub fn public(&mut self) -> Vec<String> {
        let agents = AGENTS.map(|name| engine::Endpoint::Agent(name.to_owned()));
        let mut pages = Vec::new();
        for endpoint in agents.into_iter().chain([engine::Endpoint::Platform]) {
            match self.binding.card(&endpoint, None, self.now).body {
                AnswerBody::Shared(text) => pages.push(text.to_string()),
                other => panic!("no card: {other:?}"),
            }
            pages.push(format!("{:?}", self.binding.forms(&endpoint, self.now)));
        }
        assert!(pages.len() > 4);
        pages
    }

    /// What the engine says to somebody who shows records node by node.
    pub fn browse<Q: Query>(&self, user: &str, query: Q) -> Result<(), engine::Refusal> {
        let found = self.engine.browse(&self.principal(user), query, self.now);
        found.map(drop)
    }

    /// What the engine says to an operation of somebody.
    pub fn ask(&self, user: &str, operation: impl Operation) -> Result<(), engine::Refusal> {
        let who = self.principal(user);
        let execution = self.engine.execute(&who, operation, self.now);
        match execution {
            engine::Execution::Done(outcome) => outcome.map(drop),
            engine::Execution::Pending(_) => Ok(()),
        }
    }
}

/// Keeps a configuration for pushing.
pub fn keep_push(task: &str) -> KeepPush {
    KeepPush(PushConfig {
        task: TaskId::new(task),
        owner: String::new(),
        id: "own".to_owned(),
        url: "http://127.0.0.1:9/own".to_owned(),
        token: None,
        authentication: None,
        version: "1.0".to_owned(),
        since: 0,
    })
}

/// Writes data as a whole.
pub fn write_data(id: &str, text: &str, reader: &str) -> String {
    format!(
        "<data-write xmlns='{DATA_MODULE}'><id>{id}</id><data>{}</data><reader>{reader}</reader>\
         <finished>true</finished></data-write>",
        encoded(text)
    )
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes as Base64 (RFC 4648 §4).
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let byte = |place: usize| three.get(place).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place) & 63) as usize;
            out.push(if place > three.len() {
                '='
            } else {
                char::from(DIGITS[digit])
            });
        }
    }
    out
}

fn decoded(digits: &str) -> String {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits.bytes().filter(|digit| *digit != b'=') {
        let value = DIGITS.iter().position(|it| *it == digit).unwrap() as u32;
        bits = bits << 6 | value;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    String::from_utf8(out).unwrap()
}
