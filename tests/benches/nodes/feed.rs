//! How far what a subscriber is told is behind what was decided, at a steady rate of events.
//!
//! An event has the time at which it was decided, in milliseconds, so a lag has the commit in it and is too long by
//! half a millisecond on average. Clients at all nodes assign, each only so far ahead of its answers: where
//! the machine is full the rate is what it reaches. Read next: `rows`.

use crate::child::assignment_unheard;
use crate::cluster::{Cluster, NAMES};
use crate::measure::{SUBSCRIBE, open_many};
use crate::report::{Row, Run};
use crate::rows::row;
use crate::wire::{Wire, WireError, find, request};
use domain::time::Timestamp;
use server::ssh::Connector;
use std::error::Error;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Sessions that assign at each node.
const SESSIONS: usize = 4;

/// How far a session is ahead of its answers.
const AHEAD: usize = 256;

/// The time between two requests of a session, at least.
const TICK: Duration = Duration::from_millis(10);

/// A subscriber that has heard nothing for so long has heard all.
const SILENT: Duration = Duration::from_secs(1);

/// Tells subscribers at all nodes of so many events a second.
pub(crate) async fn told(
    cluster: &Cluster,
    rate: u32,
    lasts: Duration,
) -> Result<Row, Box<dyn Error>> {
    let order = cluster.in_order().await?;
    let mut subscribers = Vec::new();
    for node in &order {
        let mut wire = Wire::open(&Connector::default(), &cluster.target(*node)).await?;
        wire.call(&request(1, SUBSCRIBE)).await?;
        subscribers.push(tokio::spawn(heard(wire)));
    }
    let mut publishers = JoinSet::new();
    let each = f64::from(rate) / (SESSIONS * NAMES.len()) as f64;
    let mut wires = Vec::new();
    for node in &order {
        wires.extend(open_many(&cluster.target(*node), SESSIONS).await?);
    }
    let begun = Instant::now();
    for (place, wire) in wires.into_iter().enumerate() {
        let prefix = format!("fed-{rate}-{place}");
        publishers.spawn(assign(wire, prefix, each, begun + lasts));
    }
    let mut assigned = 0;
    while let Some(ended) = publishers.join_next().await {
        assigned += ended.expect("no load panics")?;
    }
    let elapsed = begun.elapsed();
    let mut lags = Vec::new();
    for subscriber in subscribers {
        let heard = subscriber.await.expect("listening does not panic")?;
        if heard.len() < assigned {
            return Err(format!("{} events were told, of {assigned}", heard.len()).into());
        }
        lags.push(heard);
    }
    let others: Vec<Duration> = lags[1..].concat();
    let leader = Run {
        value: 0.0,
        latencies: lags.swap_remove(0),
    };
    let behind = |share| leader.percentile_us(share).unwrap_or_default() / 1e3;
    let what = format!("events told at the other nodes, {rate}/s wanted: behind by");
    Ok(Row {
        unit: "events/s",
        runs: vec![Run::rate(leader.latencies.len(), elapsed, others)],
        note: Some(format!(
            "at the node that leads half within {:.1} ms, 99 of 100 within {:.1} ms",
            behind(0.5),
            behind(0.99)
        )),
        ..row(format!("feed-{rate}"), what)
    })
}

/// Assigns so many tasks a second; returns how many were acknowledged.
async fn assign(
    mut wire: Wire,
    prefix: String,
    rate: f64,
    until: Instant,
) -> Result<usize, WireError> {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let begun = Instant::now();
    let (mut sent, mut answered) = (0_u64, 0_usize);
    loop {
        let now = Instant::now();
        if now >= until && answered as u64 == sent {
            return Ok(answered);
        }
        tokio::select! {
            _ = ticks.tick(), if now < until => {
                let due = (begun.elapsed().as_secs_f64() * rate) as u64;
                let due = due.min(answered as u64 + AHEAD as u64);
                let mut batch = Vec::new();
                for number in sent..due.max(sent) {
                    batch.extend(request(number, &assignment_unheard(&format!("{prefix}-{number}"), number)));
                }
                sent = due.max(sent);
                wire.send(&batch).await?;
            }
            reply = async { wire.reply().await.map(|_| ()) } => {
                reply?;
                answered += 1;
            }
        }
    }
}

/// How far behind each event of a task was told.
async fn heard(mut wire: Wire) -> Result<Vec<Duration>, WireError> {
    let mut lags = Vec::new();
    loop {
        // Until the first comes, the load is being set up.
        let patience = if lags.is_empty() {
            testkit::PATIENCE
        } else {
            SILENT
        };
        let Ok(message) = timeout(patience, wire.message()).await else {
            return Ok(lags);
        };
        let message = message?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let front = &message[..message.len().min(300)];
        if find(front, b"<condition-notifications").is_none() {
            continue;
        }
        let decided = time(front)
            .ok_or_else(|| WireError::Unexpected(String::from_utf8_lossy(front).into_owned()))?;
        lags.push(now.unwrap_or_default().saturating_sub(decided));
    }
}

/// The time of an event, since 1970.
fn time(front: &[u8]) -> Option<Duration> {
    const NAME: &[u8] = b"<eventTime>";
    let begin = find(front, NAME)? + NAME.len();
    let length = front[begin..].iter().position(|byte| *byte == b'<')?;
    let text = std::str::from_utf8(&front[begin..begin + length]).ok()?;
    let ms = Timestamp::parse(text).ok()?.as_ms();
    Some(Duration::from_millis(u64::try_from(ms).ok()?))
}
