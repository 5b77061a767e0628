//! The values that a key takes: its type and the members that narrow it.
//!
//! `enum`, `minimum`, `maximum`, `format`, `pattern`, `maxLength`, `maxItems`, `items`,
//! `properties` and `unit` are optional members of a key definition beside the draft's. They alone
//! are enforced, and the acceptable values in the prose are written from them
//! ([`crate::write`]), so that the two cannot disagree.

use super::Annotation;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use strum::IntoStaticStr;

/// A JSON Schema type identifier; `float` and `double` are read as `number`.
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum KeyType {
    /// `string`.
    String,
    /// `integer`: 3 and 3.0, never "3".
    Integer,
    /// `number`.
    Number,
    /// `boolean`.
    Boolean,
    /// `array`.
    Array,
    /// `object`.
    Object,
    /// A type that a peer's template names and nobody knows: anything goes.
    Any,
}

impl KeyType {
    /// The types that templates of ours may name.
    pub const ALL: [KeyType; 6] = [
        Self::String,
        Self::Integer,
        Self::Number,
        Self::Boolean,
        Self::Array,
        Self::Object,
    ];

    /// As written in `key_type`; `any` for [`KeyType::Any`], which is not written.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The type called so.
    pub fn parse(name: &str) -> Option<Self> {
        if matches!(name, "float" | "double") {
            return Some(Self::Number);
        }
        Self::ALL.into_iter().find(|t| t.as_str() == name)
    }
}

/// A type and what narrows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The type.
    pub key_type: KeyType,
    /// The members that narrow it.
    pub constraint: Constraint,
}

impl Shape {
    /// Any value of a type.
    pub fn of(key_type: KeyType) -> Self {
        Self {
            key_type,
            constraint: Constraint::default(),
        }
    }
}

/// The members that narrow a type. Members that say nothing of the type are a lint error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// `enum`: these values only; none if empty. Strings, integers or numbers.
    pub allowed: Vec<Value>,
    /// `minimum`, inclusive; of integers and numbers.
    pub minimum: Option<Number>,
    /// `maximum`, inclusive.
    pub maximum: Option<Number>,
    /// `format`; of strings, and asserted.
    pub format: Option<Format>,
    /// `pattern`: an I-Regexp (RFC 9485), which matches the whole string; of strings.
    pub pattern: Option<String>,
    /// `maxLength`, in Unicode characters; of strings.
    pub max_length: Option<usize>,
    /// `maxItems`; of arrays.
    pub max_items: Option<usize>,
    /// `items`; of arrays. None: any JSON values.
    pub items: Option<Box<Shape>>,
    /// `properties`, in order; of objects. Empty: any object. Others are unknown keys.
    pub properties: Vec<Property>,
    /// `unit`, e.g. `W` or `Mbit/s`; told, not enforced.
    pub unit: Option<String>,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// In snake_case, unique within the object.
    pub name: String,
    /// The values that it takes.
    pub shape: Shape,
    /// True if the object must have it.
    pub required: bool,
    /// Its meaning.
    pub annotation: Annotation,
}

/// A format that is asserted.
#[derive(IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Format {
    /// `date`: YYYY-MM-DD, a day that exists.
    Date,
    /// `time`: RFC 3339 full-time.
    Time,
    /// `date-time`: RFC 3339, with zone.
    DateTime,
    /// `ipv4`.
    Ipv4,
    /// `ipv6`.
    Ipv6,
    /// `uri`: RFC 3986, absolute.
    Uri,
    /// `uuid`: RFC 9562.
    Uuid,
}

impl Format {
    /// All.
    pub const ALL: [Format; 7] = [
        Self::Date,
        Self::Time,
        Self::DateTime,
        Self::Ipv4,
        Self::Ipv6,
        Self::Uri,
        Self::Uuid,
    ];

    /// As JSON Schema writes it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The format called so.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.as_str() == name)
    }
}
