//! Transactions: those that write, parts of them, and those that see one state of everything.
//!
//! Nothing here waits but a COMMIT and the end of a part. Read next: [`super`].

use super::{IDLE, SNAPSHOT, Session, Stage};
use crate::failure::{FailureKind, SqlFailure};

impl Session {
    /// Begins a transaction, without waiting; it is rolled back when dropped.
    pub(crate) fn transaction(&self) -> Result<Transaction<'_>, SqlFailure> {
        let transaction = Transaction {
            session: self,
            own: true,
            fenced_last: false,
        };
        self.begin()?;
        Ok(transaction)
    }

    /// Begins a transaction that takes long, without waiting; it is rolled back when dropped. The row that
    /// says whose the state is stays free until it commits, so that it can be kept ours meanwhile.
    pub(crate) fn long_transaction(&self) -> Transaction<'_> {
        self.begin_idle(IDLE);
        Transaction {
            session: self,
            own: true,
            fenced_last: true,
        }
    }

    /// One state of the database for all reads until it is dropped; inside a transaction that one's.
    pub(crate) fn snapshot(&self) -> Transaction<'_> {
        let own = self.stage.get() == Stage::Outside;
        if own {
            self.begin_with(SNAPSHOT);
        }
        Transaction {
            session: self,
            own,
            fenced_last: false,
        }
    }

    /// What `work` comes to; if it breaks a rule, the transaction goes on as if it had done nothing.
    pub(crate) fn savepoint<T>(
        &self,
        work: impl FnOnce() -> Result<T, SqlFailure>,
    ) -> Result<T, SqlFailure> {
        self.send("SAVEPOINT part", false);
        let done = work().and_then(|value| Ok(self.flush().map(|()| value)?));
        let undone = |failed: &SqlFailure| failed.kind() == FailureKind::Rule;
        if done.as_ref().is_err_and(undone) {
            self.forget();
            self.send("ROLLBACK TO SAVEPOINT part", false);
        }
        self.send("RELEASE SAVEPOINT part", false);
        done
    }
}

/// A transaction under way.
pub(crate) struct Transaction<'s> {
    session: &'s Session,
    /// True until it has ended, unless it is part of another.
    own: bool,
    /// True if whose the state is must still be asked.
    fenced_last: bool,
}

impl Transaction<'_> {
    pub(crate) fn commit(mut self) -> Result<(), SqlFailure> {
        if self.fenced_last {
            self.session.fenced()?;
        }
        match std::mem::take(&mut self.own) {
            true => Ok(self.session.commit()?),
            false => Ok(()),
        }
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.own {
            self.session.roll_back();
        }
    }
}
