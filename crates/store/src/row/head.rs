//! The one row of `head`: where the log ends, and how many tasks there are.
//!
//! Read next: [`super::super::digest`].

use super::{RowError, check, column};
use crate::digest::{ORIGIN, RowDigest, Sum};
use domain::event::Sequence;
use domain::time::Timestamp;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};

pub(crate) const TABLE: &str = "head";

const WRITE: &str = "INSERT OR REPLACE INTO head (one, sequence, time, chain, tasks, digest)
    VALUES (1, ?1, ?2, ?3, ?4, ?5)";

/// What the tables must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The last entry of the log.
    pub(crate) sequence: Sequence,
    /// Its time.
    pub(crate) time: Timestamp,
    /// Its digest.
    pub(crate) chain: Sum,
    /// How many tasks there are.
    pub(crate) tasks: u64,
}

impl Head {
    /// The head of an empty state.
    pub(crate) fn empty() -> Head {
        Head {
            sequence: 0,
            time: Timestamp::from_ms(0),
            chain: ORIGIN,
            tasks: 0,
        }
    }

    fn digest(&self) -> Sum {
        RowDigest::of(TABLE)
            .number(self.sequence as i64)
            .number(self.time.as_ms())
            .bytes(&self.chain)
            .number(self.tasks as i64)
            .sum()
    }

    /// The head as stored; empty before the first transaction.
    pub(crate) fn read(connection: &Connection) -> Result<Head, RowError> {
        let sql = "SELECT sequence, time, chain, tasks, digest FROM head";
        let row = |row: &rusqlite::Row<'_>| {
            let read = || -> Result<Head, RowError> {
                let head = Head {
                    sequence: column::<i64>(row, 0, TABLE, "")? as Sequence,
                    time: Timestamp::from_ms(column(row, 1, TABLE, "")?),
                    chain: column(row, 2, TABLE, "")?,
                    tasks: column::<i64>(row, 3, TABLE, "")? as u64,
                };
                let stored: Vec<u8> = column(row, 4, TABLE, "")?;
                check(&stored, &head.digest(), TABLE, "")?;
                Ok(head)
            };
            Ok(read())
        };
        let head = connection.query_row(sql, [], row).optional()?;
        head.unwrap_or_else(|| Ok(Head::empty()))
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
            head.tasks as i64,
            head.digest(),
        ])?;
        Ok(())
    }
}
