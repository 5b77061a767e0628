//! A shape, compiled: what one value is held to.
//!
//! Knows types and constraints of one value; what is inside arrays and objects is for who walks
//! them. Every message of what is expected is written here, once, when the template is compiled.

use super::Fields;
use crate::contract::format;
use crate::contract::pattern::{Pattern, Unusable};
use crate::template::{Constraint, Format, KeyType, Shape};
use crate::violation::Code;
use serde_json::{Number, Value};

/// So many acceptable values are told in a message.
const TOLD_VALUES: usize = 32;

/// All that a value is held to.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) kind: Kind,
    allowed: Allowed,
    /// True if values that fit may have another canonical form.
    pub(crate) settles: bool,
    /// The same in words: `integer from 1 to 9`.
    pub(crate) expected: String,
}

/// The types, each with what narrows it.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Any,
    String(Text),
    Integer {
        least: i64,
        most: i64,
    },
    Number {
        least: f64,
        most: f64,
    },
    Boolean,
    Array(Array),
    /// Members that are known.
    Object(Fields),
    /// Any members.
    AnyObject,
    /// The reserved key: whatever it holds is accepted.
    Other,
}

/// All that strings are held to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    chars_max: Option<usize>,
    format: Option<Format>,
    pattern: Option<Pattern>,
}

/// All that arrays are held to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array {
    items_max: Option<usize>,
    /// None: any values.
    pub(crate) items: Option<Box<Check>>,
}

/// The acceptable values.
#[derive(Clone, Debug)]
enum Allowed {
    All,
    /// Strings alone, sorted.
    Strings(Vec<String>),
    Values(Vec<Value>),
}

impl Check {
    /// Compiles the shape that stands at `place`.
    pub(crate) fn new(shape: &Shape, place: &str) -> Result<Self, Unusable> {
        let kind = Kind::new(shape, place)?;
        let allowed = Allowed::new(&shape.constraint.allowed);
        Ok(Self {
            settles: kind.settles() && allowed.settles(&kind),
            kind,
            allowed,
            expected: words(shape),
        })
    }

    /// The check of the reserved key.
    pub(crate) fn other() -> Self {
        Self {
            kind: Kind::Other,
            allowed: Allowed::All,
            settles: false,
            expected: "a string or an array of strings".to_owned(),
        }
    }

    pub(crate) fn is_array(&self) -> bool {
        matches!(self.kind, Kind::Array(_))
    }

    /// The fault of a value by itself; what is inside it is not looked at.
    pub(crate) fn fault(&self, value: &Value, string_bytes: usize) -> Option<Code> {
        if matches!(self.kind, Kind::Other) {
            return None;
        }
        self.type_fault(value, string_bytes)
            .or_else(|| self.allowed.fault(value))
            .or_else(|| self.form_fault(value))
    }

    /// Wrong type, out of range, or too long.
    fn type_fault(&self, value: &Value, string_bytes: usize) -> Option<Code> {
        match (&self.kind, value) {
            (Kind::Any | Kind::String(_), Value::String(text)) if text.len() > string_bytes => {
                Some(Code::Length)
            }
            (Kind::Any, _) | (Kind::Boolean, Value::Bool(_)) => None,
            (Kind::String(held), Value::String(text)) => held.length_fault(text),
            (Kind::Integer { least, most }, Value::Number(number)) => {
                integer_fault(number, *least, *most)
            }
            (Kind::Number { least, most }, Value::Number(number)) => {
                number_fault(number, *least, *most)
            }
            (Kind::Array(held), Value::Array(items)) => {
                let over = held.items_max.is_some_and(|most| items.len() > most);
                over.then_some(Code::Length)
            }
            (Kind::Object(_) | Kind::AnyObject, Value::Object(_)) => None,
            _ => Some(Code::Type),
        }
    }

    /// True if the value is of the type, whatever its constraints say.
    pub(crate) fn is_of_type(&self, value: &Value) -> bool {
        match &self.kind {
            Kind::Any => true,
            Kind::String(_) => value.is_string(),
            Kind::Integer { .. } => {
                matches!(value, Value::Number(number) if !matches!(whole(number), Whole::Not))
            }
            Kind::Number { .. } => value.is_number(),
            Kind::Boolean => value.is_boolean(),
            Kind::Array(_) => value.is_array(),
            Kind::Object(_) | Kind::AnyObject => value.is_object(),
            Kind::Other => match value {
                Value::Array(entries) => entries.iter().all(Value::is_string),
                value => value.is_string(),
            },
        }
    }

    fn form_fault(&self, value: &Value) -> Option<Code> {
        match (&self.kind, value) {
            (Kind::String(held), Value::String(text)) => held.form_fault(text),
            _ => None,
        }
    }
}

impl Kind {
    fn new(shape: &Shape, place: &str) -> Result<Self, Unusable> {
        let held = &shape.constraint;
        Ok(match shape.key_type {
            KeyType::Any => Self::Any,
            KeyType::Boolean => Self::Boolean,
            KeyType::String => Self::String(Text::new(held, place)?),
            KeyType::Integer => Self::Integer {
                least: held.minimum.as_ref().map_or(i64::MIN, least_integer),
                most: held.maximum.as_ref().map_or(i64::MAX, most_integer),
            },
            KeyType::Number => Self::Number {
                least: bound(held.minimum.as_ref(), f64::NEG_INFINITY),
                most: bound(held.maximum.as_ref(), f64::INFINITY),
            },
            KeyType::Array => Self::Array(Array::new(held, place)?),
            KeyType::Object if held.properties.is_empty() => Self::AnyObject,
            KeyType::Object => Self::Object(Fields::of_properties(&held.properties, place)?),
        })
    }
}

impl Kind {
    fn settles(&self) -> bool {
        match self {
            Self::Integer { .. } | Self::Number { .. } | Self::Object(_) => true,
            Self::Array(array) => array.items.as_ref().is_some_and(|check| check.settles),
            Self::String(held) => held.settles(),
            _ => false,
        }
    }
}

impl Text {
    fn new(held: &Constraint, place: &str) -> Result<Self, Unusable> {
        let pattern = held.pattern.as_deref().map(Pattern::new).transpose();
        let pattern = pattern.map_err(|fault| Unusable {
            place: place.to_owned(),
            fault,
        })?;
        Ok(Self {
            chars_max: held.max_length,
            format: held.format,
            pattern,
        })
    }

    /// `t` and `z` in times may be written as `T` and `Z`, unless a pattern has a say in it.
    fn settles(&self) -> bool {
        matches!(self.format, Some(Format::DateTime | Format::Time)) && self.pattern.is_none()
    }

    fn length_fault(&self, text: &str) -> Option<Code> {
        // No string has more characters than bytes.
        let over = |most| text.len() > most && text.chars().count() > most;
        self.chars_max.is_some_and(over).then_some(Code::Length)
    }

    fn form_fault(&self, text: &str) -> Option<Code> {
        if self.format.is_some_and(|format| !format::is(format, text)) {
            return Some(Code::Format);
        }
        let pattern = self.pattern.as_ref();
        let differs = pattern.is_some_and(|pattern| !pattern.matches(text));
        differs.then_some(Code::Pattern)
    }
}

impl Array {
    fn new(held: &Constraint, place: &str) -> Result<Self, Unusable> {
        let items = held.items.as_deref();
        let items = items.map(|shape| Check::new(shape, &format!("{place}/items")));
        Ok(Self {
            items_max: held.max_items,
            items: items.transpose()?.map(Box::new),
        })
    }
}

impl Allowed {
    fn new(values: &[Value]) -> Self {
        if values.is_empty() {
            return Self::All;
        }
        let strings: Option<Vec<_>> = values.iter().map(Value::as_str).collect();
        let Some(mut strings) = strings else {
            return Self::Values(values.to_vec());
        };
        strings.sort_unstable();
        Self::Strings(strings.into_iter().map(str::to_owned).collect())
    }

    /// False if a value among these is to stay as it is written.
    fn settles(&self, kind: &Kind) -> bool {
        matches!((self, kind), (Self::All, _) | (_, Kind::Integer { .. }))
    }

    fn fault(&self, value: &Value) -> Option<Code> {
        let among = match (self, value) {
            (Self::All, _) => true,
            (Self::Strings(all), Value::String(text)) => {
                all.binary_search_by(|it| it.as_str().cmp(text)).is_ok()
            }
            (Self::Strings(_), _) => false,
            (Self::Values(all), value) => all.iter().any(|it| same(it, value)),
        };
        (!among).then_some(Code::Enum)
    }
}

/// 3 and 3.0 are the same value.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

/// A number as an integer.
pub(crate) enum Whole {
    /// One of 64 bits.
    Is(i64),
    /// A larger one.
    Large,
    /// None.
    Not,
}

/// 3 and 3.0 are integers, 3.5 is none.
pub(crate) fn whole(number: &Number) -> Whole {
    if let Some(integer) = number.as_i64() {
        return Whole::Is(integer);
    }
    match number.as_f64() {
        _ if number.is_u64() => Whole::Large,
        // 2^63, the first that 64 bits with a sign do not hold, is exact as a double.
        Some(float) if float.fract() != 0.0 => Whole::Not,
        Some(float)
            if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) =>
        {
            Whole::Is(float as i64)
        }
        Some(_) => Whole::Large,
        None => Whole::Not,
    }
}

fn integer_fault(number: &Number, least: i64, most: i64) -> Option<Code> {
    match whole(number) {
        Whole::Is(integer) => (integer < least || integer > most).then_some(Code::Range),
        Whole::Large => Some(Code::Range),
        Whole::Not => Some(Code::Type),
    }
}

fn number_fault(number: &Number, least: f64, most: f64) -> Option<Code> {
    let Some(float) = number.as_f64() else {
        return Some(Code::Range);
    };
    (float < least || float > most).then_some(Code::Range)
}

/// The least integer that a `minimum` admits; a float is cut off at the ends by `as`.
fn least_integer(minimum: &Number) -> i64 {
    let float = || minimum.as_f64().map(|float| float.ceil() as i64);
    minimum.as_i64().or_else(float).unwrap_or(i64::MIN)
}

fn most_integer(maximum: &Number) -> i64 {
    let float = || maximum.as_f64().map(|float| float.floor() as i64);
    maximum.as_i64().or_else(float).unwrap_or(i64::MAX)
}

fn bound(number: Option<&Number>, without: f64) -> f64 {
    number.and_then(Number::as_f64).unwrap_or(without)
}

/// The expectation, in words.
fn words(shape: &Shape) -> String {
    let held = &shape.constraint;
    let mut words = match &held.items {
        Some(items) => format!("array of {}", plural_free(items)),
        None if shape.key_type == KeyType::Any => "value".to_owned(),
        None => shape.key_type.as_str().to_owned(),
    };
    words.push_str(&span(held.minimum.as_ref(), held.maximum.as_ref()));
    if let Some(format) = held.format {
        words.push_str(&format!(" that is {}", format::words(format)));
    }
    if let Some(pattern) = &held.pattern {
        words.push_str(&format!(" matching {pattern}"));
    }
    if let Some(most) = held.max_length {
        words.push_str(&format!(" of at most {most} characters"));
    }
    if let Some(most) = held.max_items {
        words.push_str(&format!(" with at most {most} entries"));
    }
    words + &alternatives(&held.allowed)
}

/// The type of an array's items; what narrows them is told at the item that breaks it.
fn plural_free(items: &Shape) -> &'static str {
    match items.key_type {
        KeyType::Any => "values",
        KeyType::String => "strings",
        KeyType::Integer => "integers",
        KeyType::Number => "numbers",
        KeyType::Boolean => "booleans",
        KeyType::Array => "arrays",
        KeyType::Object => "objects",
    }
}

fn span(minimum: Option<&Number>, maximum: Option<&Number>) -> String {
    match (minimum, maximum) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    }
}

fn alternatives(allowed: &[Value]) -> String {
    if allowed.is_empty() {
        return String::new();
    }
    let told: Vec<String> = allowed.iter().take(TOLD_VALUES).map(plain).collect();
    let rest = match allowed.len() > TOLD_VALUES {
        true => format!(" and {} more", allowed.len() - TOLD_VALUES),
        false => String::new(),
    };
    format!(", one of: {}{rest}", told.join(", "))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
