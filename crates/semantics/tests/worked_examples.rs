//! The worked examples of draft-zhou §5, read by the built-in parser; D43 to D50, D62.
#![allow(clippy::unwrap_used)]

use schema::lint::TemplateOrigin;
use schema::semantics::{Circumstances, Parsed};
use schema::template::Template;
use schema::time::Timestamp;
use semantics::rules::Rules;
use serde_json::{Map, Value, json};

const FLIGHT: &str = "Book me a flight from Beijing to Shanghai next Monday, business class, and I prefer a window seat.";
const PHOTO: &str = "Please retouch this photo: smooth the skin, whiten teeth, make the background blurry, and add a vintage filter. Also, I want my eyes to look bigger.";

/// D45: the clock is an input; on Thursday, 30 April 2026, next Monday is 2026-05-04.
fn circumstances() -> Circumstances {
    let now = Timestamp::parse("2026-04-30T10:00:00+08:00").unwrap();
    Circumstances {
        now,
        zone_minutes: 480,
        language: None,
    }
}

fn read(template: &Template, utterance: &str) -> Parsed {
    Rules::default().read(template, utterance, &circumstances())
}

fn shipped(schema_id: &str) -> Template {
    schema::shipped::template(schema_id).unwrap()
}

/// The content of a figure: what was said, `other`, and the defaults of what was not said.
fn figure(template: &Template, parsed: &Parsed) -> Map<String, Value> {
    let mut payload = parsed.payload.clone();
    for key in template.own_keys() {
        if let Some(default) = &key.default_value {
            payload
                .entry(key.key_name.clone())
                .or_insert_with(|| default.clone());
        }
    }
    let other: Vec<Value> = parsed.other.iter().map(|f| f.as_str().into()).collect();
    match other.as_slice() {
        [] => {}
        [one] => drop(payload.insert("other".to_owned(), one.clone())),
        _ => drop(payload.insert("other".to_owned(), other.into())),
    }
    payload
}

/// Figure 2, its descriptions word for word as prose; a peer's template.
fn figure_2() -> Template {
    peer(json!({
        "schema_id": "flight_booking_v1",
        "scenario": "flight_booking",
        "keys": [
            {"key_name": "origin", "key_type": "string", "required": true, "default_value": null, "semantic_description": "Departure city or airport code. Acceptable values: IATA airport codes (e.g., PEK, SHA, JFK) or city names in English or local language. Example mapping: 'from Beijing' -> 'PEK'."},
            {"key_name": "destination", "key_type": "string", "required": true, "default_value": null, "semantic_description": "Arrival city or airport code. Acceptable values: IATA airport codes or city names. Example mapping: 'to Shanghai' -> 'SHA'."},
            {"key_name": "departure_date", "key_type": "string", "required": true, "default_value": null, "semantic_description": "Date of departure in ISO 8601 format (YYYY-MM-DD). Example mapping: 'next Monday' -> '2026-05-04'."},
            {"key_name": "cabin_class", "key_type": "string", "required": false, "default_value": "economy", "semantic_description": "Cabin class preference. Acceptable values: economy, premium_economy, business, first. Example mapping: 'business class' -> 'business'."},
            {"key_name": "passenger_count", "key_type": "integer", "required": false, "default_value": 1, "semantic_description": "Number of passengers. Range: 1-9. Example mapping: 'two people' -> 2."},
            {"key_name": "other", "key_type": "string", "required": false, "default_value": null, "semantic_description": "Escape valve for unstructured semantic fragments that cannot be mapped to existing keys. Example mapping: 'window seat please' -> 'window seat'."}
        ]
    }))
}

/// Figure 10, likewise.
fn figure_10() -> Template {
    peer(json!({
        "schema_id": "photo_retouch_v2",
        "scenario": "photo_retouch",
        "keys": [
            {"key_name": "skin_smoothing", "key_type": "integer", "required": false, "default_value": 0, "semantic_description": "Skin smoothing intensity. Range: 0-10, where 0 means off. Example: 'light skin smoothing' -> 3."},
            {"key_name": "teeth_whitening", "key_type": "boolean", "required": false, "default_value": false, "semantic_description": "Whether teeth whitening is enabled. Example: 'make the teeth whiter' -> true."},
            {"key_name": "background_blur", "key_type": "boolean", "required": false, "default_value": false, "semantic_description": "Whether background blur is enabled. Example: 'blur the background' -> true."},
            {"key_name": "filter_style", "key_type": "string", "required": false, "default_value": "none", "semantic_description": "Filter style. Acceptable values: none, vintage, cinematic, warm, cool. Example: 'vintage style' -> 'vintage'."},
            {"key_name": "eye_enlargement", "key_type": "boolean", "required": false, "default_value": false, "semantic_description": "Whether eye enlargement is enabled. Note: this key is a boolean switch; use other for fine-grained adjustment requests."},
            {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "Photo-editing requirements that cannot be mapped to existing keys. Example: 'make the eyes a little bigger' -> 'increase eye size proportionally'."}
        ]
    }))
}

fn peer(value: Value) -> Template {
    schema::read::template(&value, TemplateOrigin::Peer)
        .unwrap()
        .template
}

/// D43, D44, D45: the utterance of §5.1 becomes the payload of Figure 4, with the template of
/// Figure 2 and with ours.
#[test]
fn the_flight_of_section_5_1() {
    for template in [figure_2(), shipped("flight_booking_v1")] {
        let parsed = read(&template, FLIGHT);
        let said = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business"});
        assert_eq!(Value::Object(parsed.payload.clone()), said);
        assert_eq!(parsed.other, ["window seat"]);
        assert!(parsed.missing.is_empty());
        let expected = json!({
            "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
            "cabin_class": "business", "passenger_count": 1, "other": "window seat"
        });
        assert_eq!(Value::Object(figure(&template, &parsed)), expected);
    }
}

/// D48, D49, D50, D51, Q19, Q20: the utterance of §5.2 becomes the payload of Figure 5, with the
/// template of Figure 10 and with ours.
#[test]
fn the_photo_of_section_5_2() {
    for template in [figure_10(), shipped("photo_retouch_v2")] {
        let parsed = read(&template, PHOTO);
        let said = json!({"skin_smoothing": 7, "teeth_whitening": true, "background_blur": true, "filter_style": "vintage"});
        assert_eq!(Value::Object(parsed.payload.clone()), said);
        assert_eq!(parsed.other, ["increase eye size proportionally"]);
        let expected = json!({
            "skin_smoothing": 7, "teeth_whitening": true, "background_blur": true, "filter_style": "vintage",
            "eye_enlargement": false, "other": "increase eye size proportionally"
        });
        assert_eq!(Value::Object(figure(&template, &parsed)), expected);
    }
}

/// D44 in Chinese: a mapping example in English holds for the same city in Chinese.
#[test]
fn the_flight_in_chinese() {
    let template = shipped("flight_booking_v1");
    let parsed = read(
        &template,
        "帮我订下周一从北京到上海的机票，商务舱，我要靠窗的座位。",
    );
    let said = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business"});
    assert_eq!(Value::Object(parsed.payload), said);
    assert_eq!(parsed.other, ["靠窗的座位"]);
}

/// D45: without the clock "next Monday" has no date; another clock gives another.
#[test]
fn next_monday_depends_on_the_clock() {
    let now = Timestamp::parse("2027-01-01T00:00:00Z").unwrap();
    let later = Circumstances {
        now,
        zone_minutes: 0,
        language: None,
    };
    let parsed = Rules::default().read(&figure_2(), FLIGHT, &later);
    assert_eq!(parsed.payload["departure_date"], "2027-01-04");
}

/// D62, Q52: what falls below the threshold goes to `other` with its confidence told, and nothing
/// is guessed.
#[test]
fn what_falls_below_the_threshold_goes_to_other() {
    let template = figure_2();
    let strict = Rules::new(0.96).read(&template, FLIGHT, &circumstances());
    assert_eq!(
        Value::Object(strict.payload),
        json!({"cabin_class": "business"})
    );
    assert!(strict.confidence["origin"] < 0.96);
    assert_eq!(strict.missing, ["origin", "destination", "departure_date"]);
    let left = strict.other.join(" ");
    for fragment in ["Beijing", "Shanghai", "next Monday", "window seat"] {
        assert!(left.contains(fragment), "{fragment} in {left}");
    }
}

/// D41: `other` holds nothing that a key covers, and nothing at all where keys cover everything.
#[test]
fn other_is_kept_small() {
    let parsed = read(
        &figure_2(),
        "Please fly me from Rome to JFK on 2026-07-12, first class, 3 passengers, thanks.",
    );
    assert_eq!(parsed.other, Vec::<String>::new());
    assert_eq!(parsed.payload["passenger_count"], 3);
    let parsed = read(
        &figure_10(),
        "Vintage style, no background blur, and crop it to a square.",
    );
    assert_eq!(parsed.payload["background_blur"], false);
    assert_eq!(parsed.other, ["crop it to a square"]);
}

/// D13, Q16: nothing said is nothing known.
#[test]
fn an_empty_utterance_says_nothing() {
    for utterance in ["", "   ", "?!", "…"] {
        let parsed = read(&figure_2(), utterance);
        assert!(
            parsed.payload.is_empty() && parsed.other.is_empty(),
            "{utterance:?}"
        );
        assert_eq!(parsed.missing.len(), 3);
    }
}
