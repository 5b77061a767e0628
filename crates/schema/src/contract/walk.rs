//! One look at a payload: whether it fits, and everything that is wrong where it does not.
//!
//! Knows order, limits and wording; whether a value fits is said by [`super::fields::check`]. Members
//! are looked at in the order in which the payload has them, which is fast, and told in the order of
//! the template. Nothing is allocated until something is told.

use super::Limits;
use super::excerpt::excerpt;
use super::fields::check::{Array, Check, Kind};
use super::fields::{Field, Fields};
use super::nearest::nearest;
use super::place::Place;
use crate::template::OTHER;
use crate::violation::{Code, PayloadViolation};
use serde_json::{Map, Value};
use std::ops::Range;

/// For so many unknown keys it is looked up what was probably meant.
const SUGGESTIONS: usize = 16;

type Members = Map<String, Value>;

/// One look at one payload.
pub(super) struct Walk<'a> {
    limits: &'a Limits,
    /// True if unknown keys are refused.
    strict: bool,
    /// The number of values that may still come; none once there were too many.
    nodes_left: Option<usize>,
    suggested: usize,
    violations: Vec<PayloadViolation>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(limits: &'a Limits, strict: bool) -> Self {
        Self {
            limits,
            strict,
            nodes_left: Some(limits.nodes),
            suggested: 0,
            violations: Vec::new(),
        }
    }

    /// Everything that is wrong; empty if the payload fits.
    pub(super) fn violations(
        mut self,
        fields: &Fields,
        payload: &Members,
    ) -> Vec<PayloadViolation> {
        self.members(fields, payload, 1, &Place::Payload);
        self.violations
    }

    fn members(&mut self, fields: &Fields, members: &Members, depth: usize, place: &Place<'_>) {
        let mut groups = Groups::default();
        let (mut next, mut met) = (0, 0);
        for (name, value) in members {
            let (start, here) = (self.violations.len(), Place::Member(place, name));
            let field = fields.seek(name, &mut next);
            match field {
                Some(field) => met += usize::from(self.known(field, value, depth, &here)),
                None => self.unknown(name, value, fields, depth, place),
            }
            if self.violations.len() > start {
                groups.add(field, name, start..self.violations.len());
            }
        }
        if met < fields.required() {
            self.missing(fields, members, place, &mut groups);
        }
        groups.put_in_order(&mut self.violations);
    }

    /// True if this is a required member, and there.
    fn known(&mut self, field: &Field, value: &Value, depth: usize, place: &Place<'_>) -> bool {
        if matches!(field.check.kind, Kind::Other) {
            return false;
        }
        let there = !field.is_absent(value);
        match there {
            true => self.value(&field.check, value, depth, place),
            false => _ = self.spend(),
        }
        there && field.required
    }

    fn missing<'f>(
        &mut self,
        fields: &'f Fields,
        members: &Members,
        place: &Place<'_>,
        groups: &mut Groups<'f>,
    ) {
        for field in fields.in_order().filter(|field| field.required) {
            let value = members.get(&field.name);
            if value.is_none_or(|value| field.is_absent(value)) {
                let start = self.violations.len();
                let here = Place::Member(place, &field.name);
                self.tell(&here, Code::Missing, &field.check.expected, value);
                groups.add(Some(field), &field.name, start..self.violations.len());
            }
        }
    }

    fn unknown(
        &mut self,
        name: &str,
        value: &Value,
        fields: &Fields,
        depth: usize,
        place: &Place<'_>,
    ) {
        let here = Place::Member(place, name);
        if !self.strict {
            self.anything(value, depth, &here);
        } else if self.spend() {
            let expected = self.instead_of(name, fields, place);
            self.tell(&here, Code::Unknown, &expected, Some(value));
        }
    }

    /// The name to write in place of an unknown name.
    fn instead_of(&mut self, name: &str, fields: &Fields, place: &Place<'_>) -> String {
        self.suggested += 1;
        let likely = match self.suggested <= SUGGESTIONS {
            true => nearest(name, fields.in_order().map(|it| it.name.as_str())),
            false => None,
        };
        match (likely, place.is_payload()) {
            (Some(likely), true) if likely != OTHER => {
                format!("key {likely}, or {OTHER} for what no key covers")
            }
            (_, true) => format!("key of the schema, or {OTHER} for what no key covers"),
            (Some(likely), false) => format!("member {likely}"),
            (None, false) => "member that the schema knows".to_owned(),
        }
    }

    fn value(&mut self, check: &Check, value: &Value, depth: usize, place: &Place<'_>) {
        if depth > self.limits.depth {
            return self.anything(value, depth, place);
        }
        let fits = self.fits(check, value, place);
        match (&check.kind, value) {
            (Kind::Any | Kind::AnyObject, value) if fits => self.anything(value, depth, place),
            _ if !self.spend() || !fits => (),
            (Kind::Object(fields), Value::Object(members)) => {
                self.members(fields, members, depth + 1, place);
            }
            (Kind::Array(array), Value::Array(items)) => {
                self.items(array, items, depth + 1, place);
            }
            _ => (),
        }
    }

    /// Checks whether a value fits by itself; tells it where not.
    fn fits(&mut self, check: &Check, value: &Value, place: &Place<'_>) -> bool {
        let fault = check.fault(value, self.limits.string_bytes);
        if let Some(code) = fault {
            match value {
                // It is our limit that is broken.
                Value::String(text) if text.len() > self.limits.string_bytes => {
                    self.tell(place, code, &self.most_bytes(), Some(value));
                }
                _ => self.tell(place, code, &check.expected, Some(value)),
            }
        }
        fault.is_none()
    }

    fn items(&mut self, array: &Array, items: &[Value], depth: usize, place: &Place<'_>) {
        for (index, item) in items.iter().enumerate() {
            let here = Place::Entry(place, index);
            match &array.items {
                Some(check) => self.value(check, item, depth, &here),
                None => self.anything(item, depth, &here),
            }
        }
    }

    /// Limits alone.
    fn anything(&mut self, value: &Value, depth: usize, place: &Place<'_>) {
        if !self.spend() {
            return;
        }
        match value {
            value if depth > self.limits.depth => {
                let expected = format!("payload nested at most {} deep", self.limits.depth);
                self.tell(place, Code::Depth, &expected, Some(value));
            }
            Value::String(text) if text.len() > self.limits.string_bytes => {
                self.tell(place, Code::Length, &self.most_bytes(), Some(value));
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.anything(item, depth + 1, &Place::Entry(place, index));
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    self.anything(value, depth + 1, &Place::Member(place, name));
                }
            }
            _ => (),
        }
    }

    /// Counts a value; false, and told once, if there are too many, or if enough was told.
    fn spend(&mut self) -> bool {
        let Some(left) = self.nodes_left else {
            return false;
        };
        self.nodes_left = left.checked_sub(1);
        if self.nodes_left.is_none() {
            let expected = format!("payload of at most {} values", self.limits.nodes);
            self.tell(&Place::Payload, Code::Length, &expected, None);
        }
        self.nodes_left.is_some() && !self.is_full()
    }

    fn tell(&mut self, place: &Place<'_>, code: Code, expected: &str, found: Option<&Value>) {
        if self.is_full() {
            return;
        }
        self.violations.push(PayloadViolation {
            path: place.to_string(),
            code,
            expected: expected.to_owned(),
            found: found.map(excerpt),
        });
    }

    fn is_full(&self) -> bool {
        self.violations.len() >= self.limits.violations.max(1)
    }

    fn most_bytes(&self) -> String {
        format!("string of at most {} bytes", self.limits.string_bytes)
    }
}

/// The violations of each member of one object, to be put in the order of the template.
#[derive(Default)]
struct Groups<'n>(Vec<Group<'n>>);

struct Group<'n> {
    /// The member's place in the template; unknown ones come after all, by name.
    order: (usize, &'n str),
    range: Range<usize>,
}

impl<'n> Groups<'n> {
    fn add(&mut self, field: Option<&Field>, name: &'n str, range: Range<usize>) {
        let place = field.map_or(usize::MAX, |field| field.place);
        let order = (place, name);
        self.0.push(Group { order, range });
    }

    fn put_in_order(mut self, violations: &mut Vec<PayloadViolation>) {
        let [first, _, ..] = &self.0[..] else { return };
        let start = first.range.start;
        let mut found: Vec<_> = violations.drain(start..).map(Some).collect();
        self.0.sort_by_key(|group| group.order);
        for group in self.0 {
            let range = group.range.start - start..group.range.end - start;
            violations.extend(found[range].iter_mut().filter_map(Option::take));
        }
    }
}
