//! `convoke learn`: from training days to a file of causal knowledge, from a history of alarms to
//! a graph of causes ([`history`]), from recorded streams to tuned yardsticks ([`streams`]), or from a
//! public set to the energy of radio units ([`energy`]).
//!
//! The file states its training data; the same seeds of the same network give the same bytes. The
//! method is in [`arena::training`]. Read next: `simulate.rs`, which uses the file.

mod energy;
mod history;

use crate::cli::{Common, Learn, LearnFrom};
use crate::output::{self, Failure, line};
use crate::showcase::files;
use crate::showcase::progress::Progress;
use crate::showcase::streams;
use arena::day::{Days, Operator};
use arena::practice::PracticeDurations;
use arena::seeds::LEARNT;
use arena::stage::topology;
use arena::training::Training;
use network::TelemetryErrors;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(common: &Common, learn: &Learn) -> Result<(), Failure> {
    match &learn.from {
        Some(LearnFrom::History(wanted)) => return history::run(common, wanted),
        Some(LearnFrom::Yardsticks(wanted)) => return streams::tune(common, wanted),
        Some(LearnFrom::Energy(wanted)) => return energy::run(common, wanted),
        None => {}
    }
    let out = learn.out.as_deref();
    let out = out.expect("clap asks for it where there is no subcommand");
    let plan = plan(learn)?;
    let progress = Progress::new(plan.len(), !common.json);
    let mut training = Training::default();
    for days in &plan {
        let name = format!("seed {}", days.seed);
        training.attend(days, |share| progress.tell(&name, share));
        progress.done();
    }
    progress.end();
    let text = format!(
        "{}{}",
        provenance(learn, &plan, &training),
        training.knowledge()
    );
    files::write(out, &text)?;
    say(common, out, &training);
    Ok(())
}

fn plan(learn: &Learn) -> Result<Vec<Days>, Failure> {
    let topology = topology(&learn.played.topology)?;
    let alarms = files::alarms(learn.played.alarms.as_deref())?;
    let errors = learn
        .played
        .world
        .errors(TelemetryErrors::none())
        .map_err(Failure::usage)?;
    let days = |seed| Days {
        topology: topology.clone(),
        sites: learn.played.sites,
        days: learn.played.days,
        seed,
        policy: Operator::None,
        practice: PracticeDurations::default(),
        alarms: Arc::clone(&alarms),
        errors,
        knowledge: None,
    };
    Ok(learn.seeds.from(*LEARNT.start()).map(days).collect())
}

/// The header of the file, with the source of its figures.
fn provenance(learn: &Learn, plan: &[Days], training: &Training) -> String {
    let seed = |days: Option<&Days>| days.map_or(0, |days| days.seed);
    let counts = training.faults().into_iter();
    let counts: Vec<String> = counts.map(|(cause, n)| format!("{cause} {n}")).collect();
    let background = match &learn.played.alarms {
        Some(file) => format!(", background alarms of {}", file.display()),
        None => String::new(),
    };
    format!(
        "# How surely and how fast causes show in alarms: what agents weigh causes by.\n\
         # Learnt by `convoke learn` from seeds {}..{}, {} day(s) each, {} with {} sites{background}.\n\
         # Faults learnt from: {}.\n\
         # The days are simulated: the figures say how the simulated network reports.\n",
        seed(plan.first()),
        seed(plan.last()),
        learn.played.days,
        learn.played.topology,
        learn.played.sites,
        counts.join(", "),
    )
}

fn say(common: &Common, out: &Path, training: &Training) {
    let (file, counts) = (out.display(), training.faults().into_iter());
    if common.json {
        let counts = counts.map(|(cause, n)| (cause.to_string(), n.into()));
        let counts: serde_json::Map<String, serde_json::Value> = counts.collect();
        output::json(&serde_json::json!({
            "event": "learnt", "file": file.to_string(), "faults": counts,
        }));
        return;
    }
    for (cause, n) in counts {
        line(&format!("{:<24}{n:>6}", cause.as_str()));
    }
    line(&format!("\n{file} holds what these faults taught"));
}
