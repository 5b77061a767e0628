//! Tests of `gbnf.rs`: a small matcher of GBNF shows what a grammar takes.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::render::fixture::{flight_booking, key};
use crate::template::Format;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

/// A grammar, as llama.cpp reads it.
struct Matcher {
    rules: BTreeMap<String, Expression>,
}

#[derive(Debug)]
enum Expression {
    Choice(Vec<Expression>),
    Sequence(Vec<Expression>),
    Repeat(Box<Expression>, usize, usize),
    Literal(Vec<char>),
    Class(bool, Vec<(char, char)>),
    Rule(String),
}

impl Matcher {
    fn read(grammar: &str) -> Self {
        let rules = grammar.lines().map(|line| {
            let (name, body) = line.split_once(" ::= ").expect("a rule a line");
            let name_is_right = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            assert!(name_is_right, "{name}");
            let mut reader = Reader {
                text: body.chars().collect(),
                at: 0,
            };
            let body = reader.choice();
            assert_eq!(reader.at, reader.text.len(), "{line}");
            (name.to_owned(), body)
        });
        let rules: BTreeMap<_, _> = rules.collect();
        assert_eq!(rules.len(), grammar.lines().count(), "a rule twice");
        Self { rules }
    }

    fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let ends = self.ends(&self.rules["root"], &text, 0);
        ends.contains(&text.len())
    }

    /// The places at which a match that begins at `at` can end.
    fn ends(&self, expression: &Expression, text: &[char], at: usize) -> BTreeSet<usize> {
        match expression {
            Expression::Choice(choices) => choices
                .iter()
                .flat_map(|c| self.ends(c, text, at))
                .collect(),
            Expression::Sequence(parts) => parts.iter().fold(BTreeSet::from([at]), |ends, part| {
                ends.into_iter()
                    .flat_map(|end| self.ends(part, text, end))
                    .collect()
            }),
            Expression::Repeat(inner, min, max) => {
                let mut all = BTreeSet::new();
                let mut ends = BTreeSet::from([at]);
                for count in 0..=*max {
                    if count >= *min {
                        all.extend(&ends);
                    }
                    let next = ends.iter().flat_map(|end| self.ends(inner, text, *end));
                    ends = next
                        .filter(|end| count < *min || !all.contains(end))
                        .collect();
                    if ends.is_empty() {
                        break;
                    }
                }
                all
            }
            Expression::Literal(literal) => {
                let found = text[at..].starts_with(literal);
                found.then_some(at + literal.len()).into_iter().collect()
            }
            Expression::Class(negated, ranges) => {
                let fits = |c: &char| ranges.iter().any(|(a, b)| (a..=b).contains(&c)) != *negated;
                text.get(at)
                    .filter(|c| fits(c))
                    .map(|_| at + 1)
                    .into_iter()
                    .collect()
            }
            Expression::Rule(name) => {
                let rule = self.rules.get(name);
                self.ends(rule.unwrap_or_else(|| panic!("no rule {name}")), text, at)
            }
        }
    }
}

struct Reader {
    text: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> char {
        self.at += 1;
        self.text[self.at - 1]
    }

    fn blanks(&mut self) {
        while self.peek() == Some(' ') {
            self.at += 1;
        }
    }

    fn choice(&mut self) -> Expression {
        let mut choices = vec![self.sequence()];
        while self.peek() == Some('|') {
            self.at += 1;
            choices.push(self.sequence());
        }
        Expression::Choice(choices)
    }

    fn sequence(&mut self) -> Expression {
        let mut parts = Vec::new();
        self.blanks();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let part = self.part();
            parts.push(self.repeated(part));
            self.blanks();
        }
        assert!(!parts.is_empty(), "an empty sequence");
        Expression::Sequence(parts)
    }

    fn part(&mut self) -> Expression {
        match self.next() {
            '(' => {
                let inner = self.choice();
                assert_eq!(self.next(), ')');
                inner
            }
            '"' => {
                let mut literal = Vec::new();
                while self.peek() != Some('"') {
                    literal.push(self.character());
                }
                self.at += 1;
                Expression::Literal(literal)
            }
            '[' => self.class(),
            c => {
                let mut name = c.to_string();
                while self
                    .peek()
                    .is_some_and(|c| c.is_ascii_alphanumeric() || c == '-')
                {
                    name.push(self.next());
                }
                Expression::Rule(name)
            }
        }
    }

    fn class(&mut self) -> Expression {
        let negated = self.peek() == Some('^');
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        while self.peek() != Some(']') {
            let low = self.character();
            let is_range = self.peek() == Some('-') && self.text[self.at + 1] != ']';
            if is_range {
                self.at += 1;
            }
            let high = if is_range { self.character() } else { low };
            ranges.push((low, high));
        }
        self.at += 1;
        Expression::Class(negated, ranges)
    }

    fn character(&mut self) -> char {
        let c = self.next();
        if c != '\\' {
            return c;
        }
        let digits = match self.next() {
            'n' => return '\n',
            'r' => return '\r',
            't' => return '\t',
            'x' => 2,
            'u' => 4,
            'U' => 8,
            c if "\\\"[]".contains(c) => return c,
            c => panic!("\\{c} is no escape of GBNF"),
        };
        let code: String = (0..digits).map(|_| self.next()).collect();
        char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap()
    }

    fn repeated(&mut self, part: Expression) -> Expression {
        let (min, max) = match self.peek() {
            Some('*') => (0, usize::MAX - 1),
            Some('+') => (1, usize::MAX - 1),
            Some('?') => (0, 1),
            Some('{') => return self.counted(part),
            _ => return part,
        };
        self.at += 1;
        Expression::Repeat(Box::new(part), min, max)
    }

    fn counted(&mut self, part: Expression) -> Expression {
        self.at += 1;
        let mut counts = String::new();
        while self.peek() != Some('}') {
            counts.push(self.next());
        }
        self.at += 1;
        let (min, max) = match counts.split_once(',') {
            None => (counts.parse().unwrap(), counts.parse().unwrap()),
            Some((min, "")) => (min.parse().unwrap(), usize::MAX - 1),
            Some((min, max)) => (min.parse().unwrap(), max.parse().unwrap()),
        };
        Expression::Repeat(Box::new(part), min, max)
    }
}

/// The texts, each with whether the grammar takes it.
fn judged(grammar: &str, texts: &[&str]) -> Vec<bool> {
    let matcher = Matcher::read(grammar);
    texts.iter().map(|text| matcher.accepts(text)).collect()
}

/// A template of one key `x`, and what its grammar makes of values.
fn takes(shape: Shape, value: &str) -> bool {
    let mut template = flight_booking();
    template.keys = vec![key("x", shape, true, &[]), template.keys.pop().unwrap()];
    let text = format!("{{\"x\": {value}, \"other\": null}}");
    Matcher::read(&gbnf(&template, None)).accepts(&text)
}

/// D61: the draft's payload of §5.1 is a sentence of the grammar; what is not of the schema is not.
#[test]
fn the_drafts_payload_is_decoded_and_nothing_else() {
    let spans = ["Beijing", "Shanghai", "window seat"].map(str::to_owned);
    let grammar = gbnf(&flight_booking(), Some(&spans));
    let texts = [
        // In the key order of the template, all keys.
        r#"{"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business", "passenger_count": 1, "other": "window seat"}"#,
        r#"{"origin": "Beijing", "destination": null, "departure_date": null, "cabin_class": null, "passenger_count": null, "other": ["window seat", "Beijing"]}"#,
        // An invented city, a class and a date that do not exist, ten passengers, another order.
        r#"{"origin": "London", "destination": null, "departure_date": null, "cabin_class": null, "passenger_count": null, "other": null}"#,
        r#"{"origin": null, "destination": null, "departure_date": null, "cabin_class": "royal", "passenger_count": null, "other": null}"#,
        r#"{"origin": null, "destination": null, "departure_date": "2026-02-29", "cabin_class": null, "passenger_count": null, "other": null}"#,
        r#"{"origin": null, "destination": null, "departure_date": null, "cabin_class": null, "passenger_count": 10, "other": null}"#,
        r#"{"destination": null, "origin": null, "departure_date": null, "cabin_class": null, "passenger_count": null, "other": null}"#,
    ];
    assert_eq!(
        judged(&grammar, &texts),
        [true, true, false, false, false, false, false]
    );
}

/// D61: without spans, free text is any JSON string.
#[test]
fn without_spans_text_is_free() {
    for (value, taken) in [
        (r#""""#, true),
        (r#""a \"b\" \\ \n ü""#, true),
        ("\"a\nb\"", false),
        (r#""a"b""#, false),
        (r#""\q""#, false),
        ("null", true),
        ("3", false),
    ] {
        assert_eq!(takes(Shape::of(KeyType::String), value), taken, "{value}");
    }
}

#[test]
fn shapes_decode_as_they_are_declared() {
    let of = |value| -> Shape { crate::render::fixture::shape(&value) };
    let trip = of(json!({"type": "object", "properties": [
        {"name": "leg_a", "type": "boolean"}, {"name": "leg_b", "type": "array", "items": {"type": "integer"}, "maxItems": 2}]}));
    for (shape, value, taken) in [
        (trip.clone(), r#"{"leg_a": true, "leg_b": [1, 2]}"#, true),
        (trip.clone(), r#"{"leg_a": null, "leg_b": null}"#, true),
        (
            trip.clone(),
            r#"{"leg_a": null, "leg_b": [1, 2, 3]}"#,
            false,
        ),
        (trip, r#"{"leg_b": null, "leg_a": null}"#, false),
        (of(json!({"type": "number"})), "-1.25", true),
        (of(json!({"type": "number", "minimum": 0})), "-1.25", false),
        (of(json!({"type": "number"})), "01", false),
        (
            of(json!({"type": "object"})),
            r#"{"a": [1, "b", {}]}"#,
            true,
        ),
        (of(json!({"type": "array"})), "[1, {}, [2]]", true),
        // Nothing said is `null`, never an empty array.
        (of(json!({"type": "array"})), "[]", false),
        (
            of(json!({"type": "string", "maxLength": 2})),
            r#""ab""#,
            true,
        ),
        (
            of(json!({"type": "string", "maxLength": 2})),
            r#""abc""#,
            false,
        ),
        (
            of(json!({"type": "string", "pattern": "[\"a]{2}\\\\?"})),
            r#""a\"\\""#,
            true,
        ),
        (
            of(json!({"type": "string", "pattern": "[\"a]{2}\\\\?"})),
            r#""ab""#,
            false,
        ),
        (
            of(json!({"type": "string", "pattern": "\\p{L}"})),
            r#""ab""#,
            true,
        ),
        (
            of(json!({"type": "string", "enum": ["a\"b", "c"]})),
            r#""a\"b""#,
            true,
        ),
    ] {
        assert_eq!(takes(shape, value), taken, "{value}");
    }
}

#[test]
fn formats_are_held() {
    for format in Format::ALL {
        let mut shape = Shape::of(KeyType::String);
        shape.constraint.format = Some(format);
        assert!(!takes(shape.clone(), r#""soon""#), "{format:?}");
        let good = match format {
            Format::Date => "2024-02-29",
            Format::Time => "12:00:00Z",
            Format::DateTime => "2026-05-04T09:00:00+08:00",
            Format::Ipv4 => "10.0.0.1",
            Format::Ipv6 => "fe80::1",
            Format::Uri => "https://example.org/a?b#c",
            Format::Uuid => "f308a72c-fa84-11eb-9a03-0242ac130003",
        };
        assert!(takes(shape, &format!("\"{good}\"")), "{format:?}");
    }
}

proptest! {
    /// Ranges of integers are exact, whatever the bounds.
    #[test]
    fn integer_ranges_are_exact(a in -2_000_i64..2_000, b in -2_000_i64..2_000, n in -2_100_i64..2_100) {
        let (low, high) = (a.min(b), a.max(b));
        let rules = format!("root ::= {}\n", whole_numbers(low.into(), high.into()));
        let matcher = Matcher::read(&rules);
        prop_assert_eq!(matcher.accepts(&n.to_string()), (low..=high).contains(&n));
        prop_assert!(matcher.accepts(&low.to_string()) && matcher.accepts(&high.to_string()));
        let padded = format!("0{}", n.abs());
        prop_assert!(!matcher.accepts("-0") && !matcher.accepts(&padded));
    }

    #[test]
    fn wide_ranges_are_exact_too(low: i64, high: i64, n: i64) {
        let (low, high) = (low.min(high), low.max(high));
        let rules = format!("root ::= {}\n", whole_numbers(low.into(), high.into()));
        prop_assert_eq!(Matcher::read(&rules).accepts(&n.to_string()), (low..=high).contains(&n));
    }
}
