//! The console while much happens: pictures a second, elements and memory of its page, and what it has heard.
//!
//! ```text
//! cargo bench -p convoke-tests --bench console -- [--json] [--smoke] [--minutes N]
//! ```
//! A platform has 1,000 agents and 10,000 open tasks; the page of tasks is open in Chromium while sessions assign tasks and
//! cancel them again, 2,000 events a second, for a minute or as long as is told. Beside it, the same page while
//! nothing happens, and while it is scrolled to its end. It fails if the page's elements are not bounded, no row is in
//! sight or the last is not drawn, its memory grows, or its last event is not the platform's. Platform, browser and sessions share the machine. Without `--bench`, which `cargo bench` passes, or
//! with `--smoke`, less of it only checks that everything runs. Without a browser it is skipped, and says so.
//!
//! A tour: `happening` (tasks that come and go), `page` (what is looked at); `away` (agents that are not there).

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

#[path = "../machine/away.rs"]
mod away;
// A page asks less than tests do, which may fail by a panic.
#[allow(dead_code, clippy::unwrap_used)]
#[path = "../../tests/browser/chromium.rs"]
mod chromium;
mod happening;
#[allow(dead_code)]
#[path = "../machine/mod.rs"]
mod machine;
mod page;
#[path = "../../tests/support/mod.rs"]
mod support;
#[allow(dead_code)]
#[path = "../load/wire.rs"]
mod wire;

use chromium::Browser;
use page::{Page, Scrolled, Seen};
use serde_json::{Value, json};
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;
use support::process::Running;

/// How much there is, and how much happens.
struct Scale {
    agents: usize,
    tasks: usize,
    /// Events a second.
    rate: u32,
    lasts: Duration,
    /// How long the page is looked at while nothing happens.
    still: Duration,
}

const FULL: Scale = Scale {
    agents: 1_000,
    tasks: 10_000,
    rate: 2_000,
    lasts: Duration::from_secs(60),
    still: Duration::from_secs(10),
};

const SMOKE: Scale = Scale {
    agents: 5,
    tasks: 300,
    rate: 50,
    lasts: Duration::from_secs(4),
    still: Duration::from_secs(1),
};

/// What is measured is the page, and not where one user's part of the platform ends.
const UNBOUNDED: &str =
    "[limits.users.operator]\ntasks-open = 10000000\nheld-mib = 65536\nwrite-mib-s = 65536\n";

/// The most elements of the page, however much there is.
const ELEMENTS_MAX: u64 = 3_000;

/// The most that its memory may grow after the first fifth of the time.
const GROWTH_MAX: u64 = 64 << 20;

/// The time for a browser and a platform to be made ready.
const READY_WITHIN: u64 = 600;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |flag: &str| arguments.iter().any(|it| it == flag);
    let smoke = given("--smoke") || !given("--bench");
    let mut scale = if smoke { SMOKE } else { FULL };
    let minutes = arguments.iter().skip_while(|it| *it != "--minutes").nth(1);
    if let Some(minutes) = minutes.and_then(|it| it.parse::<f64>().ok()) {
        scale.lasts = Duration::from_secs_f64(60.0 * minutes);
    }
    let lasts = scale.lasts.as_secs() + scale.still.as_secs() + READY_WITHIN;
    let Some(browser) = Browser::lasting(lasts) else {
        return ExitCode::SUCCESS;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.expect("the system gives threads and timers");
    match runtime.block_on(measured(browser, &scale, smoke, given("--json"))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the bench failed: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn measured(
    browser: Browser,
    scale: &Scale,
    smoke: bool,
    is_json: bool,
) -> Result<(), Box<dyn Error>> {
    let mut machine = machine::machine();
    machine["smoke"] = smoke.into();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    std::fs::write(folder.path().join("convoke.toml"), UNBOUNDED)?;
    let running = Running::serve(folder.path()).await;
    let agents: Vec<_> = { 0..scale.agents }
        .map(|number| format!("agent-{number}"))
        .collect();
    eprintln!("{} agents and {} tasks", scale.agents, scale.tasks);
    away::register(&running, &agents).await?;
    happening::assigned(&running, &agents, scale.tasks).await?;

    let mut page = Page::open(browser, &running).await?;
    let scrolled = page.scrolled();
    let still = page.looked_at(scale.still).await;
    eprintln!("{} events a second for {:?}", scale.rate, scale.lasts);
    // What is known of ended tasks has its bound before memory is compared.
    let first = scale.lasts / 5;
    let mut sessions = happening::going_on(&running, &agents, scale.rate, scale.lasts).await?;
    let begin = sessions.beside(page.looked_at(first)).await?;
    let busy = sessions.beside(page.looked_at(scale.lasts - first)).await?;
    let events = sessions.finished().await?;
    let last = page.is_at(happening::events(&running).await?).await;

    let told = json!({
        "event": "bench", "name": "console-frames", "unit": "frames/s", "value": tenths(busy.rate()),
        "still": tenths(still.rate()), "ratio_to_still": tenths(10.0 * busy.rate() / still.rate()) / 10.0,
        "longest_ms": busy.longest_ms, "longest_ms_still": still.longest_ms,
        "agents": scale.agents, "tasks_open": scale.tasks, "seconds": scale.lasts.as_secs(),
        "events_per_s": tenths(events as f64 / scale.lasts.as_secs_f64()), "wanted_per_s": scale.rate,
        "elements": busy.elements, "elements_scrolled": scrolled.elements, "heap_bytes": [begin.heap, busy.heap],
        "streams": busy.streams, "load_average": machine::load_average(),
    });
    match is_json {
        true => println!("{machine}\n{told}"),
        false => println!("{}", table(&told, &machine)),
    }
    complete(&scrolled, scale.tasks)?;
    bounded(&begin, &busy, last, smoke)
}

/// Whoever scrolls sees all tasks, of which few are drawn at a time.
fn complete(scrolled: &Scrolled, tasks: usize) -> Result<(), Box<dyn Error>> {
    match scrolled {
        Scrolled { elements, .. } if *elements > ELEMENTS_MAX => {
            Err(format!("{elements} elements while scrolling, of {ELEMENTS_MAX}").into())
        }
        Scrolled { blank: 1.., .. } => Err(format!("no row in sight: {scrolled:?}").into()),
        Scrolled { last, all, .. } if last != all || *all < tasks as u64 => {
            Err(format!("not all of {tasks} tasks are seen: {scrolled:?}").into())
        }
        _ => Ok(()),
    }
}

/// What must be so, however fast the machine is.
fn bounded(begin: &Seen, busy: &Seen, is_last: bool, smoke: bool) -> Result<(), Box<dyn Error>> {
    if !is_last {
        return Err("the last event of the page is not the platform's".into());
    }
    if busy.elements > ELEMENTS_MAX {
        return Err(format!("{} elements, of {ELEMENTS_MAX}", busy.elements).into());
    }
    // In so short a time nothing is as it will be.
    if !smoke && busy.heap > begin.heap + GROWTH_MAX {
        return Err(format!("{} bytes of memory, of {} before", busy.heap, begin.heap).into());
    }
    if busy.frames == 0 {
        return Err("nothing was drawn".into());
    }
    Ok(())
}

fn table(told: &Value, machine: &Value) -> String {
    let mib = |at: usize| told["heap_bytes"][at].as_f64().unwrap_or_default() / f64::from(1 << 20);
    format!(
        "{} agents, {} open tasks, {} of {} events a second for {} s\n\
         frames a second: {}; while nothing happens: {}; longest without one: {} ms; {} ms\n\
         elements of the page at most: {}, while it is scrolled {}; memory: {:.1} MiB, then {:.1}; streams opened meanwhile: {}\n\
         {}; {} cores, {}; load {:.1}",
        told["agents"],
        told["tasks_open"],
        told["events_per_s"],
        told["wanted_per_s"],
        told["seconds"],
        told["value"],
        told["still"],
        told["longest_ms"],
        told["longest_ms_still"],
        told["elements"],
        told["elements_scrolled"],
        mib(0),
        mib(1),
        told["streams"],
        machine["date"].as_str().unwrap_or_default(),
        machine["cores"],
        machine["cpu"].as_str().unwrap_or_default(),
        told["load_average"].as_f64().unwrap_or_default(),
    )
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
