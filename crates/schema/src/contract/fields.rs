//! The keys of a payload or the members of an object, compiled.
//!
//! Knows which names there are, which must be there, and what absent means. Read next: [`check`],
//! what the value of each is held to.

pub(super) mod check;

use super::pattern::Unusable;
use crate::template::{Key, KeyStatus, OTHER, Property, Shape};
use crate::violation::Caution;
use check::Check;
use serde_json::Value;

/// A key that was withdrawn and is accepted a while yet, with a warning (§6.2.3, D105, D106).
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerated {
    /// The key.
    pub key_name: String,
    /// The values that it took.
    pub shape: Shape,
}

/// Names with what they may hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    /// By name.
    sorted: Vec<Field>,
    /// The same in the order of the template, as places in `sorted`.
    order: Vec<usize>,
    /// The number of required fields.
    required: usize,
}

/// One name.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) check: Check,
    pub(super) required: bool,
    /// The caution about its use.
    pub(super) caution: Option<Caution>,
    /// Its place in the template.
    pub(super) place: usize,
}

impl Fields {
    /// The keys of a template; [`OTHER`] among them even if it was left out.
    pub(super) fn of_keys(keys: &[Key]) -> Result<Self, Unusable> {
        let mut fields = Self::default();
        for key in keys.iter().filter(|key| key.key_name != OTHER) {
            let check = Check::new(&key.shape, &key.key_name)?;
            let caution = (key.standing == KeyStatus::Deprecated).then_some(Caution::Deprecated);
            fields.add(&key.key_name, check, key.required, caution);
        }
        fields.add(OTHER, Check::other(), false, None);
        Ok(fields)
    }

    /// The members of an object that stands at `place`.
    pub(super) fn of_properties(properties: &[Property], place: &str) -> Result<Self, Unusable> {
        let mut fields = Self::default();
        for property in properties {
            let check = Check::new(&property.shape, &format!("{place}/{}", property.name))?;
            fields.add(&property.name, check, property.required, None);
        }
        Ok(fields)
    }

    pub(super) fn tolerate(&mut self, key: &Tolerated) -> Result<(), Unusable> {
        let check = Check::new(&key.shape, &key.key_name)?;
        self.add(&key.key_name, check, false, Some(Caution::Withdrawn));
        Ok(())
    }

    /// The first field of a name stays.
    fn add(&mut self, name: &str, check: Check, required: bool, caution: Option<Caution>) {
        let Err(at) = self.position(name) else { return };
        self.required += usize::from(required);
        let later = self.order.iter_mut().filter(|place| **place >= at);
        later.for_each(|place| *place += 1);
        let place = self.order.len();
        self.order.push(at);
        let field = Field {
            name: name.to_owned(),
            check,
            required,
            caution,
            place,
        };
        self.sorted.insert(at, field);
    }

    pub(super) fn required(&self) -> usize {
        self.required
    }

    /// The field called so.
    pub(super) fn get(&self, name: &str) -> Option<&Field> {
        Some(&self.sorted[self.position(name).ok()?])
    }

    /// The same, faster where names come in order, as the members of a JSON object do: `next` is
    /// where the field is that probably follows.
    pub(super) fn seek(&self, name: &str, next: &mut usize) -> Option<&Field> {
        while let Some(field) = self.sorted.get(*next) {
            if field.name == name {
                *next += 1;
                return Some(field);
            }
            if field.name.as_str() > name {
                break;
            }
            *next += 1;
        }
        self.get(name)
    }

    /// In the order of the template.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &Field> {
        self.order.iter().map(|place| &self.sorted[*place])
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.sorted
            .binary_search_by(|field| field.name.as_str().cmp(name))
    }
}

impl Field {
    /// True for what says no more than leaving the key out: null, and an array of nothing.
    pub(super) fn is_absent(&self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Array(items) => items.is_empty() && self.check.is_array(),
            _ => false,
        }
    }
}
