//! The simulation of a day, and its observable results.
//!
//! Can alter the shipped agents: deaf, or one of them silent. The properties of the day are in
//! `laws.rs`.

use arena::World;
use domain::agent::{Agent, Input, Output};
use domain::event::{LogEvent, Sequence};
use domain::inventory::ElementId;
use domain::negotiation::Negotiation;
use domain::reply::{Reply, Verdict};
use domain::task::Task;
use domain::time::{SeededRng, Timestamp};
use engine::Hosted;
use engine::query::{AllTasks, NegotiationsOf, Query};
use network::fault::candidates;
use network::{Backbone, CustomerComplaint, Customers, Fault, FaultKind, Parameters, Simulation};
use rand_chacha::rand_core::SeedableRng;
use server::clock::Clock;
use server::config::{LimitSettings, Settings};
use server::host::{Company, Home, Host};
use server::runtime::Pace;
use server::{access, profile};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use yang::{Generation, ModuleSet};

/// The beginning of the day, on a Monday.
const BEGINS: &str = "2026-01-05T00:00:00Z";
/// The number of sites.
const SITES: usize = 40;
/// The user who may read everything.
const OPERATOR: &str = "operator";
/// In how many shards it is decided, if nothing else is said.
const SHARDS: u64 = 64;
/// The number of log entries per read.
const PAGE: usize = 1_000;

/// The events of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    /// One fault of each kind, from 00:30 to 07:00, with complaining drivers, and then nothing more
    /// until the next evening: the platform waits a day for a silent agent.
    Accidents,
    /// The same, until 08:00 only, with background alarms and small outages.
    Morning,
    /// As [`Network::Morning`], but nothing breaks.
    AtRest,
}

/// The agents of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cast {
    /// All agents as shipped.
    Everybody,
    /// All of them, but without any telemetry.
    Deaf,
    /// All of them, but the agent of this role accepts every task and never answers again.
    Silent(&'static str),
}

/// A completed day.
pub(crate) struct Day {
    pub(crate) ended: Timestamp,
    /// The number of faults.
    pub(crate) faults: usize,
    /// The complaints of drivers, with their handling.
    pub(crate) grievances: Vec<CustomerComplaint>,
    /// Cells with raised power.
    pub(crate) loud: Vec<ElementId>,
    pub(crate) tasks: Vec<Arc<Task>>,
    pub(crate) negotiations: Vec<Arc<Negotiation>>,
    /// The log, one entry per string.
    pub(crate) record: Vec<String>,
    /// The telemetry that agents received, each with the agent's name.
    pub(crate) heard: Vec<(String, String)>,
}

impl Day {
    /// The tasks with this scenario.
    pub(crate) fn of(&self, scenario: &'static str) -> impl Iterator<Item = &Arc<Task>> {
        self.tasks
            .iter()
            .filter(move |t| t.scenario() == Some(scenario))
    }
}

/// The seeds of a property: those of CI, or those of the environment.
pub(crate) fn seeds(usual: RangeInclusive<u64>) -> RangeInclusive<u64> {
    let Ok(asked) = std::env::var("CONVOKE_LAW_SEEDS") else {
        return usual;
    };
    let (first, last) = asked.split_once("..").expect("CONVOKE_LAW_SEEDS is A..B");
    let number = |text: &str| text.parse().expect("a seed is a number");
    number(first)..=number(last)
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build();
    runtime.expect("a runtime starts").block_on(future)
}

fn begins() -> Timestamp {
    Timestamp::parse(BEGINS).expect("a literal")
}

/// The modules that the platform serves.
pub(crate) fn generation() -> Arc<Generation> {
    Generation::load(&ModuleSet::convoke()).expect("modules ship")
}

impl Network {
    /// The network before anything happens.
    pub(crate) fn built(self, seed: u64) -> Simulation {
        let quiet = self == Self::Accidents;
        let parameters = Parameters {
            sites: SITES,
            noise: if quiet { 0.0 } else { 0.05 },
            decoys: !quiet,
            customers: Customers {
                vehicles: 40,
                strays_per_day: if quiet { 0.0 } else { 8.0 },
                ..Customers::default()
            },
            ..Parameters::default()
        };
        let topology = Backbone::named("Polska").expect("it ships");
        let mut simulation = Simulation::new(&topology, parameters, seed, begins());
        if self != Self::AtRest {
            break_things(&mut simulation, seed);
        }
        simulation
    }

    /// The end of the day.
    pub(crate) fn until(self) -> Timestamp {
        let hours = match self {
            Self::Accidents => 40.0,
            Self::Morning | Self::AtRest => 8.0,
        };
        begins().plus_s(hours * 3_600.0)
    }
}

/// Schedules one fault of each repairable kind, at least half an hour apart.
fn break_things(simulation: &mut Simulation, seed: u64) {
    let mut rng = SeededRng::seed_from_u64(seed);
    let inventory = simulation.inventory();
    let kinds = FaultKind::simulated();
    let mendable = kinds.filter(|k| *k != FaultKind::Interference);
    for (number, kind) in mendable.enumerate() {
        let candidates = candidates(&inventory, kind, 0);
        let at = begins().plus_s(1_800.0 + number as f64 * 2_200.0);
        if let Some(element) = network::chance::choose(&mut rng, &candidates).cloned() {
            let fault = Fault { kind, element, at };
            simulation.inject(fault).expect("it is of its kind");
        }
    }
}

/// The telemetry that agents received, each with the agent's name.
pub(crate) type Heard = Arc<Mutex<Vec<(String, String)>>>;

/// An agent whose telemetry is recorded.
struct Watched {
    name: String,
    agent: Box<dyn Agent>,
    heard: Heard,
}

impl Agent for Watched {
    fn step(&mut self, input: Input, now: Timestamp, rng: &mut SeededRng) -> Vec<Output> {
        if let Input::Telemetry(telemetry) = &input {
            let line = (self.name.clone(), format!("{telemetry:?}"));
            self.heard.lock().expect("nobody panics with it").push(line);
        }
        self.agent.step(input, now, rng)
    }
}

/// An agent that accepts every task and never answers again.
struct Silent;

impl Agent for Silent {
    fn step(&mut self, input: Input, _: Timestamp, _: &mut SeededRng) -> Vec<Output> {
        match input {
            Input::Asked(_) => vec![Output::Answer(Reply::new(Verdict::Pending, Vec::new()))],
            _ => Vec::new(),
        }
    }
}

/// Assembles the agents as the platform does, with the alterations of the cast.
fn company(cast: Cast, generation: &Generation, now: Timestamp, heard: &Heard) -> Company {
    let mut posts = BTreeMap::new();
    let mut agents = Vec::new();
    let mut default_agent = String::new();
    for file in profile::shipped(&arena::shipped(), generation).expect("profiles ship") {
        let name = file.profile.name.clone();
        if file.role == "oss-fault" {
            default_agent.clone_from(&name);
        }
        let mut post = file.post;
        if cast == Cast::Deaf {
            post.hears.clear();
        }
        posts.insert(name.clone(), post);
        let agent: Box<dyn Agent> = match cast {
            Cast::Silent(role) if role == file.role => Box::new(Silent),
            _ => agents::roster::hosted(&file.role).expect("it is hosted"),
        };
        let heard = Arc::clone(heard);
        agents.push(Hosted {
            agent: Box::new(Watched { name, agent, heard }),
            profile: Arc::new(file.profile),
            again: None,
            endpoint: None,
            registered_at: now,
        });
    }
    Company {
        agents,
        posts,
        default_agent,
        access: access::parse("access.toml", access::SHIPPED).expect("it ships"),
    }
}

/// Simulates a day.
pub(crate) async fn play(seed: u64, network: Network, cast: Cast) -> Day {
    play_over(SHARDS, seed, network, cast).await
}

/// The same decided in so many shards.
pub(crate) async fn play_over(shards: u64, seed: u64, network: Network, cast: Cast) -> Day {
    let heard = Heard::default();
    let generation = generation();
    let company = company(cast, &generation, begins(), &heard);
    let simulation = network.built(seed);
    let settings = settings(seed, shards);
    let played = play_by(&settings, simulation, network.until(), company, generation).await;
    let simulation = played.simulation();
    let day = Day {
        tasks: played.read(OPERATOR, AllTasks),
        negotiations: played.read(OPERATOR, NegotiationsOf(None)),
        record: played.record(),
        heard: std::mem::take(&mut *heard.lock().expect("nobody panics with it")),
        ended: network.until(),
        faults: simulation.truth().len(),
        grievances: simulation.grievances().to_vec(),
        loud: loud(simulation),
    };
    played.end().await;
    day
}

/// Simulates a day with any agents, until that instant.
pub(crate) async fn play_with(
    seed: u64,
    simulation: Simulation,
    until: Timestamp,
    company: Company,
    generation: Arc<Generation>,
) -> Played {
    let settings = settings(seed, SHARDS);
    play_by(&settings, simulation, until, company, generation).await
}

fn settings(seed: u64, shards: u64) -> Settings {
    Settings {
        seed: Some(seed),
        limits: LimitSettings {
            shards: Some(shards),
            ..LimitSettings::default()
        },
        ..Settings::default()
    }
}

async fn play_by(
    settings: &Settings,
    simulation: Simulation,
    until: Timestamp,
    company: Company,
    generation: Arc<Generation>,
) -> Played {
    let clock = Arc::new(Clock::standing(simulation.now()));
    let inventory = simulation.inventory();
    let host = Host::with(
        Home::Memory,
        settings,
        company,
        generation,
        inventory,
        clock,
    )
    .await;
    let host = Arc::new(host.expect("it starts"));
    let mut world = arena::world(host, simulation, Box::new(|_| {}));
    let mut looked = i64::MIN;
    world
        .network_mut()
        .observe(Box::new(move |simulation, now| {
            let quarter = now.as_ms().div_euclid(900_000);
            if quarter > looked {
                looked = quarter;
                super::physics(simulation);
            }
        }));
    world.begin().await;
    world.run(Pace::Unhurried, until, |_| false).await;
    Played(world)
}

/// A world at the end of its time.
pub(crate) struct Played(World);

impl Played {
    pub(crate) fn simulation(&self) -> &Simulation {
        self.0.network().simulation()
    }

    /// The records that `who` reads.
    pub(crate) fn read<Q: Query>(&self, who: &str, query: Q) -> Q::Output {
        let engine = self.0.host().platform.engine();
        let who = engine.principal(who);
        let found = engine.read(&who, query, Timestamp::default());
        found.unwrap_or_else(|refusal| panic!("{} may read: {refusal}", who.name))
    }

    /// The log, without sessions: their start depends on the machine's load, and so does their
    /// order among simultaneous events.
    fn record(&self) -> Vec<String> {
        let feed = self.0.host().platform.engine().feed();
        let mut lines = Vec::new();
        let mut cursor = Sequence::default();
        loop {
            let page = feed.after(cursor, PAGE).expect("memory can be read");
            let Some(last) = page.last() else {
                return lines;
            };
            cursor = last.sequence;
            let told = page
                .iter()
                .filter(|entry| !is_of_sessions(&entry.happening));
            lines.extend(told.map(|entry| format!("{} {:?}", entry.time, entry.happening)));
        }
    }

    pub(crate) async fn end(self) {
        self.0.end().await;
    }
}

fn is_of_sessions(happening: &LogEvent) -> bool {
    matches!(
        happening,
        LogEvent::SessionStarted { .. } | LogEvent::SessionEnded { .. }
    )
}

fn loud(simulation: &Simulation) -> Vec<ElementId> {
    let inventory = simulation.inventory();
    let raised = |cell: &&ElementId| {
        let told = simulation.mobile().told(cell);
        told.is_some_and(|(offset_db, _)| offset_db > 0.0)
    };
    inventory.cells.keys().filter(raised).cloned().collect()
}
