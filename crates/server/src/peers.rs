//! How agents hosted here speak to each other: NETCONF sessions to the addressee's endpoint.
//!
//! In `demo` and `serve` each is a real SSH session with the agent's own key; in `simulate` the
//! same machines are joined by a pipe. What is counted is counted after framing and before SSH,
//! so both ways give the same figures. Read next: [`crate::world`].

use crate::host::Host;
use crate::ssh::{
    ByteStream, ConnectError, Connector, HostKeyPolicy, Inbound, Outbound, Target, split,
};
use bindings::netconf::{NegotiateRequest, negotiate_request, read_notification, read_reply};
use domain::agent::{Message, Undelivered};
use domain::event::Sequence;
use domain::notification::Notification;
use domain::reply::Reply;
use domain::telemetry::Token;
use engine::Endpoint;
use netconf::client::{ClientConfig, ClientEvent, ClientSession, Outcome, Reply as RpcReply};
use netconf::framing::Framing;
use netconf::names::namespace::NOTIFICATION;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::io::AsyncWriteExt;
use tokio::sync::{mpsc, oneshot};
use tracing::warn;

/// How much a peer may send ahead of being read, in bytes.
const QUOTA_BYTES: usize = 64 * 1_024 * 1_024;

/// What agents exchanged: messages and their bytes, framing included, hellos not.
#[derive(Debug, Default)]
pub struct Tally {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    fn count(&self, bytes: usize) {
        self.messages.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// Requests, replies and notifications so far.
    pub fn messages(&self) -> u64 {
        self.messages.load(Relaxed)
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }
}

/// What came in for an agent.
#[derive(Debug)]
pub enum Arrival {
    /// The reply to what it sent.
    Reply {
        /// The agent.
        agent: String,
        /// The token of the sending.
        token: Token,
        /// What came back.
        reply: Result<Reply, Undelivered>,
    },
    /// A notification of a task that it published.
    Notified {
        /// The agent.
        agent: String,
        /// Whose endpoint sent it.
        from: String,
        /// What it says; none for an event that is no `condition-notifications`.
        notification: Option<Arc<Notification>>,
    },
}

/// One session of an agent to an endpoint.
struct Link {
    calls: mpsc::UnboundedSender<(Token, String)>,
    /// The log's end when the subscription began: what follows is notified.
    since: Sequence,
    received: u64,
}

/// The sessions of all agents hosted here.
pub struct Peers {
    connector: Connector,
    links: BTreeMap<(String, String), Link>,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    arrived: mpsc::UnboundedSender<Arrival>,
    tally: Arc<Tally>,
    /// Dropped last: who is left when it ends its sessions would take that for a loss.
    host: Arc<Host>,
}

impl Peers {
    /// No session is open yet; each is opened when first needed.
    pub fn new(host: Arc<Host>) -> Self {
        let (arrived, arrivals) = mpsc::unbounded_channel();
        Self {
            host,
            connector: Connector::default(),
            links: BTreeMap::new(),
            arrivals,
            arrived,
            tally: Arc::default(),
        }
    }

    /// What was exchanged so far.
    pub fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// Sends a message of an agent; its reply arrives later.
    ///
    /// # Errors
    /// [`Undelivered`] if no session to the addressee can be had.
    pub async fn send(
        &mut self,
        agent: &str,
        token: Token,
        message: &Message,
    ) -> Result<(), Undelivered> {
        let rpc = negotiate_request(
            message.verb,
            &NegotiateRequest {
                from: Some(agent),
                to: Some(&message.to),
                task: Some(message.task.as_str()),
                content: vec![message.content.render()],
                asynchronous: Some(message.asynchronous),
                round: (message.round > 1).then_some(message.round),
            },
        );
        let link = self.link(agent, &message.to).await?;
        link.calls
            .send((token, rpc))
            .map_err(|_| unreachable(&message.to, "the session ended"))
    }

    /// The next arrival.
    pub async fn arrival(&mut self) -> Arrival {
        let arrival = self.arrivals.recv().await.expect("the sender is held here");
        self.note(&arrival);
        arrival
    }

    /// An arrival that is there already.
    pub fn arrived(&mut self) -> Option<Arrival> {
        let arrival = self.arrivals.try_recv().ok()?;
        self.note(&arrival);
        Some(arrival)
    }

    fn note(&mut self, arrival: &Arrival) {
        if let Arrival::Notified { agent, from, .. } = arrival
            && let Some(link) = self.links.get_mut(&(agent.clone(), from.clone()))
        {
            link.received += 1;
        }
    }

    /// True if `to` follows the tasks that `from` executes, and the log entry came after it began
    /// to.
    pub fn follows(&self, to: &str, from: &str, sequence: Sequence) -> bool {
        let link = self.links.get(&(to.to_owned(), from.to_owned()));
        link.is_some_and(|l| sequence > l.since && !l.calls.is_closed())
    }

    /// Notifications that have arrived over all sessions.
    pub fn notifications(&self) -> u64 {
        self.links.values().map(|l| l.received).sum()
    }

    async fn link(&mut self, agent: &str, to: &str) -> Result<&Link, Undelivered> {
        let key = (agent.to_owned(), to.to_owned());
        if self.links.get(&key).is_some_and(|l| l.calls.is_closed()) {
            self.links.remove(&key);
        }
        if !self.links.contains_key(&key) {
            let stream = self.connect(agent, to).await?;
            let link = self.open(agent, to, stream).await?;
            self.links.insert(key.clone(), link);
        }
        Ok(&self.links[&key])
    }

    async fn connect(&self, agent: &str, to: &str) -> Result<ByteStream, Undelivered> {
        let endpoint = Endpoint::Agent(to.to_owned());
        if !self.host.profiles.iter().any(|p| p.name == to) {
            return Err(unreachable(to, "no such agent"));
        }
        let (Some(keys), Some(address)) = (&self.host.keys, self.host.address_of(&endpoint)) else {
            return Ok(self.host.pipe(agent, endpoint));
        };
        let key = keys
            .agent(agent)
            .map_err(|e| unreachable(to, &e.to_string()))?;
        let target = Target {
            address: address.to_string(),
            user: agent.to_owned(),
            key: Arc::new(key),
            host_key: HostKeyPolicy::KnownHosts(keys.known_hosts()),
        };
        self.connector
            .connect(&target)
            .await
            .map_err(|e: ConnectError| unreachable(to, &e.to_string()))
    }

    /// Opens the session: hellos, and a subscription to what the endpoint has to tell.
    async fn open(&self, agent: &str, to: &str, stream: ByteStream) -> Result<Link, Undelivered> {
        let (calls, requests) = mpsc::unbounded_channel();
        let (opened, opening) = oneshot::channel();
        let conversation = Conversation {
            agent: agent.to_owned(),
            to: to.to_owned(),
            client: ClientSession::new(ClientConfig::default()),
            tokens: HashMap::new(),
            opened: Some(opened),
            subscription: None,
            arrived: self.arrived.clone(),
            tally: Arc::clone(&self.tally),
        };
        tokio::spawn(conversation.run(stream, requests));
        opening
            .await
            .map_err(|_| unreachable(to, "the session ended before it began"))?;
        Ok(Link {
            calls,
            since: self.host.platform.engine().last_sequence(),
            received: 0,
        })
    }
}

fn unreachable(to: &str, why: &str) -> Undelivered {
    Undelivered {
        tag: "unreachable".to_owned(),
        message: format!("{to} cannot be reached: {why}"),
    }
}

/// One session as its task sees it.
struct Conversation {
    agent: String,
    to: String,
    client: ClientSession,
    tokens: HashMap<u64, Token>,
    opened: Option<oneshot::Sender<()>>,
    subscription: Option<u64>,
    arrived: mpsc::UnboundedSender<Arrival>,
    tally: Arc<Tally>,
}

impl Conversation {
    async fn run(
        mut self,
        stream: ByteStream,
        mut requests: mpsc::UnboundedReceiver<(Token, String)>,
    ) {
        let (mut inbound, outbound): (Inbound, Outbound) = split(stream, QUOTA_BYTES);
        let mut outbound = outbound.ending_with_input();
        let why = loop {
            let output = self.client.transmit();
            if !output.is_empty() && outbound.write_all(&output).await.is_err() {
                break "the connection was lost".to_owned();
            }
            tokio::select! {
                request = requests.recv() => match request {
                    Some((token, rpc)) => self.call(token, &rpc),
                    None => return,
                },
                received = inbound.receive() => match received {
                    Ok(Some(bytes)) => {
                        self.client.receive(&bytes);
                        if let Some(why) = self.take_events() {
                            break why;
                        }
                    }
                    Ok(None) => break "the peer closed the session".to_owned(),
                    Err(error) => break error.to_string(),
                },
            }
        };
        // Nobody listens any more when the platform ends; then this is no news.
        if !self.arrived.is_closed() {
            warn!(agent = self.agent, peer = self.to, "session ends: {why}");
        }
        for (_, token) in self.tokens.drain() {
            let reply = Err(unreachable(&self.to, &why));
            let _ = self.arrived.send(Arrival::Reply {
                agent: self.agent.clone(),
                token,
                reply,
            });
        }
    }

    fn call(&mut self, token: Token, rpc: &str) {
        let id = self.client.call(rpc);
        self.tokens.insert(id, token);
        self.tally.count(framed(rpc.len() + envelope_bytes(id)));
    }

    fn take_events(&mut self) -> Option<String> {
        while let Some(event) = self.client.poll() {
            match event {
                ClientEvent::Ready { .. } => {
                    debug_assert_eq!(self.client.framing(), Framing::Chunked);
                    let rpc = format!("<create-subscription xmlns=\"{NOTIFICATION}\"/>");
                    self.subscription = Some(self.client.call(&rpc));
                }
                ClientEvent::Reply(reply) if self.subscription == Some(reply.message_id) => {
                    if let Outcome::Errors(errors) = &reply.outcome {
                        return Some(format!("no subscription: {}", errors[0]));
                    }
                    if let Some(opened) = self.opened.take() {
                        let _ = opened.send(());
                    }
                }
                ClientEvent::Reply(reply) => self.reply(&reply),
                ClientEvent::Notification(notification) => {
                    self.tally.count(framed(notification.raw().len()));
                    let read = read_notification(&notification).unwrap_or_else(|error| {
                        warn!(
                            agent = self.agent,
                            peer = self.to,
                            "unreadable notification: {error}"
                        );
                        None
                    });
                    let _ = self.arrived.send(Arrival::Notified {
                        agent: self.agent.clone(),
                        from: self.to.clone(),
                        notification: read.map(Arc::new),
                    });
                }
                ClientEvent::Closed(error) => return Some(error.to_string()),
            }
        }
        None
    }

    fn reply(&mut self, reply: &RpcReply) {
        self.tally.count(framed(reply.raw().len()));
        let Some(token) = self.tokens.remove(&reply.message_id) else {
            return;
        };
        let reply = match read_reply(reply) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(errors)) => Err(Undelivered {
                tag: errors[0].tag.as_str().to_owned(),
                message: errors[0].message.clone().unwrap_or_default(),
            }),
            Err(error) => Err(Undelivered {
                tag: "malformed".to_owned(),
                message: error.to_string(),
            }),
        };
        let _ = self.arrived.send(Arrival::Reply {
            agent: self.agent.clone(),
            token,
            reply,
        });
    }
}

/// Bytes of a message in one chunk: `LF # size LF … LF ## LF`.
fn framed(bytes: usize) -> usize {
    bytes + bytes.to_string().len() + 7
}

/// Bytes of `<rpc xmlns="…" message-id="…">` and its end.
fn envelope_bytes(id: u64) -> usize {
    let namespace = netconf::names::namespace::BASE;
    format!("<rpc xmlns=\"{namespace}\" message-id=\"{id}\"></rpc>").len()
}
