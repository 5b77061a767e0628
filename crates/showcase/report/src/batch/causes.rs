//! The root-cause results of each kind of fault, with the confusions.
//!
//! Pools the faults of all runs of a policy, so that each fault has the same weight; the figures of
//! [`super::Table`] are means over runs. Read next: [`super`].

use super::ScoreBatch;
use crate::score::FaultScore;
use crate::statistics::{percentile, share};
use markup::words::{left, right};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The results of one policy on one kind of fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfCause {
    /// The kind of fault.
    pub kind: String,
    /// The number of such faults that touched users.
    pub faults: usize,
    /// The share whose kind and element were the first suspect, 0 to 1.
    pub top_1: f64,
    /// The share whose kind and element were among the first three suspects, 0 to 1.
    pub top_3: f64,
    /// The number that were never located.
    pub unlocated: usize,
    /// Median time to locate, in minutes; none if fewer than half were located.
    pub locate_p50_min: Option<f64>,
    /// The first suspects that were wrong, with their counts: another kind, the same kind at
    /// another element, or nothing.
    pub taken_for: BTreeMap<String, usize>,
}

impl OfCause {
    fn new(kind: &str, faults: &[&FaultScore]) -> Self {
        let within =
            |places: u32| share(faults.iter().map(|f| f.rank.is_some_and(|r| r <= places)));
        let minutes: Vec<_> = faults
            .iter()
            .map(|f| f.located_s.map(|s| s / 60.0))
            .collect();
        let mut taken_for = BTreeMap::new();
        for fault in faults.iter().filter(|f| f.rank != Some(1)) {
            *taken_for.entry(instead(fault)).or_default() += 1;
        }
        Self {
            kind: kind.to_owned(),
            faults: faults.len(),
            top_1: within(1).unwrap_or_default(),
            top_3: within(3).unwrap_or_default(),
            unlocated: faults.iter().filter(|f| f.located_s.is_none()).count(),
            locate_p50_min: percentile(&minutes, 50.0),
            taken_for,
        }
    }

    fn line(&self) -> String {
        let minutes = |m: f64| format!("{m:.0} min");
        let columns = [
            self.faults.to_string(),
            format!("{:.1} %", 100.0 * self.top_1),
            format!("{:.1} %", 100.0 * self.top_3),
            self.unlocated.to_string(),
            self.locate_p50_min
                .map_or_else(|| "never".to_owned(), minutes),
        ];
        let columns: String = columns.iter().map(|c| right(c, 9)).collect();
        let instead = self.taken_for.iter().map(|(what, n)| format!("{what} {n}"));
        let instead: Vec<String> = instead.collect();
        let line = format!("{}{columns}   {}", left(&self.kind, 24), instead.join(", "));
        line.trim_end().to_owned()
    }

    fn json(&self) -> Value {
        json!({
            "kind": self.kind, "faults": self.faults, "top_1": self.top_1, "top_3": self.top_3,
            "unlocated": self.unlocated, "locate_p50_min": self.locate_p50_min,
            "taken_for": self.taken_for,
        })
    }
}

/// The name of the wrong first suspect: its kind, `another KIND` at another element, or `nothing`.
fn instead(fault: &FaultScore) -> String {
    let blamed = fault.blamed.as_deref().and_then(|b| b.split_once(' '));
    match blamed {
        None => "nothing".to_owned(),
        Some((kind, _)) if kind == fault.kind => format!("another {kind}"),
        Some((kind, _)) => kind.to_owned(),
    }
}

impl ScoreBatch {
    /// The results of a policy by kind of fault, in the order of the kinds' names.
    pub fn by_cause(&self, policy: &str) -> Vec<OfCause> {
        let faults = || self.of(policy).flat_map(|s| s.faults_that_count());
        let kinds: BTreeSet<&str> = faults().map(|f| f.kind.as_str()).collect();
        let of = |kind: &str| faults().filter(|f| f.kind == kind).collect::<Vec<_>>();
        kinds
            .iter()
            .map(|kind| OfCause::new(kind, &of(kind)))
            .collect()
    }

    /// The results of every policy as lines for a terminal; empty if there was no fault.
    pub fn text_by_cause(&self) -> String {
        let mut text = String::new();
        for policy in self.policies() {
            let causes = self.by_cause(&policy);
            if !causes.is_empty() {
                text += &format!("\n{}", left(&policy, 24));
                let names = ["faults", "top 1", "top 3", "never", "located"];
                text.extend(names.map(|name| right(name, 9)));
                text += "   taken for\n";
                text.extend(causes.iter().map(|of| of.line() + "\n"));
            }
        }
        text
    }

    /// The results as JSON, by policy.
    pub fn json_by_cause(&self) -> Value {
        let of = |policy: String| {
            let causes = self.by_cause(&policy);
            let causes: Vec<Value> = causes.iter().map(OfCause::json).collect();
            (policy, Value::from(causes))
        };
        let policies = self.policies().into_iter().map(of);
        Value::Object(policies.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;

    fn fault(kind: &str, rank: Option<u32>, blamed: &str) -> FaultScore {
        FaultScore {
            kind: kind.to_owned(),
            users_touched: 1.0,
            rank,
            blamed: (!blamed.is_empty()).then(|| blamed.to_owned()),
            located_s: rank.map(|rank| 300.0 * f64::from(rank)),
            ..FaultScore::default()
        }
    }

    /// Confusions are counted over all runs.
    #[test]
    fn each_kind_has_a_row() {
        let score = |seed, faults| Score {
            policy: "agents".to_owned(),
            seed,
            faults,
            ..Score::default()
        };
        let batch = ScoreBatch::new([
            score(1, vec![fault("fibre-cut", Some(1), "fibre-cut link:a")]),
            score(
                2,
                vec![
                    fault("fibre-cut", Some(2), "duct-cut duct:b"),
                    fault("interference", None, "interference cell:c/1"),
                    fault("interference", None, ""),
                ],
            ),
        ]);
        insta::assert_snapshot!(batch.text_by_cause(), @"
        agents                     faults    top 1    top 3    never  located   taken for
        fibre-cut                       2   50.0 %  100.0 %        0    5 min   duct-cut 1
        interference                    2    0.0 %    0.0 %        2    never   another interference 1, nothing 1
        ");
    }
}
