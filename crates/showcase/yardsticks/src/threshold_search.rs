//! The thresholds with which a rule names most faults first without overdrawing a budget of wrong
//! statements a day.
//!
//! For each waiting time all that the rule would say on the days is collected once, with the score and
//! the worth of each statement; every budget is looked for in that. The threshold of each cause is set
//! where a further right statement would cost more wrong ones than a common price allows, and the price
//! is raised until the budget is kept when the days are heard again. Where alarms lie each cause has a
//! waiting time of its own. Deterministic. Read next: [`crate::tuning`].

use crate::labelled::LabelledDay;
use crate::measure::{Measure, Worth};
use crate::online::{BlameRule, OnlineYardstick, StatementThresholds, heard};
use crate::tuned::TunedPolicy;
use crate::tuning_method::TuningMethod;
use crate::workers::DayWorkers;
use domain::cause::Cause;
use std::collections::{BTreeMap, BTreeSet};

/// How much more wrong statements than the budget allows may be expected of thresholds that are tried:
/// what is not said leaves alarms to others, and the same words soon after are no further statement.
const EXPECTED_MORE: f64 = 1.5;

/// What a policy did on labelled days.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reached {
    faults: u32,
    named_first: u32,
    wrong: u32,
    days: f64,
    /// Seconds from the beginning of each fault that was named first until it was named.
    delays_s: Vec<f64>,
}

impl Reached {
    /// The share of faults that were named first, 0 to 1.
    pub fn named_first(&self) -> f64 {
        f64::from(self.named_first) / f64::from(self.faults.max(1))
    }

    /// Wrong statements a day.
    pub fn wrong_per_day(&self) -> f64 {
        f64::from(self.wrong) / self.days.max(f64::MIN_POSITIVE)
    }

    /// The median of seconds from the beginning of a fault that was named first until it was named;
    /// none if none was.
    pub fn delay_s(&self) -> Option<f64> {
        let mut delays = self.delays_s.clone();
        delays.sort_by(f64::total_cmp);
        delays.get(delays.len() / 2).copied()
    }

    /// True if more was named first, or as much with fewer wrong statements.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        (self.named_first, other.wrong) > (other.named_first, self.wrong)
    }

    fn add(&mut self, other: Self) {
        self.faults += other.faults;
        self.named_first += other.named_first;
        self.wrong += other.wrong;
        self.days += other.days;
        self.delays_s.extend(other.delays_s);
    }
}

/// A statement of a day with its score and what it was worth.
#[derive(Clone, Copy, Debug)]
struct Scored {
    day: usize,
    cause: Cause,
    score: f64,
    worth: Worth,
    /// True if it is right about a fault that is to be found.
    counts: bool,
}

/// When one cause is committed to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CauseSetting {
    wait_s: f64,
    least: f64,
}

type Settings = BTreeMap<Cause, CauseSetting>;

/// A rule with all that it would say on labelled days.
#[derive(Debug)]
pub struct ThresholdSearch<'a, R, W> {
    days: &'a [LabelledDay],
    method: TuningMethod,
    workers: &'a W,
    rules: Vec<R>,
    /// By waiting time.
    said: Vec<(f64, Vec<Scored>)>,
}

impl<'a, R: BlameRule + Send + Sync, W: DayWorkers> ThresholdSearch<'a, R, W> {
    /// Hears the days with the rule that `make` gives for each, once for each waiting time.
    pub fn new(
        days: &'a [LabelledDay],
        method: TuningMethod,
        workers: &'a W,
        make: impl Fn(&LabelledDay) -> R + Sync,
    ) -> Self {
        // What a rule knows of a network is worked out once a day, not each time that the day is heard.
        let rules = workers.map(days.len(), |day| make(&days[day]));
        let mut search = Self {
            days,
            method,
            workers,
            rules,
            said: Vec::new(),
        };
        let waits_s = method.waits_s().iter();
        search.said = waits_s
            .map(|wait_s| (*wait_s, search.collect(*wait_s)))
            .collect();
        search
    }

    /// The best thresholds within a budget of wrong statements a day, and what they reach; a policy
    /// that says nothing if none are.
    pub fn within(&self, wrong_per_day: f64) -> (TunedPolicy, Reached) {
        let found = match self.method {
            TuningMethod::AlarmsAreTrue => self.with_one_wait(wrong_per_day),
            TuningMethod::AlarmsLie => self.by_cause(wrong_per_day),
        };
        let Some((reached, thresholds)) = found else {
            return (TunedPolicy::default(), Reached::default());
        };
        let policy = TunedPolicy {
            wait_s: thresholds.wait_s,
            longer_s: thresholds.longer_s,
            least: thresholds.least,
            named_first: reached.named_first(),
            wrong_per_day: reached.wrong_per_day(),
        };
        (policy, reached)
    }

    fn with_one_wait(&self, wrong_per_day: f64) -> Option<(Reached, StatementThresholds)> {
        let mut best: Option<(Reached, StatementThresholds)> = None;
        for (wait_s, said) in &self.said {
            for price in self.method.prices() {
                let thresholds = StatementThresholds {
                    wait_s: *wait_s,
                    least: least(said, *price),
                    ..StatementThresholds::default()
                };
                let expected = wrong_at(said, &thresholds.least);
                // What is not said leaves alarms to others, so that more may be said in the end.
                if f64::from(expected) > wrong_per_day * self.length_days() {
                    continue;
                }
                let reached = self.reach(&thresholds);
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
        best
    }

    fn by_cause(&self, wrong_per_day: f64) -> Option<(Reached, StatementThresholds)> {
        let budget = wrong_per_day * self.length_days();
        let mut tried: Vec<Settings> = self
            .method
            .prices()
            .iter()
            .map(|price| self.settings(*price))
            .collect();
        tried.dedup();
        let expected = |settings: &Settings| f64::from(self.expected_wrong(settings));
        let first = tried
            .iter()
            .position(|settings| expected(settings) <= EXPECTED_MORE * budget)
            .unwrap_or(tried.len());
        let in_turn = tried.iter().enumerate().skip(first);
        let mut within = in_turn.filter_map(|(place, settings)| {
            let reached = self.reach(&thresholds(settings));
            (reached.wrong_per_day() <= wrong_per_day).then_some((place, reached))
        });
        // Who has to be silent of all begins with nothing.
        let silent = || (tried.len(), self.reach(&StatementThresholds::default()));
        let (place, mut best) = within.next().unwrap_or_else(silent);
        let mut settings = tried.get(place).cloned().unwrap_or_default();
        // One price for all leaves some of the budget: causes are let off it one at a time.
        for cause in Cause::simulated() {
            let mut cheaper = tried[..place].iter().rev().filter_map(|s| s.get(&cause));
            while let Some(setting) = cheaper.find(|s| settings.get(&cause) != Some(*s)) {
                let mut other = settings.clone();
                other.insert(cause, *setting);
                if expected(&other) > EXPECTED_MORE * budget {
                    break;
                }
                let reached = self.reach(&thresholds(&other));
                if reached.wrong_per_day() > wrong_per_day || !reached.is_better_than(&best) {
                    break;
                }
                (best, settings) = (reached, other);
            }
        }
        Some((best, thresholds(&settings)))
    }

    fn length_days(&self) -> f64 {
        self.days.iter().map(LabelledDay::length_days).sum()
    }

    fn collect(&self, wait_s: f64) -> Vec<Scored> {
        let of_day = |place: usize| {
            let day = &self.days[place];
            let thresholds = StatementThresholds::none(wait_s);
            let mut online = OnlineYardstick::new(&self.rules[place], thresholds, day.book.clone());
            let said = heard(&mut online, &day.alarms, day.until);
            let measure = Measure::new(day.book.graph(), &day.troubles);
            let scored = said.iter().zip(online.scores()).map(|(said, score)| {
                let worth = measure.worth(said);
                let counts = match worth {
                    Worth::Right(fault) => day.troubles[fault].counts,
                    _ => false,
                };
                Scored {
                    day: place,
                    cause: said.cause,
                    score: *score,
                    worth,
                    counts,
                }
            });
            scored.collect::<Vec<_>>()
        };
        let all = self.workers.map(self.days.len(), of_day);
        all.into_iter().flatten().collect()
    }

    fn reach(&self, thresholds: &StatementThresholds) -> Reached {
        let of_day = |place: usize| {
            let day = &self.days[place];
            let thresholds = thresholds.clone();
            let mut online = OnlineYardstick::new(&self.rules[place], thresholds, day.book.clone());
            let said = heard(&mut online, &day.alarms, day.until);
            let measure = Measure::new(day.book.graph(), &day.troubles);
            let mut reached = Reached {
                wrong: measure.count(&said).wrong(),
                days: day.length_days(),
                ..Reached::default()
            };
            for (fault, trouble) in day.faults() {
                reached.faults += 1;
                if measure.named_first(fault, &said) {
                    reached.named_first += 1;
                    let at = measure.located(fault, &said);
                    let delay = at.map(|at| at.seconds_since(trouble.from));
                    reached.delays_s.extend(delay);
                }
            }
            reached
        };
        let mut reached = Reached::default();
        for of_day in self.workers.map(self.days.len(), of_day) {
            reached.add(of_day);
        }
        reached
    }

    /// For each cause the waiting time and threshold at which right statements outweigh wrong ones at a
    /// price by most; of equals the shorter time.
    fn settings(&self, price: f64) -> Settings {
        let mut settings = BTreeMap::new();
        for cause in Cause::ALL {
            let mut best = 0.0;
            for (wait_s, said) in &self.said {
                let (gain, least) = outweighing(said, cause, price, true);
                if let Some(least) = least.filter(|_| gain > best) {
                    best = gain;
                    let wait_s = *wait_s;
                    settings.insert(cause, CauseSetting { wait_s, least });
                }
            }
        }
        settings
    }

    fn expected_wrong(&self, settings: &Settings) -> u32 {
        let of_wait = |(wait_s, said): &(f64, Vec<Scored>)| {
            let ours = settings.iter().filter(|(_, s)| s.wait_s == *wait_s);
            wrong_at(said, &ours.map(|(cause, s)| (*cause, s.least)).collect())
        };
        self.said.iter().map(of_wait).sum()
    }
}

fn thresholds(settings: &Settings) -> StatementThresholds {
    let waits = settings.values().map(|setting| setting.wait_s);
    let wait_s = waits.min_by(f64::total_cmp).unwrap_or(0.0);
    let longer = settings.iter().filter(|(_, s)| s.wait_s > wait_s);
    StatementThresholds {
        wait_s,
        longer_s: longer.map(|(cause, s)| (*cause, s.wait_s)).collect(),
        least: settings
            .iter()
            .map(|(cause, s)| (*cause, s.least))
            .collect(),
    }
}

/// The threshold of each cause from which on right statements outweigh wrong ones at a price.
fn least(said: &[Scored], price: f64) -> BTreeMap<Cause, f64> {
    let causes = Cause::ALL.into_iter();
    let of = |cause| Some((cause, outweighing(said, cause, price, false).1?));
    causes.filter_map(of).collect()
}

/// The threshold at which right statements of a cause outweigh wrong ones at a price by most, and by how
/// much. Of faults that are to be found each counts once if `each_once`; otherwise each statement does.
fn outweighing(said: &[Scored], cause: Cause, price: f64, each_once: bool) -> (f64, Option<f64>) {
    let mut ours: Vec<&Scored> = said.iter().filter(|it| it.cause == cause).collect();
    ours.sort_by(|x, y| y.score.total_cmp(&x.score));
    let (mut gain, mut best) = (0.0, (0.0, None));
    let mut found = BTreeSet::new();
    for (place, statement) in ours.iter().enumerate() {
        gain += match statement.worth {
            Worth::Right(_) if !each_once => 1.0,
            Worth::Right(fault) => {
                let new = statement.counts && found.insert((statement.day, fault));
                f64::from(u8::from(new))
            }
            Worth::RealTrouble => 0.0,
            Worth::Wrong => -price,
        };
        // Statements of the same score are said or left unsaid together.
        let next = ours.get(place + 1);
        let last_of_score = next.is_none_or(|next| next.score < statement.score);
        if last_of_score && gain > best.0 {
            best = (gain, Some(round_down(statement.score)));
        }
    }
    best
}

/// A threshold as it stands in the document: not above the score that it lets pass.
fn round_down(score: f64) -> f64 {
    (score * 1e6).floor() / 1e6
}

fn wrong_at(said: &[Scored], least: &BTreeMap<Cause, f64>) -> u32 {
    let passes = |it: &&Scored| {
        it.worth == Worth::Wrong && least.get(&it.cause).is_some_and(|least| it.score >= *least)
    };
    said.iter().filter(passes).count() as u32
}
