//! The simulated network as seen by the agents of a platform.
//!
//! Delivers its emissions to the agents, element management systems and listeners they are for, and
//! performs the actions of agents and users. Also counts what a referee needs. Read next:
//! [`server::shares`], the part that an agent receives; [`server::runtime`], the loop.

use crate::ems::Acts;
use crate::faults::Faults;
use crate::interventions::intervention;
use ::network::{Emission, EmissionContent, Recipients, Simulation};
use agents::payloads::Schema;
use agents::payloads::incident::Incident;
use domain::agent::Input;
use domain::inventory::{ElementId, Inventory};
use domain::notification::Notification;
use domain::telemetry::{Action, Outcome, Telemetry, Token};
use domain::time::Timestamp;
use engine::Engine;
use server::host::Host;
use server::post::Post;
use server::runtime::{Around, Network, Runtime};
use server::shares::Shares;
use server::story::{Listener, StoryEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use yardsticks::{Commitment, DeliveredAlarm};

/// A platform whose agents work on a simulated network.
pub type World = Runtime<Simulated>;

/// Connects the agents of a host to a simulated network.
pub fn world(host: Arc<Host>, simulation: Simulation, listener: Listener) -> World {
    let network = Simulated::new(&host, simulation);
    Runtime::new(host, network, listener)
}

/// A callback that sees the network after every event.
pub type Observer = Box<dyn FnMut(&Simulation, Timestamp) + Send>;

/// A simulated network, with counts of its emissions.
pub struct Simulated {
    simulation: Simulation,
    inventory: Arc<Inventory>,
    posts: BTreeMap<String, Post>,
    /// The pending actions through element management systems.
    acts: Acts,
    alarms: Vec<DeliveredAlarm>,
    complaints: u64,
    /// Incidents that domains reported.
    incidents: BTreeSet<String>,
    /// The remote corrections, with their instants.
    remedies: Vec<(Timestamp, ElementId)>,
    /// What agents committed to by acting upon the network from afar, whether it helped or not.
    interventions: Vec<Commitment>,
    observers: Vec<Observer>,
    judge: Option<Box<dyn NetworkJudge>>,
}

/// Answers how well it went, of those whom the engine lets ask.
pub trait NetworkJudge: Send {
    /// Answers what was asked since the last call; `remedies` are what hosted agents set right from afar.
    fn serve(
        &mut self,
        engine: &Engine,
        simulation: &Simulation,
        remedies: &[(Timestamp, ElementId)],
        now: Timestamp,
    );
}

/// The most remote corrections that are kept for the referee where nobody ends the run.
const REMEDIES_MOST: usize = 1_000;

impl Simulated {
    /// The network for the agents of a host.
    pub fn new(host: &Host, simulation: Simulation) -> Self {
        Self {
            inventory: simulation.inventory(),
            simulation,
            posts: host.posts.clone(),
            acts: Acts::default(),
            alarms: Vec::new(),
            complaints: 0,
            incidents: BTreeSet::new(),
            remedies: Vec::new(),
            interventions: Vec::new(),
            observers: Vec::new(),
            judge: None,
        }
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, once nobody works on it any more.
    pub(crate) fn into_simulation(self) -> Simulation {
        self.simulation
    }

    /// The simulation, mutable, for fault injection.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// The alarms that were delivered, in order.
    pub fn alarms(&self) -> &[DeliveredAlarm] {
        &self.alarms
    }

    /// The number of complaints delivered.
    pub fn complaints(&self) -> u64 {
        self.complaints
    }

    /// The number of incidents reported by domains.
    pub(crate) fn incidents(&self) -> usize {
        self.incidents.len()
    }

    /// The remote corrections by hosted agents, with their instants.
    pub(crate) fn remedies(&self) -> &[(Timestamp, ElementId)] {
        &self.remedies
    }

    /// What agents committed to by setting parameters and restarting elements, whether it helped or
    /// not.
    pub(crate) fn interventions(&self) -> &[Commitment] {
        &self.interventions
    }

    /// Adds a callback that sees the network after every event.
    pub fn observe(&mut self, observer: Observer) {
        self.observers.push(observer);
    }

    /// Has it answered how well it goes, from the beginning on.
    pub fn judged_by(&mut self, judge: Box<dyn NetworkJudge>) {
        self.judge = Some(judge);
    }

    /// The agents that receive an emission for this audience.
    fn hearers(&self, audience: &Recipients) -> Vec<String> {
        match audience {
            Recipients::Agent(name) => vec![name.clone()],
            Recipients::Domain(domain) => {
                let posts = self.posts.iter();
                let hear = posts.filter(|(_, post)| post.hears.contains(domain));
                hear.map(|(name, _)| name.clone()).collect()
            }
        }
    }

    fn tell_telemetry(&mut self, telemetry: &Telemetry, around: &mut Around<'_>) {
        match telemetry {
            Telemetry::Alarm(alarm) => {
                self.alarms.push(DeliveredAlarm {
                    at: around.now(),
                    alarm: alarm.clone(),
                });
                around.tell(StoryEvent::Alarm(alarm.clone()));
            }
            Telemetry::Complaint(complaint) => {
                self.complaints += 1;
                around.tell(StoryEvent::Complaint(complaint.clone()));
            }
            Telemetry::Field(report) => around.tell(StoryEvent::Field(report.clone())),
            Telemetry::Ticket(ticket) => around.tell(StoryEvent::Ticket(ticket.clone())),
            Telemetry::CustomerAnswered { ticket, text } => around.tell(StoryEvent::Answered {
                ticket: ticket.clone(),
                text: text.clone(),
            }),
            Telemetry::Performance(_) => {}
        }
    }
}

impl Network for Simulated {
    type Event = Emission;

    fn is_managed(&self) -> bool {
        true
    }

    fn takes_faults(&self) -> bool {
        true
    }

    fn has_referee(&self) -> bool {
        self.judge.is_some()
    }

    fn next_event_at(&self) -> Option<Timestamp> {
        let next = self.simulation.next_event_at();
        next.into_iter().chain(self.acts.next_due()).min()
    }

    fn advance(&mut self, now: Timestamp) -> Vec<Emission> {
        self.simulation.advance(now)
    }

    fn deliver(&mut self, emission: Emission, around: &mut Around<'_>) {
        let now = around.now();
        let Some(emission) = self.acts.take(emission, around.engine(), now) else {
            return;
        };
        let hearers = self.hearers(&emission.to);
        match emission.tiding {
            EmissionContent::Telemetry(telemetry) => {
                self.tell_telemetry(&telemetry, around);
                let shares = Shares::new(&telemetry, &self.inventory);
                for name in hearers {
                    // What was sent to somebody by name who has no post is heard whole.
                    let share = match self.posts.get(&name) {
                        Some(post) => shares.heard_by(post),
                        None => Some(telemetry.clone()),
                    };
                    if let Some(share) = share {
                        around.deliver(&name, Input::Telemetry(share));
                    }
                }
            }
            EmissionContent::Outcome { token, outcome } => {
                let agent = around.alias(hearers.first().map_or("", String::as_str));
                around.tell(StoryEvent::Outcome {
                    agent,
                    outcome: outcome.clone(),
                });
                let input = Input::Acted { token, outcome };
                for name in hearers {
                    around.deliver(&name, input.clone());
                }
            }
        }
    }

    fn serve(&mut self, around: &mut Around<'_>) {
        let now = around.now();
        around
            .engine()
            .serve_faults(&mut Faults(&mut self.simulation), now);
        if let Some(judge) = &mut self.judge {
            judge.serve(around.engine(), &self.simulation, &self.remedies, now);
        }
        for wanted in around.engine().acts_wanted() {
            around.tell(StoryEvent::Acted {
                agent: around.alias(&wanted.by),
                action: wanted.action.clone(),
            });
            let now = around.now();
            let committed = intervention(&self.simulation, &wanted.action, now);
            self.interventions.extend(committed);
            self.acts.begin(wanted, &mut self.simulation, now);
        }
    }

    fn act(&mut self, agent: &str, token: Token, action: Action, around: &mut Around<'_>) {
        let now = around.now();
        if let Action::Configure { element, .. } = &action {
            self.remedies.push((now, element.clone()));
        }
        let committed = intervention(&self.simulation, &action, now);
        self.interventions.extend(committed);
        match self.posts.get(agent) {
            Some(post) => {
                let simulation = &mut self.simulation;
                simulation.act(agent, &post.permit, token, action, now);
            }
            None => {
                let outcome = Outcome::Impossible("there is no network".to_owned());
                around.deliver(agent, Input::Acted { token, outcome });
            }
        }
    }

    fn notified(&mut self, notification: &Notification) {
        let incident = Incident::in_content(&notification.content);
        self.incidents.extend(incident.map(|i| i.incident_id));
    }

    fn expire(&mut self, now: Timestamp) {
        self.acts.expire(now);
    }

    fn settled(&mut self, now: Timestamp) {
        for observer in &mut self.observers {
            observer(&self.simulation, now);
        }
    }

    fn forget(&mut self) {
        self.alarms.clear();
        self.incidents.clear();
        let beyond = self.remedies.len().saturating_sub(REMEDIES_MOST);
        self.remedies.drain(..beyond);
        self.interventions.clear();
    }
}
