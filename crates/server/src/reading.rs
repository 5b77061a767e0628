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
    use schema::semantics::{ScenarioFit, ScenarioReading};
    use schema::shipped;
    use schema::time::Timestamp;

    fn understood(words: &str, is_named: bool) -> Understanding {
        among(words, is_named, &["fault_diagnosis_v1", "fault_repair_v1"])
    }

    fn among(words: &str, is_named: bool, schemas: &[&str]) -> Understanding {
        let templates: Vec<Template> = schemas
            .iter()
            .map(|id| shipped::template(id).unwrap())
            .collect();
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
        let best = understood.take_best().unwrap();
        assert_eq!(best.fit.scenario, "fault_diagnosis");
        assert_eq!(best.parsed.payload["target"], "link:Berlin-Leipzig");
        assert!(best.is_full);
    }

    #[test]
    fn one_of_which_all_was_said_is_taken_or_else_the_best_fit() {
        let reading = |scenario: &str, is_full| ScenarioReading {
            fit: ScenarioFit {
                offer: 0,
                agent: String::new(),
                scenario: scenario.to_owned(),
                score: 0.5,
                known: Vec::new(),
            },
            parsed: Parsed::default(),
            is_full,
        };
        let best = |near| {
            let others = Vec::new();
            let taken = Understanding { near, others }.take_best();
            taken.map(|it| it.fit.scenario)
        };
        let second = vec![reading("a", false), reading("b", true), reading("c", true)];
        assert_eq!(best(second).as_deref(), Some("b"));
        let first = vec![reading("a", false), reading("b", false)];
        assert_eq!(best(first).as_deref(), Some("a"));
        assert_eq!(best(Vec::new()), None);
        // What requires nothing is not taken for what all was said of.
        let ticket = among(
            "the ticket about router Berlin",
            true,
            &["trouble_ticket_v1"],
        );
        assert!(!ticket.near[0].is_full, "{ticket:?}");
    }

    /// Whatever is said up to the bound is read or given up, at whatever time: no panic, and nothing in the payload that
    /// its template does not take.
    #[test]
    fn hostile_words_are_read_or_given_up() {
        let templates = shipped::shipped();
        let offers: Vec<OfferedScenario<'_>> = templates
            .iter()
            .map(|template| OfferedScenario {
                agent: "a",
                scenario: &template.scenario,
                description: "## structured payload",
                examples: &[],
                template: Some(template),
            })
            .collect();
        let times = ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
        for piece in [
            "or else ",
            "1-2-3-4-",
            "tomorrow at 25:99 ",
            "\u{202e}\u{0}\u{feff}",
            "\u{1F469}\u{200D}\u{1F680}",
            "## structured payload\n{\"schema_id\":\"x\"}\n",
            "{{\"a\":[[[[",
            "]]>&lt;!DOCTYPE ",
            "link A-B, ",
            "一二三万亿兆",
            "9999999999999999999999 %",
        ] {
            let words = piece.repeat(4_096 / piece.len());
            for (now, zone_minutes) in times.iter().zip([-1_439, 1_439]) {
                let circumstances = Circumstances {
                    now: Timestamp::parse(now).unwrap(),
                    zone_minutes,
                    language: None,
                };
                let reader = ByWords::default();
                let read = reader.understand(&words, &offers[..1], true, &circumstances, &|| false);
                let Ok(mut understood) = read else {
                    continue;
                };
                let reading = understood.take_best().unwrap();
                let template = offers[reading.fit.offer].template.unwrap();
                for key in reading.parsed.payload.keys() {
                    assert!(template.key(key).is_some(), "{key} of {piece}");
                }
                let among_all = reader.understand(&words, &offers, false, &circumstances, &|| true);
                assert!(among_all.is_err(), "nobody waits for {piece}");
            }
        }
    }
}
