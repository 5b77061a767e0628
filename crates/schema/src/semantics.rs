//! The contracts of those who understand language: from text to payload, and from text to vector; and
//! what scenarios are offered to them, and how they fit.
//!
//! Here, so that whoever evolves or fills schemas can be given one without knowing it. Who fulfils
//! them is told at each: the crate `semantics`, which this one does not know, and whoever else
//! likes. Read next: [`crate::evolution`].

use crate::language::Language;
use crate::steps::GivenUp;
use crate::template::{OTHER, Template};
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The circumstances of an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct Circumstances {
    /// The instant that "tomorrow" is counted from.
    pub now: Timestamp,
    /// Minutes east of UTC where the speaker is.
    pub zone_minutes: i32,
    /// The language, where it is known; found out otherwise.
    pub language: Option<Language>,
}

/// The payload that a parser made of an utterance (§6.1). The payload keeps to the template;
/// nothing is guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The keys whose confidence reaches the threshold.
    pub payload: Map<String, Value>,
    /// The confidence in each key of `payload`, and in each that fell below, 0 to 1.
    pub confidence: BTreeMap<String, f64>,
    /// The fragments of the utterance that no key covers: the values of `other`.
    pub other: Vec<String>,
    /// Required keys that the utterance says nothing of.
    pub missing: Vec<String>,
}

impl Parsed {
    /// The payload as it is sent: with the fragments that no key covers in `other` (§4.3), a string
    /// if it is one, an array if several.
    pub fn to_payload(&self) -> Map<String, Value> {
        let mut payload = self.payload.clone();
        match self.other.as_slice() {
            [] => {}
            [one] => {
                payload.insert(OTHER.to_owned(), Value::from(one.as_str()));
            }
            several => {
                payload.insert(OTHER.to_owned(), Value::from(several.to_vec()));
            }
        }
        payload
    }
}

/// A scenario that an agent offers (§3.2, step 2).
#[derive(Clone, Copy, Debug)]
pub struct OfferedScenario<'a> {
    /// The agent.
    pub agent: &'a str,
    /// The scenario.
    pub scenario: &'a str,
    /// The description by the agent or its registry.
    pub description: &'a str,
    /// The utterances of people who want it.
    pub examples: &'a [String],
    /// Its template.
    pub template: Option<&'a Template>,
}

/// The fit of a scenario to an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioFit {
    /// The offer, by its place.
    pub offer: usize,
    /// The agent.
    pub agent: String,
    /// The scenario.
    pub scenario: String,
    /// The score, 0 to 1.
    pub score: f64,
    /// The words of the utterance that it knows, as they were said.
    pub known: Vec<String>,
}

impl ScenarioFit {
    /// The reason for its score, for people.
    pub fn reason(&self) -> String {
        match self.known.is_empty() {
            true => "it knows none of the words".to_owned(),
            false => format!("it knows {}", self.known.join(", ")),
        }
    }
}

/// A scenario that fits, and what an utterance says of its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioReading {
    /// How well it fits.
    pub fit: ScenarioFit,
    /// What was said of its keys.
    pub parsed: Parsed,
    /// True if it requires something, and all of that was said.
    pub is_full: bool,
}

/// An utterance as it was understood among offers: the scenarios that it may be for, of which those that
/// fit nearly as well as the best were read (§3.2, steps 2 and 3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Understanding {
    /// The scenarios that fit nearly as well as the best, read, the better ones first; none if nothing fits.
    pub near: Vec<ScenarioReading>,
    /// The others, the better ones first; the nearest alone if nothing fits.
    pub others: Vec<ScenarioFit>,
}

impl Understanding {
    /// The best fit of which all was said that it requires, or else the best, taken out of those near. None if
    /// nothing fits.
    pub fn take_best(&mut self) -> Option<ScenarioReading> {
        let full = self.near.iter().position(|reading| reading.is_full);
        let is_any = !self.near.is_empty();
        is_any.then(|| self.near.remove(full.unwrap_or(0)))
    }
}

/// From text to payload (§6.1).
///
/// A parser of utterances. It holds for all: the payload is one that the template takes, but for
/// required keys that nobody said, which are `missing`; each of its keys has a confidence that
/// reaches the parser's threshold; values come from the utterance, from mapping examples or from
/// the declared type, never from nowhere; what is left of the utterance is `other`.
///
/// Fulfilled by `semantics::rules::Rules` (no model, the same at every call),
/// `semantics::endpoint::ModelEndpoint` (a model behind an OpenAI-compatible endpoint; feature
/// `endpoint`) and `semantics::gate::Gate` (both together). Used by `convoke schema parse`, `convoke
/// ask` and `convoke eval`; no server needs one (§6.1).
pub trait SemanticParser: Send + Sync {
    /// The name of the one that runs, for people: `rules`, or the model and its file.
    fn name(&self) -> &str;

    /// Maps an utterance to the keys of a template.
    ///
    /// # Errors
    /// [`ParseFailure`] if the parser itself cannot work; an utterance that fits nothing is no
    /// error, but all `other`.
    fn parse(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
    ) -> Result<Parsed, ParseFailure>;

    /// The same, for somebody who may not wait to the end: `over` is asked before it begins, and by
    /// who can stop in the middle now and then.
    ///
    /// # Errors
    /// As of [`SemanticParser::parse`]; [`FailureKind::Cancelled`] when `over` says so.
    fn parse_until(
        &self,
        template: &Template,
        utterance: &str,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure> {
        match over() {
            true => Err(ParseFailure::cancelled(self.name())),
            false => self.parse(template, utterance, circumstances),
        }
    }
}

/// An utterance was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{parser}: {reason}")]
pub struct ParseFailure {
    /// By which parser.
    pub parser: String,
    /// The kind of failure.
    pub kind: FailureKind,
    /// The reason, for people.
    pub reason: String,
}

/// The side whose failure it is that an utterance was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The parser's: its model or endpoint failed.
    Broken,
    /// The utterance's: it is more work than a parser does for one.
    TooMuch,
    /// Nobody's: who asked does not wait any longer.
    Cancelled,
}

impl ParseFailure {
    /// Of a parser that was told that nobody waits.
    pub fn cancelled(parser: &str) -> Self {
        Self::given_up(GivenUp::Cancelled, parser)
    }

    /// Of a parser of this name that gave a text up.
    pub fn given_up(why: GivenUp, parser: &str) -> Self {
        let kind = match why {
            GivenUp::Spent => FailureKind::TooMuch,
            GivenUp::Cancelled => FailureKind::Cancelled,
        };
        Self {
            parser: parser.to_owned(),
            kind,
            reason: why.to_string(),
        }
    }
}

/// From text to vector (§6.2.1).
///
/// A model that turns texts into vectors. It holds for all: the same text gives the same vector
/// under the same [`Self::id`], on every machine and in every release; all vectors are as long as
/// [`Self::dimensions`] says; opposition is mutual, and no text opposes itself.
///
/// Fulfilled by `semantics::ngrams::Ngrams` (hashed words and pieces of them, no model), with which
/// servers run. [`crate::evolution`] is its user: a pool is of one embedder, and refuses another's.
pub trait Embedder: Send + Sync {
    /// Names the embedder with all that its vectors depend on; a pool never mixes two.
    fn id(&self) -> &str;

    /// The length of its vectors.
    fn dimensions(&self) -> usize;

    /// The cosine from which two texts mean the same to this embedder.
    fn threshold(&self) -> f32;

    /// The vector of a text, of length 1; all zero for a text that says nothing.
    fn embed(&self, text: &str) -> Vec<f32>;

    /// True if two texts that lie close say the opposite ("reduce power", "increase power").
    fn opposes(&self, one: &str, other: &str) -> bool;
}
