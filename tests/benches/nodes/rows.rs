//! What is measured, in which order, and what is aimed at.
//!
//! Assignments are those of the bench `load`, to an agent that is not there (one commit) and to one that answers (two).
//! Beside each run stand raw inserts of the rows that it left behind, into the same database right after it. Read
//! next: `raw`, `takeover`, `feed`.

use crate::child::{assignment, assignment_unheard};
use crate::cluster::{Cluster, Platform, Safety, Spent, Work, work};
use crate::measure::{self, Operation, Questions, open_many};
use crate::raw::Database;
use crate::report::{Aim, Row, Run};
use crate::wire::Wire;
use crate::{feed, takeover};
use server::ssh::{Connector, Target};
use std::error::Error;
use std::fmt::Write as _;
use std::time::Duration;

/// The parts, as `--only` takes them.
pub(crate) const PARTS: [&str; 6] = [
    "sqlite",
    "assign",
    "writers",
    "latency",
    "take-over",
    "feed",
];

/// How many leaders might write beside each other.
const WRITERS: [usize; 2] = [2, 4];

/// The share of raw inserts that is aimed at with a synchronous standby.
const SHARE: f64 = 0.6;

/// The two kinds of assignments: a word, what it is, and the request.
const KINDS: [(&str, &str, Operation); 2] = [
    ("once", "one commit", assignment_unheard),
    ("answered", "two commits", assignment),
];

/// How much is measured.
pub(crate) struct Scale {
    /// Runs of each row; the median is told.
    runs: usize,
    /// The duration of a run.
    window: Duration,
    /// Clients that assign, together.
    clients: usize,
    /// Requests that each has in flight.
    depth: usize,
    /// How often the lead is taken over, of each kind.
    pub(crate) takeovers: usize,
    /// Events a second of which a subscriber is told.
    pub(crate) rates: &'static [u32],
    /// For how long.
    pub(crate) fed: Duration,
    /// The time of the lease in seconds.
    ttl_s: u64,
}

impl Scale {
    /// Some four minutes.
    pub(crate) const FULL: Self = Self {
        runs: 3,
        window: Duration::from_secs(3),
        clients: 63,
        depth: 8,
        takeovers: 5,
        rates: &[100, 1_000, 2_500, 5_000, 10_000],
        fed: Duration::from_secs(5),
        ttl_s: 6,
    };
    /// Only whether everything runs.
    pub(crate) const SMOKE: Self = Self {
        runs: 1,
        window: Duration::from_millis(200),
        clients: 6,
        depth: 2,
        takeovers: 1,
        rates: &[100],
        fed: Duration::from_millis(500),
        ttl_s: 3,
    };
}

/// A bench, and who is told of each row.
pub(crate) struct Bench<T> {
    scale: Scale,
    tell: T,
}

impl<T: FnMut(Row)> Bench<T> {
    pub(crate) fn new(scale: Scale, tell: T) -> Self {
        Self { scale, tell }
    }

    /// Assignments to a platform alone, on SQLite.
    pub(crate) async fn sqlite(&mut self) -> Result<(), Box<dyn Error>> {
        let platform = Platform::alone().await?;
        platform.register_away().await?;
        let (target, database) = (platform.target(), platform.database());
        for (kind, what, operation) in KINDS {
            let row = row(format!("sqlite-{kind}"), format!("SQLite, alone, {what}"));
            let row = self
                .assigned(
                    row,
                    std::slice::from_ref(&target),
                    &database,
                    operation,
                    &|| platform.spent(),
                )
                .await?;
            (self.tell)(row);
        }
        Ok(())
    }

    /// Everything that needs nodes.
    pub(crate) async fn nodes(
        &mut self,
        wants: impl Fn(&str) -> bool,
    ) -> Result<(), Box<dyn Error>> {
        let Some(mut cluster) = Cluster::start(self.scale.ttl_s).await? else {
            return Ok(());
        };
        let levels = [
            (Safety::Memory, "pg-off", "PostgreSQL, asynchronous"),
            (Safety::Disk, "pg-local", "PostgreSQL, its disk"),
            (
                Safety::Standby,
                "pg-standby",
                "PostgreSQL, synchronous standby",
            ),
        ];
        for (safety, name, what) in levels {
            cluster.commits(safety);
            if wants("assign") {
                self.assigned_at(&cluster, safety, (name, what)).await?;
            }
        }
        if wants("writers") {
            self.writers(&cluster).await?;
        }
        // Only these leave tasks open.
        if wants("take-over") && wants("assign") {
            self.taken_over(&mut cluster, "-loaded").await?;
        }
        drop(cluster);
        if !["latency", "take-over", "feed"]
            .iter()
            .any(|part| wants(part))
        {
            return Ok(());
        }
        let Some(mut cluster) = Cluster::start(self.scale.ttl_s).await? else {
            return Ok(());
        };
        cluster.commits(Safety::Standby);
        cluster.register_away().await?;
        if wants("take-over") {
            self.taken_over(&mut cluster, "").await?;
        }
        if wants("latency") {
            self.latency(&cluster).await?;
        }
        if wants("feed") {
            for rate in self.scale.rates {
                (self.tell)(feed::told(&cluster, *rate, self.scale.fed).await?);
            }
        }
        Ok(())
    }

    async fn assigned_at(
        &mut self,
        cluster: &Cluster,
        safety: Safety,
        (name, what): (&str, &str),
    ) -> Result<(), Box<dyn Error>> {
        cluster.register_away().await?;
        let database = cluster.database(1).await?;
        let order = cluster.in_order().await?;
        let targets: Vec<Target> = order.iter().map(|node| cluster.target(*node)).collect();
        let spent = || cluster.spent(order[0]);
        for (kind, commits, operation) in KINDS {
            for nodes in [1, targets.len()] {
                let what = format!("{what}, clients at {nodes} of 3, {commits}");
                let mut row = row(format!("{name}-{nodes}-{kind}"), what);
                row.share = (safety == Safety::Standby).then_some(SHARE);
                let row = self
                    .assigned(row, &targets[..nodes], &database, operation, &spent)
                    .await?;
                (self.tell)(row);
            }
        }
        Ok(())
    }

    /// Assigns at these places, of which the first leads.
    async fn assigned(
        &self,
        mut row: Row,
        targets: &[Target],
        database: &Database,
        operation: Operation,
        spent: &dyn Fn() -> Spent,
    ) -> Result<Row, Box<dyn Error>> {
        let Scale { window, depth, .. } = self.scale;
        let mut looks = Wire::open(&Connector::default(), &targets[0]).await?;
        for turn in 0..self.scale.runs {
            let mut wires = Vec::new();
            for target in targets {
                wires.extend(open_many(target, self.scale.clients / targets.len()).await?);
            }
            let (marks, before) = (database.marks().await?, work(&mut looks).await?);
            let (name, before_s) = (format!("{}-{turn}", row.name), spent());
            let (run, names) = measure::tasks_over(wires, operation, depth, window, &name).await?;
            let after = settled(&mut looks).await?;
            let after_s = spent();
            let (changes, transactions) = (
                after.changes - before.changes,
                after.commits - before.commits,
            );
            let each = |us: f64| us / names.len() as f64;
            row.costs = vec![
                ("rows", each((after.rows_us - before.rows_us) as f64)),
                ("commit", each((after.commit_us - before.commit_us) as f64)),
            ];
            for ((of, after_s), (_, before_s)) in after_s.into_iter().zip(before_s) {
                row.costs.push((of, each((after_s - before_s) * 1e6)));
            }
            let raw = database.insert(&marks, transactions).await?;
            if raw.tasks < names.len() {
                let (kept, acknowledged) = (raw.tasks, names.len());
                return Err(format!("{kept} tasks are kept, of {acknowledged}").into());
            }
            row.runs.push(run);
            row.beside
                .push(Run::rate(raw.tasks, raw.elapsed, Vec::new()));
            row.note = Some(format!(
                "{:.0} changes to a commit, {:.1} rows of a task",
                changes as f64 / transactions as f64,
                raw.rows as f64 / raw.tasks as f64,
            ));
        }
        Ok(row)
    }

    /// How long it takes to take over what is there.
    async fn taken_over(
        &mut self,
        cluster: &mut Cluster,
        kind: &str,
    ) -> Result<(), Box<dyn Error>> {
        let database = cluster.database(1).await?;
        while !database.rules_agree().await? {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let open = database.open_tasks().await?;
        for mut row in takeover::rows(cluster, &self.scale).await? {
            row.name.to_mut().push_str(kind);
            write!(row.what, ", {open} tasks open")?;
            (self.tell)(row);
        }
        Ok(())
    }

    /// What several leaders could gain at one database, if they cost nothing: raw inserts over several connections
    /// beside those over one.
    async fn writers(&mut self, cluster: &Cluster) -> Result<(), Box<dyn Error>> {
        cluster.register_away().await?;
        let leader = cluster.target(cluster.in_order().await?[0]);
        let mut looks = Wire::open(&Connector::default(), &leader).await?;
        let one = cluster.database(1).await?;
        let (marks, before) = (one.marks().await?, work(&mut looks).await?);
        let Scale { window, depth, .. } = self.scale;
        let wires = open_many(&leader, self.scale.clients).await?;
        measure::tasks_over(wires, assignment_unheard, depth, window, "writers").await?;
        let transactions = settled(&mut looks).await?.commits - before.commits;
        for writers in WRITERS {
            let several = cluster.database(writers).await?;
            let what =
                format!("raw inserts over {writers} connections, PostgreSQL, synchronous standby");
            let mut row = row(format!("raw-{writers}"), what);
            for _ in 0..self.scale.runs {
                for (database, runs) in [(&one, &mut row.beside), (&several, &mut row.runs)] {
                    let raw = database.insert(&marks, transactions).await?;
                    runs.push(Run::rate(raw.tasks, raw.elapsed, Vec::new()));
                }
            }
            row.rival = "one";
            (self.tell)(row);
        }
        Ok(())
    }

    /// One request at a time, at the node that leads and at another.
    async fn latency(&mut self, cluster: &Cluster) -> Result<(), Box<dyn Error>> {
        cluster.register_away().await?;
        let order = cluster.in_order().await?;
        let [local, forwarded] = [order[0], order[1]].map(|node| cluster.target(node));
        let places = [
            (&local, "local", "the node that leads"),
            (&forwarded, "forwarded", "another"),
        ];
        let mut at_leader = [Vec::new(), Vec::new()];
        for (target, place, whose) in places {
            let mut rows = [
                ("assign", "an assignment, one commit"),
                ("get", "a keyed get"),
            ]
            .map(|(name, what)| Row {
                unit: "ms",
                rival: "local",
                ..row(
                    format!("{name}-{place}"),
                    format!("{what}, 1 session at {whose}"),
                )
            });
            for turn in 0..self.scale.runs {
                let (name, window) = (format!("one-{place}-{turn}"), self.scale.window);
                let (run, names) =
                    measure::tasks(target, assignment_unheard, 1, 1, window, &name).await?;
                let task = names.first().ok_or("nothing was assigned")?;
                let got = measure::load(target, &question(task), 1, 1, window).await?;
                for (row, run) in rows.iter_mut().zip([run, got]) {
                    row.runs.push(run.median_ms());
                }
            }
            for (row, at_leader) in rows.iter_mut().zip(&mut at_leader) {
                match place {
                    "local" => at_leader.clone_from(&row.runs),
                    _ => row.beside.clone_from(at_leader),
                }
            }
            rows.into_iter().for_each(&mut self.tell);
        }
        Ok(())
    }
}

/// What the store has done once it does no more.
async fn settled(looks: &mut Wire) -> Result<Work, Box<dyn Error>> {
    let mut before = work(looks).await?;
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = work(looks).await?;
        if now == before {
            return Ok(now);
        }
        before = now;
    }
}

fn question(task: &str) -> Questions {
    let operation = crate::support::talk::get_task(task);
    Questions::new([(operation, format!("<task-id>{task}</task-id>"))])
}

/// A row without figures, of tasks a second beside raw inserts.
pub(crate) fn row(name: String, what: String) -> Row {
    Row {
        name: name.into(),
        what,
        unit: "tasks/s",
        aim: Aim::None,
        runs: Vec::new(),
        rival: "raw",
        beside: Vec::new(),
        share: None,
        load: f64::NAN,
        note: None,
        costs: Vec::new(),
    }
}
