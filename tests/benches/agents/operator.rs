//! A network operations centre: a session of the operator, who has the whole network diagnosed.
//!
//! Finds the agent responsible for an element by `discover-agents`, assigns it a diagnosis with a
//! payload of `fault_diagnosis_v1`, and receives the result by notification. All of it is NETCONF,
//! over a pipe in this process. Read next: `country`.

use crate::country::management_object;
use agents::payloads::Schema;
use agents::payloads::diagnosis::{Diagnosis, DiagnosisResult, Suspicion};
use bindings::netconf::{
    AGENT_NAMESPACE, NegotiateRequest, REGISTRY_NAMESPACE, negotiate_request, read_notification,
    read_reply,
};
use domain::content::Content;
use domain::inventory::{Domain, ElementId, ElementKind, Inventory};
use domain::task::Status;
use domain::verb::Verb;
use netconf::client::{ClientConfig, ClientEvent, ClientSession, Notification, Outcome, Reply};
use netconf::names::namespace::NOTIFICATION;
use server::ssh::{ByteStream, DEFAULT_QUOTA_BYTES, Inbound, Outbound, split};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;

/// The kinds of elements that are diagnosed, in turn.
const LOOKED_OVER: [ElementKind; 6] = [
    ElementKind::Router,
    ElementKind::LineCard,
    ElementKind::Link,
    ElementKind::Site,
    ElementKind::PowerZone,
    ElementKind::Cell,
];

/// The reason why the operations centre stops.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stopped {
    /// The session is over.
    #[error("the session is over: {0}")]
    Over(String),
    /// The platform sent something unexpected.
    #[error("unexpected: {0}")]
    Unexpected(String),
}

/// The counts of the operations centre.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// Requests, replies and notifications, and their bytes.
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// Diagnoses assigned, completed, and with a cause found.
    pub(crate) assigned: u64,
    pub(crate) ended: u64,
    pub(crate) confirmed: u64,
    /// The latencies of discoveries, and of assignments.
    pub(crate) discoveries: Vec<Duration>,
    pub(crate) assignments: Vec<Duration>,
}

/// The operations centre.
pub(crate) struct OperationsCentre {
    client: ClientSession,
    inbound: Inbound,
    outbound: Outbound,
    /// The elements in order of diagnosis, each with its office and province.
    round: Vec<(ElementId, &'static str, String)>,
    next: usize,
    /// The responsible agent of each office and province, as far as discovered.
    known: BTreeMap<(&'static str, String), String>,
    pub(crate) ledger: Ledger,
}

impl OperationsCentre {
    /// Opens the session, and subscribes to notifications about the operator's tasks.
    pub(crate) async fn open(stream: ByteStream, inventory: &Inventory) -> Result<Self, Stopped> {
        let (inbound, outbound) = split(stream, DEFAULT_QUOTA_BYTES);
        let mut centre = Self {
            client: ClientSession::new(ClientConfig::default()),
            inbound,
            outbound,
            round: round(inventory),
            next: 0,
            known: BTreeMap::new(),
            ledger: Ledger::default(),
        };
        let subscription = format!(
            "<create-subscription xmlns=\"{NOTIFICATION}\"><filter type=\"subtree\">\
             <condition-notifications xmlns=\"{AGENT_NAMESPACE}\"><task-sendTo>operator\
             </task-sendTo></condition-notifications></filter></create-subscription>"
        );
        while !centre.client.is_ready() {
            centre.exchange().await?;
            drop(centre.client.poll());
        }
        centre.call(&subscription).await?;
        Ok(centre)
    }

    /// The number of elements to diagnose.
    pub(crate) fn elements(&self) -> usize {
        self.round.len()
    }

    /// Has the next element diagnosed by the agent responsible for it.
    pub(crate) async fn look_over_next(&mut self) -> Result<(), Stopped> {
        let (target, office, province) = self.round[self.next % self.round.len()].clone();
        let to = self.whose(office, &province).await?;
        let name = format!("look-{}", self.next);
        self.next += 1;
        let words = format!("Is {target} in order?");
        let diagnosis = Diagnosis::of(Suspicion::usual(target.clone()));
        let content = Content::new(target.as_str(), words).with_payload(diagnosis.to_payload());
        let request = negotiate_request(
            Verb::TaskAssign,
            &NegotiateRequest {
                to: Some(&to),
                task: Some(&name),
                content: vec![content.render()],
                asynchronous: Some(true),
                ..NegotiateRequest::default()
            },
        );
        let begun = Instant::now();
        let reply = self.call(&request).await?;
        self.ledger.assignments.push(begun.elapsed());
        match read_reply(&reply) {
            Ok(Ok(_)) => self.ledger.assigned += 1,
            other => return Err(Stopped::Unexpected(format!("{name}: {other:?}"))),
        }
        Ok(())
    }

    /// The agent responsible for the elements of an office; discovered once.
    async fn whose(&mut self, office: &'static str, province: &str) -> Result<String, Stopped> {
        let key = (office, province.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let object = management_object(office, province);
        let question = format!(
            "<discover-agents xmlns=\"{REGISTRY_NAMESPACE}\"><management-object>{object}\
             </management-object><schema>{}</schema></discover-agents>",
            Diagnosis::ID
        );
        let begun = Instant::now();
        let reply = self.call(&question).await?;
        self.ledger.discoveries.push(begun.elapsed());
        let first = reply.body().find(|e| e.name() == "match");
        let name = first.and_then(|m| m.children().find(|e| e.name() == "name"));
        let name = name.map(|name| name.text().to_owned());
        let name = name.ok_or_else(|| Stopped::Unexpected(format!("nobody has the {object}")))?;
        self.known.insert(key, name.clone());
        Ok(name)
    }

    /// Processes notifications until the reply to a call.
    async fn call(&mut self, operation: &str) -> Result<Reply, Stopped> {
        let id = self.client.call(operation);
        self.ledger.messages += 1;
        self.ledger.bytes += operation.len() as u64;
        loop {
            while let Some(event) = self.client.poll() {
                match event {
                    ClientEvent::Reply(reply) if reply.message_id == id => {
                        return self.replied(reply);
                    }
                    other => self.take(other)?,
                }
            }
            self.exchange().await?;
        }
    }

    fn replied(&mut self, reply: Reply) -> Result<Reply, Stopped> {
        self.ledger.messages += 1;
        self.ledger.bytes += reply.raw().len() as u64;
        match &reply.outcome {
            Outcome::Errors(errors) => Err(Stopped::Unexpected(errors[0].to_string())),
            _ => Ok(reply),
        }
    }

    /// Makes a call without effect, so that every earlier notification has been processed.
    pub(crate) async fn catch_up(&mut self) -> Result<(), Stopped> {
        let question = "<get xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><filter \
                        type=\"subtree\"/></get>";
        self.call(question).await.map(drop)
    }

    fn take(&mut self, event: ClientEvent) -> Result<(), Stopped> {
        match event {
            ClientEvent::Notification(told) => self.told(&told),
            ClientEvent::Closed(why) => Err(Stopped::Over(why.to_string())),
            ClientEvent::Reply(_) | ClientEvent::Ready { .. } => Ok(()),
        }
    }

    fn told(&mut self, told: &Notification) -> Result<(), Stopped> {
        self.ledger.messages += 1;
        self.ledger.bytes += told.raw().len() as u64;
        let news = read_notification(told).map_err(|e| Stopped::Unexpected(e.to_string()))?;
        let Some(news) = news.filter(|news| news.status.is_terminal()) else {
            return Ok(());
        };
        self.ledger.ended += 1;
        if news.status == Status::Finished {
            let result = DiagnosisResult::in_content(&news.content);
            let result = result.ok_or_else(|| {
                Stopped::Unexpected(format!("{} ended without a diagnosis", news.task))
            })?;
            self.ledger.confirmed += u64::from(result.confirmed);
        }
        Ok(())
    }

    /// Sends pending output and waits for input.
    async fn exchange(&mut self) -> Result<(), Stopped> {
        let over = |why: &dyn std::fmt::Display| Stopped::Over(why.to_string());
        let output = self.client.transmit();
        let written = self.outbound.write_all(&output).await;
        written.map_err(|e| over(&e))?;
        match self.inbound.receive().await {
            Ok(Some(bytes)) => {
                self.client.receive(&bytes);
                Ok(())
            }
            Ok(None) => Err(over(&"the platform hung up")),
            Err(error) => Err(over(&error)),
        }
    }
}

/// Every element to be diagnosed, in an order in which neighbours are far apart.
fn round(inventory: &Inventory) -> Vec<(ElementId, &'static str, String)> {
    let kinds = LOOKED_OVER.into_iter();
    let elements: Vec<_> = kinds.flat_map(|kind| inventory.of_kind(kind)).collect();
    let count = elements.len();
    let stride = (count / 7..).find(|s| is_coprime(*s, count)).unwrap_or(1);
    let order = (0..count).map(|n| elements[n * stride % count]);
    let with_owner = order.filter_map(|element| {
        let office = match element.domain {
            Domain::Wireless => "wireless",
            _ => "ip",
        };
        let province = inventory.province_of(&element.id)?.to_owned();
        Some((element.id.clone(), office, province))
    });
    with_owner.collect()
}

fn is_coprime(mut a: usize, mut b: usize) -> bool {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}
