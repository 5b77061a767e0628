//! Parameters and columns as PostgreSQL has them.
//!
//! A value is written as the type that the server infers for its parameter: numbers as BIGINT, texts
//! as TEXT, or as the bytes of a BYTEA, which holds texts that may have a U+0000. Neither shows what
//! it holds when it is printed. Read next: [`super::session`].

use bytes::{BufMut as _, BytesMut};
use std::error::Error;
use std::fmt;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value<'v> {
    Null,
    Number(i64),
    Text(&'v str),
    Bytes(&'v [u8]),
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Number(_) => "number",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        })
    }
}

/// A value does not fit its parameter: the statement and whoever gives it values disagree.
#[derive(Debug, thiserror::Error)]
#[error("a {value} is no {wanted}")]
struct Unfit {
    value: String,
    wanted: Type,
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        wanted: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let unfit = || Unfit {
            value: format!("{self:?}"),
            wanted: wanted.clone(),
        };
        match (self, wanted) {
            (Self::Null, _) => return Ok(IsNull::Yes),
            (Self::Number(number), &Type::INT8) => out.put_i64(*number),
            (Self::Number(number), &Type::INT4) => out.put_i32((*number).try_into()?),
            (Self::Number(number), &Type::INT2) => out.put_i16((*number).try_into()?),
            (Self::Number(number), &Type::BOOL) => out.put_u8((*number != 0).into()),
            (Self::Text(text), wanted) if holds_text(wanted) => out.put_slice(text.as_bytes()),
            (Self::Text(text), &Type::BYTEA) => out.put_slice(text.as_bytes()),
            (Self::Bytes(bytes), &Type::BYTEA) => out.put_slice(bytes),
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

fn holds_text(kind: &Type) -> bool {
    [Type::TEXT, Type::VARCHAR, Type::NAME, Type::BPCHAR].contains(kind)
}

/// A column is not of the type that is read, or there is none: damage to its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit;

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

fn raw(row: &Row, index: usize) -> Result<Option<(Type, &[u8])>, Misfit> {
    let Raw(found) = row.try_get(index).map_err(|_| Misfit)?;
    Ok(found)
}

/// A number, or a truth as 0 or 1; none if it is null.
pub(crate) fn number(row: &Row, index: usize) -> Result<Option<i64>, Misfit> {
    fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Misfit> {
        bytes.try_into().map_err(|_| Misfit)
    }
    let Some((kind, bytes)) = raw(row, index)? else {
        return Ok(None);
    };
    let number = match kind {
        Type::INT8 => i64::from_be_bytes(array(bytes)?),
        Type::INT4 => i32::from_be_bytes(array(bytes)?).into(),
        Type::INT2 => i16::from_be_bytes(array(bytes)?).into(),
        Type::BOOL => (array::<1>(bytes)? != [0]).into(),
        _ => return Err(Misfit),
    };
    Ok(Some(number))
}

/// A text, whether it is kept as one or as bytes; none if it is null.
pub(crate) fn text(row: &Row, index: usize) -> Result<Option<&str>, Misfit> {
    match raw(row, index)? {
        None => Ok(None),
        Some((kind, bytes)) if kind == Type::BYTEA || holds_text(&kind) => {
            std::str::from_utf8(bytes).map(Some).map_err(|_| Misfit)
        }
        Some(_) => Err(Misfit),
    }
}

/// Bytes; none if they are null.
pub(crate) fn bytes(row: &Row, index: usize) -> Result<Option<&[u8]>, Misfit> {
    match raw(row, index)? {
        None => Ok(None),
        Some((Type::BYTEA, bytes)) => Ok(Some(bytes)),
        Some(_) => Err(Misfit),
    }
}

#[cfg(test)]
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
        assert_eq!(Owned::new(&given).values(), given);
    }

    #[test]
    fn a_value_that_is_printed_shows_nothing_of_what_it_holds() {
        assert_eq!(format!("{:?}", Value::Text("secret")), "text");
        assert_eq!(format!("{:?}", Value::Number(4711)), "number");
    }
}
