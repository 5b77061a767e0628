//! What a step of each shipped agent costs: assignments as people and other agents send them.
//!
//! ```text
//! cargo bench -p convoke-tests --bench steps -- [--json] [--smoke] [--digest] [--sites N]
//!     [--role ROLE]…
//! ```
//! Agents are stepped alone, without platform, store or wire, on the network that `convoke serve` has
//! (Germany50, 300 sites, seed 1): alarms stand on one element in fifty, and two hours were counted.
//! Every question names another element; the task is cancelled behind each, so that nothing piles up.
//! An agent is serial: what its median step takes is what it can be assigned at the most.
//!
//! `--json` prints an object a line. `--digest` tells the digest of all that each agent said to the
//! first forty questions instead of times, so that two builds can be held to the same words. Without
//! `--bench`, which `cargo bench` gives, or with `--smoke`, it only shows that it runs. Read next:
//! `questions`.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../machine/mod.rs"]
#[allow(dead_code)]
mod machine;
mod questions;

/// The allocator of the command `convoke`: what is measured is what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use agents::roster;
use domain::agent::{Agent, Ask, Briefing, Input, Output};
use domain::inventory::{ElementKind, Inventory};
use domain::negotiation::{Kind, Stance};
use domain::profile::Profile;
use domain::task::{Task, TaskId};
use domain::telemetry::{
    Alarm, AlarmType, CellPerformance, LinkPerformance, Performance, Saving, Severity, Telemetry,
};
use domain::time::{Dice, Timestamp};
use domain::verb::Verb;
use network::{Parameters, Topology, build};
use questions::{Elements, Question};
use rand_chacha::rand_core::SeedableRng;
use serde_json::json;
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yang::{Generation, ModuleSet};

/// Seeds the network and the agents' dice.
const SEED: u64 = 1;
/// How long each question is asked again and again.
const WINDOW: Duration = Duration::from_millis(400);
/// So many questions warm up and are not timed.
const WARM_UP: usize = 20;
/// Questions of a digest.
const DIGESTED: usize = 40;

struct Options {
    json: bool,
    smoke: bool,
    digest: bool,
    sites: usize,
    roles: Vec<String>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match options(&arguments).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the bench failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options(arguments: &[String]) -> Result<Options, Box<dyn Error>> {
    let has = |word: &str| arguments.iter().any(|a| a == word);
    let behind = |word: &str| {
        let pairs = arguments.windows(2).filter(|pair| pair[0] == word);
        let values: Vec<String> = pairs.map(|pair| pair[1].clone()).collect();
        values
    };
    let sites = behind("--sites").first().map(|n| n.parse());
    Ok(Options {
        json: has("--json"),
        smoke: !has("--bench") || has("--smoke"),
        digest: has("--digest"),
        sites: sites.transpose()?.unwrap_or(300),
        roles: behind("--role"),
    })
}

/// The network as agents are told of it, and who they are.
struct World {
    inventory: Arc<Inventory>,
    roster: Vec<Arc<Profile>>,
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let generation = Generation::load(&ModuleSet::convoke())?;
    let profiles = server::profile::shipped(&generation)?;
    let parameters = Parameters {
        sites: options.sites,
        ..Parameters::default()
    };
    let topology = Topology::named("Germany50").ok_or("the topology is gone")?;
    let world = World {
        inventory: Arc::new(build::inventory(&topology, &parameters, SEED)),
        roster: profiles
            .iter()
            .map(|file| Arc::new(file.profile.clone()))
            .collect(),
    };
    let elements = Elements::of(&world.inventory);
    match options.json {
        true => println!("{}", machine::machine()),
        false => println!("{} elements", world.inventory.elements.len()),
    }
    for (file, own) in profiles.iter().zip(&world.roster) {
        if !options.roles.is_empty() && !options.roles.contains(&file.role) {
            continue;
        }
        for question in questions::of(&file.role) {
            match options.digest {
                true => tell_digest(&world, &elements, own, &file.role, &question),
                false => tell_times(options, &world, &elements, own, &file.role, &question),
            }
        }
    }
    Ok(())
}

fn tell_times(
    options: &Options,
    world: &World,
    elements: &Elements,
    own: &Arc<Profile>,
    role: &str,
    question: &Question,
) {
    let mut stepped = Stepped::begin(world, own, role);
    let begun = Instant::now();
    let (least, window) = match options.smoke {
        true => (WARM_UP + 2, Duration::ZERO),
        false => (WARM_UP + 50, WINDOW),
    };
    let mut times = Vec::new();
    for n in 0.. {
        if n >= least && begun.elapsed() >= window {
            break;
        }
        let took = stepped.assign(question, elements, n);
        if n >= WARM_UP {
            times.push(took.as_secs_f64() * 1e6);
        }
        stepped.cancel();
    }
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let (median, p90) = (at(50), at(90));
    let (name, steps) = (question.name, times.len());
    match options.json {
        true => println!(
            "{}",
            json!({"event": "step", "role": role, "question": name, "steps": steps,
                "median_us": median, "p90_us": p90})
        ),
        false => println!("{role:<18} {name:<16} median {median:>9.2} µs  90 % {p90:>9.2} µs"),
    }
}

fn tell_digest(
    world: &World,
    elements: &Elements,
    own: &Arc<Profile>,
    role: &str,
    question: &Question,
) {
    let mut stepped = Stepped::begin(world, own, role);
    for n in 0..DIGESTED {
        stepped.assign(question, elements, n);
        stepped.cancel();
        stepped.propose();
    }
    let mut digest = DefaultHasher::new();
    format!("{:?}", stepped.said).hash(&mut digest);
    let (name, outputs) = (question.name, stepped.said.len());
    println!(
        "{role:<18} {name:<16} {outputs:>5} outputs {:016x}",
        digest.finish()
    );
}

/// An agent, and what it said.
struct Stepped {
    agent: Box<dyn Agent>,
    own: String,
    dice: Dice,
    asked: Option<Arc<Task>>,
    said: Vec<Output>,
}

impl Stepped {
    /// Started, with alarms that stand and two hours of counters.
    fn begin(world: &World, own: &Arc<Profile>, role: &str) -> Self {
        let mut stepped = Self {
            agent: roster::hosted(role).expect("a shipped role"),
            own: own.name.clone(),
            dice: Dice::seed_from_u64(SEED),
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
        let telemetry = alarms(&world.inventory).chain(counters(&world.inventory));
        for told in telemetry.collect::<Vec<_>>() {
            stepped.step(Input::Telemetry(told), at(0));
        }
        stepped
    }

    fn step(&mut self, input: Input, now: Timestamp) -> Duration {
        let begun = Instant::now();
        let outputs = self.agent.step(input, now, &mut self.dice);
        let took = begun.elapsed();
        self.said.extend(outputs);
        took
    }

    fn assign(&mut self, question: &Question, elements: &Elements, n: usize) -> Duration {
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

    fn cancel(&mut self) {
        if let Some(task) = self.asked.clone() {
            self.ask(Verb::TaskCancel, &task, at(2));
        }
    }

    fn propose(&mut self) {
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

fn at(seconds: i64) -> Timestamp {
    let begin = Timestamp::parse("2026-01-05T09:00:00Z").expect("a literal");
    begin + seconds * 1_000
}

/// One element in fifty has what its kind can have.
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
            severity: Severity::Critical,
            time: at(-60),
            cleared: false,
            text: String::new(),
        })
    })
}

/// Eight periods: cells are busy by their number, and a fifth of them sleep.
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
