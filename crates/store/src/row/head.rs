//! The one row of `head`: where the log ends, and how many rows there are.
//!
//! Read next: [`super::seal`].

use super::{RowError, check, column};
use crate::digest::{ORIGIN, RowDigest, Sum};
use domain::event::Sequence;
use domain::time::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

pub(crate) const TABLE: &str = "head";

const WRITE: &str = "INSERT OR REPLACE INTO head (one, sequence, time, chain, tasks, open,
    exchanges, data, digest) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

/// What the tables must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The last entry of the log.
    pub(crate) sequence: Sequence,
    /// Its time.
    pub(crate) time: Timestamp,
    /// Its digest.
    pub(crate) chain: Sum,
    /// How many rows there are.
    pub(crate) counts: Counts,
}

/// How much a state holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All tasks.
    pub tasks: u64,
    /// Those that have not ended.
    pub open: u64,
    /// Exchanges.
    pub exchanges: u64,
    /// Data.
    pub data: u64,
}

impl Head {
    /// The head of an empty state.
    pub(crate) fn empty() -> Head {
        Head {
            sequence: 0,
            time: Timestamp::from_ms(0),
            chain: ORIGIN,
            counts: Counts::default(),
        }
    }

    pub(crate) fn digest(&self, table: &str) -> Sum {
        RowDigest::of(table)
            .number(self.sequence as i64)
            .number(self.time.as_ms())
            .bytes(&self.chain)
            .number(self.counts.tasks as i64)
            .number(self.counts.open as i64)
            .number(self.counts.exchanges as i64)
            .number(self.counts.data as i64)
            .sum()
    }

    /// The head as stored; empty before the first transaction.
    pub(crate) fn read(connection: &Connection) -> Result<Head, RowError> {
        let sql = "SELECT sequence, time, chain, tasks, open, exchanges, data, digest FROM head";
        let row = |row: &Row<'_>| Ok(Head::of(row, TABLE));
        let head = connection.query_row(sql, [], row).optional()?;
        head.unwrap_or_else(|| Ok(Head::empty()))
    }

    /// The first columns of a row of `head` or `seal`, which hold the same.
    pub(crate) fn of(row: &Row<'_>, table: &'static str) -> Result<Head, RowError> {
        let count = |index| column::<i64>(row, index, table, "").map(|count| count as u64);
        let head = Head {
            sequence: count(0)?,
            time: Timestamp::from_ms(column(row, 1, table, "")?),
            chain: column(row, 2, table, "")?,
            counts: Counts {
                tasks: count(3)?,
                open: count(4)?,
                exchanges: count(5)?,
                data: count(6)?,
            },
        };
        let stored: Vec<u8> = column(row, 7, table, "")?;
        check(&stored, &head.digest(table), table, "")?;
        Ok(head)
    }
}

/// The prepared statement of the writer.
pub(crate) struct HeadStatement<'c>(CachedStatement<'c>);

impl<'c> HeadStatement<'c> {
    pub(crate) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self(connection.prepare_cached(WRITE)?))
    }

    pub(crate) fn write(&mut self, head: &Head) -> rusqlite::Result<()> {
        self.0.execute(params![
            head.sequence as i64,
            head.time.as_ms(),
            head.chain,
            head.counts.tasks as i64,
            head.counts.open as i64,
            head.counts.exchanges as i64,
            head.counts.data as i64,
            head.digest(TABLE),
        ])?;
        Ok(())
    }
}
