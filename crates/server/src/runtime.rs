//! The event loop of hosted agents: their messages, their actions, and time.
//!
//! It is the same everywhere: take the outputs of agents, send their messages over NETCONF, let the
//! network respond, and let time pass only when nothing is under way any more. With a standing
//! clock time jumps to the next event; otherwise it follows the system clock. The network is known
//! by its trait alone. Read next: `runtime/network.rs`, [`crate::peers`].

mod network;

pub use network::{Around, Network};

use crate::clock::Clock;
use crate::host::Host;
use crate::peers::{Arrival, Peers, Tally};
use crate::story::{Listener, StoryEntry, StoryEvent};
use crate::workers::AgentWorkers;
use domain::agent::{Input, Output};
use domain::event::{LogEvent, Sequence};
use domain::profile::Profile;
use domain::task::TaskId;
use domain::telemetry::Token;
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::{Engine, Outgoing};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, warn};

/// The longest time that the loop waits for something under way.
const PATIENCE: Duration = Duration::from_secs(30);

/// A message whose reply has not come.
struct Awaited {
    task: TaskId,
    /// True if the addressee may work before it answers: on a synchronous task, on an offer.
    may_take_time: bool,
    to: String,
}

/// The speed of simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as the work is done.
    Unhurried,
    /// Paced for a viewer.
    Followed {
        /// Simulated seconds per real second.
        speed: f64,
        /// The longest wait in seconds.
        longest: f64,
    },
}

/// The agents of a host, with the network that they work on.
pub struct Runtime<N> {
    host: Arc<Host>,
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    network: N,
    peers: Peers,
    aliases: BTreeMap<String, String>,
    awaited: BTreeMap<(String, Token), Awaited>,
    /// The last log entry checked for expected notifications.
    followed: Sequence,
    expected: u64,
    listener: Listener,
    /// True if a message is sent only when the one before has arrived, so that events have one
    /// order; false while the clock runs by itself, where a slow agent must not delay others.
    in_order: bool,
}

impl<N: Network> Runtime<N> {
    /// A runtime: each agent is briefed, and sends its first messages when time begins.
    pub fn new(host: Arc<Host>, network: N, listener: Listener) -> Self {
        let engine = Arc::clone(host.platform.engine());
        let alias = |p: &Profile| p.alias.clone().unwrap_or_else(|| p.name.clone());
        Self {
            aliases: host
                .profiles
                .iter()
                .map(|p| (p.name.clone(), alias(p)))
                .collect(),
            followed: engine.last_sequence(),
            clock: Arc::clone(&host.clock),
            peers: Peers::new(Arc::clone(&host)),
            engine,
            host,
            network,
            awaited: BTreeMap::new(),
            expected: 0,
            listener,
            in_order: true,
        }
    }

    /// The host.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Ends the sessions of the agents, and stops the host unless somebody else holds it: its log
    /// is then on disk and sealed. The network is nobody's then.
    pub async fn end(self) -> N {
        let Self {
            host,
            engine,
            peers,
            listener,
            network,
            ..
        } = self;
        drop((engine, peers, listener));
        if let Some(host) = Arc::into_inner(host) {
            host.stop().await;
        }
        network
    }

    /// The network that agents work on.
    pub fn network(&self) -> &N {
        &self.network
    }

    /// The network, mutably.
    pub fn network_mut(&mut self) -> &mut N {
        &mut self.network
    }

    /// The network, and the access to its surroundings.
    fn split(&mut self) -> (&mut N, Around<'_>) {
        let around = Around {
            engine: &self.engine,
            clock: &self.clock,
            aliases: &self.aliases,
            listener: &mut self.listener,
        };
        (&mut self.network, around)
    }

    /// The messages that agents exchanged so far.
    pub fn tally(&self) -> &Arc<Tally> {
        self.peers.tally()
    }

    /// Reports events to `listener` from now on.
    pub fn listen(&mut self, listener: Listener) {
        self.listener = listener;
    }

    /// Briefs the agents, lets clients in, of which agents are some, and lets the agents begin.
    pub async fn begin(&mut self) {
        self.brief().await;
        self.host.open();
        self.settle().await;
    }

    /// Hands agents their briefings. What clients ask from here on comes behind those: an agent refuses what it
    /// is asked before.
    pub async fn brief(&mut self) {
        if self.network.takes_faults() {
            self.engine.open_to_faults();
        }
        if self.network.has_referee() {
            self.engine.open_to_referee();
        }
        if self.network.is_managed() {
            self.engine.open_management();
        }
        self.peers.resume();
        // Later changes are notified over these subscriptions; earlier ones are in the log when it
        // is read.
        self.engine.flushed().await;
        self.engine.start(self.clock.now());
    }

    /// Advances time from event to event until `done` returns true, or `until` is reached.
    pub async fn run(&mut self, pace: Pace, until: Timestamp, done: impl Fn(&Self) -> bool) {
        while !done(self) {
            let now = self.clock.now();
            let next = [self.engine.next_wakeup(), self.network.next_event_at()]
                .into_iter()
                .flatten()
                .min();
            let Some(next) = next.map(|n| n.max(now)).filter(|n| *n <= until) else {
                break;
            };
            if let Pace::Followed { speed, longest } = pace {
                let wait = (next.seconds_since(now) / speed).clamp(0.0, longest);
                tokio::time::sleep(Duration::from_secs_f64(wait)).await;
            }
            self.clock.set(next);
            self.pass(next).await;
        }
    }

    /// Runs by the clock, until `stop` resolves or the platform has failed ([`Host::has_failed`]
    /// gives the reason). Records for the referee of a story are not kept, as this may run for
    /// months.
    pub async fn live(&mut self, stop: impl Future<Output = ()>) {
        let workers = AgentWorkers::start(&self.engine, &self.clock);
        let workers = workers.inspect_err(|cause| {
            warn!("agents have no threads of their own, and step in turn: {cause}");
        });
        self.in_order = false;
        self.live_on(stop).await;
        self.in_order = true;
        if let Ok(workers) = workers {
            workers.stop().await;
        }
    }

    async fn live_on(&mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        while !self.engine.is_broken() {
            let now = self.clock.now();
            self.pass(now).await;
            self.network.forget();
            let next = [self.engine.next_wakeup(), self.network.next_event_at()]
                .into_iter()
                .flatten()
                .min();
            let wait = next.map_or(Duration::from_secs(3_600), |next| self.clock.until(next));
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(wait) => {}
                () = self.engine.outgoing_filled() => {}
                () = self.network.stirred() => {}
                arrival = self.peers.arrival() => self.arrive(arrival),
            }
        }
    }

    /// Handles everything that is due at `now`, and its consequences.
    async fn pass(&mut self, now: Timestamp) {
        self.settle().await;
        for event in self.network.advance(now) {
            let (network, mut around) = self.split();
            network.deliver(event, &mut around);
            self.settle().await;
        }
        self.network.expire(now);
        self.engine.tick(now);
        self.settle().await;
        self.network.settled(now);
    }

    /// Reports an event to the listener.
    pub fn tell(&mut self, happened: StoryEvent) {
        (self.listener)(&StoryEntry {
            at: self.clock.now(),
            happened,
        });
    }

    fn alias(&self, name: &str) -> String {
        alias(&self.aliases, name)
    }

    /// Carries out the outputs of agents until nothing is under way any more: every message has its
    /// reply, except for synchronous tasks that are being worked on, and every notification has
    /// arrived.
    ///
    /// While the clock runs by itself, it does not wait: arrivals are handled as they come.
    pub async fn settle(&mut self) {
        loop {
            let (network, mut around) = self.split();
            network.serve(&mut around);
            for outgoing in self.engine.outgoing() {
                self.carry_out(outgoing).await;
            }
            while let Some(arrival) = self.peers.arrived() {
                self.arrive(arrival);
            }
            if !self.in_order {
                return self.follow_log();
            }
            self.engine.flushed().await;
            self.follow_log();
            if self.engine.has_outgoing() {
                continue;
            }
            if self.is_quiet() {
                return;
            }
            if !self.something_comes().await {
                warn!(
                    agents.awaited = ?self.late(),
                    "messages between agents are late; going on without them"
                );
                self.awaited.retain(|_, awaited| awaited.may_take_time);
                self.expected = self.peers.notifications();
                return;
            }
        }
    }

    /// The awaited answers, as agent and task, and the number of outstanding notifications.
    fn late(&self) -> (Vec<(&str, &str)>, u64) {
        let awaited = self.awaited.values();
        let awaited = awaited.map(|a| (a.to.as_str(), a.task.as_str()));
        let missing = self.expected.saturating_sub(self.peers.notifications());
        (awaited.collect(), missing)
    }

    fn is_quiet(&self) -> bool {
        // A session answers in order: who asks again on the same road waits behind the first answer.
        let takes_time = |agent: &str, to: &str| {
            self.awaited.iter().any(|((asker, _), awaited)| {
                asker == agent
                    && awaited.to == to
                    && awaited.may_take_time
                    && self.engine.is_awaited(&awaited.task)
            })
        };
        let mut awaited = self.awaited.iter();
        let under_way = awaited.any(|((agent, _), awaited)| !takes_time(agent, &awaited.to));
        !under_way && self.peers.notifications() >= self.expected
    }

    /// Counts the notifications expected for committed entries.
    fn follow_log(&mut self) {
        while let Ok(entries) = self.engine.feed().after(self.followed, 256)
            && !entries.is_empty()
        {
            for entry in entries {
                self.followed = entry.sequence;
                if let LogEvent::Task(n) = &entry.happening
                    && self.peers.follows(&n.to, &n.from, entry.sequence)
                {
                    self.expected += 1;
                }
            }
        }
    }

    async fn carry_out(&mut self, outgoing: Outgoing) {
        let Outgoing { agent, output } = outgoing;
        let alias = self.alias(&agent);
        match output {
            Output::Send { token, message } => {
                let to = self.alias(&message.to);
                self.tell(StoryEvent::Sent {
                    from: alias,
                    to: to.clone(),
                    message: Box::new(message.clone()),
                });
                let awaited = Awaited {
                    task: message.task.clone(),
                    may_take_time: match message.verb {
                        Verb::TaskAssign => !message.asynchronous,
                        verb => {
                            matches!(
                                verb,
                                Verb::FeasibilityNegotiate | Verb::FulfillmentNegotiate
                            )
                        }
                    },
                    to,
                };
                self.await_arrivals().await;
                match self.peers.send(&agent, token, &message) {
                    Ok(()) => {
                        self.awaited.insert((agent, token), awaited);
                        self.await_arrivals().await;
                    }
                    Err(undelivered) => {
                        let reply = Err(undelivered);
                        self.engine.deliver(
                            &agent,
                            Input::Replied { token, reply },
                            self.clock.now(),
                        );
                    }
                }
            }
            Output::Act { token, action } => {
                self.tell(StoryEvent::Acted {
                    agent: alias,
                    action: action.clone(),
                });
                let (network, mut around) = self.split();
                network.act(&agent, token, action, &mut around);
            }
            Output::Note(text) => self.tell(StoryEvent::Note { agent: alias, text }),
            Output::Answer(_)
            | Output::Report { .. }
            | Output::Speak { .. }
            | Output::Wake { .. } => {
                debug!(agent, "the engine keeps these to itself");
            }
        }
    }

    /// Sends one message at a time: the next when the last was answered, or is being worked on, and
    /// all notifications on earlier events have arrived. So the order of events is the same in
    /// every run, with any transport.
    async fn await_arrivals(&mut self) {
        loop {
            while let Some(arrival) = self.peers.arrived() {
                self.arrive(arrival);
            }
            if !self.in_order {
                return;
            }
            self.engine.flushed().await;
            self.follow_log();
            if self.is_quiet() {
                return;
            }
            if !self.something_comes().await {
                warn!(
                    agents.awaited = ?self.late(),
                    "a message between agents is late; going on without its reply"
                );
                return;
            }
        }
    }

    /// Waits for an arrival, which it handles, or for the engine; false if nothing came in time.
    async fn something_comes(&mut self) -> bool {
        tokio::select! {
            arrival = self.peers.arrival() => {
                self.arrive(arrival);
                true
            }
            () = self.engine.outgoing_filled() => true,
            () = tokio::time::sleep(PATIENCE) => false,
        }
    }

    fn arrive(&mut self, arrival: Arrival) {
        let now = self.clock.now();
        match arrival {
            Arrival::Reply {
                agent,
                token,
                reply,
            } => {
                if let Some(awaited) = self.awaited.remove(&(agent.clone(), token)) {
                    let to = self.alias(&agent);
                    let told = reply.clone().map(Box::new);
                    self.tell(StoryEvent::Replied {
                        from: awaited.to,
                        to,
                        reply: told,
                    });
                }
                self.engine
                    .deliver(&agent, Input::Replied { token, reply }, now);
            }
            // The reply is not awaited any more; it will still be delivered.
            Arrival::Delayed { agent, token } => drop(self.awaited.remove(&(agent, token))),
            Arrival::Notified {
                agent,
                from,
                notification,
            } => {
                // A mind that stands for an agent elsewhere hears what that agent tells the
                // platform.
                if notification.to == agent || from == agent {
                    self.network.notified(&notification);
                    let (from, to) = (self.alias(&from), self.alias(&agent));
                    self.tell(StoryEvent::Notified {
                        from,
                        to,
                        notification: Arc::clone(&notification),
                    });
                    self.engine
                        .deliver(&agent, Input::Notified(notification), now);
                }
            }
        }
    }
}

/// The short name of an agent, or its name where it has none.
fn alias(aliases: &BTreeMap<String, String>, name: &str) -> String {
    aliases
        .get(name)
        .cloned()
        .unwrap_or_else(|| name.to_owned())
}
