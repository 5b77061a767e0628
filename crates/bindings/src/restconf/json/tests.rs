//! JSON and XML of one input are the same, for every type of YANG (RFC 7951 §6).

use super::{members, operation};
use crate::restconf::place::Place;
use ::netconf::error::ErrorTag;
use ::netconf::xml::{Limits, XmlDocument};
use serde_json::{Value, json};
use std::sync::Arc;
use yang::{Generation, ModuleSet};

const TYPES: &str = r#"module types {
  yang-version 1.1; namespace "urn:types"; prefix t;
  identity shape; identity round { base shape; }
  grouping leaves {
    leaf small { type int8; } leaf natural { type uint32; } leaf whole { type int64; }
    leaf large { type uint64; } leaf part { type decimal64 { fraction-digits 2; } }
    leaf truth { type boolean; } leaf nothing { type empty; } leaf word { type string; }
    leaf choice { type enumeration { enum a; enum b; } } leaf bytes { type binary; }
    leaf flags { type bits { bit x; bit y; } }
    leaf form { type identityref { base shape; } }
    leaf mixed { type union { type uint8; type boolean; type string; } }
    leaf dates { type union { type string { pattern "[a-z]+"; } type int32; } }
    leaf-list several { type uint16; ordered-by user; }
    leaf ignored { type string; default "d"; }
    list entry { key "id"; leaf a { type string; } leaf id { type string; }
      container in { leaf deep { type int32; } } }
    anydata any;
  }
  rpc r { input { uses leaves; } output { uses leaves; } }
}"#;

const MORE: &str = r#"module more {
  yang-version 1.1; namespace "urn:more"; prefix m;
  import types { prefix t; }
  identity square { base t:shape; }
  augment "/t:r/t:input" { leaf extra { type int32; } }
  augment "/t:r/t:input/t:entry" { leaf extra { type string; } }
}"#;

fn generation() -> Arc<Generation> {
    let set = ModuleSet::empty()
        .with_text("types", TYPES)
        .with_text("more", MORE);
    Generation::load(&set).expect("it loads")
}

/// The element of the operation that an input is.
fn read(input: &Value, generation: &Generation) -> Result<String, (ErrorTag, String)> {
    let mut out = Vec::new();
    let input = input.as_object().expect("an input is an object");
    operation(("types", "r"), input, generation, &mut out)
        .map_err(|error| (error.tag, error.message.unwrap_or_default()))?;
    Ok(String::from_utf8(out).expect("UTF-8"))
}

/// The input that an element of the operation is.
fn written(xml: &str, generation: &Generation) -> Value {
    let document = XmlDocument::parse(xml, &Limits::default()).expect("XML");
    let place = Place::of_operation("types", "r", "input");
    let mut out = Vec::new();
    members(document.root().children(), &place, generation, &mut out);
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn what_is_read_is_valid_and_is_written_as_it_was() {
    let generation = generation();
    for input in [
        json!({}),
        json!({ "small": -7, "natural": 4_294_967_295_u32, "whole": "-9", "large": "18446744073709551615" }),
        json!({ "part": "1.50", "truth": false, "nothing": [null], "choice": "b" }),
        json!({ "bytes": "AAEC", "flags": "x y", "word": "<a>&\"'\n\t é 中 \u{1F600}" }),
        json!({ "word": "" }),
        json!({ "form": "types:round" }),
        json!({ "form": "more:square" }),
        json!({ "mixed": 7 }),
        json!({ "mixed": true }),
        json!({ "mixed": "300" }),
        json!({ "mixed": "word" }),
        json!({ "several": [3, 1, 2] }),
        json!({ "entry": [{ "id": "1", "a": "x", "in": { "deep": 1 } }, { "id": "2" }] }),
        json!({ "more:extra": 3, "entry": [{ "id": "1", "more:extra": "y" }] }),
        json!({ "any": { "word": "x", "more:extra": "y" } }),
        json!({ "any": {} }),
    ] {
        let xml = read(&input, &generation).expect("it is an input");
        generation
            .check_rpc(&xml)
            .unwrap_or_else(|refused| panic!("{xml}: {refused:?}"));
        assert_eq!(written(&xml, &generation), input, "{xml}");
    }
}

#[test]
fn a_value_that_json_has_otherwise_is_refused() {
    let generation = generation();
    for (input, tag) in [
        (json!({ "small": "7" }), ErrorTag::InvalidValue),
        (json!({ "whole": 7 }), ErrorTag::InvalidValue),
        (json!({ "part": 1.5 }), ErrorTag::InvalidValue),
        (json!({ "truth": "true" }), ErrorTag::InvalidValue),
        (json!({ "nothing": null }), ErrorTag::InvalidValue),
        (json!({ "nothing": true }), ErrorTag::InvalidValue),
        (json!({ "word": 1 }), ErrorTag::InvalidValue),
        (json!({ "word": ["a"] }), ErrorTag::InvalidValue),
        (json!({ "word": {} }), ErrorTag::InvalidValue),
        (json!({ "mixed": null }), ErrorTag::InvalidValue),
        (json!({ "form": "no:such" }), ErrorTag::UnknownNamespace),
        (json!({ "form": "a:b:c" }), ErrorTag::InvalidValue),
        (json!({ "several": 3 }), ErrorTag::InvalidValue),
        (json!({ "several": [[1]] }), ErrorTag::InvalidValue),
        (json!({ "entry": { "id": "1" } }), ErrorTag::InvalidValue),
        (json!({ "entry": ["1"] }), ErrorTag::InvalidValue),
        (json!({ "": 1 }), ErrorTag::UnknownElement),
        (json!({ "a b": 1 }), ErrorTag::UnknownElement),
        (json!({ "@small": {} }), ErrorTag::UnknownElement),
        (json!({ "none:small": 1 }), ErrorTag::UnknownNamespace),
        (json!({ "unknown": null }), ErrorTag::InvalidValue),
    ] {
        let refused = read(&input, &generation).expect_err("it is no input");
        assert_eq!(refused.0, tag, "{input}: {}", refused.1);
    }
}

/// What is not in the schema is for the schema to refuse.
#[test]
fn what_no_module_has_is_written_for_libyang_to_refuse() {
    let generation = generation();
    let xml = read(&json!({ "colour": "<red>" }), &generation).expect("names are names");
    assert_eq!(
        xml,
        "<r xmlns=\"urn:types\"><colour>&lt;red&gt;</colour></r>"
    );
    assert!(generation.check_rpc(&xml).is_err());
}

#[test]
fn entries_of_a_list_are_one_array_whatever_stands_between_them() {
    let generation = generation();
    let xml = "<r xmlns=\"urn:types\"><several>1</several><word>x</word><several>2</several></r>";
    assert_eq!(
        written(xml, &generation),
        json!({ "several": [1, 2], "word": "x" })
    );
}

#[test]
fn a_default_is_tagged_beside_its_value() {
    let generation = generation();
    let xml = "<r xmlns=\"urn:types\"><ignored xmlns:wd=\"urn:ietf:params:xml:ns:netconf:default:1.0\" \
               wd:default=\"true\">d</ignored></r>";
    assert_eq!(
        written(xml, &generation),
        json!({ "ignored": "d", "@ignored": { "ietf-netconf-with-defaults:default": true } })
    );
}
