//! Many scores as one table: a row for each figure, a column for each policy, and the comparison of
//! the first policy's figures with the others'.
//!
//! Pairs runs by topology, size, length and seed. Refuses to know where scores come from. Rendered
//! by `text` and `json`, put into sentences by [`crate::finding`]; `causes` breaks the figures down
//! by kind of fault.

mod causes;
mod json;
mod text;

pub use causes::OfCause;

use crate::metric::{Better, METRICS, Metric};
use crate::score::Score;
use crate::statistics::{Comparison, ComparisonVerdict, ENOUGH, Summary};
use std::collections::{BTreeMap, BTreeSet};

/// The policy whose figures are looked at, if it ran.
pub const SUBJECT: &str = "agents";

/// Scores of many runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreBatch {
    /// One for each run, in order of policy and what identifies the run.
    pub scores: Vec<Score>,
}

/// The parameters that two runs share when they differ in their policy alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Setting {
    topology: String,
    sites: u64,
    cells: u64,
    milli_days: i64,
    seed: u64,
}

impl Setting {
    fn of(score: &Score) -> Self {
        Self {
            topology: score.topology.clone(),
            sites: score.sites,
            cells: score.cells,
            milli_days: (score.days * 1_000.0).round() as i64,
            seed: score.seed,
        }
    }
}

/// A batch as figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The columns; the first is compared with the others.
    pub policies: Vec<String>,
    /// Runs of each policy.
    pub runs: Vec<usize>,
    /// A row for each figure that any run has.
    pub rows: Vec<Row>,
    /// The first policy's root causes against two yardsticks on the same faults.
    pub baselines: Vec<BaselineComparison>,
    /// Remarks on how to read the table, a sentence each.
    pub notes: Vec<String>,
}

/// The first policy's root-cause ranking compared with a simple rule, run by run.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineComparison {
    /// The figure that gives the share of faults the rule would have found.
    pub metric: &'static Metric,
    /// The rule in words: `the best yardstick`.
    pub rule: &'static str,
    /// [`ROOT_CAUSE`] minus that figure.
    pub compared: Comparison,
}

/// The figure that is compared with the baselines.
pub const ROOT_CAUSE: &str = "root-cause-top-1";
const BASELINES: [(&str, &str); 2] = [
    ("best-yardstick-top-1", "the best yardstick"),
    ("own-alarm-top-1", "blaming the alarm's own element"),
];

/// A figure of all policies.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The figure.
    pub metric: &'static Metric,
    /// Of each policy; none where no run of it has the figure.
    pub values: Vec<Option<Summary>>,
    /// The first policy against each of the others.
    pub against: Vec<Comparison>,
}

impl ScoreBatch {
    /// Collects these scores. Of two scores with the same policy and setting the later replaces the
    /// earlier, as when a batch was resumed. A score that was not completed is completed here.
    pub fn new(scores: impl IntoIterator<Item = Score>) -> Self {
        let mut kept = BTreeMap::new();
        for mut score in scores {
            score.complete();
            kept.insert((score.policy.clone(), Setting::of(&score)), score);
        }
        let scores = kept.into_values().collect();
        Self { scores }
    }

    /// The policies: [`SUBJECT`] first if it ran, the others by name.
    pub fn policies(&self) -> Vec<String> {
        let names: BTreeSet<(bool, &String)> = self
            .scores
            .iter()
            .map(|s| (s.policy != SUBJECT, &s.policy))
            .collect();
        names.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// The scores of one policy.
    pub fn of<'a>(&'a self, policy: &'a str) -> impl Iterator<Item = &'a Score> {
        self.scores.iter().filter(move |s| s.policy == policy)
    }

    /// The values of a figure, of the runs of one policy that have it.
    pub fn values(&self, policy: &str, metric: &str) -> Vec<f64> {
        self.of(policy).filter_map(|s| s.figure(metric)).collect()
    }

    /// The batch as figures.
    pub fn table(&self) -> Table {
        let policies = self.policies();
        let rows = METRICS
            .iter()
            .map(|metric| self.row(metric, &policies))
            .filter(|row| row.values.iter().any(Option::is_some))
            .collect();
        let runs = policies.iter().map(|p| self.of(p).count()).collect();
        let mut table = Table {
            policies,
            runs,
            rows,
            baselines: Vec::new(),
            notes: Vec::new(),
        };
        table.baselines = self.baselines(&table);
        table.notes = self.notes(&table);
        table
    }

    /// Compares root causes with the baselines over runs that have both figures; leaves out a
    /// baseline that no run evaluated.
    fn baselines(&self, table: &Table) -> Vec<BaselineComparison> {
        let Some(subject) = table.policies.first() else {
            return Vec::new();
        };
        let rules = BASELINES.into_iter().filter_map(|(name, rule)| {
            let metric = Metric::named(name)?;
            let both = |score: &Score| Some([score.figure(ROOT_CAUSE)?, score.figure(name)?]);
            let pairs: Vec<[f64; 2]> = self.of(subject).filter_map(both).collect();
            let compared = Comparison::of(&pairs, Better::Higher);
            (!pairs.is_empty()).then_some(BaselineComparison {
                metric,
                rule,
                compared,
            })
        });
        rules.collect()
    }

    fn row(&self, metric: &'static Metric, policies: &[String]) -> Row {
        let values = policies
            .iter()
            .map(|policy| Summary::of(&self.values(policy, metric.name)));
        let others = policies.get(1..).unwrap_or_default();
        let against = others.iter().map(|other| {
            let pairs = self.pairs(metric.name, [&policies[0], other]);
            Comparison::of(&pairs, metric.better)
        });
        Row {
            metric,
            values: values.collect(),
            against: against.collect(),
        }
    }

    /// The figure of two policies in each setting in which both have it.
    fn pairs(&self, metric: &str, [one, other]: [&str; 2]) -> Vec<[f64; 2]> {
        let figures = |policy| {
            let scores = self.of(policy);
            scores.filter_map(|s| Some((Setting::of(s), s.figure(metric)?)))
        };
        let others: BTreeMap<Setting, f64> = figures(other).collect();
        figures(one)
            .filter_map(|(setting, value)| Some([value, *others.get(&setting)?]))
            .collect()
    }

    fn notes(&self, table: &Table) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(few) = table.runs.iter().min().filter(|few| **few < ENOUGH) {
            notes.push(format!(
                "Fewer than {ENOUGH} seeds (the fewest: {few}): the intervals are right only as far as the figures are spread normally."
            ));
        }
        let rules = table.baselines.iter().map(|baseline| &baseline.compared);
        let rows = table.rows.iter().flat_map(|row| &row.against);
        let made = rows.chain(rules);
        let compared = made
            .filter(|c| c.verdict != ComparisonVerdict::TooFew)
            .count();
        if compared > 0 {
            notes.push(format!(
                "{} at 95 %: of those without a difference about one in twenty shows one.",
                markup::words::count(compared, "comparison", "comparisons")
            ));
        }
        let best: BTreeSet<&str> = self
            .scores
            .iter()
            .filter_map(|s| s.yardstick.as_deref())
            .collect();
        if !best.is_empty() {
            let names: Vec<&str> = best.into_iter().collect();
            notes.push(format!("The best yardstick is {}.", names.join(", ")));
        }
        let missing = table.rows.iter().filter_map(|row| lacking(table, row));
        notes.extend(missing);
        let undefined: BTreeSet<&str> = self.scores.iter().flat_map(Score::undefined).collect();
        if !undefined.is_empty() {
            let names: Vec<&str> = undefined.into_iter().collect();
            notes.push(format!(
                "Not shown, for nothing defines them: {}.",
                names.join(", ")
            ));
        }
        notes
    }
}

impl Table {
    /// The verdicts of the first policy against all others on a row, equal verdicts together:
    /// `worse than manual; better than timer`. Empty if there are no others.
    pub fn told(&self, row: &Row) -> String {
        let others = || self.policies.iter().skip(1).zip(&row.against);
        let mut verdicts: Vec<ComparisonVerdict> = Vec::new();
        for (_, compared) in others() {
            if !verdicts.contains(&compared.verdict) {
                verdicts.push(compared.verdict);
            }
        }
        let of = |verdict: ComparisonVerdict| {
            let same = others().filter(|(_, compared)| compared.verdict == verdict);
            let names: Vec<&str> = same.map(|(other, _)| other.as_str()).collect();
            verdict.against(&listed(&names))
        };
        verdicts.into_iter().map(of).collect::<Vec<_>>().join("; ")
    }
}

/// Joins names as prose: `manual`, `manual and timer`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// The remark on policies that have the figure in fewer runs than they ran; none if all have it.
fn lacking(table: &Table, row: &Row) -> Option<String> {
    let counts = table.policies.iter().zip(&table.runs).zip(&row.values);
    let lacking: Vec<String> = counts
        .filter_map(|((policy, runs), value)| {
            let n = value.map_or(0, |v| v.n);
            (n < *runs).then(|| format!("{policy} has it in {n} of {runs} runs"))
        })
        .collect();
    let name = row.metric.name;
    (!lacking.is_empty()).then(|| format!("{name}: {}.", lacking.join(", ")))
}

impl Row {
    /// A value as it is shown, without its unit: `93.1`.
    pub fn shown(&self, value: f64) -> String {
        let (_, times) = self.metric.unit.shown();
        markup::words::decimal(value * times, self.decimals())
    }

    /// So many that the widest interval shows two digits, the same for all columns.
    fn decimals(&self) -> usize {
        let (_, times) = self.metric.unit.shown();
        let of = |read: fn(&Summary) -> f64| {
            let known = self.values.iter().flatten();
            known.map(|v| read(v).abs() * times).fold(0.0, f64::max)
        };
        let widest = of(|v| v.half_width.unwrap_or(0.0));
        let telling = if widest > 0.0 {
            widest
        } else {
            of(|v| v.mean) / 10.0
        };
        match telling > 0.0 {
            true => (1.0 - telling.log10().floor()).clamp(0.0, 4.0) as usize,
            false => 0,
        }
    }

    /// Mean and interval as they are shown: `93.1 ± 2.0`; `–` where there is nothing.
    pub fn summary(&self, column: usize) -> String {
        match self.values.get(column).copied().flatten() {
            None => "–".to_owned(),
            Some(Summary {
                mean,
                half_width: Some(half),
                ..
            }) => format!("{} ± {}", self.shown(mean), self.shown(half)),
            Some(value) => self.shown(value.mean),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
