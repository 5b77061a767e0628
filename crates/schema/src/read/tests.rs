//! Templates, keys and patches as people and peers write them, and all that can be wrong with them.

#![allow(clippy::unwrap_used)]

mod laws;
mod patches;

use super::*;
use crate::lint::{LintRule, LintSeverity};
use crate::template::{Format, KeyStatus, KeyType, OTHER, Shape};
use proptest::prelude::*;
use serde_json::json;

/// Figure 2 of the draft.
fn figure_2() -> Value {
    let required = |name: &str, description: &str| {
        json!({"key_name": name, "key_type": "string", "required": true, "default_value": null,
               "semantic_description": description})
    };
    json!({
        "schema_id": "flight_booking_v1", "scenario": "flight_booking",
        "keys": [
            required("origin", "Departure city or airport code. Acceptable values: IATA airport codes (e.g., \
                PEK, SHA, JFK) or city names in English or local language. Example mapping: 'from Beijing' -> 'PEK'."),
            required("destination", "Arrival city or airport code. Acceptable values: IATA airport codes or \
                city names. Example mapping: 'to Shanghai' -> 'SHA'."),
            required("departure_date", "Date of departure in ISO 8601 format (YYYY-MM-DD). Example mapping: \
                'next Monday' -> '2026-05-04'."),
            {"key_name": "cabin_class", "key_type": "string", "required": false, "default_value": "economy",
             "semantic_description": "Cabin class preference. Acceptable values: economy, premium_economy, \
                business, first. Example mapping: 'business class' -> 'business'."},
            {"key_name": "passenger_count", "key_type": "integer", "required": false, "default_value": 1,
             "semantic_description": "Number of passengers. Range: 1-9. Example mapping: 'two people' -> 2."},
            {"key_name": "other", "key_type": "string", "required": false, "default_value": null,
             "semantic_description": "Escape valve for unstructured semantic fragments that cannot be mapped to \
                existing keys. Example mapping: 'window seat please' -> 'window seat'."}
        ]
    })
}

fn own(source: &Value) -> ParsedTemplate {
    template(source, TemplateOrigin::Own).unwrap_or_else(|f| panic!("{f:#?}"))
}

fn peer(source: &Value) -> ParsedTemplate {
    template(source, TemplateOrigin::Peer).unwrap_or_else(|f| panic!("{f:#?}"))
}

/// The findings told of a source, errors and warnings: `/keys/0/required error missing`.
fn told(source: &Value, audience: TemplateOrigin) -> Vec<String> {
    let findings = match template(source, audience) {
        Ok(reading) => reading.findings,
        Err(findings) => findings,
    };
    let line = |f: &LintFinding| {
        let severity = if f.severity == LintSeverity::Error {
            "error"
        } else {
            "warning"
        };
        format!("{} {severity} {}", f.path, f.rule.as_str())
    };
    findings.iter().map(line).collect()
}

/// D34, D25, Q11: Figure 2 is read and clean; `null` is no default.
#[test]
fn figure_2_is_clean_for_both() {
    for audience in [TemplateOrigin::Own, TemplateOrigin::Peer] {
        let reading = template(&figure_2(), audience).unwrap();
        assert_eq!(reading.findings, []);
        let read = reading.template;
        let required: Vec<&str> = read
            .keys
            .iter()
            .filter(|k| k.required)
            .map(|k| k.key_name.as_str())
            .collect();
        assert_eq!(required, ["origin", "destination", "departure_date"]);
        assert!(
            read.keys
                .iter()
                .all(|k| !k.required || k.default_value.is_none())
        );
        assert_eq!(
            read.key("passenger_count").unwrap().default_value,
            Some(json!(1))
        );
        assert_eq!(
            read.key("cabin_class")
                .unwrap()
                .annotation
                .lookup(None, &Language::english())
                .1
                .examples[0]
                .value,
            "business"
        );
        assert_eq!(read.version(), Some(1));
    }
}

/// D35, Q8: prose constrains nothing.
#[test]
fn prose_is_not_enforced() {
    let read = own(&figure_2()).template;
    assert!(
        read.keys
            .iter()
            .all(|k| k.shape == Shape::of(k.shape.key_type))
    );
}

/// D36: Figure 3, one key.
#[test]
fn figure_3_is_a_key() {
    let (read, findings) = key(
        &figure_2()["keys"][3],
        &Language::english(),
        TemplateOrigin::Own,
    )
    .unwrap();
    assert_eq!((read.key_name.as_str(), findings.len()), ("cabin_class", 0));
    assert!(key("[]", &Language::english(), TemplateOrigin::Own).is_err());
}

/// D37, Q13: `other` is the last key of every template, ours and theirs, in every language of it.
#[test]
fn other_is_put_there_and_last() {
    let mut source = figure_2();
    let other = source["keys"].as_array_mut().unwrap().pop().unwrap();
    source["keys"][0]["annotations"] = json!({"zh": {"meaning": "出发地"}});
    for audience in [TemplateOrigin::Own, TemplateOrigin::Peer] {
        let read = template(&source, audience).unwrap().template;
        let last = read.keys.last().unwrap();
        assert_eq!((last.key_name.as_str(), last.required), (OTHER, false));
        assert_eq!(
            last.annotation
                .0
                .keys()
                .map(Language::as_str)
                .collect::<Vec<_>>(),
            ["en", "zh"]
        );
    }
    source["keys"].as_array_mut().unwrap().insert(0, other);
    let read = own(&source).template;
    assert_eq!(read.keys.last().unwrap().key_name, OTHER);
    assert_eq!(read.keys.len(), 6);
}

/// D21 to D39, Q5 to Q13, Q21, Q26, Q51: each rule, where it points and how much it weighs for us and
/// of a peer.
#[test]
fn every_rule_points_at_what_breaks_it() {
    let key = |change: Value| {
        let mut source = json!({"key_name": "cell", "key_type": "string", "required": false,
                                "semantic_description": "The cell."});
        source
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        source
    };
    let long = "x".repeat(lint::DESCRIPTION_BYTES_MAX + 1);
    let too_deep = (0..lint::DEPTH_MAX).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "array", "items": inner}),
    );
    let table = [
        (
            json!({"key_name": null}),
            "/keys/0 error missing",
            "/keys/0 error missing",
        ),
        (
            json!({"key_name": 3}),
            "/keys/0/key_name error mistyped",
            "/keys/0/key_name error mistyped",
        ),
        (
            json!({"key_name": "cellId"}),
            "/keys/0/key_name error key-name",
            "/keys/0/key_name warning key-name",
        ),
        (
            json!({"key_name": "小区"}),
            "/keys/0/key_name error key-name",
            "/keys/0/key_name warning key-name",
        ),
        (
            json!({"key_name": "xml_cell"}),
            "/keys/0/key_name error key-name",
            "/keys/0/key_name warning key-name",
        ),
        (
            json!({"key_name": "schema_update_suggestion"}),
            "/keys/0/key_name error reserved",
            "/keys/0/key_name warning reserved",
        ),
        (
            json!({"key_name": "card_number"}),
            "/keys/0/key_name warning sensitive",
            "",
        ),
        (
            json!({"key_name": "card_number", "security_relevant": true}),
            "",
            "",
        ),
        (
            json!({"key_type": null}),
            "/keys/0 error missing",
            "/keys/0 warning key-type",
        ),
        (
            json!({"key_type": "date"}),
            "/keys/0/key_type error key-type",
            "/keys/0/key_type warning key-type",
        ),
        (
            json!({"key_type": ["string", "null"]}),
            "/keys/0/key_type error mistyped",
            "",
        ),
        (json!({"key_type": "float"}), "", ""),
        (
            json!({"required": null}),
            "/keys/0 error missing",
            "/keys/0 error missing",
        ),
        (
            json!({"required": "yes"}),
            "/keys/0/required error mistyped",
            "/keys/0/required error mistyped",
        ),
        (
            json!({"semantic_description": null}),
            "/keys/0 error undescribed",
            "/keys/0 warning undescribed",
        ),
        (
            json!({"semantic_description": " "}),
            "/keys/0/semantic_description error undescribed",
            "/keys/0/semantic_description warning undescribed",
        ),
        (
            json!({"semantic_description": ["a"]}),
            "/keys/0/semantic_description error mistyped; /keys/0 error undescribed",
            "/keys/0/semantic_description error mistyped; /keys/0 warning undescribed",
        ),
        (
            json!({"semantic_description": long}),
            "/keys/0/semantic_description error limit",
            "/keys/0/semantic_description error limit",
        ),
        (
            json!({"semantic_description": "a\u{202e}b"}),
            "/keys/0/semantic_description error control",
            "/keys/0/semantic_description warning control",
        ),
        (
            json!({"semantic_description": "A. Example: 'x' -> 'y'.", "enum": ["z"]}),
            "/keys/0/semantic_description warning example",
            "/keys/0/semantic_description warning example",
        ),
        (
            json!({"annotations": {"en_US": "x"}}),
            "/keys/0/annotations/en_US error language",
            "/keys/0/annotations/en_US warning language",
        ),
        (
            json!({"annotations": {"en": "x"}}),
            "/keys/0/semantic_description error malformed",
            "/keys/0/semantic_description warning malformed",
        ),
        (
            json!({"annotations": {"zh": {"meaning": "小区", "examples": [["甲"]]}}}),
            "/keys/0/annotations/zh/examples/0 error malformed",
            "/keys/0/annotations/zh/examples/0 warning malformed",
        ),
        (
            json!({"default_value": 3}),
            "/keys/0/default_value error default",
            "/keys/0/default_value warning default",
        ),
        (
            json!({"default_value": "c", "enum": ["a", "b"]}),
            "/keys/0/default_value error default",
            "/keys/0/default_value warning default",
        ),
        (
            json!({"default_value": "c", "required": true}),
            "/keys/0/default_value warning default-on-required",
            "/keys/0/default_value warning default-on-required",
        ),
        (
            json!({"key_type": "integer", "default_value": 0, "minimum": 1}),
            "/keys/0/default_value error default",
            "/keys/0/default_value warning default",
        ),
        (
            json!({"default_value": "2023-02-29", "format": "date"}),
            "/keys/0/default_value error default",
            "/keys/0/default_value warning default",
        ),
        (
            json!({"minimum": 1}),
            "/keys/0/minimum error misfit",
            "/keys/0/minimum warning misfit",
        ),
        (
            json!({"key_type": "integer", "maxLength": 3}),
            "/keys/0/maxLength error misfit",
            "/keys/0/maxLength warning misfit",
        ),
        (
            json!({"key_type": "boolean", "enum": [true]}),
            "/keys/0/enum error misfit",
            "/keys/0/enum warning misfit",
        ),
        (
            json!({"items": {"type": "string"}}),
            "/keys/0/items error misfit",
            "/keys/0/items warning misfit",
        ),
        (
            json!({"minimum": "1"}),
            "/keys/0/minimum error malformed",
            "/keys/0/minimum warning malformed",
        ),
        (
            json!({"key_type": "integer", "minimum": 2, "maximum": 1}),
            "/keys/0/minimum error bounds",
            "/keys/0/minimum warning bounds",
        ),
        (
            json!({"maxLength": 0}),
            "/keys/0/maxLength error bounds",
            "/keys/0/maxLength warning bounds",
        ),
        (
            json!({"maxLength": -1}),
            "/keys/0/maxLength error malformed",
            "/keys/0/maxLength warning malformed",
        ),
        (
            json!({"key_type": "integer", "maximum": 9_007_199_254_740_992_i64}),
            "/keys/0/maximum error number",
            "/keys/0/maximum warning number",
        ),
        (
            json!({"key_type": "number", "minimum": 0.000_000_1}),
            "/keys/0/minimum error number",
            "/keys/0/minimum warning number",
        ),
        (
            json!({"key_type": "integer", "minimum": 0.5}),
            "/keys/0/minimum error number",
            "/keys/0/minimum warning number",
        ),
        (
            json!({"enum": []}),
            "/keys/0/enum error malformed",
            "/keys/0/enum warning malformed",
        ),
        (
            json!({"enum": ["a", "b", "a"]}),
            "/keys/0/enum/2 error enum",
            "/keys/0/enum/2 warning enum",
        ),
        (
            json!({"enum": ["a", 1]}),
            "/keys/0/enum/1 error enum",
            "/keys/0/enum/1 warning enum",
        ),
        (
            json!({"enum": ["a", " b"]}),
            "/keys/0/enum/1 error enum",
            "/keys/0/enum/1 warning enum",
        ),
        (
            json!({"key_type": "number", "enum": [1, 1.0]}),
            "/keys/0/enum/1 error enum",
            "/keys/0/enum/1 warning enum",
        ),
        (
            json!({"enum": ["abc"], "maxLength": 2}),
            "/keys/0/enum/0 error enum",
            "/keys/0/enum/0 warning enum",
        ),
        (
            json!({"format": "email"}),
            "/keys/0/format error malformed",
            "/keys/0/format warning malformed",
        ),
        (
            json!({"pattern": "\\d+"}),
            "/keys/0/pattern error pattern",
            "/keys/0/pattern warning pattern",
        ),
        (
            json!({"pattern": "^[0-9]+$"}),
            "/keys/0/pattern error pattern",
            "/keys/0/pattern warning pattern",
        ),
        (
            json!({"key_type": "array", "items": {"type": "date"}}),
            "/keys/0/items/type error key-type",
            "/keys/0/items/type warning key-type",
        ),
        (
            json!({"key_type": "array", "items": {"type": "string", "pattern": "("}}),
            "/keys/0/items/pattern error pattern",
            "/keys/0/items/pattern warning pattern",
        ),
        (
            json!({"key_type": "array", "items": {"type": "string", "minimun": 1}}),
            "/keys/0/items/minimun warning unknown-member",
            "",
        ),
        (
            json!({"key_type": "array", "items": too_deep}),
            "/keys/0/items/items/items/items/items/items/items/items error limit",
            "/keys/0/items/items/items/items/items/items/items/items error limit",
        ),
        (
            json!({"key_type": "object", "properties": [{"name": "a b", "type": "string", "semantic_description": "A."}]}),
            "/keys/0/properties/0/name error key-name",
            "/keys/0/properties/0/name warning key-name",
        ),
        (
            json!({"key_type": "object", "properties": [{"name": "a", "type": "string"}]}),
            "/keys/0/properties/0 error undescribed",
            "/keys/0/properties/0 warning undescribed",
        ),
        (
            json!({"key_type": "object", "properties": {"a": {"type": "string", "description": "A."}}}),
            "/keys/0/properties error malformed",
            "",
        ),
        (
            json!({"experimental": 1}),
            "/keys/0/experimental error malformed",
            "/keys/0/experimental warning malformed",
        ),
        (
            json!({"requierd": true}),
            "/keys/0/requierd warning unknown-member",
            "",
        ),
        (
            json!({"x_enum": ["a"]}),
            "/keys/0/x_enum warning unknown-member",
            "",
        ),
        (
            json!({"key_name": "other", "required": true}),
            "/keys/0/required error other",
            "/keys/0/required warning other",
        ),
        (
            json!({"key_name": "other", "key_type": "array"}),
            "/keys/0/key_type error other",
            "/keys/0/key_type warning other",
        ),
        (
            json!({"key_name": "other", "maxLength": 10}),
            "/keys/0/key_type error other",
            "/keys/0/key_type warning other",
        ),
        (
            json!({"key_name": "other", "default_value": "x"}),
            "/keys/0/default_value error other",
            "/keys/0/default_value warning other",
        ),
    ];
    for (change, of_ours, of_theirs) in table {
        let source =
            json!({"schema_id": "saving_v1", "scenario": "saving", "keys": [key(change.clone())]});
        for (audience, expected) in [
            (TemplateOrigin::Own, of_ours),
            (TemplateOrigin::Peer, of_theirs),
        ] {
            let found = told(&source, audience)
                .into_iter()
                .filter(|f| !f.ends_with("untranslated"));
            assert_eq!(
                found.collect::<Vec<_>>().join("; "),
                expected,
                "{change} {audience:?}"
            );
        }
    }
}

/// D22 to D25, D27, D30, Q21, Q24: what a template itself can break.
#[test]
fn every_rule_of_the_whole_points_at_what_breaks_it() {
    let table = [
        (json!({"schema_id": null}), "error missing", "error missing"),
        (json!({"scenario": null}), "error missing", "error missing"),
        (
            json!({"keys": null}),
            "/keys error mistyped",
            "/keys error mistyped",
        ),
        (
            json!({"keys": {}}),
            "/keys error mistyped",
            "/keys error mistyped",
        ),
        (
            json!({"keys": [3]}),
            "/keys/0 error mistyped",
            "/keys/0 error mistyped",
        ),
        (
            json!({"schema_id": "flight"}),
            "/schema_id error schema-id",
            "/schema_id warning schema-id",
        ),
        (
            json!({"schema_id": "flight_booking_v0"}),
            "/schema_id error schema-id",
            "/schema_id warning schema-id",
        ),
        (
            json!({"scenario": "photo_retouch"}),
            "/scenario error scenario",
            "/scenario warning scenario",
        ),
        (
            json!({"scenario": "flight booking"}),
            "/scenario error scenario",
            "/scenario warning scenario",
        ),
        (
            json!({"language": "en_US"}),
            "/language error language",
            "/language warning language",
        ),
        (
            json!({"language": 3}),
            "/language error language",
            "/language warning language",
        ),
        (
            json!({"title": 3}),
            "/title error malformed",
            "/title warning malformed",
        ),
        (
            json!({"response_schema_id": "flight_booking_v1"}),
            "/response_schema_id error response-schema",
            "/response_schema_id warning response-schema",
        ),
        (
            json!({"response_schema_id": "a result"}),
            "/response_schema_id error response-schema",
            "/response_schema_id warning response-schema",
        ),
        (json!({"tilte": "x"}), "/tilte warning unknown-member", ""),
    ];
    for (change, of_ours, of_theirs) in table {
        let mut source = figure_2();
        source
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        for (audience, expected) in [
            (TemplateOrigin::Own, of_ours),
            (TemplateOrigin::Peer, of_theirs),
        ] {
            assert_eq!(
                told(&source, audience).join("; ").trim(),
                expected,
                "{change} {audience:?}"
            );
        }
    }
    let mut absent = figure_2();
    absent.as_object_mut().unwrap().remove("keys");
    assert_eq!(told(&absent, TemplateOrigin::Own), [" error missing"]);
    let mut nameless = figure_2();
    nameless["scenario"] = json!(7);
    nameless["keys"][1]["key_name"] = json!("origin");
    assert_eq!(
        told(&nameless, TemplateOrigin::Own),
        [
            "/scenario error mistyped",
            "/keys/1/key_name error duplicate-key"
        ]
    );
    assert_eq!(told(&json!([]), TemplateOrigin::Peer), [" error mistyped"]);
}

/// All errors at once, each with its place.
#[test]
fn all_that_is_wrong_is_told_at_once() {
    let mut source = figure_2();
    source["schema_id"] = json!("Flight");
    source["keys"][1]["key_name"] = json!("origin");
    source["keys"][2]
        .as_object_mut()
        .unwrap()
        .remove("required");
    source["keys"][4]["default_value"] = json!("one");
    source["keys"][4]["minimum"] = json!(10);
    source["keys"][4]["maximum"] = json!(9);
    source["keys"][5]["required"] = json!(true);
    insta::assert_snapshot!(template(&source, TemplateOrigin::Own).unwrap_err().iter().map(LintFinding::to_string).collect::<Vec<_>>().join("\n"), @r#"
    /schema_id: error: 'Flight' is not a scenario in snake_case, _v and a number from 1 [schema-id]
    /keys/2: error: 'required' is missing [missing]
    /keys/4/minimum: error: the minimum 10 is above the maximum 9 [bounds]
    /keys/4/default_value: error: integer from 10 to 9 is needed, not "one" [default]
    /keys/4/semantic_description: warning: 'two people': integer from 10 to 9 is needed, not 2 [example]
    /keys/5/required: error: 'other' is never required [other]
    /keys/1/key_name: error: 'origin' is a key already [duplicate-key]
    "#);
}

/// D30: a language that some keys have and others lack.
#[test]
fn missing_languages_are_told() {
    let mut source = figure_2();
    source["keys"][0]
        .as_object_mut()
        .unwrap()
        .remove("semantic_description");
    source["keys"][0]["annotations"] = json!({"zh": {"meaning": "出发地"}});
    let found = told(&source, TemplateOrigin::Own);
    assert_eq!(found[0], "/keys/0 error undescribed");
    assert_eq!(
        found[1..],
        (1..6)
            .map(|i| format!("/keys/{i} warning untranslated"))
            .collect::<Vec<_>>()
    );
    source["language"] = json!("zh");
    // The descriptions without a language are in the template's.
    assert_eq!(told(&source, TemplateOrigin::Own), [""; 0]);
}

/// D27: two keys of one name are an error for everybody.
#[test]
fn names_are_unique() {
    let mut source = figure_2();
    source["keys"][3]["key_name"] = json!("origin");
    assert_eq!(
        told(&source, TemplateOrigin::Own),
        ["/keys/3/key_name error duplicate-key"]
    );
    assert_eq!(
        told(&source, TemplateOrigin::Peer),
        ["/keys/3/key_name error duplicate-key"]
    );
    source["keys"][3]["key_name"] = json!("other");
    assert_eq!(
        told(&source, TemplateOrigin::Peer).last().unwrap(),
        "/keys/5/key_name error duplicate-key"
    );
}

/// Q5, Q6, Q7: what a peer writes otherwise is read as what it means, and what cannot be enforced is
/// not.
#[test]
fn templates_of_peers_are_mended() {
    let described = |more: Value| {
        let mut source =
            json!({"key_type": "string", "required": false, "semantic_description": "A."});
        source
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        source
    };
    let read = peer(&json!({
        "schema_id": "math.factorial", "scenario": "Calculate the factorial of a number.",
        "keys": [
            described(json!({"key_name": "routeType", "x_enum": ["fast", "scenic"]})),
            described(json!({"key_name": "when", "key_type": "datetime", "minimum": 3, "default_value": "now"})),
            described(json!({"key_name": "ids", "key_type": "array", "x_items": {"type": "integer", "minimum": 1.0}})),
            described(json!({"key_name": "a", "key_type": "integer", "minimum": 9, "maximum": 1, "default_value": 3.0})),
            described(json!({"key_name": "b", "pattern": "\\d+", "default_value": 7})),
            described(json!({"key_name": "c", "key_type": "integer", "x_enum": ["1", "2"]})),
            described(json!({"key_name": "d", "key_type": ["number", "null"]})),
            described(json!({"key_name": "e", "key_type": "object", "properties": {
                "street": {"type": "string", "description": "The street."}, "title": {"type": "string"}}})),
            described(json!({"key_name": "other", "required": true, "enum": ["x"], "default_value": "x"})),
        ]
    }))
    .template;
    let shape = |name: &str| read.key(name).unwrap().shape.clone();
    assert_eq!(read.scenario, "Calculate the factorial of a number.");
    assert_eq!(
        shape("routeType").constraint.allowed,
        [json!("fast"), json!("scenic")]
    );
    assert_eq!(shape("when"), Shape::of(KeyType::Any));
    assert_eq!(read.key("when").unwrap().default_value, Some(json!("now")));
    let items = shape("ids").constraint.items.unwrap();
    assert_eq!(
        (items.key_type, items.constraint.minimum),
        (KeyType::Integer, Some(1.into()))
    );
    assert_eq!(shape("a"), Shape::of(KeyType::Integer));
    assert_eq!(read.key("a").unwrap().default_value, None);
    assert_eq!(shape("b"), Shape::of(KeyType::String));
    assert_eq!(read.key("b").unwrap().default_value, None);
    assert_eq!(shape("c"), Shape::of(KeyType::Integer));
    assert_eq!(shape("d"), Shape::of(KeyType::Number));
    let names: Vec<String> = shape("e")
        .constraint
        .properties
        .into_iter()
        .map(|p| p.name)
        .collect();
    assert_eq!(names, ["street", "title"]);
    let other = read.keys.last().unwrap();
    assert_eq!((other.required, &other.default_value), (false, &None));
    assert_eq!(other.shape, Shape::of(KeyType::String));
}

/// D28, Q5: `float` is a number and 3.0 is 3 where integers are.
#[test]
fn numbers_are_read_as_what_they_are() {
    let (read, _) = key(
        r#"{"key_name": "eye_size_scale", "key_type": "float", "required": false, "default_value": 1.0,
            "minimum": 1.0, "maximum": 1.5, "semantic_description": "Scale."}"#,
        &Language::english(), TemplateOrigin::Own,
    ).unwrap();
    assert_eq!(read.shape.key_type, KeyType::Number);
    let (read, _) = key(
        r#"{"key_name": "n", "key_type": "integer", "required": false, "default_value": 3.0, "enum": [1.0, 3],
            "maxLength": null, "semantic_description": "Count."}"#,
        &Language::english(), TemplateOrigin::Own,
    ).unwrap();
    assert_eq!(read.default_value.unwrap().as_i64(), Some(3));
    assert_eq!(read.shape.constraint.allowed[0].as_i64(), Some(1));
}

/// The authored form: descriptions by language, shapes in shapes.
#[test]
fn the_authored_form_is_read() {
    let reading = own(&json!({
        "schema_id": "energy_saving_v2", "scenario": "energy_saving", "language": "zh",
        "title": {"en": "Energy saving", "zh": "节能"}, "response_schema_id": "energy_saving_result_v1",
        "keys": [{
            "key_name": "windows", "key_type": "array", "required": true, "maxItems": 4,
            "items": {"type": "object", "properties": [
                {"name": "start", "key_type": "string", "format": "time", "required": true,
                 "annotations": {"en": {"meaning": "Start"}, "zh": "开始"}}]},
            "annotations": {"en": {"meaning": "When", "examples": [["at night", [{"start": "22:00:00Z"}]]]},
                            "zh": {"meaning": "时段"}},
            "experimental": true
        }]
    }));
    assert_eq!(reading.findings, []);
    let windows = &reading.template.keys[0];
    let item = windows.shape.constraint.items.as_deref().unwrap();
    assert_eq!(
        item.constraint.properties[0].shape.constraint.format,
        Some(Format::Time)
    );
    assert!(item.constraint.properties[0].annotation.0[&Language::chinese()].verbatim);
    assert_eq!(
        windows.annotation.0[&Language::english()].examples[0].said,
        "at night"
    );
    assert_eq!(windows.standing, KeyStatus::Experimental);
    assert_eq!(reading.template.language, Language::chinese());
}

/// Text that is too large, no JSON, or says two things.
#[test]
fn text_is_read_with_limits() {
    let told = |text: &str| {
        let findings = template(text, TemplateOrigin::Peer).unwrap_err();
        findings
            .iter()
            .map(|f| format!("{} {}", f.path, f.rule.as_str()))
            .collect::<Vec<_>>()
    };
    assert_eq!(told("{"), [" json"]);
    assert_eq!(told("{} {}"), [" json"]);
    assert_eq!(told(&"[".repeat(100_000)), [" limit"]);
    assert_eq!(told(&" ".repeat(SOURCE_BYTES_MAX + 1)), [" limit"]);
    let large = json!({"schema_id": "a".repeat(SOURCE_BYTES_MAX)});
    assert_eq!(
        template(&large, TemplateOrigin::Own).unwrap_err()[0].rule,
        LintRule::Limit
    );
    let twice = figure_2().to_string().replacen(
        "\"required\":true",
        "\"required\":true,\"required\":false",
        1,
    );
    assert_eq!(told(&twice), ["/keys/0/required duplicate-member"]);
    let mut many = figure_2();
    let key = many["keys"][0].clone();
    many["keys"] = (0..300)
        .map(|i| {
            let mut k = key.clone();
            k["key_name"] = json!(format!("k{i}"));
            k
        })
        .collect();
    assert_eq!(told(&many.to_string()), ["/keys limit"]);
}

/// As many values as fit into a template take no longer than they must.
#[test]
fn large_enumerations_are_read() {
    let values: Vec<String> = (10_000..30_000).map(|n| n.to_string()).collect();
    let source = json!({"key_name": "n", "key_type": "string", "required": false, "enum": values,
                        "pattern": "[0-9]{5}", "semantic_description": "-> ".repeat(1_300)});
    let (read, findings) = key(&source, &Language::english(), TemplateOrigin::Peer).unwrap();
    assert_eq!(
        (read.shape.constraint.allowed.len(), findings),
        (20_000, vec![])
    );
}
