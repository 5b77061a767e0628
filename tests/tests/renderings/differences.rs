//! The known differences between the forms of a template, one by one.
//!
//! Read next: `schema::render`.

use super::*;

/// Null stands for an omitted key; neither form accepts it before normalisation.
#[test]
fn null_is_for_the_canonical_form_only() {
    let forms = Forms::of_key(Shape::of(KeyType::Integer), false);
    assert_eq!(forms.both(&json!({"x": null})), (false, false));
    assert!(matches!(
        forms.typed(&json!({"x": null})),
        Err(NoTypedForm::Type { .. })
    ));
    assert_eq!(forms.both(&json!({})), (true, true));
    assert_eq!(forms.canonical(&json!({"x": null})), Some(json!({})));
}

/// Q5: 3.0 is an integer for JSON Schema, and no int64; its canonical form is 3.
#[test]
fn three_point_zero_is_an_integer_to_json_only() {
    let forms = Forms::of_key(Shape::of(KeyType::Integer), true);
    let written: Value = serde_json::from_str(r#"{"x": 3.0}"#).unwrap();
    assert!(forms.json_accepts(&written));
    assert_eq!(forms.canonical(&written), Some(json!({"x": 3})));
    assert_eq!(forms.both(&json!({"x": 3})), (true, true));
}

/// Integers of JSON Schema are unbounded.
#[test]
fn integers_end_at_64_bits_in_yang() {
    let forms = Forms::of_key(Shape::of(KeyType::Integer), true);
    assert_eq!(forms.both(&json!({"x": i64::MAX})), (true, true));
    assert_eq!(forms.both(&json!({"x": i64::MIN})), (true, true));
    assert_eq!(
        forms.both(&json!({"x": i64::MAX as u64 + 1})),
        (true, false)
    );
    let huge: Value = serde_json::from_str(r#"{"x": -1e300}"#).unwrap();
    assert_eq!(forms.both(&huge), (true, false));
    let bounded = narrowed(KeyType::Integer, |c| c.maximum = Some(i64::MAX.into()));
    let forms = Forms::of_key(bounded, true);
    assert_eq!(
        forms.both(&json!({"x": i64::MAX as u64 + 1})),
        (false, false)
    );
}

/// decimal64 has six fraction digits, and thirteen digits before the point.
#[test]
fn decimals_have_six_places_in_yang() {
    let forms = Forms::of_key(Shape::of(KeyType::Number), true);
    assert_eq!(forms.both(&json!({"x": 0.000001})), (true, true));
    assert_eq!(forms.both(&json!({"x": 0.0000001})), (true, false));
    assert_eq!(
        forms.both(&json!({"x": 9_223_372_036_854_i64})),
        (true, true)
    );
    assert_eq!(
        forms.both(&json!({"x": 9_223_372_036_855_i64})),
        (true, false)
    );
    assert_eq!(forms.both(&json!({"x": 1e300})), (true, false));
}

/// An empty array of an optional key stands for an omitted key; of a required one it is refused.
#[test]
fn empty_arrays_are_keys_left_out() {
    let names = || array(Shape::of(KeyType::String));
    let forms = Forms::of_key(names(), false);
    assert_eq!(forms.both(&json!({"x": []})), (true, true));
    assert_eq!(forms.typed(&json!({"x": []})), forms.typed(&json!({})));
    assert_eq!(forms.canonical(&json!({"x": []})), Some(json!({})));
    for shape in [
        names(),
        Shape::of(KeyType::Array),
        array(array(Shape::of(KeyType::Integer))),
    ] {
        let forms = Forms::of_key(shape, true);
        assert_eq!(forms.both(&json!({"x": []})), (false, false));
        assert_eq!(forms.both(&json!({})), (false, false));
    }
}

/// D39: `other` is a string or several; an array of one comes back as a string, and a
/// malformed one has no form before it is dropped.
#[test]
fn other_is_a_string_or_several() {
    let forms = Forms::of_key(Shape::of(KeyType::Integer), false);
    assert_eq!(forms.both(&json!({"other": "a"})), (true, true));
    assert_eq!(forms.both(&json!({"other": ["a", "a"]})), (true, true));
    assert_eq!(
        forms.through_rfc7951(&json!({"other": ["a"]})),
        json!({"other": "a"})
    );
    assert_eq!(
        forms.through_rfc7951(&json!({"other": ["a", "b"]})),
        json!({"other": ["a", "b"]})
    );
    assert_eq!(forms.both(&json!({"other": [1]})), (false, false));
    assert_eq!(forms.both(&json!({"other": 1})), (false, false));
    assert_eq!(forms.canonical(&json!({"other": 1})), Some(json!({})));
    assert_eq!(
        forms.canonical(&json!({"other": ["x"]})),
        Some(json!({"other": "x"}))
    );
}

/// Control characters: XML cannot represent them, JSON can.
#[test]
fn control_characters_have_no_xml_form() {
    let forms = Forms::of_key(Shape::of(KeyType::String), true);
    for c in [
        '\u{0}', '\u{1}', '\u{b}', '\u{1f}', '\u{fffe}', '\u{ffff}', '\u{fdd0}',
    ] {
        let payload = json!({"x": format!("a{c}")});
        assert_eq!(forms.both(&payload), (true, false), "{c:?}");
        assert!(matches!(
            forms.typed(&payload),
            Err(NoTypedForm::Character { .. })
        ));
    }
    for c in [
        '\t',
        '\n',
        '\r',
        '\u{7f}',
        '\u{85}',
        '\u{e000}',
        '\u{10fffd}',
    ] {
        assert_eq!(
            forms.both(&json!({"x": format!("a{c}")})),
            (true, true),
            "{c:?}"
        );
    }
}

/// Carriage returns and whitespace reach the data tree unchanged, as a length counts them.
#[test]
fn blanks_are_kept_by_xml() {
    let forms = Forms::of_key(
        narrowed(KeyType::String, |c| c.allowed = vec![json!(" a\r\n")]),
        true,
    );
    assert_eq!(forms.both(&json!({"x": " a\r\n"})), (true, true));
    assert_eq!(forms.both(&json!({"x": " a\n"})), (false, false));
    assert_eq!(forms.both(&json!({"x": "a"})), (false, false));
}

/// Leap seconds cannot be checked by a pattern.
#[test]
fn leap_seconds_are_refused_by_yang() {
    for (format, text, json) in [
        (Format::Time, "23:59:60Z", true),
        (Format::Time, "22:59:60Z", false),
        (Format::DateTime, "2016-12-31T23:59:60Z", true),
    ] {
        let forms = Forms::of_key(narrowed(KeyType::String, |c| c.format = Some(format)), true);
        assert_eq!(forms.both(&json!({"x": text})), (json, false), "{text}");
    }
}

/// Undeclared content travels as JSON text; YANG does not validate it.
#[test]
fn undeclared_content_is_not_looked_into_by_yang() {
    let forms = Forms::of_key(array(array(Shape::of(KeyType::Integer))), true);
    let payload = json!({"x": [[1, 2], [3]]});
    assert_eq!(forms.both(&payload), (true, true));
    assert_eq!(forms.through_rfc7951(&payload), payload);
    assert_eq!(forms.both(&json!({"x": [["a"]]})), (false, true));
    let counted = narrowed(KeyType::Array, |c| c.max_items = Some(1));
    assert_eq!(
        Forms::of_key(counted, true).both(&json!({"x": [1, 2]})),
        (false, true)
    );
    let forms = Forms::of_key(Shape::of(KeyType::Object), true);
    assert_eq!(
        forms.both(&json!({"x": {"<a>": [null, "\u{1}"]}})),
        (true, true)
    );
    assert_eq!(forms.both(&json!({"x": ["a"]})), (false, false));
}

/// XML has text only: a string that spells a number is refused before it is written.
#[test]
fn types_are_told_apart_before_xml() {
    for (shape, wrong) in [
        (Shape::of(KeyType::Integer), json!("3")),
        (Shape::of(KeyType::String), json!(3)),
        (Shape::of(KeyType::Boolean), json!("true")),
        (array(Shape::of(KeyType::String)), json!("a")),
    ] {
        let forms = Forms::of_key(shape, true);
        assert_eq!(forms.both(&json!({"x": wrong})), (false, false));
        let typed = forms.typed(&json!({"x": wrong}));
        assert!(matches!(typed, Err(NoTypedForm::Type { .. })), "{wrong}");
    }
}

/// An unknown key is refused by both; by YANG as an unknown element, unless its name is no
/// element name.
#[test]
fn unknown_keys_are_refused_by_both() {
    let forms = Forms::of_key(Shape::of(KeyType::Integer), false);
    assert_eq!(forms.both(&json!({"surplus": "1"})), (false, false));
    let xml = forms.typed(&json!({"surplus": "1"})).unwrap();
    let violation = forms.yang.check_data(&xml, false).unwrap_err();
    assert_eq!(violation.element.as_deref(), Some("surplus"));
    let typed = forms.typed(&json!({"no name": "1"}));
    assert!(matches!(typed, Err(NoTypedForm::Name { .. })));
}

/// Contradictory constraints accept nothing, in both forms.
#[test]
fn contradictions_accept_nothing() {
    let nothing = narrowed(KeyType::Integer, |c| {
        (c.minimum, c.maximum) = (Some(2.into()), Some(1.into()))
    });
    let forms = Forms::of_key(nothing, false);
    assert_eq!(forms.both(&json!({"x": 1})), (false, false));
    assert_eq!(forms.both(&json!({})), (true, true));
}

/// D32: defaults are stated by both forms where YANG has them, and filled in by neither.
#[test]
fn defaults_are_told() {
    let mut keys = vec![
        key("count", Shape::of(KeyType::Integer), false),
        key("names", array(Shape::of(KeyType::String)), false),
        key(
            "legs",
            array(object(vec![("via", Shape::of(KeyType::String), false)])),
            false,
        ),
        key("text", Shape::of(KeyType::String), false),
    ];
    let defaults = [
        json!(3),
        json!(["a", "b"]),
        json!([{"via": "PEK"}]),
        json!("a \"b\"\n"),
    ];
    for (key, default) in keys.iter_mut().zip(&defaults) {
        key.default_value = Some(default.clone());
    }
    let forms = Forms::of(template(keys));
    let schema = json_schema(&forms.template, &Language::english());
    for (name, default) in ["count", "names", "legs", "text"]
        .into_iter()
        .zip(&defaults)
    {
        assert_eq!(&schema["properties"][name]["default"], default);
    }
    let text = module(
        &forms.template,
        Placement::Standalone,
        &Language::english(),
        REVISION,
    );
    let told: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| l.starts_with("default"))
        .collect();
    assert_eq!(
        told,
        [
            r#"default "3";"#,
            r#"default "a";"#,
            r#"default "b";"#,
            r#"default "a \"b\"\n";"#
        ]
    );
    assert_eq!(forms.both(&json!({})), (true, true));
}

/// The verdict of our own validator where the forms differ: that of JSON Schema, except for
/// integers beyond 64 bits.
#[test]
fn our_own_check_takes_a_side_where_forms_differ() {
    let of_format = |format| narrowed(KeyType::String, |c| c.format = Some(format));
    for (shape, value, accepted) in [
        (Shape::of(KeyType::Integer), "3.0", true),
        (Shape::of(KeyType::Integer), "9223372036854775808", false),
        (Shape::of(KeyType::Integer), "1e300", false),
        (Shape::of(KeyType::Number), "0.0000001", true),
        (Shape::of(KeyType::Number), "1e300", true),
        (Shape::of(KeyType::String), r#""a\u0001""#, true),
        (of_format(Format::Time), r#""23:59:60Z""#, true),
        (
            array(array(Shape::of(KeyType::Integer))),
            r#"[["a"]]"#,
            false,
        ),
    ] {
        let forms = Forms::of_key(shape, true);
        let value: Value = serde_json::from_str(value).unwrap();
        let payload = json!({"x": value});
        assert_eq!(forms.contract_accepts(&payload), accepted, "{payload}");
    }
}

/// All shipped templates compile, alone and together, and accept their own examples.
#[test]
fn shipped_templates_compile_together() {
    let mut set = ModuleSet::convoke();
    for template in schema::shipped::shipped() {
        for language in [Language::english(), Language::chinese()] {
            let text = module(&template, Placement::Standalone, &language, REVISION);
            let name = template.schema_id.clone();
            set = set.with_text(&name, text);
        }
    }
    let yang = Generation::load(&set).unwrap_or_else(|e| panic!("{e}"));
    for template in schema::shipped::shipped() {
        assert!(yang.schema(&template.schema_id, Some(REVISION)).is_some());
        let Forms {
            template, schema, ..
        } = Forms::of(template);
        assert!(
            !schema.is_valid(&json!({"no_such_key": 1})),
            "{}",
            template.schema_id
        );
    }
}
