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
    LEARNT, LearntCauses, NETWORK, NamedPolicies, OTHER, PAST_DAYS, PAST_SEED, SecondWorld,
    YARDSTICKS,
};
use arena::seeds::{CHOSEN, DESIGNED, LEARNT as LEARNT_SEEDS};
use causality::{AlarmRecordReader, DeviceLinks};
use report::{OpenLoopRun, OpenLoopTable};
use std::cmp::Reverse;
use std::path::Path;

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

/// Flags of the second world mean nothing in another.
pub(crate) fn check_flags(is_other: bool, other: &OtherFlags) -> Result<(), Failure> {
    let named = [
        ("--learnt", other.learnt.is_some()),
        ("--history", other.history.is_some()),
        ("--network", other.network.is_some()),
        ("--past", other.past.is_some()),
    ];
    match named
        .into_iter()
        .find(|(_, is_given)| *is_given && !is_other)
    {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::usage(format!(
            "{flag} is of days in the second world (--world other)"
        ))),
    }
}

/// Writes the past, or has every policy diagnose days.
pub(crate) fn run(common: &Common, days: &SecondDays, other: &OtherFlags) -> Result<(), Failure> {
    let world = SecondWorld {
        sites: days.sites,
        network: other.network.unwrap_or(NETWORK),
    };
    match &other.history {
        Some(folder) => {
            let seed = days.seeds.first().copied().unwrap_or(PAST_SEED);
            written(common, &world.past(seed, days.days), folder)
        }
        None => diagnosed(common, world, days, other),
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
    other: &OtherFlags,
) -> Result<(), Failure> {
    apart(&days.seeds)?;
    let seed = other.past.unwrap_or(PAST_SEED);
    if !LEARNT_SEEDS.contains(&seed) {
        let (first, last) = (LEARNT_SEEDS.start(), LEARNT_SEEDS.end());
        return Err(Failure::usage(format!(
            "--past {seed} is none to learn from: those are {first} to {last}"
        )));
    }
    let past = world.past(seed, PAST_DAYS);
    let learnt = match &other.learnt {
        Some(file) => {
            let bytes = files::bytes(file, LEARNT_BYTES_MAX)?;
            let read = LearntCauses::parse(&String::from_utf8_lossy(&bytes));
            read.map_err(|fault| causes::wrong(file, fault))?
        }
        None => from_past(common, &past)?,
    };
    let policies = NamedPolicies::tuned(&past, &learnt);
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
    let of_work = [LEARNT_SEEDS, CHOSEN, DESIGNED];
    let is_of_work = |seed: &&u64| of_work.iter().any(|range| range.contains(seed));
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

/// The yardstick that named most first on these very days, of equals the one that was wrong less often:
/// nothing unlabelled says which is better, so it is chosen in its own favour.
fn better(runs: &[OpenLoopRun]) -> &'static str {
    let reached = |name: &str| {
        let (mut named, mut wrong) = (0, 0);
        for run in runs.iter().filter(|run| run.policy == name) {
            named += run.faults.iter().filter(|it| it.named_first).count();
            wrong += run.statements - run.right - run.real_troubles;
        }
        (Reverse(named), wrong)
    };
    let best = YARDSTICKS.into_iter().min_by_key(|name| reached(name));
    best.unwrap_or(LEARNT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::OpenLoopFault;

    #[test]
    fn of_yardsticks_that_name_as_many_the_one_that_is_less_often_wrong_is_better() {
        let run = |policy: &str, named_first, statements| OpenLoopRun {
            policy: policy.to_owned(),
            seed: 101,
            days: 1.0,
            faults: vec![OpenLoopFault {
                kind: "fibre-cut".to_owned(),
                named_first,
                named: true,
            }],
            statements,
            right: 1,
            real_troubles: 1,
        };
        let [first, own, most, codebook, _] = YARDSTICKS;
        let runs = [
            run(first, false, 2),
            run(own, true, 5),
            run(most, true, 3),
            run(codebook, true, 4),
            run(LEARNT, true, 2),
        ];
        assert_eq!(better(&runs), most);
        assert_eq!(better(&[]), first);
    }

    #[test]
    fn seeds_to_learn_from_and_to_choose_by_are_refused() {
        for seed in [PAST_SEED, *LEARNT_SEEDS.end(), *CHOSEN.start(), 60_015] {
            assert!(apart(&[101, seed]).is_err(), "{seed}");
        }
        assert!(apart(&[101, 70_001]).is_ok());
    }
}
