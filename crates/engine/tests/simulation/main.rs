//! The whole engine under seeds: clients, hosted minds with every answer, agents outside, clocks
//! that jump, replies that are lost, platforms that die; after each tick the laws hold.
//!
//! A seed is a list of [`step::Step`]s, taken by a [`trial::Trial`] that knows the public interface
//! only. What is *right* stands in [`laws`], computed from what was asked and answered, never by
//! the engine's own rules. A seed that breaks a law is printed with the shortest history that still
//! does. `CONVOKE_SEEDS=from..to` runs others than the usual ones. Read next: `step`, `trial`,
//! `laws`, `teeth` (each law can fail).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    unreachable_pub
)]

mod behaviour;
mod everything;
mod laws;
mod platform;
mod record;
mod step;
mod teeth;
mod trial;
mod verdict;

use platform::Place;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use step::Step;
use trial::Trial;
use verdict::{Broken, Lie, Tally};

/// Seeds without `CONVOKE_SEEDS`.
const USUAL: Range<u64> = 0..5_000;

/// Every so many seeds the state is a file, and the platform may die.
const ON_DISK: u64 = 20;

/// Every so many of those it is a database.
const IN_DATABASE: u64 = 10;

/// Where the state is under a seed, and with a lie.
fn place(seed: u64, lie: Option<Lie>) -> Place {
    match lie {
        Some(Lie::LostCommit) => Place::File,
        None if seed.is_multiple_of(ON_DISK * IN_DATABASE) => Place::Database,
        None if seed.is_multiple_of(ON_DISK) => Place::File,
        _ => Place::Memory,
    }
}

/// Takes the steps of a seed; the laws are asked on the way and at the end.
fn take(seed: u64, steps: &[Step], lie: Option<Lie>) -> Result<Tally, Broken> {
    let taken = catch_unwind(AssertUnwindSafe(|| {
        let mut trial = Trial::new(seed, place(seed, lie), lie);
        for step in steps {
            trial.take(step)?;
        }
        trial.end()
    }));
    taken.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(Broken::new("nothing panics", said.unwrap_or_default()))
    })
}

/// The shortest history that breaks the same law: steps are left out as long as it still does.
fn shortest(seed: u64, mut steps: Vec<Step>, law: &str, lie: Option<Lie>) -> Vec<Step> {
    let breaks = |steps: &[Step]| take(seed, steps, lie).is_err_and(|broken| broken.law == law);
    let mut stride = steps.len() / 2;
    while stride > 0 {
        let (mut at, before) = (0, steps.len());
        while at < steps.len() {
            let mut fewer = steps.clone();
            fewer.drain(at..(at + stride).min(steps.len()));
            match breaks(&fewer) {
                true => steps = fewer,
                false => at += stride,
            }
        }
        // The last round is taken again as long as it finds something.
        let shorter = steps.len() < before;
        stride = if stride == 1 && shorter {
            1
        } else {
            stride / 2
        };
    }
    steps
}

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("CONVOKE_SEEDS") else {
        return USUAL;
    };
    let range = text.split_once("..").and_then(|(from, to)| {
        let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
        Some(number(from)?..number(to)?)
    });
    range.expect("CONVOKE_SEEDS is a range such as 0..5000")
}

#[test]
fn the_laws_hold_under_every_seed() {
    let seeds = seeds();
    let next = AtomicU64::new(seeds.start);
    let (broken, tally) = (Mutex::new(BTreeMap::new()), Mutex::new(Tally::default()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end || !broken.lock().unwrap().is_empty() {
                        return;
                    }
                    match take(seed, &step::steps(seed), None) {
                        Ok(taken) => tally.lock().unwrap().add(&taken),
                        Err(why) => drop(broken.lock().unwrap().insert(seed, why)),
                    }
                }
            });
        }
    });
    if let Some((seed, why)) = broken.into_inner().unwrap().pop_first() {
        let steps = shortest(seed, step::steps(seed), why.law, None);
        let why = take(seed, &steps, None).err().unwrap_or(why);
        panic!("seed {seed} breaks a law: {why}\nby {steps:#?}");
    }
    let tally = tally.into_inner().unwrap();
    println!("{} seeds: {tally}", seeds.end - seeds.start);
    // A simulation in which nothing happens proves nothing.
    if seeds == USUAL {
        tally.check();
    }
}

/// In how many shards it is decided changes nothing of what comes of it.
#[test]
fn the_same_comes_of_one_shard_and_of_64() {
    // Where agents step in turn, a seed decides everything.
    for seed in (0..400).filter(|seed| seed % 4 >= 2) {
        let outcome = |shards| {
            let mut trial = Trial::over(shards, seed, Place::Memory, None);
            let steps = step::steps(seed);
            let taken = steps.iter().try_for_each(|step| trial.take(step));
            taken.and_then(|()| trial.outcome())
        };
        let (one, all) = (outcome(1).unwrap(), outcome(64).unwrap());
        let same = one.is(&all, "shards change nothing");
        assert!(same.is_ok(), "seed {seed}: {}", same.unwrap_err());
    }
}
