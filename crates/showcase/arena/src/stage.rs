//! Running a scenario, from a seed to a report: used by `demo` and `simulate`.
//!
//! Read next: [`crate::network`], which runs it, and [`crate::referee`], which scores it.

use crate::day::lively;
use crate::faults;
use crate::findings::FaultFindings;
use crate::judge::SimulationJudge;
use crate::network::{World, world};
use crate::recorder;
use crate::referee::{self, ScenarioReport};
use crate::roster::roster;
use crate::scenario::{self, Scenario};
use crate::score::{self, RunFindings, RunParameters, ServiceIntegrals};
use ::network::{
    Backbone, Customers, Fault, FaultError, FaultRequest, FaultTerms, Parameters, Recorded,
    Simulation, TelemetryErrors, mobile,
};
use domain::time::{SeededRng, Timestamp};
use network::import::ImportError;
use rand_chacha::rand_core::SeedableRng;
use report::{Run, Score};
use server::clock::Clock;
use server::config::{LifeSettings, Settings};
use server::host::{Home, Host, StartError};
use server::runtime::Pace;
use server::story::{Listener, StoryEvent};
use std::sync::{Arc, Mutex};

/// The reason why a scenario cannot run.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The topology file cannot be read.
    #[error("{file}: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// The cause.
        cause: std::io::Error,
    },
    /// The topology file is invalid.
    #[error("{file}: {cause}")]
    Topology {
        /// The file.
        file: String,
        /// The place and the error.
        cause: ImportError,
    },
    /// The fault is impossible in this network.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The platform does not start.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// The parameters of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioParameters {
    /// The use case.
    pub scenario: Scenario,
    /// The backbone.
    pub topology: Backbone,
    /// The fault.
    pub fault: FaultRequest,
    /// The fewest sites that it takes out of service, where that is left open; kinds that take none
    /// out are exempt.
    pub min_sites: usize,
    /// Alarms replayed as background instead of random ones; empty for none.
    pub alarms: Arc<Vec<Recorded>>,
    /// The errors of telemetry, measurements and documents.
    pub errors: TelemetryErrors,
    /// The seed of all randomness.
    pub seed: u64,
    /// The number of sites.
    pub sites: usize,
}

/// The topology of a network if settings name none.
pub const NETWORK: &str = "Germany50";

/// The default number of connected vehicles.
const DRIVERS: usize = 120;

/// The topology of that name, or in that file.
///
/// # Errors
/// [`StageError::Unreadable`] and [`StageError::Topology`]
pub fn topology(name_or_file: &str) -> Result<Backbone, StageError> {
    if let Some(topology) = Backbone::named(name_or_file) {
        return Ok(topology);
    }
    let text = std::fs::read_to_string(name_or_file).map_err(|cause| {
        let names: Vec<&str> = network::catalogue().iter().map(|e| e.name).collect();
        let file = format!(
            "{name_or_file} (neither one of {} nor a file)",
            names.join(", ")
        );
        StageError::Unreadable { file, cause }
    })?;
    network::import::read(&text)
        .map(|read| read.topology)
        .map_err(|cause| StageError::Topology {
            file: name_or_file.to_owned(),
            cause,
        })
}

/// The network in the settings, from `now` on: without events unless they ask for them; none if the
/// settings have no network.
///
/// # Errors
/// [`StageError::Unreadable`] and [`StageError::Topology`]
pub fn served(settings: &Settings, now: Timestamp) -> Result<Option<Simulation>, StageError> {
    let name = settings.network.as_deref().unwrap_or(NETWORK);
    if name == "none" {
        return Ok(None);
    }
    let at_rest = Parameters {
        sites: settings.sites.unwrap_or(300),
        ..Parameters::default()
    };
    let parameters = match &settings.life {
        Some(life) => alive(life, at_rest),
        None => at_rest,
    };
    let seed = settings.seed.unwrap_or(1);
    let simulation = Simulation::new(&topology(name)?, parameters, seed, now);
    Ok(Some(simulation))
}

/// Parameters with the spontaneous events that the settings ask for.
fn alive(life: &LifeSettings, at_rest: Parameters) -> Parameters {
    Parameters {
        life: life.faults.unwrap_or(1.0),
        companions: true,
        customers: Customers {
            vehicles: life.drivers.unwrap_or(DRIVERS),
            ..at_rest.customers
        },
        mobile: mobile::MobileSettings {
            stadiums_per_day: life.stadiums_per_day.unwrap_or(1.0),
            ..at_rest.mobile
        },
        ..at_rest
    }
}

/// A scenario ready to run.
pub struct Stage {
    /// The network with the agents.
    pub world: World,
    play: ScenarioParameters,
    start: Timestamp,
    watch: Arc<Mutex<ServiceIntegrals>>,
}

impl Stage {
    /// Builds the network, schedules its events, and starts the platform with it. The platform's
    /// time is the network's, from `start` on. Clients wait until [`Self::play`].
    ///
    /// # Errors
    /// [`StageError`]
    pub async fn set(
        home: Home,
        settings: &Settings,
        play: ScenarioParameters,
        start: Timestamp,
        listener: Listener,
    ) -> Result<Self, StageError> {
        let simulation = play.broken(start)?;
        let clock = Arc::new(Clock::standing(start).of_story());
        let settings = Settings {
            seed: Some(play.seed),
            roles: settings.roles.clone().or_else(|| play.scenario.roles()),
            ..settings.clone()
        };
        let roster = roster(&settings).map_err(StartError::from)?;
        let host = Host::start(
            home,
            &settings,
            roster,
            simulation.documented_inventory(),
            clock,
        )
        .await?;
        let mut world = world(Arc::new(host), simulation, listener);
        let judge = SimulationJudge::on(play.topology.clone());
        world.network_mut().judged_by(judge);
        let watch = Arc::new(Mutex::new(ServiceIntegrals::default()));
        let seen = Arc::clone(&watch);
        world
            .network_mut()
            .observe(Box::new(move |simulation, now| {
                seen.lock()
                    .expect("looking does not panic")
                    .look(simulation, now);
            }));
        Ok(Self {
            world,
            play,
            start,
            watch,
        })
    }

    /// Runs the scenario to its end.
    pub async fn play(&mut self, pace: Pace) {
        self.world.begin().await;
        let horizon = self.start.plus_s(self.play.scenario.horizon_s());
        if self.play.scenario.breaks_one() {
            let rest = self.start.plus_s(self.play.scenario.rest_s());
            self.world.run(pace, rest, |_| false).await;
            self.world.tell(StoryEvent::Broke);
        }
        let scenario = self.play.scenario;
        self.world
            .run(pace, horizon, |world| scenario.is_over(world))
            .await;
    }

    /// The parameters of the run, for a record.
    pub fn run(&self) -> Run {
        let inventory = self.world.network().simulation().inventory();
        Run {
            version: report::record::VERSION,
            scenario: self.play.scenario.to_string(),
            policy: "agents".to_owned(),
            seed: self.play.seed,
            topology: self.play.topology.name.clone(),
            began: self.start,
            network: recorder::network(&inventory),
        }
    }

    /// The report on the one fault of the scenario.
    pub fn report(&self) -> ScenarioReport {
        let truth = &self.world.network().simulation().truth()[0];
        let inventory = self.world.network().simulation().inventory();
        let cases = RunFindings::of(&self.world).cases;
        let failures = FaultFindings::about(&inventory, truth, &cases).verification_failures();
        let (seed, topology) = (self.play.seed, &self.play.topology.name);
        referee::report(&self.world, seed, topology, truth, failures)
    }

    /// The score of the run.
    pub fn score(&self) -> Score {
        let played = RunParameters {
            policy: "agents".to_owned(),
            topology: self.play.topology.name.clone(),
            seed: self.play.seed,
            began: self.start,
        };
        let watch = self.watch.lock().expect("looking does not panic").clone();
        let network = self.world.network();
        let (simulation, alarms) = (network.simulation(), network.alarms());
        let work = RunFindings::of(&self.world);
        score::score(&played, simulation, alarms, &watch, &work)
    }
}

impl ScenarioParameters {
    /// The network from `start` on, with the fault to come, if the scenario is about one.
    ///
    /// # Errors
    /// [`FaultError`] if it is impossible in this network.
    pub(crate) fn broken(&self, start: Timestamp) -> Result<Simulation, FaultError> {
        let mut simulation = self.network(start);
        if let Some(fault) = self.fault(&mut simulation, start)? {
            simulation.inject(fault)?;
        }
        Ok(simulation)
    }

    fn network(&self, start: Timestamp) -> Simulation {
        let parameters = Parameters {
            sites: self.sites,
            replay: Arc::clone(&self.alarms),
            errors: self.errors,
            ..Parameters::default()
        };
        let parameters = match self.scenario {
            Scenario::Fault => parameters,
            Scenario::Experience => parameters,
            Scenario::Complaints | Scenario::All => lively(parameters),
        };
        Simulation::new(&self.topology, parameters, self.seed, start)
    }

    /// The fault, if the scenario is about one.
    fn fault(
        &self,
        simulation: &mut Simulation,
        start: Timestamp,
    ) -> Result<Option<Fault>, FaultError> {
        if !self.scenario.breaks_one() {
            return Ok(None);
        }
        let at = start.plus_s(self.scenario.rest_s());
        let inventory = simulation.inventory();
        let mut rng = SeededRng::seed_from_u64(self.seed);
        match (self.scenario, &self.fault) {
            (Scenario::Experience, FaultRequest::Random) => {
                let element = scenario::one_site(&inventory, &mut rng);
                Ok(element.map(|(kind, element)| Fault { kind, element, at }))
            }
            (scenario, fault) => {
                let least = match scenario {
                    Scenario::Experience => 1,
                    _ => self.min_sites,
                };
                let usual = FaultTerms::default();
                faults::resolve(simulation, fault, least, usual, at, &mut rng).map(Some)
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_at_rest_unless_it_is_to_live() {
        let small = |life| Settings {
            network: Some("Polska".to_owned()),
            sites: Some(20),
            life,
            ..Settings::default()
        };
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let after = |settings: Settings| {
            let mut simulation = served(&settings, now).unwrap().unwrap();
            simulation.advance(now.plus_s(20.0 * 86_400.0));
            simulation.truth().len()
        };
        assert_eq!(after(small(None)), 0);
        let often = LifeSettings {
            faults: Some(20.0),
            ..LifeSettings::default()
        };
        assert!(after(small(Some(often))) > 20);
        let none = Settings {
            network: Some("none".to_owned()),
            ..small(Some(often))
        };
        assert!(served(&none, now).unwrap().is_none());
    }
}
