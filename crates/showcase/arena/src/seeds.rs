//! Which seeds are for what: no seed that taught an agent, or that a test looks at, is reported on.
//!
//! The one place that says so. Commands of the documentation and defaults of the command line follow
//! it, and a test compares them. Refuses to know what is played. Read next: [`crate::training`],
//! [`crate::day`], [`crate::trial`].

use std::ops::RangeInclusive;

/// Seeds that tests and people look at while they work on agents: whatever holds on them is no
/// evidence.
pub const GATE: RangeInclusive<u64> = 0..=10_199;

/// Seeds from which agents learn.
pub const LEARNT: RangeInclusive<u64> = 50_001..=50_200;

/// Seeds by which limits and settings are chosen, for agents and yardsticks alike.
pub const CHOSEN: RangeInclusive<u64> = 50_201..=50_400;

/// Seeds of days on which the form of agents' reasoning was chosen, with the truth in sight.
pub const DESIGNED: RangeInclusive<u64> = 60_001..=60_400;

/// Seeds of the days that are reported.
pub const REPORTED_DAYS: RangeInclusive<u64> = 70_001..=70_200;

/// Seeds of the single faults that are reported.
pub const REPORTED_FAULTS: RangeInclusive<u64> = 80_001..=80_400;

/// Every range, by its purpose.
pub const SEEDS: [(&str, RangeInclusive<u64>); 6] = [
    ("gate", GATE),
    ("learnt", LEARNT),
    ("chosen", CHOSEN),
    ("designed", DESIGNED),
    ("reported days", REPORTED_DAYS),
    ("reported faults", REPORTED_FAULTS),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_seed_serves_two_purposes() {
        for (at, (purpose, range)) in SEEDS.iter().enumerate() {
            assert!(range.start() <= range.end(), "{purpose}");
            for (other, with) in &SEEDS[at + 1..] {
                let apart = range.end() < with.start() || with.end() < range.start();
                assert!(apart, "{purpose} and {other}");
            }
        }
    }

    #[test]
    fn yardsticks_that_ship_were_tuned_on_seeds_from_which_one_learns() {
        for alarms_lie in [false, true] {
            let tuned = yardsticks::TunedYardsticks::in_force_if(alarms_lie);
            let [first, last] = tuned.on.seeds;
            assert!(first <= last && LEARNT.contains(&first) && LEARNT.contains(&last));
        }
    }
}
