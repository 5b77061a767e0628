//! Network and agents brought to life on a host.
//!
//! The loop is the same everywhere: take what agents want of the world, carry messages over
//! NETCONF, let the network answer, and only when nothing is under way any more let time pass. In
//! `demo` and `simulate` time jumps to the next thing that happens (the demo waits a little, so
//! that people can follow); in `serve` it is the wall's. Read next: [`crate::peers`],
//! [`crate::referee`].

mod emission;

use crate::clock::Clock;
use crate::ems::Acts;
use crate::faults;
use crate::host::Host;
use crate::peers::{Arrival, Peers, Tally};
use crate::post::Post;
use crate::referee;
use crate::score::{self, Work};
use crate::story::{Happened, Listener, Told};
use crate::workers::AgentWorkers;
use agents::payloads::Schema;
use agents::payloads::incident::Incident;
use domain::agent::{Input, Output};
use domain::event::{Happening, Sequence};
use domain::inventory::{ElementId, Inventory};
use domain::profile::Profile;
use domain::task::TaskId;
use domain::telemetry::{Action, Alarm, Token};
use domain::time::Timestamp;
use domain::verb::Verb;
use engine::{Engine, Outgoing};
use network::Simulation;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, warn};

/// How long the loop waits for something under way before it goes on without it.
const PATIENCE: Duration = Duration::from_secs(30);

/// A message whose reply has not come.
struct Awaited {
    task: TaskId,
    /// True if the addressee may work before it answers: on a synchronous task, on an offer.
    may_take_time: bool,
    to: String,
}

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as work is done.
    Unhurried,
    /// So many seconds of the network's time in one of the viewer's, and never more than the
    /// second number of seconds at a stretch.
    Followed {
        /// Simulated seconds per real second.
        speed: f64,
        /// The longest wait in seconds.
        longest: f64,
    },
}

/// A host with its network and agents.
pub struct World {
    host: Arc<Host>,
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    simulation: Option<Simulation>,
    /// What is done to it through management systems.
    acts: Acts,
    peers: Peers,
    posts: BTreeMap<String, Post>,
    inventory: Option<Arc<Inventory>>,
    aliases: BTreeMap<String, String>,
    awaited: BTreeMap<(String, Token), Awaited>,
    /// Log entries looked at for notifications to expect.
    followed: Sequence,
    expected: u64,
    alarms: Vec<Alarm>,
    complaints: u64,
    /// Incidents that domains reported.
    incidents: BTreeSet<String>,
    /// What was set right from afar, and when.
    remedies: Vec<(Timestamp, ElementId)>,
    listener: Listener,
    observers: Vec<Observer>,
    /// True if a message is sent only when the one before has arrived, so that what happens has one
    /// order; false while the clock runs by itself, when an agent that thinks must hold nobody up.
    in_order: bool,
}

/// Whoever looks at the network after everything that happens.
pub type Observer = Box<dyn FnMut(&Simulation, Timestamp) + Send>;

impl World {
    /// Brings agents to life: each is briefed, and sends its first messages when time begins.
    pub fn new(host: Arc<Host>, simulation: Option<Simulation>, listener: Listener) -> Self {
        let engine = Arc::clone(host.platform.engine());
        let alias = |p: &Profile| p.alias.clone().unwrap_or_else(|| p.name.clone());
        Self {
            posts: host.posts.clone(),
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
            inventory: simulation.as_ref().map(Simulation::inventory),
            simulation,
            acts: Acts::default(),
            awaited: BTreeMap::new(),
            expected: 0,
            alarms: Vec::new(),
            complaints: 0,
            incidents: BTreeSet::new(),
            remedies: Vec::new(),
            listener,
            observers: Vec::new(),
            in_order: true,
        }
    }

    /// The host below.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Ends the sessions of the agents, and stops the host unless somebody else holds it: its log is
    /// on disk and sealed then.
    pub async fn end(self) {
        let host = Arc::clone(&self.host);
        drop(self);
        if let Some(host) = Arc::into_inner(host) {
            host.stop().await;
        }
    }

    /// The network, if there is one.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// The network, if there is one, to break something in it.
    pub fn simulation_mut(&mut self) -> Option<&mut Simulation> {
        self.simulation.as_mut()
    }

    /// What agents exchanged so far.
    pub fn tally(&self) -> &Arc<Tally> {
        self.peers.tally()
    }

    /// The alarms that were delivered, in order.
    pub fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }

    /// How many complaints were delivered.
    pub fn complaints(&self) -> u64 {
        self.complaints
    }

    /// Tells whoever listens what happens from now on.
    pub fn listen(&mut self, listener: Listener) {
        self.listener = listener;
    }

    /// Lets somebody else, too, look at the network after everything that happens.
    pub fn observe(&mut self, observer: Observer) {
        self.observers.push(observer);
    }

    /// What agents found out and said so far, as the record of tasks has it.
    pub fn work(&self) -> Work {
        let tasks = referee::tasks(self);
        let boundaries = tasks.iter().filter_map(|task| {
            let asked = task.content.payload.as_ref()?;
            let result = task.result.as_ref()?.payload.as_ref()?;
            let boundary =
                (asked.scenario() == "complaint_ticket").then(|| result.text("boundary"))?;
            Some((asked.text("ticket_id")?.to_owned(), boundary?.to_owned()))
        });
        Work {
            cases: score::of_tasks(&tasks, &self.remedies),
            boundaries: boundaries.collect(),
            incidents: Some(self.incidents.len()),
            rounds: referee::rounds(self),
            messages: self.tally().messages(),
            bytes: self.tally().bytes(),
        }
    }

    /// Briefs the agents.
    pub async fn begin(&mut self) {
        if self.simulation.is_some() {
            self.engine.open_to_faults();
            self.engine.open_management();
        }
        self.peers.resume();
        // What is decided from here on is heard by those; what was before is on record when it is read.
        self.engine.flushed().await;
        self.engine.start(self.clock.now());
        self.settle().await;
    }

    /// Lets time jump from happening to happening until `done` says so, or `until` is reached.
    pub async fn run(&mut self, pace: Pace, until: Timestamp, done: impl Fn(&World) -> bool) {
        while !done(self) {
            let now = self.clock.now();
            let next = [self.engine.next_wakeup(), self.next_event()]
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

    /// Lives by the clock, which runs by itself, until `stop` resolves or nothing can be decided any more
    /// ([`Host::has_failed`] says why). What the referee of a story would want to know is not kept: this
    /// may go on for months.
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
            self.alarms.clear();
            self.incidents.clear();
            self.remedies.clear();
            let next = [self.engine.next_wakeup(), self.next_event()]
                .into_iter()
                .flatten()
                .min();
            let wait = next.map_or(Duration::from_secs(3_600), |next| self.clock.until(next));
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(wait) => {}
                () = self.engine.outgoing_filled() => {}
                arrival = self.peers.arrival() => self.arrive(arrival),
            }
        }
    }

    fn next_event(&self) -> Option<Timestamp> {
        let next = self.simulation.as_ref().and_then(Simulation::next_event_at);
        next.into_iter().chain(self.acts.next_due()).min()
    }

    /// Everything that is due at `now`, and all that follows from it.
    async fn pass(&mut self, now: Timestamp) {
        self.settle().await;
        if let Some(simulation) = &mut self.simulation {
            for emission in simulation.advance(now) {
                self.emit(emission, now);
                self.settle().await;
            }
        }
        self.acts.expire(now);
        self.engine.tick(now);
        self.settle().await;
        if let Some(simulation) = &self.simulation {
            for observer in &mut self.observers {
                observer(simulation, now);
            }
        }
    }

    /// Tells whoever listens.
    pub fn tell(&mut self, happened: Happened) {
        (self.listener)(&Told {
            at: self.clock.now(),
            happened,
        });
    }

    fn alias(&self, name: &str) -> String {
        self.aliases
            .get(name)
            .cloned()
            .unwrap_or_else(|| name.to_owned())
    }

    /// Carries out what agents want until nothing is under way any more: no message without its
    /// reply, but for synchronous tasks that are being worked on, and no notification that has
    /// not arrived.
    ///
    /// While the clock runs by itself, nothing is waited for: what comes is taken when it comes.
    async fn settle(&mut self) {
        loop {
            self.break_what_is_wanted();
            self.act_as_wanted();
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

    /// Faults that somebody breaks, asks for or mends over NETCONF.
    fn break_what_is_wanted(&mut self) {
        let Some(simulation) = &mut self.simulation else {
            return;
        };
        for wanted in self.engine.faults_wanted() {
            let now = self.clock.now();
            let answer = faults::grant(simulation, &wanted.wish, now);
            self.engine.answer_fault(wanted, answer, now);
        }
    }

    /// What somebody wants done to the network through a management system.
    fn act_as_wanted(&mut self) {
        for wanted in self.engine.acts_wanted() {
            self.tell(Happened::Acted {
                agent: self.alias(&wanted.by),
                action: wanted.action.clone(),
            });
            let now = self.clock.now();
            if let Some(simulation) = &mut self.simulation {
                self.acts.begin(wanted, simulation, now);
            }
        }
    }

    /// Which tasks wait for a word, of whom, and how many notifications have not come.
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

    /// Counts the notifications that must arrive for what was committed.
    fn follow_log(&mut self) {
        while let Ok(entries) = self.engine.feed().after(self.followed, 256)
            && !entries.is_empty()
        {
            for entry in entries {
                self.followed = entry.sequence;
                if let Happening::Task(n) = &entry.happening
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
                self.tell(Happened::Sent {
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
                self.tell(Happened::Acted {
                    agent: alias,
                    action: action.clone(),
                });
                let now = self.clock.now();
                if let Action::Configure { element, .. } = &action {
                    self.remedies.push((now, element.clone()));
                }
                match (&mut self.simulation, self.posts.get(&agent)) {
                    (Some(simulation), Some(post)) => {
                        simulation.act(&agent, &post.permit, token, action, now);
                    }
                    _ => {
                        let outcome = domain::telemetry::Outcome::Impossible(
                            "there is no network".to_owned(),
                        );
                        self.engine
                            .deliver(&agent, Input::Acted { token, outcome }, now);
                    }
                }
            }
            Output::Note(text) => self.tell(Happened::Note { agent: alias, text }),
            Output::Answer(_)
            | Output::Report { .. }
            | Output::Speak { .. }
            | Output::Wake { .. } => {
                debug!(agent, "the engine keeps these to itself");
            }
        }
    }

    /// One message at a time: the next is sent when the last was answered, or is being worked on, and
    /// whoever is to be notified of what happened so far has been. So the order of what happens is the
    /// same each time, whatever carries the messages.
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

    /// Waits for an arrival, which it takes on, or for the engine; false if nothing came in time.
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
                    self.tell(Happened::Replied {
                        from: awaited.to,
                        to,
                        reply: told,
                    });
                }
                self.engine
                    .deliver(&agent, Input::Replied { token, reply }, now);
            }
            // Nobody waits for it any more; it arrives all the same.
            Arrival::Delayed { agent, token } => drop(self.awaited.remove(&(agent, token))),
            Arrival::Notified {
                agent,
                from,
                notification,
            } => {
                // A mind that stands for an agent elsewhere hears what that agent tells the
                // platform.
                if notification.to == agent || from == agent {
                    let incident = Incident::in_content(&notification.content);
                    self.incidents.extend(incident.map(|i| i.incident_id));
                    let (from, to) = (self.alias(&from), self.alias(&agent));
                    self.tell(Happened::Notified {
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
