//! Messages of hosted agents to others: NETCONF sessions to the addressee's endpoint.
//!
//! In `demo` and `serve` each is a real SSH session with the agent's own key; in `simulate` the
//! same state machines are joined by a pipe. An agent that is a client elsewhere is addressed at
//! the platform's endpoint; one that is a server is reached by its proxy here, with the platform's
//! own key, or over A2A ([`crate::outside`]). Bytes are counted after framing and before SSH, so
//! all transports give the same figures. Read next: `connection`, `arrival` (what comes
//! back), [`crate::runtime`].

mod arrival;
mod connection;
mod replay;
mod tally;
#[cfg(test)]
mod tests;

pub(crate) use arrival::UNREACHABLE;
pub use arrival::{Arrival, PLATFORM};
pub use tally::Tally;

use crate::host::Host;
use crate::outside::remote_tasks::RemoteTasks;
use crate::ssh::{Connector, HostKeyPolicy, PublicKey, Target};
use bindings::netconf::{NegotiateRequest, negotiate_request};
use connection::{Call, PeerConnection, Plan};
use domain::agent::{Message, Undelivered};
use domain::content::Content;
use domain::event::Sequence;
use domain::registry::{Reach, Registration};
use domain::task::Conditions;
use domain::telemetry::Token;
use domain::time::Timestamp;
use engine::Endpoint;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::sync::mpsc;

/// A connection as seen by its sender.
struct Link {
    calls: mpsc::UnboundedSender<Call>,
    /// The end of the log when the subscription began: later entries are notified.
    since: Arc<AtomicU64>,
    /// True if the peer has another log.
    is_elsewhere: bool,
}

/// The sessions of all agents hosted here.
pub struct Peers {
    connector: Connector,
    links: BTreeMap<(String, String), Link>,
    /// Notifications received over the connections to agents of this platform.
    received: u64,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    arrived: mpsc::UnboundedSender<Arrival>,
    tally: Arc<Tally>,
    /// The tasks of A2A agents elsewhere; none if no connection is allowed.
    remote_tasks: Option<RemoteTasks>,
    /// Dropped last: otherwise the end of its sessions would be taken for a loss of connection.
    host: Arc<Host>,
}

impl Peers {
    /// No sessions yet; each is opened when first needed.
    pub fn new(host: Arc<Host>) -> Self {
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let outside = host.outside.as_ref().map(|it| Arc::clone(&it.outside));
        let remote_tasks = outside.map(|outside| RemoteTasks::new(outside, arrived.clone()));
        Self {
            remote_tasks,
            host,
            connector: Connector::default(),
            links: BTreeMap::new(),
            received: 0,
            arrivals,
            arrived,
            tally: Arc::default(),
        }
    }

    /// The messages exchanged so far.
    pub fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// Sends a message of an agent; its reply arrives later.
    ///
    /// # Errors
    /// [`Undelivered`] if the addressee is not registered.
    pub fn send(
        &mut self,
        agent: &str,
        token: Token,
        message: &Message,
    ) -> Result<(), Undelivered> {
        if agent == message.to && self.is_a2a(agent) {
            let remote_tasks = self.remote_tasks.as_mut();
            let remote_tasks =
                remote_tasks.ok_or_else(|| unreachable(agent, "[a2a.peers] allows nobody"))?;
            remote_tasks.send(agent, token, message.clone());
            return Ok(());
        }
        let conditions =
            (message.conditions != Conditions::default()).then_some(&message.conditions);
        let elsewhere = agent == message.to;
        let contents = std::iter::once(&message.content).chain(&message.alternatives);
        let rpc = negotiate_request(
            message.verb,
            &NegotiateRequest {
                // Elsewhere it is the platform that speaks, under the name of its key.
                from: (!elsewhere).then_some(agent),
                to: Some(&message.to),
                task: Some(message.task.as_str()),
                content: contents.map(Content::render).collect(),
                asynchronous: Some(message.asynchronous),
                round: (message.round > 1).then_some(message.round),
                alternative: message.alternative,
                conditions,
            },
        );
        let call = Call {
            token,
            rpc,
            task: message.task.clone(),
        };
        let link = self.link(agent, &message.to)?;
        let ended = |_| unreachable(&message.to, "the platform is stopping");
        link.calls.send(call).map_err(ended)
    }

    /// Subscribes to the notifications on open tasks that agents published before a start: from now
    /// on, as the engine reports earlier changes. An agent that sends a message to a peer
    /// subscribes anyway.
    pub fn resume(&mut self) {
        let engine = self.host.platform.engine();
        let mut published = engine.published_in_here();
        published.retain(|(agent, to)| agent != to);
        for (agent, to) in published {
            let Some(registration) = self.host.platform.engine().registration(&to) else {
                continue;
            };
            let link = self.build(&agent, &registration, true);
            self.links.insert((agent, to), link);
        }
    }

    /// The next arrival.
    pub async fn arrival(&mut self) -> Arrival {
        let arrival = self.arrivals.recv().await.expect("the sender is held here");
        self.note(&arrival);
        arrival
    }

    /// An arrival that is queued already.
    pub fn arrived(&mut self) -> Option<Arrival> {
        let arrival = self.arrivals.try_recv().ok()?;
        self.note(&arrival);
        Some(arrival)
    }

    fn note(&mut self, arrival: &Arrival) {
        if let Arrival::Notified { agent, from, .. } = arrival
            && let Some(link) = self.links.get(&(agent.clone(), from.clone()))
            && !link.is_elsewhere
        {
            self.received += 1;
        }
    }

    /// True if `to` is subscribed to the tasks that `from` executes, and the log entry came after
    /// the subscription.
    pub fn follows(&self, to: &str, from: &str, sequence: Sequence) -> bool {
        let link = self.links.get(&(to.to_owned(), from.to_owned()));
        link.is_some_and(|l| !l.is_elsewhere && sequence > l.since.load(Relaxed))
    }

    /// The number of notifications received over all sessions with agents of this platform.
    pub fn notifications(&self) -> u64 {
        self.received
    }

    fn is_a2a(&self, agent: &str) -> bool {
        let registration = self.host.platform.engine().registration(agent);
        registration.is_some_and(|it| matches!(it.reach, Reach::A2a { .. }))
    }

    fn link(&mut self, agent: &str, to: &str) -> Result<&Link, Undelivered> {
        let key = (agent.to_owned(), to.to_owned());
        if !self.links.contains_key(&key) {
            let found = self.host.platform.engine().registration(to);
            let registration = found.ok_or_else(|| unreachable(to, "no such agent"))?;
            let link = self.build(agent, &registration, false);
            self.links.insert(key.clone(), link);
        }
        Ok(&self.links[&key])
    }

    fn build(&self, agent: &str, peer: &Registration, is_resumed: bool) -> Link {
        let (calls, waiting) = mpsc::unbounded_channel();
        let since = Arc::new(AtomicU64::new(u64::MAX));
        let to = peer.profile.name.clone();
        let is_elsewhere = agent == to;
        let engine = Arc::downgrade(self.host.platform.engine());
        let from = match is_elsewhere {
            // The clock there is another.
            true => Timestamp::from_ms(0),
            false => self.host.clock.now(),
        };
        let plan = Plan {
            agent: agent.to_owned(),
            connect: self.connect(agent, &to),
            last_sequence: Box::new(move || engine.upgrade().map_or(0, |e| e.last_sequence())),
            is_elsewhere,
            is_resumed,
            from,
            to,
        };
        let (arrived, tally) = (self.arrived.clone(), Arc::clone(&self.tally));
        let connection = PeerConnection::new(plan, waiting, arrived, tally, Arc::clone(&since));
        tokio::spawn(connection.run());
        Link {
            calls,
            since,
            is_elsewhere,
        }
    }

    /// The function that opens a connection's sessions. The address is looked up each time: an
    /// agent may come back at another one.
    fn connect(&self, agent: &str, to: &str) -> connection::Connect {
        let (host, connector) = (Arc::downgrade(&self.host), self.connector.clone());
        let (agent, to) = (agent.to_owned(), to.to_owned());
        Box::new(move || {
            let (host, connector) = (host.upgrade(), connector.clone());
            let (agent, to) = (agent.clone(), to.clone());
            Box::pin(async move {
                let way = match host {
                    Some(host) => way(&host, &agent, &to)?,
                    None => return Err("the platform is stopping".to_owned()),
                };
                match way {
                    Way::Pipe(stream) => Ok(stream),
                    Way::Ssh(target) => {
                        let stream = connector.connect(&target).await;
                        stream.map_err(|error| error.to_string())
                    }
                }
            })
        })
    }
}

/// The transport to a peer.
enum Way {
    Pipe(crate::ssh::ByteStream),
    Ssh(Target),
}

fn way(host: &Host, agent: &str, to: &str) -> Result<Way, String> {
    let peer = host.platform.engine().registration(to);
    let reach = &peer.ok_or("no such agent")?.reach;
    let key = |name: &str| {
        let keys = host.keys.as_ref().ok_or("this platform has no keys")?;
        let key = keys.agent(name).map_err(|e| e.to_string())?;
        Ok::<_, String>(Arc::new(key))
    };
    if let (Reach::Server { address, host_key }, true) = (reach, agent == to) {
        let host_key = PublicKey::from_openssh(host_key).map_err(|e| e.to_string())?;
        return Ok(Way::Ssh(Target {
            address: address.clone(),
            user: PLATFORM.to_owned(),
            key: key(PLATFORM)?,
            host_key: HostKeyPolicy::Exactly(host_key),
        }));
    }
    let endpoint = match reach {
        Reach::Hosted => Endpoint::Agent(to.to_owned()),
        Reach::Client | Reach::Server { .. } | Reach::A2a { .. } => Endpoint::Platform,
    };
    let (Some(keys), Some(address)) = (&host.keys, host.address_of(&endpoint)) else {
        return Ok(Way::Pipe(host.pipe(agent, endpoint)));
    };
    Ok(Way::Ssh(Target {
        address: address.to_string(),
        user: agent.to_owned(),
        key: key(agent)?,
        host_key: HostKeyPolicy::KnownHosts(keys.known_hosts()),
    }))
}

fn unreachable(to: &str, why: &str) -> Undelivered {
    Undelivered {
        tag: UNREACHABLE.to_owned(),
        message: format!("{to} cannot be reached: {why}"),
    }
}
