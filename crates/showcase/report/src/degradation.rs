//! How figures fall when the world errs more: the same seeds played at several values of one error.
//!
//! Knows batches in the order of the value, and shows some figures of each as a curve; refuses to
//! know what the error is. Read next: [`crate::picture::curve`], which draws it.

use crate::batch::{Row, ScoreBatch, Table};
use crate::metric::Metric;
use markup::words::left;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The figures that are shown as curves, by name of their [`Metric`].
pub const CURVES: [&str; 6] = [
    "root-cause-top-1",
    "unlocated",
    "locate-p50",
    "dispatches",
    "wrong-dispatches",
    "outage-user-minutes",
];

/// The batches of a sweep over one error of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Degradation {
    /// The error, as it is named on the command line.
    pub key: String,
    /// Its values in order, each with what was played there.
    pub steps: Vec<(f64, ScoreBatch)>,
}

/// A row of the table of one value, and the column of a policy in it; none if nothing was played there.
pub type CurvePoint = Option<(Row, usize)>;

/// A figure at each value.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The figure.
    pub metric: &'static Metric,
    /// The values of the error.
    pub values: Vec<f64>,
    /// Each policy with its row of the table at each value, and its column there.
    pub policies: Vec<(String, Vec<CurvePoint>)>,
}

impl Degradation {
    /// The curves of [`CURVES`] that any run has.
    pub fn curves(&self) -> Vec<Curve> {
        let tables: Vec<Table> = self.steps.iter().map(|(_, batch)| batch.table()).collect();
        let metrics = CURVES.iter().filter_map(|name| Metric::named(name));
        let curves = metrics.map(|metric| self.curve(metric, &tables));
        curves
            .filter(|curve| {
                curve
                    .policies
                    .iter()
                    .any(|(_, rows)| rows.iter().any(Option::is_some))
            })
            .collect()
    }

    fn curve(&self, metric: &'static Metric, tables: &[Table]) -> Curve {
        let named = tables.iter().flat_map(|table| &table.policies);
        let mut names: Vec<&String> = Vec::new();
        let mut seen = BTreeSet::new();
        names.extend(named.filter(|name| seen.insert(*name)));
        let at = |table: &Table, name: &String| {
            let column = table.policies.iter().position(|policy| policy == name)?;
            let row = table
                .rows
                .iter()
                .find(|row| row.metric.name == metric.name)?;
            row.values.get(column).copied().flatten()?;
            Some((row.clone(), column))
        };
        let policies = names.into_iter().map(|name| {
            let rows = tables.iter().map(|table| at(table, name));
            (name.clone(), rows.collect())
        });
        Curve {
            metric,
            values: self.steps.iter().map(|(value, _)| *value).collect(),
            policies: policies.collect(),
        }
    }

    /// The curves as text: a block for each figure, a line for each policy, a column for each value.
    pub fn text(&self) -> String {
        const COLUMN: usize = 24;
        let line = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| left(cell, COLUMN)).collect();
            format!("  {}{}\n", left(name, 14), cells.trim_end())
        };
        let mut text = String::new();
        for curve in self.curves() {
            let (unit, _) = curve.metric.unit.shown();
            let of_unit = if unit.is_empty() { "" } else { ", " };
            text.push_str(&format!("\n{}{of_unit}{unit}\n", curve.metric.title));
            let values = curve.values.iter().map(f64::to_string);
            text.push_str(&line(&self.key, values.collect()));
            for (name, rows) in &curve.policies {
                let cells = rows.iter().map(|row| match row {
                    Some((row, column)) => row.summary(*column),
                    None => "–".to_owned(),
                });
                text.push_str(&line(name, cells.collect()));
            }
        }
        text
    }

    /// The curves as JSON: for each figure and policy the mean and the ends of its 95 % interval at
    /// each value.
    pub fn json(&self) -> Value {
        let curves: Map<String, Value> = self
            .curves()
            .iter()
            .map(|curve| (curve.metric.name.to_owned(), curve.json()))
            .collect();
        let values: Vec<f64> = self.steps.iter().map(|(value, _)| *value).collect();
        json!({ "event": "sweep", "key": self.key, "values": values, "curves": curves })
    }
}

impl Curve {
    fn json(&self) -> Value {
        let point = |row: &CurvePoint| {
            let summary = row.as_ref().and_then(|(row, column)| row.values[*column]);
            match summary {
                None => Value::Null,
                Some(of) => {
                    let interval = of.interval();
                    json!({ "n": of.n, "mean": of.mean, "low": interval.map(|i| i[0]),
                        "high": interval.map(|i| i[1]) })
                }
            }
        };
        let policies = self.policies.iter().map(|(name, rows)| {
            let points: Vec<Value> = rows.iter().map(point).collect();
            (name.clone(), Value::Array(points))
        });
        Value::Object(policies.collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::score::Score;

    fn batch(wrong: &[f64]) -> ScoreBatch {
        ScoreBatch::new(wrong.iter().enumerate().map(|(seed, wrong)| Score {
            policy: "agents".to_owned(),
            seed: seed as u64,
            days: 1.0,
            figures: [("wrong-dispatches".to_owned(), *wrong)].into(),
            ..Score::default()
        }))
    }

    fn sweep() -> Degradation {
        Degradation {
            key: "false-alarms".to_owned(),
            steps: vec![(0.0, batch(&[0.0, 0.0])), (60.0, batch(&[12.0, 16.0]))],
        }
    }

    #[test]
    fn a_curve_has_a_column_for_each_value() {
        let text = sweep().text();
        let [_, head, values, agents] = text.lines().collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        assert!(head.contains("wrong") || head.contains("Wrong"), "{head}");
        let words: Vec<&str> = values.split_whitespace().collect();
        assert_eq!(words, ["false-alarms", "0", "60"]);
        assert!(agents.contains("14") && agents.contains('±'), "{agents}");
    }

    #[test]
    fn machines_read_mean_and_interval() {
        let curves = &sweep().json()["curves"];
        let points = &curves["wrong-dispatches"]["agents"];
        assert_eq!(points[0]["mean"], 0.0);
        assert_eq!(points[1]["mean"], 14.0);
        assert!(points[1]["low"].as_f64().unwrap() < 14.0);
        assert!(curves.get("unlocated").is_none());
    }

    #[test]
    fn the_page_holds_a_picture_of_each_curve() {
        let page = crate::html::degradation(&sweep(), &crate::About::default());
        assert_eq!(
            page.matches("<svg role=\"img\" viewBox=\"0 0 380").count(),
            1
        );
        assert!(page.contains("false-alarms"));
    }
}
