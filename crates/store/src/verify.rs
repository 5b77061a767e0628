//! Walking everything: the chain, every row, the structure of the file.
//!
//! Finds damage and lists it; repairs nothing. Read next: `digest`.

use crate::digest::ORIGIN;
use crate::open::reader;
use crate::read::{ReadError, first_time};
use crate::row::head::{self, Head};
use crate::row::{Corrupt, RowError, column, data_param, entry, exchange, task};
use domain::event::Sequence;
use domain::time::Timestamp;
use rusqlite::{Connection, Row};
use std::fmt;
use std::path::Path;

/// A report lists at most so many faults.
const FAULTS_MAX: usize = 1_000;

/// What a walk over the whole state found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainReport {
    /// Entries of the log.
    pub entries: Sequence,
    /// The time of the first entry; none if the log is empty.
    pub began: Option<Timestamp>,
    /// The time of the last entry; none if the log is empty.
    pub ended: Option<Timestamp>,
    /// The digest at the end of the chain: it stands for everything before it. Zeros if the log
    /// is empty.
    pub digest: [u8; 32],
    /// Rows of tasks.
    pub tasks: u64,
    /// Rows of exchanges.
    pub exchanges: u64,
    /// Rows of data.
    pub data: u64,
    /// The damage, the first thousand places of it.
    pub faults: Vec<Fault>,
}

impl ChainReport {
    /// True if no damage was found.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

/// A place where what is stored is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The table, or `sqlite` if SQLite itself found the damage.
    pub table: String,
    /// The row, or what SQLite says.
    pub key: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}' is damaged", self.table, self.key)
    }
}

/// Verifies the state in `path` without changing it; a store may have it open.
///
/// # Errors
/// [`ReadError`] if it could not be read; damage is in the report.
pub fn verify(path: &Path) -> Result<ChainReport, ReadError> {
    walk(&reader(path)?)
}

/// Walks everything within one snapshot.
pub(crate) fn walk(connection: &Connection) -> Result<ChainReport, ReadError> {
    let snapshot = connection.unchecked_transaction()?;
    let mut walk = Walk(Vec::new());
    walk.structure(&snapshot)?;
    let (last, ended, digest) = walk.chain(&snapshot)?;
    let tasks = walk.table(&snapshot, task::ALL, |row| task::read(row).map(drop))?;
    let exchanges = walk.table(&snapshot, exchange::ALL, |row| {
        exchange::read(row).map(drop)
    })?;
    let data = walk.table(&snapshot, data_param::ALL, |row| {
        data_param::read(row).map(drop)
    })?;
    let found = Head {
        sequence: last,
        time: ended.unwrap_or_default(),
        chain: digest,
        tasks,
    };
    let head = Head::read(&snapshot);
    if let Some(head) = walk.note(head)?
        && head != found
    {
        walk.fault(head::TABLE, last);
    }
    let began = walk.note(first_time(&snapshot).map_err(RowError::from))?;
    Ok(ChainReport {
        entries: last,
        began: began.flatten(),
        ended,
        digest,
        tasks,
        exchanges,
        data,
        faults: walk.0,
    })
}

struct Walk(Vec<Fault>);

impl Walk {
    fn fault(&mut self, table: &str, key: impl ToString) {
        if self.0.len() < FAULTS_MAX {
            self.0.push(Fault {
                table: table.to_owned(),
                key: key.to_string(),
            });
        }
    }

    /// Damage becomes a fault, a failure stays one.
    fn note<T>(&mut self, read: Result<T, RowError>) -> Result<Option<T>, ReadError> {
        match read.map_err(RowError::found_by_sqlite) {
            Ok(found) => Ok(Some(found)),
            Err(RowError::Corrupt(Corrupt { table, key })) => {
                self.fault(table, key);
                Ok(None)
            }
            Err(failure) => Err(failure.into()),
        }
    }

    fn structure(&mut self, connection: &Connection) -> Result<(), ReadError> {
        let checked = || -> Result<Vec<String>, RowError> {
            let mut statement = connection.prepare("PRAGMA integrity_check")?;
            let found = statement.query_map([], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        };
        for found in self.note(checked())?.into_iter().flatten() {
            if found != "ok" {
                self.fault("sqlite", found);
            }
        }
        Ok(())
    }

    /// Reads each row; a damaged one does not end the walk, a damaged file does.
    fn table(
        &mut self,
        connection: &Connection,
        sql: &str,
        mut read: impl FnMut(&Row<'_>) -> Result<(), RowError>,
    ) -> Result<u64, ReadError> {
        let mut rows_read = 0;
        let mut faults = Vec::new();
        let mut walked = || -> Result<(), RowError> {
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                rows_read += 1;
                match read(row) {
                    Err(corrupt @ RowError::Corrupt(_)) => faults.push(corrupt),
                    other => other?,
                }
            }
            Ok(())
        };
        let end = walked();
        for fault in faults {
            self.note::<()>(Err(fault))?;
        }
        self.note(end)?;
        Ok(rows_read)
    }

    fn chain(
        &mut self,
        connection: &Connection,
    ) -> Result<(Sequence, Option<Timestamp>, [u8; 32]), ReadError> {
        let (mut last, mut ended, mut chain) = (0, None, ORIGIN);
        self.table(connection, entry::ALL, |row| {
            let step = entry::read(row, last + 1, &chain);
            // Goes on behind damage, so that one flipped bit is one fault and not thousands.
            last = column(row, 0, entry::TABLE, "")
                .map(|found: i64| found as Sequence)
                .unwrap_or(last + 1);
            let before = ended;
            if let Ok(time) = row.get(1) {
                ended = Some(Timestamp::from_ms(time));
            }
            if let Ok(stored) = row.get(4) {
                chain = stored;
            }
            step?;
            if before > ended {
                return Err(RowError::corrupt(entry::TABLE, last));
            }
            Ok(())
        })?;
        Ok((last, ended, chain))
    }
}
