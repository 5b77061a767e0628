//! What each transaction of an owner begins with, and what became of one whose COMMIT was not answered.
//!
//! ```text
//! fence: commits = 8 where epoch = 3 and commits = 7 ─► COMMIT ─► no answer
//!        ─► another connection waits for the row ─► 8: stored · 7: not stored · else: nobody knows
//! ```
//! A COMMIT is sent once the fence was answered, so whatever may still be stored holds the lock of its
//! row: who gets that knows how it ended. And since a count is met once, no group is stored twice,
//! nor by a database that has forgotten one. Read next: [`super`]; `owner`, whose row it is.

use super::Session;
use crate::failure::FailureKind as Kind;
use crate::postgres::error::PostgresError;
use crate::sql::{Row, Value};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time for which it is asked what became of a transaction.
const ASKED_FOR: Duration = Duration::from_secs(120);

/// The pauses between two attempts: the first, from which they double, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// What each transaction of an owner begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FencingToken {
    /// Meets a row if the transaction may be stored, and counts it: of the epoch, the milliseconds for
    /// which the state is owned on, and the transactions stored before.
    pub(crate) met: &'static str,
    /// Gives epoch and count, once no transaction is under way that was fenced so.
    pub(crate) asked: &'static str,
    pub(crate) epoch: i64,
    pub(crate) owned_ms: i64,
    /// The transactions stored so far.
    pub(crate) commits: i64,
}

impl FencingToken {
    pub(super) fn values(&self) -> [Value<'static>; 3] {
        [self.epoch, self.owned_ms, self.commits].map(Value::Number)
    }

    /// The epoch and the count, as they are.
    pub(crate) fn found(
        asked: &'static str,
        session: &Session,
    ) -> Result<Option<(i64, i64)>, PostgresError> {
        let read = |row: &tokio_postgres::Row| {
            let row = Row::Postgres(row);
            let number = |column| row.get(column).map_err(|_| misread());
            Ok::<_, PostgresError>((number(0)?, number(1)?))
        };
        session.one(asked, &[], read)
    }
}

fn misread() -> PostgresError {
    PostgresError::new(Kind::Damaged, "the row of the owner is not as it was made")
}

/// Asked while it is not known whether something was stored: false if nobody waits for that any more.
pub(crate) type WhileUnknown = Box<dyn Fn() -> bool + Send>;

impl Session {
    /// From now on each transaction begins with this fence, and is stored only if it is met.
    pub(crate) fn fence(&self, fence: FencingToken) {
        self.fence.set(Some(fence));
    }

    /// Has this asked, again and again, while it is not known whether something was stored.
    pub(crate) fn while_unknown(&self, asked: WhileUnknown) {
        *self.while_unknown.borrow_mut() = Some(asked);
    }

    /// Notes that the transaction under way is stored.
    pub(super) fn counted(&self) {
        if let Some(mut fence) = self.fence.get() {
            fence.commits += 1;
            self.fence.set(Some(fence));
        }
    }

    /// Finds out what became of a transaction whose COMMIT was not answered, on connections of its own:
    /// waits until the database can be asked, for some minutes at most.
    ///
    /// Succeeds if it is stored. Fails as unreachable if it is not and never will be, and as `unknown` if
    /// nobody can tell: the state is another's, or was set back.
    pub(super) fn became(
        &self,
        fence: FencingToken,
        unknown: PostgresError,
    ) -> Result<(), PostgresError> {
        // What the server still does for this connection it ends, if it hears of that.
        self.line.cut(unknown.clone());
        tracing::warn!(error = %unknown, "a commit was not answered: the database is asked about it");
        let (until, mut pause) = (Instant::now() + ASKED_FOR, PAUSES.0);
        loop {
            let awaited = self.while_unknown.borrow();
            let is_awaited = awaited.as_ref().is_none_or(|is_awaited| is_awaited());
            drop(awaited);
            match self.asked_elsewhere(fence) {
                Ok(Some(found)) if found == (fence.epoch, fence.commits + 1) => {
                    tracing::info!("the commit that was not answered is stored");
                    return Ok(());
                }
                Ok(Some(found)) if found == (fence.epoch, fence.commits) => {
                    tracing::info!("the commit that was not answered is not stored");
                    let told = format!("it is not stored: {unknown}");
                    return Err(PostgresError::new(Kind::Unreachable, told));
                }
                Ok(_) => {
                    tracing::error!(
                        "another platform has taken the state over, or it was set back"
                    );
                    return Err(unknown);
                }
                Err(cause) => tracing::debug!(error = %cause, "the database cannot be asked"),
            }
            if !is_awaited || Instant::now() + pause >= until {
                return Err(unknown);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    fn asked_elsewhere(&self, fence: FencingToken) -> Result<Option<(i64, i64)>, PostgresError> {
        let mut session = Self::open(&self.net, &self.address)?;
        session.answer_within = self.answer_within.clone();
        FencingToken::found(fence.asked, &session)
    }
}
