//! One template, many contracts: JSON Schema, YANG and our own validator accept the same canonical
//! payloads.
//!
//! The property is checked over random templates and payloads, valid and invalid; the known
//! differences (the table of `schema::render`) have a test each. JSON Schema is evaluated by the
//! `jsonschema` crate with format assertions, YANG by libyang over typed XML.
#![allow(clippy::unwrap_used)]

#[path = "renderings/differences.rs"]
mod differences;
#[path = "renderings/yanglint.rs"]
mod yanglint;

use std::sync::Arc;

use jsonschema::Validator;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use schema::contract::{Contract, Unknown};
use schema::language::Language;
use schema::render::yang::{NoTypedForm, Placement, from_rfc7951, module, to_rfc7951, to_xml};
use schema::render::{form, gbnf, json_schema, prompt, response_format};
use schema::template::{
    Annotation, Constraint, Description, Format, Key, KeyStatus, KeyType, OTHER, Property, Shape,
    Template,
};
use serde_json::{Map, Number, Value, json};
use yang::{Generation, ModuleSet};

const REVISION: &str = "2026-11-21";

// ---------------------------------------------------------------- both sides

/// A template in both forms.
struct Forms {
    template: Template,
    schema: Validator,
    yang: Arc<Generation>,
    contract: Contract,
}

impl Forms {
    fn of(template: Template) -> Self {
        let text = module(
            &template,
            Placement::Standalone,
            &Language::english(),
            REVISION,
        );
        let set = ModuleSet::empty().with_text(&template.schema_id, text.as_str());
        let yang = Generation::load(&set).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let schema = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&json_schema(&template, &Language::english()))
            .unwrap();
        let contract = Contract::new(&template).unwrap();
        Self {
            template,
            schema,
            yang,
            contract,
        }
    }

    /// The forms of a template with one key `x`.
    fn of_key(shape: Shape, required: bool) -> Self {
        Self::of(template(vec![key("x", shape, required)]))
    }

    fn json_accepts(&self, payload: &Value) -> bool {
        self.schema.is_valid(payload)
    }

    fn yang_accepts(&self, payload: &Value) -> bool {
        self.typed(payload)
            .is_ok_and(|xml| self.yang.check_data(&xml, false).is_ok())
    }

    fn contract_accepts(&self, payload: &Value) -> bool {
        self.contract.verify(payload.as_object().unwrap()).is_ok()
    }

    /// The canonical form of a payload; none if it is refused.
    fn canonical(&self, payload: &Value) -> Option<Value> {
        let payload = payload.as_object().unwrap().clone();
        let accepted = self.contract.accept(payload, Unknown::Reject).ok()?;
        Some(Value::Object(accepted.values))
    }

    fn typed(&self, payload: &Value) -> Result<String, NoTypedForm> {
        to_xml(&self.template, payload.as_object().unwrap())
    }

    /// Whether JSON Schema accepts, and whether YANG accepts.
    fn both(&self, payload: &Value) -> (bool, bool) {
        (self.json_accepts(payload), self.yang_accepts(payload))
    }

    /// The payload after a round trip through the data tree's JSON (RFC 7951).
    fn through_rfc7951(&self, payload: &Value) -> Value {
        let printed = to_rfc7951(&self.template, payload.as_object().unwrap());
        Value::Object(from_rfc7951(&self.template, &printed))
    }
}

fn key(name: &str, shape: Shape, required: bool) -> Key {
    Key {
        key_name: name.to_owned(),
        shape,
        required,
        default_value: None,
        annotation: said("What it is; \"quoted\" {and} \\ more."),
        security_relevant: false,
        standing: KeyStatus::Stable,
    }
}

fn said(meaning: &str) -> Annotation {
    let description = Description {
        meaning: meaning.to_owned(),
        ..Description::default()
    };
    Annotation([(Language::english(), description)].into())
}

fn template(mut keys: Vec<Key>) -> Template {
    keys.push(key(OTHER, Shape::of(KeyType::String), false));
    Template {
        schema_id: "trial_v1".to_owned(),
        scenario: "trial".to_owned(),
        title: None,
        language: Language::english(),
        keys,
        response_schema_id: None,
    }
}

fn narrowed(key_type: KeyType, narrow: impl FnOnce(&mut Constraint)) -> Shape {
    let mut shape = Shape::of(key_type);
    narrow(&mut shape.constraint);
    shape
}

fn array(items: Shape) -> Shape {
    narrowed(KeyType::Array, |c| c.items = Some(Box::new(items)))
}

fn object(properties: Vec<(&str, Shape, bool)>) -> Shape {
    narrowed(KeyType::Object, |c| {
        let property = |(name, shape, required): (&str, Shape, bool)| Property {
            name: name.to_owned(),
            shape,
            required,
            annotation: said("A member."),
        };
        c.properties = properties.into_iter().map(property).collect();
    })
}

// ----------------------------------------------------------------- templates

/// I-Regexps, each with texts that distinguish it from similar patterns of other dialects.
const PATTERNS: [(&str, &[&str]); 10] = [
    ("[A-Z]{3}", &["ABC", "ABCD", "AB", "abc", "ABC\n"]),
    ("a.c", &["abc", "a\nc", "a\rc", "a\u{2028}c", "a😀c", "ac"]),
    ("a^$b", &["a^$b", "ab", "a"]),
    (r"\^[$]", &["^$", "", "^"]),
    ("a|bc", &["a", "bc", "ac", "abc", "xa", "bcx"]),
    ("[^a-c]*", &["", "xyz", "xaz", "\n"]),
    (r"\p{Lu}\P{L}?", &["Ä", "Ä1", "ä", "ÄB", "中"]),
    (r"(ab){2,}[\-x]?", &["abab", "ababab-", "ab", "ababx"]),
    ("[-&a][&&-(]?", &["-", "&", "&(", "-'", "a-", "b"]),
    ("[0-9]+(\\.[0-9]{1,2})?", &["1", "1.25", "1.", "١", "1.256"]),
];

/// Texts to try formats on: valid, and nearly valid.
const FORMATTED: [&str; 34] = [
    "2026-05-04",
    "2024-02-29",
    "2023-02-29",
    "1900-02-29",
    "2000-02-29",
    "0000-02-29",
    "2026-13-01",
    "2026-5-4",
    "12:00:00Z",
    "12:00:00z",
    "23:59:59.123456789+23:59",
    "24:00:00Z",
    "12:00:00",
    "12:00:00+24:00",
    "2026-05-04T09:00:00+08:00",
    "2026-05-04t09:00:00.1z",
    "2026-05-04 09:00:00Z",
    "2026-02-30T00:00:00Z",
    "10.0.0.1",
    "010.0.0.1",
    "256.1.1.1",
    "1.2.3",
    "::",
    "::1",
    "fe80::1:2:3:4:5",
    "1:2:3:4:5:6:7:8:9",
    "::ffff:192.0.2.1",
    "1::2::3",
    "fe80::1%eth0",
    "http://[::1]:80/a?b#c",
    "http://exa mple/",
    "urn:a:b:%7e",
    "f308a72c-fa84-11eb-9a03-0242ac130003",
    "F308A72C-FA84-11EB-9A03-0242AC13000",
];

/// Words with characters that XML, YANG and JSON treat differently.
const WORDS: [&str; 14] = [
    "",
    " ",
    "a",
    "ab",
    "abc",
    " padded ",
    "<&>\"'",
    "]]>",
    "line\nfeed",
    "carriage\rreturn",
    "tab\t",
    "中文",
    "😀😀",
    "{\"a\":1}",
];

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned)
}

/// Decimals with at most six fraction digits, as written.
fn decimal() -> impl Strategy<Value = Number> {
    (-40_000_000_i64..40_000_000, 0_u32..=6).prop_map(|(digits, places)| {
        let places = places as usize;
        let sign = if digits < 0 { "-" } else { "" };
        let digits = format!("{:0>1$}", digits.abs(), places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let text = match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        };
        serde_json::from_str(&text).unwrap()
    })
}

fn small_integer() -> impl Strategy<Value = Number> {
    prop_oneof![
        (-9_i64..10).prop_map(Number::from),
        prop::sample::select(vec![i64::MIN, i64::MAX, 1 << 53]).prop_map(Number::from),
    ]
}

fn string_shape() -> impl Strategy<Value = Shape> {
    let pattern = prop::sample::select(PATTERNS.map(|(pattern, _)| pattern).to_vec());
    let allowed = prop::collection::btree_set(word(), 1..4);
    let free = narrowed(KeyType::String, |_| ());
    prop_oneof![
        Just(free),
        (0_usize..4).prop_map(|n| narrowed(KeyType::String, |c| c.max_length = Some(n))),
        prop::sample::select(Format::ALL.to_vec())
            .prop_map(|format| narrowed(KeyType::String, |c| c.format = Some(format))),
        (pattern, prop::option::of(0_usize..6)).prop_map(|(pattern, length)| {
            narrowed(KeyType::String, |c| {
                c.pattern = Some(pattern.to_owned());
                c.max_length = length;
            })
        }),
        (allowed, prop::option::of(0_usize..6)).prop_map(|(allowed, length)| {
            narrowed(KeyType::String, |c| {
                c.allowed = allowed.into_iter().map(Value::from).collect();
                c.max_length = length;
            })
        }),
    ]
}

fn number_shape(
    key_type: KeyType,
    number: impl Strategy<Value = Number> + Clone,
) -> impl Strategy<Value = Shape> {
    let bounds = (
        prop::option::of(number.clone()),
        prop::option::of(number.clone()),
    );
    let allowed = prop::collection::vec(number, 1..4);
    prop_oneof![
        3 => bounds.prop_map(move |(low, high)| narrowed(key_type, |c| (c.minimum, c.maximum) = (low, high))),
        1 => allowed.prop_map(move |allowed| {
            narrowed(key_type, |c| c.allowed = allowed.into_iter().map(Value::Number).collect())
        }),
    ]
}

fn shape() -> impl Strategy<Value = Shape> {
    let scalar = prop_oneof![
        3 => string_shape(),
        2 => number_shape(KeyType::Integer, small_integer().boxed()),
        2 => number_shape(KeyType::Number, decimal().boxed()),
        1 => Just(Shape::of(KeyType::Boolean)),
        1 => Just(Shape::of(KeyType::Object)),
        1 => Just(Shape::of(KeyType::Array)),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec((inner.clone(), any::<bool>()), 1..4);
        prop_oneof![
            (inner, prop::option::of(1_usize..4)).prop_map(|(items, most)| {
                // What YANG does not look into is a known difference, told below.
                match is_modelled(&items) {
                    true => narrowed(KeyType::Array, |c| {
                        (c.items, c.max_items) = (Some(Box::new(items)), most)
                    }),
                    false => Shape::of(KeyType::Array),
                }
            }),
            members.prop_map(|members| {
                let names = ["m_a", "m_b", "m_c"];
                let named = names.into_iter().zip(members);
                object(
                    named
                        .map(|(name, (shape, required))| (name, shape, required))
                        .collect(),
                )
            }),
        ]
    })
}

/// False if YANG has an array of such items as anydata.
fn is_modelled(items: &Shape) -> bool {
    match items.key_type {
        KeyType::Object => !items.constraint.properties.is_empty(),
        KeyType::Array | KeyType::Any => false,
        _ => true,
    }
}

fn any_template() -> impl Strategy<Value = Template> {
    let standing = prop::sample::select(vec![
        KeyStatus::Stable,
        KeyStatus::Experimental,
        KeyStatus::Deprecated,
    ]);
    let keys = prop::collection::vec((shape(), any::<bool>(), standing), 1..5);
    keys.prop_map(|keys| {
        let named = keys
            .into_iter()
            .enumerate()
            .map(|(at, (shape, required, standing))| Key {
                standing,
                ..key(&format!("key_{at}"), shape, required)
            });
        template(named.collect())
    })
}

// ------------------------------------------------------------------ payloads

/// A value for a place, mostly of the right JSON type, and about half of the time within its
/// constraints; sometimes of another type.
fn value(shape: &Shape) -> BoxedStrategy<Value> {
    let right = typed_value(shape);
    let wrong = prop::sample::select(vec![
        json!(true),
        json!(3),
        json!("three"),
        json!({"a": 1}),
        json!(["a"]),
        json!(0.5),
    ]);
    prop_oneof![40 => right, 1 => wrong].boxed()
}

fn typed_value(shape: &Shape) -> BoxedStrategy<Value> {
    let constraint = &shape.constraint;
    let allowed = constraint.allowed.clone();
    let bounds: Vec<Value> = [&constraint.minimum, &constraint.maximum]
        .into_iter()
        .flatten()
        .map(|bound| Value::Number(bound.clone()))
        .collect();
    let near: Vec<Value> = [allowed, bounds].concat();
    let free: BoxedStrategy<Value> = match shape.key_type {
        KeyType::String => text(constraint),
        KeyType::Integer => small_integer().prop_map(Value::Number).boxed(),
        KeyType::Number => decimal().prop_map(Value::Number).boxed(),
        KeyType::Boolean => any::<bool>().prop_map(Value::Bool).boxed(),
        KeyType::Array => entries(constraint),
        KeyType::Object => members(constraint),
        KeyType::Any => Just(json!({"any": [1, null]})).boxed(),
    };
    match near.is_empty() {
        true => free,
        false => prop_oneof![3 => prop::sample::select(near), 1 => free].boxed(),
    }
}

fn text(constraint: &Constraint) -> BoxedStrategy<Value> {
    let texts = match (&constraint.pattern, constraint.format) {
        (Some(pattern), _) => {
            let found = PATTERNS.iter().find(|(known, _)| known == pattern);
            found.unwrap().1.to_vec()
        }
        (_, Some(format)) => {
            let fits = jsonschema::draft202012::options()
                .should_validate_formats(true)
                .build(&json!({"format": format.as_str()}))
                .unwrap();
            // The few that fit, as often as all those that do not.
            let right = FORMATTED
                .into_iter()
                .filter(|text| fits.is_valid(&json!(text)));
            let right: Vec<_> = right.collect();
            let times = FORMATTED.len() / right.len();
            [FORMATTED.to_vec(), right.repeat(times)].concat()
        }
        _ => WORDS.to_vec(),
    };
    prop::sample::select(texts).prop_map(Value::from).boxed()
}

fn entries(constraint: &Constraint) -> BoxedStrategy<Value> {
    match constraint.items.as_deref() {
        None => Just(json!(["a", 1, {"b": null}])).boxed(),
        Some(items) => prop::collection::vec(value(items), 1..4)
            .prop_map(Value::Array)
            .boxed(),
    }
}

fn members(constraint: &Constraint) -> BoxedStrategy<Value> {
    if constraint.properties.is_empty() {
        return Just(json!({"free": [1, "x", {"y": null}]})).boxed();
    }
    let places = constraint.properties.iter();
    places_filled(
        places
            .map(|m| (m.name.clone(), &m.shape, m.required))
            .collect(),
    )
}

/// An object: required members nearly always present, others often; sometimes an unknown one.
fn places_filled(places: Vec<(String, &Shape, bool)>) -> BoxedStrategy<Value> {
    let filled: Vec<BoxedStrategy<Option<(String, Value)>>> = places
        .into_iter()
        .map(|(name, shape, required)| {
            let presence = if required { 0.97 } else { 0.6 };
            let value = prop::option::weighted(presence, value(shape));
            value
                .prop_map(move |value| value.map(|value| (name.clone(), value)))
                .boxed()
        })
        .collect();
    let surplus = prop::option::weighted(0.04, Just(("surplus".to_owned(), json!(1))));
    (filled, surplus)
        .prop_map(|(filled, surplus)| {
            let members: Map<String, Value> = filled.into_iter().flatten().chain(surplus).collect();
            Value::Object(members)
        })
        .boxed()
}

fn payload(template: &Template) -> BoxedStrategy<Value> {
    let places = template.own_keys();
    let places = places
        .map(|k| (k.key_name.clone(), &k.shape, k.required))
        .collect();
    let other = prop_oneof![
        3 => Just(None),
        1 => word().prop_map(|text| Some(json!(text))),
        1 => prop::collection::vec(word(), 2..4).prop_map(|texts| Some(json!(texts))),
    ];
    (places_filled(places), other)
        .prop_map(|(mut payload, other)| {
            if let Some(other) = other {
                payload[OTHER] = other;
            }
            payload
        })
        .boxed()
}

// ---------------------------------------------------------------------- laws

fn runner() -> TestRunner {
    TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, b"one template, many contracts: 42"),
    )
}

fn drawn<T>(runner: &mut TestRunner, strategy: &impl Strategy<Value = T>) -> T {
    strategy.new_tree(runner).unwrap().current()
}

/// JSON Schema accepts a canonical payload exactly if YANG does, and both if our own validator does
/// (draft-zhou §4.1 to §4.3).
#[test]
fn all_forms_accept_the_same_payloads() {
    let mut runner = runner();
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..250 {
        let forms = Forms::of(drawn(&mut runner, &any_template()));
        let payloads = payload(&forms.template);
        for _ in 0..16 {
            let payload = drawn(&mut runner, &payloads);
            let (json, yang) = forms.both(&payload);
            assert_eq!(json, yang, "{}", report(&forms, &payload));
            assert_eq!(
                forms.contract_accepts(&payload),
                json,
                "{}",
                report(&forms, &payload)
            );
            if let Some(canonical) = forms.canonical(&payload) {
                accepted += 1;
                assert_eq!(forms.both(&canonical), (true, true), "{canonical}");
                assert_eq!(plain(&forms.through_rfc7951(&canonical)), plain(&canonical));
            } else {
                refused += 1;
            }
        }
    }
    // A law that never sees one of the two sides would hold whatever is written.
    assert!(
        accepted > 1_000 && refused > 1_000,
        "{accepted} accepted, {refused} refused"
    );
}

/// The inputs of both sides, and the reason of libyang.
fn report(forms: &Forms, payload: &Value) -> String {
    let typed = forms.typed(payload);
    let judged = typed.as_ref().map(|xml| forms.yang.check_data(xml, false));
    format!(
        "{payload}\n{typed:?}\n{judged:?}\n{:?}\n{:#}\n{}",
        forms.schema.validate(payload).map_err(|e| e.to_string()),
        json_schema(&forms.template, &Language::english()),
        module(
            &forms.template,
            Placement::Standalone,
            &Language::english(),
            REVISION
        ),
    )
}

/// The payload with all numbers in the form in which JSON compares them: 3.0 is 3.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 => json!(float as i64),
            _ => value.clone(),
        },
        Value::Array(entries) => entries.iter().map(plain).collect(),
        Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), plain(v))).collect(),
        other => other.clone(),
    }
}

/// True where `jsonschema` 0.60 misparses digits: it takes four at once, and a character below `0`
/// borrows from its neighbour, so that it accepts `.026-05-04` as a date.
fn is_misread(format: Format, edit: char) -> bool {
    edit < '0' && matches!(format, Format::Date | Format::Time | Format::DateTime)
}

/// The texts one edit away: a character inserted, replaced, or deleted.
fn neighbours(text: &str, at: usize, edit: char) -> [String; 3] {
    let text: Vec<char> = text.chars().collect();
    let (before, behind) = (&text[..at], text.get(at + 1..).unwrap_or_default());
    [
        [before, &[edit], &text[at..]].concat(),
        [before, &[edit], behind].concat(),
        [before, behind].concat(),
    ]
    .map(|text| text.into_iter().collect())
}

/// Formats agree character by character: on every text one edit away from a valid one.
#[test]
fn formats_agree_on_every_neighbour() {
    for format in Format::ALL {
        let forms = Forms::of_key(narrowed(KeyType::String, |c| c.format = Some(format)), true);
        let right = FORMATTED
            .into_iter()
            .filter(|text| forms.yang_accepts(&json!({"x": text})));
        for text in right {
            let places = 0..=text.chars().count();
            for (at, edit) in
                places.flat_map(|at| "0129aAfgzZtT:.-+/%[]@#? ".chars().map(move |c| (at, c)))
            {
                for text in neighbours(text, at, edit) {
                    let payload = json!({"x": text});
                    let yang = forms.yang_accepts(&payload);
                    assert_eq!(forms.contract_accepts(&payload), yang, "{format:?} {text}");
                    let judged = !is_misread(format, edit);
                    assert!(
                        !judged || forms.json_accepts(&payload) == yang,
                        "{format:?} {text}"
                    );
                }
            }
        }
    }
}

/// Q8: one I-Regexp matches the same texts in three engines.
#[test]
fn patterns_agree_in_all_dialects() {
    for (pattern, texts) in PATTERNS {
        let shape = narrowed(KeyType::String, |c| c.pattern = Some(pattern.to_owned()));
        let forms = Forms::of_key(shape, true);
        let all = PATTERNS.iter().flat_map(|(_, texts)| texts.iter());
        for text in all.chain(texts) {
            let payload = json!({"x": text});
            let (json, yang) = forms.both(&payload);
            assert_eq!(json, yang, "{pattern} {text:?}");
            assert_eq!(forms.contract_accepts(&payload), json, "{pattern} {text:?}");
        }
        assert!(forms.yang_accepts(&json!({"x": texts[0]})), "{pattern}");
    }
}

/// Every rendering of any template succeeds, and the module compiles as an augment too.
#[test]
fn every_template_has_every_form() {
    const TARGET: &str = "module target { yang-version 1.1; namespace \"urn:t\"; prefix t; \
        revision 2026-11-21; rpc submit { input { leaf agent { type string; } } } }";
    let mut runner = runner();
    for _ in 0..50 {
        let template = drawn(&mut runner, &any_template());
        let english = Language::english();
        let placement = Placement::Augment {
            module: "target",
            prefix: "t",
            path: "/t:submit/t:input",
            input: true,
        };
        let text = module(&template, placement, &english, REVISION);
        let set = ModuleSet::empty()
            .with_text("target", TARGET)
            .with_text("trial_v1", text.as_str());
        let yang = Generation::load(&set).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let forms = Forms::of(template);
        for _ in 0..4 {
            let payload = drawn(&mut runner, &payload(&forms.template));
            let Ok(xml) = forms.typed(&payload) else {
                continue;
            };
            let rpc = yang.check_rpc(&format!("<submit xmlns=\"urn:t\">{xml}</submit>"));
            assert_eq!(
                rpc.is_ok(),
                forms.json_accepts(&payload),
                "{rpc:?} {}",
                report(&forms, &payload)
            );
        }
        assert!(gbnf(&forms.template, None).starts_with("root ::= "));
        assert!(prompt(&forms.template, &english).contains("key_0"));
        assert!(form(&forms.template, &english, None).ends_with("</form>\n"));
        let format = response_format(&forms.template, &english);
        assert!(jsonschema::validator_for(&format["json_schema"]["schema"]).is_ok());
    }
}
