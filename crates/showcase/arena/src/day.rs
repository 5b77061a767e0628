//! Whole days of a network, run by agents or as it is done today, and scored.
//!
//! The same seed gives the same network, faults, users and customers, whoever runs it; so policies are
//! compared seed by seed. Agents speak over pipes in memory, with real NETCONF sessions; people have no
//! platform. Read next: [`crate::score`], [`crate::practice`].

use crate::network::world;
use crate::practice::Practice;
use crate::roster::roster;
use crate::score::{self, Played, Watch, Work};
use agents::practice::{Policy as ByHand, Practice as People};
use domain::time::{Dice, Timestamp};
use network::{Customers, Parameters, Recorded, Simulation, Topology};
use rand_chacha::rand_core::SeedableRng;
use report::Score;
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host, StartError};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Days begin at midnight of a Monday.
const BEGINS: &str = "2026-01-05T00:00:00Z";

/// Who runs the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// The agents of this platform.
    Agents,
    /// People, as it is done today, with energy saving by the clock.
    Manual,
    /// The same people, without energy saving.
    None,
}

impl Policy {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Agents, Self::Manual, Self::None];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Manual => "manual",
            Self::None => "none",
        }
    }

    /// The policy called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.as_str() == name)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Days {
    /// The network.
    pub topology: Topology,
    /// How many base-station sites.
    pub sites: usize,
    /// How many days.
    pub days: u32,
    /// Seeds everything.
    pub seed: u64,
    /// Who runs it.
    pub policy: Policy,
    /// Alarms replayed as background instead of drawn ones; empty for none.
    pub alarms: Arc<Vec<Recorded>>,
    /// A file of what agents weigh causes by, instead of what ships.
    pub knowledge: Option<PathBuf>,
}

impl Days {
    /// When they begin.
    pub fn begin(&self) -> Timestamp {
        Timestamp::parse(BEGINS).expect("a literal")
    }

    /// When they are over.
    pub fn end(&self) -> Timestamp {
        self.begin().plus_s(f64::from(self.days) * 86_400.0)
    }

    /// The network, in which things break by themselves, users come and go, and drivers complain.
    pub fn network(&self) -> Simulation {
        Simulation::new(&self.topology, self.parameters(), self.seed, self.begin())
    }

    fn parameters(&self) -> Parameters {
        lively(Parameters {
            sites: self.sites,
            replay: Arc::clone(&self.alarms),
            ..Parameters::default()
        })
    }

    fn played(&self) -> Played {
        Played {
            policy: self.policy.as_str().to_owned(),
            topology: self.topology.name.clone(),
            seed: self.seed,
            began: self.begin(),
        }
    }

    /// Plays them; `progress` is told from time to time how far they are, 0 to 1.
    ///
    /// # Errors
    /// [`StartError`] if the platform does not start.
    pub async fn play(&self, progress: impl Fn(f64) + Send + 'static) -> Result<Score, StartError> {
        match self.policy {
            Policy::Agents => self.by_agents(progress).await,
            Policy::Manual => Ok(self.by_people(ByHand::Manual, progress)),
            Policy::None => Ok(self.by_people(ByHand::None, progress)),
        }
    }

    async fn by_agents(
        &self,
        progress: impl Fn(f64) + Send + 'static,
    ) -> Result<Score, StartError> {
        let simulation = self.network();
        let clock = Arc::new(Clock::standing(self.begin()));
        let settings = Settings {
            seed: Some(self.seed),
            knowledge: self.knowledge.clone(),
            ..Settings::default()
        };
        let (roster, inventory) = (roster(&settings)?, simulation.inventory());
        let host = Host::start(Home::Memory, &settings, roster, inventory, clock).await?;
        let mut world = world(Arc::new(host), simulation, Box::new(|_| {}));
        let watch = Arc::new(Mutex::new(Watch::default()));
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
        world
            .run(server::runtime::Pace::Unhurried, self.end(), |_| false)
            .await;
        let work = Work::of(&world);
        let watch = watch.lock().expect("looking does not panic").clone();
        let network = world.network();
        let (simulation, alarms) = (network.simulation(), network.alarms());
        let score = score::score(&self.played(), simulation, alarms, &watch, &work);
        world.end().await;
        Ok(score)
    }

    fn by_people(&self, policy: ByHand, progress: impl Fn(f64)) -> Score {
        let mut simulation = self.network();
        let people = people(policy, &simulation);
        let dice = Dice::seed_from_u64(self.seed);
        let mut watch = Watch::default();
        let mut practice = Practice::begin(people, &mut simulation, dice);
        practice.run(&mut simulation, self.end(), |simulation, now| {
            watch.look(simulation, now);
            progress(self.share(now));
        });
        let work = score::of_journal(practice.mind.journal(), &simulation);
        score::score(&self.played(), &simulation, &practice.alarms, &watch, &work)
    }

    /// How much of them is over at `now`, 0 to 1.
    pub(crate) fn share(&self, now: Timestamp) -> f64 {
        let whole = self.end().seconds_since(self.begin());
        (now.seconds_since(self.begin()) / whole).clamp(0.0, 1.0)
    }
}

/// The people who run a network, and who know whose customers drive where.
pub(crate) fn people(policy: ByHand, simulation: &Simulation) -> People {
    let fleets = simulation.journeys().vehicles().iter();
    let homes = fleets.map(|v| (v.fleet(), v.province.clone())).collect();
    People::new(policy).with_homes(homes)
}

/// A network as it lives: things break by themselves, stadiums fill, drivers drive and complain.
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
