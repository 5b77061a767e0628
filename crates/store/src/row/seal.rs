//! The one row of `seal`: the head as last signed.
//!
//! Read next: [`super::checkpoint`].

use super::head::Head;
use super::{RowError, check, column};
use crate::digest::Sum;
use crate::failure::SqlFailure;
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
    /// The stored seal, if anything was sealed.
    pub(crate) fn read(session: Session<'_>) -> Result<Option<Seal>, RowError> {
        let sql = "SELECT sequence, time, chain, tasks, open, exchanges, data, digest, signature
            FROM seal";
        let read = |row: &Row<'_>| -> Result<Seal, RowError> {
            let head = Head::of(row, TABLE)?;
            let stored: Vec<u8> = column(row, 7, TABLE, "")?;
            check(&stored, &head.digest(TABLE), TABLE, "")?;
            Ok(Seal {
                head,
                signature: column(row, 8, TABLE, "")?,
            })
        };
        session.find(sql, &[], read)
    }

    /// True if the signer signed it.
    pub(crate) fn is_signed(&self, signer: &dyn Signer) -> bool {
        let digest: Sum = self.head.digest(TABLE);
        sign::holds(signer, TABLE, &digest, &self.signature)
    }
}

/// Signs the head and writes it as the seal.
pub(crate) fn write(
    session: Session<'_>,
    head: &Head,
    signer: &dyn Signer,
) -> Result<(), SqlFailure> {
    let digest = head.digest(TABLE);
    let sql = "INSERT INTO seal (one, sequence, time, chain, tasks, open, exchanges, data, digest,
        signature) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT (one) DO UPDATE SET sequence = ?1, time = ?2, chain = ?3, tasks = ?4, open = ?5,
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
        ],
        Expect::Any,
    )?;
    Ok(())
}
