//! How long nobody is answered when the lead is taken over: after a kill, and when it is handed over.
//!
//! One session at a node that does not lead asks again and again; it stays, and its question waits for the
//! next leader. Read next: `rows`.

use crate::cluster::{Cluster, NAMES};
use crate::measure::median_ms;
use crate::report::{Aim, Row, Run};
use crate::rows::{Scale, row};
use crate::support::talk::get_agent;
use crate::wire::{Wire, request};
use server::ssh::Connector;
use std::error::Error;
use std::time::{Duration, Instant};

/// What is aimed at: the first answer after a kill, with a lease of 6 s, and on a drain.
const AIMS: [f64; 2] = [8_000.0, 1_000.0];

/// How often somebody is asked.
const PAUSE: Duration = Duration::from_millis(2);

/// All rows of this kind.
pub(crate) async fn rows(cluster: &mut Cluster, scale: &Scale) -> Result<Vec<Row>, Box<dyn Error>> {
    let what = [
        (
            "take-over-killed",
            "kill -9 of the leader to the first answer",
        ),
        (
            "take-over-drained",
            "drain asked to the first answer of the next",
        ),
        ("pause-drained", "the longest wait for an answer meanwhile"),
    ];
    let mut rows = what.map(|(name, what)| Row {
        unit: "ms",
        ..row(name.to_owned(), what.to_owned())
    });
    rows[0].aim = Aim::AtMost(AIMS[0]);
    rows[2].aim = Aim::AtMost(AIMS[1]);
    let mut all: [Vec<Duration>; 3] = Default::default();
    for _ in 0..scale.takeovers {
        all[0].push(killed(cluster).await?);
        let (next, longest) = drained(cluster).await?;
        all[1].push(next);
        all[2].push(longest);
    }
    for (row, times) in rows.iter_mut().zip(all) {
        let least = times.iter().min().copied().unwrap_or_default();
        let most = times.iter().max().copied().unwrap_or_default();
        row.note = Some(format!("{least:.1?} to {most:.1?}, {} times", times.len()));
        row.runs = vec![median_ms(times)];
    }
    Ok(rows.into())
}

/// A session at a node, and a question that whoever leads answers.
async fn session(cluster: &Cluster, node: usize) -> Result<(Wire, Vec<u8>), Box<dyn Error>> {
    let mut wire = Wire::open(&Connector::default(), &cluster.target(node)).await?;
    let question = request(1, &get_agent(crate::child::EXECUTOR));
    wire.call(&question).await?;
    Ok((wire, question))
}

/// The time from a kill to the first answer at another node.
async fn killed(cluster: &mut Cluster) -> Result<Duration, Box<dyn Error>> {
    let order = cluster.in_order().await?;
    let (mut wire, question) = session(cluster, order[1]).await?;
    let begun = Instant::now();
    cluster.kill(order[0]).await;
    wire.call(&question).await?;
    let elapsed = begun.elapsed();
    cluster.run(order[0]).await?;
    Ok(elapsed)
}

/// The time until another leads and answers, and the longest that an answer took meanwhile.
async fn drained(cluster: &mut Cluster) -> Result<(Duration, Duration), Box<dyn Error>> {
    let order = cluster.in_order().await?;
    let (mut wire, question) = session(cluster, order[1]).await?;
    let drain = format!(
        "<drain-node xmlns=\"urn:convoke:params:xml:ns:yang:convoke-cluster\"><node>{}</node></drain-node>",
        NAMES[order[0]]
    );
    let begun = Instant::now();
    wire.call(&request(2, &drain)).await?;
    let mut longest = Duration::ZERO;
    let elapsed = loop {
        let is_led = cluster.leads().is_some_and(|leader| leader != order[0]);
        let asked = Instant::now();
        wire.call(&question).await?;
        longest = longest.max(asked.elapsed());
        if is_led {
            break begun.elapsed();
        }
        tokio::time::sleep(PAUSE).await;
    };
    // Moving the lead back ends the drain.
    let back = ["cluster", "move", NAMES[order[0]]];
    cluster.asks(order[1], &back).await?;
    cluster.led_by_other_than(Some(order[1])).await?;
    Ok((elapsed, longest))
}

impl Run {
    /// The same requests, by their median time.
    pub(crate) fn median_ms(self) -> Self {
        median_ms(self.latencies)
    }
}
