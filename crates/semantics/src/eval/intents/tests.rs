//! The scorer: an instant in any zone, a default that may be left out.

use super::*;
use serde_json::json;

#[test]
fn an_instant_is_right_in_any_zone() {
    for (given, wanted, right) in [
        ("2026-05-04T10:00:00+02:00", "2026-05-04T08:00:00Z", true),
        ("2026-05-04T08:00:00.000Z", "2026-05-04T08:00:00Z", true),
        ("2026-05-04T10:00:00Z", "2026-05-04T10:00:00+02:00", false),
        ("2026-05-04", "2026-05-04T00:00:00Z", false),
        ("Potsdam ", "potsdam", true),
    ] {
        assert_eq!(
            matches(&json!(given), &json!(wanted)),
            right,
            "{given} for {wanted}"
        );
    }
}

#[test]
fn a_default_may_be_left_out_and_a_gap_may_not() {
    let line = |gold: Value| json!({"id": "1", "schema": "flight_booking_v1", "utterance": "to Rome", "gold": gold});
    let right = |gold: Value, payload: Value| {
        let set = read(&line(gold).to_string(), &schema::shipped::template).unwrap();
        let mut report = ParserReport::default();
        let payload = payload.as_object().unwrap().clone();
        report.add(
            &set[0],
            Ok(Parsed {
                payload,
                ..Parsed::default()
            }),
        );
        report.right == 1
    };
    assert!(right(json!({"cabin_class": ["economy"]}), json!({})));
    assert!(right(
        json!({"destination": ["Rome", "FCO"]}),
        json!({"destination": "FCO"})
    ));
    assert!(!right(json!({"destination": ["Rome"]}), json!({})));
    assert!(!right(json!({}), json!({"destination": "Rome"})));
}
