//! The figures of the bench: medians of runs, ratios, a line of JSON, tables for people.
//!
//! The targets are the platform's isolation law: whatever one principal sends, the latency of
//! everyone else's `get` stays within twice its idle median and ten times its idle 99th percentile.

use crate::attack::{Attack, Did};
use crate::victim::Waits;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The targets: the greatest ratios of medians, and of 99th percentiles.
pub(crate) const AIM: (f64, f64) = (2.0, 10.0);
/// The target of assignments per second to an agent.
const RATE_AIM: f64 = 5_000.0;

/// The latency of the same request alone and under attack.
#[derive(Debug)]
pub(crate) struct Beside {
    attack: Attack,
    pub(crate) alone: Vec<Waits>,
    pub(crate) beside: Vec<Waits>,
    pub(crate) did: Did,
    /// The peak resident memory under attack, in megabytes.
    pub(crate) resident_mb: f64,
    pub(crate) load: f64,
}

impl Beside {
    pub(crate) fn of(attack: Attack) -> Self {
        Self {
            attack,
            alone: Vec::new(),
            beside: Vec::new(),
            did: Did::default(),
            resident_mb: 0.0,
            load: f64::NAN,
        }
    }

    /// The percentile alone, under attack, and their ratio.
    fn at(&self, share: f64) -> [f64; 3] {
        let of = |runs: &[Waits]| median(runs.iter().map(|run| run.percentile_us(share)).collect());
        let (alone, beside) = (of(&self.alone), of(&self.beside));
        [alone, beside, beside / alone]
    }

    /// The 99th percentile of each run, in microseconds.
    fn runs(&self, runs: &[Waits]) -> Vec<f64> {
        runs.iter()
            .map(|run| run.percentile_us(0.99).round())
            .collect()
    }

    fn is_reached(&self) -> bool {
        self.at(0.5)[2] <= AIM.0 && self.at(0.99)[2] <= AIM.1
    }

    pub(crate) fn json(&self) -> Value {
        let ([a50, b50, r50], [a99, b99, r99]) = (self.at(0.5), self.at(0.99));
        json!({
            "event": "beside", "name": self.attack.name(), "what": self.attack.what(),
            "alone_p50_us": a50.round(), "beside_p50_us": b50.round(), "ratio_p50": r50,
            "alone_p99_us": a99.round(), "beside_p99_us": b99.round(), "ratio_p99": r99,
            "stopped": self.beside.iter().any(Waits::is_stopped),
            "aim_ratio_p50": AIM.0, "aim_ratio_p99": AIM.1, "reached": self.is_reached(),
            "runs_alone_p99_us": self.runs(&self.alone), "runs_beside_p99_us": self.runs(&self.beside),
            "answered": self.did.answered, "refused": self.did.refused,
            "answered_or_refused_per_s": self.did.per_s().round(),
            "resident_mb": self.resident_mb.round(), "load_average": self.load,
        })
    }

    pub(crate) fn line(&self) -> String {
        let ([a50, b50, r50], [a99, b99, r99]) = (self.at(0.5), self.at(0.99));
        format!(
            "{:<26} {a50:>8.0} {b50:>10.0} {r50:>8.1} {a99:>8.0} {b99:>10.0} {r99:>8.1} {:>6} {:>8.0} {:>5.1}",
            self.attack.name(),
            if self.is_reached() { "yes" } else { "no" },
            self.resident_mb,
            self.load,
        )
    }
}

/// The rate of assignments to an agent.
#[derive(Debug)]
pub(crate) struct Rate {
    name: &'static str,
    agent: String,
    /// Assignments per second of each run.
    pub(crate) per_s: Vec<f64>,
    /// Processor time of the platform per assignment, in microseconds.
    pub(crate) each_us: Vec<f64>,
    pub(crate) refused: u64,
    pub(crate) load: f64,
}

impl Rate {
    pub(crate) fn of(name: &'static str, agent: &str) -> Self {
        Self {
            name,
            agent: agent.to_owned(),
            per_s: Vec::new(),
            each_us: Vec::new(),
            refused: 0,
            load: f64::NAN,
        }
    }

    pub(crate) fn json(&self) -> Value {
        let rate = median(self.per_s.clone());
        json!({
            "event": "assignments", "name": self.name, "agent": self.agent,
            "per_s": rate.round(), "runs": self.per_s, "aim": RATE_AIM, "reached": rate >= RATE_AIM,
            "platform_cpu_us_each": median(self.each_us.clone()).round(), "refused": self.refused,
            "load_average": self.load,
        })
    }

    pub(crate) fn line(&self) -> String {
        let rate = median(self.per_s.clone());
        format!(
            "{:<34} {rate:>10.0} {:>10.0} {:>8} {:>6} {:>5.1}",
            self.agent,
            median(self.each_us.clone()),
            self.refused,
            if rate >= RATE_AIM { "yes" } else { "no" },
            self.load,
        )
    }
}

/// Both tables, for people.
pub(crate) fn tables(besides: &[Beside], rates: &[Rate], machine: &Value) -> String {
    let mut text = String::new();
    if !besides.is_empty() {
        let _ = writeln!(
            text,
            "{:<26} {:>8} {:>10} {:>8} {:>8} {:>10} {:>8} {:>6} {:>8} {:>5}",
            "others' get, µs",
            "p50",
            "beside",
            "ratio",
            "p99",
            "beside",
            "ratio",
            "there",
            "MB",
            "load"
        );
        for row in besides {
            let _ = writeln!(text, "{}", row.line());
        }
        for row in besides {
            let did = &row.did;
            let _ = writeln!(
                text,
                "{}: {}; answered {}, refused {:?}, {:.0} a second; p99 of the runs {:?}, alone {:?}",
                row.attack.name(),
                row.attack.what(),
                did.answered,
                did.refused,
                did.per_s(),
                row.runs(&row.beside),
                row.runs(&row.alone),
            );
        }
    }
    if !rates.is_empty() {
        let _ = writeln!(
            text,
            "\n{:<34} {:>10} {:>10} {:>8} {:>6} {:>5}",
            "assigned to", "tasks/s", "µs each", "refused", "there", "load"
        );
        for row in rates {
            let _ = writeln!(text, "{}", row.line());
        }
    }
    text + &on(machine) + "\n"
}

/// The machine and the date of the measurement.
pub(crate) fn on(machine: &Value) -> String {
    let told = |key: &str| machine[key].as_str().unwrap_or("unknown").to_owned();
    format!(
        "{}; {} cores, {}, {}, {} build; attackers {}",
        told("date"),
        machine["cores"],
        told("cpu"),
        told("kernel"),
        told("build"),
        match machine["attackers_compete"].as_bool() {
            Some(true) => "compete for the processor",
            _ => "have what is left of the processor",
        }
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
