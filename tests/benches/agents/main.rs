//! A thousand agents and a hundred thousand tasks in one run of one platform.
//!
//! ```text
//! cargo bench -p convoke-tests --bench agents -- [--json] [--smoke] [--provinces N] [--towns N]
//!     [--sites N] [--tasks N] [--ssh]
//! ```
//! A country of 198 provinces: in each, agents for complaints, for the quality of the mobile and of
//! the transport network, and two that diagnose; beside them the shipped agents of the whole
//! country. Faults happen, drivers and others write to their car makers, the ticket system forwards
//! their letters, complaint agents have them checked in their own province and elsewhere and
//! answer; and an operations centre has every element of the network diagnosed in turn by the agent
//! responsible for it. Every message is NETCONF over pipes in this process, as in `convoke
//! simulate`; with `--ssh` over SSH with each agent's own key, as in `convoke serve`, with the
//! store in a file. The run ends after so many tasks.
//!
//! `--json` prints one object per line. Without `--bench`, which `cargo bench` passes, or with
//! `--smoke`, it only checks that everything runs. A tour: `country` (network and agents),
//! `operator` (the operations centre), `record` (the outcome of the tasks).

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod country;
#[path = "../machine/mod.rs"]
mod machine;
mod operator;
mod record;

/// The allocator of the command `convoke`: what is measured is what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use arena::World;
use country::Size;
use domain::inventory::ElementKind;
use engine::Endpoint;
use machine::{cpu_s, memory_bytes};
use network::Simulation;
use operator::{Ledger, OperationsCentre};
use record::{Record, percentile};
use serde_json::{Value, json};
use server::clock::Clock;
use server::config::Settings;
use server::host::{Home, Host};
use server::runtime::Pace;
use server::state::StateFolder;
use std::error::Error;
use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yang::{Generation, ModuleSet};

/// The seed of the network, its users and the agents' random generators.
const SEED: u64 = 1;
/// The share of the tasks that the operations centre assigns, and the number of letters per task.
const LOOKED_OVER: f64 = 0.55;
const LETTERS: f64 = 0.14;

/// The size of the run.
#[derive(Clone, Copy, Debug)]
struct Scale {
    towns: usize,
    sites: usize,
    provinces: usize,
    /// The number of tasks to complete.
    tasks: u64,
    /// The approximate duration, in hours of simulated time.
    hours: f64,
}

const FULL: Scale = Scale {
    towns: 198,
    sites: 594,
    provinces: 198,
    tasks: 100_000,
    hours: 24.0,
};
const SMOKE: Scale = Scale {
    towns: 12,
    sites: 24,
    provinces: 4,
    tasks: 120,
    hours: 1.0,
};

struct Options {
    json: bool,
    ssh: bool,
    scale: Scale,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = options(&arguments).and_then(|options| {
        // As the command `convoke` has it.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let outcome = runtime.block_on(run(&options));
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the bench failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options(arguments: &[String]) -> Result<Options, Box<dyn Error>> {
    let has = |word: &str| arguments.iter().any(|a| a == word);
    let number = |word: &str| -> Result<Option<u64>, Box<dyn Error>> {
        let mut rest = arguments.iter().skip_while(|a| *a != word);
        let told = rest.next().map(|_| rest.next().map_or("", String::as_str));
        told.map(|n| n.parse().map_err(|_| format!("{word} '{n}'").into()))
            .transpose()
    };
    let scale = match has("--bench") && !has("--smoke") {
        true => FULL,
        false => SMOKE,
    };
    let towns = number("--towns")?
        .map_or(scale.towns, |n| n as usize)
        .clamp(2, 256);
    let provinces = number("--provinces")?.map_or(scale.provinces, |n| n as usize);
    Ok(Options {
        json: has("--json"),
        ssh: has("--ssh"),
        scale: Scale {
            towns,
            provinces: provinces.clamp(1, towns),
            sites: number("--sites")?.map_or(scale.sites, |n| n as usize),
            tasks: number("--tasks")?.unwrap_or(scale.tasks),
            ..scale
        },
    })
}

/// The resources used by a process until an instant.
#[derive(Clone, Copy)]
struct Taken {
    at: Instant,
    cpu_s: f64,
    memory_bytes: u64,
}

impl Taken {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            cpu_s: cpu_s("self"),
            memory_bytes: memory_bytes("self", "VmRSS"),
        }
    }
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut rows = Rows(options.json);
    rows.tell(machine::machine());
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let home = match options.ssh {
        true => Home::Folder(StateFolder::new(folder.path())),
        false => Home::Memory,
    };
    let scale = options.scale;
    let begun = Taken::now();
    let simulation = country::network(&size(&scale), SEED);
    let built = Taken::now();
    let mut world = platform(home, simulation).await?;
    rows.tell(population(&world, &scale));
    world.begin().await;
    let idle = Taken::now();
    let ledger = day(&mut world, &scale).await?;
    let ended = Taken::now();
    let record = Record::of(world.host());
    rows.tell(json!({
        "event": "memory",
        "start_mb": megabytes(begun.memory_bytes),
        "network_mb": megabytes(built.memory_bytes),
        "idle_agents_mb": megabytes(idle.memory_bytes),
        "end_mb": megabytes(ended.memory_bytes),
        "most_mb": megabytes(memory_bytes("self", "VmHWM")),
        "start_agents_s": (idle.at - built.at).as_secs_f64(),
    }));
    rows.tell(work(&world, &record, &ledger));
    rows.tell(speed(&world, &record, &ledger, &idle, &ended));
    rows.tell(waits(&record, &ledger));
    world.end().await;
    Ok(())
}

fn size(scale: &Scale) -> Size {
    Size {
        towns: scale.towns,
        sites: scale.sites,
        provinces: scale.provinces,
        letters_per_day: scale.tasks as f64 * LETTERS * 24.0 / scale.hours,
    }
}

async fn platform(home: Home, simulation: Simulation) -> Result<World, Box<dyn Error>> {
    let generation = Generation::load(&ModuleSet::convoke())?;
    let company = country::company(&simulation.inventory(), &generation, country::start())?;
    let settings = Settings {
        netconf: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
        agents_from: Some(0),
        seed: Some(SEED),
        ..Settings::default()
    };
    let clock = Arc::new(Clock::standing(country::start()));
    let inventory = simulation.inventory();
    let host = Host::with(home, &settings, company, generation, inventory, clock).await?;
    Ok(arena::world(Arc::new(host), simulation, Box::new(|_| {})))
}

/// Runs the day: the operations centre assigns its share for a minute, the minute passes, and so on
/// until enough tasks have ended.
async fn day(world: &mut World, scale: &Scale) -> Result<Ledger, Box<dyn Error>> {
    let stream = world.host().pipe("operator", Endpoint::Platform);
    let inventory = world.network().simulation().inventory();
    let mut centre = OperationsCentre::open(stream, &inventory).await?;
    let a_minute = (scale.tasks as f64 * LOOKED_OVER / scale.hours / 60.0).ceil() as usize;
    let mut minute = country::start();
    let watched = std::io::stderr().is_terminal();
    loop {
        for _ in 0..a_minute {
            centre.look_over_next().await?;
        }
        minute = minute.plus_s(60.0);
        world.run(Pace::Unhurried, minute, |_| false).await;
        centre.catch_up().await?;
        let ended = ended(world);
        if watched {
            let all = centre.elements();
            eprint!(
                "\r{minute}  {ended} of {} tasks ended, of {all} elements in turn ",
                scale.tasks
            );
        }
        if ended >= scale.tasks {
            return Ok(centre.ledger);
        }
    }
}

/// The number of tasks that have ended.
fn ended(world: &World) -> u64 {
    let counts = world.host().platform.engine().counts();
    counts.tasks - counts.open
}

fn population(world: &World, scale: &Scale) -> Value {
    let inventory = world.network().simulation().inventory();
    json!({
        "event": "population",
        "agents": world.host().profiles.len(),
        "provinces": scale.provinces,
        "routers": inventory.of_kind(ElementKind::Router).count(),
        "sites": inventory.of_kind(ElementKind::Site).count(),
        "cells": inventory.cells.len(),
        "elements": inventory.elements.len(),
    })
}

fn work(world: &World, record: &Record, ledger: &Ledger) -> Value {
    let simulation = world.network().simulation();
    json!({
        "event": "work",
        "simulated_h": simulation.now().seconds_since(country::start()) / 3_600.0,
        "tasks": record.all,
        "ended": record.all - record.open,
        "by_status": record.by_status,
        "by_schema": record.by_schema,
        "parts_of_others": record.parts,
        "agents_that_executed": record.executors.len(),
        "letters": simulation.grievances().len(),
        "letters_answered": simulation.grievances().iter().filter(|g| g.outcome.replies > 0).count(),
        "alarms": world.network().alarms().len(),
        "diagnoses_heard_of": ledger.ended,
        "of_them_found_a_cause": ledger.confirmed,
    })
}

fn speed(world: &World, record: &Record, ledger: &Ledger, from: &Taken, until: &Taken) -> Value {
    let wall_s = (until.at - from.at).as_secs_f64();
    let cpu_s = until.cpu_s - from.cpu_s;
    let ended = (record.all - record.open) as f64;
    let messages = world.tally().messages() + ledger.messages;
    json!({
        "event": "speed",
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "tasks_per_s": ended / wall_s,
        "tasks_per_cpu_s": ended / cpu_s,
        "messages": messages,
        "messages_per_s": messages as f64 / wall_s,
        "messages_per_cpu_s": messages as f64 / cpu_s,
        "bytes": world.tally().bytes() + ledger.bytes,
        "load_average": machine::load_average(),
    })
}

fn waits(record: &Record, ledger: &Ledger) -> Value {
    let us =
        |times: &[Duration]| -> Vec<f64> { times.iter().map(|t| t.as_secs_f64() * 1e6).collect() };
    let pair = |values: Vec<f64>| {
        let [p50, p99] = percentile(values, [0.5, 0.99]);
        json!({ "p50": p50, "p99": p99 })
    };
    json!({
        "event": "waits",
        "assignment_to_end_simulated_s": pair(record.lasted_s.clone()),
        "assign_rpc_us": pair(us(&ledger.assignments)),
        "discover_rpc_us": pair(us(&ledger.discoveries)),
    })
}

fn megabytes(bytes: u64) -> f64 {
    (bytes as f64 / 1e5).round() / 10.0
}

/// The output: lines of JSON if true, else text.
struct Rows(bool);

impl Rows {
    fn tell(&mut self, row: Value) {
        if self.0 {
            println!("{row}");
            return;
        }
        let named = |name: &str| name.replace('_', " ");
        println!("\n{}", named(row["event"].as_str().unwrap_or_default()));
        let leaves = row.as_object().into_iter().flatten();
        for (name, value) in leaves.filter(|(name, _)| *name != "event") {
            match value.as_f64().filter(|v| v.fract() != 0.0) {
                Some(figure) => println!("  {:<32} {figure:.1}", named(name)),
                None => println!("  {:<32} {value}", named(name)),
            }
        }
    }
}
