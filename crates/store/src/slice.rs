//! A transaction that ends with the head that belongs to its rows.
//!
//! All writes to a state are made in one of these: it begins with the period, if that is not stored
//! yet, and ends with the head, if anything changed. If it fails, the caller must restore the
//! ledger ([`Encryptor::ledger`]). Read next: `row::head`.

use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::ledger::Ledger;
use crate::row::head::{self, Head};
use crate::sql::{Session, Transaction};

/// A transaction under way; rolled back when dropped without a commit.
pub(crate) struct Slice<'c> {
    session: Session<'c>,
    transaction: Transaction<'c>,
    before: (Head, Ledger),
}

impl<'c> Slice<'c> {
    pub(crate) fn begin(
        session: Session<'c>,
        head: &Head,
        encryptor: &mut Encryptor,
    ) -> Result<Self, SqlFailure> {
        let transaction = session.begin()?;
        let before = (*head, encryptor.ledger);
        encryptor.store(session)?;
        Ok(Self {
            session,
            transaction,
            before,
        })
    }

    /// Writes the head if anything changed, and makes all of it durable.
    pub(crate) fn commit(self, head: &Head, encryptor: &mut Encryptor) -> Result<(), SqlFailure> {
        if (*head, encryptor.ledger) != self.before {
            head::write(self.session, head, encryptor)?;
        }
        self.transaction.commit()?;
        encryptor.stored();
        Ok(())
    }
}
