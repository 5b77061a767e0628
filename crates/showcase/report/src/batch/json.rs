//! A batch as JSON, for machines: every value in its own unit, nothing rounded for show.
//!
//! Read next: [`super::Table`].

use super::{Row, ScoreBatch, Table};
use crate::statistics::{Comparison, Summary};
use serde_json::{Map, Value, json};

impl ScoreBatch {
    /// The table as JSON, indented, with a line's end. Shares are 0 to 1; `low` and `high` are the
    /// ends of the 95 % interval, absent of a single run; `against` holds the first policy's
    /// differences to the others over the seeds that both ran, `baselines` those of its root causes
    /// to the simple rules.
    pub fn json(&self) -> String {
        let table = self.table();
        let runs: Map<String, Value> = table
            .policies
            .iter()
            .zip(&table.runs)
            .map(|(policy, runs)| (policy.clone(), json!(runs)))
            .collect();
        let rows: Vec<Value> = table.rows.iter().map(|row| row_of(&table, row)).collect();
        let baselines: Map<String, Value> = table
            .baselines
            .iter()
            .map(|b| (b.metric.name.to_owned(), compared(&b.compared)))
            .collect();
        let all = json!({
            "event": "batch",
            "version": 1,
            "confidence": crate::statistics::CONFIDENCE,
            "policies": table.policies,
            "runs": runs,
            "baselines": baselines,
            "notes": table.notes,
            "rows": rows,
        });
        format!("{all:#}\n")
    }
}

fn row_of(table: &Table, row: &Row) -> Value {
    let values: Map<String, Value> = table
        .policies
        .iter()
        .zip(&row.values)
        .filter_map(|(policy, value)| Some((policy.clone(), summary(value.as_ref()?))))
        .collect();
    let others = table.policies.iter().skip(1);
    let against: Map<String, Value> = others
        .zip(&row.against)
        .map(|(policy, against)| (policy.clone(), compared(against)))
        .collect();
    json!({
        "metric": row.metric.name,
        "unit": row.metric.unit.as_str(),
        "better": row.metric.better.as_str(),
        "values": values,
        "against": against,
    })
}

fn compared(against: &Comparison) -> Value {
    let mut difference = against.difference.as_ref().map_or(json!({}), summary);
    difference["verdict"] = json!(against.verdict.as_str());
    difference
}

fn summary(value: &Summary) -> Value {
    let mut out = json!({ "n": value.n, "mean": value.mean });
    if let (Some(sd), Some([low, high])) = (value.sd, value.interval()) {
        out["sd"] = json!(sd);
        out["low"] = json!(low);
        out["high"] = json!(high);
    }
    out
}
