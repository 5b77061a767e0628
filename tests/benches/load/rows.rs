//! The rows of the report: the requests, the server, and the target of each.
//!
//! The targets are those of the project's first release, for two shared cores; the report names the
//! machine. Read next: `measure`.

use crate::child::{EXECUTOR, ServerProcess, assignment, assignment_unheard, known_task, proposal};
use crate::machine::{self, load_average};
use crate::measure::{self, Questions, SUBSCRIBE, open_many};
use crate::report::{Aim, Row, Run};
use crate::wire::{WireError, request};
use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::verb::Verb;
use server::ssh::Target;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The amount of load.
pub(crate) struct Scale {
    /// Runs of each row; the median is reported.
    pub(crate) runs: usize,
    /// The duration of a run.
    pub(crate) window: Duration,
    /// Tasks in the store at the beginning.
    pub(crate) tasks: usize,
    /// Ended tasks in the store of the row that asks for those.
    pub(crate) ended: usize,
    /// Sessions of rows with many sessions.
    pub(crate) sessions: usize,
    /// Idle sessions.
    pub(crate) idle: usize,
    /// Subscribed, idle sessions, in total.
    pub(crate) many: usize,
    /// The time for which those are held, in seconds.
    pub(crate) hold_s: u64,
    /// Subscribers.
    pub(crate) subscribers: usize,
    /// Assignments of which subscribers are notified.
    pub(crate) told: usize,
    /// Clients that assign tasks.
    pub(crate) clients: usize,
    /// Repetitions of single measurements.
    pub(crate) times: usize,
    /// Repetitions of single handshakes.
    pub(crate) handshakes: usize,
}

impl Scale {
    /// The full load: about two minutes.
    pub(crate) const FULL: Self = Self {
        runs: 3,
        window: Duration::from_millis(1_500),
        tasks: 10_000,
        ended: 1_000_000,
        sessions: 50,
        idle: 500,
        many: 10_000,
        hold_s: 2,
        subscribers: 100,
        told: 1_000,
        clients: 64,
        times: 15,
        handshakes: 60,
    };
    /// A minimal load that only checks that everything runs, in a debug build as well.
    pub(crate) const SMOKE: Self = Self {
        runs: 1,
        window: Duration::from_millis(100),
        tasks: 200,
        ended: 400,
        sessions: 8,
        idle: 20,
        many: 40,
        hold_s: 1,
        subscribers: 8,
        told: 20,
        clients: 8,
        times: 2,
        handshakes: 3,
    };
}

/// Every row, in order.
pub(crate) const NAMES: [&str; 16] = [
    "connect",
    "connect-50",
    "get",
    "get-50",
    "get-pipelined",
    "get-pipelined-256",
    "get-xpath",
    "get-ended",
    "get-all",
    "query",
    "fan-out",
    "assign",
    "assign-one-commit",
    "negotiate",
    "idle",
    "subscribed",
];

/// The bench: one server with tasks, and the list of acknowledged ones.
pub(crate) struct Bench {
    scale: Scale,
    server: ServerProcess,
    folder: PathBuf,
    acknowledged: Vec<String>,
}

impl Bench {
    /// Starts a server below `folder`.
    pub(crate) fn start(scale: Scale, folder: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let folder = folder.to_owned();
        let server = ServerProcess::start(&folder.join("loaded"), scale.tasks)?;
        Ok(Self {
            scale,
            server,
            folder,
            acknowledged: Vec::new(),
        })
    }

    /// Measures a row.
    pub(crate) async fn row(
        &mut self,
        name: &'static str,
    ) -> Result<Row, Box<dyn std::error::Error>> {
        let tasks = self.scale.tasks;
        let sessions = self.scale.sessions;
        let one = format!("keyed get of 1 of {tasks}, ");
        let mut row = match name {
            "connect" => self.connect().await?,
            "connect-50" => self.connect_at_once().await?,
            "get" => {
                let what = format!("{one}1 session");
                let asked = self.rate(what, &subtree(tasks), 1, 1).await?;
                aim(asked, Aim::AtLeast(15_000.0), Some(0.6))
            }
            "get-50" => {
                let what = format!("{one}{sessions} sessions");
                let asked = self.rate(what, &subtree(tasks), sessions, 1).await?;
                aim(asked, Aim::AtLeast(20_000.0), None)
            }
            "get-pipelined" => {
                let what = format!("{one}16 in flight");
                let asked = self.rate(what, &subtree(tasks), 1, 16).await?;
                aim(asked, Aim::AtLeast(60_000.0), None)
            }
            "get-pipelined-256" => {
                let what = format!("{one}256 in flight");
                let asked = self.rate(what, &subtree(tasks), 1, 256).await?;
                aim(asked, Aim::AtLeast(60_000.0), None)
            }
            "get-xpath" => {
                let what = format!("XPath get of 1 of {tasks}, 1 session");
                let asked = self.rate(what, &xpath(tasks), 1, 1).await?;
                aim(asked, Aim::AtLeast(15_000.0), None)
            }
            "get-ended" => self.get_ended().await?,
            "get-all" => self.get_all().await?,
            "query" => {
                let what = "taskResultQuery, 1 session".to_owned();
                let asked = self.rate(what, &query(tasks), 1, 1).await?;
                aim(asked, Aim::AtLeast(10_000.0), None)
            }
            "fan-out" => self.fan_out().await?,
            "assign" => {
                let what = "durable assignments";
                let row = self.assign(what, assignment).await?;
                aim(row, Aim::AtLeast(20_000.0), None)
            }
            // What remains where the answer is not a commit of its own: the difference is its price.
            "assign-one-commit" => {
                let what = "the same, to an agent that is not there (one commit)";
                self.assign(what, assignment_unheard).await?
            }
            "negotiate" => self.negotiate().await?,
            "idle" => self.idle().await?,
            "subscribed" => self.subscribed().await?,
            other => return Err(format!("no row is called {other}").into()),
        };
        row.name = name.into();
        row.load = load_average();
        Ok(row)
    }

    /// Kills the server and opens its store: every acknowledged task must be there. Returns their
    /// number.
    pub(crate) fn check_store(self) -> Result<usize, Box<dyn std::error::Error>> {
        self.server.kill();
        let path = self.folder.join("loaded/convoke.db");
        let options = store::Options {
            keys: Some(server::master_key::keeper(
                &self.folder.join("loaded/store_key"),
                None,
            )?),
            ..store::Options::file(path)
        };
        let (_, found) = store::Store::open(options, Box::new(|_| {}))?;
        let found: BTreeSet<&str> = found.tasks.iter().map(|t| t.id.as_str()).collect();
        let acknowledged = self.acknowledged.iter();
        let lost: Vec<_> = acknowledged
            .filter(|id| !found.contains(id.as_str()))
            .collect();
        match lost.first() {
            None => Ok(self.acknowledged.len()),
            Some(id) => Err(format!(
                "{} acknowledged tasks are lost, the first of them {id}",
                lost.len()
            )
            .into()),
        }
    }

    async fn rate(
        &self,
        what: String,
        questions: &Questions,
        sessions: usize,
        depth: usize,
    ) -> Result<Row, WireError> {
        let (platform, echo) = (self.server.target(false), self.server.target(true));
        let plain = questions.answered_ok();
        let mut row = row(what, "requests/s");
        for _ in 0..self.scale.runs {
            let window = self.scale.window;
            row.runs
                .push(measure::load(&platform, questions, sessions, depth, window).await?);
            row.beside
                .push(measure::load(&echo, &plain, sessions, depth, window).await?);
        }
        Ok(row)
    }

    /// Measures gets of ended tasks of which hardly any is in memory, on a server of its own.
    async fn get_ended(&self) -> Result<Row, Box<dyn std::error::Error>> {
        let (ended, sessions) = (self.scale.ended, self.scale.sessions);
        let mut row = row(
            format!("keyed get of 1 of {ended} ended tasks, {sessions} sessions"),
            "requests/s",
        );
        let server = ServerProcess::start(&self.folder.join("ended"), ended)?;
        let (platform, echo) = (server.target(false), server.target(true));
        let window = self.scale.window;
        for turn in 0..self.scale.runs {
            // Each run asks for others, so that none has been read before.
            let questions = subtrees(other_tasks(ended, turn));
            row.runs
                .push(measure::load(&platform, &questions, sessions, 1, window).await?);
            let plain = questions.answered_ok();
            row.beside
                .push(measure::load(&echo, &plain, sessions, 1, window).await?);
        }
        Ok(aim(row, Aim::AtLeast(20_000.0), None))
    }

    async fn connect(&self) -> Result<Row, WireError> {
        let mut row = row("connect to hello".to_owned(), "ms");
        for _ in 0..self.scale.runs {
            let times = self.scale.handshakes;
            row.runs
                .push(measure::connect(&self.server.target(false), times).await?);
            row.beside
                .push(measure::connect(&self.server.target(true), times).await?);
        }
        Ok(aim(row, Aim::AtMost(4.0), None))
    }

    async fn connect_at_once(&self) -> Result<Row, WireError> {
        let sessions = self.scale.sessions;
        let mut row = row(
            format!("{sessions} connect at once, until the last hello"),
            "ms",
        );
        for _ in 0..self.scale.runs {
            row.runs
                .push(measure::connect_at_once(&self.server.target(false), sessions).await?);
            row.beside
                .push(measure::connect_at_once(&self.server.target(true), sessions).await?);
        }
        Ok(aim(row, Aim::AtMost(200.0), None))
    }

    async fn get_all(&self) -> Result<Row, WireError> {
        let tasks = self.scale.tasks;
        let mut row = row(format!("get of all {tasks} tasks"), "ms");
        let operation = "<get><filter type=\"subtree\"><registry xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\"><task/></registry></filter></get>";
        for _ in 0..self.scale.runs {
            let target = self.server.target(false);
            let times = self.scale.times;
            let (run, bytes) = measure::single(&target, operation, tasks * 300, times).await?;
            row.runs.push(run);
            row.note = Some(format!("a reply of {:.1} MB", bytes as f64 / 1e6));
        }
        Ok(aim(row, Aim::AtMost(30.0), None))
    }

    async fn fan_out(&self) -> Result<Row, WireError> {
        let (subscribers, told) = (self.scale.subscribers, self.scale.told);
        let what = format!("notifications to {subscribers} subscribers");
        let mut row = row(what, "deliveries/s");
        for turn in 0..self.scale.runs {
            let (target, name) = (self.server.target(false), format!("told-{turn}"));
            row.runs
                .push(measure::fan_out(&target, subscribers, told, &name).await?);
        }
        row.note = Some(format!(
            "{told} assignments sent at once on one session, two notifications each; from the \
             first request to the last delivery"
        ));
        Ok(aim(row, Aim::AtLeast(200_000.0), None))
    }

    async fn assign(
        &mut self,
        what: &str,
        assignment: measure::Operation,
    ) -> Result<Row, WireError> {
        let clients = self.scale.clients;
        let mut row = row(format!("{what}, {clients} clients × 8"), "tasks/s");
        for turn in 0..self.scale.runs {
            let (before, cpu) = (self.server.store_work()?, self.server.cpu_s());
            let own = machine::cpu_s("self");
            let (target, window) = (self.server.target(false), self.scale.window);
            let name = format!("load-{}-{turn}", self.acknowledged.len());
            let (run, names) =
                measure::tasks(&target, assignment, clients, 8, window, &name).await?;
            row.runs.push(run);
            let after = self.server.store_work()?;
            let each_us = |seconds: f64| seconds * 1e6 / names.len() as f64;
            row.costs = vec![
                ("rows", each_us(after.writing_s - before.writing_s)),
                ("commit", each_us(after.committing_s - before.committing_s)),
                ("leader", each_us(self.server.cpu_s() - cpu)),
                ("client", each_us(machine::cpu_s("self") - own)),
            ];
            let groups = (after.transactions - before.transactions) as f64;
            row.note = Some(format!(
                "{:.0} to a commit; for each, the writer needs {:.0} µs for its rows and {:.0} µs \
                 of its share of the fsync; all of the server {:.0} µs of processor time \
                 (handshakes included)",
                names.len() as f64 / groups,
                each_us(after.writing_s - before.writing_s),
                each_us(after.committing_s - before.committing_s),
                each_us(self.server.cpu_s() - cpu),
            ));
            self.acknowledged.extend(names);
        }
        Ok(row)
    }

    async fn negotiate(&self) -> Result<Row, WireError> {
        let clients = self.scale.clients;
        let what = format!("durable rounds of negotiation, {clients} clients × 8");
        let mut row = row(what, "rounds/s");
        for turn in 0..self.scale.runs {
            let (target, window) = (self.server.target(false), self.scale.window);
            let name = format!("asked-{turn}");
            let rounds = measure::tasks(&target, proposal, clients, 8, window, &name);
            row.runs.push(rounds.await?.0);
        }
        row.note = Some("a proposal and its answer: a turn of each side is one round".to_owned());
        Ok(row)
    }

    /// Measures the memory of open, idle sessions, on fresh servers.
    async fn idle(&self) -> Result<Row, Box<dyn std::error::Error>> {
        let idle = self.scale.idle;
        let mut row = row(format!("memory of each of {idle} idle sessions"), "kB");
        for turn in 0..self.scale.runs {
            let folder = self.folder.join(format!("idle-{turn}"));
            let (bytes, busy) = idle_sessions(&folder, idle, false).await?;
            row.runs.push(bytes);
            row.note = Some(format!(
                "the server used {:.1} % of a core meanwhile",
                busy * 100.0
            ));
            let folder = self.folder.join(format!("idle-echo-{turn}"));
            row.beside.push(idle_sessions(&folder, idle, true).await?.0);
        }
        Ok(aim(row, Aim::AtMost(60.0), None))
    }

    /// Measures the memory of a server with a large number of idle subscribers, of ten users.
    async fn subscribed(&self) -> Result<Row, Box<dyn std::error::Error>> {
        const USERS: usize = 10;
        let many = self.scale.many;
        let mut row = row(format!("memory with {many} sessions, subscribed"), "MiB");
        let server = ServerProcess::start(&self.folder.join("subscribed"), 0)?;
        let (begun, mut most) = (Instant::now(), 0.0_f64);
        let mut wires = Vec::with_capacity(many);
        for number in 0..USERS {
            let target = server.target_of(&user(number))?;
            wires.extend(open_many(&target, many / USERS).await?);
        }
        let opened = begun.elapsed();
        for wire in &mut wires {
            wire.call(&request(1, SUBSCRIBE)).await?;
        }
        // What they hold in the end, of however long they are held.
        for _ in 0..self.scale.hold_s {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let resident = server.resident_bytes() as f64 / f64::from(1 << 20);
            most = most.max(resident);
        }
        row.runs.push(Run {
            value: most,
            latencies: Vec::new(),
        });
        row.note = Some(format!(
            "{USERS} users; let in within {:.1} s, one user after the other",
            opened.as_secs_f64()
        ));
        Ok(aim(row, Aim::AtMost(1_024.0), None))
    }
}

/// The name of a user without any rights of its own.
fn user(number: usize) -> String {
    format!("user-{number}")
}

/// The memory per session in KiB, and the processor share of the server meanwhile.
async fn idle_sessions(
    folder: &Path,
    sessions: usize,
    echo: bool,
) -> Result<(Run, f64), Box<dyn std::error::Error>> {
    const REST: Duration = Duration::from_millis(500);
    let server = ServerProcess::start(folder, 0)?;
    let target: Target = server.target(echo);
    // Threads, caches and tables are there after the first few.
    drop(open_many(&target, 10).await?);
    tokio::time::sleep(REST).await;
    let before = server.resident_bytes();
    let wires = open_many(&target, sessions).await?;
    tokio::time::sleep(REST).await;
    let after = server.resident_bytes();
    let cpu_before = server.cpu_s();
    tokio::time::sleep(2 * REST).await;
    let busy = (server.cpu_s() - cpu_before) / (2 * REST).as_secs_f64();
    drop(wires);
    let run = Run {
        value: after.saturating_sub(before) as f64 / sessions as f64 / 1e3,
        latencies: Vec::new(),
    };
    Ok((run, busy))
}

fn row(what: String, unit: &'static str) -> Row {
    Row {
        name: "".into(),
        what,
        unit,
        aim: Aim::None,
        runs: Vec::new(),
        rival: "echo",
        beside: Vec::new(),
        share: None,
        load: f64::NAN,
        note: None,
        costs: Vec::new(),
    }
}

fn aim(row: Row, aim: Aim, share: Option<f64>) -> Row {
    Row { aim, share, ..row }
}

/// Tasks spread over the list, in a scattered order.
fn some_tasks(tasks: usize) -> impl Iterator<Item = String> {
    (0..256).map(move |n: usize| known_task(n.wrapping_mul(7_919) % tasks))
}

/// So many tasks spread over the list that a run asks for none twice, in a scattered order.
fn other_tasks(tasks: usize, turn: usize) -> impl Iterator<Item = String> {
    const ASKED_MOST: usize = 100_000;
    // A prime that divides none of the scales: each number comes once.
    let place = move |n: usize| n.wrapping_mul(611_953) % tasks;
    let first = turn * ASKED_MOST;
    (first..first + ASKED_MOST.min(tasks)).map(move |n| known_task(place(n)))
}

fn subtree(tasks: usize) -> Questions {
    subtrees(some_tasks(tasks))
}

fn subtrees(ids: impl Iterator<Item = String>) -> Questions {
    Questions::new(ids.map(|id| {
        let operation = format!(
            "<get><filter type=\"subtree\"><registry xmlns=\"urn:convoke:params:xml:ns:yang:convoke-registry\"><task><task-id>{id}</task-id></task></registry></filter></get>"
        );
        (operation, format!("<task-id>{id}</task-id>"))
    }))
}

fn xpath(tasks: usize) -> Questions {
    Questions::new(some_tasks(tasks).map(|id| {
        let operation = format!(
            "<get><filter type=\"xpath\" xmlns:r=\"urn:convoke:params:xml:ns:yang:convoke-registry\" select=\"/r:registry/r:task[r:task-id='{id}']\"/></get>"
        );
        (operation, format!("<task-id>{id}</task-id>"))
    }))
}

fn query(tasks: usize) -> Questions {
    Questions::new(some_tasks(tasks).map(|id| {
        let request = NegotiateRequest {
            to: Some(EXECUTOR),
            task: Some(&id),
            ..NegotiateRequest::default()
        };
        let operation = negotiate_request(Verb::TaskResultQuery, &request);
        (operation, format!("<task-id>{id}</task-id>"))
    }))
}
