//! The event queue: what happens when, who hears of it, and the truth for the referee.
//!
//! Knows the order of things in simulated time; physics, alarms, noise, probes and engineers are
//! each in their own file. Refuses to tell an agent the truth: [`Truth`] never becomes an
//! [`Emission`]. Read next: `simulation/events.rs`.
//!
//! ```text
//! inject, act ──► queue ──► advance(now) ──► emissions in order of time
//!                   ▲           │
//!                   └── view ◄──┘  each change of state is compared with what was seen before
//! ```

mod actions;
mod background;
mod events;

use crate::build::{self, Parameters};
use crate::chance::stream;
use crate::fault::{self, Fault, FaultError};
use crate::noise::Noise;
use crate::reach::Reach;
use crate::state::{Sighting, State, View};
use crate::topology::Topology;
use actions::Engineer;
use domain::inventory::{Domain, ElementId, Inventory};
use domain::telemetry::{AlarmType, Outcome, Telemetry, Token};
use domain::time::{Dice, Timestamp};
use events::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who an emission is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// Whoever sees the telemetry of this domain; complaints are of [`Domain::Service`].
    Domain(Domain),
    /// The agent that acted, by the name it gave.
    Agent(String),
}

/// What is emitted.
#[derive(Clone, Debug, PartialEq)]
pub enum Tiding {
    /// An alarm, a complaint or a field report.
    Telemetry(Telemetry),
    /// How an action ended.
    Outcome {
        /// The token of the action.
        token: Token,
        /// How it ended.
        outcome: Outcome,
    },
}

/// Something that reaches an agent at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Emission {
    /// Who hears it.
    pub to: Audience,
    /// When.
    pub at: Timestamp,
    /// What it is.
    pub tiding: Tiding,
}

/// What an agent may do to the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permit {
    /// The domains whose elements it may probe.
    pub probe: BTreeSet<Domain>,
    /// True if it commands the field force.
    pub field: bool,
}

/// What really happened, for the referee only.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// The fault.
    pub fault: Fault,
    /// The sites that were out of service at any time because of it.
    pub sites_out: BTreeSet<ElementId>,
    /// When it was mended.
    pub repaired_at: Option<Timestamp>,
    /// When the last of these sites was back in service; for a fault that took out none, when it
    /// was mended.
    pub restored_at: Option<Timestamp>,
}

/// Dice for the purposes of a running simulation; building and noise have 1 and 2.
struct Chances {
    faults: Dice,
    alarms: Dice,
    background: Dice,
    mishaps: Dice,
    complaints: Dice,
    actions: Dice,
}

/// A network that runs.
pub struct Simulation {
    inventory: Arc<Inventory>,
    reach: Reach,
    parameters: Parameters,
    now: Timestamp,
    queue: BTreeMap<(Timestamp, u64), Event>,
    sequence: u64,
    chances: Chances,
    noise: Noise,
    state: State,
    view: View,
    /// Sightings that stand, and since when.
    standing: BTreeMap<Sighting, Timestamp>,
    /// Those of them that were told, and when they were last seen to begin.
    told: BTreeMap<Sighting, Timestamp>,
    /// Sites and routers that are out of reach, and since when.
    silent_since: BTreeMap<ElementId, Timestamp>,
    /// Sites that could tell that their mains is away.
    gasped: BTreeSet<ElementId>,
    ailing: BTreeSet<(ElementId, AlarmType)>,
    complaining: BTreeSet<ElementId>,
    engineers: BTreeMap<(String, Token), Engineer>,
    /// Number of the next trouble; injected ones are listed in `injected`.
    troubles: usize,
    /// Trouble number to index of `truths`.
    injected: BTreeMap<usize, usize>,
    truths: Vec<Truth>,
}

impl Simulation {
    /// A network built from `topology` and `seed`, at rest, at the instant `start`. The background
    /// begins at once; without a fault there is nothing else.
    pub fn new(topology: &Topology, parameters: Parameters, seed: u64, start: Timestamp) -> Self {
        let inventory = build::inventory(topology, &parameters, seed);
        Self::with_inventory(Arc::new(inventory), parameters, seed, start)
    }

    /// The same over an inventory that exists already.
    pub fn with_inventory(
        inventory: Arc<Inventory>,
        parameters: Parameters,
        seed: u64,
        start: Timestamp,
    ) -> Self {
        let state = State::default();
        let reach = Reach::new(&inventory);
        let view = state.view(&inventory, &reach);
        let mut simulation = Self {
            noise: Noise::new(&inventory, parameters.noise, seed),
            inventory,
            reach,
            parameters,
            now: start,
            queue: BTreeMap::new(),
            sequence: 0,
            chances: Chances {
                faults: stream(seed, 3),
                alarms: stream(seed, 4),
                background: stream(seed, 5),
                mishaps: stream(seed, 8),
                complaints: stream(seed, 6),
                actions: stream(seed, 7),
            },
            state,
            view,
            standing: BTreeMap::new(),
            told: BTreeMap::new(),
            silent_since: BTreeMap::new(),
            gasped: BTreeSet::new(),
            ailing: BTreeSet::new(),
            complaining: BTreeSet::new(),
            engineers: BTreeMap::new(),
            troubles: 0,
            injected: BTreeMap::new(),
            truths: Vec::new(),
        };
        simulation.begin_background();
        simulation
    }

    /// The network as documented.
    pub fn inventory(&self) -> Arc<Inventory> {
        Arc::clone(&self.inventory)
    }

    /// Lets `fault` happen at its instant, or now if that has passed; small unrelated outages
    /// happen close to it if the parameters ask for decoys.
    ///
    /// # Errors
    /// [`FaultError`] if the element is unknown or of the wrong kind.
    pub fn inject(&mut self, mut fault: Fault) -> Result<(), FaultError> {
        fault::check(&self.inventory, &fault)?;
        fault.at = fault.at.max(self.now);
        let number = self.next_trouble();
        self.injected.insert(number, self.truths.len());
        let at = fault.at;
        self.truths.push(Truth {
            fault: fault.clone(),
            sites_out: BTreeSet::new(),
            repaired_at: None,
            restored_at: None,
        });
        self.schedule(at, Event::Strike { number, fault });
        self.schedule_decoys(at);
        Ok(())
    }

    /// When something happens next; nothing is emitted before.
    pub fn next_event_at(&self) -> Option<Timestamp> {
        self.queue.keys().next().map(|(at, _)| *at)
    }

    /// Lets time pass until `now` and gives what agents hear by then, in order of time. An instant
    /// before the last one changes nothing.
    pub fn advance(&mut self, now: Timestamp) -> Vec<Emission> {
        let mut emissions = Vec::new();
        while let Some(entry) = self.queue.first_entry() {
            let at = entry.key().0;
            if at > now {
                break;
            }
            let event = entry.remove();
            self.now = self.now.max(at);
            self.happen(event, &mut emissions);
        }
        self.now = self.now.max(now);
        emissions
    }

    /// The instant up to which time has passed.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Sites out of service at this instant, whatever the cause: for the referee and for maps.
    pub fn sites_out(&self) -> &BTreeSet<ElementId> {
        &self.view.out
    }

    /// What is broken at this instant: for the referee only.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The truth about every injected fault, in the order of injection: for the referee only.
    pub fn truth(&self) -> &[Truth] {
        &self.truths
    }

    fn schedule(&mut self, at: Timestamp, event: Event) {
        self.sequence += 1;
        self.queue.insert((at.max(self.now), self.sequence), event);
    }

    fn next_trouble(&mut self) -> usize {
        self.troubles += 1;
        self.troubles
    }
}

#[cfg(test)]
mod tests;
