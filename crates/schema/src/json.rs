//! JSON texts of others, and how much of them is read.
//!
//! A text that is parsed takes up to a hundred times its bytes, so its values and its depth are counted
//! before anything of it is kept: one pass, no memory. Refuses to know what a text is for. Read next:
//! [`crate::read::json`], which also refuses members that stand twice.

use serde_json::Value;

/// The most values of one message; objects, lists and what is in them count.
pub const VALUES_MOST: usize = 32_768;

/// The depth to which objects and lists may lie in each other.
pub const DEPTH_MOST: u32 = 64;

/// More than is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// Too many values.
    #[error("there are more than {VALUES_MOST} values in it")]
    Values,
    /// Objects and lists too deep in each other.
    #[error("it is more than {DEPTH_MOST} deep")]
    Depth,
}

/// The reason why a text is not read.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// It is more than is read.
    #[error("it is too large: {0}")]
    Excess(#[from] Excess),
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    Syntax(#[from] serde_json::Error),
}

/// Reads a text.
///
/// # Errors
/// [`JsonError`]
pub fn read(text: &[u8]) -> Result<Value, JsonError> {
    Budget::default().spend(text)?;
    Ok(serde_json::from_slice(text)?)
}

/// The amount that may still be read of one message, which may hold several texts.
#[derive(Debug)]
pub struct Budget {
    values: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            values: VALUES_MOST,
        }
    }
}

impl Budget {
    /// Spends what one part costs that is as large as a value.
    ///
    /// # Errors
    /// [`Excess::Values`] if nothing is left.
    pub fn spend_one(&mut self) -> Result<(), Excess> {
        self.values = self.values.checked_sub(1).ok_or(Excess::Values)?;
        Ok(())
    }

    /// Spends the values of a JSON text; an empty list counts as one with an element. Of a text that
    /// is no JSON it spends what a parser keeps until it notices, at least.
    ///
    /// # Errors
    /// [`Excess`], as soon as it is reached.
    pub fn spend(&mut self, text: &[u8]) -> Result<(), Excess> {
        self.spend_one()?;
        let mut nesting = Nesting::default();
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => skip_string(&mut bytes),
                b'{' => nesting.open(false)?,
                b'[' => {
                    nesting.open(true)?;
                    self.spend_one()?;
                }
                b'}' | b']' => nesting.close(),
                b',' if nesting.is_list() => self.spend_one()?,
                b':' => self.spend_one()?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Goes behind the quotation mark that ends a string.
fn skip_string<'a>(bytes: &mut impl Iterator<Item = &'a u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
}

/// The open objects and lists: a bit for each, the innermost last, set for a list.
#[derive(Default)]
struct Nesting {
    depth: u32,
    lists: u64,
}

const _: () = assert!(DEPTH_MOST <= u64::BITS, "each level has its bit");

impl Nesting {
    fn open(&mut self, is_list: bool) -> Result<(), Excess> {
        if self.depth == DEPTH_MOST {
            return Err(Excess::Depth);
        }
        self.depth += 1;
        self.lists = self.lists << 1 | u64::from(is_list);
        Ok(())
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.lists >>= 1;
    }

    fn is_list(&self) -> bool {
        self.lists & 1 == 1
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn values(text: &str) -> usize {
        let mut budget = Budget::default();
        budget.spend(text.as_bytes()).unwrap();
        VALUES_MOST - budget.values
    }

    #[test]
    fn values_are_counted_and_what_stands_in_strings_is_not() {
        for (text, count) in [
            ("0", 1),
            ("{}", 1),
            ("[1]", 2),
            ("[1,2,3]", 4),
            (r#"{"a":1,"b":[2,{"c":3}]}"#, 6),
            (r#"{"a:[,":"],{:\"[,\\"}"#, 2),
        ] {
            assert_eq!(values(text), count, "{text}");
        }
    }

    #[test]
    fn one_value_too_many_and_one_level_too_deep_are_refused() {
        let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        let maps = |count: usize| format!("[{}]", vec![r#"{"":0}"#; count].join(","));
        let deep = |depth: usize| format!("{}0{}", "[".repeat(depth), "]".repeat(depth));
        let read = |text: &str| read(text.as_bytes());
        assert!(read(&list(VALUES_MOST - 1)).is_ok());
        assert!(read(&maps(VALUES_MOST / 2 - 1)).is_ok());
        assert!(read(&deep(64)).is_ok());
        for (text, excess) in [
            (list(VALUES_MOST), Excess::Values),
            (maps(VALUES_MOST / 2), Excess::Values),
            (deep(65), Excess::Depth),
            // However it goes on: nothing of it is parsed.
            (format!("{}]", list(VALUES_MOST)), Excess::Values),
        ] {
            match read(&text) {
                Err(JsonError::Excess(found)) => assert_eq!(found, excess),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn texts_of_one_message_share_what_may_be_read() {
        let half = format!("[{}]", vec!["0"; VALUES_MOST / 2].join(","));
        let mut budget = Budget::default();
        budget.spend(half.as_bytes()).unwrap();
        assert_eq!(budget.spend(half.as_bytes()), Err(Excess::Values));
    }

    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Array(list) if list.is_empty() => 1,
            Value::Array(list) => list.iter().map(count).sum(),
            Value::Object(map) => map.values().map(count).sum(),
            _ => 0,
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "[\\PC\"\\\\\\[\\]{}:,]{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::btree_map("[a\"\\\\:,{\\[]{0,3}", inner, 0..6)
                    .prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_counted_once(value in any_json(), is_pretty in any::<bool>()) {
            let text = match is_pretty {
                true => format!("{value:#}"),
                false => value.to_string(),
            };
            prop_assert_eq!(values(&text), count(&value));
        }
    }
}
