//! Templates for the tests of the renderings, made by hand.
#![allow(clippy::unwrap_used)]

use crate::language::Language;
use crate::template::{
    Annotation, Constraint, Description, Format, Key, KeyStatus, KeyType, MappingExample, OTHER,
    Property, Shape, Template,
};
use serde_json::{Value, json};

/// A key, meaning nothing but its examples.
pub(super) fn key(name: &str, shape: Shape, required: bool, examples: &[(&str, Value)]) -> Key {
    Key {
        key_name: name.to_owned(),
        shape,
        required,
        default_value: None,
        annotation: annotation("", examples),
        security_relevant: false,
        standing: KeyStatus::Stable,
    }
}

fn annotation(meaning: &str, examples: &[(&str, Value)]) -> Annotation {
    let examples = examples.iter().map(|(said, value)| MappingExample {
        said: (*said).to_owned(),
        value: value.clone(),
    });
    let description = Description {
        meaning: meaning.to_owned(),
        verbatim: false,
        examples: examples.collect(),
    };
    Annotation([(Language::english(), description)].into())
}

/// A shape from what an author writes.
pub(super) fn shape(declared: &Value) -> Shape {
    let number = |name: &str| match &declared[name] {
        Value::Number(number) => Some(number.clone()),
        _ => None,
    };
    let text = |name: &str| declared[name].as_str().map(str::to_owned);
    let properties = declared["properties"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    Shape {
        key_type: KeyType::parse(declared["type"].as_str().unwrap()).unwrap(),
        constraint: Constraint {
            allowed: declared["enum"].as_array().cloned().unwrap_or_default(),
            minimum: number("minimum"),
            maximum: number("maximum"),
            format: declared["format"].as_str().and_then(Format::parse),
            pattern: text("pattern"),
            max_length: declared["maxLength"].as_u64().map(|n| n as usize),
            max_items: declared["maxItems"].as_u64().map(|n| n as usize),
            items: declared.get("items").map(|items| Box::new(shape(items))),
            properties: properties.iter().map(property).collect(),
            unit: text("unit"),
        },
    }
}

fn property(declared: &Value) -> Property {
    Property {
        name: declared["name"].as_str().unwrap().to_owned(),
        shape: shape(declared),
        required: declared["required"].as_bool().unwrap_or_default(),
        annotation: annotation("", &[]),
    }
}

/// The draft's flight booking (Figure 2), its acceptable values machine-readable.
pub(super) fn flight_booking() -> Template {
    let text = || Shape::of(KeyType::String);
    let mut keys = vec![
        key("origin", text(), true, &[("from Beijing", json!("PEK"))]),
        key(
            "destination",
            text(),
            true,
            &[("to Shanghai", json!("SHA"))],
        ),
        key(
            "departure_date",
            shape(&json!({"type": "string", "format": "date"})),
            true,
            &[("next Monday", json!("2026-05-04"))],
        ),
        key(
            "cabin_class",
            shape(
                &json!({"type": "string", "enum": ["economy", "premium_economy", "business", "first"]}),
            ),
            false,
            &[("business class", json!("business"))],
        ),
        key(
            "passenger_count",
            shape(&json!({"type": "integer", "minimum": 1, "maximum": 9})),
            false,
            &[("two people", json!(2))],
        ),
        key(
            OTHER,
            text(),
            false,
            &[("window seat", json!("window seat"))],
        ),
    ];
    keys[3].default_value = Some(json!("economy"));
    keys[4].default_value = Some(json!(1));
    for (key, meaning) in keys.iter_mut().zip([
        "Departure city or airport code.",
        "Arrival city or airport code.",
        "Day of departure.",
        "Cabin class.",
        "Number of passengers.",
        "What no other key covers.",
    ]) {
        let description = key.annotation.0.values_mut().next().unwrap();
        description.meaning = meaning.to_owned();
    }
    Template {
        schema_id: "flight_booking_v1".to_owned(),
        scenario: "flight_booking".to_owned(),
        title: Some(annotation("Flight booking", &[])),
        language: Language::english(),
        keys,
        response_schema_id: None,
    }
}
