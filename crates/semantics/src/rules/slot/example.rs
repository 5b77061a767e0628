//! The lesson of a mapping example: a whole phrase and its value, a place in a phrase where the
//! value stands, or another name for a place.
//!
//! "`'until 6 am' -> '06:00'`" teaches that behind "until" stands the time of this key;
//! "`'turn off carriers' -> 'carrier_shutdown'`" teaches a phrase; "`'from Beijing' -> 'PEK'`"
//! teaches that Beijing is written `PEK`, in every language. Read next: [`super`].

use super::Slot;
use super::kind::Kind;
use crate::lexicon::{self, Place};
use crate::moment::{Calendar, moments};
use language::quantity::quantities;
use language::script::is_cjk;
use language::text::{Class, Text, Token, tokens};
use schema::template::{Annotation, MappingExample};
use serde_json::Value;
use std::ops::Range;

/// The rule that one mapping example teaches.
#[derive(Clone, Debug)]
pub(crate) enum ExampleRule {
    /// Whoever says this, means that.
    Whole {
        /// The phrase.
        said: Vec<Token>,
        /// Its meaning.
        value: Value,
    },
    /// Between these words stands the value.
    Slot {
        /// The tokens before.
        before: Vec<Token>,
        /// The tokens behind.
        after: Vec<Token>,
    },
    /// This place is written so.
    Alias {
        /// Its name, in lower case.
        name: String,
        /// The place, if it is known.
        place: Option<Place>,
        /// The value as it is written.
        value: Value,
    },
}

/// The rules that the mapping examples of a key teach.
pub(super) fn example_rules(
    slot: &Slot,
    annotation: &Annotation,
    calendar: &Calendar,
) -> Vec<ExampleRule> {
    let examples = annotation.0.values().flat_map(|d| &d.examples);
    examples
        .flat_map(|example| taught(slot, example, calendar))
        .collect()
}

fn taught(slot: &Slot, example: &MappingExample, calendar: &Calendar) -> Vec<ExampleRule> {
    let said = Text::new(&example.said);
    if said.tokens.is_empty() {
        return Vec::new();
    }
    if let Some(run) = framed_value(slot, &said, &example.value, calendar) {
        return vec![ExampleRule::Slot {
            before: said.tokens[..run.start].to_vec(),
            after: said.tokens[run.end..].to_vec(),
        }];
    }
    let mut example_rules = alias(slot, &said, &example.value);
    if example_rules.is_empty() {
        let phrases = parts(slot, said.tokens);
        let reworded: Vec<Vec<Token>> = phrases.iter().flat_map(|p| reworded(slot, p)).collect();
        example_rules = phrases
            .into_iter()
            .chain(reworded)
            .map(|said| ExampleRule::Whole {
                said,
                value: example.value.clone(),
            })
            .collect();
    }
    example_rules
}

/// A phrase; where it lists two names for one of listed values ("routers and links"), each of them.
fn parts(slot: &Slot, said: Vec<Token>) -> Vec<Vec<Token>> {
    let joint = said
        .iter()
        .position(|t| matches!(t.text.as_str(), "and" | "或" | "和"));
    match joint.filter(|at| slot.kind == Kind::Choice && said.len() == 3 && *at == 1) {
        Some(at) => vec![said[..at].to_vec(), said[at + 1..].to_vec()],
        None => vec![said],
    }
}

/// A Chinese phrase with one of its words in other words: 虚化背后 for 虚化背景. English words are compared
/// one by one and need none of it.
fn reworded(slot: &Slot, said: &[Token]) -> Vec<Vec<Token>> {
    let chinese = said.iter().all(|t| t.class == Class::Cjk);
    if !chinese || said.len() < 4 || slot.kind != Kind::Flag {
        return Vec::new();
    }
    let word = |at: usize| language::text::join(&said[at..at + 2]);
    let places = (0..said.len() - 1).map(|at| (at, word(at)));
    places
        .flat_map(|(at, word)| {
            let others = lexicon::terms_like(&word)
                .into_iter()
                .filter(|t| t.chars().count() == 2 && t.chars().all(is_cjk));
            others.map(move |other| {
                let mut phrase = said.to_vec();
                phrase.splice(at..at + 2, tokens(other));
                phrase
            })
        })
        .collect()
}

/// The place of the value in what is said.
fn framed_value(
    slot: &Slot,
    said: &Text,
    value: &Value,
    calendar: &Calendar,
) -> Option<Range<usize>> {
    match (slot.kind, value) {
        (Kind::Day | Kind::Clock | Kind::Instant, _) => {
            let runs = moments(said, calendar).runs();
            let start = runs.iter().map(|r| r.start).min()?;
            Some(start..runs.iter().map(|r| r.end).max()?)
        }
        (Kind::Amount, Value::Number(number)) => {
            let wanted = number.as_f64()?;
            quantities(said, &[])
                .into_iter()
                .find(|q| says(slot, q, wanted))
                .map(|q| q.number)
        }
        (Kind::List, Value::Array(list)) if slot.item != Kind::Choice => match list.as_slice() {
            [Value::String(written)] => said
                .find_exactly(&Text::new(written).tokens)
                .into_iter()
                .next()
                .filter(|r| r.len() < said.tokens.len()),
            _ => None,
        },
        (Kind::Choice | Kind::Flag | Kind::List, _) => None,
        (_, Value::String(written)) => {
            let phrase = Text::new(written).tokens;
            // The cue is what stands beside the value: without one there is nothing to learn.
            said.find_exactly(&phrase)
                .into_iter()
                .next()
                .filter(|r| r.len() < said.tokens.len())
        }
        _ => None,
    }
}

fn says(slot: &Slot, quantity: &language::quantity::Quantity, wanted: f64) -> bool {
    let converted = slot.unit.and_then(|u| quantity.in_unit(u));
    quantity.value == wanted || converted == Some(wanted)
}

/// A name that is written otherwise, behind a preposition or alone.
fn alias(slot: &Slot, said: &Text, value: &Value) -> Vec<ExampleRule> {
    let lead = said
        .tokens
        .iter()
        .take_while(|t| lexicon::is_function(&t.text) || leads(&t.text))
        .count();
    let name = said.span(&(lead..said.tokens.len())).to_owned();
    let written = value.as_str().is_some_and(|v| !v.is_empty());
    let named = said.tokens.get(lead).is_some_and(|t| t.capital) || lexicon::place(&name).is_some();
    if slot.closed || !written || name.is_empty() || !named {
        return Vec::new();
    }
    let mut example_rules = vec![ExampleRule::Alias {
        place: lexicon::place(&name),
        name: name.to_lowercase(),
        value: value.clone(),
    }];
    if lead > 0 {
        example_rules.push(ExampleRule::Slot {
            before: said.tokens[..lead].to_vec(),
            after: Vec::new(),
        });
    }
    example_rules
}

/// Chinese words before a place.
fn leads(word: &str) -> bool {
    matches!(
        word,
        "从" | "到" | "去" | "飞" | "往" | "至" | "在" | "由" | "自" | "回"
    )
}
