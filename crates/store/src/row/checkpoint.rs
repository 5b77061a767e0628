//! The rows of `checkpoint`, one for each shard of which anything was removed: the last of its entries that was cut
//! off, and the numbers of removed rows.
//!
//! The chain of the shard begins behind it, from the digest of that entry. The log as a whole begins behind the one
//! that reaches farthest. Read next:
//! [`super::erasure`].

use super::head::{on_shard, origin};
use super::standing::{AS_KNOWN, RowPlace, standing};
use super::{RowError, check, column};
use crate::digest::{RowDigest, Sum};
use crate::encryptor::Encryptor;
use crate::failure::SqlFailure;
use crate::set::Set;
use crate::shard::{PerShard, Shard};
use crate::sign::{self, Signer};
use crate::sql::{Row, Session, values};
use domain::event::Sequence;
use domain::time::Timestamp;

pub(crate) const TABLE: &str = "checkpoint";

/// The columns of a checkpoint, for a `SELECT`.
macro_rules! columns {
    ($from:literal) => {
        concat!(
            "SELECT sequence, chain, time, ended_by, tasks, exchanges, data, digest, signature, shard ",
            $from
        )
    };
}

/// The beginning of the log, and the totals of removed rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The last entry that was cut off; 0 if none was. As many entries were removed.
    pub sequence: Sequence,
    /// The digest of that entry, on which the rest of its chain stands; where the chain begins if none was cut.
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
    /// The checkpoint of a shard from which nothing was removed.
    pub(crate) fn none(shard: Shard, base: &Sum) -> Self {
        Self {
            sequence: 0,
            chain: origin(shard, base),
            time: Timestamp::from_ms(0),
            ended_by: Timestamp::from_ms(0),
            tasks: 0,
            exchanges: 0,
            data: 0,
            signature: Vec::new(),
        }
    }

    fn digest(&self, shard: Shard) -> Sum {
        let row = RowDigest::of(TABLE)
            .number(self.sequence as i64)
            .bytes(&self.chain)
            .number(self.time.as_ms())
            .number(self.ended_by.as_ms())
            .number(self.tasks as i64)
            .number(self.exchanges as i64)
            .number(self.data as i64);
        on_shard(row, shard).sum()
    }

    /// The stored checkpoints, by shard.
    pub(crate) fn all(session: Session<'_>) -> Result<PerShard<Checkpoint>, RowError> {
        let sql = columns!("FROM checkpoint ORDER BY shard");
        let all = session.all(sql, &[], Self::of)?;
        Ok(all.into_iter().collect())
    }

    /// The one that reaches farthest: where the log begins. With its shard; none if nothing was ever removed.
    pub(crate) fn last(session: Session<'_>) -> Result<Option<(Shard, Checkpoint)>, RowError> {
        let sql = columns!("FROM checkpoint ORDER BY sequence DESC, shard LIMIT 1");
        session.find(sql, &[], Self::of)
    }

    /// The one of a shard, if anything of it was ever removed.
    pub(crate) fn of_shard(
        session: Session<'_>,
        shard: Shard,
    ) -> Result<Option<Checkpoint>, RowError> {
        let sql = columns!("FROM checkpoint WHERE shard = ?1");
        let found = session.find(sql, values![shard], Self::of)?;
        Ok(found.map(|(_, checkpoint)| checkpoint))
    }

    fn of(row: &Row<'_>) -> Result<(Shard, Checkpoint), RowError> {
        let number = |index| column::<i64>(row, index, TABLE, "");
        let checkpoint = Checkpoint {
            sequence: number(0)? as u64,
            chain: column(row, 1, TABLE, "")?,
            time: Timestamp::from_ms(number(2)?),
            ended_by: Timestamp::from_ms(number(3)?),
            tasks: number(4)? as u64,
            exchanges: number(5)? as u64,
            data: number(6)? as u64,
            signature: column(row, 8, TABLE, "")?,
        };
        let shard = column(row, 9, TABLE, "")?;
        let stored: Vec<u8> = column(row, 7, TABLE, "")?;
        check(&stored, &checkpoint.digest(shard), TABLE, "")?;
        Ok((shard, checkpoint))
    }

    /// The checkpoint of the log as a whole, if anything was ever removed: that which reaches farthest, with what was
    /// removed of all shards.
    pub(crate) fn whole(all: &PerShard<Checkpoint>) -> Option<Checkpoint> {
        let last = all.values().max_by_key(|it| it.sequence)?;
        let latest = |of: fn(&Checkpoint) -> Timestamp| all.values().map(of).max();
        Some(Checkpoint {
            time: latest(|it| it.time)?,
            ended_by: latest(|it| it.ended_by)?,
            tasks: all.values().map(|it| it.tasks).sum(),
            exchanges: all.values().map(|it| it.exchanges).sum(),
            data: all.values().map(|it| it.data).sum(),
            ..last.clone()
        })
    }

    /// True if the signer signed it.
    pub(crate) fn is_signed(&self, shard: Shard, signer: &dyn Signer) -> bool {
        sign::holds(signer, TABLE, &self.digest(shard), &self.signature)
    }

    /// Signs it and writes it in place of the last one of its shard.
    pub(crate) fn write(
        &mut self,
        session: Session<'_>,
        shard: Shard,
        signer: Option<&dyn Signer>,
        encryptor: &mut Encryptor,
    ) -> Result<(), SqlFailure> {
        let old = standing(
            session,
            Set::Checkpoint,
            "SELECT 0, digest, shard FROM checkpoint WHERE shard = ?1",
            values![shard],
        )?;
        let sum = self.digest(shard);
        self.signature = sign::sign(signer, TABLE, &sum);
        let sql =
            "INSERT INTO checkpoint (shard, sequence, chain, time, ended_by, tasks, exchanges,
            data, digest, signature) VALUES (?11, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (shard) DO UPDATE SET sequence = ?1, chain = ?2, time = ?3, ended_by = ?4,
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
                shard,
            ],
            AS_KNOWN,
        )?;
        let place = RowPlace { shard, number: 0 };
        encryptor.replaced(old.as_ref(), Set::Checkpoint, place, &sum, sum.to_vec());
        Ok(())
    }
}
