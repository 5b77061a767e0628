//! Payloads that break the schema, made from the templates that ship: row 16 of the plan for
//! reliability. One hundred thousand of them, each wrong in one known way, each refused for that
//! reason at that place and for nothing else.
#![allow(clippy::unwrap_used, missing_docs)]

use schema::contract::Contract;
use schema::shipped::{SHIPPED, template};
use schema::template::{Constraint, Format, Key, KeyType, OTHER, Property, Shape, Template};
use schema::violation::Code;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The number of payloads in all.
const PAYLOADS: usize = 100_000;

/// A sequence of numbers that looks like chance (xorshift).
struct SeededRng(u64);

impl SeededRng {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The patterns of the templates that ship, each with a text that matches.
const TEXTS: [(&str, &str); 8] = [
    ("([01][0-9]|2[0-3]):[0-5][0-9]", "08:30"),
    (
        "(router|card|link|duct|site|zone|optic|cell):[^ ]+",
        "router:Berlin",
    ),
    ("[+]?[0-9]{5,15}", "+493012345"),
    ("[1-9][0-9]?[A-K]", "12A"),
    ("[A-HJ-NPR-Z0-9]{17}", "WVWZZZ1JZXW000001"),
    ("[A-Z0-9]{2}[0-9]{1,4}[A-Z]?", "CA1234"),
    ("cell:[^ ]+", "cell:BE-017-1"),
    ("site:[^ ]+", "site:BE-017"),
];

/// A value that a shape takes; none if this test knows none.
fn right(shape: &Shape, rng: &mut SeededRng) -> Option<Value> {
    let held = &shape.constraint;
    if !held.allowed.is_empty() {
        return Some(rng.of(&held.allowed).clone());
    }
    Some(match shape.key_type {
        KeyType::Boolean => json!(rng.below(2) == 0),
        KeyType::Integer | KeyType::Number => match (&held.minimum, &held.maximum) {
            (Some(least), _) => Value::Number(least.clone()),
            (_, Some(most)) => Value::Number(most.clone()),
            _ => json!(rng.below(9)),
        },
        KeyType::String => json!(text(held)?),
        KeyType::Array => match &held.items {
            Some(items) => json!([right(items, rng)?]),
            None => json!(["a"]),
        },
        KeyType::Object => Value::Object(members(&held.properties, rng)?),
        KeyType::Any => json!("a"),
    })
}

fn text(held: &Constraint) -> Option<&'static str> {
    Some(match (held.format, &held.pattern) {
        (Some(Format::Date), _) => "2026-05-04",
        (Some(Format::Time), _) => "10:00:00Z",
        (Some(Format::DateTime), _) => "2026-05-04T10:00:00Z",
        (Some(Format::Ipv4), _) => "192.0.2.1",
        (Some(Format::Ipv6), _) => "2001:db8::1",
        (Some(Format::Uri), _) => "https://example.org/",
        (Some(Format::Uuid), _) => "123e4567-e89b-12d3-a456-426614174000",
        (None, None) => "a",
        (None, Some(pattern)) => {
            let (_, text) = TEXTS.iter().find(|(known, _)| known == pattern)?;
            text
        }
    })
}

fn members(properties: &[Property], rng: &mut SeededRng) -> Option<Map<String, Value>> {
    let mut all = Map::new();
    for member in properties {
        if member.required || rng.below(2) == 0 {
            all.insert(member.name.clone(), right(&member.shape, rng)?);
        }
    }
    Some(all)
}

fn payload(template: &Template, rng: &mut SeededRng) -> Option<Map<String, Value>> {
    let mut all = Map::new();
    for key in template.own_keys() {
        if key.required || rng.below(2) == 0 {
            all.insert(key.key_name.clone(), right(&key.shape, rng)?);
        }
    }
    Some(all)
}

/// The changes to a value by which it is refused, and how that is told.
fn wrongs(shape: &Shape) -> Vec<(Value, Code)> {
    let held = &shape.constraint;
    let other_type = match shape.key_type {
        KeyType::String => json!(7),
        KeyType::Any => return Vec::new(),
        _ => json!("seven"),
    };
    let mut wrongs = vec![(other_type, Code::Type)];
    let mut add = |applies: bool, value: Value, code: Code| {
        if applies {
            wrongs.push((value, code));
        }
    };
    let text = shape.key_type == KeyType::String;
    let free = held.allowed.is_empty();
    add(text && !free, json!("no such value"), Code::Enum);
    add(
        text && held.format.is_some(),
        json!("yesterday"),
        Code::Format,
    );
    add(
        text && held.pattern.is_some() && free,
        json!("\u{1}"),
        Code::Pattern,
    );
    let long = "a".repeat(held.max_length.unwrap_or(0) + 1);
    add(
        text && held.max_length.is_some() && free,
        json!(long),
        Code::Length,
    );
    let below = held.minimum.as_ref().and_then(|least| least.as_f64());
    let above = held.maximum.as_ref().and_then(|most| most.as_f64());
    add(
        below.is_some() && free,
        json!(below.unwrap_or(0.0) - 1.0),
        Code::Range,
    );
    add(
        above.is_some() && free,
        json!(above.unwrap_or(0.0) + 1.0),
        Code::Range,
    );
    wrongs
}

/// A payload made wrong in one way: where, and how that is told.
fn broken(
    template: &Template,
    mut payload: Map<String, Value>,
    rng: &mut SeededRng,
) -> Option<(Map<String, Value>, String, Code)> {
    let keys: Vec<&Key> = template.own_keys().collect();
    let key = *rng.of(&keys);
    let name = key.key_name.clone();
    if rng.below(8) == 0 {
        payload.insert("no_such_key".into(), json!(1));
        return Some((payload, "/no_such_key".into(), Code::Unknown));
    }
    if key.required && rng.below(4) == 0 {
        payload.remove(&name);
        return Some((payload, format!("/{name}"), Code::Missing));
    }
    let mut whole = right(&key.shape, rng)?;
    let (inside, shape) = place(&key.shape, &whole, rng);
    let wrongs = wrongs(shape);
    let (wrong, code) = wrongs.get(rng.below(wrongs.len()))?;
    *whole.pointer_mut(&inside)? = wrong.clone();
    let path = format!("/{name}{inside}");
    payload.insert(name, whole);
    Some((payload, path, *code))
}

/// A place within a value, as deep as its shape goes or less, and the shape there.
fn place<'s>(mut shape: &'s Shape, whole: &Value, rng: &mut SeededRng) -> (String, &'s Shape) {
    let mut inside = String::new();
    while rng.below(3) > 0 {
        let (next, deeper) = match (shape.key_type, &shape.constraint.items) {
            (KeyType::Array, Some(items)) => ("0", items.as_ref()),
            (KeyType::Object, _) if !shape.constraint.properties.is_empty() => {
                let member = rng.of(&shape.constraint.properties);
                (member.name.as_str(), &member.shape)
            }
            _ => break,
        };
        let further = format!("{inside}/{next}");
        if whole.pointer(&further).is_none() {
            break;
        }
        (inside, shape) = (further, deeper);
    }
    (inside, shape)
}

/// D15, D17, D31, Q8, Q22, row 16: each is refused, with the place and the reason, and nothing else
/// is told; every reason there is occurs; the same payload before it was broken is accepted.
#[test]
fn each_break_is_told_as_what_it_is() {
    let mut rng = SeededRng(0x2545_f491_4f6c_dd1d);
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    let per_template = PAYLOADS.div_ceil(SHIPPED.len());
    for (schema_id, _) in SHIPPED {
        let template = template(schema_id).unwrap();
        let contract = Contract::new(&template).unwrap();
        let mut refused = 0;
        while refused < per_template {
            let sound = payload(&template, &mut rng)
                .unwrap_or_else(|| panic!("{schema_id}: no text for one of its patterns"));
            assert_eq!(contract.verify(&sound), Ok(()), "{schema_id}: {sound:?}");
            let Some((wrong, path, code)) = broken(&template, sound, &mut rng) else {
                continue;
            };
            let violations = contract.verify(&wrong).unwrap_err();
            let found: Vec<_> = violations
                .iter()
                .map(|v| (v.path.as_str(), v.code))
                .collect();
            assert_eq!(found, [(path.as_str(), code)], "{schema_id}: {wrong:?}");
            assert!(!violations[0].expected.is_empty());
            *told.entry(code.as_str()).or_default() += 1;
            refused += 1;
        }
        assert!(template.key(OTHER).is_some());
    }
    assert!(told.values().sum::<usize>() >= PAYLOADS);
    let codes: Vec<_> = told.keys().copied().collect();
    assert_eq!(
        codes,
        [
            "enum", "format", "length", "missing", "pattern", "range", "type", "unknown"
        ]
    );
}
