//! What faults befall: three nodes, two databases, and proxies on every way between them.
//!
//! ```text
//! node a ─ proxy ─┬─ database 0 (primary or standby)      other nodes ─ proxy ─ channel of node a
//!        └ proxy ─┴─ database 1 (the other)
//! ```
//! Each node has proxies of its own before both databases, so that one may be cut off alone. Knows who
//! leads by what nodes print. Read next: [`super::faults`].

use super::support::process::Running;
use super::support::proxy::Proxy;
use serde_json::Value;
use server::client::Identity;
use std::collections::BTreeMap;
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};
use std::time::Duration;
use tempfile::TempDir;
use testkit::postgres::{Server, Setting};
use tokio::sync::watch;
use tokio::task::{JoinHandle, block_in_place};

/// The names of the nodes.
pub(crate) const NAMES: [&str; 3] = ["a", "b", "c"];

/// The time of the lease, which is the shortest that may be.
pub(crate) const TTL: Duration = Duration::from_secs(3);

/// The database.
pub(crate) const DATABASE: &str = "convoke";

/// What a node has for itself.
const OWN: [&str; 4] = ["convoke.toml", "known_hosts", "store_head", "lock"];

/// The user whose token HTTP clients bear.
const BEARER: &str = "operator";

/// How long somebody may take to lead.
const LED_WITHIN: Duration = Duration::from_secs(60);

/// Where clients of a node that runs find it.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) netconf: String,
    pub(crate) http: String,
    pub(crate) operator: Identity,
}

/// A node, running or not.
struct Node {
    folder: TempDir,
    channel: Proxy,
    databases: [Proxy; 2],
    running: Option<Running>,
    reading: Option<JoinHandle<()>>,
    place: watch::Sender<Option<Place>>,
}

/// All of it.
pub(crate) struct Platform {
    servers: [Option<Server>; 2],
    primary: usize,
    nodes: Vec<Node>,
    leader: watch::Sender<Option<usize>>,
    pub(crate) token: String,
    /// How often processes ended otherwise than they should, by node and how.
    pub(crate) ended: BTreeMap<String, u64>,
    logs: TempDir,
}

impl Platform {
    /// Starts databases and nodes, of which one leads. None without PostgreSQL.
    pub(crate) async fn start() -> Option<Self> {
        let setting = Setting {
            fsync: true,
            tls: false,
        };
        let primary = block_in_place(|| Server::start(&setting))?;
        let standby = block_in_place(|| {
            primary.say(&format!("CREATE DATABASE {DATABASE} TEMPLATE template0"));
            let standby = primary.standby();
            primary.awaits_standby();
            standby
        });
        let mut nodes = Vec::new();
        for _ in NAMES {
            nodes.push(Node {
                folder: tempfile::tempdir().unwrap(),
                channel: Proxy::before(nowhere(), 0).await,
                databases: [before(&primary).await, before(&standby).await],
                running: None,
                reading: None,
                place: watch::Sender::new(None),
            });
        }
        let mut platform = Self {
            servers: [Some(primary), Some(standby)],
            primary: 0,
            nodes,
            leader: watch::Sender::new(None),
            token: String::new(),
            ended: BTreeMap::new(),
            logs: tempfile::tempdir().unwrap(),
        };
        platform.begin().await;
        Some(platform)
    }

    /// The first node makes what all have alike.
    async fn begin(&mut self) {
        self.run(0).await;
        self.is_led().await;
        let issue = ["token", "issue", BEARER, "--json"];
        let issued = super::support::process::run(self.folder(0), &issue).await;
        let issued = issued.well().json().remove(0);
        self.token = issued["token"].as_str().unwrap().to_owned();
        for other in 1..NAMES.len() {
            copy(self.folder(0), self.folder(other));
            self.run(other).await;
        }
    }

    pub(crate) fn folder(&self, node: usize) -> &Path {
        self.nodes[node].folder.path()
    }

    /// Where clients find a node, while it runs.
    pub(crate) fn place(&self, node: usize) -> watch::Receiver<Option<Place>> {
        self.nodes[node].place.subscribe()
    }

    /// Where clients find all nodes.
    pub(crate) fn places(&self) -> Vec<watch::Receiver<Option<Place>>> {
        (0..NAMES.len()).map(|node| self.place(node)).collect()
    }

    /// The database that takes writes.
    pub(crate) fn primary(&self) -> &Server {
        self.servers[self.primary].as_ref().expect("it runs")
    }

    /// The database that follows it.
    pub(crate) fn standby(&self) -> &Server {
        self.servers[1 - self.primary].as_ref().expect("it runs")
    }

    /// The address of the database, with nothing in between.
    pub(crate) fn direct(&self) -> String {
        url(self.primary(), &[self.primary().port()])
    }

    // --- Nodes

    /// Starts a node that does not run; false if it ended before it was ready.
    pub(crate) async fn run(&mut self, node: usize) -> bool {
        let own = &self.nodes[node];
        std::fs::write(
            own.folder.path().join("convoke.toml"),
            format!("[cluster]\nttl-s = {}\n", TTL.as_secs()),
        )
        .unwrap();
        let listen = free();
        own.channel.lead_to(listen);
        let ports = own.databases.each_ref().map(|it| it.address().port());
        let store = url(self.primary(), &ports);
        let (listen, advertise) = (listen.to_string(), own.channel.address().to_string());
        let arguments = [
            "serve",
            "--store",
            &store,
            "--node",
            NAMES[node],
            "--cluster-listen",
            &listen,
            "--cluster-advertise",
            &advertise,
        ];
        let log = self.logs.path().join(NAMES[node]);
        let log = File::options().create(true).append(true).open(log).unwrap();
        let started = Running::attempt(own.folder.path(), &arguments, &[], log.into()).await;
        let Some(mut running) = started else {
            self.count(node, "at its start");
            return false;
        };
        let place = Place {
            netconf: running.address().to_owned(),
            http: running.http().to_owned(),
            operator: running.operator(),
        };
        let mut output = running.output();
        let leader = self.leader.clone();
        let reading = tokio::spawn(async move {
            while let Ok(Some(line)) = output.next_line().await {
                let told: Value = serde_json::from_str(&line).unwrap_or_default();
                match told["event"].as_str() {
                    Some("leading") => drop(leader.send_replace(Some(node))),
                    Some("standing-by") => left(&leader, node),
                    _ => {}
                }
            }
            left(&leader, node);
        });
        let own = &mut self.nodes[node];
        (own.running, own.reading) = (Some(running), Some(reading));
        own.place.send_replace(Some(place));
        true
    }

    fn count(&mut self, node: usize, what: &str) {
        let name = format!("{} {what}", NAMES[node]);
        *self.ended.entry(name).or_default() += 1;
    }

    /// Who leads, as far as is known.
    pub(crate) fn leads(&self) -> Option<usize> {
        *self.leader.borrow()
    }

    /// Who leads, once somebody does.
    pub(crate) async fn is_led(&self) -> usize {
        self.led_by_other_than(None).await.expect("somebody leads")
    }

    /// Who leads, once that is another than `before`; none if it takes too long.
    pub(crate) async fn led_by_other_than(&self, before: Option<usize>) -> Option<usize> {
        let mut leader = self.leader.subscribe();
        let other = leader.wait_for(|now| now.is_some() && *now != before);
        let found = tokio::time::timeout(LED_WITHIN, other).await;
        found.ok().and_then(|now| *now.unwrap())
    }

    /// Sends a node a signal.
    pub(crate) async fn signal(&self, node: usize, name: &str) {
        if let Some(running) = &self.nodes[node].running {
            running.signal(name).await;
        }
    }

    /// Kills a node.
    pub(crate) async fn kill(&mut self, node: usize) {
        if let Some(running) = self.gone(node) {
            running.kill().await;
        }
        self.read_to_the_end(node).await;
    }

    /// Asks a node to end, and waits until it has.
    pub(crate) async fn stop(&mut self, node: usize) {
        if let Some(running) = self.gone(node) {
            let status = running.stop().await;
            self.ended_with(node, status, 0);
        }
        self.read_to_the_end(node).await;
    }

    /// Waits until a node has ended by itself, which is to be with this code.
    pub(crate) async fn ends(&mut self, node: usize, code: i32) {
        if let Some(running) = self.gone(node) {
            let status = running.ended().await;
            self.ended_with(node, status, code);
        }
        self.read_to_the_end(node).await;
    }

    fn ended_with(&mut self, node: usize, status: ExitStatus, code: i32) {
        if status.code() != Some(code) {
            self.count(node, &format!("with {status}"));
        }
    }

    /// Its process; clients find nobody from here on.
    fn gone(&mut self, node: usize) -> Option<Running> {
        self.nodes[node].place.send_replace(None);
        self.nodes[node].running.take()
    }

    async fn read_to_the_end(&mut self, node: usize) {
        if let Some(reading) = self.nodes[node].reading.take() {
            reading.await.unwrap();
        }
    }

    /// Starts again those that have ended, of which none should have by itself.
    pub(crate) async fn is_whole(&mut self) {
        for node in 0..NAMES.len() {
            let reading = self.nodes[node].reading.as_ref();
            if reading.is_none_or(JoinHandle::is_finished) {
                // A leader that was in doubt for long ends in order.
                self.ends(node, 7).await;
                self.run(node).await;
            }
        }
    }

    /// The channel through which other nodes reach this one.
    pub(crate) fn channel(&self, node: usize) -> &Proxy {
        &self.nodes[node].channel
    }

    /// The ways of this node to both databases.
    pub(crate) fn ways(&self, node: usize) -> &[Proxy; 2] {
        &self.nodes[node].databases
    }

    /// A command of the operator, asked of a node; false if it fails.
    pub(crate) async fn asks(&self, node: usize, arguments: &[&str]) -> bool {
        let place = self.nodes[node].place.borrow().clone();
        let Some(place) = place else { return false };
        let at = ["--netconf", &place.netconf];
        let asked = [arguments, &at].concat();
        super::support::process::run(self.folder(node), &asked)
            .await
            .code
            == 0
    }

    /// What nodes have logged last, for whoever looks for a reason.
    pub(crate) fn logged(&self, lines: usize) -> String {
        let mut all = String::new();
        for name in NAMES {
            let log = std::fs::read_to_string(self.logs.path().join(name)).unwrap_or_default();
            let log: Vec<&str> = log.lines().collect();
            let last = log[log.len().saturating_sub(lines)..].join("\n");
            all.push_str(&format!("--- {name}\n{last}\n"));
        }
        all
    }

    // --- Databases

    /// Kills the database that takes writes.
    pub(crate) fn kill_primary(&self) {
        block_in_place(|| self.primary().kill());
    }

    /// Has the standby take writes instead, and await nobody.
    pub(crate) fn promote(&mut self) {
        block_in_place(|| self.standby().promote());
        self.primary = 1 - self.primary;
    }

    /// Gives the primary a new standby in place of the server that was killed, and awaits it.
    pub(crate) fn follow(&mut self) {
        let other = 1 - self.primary;
        block_in_place(|| {
            self.servers[other] = None;
            let standby = self.primary().standby();
            for node in &self.nodes {
                node.databases[other].lead_to(address(&standby));
            }
            self.servers[other] = Some(standby);
            self.primary().awaits_standby();
        });
    }
}

/// It does not lead any more; another may already.
fn left(leader: &watch::Sender<Option<usize>>, node: usize) {
    leader.send_if_modified(|now| {
        let led = *now == Some(node);
        if led {
            *now = None;
        }
        led
    });
}

/// What all folders have alike.
fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if OWN.contains(&&*name) || name.starts_with("convoke.db") {
            continue;
        }
        let to = to.join(&name);
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn url(server: &Server, ports: &[u16]) -> String {
    let places: Vec<String> = ports.iter().map(|it| format!("127.0.0.1:{it}")).collect();
    let (password, places) = (server.password(), places.join(","));
    format!("postgres://convoke:{password}@{places}/{DATABASE}")
}

async fn before(server: &Server) -> Proxy {
    Proxy::before(address(server), 0).await
}

fn address(server: &Server) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, server.port()).into()
}

/// An address at which nobody is.
fn nowhere() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 1).into()
}

/// A port that is free, below those that the system gives to whoever wants any: while a node is down, nobody is
/// given its own.
fn free() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    loop {
        let port = first + NEXT.fetch_add(1, Relaxed);
        let address = (Ipv4Addr::LOCALHOST, port).into();
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}
