//! A transaction that ends with the head that belongs to its rows.
//!
//! All writes to a state are made in one of these: it begins with the period, if that is not stored
//! yet, and ends with the head, if anything changed. If it fails, the caller must restore the
//! ledger ([`Encryptor::ledger`]). Read next: `row::head`.

use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::ledger::Ledger;
use crate::row::head::{self, Head};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::ops::Deref;

/// A transaction under way; rolled back when dropped without a commit.
pub(crate) struct Slice<'c> {
    transaction: Transaction<'c>,
    before: (Head, Ledger),
}

impl<'c> Slice<'c> {
    pub(crate) fn begin(
        connection: &'c Connection,
        head: &Head,
        encryptor: &mut Encryptor,
    ) -> Result<Self, SqlFailure> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = Transaction::new_unchecked(connection, behavior)?;
        let before = (*head, encryptor.ledger);
        encryptor.store(&transaction)?;
        Ok(Self {
            transaction,
            before,
        })
    }

    /// Writes the head if anything changed, and makes all of it durable.
    pub(crate) fn commit(self, head: &Head, encryptor: &mut Encryptor) -> Result<(), SqlFailure> {
        if (*head, encryptor.ledger) != self.before {
            head::write(&self.transaction, head, encryptor)?;
        }
        self.transaction.commit()?;
        encryptor.stored();
        Ok(())
    }
}

impl Deref for Slice<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.transaction
    }
}
