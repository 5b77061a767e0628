//! Tuning: what is counted and trained on labelled days, and the thresholds that name most faults
//! first without overdrawing a budget of wrong statements a day.
//!
//! Every policy, the agents' own correlation included, is tuned by the same procedure on the same
//! days for the same budget ([`crate::threshold_search`]). Where alarms lie it is also counted how false
//! ones come and how long they stand, and alarms may be waited for as long as that takes. Deterministic.
//! Read next: [`crate::tuned`].

use crate::classifier::Classifier;
use crate::examples::examples;
use crate::false_alarms::FalseAlarmFigures;
use crate::kind::YardstickKind;
use crate::labelled::LabelledDay;
use crate::likelihood::Likelihoods;
use crate::online::BlameRule;
use crate::threshold_search::{Reached, ThresholdSearch};
use crate::tuned::{TunedPolicy, TunedYardsticks, TuningDays};
use crate::tuning_method::TuningMethod;
use crate::workers::DayWorkers;
use std::collections::BTreeMap;

/// The chances to start anew that are tried.
const RESTARTS: [f64; 3] = [0.15, 0.4, 0.7];
/// Seconds that alarms stand before the classifier is trained on them.
const TRAINING_WAITS_S: [f64; 1] = [300.0];
/// The same where alarms lie, so that it learns what it says that one still stands.
const LONG_TRAINING_WAITS_S: [f64; 4] = [300.0, 1_800.0, 7_200.0, 21_600.0];
/// The budgets for which it is told what a policy reaches, in wrong statements a day.
pub const BUDGETS: [f64; 4] = [1.0, 3.0, 10.0, 30.0];

/// What a policy reaches within a budget, on the days that it was tuned on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetReached {
    /// The budget: wrong statements a day.
    pub budget: f64,
    /// The share of faults that it named first, 0 to 1.
    pub named_first: f64,
    /// Wrong statements a day.
    pub wrong_per_day: f64,
    /// The median of seconds from the beginning of such a fault until it was named; none if none was.
    pub delay_s: Option<f64>,
}

/// What was tuned, and what every policy would reach within other budgets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuning {
    /// The document.
    pub tuned: TunedYardsticks,
    /// By the name of the policy: one row for each of [`BUDGETS`].
    pub reached: BTreeMap<String, Vec<BudgetReached>>,
}

impl Tuning {
    /// Adds a policy that is no yardstick.
    pub fn insert(&mut self, name: &str, policy: TunedPolicy, reached: Vec<BudgetReached>) {
        self.tuned.policies.insert(name.to_owned(), policy);
        self.reached.insert(name.to_owned(), reached);
    }
}

/// Tunes every yardstick on labelled days to at most `wrong_per_day` wrong statements a day.
pub fn tune(
    days: &[LabelledDay],
    on: TuningDays,
    method: TuningMethod,
    wrong_per_day: f64,
    workers: &impl DayWorkers,
) -> Tuning {
    let mut tuned = TunedYardsticks::on(on, wrong_per_day);
    tuned.likelihoods = Likelihoods::learn(days);
    tuned.false_alarms = match method {
        TuningMethod::AlarmsAreTrue => None,
        TuningMethod::AlarmsLie => Some(FalseAlarmFigures::learn(days)),
    };
    let false_alarms = tuned.false_alarm_index();
    tuned.classifier = match &false_alarms {
        None => Classifier::train(&examples(days, &TRAINING_WAITS_S, None, workers)),
        Some(index) => {
            let waits_s = &LONG_TRAINING_WAITS_S;
            Classifier::train_on_false_alarms(&examples(days, waits_s, Some(index), workers))
        }
    };
    let mut tuning = Tuning::default();
    for kind in YardstickKind::ALL {
        let restarts: &[f64] = match kind {
            YardstickKind::RandomWalk => &RESTARTS,
            _ => &RESTARTS[..1],
        };
        let mut best: Option<(f64, TunedPolicy, Vec<BudgetReached>)> = None;
        for &restart in restarts {
            let with = TunedYardsticks {
                restart,
                ..tuned.clone()
            };
            let make = |day: &LabelledDay| kind.rule(&with, &day.book);
            let (policy, reached) = tune_rule(days, method, wrong_per_day, workers, make);
            let better = best
                .as_ref()
                .is_none_or(|(_, known, _)| policy.is_better_than(known));
            if better {
                best = Some((restart, policy, reached));
            }
        }
        if let Some((restart, policy, reached)) = best {
            if kind == YardstickKind::RandomWalk {
                tuned.restart = restart;
            }
            tuning.insert(kind.as_str(), policy, reached);
        }
    }
    tuned.policies = std::mem::take(&mut tuning.tuned.policies);
    tuned.best = best(&tuned.policies);
    Tuning { tuned, ..tuning }
}

/// The name of the best yardstick; of equals the simplest.
fn best(policies: &BTreeMap<String, TunedPolicy>) -> String {
    let mut best: Option<(&str, &TunedPolicy)> = None;
    for kind in YardstickKind::ALL {
        let Some(policy) = policies.get(kind.as_str()) else {
            continue;
        };
        if best.is_none_or(|(_, known)| policy.is_better_than(known)) {
            best = Some((kind.as_str(), policy));
        }
    }
    best.map_or_else(String::new, |(name, _)| name.to_owned())
}

/// Tunes a policy whose rule `make` gives for each day; what it would reach within each of [`BUDGETS`]
/// is told beside it.
pub fn tune_rule<R: BlameRule + Send + Sync>(
    days: &[LabelledDay],
    method: TuningMethod,
    wrong_per_day: f64,
    workers: &impl DayWorkers,
    make: impl Fn(&LabelledDay) -> R + Sync,
) -> (TunedPolicy, Vec<BudgetReached>) {
    let search = ThresholdSearch::new(days, method, workers, make);
    let (policy, within) = search.within(wrong_per_day);
    let mut most: Option<Reached> = None;
    let reached = BUDGETS.map(|budget| {
        let reached = match budget == wrong_per_day {
            true => within.clone(),
            false => search.within(budget).1,
        };
        // What keeps to a smaller budget keeps to this one.
        let reached = match most.take() {
            Some(of_less) if of_less.is_better_than(&reached) => of_less,
            _ => reached,
        };
        most = Some(reached.clone());
        BudgetReached {
            budget,
            named_first: reached.named_first(),
            wrong_per_day: reached.wrong_per_day(),
            delay_s: reached.delay_s(),
        }
    });
    (policy, reached.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::{self, alarm, cleared};
    use crate::rules::OwnAlarmRule;
    use crate::workers::OneByOne;
    use domain::cause::Cause;
    use domain::telemetry::AlarmType::{CellDegraded, CellUnavailable};

    /// A day on which a cell fails and its alarm tells so, and another is told to be degraded each
    /// hour for nothing.
    fn day() -> LabelledDay {
        let mut alarms = vec![alarm("cell:1/1", CellUnavailable, 1_000.0)];
        for hour in 1..20 {
            let from = f64::from(hour) * 3_600.0;
            alarms.push(alarm("cell:2/1", CellDegraded, from));
            alarms.push(cleared("cell:2/1", CellDegraded, from + 3_000.0));
        }
        invented::day(alarms)
    }

    #[test]
    fn of_yardsticks_that_name_as_many_the_one_that_is_less_often_wrong_is_the_best() {
        let reached = [
            ("own-alarm", 0.9, 0.4),
            ("codebook-bayes", 0.9, 0.1),
            ("classifier", 0.9, 0.5),
            ("agents-correlation", 1.0, 0.0),
        ];
        let policies = reached.map(|(name, named_first, wrong_per_day)| {
            let policy = TunedPolicy {
                named_first,
                wrong_per_day,
                ..TunedPolicy::default()
            };
            (name.to_owned(), policy)
        });
        assert_eq!(best(&policies.into()), "codebook-bayes");
        assert_eq!(best(&BTreeMap::new()), "");
    }

    #[test]
    fn a_budget_is_kept_by_saying_nothing_of_a_cause_that_is_mostly_wrong() {
        let days = [day()];
        let method = TuningMethod::AlarmsAreTrue;
        let (tuned, _) = tune_rule(&days, method, 1.0, &OneByOne, |_| OwnAlarmRule);
        assert_eq!(
            tuned.least.keys().collect::<Vec<_>>(),
            [&Cause::CellHardwareFailure]
        );
        assert_eq!((tuned.named_first, tuned.wrong_per_day), (1.0, 0.0));
        let on = TuningDays::default();
        for method in [TuningMethod::AlarmsAreTrue, TuningMethod::AlarmsLie] {
            let tuned = || tune(&days, on.clone(), method, 1.0, &OneByOne);
            assert_eq!(tuned(), tuned());
        }
    }

    /// Cells fail and stay so; others are told to have failed for an hour, and nobody can tell them
    /// apart before that.
    fn day_of_false_alarms() -> LabelledDay {
        let mut alarms = vec![alarm("cell:1/1", CellUnavailable, 1_000.0)];
        for hour in 1..20 {
            let from = f64::from(hour) * 3_600.0;
            let cell = format!("cell:{}/2", 1 + hour % 4);
            alarms.push(alarm(&cell, CellUnavailable, from));
            alarms.push(cleared(&cell, CellUnavailable, from + 3_500.0));
        }
        invented::day(alarms)
    }

    #[test]
    fn where_alarms_lie_a_cause_is_waited_for_until_false_alarms_have_cleared() {
        let days = [day_of_false_alarms()];
        let tuned = |method| tune_rule(&days, method, 1.0, &OneByOne, |_| OwnAlarmRule);
        let (hasty, _) = tuned(TuningMethod::AlarmsAreTrue);
        assert_eq!((hasty.named_first, hasty.least.len()), (0.0, 0));
        let (patient, reached) = tuned(TuningMethod::AlarmsLie);
        assert_eq!((patient.named_first, patient.wrong_per_day), (1.0, 0.0));
        assert_eq!(patient.wait_s, 3_600.0);
        assert_eq!(reached.len(), BUDGETS.len());
        assert_eq!(reached[0].delay_s, Some(3_700.0));
    }
}
