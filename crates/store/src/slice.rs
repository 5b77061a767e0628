//! A transaction that ends with the heads that belong to its rows.
//!
//! All writes to a state are made in one of these: it begins with the period, if that is not stored
//! yet, and ends with the heads of the shards of which anything changed. If it fails, the caller must restore the
//! ledger ([`Encryptor::ledger`]). Read next: [`crate::heads`].

use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::heads::{self, Heads};
use crate::ledger::Ledger;
use crate::shard::Shard;
use crate::sql::{Session, Transaction};

/// A transaction under way; rolled back when dropped without a commit.
pub(crate) struct Slice<'c> {
    session: Session<'c>,
    transaction: Transaction<'c>,
    before: (Heads, Ledger),
}

impl<'c> Slice<'c> {
    pub(crate) fn begin(
        session: Session<'c>,
        heads: &Heads,
        encryptor: &mut Encryptor,
    ) -> Result<Self, SqlFailure> {
        let transaction = session.begin()?;
        let before = (heads.clone(), encryptor.ledger.clone());
        encryptor.store(session)?;
        Ok(Self {
            session,
            transaction,
            before,
        })
    }

    /// Writes the heads that changed, and makes all of it durable.
    pub(crate) fn commit(self, heads: &Heads, encryptor: &mut Encryptor) -> Result<(), SqlFailure> {
        let (heads_before, ledger) = &self.before;
        let mut changed: Vec<Shard> = heads.changed(heads_before).collect();
        changed.extend(encryptor.ledger.changed(ledger));
        changed.sort_unstable();
        changed.dedup();
        if !changed.is_empty() {
            heads::write(self.session, heads, &changed, encryptor)?;
        }
        self.transaction.commit()?;
        encryptor.stored();
        Ok(())
    }
}
