//! Plain words of a message, read as a payload; the uncertain is asked back (Q52, Q73).
//!
//! Refuses to guess: of two readings that fit as well none is taken. Who reads is [`WordReader`]. Read next:
//! [`super::assignment`].

use crate::words::WordReader;
use domain::content::Payload;
use domain::profile::Skill;
use domain::time::Timestamp;
use schema::semantics::{Circumstances, OfferedScenario, ParseFailure, ScenarioReading};
use schema::template::Template;
use serde_json::{Map, Value};

/// Something that an agent takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SkillOffer<'a> {
    /// The skill.
    pub(super) skill: &'a Skill,
    /// The template of its payloads.
    pub(super) template: &'a Template,
}

impl<'a> SkillOffer<'a> {
    fn scenario(&self) -> OfferedScenario<'a> {
        OfferedScenario {
            agent: "",
            scenario: &self.template.scenario,
            description: &self.skill.description,
            examples: &self.skill.examples,
            template: Some(self.template),
        }
    }
}

/// The result of reading words.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WordReading {
    /// A payload that lacks nothing.
    Understood(Payload),
    /// A payload that lacks keys.
    Lacks {
        /// The values said.
        payload: Payload,
        /// The keys that nobody said.
        missing: Vec<String>,
    },
    /// It is not sure what is wanted.
    Unclear,
}

/// Reads words for an agent that takes these.
///
/// # Errors
/// As of [`WordReader::understand`].
pub(super) fn read(
    reader: &dyn WordReader,
    words: &str,
    offers: &[SkillOffer<'_>],
    now: Timestamp,
    over: &dyn Fn() -> bool,
) -> Result<WordReading, ParseFailure> {
    let scenarios: Vec<_> = offers.iter().map(SkillOffer::scenario).collect();
    let understood = reader.understand(words, &scenarios, false, &circumstances(now), over)?;
    let reading = |it: &ScenarioReading| {
        let template = offers[it.fit.offer].template;
        read_as(template, it.parsed.to_payload())
    };
    Ok(match understood.near.as_slice() {
        [] => WordReading::Unclear,
        [only] => reading(only),
        several => clearest(several).map_or(WordReading::Unclear, reading),
    })
}

/// Reads words that complete a payload.
///
/// # Errors
/// As of [`WordReader::parse`].
pub(super) fn complete(
    reader: &dyn WordReader,
    words: &str,
    template: &Template,
    before: &Map<String, Value>,
    now: Timestamp,
    over: &dyn Fn() -> bool,
) -> Result<WordReading, ParseFailure> {
    let parsed = reader.parse(words, template, &circumstances(now), over)?;
    let mut values = before.clone();
    values.extend(parsed.payload);
    Ok(read_as(template, values))
}

/// The one that lacks least and says most; none if nothing is said of any, or two are as good.
fn clearest(several: &[ScenarioReading]) -> Option<&ScenarioReading> {
    let rank = |it: &ScenarioReading| {
        (
            it.parsed.missing.len(),
            usize::MAX - it.parsed.payload.len(),
        )
    };
    let says = several.iter().filter(|it| !it.parsed.payload.is_empty());
    let mut says: Vec<&ScenarioReading> = says.collect();
    says.sort_by_key(|it| rank(it));
    match says.as_slice() {
        [one, other, ..] if rank(one) == rank(other) => None,
        all => all.first().copied(),
    }
}

/// A message says nothing of where its speaker is.
fn circumstances(now: Timestamp) -> Circumstances {
    Circumstances {
        now,
        zone_minutes: 0,
        language: None,
    }
}

/// Reads values as those of a template: a payload, or one that lacks keys.
fn read_as(template: &Template, values: Map<String, Value>) -> WordReading {
    let missing = template.missing(&values);
    let payload = Payload {
        schema_id: template.schema_id.clone(),
        values,
    };
    match missing.is_empty() {
        true => WordReading::Understood(payload),
        false => WordReading::Lacks { payload, missing },
    }
}
