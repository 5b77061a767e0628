//! Plain words, read as a payload; the uncertain is asked back (Q52, Q73).
//!
//! Knows the contract of who reads, and a reader made of any parser. Refuses to guess: of two
//! readings that fit as well none is taken. Read next: [`super::assignment`].

use domain::content::Payload;
use domain::profile::Skill;
use domain::time::Timestamp;
use schema::semantics::{Circumstances, ParseFailure, Parsed, SemanticParser};
use schema::template::Template;
use serde_json::{Map, Value};

/// Something that an agent takes.
#[derive(Clone, Copy, Debug)]
pub struct SkillOffer<'a> {
    /// The skill.
    pub skill: &'a Skill,
    /// The template of its payloads.
    pub template: &'a Template,
}

/// The result of reading words.
#[derive(Clone, Debug, PartialEq)]
pub enum WordReading {
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

/// A reader of words. Chosen by the operator; the platform runs no model by default.
pub trait WordReader: Send + Sync {
    /// Reads words for an agent that takes these. `over` is asked now and then whether nobody waits
    /// any more.
    ///
    /// # Errors
    /// [`ParseFailure`] if the reader itself cannot work, the words are too much work, or `over`
    /// says so.
    fn read(
        &self,
        words: &str,
        offers: &[SkillOffer<'_>],
        now: Timestamp,
        over: &dyn Fn() -> bool,
    ) -> Result<WordReading, ParseFailure>;

    /// Reads words that complete a payload.
    ///
    /// # Errors
    /// As of [`WordReader::read`].
    fn complete(
        &self,
        words: &str,
        template: &Template,
        before: &Map<String, Value>,
        now: Timestamp,
        over: &dyn Fn() -> bool,
    ) -> Result<WordReading, ParseFailure>;
}

/// Reads by a parser alone: the template of which it finds most.
pub struct ByParser {
    parser: Box<dyn SemanticParser>,
    zone_minutes: i32,
}

impl ByParser {
    /// With a parser, for people so many minutes east of UTC.
    pub fn new(parser: Box<dyn SemanticParser>, zone_minutes: i32) -> Self {
        Self {
            parser,
            zone_minutes,
        }
    }

    fn parse(
        &self,
        words: &str,
        template: &Template,
        now: Timestamp,
        over: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure> {
        let circumstances = Circumstances {
            now,
            zone_minutes: self.zone_minutes,
            language: None,
        };
        self.parser
            .parse_until(template, words, &circumstances, over)
    }
}

impl WordReader for ByParser {
    fn read(
        &self,
        words: &str,
        offers: &[SkillOffer<'_>],
        now: Timestamp,
        over: &dyn Fn() -> bool,
    ) -> Result<WordReading, ParseFailure> {
        let mut fits: Vec<(usize, usize, WordReading)> = Vec::new();
        for offer in offers {
            let parsed = self.parse(words, offer.template, now, over)?;
            if !parsed.payload.is_empty() {
                let (missing, said) = (parsed.missing.len(), parsed.payload.len());
                let reading = read_as(offer.template, parsed.to_payload());
                fits.push((missing, usize::MAX - said, reading));
            }
        }
        fits.sort_by_key(|(missing, unsaid, _)| (*missing, *unsaid));
        let as_well = |(a, b): (&_, &_)| {
            let rank = |(missing, unsaid, _): &(usize, usize, WordReading)| (*missing, *unsaid);
            rank(a) == rank(b)
        };
        let is_tie = fits.first().zip(fits.get(1)).is_some_and(as_well);
        let best = fits.into_iter().next().filter(|_| !is_tie);
        Ok(best.map_or(WordReading::Unclear, |(.., reading)| reading))
    }

    fn complete(
        &self,
        words: &str,
        template: &Template,
        before: &Map<String, Value>,
        now: Timestamp,
        over: &dyn Fn() -> bool,
    ) -> Result<WordReading, ParseFailure> {
        let mut values = before.clone();
        values.extend(self.parse(words, template, now, over)?.payload);
        Ok(read_as(template, values))
    }
}

/// Reads values as those of a template: a payload, or one that lacks keys.
pub(super) fn read_as(template: &Template, values: Map<String, Value>) -> WordReading {
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
