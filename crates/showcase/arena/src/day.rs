//! Simulated days of a network, operated by agents or conventionally by people, with their scores.
//!
//! The same seed gives the same network, faults, users and customers under every policy, so that
//! policies are compared seed by seed. Agents talk NETCONF over in-memory pipes; people use no
//! platform. After the last day nothing breaks any more, and the run goes on until what began within
//! the days has ended, [`DRAIN_H`] hours at most, for every policy alike: a fault of the last evening
//! counts like any other. Energy, users' service and messages are those of the days alone. Read next:
//! [`crate::score`], [`crate::practice`].

mod begun;

use crate::network::{World, world};
use crate::practice::PracticeDurations;
use crate::practice::StaffedNetwork;
use crate::roster::roster;
use crate::score::{self, RunFindings, RunParameters, ServiceIntegrals};
use crate::umbrella::YardstickUmbrella;
use agents::practice::umbrella::Umbrella;
use agents::practice::{Practice as People, PracticePolicy as ByHand};
use begun::{Begun, looked, standing};
use domain::inventory::Inventory;
use domain::time::{SeededRng, Timestamp};
use network::{Backbone, Customers, Parameters, Recorded, Simulation, TelemetryErrors};
use rand_chacha::rand_core::SeedableRng;
use report::Score;
use report::score::DayMistake;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host, StartError};
use server::runtime::Pace;
use server::story::Listener;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use yardsticks::{DeliveredAlarm, TunedYardsticks};

/// The beginning of all days: midnight of a Monday.
const BEGINS: &str = "2026-01-05T00:00:00Z";

/// The hours after the last day within which what began is waited for.
pub const DRAIN_H: f64 = 24.0;

/// The steps in which people's network goes on, in seconds: after each it may end.
const STEP_S: f64 = 900.0;

const UNHURRIED: Pace = Pace::Unhurried;

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
        let whole = self.play_unless(listener, progress, || false).await?;
        Ok(whole.expect("nothing ends it"))
    }

    /// The same, unless `ended` says meanwhile that it is to end: then there is no score.
    ///
    /// # Errors
    /// [`StartError`] if the platform does not start.
    pub async fn play_unless(
        &self,
        listener: Listener,
        progress: impl Fn(f64) + Send + 'static,
        ended: impl Fn() -> bool,
    ) -> Result<Option<Score>, StartError> {
        let begun = Begun::with(self.network(), self.begin());
        self.go_on(begun, listener, progress, ended).await
    }

    /// The same, where from `at` on `second` operates the network: what was until then is as without that. Whoever
    /// takes over is told the alarms that stand, and nothing else; engineers who are under way go on.
    ///
    /// # Errors
    /// [`StartError`] if a platform does not start.
    pub async fn play_forked(
        &self,
        at: Timestamp,
        second: Operator,
        progress: impl Fn(f64) + Send + Sync + 'static,
        ended: impl Fn() -> bool,
    ) -> Result<Option<Score>, StartError> {
        let progress = Arc::new(progress);
        let told = Arc::clone(&progress);
        let first = self.until(at, move |share| told(share), &ended).await?;
        let rest = Self {
            policy: second,
            ..self.clone()
        };
        rest.go_on(first, Box::new(|_| {}), move |share| progress(share), ended)
            .await
    }

    /// Goes on with what was begun, to the end of all days.
    async fn go_on(
        &self,
        begun: Begun,
        listener: Listener,
        progress: impl Fn(f64) + Send + 'static,
        ended: impl Fn() -> bool,
    ) -> Result<Option<Score>, StartError> {
        if ended() {
            return Ok(None);
        }
        let score = match self.policy.by_hand() {
            None => self.by_agents(begun, listener, progress, &ended).await?,
            Some(by_hand) => self.by_people(begun, by_hand, progress, &ended),
        };
        let world = Some(self.world()).filter(|world| world != report::score::IDEAL);
        Ok((!ended()).then_some(Score { world, ..score }))
    }

    /// What has come of the days at `at`, for another to go on with.
    async fn until(
        &self,
        at: Timestamp,
        progress: impl Fn(f64) + Send + 'static,
        ended: &impl Fn() -> bool,
    ) -> Result<Begun, StartError> {
        let begun = Begun::with(self.network(), self.begin());
        let mut begun = match self.policy.by_hand() {
            None => {
                let (mut world, watch) = self.platform(begun, Box::new(|_| {}), progress).await?;
                world.run(UNHURRIED, at, |_| ended()).await;
                let work = RunFindings::of(&world);
                let network = world.end().await;
                Begun {
                    at,
                    alarms: network.alarms().to_vec(),
                    simulation: network.into_simulation(),
                    watch: looked(&watch),
                    work,
                }
            }
            Some(by_hand) => {
                let (mut practice, mut begun) = self.centre(begun, by_hand);
                self.staff(&mut practice, &mut begun, at, progress, ended);
                Begun {
                    at,
                    work: score::of_journal(practice.mind.journal(), &begun.simulation),
                    alarms: practice.alarms,
                    ..begun
                }
            }
        };
        begun.work.alarms_before = begun.alarms.len();
        let standing = standing(&begun.alarms);
        begun.simulation.tell_again(standing);
        Ok(begun)
    }

    /// A platform whose agents go on with what was begun.
    async fn platform(
        &self,
        begun: Begun,
        listener: Listener,
        progress: impl Fn(f64) + Send + 'static,
    ) -> Result<(World, Arc<Mutex<ServiceIntegrals>>), StartError> {
        let simulation = begun.simulation;
        let clock = Arc::new(Clock::standing(begun.at).of_story());
        let settings = Settings {
            seed: Some(self.seed),
            knowledge: self.knowledge.clone(),
            ..Settings::default()
        };
        let (roster, inventory) = (roster(&settings)?, simulation.documented_inventory());
        let host = Host::start(Home::Memory, &settings, roster, inventory, clock).await?;
        let mut world = world(Arc::new(host), simulation, listener);
        let watch = Arc::new(Mutex::new(begun.watch));
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
        Ok((world, watch))
    }

    async fn by_agents(
        &self,
        begun: Begun,
        listener: Listener,
        progress: impl Fn(f64) + Send + 'static,
        ended: &impl Fn() -> bool,
    ) -> Result<Score, StartError> {
        let before = (begun.alarms.clone(), begun.work.clone());
        let (mut world, watch) = self.platform(begun, listener, progress).await?;
        world.run(UNHURRIED, self.end(), |_| ended()).await;
        let of_days = self.so_far(&before, &world, &watch);
        let tickets = world.network().simulation().grievances().len();
        world
            .run(UNHURRIED, self.drained(), |world| {
                ended() || is_quiet(world.network().simulation(), tickets)
            })
            .await;
        let drained = self.so_far(&before, &world, &watch);
        world.end().await;
        Ok(self.concluded(of_days, drained))
    }

    /// The score of agents up to now, who went on with what was `before`.
    fn so_far(
        &self,
        (alarms, work): &(Vec<DeliveredAlarm>, RunFindings),
        world: &World,
        watch: &Mutex<ServiceIntegrals>,
    ) -> Score {
        let network = world.network();
        let alarms = [alarms, network.alarms()].concat();
        let work = work.clone().and(RunFindings::of(world));
        let simulation = network.simulation();
        score::score(&self.played(), simulation, &alarms, &looked(watch), &work)
    }

    /// People who go on with what was begun.
    fn centre(&self, mut begun: Begun, by_hand: ByHand) -> (StaffedNetwork<People>, Begun) {
        let people = self.policy.people(by_hand, &begun.simulation);
        let people = people.with_durations(self.practice);
        let rng = SeededRng::seed_from_u64(self.seed);
        let mut practice = StaffedNetwork::begin(people, &mut begun.simulation, rng);
        practice.alarms = std::mem::take(&mut begun.alarms);
        (practice, begun)
    }

    /// Lets people work until then.
    fn staff(
        &self,
        practice: &mut StaffedNetwork<People>,
        begun: &mut Begun,
        until: Timestamp,
        progress: impl Fn(f64),
        ended: &impl Fn() -> bool,
    ) {
        while begun.at < until && !ended() {
            begun.at = begun.at.plus_s(STEP_S).min(until);
            let watch = &mut begun.watch;
            practice.run(&mut begun.simulation, begun.at, |simulation, now| {
                watch.look(simulation, now);
                progress(self.share(now));
            });
        }
    }

    fn by_people(
        &self,
        begun: Begun,
        by_hand: ByHand,
        progress: impl Fn(f64),
        ended: &impl Fn() -> bool,
    ) -> Score {
        let (mut practice, mut begun) = self.centre(begun, by_hand);
        self.staff(&mut practice, &mut begun, self.end(), progress, ended);
        let so_far = |practice: &StaffedNetwork<People>, begun: &Begun| {
            let work = score::of_journal(practice.mind.journal(), &begun.simulation);
            let work = begun.work.clone().and(work);
            let (alarms, watch) = (&practice.alarms, &begun.watch);
            score::score(&self.played(), &begun.simulation, alarms, watch, &work)
        };
        let of_days = so_far(&practice, &begun);
        let tickets = begun.simulation.grievances().len();
        while begun.at < self.drained() && !ended() && !is_quiet(&begun.simulation, tickets) {
            begun.at = begun.at.plus_s(STEP_S);
            practice.run(&mut begun.simulation, begun.at, |_, _| {});
        }
        let drained = so_far(&practice, &begun);
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
