//! `convoke simulate`: scenarios with one fault, or whole days with and without agents, scored.
//!
//! `trials` plays every kind of fault in turn, `sweep` days with each assumption on people changed.
//! Scores of days are kept in a file, one line each, so that an interrupted batch resumes. Read
//! next: [`arena::day`], [`report::ScoreBatch`]; `degradation`, the same days in several worlds.

mod degradation;

mod sweep;
mod trials;

use crate::cli::{Common, Simulate};
use crate::output::{self, Failure, line};
use crate::showcase::demo::play;
use crate::showcase::files::{self, write};
use crate::showcase::progress::Progress;
use crate::showcase::second_world::{self, SecondDays};
use arena::day::{Days, Operator};
use arena::practice::PracticeDurations;
use arena::referee::ScenarioReport;
use arena::scenario::Scenario;
use arena::stage::{Stage, topology};
use network::TelemetryErrors;
use report::{About, Score, ScoreBatch};
use server::config::Settings;
use server::host::Home;
use server::runtime::Pace;
use server::story::Listener;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The note on the policies without agents, for the page.
const ASSUMED: &str = "Policies without agents model today's practice; every figure of it, with its \
    source or as assumed, stands in docs/score.md.";

/// The width of the table, in columns.
const WIDTH: usize = 120;

pub(crate) async fn run(common: &Common, simulate: Simulate) -> Result<(), Failure> {
    second_world::check_flags(
        simulate.days.is_some() && simulate.stage.world.is_other(),
        &simulate.other,
    )?;
    match simulate.days {
        Some(days) if simulate.stage.world.is_other() => {
            let days = SecondDays {
                sites: simulate.sites,
                days,
                seeds: simulate.seeds.from(simulate.seed).collect(),
            };
            second_world::run(common, &days, &simulate.other)
        }
        Some(days) if simulate.sweep_practice => {
            let errors = simulate
                .stage
                .world
                .errors(TelemetryErrors::erring())
                .map_err(Failure::usage)?;
            let mut plan = plan(&simulate, days, errors)?;
            plan.dedup_by_key(|days| days.seed);
            sweep::run(common, &simulate, &plan).await
        }
        Some(days) => run_days(common, &simulate, days).await,
        None if simulate.stage.fault == trials::EACH => trials::run(common, &simulate).await,
        None if simulate.policy.iter().any(|name| name != AGENTS) => Err(Failure::usage(
            "a story of one fault is the agents'; --policy is for --days and for --fault each",
        )),
        None => run_stories(common, simulate).await,
    }
}

/// The policy of the agents.
const AGENTS: &str = "agents";

/// The policies that are asked for.
fn policies(simulate: &Simulate) -> Result<Vec<Operator>, Failure> {
    let named = simulate.policy.iter();
    named
        .map(|name| Operator::parse(name).ok_or_else(|| unknown_policy(name)))
        .collect()
}

/// How long people take, as set; of two settings of one stage the later counts.
fn durations(simulate: &Simulate) -> PracticeDurations {
    let set = simulate.practice.iter();
    set.fold(PracticeDurations::default(), |all, one| {
        all.with(one.step, one.minutes)
    })
}

/// Runs one scenario per seed in memory: real sessions, over pipes.
async fn run_stories(common: &Common, simulate: Simulate) -> Result<(), Failure> {
    let start = domain::time::Timestamp::parse("2026-01-05T06:00:00Z").expect("a literal");
    let settings = Settings {
        knowledge: simulate.knowledge.clone(),
        ..Settings::default()
    };
    let (mut seeds, mut right, mut baseline, mut closed) = (0u64, 0u64, 0u64, 0u64);
    let mut unverified = 0;
    for seed in simulate.seeds.from(simulate.seed) {
        let play = play(&simulate.stage, Scenario::Fault, seed, simulate.sites)?;
        let listener: Listener = Box::new(|_| {});
        let mut stage = Stage::set(Home::Memory, &settings, play, start, listener).await?;
        stage.play(Pace::Unhurried).await;
        let report = stage.report();
        seeds += 1;
        right += u64::from(report.root_cause.correct);
        baseline += u64::from(report.baseline.correct);
        closed += u64::from(report.closed);
        unverified += report.verification_failures;
        if common.json {
            output::json(&report);
        } else {
            line(&row(&report));
        }
    }
    if common.json {
        output::json(&serde_json::json!({
            "event": "summary", "seeds": seeds, "correct": right, "baseline_correct": baseline,
            "closed": closed, "verification_failures": unverified,
        }));
    } else {
        line(&format!(
            "\nroot cause right in {right} of {seeds}; blaming the first alarm: {baseline}; \
             tickets closed by their publisher: {closed}; cases closed while the cause stood: {unverified}"
        ));
    }
    Ok(())
}

fn row(report: &ScenarioReport) -> String {
    let minutes = |s: Option<f64>| s.map_or_else(|| "-".to_owned(), |s| format!("{:.0}", s / 60.0));
    let found = report.root_cause.found.as_ref();
    format!(
        "seed {:>5}  {}  truth {} at {}; found {}; sites {}/{}; min {}/{}/{}",
        report.seed,
        if report.root_cause.correct {
            "right"
        } else {
            "WRONG"
        },
        report.root_cause.truth.cause,
        report.root_cause.truth.element,
        found.map_or_else(
            || "nothing".to_owned(),
            |c| format!("{} at {}", c.cause, c.element)
        ),
        report.sites.found,
        report.sites.truly,
        minutes(report.detect_s),
        minutes(report.locate_s),
        minutes(report.restore_s),
    )
}

/// Runs the same days once per seed and policy.
async fn run_days(common: &Common, simulate: &Simulate, days: u32) -> Result<(), Failure> {
    let errors = simulate
        .stage
        .world
        .errors(TelemetryErrors::erring())
        .map_err(Failure::usage)?;
    match &simulate.sweep {
        None => {
            let plan = plan(simulate, days, errors)?;
            let scores = play_all(common, simulate, &plan).await?;
            conclude(common, simulate, scores, errors)
        }
        Some(asked) => degradation::run(common, simulate, days, errors, asked).await,
    }
}

/// Plays what is planned and not kept yet.
async fn play_all(
    common: &Common,
    simulate: &Simulate,
    plan: &[Days],
) -> Result<Vec<Score>, Failure> {
    let mut scores = match &simulate.out {
        Some(file) => kept(file, plan)?,
        None => Vec::new(),
    };
    let mut out = simulate.out.as_deref().map(files::append).transpose()?;
    let is_done = |scores: &[Score], days: &Days| scores.iter().any(|s| is_of(s, days));
    let progress = Arc::new(Progress::new(plan.len(), !common.json));
    for days in plan {
        if is_done(&scores, days) {
            progress.skip();
            continue;
        }
        let told = Arc::clone(&progress);
        let name = format!("seed {} {}", days.seed, days.policy);
        let score = days.play(move |share| told.tell(&name, share)).await?;
        progress.done();
        if let Some(out) = &mut out {
            let kept = writeln!(out, "{}", score.line()).and_then(|()| out.flush());
            kept.map_err(|e| Failure::failed(format!("a score could not be kept: {e}")))?;
        }
        if common.json {
            line(&score.line());
        }
        scores.push(score);
    }
    progress.end();
    Ok(scores)
}

/// The runs in order: seeds outside, policies inside, so that an interrupted batch can be compared.
fn plan(simulate: &Simulate, days: u32, errors: TelemetryErrors) -> Result<Vec<Days>, Failure> {
    let topology = topology(&simulate.stage.topology)?;
    let alarms = files::alarms(simulate.stage.alarms.as_deref())?;
    let policies = policies(simulate)?;
    let mut plan = Vec::new();
    for seed in simulate.seeds.from(simulate.seed) {
        plan.extend(policies.iter().map(|&policy| Days {
            topology: topology.clone(),
            sites: simulate.sites,
            days,
            seed,
            policy,
            practice: durations(simulate),
            alarms: Arc::clone(&alarms),
            errors,
            knowledge: simulate.knowledge.clone(),
        }));
    }
    Ok(plan)
}

fn unknown_policy(name: &str) -> Failure {
    let known = Operator::ALL.map(Operator::as_str).join(", ");
    Failure::usage(format!("'{name}' is no policy; there are {known}"))
}

/// The scores in a file already; a truncated last line is run again.
fn kept(file: &Path, plan: &[Days]) -> Result<Vec<Score>, Failure> {
    let mut scores = Vec::new();
    for (number, text) in files::lines(file)?.iter().enumerate() {
        let score = Score::parse(text).map_err(|e| {
            let (file, number) = (file.display(), number + 1);
            Failure::failed(format!("{file}, line {number}: {}", e.reason))
        })?;
        if !plan.iter().any(|days| is_of(&score, days)) {
            let file = file.display();
            return Err(Failure::conflict(format!(
                "{file} holds the score of seed {} by {} for {} days and {} sites of {} in the world \
                 '{}', which is not asked for: name another file, or the same seeds, policies, days, \
                 network and world",
                score.seed,
                score.policy,
                score.days,
                score.sites,
                score.topology,
                score.world()
            )));
        }
        scores.push(score);
    }
    Ok(scores)
}

fn is_of(score: &Score, days: &Days) -> bool {
    score.seed == days.seed
        && score.policy == days.policy.as_str()
        && score.topology == days.topology.name
        && score.world() == days.world()
        && score.sites == days.sites as u64
        && (score.days - f64::from(days.days)).abs() < 0.5
}

fn conclude(
    common: &Common,
    simulate: &Simulate,
    scores: Vec<Score>,
    errors: TelemetryErrors,
) -> Result<(), Failure> {
    let batch = ScoreBatch::new(scores);
    if common.json {
        let mut table: serde_json::Value =
            serde_json::from_str(&batch.json()).expect("a table is written as JSON");
        table["causes"] = batch.json_by_cause();
        table["world"] = errors.to_string().into();
        output::json(&table);
    } else {
        line(&format!("World: {errors}\n"));
        line(&batch.text(WIDTH));
        line(&batch.text_by_cause());
    }
    if let Some(file) = &simulate.html {
        let page = report::html::batch(&batch, &about(&errors.to_string()));
        write(file, &page)?;
        if !common.json {
            line(&format!("\nThe same with pictures: {}", file.display()));
        }
    }
    Ok(())
}

/// The provenance of a page's figures.
fn about(world: &str) -> About {
    let arguments = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    About {
        command: format!("convoke {arguments}"),
        machine: format!("{processors} processors, {}", std::env::consts::ARCH),
        date: server::clock::Clock::wall_time().to_string()[..10].to_owned(),
        assumptions: vec![ASSUMED.to_owned(), format!("The world: {world}.")],
    }
}
