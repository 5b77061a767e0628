//! The canonical form of a payload's values.
//!
//! Knows one form for each meaning: what says nothing is absent, figures have three decimals. Refuses
//! to check: that is the contract's. Read next: [`super`].

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// The values of a payload without the keys that hold nothing: null, or an array without an entry.
pub(super) fn values(payload: &impl Serialize) -> Value {
    let mut values = serde_json::to_value(payload).expect("the keys of a payload are texts");
    settle(&mut values);
    let nothing = |v: &Value| v.is_null() || v.as_array().is_some_and(Vec::is_empty);
    if let Value::Object(keys) = &mut values {
        keys.retain(|_, value| !nothing(value));
    }
    values
}

/// Rounds figures to three decimals; whole numbers are written as such.
fn settle(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(settle),
        Value::Object(keys) => keys.values_mut().for_each(settle),
        Value::Number(number) if number.is_f64() => {
            let figure = number.as_f64().unwrap_or_default();
            let rounded = (figure * 1_000.0).round() / 1_000.0;
            *value = match rounded.fract() == 0.0 && rounded.abs() < 1e15 {
                true => json!(rounded as i64),
                false => json!(rounded),
            };
        }
        _ => (),
    }
}

/// The entries of an array that can be read; of the others, which the contract lets pass, nothing can be
/// made: one that names an instant which never was.
pub(super) fn readable<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let entries = Vec::<Value>::deserialize(from)?;
    let read = |entry| serde_json::from_value(entry).ok();
    Ok(entries.into_iter().filter_map(read).collect())
}

/// An instant that may be left out, as a text; one that never was, such as a leap second within a
/// month, is as good as left out.
pub(super) mod instant {
    use domain::time::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        at: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        at.map(|at| at.to_string()).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        Ok(text.and_then(|text| Timestamp::parse(&text).ok()))
    }
}
