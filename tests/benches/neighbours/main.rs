//! Noisy neighbours: the latency of everyone else's `get` under attack.
//!
//! ```text
//! cargo bench -p convoke-tests --bench neighbours -- [--json] [--smoke] [--binary FILE] [--competing] [--only NAME]…
//! cargo bench -p convoke-tests --bench neighbours -- --soak SECONDS [--generated SEED] [--competing] [--only KIND]…
//! ```
//! A platform as run by `convoke serve` (Germany50, seed 1), in a process of its own. One session
//! of the operator, the victim, requests one agent again and again, one request at a time; its
//! latency is measured in turn alone and under an attack by another process, three times. The
//! report has the median of the medians and of the 99th percentiles of each, with their ratios.
//! Server, attacker and victim share the machine, whereas real attackers would have machines of
//! their own: so on Linux the attacker's process only gets processor time that the others leave
//! idle (`SCHED_IDLE`, by `chrt`). `--competing` lets it compete, which measures the system's
//! scheduler: if three want one core each of two, each waits for time slices of milliseconds.
//! `control` is a process that sends nothing and only counts. A `get` without an answer within ten
//! seconds counts as ten seconds, and ends the row.
//!
//! The second table: assignments per second that the shipped agents take, from 16 sessions with 8
//! in flight each, by an operator without a limit of open tasks.
//!
//! `--soak` runs generated attacks instead (`harness::attacks`), every kind in turn from SEED on
//! for so many seconds, at least one round, each for a window of one second; a window that violates
//! the isolation law is reported with its kind and seed, and measured again at once. `--generated
//! SEED` alone makes one round of that seed, so that `--generated 17 --only xpath` is a single
//! attack.
//!
//! `--binary` measures another build of `convoke`, for instance an older one. `--json` prints one
//! object per line. Without `--bench`, which `cargo bench` passes, or with `--smoke`, it only
//! checks that everything runs. A tour: `attack` (the attacks), `transport` (attacks below
//! requests), `guest` (one guest with all its resources), `generated` and `soak` (generated
//! attacks), `platform` (the server process), `victim`, `figures`.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod answer;
mod attack;
mod figures;
mod generated;
mod guest;
#[path = "../machine/mod.rs"]
#[allow(dead_code)]
mod machine;
mod platform;
#[path = "../steps/questions.rs"]
#[allow(dead_code)]
mod questions;
mod soak;
mod transport;
mod victim;
#[path = "../load/wire.rs"]
#[allow(dead_code)]
mod wire;

/// The allocator of the command `convoke`: what is measured is what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use attack::{Attack, Attacker};
use figures::{Beside, Rate};
use platform::{Place, Platform};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The agents whose assignments are counted, by role, with the form of the questions.
const ASSIGNED: [(&str, &str, &str); 3] = [
    (
        "assign-field",
        "resource-copilot",
        "TMF-Convoke-ResourceField-1.0.0",
    ),
    ("assign-oss", "oss-fault", "TMF-Convoke-OSS-1.0.0"),
    ("assign-ip", "ip-fault", "TMF-Convoke-IP-1.0.0"),
];

struct Options {
    json: bool,
    smoke: bool,
    binary: PathBuf,
    binary_given: bool,
    only: Vec<String>,
    /// True if attackers compete for processor time.
    competing: bool,
    /// The first seed of generated attacks, and their duration.
    soak: Option<(u64, Duration)>,
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system gives timers and sockets");
    let outcome = match arguments.as_slice() {
        [role, name, place] if role == attack::ROLE => runtime.block_on(attack::run(name, place)),
        _ => options(&arguments).and_then(|options| runtime.block_on(run(&options))),
    };
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
    let behind = |word: &str| {
        let pairs = arguments.windows(2).filter(|pair| pair[0] == word);
        let values: Vec<String> = pairs.map(|pair| pair[1].clone()).collect();
        values
    };
    let smoke = !has("--bench") || has("--smoke");
    let given = behind("--binary").pop().map(PathBuf::from);
    let binary_given = given.is_some();
    let binary = given.map_or_else(platform::built_beside, Ok)?;
    let count = |word: &str| {
        behind(word)
            .pop()
            .map(|told| told.parse::<u64>())
            .transpose()
    };
    let (seed, seconds) = (count("--generated")?, count("--soak")?);
    let is_soak = seed.is_some() || seconds.is_some();
    let lasting = Duration::from_secs(seconds.unwrap_or(0));
    Ok(Options {
        soak: is_soak.then(|| (seed.unwrap_or(1), lasting)),
        json: has("--json"),
        smoke,
        binary,
        binary_given,
        only: behind("--only"),
        competing: has("--competing") || !cfg!(target_os = "linux"),
    })
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let (runs, window) = match options.smoke {
        true => (1, Duration::from_millis(200)),
        false => (3, Duration::from_millis(2_500)),
    };
    let mut machine = machine::machine();
    machine["smoke"] = options.smoke.into();
    machine["attackers_compete"] = options.competing.into();
    if options.json {
        println!("{machine}");
    }
    if let Some((seed, lasting)) = options.soak {
        return soak::run(options, seed, lasting, &machine).await;
    }
    let mut besides = Vec::new();
    for attack in Attack::ALL.into_iter().filter(|a| options.wants(a.name())) {
        let row = beside(options, attack, runs, window).await;
        let row = row.map_err(|e| format!("{}: {e}", attack.name()))?;
        match options.json {
            true => println!("{}", row.json()),
            false => eprintln!("{}", row.line()),
        }
        besides.push(row);
    }
    let mut rates = Vec::new();
    for (name, role, agent) in ASSIGNED
        .into_iter()
        .filter(|(name, ..)| options.wants(name))
    {
        let row = assignments(options, name, role, agent, runs, window).await;
        let row = row.map_err(|e| format!("{name}: {e}"))?;
        match options.json {
            true => println!("{}", row.json()),
            false => eprintln!("{}", row.line()),
        }
        rates.push(row);
    }
    if !options.json {
        println!("{}", figures::tables(&besides, &rates, &machine));
    }
    match options.smoke {
        true => soak::run(options, 1, Duration::ZERO, &machine).await,
        false => Ok(()),
    }
}

/// Measures the same request alone and under attack, in turn, on a platform of its own.
async fn beside(
    options: &Options,
    attack: Attack,
    runs: usize,
    window: Duration,
) -> Result<Beside, Box<dyn Error>> {
    let platform = Platform::start(&options.binary).await?;
    let place = platform.place();
    let mut row = Beside::of(attack);
    for _ in 0..runs {
        row.alone
            .push(victim::ask(place, window, attack.pause()).await?);
        let attacker = Attacker::begin(attack.name(), place, options.competing).await?;
        let asked = victim::ask(place, window, attack.pause()).await?;
        let stopped = asked.is_stopped();
        row.beside.push(asked);
        row.resident_mb = platform.resident_mb().max(row.resident_mb);
        row.did.add(&attacker.end().await?);
        if stopped {
            break;
        }
    }
    row.load = machine::load_average();
    Ok(row)
}

async fn assignments(
    options: &Options,
    name: &'static str,
    role: &str,
    agent: &str,
    runs: usize,
    window: Duration,
) -> Result<Rate, Box<dyn Error>> {
    // Builds from before there were such bounds refuse to be told of them.
    let settings = match options.binary_given {
        true => "",
        false => "[limits.users.operator]\ntasks-open = 10000000\n",
    };
    let platform = Platform::start_with(&options.binary, settings).await?;
    let place: &Place = platform.place();
    let mut row = Rate::of(name, agent);
    for turn in 0..runs {
        let cpu = platform.cpu_s();
        let done =
            attack::assign(place, role, agent, &format!("{name}-{turn}"), Some(window)).await?;
        row.each_us
            .push((platform.cpu_s() - cpu) * 1e6 / done.answered.max(1) as f64);
        row.per_s
            .push(done.answered as f64 / done.lasted.as_secs_f64());
        row.refused += done.refused.values().sum::<u64>();
    }
    row.load = machine::load_average();
    Ok(row)
}
