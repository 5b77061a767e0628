//! The parser without a model: enumerations, mapping examples and lexicons, numbers with units,
//! days and times, negation, names behind their prepositions (draft-zhou §6.1).
//!
//! ```text
//! utterance ─► annotated ─┐
//!                     ├─► propose ─► assign ─► payload, confidence
//! template ─► slots ─┘                └─► remainder ─► other
//! ```
//!
//! Deterministic and pure. Every value comes from the utterance, from a mapping example or from
//! the declared type. Read next: [`crate::gate`], which lets a model have its say.
//!
//! # Cost
//!
//! Reading takes steps in proportion to the length of the utterance, which [`Rules::steps`] counts. What
//! would be paired with everything is paired within a clause, whose length is bounded
//! (`language::text`), or found by its place (`language::span`).
//!
//! # Confidence
//!
//! A candidate's confidence is the share of its kind that turned out right on the development sets,
//! in steps: a mapping example said word for word 0.97; a number, time or name where an example
//! shows it 0.9 to 0.95; a listed value in its own words 0.92, in other words 0.8 to 0.86, by its
//! only telling word 0.71; a number behind the key's name 0.93, before what the key counts 0.92, in
//! its unit 0.84 to 0.87, by order alone 0.76; a place behind its preposition 0.84 to 0.9; a name
//! that is merely the only one 0.72. Below 0.7 stand readings that were wrong more often than one
//! time in three.

mod assign;
mod candidate;
mod cue;
mod element;
mod pattern;
mod phrase;
mod propose;
mod remainder;
mod slot;
mod utterance;
mod whereabouts;

use crate::moment::Calendar;
use crate::type_gate::type_gate;
use assign::Assignment;
use remainder::{Vocabulary, remainder, reserved};
use schema::semantics::{Circumstances, ParseFailure, Parsed, SemanticParser};
use schema::steps::{Effort, GivenUp};
use schema::template::Template;
use serde_json::{Map, Value};
pub(crate) use slot::spoken;
use slot::{Slot, slots};
use std::ops::Range;
use utterance::AnnotatedUtterance;

/// The confidence below which a fragment goes to `other`, unless told otherwise (§6.1).
pub const THRESHOLD: f64 = 0.7;

/// The built-in parser.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    threshold: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new(THRESHOLD)
    }
}

impl Rules {
    /// A parser that leaves to `other` what it is less sure of than `threshold`, 0 to 1.
    pub fn new(threshold: f64) -> Self {
        Self {
            threshold: threshold.clamp(0.0, 1.0),
        }
    }

    /// Reads what an utterance says of the keys of a template, however much work it is. For
    /// utterances of one's own; those of others are read by [`SemanticParser::parse`].
    pub fn read(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Parsed {
        let read = self.within(template, utterance, circumstances, Effort::any());
        read.expect("nothing ends a reading without a limit").0
    }

    /// The number of steps that [`Rules::read`] takes: tokens, bytes and pairs of them that it
    /// looks at.
    pub fn steps(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> u64 {
        let read = self.within(template, utterance, circumstances, Effort::any());
        read.expect("nothing ends a reading without a limit").1
    }

    /// Reads what an utterance says, and in how many steps that was found out.
    fn within(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
        effort: Effort<'_>,
    ) -> Result<(Parsed, u64), GivenUp> {
        let calendar = Calendar::of(circumstances);
        let slots = slots(template, &calendar);
        let annotated = AnnotatedUtterance::new(utterance, calendar);
        if annotated.text.tokens.is_empty() {
            let nothing = Parsed {
                missing: template.missing(&Map::new()),
                ..Parsed::default()
            };
            return Ok((nothing, annotated.text.steps.taken()));
        }
        let steps = &annotated.text.steps;
        let reserved = reserved(&annotated, template);
        let runs: Vec<Range<usize>> = reserved.iter().map(|r| r.run.clone()).collect();
        let settled = assign::settle(
            propose::candidates(&annotated, &slots, &about(template), effort)?,
            &slots,
            &runs,
            self.threshold,
            steps,
        );
        effort.allows(steps)?;
        let other = self.other(
            &annotated,
            &Vocabulary::of(template, &slots),
            &settled,
            reserved,
        );
        let mut parsed = parsed(template, &slots, settled, other);
        effort.allows(steps)?;
        type_gate(template, utterance, &mut parsed);
        Ok((parsed, steps.taken()))
    }

    fn other(
        &self,
        annotated: &AnnotatedUtterance,
        vocabulary: &Vocabulary,
        settled: &Assignment,
        reserved: Vec<remainder::Reserved>,
    ) -> Vec<String> {
        let mut covered: Vec<Range<usize>> = settled.kept.iter().map(|c| c.span.clone()).collect();
        covered.extend(reserved.iter().map(|r| r.run.clone()));
        let fallen: Vec<Range<usize>> = settled
            .fallen
            .iter()
            .filter(|c| c.confidence >= 0.5)
            .map(|c| c.run.clone())
            .collect();
        let mut fragments = remainder(annotated, vocabulary, &covered, &fallen);
        fragments.extend(reserved.into_iter().map(|r| (r.run, r.fragment)));
        fragments.sort_by_key(|(run, _)| run.start);
        fragments.into_iter().map(|(_, f)| f).collect()
    }
}

impl SemanticParser for Rules {
    fn name(&self) -> &str {
        "rules"
    }

    fn parse(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Result<Parsed, ParseFailure> {
        self.parse_until(template, utterance, circumstances, &|| false)
    }

    /// # Errors
    /// [`FailureKind::TooMuch`](schema::semantics::FailureKind::TooMuch) beyond
    /// [`STEPS_MOST`](schema::steps::STEPS_MOST); `Cancelled`, which is asked before each key.
    fn parse_until(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure> {
        let read = self.within(template, utterance, circumstances, Effort::until(over));
        let parsed = read.map(|(parsed, _)| parsed);
        parsed.map_err(|why| ParseFailure::given_up(why, self.name()))
    }
}

fn parsed(template: &Template, slots: &[Slot], settled: Assignment, other: Vec<String>) -> Parsed {
    let mut parsed = Parsed {
        other,
        ..Parsed::default()
    };
    for candidate in settled.fallen {
        let name = slots[candidate.slot].key().to_owned();
        let sure = parsed
            .confidence
            .entry(name)
            .or_insert(candidate.confidence);
        *sure = sure.max(candidate.confidence);
    }
    for candidate in settled.kept {
        let path = &slots[candidate.slot].path;
        put(&mut parsed.payload, path, candidate.value);
        // An object is as sure as the least sure of its members.
        let sure = parsed
            .confidence
            .entry(path[0].clone())
            .or_insert(candidate.confidence);
        *sure = if path.len() > 1 {
            sure.min(candidate.confidence)
        } else {
            candidate.confidence
        };
    }
    parsed.payload = ordered(template, parsed.payload);
    parsed
}

/// The stems of the scenario's name and title.
fn about(template: &Template) -> Vec<String> {
    let titles = template
        .title
        .iter()
        .flat_map(|t| t.0.values())
        .map(|d| d.meaning.as_str());
    let scenario = template.scenario.replace(['_', '-'], " ");
    let named = titles
        .chain([scenario.as_str()])
        .flat_map(language::text::tokens);
    named.map(|t| t.stem).collect()
}

fn put(into: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [name] => {
            into.insert(name.clone(), value);
        }
        [name, rest @ ..] => {
            let object = into
                .entry(name.clone())
                .or_insert_with(|| Value::Object(Map::new()));
            if let Some(object) = object.as_object_mut() {
                put(object, rest, value);
            }
        }
    }
}

fn ordered(template: &Template, mut payload: Map<String, Value>) -> Map<String, Value> {
    let keys = template.own_keys().map(|k| k.key_name.clone());
    keys.filter_map(|name| payload.remove(&name).map(|v| (name, v)))
        .collect()
}
