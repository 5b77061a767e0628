//! The open loop: one recorded stream of alarms, diagnosed by every yardstick and by the agents' own
//! correlation.
//!
//! A day is run by people without energy saving, as for [`crate::training`], and its alarms are
//! recorded as they were delivered. Whoever diagnoses the record cannot act upon it and is not told
//! of measurements, so that policies are compared in reasoning about alarms alone: what agents gain
//! by measuring shows in the closed loop only ([`crate::day`]). Read next: [`yardsticks`],
//! `open_loop/correlation.rs`.

mod correlation;
mod day_threads;

pub use correlation::{AGENTS, AgentsCorrelation};
pub use day_threads::DayThreads;
pub use yardsticks::{
    BUDGETS, DayWorkers, LabelledDay, TunedError, TunedYardsticks, Tuning, TuningDays,
    TuningMethod, YardstickKind,
};

use crate::day::{Days, Operator, people};
use crate::practice::{PracticeDurations, StaffedNetwork};
use crate::score::{SmallTroubles, known_troubles};
use agents::practice::PracticePolicy as ByHand;
use domain::time::SeededRng;
use network::{Backbone, Recorded, TelemetryErrors};
use rand_chacha::rand_core::SeedableRng;
use report::{OpenLoopFault, OpenLoopRun};
use std::sync::Arc;
use yardsticks::{
    Codebook, Commitment, Consequences, Measure, OnlineYardstick, heard, tune, tune_rule,
};

/// The days of a stream to be recorded.
#[derive(Clone, Debug)]
pub struct StreamDays {
    /// The backbone.
    pub topology: Backbone,
    /// The number of base-station sites.
    pub sites: usize,
    /// The number of days.
    pub days: u32,
    /// Alarms replayed as background instead of random ones; empty for none.
    pub alarms: Arc<Vec<Recorded>>,
    /// The errors of telemetry, measurements and documents.
    pub errors: TelemetryErrors,
}

impl StreamDays {
    /// The days with this seed.
    pub fn with(&self, seed: u64) -> Days {
        Days {
            topology: self.topology.clone(),
            sites: self.sites,
            days: self.days,
            seed,
            policy: Operator::None,
            practice: PracticeDurations::default(),
            alarms: Arc::clone(&self.alarms),
            errors: self.errors,
            knowledge: None,
        }
    }

    /// How policies are tuned on such days.
    pub fn tuning_method(&self) -> TuningMethod {
        match self.errors.alarms_lie() {
            true => TuningMethod::AlarmsLie,
            false => TuningMethod::AlarmsAreTrue,
        }
    }

    /// The tuned yardsticks that ship for such days.
    pub fn tuned_in_force(&self) -> &'static TunedYardsticks {
        TunedYardsticks::in_force_if(self.errors.alarms_lie())
    }

    /// How they stand in a document that was tuned on these seeds, first and last.
    pub fn named(&self, seeds: [u64; 2]) -> TuningDays {
        TuningDays {
            topology: self.topology.name.clone(),
            sites: self.sites as u64,
            seeds,
            days: self.days,
            world: self.errors.to_string(),
        }
    }
}

/// Records a stream; the policy of `days` is ignored. `progress` is called from time to time with the
/// share completed, 0 to 1. The same days give the same record.
pub fn record(days: &Days, progress: impl Fn(f64)) -> LabelledDay {
    let mut simulation = days.network();
    let people = people(ByHand::None, &simulation);
    let rng = SeededRng::seed_from_u64(days.seed);
    let mut small = SmallTroubles::default();
    let mut practice = StaffedNetwork::begin(people, &mut simulation, rng);
    practice.run(&mut simulation, days.end(), |simulation, now| {
        small.look(simulation, now);
        progress(days.share(now));
    });
    // Who hears the record knows the network as documented, right or wrong, as agents do.
    let book = Codebook::new(Consequences::new(simulation.documented_inventory()));
    LabelledDay {
        troubles: known_troubles(&simulation, book.graph(), &small),
        book: Arc::new(book),
        alarms: practice.alarms,
        from: days.begin(),
        until: days.end(),
    }
}

/// Tunes every yardstick and the agents' correlation on recorded days, to the same budget of wrong
/// statements a day.
pub fn tune_on(
    days: &[LabelledDay],
    on: TuningDays,
    method: TuningMethod,
    wrong_per_day: f64,
) -> Tuning {
    let mut tuning = tune(days, on, method, wrong_per_day, &DayThreads);
    let (agents, reached) = tune_rule(
        days,
        method,
        wrong_per_day,
        &DayThreads,
        AgentsCorrelation::on,
    );
    tuning.insert(AGENTS, agents, reached);
    tuning
}

/// What every policy makes of a recorded day: the yardsticks, simplest first, and the agents.
pub fn diagnose(day: &LabelledDay, seed: u64, tuned: &TunedYardsticks) -> Vec<OpenLoopRun> {
    let mut runs = Vec::new();
    for kind in YardstickKind::ALL {
        let mut yardstick = kind.tuned(tuned, Arc::clone(&day.book));
        let said = heard(&mut *yardstick, &day.alarms, day.until);
        runs.push(run(kind.as_str(), day, seed, &said));
    }
    let rule = AgentsCorrelation::on(day);
    let thresholds = tuned.thresholds(AGENTS);
    let mut agents = OnlineYardstick::new(rule, thresholds, Arc::clone(&day.book));
    let said = heard(&mut agents, &day.alarms, day.until);
    runs.push(run(AGENTS, day, seed, &said));
    runs
}

pub(crate) fn run(policy: &str, day: &LabelledDay, seed: u64, said: &[Commitment]) -> OpenLoopRun {
    let measure = Measure::new(day.book.graph(), &day.troubles);
    let counts = measure.count(said);
    let faults = day.faults().map(|(place, trouble)| OpenLoopFault {
        kind: trouble
            .cause
            .map_or_else(String::new, |cause| cause.to_string()),
        named_first: measure.named_first(place, said),
        named: measure.located(place, said).is_some(),
    });
    OpenLoopRun {
        policy: policy.to_owned(),
        seed,
        days: day.length_days(),
        faults: faults.collect(),
        statements: counts.statements,
        right: counts.right,
        real_troubles: counts.real_troubles,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
