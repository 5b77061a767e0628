//! The report on a parser and a set: its counts, the rates that follow from them, its table.
//!
//! Refuses to know what is right; read next: [`super`], which counts.

use super::super::share;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The report on a parser and a set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParserReport {
    /// The parser.
    pub parser: String,
    /// The number of cases.
    pub cases: usize,
    /// Cases with every key right.
    pub right: usize,
    /// Keys given rightly.
    pub hits: usize,
    /// Keys given.
    pub given: usize,
    /// Keys that had to be given.
    pub wanted: usize,
    /// Keys given that had to be left out.
    pub spurious: usize,
    /// Cases whose payload the template accepts, but for required keys that nobody said.
    pub valid: usize,
    /// Cases in which `other` holds all that it must mention, and cases that say what.
    pub mentioned: (usize, usize),
    /// Cases in which `other` is empty, of those in which it must be.
    pub quiet: (usize, usize),
    /// The failures of the parser, by case.
    pub failures: Vec<(String, String)>,
    /// Confidence of each key given, and whether it was right.
    pub confidences: Vec<(f64, bool)>,
    /// Every case that is not right, and what is wrong with it.
    pub mistakes: Vec<Mistake>,
}

/// A case that is not right.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// The case.
    pub id: String,
    /// The utterance.
    pub utterance: String,
    /// The keys that are wrong: what was given (none if nothing) and what is acceptable.
    pub keys: BTreeMap<String, (Option<Value>, Vec<Value>)>,
}

impl ParserReport {
    /// The share of cases with every key right.
    pub fn joint_accuracy(&self) -> f64 {
        share(self.right, self.cases)
    }

    /// The harmonic mean of precision and recall over keys.
    pub fn slot_f1(&self) -> f64 {
        share(2 * self.hits, self.given + self.wanted)
    }

    /// The share of given keys that had to be left out.
    pub fn spurious_rate(&self) -> f64 {
        share(self.spurious, self.given)
    }

    /// The share of cases whose payload the template accepts.
    pub fn valid_rate(&self) -> f64 {
        share(self.valid, self.cases)
    }

    /// The expected calibration error over ten bins: by how much confidence and being right differ.
    pub fn calibration_error(&self) -> f64 {
        let total = self.confidences.len().max(1) as f64;
        let bins = self.calibration().into_iter();
        bins.map(|b| b.keys as f64 / total * (b.confidence - b.right).abs())
            .sum()
    }

    /// Confidence against being right, in ten bins from 0 to 1; empty bins left out.
    pub fn calibration(&self) -> Vec<Bin> {
        let mut bins: BTreeMap<usize, (usize, f64, usize)> = BTreeMap::new();
        for (confidence, right) in &self.confidences {
            let at = ((confidence * 10.0) as usize).min(9);
            let bin = bins.entry(at).or_default();
            *bin = (bin.0 + 1, bin.1 + confidence, bin.2 + usize::from(*right));
        }
        let bin = |(keys, sum, right): (usize, f64, usize)| Bin {
            keys,
            confidence: sum / keys as f64,
            right: share(right, keys),
        };
        bins.into_values().map(bin).collect()
    }
}

/// Keys of like confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// The number of keys.
    pub keys: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// The share of them that are right.
    pub right: f64,
}

impl fmt::Display for ParserReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = |(part, whole): (usize, usize)| match whole {
            0 => "-".to_owned(),
            _ => format!("{:.3} ({part} of {whole})", share(part, whole)),
        };
        writeln!(f, "parser                 {}", self.parser)?;
        writeln!(f, "cases                  {}", self.cases)?;
        writeln!(
            f,
            "joint accuracy         {}",
            rate((self.right, self.cases))
        )?;
        writeln!(f, "slot F1                {:.3}", self.slot_f1())?;
        writeln!(
            f,
            "spurious-key rate      {}",
            rate((self.spurious, self.given))
        )?;
        writeln!(
            f,
            "schema-valid rate      {}",
            rate((self.valid, self.cases))
        )?;
        writeln!(f, "calibration error      {:.3}", self.calibration_error())?;
        for bin in self.calibration() {
            writeln!(
                f,
                "  said {:.2} was {:.2}     {} keys",
                bin.confidence, bin.right, bin.keys
            )?;
        }
        writeln!(f, "other mentions         {}", rate(self.mentioned))?;
        writeln!(f, "other rightly empty    {}", rate(self.quiet))?;
        write!(f, "failures of the parser {}", self.failures.len())?;
        match self.failures.first() {
            Some((id, reason)) => write!(f, ", the first at {id}: {reason}"),
            None => Ok(()),
        }
    }
}
