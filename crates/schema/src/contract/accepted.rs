//! A payload that was accepted: its canonical form, what `other` says, what is odd about it.
//!
//! Knows one form for each meaning: null is absent, an array of nothing is absent, 3.0 is 3, `t`
//! and `z` in times are `T` and `Z`, `other` is normalised and one string or an array. Defaults are
//! no part of it; [`Accepted::effective`] puts them in.

use super::excerpt::json_start;
use super::fields::check::{Array, Check, Kind, Whole, whole};
use super::fields::{Field, Fields};
use super::place::Place;
use super::{Limits, Unknown};
use crate::other::{self, Fragment, Gathered};
use crate::template::OTHER;
use crate::violation::{Caution, Warning};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A payload in its canonical form.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The values as sent, in their canonical form; a key that was left out is not here.
    pub values: Map<String, Value>,
    /// The entries of `other`, in order.
    pub other: Vec<Fragment>,
    /// The oddities: of the keys by name, then of `other`.
    pub warnings: Vec<Warning>,
    defaults: Arc<[(String, Value)]>,
}

impl Accepted {
    /// The values to act on: those sent, and the defaults of optional keys that were left out.
    /// An optional key without default that was left out stays out.
    pub fn effective(&self) -> Map<String, Value> {
        let mut values = self.values.clone();
        for (name, value) in self.defaults.iter() {
            values.entry(name.as_str()).or_insert_with(|| value.clone());
        }
        values
    }

    /// The fragments of `other` that point at a gap in the schema, each once (§4.3).
    pub fn meaningful(&self) -> Vec<&Fragment> {
        other::meaningful(&self.other)
    }

    /// Of each key that was sent, whether its value was of the key's type, as
    /// [`super::Contract::type_correct`] says of any payload: true of all but an `other` that was
    /// dropped.
    pub fn type_correct(&self) -> BTreeMap<String, bool> {
        let mut correct: BTreeMap<_, _> = self
            .values
            .keys()
            .map(|name| (name.clone(), true))
            .collect();
        if self.warnings.iter().any(|it| it.code == Caution::Malformed) {
            correct.insert(OTHER.to_owned(), false);
        }
        correct
    }
}

/// One payload on its way to the canonical form; it fits already.
pub(super) struct Settling<'a> {
    unknown: Unknown,
    limits: &'a Limits,
    warnings: Vec<Warning>,
    /// Unknown keys on their way to `other`.
    moved: Vec<String>,
}

impl<'a> Settling<'a> {
    pub(super) fn new(unknown: Unknown, limits: &'a Limits) -> Self {
        Self {
            unknown,
            limits,
            warnings: Vec::new(),
            moved: Vec::new(),
        }
    }

    pub(super) fn settle(
        mut self,
        fields: &Fields,
        mut values: Map<String, Value>,
        defaults: Arc<[(String, Value)]>,
    ) -> Accepted {
        let other = values.remove(OTHER);
        self.members(fields, &mut values, &Place::Payload);
        let gathered = self.gather(other, &mut values);
        self.warnings.extend(gathered.warnings);
        Accepted {
            values,
            other: gathered.fragments,
            warnings: self.warnings,
            defaults,
        }
    }

    fn gather(&self, other: Option<Value>, values: &mut Map<String, Value>) -> Gathered {
        if other.is_none() && self.moved.is_empty() {
            return Gathered::default();
        }
        let gathered = other::gather(other.as_ref(), &self.moved, self.limits.other);
        if let Some(value) = gathered.value() {
            values.insert(OTHER.to_owned(), value);
        }
        gathered
    }

    fn members(&mut self, fields: &Fields, members: &mut Map<String, Value>, place: &Place<'_>) {
        let mut next = 0;
        members.retain(|name, value| {
            let here = Place::Member(place, name);
            match fields.seek(name, &mut next) {
                Some(field) => self.member(field, value, &here),
                None => self.unknown_member(value, &here),
            }
        });
    }

    /// False if the member says no more than leaving it out.
    fn member(&mut self, field: &Field, value: &mut Value, place: &Place<'_>) -> bool {
        if field.is_absent(value) {
            return false;
        }
        if let Some(caution) = field.caution {
            self.warn(caution, place);
        }
        self.value(&field.check, value, place);
        true
    }

    fn value(&mut self, check: &Check, value: &mut Value, place: &Place<'_>) {
        if !check.settles {
            return;
        }
        match (&check.kind, value) {
            (Kind::Object(fields), Value::Object(members)) => self.members(fields, members, place),
            (Kind::Array(array), Value::Array(items)) => self.items(array, items, place),
            (Kind::Integer { .. } | Kind::Number { .. }, value) => settle_whole(value),
            // Only times settle: digits, marks, and the letters T and Z.
            (Kind::String(_), Value::String(text)) => text.make_ascii_uppercase(),
            _ => (),
        }
    }

    fn items(&mut self, array: &Array, items: &mut [Value], place: &Place<'_>) {
        let Some(check) = &array.items else { return };
        for (index, item) in items.iter_mut().enumerate() {
            self.value(check, item, &Place::Entry(place, index));
        }
    }

    /// False, for it does not stay.
    fn unknown_member(&mut self, value: &Value, place: &Place<'_>) -> bool {
        if self.unknown == Unknown::ToOther {
            self.moved.push(self.as_text(value, place));
            self.warn(Caution::Moved, place);
        } else {
            self.warn(Caution::Ignored, place);
        }
        false
    }

    /// `seat: window`; no longer than `other` would keep.
    fn as_text(&self, value: &Value, place: &Place<'_>) -> String {
        let place = place.to_string();
        let name = place.trim_start_matches('/');
        let bytes_max = self.limits.other.bytes.saturating_mul(2).saturating_add(64);
        match value {
            Value::String(text) => format!("{name}: {text}"),
            value => format!("{name}: {}", json_start(value, bytes_max)),
        }
    }

    fn warn(&mut self, code: Caution, place: &Place<'_>) {
        let message = match code {
            Caution::Deprecated => "the key is deprecated and will be withdrawn",
            Caution::Withdrawn => "the key was withdrawn and is accepted for a while yet",
            Caution::Moved => "the schema has no such key; the value went to other",
            _ => "the schema has no such key; the value was dropped",
        };
        self.warnings.push(Warning {
            path: place.to_string(),
            code,
            message: message.to_owned(),
        });
    }
}

/// 3.0 is 3 and -0.0 is 0, for a number as for an integer: so typed XML, which knows one zero and no
/// doubles, says the same.
fn settle_whole(value: &mut Value) {
    if let Value::Number(number) = value
        && number.is_f64()
        && let Whole::Is(integer) = whole(number)
    {
        *value = integer.into();
    }
}
