//! The check whether a value that a template itself carries – a default, an acceptable value, the
//! value of a mapping example – is a value of its shape: as a payload would be told.

use crate::contract::Contract;
use crate::language::Language;
use crate::template::{Annotation, Key, KeyStatus, Shape, Template};
use crate::violation::PayloadViolation;
use serde_json::{Map, Value};

/// The reason why a value is none of a shape: what is needed, and what stands there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{needed} is needed, not {found}")]
pub struct Unfit {
    /// The values that the shape wants: `integer from 1 to 9`.
    pub needed: String,
    /// The value, as JSON, shortened.
    pub found: String,
}

/// Checks a value against a type and all that narrows it, as payloads are ([`crate::contract`]).
/// `null` is a value of nothing. Of a shape whose pattern is none, only the type is checked.
///
/// # Errors
/// [`Unfit`] with the first thing that is wrong.
pub fn fits(shape: &Shape, value: &Value) -> Result<(), Unfit> {
    Judge::of(shape).judge(value)
}

/// The name under which values are judged.
const NAME: &str = "value";

/// A shape made ready to judge many values.
pub(super) struct Judge(Option<Contract>);

impl Judge {
    /// Without what narrows the type where that cannot be checked: its pattern is none.
    pub(super) fn of(shape: &Shape) -> Self {
        let narrowed = Contract::new(&sole(shape.clone()));
        let contract = narrowed.or_else(|_| Contract::new(&sole(Shape::of(shape.key_type))));
        Self(contract.ok())
    }

    pub(super) fn judge(&self, value: &Value) -> Result<(), Unfit> {
        if value.is_null() {
            return Err(Unfit {
                needed: "a value".to_owned(),
                found: value.to_string(),
            });
        }
        let Some(contract) = &self.0 else {
            return Ok(());
        };
        let payload = Map::from_iter([(NAME.to_owned(), value.clone())]);
        let violations = contract.verify(&payload).err();
        match violations.and_then(|v| v.into_iter().next()) {
            Some(violation) => Err(unfit(violation)),
            None => Ok(()),
        }
    }
}

/// A template of one key.
fn sole(shape: Shape) -> Template {
    let key = Key {
        key_name: NAME.to_owned(),
        shape,
        required: false,
        default_value: None,
        annotation: Annotation::default(),
        security_relevant: false,
        standing: KeyStatus::Stable,
    };
    Template {
        schema_id: String::new(),
        scenario: String::new(),
        title: None,
        language: Language::english(),
        keys: vec![key],
        response_schema_id: None,
    }
}

fn unfit(violation: PayloadViolation) -> Unfit {
    let within = violation.path.strip_prefix("/value").unwrap_or_default();
    let found = violation.found.unwrap_or_else(|| "nothing".to_owned());
    Unfit {
        needed: violation.expected,
        found: if within.is_empty() {
            found
        } else {
            format!("{within}: {found}")
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::KeyType;
    use serde_json::json;

    /// Q5, Q12: what defaults are held against: 3 and 3.0 are integers, "3", true and 3.5 are not.
    #[test]
    fn values_are_judged_as_payloads_are() {
        let mut integer = Shape::of(KeyType::Integer);
        integer.constraint.minimum = Some(1.into());
        for value in [json!(3), json!(3.0)] {
            assert_eq!(fits(&integer, &value), Ok(()));
        }
        for value in [
            json!("3"),
            json!(true),
            json!(3.5),
            json!(null),
            json!(0),
            json!([3]),
        ] {
            assert!(fits(&integer, &value).is_err(), "{value}");
        }
        let mut list = Shape::of(KeyType::Array);
        list.constraint.items = Some(Box::new(integer));
        let unfit = fits(&list, &json!([1, 0])).expect_err("0 is below 1");
        assert_eq!(
            unfit.to_string(),
            "integer of at least 1 is needed, not /1: 0"
        );
    }
}
