//! Values that a statement is given.
//!
//! Knows no database. Read next: [`super::row`], what a statement gives.

use crate::shard::Shard;
use std::borrow::Cow;

/// The value of one parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'v> {
    Null,
    Number(i64),
    Text(&'v str),
    Bytes(&'v [u8]),
}

/// The values of the parameters `?1`, `?2`, … of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::sql::value::Value::from($value)),*]
    };
}
pub(crate) use values;

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u8> for Value<'_> {
    fn from(number: u8) -> Self {
        Self::Number(number.into())
    }
}

impl From<Shard> for Value<'_> {
    fn from(shard: Shard) -> Self {
        Self::Number(shard.column())
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Self::Number(flag.into())
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(text)
    }
}

impl<'v> From<&'v String> for Value<'v> {
    fn from(text: &'v String) -> Self {
        Self::Text(text)
    }
}

impl<'v> From<&'v [u8]> for Value<'v> {
    fn from(bytes: &'v [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'v> From<&'v Vec<u8>> for Value<'v> {
    fn from(bytes: &'v Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'v> From<&'v Cow<'_, [u8]>> for Value<'v> {
    fn from(bytes: &'v Cow<'_, [u8]>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'v, const N: usize> From<&'v [u8; N]> for Value<'v> {
    fn from(bytes: &'v [u8; N]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
