//! The discrete-event simulation: its event queue, its emissions to agents, and the truth for the
//! referee.
//!
//! Knows the order of events in simulated time; physics, alarms, noise, probes and engineers are
//! each in their own file. The truth never reaches an agent: a [`Truth`] never becomes an
//! [`Emission`]. Read next: `simulation/queue.rs`.
//!
//! ```text
//! inject, act ──► queue ──► advance(now) ──► emissions in order of time
//!                   ▲           │
//!                   └── view ◄──┘  each change of state is compared with what was seen before
//! ```

mod actions;
mod ailments;
mod background;
mod customers;
mod erring;
mod events;
mod journal;
mod life;
mod mobile;
mod outside;
mod queue;
mod remote;
mod transport;

pub use journal::Dispatch;
pub use transport::PERIOD_S;

use crate::build::{self, Parameters};
use crate::chance::stream;
use crate::errors::documents;
use crate::fault::{Fault, FaultError, FaultTerms};
use crate::mobile::Mobile;
use crate::mobile::battery::Batteries;
use crate::noise::Noise;
use crate::reachability::Reachability;
use crate::state::{NetworkState, NetworkView, ObservableCondition};
use crate::topology::Backbone;
use crate::traffic::routing::Charts;
use crate::traffic::{Demand, Flows, Terrain, Traffic, demand};
use actions::FieldForce;
use domain::inventory::{Domain, ElementId, Inventory};
use domain::telemetry::{AlarmType, Outcome, Telemetry, Token};
use domain::time::{SeededRng, Timestamp};
use erring::Erring;
use journal::Outages;
use queue::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use transport::Meter;

/// The audience of an emission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recipients {
    /// Every subscriber to the telemetry of this domain; complaints are of [`Domain::Service`].
    Domain(Domain),
    /// The agent that requested the action, by its name.
    Agent(String),
}

/// The content of an emission.
#[derive(Clone, Debug, PartialEq)]
pub enum EmissionContent {
    /// An alarm, a complaint or a field report.
    Telemetry(Telemetry),
    /// The outcome of an action.
    Outcome {
        /// The token of the action.
        token: Token,
        /// The outcome.
        outcome: Outcome,
    },
}

/// A message to agents at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Emission {
    /// The audience.
    pub to: Recipients,
    /// The instant.
    pub at: Timestamp,
    /// The content.
    pub tiding: EmissionContent,
}

/// The ground truth about a fault, for the referee only.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// The fault.
    pub fault: Fault,
    /// The sites that were out of service at any time because of it.
    pub sites_out: BTreeSet<ElementId>,
    /// Elements that it degraded without taking them out of service: cells, links.
    pub touched: BTreeSet<ElementId>,
    /// The instant at which it was repaired, or ended by itself.
    pub repaired_at: Option<Timestamp>,
    /// The instant at which the last of these sites was back in service; for a fault that took out
    /// none, the instant of its repair.
    pub restored_at: Option<Timestamp>,
}

/// The random generators of a running simulation; building and noise have streams 1 and 2. Streams
/// from 40 on were added later, so that earlier scenarios stay unchanged.
struct Chances {
    faults: SeededRng,
    alarms: SeededRng,
    background: SeededRng,
    mishaps: SeededRng,
    complaints: SeededRng,
    actions: SeededRng,
    /// For alarms of batteries.
    batteries: SeededRng,
    surges: SeededRng,
    ailments: SeededRng,
    /// For alarms of gradual troubles, so that those of outages are drawn independently.
    ailing_alarms: SeededRng,
    remote: SeededRng,
    life: SeededRng,
}

impl Chances {
    /// The generator for alarms of a type.
    fn of_alarms(&mut self, alarm_type: AlarmType) -> &mut SeededRng {
        match alarm_type {
            AlarmType::LossOfSignal
            | AlarmType::LinkDown
            | AlarmType::CardFailure
            | AlarmType::NodeUnreachable
            | AlarmType::SiteUnreachable
            | AlarmType::CellsOutOfService
            | AlarmType::MainsFailure => &mut self.alarms,
            AlarmType::BatteryLow => &mut self.batteries,
            _ => &mut self.ailing_alarms,
        }
    }
}

/// A running network.
pub struct Simulation {
    inventory: Arc<Inventory>,
    reach: Reachability,
    parameters: Parameters,
    now: Timestamp,
    queue: BTreeMap<(Timestamp, u64), Event>,
    sequence: u64,
    chances: Chances,
    noise: Noise,
    state: NetworkState,
    view: NetworkView,
    /// Standing sightings, with their beginnings.
    standing: BTreeMap<ObservableCondition, Timestamp>,
    /// Those of them that were reported, with the beginning that was reported last.
    told: BTreeMap<ObservableCondition, Timestamp>,
    /// Sites and routers out of reach, with the beginning of that.
    silent_since: BTreeMap<ElementId, Timestamp>,
    /// Sites that could report their loss of mains.
    gasped: BTreeSet<ElementId>,
    ailing: BTreeSet<(ElementId, AlarmType)>,
    complaining: BTreeSet<ElementId>,
    field_force: FieldForce,
    mobile: Mobile,
    /// True if the mobile domain must be evaluated before time advances.
    mobile_stale: bool,
    batteries: Batteries,
    /// The number of the next trouble; injected ones are listed in `injected`.
    troubles: usize,
    /// Trouble number to index of `truths`.
    injected: BTreeMap<usize, usize>,
    truths: Vec<Truth>,
    /// The elements that each open fault has broken alone, and the sites that this takes out.
    claims: BTreeMap<usize, (BTreeSet<ElementId>, BTreeSet<ElementId>)>,
    /// The failed elements and the sites out when outages were last attributed to faults.
    explained: (BTreeSet<ElementId>, BTreeSet<ElementId>),
    traffic: Traffic,
    /// The paths of the last routing, cached.
    charts: Charts,
    /// The terrain of the last routing.
    terrain: Terrain,
    flows: Flows,
    meter: Meter,
    dispatches: Vec<Dispatch>,
    outages: Outages,
    customers: customers::Desk,
    erring: Erring,
}

impl Simulation {
    /// A network built from `topology` and `seed`, without faults, at the instant `start`.
    /// Background alarms begin at once.
    pub fn new(topology: &Backbone, parameters: Parameters, seed: u64, start: Timestamp) -> Self {
        let (inventory, demands) = build::network(topology, &parameters, seed);
        Self::with_demands(Arc::new(inventory), &demands, parameters, seed, start)
    }

    /// A simulation over an existing inventory, with demands by the gravity model.
    pub fn with_inventory(
        inventory: Arc<Inventory>,
        parameters: Parameters,
        seed: u64,
        start: Timestamp,
    ) -> Self {
        let demands = demand::by_gravity(&inventory);
        Self::with_demands(inventory, &demands, parameters, seed, start)
    }

    /// A simulation with these demands between routers, in the busy hour.
    pub fn with_demands(
        inventory: Arc<Inventory>,
        demands: &[Demand],
        parameters: Parameters,
        seed: u64,
        start: Timestamp,
    ) -> Self {
        let state = NetworkState {
            settings: documents::drifted(&inventory, parameters.errors.drift, seed),
            ..NetworkState::default()
        };
        let reach = Reachability::new(&inventory);
        let view = state.view(&inventory, &reach);
        let mut simulation = Self {
            mobile: Mobile::new(&inventory, &parameters.mobile, seed, start),
            mobile_stale: true,
            batteries: Batteries::default(),
            noise: Noise::new(&inventory, parameters.noise, seed)
                .with_companions(parameters.companions),
            traffic: Traffic::new(&inventory, demands),
            charts: Charts::default(),
            terrain: Terrain::default(),
            flows: Flows::default(),
            meter: Meter::new(start),
            dispatches: Vec::new(),
            outages: Outages::default(),
            customers: customers::Desk::new(&inventory, &parameters.customers, seed, start),
            erring: Erring::new(&inventory, parameters.errors, seed),
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
                batteries: stream(seed, 22),
                surges: stream(seed, 23),
                ailments: stream(seed, 40),
                ailing_alarms: stream(seed, 43),
                remote: stream(seed, 41),
                life: stream(seed, 42),
            },
            state,
            view,
            standing: BTreeMap::new(),
            told: BTreeMap::new(),
            silent_since: BTreeMap::new(),
            gasped: BTreeSet::new(),
            ailing: BTreeSet::new(),
            complaining: BTreeSet::new(),
            field_force: FieldForce::default(),
            troubles: 0,
            injected: BTreeMap::new(),
            truths: Vec::new(),
            claims: BTreeMap::new(),
            explained: (BTreeSet::new(), BTreeSet::new()),
        };
        simulation.begin_background();
        simulation.begin_false_alarms();
        simulation.begin_life();
        simulation.begin_periods();
        simulation.begin_mobile();
        simulation.begin_journeys();
        simulation
    }

    /// The inventory as it is: for the referee and for maps.
    pub fn inventory(&self) -> Arc<Inventory> {
        Arc::clone(&self.inventory)
    }

    /// The inventory as documented, which is all that operators and agents have. It differs from the
    /// true one only if documents err ([`Parameters::errors`]).
    pub fn documented_inventory(&self) -> Arc<Inventory> {
        Arc::clone(&self.erring.documented)
    }

    /// Schedules `fault` at its instant, or now if that has passed; small unrelated outages happen
    /// close to it if the parameters ask for decoys.
    ///
    /// # Errors
    /// [`FaultError`] if the element is unknown or of the wrong kind.
    pub fn inject(&mut self, fault: Fault) -> Result<(), FaultError> {
        self.inject_on(fault, FaultTerms::default())
    }

    /// Schedules a fault and opens its truth; returns the number of its trouble.
    fn expect(&mut self, fault: Fault, terms: FaultTerms) -> usize {
        let number = self.next_trouble();
        self.injected.insert(number, self.truths.len());
        self.truths.push(Truth {
            fault: fault.clone(),
            sites_out: BTreeSet::new(),
            touched: BTreeSet::new(),
            repaired_at: None,
            restored_at: None,
        });
        let strike = Event::Strike {
            number,
            fault: fault.clone(),
            terms,
        };
        self.schedule(fault.at, strike);
        number
    }

    /// The instant of the next event; there are no emissions before it.
    pub fn next_event_at(&self) -> Option<Timestamp> {
        self.queue.keys().next().map(|(at, _)| *at)
    }

    /// Advances time to `now` and returns the emissions until then, in order of time. An instant
    /// before the last one changes nothing.
    pub fn advance(&mut self, now: Timestamp) -> Vec<Emission> {
        let mut emissions = Vec::new();
        loop {
            let next = self.next_event_at();
            if self.mobile_stale && next.is_none_or(|at| at > self.now) {
                self.see_mobile();
                continue;
            }
            let Some(entry) = self.queue.first_entry().filter(|e| e.key().0 <= now) else {
                break;
            };
            self.now = self.now.max(entry.key().0);
            let event = entry.remove();
            self.happen(event, &mut emissions);
        }
        self.now = self.now.max(now);
        emissions
    }

    /// The instant up to which time has advanced.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// True if some of its alarms are of conditions that do not exist.
    pub fn alarms_lie(&self) -> bool {
        self.parameters.errors.alarms_lie()
    }

    /// Sites out of service at this instant, for any cause: for the referee and for maps.
    pub fn sites_out(&self) -> &BTreeSet<ElementId> {
        &self.view.out
    }

    /// The current troubles: for the referee only.
    pub fn state(&self) -> &NetworkState {
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
#[path = "simulation/tests/stories.rs"]
mod stories;
#[cfg(test)]
mod tests;
