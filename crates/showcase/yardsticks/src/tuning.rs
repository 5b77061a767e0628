//! Tuning: what is counted and trained on labelled days, and the thresholds that name most faults
//! first without overdrawing a budget of wrong statements a day.
//!
//! Every policy, the agents' own correlation included, is tuned by the same procedure on the same
//! days for the same budget: for each waiting time, all that the policy would say is collected; the
//! threshold of each cause is set where a further right statement would cost more wrong ones than a
//! common price allows, and the price is raised until the budget is kept when the day is heard
//! again. Deterministic. Read next: [`crate::tuned`].

use crate::classifier::{Classifier, Example, features};
use crate::codebook::SceneKey;
use crate::commitment::Commitment;
use crate::kind::YardstickKind;
use crate::labelled::LabelledDay;
use crate::likelihood::Likelihoods;
use crate::measure::{Measure, Worth};
use crate::online::{Blame, BlameRule, OnlineYardstick, StatementThresholds, heard};
use crate::scene::AlarmScene;
use crate::tuned::{TunedPolicy, TunedYardsticks, TuningDays};
use domain::cause::Cause;
use domain::time::Timestamp;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The waiting times that are tried, in seconds.
const WAITS_S: [f64; 3] = [120.0, 300.0, 900.0];
/// The prices of a wrong statement that are tried, in right ones.
const PRICES: [f64; 10] = [0.0, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0];
/// The chances to start anew that are tried.
const RESTARTS: [f64; 3] = [0.15, 0.4, 0.7];
/// Seconds that alarms stand before the classifier is trained on them.
const TRAINING_WAIT_S: f64 = 300.0;
/// Of the examples that do not hold, every so many-th is trained on.
const THINNED: usize = 5;

/// What a policy did on labelled days.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Reached {
    faults: u32,
    named_first: u32,
    wrong: u32,
    days: f64,
}

impl Reached {
    fn share(&self) -> f64 {
        f64::from(self.named_first) / f64::from(self.faults.max(1))
    }

    fn wrong_per_day(&self) -> f64 {
        f64::from(self.wrong) / self.days.max(f64::MIN_POSITIVE)
    }

    fn is_better_than(&self, other: &Self) -> bool {
        (self.named_first, other.wrong) > (other.named_first, self.wrong)
    }
}

/// Tunes every yardstick on labelled days to at most `wrong_per_day` wrong statements a day.
pub fn tune(days: &[LabelledDay], on: TuningDays, wrong_per_day: f64) -> TunedYardsticks {
    let mut tuned = TunedYardsticks::on(on, wrong_per_day);
    tuned.likelihoods = Likelihoods::learn(days);
    tuned.classifier = Classifier::train(&examples(days));
    for kind in YardstickKind::ALL {
        let restarts: &[f64] = match kind {
            YardstickKind::RandomWalk => &RESTARTS,
            _ => &RESTARTS[..1],
        };
        let mut best: Option<(f64, TunedPolicy)> = None;
        for &restart in restarts {
            let with = TunedYardsticks {
                restart,
                ..tuned.clone()
            };
            let policy = tune_rule(days, wrong_per_day, |day| kind.rule(&with, &day.book));
            let better = best
                .as_ref()
                .is_none_or(|(_, known)| policy.is_better_than(known));
            if better {
                best = Some((restart, policy));
            }
        }
        if let Some((restart, policy)) = best {
            if kind == YardstickKind::RandomWalk {
                tuned.restart = restart;
            }
            tuned.policies.insert(kind.as_str().to_owned(), policy);
        }
    }
    tuned.best = best(&tuned.policies);
    tuned
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

/// Tunes a policy whose rule `make` gives for each day.
pub fn tune_rule<R: BlameRule>(
    days: &[LabelledDay],
    wrong_per_day: f64,
    make: impl Fn(&LabelledDay) -> R,
) -> TunedPolicy {
    // What a rule knows of a network is worked out once a day, not each time that the day is heard.
    let rules: Vec<R> = days.iter().map(make).collect();
    let mut best: Option<(Reached, StatementThresholds)> = None;
    for wait_s in WAITS_S {
        let said = collect(days, wait_s, &rules);
        for price in PRICES {
            let thresholds = StatementThresholds {
                wait_s,
                least: least(&said, price),
                ..StatementThresholds::default()
            };
            let expected = wrong_at(&said, &thresholds.least);
            let length: f64 = days.iter().map(LabelledDay::length_days).sum();
            // What is not said leaves alarms to others, so that more may be said in the end.
            if f64::from(expected) > wrong_per_day * length {
                continue;
            }
            let reached = reach(days, &thresholds, &rules);
            if reached.wrong_per_day() > wrong_per_day {
                continue;
            }
            if best
                .as_ref()
                .is_none_or(|(known, _)| reached.is_better_than(known))
            {
                best = Some((reached, thresholds));
            }
            break;
        }
    }
    let Some((reached, thresholds)) = best else {
        return TunedPolicy::default();
    };
    TunedPolicy {
        wait_s: thresholds.wait_s,
        least: thresholds.least,
        named_first: reached.share(),
        wrong_per_day: reached.wrong_per_day(),
    }
}

/// A statement with its score and what it was worth.
type Scored = (Cause, f64, Worth);

fn collect<R: BlameRule>(
    days: &[LabelledDay],
    wait_s: f64,
    rules: &[R],
) -> Vec<Scored> {
    let mut all = Vec::new();
    for (day, rule) in days.iter().zip(rules) {
        let thresholds = StatementThresholds::none(wait_s);
        let mut online = OnlineYardstick::new(rule, thresholds, day.book.clone());
        let said = heard(&mut online, &day.alarms, day.until);
        let measure = Measure::new(day.book.graph(), &day.troubles);
        let scored = said.iter().zip(online.scores());
        all.extend(scored.map(|(c, score)| (c.cause, *score, measure.worth(c))));
    }
    all
}

/// The threshold of each cause from which on right statements outweigh wrong ones at a price.
fn least(said: &[Scored], price: f64) -> BTreeMap<Cause, f64> {
    let mut least = BTreeMap::new();
    for cause in Cause::ALL {
        let mut ours: Vec<&Scored> = said.iter().filter(|(c, ..)| *c == cause).collect();
        ours.sort_by(|x, y| y.1.total_cmp(&x.1));
        let (mut gain, mut best) = (0.0, (0.0, None));
        for (place, (_, score, worth)) in ours.iter().enumerate() {
            gain += match worth {
                Worth::Right(_) => 1.0,
                Worth::RealTrouble => 0.0,
                Worth::Wrong => -price,
            };
            // Statements of the same score are said or left unsaid together.
            let last_of_score = ours.get(place + 1).is_none_or(|next| next.1 < *score);
            if last_of_score && gain > best.0 {
                best = (gain, Some(*score));
            }
        }
        least.extend(best.1.map(|score| (cause, round_down(score))));
    }
    least
}

/// A threshold as it stands in the document: not above the score that it lets pass.
fn round_down(score: f64) -> f64 {
    (score * 1e6).floor() / 1e6
}

fn wrong_at(said: &[Scored], least: &BTreeMap<Cause, f64>) -> u32 {
    let passes = |(cause, score, worth): &&Scored| {
        *worth == Worth::Wrong && least.get(cause).is_some_and(|least| score >= least)
    };
    said.iter().filter(passes).count() as u32
}

fn reach<R: BlameRule>(
    days: &[LabelledDay],
    thresholds: &StatementThresholds,
    rules: &[R],
) -> Reached {
    let mut reached = Reached::default();
    for (day, rule) in days.iter().zip(rules) {
        let mut online = OnlineYardstick::new(rule, thresholds.clone(), day.book.clone());
        let said: Vec<Commitment> = heard(&mut online, &day.alarms, day.until);
        let measure = Measure::new(day.book.graph(), &day.troubles);
        for (place, _) in day.faults() {
            reached.faults += 1;
            reached.named_first += u32::from(measure.named_first(place, &said));
        }
        reached.wrong += measure.count(&said).wrong();
        reached.days += day.length_days();
    }
    reached
}

/// Notes the features of every hypothesis that is weighed, and blames nothing.
struct Notes<'a> {
    measure: Measure<'a>,
    taken: RefCell<Vec<Example>>,
    left_out: RefCell<usize>,
}

impl BlameRule for Notes<'_> {
    fn blame(&self, alarm: SceneKey, scene: &AlarmScene, now: Timestamp) -> Option<Blame> {
        let graph = scene.book().graph();
        for (hypothesis, _, features) in features(alarm, scene) {
            let Some(cause) = hypothesis.cause else {
                continue;
            };
            let element = graph.element(hypothesis.element).clone();
            let said = Commitment::diagnosis(now, element, cause);
            let holds = matches!(self.measure.worth(&said), Worth::Right(_));
            let mut left_out = self.left_out.borrow_mut();
            *left_out += usize::from(!holds);
            if holds || left_out.is_multiple_of(THINNED) {
                self.taken.borrow_mut().push(Example {
                    cause,
                    features,
                    holds,
                });
            }
        }
        None
    }
}

fn examples(days: &[LabelledDay]) -> Vec<Example> {
    let mut all = Vec::new();
    for day in days {
        let notes = Notes {
            measure: Measure::new(day.book.graph(), &day.troubles),
            taken: RefCell::default(),
            left_out: RefCell::default(),
        };
        let thresholds = StatementThresholds::none(TRAINING_WAIT_S);
        let mut online = OnlineYardstick::new(&notes, thresholds, day.book.clone());
        heard(&mut online, &day.alarms, day.until);
        drop(online);
        all.extend(notes.taken.into_inner());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codebook::Codebook;
    use crate::commitment::DeliveredAlarm;
    use crate::invented::{self, alarm, at, cleared, id};
    use crate::measure::KnownTrouble;
    use crate::rules::OwnAlarmRule;
    use domain::telemetry::AlarmType::{CellDegraded, CellUnavailable};
    use std::sync::Arc;

    /// A day on which a cell fails and its alarm tells so, and another is told to be degraded each
    /// hour for nothing.
    fn day() -> LabelledDay {
        let mut alarms = vec![alarm("cell:1/1", CellUnavailable, 1_000.0)];
        for hour in 1..20 {
            let from = f64::from(hour) * 3_600.0;
            alarms.push(alarm("cell:2/1", CellDegraded, from));
            alarms.push(cleared("cell:2/1", CellDegraded, from + 3_000.0));
        }
        let alarms = alarms.into_iter().map(|alarm| DeliveredAlarm {
            at: alarm.time,
            alarm,
        });
        LabelledDay {
            book: Arc::new(Codebook::new(invented::town())),
            alarms: alarms.collect(),
            troubles: vec![KnownTrouble {
                element: id("cell:1/1"),
                cause: Some(Cause::CellHardwareFailure),
                from: at(900.0),
                until: None,
                restored: None,
                area: [id("site:1")].into(),
                counts: true,
            }],
            from: at(0.0),
            until: at(86_400.0),
        }
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
        let tuned = tune_rule(&days, 1.0, |_| OwnAlarmRule);
        assert_eq!(
            tuned.least.keys().collect::<Vec<_>>(),
            [&Cause::CellHardwareFailure]
        );
        assert_eq!((tuned.named_first, tuned.wrong_per_day), (1.0, 0.0));
        let on = TuningDays::default();
        assert_eq!(tune(&days, on.clone(), 1.0), tune(&days, on, 1.0));
    }
}
