//! `make chaos`: three nodes on PostgreSQL with a synchronous standby, under load, and everything that can happen to
//! them, again and again, until the time is over; then it is counted what was lost.
//!
//! ```text
//! cargo test -p convoke-tests --test chaos -- [--minutes N] [--seed N] [--only FAULT]… [--control standby] [--json]
//! ```
//! Without `--minutes` it does the first faults of the list once, for `make test`. Ends with 1 if anything was lost,
//! doubled or missed. A control breaks what the promise stands on, and ends with 1 if the checks then find nothing.
//! Skipped, and said so, without PostgreSQL.
//!
//! A tour: `platform` (nodes, databases, proxies), `load` and `listeners` (clients), `record` (what they were told),
//! `faults`, `check` (what must hold), `control`, `report`.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod check;
mod control;
mod faults;
mod listeners;
mod load;
mod platform;
mod record;
mod report;
#[path = "../support/mod.rs"]
mod support;

use check::{Findings, Listening};
use control::Control;
use faults::{ALL, Fault, Unled};
use harness::rng::SeededRng;
use listeners::LAST;
use load::Way;
use platform::{NAMES, Platform};
use record::Record;
use report::Report;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::block_on;
use testkit::PATIENCE;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Clients over NETCONF, and over HTTP, that prefer each node.
const CLIENTS: u64 = 2;

/// How many faults the smoke form does.
const SMOKE: usize = 5;

/// How many acknowledgements lie between two faults at least.
const BETWEEN: usize = 60;

/// What is asked for.
#[derive(Default)]
struct Options {
    minutes: Option<f64>,
    seed: u64,
    only: Vec<Fault>,
    control: Option<Control>,
    json: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match options(&arguments) {
        Ok(options) => options,
        Err(wrong) => {
            let names: Vec<_> = ALL.iter().map(|fault| fault.name()).collect();
            println!("{wrong}; faults are {}", names.join(", "));
            return ExitCode::from(2);
        }
    };
    match block_on(run(&options)) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        seed: 1,
        ..Options::default()
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{argument} what?"));
        let number = |it: &String| it.parse().map_err(|_| format!("{argument} {it}"));
        match argument.as_str() {
            "--json" => options.json = true,
            "--minutes" => options.minutes = Some(number(value()?)?),
            "--seed" => options.seed = number(value()?)? as u64,
            "--only" => {
                let name = value()?;
                let found = ALL.iter().find(|fault| fault.name() == name);
                options.only.push(*found.ok_or(format!("--only {name}"))?);
            }
            "--control" => options.control = Some(Control::named(value()?)?),
            // `cargo test` hands on what is for other harnesses.
            _ => {}
        }
    }
    Ok(options)
}

/// Whether everything held.
async fn run(options: &Options) -> bool {
    let Some(mut platform) = Platform::start().await else {
        return true;
    };
    let record = Arc::new(Record::new());
    let ways: Vec<Way> = (0..NAMES.len())
        .map(|home| Way {
            places: platform.places(),
            home,
        })
        .collect();
    let listening = Listening::at(&ways, &platform.token, &record);
    let clients = clients(&ways, &platform.token, options.seed, &record);
    record.goes_on(BETWEEN).await;
    record.silence();
    let mut report = Report::begin(options.seed, listening.count(), options.json);
    if let Some(control) = options.control {
        let found = control
            .run(&mut platform, &record, clients, listening)
            .await;
        return report.control(control, &found, &record);
    }
    let outcome = befall(options, &mut platform, &record, &mut report).await;
    let mut found = Findings::default();
    match outcome {
        Ok(()) => {
            settle(
                &mut platform,
                &ways,
                &record,
                clients,
                listening,
                &mut found,
            )
            .await
        }
        Err(Unled) => found.wrong("nobody leads any more".to_owned()),
    }
    check::stored(&platform, &record, &mut found);
    for what in record.wrongs() {
        found.wrong(what);
    }
    for what in platform.ended.keys() {
        found.wrong(format!("a node ended unasked: {what}"));
    }
    let whole = report.end(&found, &record);
    if !whole {
        println!("{}", platform.logged(40));
    }
    whole
}

fn clients(ways: &[Way], token: &str, seed: u64, record: &Arc<Record>) -> JoinSet<()> {
    let mut clients = JoinSet::new();
    let mut number = 0;
    for way in ways {
        for _ in 0..CLIENTS {
            number += 1;
            let (own, kept) = (way.clone(), Arc::clone(record));
            clients.spawn(load::netconf(own, number, seed, kept));
            let (own, kept) = (way.clone(), Arc::clone(record));
            clients.spawn(load::http(own, number, seed, token.to_owned(), kept));
        }
    }
    clients
}

/// One fault after the other, until the time is over.
async fn befall(
    options: &Options,
    platform: &mut Platform,
    record: &Record,
    report: &mut Report,
) -> Result<(), Unled> {
    let mut rng = SeededRng::of(options.seed, &[1]);
    let until = options.minutes.map(|it| Duration::from_secs_f64(60.0 * it));
    let begun = Instant::now();
    let all = match (&options.only[..], until) {
        ([], None) => &ALL[..SMOKE],
        ([], Some(_)) => &ALL[..],
        (only, _) => only,
    };
    loop {
        let mut deck = all.to_vec();
        if until.is_some() {
            // Each kind once, in another order each time.
            for end in (1..deck.len()).rev() {
                deck.swap(end, rng.below(end + 1));
            }
        }
        for fault in deck {
            if until.is_some_and(|until| begun.elapsed() >= until) {
                return Ok(());
            }
            record.silence();
            fault.befall(platform, &mut rng, record).await?;
            record.goes_on(BETWEEN).await;
            report.befell(fault, record, platform);
        }
        if until.is_none() {
            return Ok(());
        }
    }
}

/// Lets clients have what they wait for, and subscribers hear the end; then looks at all of it.
async fn settle(
    platform: &mut Platform,
    ways: &[Way],
    record: &Arc<Record>,
    mut clients: JoinSet<()>,
    listening: Listening,
    found: &mut Findings,
) {
    record.end();
    let settled = async { while clients.join_next().await.is_some() {} };
    if timeout(PATIENCE, settled).await.is_err() {
        found.wrong(format!("{} clients were not answered", clients.len()));
        clients.shutdown().await;
    }
    let mut talk = ways[0].session().await;
    talk.ask(&load::assign(LAST)).await;
    drop(talk);
    let (sessions, streams) = listening.ended(found).await;
    let leader = platform.is_led().await;
    let place = platform.place(leader).borrow().clone();
    let place = place.expect("it leads");
    let log = timeout(PATIENCE, listeners::log(&place, &platform.token)).await;
    match log.unwrap_or_else(|late| Err(late.into())) {
        Ok(log) => check::heard(&log, &sessions, &streams, record, found),
        Err(error) => found.wrong(format!("the log cannot be read: {error}")),
    }
    for node in (0..NAMES.len()).filter(|node| *node != leader) {
        platform.stop(node).await;
    }
    platform.stop(leader).await;
    check::verified(platform, leader, found).await;
}
