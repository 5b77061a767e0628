//! `make bench`: what nodes cost and what they give, beside raw inserts of the same rows.
//!
//! ```text
//! cargo bench -p convoke-tests --bench nodes -- [--json] [--smoke] [--only PART]…
//! ```
//! Clients, nodes and databases share one machine: a figure is of all of them together. `--json` prints an object a
//! line, the machine's first. Without `--bench`, which `cargo bench` passes, or with `--smoke`, it only checks that
//! everything runs. The command `convoke` is the one that was built in the same profile. What needs
//! PostgreSQL is skipped without it, and says so.
//!
//! A tour: `rows` (what is measured), `feed` and `takeover` (two of them), `cluster` (the nodes), `raw` (the
//! inserts beside them), `away` (the agent that is not there); the clients, their texts and the report are those of the bench `load`.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../machine/away.rs"]
mod away;
// Of these, what `load` does not share with others is not used here.
#[allow(dead_code)]
#[path = "../load/child.rs"]
mod child;
mod cluster;
mod feed;
#[allow(dead_code)]
#[path = "../machine/mod.rs"]
mod machine;
#[allow(dead_code)]
#[path = "../load/measure.rs"]
mod measure;
mod raw;
#[allow(dead_code)]
#[path = "../load/report.rs"]
mod report;
mod rows;
#[path = "../../tests/support/mod.rs"]
mod support;
mod takeover;
#[allow(dead_code)]
#[path = "../load/wire.rs"]
mod wire;

use report::{Aim, Row};
use rows::{Bench, PARTS, Scale};
use std::error::Error;
use std::process::ExitCode;

/// What is asked for.
struct Options {
    json: bool,
    smoke: bool,
    only: Vec<String>,
}

impl Options {
    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == part)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match options(&arguments) {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("{wrong}; parts are {}", PARTS.join(", "));
            return ExitCode::from(2);
        }
    };
    // One thread: the load takes one core and leaves the others to nodes and databases.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("the system gives timers");
    match runtime.block_on(measured(&options)) {
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
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--smoke" => options.smoke = true,
            "--only" => match rest.next() {
                Some(name) if PARTS.contains(&name.as_str()) => options.only.push(name.clone()),
                other => return Err(format!("--only {}", other.map_or("what?", String::as_str))),
            },
            // `cargo bench` and `cargo test` hand on arguments that are for other harnesses.
            _ => {}
        }
    }
    Ok(options)
}

async fn measured(options: &Options) -> Result<(), Box<dyn Error>> {
    let scale = match options.smoke {
        true => Scale::SMOKE,
        false => Scale::FULL,
    };
    let mut machine = machine::machine();
    machine["smoke"] = options.smoke.into();
    if options.json {
        println!("{machine}");
    }
    let mut rows = Vec::new();
    let tell = |mut row: Row| {
        row.load = machine::load_average();
        if options.smoke {
            // So little was asked that the figures mean nothing.
            (row.aim, row.share) = (Aim::None, None);
        }
        match options.json {
            true => println!("{}", row.json()),
            false => eprintln!("{}: {:.1} {}", row.name, row.value(), row.unit),
        }
        rows.push(row);
    };
    let mut bench = Bench::new(scale, tell);
    if options.wants("sqlite") {
        bench.sqlite().await?;
    }
    if PARTS[1..].iter().any(|part| options.wants(part)) {
        bench.nodes(|part| options.wants(part)).await?;
    }
    if !options.json {
        println!("\n{}", report::table(&rows, &machine));
    }
    Ok(())
}
