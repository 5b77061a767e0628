//! The rows of `seal`: the head of each shard as last signed.
//!
//! Read next: [`super::checkpoint`].

use super::head::Head;
use super::{RowError, check, column};
use crate::digest::Sum;
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::heads::Heads;
use crate::ledger::Ledger;
use crate::shard::{PerShard, Shard};
use crate::sign::{self, Signer};
use crate::sql::{Expect, Row, Session, values};

pub(crate) const TABLE: &str = "seal";

/// The fault of a seal that was replaced by another.
pub(crate) const NOT_THE_LAST: &str = "it is not the one that was written last";

/// The head as last signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) head: Head,
    signature: Vec<u8>,
}

impl Seal {
    /// The stored seals, by shard.
    pub(crate) fn all(session: Session<'_>) -> Result<PerShard<Seal>, RowError> {
        let sql =
            "SELECT sequence, time, chain, tasks, open, exchanges, data, digest, signature, shard
            FROM seal ORDER BY shard";
        let read = |row: &Row<'_>| -> Result<(Shard, Seal), RowError> {
            let (head, shard) = (Head::of(row, TABLE)?, column(row, 9, TABLE, "")?);
            let stored: Vec<u8> = column(row, 7, TABLE, "")?;
            check(&stored, &head.digest(TABLE, shard), TABLE, "")?;
            let signature = column(row, 8, TABLE, "")?;
            Ok((shard, Seal { head, signature }))
        };
        let all = session.all(sql, &[], read)?;
        Ok(all.into_iter().collect())
    }

    /// True if these are the seals of each shard that were written last, by the ledger.
    pub(crate) fn are_the_last(seals: &PerShard<Seal>, ledger: &Ledger) -> bool {
        Shard::all().all(|shard| {
            let seal = seals.of(shard).map(|seal| seal.head.sequence);
            ledger.of(shard).sealed == seal
        })
    }

    /// The one that reaches farthest, if anything was sealed.
    pub(crate) fn last(seals: &PerShard<Seal>) -> Option<&Seal> {
        seals.values().max_by_key(|seal| seal.head.sequence)
    }

    /// True if the signer signed it.
    pub(crate) fn is_signed(&self, shard: Shard, signer: &dyn Signer) -> bool {
        let digest: Sum = self.head.digest(TABLE, shard);
        sign::holds(signer, TABLE, &digest, &self.signature)
    }
}

/// Seals the head of a shard, and notes it in the ledger.
pub(crate) fn seal(
    session: Session<'_>,
    shard: Shard,
    heads: &Heads,
    signer: &dyn Signer,
    encryptor: &mut Encryptor,
) -> Result<(), SqlFailure> {
    let head = heads.of(shard);
    encryptor.ledger.of_mut(shard).sealed = Some(head.sequence);
    write(session, shard, &head, signer)
}

/// Signs the head of a shard and writes it as its seal.
fn write(
    session: Session<'_>,
    shard: Shard,
    head: &Head,
    signer: &dyn Signer,
) -> Result<(), SqlFailure> {
    let digest = head.digest(TABLE, shard);
    let sql = "INSERT INTO seal (shard, sequence, time, chain, tasks, open, exchanges, data, digest,
        signature) VALUES (?10, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT (shard) DO UPDATE SET sequence = ?1, time = ?2, chain = ?3, tasks = ?4, open = ?5,
        exchanges = ?6, data = ?7, digest = ?8, signature = ?9";
    session.put(
        sql,
        values![
            head.sequence as i64,
            head.time.as_ms(),
            &head.chain,
            head.counts.tasks as i64,
            head.counts.open as i64,
            head.counts.exchanges as i64,
            head.counts.data as i64,
            &digest,
            &sign::sign(Some(signer), TABLE, &digest),
            shard,
        ],
        Expect::Any,
    )?;
    Ok(())
}
