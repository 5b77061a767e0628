//! A management system with the standard models alone, which was not written here to please: what a
//! platform makes of it, what of one that talks nonsense, and what of one that tells of tickets while nobody
//! listens.
//!
//! The peer frames by end-of-message, knows three models and no action, replays what it has told, and answers by
//! the look of a request. What the platform takes in shows at its own management system. Read next: `managed.rs`,
//! `server::managed`.

#![allow(clippy::unwrap_used)]

mod support;

use domain::ems::Ems;
use domain::time::Timestamp;
use server::client::{CallError, Client, Identity};
use server::clock::Clock;
use server::config::{EmsSettings, Settings};
use server::host::{Endpoint, Home, Host};
use server::managed::{ManagedNetwork, Survey, survey};
use server::roster::Roster;
use server::runtime::Runtime;
use server::ssh::{
    ByteStream, ConnectionLimiter, KeyDirectory, SshListener, SshPeer, SshServing, keys,
};
use server::state::StateFolder;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::process::Running;
use support::{PATIENCE, block_on, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{broadcast, oneshot};
use tokio::task::JoinHandle;

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const END: &str = "]]>]]>";
const EMS: &str = "urn:convoke:params:xml:ns:yang:convoke-ems";

const HELLO: &str = r#"<hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><capabilities>
<capability>urn:ietf:params:netconf:base:1.0</capability>
<capability>urn:ietf:params:netconf:capability:notification:1.0</capability>
<capability>urn:ietf:params:xml:ns:yang:ietf-alarms?module=ietf-alarms&amp;revision=2019-09-11</capability>
<capability>urn:ietf:params:xml:ns:yang:ietf-network?module=ietf-network&amp;revision=2018-02-26</capability>
<capability>urn:ietf:params:xml:ns:yang:ietf-interfaces?module=ietf-interfaces&amp;revision=2018-02-20</capability>
<capability>urn:x:acme?module=acme-alarms&amp;revision=2020-01-01</capability>"#;

/// The management systems of customers send engineers out.
const CUSTOMERS: &str = "<capability>urn:convoke:params:xml:ns:yang:convoke-ems?module=convoke-ems\
                         </capability>";

const NETWORKS: &str = r#"<networks xmlns="urn:ietf:params:xml:ns:yang:ietf-network"
 xmlns:t="urn:ietf:params:xml:ns:yang:ietf-network-topology"><network><network-id>all</network-id>
<node><node-id>NYC</node-id></node><node><node-id>CHI</node-id></node>
<t:link><t:link-id>NYC-CHI</t:link-id>
<t:source><t:source-node>NYC</t:source-node><t:source-tp>et-0</t:source-tp></t:source>
<t:destination><t:dest-node>CHI</t:dest-node><t:dest-tp>et-1</t:dest-tp></t:destination></t:link>
</network></networks>"#;

/// What the peer says at present.
struct Peer {
    /// What it can do beside what all can.
    more: &'static str,
    /// What its interfaces are.
    oper: Mutex<&'static str>,
    /// The entries of its alarm list.
    alarms: Mutex<String>,
    /// What it sends to subscribers, as it is.
    sends: broadcast::Sender<String>,
    /// What it has told, with the time.
    log: Mutex<Vec<(Timestamp, String)>>,
    /// By which requests somebody has subscribed.
    subscriptions: Mutex<Vec<String>>,
    /// By which requests engineers were sent out: the first has number 1.
    dispatches: Mutex<Vec<String>>,
}

impl Peer {
    fn answer(&self, request: &str) -> String {
        let data = |inside: &str| format!("<data>{inside}</data>");
        match request {
            r if r.contains("<create-subscription") => {
                let mut subscriptions = self.subscriptions.lock().unwrap();
                subscriptions.push(request.to_owned());
                "<ok/>".to_owned()
            }
            r if r.contains("<dispatch ") => {
                let mut dispatches = self.dispatches.lock().unwrap();
                dispatches.push(request.to_owned());
                let (number, arrival) = (dispatches.len(), Clock::wall().now());
                format!(
                    "<dispatch xmlns=\"{EMS}\">{number}</dispatch>\
                     <arrival xmlns=\"{EMS}\">{arrival}</arrival>"
                )
            }
            r if r.contains("yang:ietf-network\"") => data(NETWORKS),
            r if r.contains("yang:ietf-interfaces\"") => {
                let oper = *self.oper.lock().unwrap();
                let interface = |name| {
                    format!(
                        "<interface><name>{name}</name><oper-status>{oper}</oper-status></interface>"
                    )
                };
                data(&format!(
                    "<interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\">{}{}</interfaces>",
                    interface("et-0"),
                    interface("et-1")
                ))
            }
            r if r.contains("yang:ietf-alarms\"") => {
                let alarms = self.alarms.lock().unwrap();
                data(&format!(
                    "<alarms xmlns=\"urn:ietf:params:xml:ns:yang:ietf-alarms\"><alarm-list>{alarms}</alarm-list></alarms>"
                ))
            }
            r if r.contains("<get>") => "<data/>".to_owned(),
            r if r.contains("<close-session") => "<ok/>".to_owned(),
            _ => "<rpc-error><error-type>protocol</error-type>\
                  <error-tag>operation-not-supported</error-tag>\
                  <error-severity>error</error-severity></rpc-error>"
                .to_owned(),
        }
    }

    /// What a subscription is sent of what was told before.
    fn replay(&self, request: &str) -> String {
        let Some(from) = start_time(request) else {
            return String::new();
        };
        let log = self.log.lock().unwrap();
        let told = log.iter().filter(|(time, _)| *time >= from);
        let told: String = told.map(|(_, said)| said.as_str()).collect();
        let complete = "<replayComplete xmlns=\"urn:ietf:params:xml:ns:netmod:notification\"/>";
        told + &event(Clock::wall().now(), complete)
    }

    /// Tells of a ticket; when that was.
    fn opens(&self, ticket: &str) -> Timestamp {
        let now = Clock::wall().now();
        self.tells(
            now,
            &format!(
                "<customer-ticket xmlns=\"{EMS}\"><ticket>{ticket}</ticket><time>{now}</time>\
             <from>Halvern</from><language>en</language><text>My car is offline</text>\
             </customer-ticket>"
            ),
        );
        now
    }

    /// Tells something, to whoever is there.
    fn tells(&self, now: Timestamp, what: &str) {
        let said = event(now, what);
        self.log.lock().unwrap().push((now, said.clone()));
        let _nobody_may_be_there = self.sends.send(said);
    }

    /// The last of so many subscriptions.
    async fn subscription(&self, number: usize) -> String {
        let began = Instant::now();
        loop {
            let last = self.subscriptions.lock().unwrap().get(number - 1).cloned();
            if let Some(last) = last {
                return last;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "nobody subscribes for the {number}th time"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn serve(self: Arc<Self>, mut stream: ByteStream) {
        let mut heard = self.sends.subscribe();
        let (mut input, mut subscribed) = (String::new(), false);
        let mut buffer = vec![0; 16_384];
        let more = self.more;
        let mut says =
            format!("{HELLO}{more}</capabilities><session-id>7</session-id></hello>{END}");
        loop {
            if !says.is_empty() && stream.write_all(says.as_bytes()).await.is_err() {
                return;
            }
            says.clear();
            tokio::select! {
                read = stream.read(&mut buffer) => match read {
                    Ok(0) | Err(_) => return,
                    Ok(length) => input.push_str(&String::from_utf8_lossy(&buffer[..length])),
                },
                sent = heard.recv(), if subscribed => says = sent.unwrap_or_default(),
            }
            while let Some((request, rest)) = input.split_once(END) {
                let rest = rest.to_owned();
                if let Some(id) = request.split("message-id=\"").nth(1) {
                    let id = id.split('"').next().unwrap();
                    subscribed |= request.contains("<create-subscription");
                    let answer = self.answer(request);
                    says += &format!(
                        "<rpc-reply xmlns=\"{BASE}\" message-id=\"{id}\">{answer}</rpc-reply>{END}"
                    );
                    says += &self.replay(request);
                }
                input = rest;
            }
        }
    }
}

/// A notification of that time.
fn event(time: Timestamp, inside: &str) -> String {
    format!(
        "<notification xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\">\
         <eventTime>{time}</eventTime>{inside}</notification>{END}"
    )
}

/// From when a subscription wants a replay.
fn start_time(request: &str) -> Option<Timestamp> {
    let (_, behind) = request.split_once("<startTime>")?;
    let (time, _) = behind.split_once("</startTime>").unwrap();
    Some(Timestamp::parse(time).unwrap())
}

/// An entry of the alarm list.
fn entry(resource: &str, identity: &str, cleared: bool) -> String {
    format!(
        "<alarm><resource>{resource}</resource><alarm-type-id xmlns:a=\"urn:x:acme\">a:{identity}\
         </alarm-type-id><alarm-type-qualifier/><is-cleared>{cleared}</is-cleared>\
         <last-raised>2026-11-21T07:00:00Z</last-raised>\
         <perceived-severity>major</perceived-severity><alarm-text>so it is</alarm-text></alarm>"
    )
}

fn notification(resource: &str, identity: &str) -> String {
    format!(
        "<notification xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\">\
         <eventTime>2026-11-21T07:00:01Z</eventTime>\
         <alarm-notification xmlns=\"urn:ietf:params:xml:ns:yang:ietf-alarms\">\
         <resource>{resource}</resource><alarm-type-id xmlns:a=\"urn:x:acme\">a:{identity}\
         </alarm-type-id><alarm-type-qualifier>q</alarm-type-qualifier>\
         <time>2026-11-21T07:00:01Z</time><perceived-severity>minor</perceived-severity>\
         <alarm-text>odd</alarm-text></alarm-notification></notification>{END}"
    )
}

/// A peer behind SSH, and how it is named in a file of the folder, with more that is said of it there.
async fn start(folder: &Path, more: &str) -> (Arc<Peer>, SshServing, EmsSettings) {
    let peer = Arc::new(Peer {
        more: if more.contains("Service") {
            CUSTOMERS
        } else {
            ""
        },
        oper: Mutex::new("up"),
        alarms: Mutex::new(entry("NYC-CHI", "linkFailure", false)),
        sends: broadcast::Sender::new(16),
        log: Mutex::default(),
        subscriptions: Mutex::default(),
        dispatches: Mutex::default(),
    });
    let host_key = keys::generate("peer");
    let key_file = folder.join("key");
    let key = keys::load_or_generate(&key_file, "convoke").unwrap();
    let limiter = ConnectionLimiter::new(Default::default());
    let listener = SshListener::bind(([127, 0, 0, 1], 0).into(), &host_key, &limiter).unwrap();
    let address = listener.address().to_string();
    let directory = KeyDirectory::new(folder.join("nobody"));
    let directory = directory.with_key("convoke", key.public_key());
    let served = Arc::clone(&peer);
    let subsystem = move |stream: ByteStream, _: SshPeer| Arc::clone(&served).serve(stream);
    let serving = listener.serve(Arc::new(directory), Arc::new(subsystem));
    let line = host_key.public_key().to_openssh().unwrap();
    let text = format!(
        "[[ems]]\nname = \"acme\"\naddress = \"{address}\"\nuser = \"convoke\"\nkey = \"key\"\n\
         host-key = \"{}\"\nalarm-list-s = 1\n{more}\n",
        line.trim()
    );
    let file = folder.join("ems.toml");
    std::fs::write(&file, text).unwrap();
    let systems = server::config::ems::load(&file).unwrap();
    (peer, serving, systems.into_iter().next().unwrap())
}

/// Our own management system of the IP domain, as the operator sees it.
struct Desk(Client);

impl Desk {
    async fn says(&mut self) -> String {
        let filter = "<get><filter type=\"subtree\"><alarms \
                      xmlns=\"urn:ietf:params:xml:ns:yang:ietf-alarms\"><alarm-list/></alarms></filter></get>";
        self.0.call(filter).await.unwrap().raw().to_owned()
    }

    async fn shows(&mut self, parts: &[&str]) {
        let began = Instant::now();
        loop {
            let said = self.says().await;
            if parts.iter().all(|part| said.contains(part)) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "no {parts:?} in {said}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn does(&mut self, rpc: &str, element: &str) -> Result<String, CallError> {
        let rpc = format!("<{rpc} xmlns=\"{EMS}\"><element>{element}</element></{rpc}>");
        let reply = within("an outcome", self.0.call(&rpc)).await?;
        Ok(reply.raw().to_owned())
    }
}

/// A platform on the network of a peer.
struct Living {
    stop: oneshot::Sender<()>,
    life: JoinHandle<()>,
}

impl Living {
    async fn end(self) {
        let _ = self.stop.send(());
        within("the end", self.life).await.unwrap();
    }
}

/// Runs a platform on the network that was surveyed.
async fn live(
    own: &Path,
    settings: &Settings,
    clock: Arc<Clock>,
    surveyed: Survey,
) -> (Desk, Living) {
    let state = own.join("state");
    let home = Home::Folder(StateFolder::new(&state));
    let inventory = Arc::clone(surveyed.inventory());
    let host = Host::start(home, settings, Roster::default(), inventory, clock).await;
    let host = Arc::new(host.unwrap());
    let network = ManagedNetwork::new(surveyed, host.posts.clone(), host.platform.engine());
    let mut runtime = Runtime::new(Arc::clone(&host), network, Box::new(|_| {}));
    let address = host.address_of(&Endpoint::Ems(Ems::Ip)).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let life = tokio::spawn(async move {
        runtime.begin().await;
        runtime.live(async { drop(stopped.await) }).await;
    });
    let operator = Identity::operator(&state);
    let client = Client::connect(&address.to_string(), &operator).await;
    (Desk(client.unwrap()), Living { stop, life })
}

#[test]
fn standard_models_are_enough_to_see_and_to_measure() {
    block_on(async {
        let own = tempfile::tempdir().unwrap();
        let (peer, serving, system) = start(own.path(), "domain = \"IP\"").await;
        let settings = Settings {
            ems: Some(vec![system]),
            ..testkit::loopback()
        };
        let clock = Arc::new(Clock::wall());
        let surveyed = within("a survey", survey(&settings, &clock)).await.unwrap();
        let ids: Vec<_> = surveyed
            .inventory()
            .elements
            .keys()
            .map(ToString::to_string)
            .collect();
        let expected = [
            "link:NYC-CHI",
            "optic:NYC-CHI/a",
            "optic:NYC-CHI/b",
            "router:CHI",
            "router:NYC",
        ];
        assert_eq!(ids, expected);
        let (mut desk, living) = live(own.path(), &settings, clock, surveyed).await;

        // What stood before is in the list; what comes is notified, whatever it is.
        let link_down = [
            "<resource>link:NYC-CHI</resource>",
            "cvems:link-down",
            "so it is",
        ];
        desk.shows(&link_down).await;
        peer.sends.send(notification("CHI", "flux")).unwrap();
        let unknown = [
            "<resource>router:CHI</resource>",
            "cvems:unknown",
            "acme-alarms:flux (q): odd",
        ];
        desk.shows(&unknown).await;

        // A link is measured by its interfaces, and nothing else is possible.
        let said = desk.does("probe", "link:NYC-CHI").await.unwrap();
        assert!(said.contains(">good</condition>"), "{said}");
        *peer.oper.lock().unwrap() = "lower-layer-down";
        let said = desk.does("probe", "link:NYC-CHI").await.unwrap();
        assert!(said.contains(">failed</condition>"), "{said}");
        for (rpc, element) in [("restart", "router:NYC"), ("probe", "router:NYC")] {
            let refused = desk.does(rpc, element).await.unwrap_err().to_string();
            assert!(refused.contains("'acme' does not offer it"), "{refused}");
        }

        // Nonsense ends a session, and nothing more: the next one brings what was missed.
        let before = peer.subscriptions.lock().unwrap().len();
        *peer.alarms.lock().unwrap() = entry("NYC", "lineCardProblem", false);
        peer.sends
            .send(format!("<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>{END}"))
            .unwrap();
        desk.shows(&[
            "<resource>router:NYC</resource>",
            "cvems:card-failure",
            "no longer in the alarm list",
        ])
        .await;
        peer.subscription(before + 1).await;

        drop(desk);
        living.end().await;
        serving.close().await;
    });
}

/// Systems that accept connections and never say a word take nothing from the one that speaks.
#[test]
fn silent_systems_hold_up_no_other() {
    block_on(async {
        let own = tempfile::tempdir().unwrap();
        let (_peer, serving, system) = start(own.path(), "domain = \"IP\"").await;
        // Connections are made by the operating system; nobody ever takes them up.
        let silent: Vec<_> = (0..8)
            .map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let named = |(number, listener): (usize, &std::net::TcpListener)| EmsSettings {
            name: format!("silent-{number}"),
            address: listener.local_addr().unwrap().to_string(),
            ..system.clone()
        };
        let mut systems: Vec<_> = silent.iter().enumerate().map(named).collect();
        systems.push(system.clone());
        let settings = Settings {
            ems: Some(systems),
            ems_wait_s: Some(5),
            ..testkit::loopback()
        };
        let clock = Arc::new(Clock::wall());
        let surveyed = within("a survey", survey(&settings, &clock)).await.unwrap();
        let told: Vec<_> = surveyed.summaries().filter_map(|s| s.elements).collect();
        assert_eq!(told, [5], "the last has told, and the others have not");
        drop(surveyed);
        serving.close().await;
    });
}

/// Two systems that document elements of the same names: the first keeps them, and the second has no
/// say about them.
#[test]
fn a_system_has_no_say_about_what_belongs_to_another() {
    block_on(async {
        let own = tempfile::tempdir().unwrap();
        let (_peer, serving, system) = start(own.path(), "domain = \"IP\"").await;
        let folder = own.path().join("rival");
        std::fs::create_dir(&folder).unwrap();
        let (rival, rivals, other) = start(&folder, "domain = \"IP\"").await;
        *rival.alarms.lock().unwrap() =
            entry("NYC", "lineCardProblem", false) + &entry("elsewhere", "lineCardProblem", false);
        let other = EmsSettings {
            name: "rival".to_owned(),
            ..other
        };
        let settings = Settings {
            ems: Some(vec![system, other]),
            ..testkit::loopback()
        };
        let clock = Arc::new(Clock::wall());
        let surveyed = within("a survey", survey(&settings, &clock)).await.unwrap();
        assert_eq!(surveyed.inventory().elements.len(), 5);
        let (mut desk, living) = live(own.path(), &settings, clock, surveyed).await;
        desk.shows(&["<resource>link:NYC-CHI</resource>", "elsewhere"])
            .await;
        let said = desk.says().await;
        assert!(!said.contains("<resource>router:NYC</resource>"), "{said}");
        drop(desk);
        living.end().await;
        serving.close().await;
        rivals.close().await;
    });
}

/// The management system of the customers that a platform is.
async fn desk_of(running: &Running) -> Desk {
    let listeners = running.ready["listeners"].as_array().unwrap();
    let desk = listeners.iter().find(|it| it["ems"] == "customer").unwrap();
    let address = desk["address"].as_str().unwrap();
    Desk(Client::connect(address, &running.operator()).await.unwrap())
}

/// The tickets that a platform's own management system has told of, and those that it has tasks of.
async fn tickets(running: &Running) -> (Vec<String>, Vec<String>) {
    let Desk(mut desk) = desk_of(running).await;
    let subscribe = "<create-subscription \
                     xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\">\
                     <startTime>2026-01-01T00:00:00Z</startTime></create-subscription>";
    desk.call(subscribe).await.unwrap();
    let mut told = Vec::new();
    loop {
        let event = within("a replay", desk.notification()).await.unwrap();
        let event = event.raw();
        if event.contains("<replayComplete") {
            break;
        }
        let ticket = event.split("<ticket>").nth(1);
        told.extend(ticket.map(|it| it.split('<').next().unwrap().to_owned()));
    }
    let list = running.client(&["task", "list", "--json"]).await.well();
    let list = list.json();
    let ids = list
        .iter()
        .map(|it| it["task"]["task-id"].as_str().unwrap());
    let tickets = ids.filter(|id| id.starts_with("ticket-"));
    let mut tasks: Vec<String> = tickets.map(str::to_owned).collect();
    tasks.sort_unstable();
    (told, tasks)
}

/// Waits until a platform has told of these tickets, and has tasks of those.
async fn has(running: &Running, told: &[&str], tasks: &[&str]) {
    let began = Instant::now();
    loop {
        let found = tickets(running).await;
        if found.0 == told && found.1 == tasks {
            return;
        }
        assert!(
            began.elapsed() < PATIENCE,
            "{found:?}, not {told:?} and {tasks:?}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What a system tells while the platform is dead is asked for, from the last that it took in, which it
/// knows again.
#[test]
fn a_ticket_that_is_told_while_nobody_listens_is_taken_once() {
    block_on(async {
        let own = tempfile::tempdir().unwrap();
        let customers = "domain = \"Service\"\nsites = [\"NYC\"]";
        let (peer, serving, _) = start(own.path(), customers).await;
        let state = own.path().join("state");
        let file = own.path().join("ems.toml");
        let serve = ["serve", "--ems", file.to_str().unwrap()];

        // It is known since when one listens, before anything is told.
        let first = Running::start(&state, &serve).await;
        assert_eq!(start_time(&peer.subscription(1).await), None);
        peer.sends.send(notification("NYC", "flux")).unwrap();
        desk_of(&first).await.shows(&["acme-alarms:flux"]).await;
        // What is acknowledged is on disk, and all that came before it.
        let check = ["task", "assign", "oss-fault", "NYC", "check", "--async"];
        first.client(&check).await.well();
        first.kill().await;
        peer.opens("1");
        let second = Running::start(&state, &serve).await;
        assert!(start_time(&peer.subscription(2).await).is_some());
        has(&second, &["1"], &["ticket-1"]).await;

        // It is known what was told, on its way to an agent or with it.
        let last = peer.opens("2");
        has(&second, &["1", "2"], &["ticket-1", "ticket-2"]).await;
        second.kill().await;
        peer.opens("3");
        let third = Running::start(&state, &serve).await;
        assert_eq!(start_time(&peer.subscription(3).await), Some(last));
        peer.opens("4");
        let all = ["ticket-1", "ticket-2", "ticket-3", "ticket-4"];
        has(&third, &["3", "4"], &all).await;
        assert!(third.stop().await.success());
        serving.close().await;
    });
}

/// What came of an engineer's visit while the platform was dead reaches the agent that sent the engineer,
/// under the number of a former life, by the work order.
#[test]
fn an_engineer_who_is_done_while_nobody_listens_is_heard() {
    block_on(async {
        let own = tempfile::tempdir().unwrap();
        let customers = "domain = \"Service\"\nsites = [\"NYC\"]";
        let (peer, serving, _) = start(own.path(), customers).await;
        let state = own.path().join("state");
        let file = own.path().join("ems.toml");
        let serve = ["serve", "--ems", file.to_str().unwrap()];
        let first = Running::start(&state, &serve).await;
        let repair = "{\"schema_id\": \"fault_repair_v1\", \"payload\": {\"ticket_id\": \"T\", \
                      \"element\": \"site:NYC\", \"cause\": \"mains-failure\"}}";
        let assign = ["task", "assign", "service-copilot", "site:NYC", "repair it"];
        let how = ["--id", "repair", "--async", "--payload", repair];
        first.client(&[&assign[..], &how].concat()).await.well();
        shows_repair(&first, "progress: 10").await;
        first.kill().await;
        let ended = format!(
            "<field-report xmlns=\"{EMS}\"><dispatch>1</dispatch><element>site:NYC</element>\
             <repaired>true</repaired><finding>A fuse had blown</finding></field-report>"
        );
        peer.tells(Clock::wall().now(), &ended);
        let second = Running::start(&state, &serve).await;
        shows_repair(&second, "task-status: finished").await;
        let dispatches = peer.dispatches.lock().unwrap().clone();
        assert_eq!(dispatches.len(), 2, "{dispatches:?}");
        let is_the_order = |it: &String| it.contains("<work-order>repair</work-order>");
        assert!(dispatches.iter().all(is_the_order), "{dispatches:?}");
        assert!(second.stop().await.success());
        serving.close().await;
    });
}

/// Waits until the repair has these words.
async fn shows_repair(running: &Running, words: &str) {
    let began = Instant::now();
    loop {
        let shown = running.client(&["task", "show", "repair"]).await.well();
        if shown.stdout.contains(words) {
            return;
        }
        assert!(
            began.elapsed() < PATIENCE,
            "no '{words}' in {}",
            shown.stdout
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
