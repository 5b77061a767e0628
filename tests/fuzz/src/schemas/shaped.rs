//! JSON made of choices: each byte chooses a word, a value, or whether there is more.
//!
//! Knows the members of templates and patches (draft-zhou §4.1, §6.2.2) and the forms of values.

use schema::template::{Constraint, KeyType, Shape, Template};
use serde_json::{Map, Value, json};

/// The bytes as choices; once they are used up, the first alternative is always chosen.
pub(super) struct Choices<'a>(pub(super) &'a [u8]);

impl Choices<'_> {
    pub(super) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[usize::from(self.byte()) % words.len()]
    }

    /// True in one of so many cases.
    fn seldom(&mut self, one_of: u8) -> bool {
        self.byte() % one_of == one_of - 1
    }

    fn list<T>(&mut self, most: u8, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.byte() % (most + 1)).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> String {
        let pieces = self.list(4, |c| {
            c.of(&[
                "a",
                "b_c",
                "",
                " ",
                "'x' -> 'y'",
                "Example: 'two' → 2",
                "one of: red, blue",
                "1-9",
                "1 to 10",
                "YYYY-MM-DD",
                "PEK",
                "2026-05-04",
                "2026-02-30T00:00:60Z",
                "192.0.2.1",
                "::1",
                "[a-z]{1,3}",
                "(a|b)+",
                "[a&&b]",
                "\\p{Lu}",
                "\\",
                "\"",
                "]]>",
                "</textarea>",
                "\u{0}",
                "\u{202e}",
                "靠窗",
                "e\u{301}",
                "```",
                "{{x}}",
                "%",
                "1e400",
                "-0",
                "9223372036854775808",
            ])
        });
        pieces.concat()
    }

    fn number(&mut self) -> Value {
        match self.byte() % 10 {
            0 => json!(0),
            1 => json!(-1),
            2 => json!(3.0),
            3 => json!(0.1),
            4 => json!(i64::MAX),
            5 => json!(u64::MAX),
            6 => json!(1e300),
            7 => json!(-0.0),
            8 => json!(9.3e12),
            _ => json!(i64::from(self.byte()) - 128),
        }
    }

    /// Any JSON of limited depth.
    pub(super) fn any(&mut self, depth: u8) -> Value {
        match self.byte() % if depth == 0 { 5 } else { 7 } {
            0 => Value::Null,
            1 => json!(self.seldom(2)),
            2 => self.number(),
            3 | 4 => json!(self.text()),
            5 => self.list(3, |c| c.any(depth - 1)).into(),
            _ => self.object(|c| (c.name(), c.any(depth - 1))),
        }
    }

    fn object(&mut self, mut member: impl FnMut(&mut Self) -> (String, Value)) -> Value {
        let members: Map<String, Value> = self.list(4, &mut member).into_iter().collect();
        members.into()
    }

    fn name(&mut self) -> String {
        let known = [
            "a",
            "b",
            "c_d",
            "other",
            "origin",
            "cabin_class",
            "target",
            "keys",
            "A",
            "1a",
            "",
            "a b",
            "schema_update_suggestion",
            "card_number",
        ];
        self.of(&known).to_owned()
    }

    fn type_name(&mut self) -> &'static str {
        self.of(&[
            "string", "integer", "number", "boolean", "array", "object", "any", "float", "date",
        ])
    }

    /// The members of a shape, with constraints.
    fn shape(&mut self, depth: u8) -> Map<String, Value> {
        let mut shape = Map::new();
        let called = if self.seldom(6) { "type" } else { "key_type" };
        shape.insert(called.into(), self.type_name().into());
        let constraints = self.list(3, |c| c.constraint(depth));
        shape.extend(constraints.into_iter().map(|(k, v)| (k.to_owned(), v)));
        shape
    }

    fn constraint(&mut self, depth: u8) -> (&'static str, Value) {
        match self.byte() % 9 {
            0 => ("enum", self.list(4, |c| c.any(0)).into()),
            1 => ("minimum", self.number()),
            2 => ("maximum", self.number()),
            3 => {
                let formats = [
                    "date",
                    "time",
                    "date-time",
                    "ipv4",
                    "ipv6",
                    "uri",
                    "uuid",
                    "email",
                ];
                ("format", self.of(&formats).into())
            }
            4 => ("pattern", self.text().into()),
            5 => ("maxLength", self.number()),
            6 => ("maxItems", self.number()),
            7 if depth > 0 => ("items", self.shape(depth - 1).into()),
            8 if depth > 0 => ("properties", self.list(3, |c| c.property(depth - 1)).into()),
            _ => ("unit", self.text().into()),
        }
    }

    fn property(&mut self, depth: u8) -> Value {
        let mut property = self.shape(depth);
        property.insert("name".into(), self.name().into());
        property.insert("required".into(), self.seldom(2).into());
        self.describe(&mut property);
        property.into()
    }

    fn describe(&mut self, to: &mut Map<String, Value>) {
        if self.seldom(3) {
            let examples = self.list(2, |c| json!([c.text(), c.any(0)]));
            let described = json!({"meaning": self.text(), "examples": examples});
            let language = self.of(&["en", "zh", "en-US", "x"]);
            to.insert("annotations".into(), json!({ language: described }));
        } else {
            let prose = format!("What. {}", self.text());
            to.insert("semantic_description".into(), prose.into());
        }
    }

    fn key(&mut self) -> Value {
        let mut key = self.shape(2);
        key.insert("key_name".into(), self.name().into());
        key.insert("required".into(), self.seldom(3).into());
        self.describe(&mut key);
        if self.seldom(3) {
            key.insert("default_value".into(), self.any(1));
        }
        if self.seldom(5) {
            let flag = self.of(&["security_relevant", "experimental", "deprecated", "odd"]);
            key.insert(flag.into(), true.into());
        }
        key.into()
    }

    /// A value that conforms to a shape, or nearly.
    fn fitting(&mut self, shape: &Shape, depth: u8) -> Value {
        let held = &shape.constraint;
        if self.seldom(8) {
            return self.any(depth);
        }
        if !held.allowed.is_empty() {
            return held.allowed[usize::from(self.byte()) % held.allowed.len()].clone();
        }
        match shape.key_type {
            KeyType::Boolean => self.seldom(2).into(),
            KeyType::Integer | KeyType::Number => self.within(held),
            KeyType::String => self.string(held).into(),
            KeyType::Array => match &held.items {
                Some(items) if depth > 0 => self.list(3, |c| c.fitting(items, depth - 1)).into(),
                _ => self.list(3, |c| c.any(0)).into(),
            },
            KeyType::Object if depth > 0 && !held.properties.is_empty() => {
                let members = held.properties.iter();
                let members = members.map(|p| (p.name.clone(), self.fitting(&p.shape, depth - 1)));
                Value::Object(members.collect())
            }
            KeyType::Object | KeyType::Any => self.any(1),
        }
    }

    fn within(&mut self, held: &Constraint) -> Value {
        let bounds = [&held.minimum, &held.maximum].map(|b| b.clone().map(Value::Number));
        match (bounds, self.byte() % 4) {
            ([Some(least), _], 0) => least,
            ([_, Some(most)], 1) => most,
            (_, 2) => json!(1),
            _ => self.number(),
        }
    }

    fn string(&mut self, held: &Constraint) -> String {
        let texts = match held.format.map(|f| f.as_str()) {
            Some("date") => &["2026-05-04", "2024-02-29", "2026-02-29", "0000-01-01"][..],
            Some("time") => &["10:00:00Z", "23:59:60Z", "24:00:00Z"],
            Some("date-time") => &["2026-05-04t10:00:00.5+08:00", "2016-12-31T23:59:60Z", "x"],
            Some(_) => &["192.0.2.1", "::", "https://example.org/%20", "urn:x"],
            None if held.pattern.is_some() => &["PEK", "router:Berlin", "site:BE-017", "A-1", "x"],
            None => return self.text(),
        };
        self.of(texts).to_owned()
    }
}

/// An approximate template.
pub(super) fn template(data: &[u8]) -> Value {
    let mut c = Choices(data);
    let mut keys = c.list(4, Choices::key);
    if keys.is_empty() {
        keys.push(c.key());
    }
    let mut template = json!({"schema_id": "wish_v1", "scenario": "wish", "keys": keys});
    if c.seldom(4) {
        let (name, value) = (
            c.of(&["title", "language", "response_schema_id", "x"]),
            c.any(1),
        );
        template[name] = value;
    }
    template
}

/// An approximate patch of a shipped template.
pub(super) fn patch(data: &[u8]) -> Value {
    let mut c = Choices(data);
    let refined = c.list(2, |c| {
        let mut refined = Map::new();
        refined.insert("key_name".into(), c.name().into());
        c.describe(&mut refined);
        Value::Object(refined)
    });
    json!({
        "patch_id": "p1", "parent_schema_id": c.of(&["flight_booking_v1", "fault_diagnosis_v1"]),
        "timestamp": "2026-01-01T00:00:00Z", "expires_at": "2026-04-01T00:00:00Z",
        "new_keys": c.list(3, Choices::key), "modified_keys": refined,
    })
}

/// An approximate payload of a template.
pub(super) fn payload(data: &[u8], of: &Template) -> Map<String, Value> {
    let mut c = Choices(data);
    let mut payload = Map::new();
    for key in &of.keys {
        if key.required || c.seldom(2) {
            payload.insert(key.key_name.clone(), c.fitting(&key.shape, 3));
        }
    }
    if c.seldom(4) {
        payload.insert(c.name(), c.any(2));
    }
    payload
}
