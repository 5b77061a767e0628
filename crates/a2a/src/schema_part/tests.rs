//! draft-zhou over A2A by the examples of its appendix A.

use super::*;
use crate::message::Role;
use crate::objects;
use serde_json::json;

/// The request of A.1 as a data part.
#[test]
fn a_template_is_asked_for_in_a_data_part() {
    let part = Part::data(json!({
        "method": "get_schema_template",
        "params": {"scenario": "flight_booking", "preferred_language": "en-US"},
    }));
    let Some(Ok(SchemaRequest::Template(query))) = asked(&part) else {
        panic!("asked")
    };
    assert_eq!(query.scenario.as_deref(), Some("flight_booking"));
    assert_eq!(query.preferred_language.as_deref(), Some("en-US"));
    let none = asked(&Part::data(json!({"method": "get_schema_template"})));
    let refusal = none.expect("asked").expect_err("no scenario");
    assert_eq!(refusal.violations[0].field, "scenario");
    for other in [
        json!({"method": "SendMessage"}),
        json!({"method": 7}),
        json!([]),
    ] {
        assert_eq!(asked(&Part::data(other)), None);
    }
    assert_eq!(asked(&Part::text("get_schema_template")), None);
}

/// The payload of §5.1, Figure 4.
#[test]
fn payloads_are_found_and_written() {
    let sent = json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
        "cabin_class": "business", "passenger_count": 1, "other": "window seat",
    }});
    let message = Message::new(
        "m",
        Role::User,
        vec![Part::text("Book it"), Part::data(sent.clone())],
    );
    let payload = payload_of(&message).expect("a payload");
    assert_eq!(payload.schema_id, "flight_booking_v1");
    assert_eq!(payload.text("other"), Some("window seat"));
    assert_eq!(payload_part(&payload).content, PartContent::Data(sent));
    for none in [
        json!({"schema_id": "x"}),
        json!({"schema_id": "x", "payload": 1}),
        json!(1),
    ] {
        assert_eq!(super::payload(&Part::data(none)), None);
    }
}

/// The suggestion of A.2 is a member beside the values of the result.
#[test]
fn a_suggestion_stands_in_the_result() {
    let suggested = json!({"new_keys": [{"key_name": "seat_preference"}]});
    let values = json!({"booking_id": "B1"})
        .as_object()
        .expect("an object")
        .clone();
    let with = objects::typed(
        "flight_confirmation_v1",
        result(values.clone(), Some(suggested.clone())),
    );
    assert_eq!(suggestion(&with), Some(&suggested));
    let PartContent::Data(data) = &with.content else {
        panic!("data")
    };
    assert_eq!(data["booking_id"], "B1");
    assert_eq!(suggestion(&objects::typed("x", result(values, None))), None);
}
