//! The processor time of a step of each shipped agent: assignments as people and other agents send
//! them.
//!
//! ```text
//! cargo bench -p convoke-tests --bench steps -- [--json] [--smoke] [--digest] [--sites N]
//!     [--role ROLE]…
//! ```
//! Agents are stepped alone, without platform, store or transport, on the default network of
//! `convoke serve` (Germany50, 300 sites, seed 1): one element in fifty has an alarm, and there are
//! two hours of counters. Every question is about another element; the task is cancelled after
//! each, so that none accumulate. An agent is serial: its median step time bounds its rate of
//! assignments.
//!
//! `--json` prints one object per line. `--digest` prints the digest of all outputs of each agent
//! for the first forty questions instead of times, so that two builds can be compared. Without
//! `--bench`, which `cargo bench` passes, or with `--smoke`, it only checks that everything runs.
//! Read next: `questions`, `stepped`.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../machine/mod.rs"]
#[allow(dead_code)]
mod machine;
mod questions;
mod stepped;

/// The allocator of the command `convoke`: what is measured is what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use domain::profile::Profile;
use questions::{Elements, Question};
use serde_json::json;
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stepped::{Stepped, World};

/// The time for which each question is repeated.
const WINDOW: Duration = Duration::from_millis(400);
/// The number of questions for warm-up, which are not timed.
const WARM_UP: usize = 20;
/// The number of questions of a digest.
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

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let world = World::new(options.sites)?;
    let elements = Elements::of(&world.inventory);
    match options.json {
        true => println!("{}", machine::machine()),
        false => println!("{} elements", world.inventory.elements.len()),
    }
    for (role, own) in world.roles.iter().zip(&world.roster) {
        if !options.roles.is_empty() && !options.roles.contains(role) {
            continue;
        }
        for question in questions::of(role) {
            match options.digest {
                true => tell_digest(&world, &elements, own, role, &question),
                false => tell_times(options, &world, &elements, own, role, &question),
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
