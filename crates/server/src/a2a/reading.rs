//! Plain text of A2A, read as `convoke ask` reads it: first the scenario is chosen, then its
//! payload parsed.
//!
//! Nothing is guessed: where no scenario fits, or two fit equally, the agent asks back. Read next:
//! `semantics::choose`, `semantics::rules`.

use bindings::a2a::{ByParser, SkillOffer, WordReader, WordReading};
use domain::time::Timestamp;
use schema::semantics::ParseFailure;
use schema::template::Template;
use semantics::choose::{self, NEAR, ScenarioChoice, choose_until};
use semantics::ngrams::Ngrams;
use semantics::rules::Rules;
use serde_json::{Map, Value};

/// Chooses by the descriptions of scenarios, and parses by rules, in UTC.
pub(super) struct ByWords {
    parser: ByParser,
}

impl Default for ByWords {
    fn default() -> Self {
        Self {
            parser: ByParser::new(Box::new(Rules::default()), 0),
        }
    }
}

impl WordReader for ByWords {
    fn read(
        &self,
        words: &str,
        offers: &[SkillOffer<'_>],
        now: Timestamp,
        over: &dyn Fn() -> bool,
    ) -> Result<WordReading, ParseFailure> {
        let described: Vec<choose::OfferedScenario<'_>> = offers.iter().map(described).collect();
        let chosen = choose_until(words, &described, &Ngrams::default(), over)?;
        let ScenarioChoice::Fits(best, others) = chosen else {
            return Ok(WordReading::Unclear);
        };
        let near = others.iter().filter(|fit| fit.score >= best.score * NEAR);
        let near: Vec<SkillOffer<'_>> = std::iter::once(&best)
            .chain(near)
            .map(|fit| offers[fit.offer])
            .collect();
        match near.as_slice() {
            [only] => self
                .parser
                .complete(words, only.template, &Map::new(), now, over),
            several => self.parser.read(words, several, now, over),
        }
    }

    fn complete(
        &self,
        words: &str,
        template: &Template,
        before: &Map<String, Value>,
        now: Timestamp,
        over: &dyn Fn() -> bool,
    ) -> Result<WordReading, ParseFailure> {
        self.parser.complete(words, template, before, now, over)
    }
}

fn described<'a>(offer: &SkillOffer<'a>) -> choose::OfferedScenario<'a> {
    choose::OfferedScenario {
        agent: "",
        scenario: &offer.template.scenario,
        description: &offer.skill.description,
        examples: &offer.skill.examples,
        template: Some(offer.template),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use domain::profile::Skill;
    use schema::shipped;

    fn read(words: &str) -> WordReading {
        let of = |id: &str| (Skill::default(), shipped::template(id).unwrap());
        let skills = ["fault_diagnosis_v1", "fault_repair_v1"].map(of);
        let offers: Vec<SkillOffer<'_>> = skills
            .iter()
            .map(|(skill, template)| SkillOffer { skill, template })
            .collect();
        let now = Timestamp::parse("2026-11-22T12:00:00Z").unwrap();
        ByWords::default()
            .read(words, &offers, now, &|| false)
            .unwrap()
    }

    #[test]
    fn what_nobody_knows_is_asked_back() {
        assert_eq!(read("bake a cake with three eggs"), WordReading::Unclear);
    }
}
