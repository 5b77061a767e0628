//! `--world other`: the second world's unlabelled past as files, and its days diagnosed by what was
//! learnt from it.
//!
//! What is learnt goes through the record of alarms and nothing else, as for an operator. It is an open
//! loop: nobody acts upon this network. Read next: [`arena::second_world`], [`causality`].

use crate::cli::{Common, OtherFlags};
use crate::output::{self, Failure, line};
use crate::showcase::{causes, files};
use arena::alarm_past::AlarmPast;
use arena::second_world::{
    LEARNT, LearntCauses, NamedPolicies, OTHER, PAST_DAYS, PAST_SEED, SecondWorld, YARDSTICKS,
};
use arena::seeds::{CHOSEN, LEARNT as LEARNT_SEEDS};
use causality::{AlarmRecordReader, DeviceLinks};
use report::{OpenLoopRun, OpenLoopTable};
use std::path::Path;
use std::sync::Arc;

/// The most bytes of a document of causes.
const LEARNT_BYTES_MAX: u64 = 64 << 20;

/// The days that are asked for.
pub(crate) struct SecondDays {
    /// The number of sites.
    pub(crate) sites: usize,
    /// Days of each seed.
    pub(crate) days: u32,
    /// The seeds.
    pub(crate) seeds: Vec<u64>,
}

/// Writes the past, or has every policy diagnose days.
pub(crate) fn run(common: &Common, days: &SecondDays, other: &OtherFlags) -> Result<(), Failure> {
    let world = SecondWorld { sites: days.sites };
    match &other.history {
        Some(folder) => {
            let seed = days.seeds.first().copied().unwrap_or(PAST_SEED);
            written(common, &world.past(seed, days.days), folder)
        }
        None => diagnosed(common, world, days, other.learnt.as_deref()),
    }
}

fn written(common: &Common, past: &AlarmPast, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|cause| files::named(folder, &cause))?;
    let [alarms, links] = ["alarms.csv", "links.txt"].map(|name| folder.join(name));
    files::write(&alarms, &past.record())?;
    files::write(&links, &past.links())?;
    let [alarms, links] = [&alarms, &links].map(|file| file.display().to_string());
    match common.json {
        true => output::json(&serde_json::json!({
            "event": "written", "alarms": alarms, "topology": links, "days": past.length_days(),
        })),
        false => line(&format!(
            "{alarms} and {links} hold {} days; `convoke learn history` reads them",
            past.length_days()
        )),
    }
    Ok(())
}

fn diagnosed(
    common: &Common,
    world: SecondWorld,
    days: &SecondDays,
    learnt: Option<&Path>,
) -> Result<(), Failure> {
    apart(&days.seeds)?;
    let past = world.past(PAST_SEED, PAST_DAYS);
    let learnt = match learnt {
        Some(file) => {
            let bytes = files::bytes(file, LEARNT_BYTES_MAX)?;
            let read = LearntCauses::parse(&String::from_utf8_lossy(&bytes));
            read.map_err(|fault| causes::wrong(file, fault))?
        }
        None => from_past(common, &past)?,
    };
    let policies = NamedPolicies::tuned(&past, Arc::new(learnt));
    let seeds = days.seeds.iter();
    let runs = seeds.flat_map(|&seed| policies.diagnose(&world.labelled(seed, days.days), seed));
    let runs: Vec<OpenLoopRun> = runs.collect();
    let table = OpenLoopTable::of(&runs, better(&runs));
    if common.json {
        table.objects().iter().for_each(output::json);
    } else {
        line(&format!("World: {OTHER}\n\n{}", table.text()));
    }
    Ok(())
}

/// Seeds that are for learning, as the past is, or for choosing by say nothing about how good it is.
fn apart(seeds: &[u64]) -> Result<(), Failure> {
    let is_of_work = |seed: &&u64| LEARNT_SEEDS.contains(seed) || CHOSEN.contains(seed);
    match seeds.iter().find(is_of_work) {
        None => Ok(()),
        Some(seed) => Err(Failure::usage(format!(
            "seed {seed} is one to learn from or to choose by: score others"
        ))),
    }
}

/// What a record of the past teaches, read as anybody's would be.
fn from_past(common: &Common, past: &AlarmPast) -> Result<LearntCauses, Failure> {
    let failed = |fault: String| Failure::failed(format!("the past teaches nothing: {fault}"));
    let mut reader = AlarmRecordReader::default();
    for text in past.record().lines() {
        reader
            .read(text.as_bytes())
            .map_err(|fault| failed(fault.to_string()))?;
    }
    let links = DeviceLinks::from_text(&past.links()).map_err(|fault| failed(fault.to_string()))?;
    let history = reader.finish(Some(&links));
    let history = history.map_err(|fault| failed(fault.to_string()))?;
    let graph = causes::learnt(common, &history)?;
    Ok(LearntCauses::of(&graph))
}

/// The yardstick that named more first on these very days: nothing unlabelled says which is better, so
/// it is chosen in its own favour.
fn better(runs: &[OpenLoopRun]) -> &'static str {
    let named = |name: &str| {
        let own = runs.iter().filter(|run| run.policy == name);
        own.flat_map(|run| &run.faults)
            .filter(|fault| fault.named_first)
            .count()
    };
    let best = YARDSTICKS.into_iter().max_by_key(|name| named(name));
    best.unwrap_or(LEARNT)
}
