//! Numbers that everybody reads as the same number.
//!
//! Integers beyond 2^53 - 1 are other numbers to programs whose numbers are doubles (RFC 7493
//! §2.2), and canonical JSON is made of doubles. YANG holds a `number` as decimal64 with six
//! fraction digits (RFC 7950 §9.3).

use crate::template::KeyType;
use serde_json::{Number, Value};

/// The largest integer that is itself everywhere: 2^53 - 1.
const INTEGER_MAX: i64 = 9_007_199_254_740_991;
/// The largest number that decimal64 with six fraction digits can hold, rounded towards zero.
const DECIMAL_MAX: f64 = 9_223_372_036_854.0;

/// The fault of the numbers of a value of a type; none if nothing is.
pub(super) fn objection_to(value: &Value, key_type: KeyType) -> Option<String> {
    if let Some(inexact) = inexact(value) {
        return Some(format!("{inexact} is beyond ±{INTEGER_MAX}"));
    }
    value
        .as_number()
        .and_then(|number| objection(number, key_type))
}

/// What is wrong with a number that narrows a type; none if nothing is.
pub(super) fn objection(number: &Number, key_type: KeyType) -> Option<String> {
    match key_type {
        KeyType::Integer if !is_safe_integer(number) => Some(format!(
            "{number} is not an integer from -{INTEGER_MAX} to {INTEGER_MAX}"
        )),
        KeyType::Number if !is_decimal(number) => Some(format!(
            "{number} has more than six fraction digits, or is too large for them"
        )),
        _ => None,
    }
}

/// An integer within a value that canonical JSON cannot hold.
pub(crate) fn inexact(value: &Value) -> Option<&Value> {
    match value {
        Value::Number(n) if !n.is_f64() => {
            let held = n
                .as_i64()
                .is_some_and(|n| n.unsigned_abs() <= INTEGER_MAX.unsigned_abs());
            (!held).then_some(value)
        }
        Value::Array(elements) => elements.iter().find_map(inexact),
        Value::Object(members) => members.values().find_map(inexact),
        _ => None,
    }
}

/// True for 3 and 3.0 within ±(2^53 - 1).
fn is_safe_integer(number: &Number) -> bool {
    number
        .as_f64()
        .is_some_and(|n| n.fract() == 0.0 && n.abs() <= INTEGER_MAX as f64)
}

fn is_decimal(number: &Number) -> bool {
    let Some(n) = number.as_f64() else {
        return false;
    };
    let fraction_digits = format!("{n}")
        .split_once('.')
        .map_or(0, |(_, digits)| digits.len());
    n.abs() <= DECIMAL_MAX && fraction_digits <= 6
}
