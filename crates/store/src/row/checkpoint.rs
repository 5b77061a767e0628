//! The one row of `checkpoint`: the place at which the log was cut, and the numbers of removed
//! rows.
//!
//! The chain begins behind it, from the digest of the last entry that was cut off. Read next:
//! [`super::erasure`].

use super::standing::{AS_KNOWN, standing};
use super::{RowError, check, column};
use crate::digest::{ORIGIN, RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::sign::{self, Signer};
use crate::sql::{Row, Session, values};
use domain::event::Sequence;
use domain::time::Timestamp;

pub(crate) const TABLE: &str = "checkpoint";

/// The beginning of the log, and the totals of removed rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The last entry that was cut off; 0 if none was. As many entries were removed.
    pub sequence: Sequence,
    /// The digest of that entry, on which the rest of the chain stands; zeros if none was cut.
    pub chain: [u8; 32],
    /// The time of the last removal; 1970 if there was none.
    pub time: Timestamp,
    /// An instant by which every removed task had ended.
    pub ended_by: Timestamp,
    /// The number of tasks removed since the state began.
    pub tasks: u64,
    /// The number of exchanges removed since the state began.
    pub exchanges: u64,
    /// The number of data removed since the state began.
    pub data: u64,
    /// The signature over all this; empty if there was no signer.
    pub signature: Vec<u8>,
}

impl Checkpoint {
    /// The checkpoint of a state from which nothing was removed.
    pub(crate) fn none() -> Self {
        Self {
            sequence: 0,
            chain: ORIGIN,
            time: Timestamp::from_ms(0),
            ended_by: Timestamp::from_ms(0),
            tasks: 0,
            exchanges: 0,
            data: 0,
            signature: Vec::new(),
        }
    }

    fn digest(&self) -> Sum {
        RowDigest::of(TABLE)
            .number(self.sequence as i64)
            .bytes(&self.chain)
            .number(self.time.as_ms())
            .number(self.ended_by.as_ms())
            .number(self.tasks as i64)
            .number(self.exchanges as i64)
            .number(self.data as i64)
            .sum()
    }

    /// The stored checkpoint, if anything was ever removed.
    pub(crate) fn read(session: Session<'_>) -> Result<Option<Checkpoint>, RowError> {
        let sql = "SELECT sequence, chain, time, ended_by, tasks, exchanges, data, digest,
            signature FROM checkpoint";
        session.find(sql, &[], Self::of)
    }

    fn of(row: &Row<'_>) -> Result<Checkpoint, RowError> {
        let number = |index| column::<i64>(row, index, TABLE, "");
        let checkpoint = Checkpoint {
            sequence: number(0)? as Sequence,
            chain: column(row, 1, TABLE, "")?,
            time: Timestamp::from_ms(number(2)?),
            ended_by: Timestamp::from_ms(number(3)?),
            tasks: number(4)? as u64,
            exchanges: number(5)? as u64,
            data: number(6)? as u64,
            signature: column(row, 8, TABLE, "")?,
        };
        let stored: Vec<u8> = column(row, 7, TABLE, "")?;
        check(&stored, &checkpoint.digest(), TABLE, "")?;
        Ok(checkpoint)
    }

    /// True if the signer signed it.
    pub(crate) fn is_signed(&self, signer: &dyn Signer) -> bool {
        sign::holds(signer, TABLE, &self.digest(), &self.signature)
    }

    /// Signs it and writes it in place of the last.
    pub(crate) fn write(
        &mut self,
        session: Session<'_>,
        signer: Option<&dyn Signer>,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        let old = standing(
            session,
            Set::Checkpoint,
            "SELECT 0, digest FROM checkpoint",
            &[],
        )?;
        let sum = self.digest();
        self.signature = sign::sign(signer, TABLE, &self.digest());
        let sql = "INSERT INTO checkpoint (one, sequence, chain, time, ended_by, tasks, exchanges,
            data, digest, signature) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (one) DO UPDATE SET sequence = ?1, chain = ?2, time = ?3, ended_by = ?4,
            tasks = ?5, exchanges = ?6, data = ?7, digest = ?8, signature = ?9
            WHERE checkpoint.digest = ?10";
        session.put(
            sql,
            values![
                self.sequence as i64,
                &self.chain,
                self.time.as_ms(),
                self.ended_by.as_ms(),
                self.tasks as i64,
                self.exchanges as i64,
                self.data as i64,
                &sum,
                &self.signature,
                old.as_ref().map(|old| &old.digest),
            ],
            AS_KNOWN,
        )?;
        encryptor.replaced(old.as_ref(), Set::Checkpoint, 0, &sum, sum.to_vec());
        Ok(())
    }
}
