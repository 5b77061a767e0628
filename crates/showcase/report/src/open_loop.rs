//! The open loop: what every policy made of one recorded stream of alarms, as a table.
//!
//! All heard the same alarms at the same instants and could do nothing about them, so that they are
//! compared in reasoning alone. Faults of all runs are pooled; intervals of shares are Wilson's,
//! those of F1 and of differences are bootstrapped over runs. Refuses to know how anybody reasons.
//! Read next: [`crate::statistics::proportion`].

use crate::statistics::ENOUGH;
use crate::statistics::proportion::{bootstrap, mcnemar, wilson};
use markup::words::{count, left, right};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Draws of the bootstrap, and the seed of its dice.
const SAMPLES: usize = 2_000;
const DICE: u64 = 2_026;

/// A fault of a recorded stream, and whether a policy named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLoopFault {
    /// The kind of fault.
    pub kind: String,
    /// True if the first statement that concerned it was right.
    pub named_first: bool,
    /// True if any statement about it was right.
    pub named: bool,
}

/// What one policy made of one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoopRun {
    /// The policy.
    pub policy: String,
    /// The seed of the stream.
    pub seed: u64,
    /// The length of the stream in days.
    pub days: f64,
    /// The faults that touched users, in the order in which they began: the same for every policy.
    pub faults: Vec<OpenLoopFault>,
    /// Different statements.
    pub statements: u32,
    /// Those of them that were right.
    pub right: u32,
    /// Those of them that were about a small trouble, which is no fault.
    pub real_troubles: u32,
}

/// A policy over all streams.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoopPolicy {
    /// The policy.
    pub policy: String,
    /// Faults, and those that it named first and ever.
    pub faults: u32,
    /// The faults that it named first.
    pub named_first: u32,
    /// The faults that it named ever.
    pub named: u32,
    /// Different statements.
    pub statements: u32,
    /// Those that were right.
    pub right: u32,
    /// Those about small troubles.
    pub real_troubles: u32,
    /// Different statements a day.
    pub statements_per_day: f64,
    /// Wrong statements a day.
    pub wrong_per_day: f64,
    /// The harmonic mean of recall and precision, with its 95 % interval.
    pub f1: (f64, Option<[f64; 2]>),
    /// The comparison with the best yardstick; none of itself.
    pub against: Option<AgainstBest>,
}

/// A policy compared with the best yardstick on the same faults.
#[derive(Clone, Debug, PartialEq)]
pub struct AgainstBest {
    /// The faults that it alone named first, and that the yardstick alone did.
    pub only: [u32; 2],
    /// McNemar's probability that both name equally many first.
    pub probability: f64,
    /// The difference of F1, with its 95 % interval.
    pub f1: (f64, Option<[f64; 2]>),
}

/// All policies over all streams.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLoopTable {
    /// The best yardstick, chosen on other seeds.
    pub best: String,
    /// The number of streams.
    pub streams: usize,
    /// The policies, in the order in which they were given.
    pub policies: Vec<OpenLoopPolicy>,
    /// By kind of fault and policy: faults, and those named first.
    pub kinds: BTreeMap<String, BTreeMap<String, [u32; 2]>>,
}

/// The counts of several runs.
#[derive(Clone, Copy, Default)]
struct Counts {
    faults: u32,
    named_first: u32,
    statements: u32,
    right: u32,
}

impl Counts {
    fn of<'r>(runs: impl Iterator<Item = &'r OpenLoopRun>) -> Self {
        runs.fold(Self::default(), |sum, run| Self {
            faults: sum.faults + run.faults.len() as u32,
            named_first: sum.named_first + named_first(run),
            statements: sum.statements + run.statements,
            right: sum.right + run.right,
        })
    }

    /// The harmonic mean of recall and precision; 0 for a policy that named nothing; none of no
    /// fault.
    fn f1(&self) -> Option<f64> {
        if self.faults == 0 {
            return None;
        }
        let recall = f64::from(self.named_first) / f64::from(self.faults);
        let precision = f64::from(self.right) / f64::from(self.statements.max(1));
        let sum = recall + precision;
        Some(if sum > 0.0 {
            2.0 * recall * precision / sum
        } else {
            0.0
        })
    }
}

fn named_first(run: &OpenLoopRun) -> u32 {
    run.faults.iter().filter(|fault| fault.named_first).count() as u32
}

impl OpenLoopTable {
    /// The table of these runs; each policy must have one for each stream, in the same order.
    pub fn of(runs: &[OpenLoopRun], best: &str) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for run in runs {
            if !names.contains(&run.policy.as_str()) {
                names.push(&run.policy);
            }
        }
        let of = |name: &str| -> Vec<&OpenLoopRun> {
            runs.iter().filter(|run| run.policy == name).collect()
        };
        let yardstick = of(best);
        let mut kinds: BTreeMap<String, BTreeMap<String, [u32; 2]>> = BTreeMap::new();
        for run in runs {
            for fault in &run.faults {
                let of_kind = kinds.entry(fault.kind.clone()).or_default();
                let counts = of_kind.entry(run.policy.clone()).or_default();
                counts[0] += 1;
                counts[1] += u32::from(fault.named_first);
            }
        }
        Self {
            best: best.to_owned(),
            streams: names.first().copied().map_or(0, |name| of(name).len()),
            policies: names
                .iter()
                .copied()
                .map(|name| policy(name, &of(name), &yardstick, name == best))
                .collect(),
            kinds,
        }
    }

    /// The table as JSON objects, one for each policy, and one that sums up.
    pub fn objects(&self) -> Vec<Value> {
        let mut objects: Vec<Value> = self.policies.iter().map(|p| self.object(p)).collect();
        objects.push(json!({
            "event": "open-loop", "streams": self.streams, "best_yardstick": self.best,
            "confidence": crate::statistics::CONFIDENCE,
        }));
        objects
    }

    fn object(&self, p: &OpenLoopPolicy) -> Value {
        let share = |right: u32, of: u32| {
            let [low, high] = wilson(right, of);
            let share = (of > 0).then(|| f64::from(right) / f64::from(of));
            json!({ "share": share, "right": right, "of": of, "low": low, "high": high })
        };
        let valued = |(value, interval): &(f64, Option<[f64; 2]>)| json!({ "value": value, "low": interval.map(|i| i[0]), "high": interval.map(|i| i[1]) });
        let kinds = self.kinds.iter().filter_map(|(kind, policies)| {
            let [of, right] = policies.get(&p.policy)?;
            Some((kind.clone(), share(*right, *of)))
        });
        let against = p.against.as_ref().map(|against| {
            json!({
                "only_this": against.only[0], "only_yardstick": against.only[1],
                "mcnemar_p": against.probability, "f1_difference": valued(&against.f1),
            })
        });
        json!({
            "event": "open-loop-policy", "policy": p.policy,
            "recall": share(p.named_first, p.faults), "named_ever": share(p.named, p.faults),
            "precision": share(p.right, p.statements),
            "small_troubles": p.real_troubles, "statements_per_day": p.statements_per_day,
            "wrong_per_day": p.wrong_per_day,
            "f1": valued(&p.f1), "against_best_yardstick": against,
            "kinds": kinds.collect::<serde_json::Map<String, Value>>(),
        })
    }

    /// The table as lines for a terminal.
    pub fn text(&self) -> String {
        let streams = count(self.streams, "stream", "streams");
        let mut text = format!(
            "{streams}; every policy hears the same alarms; 95 % intervals in brackets\n{}\n",
            self.caution()
        );
        text += &left("", POLICY);
        for name in [
            "named first",
            "precision",
            "F1",
            "said/day",
            "wrong/day",
            "F1 against best",
            "p",
        ] {
            text += &right(name, column(name));
        }
        text.push('\n');
        for p in &self.policies {
            text += &left(&p.policy, POLICY);
            text += &right(&shown(p.named_first, p.faults), column("named first"));
            text += &right(&shown(p.right, p.statements), column("precision"));
            text += &right(&bracketed(&p.f1), column("F1"));
            text += &right(&format!("{:.2}", p.statements_per_day), column("said/day"));
            text += &right(&format!("{:.2}", p.wrong_per_day), column("wrong/day"));
            let (difference, probability) = match &p.against {
                None => ("the best yardstick".to_owned(), String::new()),
                Some(a) => (bracketed(&a.f1), format!("{:.3}", a.probability)),
            };
            text += &right(&difference, column("F1 against best"));
            text += &right(&probability, column("p"));
            text = text.trim_end().to_owned() + "\n";
        }
        text + &self.kinds_text()
    }

    /// What fewer streams than enough leave unsaid, as a line; nothing if there are enough.
    fn caution(&self) -> String {
        match self.streams {
            0 | 1 => "One stream is no sample of streams: F1 has no interval, and p is of its faults alone\n"
                .to_owned(),
            few if few < ENOUGH => format!(
                "Fewer than {ENOUGH} streams: intervals of F1 are drawn from these few and likely too narrow\n"
            ),
            _ => String::new(),
        }
    }

    /// Faults named first by kind: a row for each kind, a column for each policy.
    fn kinds_text(&self) -> String {
        let mut text = format!("\n{}", left("named first, of", 28));
        for p in &self.policies {
            text += &right(&p.policy, p.policy.len() + 2);
        }
        text.push('\n');
        for (kind, policies) in &self.kinds {
            let of = policies.values().map(|counts| counts[0]).max().unwrap_or(0);
            text += &left(&format!("{kind}, {of}"), 28);
            for p in &self.policies {
                let named = policies.get(&p.policy).map_or(0, |counts| counts[1]);
                text += &right(&named.to_string(), p.policy.len() + 2);
            }
            text.push('\n');
        }
        text
    }
}

/// The columns of a policy's name.
const POLICY: usize = 21;

fn column(name: &str) -> usize {
    match name {
        "F1" => 20,
        "F1 against best" => 23,
        "said/day" => 9,
        "wrong/day" => 10,
        "p" => 7,
        _ => 25,
    }
}

/// A share with its interval and its counts: `93.1 % [90.2 95.2] 41/44`.
fn shown(right: u32, of: u32) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    let [low, high] = wilson(right, of).map(|share| 100.0 * share);
    let share = 100.0 * f64::from(right) / f64::from(of);
    format!("{share:.1} % [{low:.0} {high:.0}] {right}/{of}")
}

/// A figure with its interval, if it has one.
fn bracketed((value, interval): &(f64, Option<[f64; 2]>)) -> String {
    match interval {
        Some([low, high]) => format!("{value:.3} [{low:.3} {high:.3}]"),
        None => format!("{value:.3} [–]"),
    }
}

fn policy(
    name: &str,
    runs: &[&OpenLoopRun],
    yardstick: &[&OpenLoopRun],
    is_best: bool,
) -> OpenLoopPolicy {
    let counts = Counts::of(runs.iter().copied());
    let f1_of = |of: &[&OpenLoopRun], drawn: &[usize]| {
        Counts::of(drawn.iter().filter_map(|&i| of.get(i).copied())).f1()
    };
    let difference = |drawn: &[usize]| Some(f1_of(runs, drawn)? - f1_of(yardstick, drawn)?);
    let whole: Vec<usize> = (0..runs.len()).collect();
    let interval =
        |figure: &dyn Fn(&[usize]) -> Option<f64>| bootstrap(runs.len(), SAMPLES, DICE, figure);
    let against = (!is_best && !yardstick.is_empty()).then(|| {
        let only = only(runs, yardstick);
        AgainstBest {
            only,
            probability: mcnemar(only[0], only[1]),
            f1: (
                difference(&whole).unwrap_or_default(),
                interval(&difference),
            ),
        }
    });
    let days = runs.iter().map(|run| run.days).sum::<f64>();
    let days = days.max(f64::MIN_POSITIVE);
    let real_troubles: u32 = runs.iter().map(|run| run.real_troubles).sum();
    let wrong = counts.statements - counts.right - real_troubles;
    let faults = runs.iter().flat_map(|run| &run.faults);
    OpenLoopPolicy {
        policy: name.to_owned(),
        faults: counts.faults,
        named_first: counts.named_first,
        named: faults.filter(|fault| fault.named).count() as u32,
        statements: counts.statements,
        right: counts.right,
        real_troubles,
        statements_per_day: f64::from(counts.statements) / days,
        wrong_per_day: f64::from(wrong) / days,
        f1: (
            counts.f1().unwrap_or_default(),
            interval(&|drawn: &[usize]| f1_of(runs, drawn)),
        ),
        against,
    }
}

/// The faults that only the one, and only the other, named first.
fn only(runs: &[&OpenLoopRun], others: &[&OpenLoopRun]) -> [u32; 2] {
    let mut only = [0, 0];
    for (run, other) in runs.iter().zip(others) {
        for (ours, theirs) in run.faults.iter().zip(&other.faults) {
            only[0] += u32::from(ours.named_first && !theirs.named_first);
            only[1] += u32::from(!ours.named_first && theirs.named_first);
        }
    }
    only
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(policy: &str, seed: u64, named: [bool; 3], statements: u32) -> OpenLoopRun {
        let kinds = ["duct-cut", "duct-cut", "interference"];
        let faults = kinds.iter().zip(named).map(|(kind, named)| OpenLoopFault {
            kind: (*kind).to_owned(),
            named_first: named,
            named,
        });
        OpenLoopRun {
            policy: policy.to_owned(),
            seed,
            days: 1.0,
            faults: faults.collect(),
            statements,
            right: named.iter().filter(|named| **named).count() as u32,
            real_troubles: 0,
        }
    }

    fn table() -> OpenLoopTable {
        table_of(8)
    }

    fn table_of(streams: u64) -> OpenLoopTable {
        let runs: Vec<OpenLoopRun> = (0..streams)
            .flat_map(|seed| {
                [
                    run("rule", seed, [true, false, false], 2),
                    run("agents", seed, [true, true, seed % 2 == 0], 3),
                ]
            })
            .collect();
        OpenLoopTable::of(&runs, "rule")
    }

    #[test]
    fn policies_are_counted_and_compared_on_the_same_faults() {
        let table = table();
        let [rule, agents] = &table.policies[..] else {
            panic!("two policies");
        };
        assert_eq!(
            (rule.named_first, rule.faults, rule.statements),
            (8, 24, 16)
        );
        assert_eq!((rule.statements_per_day, rule.wrong_per_day), (2.0, 1.0));
        assert_eq!(rule.against, None);
        assert!((rule.f1.0 - 0.4).abs() < 1e-12, "{:?}", rule.f1);
        let against = agents
            .against
            .as_ref()
            .map(|a| (a.only, a.probability < 0.001));
        assert_eq!(against, Some(([12, 0], true)));
        let interval = agents.against.as_ref().and_then(|a| a.f1.1);
        assert!(interval.is_some_and(|[low, _]| low > 0.0), "{interval:?}");
        assert_eq!(table.kinds["interference"]["agents"], [8, 4]);
    }

    #[test]
    fn one_stream_has_no_interval_over_streams() {
        let one = table_of(1);
        let agents = &one.policies[1];
        assert_eq!(agents.f1.1, None);
        assert!(agents.against.as_ref().is_some_and(|it| it.f1.1.is_none()));
        let text = one.text();
        assert!(text.starts_with("1 stream;"), "{text}");
        assert!(
            text.contains("[–]") && text.contains("no interval"),
            "{text}"
        );
        assert_eq!(one.objects()[1]["f1"]["low"], Value::Null);
    }

    #[test]
    fn people_read_a_table_and_machines_objects() {
        let text = table().text();
        assert!(text.contains("the best yardstick"), "{text}");
        assert!(text.contains("33.3 % [18 53] 8/24"), "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 140),
            "{text}"
        );
        assert!(text.contains("Fewer than 30 streams"), "{text}");
        assert!(!table_of(30).text().contains("ewer than"), "{text}");
        let objects = table().objects();
        assert_eq!(objects.len(), 3);
        assert_eq!(objects[1]["kinds"]["duct-cut"]["right"], 16);
        assert_eq!(objects[1]["statements_per_day"], 3.0);
        assert_eq!(objects[1]["against_best_yardstick"]["only_this"], 12);
        assert_eq!(objects[0]["against_best_yardstick"], Value::Null);
    }
}
