//! The rows of `head`, one for each shard that has anything: the end of its chain, the numbers of its rows, and
//! the ledger that binds them.
//!
//! A generation is a count of the transactions that changed something, and each head has that of the last one that
//! changed its shard. Where there is a key, the ledger is encrypted under it, and one that decrypts was written
//! with the key. Read next: [`crate::heads`], all of them together; [`crate::ledger`], [`super::seal`].

use super::{RowError, check, column};
use crate::cover::covered;
use crate::digest::{ORIGIN, RowDigest, Sum};
use crate::failure::SqlFailure;
use crate::shard::Shard;
use crate::sql::{Expect, Row, Session, values};
use domain::event::Sequence;
use domain::time::Timestamp;
use std::iter::Sum as Total;

pub(crate) const TABLE: &str = "head";

const ALL: &str = "SELECT sequence, time, chain, tasks, open, exchanges, data, digest, generation,
    cipher, shard FROM head ORDER BY shard";

const WRITE: &str = "INSERT INTO head (sequence, time, chain, tasks, open, exchanges, data,
    digest, generation, cipher, shard) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    ON CONFLICT (shard) DO UPDATE SET sequence = excluded.sequence, time = excluded.time,
    chain = excluded.chain, tasks = excluded.tasks, open = excluded.open,
    exchanges = excluded.exchanges, data = excluded.data, digest = excluded.digest,
    generation = excluded.generation, cipher = excluded.cipher";

/// The required contents of the tables, as far as they are a shard's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The last entry of the log that is the shard's; 0 if there was none.
    pub(crate) sequence: Sequence,
    /// Its time.
    pub(crate) time: Timestamp,
    /// Its digest, or where the chain begins.
    pub(crate) chain: Sum,
    /// The numbers of rows.
    pub(crate) counts: Counts,
}

/// The numbers of rows of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All tasks.
    pub tasks: u64,
    /// Tasks that have not ended.
    pub open: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Data.
    pub data: u64,
}

impl Total for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, more| Self {
            tasks: sum.tasks + more.tasks,
            open: sum.open + more.open,
            exchanges: sum.exchanges + more.exchanges,
            data: sum.data + more.data,
        })
    }
}

/// Where the chain of a shard begins. That of shard 0 begins with nothing; each other one with the last digest
/// there was before there were others, zeros if there was none.
pub(crate) fn origin(shard: Shard, base: &Sum) -> Sum {
    match shard {
        Shard::ZERO => ORIGIN,
        shard => RowDigest::of("shard")
            .number(shard.column())
            .bytes(base)
            .sum(),
    }
}

impl Head {
    /// The head of a shard on which nothing ever was.
    pub(crate) fn first(shard: Shard, base: &Sum) -> Head {
        Head {
            sequence: 0,
            time: Timestamp::from_ms(0),
            chain: origin(shard, base),
            counts: Counts::default(),
        }
    }

    pub(crate) fn digest(&self, table: &str, shard: Shard) -> Sum {
        self.row(table, shard).sum()
    }

    fn row(&self, table: &str, shard: Shard) -> RowDigest {
        let row = RowDigest::of(table)
            .number(self.sequence as i64)
            .number(self.time.as_ms())
            .bytes(&self.chain)
            .number(self.counts.tasks as i64)
            .number(self.counts.open as i64)
            .number(self.counts.exchanges as i64)
            .number(self.counts.data as i64);
        on_shard(row, shard)
    }

    /// Reads the first columns of a row of `head` or `seal`, which are the same; not checked yet.
    pub(crate) fn of(row: &Row<'_>, table: &'static str) -> Result<Head, RowError> {
        let count = |index| column::<i64>(row, index, table, "").map(|count| count as u64);
        Ok(Head {
            sequence: count(0)?,
            time: Timestamp::from_ms(column(row, 1, table, "")?),
            chain: column(row, 2, table, "")?,
            counts: Counts {
                tasks: count(3)?,
                open: count(4)?,
                exchanges: count(5)?,
                data: count(6)?,
            },
        })
    }
}

/// The digest of a row of which there is one for each shard. That of shard 0 is as it was before there were
/// others.
pub(crate) fn on_shard(row: RowDigest, shard: Shard) -> RowDigest {
    match shard {
        Shard::ZERO => row,
        shard => row.number(shard.column()),
    }
}

/// A stored head.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) shard: Shard,
    pub(crate) head: Head,
    /// The transaction that wrote it, by their count; 0 by releases that did not count.
    pub(crate) generation: u64,
    /// The digest of the row: it identifies the whole shard as it was then.
    pub(crate) digest: Sum,
    pub(crate) cipher: Option<Vec<u8>>,
}

impl Stored {
    /// Reads the stored heads, by shard; none before the first transaction.
    pub(crate) fn all(session: Session<'_>) -> Result<Vec<Self>, RowError> {
        session.all(ALL, &[], Self::of)
    }

    fn of(row: &Row<'_>) -> Result<Self, RowError> {
        let digest: Vec<u8> = column(row, 7, TABLE, "")?;
        let mut stored = Self {
            shard: column(row, 10, TABLE, "")?,
            head: Head::of(row, TABLE)?,
            generation: column::<i64>(row, 8, TABLE, "")? as u64,
            digest: ORIGIN,
            cipher: column(row, 9, TABLE, "")?,
        };
        stored.digest = stored.computed();
        check(&digest, &stored.digest, TABLE, "")?;
        Ok(stored)
    }

    pub(crate) fn computed(&self) -> Sum {
        let beside = self.beside();
        match &self.cipher {
            Some(cipher) => covered(TABLE, &beside, cipher),
            None => beside,
        }
    }

    pub(crate) fn beside(&self) -> Sum {
        beside(self.shard, &self.head, self.generation)
    }

    /// Writes it in the place of the last one of its shard.
    pub(crate) fn write(&self, session: Session<'_>) -> Result<(), SqlFailure> {
        let head = &self.head;
        session.put(
            WRITE,
            values![
                head.sequence as i64,
                head.time.as_ms(),
                &head.chain,
                head.counts.tasks as i64,
                head.counts.open as i64,
                head.counts.exchanges as i64,
                head.counts.data as i64,
                &self.digest,
                self.generation as i64,
                self.cipher.as_ref(),
                self.shard,
            ],
            Expect::Any,
        )
    }
}

/// The digest of the columns that are not encrypted. Releases that did not count generations had
/// another one.
pub(crate) fn beside(shard: Shard, head: &Head, generation: u64) -> Sum {
    match generation {
        0 => head.digest(TABLE, shard),
        _ => {
            let row = head.row(TABLE, shard);
            row.number(generation as i64).sum()
        }
    }
}
