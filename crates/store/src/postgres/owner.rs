//! Who owns a state: one row, with an epoch (a fencing token) that grows when the state is taken and when it is
//! given back.
//!
//! ```text
//! take ─► epoch 7 ─► each group: until = now + ttl, commits = n + 1 where epoch = 7, commits = n ─► release
//!            another takes it, epoch 8: the group of epoch 7 meets no row and is not stored
//! ```
//! Times are those of the database's clock. Whoever holds the same name takes the state at once: a
//! platform that was killed is its own successor. One that releases it may name an heir, who alone may
//! take it for a while. Knows nothing of why one owns it. Read next: [`super::session::fence`], what the count
//! is for; [`crate::lead`], nodes that take turns.

use super::error::PostgresError;
use super::session::Session;
use super::session::fence::FencingToken;
use crate::failure::{FailureKind, SqlFailure};
use crate::lead::{LeadRow, Obstacle, Renewal};
use crate::sql::{Row, Value};
use domain::time::Timestamp;
use std::sync::Arc;
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
    " + ?2, since = ",
    now!(),
    ", rules = CASE WHEN ?4 = '' THEN rules ELSE ?4 END, heir = '', heir_until = 0 WHERE one = 1 AND (holder = ?1 OR until < ",
    now!(),
    ") AND (heir = '' OR heir = ?3 OR heir_until < ",
    now!(),
    ") AND (rules = '' OR rules = ?4 OR ?5 = 1) RETURNING epoch"
);

/// What the release before knows as well: a state of it is read as it is.
const HELD: &str = concat!(
    "SELECT holder, until - ",
    now!(),
    " FROM owner WHERE one = 1"
);

const FOUND: &str = concat!(
    "SELECT epoch, holder, since, until, until - ",
    now!(),
    ", rules, heir, heir_until - ",
    now!(),
    " FROM owner WHERE one = 1"
);

// The clock is read when a transaction begins: one that then waited for another that owned the state
// for longer shortens nothing.
/// Counts a transaction; a count is met once, by one transaction.
const FENCE: &str = concat!(
    "UPDATE owner SET commits = commits + 1, until = greatest(until, ",
    now!(),
    " + ?2) WHERE one = 1 AND epoch = ?1 AND commits = ?3"
);

/// Waits for a transaction that is under way.
const COUNTED: &str = "SELECT epoch, commits FROM owner WHERE one = 1 FOR UPDATE";

const RENEW: &str = concat!(
    "UPDATE owner SET until = greatest(until, ",
    now!(),
    " + ?2) WHERE one = 1 AND epoch = ?1"
);

// Its epoch is over as well: what is still on its way under it does not take the state back.
const RELEASE: &str = concat!(
    "UPDATE owner SET epoch = epoch + 1, until = 0, heir = ?2, heir_until = ",
    now!(),
    " + ?3 WHERE one = 1 AND epoch = ?1"
);

const IN_FORCE: &str = "UPDATE owner SET rules = ?2 WHERE one = 1 AND epoch = ?1";

/// A state that is ours until another takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    epoch: i64,
    ttl: Duration,
}

/// A state is another's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Whose it is.
    pub(crate) by: String,
    /// The time after which it is nobody's, if its owner does not renew it.
    pub(crate) left: Duration,
}

/// What somebody takes a state with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'c> {
    pub(crate) holder: &'c str,
    /// The name by which it may be named as an heir.
    pub(crate) node: &'c str,
    /// The digest of its rules, which must be that last in force, if there is one; empty to leave that in force.
    pub(crate) rules: &'c str,
    /// True if its rules may be others than those.
    pub(crate) any_rules: bool,
    pub(crate) ttl: Duration,
}

/// What the row says.
struct Found {
    lead: LeadRow,
    left_ms: i64,
    heir: String,
    heir_left_ms: i64,
}

impl Owner {
    /// Takes a state that is nobody's or was of the same holder, unless it is promised to another or was
    /// last owned with other rules.
    pub(crate) fn claim(
        session: &Session,
        claim: &Claim<'_>,
    ) -> Result<Result<Self, Obstacle>, SqlFailure> {
        let values = [
            Value::Text(claim.holder),
            Value::Number(ms(claim.ttl)),
            Value::Text(claim.node),
            Value::Text(claim.rules),
            Value::Number(claim.any_rules.into()),
        ];
        if let Some(epoch) = session.one(TAKE, &values, epoch)? {
            let ttl = claim.ttl;
            return Ok(Ok(Self { epoch, ttl }));
        }
        let found = found(session)?;
        let left = |ms: i64| Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        let is_held = found.left_ms >= 0 && found.lead.holder != claim.holder;
        let is_promised =
            found.heir_left_ms >= 0 && !found.heir.is_empty() && found.heir != claim.node;
        Ok(Err(if is_held {
            Obstacle::Held {
                by: found.lead.holder,
                left: left(found.left_ms),
            }
        } else if is_promised {
            Obstacle::Promised {
                to: found.heir,
                left: left(found.heir_left_ms),
            }
        } else if found.lead.rules != claim.rules && !claim.any_rules {
            Obstacle::Rules
        } else {
            // It has become free just now.
            Obstacle::Held {
                by: found.lead.holder,
                left: Duration::ZERO,
            }
        }))
    }

    /// Who owns the state; none if it is nobody's just now.
    pub(crate) fn held(session: &Session) -> Result<Option<Held>, SqlFailure> {
        let held = session.one(HELD, &[], |row| {
            let row = Row::Postgres(row);
            let left = u64::try_from(row.get::<i64>(1)?).unwrap_or(0);
            Ok::<_, SqlFailure>(Held {
                by: row.get(0)?,
                left: Duration::from_millis(left),
            })
        })?;
        Ok(held.filter(|held| !held.left.is_zero()))
    }

    /// Keeps the state for a while more with each transaction of this session: once it is another's, or
    /// has not all that was stored, they fail as fenced.
    pub(crate) fn fences(self, session: &Session) -> Result<(), SqlFailure> {
        let commits = match FencingToken::found(COUNTED, session)? {
            Some((epoch, commits)) if epoch == self.epoch => commits,
            _ => return Err(PostgresError::fenced().into()),
        };
        session.fence(FencingToken {
            met: FENCE,
            asked: COUNTED,
            epoch: self.epoch,
            owned_ms: ms(self.ttl),
            commits,
        });
        Ok(())
    }

    /// The same for an owner that others wait for, who is told of each time until which the state is its
    /// own. A transaction that it left open is in nobody's way once that has run out.
    pub(crate) fn fences_for(
        self,
        session: &Session,
        renewal: Arc<dyn Renewal>,
    ) -> Result<(), SqlFailure> {
        self.fences(session)?;
        session.renews(renewal, self.ttl);
        Ok(())
    }

    /// Keeps the state for a while more, outside of a transaction. Fails as fenced if it is another's.
    pub(crate) fn renew(self, session: &Session) -> Result<(), SqlFailure> {
        Self::met(session.change(RENEW, &self.values())?)
    }

    /// Writes the digest of the rules that are in force. Fails as fenced if the state is another's.
    pub(crate) fn in_force(self, session: &Session, rules: &str) -> Result<(), SqlFailure> {
        let values = [Value::Number(self.epoch), Value::Text(rules)];
        Self::met(session.change(IN_FORCE, &values)?)
    }

    /// Lets anybody take it, or the heir alone for as long as it is owned between two renewals. The
    /// transactions of this owner are over.
    pub(crate) fn release(self, session: &Session, heir: Option<&str>) -> Result<(), SqlFailure> {
        let [epoch, ttl] = self.values();
        session.change(
            RELEASE,
            &[epoch, Value::Text(heir.unwrap_or_default()), ttl],
        )?;
        Ok(())
    }

    /// The number of times that the state was taken, up to this one.
    pub(crate) fn epoch(self) -> u64 {
        u64::try_from(self.epoch).unwrap_or_default()
    }

    fn values(self) -> [Value<'static>; 2] {
        [Value::Number(self.epoch), Value::Number(ms(self.ttl))]
    }

    fn met(rows: u64) -> Result<(), SqlFailure> {
        match rows {
            0 => Err(PostgresError::fenced().into()),
            _ => Ok(()),
        }
    }
}

/// Who owns the state, as the row says.
pub(crate) fn lead(session: &Session) -> Result<LeadRow, SqlFailure> {
    Ok(found(session)?.lead)
}

fn found(session: &Session) -> Result<Found, SqlFailure> {
    let found = session.one(FOUND, &[], |row| {
        let row = Row::Postgres(row);
        let (holder, heir): (String, String) = (row.get(1)?, row.get(6)?);
        let (left_ms, heir_left_ms) = (row.get::<i64>(4)?, row.get::<i64>(7)?);
        let node = holder.split_once(' ').map_or("", |(_, node)| node);
        let at = |column| Ok::<_, SqlFailure>(Timestamp::from_ms(row.get::<i64>(column)?));
        let promised = heir_left_ms >= 0 && !heir.is_empty();
        Ok::<_, SqlFailure>(Found {
            lead: LeadRow {
                epoch: u64::try_from(row.get::<i64>(0)?).unwrap_or_default(),
                node: node.to_owned(),
                since: at(2)?,
                until: at(3)?,
                held: left_ms >= 0,
                rules: row.get(5)?,
                heir: promised.then(|| heir.clone()),
                holder,
            },
            left_ms,
            heir,
            heir_left_ms,
        })
    })?;
    found.ok_or_else(|| {
        let words = "the table owner has no row";
        SqlFailure::of(FailureKind::Damaged, words)
    })
}

fn ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn epoch(row: &tokio_postgres::Row) -> Result<i64, SqlFailure> {
    Row::Postgres(row).get(0)
}
