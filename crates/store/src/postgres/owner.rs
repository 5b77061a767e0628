//! Who owns a state: one row, with an epoch that each owner raises.
//!
//! ```text
//! take ─► epoch 7 ─► each group: until = now + 6 s where epoch = 7 ─► release
//!            another takes it, epoch 8: the group of epoch 7 meets no row and is not stored
//! ```
//! Times are those of the database's clock. Whoever holds the same name takes the state at once: a
//! platform that was killed is its own successor. Knows nothing of why one owns it. Read next:
//! [`super::session`].

use super::error::PostgresError;
use super::session::Session;
use crate::failure::{FailureKind, SqlFailure};
use crate::sql::{Row, Value};
use std::time::Duration;

/// The time for which a state is owned after it was written, or renewed, last.
pub(crate) const OWNED: Duration = Duration::from_secs(6);

/// The database's clock, in milliseconds.
macro_rules! now {
    () => {
        "CAST(extract(epoch FROM now()) * 1000 AS BIGINT)"
    };
}

const TAKE: &str = concat!(
    "UPDATE owner SET epoch = epoch + 1, holder = ?1, until = ",
    now!(),
    " + ?2 WHERE one = 1 AND (holder = ?1 OR until < ",
    now!(),
    ") RETURNING epoch"
);

const HELD: &str = concat!(
    "SELECT holder, until - ",
    now!(),
    " FROM owner WHERE one = 1"
);

const RAISE: &str = concat!(
    "UPDATE owner SET epoch = epoch + 1, until = ",
    now!(),
    " + ?2 WHERE one = 1 AND epoch = ?1 RETURNING epoch"
);

const FENCE: &str = concat!(
    "UPDATE owner SET until = ",
    now!(),
    " + ?2 WHERE one = 1 AND epoch = ?1"
);

const RELEASE: &str = "UPDATE owner SET until = 0 WHERE one = 1 AND epoch = ?1";

/// A state that is ours until another takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    epoch: i64,
}

/// A state is another's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another platform owns the state for {} ms more: {by}", left.as_millis())]
pub(crate) struct Held {
    /// Whose it is.
    pub(crate) by: String,
    /// The time after which it is nobody's, if its owner does not renew it.
    pub(crate) left: Duration,
}

impl Owner {
    /// Takes a state that is nobody's or was `holder`'s, and fences whoever had it.
    pub(crate) fn take(session: &Session, holder: &str) -> Result<Result<Self, Held>, SqlFailure> {
        let values = [Value::Text(holder), Value::Number(owned_ms())];
        if let Some(epoch) = session.one(TAKE, &values, epoch)? {
            return Ok(Ok(Self { epoch }));
        }
        let held = session.one(HELD, &[], |row| Held::of(&Row::Postgres(row)))?;
        match held {
            Some(held) => Ok(Err(held)),
            None => Err(SqlFailure::of(
                FailureKind::Damaged,
                "the table owner has no row",
            )),
        }
    }

    /// Who owns the state; none if it is nobody's just now.
    pub(crate) fn held(session: &Session) -> Result<Option<Held>, SqlFailure> {
        let held = session.one(HELD, &[], |row| Held::of(&Row::Postgres(row)))?;
        Ok(held.filter(|held| !held.left.is_zero()))
    }

    /// Raises the epoch: once this is done, nothing that was sent under the old one is stored after
    /// it. Waits for a transaction that is under way, and fails as fenced if the state is another's.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "a store with a lost answer stops")
    )]
    pub(crate) fn raise(self, session: &Session) -> Result<Self, SqlFailure> {
        let values = [Value::Number(self.epoch), Value::Number(owned_ms())];
        match session.one(RAISE, &values, epoch)? {
            Some(epoch) => Ok(Self { epoch }),
            None => Err(PostgresError::fenced().into()),
        }
    }

    /// Keeps the state for a while more with each transaction of this session: once it is another's, they
    /// fail as fenced.
    pub(crate) fn fences(self, session: &Session) {
        session.fence(FENCE, [self.epoch, owned_ms()]);
    }

    /// Keeps the state for a while more, outside of a transaction. Fails as fenced if it is another's.
    pub(crate) fn renew(self, session: &Session) -> Result<(), SqlFailure> {
        let values = [Value::Number(self.epoch), Value::Number(owned_ms())];
        match session.change(FENCE, &values)? {
            0 => Err(PostgresError::fenced().into()),
            _ => Ok(()),
        }
    }

    /// Lets anybody take it. The transactions of this owner are over.
    pub(crate) fn release(self, session: &Session) -> Result<(), SqlFailure> {
        session.change(RELEASE, &[Value::Number(self.epoch)])?;
        Ok(())
    }
}

impl Held {
    fn of(row: &Row<'_>) -> Result<Self, SqlFailure> {
        Ok(Self {
            by: row.get(0)?,
            left: Duration::from_millis(row.get::<i64>(1)?.max(0) as u64),
        })
    }
}

fn owned_ms() -> i64 {
    i64::try_from(OWNED.as_millis()).unwrap_or(i64::MAX)
}

fn epoch(row: &tokio_postgres::Row) -> Result<i64, SqlFailure> {
    Row::Postgres(row).get(0)
}
