//! What a mapping example teaches: a whole phrase and its value, a place in a phrase where the
//! value stands, or another name for a place.
//!
//! "`'until 6 am' -> '06:00'`" teaches that behind "until" stands the time of this key;
//! "`'turn off carriers' -> 'carrier_shutdown'`" teaches a phrase; "`'from Beijing' -> 'PEK'`"
//! teaches that Beijing is written `PEK`, in every language. Read next: [`super::brief`].

use super::brief::{Brief, Kind};
use crate::lexicon::{self, Place};
use crate::moment::{Calendar, moments};
use language::quantity::quantities;
use language::script::is_cjk;
use language::text::{Class, Text, Token, tokens};
use schema::template::{Annotation, MappingExample};
use serde_json::Value;
use std::ops::Range;

/// What one mapping example teaches.
#[derive(Clone, Debug)]
pub(crate) enum Lesson {
    /// Who says this, means that.
    Whole {
        /// The phrase.
        said: Vec<Token>,
        /// What it means.
        value: Value,
    },
    /// Between these words stands the value.
    Slot {
        /// What stands before.
        before: Vec<Token>,
        /// What stands behind.
        after: Vec<Token>,
    },
    /// This place is written so.
    Alias {
        /// Its name, in lower case.
        name: String,
        /// The place, if it is known.
        place: Option<Place>,
        /// How it is written.
        value: Value,
    },
}

/// What the mapping examples of a key teach.
pub(crate) fn lessons(brief: &Brief, annotation: &Annotation, calendar: &Calendar) -> Vec<Lesson> {
    let examples = annotation.0.values().flat_map(|d| &d.examples);
    examples
        .flat_map(|example| taught(brief, example, calendar))
        .collect()
}

fn taught(brief: &Brief, example: &MappingExample, calendar: &Calendar) -> Vec<Lesson> {
    let said = Text::new(&example.said);
    if said.tokens.is_empty() {
        return Vec::new();
    }
    if let Some(run) = slot(brief, &said, &example.value, calendar) {
        return vec![Lesson::Slot {
            before: said.tokens[..run.start].to_vec(),
            after: said.tokens[run.end..].to_vec(),
        }];
    }
    let mut lessons = alias(brief, &said, &example.value);
    if lessons.is_empty() {
        let phrases = parts(brief, said.tokens);
        let reworded: Vec<Vec<Token>> = phrases.iter().flat_map(|p| reworded(brief, p)).collect();
        lessons = phrases
            .into_iter()
            .chain(reworded)
            .map(|said| Lesson::Whole {
                said,
                value: example.value.clone(),
            })
            .collect();
    }
    lessons
}

/// A phrase; where it lists two names for one of listed values ("routers and links"), each of them.
fn parts(brief: &Brief, said: Vec<Token>) -> Vec<Vec<Token>> {
    let joint = said
        .iter()
        .position(|t| matches!(t.text.as_str(), "and" | "或" | "和"));
    match joint.filter(|at| brief.kind == Kind::Choice && said.len() == 3 && *at == 1) {
        Some(at) => vec![said[..at].to_vec(), said[at + 1..].to_vec()],
        None => vec![said],
    }
}

/// A Chinese phrase with one of its words in other words: 虚化背后 for 虚化背景. English words are compared
/// one by one and need none of it.
fn reworded(brief: &Brief, said: &[Token]) -> Vec<Vec<Token>> {
    let chinese = said.iter().all(|t| t.class == Class::Cjk);
    if !chinese || said.len() < 4 || brief.kind != Kind::Flag {
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

/// Where the value stands in what is said.
fn slot(brief: &Brief, said: &Text, value: &Value, calendar: &Calendar) -> Option<Range<usize>> {
    match (brief.kind, value) {
        (Kind::Day | Kind::Clock | Kind::Instant, _) => {
            let runs = moments(said, calendar).runs();
            let start = runs.iter().map(|r| r.start).min()?;
            Some(start..runs.iter().map(|r| r.end).max()?)
        }
        (Kind::Amount, Value::Number(number)) => {
            let wanted = number.as_f64()?;
            quantities(said, &[])
                .into_iter()
                .find(|q| says(brief, q, wanted))
                .map(|q| q.number)
        }
        (Kind::List, Value::Array(list)) if brief.item != Kind::Choice => match list.as_slice() {
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

fn says(brief: &Brief, quantity: &language::quantity::Quantity, wanted: f64) -> bool {
    let converted = brief.unit.and_then(|u| quantity.in_unit(u));
    quantity.value == wanted || converted == Some(wanted)
}

/// A name that is written otherwise, behind a preposition or alone.
fn alias(brief: &Brief, said: &Text, value: &Value) -> Vec<Lesson> {
    let lead = said
        .tokens
        .iter()
        .take_while(|t| lexicon::is_function(&t.text) || leads(&t.text))
        .count();
    let name = said.span(&(lead..said.tokens.len())).to_owned();
    let written = value.as_str().is_some_and(|v| !v.is_empty());
    let named = said.tokens.get(lead).is_some_and(|t| t.capital) || lexicon::place(&name).is_some();
    if brief.closed || !written || name.is_empty() || !named {
        return Vec::new();
    }
    let mut lessons = vec![Lesson::Alias {
        place: lexicon::place(&name),
        name: name.to_lowercase(),
        value: value.clone(),
    }];
    if lead > 0 {
        lessons.push(Lesson::Slot {
            before: said.tokens[..lead].to_vec(),
            after: Vec::new(),
        });
    }
    lessons
}

/// Chinese words before a place.
fn leads(word: &str) -> bool {
    matches!(
        word,
        "从" | "到" | "去" | "飞" | "往" | "至" | "在" | "由" | "自" | "回"
    )
}
