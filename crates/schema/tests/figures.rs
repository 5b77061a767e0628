//! The figures of draft-zhou-structured-data-schema-interaction-00, as fixtures (`figures/`).
//!
//! Each is read, checked and answered through the public interface alone, as a stranger would.

use schema::contract::{Contract, Unknown};
use schema::language::Language;
use schema::lint::TemplateOrigin;
use schema::read::{self, Suggestion};
use schema::shipped;
use schema::template::{KeyType, OTHER, SCHEMA_UPDATE_SUGGESTION, Template};
use schema::write;
use serde_json::{Map, Value, json};

macro_rules! figure {
    ($number:literal) => {
        include_str!(concat!("figures/figure-", $number, ".json"))
    };
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("figures are JSON")
}

/// A figure, read as a template of ours; without any finding.
fn template(text: &str) -> Template {
    let reading = read::template(text, TemplateOrigin::Own).expect("no errors");
    assert_eq!(reading.findings, []);
    reading.template
}

fn shipped(schema_id: &str) -> Template {
    shipped::template(schema_id).expect("it ships")
}

/// The payload of a figure, and the schema that it names.
fn payload(text: &str) -> (String, Map<String, Value>) {
    let whole = json(text);
    let schema_id = whole["schema_id"].as_str().expect("a text").to_owned();
    (
        schema_id,
        whole["payload"].as_object().expect("an object").clone(),
    )
}

/// The work of a template's contract on values: their canonical form, or the places that are
/// wrong.
fn checked(
    template: &Template,
    values: &Map<String, Value>,
) -> Result<Map<String, Value>, Vec<String>> {
    let contract = Contract::new(template).expect("clean");
    match contract.accept(values.clone(), Unknown::Reject) {
        Ok(accepted) => Ok(accepted.values),
        Err(all) => Err(all
            .iter()
            .map(|v| format!("{} {}", v.code.as_str(), v.path))
            .collect()),
    }
}

/// One line for each key: name, type, `*` if required, default.
fn outline(template: &Template) -> String {
    let line = |k: &schema::template::Key| {
        let default = k
            .default_value
            .as_ref()
            .map_or(String::new(), |d| format!(" = {d}"));
        let required = if k.required { "*" } else { "" };
        format!(
            "{}{required} {}{default}\n",
            k.key_name,
            k.shape.key_type.as_str()
        )
    };
    template.keys.iter().map(line).collect()
}

/// D34: Figure 2 is a template; null is no default (Q11).
#[test]
fn figure_2_is_a_template() {
    let figure = template(figure!(2));
    insta::assert_snapshot!(outline(&figure), @r#"
    origin* string
    destination* string
    departure_date* string
    cabin_class string = "economy"
    passenger_count integer = 1
    other string
    "#);
    assert_eq!(figure.schema_id, "flight_booking_v1");
    assert_eq!(figure.scenario, "flight_booking");
}

/// D35, Q8: what stands in prose only refuses nothing; the same, in machine-readable members of
/// the template that ships, does.
#[test]
fn figure_2_tells_in_prose_what_the_shipped_template_enforces() {
    let odd = json!({
        "origin": "a city of any name",
        "destination": "SHA",
        "departure_date": "next Monday",
        "cabin_class": "steerage",
        "passenger_count": 10,
    });
    let odd = odd.as_object().expect("an object");
    assert_eq!(checked(&template(figure!(2)), odd).as_ref(), Ok(odd));
    assert_eq!(
        checked(&shipped("flight_booking_v1"), odd),
        Err(vec![
            "format /departure_date".to_owned(),
            "enum /cabin_class".to_owned(),
            "range /passenger_count".to_owned(),
        ])
    );
}

/// D34: what ships is Figure 2 with more members.
#[test]
fn the_shipped_flight_booking_is_that_of_figure_2() {
    assert_eq!(
        outline(&shipped("flight_booking_v1")),
        outline(&template(figure!(2)))
    );
    let response = shipped("flight_booking_v1").response_schema_id;
    assert_eq!(response.as_deref(), Some("flight_booking_result_v1"));
}

/// D36: Figure 3 is one key definition.
#[test]
fn figure_3_is_a_key() {
    let (key, findings) =
        read::key(figure!(3), &Language::english(), TemplateOrigin::Own).expect("no errors");
    assert_eq!(findings, []);
    assert_eq!(template(figure!(2)).key("cabin_class"), Some(&key));
    let description = key.annotation.0.values().next().expect("one language");
    let [example] = &description.examples[..] else {
        panic!("one example: {description:?}")
    };
    assert_eq!(
        (example.said.as_str(), &example.value),
        ("business class", &json!("business"))
    );
}

/// D45: the payload of Figures 4 and 8 is accepted as it stands.
#[test]
fn figures_4_and_8_are_payloads() {
    assert_eq!(json(figure!(4)), json(figure!(8)));
    let (schema_id, values) = payload(figure!(8));
    for template in [
        template(figure!(2)),
        template(figure!(7)),
        shipped(&schema_id),
    ] {
        assert_eq!(checked(&template, &values).as_ref(), Ok(&values));
    }
}

/// D51, Q19: false stays false, whatever `other` says.
#[test]
fn figure_5_is_a_payload() {
    let (schema_id, values) = payload(figure!(5));
    assert_eq!(values["eye_enlargement"], json!(false));
    for template in [template(figure!(10)), shipped(&schema_id)] {
        assert_eq!(checked(&template, &values).as_ref(), Ok(&values));
    }
}

/// D53: the request of Figure 6 is answered with what Figure 7 holds: keys in their order, names,
/// types, what is required, defaults.
#[test]
fn figure_6_is_answered_with_figure_7() {
    let request = json(figure!(6));
    assert_eq!(request["method"], "get_schema_template");
    let asked = &request["params"];
    let scenario = asked["scenario"].as_str().expect("a text");
    let language = Language::parse(asked["preferred_language"].as_str().expect("a text"));
    let found = shipped::shipped()
        .into_iter()
        .find(|t| t.scenario == scenario);
    let answer = write::template(&found.expect("it ships"), Some(&language.expect("a tag")));
    let expected = json(figure!(7));
    for member in ["schema_id", "scenario"] {
        assert_eq!(answer[member], expected[member]);
    }
    assert_eq!(answer["language"], "en");
    let bare = |template: &Value| -> Vec<Vec<Option<Value>>> {
        let of = |key: &Value| {
            ["key_name", "key_type", "required", "default_value"]
                .map(|m| key.get(m).cloned())
                .to_vec()
        };
        template["keys"]
            .as_array()
            .expect("keys")
            .iter()
            .map(of)
            .collect()
    };
    assert_eq!(bare(&answer), bare(&expected));
    for key in answer["keys"].as_array().expect("keys") {
        assert!(key["semantic_description"].is_string(), "{key}");
    }
}

/// D54, Q11: Figure 7 leaves out what Figure 2 says is null, and means the same.
#[test]
fn figure_7_is_figure_2_without_nulls() {
    assert_eq!(
        outline(&template(figure!(7))),
        outline(&template(figure!(2)))
    );
    let nulls = figure!(7).matches("null").count();
    assert_eq!(nulls, 0);
}

/// D46, D55: Figure 9 is a result, with a suggestion beside its keys in the short form, which is
/// advice (Q44).
#[test]
fn figure_9_is_a_result_and_a_suggestion() {
    let mut values = json(figure!(9)).as_object().expect("an object").clone();
    let suggestion = values
        .remove(SCHEMA_UPDATE_SUGGESTION)
        .expect("it is beside the keys");
    let confirmation = shipped("flight_booking_result_v1");
    assert_eq!(checked(&confirmation, &values).as_ref(), Ok(&values));
    for key in ["flight_number", "departure_time", "seat"] {
        assert!(confirmation.key(key).is_some(), "D46: {key}");
    }
    let (suggestion, _) = read::suggestion(&suggestion, TemplateOrigin::Peer).expect("no errors");
    let Suggestion::Advice { new_keys, .. } = suggestion else {
        panic!("the short form: {suggestion:?}")
    };
    let [seat] = &new_keys[..] else {
        panic!("one key: {new_keys:?}")
    };
    assert_eq!(seat.key_name, "seat_preference");
    assert_eq!(seat.default_value, Some(json!("none")));
    assert!(!seat.required);
}

/// D52, Q5: the later suggestion of §5.2; its `float` is a number, and its range in prose no bound.
#[test]
fn a_suggestion_may_have_a_float() {
    let suggested = json!({"new_keys": [{
        "key_name": "eye_size_scale", "key_type": "float", "required": false,
        "semantic_description": "How much larger the eyes become, 1.0-1.5."
    }]});
    let (read, _) = read::suggestion(&suggested, TemplateOrigin::Peer).expect("no errors");
    let Suggestion::Advice { new_keys, .. } = read else {
        panic!("the short form: {read:?}")
    };
    assert_eq!(new_keys[0].key_name, "eye_size_scale");
    assert_eq!(new_keys[0].shape.key_type, KeyType::Number);
    assert_eq!(new_keys[0].shape.constraint, Default::default());
    let mut patched = shipped("photo_retouch_v2");
    patched.keys.insert(0, new_keys[0].clone());
    let retouched = json!({"eye_size_scale": 1.25});
    let retouched = retouched.as_object().expect("an object");
    assert_eq!(checked(&patched, retouched).as_ref(), Ok(retouched));
}

/// D49, D56: Figure 10 is a template; what ships is Figure 10 with ranges and enumerations as
/// members.
#[test]
fn figure_10_is_a_template_and_ships() {
    let figure = template(figure!(10));
    insta::assert_snapshot!(outline(&figure), @r#"
    skin_smoothing integer = 0
    teeth_whitening boolean = false
    background_blur boolean = false
    filter_style string = "none"
    eye_enlargement boolean = false
    other string
    "#);
    let ours = shipped("photo_retouch_v2");
    assert_eq!(outline(&ours), outline(&figure));
    assert_eq!(ours.schema_id, figure.schema_id);
    let odd = json!({ "skin_smoothing": 11, "filter_style": "sepia", "teeth_whitening": "yes" });
    let odd = odd.as_object().expect("an object");
    assert_eq!(
        checked(&figure, odd),
        Err(vec!["type /teeth_whitening".to_owned()])
    );
    assert_eq!(
        checked(&ours, odd),
        Err(vec![
            "range /skin_smoothing".to_owned(),
            "type /teeth_whitening".to_owned(),
            "enum /filter_style".to_owned(),
        ])
    );
}

/// D29: the mapping examples in the prose of the figures are read out of it.
#[test]
fn examples_in_prose_are_found() {
    let examples = |text: &str| -> Vec<String> {
        let template = template(text);
        let all = template.keys.iter().flat_map(|k| {
            let found = k.annotation.0.values().flat_map(|d| &d.examples);
            found.map(|e| format!("{}: {} -> {}", k.key_name, e.said, e.value))
        });
        all.collect()
    };
    insta::assert_snapshot!(examples(figure!(2)).join("\n"), @r#"
    origin: from Beijing -> "PEK"
    destination: to Shanghai -> "SHA"
    departure_date: next Monday -> "2026-05-04"
    cabin_class: business class -> "business"
    passenger_count: two people -> 2
    other: window seat please -> "window seat"
    "#);
    insta::assert_snapshot!(examples(figure!(10)).join("\n"), @r#"
    skin_smoothing: light skin smoothing -> 3
    teeth_whitening: make the teeth whiter -> true
    background_blur: blur the background -> true
    filter_style: vintage style -> "vintage"
    other: make the eyes a little bigger -> "increase eye size proportionally"
    "#);
    assert_eq!(examples(figure!(7)).len(), examples(figure!(2)).len());
}

/// D37, D38: in every figure `other` is the last key, a string, and optional.
#[test]
fn other_is_in_every_figure() {
    for text in [figure!(2), figure!(7), figure!(10)] {
        let template = template(text);
        let last = template.keys.last().expect("keys");
        assert_eq!(last.key_name, OTHER);
        assert_eq!(last.shape.key_type, KeyType::String);
        assert!(!last.required && last.default_value.is_none());
    }
}
