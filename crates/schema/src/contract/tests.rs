//! Payloads against contracts: tables by checklist row, and the laws that hold for all.

mod laws;

use super::*;
use crate::language::Language;
use crate::template::{Annotation, Constraint, Format, KeyStatus, KeyType, Property, Shape};
use crate::violation::{Caution, Code, Warning, report};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Number, json};

// -- templates by hand ------------------------------------------------------------------------

pub(crate) fn template(schema_id: &str, mut keys: Vec<Key>) -> Template {
    keys.push(key(OTHER, Shape::of(KeyType::String)));
    Template {
        schema_id: schema_id.to_owned(),
        scenario: schema_id.trim_end_matches("_v1").to_owned(),
        title: None,
        language: Language::english(),
        keys,
        response_schema_id: None,
    }
}

pub(crate) fn key(name: &str, shape: Shape) -> Key {
    Key {
        key_name: name.to_owned(),
        shape,
        required: false,
        default_value: None,
        annotation: Annotation::default(),
        security_relevant: false,
        standing: KeyStatus::Stable,
    }
}

fn needed(name: &str, shape: Shape) -> Key {
    let required = true;
    Key {
        required,
        ..key(name, shape)
    }
}

fn with_default(name: &str, shape: Shape, value: Value) -> Key {
    let default_value = Some(value);
    Key {
        default_value,
        ..key(name, shape)
    }
}

fn held(key_type: KeyType, constraint: Constraint) -> Shape {
    Shape {
        key_type,
        constraint,
    }
}

fn one_of(values: &[&str]) -> Shape {
    let allowed = values.iter().map(|it| json!(it)).collect();
    held(
        KeyType::String,
        Constraint {
            allowed,
            ..Constraint::default()
        },
    )
}

fn from_to(key_type: KeyType, least: impl Into<Number>, most: impl Into<Number>) -> Shape {
    let (minimum, maximum) = (Some(least.into()), Some(most.into()));
    held(
        key_type,
        Constraint {
            minimum,
            maximum,
            ..Constraint::default()
        },
    )
}

fn formatted(format: Format) -> Shape {
    let format = Some(format);
    held(
        KeyType::String,
        Constraint {
            format,
            ..Constraint::default()
        },
    )
}

fn matching(pattern: &str) -> Shape {
    let pattern = Some(pattern.to_owned());
    held(
        KeyType::String,
        Constraint {
            pattern,
            ..Constraint::default()
        },
    )
}

fn list_of(items: Shape) -> Shape {
    let items = Some(Box::new(items));
    held(
        KeyType::Array,
        Constraint {
            items,
            ..Constraint::default()
        },
    )
}

fn object(properties: Vec<Property>) -> Shape {
    held(
        KeyType::Object,
        Constraint {
            properties,
            ..Constraint::default()
        },
    )
}

fn member(name: &str, required: bool, shape: Shape) -> Property {
    Property {
        name: name.to_owned(),
        shape,
        required,
        annotation: Annotation::default(),
    }
}

/// Figure 2 of the draft, its acceptable values as members (Q8).
fn flight() -> Template {
    let cabins = ["economy", "premium_economy", "business", "first"];
    template(
        "flight_booking_v1",
        vec![
            needed("origin", Shape::of(KeyType::String)),
            needed("destination", Shape::of(KeyType::String)),
            needed("departure_date", formatted(Format::Date)),
            with_default("cabin_class", one_of(&cabins), json!("economy")),
            with_default("passenger_count", from_to(KeyType::Integer, 1, 9), json!(1)),
        ],
    )
}

/// One of everything.
fn wide() -> Template {
    let alarm = object(vec![
        member("id", true, matching("A-[0-9]{1,4}")),
        member("time", true, formatted(Format::DateTime)),
        member("level", false, from_to(KeyType::Integer, 1, 5)),
        member("tags", false, list_of(Shape::of(KeyType::String))),
    ]);
    let (max_length, max_items) = (Some(4), Some(3));
    template(
        "wide_v1",
        vec![
            needed("alarms", list_of(alarm.clone())),
            key("worst", alarm),
            key("share", from_to(KeyType::Number, 0, 1)),
            key("open", Shape::of(KeyType::Boolean)),
            key(
                "note",
                held(
                    KeyType::String,
                    Constraint {
                        max_length,
                        ..Constraint::default()
                    },
                ),
            ),
            key(
                "few",
                held(
                    KeyType::Array,
                    Constraint {
                        max_items,
                        ..Constraint::default()
                    },
                ),
            ),
            key("extra", Shape::of(KeyType::Object)),
            key("anything", Shape::of(KeyType::Any)),
            Key {
                standing: KeyStatus::Deprecated,
                ..key("old", Shape::of(KeyType::Integer))
            },
        ],
    )
}

fn contract(template: &Template) -> Contract {
    Contract::new(template).unwrap()
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

fn told(violations: &[PayloadViolation]) -> String {
    let line = |it: &PayloadViolation| format!("{} {it}", it.code.as_str());
    violations.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// All that is wrong with a payload of a template, a line for each.
fn wrong(template: &Template, payload: Value) -> String {
    told(
        &contract(template)
            .verify(&map(payload))
            .expect_err("something is wrong"),
    )
}

fn canonical(template: &Template, payload: Value) -> Value {
    let accepted = contract(template).accept(map(payload), Unknown::Reject);
    Value::Object(
        accepted
            .unwrap_or_else(|all| panic!("{}", told(&all)))
            .values,
    )
}

fn cautions(accepted: &Accepted) -> String {
    let line = |it: &Warning| format!("{} {it}", it.code.as_str());
    accepted
        .warnings
        .iter()
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

// -- presence, defaults -----------------------------------------------------------------------

/// D15, D31, Q10: required keys must be there, and null is not there.
#[test]
fn required_keys_are_needed() {
    assert_snapshot!(wrong(&flight(), json!({ "destination": null })), @r#"
    missing /origin: string is missing
    missing /destination: string is needed, not null
    missing /departure_date: string that is a date such as 2026-05-04 is missing
    "#);
    assert_snapshot!(
        wrong(&wide(), json!({ "alarms": [{ "id": "A-1", "time": null }], "worst": {} })), @r#"
    missing /alarms/0/time: string that is a date and time with zone such as 2026-05-04T14:19:00Z is needed, not null
    missing /worst/id: string matching A-[0-9]{1,4} is missing
    missing /worst/time: string that is a date and time with zone such as 2026-05-04T14:19:00Z is missing
    "#
    );
}

/// D16, D34: Figure 4 is accepted, and so it is without its optional keys.
#[test]
fn optional_keys_may_be_left_out() {
    let mut payload = json!({
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
        "cabin_class": "business", "passenger_count": 1, "other": "window seat"
    });
    assert_eq!(canonical(&flight(), payload.clone()), payload);
    for name in ["cabin_class", "passenger_count", "other"] {
        payload.as_object_mut().unwrap().remove(name);
        assert_eq!(canonical(&flight(), payload.clone()), payload);
    }
}

/// D32, D33, Q11, Q17: defaults stand in for optional keys left out or null, and for nothing else.
#[test]
fn defaults_are_effective_but_not_canonical() {
    let mut template = flight();
    template.keys[0].default_value = Some(json!("PEK"));
    template
        .keys
        .insert(0, key("meal", Shape::of(KeyType::String)));
    let contract = contract(&template);
    let sent = json!({
        "origin": "CAN", "destination": "SHA", "departure_date": "2026-05-04",
        "cabin_class": null, "passenger_count": 1
    });
    let accepted = contract.accept(map(sent), Unknown::Reject).unwrap();
    assert_snapshot!(Value::Object(accepted.values.clone()), @r#"{"departure_date":"2026-05-04","destination":"SHA","origin":"CAN","passenger_count":1}"#);
    assert_snapshot!(Value::Object(accepted.effective()), @r#"{"cabin_class":"economy","departure_date":"2026-05-04","destination":"SHA","origin":"CAN","passenger_count":1}"#);
    let without = json!({ "destination": "SHA", "departure_date": "2026-05-04" });
    assert!(
        contract.verify(&map(without)).is_err(),
        "a default for a required key is not applied"
    );
}

// -- types and constraints --------------------------------------------------------------------

/// D35, Q8, Q22: everything is told at once, in the order of the template, unknown keys last.
#[test]
fn all_violations_at_once() {
    let payload = json!({
        "zeta": 1, "passenger_count": 12, "cabin_class": "bizness", "cabinclass": "first",
        "departure_date": "2026-02-30", "origin": 7
    });
    assert_snapshot!(wrong(&flight(), payload), @r#"
    type /origin: string is needed, not 7
    missing /destination: string is missing
    format /departure_date: string that is a date such as 2026-05-04 is needed, not "2026-02-30"
    enum /cabin_class: string, one of: economy, premium_economy, business, first is needed, not "bizness"
    range /passenger_count: integer from 1 to 9 is needed, not 12
    unknown /cabinclass: key cabin_class, or other for what no key covers is needed, not "first"
    unknown /zeta: key of the schema, or other for what no key covers is needed, not 1
    "#);
}

/// Q5: 3 and 3.0 are integers, "3" and true are none; and what numbers admit.
#[test]
fn numbers() {
    let any_integer = template("n_v1", vec![key("n", Shape::of(KeyType::Integer))]);
    for (sent, kept) in [
        (json!(3), Some(json!(3))),
        (json!(3.0), Some(json!(3))),
        (json!(-0.0), Some(json!(0))),
        (json!(1e15), Some(json!(1_000_000_000_000_000_i64))),
        (json!(i64::MAX), Some(json!(i64::MAX))),
        (json!(i64::MIN), Some(json!(i64::MIN))),
        (json!(-9_223_372_036_854_775_808.0), Some(json!(i64::MIN))),
        (json!(9_223_372_036_854_775_808.0), None),
        (json!(u64::MAX), None),
        (json!(1e300), None),
        (json!(3.5), None),
        (json!("3"), None),
        (json!(true), None),
        (json!([3]), None),
    ] {
        let taken = contract(&any_integer).accept(map(json!({ "n": sent })), Unknown::Reject);
        assert_eq!(taken.ok().map(|it| it.values["n"].clone()), kept, "{sent}");
    }
    // A number too is the same however it is written, so that typed XML says the same.
    let any_number = template("n_v1", vec![key("n", Shape::of(KeyType::Number))]);
    for (sent, kept) in [
        (json!(3.0), json!(3)),
        (json!(-0.0), json!(0)),
        (json!(0.5), json!(0.5)),
        (json!(1e300), json!(1e300)),
        (json!(u64::MAX), json!(u64::MAX)),
    ] {
        let taken = contract(&any_number).accept(map(json!({ "n": sent })), Unknown::Reject);
        assert_eq!(taken.unwrap().values["n"], kept, "{sent}");
    }
    let share = template("s_v1", vec![key("s", from_to(KeyType::Number, 0, 1))]);
    for (sent, fits) in [
        (json!(0), true),
        (json!(1.0), true),
        (json!(1.01), false),
        (json!(-1), false),
    ] {
        let fitted = contract(&share).verify(&map(json!({ "s": sent }))).is_ok();
        assert_eq!(fitted, fits, "{sent}");
    }
    let halves = Number::from_f64(0.5).unwrap()..Number::from_f64(2.5).unwrap();
    let narrow = template(
        "h_v1",
        vec![key(
            "h",
            from_to(KeyType::Integer, halves.start, halves.end),
        )],
    );
    for (sent, fits) in [(0, false), (1, true), (2, true), (3, false)] {
        assert_eq!(
            contract(&narrow).verify(&map(json!({ "h": sent }))).is_ok(),
            fits,
            "{sent}"
        );
    }
}

/// Q5, Q8: enumerations of numbers go by value, of strings by letter.
#[test]
fn enumerations() {
    let allowed = vec![json!(1), json!(2.5), json!(4.0)];
    let numbers = held(
        KeyType::Number,
        Constraint {
            allowed,
            ..Constraint::default()
        },
    );
    let template = template(
        "e_v1",
        vec![key("n", numbers), key("s", one_of(&["a", "B"]))],
    );
    for (sent, fits) in [
        (json!({ "n": 1.0 }), true),
        (json!({ "n": 4 }), true),
        (json!({ "n": 2 }), false),
        (json!({ "s": "B" }), true),
        (json!({ "s": "b" }), false),
        (json!({ "s": "" }), false),
    ] {
        assert_eq!(
            contract(&template).verify(&map(sent.clone())).is_ok(),
            fits,
            "{sent}"
        );
    }
}

/// Q6, Q7, Q8: each constraint is told by its code, wherever it stands.
#[test]
fn nested_violations_have_their_place() {
    let payload = json!({
        "alarms": [
            { "id": "A-1", "time": "2026-05-04T09:00:00Z" },
            { "id": "B-1", "time": "2026-05-04", "level": 9, "tags": ["x", 1], "lvel": 2 },
            "A-2"
        ],
        "worst": { "id": "A-12345" },
        "share": 1.5, "open": "yes", "note": "five!", "few": [1, 2, 3, 4], "extra": []
    });
    assert_snapshot!(wrong(&wide(), payload), @r#"
    pattern /alarms/1/id: string matching A-[0-9]{1,4} is needed, not "B-1"
    format /alarms/1/time: string that is a date and time with zone such as 2026-05-04T14:19:00Z is needed, not "2026-05-04"
    range /alarms/1/level: integer from 1 to 5 is needed, not 9
    type /alarms/1/tags/1: string is needed, not 1
    unknown /alarms/1/lvel: member level is needed, not 2
    type /alarms/2: object is needed, not "A-2"
    pattern /worst/id: string matching A-[0-9]{1,4} is needed, not "A-12345"
    missing /worst/time: string that is a date and time with zone such as 2026-05-04T14:19:00Z is missing
    range /share: number from 0 to 1 is needed, not 1.5
    type /open: boolean is needed, not "yes"
    length /note: string of at most 4 characters is needed, not "five!"
    length /few: array with at most 3 entries is needed, not [1,2,3,4]
    type /extra: object is needed, not []
    "#);
}

/// Q10 and the canonical form: what says no more than leaving out is left out, at every depth.
#[test]
fn what_says_nothing_is_left_out() {
    let payload = json!({
        "alarms": [
            { "id": "A-1", "time": "2026-05-04t09:00:00.5z", "level": 3.0, "tags": [] },
            { "id": "A-2", "time": "2026-05-04T09:00:00+08:00", "level": null }
        ],
        "worst": null, "few": [], "extra": {}, "anything": [null, []], "other": []
    });
    assert_snapshot!(canonical(&wide(), payload), @r#"{"alarms":[{"id":"A-1","level":3,"time":"2026-05-04T09:00:00.5Z"},{"id":"A-2","time":"2026-05-04T09:00:00+08:00"}],"anything":[null,[]],"extra":{}}"#);
    assert_snapshot!(wrong(&wide(), json!({ "alarms": [] })), @"missing /alarms: array of objects is needed, not []");
}

/// A type of a peer's that nobody knows takes anything.
#[test]
fn an_unknown_type_takes_anything() {
    for value in [json!(1), json!("x"), json!({ "a": [null] }), json!(false)] {
        let payload = json!({
            "alarms": [{ "id": "A-1", "time": "2026-05-04T09:00:00Z" }], "anything": value
        });
        assert_eq!(canonical(&wide(), payload.clone()), payload);
    }
}

#[test]
fn a_pattern_that_does_not_compile_is_told_with_its_place() {
    let alarms = list_of(object(vec![member("id", true, matching(r"\d+"))]));
    let fault = Contract::new(&template("p_v1", vec![key("alarms", alarms)])).unwrap_err();
    assert_eq!(fault.place, "alarms/items/id");
    assert_snapshot!(format!("{fault}: {}", fault.fault), @r#"the pattern of alarms/items/id: at byte 0 an I-Regexp (RFC 9485) has no '\\' here"#);
}

// -- unknown, deprecated, withdrawn -----------------------------------------------------------

/// D9, Q9, Q47: unknown keys are refused, dropped or moved to `other`, as the policy says.
#[test]
fn unknown_keys_by_policy() {
    let payload = json!({
        "alarms": [{ "id": "A-1", "time": "2026-05-04T09:00:00Z", "vendor": "x" }],
        "seat": "window", "size": { "a": [1] }, "other": "quiet"
    });
    let contract = contract(&wide());
    let sent = map(payload);
    assert_snapshot!(told(&contract.accept(sent.clone(), Unknown::Reject).unwrap_err()), @r#"
    unknown /alarms/0/vendor: member that the schema knows is needed, not "x"
    unknown /seat: key of the schema, or other for what no key covers is needed, not "window"
    unknown /size: key of the schema, or other for what no key covers is needed, not {"a":[1]}
    "#);
    let ignored = contract.accept(sent.clone(), Unknown::Ignore).unwrap();
    assert_snapshot!(Value::Object(ignored.values.clone()), @r#"{"alarms":[{"id":"A-1","time":"2026-05-04T09:00:00Z"}],"other":"quiet"}"#);
    assert_snapshot!(cautions(&ignored), @r#"
    ignored /alarms/0/vendor: the schema has no such key; the value was dropped
    ignored /seat: the schema has no such key; the value was dropped
    ignored /size: the schema has no such key; the value was dropped
    "#);
    let moved = contract.accept(sent, Unknown::ToOther).unwrap();
    assert_snapshot!(Value::Object(moved.values.clone()), @r#"{"alarms":[{"id":"A-1","time":"2026-05-04T09:00:00Z"}],"other":["quiet","alarms/0/vendor: x","seat: window","size: {\"a\":[1]}"]}"#);
    assert_snapshot!(cautions(&moved), @r#"
    moved /alarms/0/vendor: the schema has no such key; the value went to other
    moved /seat: the schema has no such key; the value went to other
    moved /size: the schema has no such key; the value went to other
    "#);
}

/// D105, D106: a withdrawn key is accepted with a warning, and held to its shape; D64: nothing else
/// changes. Deprecated keys warn too.
#[test]
fn withdrawn_keys_are_accepted_with_a_warning() {
    let seat = Tolerated {
        key_name: "seat".to_owned(),
        shape: one_of(&["window", "aisle"]),
    };
    let alarms = json!([{ "id": "A-1", "time": "2026-05-04T09:00:00Z" }]);
    let sent = |seat: Value| map(json!({ "alarms": alarms, "seat": seat, "old": 1 }));
    let strict = contract(&wide());
    assert!(strict.verify(&sent(json!("window"))).is_err());
    let lenient = strict.tolerating(&[seat]).unwrap();
    assert_eq!(lenient.verify(&sent(json!("window"))), Ok(()));
    let accepted = lenient
        .accept(sent(json!("window")), Unknown::Reject)
        .unwrap();
    assert_eq!(accepted.values["seat"], json!("window"));
    assert_snapshot!(cautions(&accepted), @r#"
    deprecated /old: the key is deprecated and will be withdrawn
    withdrawn /seat: the key was withdrawn and is accepted for a while yet
    "#);
    assert_snapshot!(accepted.warnings[1].to_value(), @r#"{"code":"withdrawn","key_name":"seat","message":"the key was withdrawn and is accepted for a while yet","path":"/seat"}"#);
    let refused = lenient
        .accept(sent(json!("roof")), Unknown::Reject)
        .unwrap_err();
    assert_snapshot!(told(&refused), @r#"enum /seat: string, one of: window, aisle is needed, not "roof""#);
    let absent = lenient.accept(sent(Value::Null), Unknown::Reject).unwrap();
    assert_eq!(absent.warnings.len(), 1);
}

/// A key that the template has goes before a withdrawn one of its name.
#[test]
fn a_key_of_the_template_goes_before_a_withdrawn_one() {
    let name = Tolerated {
        key_name: "origin".to_owned(),
        shape: Shape::of(KeyType::Integer),
    };
    let contract = contract(&flight()).tolerating(&[name]).unwrap();
    let sent = json!({ "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04" });
    assert!(
        contract
            .accept(map(sent), Unknown::Reject)
            .unwrap()
            .warnings
            .is_empty()
    );
}

// -- other ------------------------------------------------------------------------------------

/// D37 to D40, Q13, Q14: whatever `other` holds, the request is accepted; even if the template
/// lacks the key, or wrongly requires it.
#[test]
fn nothing_in_other_rejects() {
    let mut lacking = flight();
    lacking.keys.pop();
    let mut requiring = flight();
    requiring.keys.last_mut().unwrap().required = true;
    let base = json!({ "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04" });
    for template in [flight(), lacking, requiring] {
        for (other, kept, caution) in [
            (
                json!("window  seat\u{200b}"),
                Some(json!("window seat")),
                None,
            ),
            (json!(["window seat"]), Some(json!("window seat")), None),
            (
                json!(["a b", " ", "c d"]),
                Some(json!(["a b", "c d"])),
                None,
            ),
            (json!([]), None, None),
            (json!(""), None, None),
            (Value::Null, None, None),
            (json!(42), None, Some(Caution::Malformed)),
            (json!({ "a": 1 }), None, Some(Caution::Malformed)),
            (json!(["a", 1]), None, Some(Caution::Malformed)),
            (json!(true), None, Some(Caution::Malformed)),
            (
                json!("x".repeat(4_097)),
                Some(json!("x".repeat(4_096))),
                Some(Caution::Truncated),
            ),
            (
                json!("x".repeat(1 << 20)),
                Some(json!("x".repeat(4_096))),
                Some(Caution::Truncated),
            ),
            (
                json!(vec!["x"; 17]),
                Some(json!(vec!["x"; 16])),
                Some(Caution::Truncated),
            ),
            (
                json!(vec!["x"; 10_000]),
                Some(json!(vec!["x"; 16])),
                Some(Caution::Truncated),
            ),
        ] {
            let mut sent = map(base.clone());
            sent.insert(OTHER.to_owned(), other.clone());
            let contract = contract(&template);
            assert_eq!(contract.verify(&sent), Ok(()));
            let accepted = contract.accept(sent, Unknown::Reject).unwrap();
            assert_eq!(accepted.values.get(OTHER).cloned(), kept);
            assert_eq!(accepted.warnings.first().map(|it| it.code), caution);
        }
    }
}

/// Q9 with Q14: what is moved to `other` comes after its own entries, within its limits.
#[test]
fn moved_keys_share_the_limits_of_other() {
    let limits = Limits {
        other: other::Limits {
            bytes: 20,
            entries: 2,
        },
        ..Limits::default()
    };
    let contract = contract(&template("m_v1", vec![])).within(limits);
    let sent = json!({ "other": 3, "b": "aisle", "a": ["x", 1], "c": "lost" });
    let accepted = contract.accept(map(sent), Unknown::ToOther).unwrap();
    assert_snapshot!(Value::Object(accepted.values.clone()), @r#"{"other":["a: [\"x\",1]","b: aisle"]}"#);
    assert_snapshot!(cautions(&accepted), @r#"
    moved /a: the schema has no such key; the value went to other
    moved /b: the schema has no such key; the value went to other
    moved /c: the schema has no such key; the value went to other
    malformed /other: a string or an array of strings is needed; the value was dropped
    truncated /other: no more than 2 entries and 20 bytes are kept
    "#);
}

/// D95, Q39: what a payload is worth for the metrics is known of refused payloads too.
#[test]
fn types_are_reported_of_refused_payloads_too() {
    let contract = contract(&flight());
    let sent = map(json!({
        "origin": 1, "destination": "SHA", "departure_date": null, "cabin_class": "bizness",
        "passenger_count": 99.0, "other": 3, "unknown": 1
    }));
    assert!(contract.verify(&sent).is_err());
    assert_snapshot!(format!("{:?}", contract.type_correct(&sent)), @r#"{"cabin_class": true, "destination": true, "origin": false, "other": false, "passenger_count": true}"#);
}

// -- limits -----------------------------------------------------------------------------------

fn nested(depth: usize) -> Value {
    (1..depth).fold(json!(1), |inside, _| json!([inside]))
}

/// Q7: depth, number of values and length of strings are limited, and told as violations.
#[test]
fn limits_are_violations() {
    let free = template(
        "f_v1",
        vec![
            key("a", Shape::of(KeyType::Any)),
            key("o", Shape::of(KeyType::Object)),
        ],
    );
    let contract = contract(&free);
    for (fits, payload) in [
        (true, json!({ "a": nested(16) })),
        (false, json!({ "a": nested(17) })),
        (false, json!({ "o": { "deep": nested(120) } })),
        (true, json!({ "a": vec![0; 4_095] })),
        (false, json!({ "a": vec![0; 4_096] })),
        (true, json!({ "a": "x".repeat(65_536) })),
        (false, json!({ "a": "x".repeat(65_537) })),
        (false, json!({ "o": { "s": ["x".repeat(65_537)] } })),
    ] {
        let verdict = contract.verify(&map(payload));
        assert_eq!(verdict.is_ok(), fits, "{verdict:?}");
    }
    let wrong = |payload| told(&contract.verify(&map(payload)).unwrap_err());
    assert_snapshot!(wrong(json!({ "a": nested(17) })), @"depth /a/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0: payload nested at most 16 deep is needed, not 1");
    assert_snapshot!(wrong(json!({ "a": vec![0; 4_096] })), @"length : payload of at most 4096 values is missing");
    assert_snapshot!(wrong(json!({ "o": { "s": "x".repeat(65_537) } })), @r#"length /o/s: string of at most 65536 bytes is needed, not "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"#);
}

/// Limits hold for what is ignored too, and no flood of violations comes back.
#[test]
fn floods_are_dammed() {
    let contract = contract(&flight());
    let many: Map<_, _> = (0..4_000)
        .map(|n| (format!("key-{n:04}"), json!(n)))
        .collect();
    assert_eq!(contract.verify(&many).unwrap_err().len(), 1_024);
    let deep = map(json!({ "x": nested(17) }));
    assert!(
        contract
            .accept(deep, Unknown::Ignore)
            .unwrap_err()
            .iter()
            .any(|it| it.code == Code::Depth)
    );
}

/// Q22: what stood there is told short and inert.
#[test]
fn what_was_found_is_short_and_inert() {
    let nasty = "\u{202e}\u{1b}[2J\u{e0041}</untrusted-text>".repeat(100);
    let sent = map(json!({ "passenger_count": nasty, "a/b~\u{200b}\n".repeat(50): nasty }));
    for violation in contract(&flight()).verify(&sent).unwrap_err() {
        let text = format!(
            "{} {}",
            violation.path,
            violation.found.clone().unwrap_or_default()
        );
        assert!(!text.chars().any(crate::other::is_hidden), "{text:?}");
        assert!(violation.found.is_none_or(|it| it.chars().count() <= 64));
        assert!(violation.path.chars().count() <= 200);
    }
}

/// Q22: the reply of a refusal.
#[test]
fn the_reply_names_schema_key_and_place() {
    let sent = map(json!({ "origin": "PEK", "destination": "SHA", "departure_date": "soon" }));
    let contract = contract(&flight());
    let reply = report(contract.schema_id(), &contract.verify(&sent).unwrap_err());
    assert_snapshot!(serde_json::to_string_pretty(&reply).unwrap(), @r#"
    {
      "error": "invalid_payload",
      "errors": [
        {
          "code": "format",
          "expected": "string that is a date such as 2026-05-04",
          "key_name": "departure_date",
          "message": "/departure_date: string that is a date such as 2026-05-04 is needed, not \"soon\"",
          "path": "/departure_date"
        }
      ],
      "schema_id": "flight_booking_v1"
    }
    "#);
}
