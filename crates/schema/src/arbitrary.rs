//! Templates and patches at random, for the laws that hold of all of them.
//!
//! For tests alone, in this crate and outside: a test of another package takes the file in with
//! `#[path]` and names the crate `schema`. What comes out passes [`schema::lint`] for templates of
//! ours without an error.
// Each test takes what it needs.
#![allow(dead_code, unreachable_pub)]

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use schema::language::Language;
use schema::patch::{Patch, Refinement};
use schema::read::prose;
use schema::template::{
    Annotation, Constraint, Description, Format, Key, KeyStatus, KeyType, MappingExample, OTHER,
    Property, Shape, Template,
};
use schema::time::Timestamp;
use schema::write;
use serde_json::{Number, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A template of ours, with up to six keys beside `other`, in up to three languages.
pub fn template() -> impl Strategy<Value = Template> {
    let head = (name(), 1u32..20, option::of(text()), option::of(name()));
    (head, languages())
        .prop_flat_map(|(head, languages)| {
            let keys = vec(key(languages.clone()), 0..6);
            (Just(head), Just(languages), keys)
        })
        .prop_map(
            |((scenario, version, title, response), languages, keys)| Template {
                schema_id: format!("{scenario}_v{version}"),
                scenario,
                title: title
                    .map(|t| Annotation::of(languages[0].clone(), Description::meaning(&t))),
                language: languages[0].clone(),
                keys: with_other(distinct(keys), &languages),
                response_schema_id: response.map(|r| format!("{r}_result_v1")),
            },
        )
}

/// A patch with a new key and perhaps a refinement, in up to three languages.
pub fn patch() -> impl Strategy<Value = Patch> {
    let head = (
        name(),
        name(),
        0i64..4_000_000_000_000,
        1i64..10_000_000_000,
        option::of(name()),
    );
    (head, languages()).prop_flat_map(|(head, languages)| {
        let (patch_id, parent, start, length, client) = head;
        let refinement = (name(), annotation(languages.clone(), KeyType::Any));
        (vec(key(languages), 1..3), option::of(refinement)).prop_map(move |(keys, refined)| {
            let new_keys: Vec<Key> = distinct(keys)
                .into_iter()
                .map(|k| Key {
                    required: false,
                    standing: KeyStatus::Experimental,
                    ..k
                })
                .collect();
            let refined = refined.filter(|(name, _)| new_keys.iter().all(|k| k.key_name != *name));
            Patch {
                patch_id: patch_id.clone(),
                parent_schema_id: format!("{parent}_v1"),
                timestamp: Timestamp::from_ms(start),
                expires_at: Timestamp::from_ms(start + length),
                client: client.clone(),
                new_keys,
                modified_keys: refined
                    .map(|(key_name, annotation)| Refinement {
                        key_name,
                        annotation,
                    })
                    .into_iter()
                    .collect(),
            }
        })
    })
}

/// A key with any type, described in each of some languages; never `other`.
pub fn key(languages: Vec<Language>) -> impl Strategy<Value = Key> {
    shape(languages.clone(), 2).prop_flat_map(move |shape| {
        let annotation = annotation(languages.clone(), shape.key_type);
        let default = option::of(value(&shape));
        let flags = (any::<bool>(), any::<bool>());
        (name(), annotation, default, flags, Just(shape)).prop_map(
            |(key_name, annotation, default_value, (required, security_relevant), shape)| Key {
                key_name,
                shape,
                required,
                default_value: default_value.filter(|_| !required),
                annotation,
                security_relevant,
                standing: KeyStatus::Stable,
            },
        )
    })
}

/// A type and what narrows it, nested at most so deep.
pub fn shape(languages: Vec<Language>, depth: u32) -> BoxedStrategy<Shape> {
    let simple = prop_oneof![
        Just(Shape::of(KeyType::Boolean)),
        Just(Shape::of(KeyType::Array)),
        Just(Shape::of(KeyType::Object)),
        text_shape(),
        number_shape(KeyType::Integer),
        number_shape(KeyType::Number),
    ];
    if depth == 0 {
        return simple.boxed();
    }
    let items = (shape(languages.clone(), depth - 1), option::of(1usize..20));
    let array = items.prop_map(|(items, max_items)| Shape {
        key_type: KeyType::Array,
        constraint: Constraint {
            items: Some(Box::new(items)),
            max_items,
            ..Constraint::default()
        },
    });
    let object = vec(property(languages, depth - 1), 1..4).prop_map(|properties| Shape {
        key_type: KeyType::Object,
        constraint: Constraint {
            properties: distinct_properties(properties),
            ..Constraint::default()
        },
    });
    prop_oneof![4 => simple, 1 => array, 1 => object].boxed()
}

/// A value of a shape.
pub fn value(shape: &Shape) -> BoxedStrategy<Value> {
    let rule = shape.constraint.clone();
    if !rule.allowed.is_empty() {
        return proptest::sample::select(rule.allowed).boxed();
    }
    match shape.key_type {
        KeyType::Boolean => any::<bool>().prop_map(Value::from).boxed(),
        KeyType::String => text_value(&rule),
        KeyType::Integer => bounded(&rule, 0.0)
            .prop_map(|n| Value::from(n as i64))
            .boxed(),
        KeyType::Number => bounded(&rule, 0.25).prop_map(Value::from).boxed(),
        KeyType::Array => array_value(rule),
        KeyType::Object => object_value(rule),
        KeyType::Any => text().prop_map(Value::from).boxed(),
    }
}

fn array_value(rule: Constraint) -> BoxedStrategy<Value> {
    let items = rule
        .items
        .unwrap_or_else(|| Box::new(Shape::of(KeyType::String)));
    let most = rule.max_items.unwrap_or(3).min(3);
    vec(value(&items), 1..=most).prop_map(Value::from).boxed()
}

fn object_value(rule: Constraint) -> BoxedStrategy<Value> {
    let members: Vec<_> = rule
        .properties
        .iter()
        .map(|p| {
            (
                Just(p.name.clone()),
                value(&p.shape),
                Just(p.required),
                any::<bool>(),
            )
        })
        .collect();
    members
        .prop_map(|members| {
            let given = members
                .into_iter()
                .filter(|(_, _, required, there)| *required || *there);
            Value::Object(given.map(|(name, value, _, _)| (name, value)).collect())
        })
        .boxed()
}

fn text_value(rule: &Constraint) -> BoxedStrategy<Value> {
    let most = rule.max_length.unwrap_or(10).min(10);
    match (rule.format, &rule.pattern) {
        (Some(format), _) => Just(Value::from(of_format(format))).boxed(),
        (None, Some(_)) => "[A-Z]{3}".prop_map(Value::from).boxed(),
        (None, None) => proptest::string::string_regex(&format!("[a-z节é]{{1,{most}}}"))
            .expect("a pattern of ours")
            .prop_map(Value::from)
            .boxed(),
    }
}

fn of_format(format: Format) -> &'static str {
    match format {
        Format::Date => "2026-05-04",
        Format::Time => "09:00:00+08:00",
        Format::DateTime => "2026-05-04T09:00:00Z",
        Format::Ipv4 => "192.0.2.1",
        Format::Ipv6 => "2001:db8::1",
        Format::Uri => "https://example.net/a",
        Format::Uuid => "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    }
}

/// A number of whole steps above the least, plus a fraction, within the bounds.
fn bounded(rule: &Constraint, fraction: f64) -> BoxedStrategy<f64> {
    let bound = |n: &Option<Number>| n.as_ref().and_then(Number::as_f64);
    let most = bound(&rule.maximum);
    let least = bound(&rule.minimum).unwrap_or(most.unwrap_or(100.0) - 200.0);
    let most = most.unwrap_or(least + 200.0);
    (0u32..=(most - least) as u32)
        .prop_map(move |n| (least + f64::from(n) + fraction).min(most))
        .boxed()
}

fn text_shape() -> BoxedStrategy<Shape> {
    let narrowed = prop_oneof![
        Just(Constraint::default()),
        btree_set("[a-z]{1,8}", 1..5).prop_map(|values| Constraint {
            allowed: values.into_iter().map(Value::from).collect(),
            ..Constraint::default()
        }),
        (1usize..200).prop_map(|n| Constraint {
            max_length: Some(n),
            ..Constraint::default()
        }),
        Just(Constraint {
            pattern: Some("[A-Z]{3}".to_owned()),
            ..Constraint::default()
        }),
        proptest::sample::select(Format::ALL.to_vec()).prop_map(|format| Constraint {
            format: Some(format),
            ..Constraint::default()
        }),
    ];
    narrowed
        .prop_map(|constraint| Shape {
            key_type: KeyType::String,
            constraint,
        })
        .boxed()
}

fn number_shape(key_type: KeyType) -> BoxedStrategy<Shape> {
    let range = (any::<bool>(), any::<bool>(), -1000i64..1000, 1i64..1000);
    (range, option::of("[a-zA-Z/]{1,6}"))
        .prop_map(move |((from, to, least, width), unit)| Shape {
            key_type,
            constraint: Constraint {
                minimum: from.then(|| least.into()),
                maximum: to.then(|| (least + width).into()),
                unit,
                ..Constraint::default()
            },
        })
        .boxed()
}

fn property(languages: Vec<Language>, depth: u32) -> impl Strategy<Value = Property> {
    shape(languages.clone(), depth).prop_flat_map(move |shape| {
        let annotation = annotation(languages.clone(), shape.key_type);
        (name(), annotation, any::<bool>(), Just(shape)).prop_map(
            |(name, annotation, required, shape)| Property {
                name,
                shape,
                required,
                annotation,
            },
        )
    })
}

/// Described in the first language always, in the others perhaps; one prose, or meaning and
/// examples.
fn annotation(languages: Vec<Language>, key_type: KeyType) -> impl Strategy<Value = Annotation> {
    vec((any::<bool>(), description(key_type)), languages.len()).prop_map(move |described| {
        let given = languages.iter().zip(described).enumerate();
        let given = given.filter(|(i, (_, (there, _)))| *i == 0 || *there);
        Annotation(
            given
                .map(|(_, (language, (_, d)))| (language.clone(), d))
                .collect::<BTreeMap<_, _>>(),
        )
    })
}

fn description(key_type: KeyType) -> impl Strategy<Value = Description> {
    let example = (said(), value(&Shape::of(key_type)))
        .prop_map(|(said, value)| MappingExample { said, value });
    prop_oneof![
        (text(), vec(example, 0..3)).prop_map(|(meaning, examples)| Description {
            meaning,
            verbatim: false,
            examples
        }),
        (text(), said(), text()).prop_map(move |(meaning, said, value)| prose::description(
            &format!("{meaning}. Example mapping: '{said}' -> '{value}'."),
            key_type
        )),
    ]
}

fn languages() -> impl Strategy<Value = Vec<Language>> {
    let tags = ["en", "zh", "de", "zh-Hant", "en-GB"];
    proptest::sample::subsequence(tags.to_vec(), 1..=3)
        .prop_shuffle()
        .prop_map(|tags| {
            tags.into_iter()
                .map(|t| Language::parse(t).expect("a tag"))
                .collect()
        })
}

fn name() -> impl Strategy<Value = String> {
    "[a-w][a-z0-9]{0,6}(_[a-z0-9]{1,5}){0,2}"
        .prop_filter("another name that means something", |n| {
            n != OTHER && !ends_as_version(n)
        })
}

/// A scenario that ends in `_v1` would be read as a version.
fn ends_as_version(name: &str) -> bool {
    name.rsplit_once("_v")
        .is_some_and(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()))
}

fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z节能é]{1,8}( [a-zA-Z节能é]{1,8}){0,4}"
}

/// Things that people say, quotes and backslashes in it.
fn said() -> impl Strategy<Value = String> {
    r#"[a-z节能'"\\0-9]{0,4}[a-z节能]{1,8}( [a-z节能'"]{1,8}){0,2}"#
        .prop_filter("quotes around it would be read as its quotes", |s| {
            !s.trim().is_empty()
        })
}

fn distinct(keys: Vec<Key>) -> Vec<Key> {
    let mut seen = BTreeSet::new();
    keys.into_iter()
        .filter(|k| seen.insert(k.key_name.clone()))
        .collect()
}

fn distinct_properties(properties: Vec<Property>) -> Vec<Property> {
    let mut seen = BTreeSet::new();
    properties
        .into_iter()
        .filter(|p| seen.insert(p.name.clone()))
        .collect()
}

fn with_other(mut keys: Vec<Key>, languages: &[Language]) -> Vec<Key> {
    keys.push(write::other(languages.iter().cloned()));
    keys
}
