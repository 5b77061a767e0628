//! Plain words, read as `convoke ask` reads them: first the scenario is chosen, then its payload parsed, by rules.
//!
//! Knows no protocol: A2A reads messages with it, `parse-utterance` what people say before they send it. Where
//! nothing fits, that is the answer. Read next: `semantics::choose`, `semantics::rules`.

use bindings::words::WordReader;
use schema::semantics::{
    Circumstances, OfferedScenario, ParseFailure, Parsed, SemanticParser, Understanding,
};
use schema::template::Template;
use semantics::choose::{choose_until, read_near};
use semantics::ngrams::Ngrams;
use semantics::rules::Rules;

/// Chooses by what scenarios say of themselves, and parses by rules.
#[derive(Clone, Debug, Default)]
pub struct ByWords {
    parser: Rules,
}

impl WordReader for ByWords {
    fn name(&self) -> &str {
        self.parser.name()
    }

    fn understand(
        &self,
        words: &str,
        offers: &[OfferedScenario<'_>],
        is_named: bool,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Understanding, ParseFailure> {
        let choice = choose_until(words, offers, &Ngrams::default(), over)?;
        read_near(choice, offers, is_named, |template| {
            self.parse(words, template, circumstances, over)
        })
    }

    fn parse(
        &self,
        words: &str,
        template: &Template,
        circumstances: &Circumstances,
        over: &dyn Fn() -> bool,
    ) -> Result<Parsed, ParseFailure> {
        self.parser
            .parse_until(template, words, circumstances, over)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use schema::shipped;
    use schema::time::Timestamp;

    fn understood(words: &str, is_named: bool) -> Understanding {
        let templates =
            ["fault_diagnosis_v1", "fault_repair_v1"].map(|id| shipped::template(id).unwrap());
        let offers = templates.iter().map(|template| OfferedScenario {
            agent: "",
            scenario: &template.scenario,
            description: "",
            examples: &[],
            template: Some(template),
        });
        let offers: Vec<OfferedScenario<'_>> = offers.collect();
        let circumstances = Circumstances {
            now: Timestamp::parse("2026-11-22T12:00:00Z").unwrap(),
            zone_minutes: 0,
            language: None,
        };
        let reader = ByWords::default();
        let read = reader.understand(words, &offers, is_named, &circumstances, &|| false);
        read.unwrap()
    }

    #[test]
    fn what_nobody_knows_fits_nothing() {
        let cake = "bake a cake with three eggs";
        assert!(understood(cake, false).near.is_empty());
        // Whoever names the scenario has chosen.
        let named = understood(cake, true);
        assert_eq!(named.near.len(), 1);
        assert!(named.near[0].parsed.payload.is_empty());
    }

    #[test]
    fn what_fits_is_read() {
        let mut understood = understood("Please diagnose link Berlin-Leipzig", false);
        let fullest = understood.take_fullest().unwrap();
        assert_eq!(fullest.fit.scenario, "fault_diagnosis");
        assert_eq!(fullest.parsed.payload["target"], "link:Berlin-Leipzig");
        assert_eq!(fullest.lacks, 0.0);
    }
}
