//! What stands under a key: the row that a statement is about to replace.
//!
//! Whoever replaces a row says which, by its digest: what is taken out of the sum of a set is then what was in
//! the table. Read next: [`super::replaceable`].

use crate::failure::SqlFailure;
use crate::set::Set;
use crate::shard::Shard;
use crate::sql::{Expect, Session, Value};

/// What every statement holds to that replaces a row: else the sum of its set would be wrong from then
/// on, and nobody would know. Nothing moves to another shard.
pub(crate) const AS_KNOWN: Expect =
    Expect::One("a row is replaced only where it is as it was known to be, and on its shard");

/// Where a row is in the sums: its shard, and its number there, 0 where its key is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowPlace {
    pub(crate) shard: Shard,
    pub(crate) number: i64,
}

impl RowPlace {
    /// The place of a row of shard 0.
    pub(crate) const fn zero(number: i64) -> Self {
        Self {
            shard: Shard::ZERO,
            number,
        }
    }
}

/// A row in whose place one is about to be written.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) set: Set,
    pub(crate) place: RowPlace,
    /// Its digest, with the code behind it if it has one.
    pub(crate) digest: Vec<u8>,
}

/// The table of a row and its key there.
pub(crate) type Name = (&'static str, String);

/// The row of this key, if there is one; `sql` returns its number, 0 where the key is a text, its
/// digest, and its shard.
pub(crate) fn standing(
    session: Session<'_>,
    set: Set,
    sql: &str,
    key: &[Value<'_>],
) -> Result<Option<Standing>, SqlFailure> {
    session.find(sql, key, |row| {
        Ok(Standing {
            set,
            place: RowPlace {
                shard: row.get(2)?,
                number: row.get(0)?,
            },
            digest: row.get(1)?,
        })
    })
}

/// Inserts a row, or updates the one that it replaces, as that is known to stand. Both statements have the same
/// values, of which [`number_or_digest`] is one.
pub(crate) fn insert_or_update(
    session: Session<'_>,
    old: Option<&Standing>,
    [insert, update]: [&str; 2],
    values: &[Value<'_>],
) -> Result<(), SqlFailure> {
    match old {
        None => session.put(insert, values, Expect::Any),
        Some(_) => session.put(update, values, AS_KNOWN),
    }
}

/// The parameter of a statement that writes a row: of an INSERT the number, of an UPDATE the digest
/// that it replaces.
pub(crate) fn number_or_digest(old: Option<&Standing>, place: RowPlace) -> Value<'_> {
    old.map_or(Value::Number(place.number), |old| Value::Bytes(&old.digest))
}
