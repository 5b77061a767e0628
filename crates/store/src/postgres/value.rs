//! Parameters and columns as PostgreSQL has them.
//!
//! A value is written as the type that the server infers for its parameter: numbers as BIGINT, texts
//! as TEXT, or as the bytes of a BYTEA, which holds texts that may have a U+0000. Neither shows what
//! it holds when it is printed. Read next: [`super::session`].

use crate::failure::SqlFailure;
use crate::sql::Value;
use bytes::{BufMut as _, BytesMut};
use std::error::Error;
use std::fmt;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A parameter. Shows nothing of its value when it is printed.
pub(super) struct Parameter<'v>(pub(super) Value<'v>);

impl fmt::Debug for Parameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Value::Null => "null",
            Value::Number(_) => "number",
            Value::Text(_) => "text",
            Value::Bytes(_) => "bytes",
        })
    }
}

/// The parameters of a statement.
pub(super) fn parameters<'v>(
    values: &'v [Value<'v>],
) -> impl ExactSizeIterator<Item = Parameter<'v>> {
    values.iter().copied().map(Parameter)
}

/// A value does not fit its parameter: the statement and whoever gives it values disagree.
#[derive(Debug, thiserror::Error)]
#[error("a {value} is no {wanted}")]
struct Unfit {
    value: String,
    wanted: Type,
}

impl ToSql for Parameter<'_> {
    fn to_sql(
        &self,
        wanted: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let unfit = || Unfit {
            value: format!("{self:?}"),
            wanted: wanted.clone(),
        };
        match (self.0, wanted) {
            (Value::Null, _) => return Ok(IsNull::Yes),
            (Value::Number(number), &Type::INT8) => out.put_i64(number),
            (Value::Number(number), &Type::INT4) => out.put_i32(number.try_into()?),
            (Value::Number(number), &Type::INT2) => out.put_i16(number.try_into()?),
            (Value::Number(number), &Type::BOOL) => out.put_u8((number != 0).into()),
            (Value::Text(text), wanted) if holds_text(wanted) => out.put_slice(text.as_bytes()),
            (Value::Text(text), &Type::BYTEA) => out.put_slice(text.as_bytes()),
            (Value::Bytes(bytes), &Type::BYTEA) => out.put_slice(bytes),
            _ => return Err(unfit().into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Parameters of a statement that is sent before its values are given back.
#[derive(Clone)]
pub(super) struct Owned {
    bytes: Vec<u8>,
    /// Kind and end of each.
    ends: Vec<(Held, usize)>,
}

#[derive(Clone, Copy)]
enum Held {
    Null,
    Number(i64),
    Text,
    Bytes,
}

impl Owned {
    pub(super) fn new(values: &[Value<'_>]) -> Self {
        let mut owned = Self {
            bytes: Vec::new(),
            ends: Vec::with_capacity(values.len()),
        };
        for value in values {
            let held = match *value {
                Value::Null => Held::Null,
                Value::Number(number) => Held::Number(number),
                Value::Text(text) => {
                    owned.bytes.extend_from_slice(text.as_bytes());
                    Held::Text
                }
                Value::Bytes(bytes) => {
                    owned.bytes.extend_from_slice(bytes);
                    Held::Bytes
                }
            };
            owned.ends.push((held, owned.bytes.len()));
        }
        owned
    }

    /// The bytes of texts and bytes in it.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The values of these places, as bytes that no other values have.
    pub(super) fn key(&self, places: &[usize]) -> Vec<u8> {
        let mut key = Vec::new();
        for &place in places {
            let (held, end) = self.ends[place];
            let start = place.checked_sub(1).map_or(0, |before| self.ends[before].1);
            match held {
                Held::Null => key.push(0),
                Held::Number(number) => {
                    key.push(1);
                    key.extend(number.to_be_bytes());
                }
                Held::Text | Held::Bytes => {
                    key.push(2);
                    key.extend((end - start).to_be_bytes());
                    key.extend(&self.bytes[start..end]);
                }
            }
        }
        key
    }

    pub(super) fn values(&self) -> Vec<Value<'_>> {
        let mut start = 0;
        let value = |(held, end): &(Held, usize)| {
            let bytes = &self.bytes[start..*end];
            start = *end;
            match held {
                Held::Null => Value::Null,
                Held::Number(number) => Value::Number(*number),
                // It was a text, so this takes all of it.
                Held::Text => Value::Text(std::str::from_utf8(bytes).unwrap_or_default()),
                Held::Bytes => Value::Bytes(bytes),
            }
        };
        self.ends.iter().map(value).collect()
    }
}

/// A column as it came: its type, and its bytes unless it is null.
struct Raw<'r>(Option<(Type, &'r [u8])>);

impl<'r> FromSql<'r> for Raw<'r> {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Some((kind.clone(), raw))))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The type and the bytes of a column; none if it is null.
pub(crate) fn raw(row: &Row, column: usize) -> Result<Option<(Type, &[u8])>, SqlFailure> {
    let found = row.try_get(column);
    let Raw(found) = found.map_err(|_| SqlFailure::misfit(column))?;
    Ok(found)
}

/// True if a column of this type holds text.
pub(crate) fn holds_text(kind: &Type) -> bool {
    [Type::TEXT, Type::VARCHAR, Type::NAME, Type::BPCHAR].contains(kind)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_owned_is_what_was_given() {
        let given = [
            Value::Text("ü\0"),
            Value::Null,
            Value::Number(-7),
            Value::Bytes(&[0xff, 0]),
            Value::Text(""),
        ];
        let found = format!("{:?}", Owned::new(&given).values());
        assert_eq!(found, format!("{given:?}"));
    }

    #[test]
    fn a_parameter_that_is_printed_shows_nothing_of_what_it_holds() {
        let printed = [Value::Text("secret"), Value::Number(4711)].map(Parameter);
        assert_eq!(format!("{printed:?}"), "[text, number]");
    }
}
