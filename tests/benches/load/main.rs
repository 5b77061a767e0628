//! `make bench`: the speed of the platform, compared with a server that does nothing.
//!
//! ```text
//! cargo bench -p convoke-tests --bench load -- [--json] [--smoke] [--only NAME]… [--hold SECONDS]
//! ```
//! With `--hold`, `subscribed` holds its sessions for so long, and a missed target is a failure.
//! Clients and server are two processes on one machine: the figures are of both together. Each row
//! is the median of three short runs; where it makes sense, the same load is put in turn on an echo
//! server with the same SSH transport, which answers `<ok/>` to everything, and the ratio is
//! reported. `--json` prints one object per line, the machine's first. Without `--bench`, which
//! `cargo bench` passes, or with `--smoke`, it only checks that everything runs.
//!
//! A tour: `rows` (measurements and targets), `measure` (kinds of load), `wire` (the client),
//! `child` (the server process), `report` (figures and table).

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod child;
#[path = "../machine/mod.rs"]
mod machine;
mod measure;
mod report;
mod rows;
mod wire;

use rows::{Bench, NAMES, Scale};

/// The allocator of the command `convoke`: what is measured is what is shipped.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use std::path::Path;
use std::process::ExitCode;

struct Options {
    json: bool,
    smoke: bool,
    only: Vec<String>,
    hold_s: Option<u64>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, folder, tasks] = arguments.as_slice()
        && role == child::ROLE
    {
        let tasks = tasks.parse().unwrap_or_default();
        child::run(Path::new(folder), tasks);
        return ExitCode::SUCCESS;
    }
    let options = match options(&arguments) {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("{wrong}; rows are {}", NAMES.join(", "));
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the bench failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        json: false,
        smoke: !arguments.iter().any(|a| a == "--bench"),
        only: Vec::new(),
        hold_s: None,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--smoke" => options.smoke = true,
            "--only" => match rest.next() {
                Some(name) if NAMES.contains(&name.as_str()) => options.only.push(name.clone()),
                other => return Err(format!("--only {}", other.map_or("what?", String::as_str))),
            },
            "--hold" => {
                let seconds = rest.next().and_then(|s| s.parse().ok());
                options.hold_s = Some(seconds.ok_or("--hold SECONDS")?);
            }
            // `cargo bench` and `cargo test` hand on arguments that are for other harnesses.
            _ => {}
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    // One thread: the load takes one core and leaves the others to the server.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = runtime.block_on(measure_all(options, &folder));
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

async fn measure_all(options: &Options, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut scale = if options.smoke {
        Scale::SMOKE
    } else {
        Scale::FULL
    };
    scale.hold_s = options.hold_s.unwrap_or(scale.hold_s);
    let mut machine = machine::machine();
    machine["smoke"] = options.smoke.into();
    if options.json {
        println!("{machine}");
    }
    let mut bench = Bench::start(scale, folder)?;
    let mut rows = Vec::new();
    for name in NAMES {
        if !options.only.is_empty() && !options.only.iter().any(|only| only == name) {
            continue;
        }
        let mut row = bench
            .row(name)
            .await
            .map_err(|error| format!("{name}: {error}"))?;
        if options.smoke {
            // So little was asked that the figures mean nothing.
            (row.aim, row.share) = (report::Aim::None, None);
        }
        if options.json {
            println!("{}", row.json());
        } else {
            eprintln!("{name}: {:.1} {}", row.value(), row.unit);
        }
        rows.push(row);
    }
    let missed = rows.iter().filter(|row| row.reached() == Some(false));
    let missed: Vec<String> = missed.map(|row| row.what.clone()).collect();
    let kept = bench.check_store()?;
    if options.json {
        println!(
            "{}",
            serde_json::json!({ "event": "durable", "acknowledged": kept, "lost": 0 })
        );
    } else {
        println!("\n{}", report::table(&rows, &machine));
        println!("server killed; all {kept} assignments it acknowledged were found in its store");
    }
    match options.hold_s {
        Some(_) if !missed.is_empty() => Err(format!("not reached: {}", missed.join(", ")).into()),
        _ => Ok(()),
    }
}
