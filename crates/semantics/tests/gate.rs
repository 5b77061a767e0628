//! Rules and a model behind the gate, over parsers that say what they are told to.
#![allow(clippy::unwrap_used)]

use schema::semantics::{Circumstances, ParseFailure, Parsed, SemanticParser};
use schema::template::Template;
use schema::time::Timestamp;
use semantics::gate::{Gate, LIKELY, Thresholds};
use serde_json::{Value, json};

const UTTERANCE: &str = "Fly me from Beijing to Shanghai in business class";

/// Says these values with these confidences; those below its threshold are left over.
#[derive(Clone, Default)]
struct Says {
    values: Vec<(&'static str, Value, f64)>,
    threshold: f64,
}

impl SemanticParser for Says {
    fn name(&self) -> &str {
        "says"
    }

    fn parse(&self, _: &Template, _: &str, _: &Circumstances) -> Result<Parsed, ParseFailure> {
        let mut parsed = Parsed::default();
        for (key, value, confidence) in &self.values {
            parsed.confidence.insert((*key).to_owned(), *confidence);
            if *confidence >= self.threshold {
                parsed.payload.insert((*key).to_owned(), value.clone());
            } else {
                parsed.other.push(format!("of {key}"));
            }
        }
        Ok(parsed)
    }
}

fn says(values: &[(&'static str, &str, f64)], threshold: f64) -> Says {
    let values = values.iter();
    let values = values.map(|(key, value, sure)| (*key, json!(value), *sure));
    Says {
        values: values.collect(),
        threshold,
    }
}

fn parsed(gate: Gate<Says, Says>) -> Parsed {
    let template = schema::shipped::template("flight_booking_v1").unwrap();
    let circumstances = Circumstances {
        now: Timestamp::parse("2026-04-30T10:00:00+08:00").unwrap(),
        zone_minutes: 480,
        language: None,
    };
    gate.parse(&template, UTTERANCE, &circumstances).unwrap()
}

fn weighing(
    rules: &[(&'static str, &str, f64)],
    model: &[(&'static str, &str, f64)],
) -> Gate<Says, Says> {
    Gate::new(says(rules, 0.7), says(model, 0.0)).weighing(says(rules, LIKELY))
}

/// §6.1: what the rules hold for likely stands if the model says the same, with what is left over
/// then; not if it says another thing, or nothing.
#[test]
fn the_model_confirms_what_the_rules_are_unsure_of() {
    let rules = [("origin", "PEK", 0.9), ("destination", "SHA", 0.6)];
    let confirmed = parsed(weighing(&rules, &[("destination", "sha", 0.2)]));
    assert_eq!(
        Value::Object(confirmed.payload),
        json!({"origin": "PEK", "destination": "SHA"})
    );
    assert_eq!(confirmed.confidence["destination"], 0.9);
    assert!(confirmed.other.is_empty());
    for model in [&[("destination", "PEK", 0.99)][..], &[]] {
        let alone = parsed(weighing(&rules, model).with(Thresholds::SMALL));
        assert_eq!(Value::Object(alone.payload), json!({"origin": "PEK"}));
        assert_eq!(alone.other, ["of destination"]);
    }
}

/// One of two is confirmed: nothing of the other is lost.
#[test]
fn what_is_not_confirmed_is_left_over() {
    let rules = [("origin", "PEK", 0.6), ("destination", "SHA", 0.6)];
    let half = parsed(weighing(&rules, &[("destination", "SHA", 0.9)]));
    assert_eq!(Value::Object(half.payload), json!({"destination": "SHA"}));
    assert!(half.other.contains(&"of origin".to_owned()));
}

/// Less likely than not is no reading to be confirmed.
#[test]
fn an_unlikely_reading_stays_out() {
    let rules = [("destination", "SHA", 0.45)];
    let model = [("destination", "SHA", 0.9)];
    let parsed = parsed(weighing(&rules, &model).with(Thresholds::SMALL));
    assert!(parsed.payload.is_empty());
}

/// A small model is never believed alone, nor against the rules, however sure it is; another is from
/// its own threshold on.
#[test]
fn a_model_alone_needs_its_own_threshold() {
    let rules = [("origin", "PEK", 0.72)];
    let model = [("origin", "SHA", 1.0), ("cabin_class", "business", 0.9)];
    let small = parsed(weighing(&rules, &model).with(Thresholds::SMALL));
    assert_eq!(Value::Object(small.payload), json!({"origin": "PEK"}));
    let large = parsed(weighing(&rules, &model[1..]));
    assert_eq!(
        Value::Object(large.payload),
        json!({"origin": "PEK", "cabin_class": "business"})
    );
}
