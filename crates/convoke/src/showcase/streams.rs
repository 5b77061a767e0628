//! `convoke learn yardsticks` and `convoke eval faults`: recorded streams of alarms, on which
//! yardsticks are tuned, and which every policy diagnoses.
//!
//! What is tuned and how, and the one measure of all policies, is in [`arena::open_loop`]. Seeds that
//! were tuned on are refused for scoring. Read next: [`report::open_loop`].

use crate::cli::{Common, DayFlags, Faults, Yardsticks};
use crate::output::{self, Failure, line, table};
use crate::showcase::files;
use crate::showcase::progress::Progress;
use crate::showcase::second_world::{self, SecondDays};
use arena::open_loop::{
    BUDGETS, LabelledDay, StreamDays, TunedYardsticks, Tuning, diagnose, record, tune_on,
};
use arena::stage::topology;
use network::TelemetryErrors;
use report::{OpenLoopRun, OpenLoopTable};
use std::path::Path;

/// The first seed of those that are tuned on, and of those that are scored, where only a number of
/// them is given.
const TUNED_FROM: u64 = *arena::seeds::LEARNT.start();
const SCORED_FROM: u64 = *arena::seeds::REPORTED_DAYS.start();

/// The most bytes of a tuned document.
const TUNED_BYTES_MAX: u64 = 4 << 20;

/// Tunes the yardsticks on recorded streams.
pub(crate) fn tune(common: &Common, wanted: &Yardsticks) -> Result<(), Failure> {
    let stream = stream(&wanted.played)?;
    let seeds: Vec<u64> = wanted.seeds.from(TUNED_FROM).collect();
    let [Some(first), Some(last)] = [seeds.first(), seeds.last()] else {
        return Err(Failure::usage("no seed is given".to_owned()));
    };
    let on = stream.named([*first, *last]);
    let days: Vec<LabelledDay> = recorded(common, &stream, &seeds, |day, _| day);
    let tuning = tune_on(&days, on, stream.tuning_method(), wanted.wrong_per_day);
    files::write(&wanted.out, &tuning.tuned.json())?;
    told(common, &tuning, &wanted.out);
    Ok(())
}

/// Records a stream for each seed and does something with it.
fn recorded<T>(
    common: &Common,
    stream: &StreamDays,
    seeds: &[u64],
    mut then: impl FnMut(LabelledDay, u64) -> T,
) -> Vec<T> {
    let progress = Progress::new(seeds.len(), !common.json);
    let mut all = Vec::with_capacity(seeds.len());
    for seed in seeds {
        let name = format!("seed {seed}");
        let day = record(&stream.with(*seed), |share| progress.tell(&name, share));
        all.push(then(day, *seed));
        progress.done();
    }
    progress.end();
    all
}

fn stream(wanted: &DayFlags) -> Result<StreamDays, Failure> {
    Ok(StreamDays {
        topology: topology(&wanted.topology)?,
        sites: wanted.sites,
        days: wanted.days,
        alarms: files::alarms(wanted.alarms.as_deref())?,
        errors: wanted
            .world
            .errors(TelemetryErrors::erring())
            .map_err(Failure::usage)?,
    })
}

fn told(common: &Common, tuning: &Tuning, out: &Path) {
    let tuned = &tuning.tuned;
    for (name, policy) in &tuned.policies {
        if common.json {
            output::json(&serde_json::json!({
                "event": "tuned", "policy": name, "wait_s": policy.wait_s,
                "longer_s": policy.longer_s, "named_first": policy.named_first,
                "wrong_per_day": policy.wrong_per_day,
            }));
        } else {
            let longest = policy
                .longer_s
                .values()
                .copied()
                .fold(policy.wait_s, f64::max);
            let wait = match longest > policy.wait_s {
                true => format!("{} to {longest}", policy.wait_s),
                false => policy.wait_s.to_string(),
            };
            line(&format!(
                "{name:<24}{:>7.1} % named first{:>8.2} wrong a day, after {wait} s",
                100.0 * policy.named_first,
                policy.wrong_per_day,
            ));
        }
    }
    budgets(common, tuning);
    let file = out.display();
    match common.json {
        true => output::json(&serde_json::json!({
            "event": "learnt", "file": file.to_string(), "best": tuned.best,
        })),
        false => line(&format!(
            "\n{file} holds them; the best yardstick is {}",
            tuned.best
        )),
    }
}

/// What each policy would reach on the same days if it might be wrong more often.
fn budgets(common: &Common, tuning: &Tuning) {
    let rows = tuning.reached.iter();
    if common.json {
        for (name, of_budgets) in rows {
            for row in of_budgets {
                output::json(&serde_json::json!({
                    "event": "budget", "policy": name, "budget": row.budget,
                    "named_first": row.named_first, "wrong_per_day": row.wrong_per_day,
                    "delay_s": row.delay_s,
                }));
            }
        }
        return;
    }
    line(
        "\nNamed first on these days, and the median of minutes until then, at so many wrong a day:\n",
    );
    let budgets = BUDGETS.map(|budget| budget.to_string());
    let header: Vec<&str> = std::iter::once("policy")
        .chain(budgets.iter().map(String::as_str))
        .collect();
    let rows = rows.map(|(name, of_budgets)| {
        let cells = of_budgets.iter().map(|row| match row.delay_s {
            None => "-".to_owned(),
            Some(delay_s) => {
                format!(
                    "{:.1} %, {:.0} min",
                    100.0 * row.named_first,
                    delay_s / 60.0
                )
            }
        });
        std::iter::once(name.clone()).chain(cells).collect()
    });
    line(&table(&header, &rows.collect::<Vec<Vec<String>>>()));
}

/// Has every policy diagnose recorded streams.
pub(crate) fn faults(common: &Common, wanted: &Faults) -> Result<(), Failure> {
    second_world::check_flags(wanted.played.world.is_other(), &wanted.other)?;
    if wanted.played.world.is_other() {
        let days = SecondDays {
            sites: wanted.played.sites,
            days: wanted.played.days,
            seeds: wanted.seeds.from(SCORED_FROM).collect(),
        };
        return second_world::run(common, &days, &wanted.other);
    }
    let stream = stream(&wanted.played)?;
    let tuned = match &wanted.tuned {
        None => stream.tuned_in_force().clone(),
        Some(file) => read(file)?,
    };
    let seeds: Vec<u64> = wanted.seeds.from(SCORED_FROM).collect();
    apart(&tuned, &seeds)?;
    let runs = recorded(common, &stream, &seeds, |day, seed| {
        diagnose(&day, seed, &tuned)
    });
    let runs: Vec<OpenLoopRun> = runs.into_iter().flatten().collect();
    let table = OpenLoopTable::of(&runs, &tuned.best);
    match common.json {
        true => table.objects().iter().for_each(output::json),
        false => line(&table.text()),
    }
    Ok(())
}

/// Seeds that were tuned on say nothing about how good what was tuned is.
fn apart(tuned: &TunedYardsticks, seeds: &[u64]) -> Result<(), Failure> {
    let [first, last] = tuned.on.seeds;
    match seeds.iter().find(|seed| (first..=last).contains(seed)) {
        None => Ok(()),
        Some(seed) => Err(Failure::usage(format!(
            "seed {seed} was tuned on, as were {first} to {last}: score others"
        ))),
    }
}

fn read(file: &Path) -> Result<TunedYardsticks, Failure> {
    let bytes = files::bytes(file, TUNED_BYTES_MAX)?;
    let text = String::from_utf8_lossy(&bytes);
    TunedYardsticks::parse(&text)
        .map_err(|fault| Failure::failed(format!("{}: {fault}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Seeds;

    #[test]
    fn seeds_that_were_tuned_on_are_refused() {
        let tuned = TunedYardsticks::in_force();
        let [first, last] = tuned.on.seeds;
        let is_refused = |seeds: Seeds| {
            let seeds: Vec<u64> = seeds.from(SCORED_FROM).collect();
            apart(tuned, &seeds).is_err()
        };
        assert!(is_refused(Seeds::Range(last, last + 1)));
        assert!(is_refused(Seeds::Range(first, first)));
        assert!(!is_refused(Seeds::Count(3)));
    }
}
