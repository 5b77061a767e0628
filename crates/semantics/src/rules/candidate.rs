//! A value that a key could hold, with the tokens that it comes from.
//!
//! Knows numbers of keys and of tokens alone. Read next: [`super::propose`], which makes them;
//! [`super::assign`], which chooses.

use serde_json::Value;
use std::ops::Range;

/// A value that a key could hold.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The key: its place among the slots.
    pub(crate) slot: usize,
    /// The value.
    pub(crate) value: Value,
    /// The tokens that it comes from; no other key may have them.
    pub(crate) run: Range<usize>,
    /// The tokens that it explains: those, and words that only say which key is meant.
    pub(crate) span: Range<usize>,
    /// Of `run`, the tokens that it really takes, where others stand between.
    pub(crate) held: Option<Vec<usize>>,
    /// The confidence, 0 to 1.
    pub(crate) confidence: f64,
}

impl Candidate {
    /// A value that comes from a run, and explains no more than it.
    pub(crate) fn new(slot: usize, value: Value, run: Range<usize>, confidence: f64) -> Self {
        Self {
            slot,
            value,
            span: run.clone(),
            run,
            held: None,
            confidence,
        }
    }

    /// With other tokens standing between those that it takes.
    pub(crate) fn holding(self, held: Vec<usize>) -> Self {
        Self {
            held: Some(held),
            ..self
        }
    }

    /// The tokens that it takes.
    fn takes(&self, at: usize) -> bool {
        match &self.held {
            Some(held) => held.contains(&at),
            None => self.run.contains(&at),
        }
    }

    /// True if it takes a token of a run.
    pub(crate) fn takes_of(&self, run: &Range<usize>) -> bool {
        run.clone().any(|at| self.takes(at))
    }

    /// True if two take the same token.
    pub(crate) fn clashes(&self, other: &Candidate) -> bool {
        self.run.clone().any(|at| self.takes(at) && other.takes(at))
    }

    /// With more tokens explained than taken.
    pub(crate) fn explaining(self, span: Range<usize>) -> Self {
        Self { span, ..self }
    }
}
