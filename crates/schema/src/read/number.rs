//! Numbers as the type of a key has them: JSON does not tell 3.0 from 3.
//!
//! Read next: [`super::shape`], whose bounds and values are numbers.

use crate::template::KeyType;
use serde_json::{Number, Value};

/// 3.0 is 3 where integers are.
pub(super) fn integral(key_type: KeyType, value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(key_type, number)),
        _ => value.clone(),
    }
}

/// The same of a number.
pub(super) fn whole(key_type: KeyType, number: &Number) -> Number {
    match number.as_f64() {
        Some(n)
            if key_type == KeyType::Integer
                && number.is_f64()
                && n.fract() == 0.0
                && n.abs() < 1e15 =>
        {
            Number::from(n as i64)
        }
        _ => number.clone(),
    }
}
