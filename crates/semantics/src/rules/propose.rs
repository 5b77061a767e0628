//! The candidates for each key, by what the utterance says, with the tokens that they
//! come from and how sure they are.
//!
//! One file per kind of key. Nothing is decided here; read next: [`super::assign`].

mod amount;
mod choice;
mod example;
mod flag;
mod list;
mod moment;
mod name;

use super::slot::{Kind, Slot};
use super::utterance::AnnotatedUtterance;
use super::whereabouts::DescribedPlaces;
use schema::steps::{Effort, GivenUp};
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
    fn new(slot: usize, value: Value, run: Range<usize>, confidence: f64) -> Self {
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
    fn holding(self, held: Vec<usize>) -> Self {
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
    fn explaining(self, span: Range<usize>) -> Self {
        Self { span, ..self }
    }
}

/// All that the keys of a scenario could hold.
///
/// # Errors
/// [`GivenUp`]: it is more work than it may be. That is asked before each key.
pub(crate) fn candidates(
    utterance: &AnnotatedUtterance,
    slots: &[Slot],
    scenario: &[String],
    effort: Effort<'_>,
) -> Result<Vec<Candidate>, GivenUp> {
    let keys = Keys {
        utterance,
        described: DescribedPlaces::of(utterance),
        slots,
        scenario,
        effort,
    };
    let mut all: Vec<Candidate> = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        effort.allows(&utterance.text.steps)?;
        all.extend(keys.example_rules(at));
        match slot.kind {
            Kind::Choice => all.extend(keys.choices(at)),
            Kind::Flag => all.extend(keys.flags(at)),
            Kind::Amount => all.extend(keys.amounts(at)),
            Kind::Day | Kind::Clock | Kind::Instant => all.extend(keys.moments(at)),
            Kind::List => all.extend(keys.lists(at)),
            Kind::Nothing => {}
            _ => {
                all.extend(keys.names(at));
                all.extend(keys.hints(at));
            }
        }
    }
    all.extend(keys.in_order());
    effort.allows(&utterance.text.steps)?;
    Ok(all)
}

/// The keys before an utterance.
struct Keys<'a> {
    utterance: &'a AnnotatedUtterance,
    described: DescribedPlaces<'a>,
    slots: &'a [Slot],
    /// The stems of the scenario's name.
    scenario: &'a [String],
    effort: Effort<'a>,
}
