//! What is measured: nodes of a platform on one PostgreSQL, and a platform alone on SQLite.
//!
//! Real processes of `convoke serve`, on loopback, with nothing in between. How safe a commit is, the database is told
//! while they run, since one that may lose what it has acknowledged is refused at a start. Knows who leads by
//! what nodes print. Read next: `rows`.

use crate::away::{self, target};
use crate::child::AWAY;
use crate::machine;
use crate::raw::Database;
use crate::support::process::{Running, run};
use crate::wire::{Wire, WireError, find, request};
use serde_json::Value;
use server::ssh::Target;
use std::error::Error;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use testkit::postgres::{Server, Setting};
use tokio::sync::watch;
use tokio::time::timeout;

/// The names of the nodes.
pub(crate) const NAMES: [&str; 3] = ["a", "b", "c"];

/// What a node has for itself.
const OWN: [&str; 3] = ["known_hosts", "store_head", "lock"];

/// The time for a node to lead.
const LED_WITHIN: Duration = Duration::from_secs(60);

/// What is measured is the road, and not where one user's part of it ends.
const UNBOUNDED: &str =
    "[limits.users.operator]\ntasks-open = 10000000\nheld-mib = 65536\nwrite-mib-s = 65536\n";

/// How safe a commit is when it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Safety {
    /// In the memory of the database: `synchronous_commit = off`.
    Memory,
    /// On its disk.
    Disk,
    /// On its disk and on that of a synchronous standby.
    Standby,
}

/// Who has spent how much.
pub(crate) type Spent = Vec<(&'static str, f64)>;

/// A platform that runs.
pub(crate) struct Platform {
    running: Running,
    folder: TempDir,
}

impl Platform {
    /// One process, on SQLite.
    pub(crate) async fn alone() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        std::fs::write(folder.path().join("convoke.toml"), UNBOUNDED)?;
        let running = Running::serve(folder.path()).await;
        Ok(Self { running, folder })
    }

    /// Its database.
    pub(crate) fn database(&self) -> Database {
        Database::Sqlite(self.folder.path().join("convoke.db"))
    }

    /// The operator's way to it.
    pub(crate) fn target(&self) -> Target {
        target(&self.running)
    }

    /// Processor time so far, in seconds: of the platform, and of the clients.
    pub(crate) fn spent(&self) -> Spent {
        vec![
            ("leader", self.running.cpu_time().as_secs_f64()),
            ("client", machine::cpu_s("self")),
        ]
    }

    /// Registers the agent that is not there.
    pub(crate) async fn register_away(&self) -> Result<(), Box<dyn Error>> {
        away::register(&self.running, &[AWAY.to_owned()]).await
    }
}

/// A node, running or not.
struct Node {
    folder: TempDir,
    running: Option<Running>,
}

/// Three nodes on one database.
pub(crate) struct Cluster {
    // They end before what they stand on.
    nodes: Vec<Node>,
    standby: Option<Server>,
    server: Server,
    leader: watch::Sender<Option<usize>>,
    ttl_s: u64,
}

impl Cluster {
    /// Starts a database and the nodes. None without PostgreSQL.
    pub(crate) async fn start(ttl_s: u64) -> Result<Option<Self>, Box<dyn Error>> {
        let setting = Setting {
            fsync: true,
            tls: false,
        };
        let Some(server) = Server::start(&setting) else {
            return Ok(None);
        };
        server.say("CREATE DATABASE convoke TEMPLATE template0");
        let mut nodes = Vec::new();
        for _ in NAMES {
            let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
            nodes.push(Node {
                folder,
                running: None,
            });
        }
        let mut cluster = Self {
            server,
            standby: None,
            nodes,
            leader: watch::Sender::new(None),
            ttl_s,
        };
        cluster.run(0).await?;
        cluster.led_by_other_than(None).await?;
        cluster.register_away().await?;
        for other in 1..NAMES.len() {
            copy(cluster.folder(0), cluster.folder(other))?;
            cluster.run(other).await?;
        }
        Ok(Some(cluster))
    }

    fn folder(&self, node: usize) -> &Path {
        self.nodes[node].folder.path()
    }

    fn url(&self) -> String {
        let (password, port) = (self.server.password(), self.server.port());
        format!("postgres://convoke:{password}@127.0.0.1:{port}/convoke")
    }

    /// Its database, over so many connections.
    pub(crate) async fn database(&self, connections: usize) -> Result<Database, Box<dyn Error>> {
        Database::postgres(&self.url(), connections).await
    }

    /// Has commits be so safe from now on.
    pub(crate) fn commits(&mut self, safety: Safety) {
        let word = if safety == Safety::Memory {
            "off"
        } else {
            "on"
        };
        self.server
            .say(&format!("ALTER SYSTEM SET synchronous_commit = {word}"));
        self.server.say("SELECT pg_reload_conf()");
        if safety == Safety::Standby && self.standby.is_none() {
            self.standby = Some(self.server.standby());
            self.server.awaits_standby();
        }
    }

    /// Starts a node that does not run.
    pub(crate) async fn run(&mut self, node: usize) -> Result<(), Box<dyn Error>> {
        let settings = format!("[cluster]\nttl-s = {}\n{UNBOUNDED}", self.ttl_s);
        std::fs::write(self.folder(node).join("convoke.toml"), settings)?;
        let (url, listen) = (self.url(), "127.0.0.1:0");
        let arguments = [
            "serve",
            "--store",
            &url,
            "--node",
            NAMES[node],
            "--cluster-listen",
            listen,
        ];
        // What it logs of a database that is killed is not what is asked for.
        let started = Running::attempt(self.folder(node), &arguments, &[], Stdio::null()).await;
        let mut running = started.ok_or("a node does not start")?;
        let (mut output, leader) = (running.output(), self.leader.clone());
        tokio::spawn(async move {
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
        self.nodes[node].running = Some(running);
        Ok(())
    }

    /// Kills a node.
    pub(crate) async fn kill(&mut self, node: usize) {
        if let Some(running) = self.nodes[node].running.take() {
            running.kill().await;
        }
    }

    /// Who leads, if it is known.
    pub(crate) fn leads(&self) -> Option<usize> {
        *self.leader.borrow()
    }

    /// Who leads, once that is another than `before`.
    pub(crate) async fn led_by_other_than(
        &self,
        before: Option<usize>,
    ) -> Result<usize, Box<dyn Error>> {
        let mut leader = self.leader.subscribe();
        let other = leader.wait_for(|now| now.is_some() && *now != before);
        let now = *timeout(LED_WITHIN, other).await??;
        Ok(now.expect("it was waited for"))
    }

    /// The nodes, the one that leads first.
    pub(crate) async fn in_order(&self) -> Result<Vec<usize>, Box<dyn Error>> {
        let leader = self.led_by_other_than(None).await?;
        Ok((0..NAMES.len())
            .map(|place| (leader + place) % NAMES.len())
            .collect())
    }

    /// The operator's way to a node that runs.
    pub(crate) fn target(&self, node: usize) -> Target {
        target(self.running(node))
    }

    fn running(&self, node: usize) -> &Running {
        self.nodes[node].running.as_ref().expect("it runs")
    }

    /// Processor time so far, in seconds: of the node that leads, of the others, of the database with its standby,
    /// and of the clients.
    pub(crate) fn spent(&self, leader: usize) -> Spent {
        let cpu_s = |node: usize| self.running(node).cpu_time().as_secs_f64();
        let others = (0..NAMES.len()).filter(|node| *node != leader);
        let databases = std::iter::once(&self.server).chain(&self.standby);
        vec![
            ("leader", cpu_s(leader)),
            ("others", others.map(cpu_s).sum()),
            ("database", databases.map(database_s).sum()),
            ("client", machine::cpu_s("self")),
        ]
    }

    /// Registers the agent that is not there, for as long as a lease lasts.
    pub(crate) async fn register_away(&self) -> Result<(), Box<dyn Error>> {
        let leader = self.led_by_other_than(None).await?;
        away::register(self.running(leader), &[AWAY.to_owned()]).await
    }

    /// A command of the operator, asked of a node.
    pub(crate) async fn asks(&self, node: usize, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
        let at = ["--netconf", self.running(node).address()];
        let finished = run(self.folder(node), &[arguments, &at].concat()).await;
        match finished.code {
            0 => Ok(()),
            code => Err(format!("{arguments:?} ended with {code}: {}", finished.stderr).into()),
        }
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
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if OWN.iter().any(|own| name == *own) {
            continue;
        }
        let to = to.join(&name);
        if entry.file_type()?.is_dir() {
            std::fs::create_dir_all(&to)?;
            copy(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// What the store of whoever leads has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    /// Changes that were stored.
    pub(crate) changes: u64,
    /// The transactions that they took.
    pub(crate) commits: u64,
    /// Microseconds in which rows were written.
    pub(crate) rows_us: u64,
    /// Microseconds in commits.
    pub(crate) commit_us: u64,
}

/// Asks for it. A session that begins or ends is a change as well, so one asks for all.
pub(crate) async fn work(wire: &mut Wire) -> Result<Work, WireError> {
    let asked = "<get><filter type=\"subtree\"><usage \
        xmlns=\"urn:convoke:params:xml:ns:yang:convoke-usage\"><store/></usage></filter></get>";
    let reply = wire.call(&request(1, asked)).await?;
    let leaf = |name: &str| {
        let begin = find(reply, format!("<{name}>").as_bytes())? + name.len() + 2;
        let length = reply[begin..].iter().position(|byte| *byte == b'<')?;
        let text = std::str::from_utf8(&reply[begin..begin + length]).ok()?;
        text.parse().ok()
    };
    let found = || {
        Some(Work {
            changes: leaf("changes")?,
            commits: leaf("commits")?,
            rows_us: leaf("write-time")?,
            commit_us: leaf("commit-time")?,
        })
    };
    found().ok_or_else(|| WireError::Unexpected(String::from_utf8_lossy(reply).into_owned()))
}

/// Processor time of a server of PostgreSQL and of all its processes, in seconds.
fn database_s(server: &Server) -> f64 {
    let file = server.folder().join("data/postmaster.pid");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = all.filter_map(|entry| entry.file_name().into_string().ok());
    let is_of_it = |process: &String| process == first || parent(process) == first;
    names
        .filter(is_of_it)
        .map(|process| machine::cpu_s(&process))
        .sum()
}

/// The process that started this one; empty if it is gone.
fn parent(process: &str) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    fields
        .split_whitespace()
        .nth(1)
        .unwrap_or_default()
        .to_owned()
}
