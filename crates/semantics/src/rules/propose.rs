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

use super::candidate::Candidate;
use super::slot::{Kind, Slot};
use super::utterance::AnnotatedUtterance;
use super::whereabouts::DescribedPlaces;
use schema::steps::{Effort, GivenUp};

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
