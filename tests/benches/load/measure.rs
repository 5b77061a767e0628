//! The kinds of load: one request at a time, many sessions, many requests in flight.
//!
//! Each returns a [`Run`]; the requests and targets are in `rows`.

use crate::child::assignment;
use crate::report::Run;
use crate::wire::{Wire, WireError, accepted, find, request};
use server::ssh::{Connector, Target};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The time limit of steps that should be immediate.
const PATIENCE: Duration = Duration::from_secs(30);
/// The subscription to all notifications.
pub(crate) const SUBSCRIBE: &str =
    "<create-subscription xmlns=\"urn:ietf:params:xml:ns:netconf:notification:1.0\"/>";
/// The most requests of one run.
const REQUESTS_MAX: usize = 2_000_000;
/// The number of bytes of a reply within which its expected mark must be.
const MARK_WITHIN: usize = 600;

/// Requests that are sent in turn, each with the expected content of its reply.
#[derive(Clone)]
pub(crate) struct Questions {
    framed: Arc<Vec<(Vec<u8>, Vec<u8>)>>,
}

impl Questions {
    /// Operations, each with the text expected near the front of its reply.
    pub(crate) fn new(operations: impl IntoIterator<Item = (String, String)>) -> Self {
        let framed = operations
            .into_iter()
            .zip(1_u64..)
            .map(|((operation, mark), number)| (request(number, &operation), mark.into_bytes()));
        Self {
            framed: Arc::new(framed.collect()),
        }
    }

    /// The same requests for a server that answers `<ok/>` to all.
    pub(crate) fn answered_ok(&self) -> Self {
        let framed = self.framed.iter();
        Self {
            framed: Arc::new(
                framed
                    .map(|(q, _)| (q.clone(), b"<ok/>".to_vec()))
                    .collect(),
            ),
        }
    }

    fn turn(&self, turn: usize) -> &(Vec<u8>, Vec<u8>) {
        &self.framed[turn % self.framed.len()]
    }

    fn check(&self, turn: usize, reply: &[u8]) -> Result<(), WireError> {
        let (_, mark) = self.turn(turn);
        let reply = accepted(reply)?;
        match find(&reply[..reply.len().min(MARK_WITHIN)], mark) {
            Some(_) => Ok(()),
            None => Err(WireError::Unexpected(format!(
                "no {} in {}",
                String::from_utf8_lossy(mark),
                String::from_utf8_lossy(&reply[..reply.len().min(400)])
            ))),
        }
    }
}

/// Loads a server with `sessions` sessions, each with `depth` requests in flight, for `window`.
pub(crate) async fn load(
    target: &Target,
    questions: &Questions,
    sessions: usize,
    depth: usize,
    window: Duration,
) -> Result<Run, WireError> {
    let mut wires = open_many(target, sessions).await?;
    // The first request of a session is not like the others.
    for wire in &mut wires {
        let reply = wire.call(&questions.turn(0).0).await?;
        questions.check(0, reply)?;
    }
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    let apart = (questions.framed.len() / sessions).max(37);
    for (place, wire) in wires.into_iter().enumerate() {
        let questions = questions.clone();
        tasks.spawn(keep_asking(
            wire,
            questions,
            place * apart,
            depth,
            begun + window,
        ));
    }
    let mut latencies = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        latencies.extend(ended.expect("no load panics")?);
    }
    Ok(Run::rate(latencies.len(), begun.elapsed(), latencies))
}

async fn keep_asking(
    mut wire: Wire,
    questions: Questions,
    first: usize,
    depth: usize,
    until: Instant,
) -> Result<Vec<Duration>, WireError> {
    let mut latencies = Vec::with_capacity(100_000);
    let mut sent: VecDeque<Instant> = VecDeque::with_capacity(depth);
    let (mut asked, mut answered) = (first, first);
    let mut room = depth;
    let mut batch = Vec::new();
    loop {
        let now = Instant::now();
        if now < until && asked - first < REQUESTS_MAX {
            batch.clear();
            for _ in 0..room {
                batch.extend_from_slice(&questions.turn(asked).0);
                sent.push_back(now);
                asked += 1;
            }
            wire.send(&batch).await?;
        }
        if sent.is_empty() {
            return Ok(latencies);
        }
        questions.check(answered, wire.message().await?)?;
        let now = Instant::now();
        room = 0;
        loop {
            room += 1;
            answered += 1;
            latencies.extend(sent.pop_front().map(|at| now - at));
            match wire.arrived()? {
                Some(reply) => questions.check(answered, reply)?,
                None => break,
            }
        }
    }
}

/// The median latency of one request, in milliseconds; its reply must end with `tail` and have at
/// least `bytes_min` bytes.
pub(crate) async fn single(
    target: &Target,
    operation: &str,
    bytes_min: usize,
    times: usize,
) -> Result<(Run, usize), WireError> {
    let mut wire = Wire::open(&Connector::default(), target).await?;
    let question = request(1, operation);
    let (mut latencies, mut bytes) = (Vec::new(), 0);
    for _ in 0..times {
        let begun = Instant::now();
        bytes = wire.call(&question).await?.len();
        latencies.push(begun.elapsed());
        if bytes < bytes_min {
            return Err(WireError::Unexpected(format!("a reply of {bytes} bytes")));
        }
    }
    Ok((median_ms(latencies), bytes))
}

/// The median time from the first packet to the server's hello, one connection at a time, in
/// milliseconds.
pub(crate) async fn connect(target: &Target, times: usize) -> Result<Run, WireError> {
    let connector = Connector::default();
    let mut latencies = Vec::new();
    for _ in 0..times {
        let begun = Instant::now();
        let wire = Wire::open(&connector, target).await?;
        latencies.push(begun.elapsed());
        drop(wire);
    }
    Ok(median_ms(latencies))
}

/// The time until the last of concurrent connections has the server's hello, in milliseconds.
pub(crate) async fn connect_at_once(target: &Target, sessions: usize) -> Result<Run, WireError> {
    let connector = Connector::new(sessions, PATIENCE);
    let begun = Instant::now();
    let mut opening = JoinSet::new();
    for _ in 0..sessions {
        let (connector, target) = (connector.clone(), target.clone());
        opening.spawn(async move { Wire::open(&connector, &target).await });
    }
    let mut wires = Vec::new();
    while let Some(opened) = opening.join_next().await {
        wires.push(opened.expect("connecting does not panic")?);
    }
    Ok(Run {
        value: begun.elapsed().as_secs_f64() * 1e3,
        latencies: Vec::new(),
    })
}

/// Deliveries per second of `tasks` assignments, each of which causes two notifications, to so many
/// subscribers, from the first request to the last delivery.
pub(crate) async fn fan_out(
    target: &Target,
    subscribers: usize,
    tasks: usize,
    name: &str,
) -> Result<Run, WireError> {
    let expected = 2 * tasks;
    let mut wires = open_many(target, subscribers).await?;
    for wire in &mut wires {
        wire.call(&request(1, SUBSCRIBE)).await?;
    }
    let mut publisher = open_many(target, 1).await?.remove(0);
    let mut receiving = JoinSet::new();
    for mut wire in wires {
        receiving.spawn(async move {
            let mut seen = 0;
            while seen < expected {
                let message = wire.message().await?;
                let front = &message[..message.len().min(300)];
                // The sessions' own beginnings are told as well.
                seen += usize::from(find(front, b"<condition-notifications").is_some());
            }
            Ok::<_, WireError>(Instant::now())
        });
    }
    let begun = Instant::now();
    let requests: Vec<u8> = (0..tasks as u64)
        .flat_map(|n| request(n, &assignment(&format!("{name}-{n:06}"), n)))
        .collect();
    publisher.send(&requests).await?;
    for _ in 0..tasks {
        publisher.reply().await?;
    }
    let mut last = begun;
    let all = async {
        while let Some(done) = receiving.join_next().await {
            last = last.max(done.expect("counting does not panic")?);
        }
        Ok::<_, WireError>(())
    };
    let late = |_| WireError::Unexpected("notifications are missing".to_owned());
    tokio::time::timeout(PATIENCE, all).await.map_err(late)??;
    Ok(Run::rate(expected * subscribers, last - begun, Vec::new()))
}

/// Makes the operation for the task of this name, the given number of its client.
pub(crate) type Operation = fn(&str, u64) -> String;

/// Acknowledged operations on tasks per second, with the tasks' names.
pub(crate) async fn tasks(
    target: &Target,
    operation: Operation,
    clients: usize,
    depth: usize,
    window: Duration,
    name: &str,
) -> Result<(Run, Vec<String>), WireError> {
    let wires = open_many(target, clients).await?;
    tasks_over(wires, operation, depth, window, name).await
}

/// The same over sessions that are open, wherever they are.
pub(crate) async fn tasks_over(
    wires: Vec<Wire>,
    operation: Operation,
    depth: usize,
    window: Duration,
    name: &str,
) -> Result<(Run, Vec<String>), WireError> {
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for (place, wire) in wires.into_iter().enumerate() {
        let prefix = format!("{name}-{place:02}");
        tasks.spawn(keep_sending(wire, operation, prefix, depth, begun + window));
    }
    let (mut latencies, mut acknowledged) = (Vec::new(), Vec::new());
    while let Some(ended) = tasks.join_next().await {
        let (waited, names) = ended.expect("no load panics")?;
        latencies.extend(waited);
        acknowledged.extend(names);
    }
    let run = Run::rate(acknowledged.len(), begun.elapsed(), latencies);
    Ok((run, acknowledged))
}

async fn keep_sending(
    mut wire: Wire,
    operation: Operation,
    prefix: String,
    depth: usize,
    until: Instant,
) -> Result<(Vec<Duration>, Vec<String>), WireError> {
    let (mut latencies, mut acknowledged) = (Vec::new(), Vec::new());
    let mut sent: VecDeque<(Instant, String)> = VecDeque::with_capacity(depth);
    let (mut asked, mut room) = (0_u64, depth);
    loop {
        let now = Instant::now();
        if now < until {
            let mut batch = Vec::new();
            for _ in 0..room {
                let id = format!("{prefix}-{asked:06}");
                batch.extend(request(asked, &operation(&id, asked)));
                sent.push_back((now, id));
                asked += 1;
            }
            wire.send(&batch).await?;
        }
        let Some((at, id)) = sent.pop_front() else {
            return Ok((latencies, acknowledged));
        };
        let reply = wire.reply().await?;
        if find(reply, id.as_bytes()).is_none() {
            return Err(WireError::Unexpected(format!("no {id} in a reply")));
        }
        latencies.push(at.elapsed());
        acknowledged.push(id);
        room = 1;
        while let Some(reply) = wire.arrived()? {
            accepted(reply)?;
            let (at, id) = sent.pop_front().expect("as many replies as requests");
            latencies.push(at.elapsed());
            acknowledged.push(id);
            room += 1;
        }
    }
}

/// Opens sessions, a few handshakes at a time.
pub(crate) async fn open_many(target: &Target, sessions: usize) -> Result<Vec<Wire>, WireError> {
    let connector = Connector::new(16, PATIENCE);
    let mut opening = JoinSet::new();
    for _ in 0..sessions {
        let (connector, target) = (connector.clone(), target.clone());
        opening.spawn(async move { Wire::open(&connector, &target).await });
    }
    let mut wires = Vec::with_capacity(sessions);
    while let Some(opened) = opening.join_next().await {
        wires.push(opened.expect("connecting does not panic")?);
    }
    Ok(wires)
}

/// The median of these times, in milliseconds.
pub(crate) fn median_ms(mut latencies: Vec<Duration>) -> Run {
    latencies.sort_unstable();
    let middle = latencies.get(latencies.len() / 2).copied();
    Run {
        value: middle.unwrap_or_default().as_secs_f64() * 1e3,
        latencies,
    }
}
