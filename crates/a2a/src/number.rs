//! Numbers that survive readers whose only number is a double.
//!
//! By RFC 7951 §6.1, integers that a double cannot hold are encoded as strings. Other values are
//! not changed. Read next: [`crate::wire`].

use serde_json::{Number, Value};

/// The largest integer below which every integer is a double: 2^53 - 1.
pub const EXACT_MAX: u64 = (1 << 53) - 1;

/// The value with every integer beyond ±[`EXACT_MAX`] as a string of digits.
pub fn portable(value: &Value) -> Value {
    match value {
        Value::Number(number) if is_beyond(number) => Value::String(number.to_string()),
        Value::Array(entries) => entries.iter().map(portable).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, it)| (name.clone(), portable(it)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn is_beyond(number: &Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(n), _) => n > EXACT_MAX,
        (None, Some(n)) => n.unsigned_abs() > EXACT_MAX,
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Integers beyond 2^53 are encoded as strings; all other values are unchanged.
    #[test]
    fn integers_that_doubles_cannot_hold_travel_as_strings() {
        let value = json!({
            "counter": 18_446_744_073_709_551_615_u64,
            "low": [-9_007_199_254_740_992_i64, -9_007_199_254_740_991_i64],
            "small": 3, "ratio": 0.5, "large": 1e300, "text": "7",
        });
        let carried = portable(&value);
        assert_eq!(
            carried,
            json!({
                "counter": "18446744073709551615",
                "low": ["-9007199254740992", -9_007_199_254_740_991_i64],
                "small": 3, "ratio": 0.5, "large": 1e300, "text": "7",
            })
        );
    }
}
