//! Laws of reading, over any JSON.

use super::*;

pub(super) fn any_json() -> impl Strategy<Value = Value> {
    let names = prop_oneof![
        Just("schema_id"),
        Just("scenario"),
        Just("keys"),
        Just("key_name"),
        Just("key_type"),
        Just("type"),
        Just("required"),
        Just("enum"),
        Just("items"),
        Just("properties"),
        Just("annotations"),
        Just("en"),
        Just("semantic_description"),
        Just("minimum"),
        Just("default_value"),
        Just("title"),
        Just("name"),
        Just("new_keys"),
        Just("modified_keys"),
        Just("examples"),
        Just("meaning"),
        Just("language"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z_'→>-]{0,8}".prop_map(Value::from),
        Just(json!("string")),
        Just(json!("integer")),
        Just(json!("array")),
        Just(json!("object")),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(names.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    /// All that comes is read or refused with a reason.
    #[test]
    fn no_json_breaks_the_reader(value in any_json()) {
        for audience in [TemplateOrigin::Own, TemplateOrigin::Peer] {
            for refused in [
                template(&value, audience).err(),
                patch(&value, audience).err(),
                suggestion(&value, audience).err(),
                key(&value, &Language::english(), audience).err(),
            ].into_iter().flatten() {
                prop_assert!(!lint::passes(&refused));
            }
        }
    }

    /// Each place points into the source, or at the object in which something is missing.
    #[test]
    fn places_are_in_the_source(mut keys in proptest::collection::vec(any_json(), 0..4)) {
        keys.insert(0, json!({"key_name": "A", "key_type": "integer", "required": 1, "enum": [1, "x"]}));
        let source = json!({"schema_id": "a_v1", "scenario": "a", "keys": keys});
        for finding in template(&source, TemplateOrigin::Own).unwrap_err() {
            prop_assert!(source.pointer(&finding.path).is_some(), "{finding}");
        }
    }

    /// A template that passes lint can be checked against.
    #[test]
    fn what_passes_makes_a_contract(written in crate::arbitrary::template()) {
        prop_assert!(lint::passes(&lint::template(&written, TemplateOrigin::Own)));
        prop_assert!(crate::contract::Contract::new(&written).is_ok());
    }

    /// Lint says of a template what reading its authored form says.
    #[test]
    fn lint_and_reading_agree(mut written in crate::arbitrary::template(), name in "[a-zA-Z_]{1,6}") {
        written.keys[0].key_name = name;
        written.keys[0].default_value = Some(json!({"a": null}));
        let said = lint::template(&written, TemplateOrigin::Own);
        let read = match template(&crate::write::authored(&written), TemplateOrigin::Own) {
            Ok(reading) => reading.findings,
            Err(findings) => findings,
        };
        let sorted = |findings: Vec<LintFinding>| {
            let mut lines: Vec<String> = findings.iter().map(LintFinding::to_string).collect();
            lines.sort();
            lines
        };
        if written.keys.len() > 1 {
            prop_assert_eq!(sorted(said), sorted(read));
        }
    }
}
