//! A fault on a network, from a seed to a report: what `demo` and `simulate` play.
//!
//! Read next: [`crate::world`], which plays it, and [`crate::referee`], which scores it.

use crate::clock::Clock;
use crate::config::Settings;
use crate::host::{Home, Host, StartError};
use crate::referee::{self, Report};
use crate::story::{Happened, Listener};
use crate::world::{Pace, World};
use domain::time::{Dice, Timestamp};
use engine::Injected;
use network::{FaultError, FaultRequest, Parameters, Simulation, Topology, TopologyError};
use rand_chacha::rand_core::SeedableRng;
use std::sync::Arc;

/// How many sites a fault must take out of service to be worth a story.
const MIN_SITES: usize = 4;

/// The network is at rest for so long before something breaks, in seconds.
const REST_S: f64 = 5.0 * 60.0;

/// A story ends after so many seconds of the network's time, closed or not.
const HORIZON_S: f64 = 12.0 * 3_600.0;

/// Why a story cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The topology file cannot be read.
    #[error("{file}: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        cause: std::io::Error,
    },
    /// The topology file is not one.
    #[error("{file}: {cause}")]
    Topology {
        /// The file.
        file: String,
        /// Where and why.
        cause: TopologyError,
    },
    /// The fault cannot happen here.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The platform does not start.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Play {
    /// The network.
    pub topology: Topology,
    /// What breaks.
    pub fault: FaultRequest,
    /// Seeds everything.
    pub seed: u64,
    /// How many sites there are.
    pub sites: usize,
}

/// The topology of that name, or in that file.
///
/// # Errors
/// [`StageError::Unreadable`] and [`StageError::Topology`]
pub fn topology(name_or_file: &str) -> Result<Topology, StageError> {
    if let Some(topology) = Topology::named(name_or_file) {
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
    Topology::parse(&text).map_err(|cause| StageError::Topology {
        file: name_or_file.to_owned(),
        cause,
    })
}

/// A network for `serve`, at rest, from `now` on.
pub fn network(topology: &Topology, sites: usize, seed: u64, now: Timestamp) -> Simulation {
    let parameters = Parameters {
        sites,
        ..Parameters::default()
    };
    Simulation::new(topology, parameters, seed, now)
}

/// Breaks something in a running network, now.
///
/// # Errors
/// [`FaultError`] if it cannot happen.
pub fn inject(
    simulation: &mut Simulation,
    kind: &str,
    element: Option<&str>,
    now: Timestamp,
) -> Result<Injected, FaultError> {
    let request: FaultRequest = match element {
        Some(element) => format!("{kind}:{element}").parse()?,
        None => kind.parse()?,
    };
    let number = simulation.truth().len() as u64;
    let mut dice = Dice::seed_from_u64(now.as_ms() as u64 ^ number);
    let fault = request.resolve(&simulation.inventory(), MIN_SITES, now, &mut dice)?;
    let injected = Injected {
        kind: fault.kind.as_str().to_owned(),
        element: fault.element.to_string(),
    };
    simulation.inject(fault)?;
    Ok(injected)
}

/// A story ready to be played.
pub struct Stage {
    /// Network and agents.
    pub world: World,
    play: Play,
    start: Timestamp,
}

impl Stage {
    /// Builds the network, breaks something in it, and puts the platform beside it. The platform's
    /// time is the network's, from `start` on.
    ///
    /// # Errors
    /// [`StageError`]
    pub async fn set(
        home: Home,
        settings: &Settings,
        play: Play,
        start: Timestamp,
        listener: Listener,
    ) -> Result<Self, StageError> {
        let mut simulation = network(&play.topology, play.sites, play.seed, start);
        let mut dice = Dice::seed_from_u64(play.seed);
        let at = start.plus_s(REST_S);
        let fault = play
            .fault
            .resolve(&simulation.inventory(), MIN_SITES, at, &mut dice)?;
        simulation.inject(fault)?;
        let clock = Arc::new(Clock::standing(start));
        let settings = Settings {
            seed: Some(play.seed),
            ..settings.clone()
        };
        let host = Host::start(home, &settings, simulation.inventory(), clock).await?;
        let world = World::new(Arc::new(host), Some(simulation), listener);
        Ok(Self { world, play, start })
    }

    /// Plays the story to its end and scores it.
    pub async fn play(&mut self, pace: Pace) -> Report {
        self.world.begin().await;
        let horizon = self.start.plus_s(HORIZON_S);
        self.world
            .run(pace, self.start.plus_s(REST_S), |_| false)
            .await;
        self.world.tell(Happened::Broke);
        self.world.run(pace, horizon, referee::is_over).await;
        self.report()
    }

    /// The score so far.
    pub fn report(&self) -> Report {
        let truth = self
            .world
            .simulation()
            .map(Simulation::truth)
            .unwrap_or_default();
        referee::report(
            &self.world,
            self.play.seed,
            &self.play.topology.name,
            &truth[0],
        )
    }
}
