//! Clients at every node: they assign tasks, read them, and send again what was not answered, or was.
//!
//! One whose node is gone goes to the next, as clients with several addresses do, and comes home later. What is
//! asked is told by a seed; when it is answered is not. Read next: [`super::record`].

use super::platform::Place;
use super::record::{Record, digest};
use super::support::talk::{Talk, get_task, text};
use bindings::netconf::{NegotiateRequest, negotiate_request};
use domain::content::{Content, Payload};
use domain::verb::Verb;
use harness::rng::SeededRng;
use netconf::client::{Outcome, Reply};
use serde_json::json;
use server::ssh::{HostKeyPolicy, connect};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use testkit::http::{Answer, read};
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// The agent that ends each task at once.
const AGENT: &str = "TMF-Convoke-Intent-1.0.0";

/// The time for a connection and its hellos.
const CONNECTED_WITHIN: Duration = Duration::from_secs(3);

/// A session waits for a leader for 30 s, and says so then.
const ANSWERED_WITHIN: Duration = Duration::from_secs(45);

/// The most requests at once on a session.
const AT_ONCE: usize = 8;

/// The longest pause between two batches, in milliseconds.
const PAUSE_MS: usize = 60;

/// Where a client finds nodes, and which one it prefers.
#[derive(Clone)]
pub(crate) struct Way {
    pub(crate) places: Vec<watch::Receiver<Option<Place>>>,
    pub(crate) home: usize,
}

impl Way {
    /// The first node that runs, from the one preferred on.
    pub(crate) fn place(&self, turn: usize) -> Option<Place> {
        let node = (self.home + turn) % self.places.len();
        self.places[node].borrow().clone()
    }

    /// A session at some node, as soon as there is one.
    pub(crate) async fn session(&self) -> Talk {
        for turn in 0.. {
            if let Some(place) = self.place(turn)
                && let Some(talk) = session(&place).await
            {
                return talk;
            }
            sleep(Duration::from_millis(20)).await;
        }
        unreachable!("it goes on until there is one")
    }
}

/// A session at a node; none if that does not answer.
pub(crate) async fn session(place: &Place) -> Option<Talk> {
    let key = server::ssh::keys::load(&place.operator.key).ok()?;
    let trusted = HostKeyPolicy::KnownHosts(place.operator.known_hosts.clone());
    let (user, key) = (&place.operator.user, Arc::new(key));
    let connected = async {
        let stream = connect(&place.netconf, user, &key, trusted).await.ok()?;
        Talk::greet(stream).await.ok()
    };
    timeout(CONNECTED_WITHIN, connected).await.ok().flatten()
}

fn content() -> String {
    let payload = Payload::new("service_intent_v1", json!({ "action": "show" }));
    Content::new("intents", "show")
        .with_payload(payload)
        .render()
}

/// An assignment that is answered once the task has ended.
pub(crate) fn assign(task: &str) -> String {
    let request = NegotiateRequest {
        to: Some(AGENT),
        task: Some(task),
        content: vec![content()],
        ..NegotiateRequest::default()
    };
    negotiate_request(Verb::TaskAssign, &request)
}

/// What a client asks for.
enum Ask {
    Assign(String),
    Read(String),
}

/// Which tasks a client asks for.
struct Agenda {
    name: String,
    rng: SeededRng,
    next: u64,
    /// What was sent and not acknowledged.
    pending: Vec<String>,
    own: Vec<String>,
    record: Arc<Record>,
}

impl Agenda {
    fn new(name: String, seed: u64, number: u64, record: &Arc<Record>) -> Self {
        Self {
            name,
            rng: SeededRng::of(seed, &[2, number]),
            next: 0,
            pending: Vec::new(),
            own: Vec::new(),
            record: Arc::clone(record),
        }
    }

    /// True once nothing is to be asked for any more.
    fn is_done(&self) -> bool {
        self.record.is_over() && self.pending.is_empty()
    }

    /// What is asked for next, at once: what was not answered first.
    fn batch(&mut self, most: usize) -> Vec<Ask> {
        let again = self.pending.iter().take(most).cloned();
        let mut batch: Vec<Ask> = again.map(Ask::Assign).collect();
        if !batch.is_empty() || self.record.is_over() {
            return batch;
        }
        for _ in 0..self.rng.size(most) {
            batch.push(self.ask());
        }
        batch
    }

    fn ask(&mut self) -> Ask {
        match self.rng.below(16) {
            0 if !self.own.is_empty() => Ask::Assign(self.rng.one(&self.own).clone()),
            1 | 2 if self.record.count() > 0 => {
                let some = self.record.some(self.rng.next());
                Ask::Read(some.expect("there are some"))
            }
            _ => {
                self.next += 1;
                let task = format!("{}-{}", self.name, self.next);
                self.pending.push(task.clone());
                Ask::Assign(task)
            }
        }
    }

    fn acknowledged(&mut self, task: &str, reply: &str) {
        if reply.contains("not-started") {
            // No agent may be asked before it was told who it is.
            self.record.wrong(format!("{task} was refused: {reply}"));
        }
        self.record.acknowledged(task, digest(reply));
        if let Some(at) = self.pending.iter().position(|it| it == task) {
            self.own.push(self.pending.swap_remove(at));
        }
    }

    async fn pause(&mut self) {
        sleep(Duration::from_millis(self.rng.below(PAUSE_MS) as u64)).await;
    }
}

/// A client over NETCONF, until it is over and everything that it has sent is acknowledged.
pub(crate) async fn netconf(way: Way, number: u64, seed: u64, record: Arc<Record>) {
    let mut agenda = Agenda::new(format!("n{number}"), seed, number, &record);
    while !agenda.is_done() {
        let mut talk = way.session().await;
        while !agenda.is_done() && asked(&mut talk, &mut agenda).await {
            agenda.pause().await;
        }
    }
}

/// Whether a session answered to all of a batch.
async fn asked(talk: &mut Talk, agenda: &mut Agenda) -> bool {
    let mut calls = HashMap::new();
    for ask in agenda.batch(AT_ONCE) {
        let operation = match &ask {
            Ask::Assign(task) => assign(task),
            Ask::Read(task) => get_task(task),
        };
        calls.insert(talk.call(&operation), ask);
    }
    while !calls.is_empty() {
        let Ok(Ok(reply)) = timeout(ANSWERED_WITHIN, next(talk)).await else {
            return false;
        };
        match calls.remove(&reply.message_id) {
            Some(ask) => judged(&ask, &reply, agenda),
            None => {
                (agenda.record).wrong(format!("an answer that was not asked for: {}", reply.raw()))
            }
        }
    }
    true
}

async fn next(talk: &mut Talk) -> Result<Reply, super::support::talk::Ended> {
    loop {
        if let netconf::client::ClientEvent::Reply(reply) = talk.event().await? {
            return Ok(reply);
        }
    }
}

fn judged(ask: &Ask, reply: &Reply, agenda: &mut Agenda) {
    if let Outcome::Errors(errors) = &reply.outcome {
        for error in errors {
            let tag = error.app_tag.clone();
            agenda
                .record
                .refused(&tag.unwrap_or_else(|| format!("{:?}", error.tag)));
        }
        return;
    }
    let status = text(&reply.document, "task-status");
    match ask {
        Ask::Assign(task) if is_ended(&status) => {
            let body: String = reply.body().map(|element| element.standalone()).collect();
            agenda.acknowledged(task, &body);
        }
        Ask::Read(_) if is_ended(&status) => agenda.record.read(),
        Ask::Assign(_) => agenda.record.refused(&format!("task '{status}'")),
        Ask::Read(task) => {
            let found = format!("{task} was acknowledged and is read as '{status}'");
            agenda.record.wrong(found);
        }
    }
}

/// True if a task has ended so. One that its agent rejects has been answered for good as well.
fn is_ended(status: &str) -> bool {
    ["finished", "rejected"].contains(&status)
}

/// A client over HTTP, likewise.
pub(crate) async fn http(way: Way, number: u64, seed: u64, token: String, record: Arc<Record>) {
    let mut agenda = Agenda::new(format!("h{number}"), seed, number, &record);
    let mut turn = 0;
    while !agenda.is_done() {
        for ask in agenda.batch(1) {
            let Some(place) = way.place(turn) else {
                turn += 1;
                continue;
            };
            let (line, body) = request(&ask);
            let sent = sent(&place.http, &token, &line, &body);
            let got = timeout(ANSWERED_WITHIN, sent).await;
            match (got, &ask) {
                (Ok(Ok(answer)), Ask::Assign(task)) if answer.status == 200 => {
                    agenda.acknowledged(task, &answer.body);
                    turn = 0;
                }
                (Ok(Ok(answer)), Ask::Read(_)) if answer.status == 200 => record.read(),
                (Ok(Ok(answer)), Ask::Read(task)) if answer.status == 404 => {
                    record.wrong(format!("{task} was acknowledged and is not there"));
                }
                (Ok(Ok(answer)), _) => record.refused(&format!("HTTP {}", answer.status)),
                _ => turn += 1,
            }
        }
        agenda.pause().await;
    }
}

/// The line of a request, and its body.
fn request(ask: &Ask) -> (String, String) {
    match ask {
        Ask::Assign(task) => {
            let input = json!({ "irtf-agent:input": {
                "task-sendTo": AGENT, "commuType": "taskAssgin", "task-id": task,
                "content": [content()],
            } });
            let path = "/restconf/operations/irtf-agent:task-negotiate";
            (format!("POST {path}"), input.to_string())
        }
        Ask::Read(task) => {
            let path = "/restconf/data/convoke-registry:registry/task";
            (format!("GET {path}={task}"), String::new())
        }
    }
}

async fn sent(address: &str, token: &str, line: &str, body: &str) -> io::Result<Answer> {
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/yang-data+json\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len(),
    );
    let mut stream = timeout(CONNECTED_WITHIN, TcpStream::connect(address)).await??;
    stream.write_all(request.as_bytes()).await?;
    read(&mut BufReader::new(stream)).await
}
