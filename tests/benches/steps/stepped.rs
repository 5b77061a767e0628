//! A shipped agent stepped alone: started on a network, fed two hours of telemetry, and asked.
//!
//! Read next: `questions`.

use crate::questions::{Elements, Question};
use agents::roster;
use domain::agent::{Agent, Ask, Briefing, Input, Output};
use domain::inventory::{ElementKind, Inventory};
use domain::negotiation::{Kind, Stance};
use domain::profile::Profile;
use domain::task::{Task, TaskId};
use domain::telemetry::{
    Alarm, AlarmType, CellPerformance, LinkPerformance, Performance, Saving, Severity, Telemetry,
};
use domain::time::{SeededRng, Timestamp};
use domain::verb::Verb;
use network::{Backbone, Parameters, build};
use rand_chacha::rand_core::SeedableRng;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yang::{Generation, ModuleSet};

/// The seed of the network and of the agents' random generators.
const SEED: u64 = 1;

/// The network as agents know it, with their profiles.
pub(crate) struct World {
    pub(crate) inventory: Arc<Inventory>,
    pub(crate) roster: Vec<Arc<Profile>>,
    /// The roles, in the order of the roster.
    pub(crate) roles: Vec<String>,
}

impl World {
    /// Germany50 with so many sites, and the shipped agents.
    pub(crate) fn new(sites: usize) -> Result<Self, Box<dyn Error>> {
        let generation = Generation::load(&ModuleSet::convoke())?;
        let profiles = server::profile::shipped(&arena::shipped(), &generation)?;
        let parameters = Parameters {
            sites,
            ..Parameters::default()
        };
        let topology = Backbone::named("Germany50").ok_or("the topology is gone")?;
        let (roster, roles) = profiles
            .into_iter()
            .map(|file| (Arc::new(file.profile), file.role))
            .unzip();
        Ok(Self {
            inventory: Arc::new(build::inventory(&topology, &parameters, SEED)),
            roster,
            roles,
        })
    }

    /// The telemetry that agents receive before they are asked.
    pub(crate) fn news(&self) -> Vec<Telemetry> {
        alarms(&self.inventory)
            .chain(counters(&self.inventory))
            .collect()
    }
}

/// An agent with its outputs.
pub(crate) struct Stepped {
    agent: Box<dyn Agent>,
    own: String,
    rng: SeededRng,
    asked: Option<Arc<Task>>,
    pub(crate) said: Vec<Output>,
}

impl Stepped {
    /// Starts an agent, with standing alarms and two hours of counters.
    pub(crate) fn begin(world: &World, own: &Arc<Profile>, role: &str) -> Self {
        let mut stepped = Self {
            agent: roster::hosted(role).expect("a shipped role"),
            own: own.name.clone(),
            rng: SeededRng::seed_from_u64(SEED),
            asked: None,
            said: Vec::new(),
        };
        stepped.step(
            Input::Started(Briefing {
                own: Arc::clone(own),
                roster: world.roster.clone(),
                inventory: Arc::clone(&world.inventory),
                open: Vec::new(),
            }),
            at(-7_200),
        );
        for told in world.news() {
            stepped.step(Input::Telemetry(told), at(0));
        }
        stepped
    }

    pub(crate) fn step(&mut self, input: Input, now: Timestamp) -> Duration {
        let begun = Instant::now();
        let outputs = self.agent.step(input, now, &mut self.rng);
        let took = begun.elapsed();
        self.said.extend(outputs);
        took
    }

    pub(crate) fn assign(
        &mut self,
        question: &Question,
        elements: &Elements,
        n: usize,
    ) -> Duration {
        let content = (question.content)(elements, n);
        let text = content.render();
        let id = TaskId::new(format!("step-{n}"));
        let task = Task::assigned(
            id,
            "operator",
            self.own.as_str(),
            text,
            content,
            true,
            at(1),
        );
        let task = Arc::new(task);
        self.asked = Some(Arc::clone(&task));
        // A thousand a second.
        self.ask(Verb::TaskAssign, &task, at(1) + n as i64)
    }

    pub(crate) fn cancel(&mut self) {
        if let Some(task) = self.asked.clone() {
            self.ask(Verb::TaskCancel, &task, at(2));
        }
    }

    pub(crate) fn propose(&mut self) {
        if let Some(task) = self.asked.clone() {
            self.ask(Verb::FeasibilityNegotiate, &task, at(2));
        }
    }

    fn ask(&mut self, verb: Verb, task: &Arc<Task>, now: Timestamp) -> Duration {
        let proposed = verb == Verb::FeasibilityNegotiate;
        let ask = Ask {
            verb,
            task: Arc::clone(task),
            from: task.from.clone(),
            content: task.content.clone(),
            alternatives: Vec::new(),
            alternative: None,
            round: 1,
            turn: proposed.then_some((Kind::Feasibility, Stance::Offer)),
        };
        self.step(Input::Asked(ask), now)
    }
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    let begin = Timestamp::parse("2026-01-05T09:00:00Z").expect("a literal");
    begin + seconds * 1_000
}

/// Alarms: one element in fifty has one that is possible for its kind.
fn alarms(inventory: &Inventory) -> impl Iterator<Item = Telemetry> {
    let of = |kind| match kind {
        ElementKind::Router => AlarmType::NodeUnreachable,
        ElementKind::LineCard => AlarmType::CardFailure,
        ElementKind::Link | ElementKind::Duct => AlarmType::LossOfSignal,
        ElementKind::Site => AlarmType::SiteUnreachable,
        ElementKind::PowerZone => AlarmType::MainsFailure,
        ElementKind::Optic => AlarmType::OpticalPowerLow,
        ElementKind::Cell => AlarmType::CellUnavailable,
    };
    inventory.elements.values().step_by(50).map(move |element| {
        Telemetry::Alarm(Alarm {
            resource: element.id.clone(),
            alarm_type: of(element.kind),
            qualifier: String::new(),
            severity: Severity::Critical,
            time: at(-60),
            cleared: false,
            text: String::new(),
        })
    })
}

/// Counters of eight periods: the load of a cell depends on its index, and a fifth of them sleep.
fn counters(inventory: &Inventory) -> impl Iterator<Item = Telemetry> {
    let cell = |n: usize| {
        let load = 0.02 + (n * 37 % 100) as f64 / 400.0;
        CellPerformance {
            load,
            users: 1.0 + (n % 17) as f64,
            traffic_mbps: load * 60.0,
            throughput_mbps: 40.0,
            edge_throughput_mbps: 12.0 + (n % 9) as f64,
            interference_dbm: -110.0,
            power_offset_db: 0.0,
            saving: match n % 5 {
                1 => Saving::DeepSleep,
                _ => Saving::Off,
            },
            energy_kwh: 0.3,
        }
    };
    let link = LinkPerformance {
        utilisation: 0.3,
        traffic_mbps: 3_000.0,
        latency_ms: 2.0,
        loss: 0.0,
    };
    let cells = inventory.cells.keys().enumerate();
    let cells: Vec<_> = cells.map(|(n, id)| (id.clone(), cell(n))).collect();
    let links = inventory.links.keys();
    let links: Vec<_> = links.map(|id| (id.clone(), link.clone())).collect();
    (0..8).map(move |period| {
        Telemetry::Performance(Arc::new(Performance {
            from: at((period - 8) * 900),
            until: at((period - 7) * 900),
            cells: cells.iter().cloned().collect(),
            links: links.iter().cloned().collect(),
        }))
    })
}
