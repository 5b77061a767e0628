//! The findings of a batch, as sentences.
//!
//! Every row on which the first policy does worse has a sentence; so do the rows on which it does
//! better, and the rows that show nothing are named. Refuses to weigh one row against another. Read
//! next: [`crate::batch`].

use crate::batch::{ROOT_CAUSE, Row, Table};
use crate::statistics::{Comparison, ComparisonVerdict, ENOUGH};

/// A sentence with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the figure; none for a sentence about several rows.
    pub metric: Option<&'static str>,
    /// The verdict that the sentence expresses.
    pub verdict: ComparisonVerdict,
    /// The sentence.
    pub sentence: String,
}

/// Figures whose findings are listed first.
pub const HEADLINES: [&str; 9] = [
    "root-cause-top-1",
    "locate-p50",
    "restore-p50",
    "wrong-dispatches",
    "outage-user-minutes",
    "compensated-edge-throughput",
    "energy",
    "complaints-localised-right",
    "complaint-reply-p50",
];

impl Finding {
    /// True if it is listed first: every finding that is worse, and every figure in [`HEADLINES`].
    pub fn is_headline(&self) -> bool {
        let known = self.metric.is_some_and(|name| HEADLINES.contains(&name));
        known || self.verdict == ComparisonVerdict::Worse
    }
}

/// The findings about the table's first policy against the policy in that column (1 or more): the
/// worse rows first, then better, then more or less, then rows that show nothing.
pub fn findings(table: &Table, column: usize) -> Vec<Finding> {
    let (Some(subject), Some(other)) = (table.policies.first(), table.policies.get(column)) else {
        return Vec::new();
    };
    let told = |verdict: ComparisonVerdict| {
        let rows = table.rows.iter().filter_map(move |row| {
            let compared = row.against.get(column - 1)?;
            (compared.verdict == verdict).then_some((row, compared))
        });
        rows.map(move |(row, compared)| Finding {
            metric: Some(row.metric.name),
            verdict,
            sentence: sentence(row, compared, [(subject, 0), (other, column)]),
        })
    };
    let shown = [
        ComparisonVerdict::Worse,
        ComparisonVerdict::Better,
        ComparisonVerdict::More,
        ComparisonVerdict::Less,
    ];
    let mut all: Vec<Finding> = shown.into_iter().flat_map(told).collect();
    all.extend(silent(table, column, other));
    all
}

/// The findings about the first policy's root causes against the simple rules.
pub fn against_rules(table: &Table) -> Vec<Finding> {
    let found = |name: &str| table.rows.iter().find(|row| row.metric.name == name);
    let mean = |name: &str| -> Option<String> {
        let row = found(name)?;
        Some(row.shown(row.values.first().copied().flatten()?.mean))
    };
    let told = table.baselines.iter().filter_map(|baseline| {
        let [ours, rule] = [mean(ROOT_CAUSE)?, mean(baseline.metric.name)?];
        let row = found(ROOT_CAUSE)?;
        let subject = table.policies.first()?;
        let names = format!(
            "Root cause named first: {subject} {ours} %, {} {rule} %",
            baseline.rule
        );
        Some(Finding {
            metric: Some(baseline.metric.name),
            verdict: baseline.compared.verdict,
            sentence: names + &difference(row, &baseline.compared) + ".",
        })
    });
    told.collect()
}

/// The sentence of a row: `Dispatches: agents 4.2, manual 7.9; better, the difference is −3.7 (95 %
/// interval −4.1 to −3.3, 30 pairs).`
fn sentence(row: &Row, compared: &Comparison, sides: [(&String, usize); 2]) -> String {
    let (unit, _) = row.metric.unit.shown();
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    };
    let means = sides.map(|(policy, column)| {
        let mean = row.values.get(column).copied().flatten();
        let mean = mean.map_or("–".to_owned(), |v| row.shown(v.mean));
        format!("{policy} {mean}{unit}")
    });
    format!(
        "{}: {}{}.",
        row.metric.title,
        means.join(", "),
        difference(row, compared)
    )
}

/// The end of that sentence: `; better, by 3.7 (95 % interval of the difference …, 30 pairs)`;
/// empty for fewer than two pairs.
fn difference(row: &Row, compared: &Comparison) -> String {
    let Some((difference, [low, high])) =
        compared.difference.and_then(|d| Some((d, d.interval()?)))
    else {
        return String::new();
    };
    let unit = match row.metric.unit.shown().0 {
        "" => String::new(),
        "%" => " points".to_owned(),
        unit => format!(" {unit}"),
    };
    format!(
        "; {}, by {}{unit} (95 % interval of the difference {} to {}, {} pairs{})",
        compared.verdict.as_str().replace('-', " "),
        row.shown(difference.mean.abs()),
        row.shown(low),
        row.shown(high),
        difference.n,
        if difference.n < ENOUGH { ", few" } else { "" },
    )
}

/// The findings that name the rows without a shown difference and those with too few pairs.
fn silent(table: &Table, column: usize, other: &str) -> Vec<Finding> {
    let rows_with = |verdict: ComparisonVerdict| -> Vec<&str> {
        let rows = table.rows.iter();
        let rows = rows.filter(|row| {
            row.against
                .get(column - 1)
                .is_some_and(|c| c.verdict == verdict)
        });
        rows.map(|row| row.metric.title).collect()
    };
    [
        (
            ComparisonVerdict::NoDifferenceShown,
            "No difference is shown in",
        ),
        (
            ComparisonVerdict::TooFew,
            "Too few pairs to say anything of",
        ),
    ]
    .into_iter()
    .filter_map(|(verdict, begins)| {
        let rows = rows_with(verdict);
        (!rows.is_empty()).then(|| Finding {
            metric: None,
            verdict,
            sentence: format!("{begins} (against {other}): {}.", rows.join("; ")),
        })
    })
    .collect()
}
