//! Rules and a model together: where both say the same it stands, what one alone says must be
//! surer, and nothing passes that the template does not take.
//!
//! ```text
//! rules ─┐
//!        ├─► agree? ─► one alone, sure enough? ─► type gate ─► payload
//! model ─┘        └──────────────── no ───────────────────────► other
//! ```
//!
//! Where a small model and the rules agree, they are right nine times in ten, even on what the rules
//! alone are not sure enough of ([`Gate::weighing`]); its own probabilities separate weakly. So
//! agreement is the confidence, and a model alone needs more of it than the rules. Its strings must stand in the utterance, in a mapping example or among the acceptable
//! values: what a model makes up has no way in. Read next: [`crate::rules`].

use crate::rules;
use crate::type_gate::{leave, plain, type_gate};
use schema::semantics::{Circumstances, FailureKind, ParseFailure, Parsed, SemanticParser};
use schema::template::{Key, Shape, Template};
use serde_json::Value;

/// From which confidence a value stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The least confidence of what both say. 0.9 by default.
    pub agreed: f64,
    /// The threshold of what the rules say and the model does not. 0.7 by default.
    pub rules_alone: f64,
    /// The threshold of what the model says and the rules do not. 0.85 by default; it belongs to
    /// the model, and for a small one there is none ([`Thresholds::SMALL`]).
    pub model_alone: f64,
    /// The threshold of what the rules say against the model. 0.8 by default.
    pub rules_against_model: f64,
}

impl Thresholds {
    /// For a model that is right too seldom to be believed alone, however sure it is: it only tells
    /// what of the rules stands.
    pub const SMALL: Self = Self {
        agreed: 0.9,
        rules_alone: rules::THRESHOLD,
        model_alone: f64::INFINITY,
        rules_against_model: 0.8,
    };
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            agreed: 0.9,
            rules_alone: rules::THRESHOLD,
            model_alone: 0.85,
            rules_against_model: 0.8,
        }
    }
}

/// From which confidence a reading of the rules is worth the model's word: more likely than not.
pub const LIKELY: f64 = 0.5;

/// Two parsers as one.
#[derive(Clone, Debug)]
pub struct Gate<R, M> {
    name: String,
    rules: R,
    model: M,
    proposals: Option<R>,
    thresholds: Thresholds,
    bears_failures: bool,
}

impl<R: SemanticParser, M: SemanticParser> Gate<R, M> {
    /// The rules and a model, with the default [`Thresholds`].
    pub fn new(rules: R, model: M) -> Self {
        let name = format!("{} + {}", rules.name(), model.name());
        Self {
            name,
            rules,
            model,
            proposals: None,
            thresholds: Thresholds::default(),
            bears_failures: false,
        }
    }

    /// Lets the rules stand alone where the model cannot work, instead of failing with it. For whoever
    /// must answer; the failure is told to nobody.
    pub fn bearing_failures(mut self) -> Self {
        self.bears_failures = true;
        self
    }

    /// Weighs what the rules hold for likely and not for sure: it stands if the model says the same.
    /// `proposals` are the rules at a lower threshold, [`LIKELY`] as measured.
    pub fn weighing(mut self, proposals: R) -> Self {
        self.proposals = Some(proposals);
        self
    }

    /// With other thresholds.
    pub fn with(mut self, thresholds: Thresholds) -> Self {
        self.thresholds = thresholds;
        self
    }
}

impl<R: SemanticParser, M: SemanticParser> SemanticParser for Gate<R, M> {
    fn name(&self) -> &str {
        &self.name
    }

    /// # Errors
    /// [`ParseFailure`] of whichever cannot work: a model that is configured and silent is told,
    /// unless the gate bears it ([`Gate::bearing_failures`]).
    fn parse(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Result<Parsed, ParseFailure> {
        self.parse_until(template, utterance, circumstances, &|| false)
    }

    fn parse_until(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure> {
        let ruled = self
            .rules
            .parse_until(template, utterance, circumstances, over)?;
        let modelled = self
            .model
            .parse_until(template, utterance, circumstances, over);
        let modelled = match modelled {
            Err(it) if self.bears_failures && it.kind == FailureKind::Broken => Parsed::default(),
            modelled => modelled?,
        };
        let proposed = match &self.proposals {
            Some(proposals) => proposals.parse_until(template, utterance, circumstances, over)?,
            None => Parsed::default(),
        };
        let ruled = confirmed(template, ruled, proposed, &modelled);
        let mut joined = Merged {
            utterance,
            parsed: Parsed {
                other: ruled.other.clone(),
                ..Parsed::default()
            },
        };
        for key in template.own_keys() {
            joined.decide(
                key,
                said(&ruled, key),
                said(&modelled, key),
                &self.thresholds,
            );
        }
        type_gate(template, utterance, &mut joined.parsed);
        Ok(joined.parsed)
    }
}

/// Joins what the rules say, and what they propose where the model says the same.
fn confirmed(template: &Template, mut ruled: Parsed, proposed: Parsed, model: &Parsed) -> Parsed {
    let mut all = true;
    for key in template.own_keys() {
        let Some((value, confidence)) = said(&proposed, key) else {
            continue;
        };
        if said(&ruled, key).is_some() {
            continue;
        }
        if said(model, key).is_some_and(|(theirs, _)| same(value, theirs)) {
            let name = key.key_name.clone();
            ruled.payload.insert(name.clone(), value.clone());
            ruled.confidence.insert(name, confidence);
        } else {
            all = false;
        }
    }
    // What is left over is known for all proposals together only: else too much stays in `other`.
    if all && !proposed.payload.is_empty() {
        ruled.other = proposed.other;
    }
    ruled
}

fn said<'p>(parsed: &'p Parsed, key: &Key) -> Option<(&'p Value, f64)> {
    let value = parsed.payload.get(&key.key_name).filter(|v| !v.is_null())?;
    Some((
        value,
        parsed.confidence.get(&key.key_name).copied().unwrap_or(0.0),
    ))
}

/// The decisions so far.
struct Merged<'u> {
    utterance: &'u str,
    parsed: Parsed,
}

impl Merged<'_> {
    fn decide(
        &mut self,
        key: &Key,
        rules: Option<(&Value, f64)>,
        model: Option<(&Value, f64)>,
        thresholds: &Thresholds,
    ) {
        let model = model.filter(|(value, _)| grounded(key, value, self.utterance));
        match (rules, model) {
            (None, None) => {}
            (Some((ours, r)), Some((theirs, m))) if same(ours, theirs) => {
                self.keep(key, ours, thresholds.agreed.max(r).max(m));
            }
            (Some((ours, r)), None) => self.alone(key, ours, r, thresholds.rules_alone),
            (None, Some((theirs, m))) => self.alone(key, theirs, m, thresholds.model_alone),
            (Some((ours, r)), Some((theirs, m))) => {
                if r < thresholds.rules_against_model && m >= thresholds.model_alone && m > r {
                    self.keep(key, theirs, m);
                } else {
                    self.alone(
                        key,
                        ours,
                        r,
                        thresholds
                            .rules_against_model
                            .min(thresholds.rules_alone.max(r.min(m))),
                    );
                }
            }
        }
    }

    fn alone(&mut self, key: &Key, value: &Value, confidence: f64, threshold: f64) {
        if confidence >= threshold {
            self.keep(key, value, confidence);
        } else {
            self.parsed
                .confidence
                .insert(key.key_name.clone(), confidence);
            leave(&mut self.parsed.other, self.utterance, value);
        }
    }

    fn keep(&mut self, key: &Key, value: &Value, confidence: f64) {
        // What is a key's value is no longer left over.
        if let Some(text) = value.as_str().map(plain) {
            self.parsed.other.retain(|fragment| plain(fragment) != text);
        }
        self.parsed
            .payload
            .insert(key.key_name.clone(), value.clone());
        self.parsed
            .confidence
            .insert(key.key_name.clone(), confidence);
    }
}

/// True if two values are the same to the key: texts whatever their case and spacing, numbers by
/// value.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(a), Value::String(b)) => plain(a) == plain(b),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (a, b) => a == b,
    }
}

/// True if a value does not come from nowhere: its texts stand in the utterance, among the
/// acceptable values or in a mapping example, or are typed (a format or a pattern holds them).
pub(crate) fn grounded(key: &Key, value: &Value, utterance: &str) -> bool {
    let examples = key.annotation.0.values().flat_map(|d| &d.examples);
    examples.into_iter().any(|e| same(&e.value, value)) || stands(&key.shape, value, utterance)
}

fn stands(shape: &Shape, value: &Value, utterance: &str) -> bool {
    let constraint = &shape.constraint;
    match value {
        Value::String(text) => {
            constraint.allowed.iter().any(|a| same(a, value))
                || constraint.format.is_some()
                || (!text.trim().is_empty() && plain(utterance).contains(&plain(text)))
        }
        Value::Array(entries) => {
            let entry = constraint.items.as_deref();
            entries
                .iter()
                .all(|e| entry.map_or_else(|| loose(e, utterance), |s| stands(s, e, utterance)))
        }
        Value::Object(members) => members.iter().all(|(name, member)| {
            let declared = constraint.properties.iter().find(|p| p.name == *name);
            declared.map_or_else(
                || loose(member, utterance),
                |p| stands(&p.shape, member, utterance),
            )
        }),
        Value::Number(number) => counted(number.as_f64().unwrap_or(0.0), utterance),
        Value::Bool(_) | Value::Null => true,
    }
}

fn loose(value: &Value, utterance: &str) -> bool {
    stands(&Shape::of(schema::template::KeyType::Any), value, utterance)
}

/// True if an utterance says a number, in whatever unit.
fn counted(number: f64, utterance: &str) -> bool {
    let text = language::text::Text::new(utterance);
    let quantities = language::quantity::quantities(&text, &[]);
    quantities.is_empty()
        && text
            .tokens
            .iter()
            .any(|t| crate::lexicon::degree(&t.text).is_some())
        || quantities.iter().any(|q| q.comes_to(number))
}
