//! Simulated days of a network, operated by agents or conventionally by people, with their scores.
//!
//! The same seed gives the same network, faults, users and customers under every policy, so that
//! policies are compared seed by seed. Agents talk NETCONF over in-memory pipes; people use no
//! platform. After the last day nothing breaks any more, and the run goes on until what began within
//! the days has ended, [`DRAIN_H`] hours at most, for every policy alike: a fault of the last evening
//! counts like any other. Energy, users' service and messages are those of the days alone. Read next:
//! [`crate::score`], [`crate::practice`].

use crate::network::{World, world};
use crate::practice::PracticeDurations;
use crate::practice::StaffedNetwork;
use crate::roster::roster;
use crate::score::{self, RunFindings, RunParameters, ServiceIntegrals};
use crate::umbrella::YardstickUmbrella;
use agents::practice::umbrella::Umbrella;
use agents::practice::{Practice as People, PracticePolicy as ByHand};
use domain::inventory::Inventory;
use domain::time::{SeededRng, Timestamp};
use network::{Backbone, Customers, Parameters, Recorded, Simulation, TelemetryErrors};
use rand_chacha::rand_core::SeedableRng;
use report::Score;
use report::score::DayMistake;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host, StartError};
use server::story::Listener;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use yardsticks::TunedYardsticks;

/// The beginning of all days: midnight of a Monday.
const BEGINS: &str = "2026-01-05T00:00:00Z";

/// The hours after the last day within which what began is waited for.
pub const DRAIN_H: f64 = 24.0;

/// The step in which people's network goes on after the last day, in seconds.
const DRAIN_STEP_S: f64 = 900.0;

/// The figures that are of the faults of the days, whenever they ended; the others are of the days.
const OF_FAULTS: [&str; 2] = ["dispatches", "wrong-dispatches"];

/// The operator of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// The agents of this platform.
    Agents,
    /// People, as in today's operations, with energy saving by the clock.
    Manual,
    /// The same people, with the best yardstick as an umbrella correlator over the alarms of all
    /// domains.
    Correlated,
    /// The same people, without energy saving.
    None,
}

impl Operator {
    /// Every policy.
    pub const ALL: [Self; 4] = [Self::Agents, Self::Manual, Self::Correlated, Self::None];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Manual => "manual",
            Self::Correlated => "correlated",
            Self::None => "none",
        }
    }

    /// The policy called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.as_str() == name)
    }

    /// The way in which people run it; none if agents do.
    pub fn by_hand(self) -> Option<ByHand> {
        match self {
            Self::Agents => None,
            Self::Manual | Self::Correlated => Some(ByHand::Manual),
            Self::None => Some(ByHand::None),
        }
    }

    /// The people who run a network in this way, with their correlator if they have one.
    pub(crate) fn people(self, by_hand: ByHand, simulation: &Simulation) -> People {
        let people = people(by_hand, simulation);
        let tuned = TunedYardsticks::in_force_if(simulation.alarms_lie());
        let best = move |inventory: Arc<Inventory>| -> Box<dyn Umbrella> {
            Box::new(YardstickUmbrella::new(tuned.best(), tuned, inventory))
        };
        match self {
            Self::Correlated => people.with_umbrella(Box::new(best)),
            _ => people,
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The parameters of the days to simulate.
#[derive(Clone, Debug)]
pub struct Days {
    /// The backbone.
    pub topology: Backbone,
    /// The number of base-station sites.
    pub sites: usize,
    /// The number of days.
    pub days: u32,
    /// The seed of all randomness.
    pub seed: u64,
    /// The operator of the network.
    pub policy: Operator,
    /// How long people take, where they run it.
    pub practice: PracticeDurations,
    /// Alarms replayed as background instead of random ones; empty for none.
    pub alarms: Arc<Vec<Recorded>>,
    /// The errors of telemetry, measurements and documents.
    pub errors: TelemetryErrors,
    /// A file with weights of causes for the agents, instead of the shipped ones.
    pub knowledge: Option<PathBuf>,
}

impl Days {
    /// The beginning of the days.
    pub fn begin(&self) -> Timestamp {
        Timestamp::parse(BEGINS).expect("a literal")
    }

    /// The end of the days.
    pub fn end(&self) -> Timestamp {
        self.begin().plus_s(f64::from(self.days) * 86_400.0)
    }

    /// The network, with spontaneous faults, users and complaining drivers.
    pub fn network(&self) -> Simulation {
        Simulation::new(&self.topology, self.parameters(), self.seed, self.begin())
    }

    /// The name of the world, with what differs from it.
    pub fn world(&self) -> String {
        self.errors.to_string()
    }

    fn parameters(&self) -> Parameters {
        lively(Parameters {
            sites: self.sites,
            replay: Arc::clone(&self.alarms),
            calm_from: Some(self.end()),
            errors: self.errors,
            ..Parameters::default()
        })
    }

    /// The end of the longest drain.
    fn drained(&self) -> Timestamp {
        self.end().plus_s(DRAIN_H * 3_600.0)
    }

    fn played(&self) -> RunParameters {
        RunParameters {
            policy: self.policy.as_str().to_owned(),
            topology: self.topology.name.clone(),
            seed: self.seed,
            began: self.begin(),
        }
    }

    /// Simulates the days; `progress` is called from time to time with the share completed, 0 to 1.
    ///
    /// # Errors
    /// [`StartError`] if the platform does not start.
    pub async fn play(&self, progress: impl Fn(f64) + Send + 'static) -> Result<Score, StartError> {
        self.play_before(Box::new(|_| {}), progress).await
    }

    /// The same, where `listener` is told all that happens among agents.
    ///
    /// # Errors
    /// [`StartError`] if the platform does not start.
    pub async fn play_before(
        &self,
        listener: Listener,
        progress: impl Fn(f64) + Send + 'static,
    ) -> Result<Score, StartError> {
        let mut score = match self.policy.by_hand() {
            None => self.by_agents(listener, progress).await?,
            Some(by_hand) => self.by_people(by_hand, progress),
        };
        score.world = Some(self.world()).filter(|world| world != report::score::IDEAL);
        Ok(score)
    }

    async fn by_agents(
        &self,
        listener: Listener,
        progress: impl Fn(f64) + Send + 'static,
    ) -> Result<Score, StartError> {
        let simulation = self.network();
        let clock = Arc::new(Clock::standing(self.begin()).of_story());
        let settings = Settings {
            seed: Some(self.seed),
            knowledge: self.knowledge.clone(),
            ..Settings::default()
        };
        let (roster, inventory) = (roster(&settings)?, simulation.documented_inventory());
        let host = Host::start(Home::Memory, &settings, roster, inventory, clock).await?;
        let mut world = world(Arc::new(host), simulation, listener);
        let watch = Arc::new(Mutex::new(ServiceIntegrals::default()));
        let (seen, days) = (Arc::clone(&watch), self.clone());
        world
            .network_mut()
            .observe(Box::new(move |simulation, now| {
                seen.lock()
                    .expect("looking does not panic")
                    .look(simulation, now);
                progress(days.share(now));
            }));
        world.begin().await;
        let pace = server::runtime::Pace::Unhurried;
        world.run(pace, self.end(), |_| false).await;
        let of_days = self.so_far(&world, &watch);
        let tickets = world.network().simulation().grievances().len();
        world
            .run(pace, self.drained(), |world| {
                is_quiet(world.network().simulation(), tickets)
            })
            .await;
        let drained = self.so_far(&world, &watch);
        world.end().await;
        Ok(self.concluded(of_days, drained))
    }

    /// The score of agents up to now.
    fn so_far(&self, world: &World, watch: &Mutex<ServiceIntegrals>) -> Score {
        let watch = watch.lock().expect("looking does not panic").clone();
        let network = world.network();
        let (simulation, alarms) = (network.simulation(), network.alarms());
        let work = RunFindings::of(world);
        score::score(&self.played(), simulation, alarms, &watch, &work)
    }

    fn by_people(&self, by_hand: ByHand, progress: impl Fn(f64)) -> Score {
        let mut simulation = self.network();
        let people = self.policy.people(by_hand, &simulation);
        let people = people.with_durations(self.practice);
        let rng = SeededRng::seed_from_u64(self.seed);
        let mut watch = ServiceIntegrals::default();
        let mut practice = StaffedNetwork::begin(people, &mut simulation, rng);
        practice.run(&mut simulation, self.end(), |simulation, now| {
            watch.look(simulation, now);
            progress(self.share(now));
        });
        let so_far = |practice: &StaffedNetwork<People>, simulation: &Simulation| {
            let work = score::of_journal(practice.mind.journal(), simulation);
            score::score(&self.played(), simulation, &practice.alarms, &watch, &work)
        };
        let of_days = so_far(&practice, &simulation);
        let tickets = simulation.grievances().len();
        let mut until = self.end();
        while until < self.drained() && !is_quiet(&simulation, tickets) {
            until = until.plus_s(DRAIN_STEP_S);
            practice.run(&mut simulation, until, |_, _| {});
        }
        let drained = so_far(&practice, &simulation);
        self.concluded(of_days, drained)
    }

    /// The score of the days: what began in them as it ended, all else as it was at their end.
    fn concluded(&self, of_days: Score, drained: Score) -> Score {
        let tickets = of_days.complaints.len();
        let was_sent = |m: &DayMistake| m.way == score::SENT;
        let mut mistakes = of_days.mistakes;
        mistakes.retain(|m| !was_sent(m));
        mistakes.extend(drained.mistakes.into_iter().filter(was_sent));
        mistakes.sort_by_key(|m| m.at);
        let mut score = Score {
            mistakes,
            faults: drained.faults,
            complaints: drained.complaints,
            ..of_days
        };
        score.faults.retain(|fault| fault.began < self.end());
        score.complaints.truncate(tickets);
        score.recount();
        let of_faults = drained.figures.into_iter();
        let of_faults = of_faults.filter(|(name, _)| OF_FAULTS.contains(&name.as_str()));
        score.figures.extend(of_faults);
        score
    }

    /// The share of the days completed at `now`, 0 to 1.
    pub(crate) fn share(&self, now: Timestamp) -> f64 {
        let whole = self.end().seconds_since(self.begin());
        (now.seconds_since(self.begin()) / whole).clamp(0.0, 1.0)
    }
}

/// True once everything that broke is restored, and the first `tickets` complaints have their reply.
fn is_quiet(simulation: &Simulation, tickets: usize) -> bool {
    let mut broken = simulation.truth().iter();
    let mut tickets = simulation.grievances().iter().take(tickets);
    broken.all(|truth| truth.restored_at.is_some())
        && tickets.all(|ticket| ticket.outcome.replied_at.is_some())
}

/// The people who operate a network by hand, with the home province of each ticket.
pub(crate) fn people(policy: ByHand, simulation: &Simulation) -> People {
    let fleets = simulation.journeys().vehicles().iter();
    let homes = fleets.map(|v| (v.fleet(), v.province.clone())).collect();
    People::new(policy).with_homes(homes)
}

/// Parameters with spontaneous faults, stadium events and complaining drivers.
pub fn lively(parameters: Parameters) -> Parameters {
    Parameters {
        life: 1.0,
        companions: true,
        customers: Customers {
            vehicles: 120,
            ..Customers::default()
        },
        ..parameters
    }
}
