//! Figures: the measurement of a run, the median of runs, a line of JSON, a table for people.
//!
//! Knows no NETCONF. The targets are with the rows, in `rows`.

use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// The measurement of one run of one row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    /// The figure, in the unit of the row.
    pub(crate) value: f64,
    /// The latencies of single requests; empty if they are not measured.
    pub(crate) latencies: Vec<Duration>,
}

impl Run {
    /// The rate of `count` in `elapsed`.
    pub(crate) fn rate(count: usize, elapsed: Duration, latencies: Vec<Duration>) -> Self {
        Self {
            value: count as f64 / elapsed.as_secs_f64(),
            latencies,
        }
    }

    /// The latency within which this share of the requests was answered, in microseconds.
    pub(crate) fn percentile_us(&self, share: f64) -> Option<f64> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let place = ((sorted.len() as f64 - 1.0) * share).round() as usize;
        sorted.get(place).map(|d| d.as_secs_f64() * 1e6)
    }
}

/// The target of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Aim {
    /// At least this value.
    AtLeast(f64),
    /// At most this value.
    AtMost(f64),
    /// Measured only.
    None,
}

/// One row of the report.
#[derive(Debug)]
pub(crate) struct Row {
    /// Its name, as `--only` takes it.
    pub(crate) name: Cow<'static, str>,
    /// The meaning of the figure, for people.
    pub(crate) what: String,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// The target.
    pub(crate) aim: Aim,
    /// The measurements.
    pub(crate) runs: Vec<Run>,
    /// The name of what is measured beside it: `echo`, the server that does nothing.
    pub(crate) rival: &'static str,
    /// The measurements of that.
    pub(crate) beside: Vec<Run>,
    /// The target as a share of its figure, at least.
    pub(crate) share: Option<f64>,
    /// The load average of the last minute at the end of the row.
    pub(crate) load: f64,
    /// A remark.
    pub(crate) note: Option<String>,
    /// What each request costs where, in microseconds.
    pub(crate) costs: Vec<(&'static str, f64)>,
}

impl Row {
    fn median(runs: &[Run]) -> Option<&Run> {
        let mut order: Vec<&Run> = runs.iter().collect();
        order.sort_by(|a, b| a.value.total_cmp(&b.value));
        order.get(order.len() / 2).copied()
    }

    /// The median.
    pub(crate) fn value(&self) -> f64 {
        Self::median(&self.runs).map_or(f64::NAN, |r| r.value)
    }

    fn ratio(&self) -> Option<f64> {
        Some(self.value() / Self::median(&self.beside)?.value)
    }

    pub(crate) fn reached(&self) -> Option<bool> {
        let value = match self.aim {
            Aim::AtLeast(aim) => Some(self.value() >= aim),
            Aim::AtMost(aim) => Some(self.value() <= aim),
            Aim::None => None,
        };
        let share = self.share.zip(self.ratio()).map(|(s, r)| r >= s);
        match (value, share) {
            (None, share) => share,
            (value, None) => value,
            (Some(value), Some(share)) => Some(value && share),
        }
    }

    /// The row as a line of JSON.
    pub(crate) fn json(&self) -> Value {
        let median = Self::median(&self.runs);
        let us = |share| median.and_then(|r| r.percentile_us(share)).map(tenths);
        let aim = match self.aim {
            Aim::AtLeast(aim) | Aim::AtMost(aim) => Some(aim),
            Aim::None => None,
        };
        let mut told = json!({
            "event": "bench", "name": self.name, "unit": self.unit, "value": tenths(self.value()),
            "runs": self.runs.iter().map(|r| tenths(r.value)).collect::<Vec<_>>(),
            "p50_us": us(0.5), "p99_us": us(0.99),
            "aim": aim, "reached": self.reached(),
            "load_average": self.load, "note": self.note,
        });
        let rival = self.rival;
        let ratio = self.ratio().map(|r| (r * 1e3).round() / 1e3);
        if !self.costs.is_empty() {
            let costs = self.costs.iter().map(|(of, us)| (*of, tenths(*us)));
            told["costs_us"] = json!(costs.collect::<BTreeMap<_, _>>());
        }
        told[rival] = json!(Self::median(&self.beside).map(|r| tenths(r.value)));
        told[format!("ratio_to_{rival}")] = json!(ratio);
        told[format!("aim_ratio_to_{rival}")] = json!(self.share);
        told
    }

    fn line(&self) -> String {
        let median = Self::median(&self.runs);
        let us = |share| {
            let found = median.and_then(|r| r.percentile_us(share));
            found.map_or("–".to_owned(), |us| figure(us / 1e3))
        };
        let (sign, aim) = match self.aim {
            Aim::AtLeast(aim) => ("≥ ", figure(aim)),
            Aim::AtMost(aim) => ("≤ ", figure(aim)),
            Aim::None => ("", "–".to_owned()),
        };
        let of = |ratio| format!("{ratio:.2} of {}", self.rival);
        let ratio = self.ratio().map_or("–".to_owned(), of);
        let mark = match self.reached() {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        format!(
            "{:<60} {:>10} {:<13} {:>8} {:>8} {:>14} {:>11} {:>5} {:>6.1}",
            self.what,
            figure(self.value()),
            self.unit,
            us(0.5),
            us(0.99),
            ratio,
            format!("{sign}{aim}"),
            mark,
            self.load
        )
    }
}

/// The table for people.
pub(crate) fn table(rows: &[Row], machine: &Value) -> String {
    let mut text = format!(
        "{:<60} {:>10} {:<13} {:>8} {:>8} {:>14} {:>11} {:>5} {:>6}\n",
        "", "median", "unit", "p50 ms", "p99 ms", "ratio", "aim", "there", "load"
    );
    for row in rows {
        let _ = writeln!(text, "{}", row.line());
    }
    for (row, note) in rows.iter().filter_map(|r| Some((r, r.note.as_ref()?))) {
        let _ = writeln!(text, "{}: {note}", row.name);
    }
    let told = |key: &str| machine[key].as_str().unwrap_or("unknown").to_owned();
    let _ = writeln!(
        text,
        "{}; {} cores, {}, {}; load is the average of one minute when the row was done",
        told("date"),
        machine["cores"],
        told("cpu"),
        told("kernel")
    );
    text
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn figure(value: f64) -> String {
    match value {
        v if v.abs() >= 100.0 => format!("{v:.0}"),
        v if v.abs() >= 1.0 => format!("{v:.1}"),
        v => format!("{v:.3}"),
    }
}
